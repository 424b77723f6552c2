"""A pin: a setting to compare the next one with, stored in the link as a short text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pages.kit import own_data
from pages.kit.settings import Number, Words
from pages.topics.comparison.question import ASKED, BAG, DELTA, EPSILON, RHO, SEED, TRUE_SHARE, people_setting
from privdemo import datasets
from privdemo.experiments import comparison
from privdemo.experiments.comparison import ComparisonConfig

# How many parts every pin has: task, data set, what is private, people, ε and seed.
_N_FIXED = 6
# The fields that a pin holds only where they differ from the default, and how each is read.
_OPTIONAL: dict[str, Callable[[str], Any]] = {
    "delta": float,
    "bag_size": int,
    "rho": float,
    "n_asked": int,
    "share": float,
}
# The settings that bound what a pin may hold, as they bound the page's own.
_BOUNDS: dict[str, Number] = {
    "epsilon": EPSILON,
    "delta": DELTA,
    "bag_size": BAG,
    "rho": RHO,
    "n_asked": ASKED,
    "share": TRUE_SHARE,
    "seed": SEED,
}


def encode(config: ComparisonConfig) -> str:
    """Write a setting as short text for a link; rare settings only if they differ from the default."""
    default = ComparisonConfig()
    dataset = config.dataset if isinstance(config.dataset, str) else own_data.TITLE
    epsilon = f"{config.epsilon!r}".removesuffix(".0")
    fixed = [config.task, dataset, config.private, config.n_train, epsilon, config.seed]
    changed = [
        f"{name}={getattr(config, name)!r}" for name in _OPTIONAL if getattr(config, name) != getattr(default, name)
    ]
    return ",".join(map(str, [*fixed, *changed]))


def decode(words: str) -> ComparisonConfig | None:
    """Return the setting that `encode` wrote; None for an empty text.

    Raise ``ValueError`` with a sentence for a text that is no setting, or one that the page does not allow.
    """
    if not words:
        return None
    parts = words.split(",")
    if len(parts) < _N_FIXED:
        raise ValueError("it does not read as a pinned setting; pin one anew")
    try:
        config = _read(*parts)
        _check(config)
    except (ValueError, KeyError) as error:
        why = "" if re.match("invalid literal|could not convert|'", str(error)) else f" ({error})"
        raise ValueError(f"it is no pinned setting{why}; pin one anew") from None
    return config


def _read(
    task: str, dataset: str, private: str, n_train: str, epsilon: str, seed: str, *changed: str
) -> ComparisonConfig:
    """Return the config of the parts of a pin."""
    optional = {name: _OPTIONAL[name](value) for name, _, value in (part.partition("=") for part in changed)}
    if dataset == own_data.TITLE and own_data.current_reading(own_data.Own) is None:
        raise ValueError("its records were a visitor’s own, which are in no link")
    source = own_data.source(dataset, str, binary=True)
    return ComparisonConfig(task, source, private, int(n_train), float(epsilon), seed=int(seed), **optional)


def _check(config: ComparisonConfig) -> None:
    """Raise ``ValueError`` if the page does not allow a config."""
    for name, setting in _BOUNDS.items():
        setting.limit.check(getattr(config, name))
    if not isinstance(config.dataset, str) or datasets.available(config.dataset):
        comparison.check(config)
        people_setting(config.dataset).limit.check(config.n_train)


PIN = Words("pin", decode, "", "Pinned setting")
