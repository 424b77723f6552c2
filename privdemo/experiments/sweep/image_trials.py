"""The experiment on noise on images as one config: a release, and re-identification of its senders."""

from __future__ import annotations

from dataclasses import dataclass, field

from privdemo.experiments import images
from privdemo.experiments.images import LabelMechanism
from privdemo.mechanisms import PixelMechanism, RandomisedResponse
from privdemo.mechanisms.pixels import family_of, level_of

METRICS = ("changed pixels", "pixel error", "squared pixel error", "senders found", "labels found")


@dataclass(frozen=True)
class ImagesConfig:
    """`n_people` people of `classes` who release an image and a label, and `n_candidates` who may have sent one."""

    dataset: str = "mnist"
    classes: tuple[str, ...] = ("7", "9")
    pixels: PixelMechanism = field(default=RandomisedResponse(0.2, 256))
    labels: LabelMechanism = field(default=RandomisedResponse(0.2, 2))
    n_people: int = 2000
    n_candidates: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        _ = self.release, self.linking  # which check every value

    @property
    def release(self) -> images.Config:
        """Who releases what."""
        return images.Config(self.dataset, self.classes, self.pixels, self.labels, 1, self.n_people, self.seed)

    @property
    def linking(self) -> images.CurveConfig:
        """Who may have sent an image."""
        family = family_of(self.pixels).name
        return images.CurveConfig(self.dataset, self.classes, family, self.n_candidates, self.seed)


def run(config: ImagesConfig) -> dict[str, float]:
    """Return how much of an image changes, and how often an adversary finds its sender or its label, by `METRICS`."""
    result = images.run(config.release)
    point = images.measure(config.linking, level_of(config.pixels))
    linked, labels = point.linked.mean, result.label_guess.mean
    found = (result.changed_pixels, point.absolute.mean, point.squared.mean, linked, labels)
    return dict(zip(METRICS, found, strict=True))
