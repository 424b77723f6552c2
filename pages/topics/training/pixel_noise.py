"""Noise on pixels as the training page treats it: its setting, its words, and its place in the shipped studies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pages.kit import numbers
from privdemo.experiments.training import TrainingConfig
from privdemo.mechanisms import GaussianNoise, RandomisedResponse
from privdemo.mechanisms.pixel_mechanism import PixelMechanism
from privdemo.mechanisms.pixels import family_of

# The slack at which the ε of a pixel under Gaussian noise is given.
DELTA = 1e-5


class PixelNoise(NamedTuple):
    """How the page treats a family of noise.

    The noise level has a `key` in the address and a `default`; `words(mechanism)` says what the noise does, with its
    ε, and `done(mechanism, is_image)` what it did to some images or other records, without; `slider` names the level
    of one pixel.
    `axes[study](config)` is the level of a config on the axis of a study, None where it is not on it; every config has
    a level in the last study.
    """

    key: str
    default: float
    slider: str
    done: Callable[[Any, bool], str]
    words: Callable[[Any], str]
    axes: Mapping[str, Callable[[TrainingConfig], float | None]]


def _replaced(pixels: RandomisedResponse) -> str:
    """Say what randomised response does to pixels."""
    return f"{numbers.percent(pixels.flip_prob)} of pixels are replaced"


def _were_replaced(pixels: RandomisedResponse, is_image: bool) -> str:
    """Say what was done to the pixels of some images, or to the values of some records."""
    of, by = ("dots in each image (pixels)", "shade of grey") if is_image else ("values in each record", "value")
    return f"about {numbers.percent(pixels.flip_prob)} of the {of} were replaced by a random {by}"


def _replaced_words(pixels: RandomisedResponse) -> str:
    """Say it with the ε of a pixel."""
    return f"{_replaced(pixels)} (ε = {numbers.epsilon(pixels.epsilon)} a pixel)"


def _gaussian(pixels: GaussianNoise) -> str:
    """Say what Gaussian noise does to pixels."""
    return f"every pixel gets Gaussian noise of variance {pixels.sigma**2:.3g}"


def _were_moved(pixels: GaussianNoise, is_image: bool) -> str:
    """Say what was done to the pixels of some images, or to the values of some records."""
    to = "pixels" if is_image else "values"
    return f"Gaussian noise of variance {pixels.sigma**2:.3g} was added to the {to}"


def _gaussian_words(pixels: GaussianNoise) -> str:
    """Say it with the ε of a pixel."""
    return (
        f"{_gaussian(pixels)} "
        f"(ε = {numbers.epsilon(pixels.epsilon_at(DELTA))} a pixel at δ = {numbers.power_of_ten(DELTA)})"
    )


def _flip_prob(config: TrainingConfig) -> float | None:
    """Return the flip probability of a pixel, if both classes lie equally often."""
    channel = config.labels.channel_matrix
    return config.pixels.flip_prob if channel[0, 1] == channel[1, 0] else None


def _second_lies(config: TrainingConfig) -> float:
    """Return the probability that a person of the second class lies about the label."""
    return float(config.labels.channel_matrix[0, 1])


def _variance(config: TrainingConfig) -> float:
    """Return the variance of the noise."""
    return float(config.pixels.sigma**2)


# One row for each family of noise.
NOISES = {
    "randomised_response": PixelNoise(
        "pixel_p",
        0.2,
        "Chance that a pixel is replaced, p",
        _were_replaced,
        _replaced_words,
        {"figure3": _flip_prob, "asymmetric": _second_lies},
    ),
    "gaussian": PixelNoise(
        "pixel_sigma", 0.5, "Noise strength of a pixel, σ", _were_moved, _gaussian_words, {"section6.1": _variance}
    ),
}


def noise_of(pixels: PixelMechanism) -> PixelNoise:
    """Return the row of the family of `pixels`. Raise ``TypeError`` for a mechanism without a row."""
    family = family_of(pixels)
    if family.name not in NOISES:
        raise TypeError(f"the training page has noise of {', '.join(NOISES)}, got {pixels!r}")
    return NOISES[family.name]
