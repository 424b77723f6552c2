"""Trials in parallel, in processes of this machine or on a Dask cluster; finished trials are stored at once."""

from __future__ import annotations

import errno
import hashlib
import os
import pickle
import platform
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache, partial
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, TypeVar

import joblib
from filelock import FileLock, Timeout
from threadpoolctl import threadpool_limits

from privdemo import __version__, limits
from privdemo.experiments import cluster, results

Result = TypeVar("Result")
# How trials run: in processes of this machine or on a Dask cluster. Not in threads: they share Python's warnings, so
# that one trial would report the warnings of another.
BACKENDS = ("loky", "dask")
# No space left, over a quota, over the size that a file may have.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_N_JOBS = limits.Limit("n_jobs", 1, 1024, "trials side by side", integer=True)


class Store(Protocol):
    """The results of finished trials on the disk, by the key of each trial."""

    def __contains__(self, key: Any, /) -> bool: ...

    def __setitem__(self, key: Any, result: Any, /) -> None: ...


def run_trials(
    trial: Callable[..., Any],
    arguments: Mapping[Any, tuple[Any, ...]],
    store: Store,
    n_jobs: int = 2,
    backend: str = "loky",
    scheduler: str | None = None,
) -> Iterator[tuple[int, int]]:
    """Call `trial` with each of the `arguments` whose key `store` does not hold; store each result as soon as it is
    there.

    Each call has one thread, so that its numbers are the same everywhere. Yields (trials done, trials in all), at first
    for those that were stored already. Raises ``ValueError`` as `check` does.
    """
    check(n_jobs, backend, scheduler)
    left = {key: each for key, each in arguments.items() if key not in store}
    n_done = len(arguments) - len(left)
    yield n_done, len(arguments)
    with parallel(n_jobs, backend, scheduler) as run:
        for key, result in run(joblib.delayed(_run_with_key)(key, trial, each) for key, each in left.items()):
            store[key] = result
            n_done += 1
            yield n_done, len(arguments)


def _run_with_key(key: Any, trial: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, Any]:
    return key, in_one_thread(trial, *arguments)


def in_one_thread(function: Callable[..., Result], *arguments: Any) -> Result:
    """Call a function with one thread of the BLAS library: sums in other orders would have other last digits."""
    with threadpool_limits(1, user_api="blas"):
        return function(*arguments)


