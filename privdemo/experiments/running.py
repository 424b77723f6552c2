"""Trials side by side: in processes or threads of this machine, or on a Dask cluster; what is done is kept at once."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import Any, TypeVar

import joblib
from filelock import FileLock, Timeout
from threadpoolctl import threadpool_limits

from privdemo import __version__, limits

Found = TypeVar("Found")
# How trials run: in processes or threads of this machine, or on a Dask cluster.
BACKENDS = ("loky", "threading", "dask")
_N_JOBS = limits.Limit("n_jobs", 1, 1024, "trials side by side", integer=True)


def side_by_side(
    trial: Callable[..., Found],
    trials: Sequence[tuple[Any, ...]],
    n_jobs: int = 2,
    backend: str = "loky",
    scheduler: str | None = None,
    kept: Path | None = None,
) -> Iterator[tuple[int, int, Found]]:
    """Run `trial` on each of `trials`, its arguments; yields (done, of how many, what the one just done found).

    They come as they are done, in any order. With a folder `kept`, each is kept there at once: ended in any way, the
    same call with the same code yields first what is there, and runs only what is left. Errors as `parallel`.
    """
    check(n_jobs, backend, scheduler)
    places = {_name(trial, arguments): arguments for arguments in trials}
    if kept:
        kept.mkdir(exist_ok=True)
    there = [name for name in places if kept and (kept / name).exists()]
    n_done = 0
    for name in there:
        n_done += 1
        yield n_done, len(places), joblib.load(kept / name)  # type: ignore[operator]
    left = [name for name in places if name not in set(there)]
    with parallel(n_jobs, backend, scheduler) as run:
        for name, found in run(joblib.delayed(_named)(name, trial, places[name]) for name in left):
            if kept:
                joblib.dump(found, kept / f"{name}.part")
                os.replace(kept / f"{name}.part", kept / name)
            n_done += 1
            yield n_done, len(places), found


def _named(name: str, trial: Callable[..., Found], arguments: tuple[Any, ...]) -> tuple[str, Found]:
    return name, trial(*arguments)


def _name(trial: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    """A file name for one trial of this very code."""
    asked = repr((_code(), trial.__module__, trial.__qualname__, arguments))
    return hashlib.sha256(asked.encode()).hexdigest()[:32]


@cache
def _code() -> str:
    """What numbers depend on beside the arguments: this package, line by line, and what it computes with."""
    folder = Path(str(resources.files("privdemo")))
    lines = hashlib.sha256(versions().encode())
    for file in sorted(folder.rglob("*.py")):
        lines.update(file.read_bytes())
    return lines.hexdigest()


@cache
def versions() -> str:
    """Of this package, Python and what numbers depend on."""
    packages = " ".join(f"{name} {metadata.version(name)}" for name in ("numpy", "scipy", "scikit-learn"))
    return f"privdemo {__version__} python {platform.python_version()} {packages}"


def check(n_jobs: int, backend: str, scheduler: str | None) -> None:
    """Raise ``ValueError`` for settings out of range."""
    _N_JOBS.check(n_jobs)
    if backend not in BACKENDS:
        raise ValueError(f"backend must be one of {', '.join(BACKENDS)}, got {backend!r}")
    if scheduler and backend != "dask":
        raise ValueError(f"a scheduler is for the dask backend, not {backend}; add --backend dask")


@contextmanager
def parallel(n_jobs: int, backend: str = "loky", scheduler: str | None = None) -> Iterator[joblib.Parallel]:
    """What runs trials side by side and gives each as it is done.

    "dask" runs on the cluster whose `scheduler` is at that address, or on one of this machine. Errors as
    `check`, and ``ValueError`` where Dask is wanted and not installed.
    """
    check(n_jobs, backend, scheduler)
    # Threads share one limit, so it holds for all of them at once.
    cluster: AbstractContextManager[Any] = (
        threadpool_limits(1, user_api="blas") if backend == "threading" else nullcontext()
    )
    if backend == "dask":
        try:
            from dask.distributed import Client
        except ImportError:
            raise ValueError("the dask backend needs more: pip install 'privdemo[dask]'") from None
        cluster = Client(scheduler) if scheduler else Client(n_workers=n_jobs, threads_per_worker=1)
    with cluster, joblib.parallel_config(backend, n_jobs=-1 if backend == "dask" else n_jobs):
        yield joblib.Parallel(return_as="generator_unordered")


@contextmanager
def only_one(out: Path) -> Iterator[None]:
    """Nobody else writes `out` meanwhile. Raises ``ValueError`` where somebody does."""
    lock = FileLock(f"{out}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise ValueError(f"another run is writing {out}; wait for it, or name another file") from None
    try:
        yield
    finally:
        lock.release()
        Path(lock.lock_file).unlink(missing_ok=True)
