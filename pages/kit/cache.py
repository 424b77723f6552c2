"""Cache results for all visitors, and hold the runner of background jobs."""

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
    """The results of a `function` by its arguments, each computed once even if several visitors need it at once.

    At most `max_entries` are kept, those used last, and none for longer than `ttl` seconds. Results are returned
    without a copy: their arrays are read-only.
    """

    def __init__(self, function: Callable[..., Any], max_entries: int, ttl: float, spinner: str) -> None:
        self.function, self.max_entries, self.ttl, self.spinner = function, max_entries, ttl, spinner
        self._results: OrderedDict[tuple[Any, ...], tuple[float, Future[Any]]] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, *args: Any) -> Any:
        while True:
            result, is_new = self._entry(args)
            if is_new:
                return self._compute(args, result)
            try:
                return result.result()
            except CancelledError:  # the run that computed it was stopped or failed: compute it in this one
                continue

    def clear(self) -> None:
        """Remove all results."""
        with self._lock:
            self._results.clear()

    def _entry(self, args: tuple[Any, ...]) -> tuple[Future[Any], bool]:
        """Return the future with the result for some arguments, and whether the caller has to compute it."""
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
            value = self._compute_with_spinner(args)
        except BaseException:
            with self._lock:
                if self._results.get(args, (0.0, None))[1] is result:
                    del self._results[args]
            result.cancel()
            raise
        _make_read_only(value)
        result.set_result(value)
        return value

    def _compute_with_spinner(self, args: tuple[Any, ...]) -> Any:
        """Compute a result; if the cache has a spinner, show it meanwhile."""
        if not self.spinner:
            return self.function(*args)
        with st.spinner(self.spinner):
            return self.function(*args)


_CACHES: list[_ResultCache] = []


def _make_read_only(result: Any) -> None:
    """Make the arrays of a result read-only, as all visitors share it."""
    if hasattr(result, "setflags"):
        result.setflags(write=False)
    elif isinstance(result, tuple | list):
        for item in result:
            _make_read_only(item)
    elif isinstance(result, dict):
        _make_read_only(list(result.values()))
    elif is_dataclass(result):
        _make_read_only([getattr(result, field.name) for field in fields(result)])


def shared(function: Function, *, spinner: str = "", max_entries: int = 256, ttl: float = math.inf) -> Function:
    """Return `function` with a cache for all visitors. Not for arguments that hold a visitor's own records."""
    cache = _ResultCache(function, max_entries, ttl, spinner)
    _CACHES.append(cache)

    @wraps(function)
    def call(*args: Any) -> Any:
        return cache(*args)

    return call  # type: ignore[return-value]


def clear() -> None:
    """Remove the results of all caches."""
    for cache in _CACHES:
        cache.clear()


def shared_or_private(function: Function, **options: Any) -> Function:
    """Return `function` with a cache for all visitors, or in the session if an argument holds own records.

    `options` are those of `shared`.
    """
    for_all = shared(function, **options)

    @wraps(function)
    def call(*args: Any) -> Any:
        if any(map(own_data.is_own, args)):
            return own_data.compute_in_session(f"{function.__module__}.{function.__qualname__}", function, args)
        return for_all(*args)

    return call  # type: ignore[return-value]


# Tasks that are sent to a cluster at a time.
AT_A_TIME = 16


def _runner() -> Runner:
    """Return the runner that the environment variables ask for; `server_settings.check` has checked them."""
    if address := os.environ.get(server_settings.SCHEDULER):
        return Runner(visits.is_connected, AT_A_TIME, partial(cluster.ClusterWorker, cluster.Cluster(address)))
    return Runner(visits.is_connected, replica_limits.workers())


_RUNNER = _runner()


def runner() -> Runner:
    """Return the one runner of background jobs, which all visitors share."""
    return _RUNNER


@st.cache_resource(show_spinner=False)
def shipped_results() -> shipped_trials.Shipped:
    """Return the results shipped with the package; none, and a warning in the log, if their file is damaged."""
    try:
        return shipped_trials.load()
    except ValueError as error:
        logging.getLogger(__name__).warning("%s", error)
        return shipped_trials.Shipped({})


def _problem(name: Source) -> str | None:
    """Return why a data set cannot be shown and what to do about it, or None if it can. Download nothing."""
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
# Whether a data set is on this computer; cached, as a run of a page checks that some fifty times.
available = shared(datasets.available, ttl=5.0)


# The image sets by their titles on every page, the best first.
SMALL_DIGITS = "Small digits"
IMAGE_SETS = {"MNIST": "mnist", SMALL_DIGITS: "digits"}


def image_titles() -> tuple[str, ...]:
    """Return the titles of the image sets that can be shown without a download, the best first."""
    return tuple(title for title, name in IMAGE_SETS.items() if problem(name) is None)
