"""Training on noisy records and labels: every method on the same people, scored on clean images."""

from privdemo.experiments.training import study
from privdemo.experiments.training.adversary import Attack, best_guess, equivalent_epsilon
from privdemo.experiments.training.config import TrainingConfig, TrainingNoise, with_methods
from privdemo.experiments.training.fit import N_SAMPLES, N_STEPS, NO_WEIGHT, Fit, Trial, run
from privdemo.experiments.training.release import N_TEST, Release, check_noise, draw_release, sizes, test_images
from privdemo.experiments.training.score import (
    METRICS,
    Bin,
    attack_rates,
    calibration,
    calibration_error,
    difference,
    disputed,
    having,
    mean_of,
    mean_score,
    mean_sureness,
    merge,
    one_sided,
    per_image,
    typical,
    with_a_say,
)
from privdemo.experiments.training.tables import calibration_table, digit_table, score_table, weight_table

__all__ = [
    "METRICS",
    "NO_WEIGHT",
    "N_SAMPLES",
    "N_STEPS",
    "N_TEST",
    "Attack",
    "Bin",
    "Fit",
    "Release",
    "TrainingConfig",
    "TrainingNoise",
    "Trial",
    "attack_rates",
    "best_guess",
    "calibration",
    "calibration_error",
    "calibration_table",
    "check_noise",
    "difference",
    "digit_table",
    "disputed",
    "draw_release",
    "equivalent_epsilon",
    "having",
    "mean_of",
    "mean_score",
    "mean_sureness",
    "merge",
    "one_sided",
    "per_image",
    "run",
    "score_table",
    "sizes",
    "study",
    "test_images",
    "typical",
    "weight_table",
    "with_a_say",
    "with_methods",
]
