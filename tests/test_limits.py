"""The one list of limits: what it accepts, what it refuses, and what it says."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privdemo import limits
from privdemo.limits import Limit, flip_prob_limit

HALF = Limit("share", 0.0, 0.5, "half is all there is")
OPEN = Limit("width", 0.0, 2.0, low_open=True)
COUNT = Limit("count", 1, 10, integer=True)
ALL = [value for value in vars(limits).values() if isinstance(value, Limit)]


def printed_ends(text):
    """The two numbers of a range such as ``in [0, 0.5]``."""
    low, high = re.fullmatch(r"in [\[(](.+), (.+)\]", text).groups()
    return float(low), float(high)


@pytest.mark.parametrize(
    ("limit", "good", "bad", "sentence"),
    [
        (HALF, (0, np.float64(0.5)), (1.2, math.nan, None, True, "0.1"), r"share must be in \[0, 0\.5\], got .*; half"),
        (OPEN, (5e-324, 2.0), (-0.0, 3), r"width must be in \(0, 2\], got -?[03]"),
        (COUNT, (1, np.uint8(10)), (1.0, 11, "3"), r"count must be a whole number in \[1, 10\], got '?[13]"),
        (limits.EPSILON, (0, math.inf, 10**400), (-1,), "epsilon must be at least 0, got -1"),
    ],
)
def test_the_range_is_accepted_as_it_is_and_all_else_refused_in_one_sentence(limit, good, bad, sentence):
    for value in good:
        assert limit.check(value) is value
    for value in bad:
        with pytest.raises(ValueError, match=f"^{sentence}"):
            limit.check(value)


def test_every_limit_accepts_its_own_ends_and_prints_a_range_inside_them():
    for limit in ALL:
        assert limit.contains(limit.low) != limit.low_open, limit
        assert limit.contains(limit.high), limit
        assert not limit.contains(limit.low - 1), limit
        assert limit.nearest(limit.low - 1) == limit.low
        if not math.isinf(limit.high):
            low, high = printed_ends(limit.range_text)
            assert limit.low <= low < high <= limit.high, limit
            assert not limit.contains(limit.high + 1), limit
            assert not limit.integer or "e" not in limit.range_text  # 4294967295, not 4.29e+09


@given(st.floats(1e-9, 1e6), st.floats(1.001, 1e6))
def test_any_printed_range_lies_inside_the_real_one(low, factor):
    limit = Limit("x", low, low * factor)
    shown_low, shown_high = printed_ends(limit.range_text)
    # four digits: at most one part in a thousand is hidden
    assert limit.low <= shown_low <= limit.low * 1.001
    assert limit.high * 0.999 <= shown_high <= limit.high
    assert Limit("x", 0.57, 5.0).range_text == "in [0.57, 5]"  # 0.57 · 10⁴ is 5699.999… in floats


@pytest.mark.parametrize(("k", "shown"), [(2, "0.5"), (3, "0.6666"), (65536, "0.9999")])
def test_flip_prob_limit(k, shown):
    limit, end = flip_prob_limit(k), (k - 1) / k
    assert limit.check(end) == end
    with pytest.raises(ValueError, match=rf"^flip_prob must be in \[0, {shown}\], got .*; at {shown} an answer with "):
        limit.check(math.nextafter(end, 1))
