"""What a method that chooses by trying has taken, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pages.kit import numbers
from pages.kit.numbers import count_draws
from privdemo.estimators.choose import CLASSES, SHARES

# What every choosing method may take; a page names the others.
WAYS = {CLASSES: "class by class", SHARES: "the classes’ shares alone"}


def describe_choices(choices: Sequence[tuple[str, str]], ways: Mapping[str, str]) -> str:
    """Say which ways were taken how often, and why: “class by class in 3 (clearly ahead) and strokes in 1 (…)”.

    `choices` are a name and a reason for each draw, as in `estimators.choose.Choice`; `ways` has words for the names
    that `WAYS` has not.
    """
    said = []
    for name, times in Counter(name for name, _ in choices).most_common():
        why = Counter(reason for way, reason in choices if way == name).most_common()
        reasons = ", ".join(f"{reason} in {n}" if len(why) > 1 else reason for reason, n in why)
        said.append(f"{(WAYS | dict(ways))[name]} in {times} ({reasons})")
    return numbers.join_words(tuple(said))


def describe_fits(trials: Sequence[Any], method: str, ways: Mapping[str, str]) -> str:
    """What the choosing `method` took over some trials, in a sentence; nothing where it was not asked for."""
    fits = [fit for trial in trials if (fit := trial.fits.get(method))]
    choices = [(fit.chosen, fit.why) for fit in fits if fit.why]
    return f"Chosen by trying, of {count_draws(choices)}: {describe_choices(choices, ways)}." if choices else ""
