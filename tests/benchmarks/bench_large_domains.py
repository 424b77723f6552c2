"""k from 1,024 to 65,536 answers by local hashing and Hadamard response: time and peak memory, as ratios.

Processor time, the two k in turns in one process: of 10,000 people's reports, of their tally, and of the counts of a
million people sampled at once. With k 64 times as large, what is linear in k takes 64 times as long, and K log₂ K
additions take 102 times. Peak memory is what a fresh process needs above the same process with no report at all.
"""

import multiprocessing
import resource
import time

import numpy as np

from privdemo.mechanisms.frequency_oracles import ORACLES
from tests.benchmarks.timing import alternate, table

SMALL, LARGE, EPSILON, ASKED, PEOPLE, REPEATS = 1024, 65_536, 4.0, 10_000, 1_000_000, 3
NAMES = ("local hashing", "hadamard response")


def answers(k, n):
    """How many of n people have each answer, by Zipf's law."""
    weights = np.arange(1, k + 1) ** -1.2
    return np.random.default_rng(0).multinomial(n, weights / weights.sum())


def reports_of(name, k):
    """The reports of `ASKED` people."""
    values = np.repeat(np.arange(k), answers(k, ASKED))
    return ORACLES[name](k, EPSILON).reports(values, np.random.default_rng(1))


def sides(name, k):
    """What is measured, by its name."""
    oracle, reports, people = ORACLES[name](k, EPSILON), reports_of(name, k), answers(k, PEOPLE)
    return {
        f"{ASKED:,} people's reports": lambda: reports_of(name, k),
        f"their tally, {k:,} answers": lambda: oracle.tally(reports),
        f"{PEOPLE:,} people as counts": lambda: oracle.support_counts(people, np.random.default_rng(2)),
    }


def peak_megabytes(name, k, asks):
    """The largest resident memory of a process that did nothing else (Linux counts it in KiB)."""
    if asks:
        for side in sides(name, k).values():
            side()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


if __name__ == "__main__":
    cases = [(name, k) for name in NAMES for k in (SMALL, LARGE)]
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as fresh:
        asked = [(name, k, asks) for name, k in cases for asks in (False, True)]
        peaks = dict(zip(asked, fresh.starmap(peak_megabytes, asked, chunksize=1), strict=True))
    for name in NAMES:
        rows = []
        for few, many in zip(sides(name, SMALL).items(), sides(name, LARGE).items(), strict=True):
            seconds = alternate({SMALL: few[1], LARGE: many[1]}, REPEATS, clock=time.process_time)
            rows.append(
                (many[0], *(f"{seconds[k]:.4f}" for k in (SMALL, LARGE)), f"{seconds[LARGE] / seconds[SMALL]:.1f}")
            )
        more = {k: peaks[name, k, True] - peaks[name, k, False] for k in (SMALL, LARGE)}
        rows.append(("extra peak memory, MB", *(f"{more[k]:.0f}" for k in more), f"{more[LARGE] / more[SMALL]:.1f}"))
        table(f"{name}, epsilon = {EPSILON:g}", ["", f"k = {SMALL:,}", f"k = {LARGE:,}", "times"], rows)
