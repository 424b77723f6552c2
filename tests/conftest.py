"""Fixtures that several test modules share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from privdemo import datasets

# How long an example may take says nothing on a busy machine.
settings.register_profile("privdemo", deadline=None)
settings.load_profile("privdemo")
ROOT = Path(__file__).parents[1]


def missing(what: str) -> None:
    """In CI nothing that matters may be skipped; elsewhere a test skips what is not there."""
    if os.environ.get("CI"):
        pytest.fail(f"{what}: CI must run the tests that need it")
    pytest.skip(what)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real data that PRIVDEMO_DATA names; without it, CI fails and others skip."""
    folder = os.environ.get("PRIVDEMO_DATA")
    if not folder:
        missing("PRIVDEMO_DATA is not set")
    return Path(folder)


@pytest.fixture(scope="session")
def mnist() -> datasets.Dataset:
    """MNIST, from PRIVDEMO_DATA or the user's cache; never downloaded for a test."""
    if not datasets.available("mnist"):
        missing("MNIST is not on this computer")
    return datasets.load("mnist")


@pytest.fixture
def no_mnist(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A computer without MNIST: no data folder and an empty cache."""
    monkeypatch.delenv("PRIVDEMO_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
