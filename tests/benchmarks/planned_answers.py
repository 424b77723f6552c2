"""Compare measured errors of frequency oracles with those that were planned: `PLANNED`.

`python -m tests.benchmarks.planned_answers [TRIALS]`. Every trial samples people from Zipf's law, and measures errors
against that law, not against the shares among those people: the planned errors fit this. The table shows means over
 the trials, and how many standard deviations of one trial each planned error is off. The third planned error of a
row is compared twice: with the maximum of the likelihood, and with expectation–maximisation that stops early.
"""

import sys

import numpy as np

from privdemo.estimators.frequency_oracles import maximise_likelihood, project, stopped_likelihood, unbiased_shares
from privdemo.mechanisms.frequency_oracles import ORACLES
from tests.benchmarks.timing import table

K, PEOPLE, TRIALS = 64, 10_000, 12
LAW = np.arange(1, K + 1) ** -1.2
LAW /= LAW.sum()
NAMES = ("randomised response", "basic rappor", "optimised unary", "subset selection", "local hashing")
# Planned root mean square errors, in 10⁻⁴: for each ε a row an oracle, by inversion, projection and likelihood.
PLANNED = {
    0.5: ((1277, 461, 390), (376, 208, 193), (381, 197, 183), (401, 209, 179), (438, 224, 184)),
    1.0: ((460, 244, 247), (195, 130, 115), (185, 122, 104), (182, 108, 94), (204, 127, 113)),
    2.0: ((142, 98, 94), (97, 73, 67), (85, 69, 64), (86, 70, 68), (94, 71, 66)),
    4.0: ((27, 26, 26), (43, 36, 31), (31, 28, 27), (30, 29, 29), (28, 26, 25)),
}


def errors(oracle, trial):
    """Return the root mean square errors, in 10⁻⁴: by inversion, by projection, at the maximum, and stopped early."""
    rng = np.random.default_rng([trial, round(10 * oracle.epsilon)])
    reports = oracle.reports(rng.choice(K, PEOPLE, p=LAW), rng)
    tally = oracle.tally(reports)
    found = (
        unbiased_shares(oracle, tally, PEOPLE),
        project(oracle, tally, PEOPLE),
        maximise_likelihood(oracle, reports).shares,
        stopped_likelihood(oracle, reports).frequencies,
    )
    return [1e4 * np.sqrt(np.square(shares - LAW).mean()) for shares in found]


if __name__ == "__main__":
    trials, rows = int(sys.argv[1]) if len(sys.argv) > 1 else TRIALS, []
    for epsilon, planned in PLANNED.items():
        for name, figures in zip(NAMES, planned, strict=True):
            found = np.array([errors(ORACLES[name](K, epsilon), trial) for trial in range(trials)])
            off = (np.array([*figures, figures[-1]]) - found.mean(axis=0)) / found.std(axis=0, ddof=1)
            cells = (f"{mean:.0f} ({z:+.1f})" for mean, z in zip(found.mean(axis=0), off, strict=True))
            rows.append([f"{epsilon:g}", name, "/".join(map(str, figures)), *cells])
    heads = ["ε", "lie", "planned", "inversion", "projection", "maximum", "stopped early"]
    table(f"Means over {trials} trials, and how far off one trial the planned figure is", heads, rows)
