"""The published files: where they are stored, how they are downloaded, and how they are verified.

The content of a file is always checked against the SHA-256 of its *decompressed* content, because publishers
wrap the same content differently. A file that fails is refused, never half-used.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import time
import warnings
import zipfile
import zlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

import pooch
from filelock import FileLock, Timeout

from privdemo import limits

FOLDER_VARIABLE = "PRIVDEMO_DATA"
ATTEMPTS = 2
PAUSE_S = 1.0  # before the mirrors are retried
CONNECT_READ_TIMEOUT_S = (10, 60)
LOCK_TIMEOUT_S = 900  # longer than any download of these files should take


class DatasetError(RuntimeError):
    """A data set's files are missing, wrong, or cannot be fetched or stored."""


@dataclass(frozen=True)
class DataFile:
    """One published file: the path of its gzip in the data folder, the SHA-256 of its content, and its URLs."""

    path: str
    sha256: str
    urls: tuple[str, ...]


def _mnist(name: str, sha256: str) -> DataFile:
    mirrors = (
        "https://ossci-datasets.s3.amazonaws.com/mnist",
        "https://storage.googleapis.com/cvdf-datasets/mnist",
    )
    return DataFile(f"mnist/{name}", sha256, tuple(f"{mirror}/{name}" for mirror in mirrors))


def _adult(name: str, sha256: str) -> DataFile:
    mirrors = (
        f"https://archive.ics.uci.edu/ml/machine-learning-databases/adult/{name}",
        "https://archive.ics.uci.edu/static/public/2/adult.zip",
    )
    return DataFile(f"adult/{name}.gz", sha256, mirrors)


FILES: dict[str, tuple[DataFile, ...]] = {
    "mnist": (
        _mnist("train-images-idx3-ubyte.gz", "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"),
        _mnist("train-labels-idx1-ubyte.gz", "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"),
        _mnist("t10k-images-idx3-ubyte.gz", "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"),
        _mnist("t10k-labels-idx1-ubyte.gz", "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"),
    ),
    "adult": (
        _adult("adult.data", "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"),
        _adult("adult.test", "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05"),
    ),
    "sms": (
        DataFile(
            "sms/SMSSpamCollection.gz",
            "7d039a24a6083ed9ef0f806ebad56bbb976e3aeb8de05669173bfdc4996c239d",
            (
                "https://archive.ics.uci.edu/static/public/228/sms+spam+collection.zip",
                "https://archive.ics.uci.edu/ml/machine-learning-databases/00228/smsspamcollection.zip",
            ),
        ),
    ),
}
"""The data sets that come as files; the others are part of scikit-learn."""


def data_folder() -> Path:
    """Return the folder the files are read from: the one PRIVDEMO_DATA names, otherwise the user's cache."""
    return _named_folder() or Path(pooch.os_cache("privdemo"))


def are_present(name: str) -> bool:
    """Return whether every file of data set `name` exists; their content is not read."""
    folder = data_folder()
    return all((folder / file.path).is_file() for file in FILES.get(name, ()))


def contents(name: str, *, progress: bool = False) -> list[bytes]:
    """Return the verified, decompressed content of every file of data set `name`, downloaded where need be.

    A folder that PRIVDEMO_DATA names is only read: nothing is ever downloaded into it.
    Raises `DatasetError`.
    """
    folder = _named_folder()
    if folder is None:
        return [_from_cache(file, data_folder() / file.path, progress) for file in FILES.get(name, ())]
    return [_from_named_folder(file, folder) for file in FILES.get(name, ())]


def _named_folder() -> Path | None:
    named = os.environ.get(FOLDER_VARIABLE)
    return _absolute_path(named, os.getcwd()) if named else None


@lru_cache(16)
def _absolute_path(named: str, _working_folder: str) -> Path:
    """Return the absolute path of a folder named from a working folder; cached, as a page needs it a hundred times."""
    return Path(named).expanduser().resolve()


def _from_named_folder(file: DataFile, folder: Path) -> bytes:
    if not folder.is_dir():
        raise DatasetError(
            f"{FOLDER_VARIABLE} names the folder {folder}, which does not exist; correct it, or unset it "
            "to have the data downloaded"
        )
    if not (folder / file.path).is_file():
        raise DatasetError(
            f"{file.path} is missing from {folder}, the folder {FOLDER_VARIABLE} names; put it there, or "
            f"unset {FOLDER_VARIABLE} to have it downloaded"
        )
    try:
        return _read(file, folder / file.path)
    except DatasetError as refusal:
        advice = f"replace it, or unset {FOLDER_VARIABLE} to have it downloaded"
        raise DatasetError(f"{refusal}; {advice}") from refusal


