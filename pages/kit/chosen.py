"""Describe in words what methods that choose by trying have chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pages.kit import numbers
from pages.kit.numbers import count_trials
from privdemo.estimators.choose import CLASSES, SHARES

# Words for what every such method can choose; a page adds the others.
WAYS = {CLASSES: "class by class", SHARES: "the classes’ shares alone"}


def describe_choices(choices: Sequence[tuple[str, str]], ways: Mapping[str, str]) -> str:
    """Say how often each way was chosen, and why: “class by class in 3 (clearly ahead) and strokes in 1 (…)”.

    `choices` are a name and a reason for each trial, as in `estimators.choose.Choice`; `ways` has words for the names
    that are not in `WAYS`.
    """
    parts = []
    for name, times in Counter(name for name, _ in choices).most_common():
        why = Counter(reason for way, reason in choices if way == name).most_common()
        reasons = ", ".join(f"{reason} in {n}" if len(why) > 1 else reason for reason, n in why)
        parts.append(f"{(WAYS | dict(ways))[name]} in {times} ({reasons})")
    return numbers.join_words(tuple(parts))


def describe_fits(trials: Sequence[Any], method: str, ways: Mapping[str, str]) -> str:
    """Say in a sentence what `method` chose in some trials; return an empty text if it did not run."""
    fits = [fit for trial in trials if (fit := trial.fits.get(method))]
    choices = [(fit.chosen, fit.why) for fit in fits if fit.why]
    return f"Chosen by trying, of {count_trials(choices)}: {describe_choices(choices, ways)}." if choices else ""
