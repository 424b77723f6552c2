"""The panel of a larger δ: what each party that needs δ reaches with that of the visitor and with another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pages.kit import cache, numbers
from pages.kit.panel import Panel, Table
from pages.kit.snippet import Snippet
from pages.topics.comparison import shipped
from pages.topics.comparison.words import change, marked
from privdemo.experiments import comparison
from privdemo.experiments.comparison import CLASSIFY, SHARE, ComparisonConfig
from privdemo.experiments.comparison.deltas import LARGE_DELTA
from privdemo.experiments.comparison.study import Row
from privdemo.methods import COMPARISON, CORRECTED_COUNT, CURATED, CURATOR, NOBODY, SHUFFLED_COUNT

QUESTION = "What does a larger or smaller δ change?"
_rows = cache.shared(comparison.deltas.load)


def other_delta(config: ComparisonConfig) -> float:
    """Return the δ to compare with: a large one or, where the visitor has set that, the default one."""
    default = replace(config, delta=None).release_delta
    return default if config.release_delta == LARGE_DELTA else LARGE_DELTA


def panels(config: ComparisonConfig, metric: str, best: Sequence[Row], code: Snippet) -> list[Panel]:
    """Return the panel of what the `best` rows of a setting reach with two δ; none where that is not known."""
    deltas = (config.release_delta, other_delta(config))
    if config.task == SHARE:
        words, body = _of_counts(config, best, deltas)
    else:
        words, body = _of_models(config, metric, best, deltas)
    if not body:
        return []
    heads = ("who is trusted", *(f"δ = {numbers.power_of_ten(delta)}" for delta in deltas))
    return [
        Panel(
            "two-deltas",
            QUESTION,
            words,
            Table(heads, body, labelled=True),
            f"Lies and a group leader’s noise need no δ. {config.people:,} people at "
            f"{' and '.join(f'δ = {numbers.power_of_ten(delta)}' for delta in deltas)}: nδ = "
            f"{' and '.join(f'{config.people * delta:.2g}' for delta in deltas)} people on average whose label may be "
            "published as it is.",
            lambda: [dict(zip(heads, cells, strict=True)) for cells in body],
            _snippet(config, metric, deltas, code),
        )
    ]


def _of_counts(config: ComparisonConfig, best: Sequence[Row], deltas: Sequence[float]) -> tuple[str, list[list[str]]]:
    """Return how far a shuffler goes from lies to a curator in the long run, and the errors of all; at each δ."""
    if {SHUFFLED_COUNT, CURATED} - {row.method for row in best}:
        return "", []
    names = (CORRECTED_COUNT, SHUFFLED_COUNT, CURATED)
    errors = {name: [comparison.exact_error(replace(config, delta=delta), name) for delta in deltas] for name in names}
    known = {name: [error for error in of_name if error is not None] for name, of_name in errors.items()}
    if not all(known.values()):
        return "", []
    here, there = (
        numbers.share((lies - shuffled) / (lies - curated), 0)
        for lies, shuffled, curated in zip(*known.values(), strict=True)
    )
    words = (
        f"In the long run a shuffler goes <b>{here}</b> of the way from lies to a curator at δ = "
        f"{numbers.power_of_ten(deltas[0])}, and {there} at δ = {numbers.power_of_ten(deltas[1])}."
    )
    body = [
        [f"{COMPARISON[name].trust} ({COMPARISON[name].title})", *map(numbers.absolute_points, of_name)]
        for name, of_name in known.items()
    ]
    return words, body


def _of_models(
    config: ComparisonConfig, metric: str, best: Sequence[Row], deltas: Sequence[float]
) -> tuple[str, list[list[str]]]:
    """Return how a curator's model compares with the best where nobody is trusted, and the scores of both; at each δ.

    Nothing where no rows are shipped at either δ, or the best rows are of another setting.
    """
    by_trust = {row.trust: row for row in best}
    if {NOBODY, CURATOR} - by_trust.keys() or by_trust[CURATOR].method != CURATED:
        return "", []
    curated = [_curated(config, metric, delta) for delta in deltas]
    nobody = by_trust[NOBODY]
    found = [row for row in curated if row]
    if len(found) < 2:
        return "", []
    lies = marked(metric, nobody.estimate)
    differ = [change(row, nobody).words for row in found]
    words = (
        f"Trusting a curator gives <b>{marked(metric, found[0].estimate)}</b> at δ = "
        f"{numbers.power_of_ten(deltas[0])}, and {marked(metric, found[1].estimate)} at δ = "
        f"{numbers.power_of_ten(deltas[1])}; trusting nobody needs no δ, and gives {lies}."
    )
    body = [
        [f"{NOBODY} ({COMPARISON[nobody.method].title})", lies, lies],
        [f"{CURATOR} ({COMPARISON[CURATED].title})", *(marked(metric, row.estimate) for row in found)],
        ["difference, trial by trial", *differ],
    ]
    return words, body


def _curated(config: ComparisonConfig, metric: str, delta: float) -> Row | None:
    """Return the shipped row of a curator's model at a δ."""
    if config.fake_part or not shipped.on_curves(replace(config, delta=None)):
        return None
    rows = _rows() if delta == LARGE_DELTA else shipped.all_rows()
    if delta not in (LARGE_DELTA, replace(config, delta=None).release_delta):
        return None
    at_epsilon = (row for row in comparison.study.select(rows, config, metric) if row.epsilon == config.epsilon)
    return next((row for row in at_epsilon if row.method == CURATED), None)


def _snippet(config: ComparisonConfig, metric: str, deltas: Sequence[float], code: Snippet) -> Snippet:
    """Return the code that computes both columns."""
    imports = ("from dataclasses import replace",)
    if config.task != CLASSIFY:
        names = [CORRECTED_COUNT, SHUFFLED_COUNT, CURATED]
        return code.then(
            f"for delta in {tuple(deltas)!r}:",
            f"    print(delta, [comparison.exact_error(replace(config, delta=delta), name) for name in {names!r}])",
            imports=imports,
        )
    return code.then(
        "for rows in (comparison.study.load(), comparison.deltas.load()):",
        f'    rows = comparison.study.select(rows, config, "{metric}")',
        f"    print([row.estimate for row in rows if (row.method, row.epsilon) == ({CURATED!r}, config.epsilon)])",
    )
