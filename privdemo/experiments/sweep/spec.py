"""Read the spec of a sweep, a TOML file: configs of one experiment, each run several times."""

from __future__ import annotations

import itertools
import json
import math
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from privdemo import limits
from privdemo.experiments import trials
from privdemo.experiments.results import TRIAL_COLUMN
from privdemo.experiments.sweep.catalogue import EXPERIMENTS
from privdemo.toml_text import parse, read_from, shortened

REPEATS = limits.Limit("repeats", 1, limits.TRIAL.high + 1, "trials of every config", integer=True)
_MOST_TRIALS = limits.Limit("trials", 1, 1_000_000, "configs times repeats; split the sweep", integer=True)
# Keys of a file of page settings that a sweep ignores.
_OF_THE_PAGE = {"page", "settings"}


@dataclass(frozen=True)
class ConfigWithTrial:
    """Trial number `trial` of a `config` that has no such field: the same question with other random numbers.

    Trial 0 has the config's own seed, as on its page; the seeds of the others are derived from it.
    """

    config: Any
    trial: int = 0

    @property
    def seeded(self) -> Any:
        """Return the config with the seed of this trial."""
        if not self.trial:
            return self.config
        (seed,) = np.random.SeedSequence(self.config.seed, spawn_key=(self.trial,)).generate_state(1)
        return replace(self.config, seed=int(seed))


def repeat(config: Any, trial: int) -> Any:
    """Return trial number `trial` of any config."""
    return trials.with_trial(config, trial) if hasattr(config, "trial") else ConfigWithTrial(config, trial)


def settings_of(trial: Any) -> dict[str, Any]:
    """Return every field of a trial's config by name, and the number of the trial last."""
    config = trial.config if isinstance(trial, ConfigWithTrial) else trial
    settings = {field.name: getattr(config, field.name) for field in fields(config) if field.name != "trial"}
    return settings | {TRIAL_COLUMN: trial.trial}


@dataclass(frozen=True)
class Sweep:
    """`configs` of one experiment, each run `repeats` times."""

    experiment: str
    configs: tuple[Any, ...]
    repeats: int

    def __post_init__(self) -> None:
        if self.experiment not in EXPERIMENTS:
            raise ValueError(f"experiment must be one of {', '.join(EXPERIMENTS)}, got {self.experiment!r}")
        REPEATS.check(self.repeats)
        _MOST_TRIALS.check(len(self.configs) * self.repeats)

    def trials(self) -> list[Any]:
        """Return every config at every trial."""
        return [repeat(config, trial) for trial in range(self.repeats) for config in self.configs]

    def columns(self) -> list[str]:
        """Return column names of the results table, in order: settings, numbers, seconds, versions, problem."""
        names = EXPERIMENTS[self.experiment].names
        found = dict.fromkeys(name for config in self.configs for name in names(config))
        return ["experiment", *settings_of(repeat(self.configs[0], 0)), *found, "seconds", "versions", "problem"]


def read_spec(path: Path) -> Sweep:
    """Return the sweep that a TOML file describes: `experiment`, `repeats`, a table `config` of what all trials share,
    and a table `grid` of lists, every combination of which is one config. A page's setting as a file is one, too.

    Raises ``ValueError`` that names the line, key or combination.
    """
    try:
        return _sweep(parse(read_from(path), "a spec"))
    except ValueError as error:
        raise ValueError(f"{path}: {_shortened(str(error), 800)}") from None


def _sweep(spec: Mapping[str, Any]) -> Sweep:
    """Return the sweep of a file's table."""
    unknown = spec.keys() - {"experiment", "repeats", "config", "grid"} - _OF_THE_PAGE
    if unknown:
        raise ValueError(f"a spec may hold experiment, repeats, config and grid, got {_shortened(min(unknown), 60)}")
    name, repeats = spec.get("experiment"), spec.get("repeats", 10)
    if not isinstance(name, str) or name not in EXPERIMENTS:
        raise ValueError(f"experiment must be one of {', '.join(EXPERIMENTS)}, got {shortened(name)}")
    REPEATS.check(repeats)
    shared, grid = spec.get("config", {}), spec.get("grid", {})
    for key, table in (("config", shared), ("grid", grid)):
        if not isinstance(table, dict):
            raise ValueError(f"{key} must be a table, such as [{key}], got {shortened(table)}")
    twice = _shortened(", ".join(shared.keys() & grid.keys()), 60)
    if twice:
        raise ValueError(f"{twice} must stand in config or in grid, not in both")
    for key, values in grid.items():
        if not isinstance(values, list) or not values:
            raise ValueError(
                f"{_shortened(key, 60)} in grid must be a list of one or more values, got {shortened(values)}"
            )
    _MOST_TRIALS.check(math.prod(map(len, grid.values())) * repeats)  # before any is made
    configs = [
        _config(name, shared | dict(zip(grid, values, strict=True))) for values in itertools.product(*grid.values())
    ]
    return Sweep(name, tuple(dict.fromkeys(configs)), repeats)


def _config(experiment: str, given: Mapping[str, Any]) -> Any:
    """Return one config of a file."""
    try:
        return make(experiment, given)
    except ValueError as error:
        where = ", ".join(f"{key} = {value!r}" for key, value in given.items()) or "the defaults"
        raise ValueError(f"{error} (with {_shortened(where, 200)})") from None


def make(experiment: str, given: Mapping[str, Any]) -> Any:
    """Return the config that the plain values of a file make. Raises ``ValueError`` in the words of a file."""
    if TRIAL_COLUMN in given:
        raise ValueError(f"{TRIAL_COLUMN} counts the repeats and is not set; set repeats")
    known = [field.name for field in fields(EXPERIMENTS[experiment].config) if field.name != "trial"]
    if unknown := [key for key in given if key not in known]:
        raise ValueError(f"config and grid may hold {', '.join(known)}, got {_shortened(unknown[0], 60)}")
    _check_kinds(EXPERIMENTS[experiment].config, given)
    try:
        config = EXPERIMENTS[experiment].make(given)
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise ValueError(_shortened(re.sub(r"^\w+\.__init__\(\) ", "", str(error)), 400)) from None
    try:
        hash(config)
    except TypeError:
        raise ValueError("a table stands where a value should") from None
    return config


def _check_kinds(config: type, given: Mapping[str, Any]) -> None:
    """Raise ``ValueError`` for a value that is no text, or no list, where the config's default is one."""
    defaults = {field.name: field.default for field in fields(config)}
    for key, value in given.items():
        default = defaults[key]
        if isinstance(default, str) and not isinstance(value, str):
            raise ValueError(f'{key} must be a text, such as "{default}", got {shortened(value)}')
        if isinstance(default, tuple):
            kind, words = (int, "whole numbers") if default and isinstance(default[0], int) else (str, "texts")
            if not isinstance(value, list | tuple) or any(type(each) is not kind for each in value):
                example = f", such as {json.dumps(default[:2])}" if default else ""
                raise ValueError(f"{key} must be a list of {words}{example}, got {shortened(value)}")


def _shortened(words: str, most: int) -> str:
    """Return the words on one line, cut to so many letters."""
    return textwrap.shorten("".join(c if c.isprintable() else " " for c in words), most, placeholder=" …")
