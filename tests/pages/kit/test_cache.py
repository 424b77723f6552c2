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
