"""Feldman, McMillan and Talwar, *Hiding among the clones* (FOCS 2021), against the exact profile of a shuffled poll."""

from __future__ import annotations

import math
from collections.abc import Callable

from privdemo.accounting import (
    closed_shuffled_epsilon,
    published_shuffled_epsilon,
    shuffled_closed_form_ends,
    shuffled_epsilon,
    shuffled_poll_delta,
    shuffled_poll_epsilon,
)
from privdemo.experiments.claims.claim import CAVEAT, FELDMAN, FORMULA, Claim, exactly
from privdemo.experiments.claims.judge import judge_fact, judge_limit

DELTA = 1e-6
# Where all three are compared: local ε₀, in so large polls.
_LOCAL, _POLLS = (0.5, 1.0, 2.0), (10_000, 100_000)
_FEW, _DESIGN = 1000, (1.0, 10_000)
_THEOREM = "theorem 3.1"


def all_claims() -> list[Claim]:
    """Every claim of the paper that is checked."""
    return [_closed_bound(), _at_design(), _clones(), _condition()]


def from_formulas() -> list[Claim]:
    """The claims that need no results file: all of them."""
    return all_claims()


def _closed_bound() -> Claim:
    """The closed bound, where it is finite."""
    return _bound_holds(published_shuffled_epsilon, _THEOREM, "the closed bound", "{:.1f} to {:.1f} times the exact ε")


def _at_design() -> Claim:
    local, n = _DESIGN
    published, ours = published_shuffled_epsilon(local, n, DELTA), shuffled_poll_epsilon(local, n, DELTA)
    return Claim(
        source=FELDMAN,
        place=_THEOREM,
        words=f"{n:,} shuffled answers, each with ε₀ = {local:g}, have this ε at δ = 10⁻⁶, two answers",
        published=published,
        ours=exactly(ours),
        verdict=judge_fact(ours <= published, caveat=ours < 0.9 * published),
        why=f"it is an upper bound, and {published / ours:.1f} times that of such a poll; the theorem is for any lie",
        reading=FORMULA,
    )


def _clones() -> Claim:
    """The numerical bound."""
    return _bound_holds(
        shuffled_epsilon,
        "theorem 3.2",
        "the reduction to clones, computed,",
        "{:.2f} to {:.2f} times the exact ε: far nearer than the closed bound",
    )


def _bound_holds(bound: Callable[[float, int, float], float], place: str, what: str, why: str) -> Claim:
    """That a bound is no less than the exact ε of a poll: the largest exact ε as a part of it."""
    parts = [shuffled_poll_epsilon(e, n, DELTA) / bound(e, n, DELTA) for e, n in _settings_grid()]
    return Claim(
        source=FELDMAN,
        place=place,
        words=f"{what} is no less than the ε of shuffled answers: the exact ε of a poll of two answers, divided by it, "
        f"at most ({_settings()})",
        published=1.0,
        ours=exactly(max(parts)),
        verdict=judge_limit(1.0, max(parts)),
        why=f"it is {why.format(1 / max(parts), 1 / min(parts))}",
        reading=FORMULA,
    )


def _condition() -> Claim:
    """The ε₀ up to which the closed formula is no less than the exact ε of a poll, by bisection on the exact δ."""
    published = shuffled_closed_form_ends(_FEW, DELTA)
    low, high = published, 10.0
    while high - low > 0.01:
        middle = (low + high) / 2
        kept = shuffled_poll_delta(middle, _FEW, closed_shuffled_epsilon(middle, _FEW, DELTA)) <= DELTA
        low, high = (middle, high) if kept else (low, middle)
    beyond = math.ceil(high) + 1.0
    return Claim(
        source=FELDMAN,
        place=_THEOREM,
        words=f"the closed bound needs ε₀ ≤ ln(n/(16 ln(2/δ))): up to which ε₀ it holds for {_FEW:,} people "
        "and two answers",
        published=published,
        ours=exactly(low),
        verdict=CAVEAT if low > published else judge_fact(low >= published),
        why=f"it goes further than is promised, but not for ever: at ε₀ = {beyond:g} the formula says "
        f"{closed_shuffled_epsilon(beyond, _FEW, DELTA):.2f}, and the exact ε is "
        f"{shuffled_poll_epsilon(beyond, _FEW, DELTA):.2f}. Beyond the condition this package takes ε₀ itself",
        reading=FORMULA,
    )


def _settings_grid() -> list[tuple[float, int]]:
    return [(local, n) for local in _LOCAL for n in _POLLS]


def _settings() -> str:
    return f"ε₀ from {min(_LOCAL):g} to {max(_LOCAL):g}, {min(_POLLS):,} to {max(_POLLS):,} people, δ = 10⁻⁶"
