"""States as whole numbers, and on the scale 0 to 1."""

import numpy as np

from privdemo.mechanisms import to_unit


def test_to_unit():
    unit = to_unit([[0, 51, 255]], 256)
    np.testing.assert_array_equal(unit, np.float32([[0, 0.2, 1]]))
    assert unit.dtype == np.float32
    np.testing.assert_array_equal(to_unit(np.uint8([0, 1]), 2), [0, 1])
