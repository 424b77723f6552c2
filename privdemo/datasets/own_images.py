"""A visitor's own grey images: sizes and headers are checked before any data is read."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Sequence

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from privdemo import limits
from privdemo.datasets.dataset import Dataset
from privdemo.datasets.own import (
    STEPS,
    OwnDataError,
    check_bytes,
    check_values,
    describe_error,
    find_classes,
    own_dataset,
    refuse_errors,
    without_markup,
)

# What arrays of an .npz file may be called.
IMAGES, LABELS = ("X", "images", "x", "data"), ("y", "labels", "target")
# Rows and columns of an image, arrays of an archive, and letters of a label, at most.
_SIDE = (2, 64)
_MEMBERS = 10
_LABEL = 100


@refuse_errors
def from_npz(content: bytes, name: str = "own.npz") -> Dataset:
    """Return grey images `X` (n, rows, columns) and their classes `y` (n,), in a NumPy archive.

    Images are whole numbers 0 … 255, booleans, or numbers from 0 to 1, coded in `STEPS` steps; a file whose greatest
    whole number is m has m + 1 grey levels. Sizes are summed and headers read before any data is. Raises
    `OwnDataError` with a sentence that names the array.
    """
    with _archive(content) as archive:
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        X = _array(archive, _member(members, IMAGES), (3, 4), "biuf")
        labels = _array(archive, _member(members, LABELS), (1,), "biuUS")
    if X.ndim == 4:
        if X.shape[3] != 1:
            raise OwnDataError(
                f"images must be grey, one value a pixel, got {X.shape[3]} (this looks like colour); convert them first"
            )
        X = X[..., 0]
    if len(X) != len(labels):
        raise OwnDataError(f"there are {len(X):,} images but {len(labels):,} labels; each image needs one")
    if not all(_SIDE[0] <= side <= _SIDE[1] for side in X.shape[1:]):
        raise OwnDataError(
            f"images must have {_SIDE[0]} to {_SIDE[1]} rows and columns, got {X.shape[1]} × {X.shape[2]}; scale them"
        )
    texts = [text.decode("utf-8") if isinstance(text, bytes) else str(text) for text in labels.tolist()]
    y, class_names = find_classes([text.strip() for text in texts], "the labels", range(1, len(texts) + 1))
    states, k = _grey(X)
    shape = (int(X.shape[1]), int(X.shape[2]))
    names = tuple(f"pixel {row},{column}" for row in range(shape[0]) for column in range(shape[1]))
    return own_dataset(name, states.reshape(len(X), -1), y, names, class_names, k, shape)


def _archive(content: bytes) -> zipfile.ZipFile:
    """Return the archive, after its declared sizes are checked."""
    check_bytes(content, "make one with numpy.savez(file, X=images, y=labels)")
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except Exception:
        raise OwnDataError("the file is no .npz archive; make one with numpy.savez(file, X=images, y=labels)") from None
    members = archive.infolist()
    if len(members) > _MEMBERS:
        raise OwnDataError(f"the archive holds {len(members)} arrays, more than {_MEMBERS}; keep X and y alone")
    declared = sum(member.file_size for member in members)
    if declared > limits.OWN_UNPACKED.high:
        raise OwnDataError(
            f"unpacked the archive would be {declared:,} bytes, more than {limits.OWN_UNPACKED.high:,}; keep fewer or "
            "smaller images"
        )
    if any(member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for member in members):
        raise OwnDataError("the archive is packed in an unusual way; save it with numpy.savez_compressed")
    return archive


def _member(members: dict[str, zipfile.ZipInfo], names: Sequence[str]) -> zipfile.ZipInfo:
    for name in names:
        if name in members:
            return members[name]
    there = ", ".join(map(without_markup, members)) or "nothing"
    raise OwnDataError(f"there is no array called {' or '.join(names)}; the archive holds {there}; rename one")


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo, dimensions: tuple[int, ...], kinds: str) -> NDArray:
    """Return one array, after its header is checked: a numeric type, and the number of bytes that the file has."""
    name = without_markup(member.filename.removesuffix(".npy"))
    try:
        with archive.open(member) as file:
            content = file.read(member.file_size + 1)
        buffer = io.BytesIO(content)
        read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[npy.read_magic(buffer)]
        shape, _, dtype = read(buffer)
        wide = dtype.itemsize
    except Exception as error:
        raise OwnDataError(f"array {name} cannot be read ({describe_error(error)}); save it anew") from None
    if dtype.hasobject or dtype.kind not in kinds:
        wanted = "numbers or booleans" if "f" in kinds else "whole numbers or texts"
        raise OwnDataError(
            f"array {name} must be of {wanted}, no Python objects, got {without_markup(str(dtype))}; save it as such"
        )
    if wide > 4 * _LABEL:
        raise OwnDataError(f"array {name} holds texts of more than {_LABEL} letters; shorten them")
    if len(shape) not in dimensions:
        wanted = "(n, rows, columns)" if 3 in dimensions else "(n,)"
        raise OwnDataError(f"array {name} must have shape {wanted}, got {shape}; reshape it")
    if 3 in dimensions:
        check_values(shape[0], math.prod(shape[1:]))
    if not limits.OWN_ROWS.contains(shape[0]):
        raise OwnDataError(
            f"array {name} must have {limits.OWN_ROWS.low:,} to {limits.OWN_ROWS.high:,} records, got {shape[0]:,}; "
            f"bring {'fewer' if shape[0] > limits.OWN_ROWS.high else 'more'}"
        )
    if min(shape) < 0 or math.prod(shape) * wide != len(content) - buffer.tell():
        raise OwnDataError(f"array {name} says it is {shape}, but holds another number of values; save it anew")
    return npy.read_array(io.BytesIO(content), allow_pickle=False)


def _grey(X: NDArray) -> tuple[NDArray[np.uint8], int]:
    """Return grey levels 0 … k − 1, and k."""
    if not np.isfinite(X).all():
        image = 1 + int(np.flatnonzero(~np.isfinite(X).reshape(len(X), -1).all(axis=1))[0])
        raise OwnDataError(f"image {image} holds a value that is no finite number; mend it or leave it out")
    low, high = float(X.min()), float(X.max())
    if low == high:
        raise OwnDataError("all pixels of all images are the same; there is nothing to see or learn; check the file")
    whole = X.dtype.kind != "f" or bool((np.rint(X) == X).all())
    most = STEPS - 1 if whole else 1
    if low < 0 or high > most:
        kind = "whole" if whole else "decimal"
        raise OwnDataError(
            f"images of {kind} numbers must lie between 0 and {most}, got {low:.4g} to {high:.4g}; scale them"
        )
    if whole:
        return X.astype(np.uint8), max(2, int(high) + 1)
    return np.rint(X * (STEPS - 1)).astype(np.uint8), STEPS
