"""Which method, at which privacy? Every family of estimators on the same people, at the same ε of every label.

Each person has a record x and a label y, one of two classes; there are as many people of one as of the other. What
becomes known of y is always released through a label channel T: the person lies (randomised response), the owner of a
bag tells the bag's share with noise, or a publisher tells the counts of two sets with noise. If records are private
too, every pixel is flipped with the label's flip probability (Barber, figure 3), whatever becomes of the label.

`study` holds the shipped results.
"""

from privdemo.experiments.comparison import study
from privdemo.experiments.comparison.config import (
    CLASSIFY,
    LABELS,
    METRICS,
    RECORDS,
    SHARE,
    TRUST,
    ComparisonConfig,
    has_pixels,
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
    "RECORDS",
    "RECORD_DELTA",
    "SHARE",
    "TRUST",
    "ComparisonConfig",
    "Fit",
    "Trial",
    "check",
    "exact_error",
    "example_channels",
    "has_pixels",
    "mean_mark",
    "record_epsilon",
    "run",
    "sample_people",
    "sizes",
    "solves",
    "study",
]
