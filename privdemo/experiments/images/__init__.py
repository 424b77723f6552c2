"""Images under pixel noise: releases, privacy guarantees, pixel errors and attacks."""

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
from privdemo.experiments.images.people import AT_A_TIME
from privdemo.experiments.images.release import (
    N_LEARNERS,
    N_TRIED,
    Guesses,
    Result,
    guess,
    packed,
    run,
    sample_release,
    stack_pictures,
    strip,
)
from privdemo.experiments.images.score import N_RELEASES, Match, Point, Privacy, curve, match, measure, privacy
from privdemo.experiments.images.tables import curve_table, guess_table, picture_table, strip_table

__all__ = [
    "AT_A_TIME",
    "N_LEARNERS",
    "N_RELEASES",
    "N_TRIED",
    "PRIORS",
    "Config",
    "CurveConfig",
    "Guesses",
    "LabelMechanism",
    "Match",
    "Point",
    "Privacy",
    "Result",
    "check_classes",
    "check_pixels",
    "curve",
    "curve_table",
    "guess",
    "guess_table",
    "image_shape",
    "match",
    "measure",
    "n_states",
    "packed",
    "picture_table",
    "privacy",
    "run",
    "sample_release",
    "stack_pictures",
    "strip",
    "strip_table",
    "with_mechanism",
]
