"""The answer of the page on images: the sentence, the interactive images, error, linkage, and the paper’s figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pprint import pformat
from typing import Any

from pages.kit import cache, dials, numbers, opendp
from pages.kit.panel import Chart, LiveDial, Markup, Panel, Prediction, Scale
from pages.kit.snippet import Snippet
from pages.kit.trials import Job, Trials
from pages.topics.images.promises import promises
from pages.topics.images.question import PRESETS, Question, level_setting
from privdemo import figures
from privdemo.experiments import images
from privdemo.experiments.images import CurveConfig, Guesses, Match, Point, Privacy, Result
from privdemo.mechanisms.pixels import FAMILIES, N_LEVELS, PixelFamily
from privdemo.verdict import clearly_above

PAPER = "Barber, Private machine learning via randomised response"
# The paper's figures by the family of noise that they show.
IN_PAPER = {"randomised_response": "figure 2", "gaussian": "figure 4"}

measure = cache.shared(images.measure, max_entries=1024)
curve = cache.shared(images.curve, max_entries=256, spinner=f"Looking for senders at {N_LEVELS} levels of noise…")
strip = cache.shared(images.strip, max_entries=64)

# From this share of replaced pixels on it is much.
_MUCH_GREY = 0.5
# The order in which guesses are shown, by what the adversary knows of clean pixels: the best that anybody can make of
# releases first.
SHOWN_PRIORS = ("low_rank", "learned", "flat", "true")


@dataclass(frozen=True)
class Answer:
    """A question, its release and privacy, and how well linking works at the level set and along a curve of levels.

    `own_point` is measured at the level set, `points` along the curve; `matching` shows one of the releases behind
    `own_point`, as HTML. `guesses` are the adversary’s guesses so far, `along` those at the levels of `points`, empty
    until all are finished.
    """

    question: Question
    result: Result
    privacy: Privacy
    own_point: Point
    matching: str
    points: Sequence[Point]
    guesses: Guesses
    along: tuple[Guesses, ...] = ()

    def takeaway(self) -> str:
        """Return the page’s sentence, with its current numbers."""
        point = self.own_point
        found, n = numbers.out_of_100(point.linked.mean), point.n_candidates
        is_found = clearly_above(point.linked, 1 / n)
        chance = "" if is_found else ", no more often than by chance"
        level, family = self.question.level, self.question.family
        noise = "with this noise" if level else "without noise"
        if family.replaces_pixels and level:
            noise = f"if a random shade of grey replaces {dials.level_text(family, level)} of the pixels"
        image = "a handwritten digit" if isinstance(self.question.config.dataset, str) else "a private image"
        how = "speckled and without" if level else "without"
        even = "even " * (family.replaces_pixels and level >= _MUCH_GREY)
        verdict = f"No, not {even}{noise}" if is_found else f"Yes, {noise}"
        return (
            f"<b>{verdict}.</b> Say {n:,} people each send {image}, {how} a name. Somebody who already has the "
            f"originals, with names, asks a program: it picks the right sender for <b>{found}</b> images{chance}."
        )

    @property
    def facts(self) -> dict[str, str]:
        """Return the numbers at the noise level set by name, for the sentences of a lecture."""
        point = self.own_point
        return {
            "level": f"{self.question.level:.4g}",
            "changed": f"{self.result.changed_pixels:.0f}",
            "pixels": f"{self.privacy.n_pixels:,}",
            "people": f"{point.n_candidates:,}",
            "found": numbers.times_of_100(point.linked.mean),
            "by_chance": numbers.times_of_100(1 / point.n_candidates),
            "off": f"{point.expected.absolute:.2f}",
        }

    def main(self) -> tuple[Panel]:
        """Return the panel of the images that follow the noise level."""
        return (_dial(self),)

    def lost(self) -> tuple[Panel | tuple[Panel, ...], ...]:
        """Return the panels of pixel error and of how often the sender is found."""
        return _lost(self)

    def promised(self) -> tuple[Panel]:
        """Return the panel of the privacy guarantee."""
        return (promises(self.question.family, self.result.class_names, self.privacy, snippet(self.question)),)


def found_words(point: Point) -> str:
    """Say how often the right sender is picked, in bold."""
    found, n = numbers.out_of_100(point.linked.mean), point.n_candidates
    picks = f"a program that has the originals of {n} people picks the right sender for <b>{found}</b> images"
    return picks if clearly_above(point.linked, 1 / n) else f"{picks}, no better than chance"


def answer(question: Question, trials: Trials) -> Answer:
    """Release the images, and link them to their senders at the noise level set and along the curve."""
    config, family = question.config, question.family
    result = dials.release(config)
    return Answer(
        question,
        result,
        images.privacy(config, question.delta, result.states.shape[1]),
        measure(question.curve, question.level),
        matching(question.curve, question.level),
        curve(question.curve),
        dials.guesses_here(config, trials),
        dials.guesses_along(config, family, trials),
    )


def extra_jobs(question: Question) -> list[Job]:
    """Return the jobs in which the adversary learns in the background."""
    return dials.guess_jobs(question.config, question.family)


# --- the dial ------------------------------------------------------------------------------------


def _priors(result: Result) -> dict[str, tuple[str, str]]:
    """Return the name and the note of each row of guesses, by the adversary’s prior knowledge of pixels."""
    learned = f"learned from {result.n_people:,} sent images"
    names = {
        "low_rank": ("Guessed picture", f"by a program that learned from {result.n_people:,} noisy images only"),
        "learned": ("Guess each pixel by itself", learned),
        "flat": ("Undo the noise on average", "nothing learned"),
        "true": ("Unfair: each pixel by itself", "learned from original images"),
    }
    return {prior: names[prior] for prior in SHOWN_PRIORS}


# The names of the same priors in the chart of errors, the largest error first.
_PRIOR_NAMES = {
    "flat": "undo the noise on average",
    "learned": "each pixel by itself",
    "true": "each pixel by itself, learned from originals",
    "low_rank": "pixels together",
}


def match_words(found: Match) -> str:
    """Say whether the original picked for an image is the sender’s."""
    if found.n_best > 1:
        return f"Program’s pick: <b>nobody</b>, {found.n_best} fit alike (dashed: the sender)"
    if found.order[0] == found.owner:
        return "Program’s pick: <b>correct</b>"
    return "Program’s pick: <b>wrong</b> (dashed: the sender)"


def _matching(config: CurveConfig, level: float) -> str:
    """Return one of the images that were sent at a noise level, matched against the originals, as HTML."""
    found = images.match(config, level)
    words = match_words(found).replace("<b>", "").replace("</b>", "")
    return figures.match_html(
        found, match_words(found), f"One sent image and {len(found.originals)} originals. {words}."
    )


# Three PNG files: to compress them takes longer than all else that a rerun of the page does.
matching = cache.shared(_matching, max_entries=256)


def _dial(answer: Answer) -> Panel:
    """Return the panel of the shown people’s images, which follow the noise level while it is dragged, with guesses."""
    question, result, guesses = answer.question, answer.result, answer.guesses
    family, priors = question.family, _priors(answer.result)
    data = dials.dial_data(result, guesses, family, answer.own_point, answer.points, priors, matching=answer.matching)
    summary = _dial_words(answer)

    def static_picture() -> str:
        """Return the images as HTML without controls."""
        known = [prior for prior in priors if prior in guesses.pictures]
        stack = [result.clean, result.released, *(guesses.pictures[prior] for prior in known)]
        sheet = figures.contact_sheet(images.stack_pictures(stack, result.image_shape))
        rows = ["Original", "Sent", *(priors[prior][0] for prior in known)]
        return answer.matching + figures.picture_html(
            sheet, [result.class_names[label] for label in result.labels], rows, summary
        )

    return Panel(
        "images",
        figure=LiveDial(
            data,
            level_setting(family, result.n_states),
            static_picture,
            first=lambda: dials.first_frame(data, result, family, guesses, SHOWN_PRIORS[0]),
            later=lambda: dials.more_guesses(data, answer.along, SHOWN_PRIORS),
        ),
        summary=summary,
        rows=lambda: images.picture_table(replace(result, guessed=guesses)),
        snippet=snippet(question),
    )


def _dial_words(answer: Answer) -> str:
    """Describe the dial, for screen readers."""
    question, result = answer.question, answer.result
    n = len(result.labels)
    return (
        f"{n} images of {numbers.join_words(result.class_names)}, true and as sent at {question.family.symbol} = "
        f"{question.level:.4g}. The first row of guesses is the best that an adversary can do who has learned from "
        f"{result.n_people:,} noisy images how pixels go together; the others are those of somebody who has learned "
        "from them what each pixel usually is, who takes all grey levels for equally likely, or who knows from "
        f"originals what each pixel is. While you drag, they are those of the nearest of {len(answer.points)} levels; "
        f"let go, and they are exact. The matched image is one of {images.N_RELEASES} by which it is counted how "
        "often the sender is found."
    )


# --- what is lost ----------------------------------------------------------------------------------


def _lost(answer: Answer) -> tuple[Panel | tuple[Panel, ...], ...]:
    """Return the panels of the error of a pixel and of how often a sender is found, against the noise level."""
    question, own_point, n = answer.question, answer.own_point, answer.own_point.n_candidates
    family = question.family
    at = f"With the noise at {dials.level_text(family, own_point.level)}"
    head = Panel(
        question="How many speckles hide the sender?",
        answer=f"{at}, {found_words(own_point)}; by chance it would be {numbers.out_of_100(1 / n)}. "
        f"{_hiding_words(answer)}",
    )
    damage = Panel(
        "damage",
        "How different are the sent pixels?",
        f"{at} a pixel is off by <b>{own_point.expected.absolute:.2f}</b> on average (0 is black, 1 is white).",
        figure=Chart(figures.pixel_error_figure(answer.points, own_point, family)),
        summary=f"{at} a sent pixel is off by {own_point.expected.absolute:.3f} on average (measured "
        f"{own_point.absolute.mean:.3f}) and its squared error is {own_point.expected.squared:.3f} (measured "
        f"{own_point.squared.mean:.3f}), where 0 is black and 1 is white. Lines: exact; markers: measured in "
        f"{images.N_RELEASES} sent images each, with 95 % intervals.",
        rows=lambda: images.curve_table(answer.points),
        snippet=snippet(question),
    )
    linkage = Panel(
        "linkage",
        figure=Chart(figures.reidentification_figure(answer.points, own_point, family)),
        summary=f"An adversary who knows {n} people's originals traces a sent image to its sender "
        f"{numbers.with_range(own_point.linked)} of the time; chance is {numbers.share(1 / n)}. Markers: "
        f"{images.N_RELEASES} sent images each, with 95 % intervals.",
        rows=lambda: images.curve_table(answer.points),
        snippet=snippet(question),
        prediction=_prediction(answer),
    )
    return head, (linkage, _guessing(answer)), damage


def _last_found_and_first_lost(answer: Answer) -> tuple[Point | None, Point | None]:
    """Return the last of the tried levels at which the sender is found, and the next one; None where there is none."""
    points = answer.points
    found = [n for n, point in enumerate(points) if clearly_above(point.linked, 1 / point.n_candidates)]
    n_found = found[-1] + 1 if found else 0
    return points[found[-1]] if found else None, points[n_found] if n_found < len(points) else None


def _hiding_words(answer: Answer) -> str:
    """Say from which of the tried levels on the sender is hidden."""
    last, lost = _last_found_and_first_lost(answer)
    tried = f"{len(answer.points)} levels of noise tried"
    if lost is None:
        return f"None of {tried} hides the sender."
    if last is None:
        return f"All of {tried} hide the sender."
    level = dials.level_text(answer.question.family, lost.level)
    return f"Of {tried}, <b>{level}</b> is the lowest that hides the sender."


# Which levels of a curve the image beside the guess is shown at.
_SHOWN_LEVELS = (2, 6, 12, 17, 23)
GROWING_NOISE = "One image as it is sent, with more and more noise."


def growing_noise(answer: Answer) -> tuple[list[str], Any]:
    """Return one image as it is sent at some levels, (1, levels, height, width), after what stands over each."""
    levels = tuple(answer.points[n].level for n in _SHOWN_LEVELS)
    pictures = strip(images.with_mechanism(answer.question.config, answer.question.family, levels[0]), levels)[:1, 1:]
    return [f"{numbers.percent(level)} replaced" for level in levels], pictures


def _prediction(answer: Answer) -> Prediction | None:
    """Return the guess of the chance of change at which the sender is lost, with an image at some levels.

    It is None for noise that has no such chance, and if the sender is found at every level.
    """
    last, lost = _last_found_and_first_lost(answer)
    if not answer.question.family.replaces_pixels or last is None or lost is None:
        return None
    columns, pictures = growing_noise(answer)
    return Prediction(
        "sender-lost",
        "Each pixel is replaced by random grey with the same chance. What share of pixels must be replaced before "
        f"nobody can tell which of {last.n_candidates} people sent an image?",
        100 * lost.level,
        Scale(0, 100, 0.5),
        Markup(figures.picture_html(figures.contact_sheet(pictures), columns, [""], GROWING_NOISE)),
        f"With {numbers.percent(last.level)} of pixels replaced the right person is still picked "
        f"for {numbers.out_of_100(last.linked.mean)} images: each pixel says little, but "
        f"there are {answer.privacy.n_pixels}.",
    )


def _strokes_words(answer: Answer) -> str:
    """Say how much learning strokes helps the adversary, and from how many images; empty until they are learned."""
    errors = answer.guesses.errors
    if "low_rank" not in errors:
        return ""
    alone, strokes = (errors[prior] for prior in ("learned", "low_rank"))
    left = numbers.with_range(strokes, numbers.LOSS)
    start = f" What {answer.result.n_people:,} noisy images teach of pixels together"
    if round(strokes.mean, 3) < round(alone.mean, 3):
        return f"{start} cuts the squared error of a guessed pixel from {alone.mean:.3f} to {left}."
    return f"{start} tells an adversary no more than each pixel alone: both leave a squared error of {left}."


def _guessing(answer: Answer) -> Panel:
    """Return the panel of the guesses’ error against the noise level, once the adversary has learned at all levels."""
    question, own_point, n = answer.question, answer.own_point, f"{answer.result.n_people:,}"
    if not answer.along:
        at_levels = f"at {len(answer.points)} levels of noise"
        return Panel(
            "guessing",
            note="Here will stand how well the originals can be guessed from sent images alone. The computer is still "
            f"learning that from {n} sent images {at_levels} …",
        )
    errors = {point.level: one.errors for point, one in zip(answer.points, answer.along, strict=True)}
    errors_here = [f"{_PRIOR_NAMES[prior]} {error.mean:.3f}" for prior, error in answer.guesses.errors.items()]
    return Panel(
        "guessing",
        figure=Chart(figures.reconstruction_figure(errors, _PRIOR_NAMES, own_point, question.family)),
        summary=f"The squared error of a pixel that an adversary guesses, where 0 is black and 1 is white, at "
        f"{question.family.symbol} = {own_point.level:.4g}: {', '.join(errors_here)}. Pixels together, and each "
        f"pixel alone, are learned from {n} noisy images. Markers: {images.N_TRIED} of these images each, "
        f"with 95 % intervals.{_strokes_words(answer)}",
        rows=lambda: images.guess_table(errors),
        snippet=snippet(question).then("print(result.guessed.errors)"),
    )


# --- the paper's figures ---------------------------------------------------------------------------


def in_paper(kind: str) -> tuple[PixelFamily, dict[str, float]]:
    """Return a family of noise, and its levels in the paper’s figure by their names, from the presets."""
    return FAMILIES[kind], {name: level for name, (family, level, _) in PRESETS.items() if family == kind}


def paper_figure(answer: Answer, kind: str) -> tuple[Panel]:
    """Return the panel of the paper’s figure of a family of noise, with the chosen digits."""
    question, classes = answer.question, answer.question.classes
    family, levels = in_paper(kind)
    columns = ["clean", *levels]
    pictures = strip(
        images.with_mechanism(question.config, family, next(iter(levels.values()))), tuple(levels.values())
    )
    listed = numbers.join_words(tuple(levels))
    summary = f"{PAPER}, {IN_PAPER[kind]}: one person of each digit, the original and as sent at {listed}."
    sheet = figures.contact_sheet(pictures)
    done = (
        "each pixel is changed to another grey level with chance p"
        if family.replaces_pixels
        else "a random number of variance σ² is added to each pixel"
    )
    return (
        Panel(
            IN_PAPER[kind].replace(" ", ""),
            f"What did Barber’s paper show in its {IN_PAPER[kind]}?",
            f"One image of each digit, the original and as sent: {done}. The paper’s levels stand over the columns; "
            "your own settings do not change them.",
            figure=Markup(figures.picture_html(sheet, ["original", *levels], classes, summary)),
            summary=summary,
            rows=lambda: images.strip_table(classes, columns, pictures),
            snippet=strip_snippet(question, kind),
        ),
    )


# --- the code --------------------------------------------------------------------------------------


def opendp_lines(question: Question) -> Snippet | None:
    """Return the lines for OpenDP that randomise a pixel and a label as the page does."""
    return opendp.snippet(question.delta, pixel=question.config.pixels, label=question.config.labels)


def snippet(question: Question) -> Snippet:
    """Return the code that computes the numbers of the page."""
    config = question.config
    kinds = sorted({type(config.pixels).__name__, type(config.labels).__name__})
    return Snippet(
        (
            "from privdemo.experiments.images import Config, CurveConfig, curve, measure, privacy, run",
            "from privdemo.figures import pixel_error_figure, reidentification_figure",
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
            'print("sender found:", here.linked)',
            f"pixel_error_figure(points, here, FAMILIES[{question.family.name!r}]).show()",
            f"reidentification_figure(points, here, FAMILIES[{question.family.name!r}]).show()",
        ),
    )


def strip_snippet(question: Question, kind: str) -> Snippet:
    """Return the code that makes the paper’s figure of a family of noise."""
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
