"""The trials that come with the package: the ones that a fresh run makes, all of them there."""

import math
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest

from privdemo.experiments import class_ratio, results, running, shipped_trials, training
from privdemo.experiments.class_ratio import RatioConfig
from privdemo.experiments.training import TrainingConfig
from privdemo.experiments.trials import with_trial

FILE = shipped_trials.STUDY.file
QUESTIONS = shipped_trials.questions()
WITHOUT_DATA = [config for config in QUESTIONS if config.dataset in ("digits", "breast_cancer")]


@pytest.fixture(scope="module")
def shipped():
    return shipped_trials.load()


def assert_same(one, other, place=""):
    """All but times: counts and words to the letter, numbers to what another processor's rounding may change."""
    assert type(one) is type(other), place
    if is_dataclass(one):
        for name in (field.name for field in fields(one)):
            if name != "seconds":
                assert_same(getattr(one, name), getattr(other, name), f"{place}.{name}")
    elif isinstance(one, dict):
        assert list(one) == list(other), place
        for key in one:
            assert_same(one[key], other[key], f"{place}[{key}]")
    elif isinstance(one, tuple):
        for i, (mine, yours) in enumerate(zip(one, other, strict=True)):
            assert_same(mine, yours, f"{place}[{i}]")
    elif isinstance(one, np.ndarray):
        assert (one.dtype, one.shape) == (other.dtype, other.shape), place
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5, err_msg=place)
    else:
        near = isinstance(one, float) and (math.isnan(one) and math.isnan(other))
        assert near or one == pytest.approx(other, rel=1e-3, abs=1e-5), place


def assert_first_trials_are_fresh(shipped, configs):
    for config in configs:
        (fresh,) = running.in_one_thread(shipped_trials.run_trial, config, 0)
        assert_same(fresh, shipped.find(shipped_trials._RUNS[type(config)], config))


@pytest.mark.mnist
@pytest.mark.usefixtures("mnist", "data_folder")
def test_first_trials_of_mnist_and_adult_are_what_a_fresh_run_makes(shipped):
    found = [config for config in QUESTIONS if config not in WITHOUT_DATA]
    assert len(found) == 3
    assert_first_trials_are_fresh(shipped, found)


def test_first_trials_of_the_data_sets_that_are_always_there_are_what_a_fresh_run_makes(shipped):
    assert_first_trials_are_fresh(shipped, WITHOUT_DATA)


def test_all_trials_of_every_question_are_there_each_with_its_own_config(shipped):
    for question, trial in shipped_trials.STUDY.trials():
        config = with_trial(question, trial)
        one = shipped.find(shipped_trials._RUNS[type(config)], config)
        assert one.config == config
        assert one is shipped.find(shipped_trials._RUNS[type(config)], config)
    assert len(shipped_trials.STUDY.trials()) == results.N_TRIALS * len(QUESTIONS) + len(shipped_trials.nearby())
    assert FILE.stat().st_size < 1_500_000


@pytest.mark.parametrize(
    ("run", "config"),
    [
        (class_ratio.run, TrainingConfig()),
        (len, TrainingConfig()),
        (len, "no config"),
        (training.run, with_trial(TrainingConfig(), results.N_TRIALS)),
        (training.run, replace(TrainingConfig(), seed=1)),
        (training.run, replace(TrainingConfig(), n_train=251)),
        (class_ratio.run, replace(RatioConfig(), methods=("spread",))),
    ],
)
def test_another_question_has_no_shipped_answer(shipped, run, config):
    assert shipped.find(run, config) is None


def test_a_file_that_cannot_be_used_is_named_with_its_remedy(tmp_path):
    file = tmp_path / "mine.npz"
    for content in (None, b"", FILE.read_bytes()[:5000]):
        if content is not None:
            file.write_bytes(content)
        with pytest.raises(ValueError, match=r"^mine\.npz cannot be used: .*; python -m privdemo reproduce defaults"):
            shipped_trials.load(file)


def test_trials_are_found_again_in_their_file(tmp_path):
    config = QUESTIONS[-1]
    made = [one for trial in (0, 1) for one in shipped_trials.run_trial(config, trial)]
    file = tmp_path / "two.npz"
    file.write_bytes(shipped_trials.STUDY.to_file(made))
    there = shipped_trials.load(file)
    run = shipped_trials._RUNS[type(config)]
    assert [there.find(run, with_trial(config, i)) is None for i in range(3)] == [0, 0, 1]