class ResultFolder:
    """Results of trials, one file each, in a folder of the caller: other users' files are not unpickled.

    Raises ``ValueError`` for a folder that somebody else can write to.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        there = folder.stat()
        if hasattr(os, "getuid") and (there.st_uid != os.getuid() or there.st_mode & 0o022):
            raise ValueError(f"{folder} can be written by somebody else, and is not read; name another file")
        self.folder = folder

    def __contains__(self, key: str) -> bool:
        """Return whether a result is stored under a key, and its file is not damaged."""
        return self._content(key) is not None

    def __getitem__(self, key: str) -> Any:
        content = self._content(key)
        if content is None:
            raise KeyError(key)
        return pickle.loads(content)

    def __setitem__(self, key: str, result: Any) -> None:
        content = pickle.dumps(result)
        write_whole(self.folder / key, hashlib.sha256(content).digest() + content)

    def _content(self, key: str) -> bytes | None:
        file = self.folder / key
        if not file.exists():
            return None
        digest, content = (whole := file.read_bytes())[:32], whole[32:]
        return content if hashlib.sha256(content).digest() == digest else None

    def delete(self) -> None:
        """Delete all results, and the folder if nothing else is in it."""
        for file in self.folder.glob("*"):
            if re.fullmatch(r"[0-9a-f]{32}(\.new)?", file.name):
                file.unlink()
        with suppress(OSError):
            self.folder.rmdir()


def trial_key(trial: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    """Return the key of a trial in a `ResultFolder`: a hash of the code, the function and its arguments."""
    identity = repr((_code_hash(), trial.__module__, trial.__qualname__, arguments))
    return hashlib.sha256(identity.encode()).hexdigest()[:32]


@cache
def _code_hash() -> str:
    """Return a hash of what results depend on besides the arguments: this package's source and the versions it runs
    with.
    """
    folder = Path(str(resources.files("privdemo")))
    lines = hashlib.sha256(_packages().encode())
    for file in sorted(folder.rglob("*.py")):
        lines.update(file.read_bytes())
    return lines.hexdigest()


def _packages() -> str:
    return f"python {platform.python_version()} {results.versions(' ')}"


def versions() -> str:
    """Return versions of this package, with the first digits of its code's hash, of Python, NumPy, SciPy and
    scikit-learn.
    """
    return f"privdemo {__version__} ({_code_hash()[:8]}) {_packages()}"


def check(n_jobs: int, backend: str, scheduler: str | None) -> None:
    """Raise ``ValueError`` for settings out of range, and where Dask is wanted and not installed or set up."""
    _N_JOBS.check(n_jobs)
    if backend not in BACKENDS:
        raise ValueError(f"backend must be one of {', '.join(BACKENDS)}, got {backend!r}")
    if backend == "dask" and find_spec("distributed") is None:
        raise ValueError("the dask backend needs more: in the project's folder, pip install '.[dask]'")
    if scheduler and backend != "dask":
        raise ValueError(f"a scheduler is for the dask backend, not {backend}; add --backend dask")
    if scheduler:
        cluster.check(scheduler)


@contextmanager
def parallel(
    n_jobs: int, backend: str = "loky", scheduler: str | None = None
) -> Iterator[Callable[[Iterable[cluster.Call]], Iterator[Any]]]:
    """A function from calls, as `joblib.delayed` makes them, to their results in the order of completion.

    "dask" runs on the cluster whose `scheduler` is at that address, or on one of this machine. Errors as
    `check`; ``ConnectionError`` where the scheduler does not answer, and from the function where it is lost.
    """
    check(n_jobs, backend, scheduler)
    if backend == "dask":
        from dask.distributed import Client

        with _connected(scheduler) if scheduler else Client(n_workers=n_jobs, threads_per_worker=1) as client:
            yield partial(cluster.run, client)
    else:
        yield joblib.Parallel(n_jobs, backend=backend, return_as="generator_unordered")


def _connected(scheduler: str) -> Any:
    """Return a client of the scheduler at an address. Raises ``ConnectionError`` with a sentence where none answers."""
    try:
        return cluster.connect(scheduler)
    except OSError as error:
        raise ConnectionError(
            f"no Dask scheduler answers at {scheduler} ({error}); start one with `dask scheduler`, name its address as "
            "tcp://HOST:8786, and the same command goes on"
        ) from None


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raise ``OSError`` that names the file which the disk does not take, and what to do."""
    try:
        yield
    except OSError as error:
        remedy = "free some space there" if error.errno in _FULL else "make that possible"
        raise OSError(
            f"{path} cannot be written ({error.strerror or error}); {remedy}, and the same command goes on where it "
            "was: the trials that are done are kept"
        ) from error


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, also where the machine crashes. Raises ``OSError`` as `writing` does."""
    new = path.with_name(path.name + ".new")
    try:
        with writing(path), new.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def check_out(out: Path) -> None:
    """Raise ``ValueError`` unless `out` is a file or can become one."""
    with _clear_path_errors(out):
        if not out.absolute().parent.is_dir() or out.is_dir():
            raise ValueError(f"--out must be a file in a folder that is there, got {out}")
        if out.exists() and not out.is_file():
            raise ValueError(f"--out must be a file, got {out}, a device or a pipe")


@contextmanager
def only_one(out: Path) -> Iterator[None]:
    """Hold the lock of the file `out`. Raises ``ValueError`` where another run holds it, and where it cannot be made.

    The lock is a hidden file next to `out` and is not deleted: two runs could hold a lock that is deleted meanwhile.
    """
    with _clear_path_errors(out):
        place = out.resolve()
        beside = place.with_name(f".{place.name}.lock")
        beside.touch()  # for a file that cannot be made, FileLock would report that it is held
        lock = FileLock(beside)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise ValueError(f"another run is writing {out}; wait for it, or name another file") from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _clear_path_errors(out: Path) -> Iterator[None]:
    """Raise ``ValueError`` with a sentence for a name with which nothing can be done."""
    try:
        yield
    except RuntimeError:  # raised by Python 3.11 for circular links
        raise ValueError(f"--out must be a file, got {out}, a link that leads back to itself") from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            said = "a link that leads back to itself"
        elif error.errno == errno.ENAMETOOLONG:
            said = "whose name is too long; take a shorter one"
        else:
            said = f"beside which no lock can be made: {error.filename or out} ({error.strerror})"
        raise ValueError(f"--out must be a file that can be written, got {out}, {said}") from None
