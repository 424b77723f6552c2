"""Class ratios: estimate the class proportions of a target set from training sets with known proportions.

The sets' proportions are known exactly, or released privately. `study` holds the shipped results.
"""

from privdemo.experiments.class_ratio import study
from privdemo.experiments.class_ratio.adversary import Attack
from privdemo.experiments.class_ratio.class_images import class_images
from privdemo.experiments.class_ratio.config import (
    NO_RELEASE,
    SHARES,
    TEST_SHARE,
    RatioConfig,
    chosen_classes,
    default_set_size,
)
from privdemo.experiments.class_ratio.fit import (
    FULLY_LABELLED_METHODS,
    N_FEATURES,
    Fit,
    Trial,
    fit_method,
    l1_distance,
    run,
    run_releases,
)
from privdemo.experiments.class_ratio.release import (
    Sample,
    as_input,
    check,
    most_records,
    records,
    release_proportions,
    sample_records,
    sample_target_set,
)
from privdemo.experiments.class_ratio.score import (
    attack_rates,
    difference,
    error,
    error_along,
    features_gap,
    mean_error,
    share_of,
    table,
)

__all__ = [
    "FULLY_LABELLED_METHODS",
    "NO_RELEASE",
    "N_FEATURES",
    "SHARES",
    "TEST_SHARE",
    "Attack",
    "Fit",
    "RatioConfig",
    "Sample",
    "Trial",
    "as_input",
    "attack_rates",
    "check",
    "chosen_classes",
    "class_images",
    "default_set_size",
    "difference",
    "error",
    "error_along",
    "features_gap",
    "fit_method",
    "l1_distance",
    "mean_error",
    "most_records",
    "records",
    "release_proportions",
    "run",
    "run_releases",
    "sample_records",
    "sample_target_set",
    "share_of",
    "study",
    "table",
]
