"""What is shown until the first trial of a question is there: a trial at the nearest level computed beforehand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from pages.kit import cache
from pages.kit.panel import Panel
from pages.topics.training.pixel_noise import NOISES
from privdemo.experiments import shipped_trials, training
from privdemo.experiments.training import TrainingConfig, Trial
from privdemo.mechanisms import RandomisedResponse

# The family of noise that has such trials.
FAMILY = "randomised_response"
Panels = Sequence[Panel | tuple[Panel, ...]]


class Nearest(NamedTuple):
    """A shipped `trial`, which differs from the visitor’s setting in the chance of change of a pixel alone."""

    level: float
    chosen: float
    trial: Trial

    @property
    def words(self) -> str:
        """Say what is shown, and that what is asked is under way."""
        return (
            f"<b>Shown: p = {self.level:g}, the nearest level computed beforehand</b> (p = {self.chosen:.4g} is being "
            "computed)"
        )


def nearest(config: TrainingConfig) -> Nearest | None:
    """Return the shipped trial nearest to a config, or None if there is none, or that of the config itself."""
    if not isinstance(config.dataset, str) or not isinstance(config.pixels, RandomisedResponse):
        return None
    chosen, shipped = config.pixels.flip_prob, cache.shipped_results()
    if shipped.find(training.run, config) is not None:
        return None
    levels = (NOISES[FAMILY].default, *shipped_trials.LEVELS)
    found = {level: shipped.find(training.run, shipped_trials.at_level(config, level)) for level in levels}
    there = [level for level, trial in found.items() if trial is not None]
    if not there:
        return None
    level = min(there, key=lambda one: abs(one - chosen))
    return Nearest(level, chosen, found[level])


def labelled(panels: Callable[[Any], Panels]) -> Callable[[Any], Panels]:
    """Return the panels of a chapter with a note on what they show, while its answer is of the nearest level."""

    def with_note(answer: Any) -> Panels:
        first, *rest = panels(answer)
        if answer.nearest is None or isinstance(first, tuple):
            return [first, *rest]
        return [replace(first, answer=f"{answer.nearest.words}. {first.answer}"), *rest]

    return with_note
