"""Label proportions: records go into bags, each bag's share is released, single records are classified."""

from privdemo.experiments.label_proportions import study
from privdemo.experiments.label_proportions.adversary import Attack, Guess, bag_posterior
from privdemo.experiments.label_proportions.config import (
    AGGREGATIONS,
    F1S,
    HALF,
    SHARE,
    THRESHOLDS,
    BagConfig,
    changed_columns,
    default_bags,
    methods_of,
    record_epsilon,
)
from privdemo.experiments.label_proportions.fit import ADVERSARIES, F1, Fit, Trial, run
from privdemo.experiments.label_proportions.release import Records, Release, n_training, records, sample_release
from privdemo.experiments.label_proportions.score import (
    accuracy,
    accuracy_difference,
    all_negative,
    attack_rates,
    bag_table,
    difference,
    mean_accuracy,
    mean_of,
    mean_score,
    score_table,
)

__all__ = [
    "ADVERSARIES",
    "AGGREGATIONS",
    "F1",
    "F1S",
    "HALF",
    "SHARE",
    "THRESHOLDS",
    "Attack",
    "BagConfig",
    "Fit",
    "Guess",
    "Records",
    "Release",
    "Trial",
    "accuracy",
    "accuracy_difference",
    "all_negative",
    "attack_rates",
    "bag_posterior",
    "bag_table",
    "changed_columns",
    "default_bags",
    "difference",
    "mean_accuracy",
    "mean_of",
    "mean_score",
    "methods_of",
    "n_training",
    "record_epsilon",
    "records",
    "run",
    "sample_release",
    "score_table",
    "study",
]
