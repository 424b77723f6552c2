"""Three estimators of shares from the same reports, and their errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from privdemo import limits
from privdemo.estimators.frequency_oracles import maximise_likelihood, project, unbiased_shares
from privdemo.experiments.many_answers.config import AnswersConfig
from privdemo.experiments.many_answers.release import Truth, reported, truth
from privdemo.experiments.many_answers.score import EPSILON_AXIS, K_AXIS, PEOPLE_AXIS
from privdemo.intervals import Estimate, mean_interval
from privdemo.methods import INVERTED, LIKELIEST, PROJECTED

Array = NDArray[np.floating]

# So many people times answers have their likeliest shares found within seconds.
MOST_CELLS = 10**7
# Along an axis the three are compared at these levels, of up to so many people times answers, in so many trials each.
READ_AT: dict[str, tuple[float, ...]] = {
    EPSILON_AXIS: (0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0),
    K_AXIS: (4, 16, 64, 256),
    PEOPLE_AXIS: (100, 1000, 10_000, 100_000),
}
ALONG_CELLS, N_READ = 10**7, 5
# Their names in a config.
FIELDS = {EPSILON_AXIS: "epsilon", K_AXIS: "k", PEOPLE_AXIS: "people"}


@dataclass(frozen=True, eq=False)
class Fit:
    """What three estimators make of the same reports: `shares` (k,) and root mean squared `errors` by their names.

    `gap` is the most that the mean log-likelihood of a report could still gain, in nats.
    """

    config: AnswersConfig
    shares: Mapping[str, Array]
    errors: Mapping[str, float]
    gap: float


def is_soon(config: AnswersConfig, people: Truth) -> bool:
    """Return whether the likeliest shares are found, and within seconds."""
    return config.people * people.k <= MOST_CELLS and limits.LIKELIEST_ANSWERS.contains(people.k)


def fit(config: AnswersConfig) -> Fit:
    """Sample every person's report by the config's oracle, and estimate by inversion, projection and likelihood."""
    people = truth(config)
    made, reports = reported(config, people)
    tally, likeliest = made.tally(reports), maximise_likelihood(made, reports)
    shares = {
        INVERTED: unbiased_shares(made, tally, config.people),
        PROJECTED: project(made, tally, config.people),
        LIKELIEST: likeliest.shares,
    }
    errors = {name: float(np.sqrt(np.square(found - people.shares).mean())) for name, found in shares.items()}
    return Fit(config, shares, errors, likeliest.gap)


def read_along(config: AnswersConfig, axis: str) -> list[AnswersConfig]:
    """Return the configs of `N_READ` trials at each level of an axis that is soon computed; all else is as in `config`.

    The number of answers is at most that of the source. The level of `config` itself is ignored.
    """
    most = truth(replace(config, k=max(config.k, int(limits.LIKELIEST_ANSWERS.high)))).k
    levels = (level for level in READ_AT[axis] if axis != K_AXIS or level <= most)
    at = [replace(config, **{FIELDS[axis]: level}) for level in levels]  # type: ignore[arg-type]
    soon = [
        one
        for one in at
        if one.people * min(one.k, most) <= ALONG_CELLS and limits.LIKELIEST_ANSWERS.contains(min(one.k, most))
    ]
    return [replace(one, trial=trial) for one in soon for trial in range(N_READ)]


def errors_along(fits: Sequence[Fit], axis: str) -> dict[float, dict[str, Estimate]]:
    """Return `mean_errors` at each level of an axis whose trials are complete."""
    by_level: dict[float, list[Fit]] = {}
    for each in fits:
        by_level.setdefault(getattr(each.config, FIELDS[axis]), []).append(each)
    return {level: mean_errors(here) for level, here in sorted(by_level.items()) if len(here) == N_READ}


def mean_errors(fits: Sequence[Fit]) -> dict[str, Estimate]:
    """Return the root mean squared error of each estimator over trials, with the root of the mean square's 95 %
    interval.
    """
    found = {}
    for name in (INVERTED, PROJECTED, LIKELIEST):
        square = mean_interval([fit.errors[name] ** 2 for fit in fits], least=0.0)
        found[name] = Estimate(*(float(end) for end in np.sign(square) * np.sqrt(np.abs(square))))
    return found
