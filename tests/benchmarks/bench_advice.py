"""Advice beside the same least ε sought by simulation, and beside one frame of a screen (target: 50 ms).

Processor time, all sides in turn in one process. Who has no closed form simulates 2,000 polls at each of the 14 ε of a
bisection, of which 95 % must be near enough; counts are sampled at once, nobody one by one. Frequency oracles are made
anew for every advice.
"""

import time

import numpy as np

from privdemo.advise import Question, advise, ways
from privdemo.mechanisms.frequency_oracles import SubsetSelection
from tests.benchmarks.timing import alternate, table

REPEATS, POLLS, FRAME = 9, 2000, 1 / 60
QUESTIONS = {
    "yes or no, nobody trusted (a shuffler as the alternative)": Question("yes-no", "nobody", 5000, 0.03),
    "yes or no, a shuffler": Question("yes-no", "shuffler", 5000, 0.03),
    "yes or no, a shuffler: how many people": Question("yes-no", "shuffler", None, 0.03),
    "yes or no, a hundred leaders": Question("yes-no", "leader", 90_000, 0.01, groups=100),
    "64 answers, nobody trusted": Question("one-of-k", "nobody", 100_000, 0.02, answers=64, largest_share=0.3),
    "1,024 answers, a shuffler, a million people": Question("one-of-k", "shuffler", 10**6, 0.01, answers=1024),
    "a table of 1,024 counts": Question("counts", "curator", 10_000, 0.01, answers=1024, delta=1e-3),
    "a classifier": Question("classifier", "nobody", within=0.03),
}
SOUGHT = "64 answers, nobody trusted"


def advised(asked):
    ways.cached_oracles.cache_clear()
    return advise(asked)


def by_simulation(asked):
    """The least ε of subset selection, by bisection over simulated polls."""
    low, high, rng = 10, 10_000, np.random.default_rng(0)
    shares = np.full(asked.answers, (1 - asked.largest_share) / (asked.answers - 1))
    shares[0] = asked.largest_share
    while low < high:
        middle = (low + high) // 2
        oracle = SubsetSelection.for_shares(asked.answers, middle / 1000, asked.largest_share)
        have = rng.multinomial(asked.people, shares, POLLS)
        supported = rng.binomial(have, oracle.p) + rng.binomial(asked.people - have, oracle.q)
        off = np.abs((supported / asked.people - oracle.q) / (oracle.p - oracle.q) - shares)
        low, high = (low, middle) if np.quantile(off[:, 0], 0.95) <= asked.within else (middle + 1, high)
    return high / 1000


if __name__ == "__main__":
    asked = QUESTIONS[SOUGHT]
    print(
        f"  the least epsilon by simulation {by_simulation(asked):g}, by advice {advise(asked).plan.epsilon_needed:g}"
    )
    sides = {name: (lambda asked=asked: advised(asked)) for name, asked in QUESTIONS.items()}
    simulated = f"{SOUGHT}: the same least epsilon by simulation, one mechanism, no alternative"
    seconds = alternate(sides | {simulated: lambda: by_simulation(asked)}, REPEATS, clock=time.process_time)
    rows = [(what, f"{1e3 * took:.1f}", f"{took / FRAME:.1f}") for what, took in seconds.items()]
    table(f"median of {REPEATS}", ["", "ms", "frames of a 60 Hz screen"], rows)
    print(f"  advice is {seconds[simulated] / seconds[SOUGHT]:.0f} times faster than simulation; target: 50 ms")
