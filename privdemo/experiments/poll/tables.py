"""Rows of the CSV files of a reveal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from privdemo.experiments.poll.config import CONTROL, HALVES, PollConfig
from privdemo.experiments.poll.price import Price
from privdemo.experiments.poll.reveal import Again, Reveal
from privdemo.intervals import Estimate


def said_table(found: Reveal) -> list[dict[str, Any]]:
    """Return how many sent each answer, and their share with its interval."""
    return [{"answer": r.answer, "answers": r.senders} | _columns("said", r.reported) for r in found.readings]


def sent_row(config: PollConfig, time: int, cell: int) -> dict[str, Any]:
    """Return what somebody sent, a cell of `PollConfig.by_answer`; with a check also how often chance changes an answer
    in their half, or their answer to the control question.
    """
    if config.check == CONTROL:
        return {"time": time, "answer": config.answers[cell // 2], "january_to_march": ("Yes", "No")[cell % 2]}
    half, answer = divmod(cell, len(config.answers))
    row: dict[str, Any] = {"time": time, "answer": config.answers[answer]}
    return row | {"changed_by_chance": config.lies[half]} if config.check == HALVES else row


def share_table(found: Reveal, truth: Sequence[float] | None = None) -> list[dict[str, Any]]:
    """Return the estimated share of each answer with its interval and the observed share; the true one where it is
    known; with a check the part of the people who do not follow the rules.
    """
    disobey = _columns("not_following", found.noticed.part) if found.noticed else {}
    rows = [
        {"answer": r.answer, "answers": r.senders, "said": r.reported.mean}
        | _columns("corrected", r.estimated)
        | disobey
        for r in found.readings
    ]
    return [row | {"true": share} for row, share in zip(rows, truth, strict=True)] if truth else rows


def meant_table(found: Reveal) -> list[dict[str, Any]]:
    """Return how likely each answer is meant by who sent it."""
    return [{"answer": r.answer} | _columns("meant", r.meant) for r in found.readings]


def again_table(again: Sequence[Again]) -> list[dict[str, Any]]:
    """Return how likely each answer is meant by who sent it every time."""
    return [
        {"answer": each.answer, "times": time} | _columns("meant", meant)
        for each in again
        for time, meant in enumerate(each.meant, start=1)
    ]


def price_table(cost: Price) -> list[dict[str, Any]]:
    """Return people needed with these lies and without, for the exactness reached and for some others."""
    rows = [(cost.half, cost.with_lies, cost.without_lies), *cost.plans]
    return [{"half_width": half, "people": people, "honest_people": honest} for half, people, honest in rows]


def _columns(name: str, found: Estimate) -> dict[str, float]:
    return {name: found.mean, f"{name}_low": found.low, f"{name}_high": found.high}
