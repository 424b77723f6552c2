"""The panels of the image-noise page: results in, words and figures out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pprint import pformat
from typing import Any

import streamlit as st

from pages.shared import cached, image_controls, layout, text
from pages.shared.image_controls import Choices
from pages.shared.live_dial import dial_data, live_dial
from privdemo import datasets, figures
from privdemo.experiments import images
from privdemo.experiments.images import Point, Privacy, Result
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from privdemo.mechanisms.pixels import FAMILIES, PixelFamily

# Above this ε an output may be e^10 = 22,000 times as likely under one image as under another.
NO_PROMISE = 10.0
NOT_PRIVATE = "so it is <b>not private</b> in the differential-privacy sense"
GUESS_NAMES = {"flat": "flat prior", "learned": "learned prior", "true": "true prior"}
PAPER = "Barber, *Private machine learning via randomised response*"


@dataclass(frozen=True)
class Answer:
    """Everything that the page shows about a visitor's choices, computed before anything is drawn.

    Drawn in one go, the browser lays the page out once instead of part by part.
    """

    choices: Choices
    result: Result
    privacy: Privacy
    here: Point
    dial: dict[str, Any]
    curves: figures.Figure
    points: Sequence[Point]


def answer(choices: Choices) -> Answer:
    """Run the experiments for `choices`."""
    result = cached.run(choices.config)
    here = cached.measure(choices.curve, choices.level)
    points = cached.curve(choices.curve)
    step = image_controls.LEVEL_STEPS[choices.family.name]
    return Answer(
        choices=choices,
        result=result,
        privacy=images.privacy(choices.config, choices.delta, result.states.shape[1]),
        here=here,
        dial=dial_data(result, choices.family, choices.level, step),
        curves=figures.damage_and_linkage(points, here, choices.family, here.n_candidates),
        points=points,
    )


def takeaway(answer: Answer) -> str:
    """The page in one sentence, with the live numbers."""
    choices, result, privacy, here = answer.choices, answer.result, answer.privacy, answer.here
    if isinstance(choices.config.pixels, RandomisedResponse):
        damage = f"about <b>{result.changed_pixels:.0f}</b> of an image's {privacy.n_pixels} pixels change"
    else:
        damage = f"a pixel is off by <b>{here.expected.absolute:.2f}</b> on average (0 is black, 1 white)"
    sent = [
        (name, share) for name, share in zip(result.class_names, privacy.label_truth, strict=True) if share is not None
    ]
    name, share = sent[0]
    return (
        f"At {choices.family.symbol} = <b>{choices.level:.4g}</b> {damage}; of 100 people who sent “{name}”, "
        f"<b>{100 * share:.0f}</b> meant it (<b>ε = {text.epsilon(privacy.label)}</b>); and of 100 images "
        f"<b>{100 * here.linked.mean:.0f}</b> are traced to their sender among {here.n_candidates} people "
        f"(<b>ε = {text.epsilon(privacy.image_at_delta)}</b> at δ = {text.power_of_ten(privacy.delta)})."
    )


# --- the main figure -----------------------------------------------------------------------------


def presets_and_view() -> str:
    """The paper's settings on one click, and what to show: the live dial, or the paper's figure 2 or 4."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        view = image_controls.settings.choose(image_controls.VIEW, "Show", hide_label=True)
        st.markdown("Paper:", width="content", help="The settings of the paper’s experiments, on one click.")
        for name in image_controls.PRESETS:
            st.button(name, key=f"preset {name}", on_click=image_controls.apply_preset, args=(name,))
    return view


def pictures(answer: Answer, view: str) -> None:
    """The live dial, or one of the paper's figures."""
    if view == image_controls.LIVE:
        live_dial(answer.dial, partial(image_controls.set_level, answer.choices.family))
        _under_pictures(answer)
    else:
        _paper_figure(answer.choices, view)


def _under_pictures(answer: Answer) -> None:
    choices, result = answer.choices, answer.result
    n = len(result.labels)
    flipped = int((result.labels != result.released_labels).sum())
    sent = [caption["text"] for caption in answer.dial["captions"]]
    rows = ["clean", "released", *(f"guess, {GUESS_NAMES[prior]}" for prior in result.guesses)]

    def html() -> str:
        stack = [result.clean, result.released, *result.guesses.values()]
        sheet = figures.contact_sheet(images.stack_pictures(stack, result.image_shape))
        return figures.picture_page(sheet, sent, rows, summary)

    summary = (
        f"{n} images of {text.a_list(result.class_names)}, clean and as released at {choices.family.symbol} = "
        f"{choices.level:.4g}; of the {n} labels {flipped} "
        f"{'was' if flipped == 1 else 'were'} flipped. The rows of guesses are an adversary's best guess of each clean "
        "image under three kinds of prior knowledge."
    )
    layout.under_figure("images", summary, lambda: images.picture_table(result), html)


