"""Results that visitors share, kept by the frozen configs that they follow from; and the one runner of jobs."""

from __future__ import annotations

import logging
import math
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import fields, is_dataclass
from functools import partial, wraps
from typing import Any, TypeVar

import streamlit as st

from pages.kit import own_data
from privdemo import datasets
from privdemo.datasets import Source
from privdemo.experiments import cluster, shipped_trials
from privdemo.jobs import Runner
from server import replica_limits, server_settings, visits

Function = TypeVar("Function", bound=Callable[..., Any])


class _ResultCache:
    """Results of a `function` by its arguments, each computed once, however many ask at the same time.

    At most `max_entries` are kept, those asked for last, and none for longer than `ttl` seconds. The results are
    handed out as they are: they are values that nobody changes, and their arrays cannot be changed.
    """

    def __init__(self, function: Callable[..., Any], max_entries: int, ttl: float, spinner: str) -> None:
        self.function, self.max_entries, self.ttl, self.spinner = function, max_entries, ttl, spinner
        self._results: OrderedDict[tuple[Any, ...], tuple[float, Future[Any]]] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, *args: Any) -> Any:
        while True:
            result, mine = self._entry(args)
            if mine:
                return self._compute(args, result)
            try:
                return result.result()
            except CancelledError:  # whoever computed it was stopped, or failed: this visitor tries
                continue

    def clear(self) -> None:
        """Keep nothing of what was computed until now."""
        with self._lock:
            self._results.clear()

    def _entry(self, args: tuple[Any, ...]) -> tuple[Future[Any], bool]:
        """The result for some arguments, which may be still to come, and whether it is the caller who computes it."""
        now = time.monotonic()
        with self._lock:
            until, result = self._results.get(args, (0.0, None))
            if result is not None and now < until:
                self._results.move_to_end(args)
                return result, False
            result = Future()
            self._results[args] = now + self.ttl, result
            self._results.move_to_end(args)
            while len(self._results) > self.max_entries:
                self._results.popitem(last=False)
            return result, True

    def _compute(self, args: tuple[Any, ...], result: Future[Any]) -> Any:
        try:
            found = self._compute_with_spinner(args)
        except BaseException:
            with self._lock:
                if self._results.get(args, (0.0, None))[1] is result:
                    del self._results[args]
            result.cancel()
            raise
        _make_read_only(found)
        result.set_result(found)
        return found

    def _compute_with_spinner(self, args: tuple[Any, ...]) -> Any:
        """Compute a result, with a spinner on the screen where that takes long."""
        if not self.spinner:
            return self.function(*args)
        with st.spinner(self.spinner):
            return self.function(*args)


_CACHES: list[_ResultCache] = []


def _make_read_only(result: Any) -> None:
    """Make the arrays of a result read-only: it belongs to every visitor."""
    if hasattr(result, "setflags"):
        result.setflags(write=False)
    elif isinstance(result, tuple | list):
        for one in result:
            _make_read_only(one)
    elif isinstance(result, dict):
        _make_read_only(list(result.values()))
    elif is_dataclass(result):
        _make_read_only([getattr(result, one.name) for one in fields(result)])


def shared(function: Function, *, spinner: str = "", max_entries: int = 256, ttl: float = math.inf) -> Function:
    """Return `function` with its results kept for all visitors. Never for what follows from a visitor's own records."""
    kept = _ResultCache(function, max_entries, ttl, spinner)
    _CACHES.append(kept)

    @wraps(function)
    def call(*args: Any) -> Any:
        return kept(*args)

    return call  # type: ignore[return-value]


def clear() -> None:
    """Keep nothing of what was computed until now."""
    for kept in _CACHES:
        kept.clear()


def shared_or_private(function: Function, **options: Any) -> Function:
    """The same, but what follows from a visitor's own records is kept in that visitor's session alone."""
    for_all = shared(function, **options)

    @wraps(function)
    def call(*args: Any) -> Any:
        if any(map(own_data.is_own, args)):
            return own_data.compute_in_session(f"{function.__module__}.{function.__qualname__}", function, args)
        return for_all(*args)

    return call  # type: ignore[return-value]


# How many tasks a cluster is given at a time.
AT_A_TIME = 16


def _runner() -> Runner:
    """A runner as the settings of the server want it, which `server_settings.check` has checked."""
    if address := os.environ.get(server_settings.SCHEDULER):
        return Runner(visits.is_connected, AT_A_TIME, partial(cluster.ClusterWorker, cluster.Cluster(address)))
    return Runner(visits.is_connected, replica_limits.workers())


_RUNNER = _runner()


def runner() -> Runner:
    """The one place where long work is done, for all visitors."""
    return _RUNNER


@st.cache_resource(show_spinner=False)
def shipped_results() -> shipped_trials.Shipped:
    """The draws that come with the package; where their file cannot be used, none, and the log says so."""
    try:
        return shipped_trials.load()
    except ValueError as error:
        logging.getLogger(__name__).warning("%s", error)
        return shipped_trials.Shipped({})


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


problem = shared_or_private(_problem, ttl=60.0, spinner="Reading the images…")
# Whether a data set is here, asked some fifty times each time that a page is drawn.
available = shared(datasets.available, ttl=5.0)


# The image sets by their titles on every page, the best first.
IMAGE_SETS = {"MNIST": "mnist", "Small digits": "digits"}


def image_titles() -> tuple[str, ...]:
    """Titles of the image sets that can be shown without a download, the best first."""
    return tuple(title for title, name in IMAGE_SETS.items() if problem(name) is None)
