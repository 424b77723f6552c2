"""Settings of a training experiment: the people, what they release, and the methods."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import get_args

from privdemo import limits
from privdemo.datasets import Source
from privdemo.experiments.images import LabelMechanism, check_classes
from privdemo.mechanisms import GaussianNoise, RandomisedResponse
from privdemo.methods import CLEAN, NAIVE, RECONSTRUCTION, SPREAD, TRAINING, check_methods

TrainingNoise = RandomisedResponse | GaussianNoise
# The most classes of a classifier.
MOST_CLASSES = 10


@dataclass(frozen=True)
class TrainingConfig:
    """Who releases what, and who learns from it: `n_train` people of each of two to ten `classes`, image and label.

    `trial` is the number of the repetition: another trial has other people, other noise and other test images. Clean
    data is always trained on as well, as the ceiling.
    """

    dataset: Source = "mnist"
    classes: tuple[str, ...] = ("7", "9")
    n_train: int = 250
    pixels: TrainingNoise = field(default=RandomisedResponse(0.2, 256))
    labels: LabelMechanism = field(default=RandomisedResponse(0.2, 2))
    methods: tuple[str, ...] = (CLEAN, NAIVE, RECONSTRUCTION, SPREAD)
    seed: int = 0
    trial: int = 0

    def __post_init__(self) -> None:
        limits.N_TRAIN.check(self.n_train)
        limits.SEED.check(self.seed)
        limits.TRIAL.check(self.trial)
        check_classes(self.classes, self.labels)
        if not isinstance(self.pixels, TrainingNoise):
            kinds = " or ".join(kind.__name__ for kind in get_args(TrainingNoise))
            raise TypeError(f"pixels must be {kinds}, as no model is trained on another noise, got {self.pixels!r}")
        if len(self.classes) > MOST_CLASSES:
            raise ValueError(
                f"classes must be {MOST_CLASSES} at most, got {len(self.classes)}: {', '.join(self.classes)}"
            )
        check_methods(self.methods, TRAINING)


def with_methods(config: TrainingConfig, methods: tuple[str, ...]) -> TrainingConfig:
    """Return the same question, put to other methods."""
    return replace(config, methods=methods)
