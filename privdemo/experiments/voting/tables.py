"""Rows of the CSV files of the voting page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from privdemo.experiments.voting.asymptotics import LongRun
from privdemo.experiments.voting.candidates import ManyConfig, ManyResult, candidate_name
from privdemo.experiments.voting.polls import Poll
from privdemo.experiments.voting.repeated import Record
from privdemo.methods import VOTING


def poll_table(shown: Poll) -> list[dict[str, Any]]:
    """Return the four kinds of people in a poll."""
    voted_b = shown.n_voters - shown.voted_a
    return [
        {"voted": "A", "said": "A", "people": shown.voted_a - shown.lied_a},
        {"voted": "A", "said": "B", "people": shown.lied_a},
        {"voted": "B", "said": "B", "people": voted_b - shown.lied_b},
        {"voted": "B", "said": "A", "people": shown.lied_b},
    ]


def estimate_table(shown: Poll) -> list[dict[str, Any]]:
    """Return one row for each estimate of a poll."""
    return [VOTING[name].columns | e._asdict() for name, e in shown.estimates.items()]


def record_table(found: Sequence[Record]) -> list[dict[str, Any]]:
    """Return one row for each estimator and poll."""
    return [
        VOTING[record.name].columns | {"poll": i + 1, "estimate": float(value)}
        for record in found
        for i, value in enumerate(record.values)
    ]


def figure1_table(runs: Sequence[LongRun]) -> list[dict[str, Any]]:
    """Return one row for each lie and true share."""
    columns = LongRun._fields[1:]
    return [
        {"flip_prob": run.flip_prob, **dict(zip(columns, map(float, row), strict=True))}
        for run in runs
        for row in zip(*run[1:], strict=True)
    ]


def many_table(config: ManyConfig, result: ManyResult) -> list[dict[str, Any]]:
    """Return one row for each candidate."""
    columns = ("answers", "naive", "inversion", "low", "high", "projected", "mle", "mle_by_em")
    return [
        {"candidate": candidate_name(i), "share": share, **{name: getattr(result, name)[i].item() for name in columns}}
        for i, share in enumerate(config.shares)
    ]
