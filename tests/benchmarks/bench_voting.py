"""The voting lesson: a million voters simulated and estimated, and 10,000 elections sampled and binned.

Beside them, in the same run, what sampling counts replaces: asking a million people one by one, through NumPy at
once. Targets: 50 ms and 200 ms.
"""

from functools import partial

import numpy as np

from privdemo.experiments import voting
from privdemo.mechanisms import BinaryChannel
from tests.benchmarks.timing import alternate, table

REPEATS = 15
MILLION = 1_000_000


def one_election(channel):
    config = voting.ElectionConfig(MILLION, 0.48, channel, 1)
    return voting.poll(config, voting.run(config))


def one_by_one(channel):
    rng = np.random.default_rng(0)
    votes = (rng.random(MILLION) < 0.48).astype(np.uint8)
    return channel.randomise(votes, rng).sum()


def many_elections(channel, n_voters):
    config = voting.ElectionConfig(n_voters, 0.48, channel, 10_000)
    return [voting.histogram(record, 0.0, 1.0) for record in voting.records(config, voting.run(config))]


if __name__ == "__main__":
    for p in (0.2, 0.05):
        channel = BinaryChannel(p, p)
        sides = {
            "a million voters: counts, four estimates, standard errors, intervals": partial(one_election, channel),
            "the same million people asked one by one, counted, nothing estimated": partial(one_by_one, channel),
            "10,000 elections of 1,000: all estimates, exact laws, histograms": partial(many_elections, channel, 1000),
            "10,000 elections of a million": partial(many_elections, channel, MILLION),
        }
        rows = [(what, f"{1e3 * took:.1f}") for what, took in alternate(sides, REPEATS).items()]
        table(f"symmetric lie p = {p}; median of {REPEATS}", ["", "ms"], rows)
    print("  targets: 50 ms for a million voters, 200 ms for 10,000 elections")
