"""The one list of limits: what it accepts, what it refuses, and what it says."""

import math
import re
from decimal import Decimal
from fractions import Fraction

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
    ("limit", "good"),
    [
        (HALF, [0, 0.0, 0.25, 0.5, np.float64(0.5), np.float32(0.25), Fraction(1, 3), np.int64(0)]),
        (OPEN, [5e-324, 2.0]),
        (COUNT, [1, 10, np.int64(5), np.uint8(7)]),
        (limits.EPSILON, [0, math.inf, 10**400]),
    ],
)
def test_accepts_the_range_and_returns_the_value_itself(limit, good):
    for value in good:
        assert limit.check(value) is value


@pytest.mark.parametrize(
    ("limit", "bad", "sentence"),
    [
        (HALF, 1.2, r"share must be in \[0, 0\.5\], got 1.2; half is all there is"),
        *[(HALF, bad, f".*, got {bad}; .*") for bad in (-0.1, math.nan, math.inf, None, True, 10**400, -(10**400))],
        *[(HALF, bad, f".*, got '{bad}'; .*") for bad in ("0.1", "")],
        *[
            (HALF, bad, ".*")
            for bad in (math.nextafter(0.5, 1), np.True_, b"0", 0.1j, [0.1], np.ones(1), Decimal("0.1"))
        ],
        *[(OPEN, bad, r"width must be in \(0, 2\], got -?[03]") for bad in (0, -0.0, 3)],
        *[(COUNT, bad, rf"count must be a whole number in \[1, 10\], got {bad}") for bad in (1.0, 2.5, 0, 11, True)],
        *[(COUNT, bad, "count must be a whole number .*") for bad in (np.float64(3), "3", None, Fraction(3), math.nan)],
        *[(limits.EPSILON, bad, f"epsilon must be at least 0, got {bad}") for bad in (-1, math.nan)],
        (limits.SENSITIVITY, 0, "sensitivity must be above 0, got 0"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_refuses_everything_else_in_one_sentence(limit, bad, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        limit.check(bad)


def test_nearest():
    assert [COUNT.nearest(value) for value in (0, 1, 5, 10, 11)] == [1, 1, 5, 10, 10]


@pytest.mark.parametrize("limit", ALL, ids=lambda limit: limit.name)
def test_every_limit_accepts_its_own_ends_and_prints_a_range_inside_them(limit):
    assert limit.contains(limit.low) != limit.low_open
    assert limit.contains(limit.high)
    assert not limit.contains(limit.low - 1)
    if not math.isinf(limit.high):
        assert not limit.contains(limit.high + 1)
        low, high = printed_ends(limit.range_text)
        assert limit.low <= low < high <= limit.high
        assert not limit.integer or "e" not in limit.range_text  # 4294967295, not 4.29e+09


@given(st.floats(1e-9, 1e6), st.floats(1.001, 1e6))
def test_any_printed_range_lies_inside_the_real_one(low, factor):
    limit = Limit("x", low, low * factor)
    shown_low, shown_high = printed_ends(limit.range_text)
    # four digits: at most one part in a thousand is hidden
    assert limit.low <= shown_low <= limit.low * 1.001
    assert limit.high * 0.999 <= shown_high <= limit.high


@pytest.mark.parametrize("number", [0.57, 0.29, 1.15])
def test_short_decimals_are_printed_as_they_are(number):  # 0.57 · 10⁴ is 5699.999… in floats
    assert Limit("x", number, 5.0).range_text == f"in [{number}, 5]"


@pytest.mark.parametrize(("k", "shown"), [(2, "0.5"), (3, "0.6666"), (10, "0.9"), (256, "0.996"), (65536, "0.9999")])
def test_flip_prob_limit(k, shown):
    limit, end = flip_prob_limit(k), (k - 1) / k
    assert limit.check(end) == end
    with pytest.raises(
        ValueError, match=rf"^flip_prob must be in \[0, {shown}\], got .*; at {shown} an answer with {k} "
    ):
        limit.check(math.nextafter(end, 1))
    assert flip_prob_limit(k, "label noise").name == "label noise"
