"""States 0 … k−1 as whole numbers: checking them, and scaling them to [0, 1]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privdemo import limits


def to_unit(x: NDArray[np.integer], n_states: int) -> NDArray[np.float32]:
    """Return states 0 … k−1 as float32 values in [0, 1]: x / (k−1)."""
    limits.N_STATES.check(n_states)
    return np.asarray(x).astype(np.float32) / np.float32(n_states - 1)


def check_states(x: NDArray[np.integer], n_states: int) -> NDArray[np.integer]:
    """Return `x` as an array of states.

    Raises ``TypeError`` for a dtype that does not hold whole numbers up to k − 1, and ``ValueError`` for states outside
    0 … k−1.
    """
    x = np.asarray(x)
    if not np.issubdtype(x.dtype, np.integer):
        raise TypeError(
            f"x must hold whole-number states 0 to {n_states - 1}, got dtype {x.dtype}; "
            "use GaussianNoise or LaplaceNoise for real values"
        )
    if n_states - 1 > np.iinfo(x.dtype).max:
        raise TypeError(
            f"x must have a dtype that holds states 0 to {n_states - 1}, got {x.dtype}; "
            f"use x.astype(np.{np.min_scalar_type(n_states - 1)})"
        )
    if x.size and (n_states <= np.iinfo(x.dtype).max or x.dtype.kind == "i"):
        low, high = int(x.min()), int(x.max())
        if low < 0 or high >= n_states:
            raise ValueError(
                f"x must hold states in [0, {n_states - 1}], got {low if low < 0 else high}; "
                "is n_states right for this data?"
            )
    return x