def _paper_levels(view: str) -> tuple[PixelFamily, tuple[float, ...], tuple[str, ...]]:
    """The mechanism, levels and names of the paper's figure 2 or 4, from the presets."""
    kind = "randomised_response" if view == image_controls.FIGURE_2 else "gaussian"
    wanted = {name: level for name, (family, level, _) in image_controls.PRESETS.items() if family == kind}
    return FAMILIES[kind], tuple(wanted.values()), tuple(wanted)


def _paper_figure(choices: Choices, view: str) -> None:
    """The paper's figure 2 (randomised response) or 4 (Gaussian noise), on the chosen images."""
    two = view == image_controls.FIGURE_2
    family, levels, names = _paper_levels(view)
    pictures = cached.strip(images.with_mechanism(choices.config, family, levels[0]), levels)
    columns = ["clean", *names]
    summary = (
        f"{PAPER.replace('*', '')}, figure {2 if two else 4}: one person of each class, clean and released with "
        + (
            f"each pixel flipped with probability p = {', '.join(f'{level:g}' for level in levels)}."
            if two
            else "Gaussian noise of variance σ² = 0.1 and 0.5 added to each pixel."
        )
    )
    sheet = figures.contact_sheet(pictures)
    st.html(figures.picture_html(sheet, columns, choices.config.classes, summary))
    layout.under_figure(
        f"figure{2 if two else 4}",
        summary,
        lambda: images.strip_table(choices.config.classes, columns, pictures),
        lambda: figures.picture_page(sheet, columns, choices.config.classes, summary),
    )


# --- what it promises ----------------------------------------------------------------------------


def privacy_cards(answer: Answer) -> None:
    """ε of a pixel, of the label, of the whole image, and its (ε, δ), each with what it means."""
    st.subheader("What the noise promises", anchor=False)
    choices, result, privacy = answer.choices, answer.result, answer.privacy
    delta = text.power_of_ten(privacy.delta)
    cards = (
        ("One pixel", _pixel(privacy, delta), _pixel_words(privacy, delta)),
        ("The label", f"ε = {text.epsilon(privacy.label)}", _label_words(result, privacy)),
        ("The whole image", f"ε = {text.epsilon(privacy.image)}", _image_words(privacy)),
        (
            f"The whole image, with slack δ = {delta}",
            f"ε = {text.epsilon(privacy.image_at_delta)}",
            _image_delta_words(choices, privacy, delta),
        ),
    )
    layout.cards(cards)


def _pixel(privacy: Privacy, delta: str) -> str:
    if privacy.pixel == float("inf") and privacy.pixel_at_delta != float("inf"):
        return f"ε = {text.epsilon(privacy.pixel_at_delta)}"
    return f"ε = {text.epsilon(privacy.pixel)}"


def _pixel_words(privacy: Privacy, delta: str) -> str:
    if privacy.pixel != float("inf"):
        factor = text.odds_factor(privacy.pixel)
        return f"Seeing one released pixel multiplies the odds of any guess about it by at most {factor}."
    if privacy.pixel_at_delta == float("inf"):
        return "Without noise a released pixel is the pixel."
    factor = text.odds_factor(privacy.pixel_at_delta)
    return (
        f"Any outcome is at most {factor} more likely under one value of the pixel than under another, give or take "
        f"δ = {delta}. Gaussian noise has no ε without such a slack."
    )


def _label_words(result: Result, privacy: Privacy) -> str:
    shares = list(zip(result.class_names, privacy.label_truth, strict=True))
    meant = [f"“{name}”, {100 * share:.0f} meant it" for name, share in shares if share is not None]
    same = len({round(share or 0, 9) for share in privacy.label_truth}) == 1
    meaning = f"Of 100 people who sent {meant[0]}" + (
        "" if same else "".join(f"; of 100 who sent {m}" for m in meant[1:])
    )
    common = "both" if len(result.class_names) == 2 else f"all {len(result.class_names)}"
    return f"{meaning}, if {common} digits are equally common. This is the label alone."


