"""Comparison of all families of estimators on the same people, at the same ε of every label.

Each person has a record x and a label y, one of two classes; there are as many people of one as of the other. Every
release of y is a label channel T: the person lies (randomised response), the leader of a group releases the bag's share
with noise, or a publisher releases the counts of two sets with noise. If records are private too, every pixel is
flipped with the label's flip probability (Barber, figure 3), for every release of y. A part of the people may push:
they send, or tell whoever is trusted, a label of an attacker's choice. All methods take them to follow the rules.

`study` holds the shipped results along ε, `pushed` those along the part of the people who push, and `deltas` those of a
larger δ.
"""

from privdemo.experiments.comparison import deltas, pushed, study
from privdemo.experiments.comparison.config import (
    CLASSIFY,
    LABELS,
    METRICS,
    OPPOSITE,
    RECORDS,
    SECOND,
    SHARE,
    TRUST,
    ComparisonConfig,
    has_pixels,
    needs_delta,
    solves,
)
from privdemo.experiments.comparison.exact import exact_error
from privdemo.experiments.comparison.release import (
    N_TEST,
    RECORD_DELTA,
    check,
    example_channels,
    record_epsilon,
    sample_people,
    sizes,
)
from privdemo.experiments.comparison.score import Fit, Trial, mean_mark, run

__all__ = [
    "CLASSIFY",
    "LABELS",
    "METRICS",
    "N_TEST",
    "OPPOSITE",
    "RECORDS",
    "RECORD_DELTA",
    "SECOND",
    "SHARE",
    "TRUST",
    "ComparisonConfig",
    "Fit",
    "Trial",
    "check",
    "deltas",
    "exact_error",
    "example_channels",
    "has_pixels",
    "mean_mark",
    "needs_delta",
    "pushed",
    "record_epsilon",
    "run",
    "sample_people",
    "sizes",
    "solves",
    "study",
]
