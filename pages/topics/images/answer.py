"""What the page says of a question: the sentence, the dial or a figure of the paper, and damage and linkage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pprint import pformat
from typing import Any

from pages.kit import cache, numbers
from pages.kit.draws import Draws
from pages.kit.panel import Chart, Live, Markup, Panel
from pages.kit.snippet import Snippet
from pages.topics.images.controls import FIGURE_2, LEVELS, LIVE, PRESETS, Question
from pages.topics.images.dial import captions, dial_data
from pages.topics.images.promises import promises
from privdemo import figures
from privdemo.experiments import images
from privdemo.experiments.images import Point, Privacy, Result
from privdemo.mechanisms.pixels import FAMILIES, N_LEVELS, PixelFamily

PAPER = "Barber, Private machine learning via randomised response"
# The rows of guesses, by what the adversary knows of pixels.
GUESS_NAMES = {"flat": "flat prior", "learned": "learned prior", "true": "true prior"}

run = cache.shared(images.run, max_entries=256)
measure = cache.shared(images.measure, max_entries=1024)
curve = cache.shared(images.curve, max_entries=256, spinner=f"Releasing and linking images at {N_LEVELS} noise levels…")
strip = cache.shared(images.strip, max_entries=64)


@dataclass(frozen=True)
class Answer:
    """A question, the release and its promise, and how well linking works `here` and at the `points` of a curve.

    `strip` are the pictures of the paper's figure (class, level, height, width), if it is asked for.
    """

    question: Question
    result: Result
    privacy: Privacy
    here: Point
    points: Sequence[Point]
    strip: Any = None

    def takeaway(self) -> str:
        """The page in one sentence, with the live numbers."""
        question, result, privacy, here = self.question, self.result, self.privacy, self.here
        if question.family.leaves_some:
            damage = f"about <b>{result.changed_pixels:.0f}</b> of an image's {privacy.n_pixels} pixels change"
        else:
            damage = f"a pixel is off by <b>{here.expected.absolute:.2f}</b> on average (0 is black, 1 white)"
        shares = zip(result.class_names, privacy.label_truth, strict=True)
        name, share = next((name, share) for name, share in shares if share is not None)
        return (
            f"At {question.family.symbol} = <b>{question.level:.4g}</b> {damage}; of 100 people who sent “{name}”, "
            f"<b>{100 * share:.0f}</b> meant it (<b>ε = {numbers.epsilon(privacy.label)}</b>); and of 100 images "
            f"<b>{100 * here.linked.mean:.0f}</b> are traced to their sender among {here.n_candidates} people "
            f"(<b>ε = {numbers.epsilon(privacy.image_at_delta)}</b> at δ = {numbers.power_of_ten(privacy.delta)})."
        )

    def main(self) -> tuple[Panel, ...]:
        """The live dial, or one of the paper's figures."""
        return (_dial(self) if self.question.view == LIVE else _paper_figure(self),)


def answer(question: Question, _: Draws) -> Answer:
    """Release the images of a question, and link them to their senders at its noise level and along the curve."""
    config = question.config
    result = run(config)
    pictures = None
    if question.view != LIVE:
        family, levels = paper_levels(question.view)
        pictures = strip(images.with_mechanism(config, family, next(iter(levels.values()))), tuple(levels.values()))
    return Answer(
        question,
        result,
        images.privacy(config, question.delta, result.states.shape[1]),
        measure(question.curve, question.level),
        curve(question.curve),
        pictures,
    )


# --- the main figure -----------------------------------------------------------------------------


def _dial(shown: Answer) -> Panel:
    """The shown people's images, redrawn while the noise level is dragged."""
    question, result = shown.question, shown.result
    family = question.family
    data = dial_data(result, family, question.level, LEVELS[family.name].step)
    rows = ["clean", "released", *(f"guess, {GUESS_NAMES[prior]}" for prior in result.guesses)]
    summary = _dial_words(shown)

    def page() -> str:
        stack = [result.clean, result.released, *result.guesses.values()]
        sheet = figures.contact_sheet(images.stack_pictures(stack, result.image_shape))
        return figures.picture_html(sheet, captions(result), rows, summary)

    return Panel(
        "images",
        figure=Live(data, LEVELS[family.name].key, page),
        summary=summary,
        rows=lambda: images.picture_table(result),
        snippet=snippet(question),
    )


