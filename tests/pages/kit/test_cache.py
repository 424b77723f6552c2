"""Which data can be shown, and why not."""

from __future__ import annotations

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


def test_without_mnist_it_is_said_how_to_get_it(no_mnist):
    assert "Run `python -m privdemo data mnist`" in cache.problem("mnist")
    assert cache.image_titles() == ("Small digits",)


@pytest.mark.parametrize("damage", ["truncated", "wrong"])
def test_a_bad_file_of_mnist_is_named(mnist, data_folder, monkeypatch, tmp_path, damage):
    shutil.copytree(data_folder / "mnist", tmp_path / "mnist")
    name = "t10k-labels-idx1-ubyte.gz"
    whole = (tmp_path / "mnist" / name).read_bytes()
    (tmp_path / "mnist" / name).write_bytes(whole[:-20] if damage == "truncated" else gzip.compress(b"something else"))
    monkeypatch.setenv("PRIVDEMO_DATA", str(tmp_path))
    assert name in cache.problem("mnist")
    assert cache.image_titles() == ("Small digits",)


def test_results_are_kept_for_all_but_those_of_own_records(monkeypatch):
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(cache.own_data, "is_own", lambda value: value == "mine")
    options, calls = [], []
    kept = st.cache_data
    monkeypatch.setattr(st, "cache_data", lambda **given: options.append(given) or kept(**given))

    def found(one: str, two: str) -> str:
        calls.append(two)
        return one + two

    quick, slow = cache.by_config(found), cache.by_config(found, spinner="Wait", ttl="1m")
    assert options == [{"show_spinner": False}, {"show_spinner": "Wait", "ttl": "1m"}]
    assert quick.__name__ == "found"
    assert [slow("a", who) for who in ("all", "all", "mine", "mine")] == ["aall", "aall", "amine", "amine"]
    assert calls == ["all", "mine"]
    ((name, *args),) = st.session_state["own_results"]
    assert (name, args) == (f"{__name__}.{found.__qualname__}", ["a", "mine"])


def test_names_alone_have_problems_and_a_folder_that_is_set_is_looked_into(no_mnist, monkeypatch, tmp_path):
    assert cache._problem(object()) is None
    monkeypatch.setenv("PRIVDEMO_DATA", str(tmp_path))
    assert "mnist" in cache._problem("mnist")
    assert "Run `python -m" not in cache._problem("mnist")
