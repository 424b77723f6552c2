"""Feldman, McMillan and Talwar, *Hiding among the clones* (FOCS 2021), against the exact profile of a shuffled poll."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from privdemo.accounting import (
    closed_shuffled_epsilon,
    published_shuffled_epsilon,
    shuffled_closed_form_ends,
    shuffled_epsilon,
    shuffled_poll_delta,
    shuffled_poll_epsilon,
)
from privdemo.experiments.claims.claim import CAVEAT, FORMULA, ClaimRow, Finding, exactly
from privdemo.experiments.claims.judge import judge_fact, judge_limit

DELTA = 1e-6
# Where all three are compared: local ε₀, in so large polls.
_LOCAL, _POLLS = (0.5, 1.0, 2.0), (10_000, 100_000)
_FEW, _DESIGN = 1000, (1.0, 10_000)
_NO_LESS = (
    "{bound} is no less than the ε of shuffled answers: the exact ε of a poll of two answers, divided by it, at most "
    f"(ε₀ from {min(_LOCAL):g} to {max(_LOCAL):g}, {min(_POLLS):,} to {max(_POLLS):,} people, δ = 10⁻⁶)"
)


def bound_holds(published: float, bound: Callable[[float, int, float], float], why: str) -> Finding:
    """Compute the largest exact ε of a poll as a part of a bound of it, which should be no less."""
    settings = [(local, n) for local in _LOCAL for n in _POLLS]
    parts = [shuffled_poll_epsilon(e, n, DELTA) / bound(e, n, DELTA) for e, n in settings]
    return Finding(
        exactly(max(parts)),
        judge_limit(published, max(parts)),
        f"it is {why.format(1 / max(parts), 1 / min(parts))}",
    )


def at_design() -> Finding:
    """Compare the closed bound with the exact ε of one poll."""
    published, ours = published_shuffled_epsilon(*_DESIGN, DELTA), shuffled_poll_epsilon(*_DESIGN, DELTA)
    return Finding(
        exactly(ours),
        judge_fact(ours <= published, caveat=ours < 0.9 * published),
        f"it is an upper bound, and {published / ours:.1f} times that of such a poll; the theorem is for any lie",
        published=published,
    )


def condition() -> Finding:
    """Find the ε₀ up to which the closed formula is no less than the exact ε of a poll, by bisection on the exact δ."""
    published = shuffled_closed_form_ends(_FEW, DELTA)
    low, high = published, 10.0
    while high - low > 0.01:
        middle = (low + high) / 2
        kept = shuffled_poll_delta(middle, _FEW, closed_shuffled_epsilon(middle, _FEW, DELTA)) <= DELTA
        low, high = (middle, high) if kept else (low, middle)
    beyond = math.ceil(high) + 1.0
    return Finding(
        exactly(low),
        CAVEAT if low > published else judge_fact(low >= published),
        f"it goes further than is promised, but not for ever: at ε₀ = {beyond:g} the formula says "
        f"{closed_shuffled_epsilon(beyond, _FEW, DELTA):.2f}, and the exact ε is "
        f"{shuffled_poll_epsilon(beyond, _FEW, DELTA):.2f}. Beyond the condition this package takes ε₀ itself",
        published=published,
    )


CLAIMS = (
    ClaimRow(
        "theorem 3.1",
        _NO_LESS.format(bound="the closed bound"),
        partial(bound_holds, bound=published_shuffled_epsilon, why="{:.1f} to {:.1f} times the exact ε"),
        published=1.0,
        reading=FORMULA,
    ),
    ClaimRow(
        "theorem 3.1",
        f"{_DESIGN[1]:,} shuffled answers, each with ε₀ = {_DESIGN[0]:g}, have this ε at δ = 10⁻⁶, two answers",
        at_design,
        reading=FORMULA,
    ),
    ClaimRow(
        "theorem 3.2",
        _NO_LESS.format(bound="the reduction to clones, computed,"),
        partial(
            bound_holds,
            bound=shuffled_epsilon,
            why="{:.2f} to {:.2f} times the exact ε: far nearer than the closed bound",
        ),
        published=1.0,
        reading=FORMULA,
    ),
    ClaimRow(
        "theorem 3.1",
        f"the closed bound needs ε₀ ≤ ln(n/(16 ln(2/δ))): up to which ε₀ it holds for {_FEW:,} people and two answers",
        condition,
        reading=FORMULA,
    ),
)
