"""Rows of the CSV files of the image page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privdemo.experiments.images.release import Result
from privdemo.experiments.images.score import Point
from privdemo.intervals import Estimate


def picture_table(result: Result) -> list[dict[str, Any]]:
    """Return the pictures of a result as flat rows, for a CSV file: one for each person and kind of picture."""
    kinds = {"clean": result.clean, "released": result.released} | {
        f"guess_{name}_prior": pictures for name, pictures in result.guesses.items()
    }
    return [
        {"person": person + 1, "label": result.class_names[label], "label_sent": result.class_names[sent]}
        | {"picture": kind, **_pixel_columns(pictures[person])}
        for person, (label, sent) in enumerate(zip(result.labels, result.released_labels, strict=True))
        for kind, pictures in kinds.items()
    ]


def strip_table(classes: Sequence[str], levels: Sequence[str], images: NDArray[np.uint8]) -> list[dict[str, Any]]:
    """Return the pictures of a strip as flat rows, for a CSV file."""
    return [
        {"label": label, "level": level, **_pixel_columns(image.ravel())}
        for label, row in zip(classes, images, strict=True)
        for level, image in zip(levels, row, strict=True)
    ]


def curve_table(points: Sequence[Point]) -> list[dict[str, float]]:
    """Return the points of a curve as flat rows, for a CSV file."""
    return [
        {
            "level": point.level,
            "n_candidates": point.n_candidates,
            "absolute_error_expected": point.expected.absolute,
            "squared_error_expected": point.expected.squared,
            **_columns("absolute_error", point.absolute),
            **_columns("squared_error", point.squared),
            **_columns("linked", point.linked),
        }
        for point in points
    ]


def guess_table(errors: Mapping[float, Mapping[str, Estimate]]) -> list[dict[str, float]]:
    """Return squared errors of guesses by level and prior as flat rows, for a CSV file."""
    return [
        {
            "level": level,
            **{name: value for prior, error in at.items() for name, value in _columns(prior, error).items()},
        }
        for level, at in errors.items()
    ]


def _pixel_columns(pixels: NDArray[np.uint8]) -> dict[str, int]:
    return {f"pixel_{j}": int(value) for j, value in enumerate(pixels)}


def _columns(name: str, estimate: Estimate) -> dict[str, float]:
    return {f"{name}_mean": estimate.mean, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
