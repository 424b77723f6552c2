"""The shipped results for a setting: rows of the same task, data set and private part, along ε."""

from __future__ import annotations

from dataclasses import replace

from pages.kit import cache
from pages.topics.comparison.words import differing
from privdemo.experiments import comparison, results
from privdemo.experiments.comparison import OPPOSITE, ComparisonConfig
from privdemo.experiments.comparison.pushed import PushedRow
from privdemo.experiments.comparison.study import Row

all_rows = cache.shared(comparison.study.load)
pushed_rows = cache.shared(comparison.pushed.load)


def curves(config: ComparisonConfig) -> list[Row]:
    """Return the shipped rows of a setting’s task, data set and private part, at any ε."""
    wanted = (config.task, config.dataset, config.private)
    return [row for row in all_rows() if (row.task, row.dataset, row.private) == wanted]


def marks(config: ComparisonConfig) -> list[Row]:
    """Return the shipped rows of a setting’s ε and methods; of all methods if it names none."""
    if config.fake_part:
        at_epsilon = [row for row in pushed_curves(config) if row.fake_part == config.fake_part]
    else:
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
    if n_trials != results.N_TRIALS:
        return False
    if config.fake_part:
        return has_pushed_curves(config) and config.fake_part in comparison.pushed.PARTS
    return on_curves(config) and config.epsilon in comparison.study.EPSILONS


def has_pushed_curves(config: ComparisonConfig) -> bool:
    """Return whether curves of this very setting along the part who push are shipped, whatever its methods."""
    return replace(config, methods=(), trial=0, fake_part=0.0, fake_label=OPPOSITE) in comparison.pushed.CONTEXTS


def pushed_curves(config: ComparisonConfig) -> list[PushedRow]:
    """Return the shipped rows of a setting’s task along the part who push what its people send."""
    return [
        row
        for row in pushed_rows()
        if row.task == config.task and (not row.fake_part or row.fake_label == config.fake_label)
    ]


def unlike_yours(config: ComparisonConfig) -> str:
    """Say how the shipped curves differ from the visitor’s setting, apart from ε; empty if they do not."""
    context = _context(config)
    if context is None or on_curves(config):
        return ""
    parts = differing(replace(config, epsilon=context.epsilon), context)
    differences = "; ".join(f"{name} {of_curves}, yours {yours}" for name, yours, of_curves in parts)
    return f" (not your setting: {differences})" if differences else ""