def _image_words(privacy: Privacy) -> str:
    if privacy.image == float("inf"):
        return "No ε bounds the whole image at δ = 0."
    verdict = _verdict(privacy.image)
    return f"{privacy.n_pixels} pixels, each with its own ε, add up. {verdict}"


def _image_delta_words(choices: Choices, privacy: Privacy, delta: str) -> str:
    how = {
        "randomised_response": "From the exact distribution of the privacy loss.",
        "gaussian": "From the exact Gaussian curve.",
        "laplace": "From an upper bound on the privacy loss, within 0.4 %.",
    }[choices.family.name]
    factor = text.odds_factor(privacy.image_at_delta)
    verdict = f", {NOT_PRIVATE}" if privacy.image_at_delta > NO_PROMISE else ""
    return (
        f"Any outcome is at most {factor} more likely under one image than under another, give or take "
        f"δ{verdict}. {how}"
    )


def _verdict(epsilon: float) -> str:
    odds = text.odds_factor(epsilon)
    if epsilon > NO_PROMISE:
        return f"The odds of a guess about the image may rise by {odds}, {NOT_PRIVATE}."
    return f"The odds of any guess about the image rise by at most {odds}."


# --- what it costs and what it fails to stop -----------------------------------------------------


def damage_and_linkage(answer: Answer) -> None:
    """What the noise damages and whom it still finds, against its level."""
    st.subheader("What it damages, and whom it still finds", anchor=False)
    choices, here, n = answer.choices, answer.here, answer.here.n_candidates
    summary = (
        f"At {choices.family.symbol} = {here.level:.4g} a released pixel is off by {here.expected.absolute:.3f} on "
        f"average (measured {here.absolute.mean:.3f}) and its squared error is {here.expected.squared:.3f} (measured "
        f"{here.squared.mean:.3f}), where 0 is black and 1 is white. An adversary who knows {n} people's clean images "
        f"matches a released image to its sender {text.percent(here.linked)} of the time; chance is {1 / n:.1%}. "
        f"Lines above: exact expectation. Markers: {images.N_RELEASES} releases each, with 95 % intervals."
    )
    layout.figure("curves", answer.curves, summary, partial(images.curve_table, answer.points))


# --- folded away ---------------------------------------------------------------------------------


def folds(answer: Answer, view: str) -> dict[str, str]:
    """How it works, what the adversary sees, caveats and the code, as Markdown."""
    choices, result, here = answer.choices, answer.result, answer.here
    return {
        "How it works": _how(choices),
        "What the adversary sees": _adversary(choices, result, here),
        "Caveats": _caveats(choices, result),
        "Code that reproduces this": _code(choices, here, view),
    }


_HOW = {
    "randomised_response": r"""
Each pixel keeps its state with probability $1-p$ and else takes one of the other $k-1$ states:

$$\varepsilon_{\text{pixel}}=\ln\frac{(1-p)(k-1)}{p}$$

The privacy loss $L$ of a pixel is $+\varepsilon$ with probability $1-p$, $-\varepsilon$ with probability $p/(k-1)$ and
else 0. The loss of the image is the sum over its pixels, convolved exactly.
""",
    "gaussian": r"""
Each pixel, scaled to [0, 1], gets independent Gaussian noise of standard deviation $\sigma$:

$$\delta(\varepsilon)=\Phi\!\left(\tfrac{\Delta}{2\sigma}-\tfrac{\varepsilon\sigma}{\Delta}\right)-e^{\varepsilon}\,\Phi\!\left(-\tfrac{\Delta}{2\sigma}-\tfrac{\varepsilon\sigma}{\Delta}\right)$$

with $\Delta=1$ for a pixel and $\Delta=\sqrt{D}$ for an image of $D$ pixels (Balle & Wang 2018).
""",
    "laplace": r"""
Each pixel, scaled to [0, 1], gets independent Laplace noise of scale $b$, so that $\varepsilon_{\text{pixel}}=1/b$. The
loss $L$ of the image is convolved on a grid that can only overstate it (Doroshenko et al. 2022).
""",
}


