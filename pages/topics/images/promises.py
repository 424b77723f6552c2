"""What the noise promises: ε of a pixel, of the label and of the whole image, each with what it means."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pages.kit import numbers
from pages.kit.panel import Cards, Panel
from pages.topics.images.controls import LEVELS
from privdemo.experiments.images import Privacy
from privdemo.mechanisms.pixels import PixelFamily

# Above this ε an output may be e^10 = 22,000 times as likely under one image as under another.
NO_PROMISE = 10.0
_NOT_PRIVATE = "so it is <b>not private</b> in the differential-privacy sense"


def promises(family: PixelFamily, class_names: Sequence[str], privacy: Privacy) -> Panel:
    """The cards of ε: of a pixel, of the label, of the image, and of the image at a slack δ."""
    delta = numbers.power_of_ten(privacy.delta)
    image_at_delta = f"ε = {numbers.epsilon(privacy.image_at_delta)}"
    return Panel(
        question="What the noise promises",
        figure=Cards(
            (
                ("One pixel", f"ε = {numbers.epsilon(pixel_epsilon(privacy))}", pixel_words(privacy)),
                ("The label", f"ε = {numbers.epsilon(privacy.label)}", label_words(class_names, privacy.label_truth)),
                ("The whole image", f"ε = {numbers.epsilon(privacy.image)}", image_words(privacy)),
                (f"The whole image, with slack δ = {delta}", image_at_delta, image_slack_words(family, privacy)),
            )
        ),
    )


def pixel_epsilon(privacy: Privacy) -> float:
    """The ε of a pixel, at the slack δ where there is none without."""
    return privacy.pixel_at_delta if math.isinf(privacy.pixel) else privacy.pixel


def pixel_words(privacy: Privacy) -> str:
    """What the ε of one pixel means."""
    factor = numbers.odds_factor(pixel_epsilon(privacy))
    if math.isfinite(privacy.pixel):
        return f"Seeing one released pixel multiplies the odds of any guess about it by at most {factor}."
    if math.isinf(privacy.pixel_at_delta):
        return "Without noise a released pixel is the pixel."
    return (
        f"Any outcome is at most {factor} more likely under one value of the pixel than under another, give or take "
        f"δ = {numbers.power_of_ten(privacy.delta)}. Such noise has no ε without a slack."
    )


def label_words(class_names: Sequence[str], label_truth: Sequence[float | None]) -> str:
    """How many of those who sent a class meant it; for each class where that differs."""
    shares = zip(class_names, label_truth, strict=True)
    meant = [f"“{name}”, {100 * share:.0f} meant it" for name, share in shares if share is not None]
    same = len({round(share or 0, 9) for share in label_truth}) == 1
    others = "" if same else "".join(f"; of 100 who sent {words}" for words in meant[1:])
    common = "both" if len(class_names) == 2 else f"all {len(class_names)}"
    return f"Of 100 people who sent {meant[0]}{others}, if {common} digits are equally common. This is the label alone."


def image_words(privacy: Privacy) -> str:
    """What the ε of the whole image means, and that a large one is no promise."""
    if math.isinf(privacy.image):
        return "No ε bounds the whole image at δ = 0."
    odds = numbers.odds_factor(privacy.image)
    verdict = (
        f"The odds of a guess about the image may rise by {odds}, {_NOT_PRIVATE}."
        if privacy.image > NO_PROMISE
        else f"The odds of any guess about the image rise by at most {odds}."
    )
    return f"{privacy.n_pixels} pixels, each with its own ε, add up. {verdict}"


def image_slack_words(family: PixelFamily, privacy: Privacy) -> str:
    """What the ε of the whole image at a slack δ means, and how it is found."""
    factor = numbers.odds_factor(privacy.image_at_delta)
    verdict = f", {_NOT_PRIVATE}" if privacy.image_at_delta > NO_PROMISE else ""
    if math.isinf(privacy.image_at_delta):
        return f"Nothing bounds how much more likely an outcome may be under one image than under another{verdict}."
    return (
        f"Any outcome is at most {factor} more likely under one image than under another, give or take δ{verdict}. "
        f"{LEVELS[family.name].accounting}"
    )
