"""States as whole numbers, and on the scale 0 to 1."""

import numpy as np
import pytest

from privdemo.mechanisms import to_unit
from tests.mechanisms.oracles import STATE_MECHANISMS, rng

name = repr


def test_to_unit():
    np.testing.assert_array_equal(to_unit(np.array([0, 51, 255], np.uint8), 256), np.float32([0, 0.2, 1]))
    assert to_unit(np.zeros((2, 3), np.uint8), 2).dtype == np.float32
    with pytest.raises(ValueError, match="n_states must be"):
        to_unit(np.zeros(1, int), 1)


@pytest.mark.parametrize("mechanism", STATE_MECHANISMS, ids=name)
@pytest.mark.parametrize("dtype", [float, bool, object], ids=str)
def test_states_of_the_wrong_kind(mechanism, dtype):
    x = np.zeros(3, int).astype(dtype)
    with pytest.raises(TypeError, match=rf"x must hold whole-number states 0 to \d+, got dtype {x.dtype}"):
        mechanism.randomise(x, rng())


@pytest.mark.parametrize("mechanism", STATE_MECHANISMS, ids=name)
def test_states_out_of_range(mechanism):
    top = mechanism.n_states - 1
    for bad in (-1, top + 1, 100):
        with pytest.raises(ValueError, match=rf"x must hold states in \[0, {top}\], got {bad}; "):
            mechanism.randomise(np.array([0, bad, 1]), rng())
    with pytest.raises(ValueError, match=rf"got {top + 1}"):
        mechanism.apply(np.array([top + 1], np.uint8), mechanism.draws((1,), rng()))
