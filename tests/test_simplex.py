"""The projection onto the simplex, against its optimality conditions and cases by hand."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from privdemo.simplex import project_simplex, round_to_sum

reals = st.one_of(st.floats(-2, 2), st.floats(-1e6, 1e6, allow_subnormal=False))


@given(v=st.integers(1, 8).flatmap(lambda c: arrays(float, c, elements=reals)))
@example(v=np.array([1e6 + 0.3, 1e6 + 0.1, 1e6 - 0.2, 7.0]))
def test_projection_meets_the_conditions_of_the_nearest_point(v):
    """KKT, enough for a convex problem: v − θ is the same τ where θ > 0, and at most τ where θ = 0."""
    theta = project_simplex(v)
    assert (theta >= 0).all()
    assert theta.sum() == pytest.approx(1, abs=1e-14)
    slack = 1e-9 * (1 + np.abs(v).max())  # sums of 8 values rounded to 1e-16, and room
    tau = (v - theta)[theta > 0]
    assert np.ptp(tau) <= slack
    assert ((v - theta)[theta == 0] <= tau.max() + slack).all()


def test_projection_by_hand_of_huge_numbers_too_and_row_by_row():
    for v, expected in (
        ([0.5, 0.8, -0.3], [0.35, 0.65, 0]),  # no rescaling: that would give 0.385, 0.615
        *[([-1.0, -1.0], [0.5, 0.5]), ([-7.0], [1]), ([-1e17, 0.0], [0, 1]), ([1e300, -1e300, 3.0], [1, 0, 0])],
    ):
        np.testing.assert_allclose(project_simplex(v), expected, rtol=0, atol=1e-15)
    v = np.random.default_rng(0).normal(size=(3, 4, 5))
    before = v.copy()
    by_row = np.array([[project_simplex(row) for row in block] for block in v])
    np.testing.assert_array_equal(project_simplex(v), by_row)
    np.testing.assert_array_equal(v, before)
    for bad in ([0.5, math.nan], []):
        with pytest.raises(ValueError, match="values must be finite numbers, one for each class"):
            project_simplex(bad)


def test_whole_numbers_keep_the_sum():
    assert round_to_sum(np.array([2.2, 3.3, 4.5])).tolist() == [2, 3, 5]
    assert round_to_sum(np.full(1024, 10 / 1024)).tolist() == [1] * 10 + [0] * 1014