def _from_cache(file: DataFile, path: Path, progress: bool) -> bytes:
    content = _intact(file, path)
    if content is not None:
        return content
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{path}.lock", timeout=LOCK_TIMEOUT_S):
            # Another process may have fetched the file while this one waited for the lock.
            content = _intact(file, path)
            if content is None:
                content = _download(file, progress)
                _store(content, path)
            return content
    except Timeout as error:
        raise DatasetError(
            f"another process has held {path}.lock for {LOCK_TIMEOUT_S} s without finishing its download of "
            f"{file.path}; end that process, then try again"
        ) from error
    except OSError as error:
        raise DatasetError(
            f"the cache folder {path.parent} cannot be written to ({error.strerror or error}); make it "
            f"writable, or set {FOLDER_VARIABLE} to a folder that holds {file.path}"
        ) from error


def _intact(file: DataFile, path: Path) -> bytes | None:
    """Return what the cached file holds, or None if it is missing or damaged: both need a download."""
    if not path.exists():
        return None
    try:
        return _read(file, path)
    except DatasetError as refusal:
        warnings.warn(f"{refusal}; it is refused and downloaded again", stacklevel=1)
        return None


def _read(file: DataFile, path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            raw = stream.read(int(limits.DOWNLOAD_UNPACKED.high) + 1)
    except OSError as error:
        raise DatasetError(f"{path} cannot be read ({error.strerror or error})") from error
    return _verified(raw, file, origin=str(path))


def _verified(raw: bytes, file: DataFile, origin: str) -> bytes:
    """Return `raw` decompressed. Raise a `DatasetError` that says what was expected from `origin` and what it sent."""
    try:
        content = _decompress(raw, member=PurePosixPath(file.path).stem)
        found = f"SHA-256 {hashlib.sha256(content).hexdigest()}"
    except (OSError, EOFError, KeyError, RuntimeError, zlib.error, zipfile.BadZipFile) as error:
        content, found = b"", f"a damaged or wrong archive ({error})"
    if found != f"SHA-256 {file.sha256}":
        raise DatasetError(
            f"{origin} is not the published {PurePosixPath(file.path).stem}: expected content with "
            f"SHA-256 {file.sha256}, got {found}"
        )
    return content


def _decompress(raw: bytes, member: str) -> bytes:
    """Return the content of a gzip, of a zip's `member`, or of an uncompressed file, distinguished by their first
    bytes.

    Raises `DatasetError` for one that is larger unpacked than any file should be; no more than that is unpacked.
    """
    most, content = int(limits.DOWNLOAD_UNPACKED.high), raw
    if raw.startswith(b"\x1f\x8b"):
        with gzip.open(io.BytesIO(raw)) as packed:
            content = packed.read(most + 1)
    elif raw.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(raw)) as archive, archive.open(member) as packed:
            content = packed.read(most + 1)
    if len(content) > most:
        raise DatasetError(f"more than {most:,} bytes unpacked")
    return content


class _Received(io.BytesIO):
    """Hold in memory what a mirror sends, up to the largest size of a file, so that no unverified byte is stored."""

    def write(self, chunk: Any) -> int:
        """Append a chunk. Raise `DatasetError` if the file becomes too large."""
        if self.tell() + memoryview(chunk).nbytes > limits.DOWNLOAD_BYTES.high:
            raise DatasetError(f"sends more than {limits.DOWNLOAD_BYTES.high:,} bytes, and was refused")
        return super().write(chunk)


def _download(file: DataFile, progress: bool) -> bytes:
    """Return the verified content from the first mirror that has it; all mirrors are tried `ATTEMPTS` times."""
    failures: dict[str, str] = {}
    for attempt in range(ATTEMPTS):
        time.sleep(attempt * PAUSE_S)
        for url in file.urls:
            try:
                return _download_from(url, file, progress)
            except (OSError, DatasetError) as error:
                failures[url] = _error_text(error)
    tried = "; ".join(f"{url} ({failure})" for url, failure in failures.items())
    raise DatasetError(
        f"{file.path} could not be downloaded. Tried {tried}. Run `python -m privdemo data "
        f"{PurePosixPath(file.path).parent}` where there is a network, or set {FOLDER_VARIABLE} to a folder "
        f"that holds {file.path}"
    )


def _error_text(error: OSError | DatasetError) -> str:
    # If no server answered, the text of the error is long and technical: its type is enough.
    answered = isinstance(error, DatasetError) or getattr(error, "response", None) is not None
    return str(error) if answered else type(error).__name__


def _download_from(url: str, file: DataFile, progress: bool) -> bytes:
    received = _Received()
    fetch = pooch.HTTPDownloader(progressbar=progress, chunk_size=1 << 16, timeout=CONNECT_READ_TIMEOUT_S)
    fetch(url, received, None)
    return _verified(received.getvalue(), file, origin=url)


def _store(content: bytes, path: Path) -> None:
    """Write the gzip to a temporary file and move it in one step, so that readers see all of it or nothing."""
    partial = path.with_name(f"{path.name}.partial")
    try:
        partial.write_bytes(gzip.compress(content, compresslevel=1, mtime=0))
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
