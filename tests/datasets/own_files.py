"""Files such as a visitor brings: tables and archives, also with contents that lie."""

import io
import zipfile

import numpy as np
from numpy.lib import format as npy

IMAGES = np.tile(np.arange(120, dtype=np.uint8)[:, None, None], (1, 4, 5))
KINDS = np.arange(120) % 2


def table(rows: list[str] | None = None, header: str = "size,colour,kind", n: int = 120) -> bytes:
    """A file of `rows`, then n records of two kinds, sizes 0 … n − 1 and two colours."""
    plain = [f"{i},{'red' if i % 3 else 'blue'},{'dog' if i % 2 else 'cat'}" for i in range(n)]
    return "\n".join([header, *(rows or []), *plain]).encode()


def archive(**arrays: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def packed(X: bytes, y: bytes, how: int = zipfile.ZIP_STORED) -> bytes:
    """An archive of two members, whatever they hold, with sums that are right."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", how) as file:
        file.writestr("X.npy", X)
        file.writestr("y.npy", y)
    return buffer.getvalue()


def saved(array: np.ndarray, shape: tuple[int, ...] | None = None) -> bytes:
    """The array as a member of an archive, with a header that may say another shape."""
    header = npy.header_data_from_array_1_0(array) | ({"shape": shape} if shape else {})
    buffer = io.BytesIO()
    npy.write_array_header_1_0(buffer, header)
    return buffer.getvalue() + array.tobytes()
