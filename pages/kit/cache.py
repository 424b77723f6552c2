"""Results that visitors share, kept by the frozen configs that they follow from; and the one runner of jobs."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import streamlit as st

from pages.kit import own_data, visits
from privdemo import datasets
from privdemo.datasets import Source
from privdemo.experiments import shipped_draws
from privdemo.jobs import Runner

Function = TypeVar("Function", bound=Callable[..., Any])


def shared(function: Function, *, spinner: str | bool = False, **options: Any) -> Function:
    """Return `function` with its results kept for all visitors. Never for what follows from a visitor's own records."""
    return st.cache_data(show_spinner=spinner, **options)(function)


def by_config(function: Function, *, spinner: str | bool = False, **options: Any) -> Function:
    """The same, but what follows from a visitor's own records is kept in that visitor's session alone."""
    for_all = shared(function, spinner=spinner, **options)

    @wraps(function)
    def call(*args: Any) -> Any:
        if any(map(own_data.is_own, args)):
            return own_data.of_session(f"{function.__module__}.{function.__qualname__}", function, args)
        return for_all(*args)

    return call  # type: ignore[return-value]


_RUNNER = Runner(visits.is_connected)


def runner() -> Runner:
    """The one place where long work is done, for all visitors."""
    return _RUNNER


@st.cache_resource(show_spinner=False)
def ready_draws() -> shipped_draws.Shipped:
    """The draws that come with the package; where their file cannot be used, none, and the log says so."""
    try:
        return shipped_draws.load()
    except ValueError as error:
        logging.getLogger(__name__).warning("%s", error)
        return shipped_draws.Shipped({})


def _problem(name: Source) -> str | None:
    """Say why a data set cannot be shown and what to do; None when it can. Never downloads."""
    if not isinstance(name, str):
        return None
    if not datasets.available(name) and not os.environ.get("PRIVDEMO_DATA"):
        return (
            f"it is not on this computer. Run `python -m privdemo data {name}` in the project's folder (11 MB, once), "
            "or set `PRIVDEMO_DATA` to a folder that has it, and restart the app."
        )
    try:
        datasets.load(name)
    except datasets.DatasetError as error:
        return str(error)
    return None


problem = by_config(_problem, ttl="1m", spinner="Reading the images…")


# The image sets by their titles on every page, the best first.
IMAGE_SETS = {"MNIST": "mnist", "Small digits": "digits"}


def image_titles() -> tuple[str, ...]:
    """Titles of the image sets that can be shown without a download, the best first."""
    return tuple(title for title, name in IMAGE_SETS.items() if problem(name) is None)
