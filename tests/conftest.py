"""Fixtures that several test modules share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real data that PRIVDEMO_DATA names; without it, CI fails and others skip."""
    folder = os.environ.get("PRIVDEMO_DATA")
    if folder:
        return Path(folder)
    if os.environ.get("CI"):
        pytest.fail("PRIVDEMO_DATA is not set: CI must run the tests that need real data")
    pytest.skip("PRIVDEMO_DATA is not set")
