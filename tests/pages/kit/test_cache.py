"""Which data can be shown, and why not; what is kept for all, and what for one visitor."""

import gzip
import shutil

import pytest
import streamlit as st

from pages.kit import cache
from tests.pages.kit.elements import opened


@pytest.fixture(autouse=True)
def _forget():
    st.cache_data.clear()
    yield
    st.cache_data.clear()


def test_images_that_are_here_have_no_problem(mnist):
    assert cache.problem("mnist") is None
    assert cache.image_titles() == ("MNIST", "Small digits")


def test_without_mnist_it_is_said_how_to_get_it_unless_a_folder_is_set(no_mnist, monkeypatch, tmp_path):
    assert "Run `python -m privdemo data mnist`" in cache.problem("mnist")
    assert cache.image_titles() == ("Small digits",)
    assert cache._problem(object()) is None
    monkeypatch.setenv("PRIVDEMO_DATA", str(tmp_path))
    assert "mnist" in cache._problem("mnist")
    assert "Run `python -m" not in cache._problem("mnist")


@pytest.mark.parametrize("damage", ["truncated", "wrong"])
def test_a_bad_file_of_mnist_is_named(data_folder, monkeypatch, tmp_path, damage):
    file = tmp_path / "mnist/t10k-labels-idx1-ubyte.gz"
    shutil.copytree(data_folder / "mnist", file.parent)
    file.write_bytes(file.read_bytes()[:-20] if damage == "truncated" else gzip.compress(b"something else"))
    monkeypatch.setenv("PRIVDEMO_DATA", str(tmp_path))
    assert file.name in cache.problem("mnist")
    assert cache.image_titles() == ("Small digits",)


CHOICE = """
import streamlit as st
from pages.kit.data_sets import DataSets
from privdemo.tasks import BINARY

data = DataSets("on", {name: BINARY[name] for name in ("mnist", "breast_cancer", "adult")})
st.session_state["found"] = data.choice.options, data.default(), data.current(), data.choose()
"""


def test_the_data_sets_that_are_here_are_offered_and_the_others_named(no_mnist):
    at = opened(CHOICE)
    found = ("breast_cancer", "breast_cancer", ("breast_cancer", ""))
    assert at.session_state["found"] == (("Breast cancer",), *found)
    assert at.caption[-1].value.startswith("Not on this computer: mnist, adult.")


def test_a_data_set_that_cannot_be_read_is_named(data_folder, monkeypatch):
    monkeypatch.setattr(cache, "problem", lambda name: f"{name} is broken")
    at = opened(CHOICE, {"on": "Adult"})
    assert at.session_state["found"][1:] == ("mnist", "adult", ("adult", "Adult cannot be read: adult is broken"))
    assert not [caption for caption in at.caption if "Not on this" in caption.value]


def test_results_are_kept_for_all_but_those_of_own_records(monkeypatch):
    options, calls, kept = [], [], st.cache_data
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(cache.own_data, "is_own", lambda value: value == "mine")
    monkeypatch.setattr(st, "cache_data", lambda **given: options.append(given) or kept(**given))

    def found(one: str, two: str) -> str:
        calls.append(two)
        return one + two

    quick, slow = cache.by_config(found), cache.by_config(found, spinner="Wait", ttl="1m")
    assert options == [{"show_spinner": False}, {"show_spinner": "Wait", "ttl": "1m"}]
    assert quick.__name__ == "found"
    assert [slow("a", who) for who in ("all", "all", "mine", "mine")] == ["aall", "aall", "amine", "amine"]
    assert calls == ["all", "mine"]
    assert list(st.session_state["own_results"]) == [(f"{__name__}.{found.__qualname__}", "a", "mine")]
