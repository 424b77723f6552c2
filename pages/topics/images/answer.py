"""What the page says of a question: the sentence, the dial, what is lost, and the paper's figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pprint import pformat

from pages.kit import cache, dials, numbers
from pages.kit.panel import Chart, Live, Markup, Panel
from pages.kit.snippet import Snippet
from pages.kit.trials import Job, Trials
from pages.topics.images.controls import PRESETS, Question, level_setting
from pages.topics.images.promises import promises, reporting
from privdemo import figures
from privdemo.experiments import images
from privdemo.experiments.images import PRIORS, Guesses, Point, Privacy, Result
from privdemo.mechanisms.pixels import FAMILIES, N_LEVELS, PixelFamily

PAPER = "Barber, Private machine learning via randomised response"
# The paper's figures by the family of noise that they show.
IN_PAPER = {"randomised_response": "figure 2", "gaussian": "figure 4"}

measure = cache.shared(images.measure, max_entries=1024)
curve = cache.shared(images.curve, max_entries=256, spinner=f"Looking for senders at {N_LEVELS} levels of noise…")
strip = cache.shared(images.strip, max_entries=64)


@dataclass(frozen=True)
class Answer:
    """A question, the release and its promise, and how well linking works `here` and at the `points` of a curve.

    `guesses` are those of the adversary that are there by now, `along` those at the levels of `points`, once all are.
    """

    question: Question
    result: Result
    privacy: Privacy
    here: Point
    points: Sequence[Point]
    guesses: Guesses
    along: tuple[Guesses, ...] = ()

    def takeaway(self) -> str:
        """The page in one sentence, with the live numbers."""
        question, here = self.question, self.here
        found, n = here.linked, here.n_candidates
        return (
            f"At {question.family.symbol} = {question.level:.4g}, {self._damage()}. The sender is found in "
            f"<b>{numbers.out_of_100(found.mean)}</b> images ({numbers.interval(found, _WHOLE)}) among {n} people. "
            f"{reporting(self.result.class_names, self.privacy.label_truth)[0]}."
        )

    def _damage(self) -> str:
        if self.question.family.leaves_some:
            return f"<b>{self.result.changed_pixels:.0f}</b> of {self.privacy.n_pixels} pixels change"
        return f"a pixel is off by <b>{self.here.expected.absolute:.2f}</b> on average (0 is black, 1 white)"

    def main(self) -> tuple[Panel]:
        """The live dial."""
        return (_dial(self),)

    def lost(self) -> tuple[Panel | tuple[Panel, ...], ...]:
        """What is lost, and whom it still finds."""
        return _lost(self)

    def promised(self) -> tuple[Panel]:
        """What the noise promises."""
        return (promises(self.question.family, self.result.class_names, self.privacy, snippet(self.question)),)


# Whole percents.
_WHOLE = numbers.SHARE._replace(digits=0)


def answer(question: Question, made: Trials) -> Answer:
    """Release the images of a question, and link them to their senders at its noise level and along the curve."""
    config, family = question.config, question.family
    result = dials.release(config)
    return Answer(
        question,
        result,
        images.privacy(config, question.delta, result.states.shape[1]),
        measure(question.curve, question.level),
        curve(question.curve),
        dials.guesses_here(config, made),
        dials.guesses_along(config, family, made),
    )


def jobs(question: Question) -> list[Job]:
    """What the adversary learns in the background."""
    return dials.guess_jobs(question.config, question.family)


# --- the dial ------------------------------------------------------------------------------------


def _priors(result: Result) -> dict[str, tuple[str, str]]:
    """The rows of guesses, by what the adversary knows of pixels: their names and notes."""
    return {
        "flat": ("Guess: pixels alike", "knows only the noise"),
        "learned": ("Guess: learned", f"from {result.n_people:,} noisy images"),
        "low_rank": ("Guess: strokes", "knows how pixels go together"),
        "true": ("Guess: pixels known", "from clean images"),
    }


# The same on the chart of their errors, the worst first.
_KNOWN = {"flat": "pixels alike", "learned": "learned one by one", "true": "pixels known", "low_rank": "strokes"}


def _dial(shown: Answer) -> Panel:
    """The shown people's images, redrawn while the noise level is dragged, and an adversary's guesses of them."""
    question, result, guesses = shown.question, shown.result, shown.guesses
    family, priors = question.family, _priors(shown.result)
    data = dials.dial_data(result, guesses, family, shown.here, shown.points, priors)
    summary = _dial_words(shown)

    def still() -> str:
        stack = [result.clean, result.released, *guesses.pictures.values()]
        sheet = figures.contact_sheet(images.stack_pictures(stack, result.image_shape))
        rows = ["clean", "released", *(priors[prior][0] for prior in guesses.pictures)]
        return figures.picture_html(sheet, dials.captions(result), rows, summary)

    return Panel(
        "images",
        figure=Live(
            data,
            level_setting(family, result.n_states),
            still,
            first=lambda: dials.first_frame(data, result, guesses, PRIORS),
            later=lambda: dials.more_guesses(data, shown.along, PRIORS),
        ),
        summary=summary,
        rows=lambda: images.picture_table(replace(result, guessed=guesses)),
        snippet=snippet(question),
    )


def _dial_words(shown: Answer) -> str:
    question, result = shown.question, shown.result
    n = len(result.labels)
    flipped = int((result.labels != result.released_labels).sum())
    return (
        f"{n} images of {numbers.a_list(result.class_names)}, clean and as released at {question.family.symbol} = "
        f"{question.level:.4g}. {flipped} of the {n} labels {'is' if flipped == 1 else 'are'} a lie: “"
        f"{result.class_names[0]} → {result.class_names[1]}” is a {result.class_names[0]} reported as a "
        f"{result.class_names[1]}. The rows of guesses are the best that an adversary can do who takes all grey levels "
        f"for equally likely, who has learned from {result.n_people:,} noisy images what each pixel usually is, or how "
        f"pixels go together as well, or who knows from clean ones what each pixel is. While you drag, they are those "
        f"of the nearest of {len(shown.points)} levels; let go, and they are exact."
    )


# --- what is lost ----------------------------------------------------------------------------------


def _lost(shown: Answer) -> tuple[Panel | tuple[Panel, ...], ...]:
    """The error of a pixel and how often a sender is found, against the noise level."""
    question, here, n = shown.question, shown.here, shown.here.n_candidates
    family = question.family
    at = f"At {family.symbol} = {here.level:.4g}"
    head = Panel(
        question="What is lost, and who is still identified?",
        answer=f"{at} a pixel is off by <b>{here.expected.absolute:.2f}</b> on average (0 is black, 1 white), and of "
        f"100 images <b>{numbers.out_of_100(here.linked.mean).removesuffix(' of 100')}</b> are traced to their sender "
        f"({numbers.interval(here.linked, _WHOLE)}); by chance it would be {numbers.share(1 / n, 0)}."
        f"{_strokes(shown)}",
    )
    damage = Panel(
        "damage",
        figure=Chart(figures.damage(shown.points, here, family)),
        summary=f"{at} a released pixel is off by {here.expected.absolute:.3f} on average (measured "
        f"{here.absolute.mean:.3f}) and its squared error is {here.expected.squared:.3f} (measured "
        f"{here.squared.mean:.3f}), where 0 is black and 1 is white. Lines: exact; markers: measured in "
        f"{images.N_RELEASES} releases each, with 95 % intervals.",
        rows=lambda: images.curve_table(shown.points),
        snippet=snippet(question),
    )
    linkage = Panel(
        "linkage",
        figure=Chart(figures.linkage(shown.points, here, family)),
        summary=f"An adversary who knows {n} people's clean images traces a released image to its sender "
        f"{numbers.with_range(here.linked)} of the time; chance is {numbers.share(1 / n)}. Markers: "
        f"{images.N_RELEASES} releases each, with 95 % intervals.",
        rows=lambda: images.curve_table(shown.points),
        snippet=snippet(question),
    )
    return head, (_guessing(shown), linkage), damage


def _strokes(shown: Answer) -> str:
    """What it gains an adversary to learn strokes, and from how many releases; nothing until they are learned."""
    errors = shown.guesses.errors
    if "low_rank" not in errors:
        return ""
    alone, strokes = (errors[prior] for prior in ("learned", "low_rank"))
    left = numbers.with_range(strokes, numbers.LOSS)
    taught = f" Strokes learned from <b>{shown.result.n_people:,}</b> noisy images"
    if round(strokes.mean, 3) < round(alone.mean, 3):
        return f"{taught} cut the squared error of a guessed pixel from {alone.mean:.3f} to <b>{left}</b>."
    return f"{taught} tell an adversary no more than pixels one by one: both leave a squared error of {left}."


def _guessing(shown: Answer) -> Panel:
    """The error of the adversary's guesses against the noise level, once it has learned at all levels."""
    question, here, n = shown.question, shown.here, f"{shown.result.n_people:,}"
    if not shown.along:
        at_levels = f"at {len(shown.points)} levels of noise"
        return Panel("guessing", note=f"The adversary is learning from {n} noisy images {at_levels} …")
    errors = {point.level: one.errors for point, one in zip(shown.points, shown.along, strict=True)}
    there = [f"{_KNOWN[prior]} {error.mean:.3f}" for prior, error in shown.guesses.errors.items()]
    return Panel(
        "guessing",
        figure=Chart(figures.guessing(errors, _KNOWN, here, question.family)),
        summary=f"The squared error of a pixel that an adversary guesses, where 0 is black and 1 is white, at "
        f"{question.family.symbol} = {here.level:.4g}: {', '.join(there)}. Strokes, and pixels one by one, are learned "
        f"from {n} noisy images. Markers: {images.N_TRIED} of these images each, with 95 % intervals.",
        rows=lambda: images.guess_table(errors),
        snippet=snippet(question).then("print(result.guessed.errors)"),
    )


