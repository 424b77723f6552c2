"""The voting lesson: a million voters simulated and estimated, and 10,000 elections drawn and binned.

Beside them, in the same run, what counts are drawn instead of: asking a million people one by one, through
NumPy at once. Targets: 50 ms and 200 ms.

    python -m tests.benchmarks.bench_voting
"""

import numpy as np

from privdemo.experiments import voting
from privdemo.mechanisms import BinaryChannel
from tests.benchmarks.timing import alternate, table

REPEATS = 15
MILLION = 1_000_000
LIES = {"p = 0.2": BinaryChannel(0.2, 0.2), "p = 0.05": BinaryChannel(0.05, 0.05)}


def one_election(channel):
    config = voting.ElectionConfig(MILLION, 0.48, channel, 1)
    return voting.poll(config, voting.run(config))


def one_by_one(channel):
    rng = np.random.default_rng(0)
    votes = (rng.random(MILLION) < 0.48).astype(np.uint8)
    return channel.randomise(votes, rng).sum()


def many_elections(n_voters, channel):
    config = voting.ElectionConfig(n_voters, 0.48, channel, 10_000)
    records = voting.records(config, voting.run(config))
    return [voting.histogram(record, 0.0, 1.0) for record in records]


def main():
    for name, channel in LIES.items():
        seconds = alternate(
            {
                "a million voters: counts, four estimates, standard errors, intervals": lambda c=channel: one_election(
                    c
                ),
                "the same million people asked one by one, counted, nothing estimated": lambda c=channel: one_by_one(c),
                "10,000 elections of 1,000: all estimates, exact laws, histograms": lambda c=channel: many_elections(
                    1000, c
                ),
                "10,000 elections of a million": lambda c=channel: many_elections(MILLION, c),
            },
            REPEATS,
        )
        table(
            f"symmetric lie {name}; median of {REPEATS}",
            ["", "ms"],
            [(what, f"{1e3 * took:.1f}") for what, took in seconds.items()],
        )
    print("  targets: 50 ms for a million voters, 200 ms for 10,000 elections")


if __name__ == "__main__":
    main()