def _how(choices: Choices) -> str:
    return _HOW[choices.family.name] + (
        r"""
**ε** bounds how much more likely a release is under one truth than another, $e^{\varepsilon}$ times at most; **δ**
is a slack: $P(S\mid x)\le e^{\varepsilon}P(S\mid x')+\delta$ for every set $S$ of releases. The least δ at an ε is
$\delta(\varepsilon)=\mathbb{E}\left[(1-e^{\varepsilon-L})_+\right]$, with $L$ the privacy loss.
The dial keeps the same random draws at every level, so more noise only ever changes more.
"""
        f"Sources: {PAPER}, sections 5–6; Kairouz, Oh & Viswanath 2014 for ε; the guesses follow section 5.2 there."
    )


def _adversary(choices: Choices, result: Result, here: Point) -> str:
    n, chance = here.n_candidates, 1 / len(result.class_names)
    verdict = (
        "The label's own lie does not protect against that: **the image betrays the label.**"
        if result.label_guess.low > chance
        else "That is no better than chance: here the image keeps the label to itself."
    )
    return f"""
Three attacks at this noise level.

1. **Clean the image up.** The rows *Guess* show the posterior mean of every pixel: the guess with the least squared
   error for someone who knows the noise and holds every state equally likely (*flat*), has learnt each pixel's habits
   from {result.n_people:,} people's releases alone (*learned*), or knows them from clean data (*true*).
2. **Find the sender.** {images.N_RELEASES} fresh releases by {n} people whose clean images are known: the exact
   likelihood picks the sender
   {text.percent(here.linked)} of the time; chance is {1 / n:.1%}.
3. **Read the label off the image.** The simplest classifier there is (nearest class mean), taught on an eighth of the
   releases with their lied labels, names the true digit of another eighth {text.percent(result.label_guess)} of the
   time (the interval is over {images.N_LEARNERS} such classifiers); chance is {chance:.0%}. {verdict}
"""


def _caveats(choices: Choices, result: Result) -> str:
    lines = [
        "The ε of the image is a worst case over all pairs of images, such as one whose every pixel differs. "
        "Most pairs differ in fewer pixels; ε speaks for all of them.",
        "ε of the label is the label's release alone. Image and label together cost the sum of both.",
        "The learned prior has only these releases to learn from: with few people and much noise it takes chance "
        "for habit, which shows as speckle.",
        "Linking assumes that the adversary has the very image that was sent. Another photograph of the same person "
        "would be harder to match.",
        "These draws show how the mechanisms behave. For real secrets use a hardened library: ordinary floating-point "
        "noise leaks through its low-order bits (Mironov 2012).",
    ]
    if result.prior_gap > 0.01:
        lines.append(
            f"The learned prior was stopped early: its fit could still gain up to {result.prior_gap:.3f} nats a pixel "
            "of log-likelihood for the worst pixel."
        )
    if isinstance(choices.config.labels, BinaryChannel) and choices.config.labels.epsilon < 1e-12:
        lines.append("These label lies add up to 1: the label says nothing, and nothing can be learnt from it.")
    source = datasets.load(choices.config.dataset)
    lines.append(f"Images: {source.source} Licence: {source.licence}")
    return "\n".join(f"- {line}" for line in lines)


def _code(choices: Choices, here: Point, view: str) -> str:
    config = choices.config
    kinds = sorted({type(config.pixels).__name__, type(config.labels).__name__})
    n_pixels = datasets.load(config.dataset).X.shape[1]
    paper = ""
    if view != image_controls.LIVE:
        family, levels, _ = _paper_levels(view)
        paper = f"""
images = strip(with_mechanism(config, FAMILIES[{family.name!r}], {levels[0]!r}), {levels!r})
open("figure.png", "wb").write(png(contact_sheet(images)))
"""
    return f"""
These lines compute the numbers above with the `privdemo` package.
```python
from privdemo.experiments.images import Config, CurveConfig
from privdemo.experiments.images import curve, measure, privacy, run, strip, with_mechanism
from privdemo.figures import contact_sheet, damage_and_linkage, png
from privdemo.mechanisms.pixels import FAMILIES
from privdemo.mechanisms import {", ".join(kinds)}

config = {pformat(config, width=88)}
result = run(config)  # pictures, guesses, labels
promise = privacy(config, delta={choices.delta!r}, n_pixels={n_pixels})

linking = {pformat(choices.curve, width=88)}
points = curve(linking)
here = measure(linking, {choices.level!r})
damage_and_linkage(points, here, FAMILIES[{choices.family.name!r}], {here.n_candidates}).show()
{paper}```
"""