# --- the paper's figures ---------------------------------------------------------------------------


def in_paper(kind: str) -> tuple[PixelFamily, dict[str, float]]:
    """A family of noise, and the levels of it in the paper's figure by their names, from the presets."""
    return FAMILIES[kind], {name: level for name, (family, level, _) in PRESETS.items() if family == kind}


def paper_figure(shown: Answer, kind: str) -> tuple[Panel]:
    """The paper's figure of a family of noise, with the chosen digits."""
    question, classes = shown.question, shown.question.classes
    family, levels = in_paper(kind)
    columns = ["clean", *levels]
    pictures = strip(
        images.with_mechanism(question.config, family, next(iter(levels.values()))), tuple(levels.values())
    )
    summary = (
        f"{PAPER}, {IN_PAPER[kind]}: one person of each digit, clean and released at {numbers.a_list(tuple(levels))}."
    )
    sheet = figures.contact_sheet(pictures)
    done = (
        "each pixel is changed to another grey level with chance p"
        if family.leaves_some
        else "a random number of variance σ² is added to each pixel"
    )
    return (
        Panel(
            IN_PAPER[kind].replace(" ", ""),
            f"What did the paper show in its {IN_PAPER[kind]}?",
            f"One person of each digit, clean and as released: {done}. The paper’s levels stand over the columns; your "
            "own settings do not change them.",
            figure=Markup(figures.picture_html(sheet, columns, classes, summary)),
            summary=summary,
            rows=lambda: images.strip_table(classes, columns, pictures),
            snippet=strip_snippet(question, kind),
        ),
    )


