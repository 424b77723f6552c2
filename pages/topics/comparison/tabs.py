"""What can be looked at below the comparison: the tab of all numbers, and the list of tabs."""

from __future__ import annotations

from pages.kit.panel import Panel, Sheet
from pages.topics.comparison.answer import Answer, snippet
from pages.topics.comparison.words import METRIC_WORDS, people, privacy, scale
from privdemo.experiments.comparison import METRICS, TRUST
from privdemo.intervals import Estimate
from privdemo.methods import COMPARISON


def all_numbers(shown: Answer) -> list[Panel]:
    """Every method's marks at the visitor's ε in a table that sorts, and whom each trusts."""
    question = shown.question
    asked, config = "How do the methods compare?", question.config
    trust = "; ".join(f"{who}: {why[:1].lower()}{why[1:].rstrip('.')}" for who, why in TRUST.items())
    words = f"At your setting, {privacy(config)}. {people(config)}. Each method says whom it trusts: {trust}."
    forms = {head: f"%.{scale(metric).digits}f" for metric in METRICS[config.task] for head in _heads(metric)}
    rows = [_row(shown, name) for name in COMPARISON if name in shown.marks]
    if not rows:
        return [Panel("", asked, words), Panel(answer=shown.no_marks())]
    return [
        Panel(
            "comparison-numbers",
            asked,
            words,
            Sheet(rows, forms),
            f"{shown.n_draws} draws; ± is half the 95 % interval of a mean. Click a head to sort.",
            lambda: rows,
            snippet(question),
        )
    ]


def _heads(metric: str) -> tuple[str, str]:
    """Heads of a column of marks and of one of half their intervals."""
    words, unit = METRIC_WORDS[metric], scale(metric).unit.strip()
    return f"{words} ({unit})" if unit else words, f"± {words}"


def _row(shown: Answer, name: str) -> dict[str, object]:
    """One method's line of the table."""
    row: dict[str, object] = {"method": COMPARISON[name].title, "trusts": COMPARISON[name].trust}
    marks = {mark.metric: mark.estimate for mark in shown.mine if mark.method == name}
    for metric in METRICS[shown.question.config.task]:
        row |= zip(_heads(metric), _cells(marks[metric], scale(metric).factor), strict=True)
    return row


def _cells(mark: Estimate, factor: float) -> tuple[float, float | None]:
    """A mark and half its interval, the longer side where an end is cut; None while it is not known."""
    return round(factor * mark.mean, 3), round(factor * mark.half, 3) if mark.known else None
