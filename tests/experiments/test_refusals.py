"""Numbers of every config beyond their limits, and questions that make no sense: each refused with a sentence."""

import math
from dataclasses import fields, replace

import pytest

from privdemo.experiments import class_ratio, comparison, images, label_counts, label_proportions, training
from privdemo.experiments.class_ratio import RatioConfig
from privdemo.experiments.comparison import RECORDS, ComparisonConfig
from privdemo.experiments.label_counts import CountConfig
from privdemo.experiments.label_proportions import BagConfig
from privdemo.experiments.naive_training import NaiveConfig
from privdemo.experiments.training import TrainingConfig
from privdemo.experiments.voting import ElectionConfig, ManyConfig
from privdemo.limits import Limit
from privdemo.mechanisms import BinaryChannel, LaplaceNoise, RandomisedResponse
from privdemo.methods import MMD, SPREAD

CONFIGS = [
    *(ElectionConfig(), ManyConfig(), NaiveConfig(), TrainingConfig(), CountConfig(), ComparisonConfig()),
    *(images.Config(), images.CurveConfig(), RatioConfig(share=0.5, bandwidth=1.0)),
    BagConfig(aggregation="random-k", k=3, feature_epsilon=1.0, proportion_epsilon=1.0),
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


TRAINING = TrainingConfig("digits", n_train=30, pixels=RandomisedResponse(0.2, 17))
BAGS = BagConfig("breast_cancer", 15, 20, "skewed")
MEANS = replace(BAGS, aggregation="random-k", k=20)
RATIO = RatioConfig("digits", 4, 80, n_test=80, methods=(SPREAD, MMD))
COMPARED = ComparisonConfig(dataset="digits", n_train=100, n_asked=100)
IMAGES = images.Config("digits", pixels=RandomisedResponse(0.3, 17), per_class=3, n_people=200)
COUNTS, MANY = CountConfig(), ManyConfig()
RUN = {
    TrainingConfig: training.run,
    BagConfig: label_proportions.run,
    RatioConfig: class_ratio.run,
    ComparisonConfig: comparison.run,
    images.Config: images.run,
    CountConfig: label_counts.run,
}


@pytest.mark.parametrize(
    ("config", "change", "sentence"),
    [
        (TRAINING, {"classes": ("7", "7")}, r"classes must be two or more different ones, got \('7', '7'\)"),
        (TRAINING, {"n_train": 121}, r"n_train .* in \[20, 120\], got 121; digits has no more of 7 and 9"),
        (TRAINING, {"pixels": LaplaceNoise(0.3)}, "must be RandomisedResponse or GaussianNoise, .*, got LaplaceNoise"),
        (TRAINING, {"labels": BinaryChannel(0.3, 0.7)}, r"add up to 1 \(7 sent as 9 with 0.3, 9 as 7 with 0.7\)"),
        (TRAINING, {"n_train": 20, "labels": BinaryChannel(0, 0.97)}, "all 40 people happened to send the label 7"),
        (BAGS, {"n_bags": 399}, "n_bags must be at most 398, the records of breast_cancer to train on, got 399"),
        (MEANS, {"k": 21}, "k must be at most 20, the records of a bag, got 21; lower k or take larger bags"),
        (RATIO, {"rho": 0.25}, r"below 1/4 = 0.25, at which all groups are alike .*\(assumption A0 fails\)"),
        (RATIO, {"release": "dirichlet public"}, "class 2 of set 1 has 8 labels, fewer than the public minimum of"),
        (RATIO, {"release": "gaussian tight", "delta": 0.0}, "use Laplace noise"),
        (COMPARED, {"dataset": "adult", "private": RECORDS}, "records of adult cannot be private here: only pixels"),
        (COMPARED, {"n_train": 150}, r"in \[20, 120\], got 150; Small digits has no more of the rarer class"),
        (IMAGES, {"dataset": "breast_cancer"}, r"dataset must hold images \(mnist or digits\), got 'breast_cancer'"),
        (IMAGES, {"classes": ("1", "2", "3")}, "labels must be a mechanism on the 3 classes chosen, got one on 2"),
        (COUNTS, {"counts": (3,)}, "number of classes"),
        (MANY, {"shares": (0.5, 0.4)}, r"shares must sum to 1, got 0\.9"),
    ],
)
def test_a_question_without_an_answer_gets_a_sentence(config, change, sentence):
    run = RUN.get(type(config), lambda config: None)
    with pytest.raises((ValueError, TypeError), match=sentence):
        run(replace(config, **change))
