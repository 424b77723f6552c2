"""Which data can be shown, and why not; what is kept for all, and what for one visitor."""

import gzip
import shutil

import pytest
import streamlit as st

from pages.kit import cache


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
