"""What trials say of a method: textbook intervals, draw by draw."""

import math
from dataclasses import replace

import pytest

from privdemo.experiments import label_proportions
from privdemo.experiments.draws import at_draw
from privdemo.experiments.label_proportions import SHARE, run
from privdemo.intervals import grouped_interval
from privdemo.methods import LLP, NAMES
from tests.experiments.label_proportions.cases import SINGLE
from tests.experiments.oracles import student


@pytest.fixture(scope="module")
def three_trials():
    return [run(at_draw(replace(SINGLE, methods=(NAMES, LLP)), i)) for i in range(3)]


def test_scores_differences_and_attacks_have_the_textbooks_intervals(three_trials):
    values = [trial.fits[LLP].f1[SHARE].positive for trial in three_trials]
    assert label_proportions.mean_score(three_trials, LLP, "positive", SHARE) == student(values)
    assert label_proportions.mean_score(three_trials[:1], LLP, "positive", SHARE) == (values[0], -math.inf, math.inf)
    gaps = [t.fits[LLP].f1[SHARE].average - t.fits[NAMES].f1[SHARE].average for t in three_trials]
    assert label_proportions.difference(three_trials, LLP, NAMES, SHARE) == student(gaps)
    shares = [trial.test_share for trial in three_trials]
    assert label_proportions.mean_of(three_trials, "test_share") == student(shares)
    rates = label_proportions.attack_rates(three_trials)
    assert list(rates) == ["prior", "bag", "model", "both"]
    n = [trial.attack.n for trial in three_trials]
    for source, rate in rates.items():
        assert rate == grouped_interval([getattr(trial.attack, f"{source}_right") for trial in three_trials], n)