def _dial_words(shown: Answer) -> str:
    question, result = shown.question, shown.result
    n = len(result.labels)
    flipped = int((result.labels != result.released_labels).sum())
    return (
        f"{n} images of {numbers.a_list(result.class_names)}, clean and as released at {question.family.symbol} = "
        f"{question.level:.4g}; of the {n} labels {flipped} {'was' if flipped == 1 else 'were'} flipped. The rows of "
        "guesses are an adversary's best guess of each clean image under three kinds of prior knowledge."
    )


def paper_levels(view: str) -> tuple[PixelFamily, dict[str, float]]:
    """The mechanism of the paper's figure 2 or 4, and its levels by their names, from the presets."""
    kind = "randomised_response" if view == FIGURE_2 else "gaussian"
    return FAMILIES[kind], {name: level for name, (family, level, _) in PRESETS.items() if family == kind}


def _paper_figure(shown: Answer) -> Panel:
    """The paper's figure 2 (randomised response) or 4 (Gaussian noise), on the chosen images."""
    view, classes = shown.question.view, shown.question.classes
    _, levels = paper_levels(view)
    columns = ["clean", *levels]
    flips = ", ".join(f"{level:g}" for level in levels.values())
    variances = numbers.a_list(tuple(f"{level**2:g}" for level in levels.values()))
    noise = (
        f"each pixel flipped with probability p = {flips}."
        if view == FIGURE_2
        else f"Gaussian noise of variance σ² = {variances} added to each pixel."
    )
    summary = f"{PAPER}, {view}: one person of each class, clean and released with {noise}"
    sheet = figures.contact_sheet(shown.strip)
    return Panel(
        view.replace(" ", ""),
        figure=Markup(
            figures.picture_html(sheet, columns, classes, summary),
        ),
        summary=summary,
        rows=lambda: images.strip_table(classes, columns, shown.strip),
        snippet=snippet(shown.question),
    )


# --- below it ------------------------------------------------------------------------------------


def below(shown: Answer) -> tuple[Panel, ...]:
    """What the noise promises, what it damages, and whom it still finds."""
    return promises(shown.question.family, shown.result.class_names, shown.privacy), _damage_and_linkage(shown)


def _damage_and_linkage(shown: Answer) -> Panel:
    """The error of a pixel and how often a sender is found, against the noise level."""
    question, here, n = shown.question, shown.here, shown.here.n_candidates
    return Panel(
        "curves",
        "What it damages, and whom it still finds",
        figure=Chart(figures.damage_and_linkage(shown.points, here, question.family, n)),
        summary=f"At {question.family.symbol} = {here.level:.4g} a released pixel is off by "
        f"{here.expected.absolute:.3f} on average (measured {here.absolute.mean:.3f}) and its squared error is "
        f"{here.expected.squared:.3f} (measured {here.squared.mean:.3f}), where 0 is black and 1 is white. An "
        f"adversary who knows {n} people's clean images matches a released image to its sender "
        f"{numbers.with_range(here.linked)} of the time; chance is {numbers.share(1 / n)}. Lines above: exact "
        f"expectation. Markers: {images.N_RELEASES} releases each, with 95 % intervals.",
        rows=lambda: images.curve_table(shown.points),
        snippet=snippet(question),
    )


def snippet(question: Question) -> Snippet:
    """The lines that compute the numbers of the page, and the paper's figure where it is shown."""
    config = question.config
    kinds = sorted({type(config.pixels).__name__, type(config.labels).__name__})
    made = Snippet(
        (
            "from privdemo.experiments.images import Config, CurveConfig, curve, measure, privacy, run",
            "from privdemo.figures import damage_and_linkage",
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
            f"damage_and_linkage(points, here, FAMILIES[{question.family.name!r}], here.n_candidates).show()",
        ),
    )
    if question.view == LIVE:
        return made
    family, by_name = paper_levels(question.view)
    levels = tuple(by_name.values())
    return made.then(
        f"images = strip(with_mechanism(config, FAMILIES[{family.name!r}], {levels[0]!r}), {levels!r})",
        'open("figure.png", "wb").write(png(contact_sheet(images)))',
        imports=(
            "from privdemo.experiments.images import strip, with_mechanism",
            "from privdemo.figures import contact_sheet, png",
        ),
    )
