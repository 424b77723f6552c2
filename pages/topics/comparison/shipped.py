"""What is shipped of a setting: rows of the same task, data set and private part, along ε."""

from __future__ import annotations

from dataclasses import replace

from pages.kit import cache
from pages.topics.comparison.words import differing
from privdemo.experiments import comparison, results
from privdemo.experiments.comparison import ComparisonConfig
from privdemo.experiments.comparison.study import Row

all_rows = cache.shared(comparison.study.load)


def curves(config: ComparisonConfig) -> list[Row]:
    """The shipped rows of the task, the data set and the private part of a setting, whatever their ε."""
    wanted = (config.task, config.dataset, config.private)
    return [row for row in all_rows() if (row.task, row.dataset, row.private) == wanted]


def marks(config: ComparisonConfig) -> list[Row]:
    """The shipped rows of a setting's ε and methods, all methods if it names none."""
    here = [row for row in curves(config) if row.epsilon == config.epsilon]
    return [row for row in here if not config.methods or row.method in config.methods]


def _context(config: ComparisonConfig) -> ComparisonConfig | None:
    """The shipped setting of the same task, data set and private part."""
    wanted = (config.task, config.dataset, config.private)
    return next((c for c in comparison.study.CONTEXTS if (c.task, c.dataset, c.private) == wanted), None)


def has_curves(config: ComparisonConfig) -> bool:
    """Whether curves of the same task, data set and private part are shipped."""
    return _context(config) is not None


def on_curves(config: ComparisonConfig) -> bool:
    """Whether the shipped curves are of this setting, apart from its ε and methods."""
    return replace(config, methods=(), epsilon=ComparisonConfig.epsilon, trial=0) == _context(config)


def is_shipped(config: ComparisonConfig, n_draws: int) -> bool:
    """Whether this very setting is shipped with as many draws, whatever its methods."""
    return on_curves(config) and config.epsilon in comparison.study.EPSILONS and n_draws == results.N_TRIALS


def unlike_yours(config: ComparisonConfig) -> str:
    """Say in what the shipped curves differ from the visitor's setting, apart from ε; an empty string for nothing."""
    context = _context(config)
    if context is None or on_curves(config):
        return ""
    parts = differing(replace(config, epsilon=context.epsilon), context)
    told = "; ".join(f"{name} {there}, yours {here}" for name, here, there in parts)
    return f" (not your setting: {told})" if told else ""
