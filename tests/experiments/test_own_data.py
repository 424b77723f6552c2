"""Every experiment learns from a visitor's own records, or answers, and none keeps them."""

import gc
import weakref

import pytest
from sklearn.datasets import load_breast_cancer

from privdemo import datasets
from privdemo.datasets import Dataset
from privdemo.experiments import class_ratio, comparison, label_proportions, many_answers, training
from privdemo.experiments.class_ratio import RatioConfig
from privdemo.experiments.comparison import ComparisonConfig
from privdemo.experiments.label_proportions import BagConfig
from privdemo.experiments.many_answers import AnswersConfig
from privdemo.experiments.training import TrainingConfig
from privdemo.mechanisms import RandomisedResponse
from privdemo.methods import FULL, NAMES


@pytest.fixture(scope="module")
def tumours() -> Dataset:
    """Breast cancer as somebody's own file: ten measures and one category."""
    bunch = load_breast_cancer()
    rows = [
        ",".join([*(f"{value:.6g}" for value in record[:10]), "big" if record[3] > 600 else "small", "MB"[kind]])
        for record, kind in zip(bunch.data, bunch.target, strict=True)
    ]
    header = ",".join([*(name.replace(" ", "_") for name in bunch.feature_names[:10]), "bulk", "kind"])
    return datasets.from_csv("\n".join([header, *rows]).encode(), name="tumours.csv")


def test_every_experiment_learns_from_a_visitors_own_records(tumours):
    pixels = RandomisedResponse(0.2, 256)
    trained = training.run(TrainingConfig(tumours, tumours.class_names, 100, pixels, methods=("spread",)))
    assert trained.fits["clean"].accuracy > 0.85
    bags = label_proportions.run(BagConfig(tumours, 15, 20, methods=(NAMES,)))
    assert bags.fits[NAMES].f1["half"].average > 0.8
    assert bags.fits[FULL].f1["half"].average > 0.85
    ratio = class_ratio.run(RatioConfig(tumours, 2, 80))
    assert ratio.config.labels == ("B", "M")
    assert ratio.fits["spread"].errors[class_ratio.SHARES.index(0.5)] < 0.25
    compared = comparison.run(ComparisonConfig(dataset=tumours, n_train=100, epsilon=4, methods=("spread",)))
    assert compared.fits["spread"].marks["accuracy"] > 0.75


def test_of_a_visitors_own_answers_nothing_is_kept():
    def read(rows: str) -> weakref.ref:
        own = datasets.count_answers(rows.encode())
        config = AnswersConfig(own, 1024, people=own.people)
        made = [many_answers.run(config), many_answers.fit(config), many_answers.one_report(config, 1)]
        made += map(many_answers.fit, many_answers.read_along(config, "answers"))
        return weakref.ref(own)

    kept = read("\n".join(["job", *"aabbbbccd"]))
    gc.collect()
    assert kept() is None
