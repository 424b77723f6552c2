"""A million people and k = 100 with attackers, against all honest (target: 1.2 times), and the profile likelihood
(target: 20 ms).

Processor time, all sides in turn in one process. Five of 100 clients send crafted reports for three targets. As counts,
a survey is sampled and its shares are estimated with intervals; report by report, reports are sampled and tallied.
"""

import time
from functools import partial

import numpy as np

from privdemo.disobedience import ControlQuestion, CraftedReport, TwoHalves, mixed_reports, mixed_support_counts, notice
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
WAY = CraftedReport((90, 93, 99))


def rng():
    return np.random.default_rng(3)


def sides(oracle):
    """What is measured, by its name: honest, then with attackers."""
    return {
        "counts, honest": lambda: invert(oracle, oracle.support_counts(COUNTS, rng()), N),
        "counts, attacked": lambda: invert(oracle, mixed_support_counts(oracle, WAY, OBEY, DISOBEY, rng()), N),
        "sampling of counts, honest": lambda: oracle.support_counts(COUNTS, rng()),
        "sampling of counts, attacked": lambda: mixed_support_counts(oracle, WAY, OBEY, DISOBEY, rng()),
        "reports, honest": lambda: oracle.tally(oracle.reports(VALUES, rng())),
        "reports, attacked": lambda: oracle.tally(mixed_reports(oracle, WAY, VALUES, int(PART * N), rng())),
    }


if __name__ == "__main__":
    rows = []
    for name, made in ORACLES.items():
        oracle = made(K, EPSILON)
        slow = {side: call for side, call in sides(oracle).items() if side.startswith("reports")}
        fast = {side: call for side, call in sides(oracle).items() if side not in slow}
        seconds = alternate(fast, 101, clock=time.process_time) | alternate(slow, REPEATS, clock=time.process_time)
        pairs = zip(list(seconds.values())[::2], list(seconds.values())[1::2], strict=True)
        rows.append([name, *(f"{1e3 * honest:.2f} ms, {attacked / honest:.2f} ×" for honest, attacked in pairs)])
    header = ["", "counts and estimate", "sampling of counts alone", "report by report"]
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
