"""Every number of every config is refused just outside its limit, by name, and taken at its ends."""

import math
from dataclasses import fields, replace

import pytest

from privdemo.experiments import class_ratio, comparison, images, label_counts, label_proportions, training, voting
from privdemo.experiments.naive_training import NaiveConfig
from privdemo.limits import Limit

CONFIGS = [
    voting.ElectionConfig(),
    voting.ManyConfig(),
    NaiveConfig(),
    images.Config(),
    images.CurveConfig(),
    images.GalleryConfig(),
    training.TrainingConfig(),
    label_proportions.BagConfig(aggregation="random-k", k=3, feature_epsilon=1.0, proportion_epsilon=1.0),
    class_ratio.RatioConfig(share=0.5, bandwidth=1.0),
    label_counts.CountConfig(),
    comparison.ComparisonConfig(),
]
NUMBERS = [
    pytest.param(config, field.name, id=f"{type(config).__name__}-{field.name}")
    for config in CONFIGS
    for field in fields(config)
    if type(getattr(config, field.name)) in (int, float)
]


def limit_of(config, name, monkeypatch):
    """The limit by which a config checks a field, found by a value that no other check can have seen."""
    seen = []
    check, odd = Limit.check, -1e15 - 0.125

    def record(self, value):
        seen.append((self, value))
        return check(self, value)

    with monkeypatch.context() as patched:
        patched.setattr(Limit, "check", record)
        with pytest.raises(ValueError, match="must be"):
            replace(config, **{name: odd})
    return next(limit for limit, value in seen if value is odd)


def just_outside(limit):
    """The nearest numbers beyond both ends, and what is no number at all."""
    if limit.integer:
        beyond = [int(limit.low) - 1, limit.low + 0.5, *([int(limit.high) + 1] if math.isfinite(limit.high) else [])]
    else:
        below = limit.low if limit.low_open else math.nextafter(limit.low, -math.inf)
        beyond = [below, *([math.nextafter(limit.high, math.inf)] if math.isfinite(limit.high) else [])]
    return [*beyond, math.nan, -math.inf, True]


def complaint(config, name, value):
    """What a config says of a value, nothing if it takes it."""
    try:
        replace(config, **{name: value})
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(("config", "name"), NUMBERS)
def test_a_number_is_refused_by_name_just_outside_its_limit_and_not_at_its_ends(config, name, monkeypatch):
    limit = limit_of(config, name, monkeypatch)
    refusal = f"{limit.name} must be {'a whole number ' if limit.integer else ''}{limit.range_text}"
    for value in just_outside(limit):
        assert complaint(config, name, value).startswith(refusal), value
    for end in (limit.low, limit.high):
        if math.isfinite(end) and not (limit.low_open and end == limit.low):
            taken = complaint(config, name, int(end) if limit.integer else float(end))
            assert not taken.startswith(refusal), "another number may forbid it"
