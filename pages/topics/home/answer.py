"""The answer of the home page: a secret, doors into the site, two digits under noise, and the cost of privacy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pprint import pformat

from pages.kit import cache, dials, numbers, opendp
from pages.kit.panel import LiveDial, Panel
from pages.kit.snippet import Snippet
from pages.kit.trials import Job, Trials
from pages.topics.home.cost import cost
from pages.topics.home.question import FAMILY, Question, level_setting
from pages.topics.home.secret import panel as secret_panel
from privdemo import figures
from privdemo.experiments import images
from privdemo.experiments.images import Guesses, Point, Result

measure = cache.shared(images.measure, max_entries=1024)
curve = cache.shared(images.curve, max_entries=64)

# The prior of the adversary who guesses here: learned from everybody's noisy images.
_PRIOR = "low_rank"
# The ways into the site: address, and what it is with a line on what happens there.
_DOORS = (
    (
        "voting",
        "**See how it works (5 minutes)** Chance changes some answers of a simulated poll. Work out the truth.",
    ),
    ("poll", "**Ask your class** Put an embarrassing question to the room, on their phones or by a show of hands."),
    (
        "advice",
        "**Choose a method for your question** Say what you want to know and whom people trust. Get one "
        "recommendation, and what it costs in accuracy.",
    ),
)


@dataclass(frozen=True)
class Answer:
    """A question, two people’s digits as released, and how often their senders are found.

    `own_point` is measured at the level set, `points` along the curve. `guesses` are an adversary’s, `along` those at
    the levels of the curve, empty until all are finished.
    """

    question: Question
    result: Result
    own_point: Point
    points: Sequence[Point]
    guesses: Guesses
    along: tuple[Guesses, ...]

    def takeaway(self) -> str:
        """Say what the site is."""
        return (
            "A spinning wheel changes some answers by chance before anybody sees them: no single answer gives anyone "
            "away, yet the total can be worked out. Try it."
        )

    def main(self) -> tuple[Panel | tuple[Panel, ...], ...]:
        """Return the secret, the doors, and the dial beside the cost of privacy by trust."""
        digits_and_cost = self._dial(), cost(self.question.dataset)
        return secret_panel(), Panel("doors", links=_DOORS), digits_and_cost

    def _dial(self) -> Panel:
        """Return the panel of the dial."""
        result, summary = self.result, self._summary()
        halves = (
            "What two people send to the collector",
            f"The originals, guessed from {result.n_people:,} such images",
        )
        data = dials.dial_data(
            result, self.guesses, FAMILY, self.own_point, self.points, {_PRIOR: (halves[1], "")}, halves
        )

        def still() -> str:
            stack = [result.released, self.guesses.pictures[_PRIOR]]
            sheet = figures.contact_sheet(images.stack_pictures(stack, result.image_shape))
            return figures.picture_html(sheet, [f"the {name}" for name in result.class_names], halves, summary)

        return Panel(
            "home",
            "Can pictures be protected by chance, too?",
            "Before it is sent, each dot (pixel) of a picture of a handwritten digit may be replaced by a random grey.",
            LiveDial(
                data,
                level_setting(),
                still,
                first=lambda: dials.first_frame(data, result, FAMILY, self.guesses, _PRIOR),
                later=lambda: dials.more_guesses(data, self.along, [_PRIOR]),
            ),
            summary=summary,
            rows=lambda: images.curve_table(self.points),
            snippet=snippet(self.question),
        )

    def _summary(self) -> str:
        """Describe the dial, for screen readers."""
        names, own_point = self.result.class_names, self.own_point
        below_all = [point for point in self.points if point.linked.mean < 1]
        along = "; ".join(f"at p = {point.level:.3g} {_found_words(point)}" for point in below_all)
        return (
            f"A {names[0]} and a {names[1]} of which each pixel is replaced by another grey level with probability p = "
            f"{own_point.level:.4g}, and the best guess of somebody who has learned from {self.result.n_people:,} "
            f"people's noisy images how pixels go together. Among {own_point.n_candidates} people whose clean images "
            f"are known the sender is found in {_found_words(own_point)} images, with a 95 % interval over "
            f"{images.N_RELEASES} of them. With more noise: {along}."
        )


def _found_words(point: Point) -> str:
    """Write how often the sender is found at a noise level."""
    return f"{numbers.out_of_100(point.linked.mean)} ({numbers.interval(point.linked, _WHOLE_PERCENT)})"


_WHOLE_PERCENT = numbers.SHARE._replace(digits=0)


def answer(question: Question, trials: Trials) -> Answer:
    """Release two people’s digits, guess them, and look for their senders."""
    config, own_point = question.config, measure(question.curve, question.level)
    guesses, along = dials.guesses_here(config, trials, (_PRIOR,)), dials.guesses_along(config, FAMILY, trials)
    return Answer(question, dials.release(config), own_point, curve(question.curve), guesses, along)


def extra_jobs(question: Question) -> list[Job]:
    """Return the jobs in which the adversary learns in the background."""
    return dials.guess_jobs(question.config, FAMILY, (_PRIOR,))


def opendp_lines(question: Question) -> Snippet | None:
    """Return the lines for OpenDP that randomise a pixel as the page does."""
    return opendp.snippet(pixel=question.config.pixels)


def snippet(question: Question) -> Snippet:
    """Return the code that makes the pictures and finds the senders."""
    return Snippet(
        (
            "from privdemo.experiments.images import Config, CurveConfig, curve, measure, run, stack_pictures",
            "from privdemo.figures import contact_sheet, png",
            "from privdemo.mechanisms import RandomisedResponse",
        ),
        (
            f"result = run({pformat(question.config, width=88)})",
            f'pictures = stack_pictures([result.released, result.guesses["{_PRIOR}"]], result.image_shape)',
            'open("picture.png", "wb").write(png(contact_sheet(pictures)))',
            "",
            f"linking = {pformat(question.curve, width=88)}",
            f"here = measure(linking, {question.level!r})",
            "points = curve(linking)",
            'print("sender found:", here.linked)',
        ),
    )
