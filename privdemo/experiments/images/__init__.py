"""Images under pixel noise: releases, privacy promises, pixel errors and attacks."""

from privdemo.experiments.images.config import (
    PRIORS,
    Config,
    CurveConfig,
    LabelMechanism,
    check_classes,
    check_pixels,
    image_shape,
    n_states,
    with_mechanism,
)
from privdemo.experiments.images.release import N_LEARNERS, Result, guesses_at, packed, run, stack_pictures, strip
from privdemo.experiments.images.score import N_RELEASES, Point, Privacy, curve, measure, privacy
from privdemo.experiments.images.tables import curve_table, picture_table, strip_table

__all__ = [
    "N_LEARNERS",
    "N_RELEASES",
    "PRIORS",
    "Config",
    "CurveConfig",
    "LabelMechanism",
    "Point",
    "Privacy",
    "Result",
    "check_classes",
    "check_pixels",
    "curve",
    "curve_table",
    "guesses_at",
    "image_shape",
    "measure",
    "n_states",
    "packed",
    "picture_table",
    "privacy",
    "run",
    "stack_pictures",
    "strip",
    "strip_table",
    "with_mechanism",
]
