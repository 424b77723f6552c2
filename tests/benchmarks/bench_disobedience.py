"""A million people and k = 100 with attackers, against all honest (target: 1.2 times), and the profile likelihood
(target: 20 ms).

Processor time, all sides in turn in one process. Five of 100 clients send crafted reports for one target or for three,
or pretend that one answer is true of them. As counts, a survey is sampled and its shares are estimated with intervals;
report by report (three targets), reports are sampled and tallied.
"""

import time
from functools import partial

import numpy as np

from privdemo.disobedience import (
    ControlQuestion,
    CraftedReport,
    FalseTruth,
    TwoHalves,
    mixed_reports,
    mixed_support_counts,
    notice,
)
from privdemo.disobedience.many_answers import split
from privdemo.estimators.frequency_oracles import invert
from privdemo.mechanisms import BinaryChannel
from privdemo.mechanisms.frequency_oracles import ORACLES
from tests.benchmarks.timing import alternate, table

N, K, EPSILON, PART, REPEATS = 1_000_000, 100, 1.0, 0.05, 9
TRUTH = np.arange(1, K + 1) ** -1.2 / (np.arange(1, K + 1) ** -1.2).sum()
COUNTS = np.random.default_rng(0).multinomial(N, TRUTH)
VALUES = np.random.default_rng(1).permutation(np.repeat(np.arange(K, dtype=np.int16), COUNTS))
OBEY, DISOBEY = split(COUNTS, PART, np.random.default_rng(2))
WAYS = {"one target": CraftedReport((99,)), "three": CraftedReport((90, 93, 99)), "pretended": FalseTruth((99,))}


def rng():
    return np.random.default_rng(3)


def by_counts(oracle):
    """Surveys as counts, with their estimates, by who answers."""
    attacked = {
        name: lambda way=way: invert(oracle, mixed_support_counts(oracle, way, OBEY, DISOBEY, rng()), N)
        for name, way in WAYS.items()
    }
    return {"honest": lambda: invert(oracle, oracle.support_counts(COUNTS, rng()), N)} | attacked


def by_reports(oracle):
    """Surveys report by report, by who answers."""
    return {
        "honest": lambda: oracle.tally(oracle.reports(VALUES, rng())),
        "three": lambda: oracle.tally(mixed_reports(oracle, WAYS["three"], VALUES, int(PART * N), rng())),
    }


def shown(seconds):
    """The time of honest people, and how many times as long the others take."""
    honest, *others = seconds.values()
    return [f"{1e3 * honest:.2f} ms", *(f"{other / honest:.2f} ×" for other in others)]


if __name__ == "__main__":
    rows = []
    for name, made in ORACLES.items():
        oracle = made(K, EPSILON)
        fast = alternate(by_counts(oracle), 101, clock=time.process_time)
        slow = alternate(by_reports(oracle), REPEATS, clock=time.process_time)
        rows.append([name, *shown(fast), *shown(slow)])
    header = ["", "counts and estimate, honest", *WAYS, "report by report, honest", "three"]
    table(f"{N:,} people, k = {K}, {PART:.0%} attackers: honest, and times as long with them", header, rows)

    halves = TwoHalves(BinaryChannel(0.1, 0.1), BinaryChannel(0.4, 0.4))
    designs = {"two halves": halves, "control question": ControlQuestion(BinaryChannel(0.2, 0.2))}
    asked = {}
    for name, design in designs.items():
        for people in (300, 10_000, 1_000_000):
            counts = design.sample(0.35, 0.1, people, rng())[0]
            asked[f"{name}, {people:,} people"] = partial(notice, design, counts)
    seconds = alternate(asked, 31, clock=time.process_time)
    rows = [[name, f"{1e3 * took:.1f} ms", f"{took / 0.02:.2f} ×"] for name, took in seconds.items()]
    table("Both estimates, five intervals by profile likelihood, and the test", ["", "time", "of 20 ms"], rows)
