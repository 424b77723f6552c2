"""Files such as a visitor brings: tables and archives, also with contents that lie."""

import io
import zipfile

import numpy as np
from numpy.lib import format as npy


def table(rows: list[str] | None = None, header: str = "size,colour,kind", n: int = 120) -> bytes:
    """A file of `rows`, or of n records of two kinds, sizes 0 … n − 1 and two colours."""
    plain = [f"{i},{'red' if i % 3 else 'blue'},{'dog' if i % 2 else 'cat'}" for i in range(n)]
    return "\n".join([header, *(rows or []), *plain]).encode()


def archive(**arrays: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


IMAGES = np.tile(np.arange(120, dtype=np.uint8)[:, None, None], (1, 4, 5))
KINDS = np.arange(120) % 2


def with_header(shape: tuple[int, ...], data: bytes) -> bytes:
    """An archive whose X says that it is of `shape`, whatever it holds."""
    header = io.BytesIO()
    npy.write_array_header_1_0(header, {"descr": "|u1", "fortran_order": False, "shape": shape})
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("X.npy", header.getvalue() + data)
        labels = io.BytesIO()
        npy.write_array(labels, KINDS)
        file.writestr("y.npy", labels.getvalue())
    return buffer.getvalue()


def packed(X: bytes, y: bytes) -> bytes:
    """An archive of two members, whatever they hold, with sums that are right."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("X.npy", X)
        file.writestr("y.npy", y)
    return buffer.getvalue()


def saved(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    npy.write_array(buffer, array)
    return buffer.getvalue()
