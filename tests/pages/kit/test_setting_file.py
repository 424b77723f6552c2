"""Files of settings: reading gives what was written, and a wrong file is refused with a sentence."""

import re
import tomllib
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.kit import setting_file
from pages.kit.setting_file import SettingFile, config_of, differences, read, write
from pages.kit.toml_files import settings_to_toml, to_toml_value
from privdemo.datasets import load
from privdemo.experiments import sweep
from privdemo.experiments.class_ratio import RatioConfig
from privdemo.experiments.label_proportions import BagConfig
from privdemo.experiments.sweep import EXPERIMENTS, ImagesConfig
from privdemo.experiments.training import TrainingConfig
from privdemo.experiments.voting import ElectionConfig
from privdemo.mechanisms import BinaryChannel, LaplaceNoise, RandomisedResponse

PAGES = ("", "training", "voting")
TRAINING = TrainingConfig(
    "digits", n_train=100, pixels=RandomisedResponse(0.1, 17), labels=BinaryChannel(0.1, 0.3), seed=4
)
CONFIGS = (
    TRAINING,
    BagConfig("breast_cancer", 15, 20),
    RatioConfig("digits", share=None),
    ElectionConfig(channel=BinaryChannel(0.2, 0.2)),
    ImagesConfig("digits", pixels=LaplaceNoise(0.3)),
)
TEXT = write("training", {"label_p": "0.2", "methods": ("naive", "spread"), "label_lies": "symmetric"}, TRAINING, 5)


@dataclass(frozen=True)
class Question:
    config: object


def test_a_setting_is_read_as_it_was_written():
    assert TEXT.startswith("# privdemo setting: open it on the app's page, ")
    assert "\nlabel_p = 0.2\n" in TEXT
    found = read(TEXT.encode(), PAGES)
    assert found.settings == {"label_p": "0.2", "methods": ("naive", "spread"), "label_lies": "symmetric"}
    assert (found.page, found.experiment, found.repeats) == ("training", "training", 5)
    assert differences(found, Question(TRAINING)) == []
    assert read(write("", {}), PAGES) == SettingFile("")


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: type(config).__name__)
def test_the_same_file_is_the_spec_of_a_sweep(config, tmp_path):
    path = tmp_path / "setting.toml"
    path.write_text(write("training", {"seed": "4"}, config, 3), encoding="utf-8")
    wanted = sweep.read_spec(path)
    assert (wanted.configs, wanted.repeats, len(wanted.trials())) == ((config,), 3, 3)


def test_a_grid_may_be_added_to_it(tmp_path):
    path = tmp_path / "setting.toml"
    varied = re.sub(r"\nn_train = 100\n", "\n", TEXT) + "\n[grid]\nn_train = [20, 40]\n"
    path.write_text(varied, encoding="utf-8")
    assert [config.n_train for config in sweep.read_spec(path).configs] == [20, 40]
    assert differences(read(varied, PAGES), Question(TRAINING)) == []


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    TEXTS | st.integers() | st.floats(allow_nan=False) | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_every_value_is_written_as_toml_reads_it(value):
    assert tomllib.loads(f"x = {to_toml_value(value)}") == {"x": value}


@given(st.floats() | st.integers())
def test_numbers_come_back_as_an_address_spelt_them(number):
    given_text = {"x": repr(number), "y": ("01", "1e5", "1_000", " 1")}
    assert read(write("", given_text), PAGES).settings == given_text
    assert settings_to_toml({"x": "07"}) == {"x": "07"}


def test_what_differs_is_named():
    file = read(TEXT, PAGES)
    other = TrainingConfig("digits", n_train=60, pixels=RandomisedResponse(0.1, 17), labels=BinaryChannel(0.1, 0.3))
    assert differences(file, Question(other)) == [
        "n_train is 100 in [config], but the settings make it 60",
        "seed is 4 in [config], but the settings make it 0",
    ]
    assert differences(file, ElectionConfig()) == ["the experiment is training, but that of the settings is voting"]
    assert differences(file, "no question") == ["the experiment is training, but that of the settings is none"]
    assert differences(read(write("", {}), PAGES), ElectionConfig()) == []
    with pytest.raises(ValueError, match=r"config and grid may hold dataset, .* got people"):
        differences(read(TEXT.replace("n_train", "people"), PAGES), Question(TRAINING))


def test_the_config_of_a_question_is_one_that_a_sweep_knows():
    assert config_of(Question(TRAINING)) is TRAINING
    assert config_of(ElectionConfig()) == ElectionConfig()
    assert config_of(Question("more")) is None
    assert {type(config) for config in CONFIGS} <= {experiment.config for experiment in EXPERIMENTS.values()}


def test_a_visitors_own_records_are_refused():
    with pytest.raises(ValueError, match="your own records go into no file of settings"):
        write("training", {}, BagConfig(load("breast_cancer"), 15, 20))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('page = "training"', "", "a setting must have page"),
        ('page = "training"', 'page = "train"', "page must be one of home, training, voting, got “train”"),
        ('page = "training"', "page = ['training']", "page must be one of home, training, voting, got “['training']”"),
        ('page = "training"', 'page = "training"\npages = 3', "a setting may hold page, experiment, repeats, settings"),
        ('experiment = "training"', 'experiment = "train"', "experiment must be one of training, bags, "),
        ('experiment = "training"', "experiment = {}", "experiment must be one of training, bags, "),
        ('experiment = "training"', "", "[config] is for a sweep: name its experiment, one of training, "),
        ("repeats = 5", "repeats = 5.5", "repeats must be a whole number in [1, 1000], got 5.5"),
        ("label_p = 0.2", "label_p = {a = 1}", "settings: label_p must be a text, a number or a list of them, got "),
        ("[settings]", "[[settings]]", "settings must be a table of keys and values, got "),
        ("[config]", "[[config]]", "config must be a table, such as [config], got "),
        ("label_p = 0.2", "label_p 0.2", "a setting is TOML, which this file is not: "),
    ],
)
def test_a_wrong_file_gets_a_sentence(before, after, words):
    assert before in TEXT
    with pytest.raises(ValueError, match=re.escape(words)):
        read(TEXT.replace(before, after), PAGES)


def test_other_bytes_are_refused_with_a_sentence():
    with pytest.raises(ValueError, match="a setting is text in UTF-8, which this file is not"):
        read(b"\x89PNG\r\n\x1a\n", PAGES)
    with pytest.raises(ValueError, match="a setting may have 64,000 characters, this has 70,000"):
        read("#" * 70_000, PAGES)
    assert setting_file.HOME not in PAGES
