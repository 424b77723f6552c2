"""The shipped results for a setting: rows of the same task, data set and private part, along ε."""

from __future__ import annotations

from dataclasses import replace

from pages.kit import cache
from pages.topics.comparison.words import differing
from privdemo.experiments import comparison, results
from privdemo.experiments.comparison import ComparisonConfig
from privdemo.experiments.comparison.study import Row

all_rows = cache.shared(comparison.study.load)


def curves(config: ComparisonConfig) -> list[Row]:
    """Return the shipped rows of a setting’s task, data set and private part, at any ε."""
    wanted = (config.task, config.dataset, config.private)
    return [row for row in all_rows() if (row.task, row.dataset, row.private) == wanted]


def marks(config: ComparisonConfig) -> list[Row]:
    """Return the shipped rows of a setting’s ε and methods; of all methods if it names none."""
    at_epsilon = [row for row in curves(config) if row.epsilon == config.epsilon]
    return [row for row in at_epsilon if not config.methods or row.method in config.methods]


def _context(config: ComparisonConfig) -> ComparisonConfig | None:
    """Return the shipped setting of the same task, data set and private part."""
    wanted = (config.task, config.dataset, config.private)
    return next((c for c in comparison.study.CONTEXTS if (c.task, c.dataset, c.private) == wanted), None)


def has_curves(config: ComparisonConfig) -> bool:
    """Return whether curves of the same task, data set and private part are shipped."""
    return _context(config) is not None


def on_curves(config: ComparisonConfig) -> bool:
    """Return whether the shipped curves are of this setting, apart from its ε and methods."""
    return replace(config, methods=(), epsilon=ComparisonConfig.epsilon, trial=0) == _context(config)


def is_shipped(config: ComparisonConfig, n_trials: int) -> bool:
    """Return whether this very setting is shipped with as many trials, whatever its methods."""
    return on_curves(config) and config.epsilon in comparison.study.EPSILONS and n_trials == results.N_TRIALS


def unlike_yours(config: ComparisonConfig) -> str:
    """Say how the shipped curves differ from the visitor’s setting, apart from ε; empty if they do not."""
    context = _context(config)
    if context is None or on_curves(config):
        return ""
    parts = differing(replace(config, epsilon=context.epsilon), context)
    differences = "; ".join(f"{name} {of_curves}, yours {yours}" for name, yours, of_curves in parts)
    return f" (not your setting: {differences})" if differences else ""