# --- the code --------------------------------------------------------------------------------------


def snippet(question: Question) -> Snippet:
    """The lines that compute the numbers of the page."""
    config = question.config
    kinds = sorted({type(config.pixels).__name__, type(config.labels).__name__})
    return Snippet(
        (
            "from privdemo.experiments.images import Config, CurveConfig, curve, measure, privacy, run",
            "from privdemo.figures import damage, linkage",
            f"from privdemo.mechanisms import {', '.join(kinds)}",
            "from privdemo.mechanisms.pixels import FAMILIES",
        ),
        (
            f"config = {pformat(config, width=88)}",
            "result = run(config)  # pictures, guesses, labels",
            f"promise = privacy(config, delta={question.delta!r}, n_pixels=result.states.shape[1])",
            "",
            f"linking = {pformat(question.curve, width=88)}",
            "points = curve(linking)",
            f"here = measure(linking, {question.level!r})",
            f"damage(points, here, FAMILIES[{question.family.name!r}]).show()",
            f"linkage(points, here, FAMILIES[{question.family.name!r}]).show()",
        ),
    )


def strip_snippet(question: Question, kind: str) -> Snippet:
    """The lines that make the paper's figure of a family of noise."""
    family, by_name = in_paper(kind)
    levels = tuple(by_name.values())
    config = images.with_mechanism(question.config, family, levels[0])
    kinds = sorted({type(config.pixels).__name__, type(config.labels).__name__})
    return Snippet(
        (
            "from privdemo.experiments.images import Config, strip",
            "from privdemo.figures import contact_sheet, png",
            f"from privdemo.mechanisms import {', '.join(kinds)}",
        ),
        (
            f"images = strip({pformat(config, width=88)}, {levels!r})",
            'open("figure.png", "wb").write(png(contact_sheet(images)))',
        ),
    )
