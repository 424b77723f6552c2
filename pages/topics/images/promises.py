"""Make the panel on what the noise promises: the ε of the label, of a pixel and of the whole image, explained."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pages.kit import numbers
from pages.kit.panel import Cards, Panel
from pages.kit.snippet import Snippet
from pages.topics.images.question import LEVELS
from privdemo.experiments.images import Privacy
from privdemo.mechanisms.pixels import PixelFamily

# Above this ε an output may be e^10 = 22,000 times as likely under one image as under another.
LARGEST_PROMISE = 10.0
_NO_PROMISE = "<b>no promise at all</b> in practice"


def promises(family: PixelFamily, class_names: Sequence[str], privacy: Privacy, code: Snippet) -> Panel:
    """Return the panel with the ε of the label, of a pixel, of the image, and of the image at δ."""
    label, pixel = numbers.epsilon(privacy.label), numbers.epsilon(pixel_epsilon(privacy))
    image, image_at_delta = numbers.epsilon(privacy.image), numbers.epsilon(privacy.image_at_delta)
    return Panel(
        "promises",
        question="What does the noise guarantee?",
        answer=promise_words(class_names, privacy),
        summary=f"ε of the label {label}, of a pixel {pixel}, of the whole image {image}; of the whole image at δ = "
        f"{numbers.power_of_ten(privacy.delta)} {image_at_delta}.",
        rows=lambda: promise_table(class_names, privacy),
        snippet=code,
        figure=Cards(
            (
                ("The whole image", _verdict(privacy.image, of_image=True), f"ε = {image}. {image_words(privacy)}"),
                (
                    "The whole image, if the limit may sometimes fail",
                    _verdict(privacy.image_at_delta, of_image=True),
                    f"ε = {image_at_delta}. {image_delta_words(family, privacy)}",
                ),
                ("One pixel", _verdict(pixel_epsilon(privacy)), f"ε = {pixel}. {pixel_words(privacy)}"),
                (
                    "The digit that is reported (the label)",
                    _verdict(privacy.label),
                    f"ε = {label}. {label_words(class_names, privacy.label_posterior)}",
                ),
            )
        ),
    )


def _verdict(epsilon: float, of_image: bool = False) -> str:
    """Say in a word or two how well an ε protects, as beside the slider."""
    if of_image and epsilon > LARGEST_PROMISE:
        return "practically none"
    word = numbers.protection(epsilon)
    return "none" if word == "no" else word


def promise_table(class_names: Sequence[str], privacy: Privacy) -> list[dict[str, float | str | None]]:
    """Return the numbers of the promise as rows of a file, one for each digit."""
    whole = {
        "delta": privacy.delta,
        "epsilon_label": privacy.label,
        "epsilon_pixel": privacy.pixel,
        "epsilon_pixel_at_delta": privacy.pixel_at_delta,
        "epsilon_image": privacy.image,
        "epsilon_image_at_delta": privacy.image_at_delta,
    }
    shares = zip(class_names, privacy.label_posterior, strict=True)
    return [{"label": name, "really_have_one": share} | whole for name, share in shares]


def promise_words(class_names: Sequence[str], privacy: Privacy) -> str:
    """Say what is promised about the label and about the image, in a sentence each."""
    image = privacy.image_at_delta
    meaning = (
        "no promise at all in practice"
        if image > LARGEST_PROMISE
        else f"the odds of a guess change by {numbers.odds_factor(image)} at most"
    )
    label = reporting(class_names, privacy.label_posterior)[0]
    return (
        f"For the whole image, <b>{meaning}</b>. Each person also says which digit it is, and chance may change this "
        f"answer: {label[:1].lower()}{label[1:]}."
    )


def _how_rarely(delta: float) -> str:
    """Write a δ as a chance: “once in 100,000 times”, or “with a chance of 0.3” where that is not one in so many."""
    once_in = 1 / delta
    if abs(round(once_in) - once_in) > 1e-6 * once_in:
        return f"with a chance of {delta:g}"
    return f"once in {round(once_in):,} times"


def pixel_epsilon(privacy: Privacy) -> float:
    """Return the ε of a pixel: without δ if that is finite, otherwise at δ."""
    return privacy.pixel_at_delta if math.isinf(privacy.pixel) else privacy.pixel


def pixel_words(privacy: Privacy) -> str:
    """Say what the ε of one pixel means."""
    factor = numbers.odds_factor(pixel_epsilon(privacy))
    if math.isfinite(privacy.pixel):
        return f"Seeing one sent pixel changes the odds of any guess about it by {factor} at most."
    if math.isinf(privacy.pixel_at_delta):
        return "Without noise a sent pixel is the original one."
    return (
        f"From one true pixel to another, the chance of any outcome changes by {factor} at most, plus "
        f"{numbers.power_of_ten(privacy.delta)}. Such noise cannot promise more."
    )


def reporting(class_names: Sequence[str], label_posterior: Sequence[float | None]) -> list[str]:
    """Say, for each digit that is ever reported, how many of 100 people who report it really have this digit."""
    shares = zip(class_names, label_posterior, strict=True)
    return [
        f"Of 100 people reporting “{name}”, <b>{numbers.per_hundred(share)}</b> really have this digit"
        for name, share in shares
        if share is not None
    ]


def label_words(class_names: Sequence[str], label_posterior: Sequence[float | None]) -> str:
    """Say how many of those who report a digit really have this digit: for each digit, or once if all are equal."""
    all_words = reporting(class_names, label_posterior)
    same = len({round(share or 0, 9) for share in label_posterior}) == 1
    words = "; ".join([all_words[0], *(part[0].lower() + part[1:] for part in all_words[1:] if not same)])
    common = numbers.join_words(tuple(f"“{name}”" for name in class_names)) if len(class_names) == 2 else "all digits"
    return (
        f"{words}, if {common} are equally common. Chance may change the reported digit too; the image is not "
        "looked at here."
    )


def image_words(privacy: Privacy) -> str:
    """Say what the ε of the whole image means, and that a large one is no promise."""
    if math.isinf(privacy.image):
        return "No limit holds for the whole image unless it may sometimes fail."
    verdict = (
        f"That is {_NO_PROMISE}."
        if privacy.image > LARGEST_PROMISE
        else f"The odds of any guess about the image change by {numbers.odds_factor(privacy.image)} at most."
    )
    return f"{privacy.n_pixels} pixels, each with its own ε, add up. {verdict}"


def image_delta_words(family: PixelFamily, privacy: Privacy) -> str:
    """Say what the ε of the whole image at δ means, and how it is computed."""
    if math.isinf(privacy.image_at_delta):
        return f"Nothing bounds what a guess about the image may gain: {_NO_PROMISE}."
    fails = f"may fail {_how_rarely(privacy.delta)} (δ = {numbers.power_of_ten(privacy.delta)})"
    verdict = (
        f"Also where the limit {fails}, it is {_NO_PROMISE}."
        if privacy.image_at_delta > LARGEST_PROMISE
        else f"The odds of any guess about the image change by "
        f"{numbers.odds_factor(privacy.image_at_delta)} at most, but the limit {fails}."
    )
    return f"{verdict} {LEVELS[family.name].accounting}"
