"""The one list of limits: what it accepts, what it refuses, and what it says."""

import dataclasses
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


@pytest.mark.parametrize("value", [0, 0.0, 0.25, 0.5, np.float64(0.5), np.float32(0.25), Fraction(1, 3), np.int64(0)])
def test_accepts_the_range_and_returns_the_value_itself(value):
    assert HALF.contains(value)
    assert HALF.check(value) is value


@pytest.mark.parametrize(
    "value",
    [
        *[-0.1, 0.51, 1, math.nextafter(0.5, 1), -math.inf, math.inf, math.nan, np.float64("nan"), 10**400, -(10**400)],
        *[True, False, np.True_, None, "0.1", "", b"0", 0.1j, [0.1], np.array([0.1]), Decimal("0.1")],
    ],
    ids=lambda value: repr(value)[:20],
)
def test_refuses_everything_else(value):
    assert not HALF.contains(value)
    with pytest.raises(ValueError, match=r"^share must be in \[0, 0\.5\], got .*; half is all there is$"):
        HALF.check(value)


def test_the_refused_value_is_shown():
    for value, shown in ((1.2, "1.2"), (math.nan, "nan"), (math.inf, "inf"), ("0.1", "'0.1'"), (None, "None")):
        with pytest.raises(ValueError, match=rf"got {re.escape(shown)};"):
            HALF.check(value)


def test_an_open_end_is_excluded():
    assert [OPEN.contains(value) for value in (0, -0.0, 5e-324, 2.0)] == [False, False, True, True]


def test_short_decimals_are_printed_as_they_are():
    for number in (0.57, 0.29, 1.15):  # 0.57 · 10⁴ is 5699.999… in floats
        assert Limit("x", number, 5.0).range_text == f"in [{number}, 5]"


def test_nearest():
    assert [COUNT.nearest(value) for value in (0, 1, 5, 10, 11)] == [1, 1, 5, 10, 10]


def test_without_advice_the_sentence_ends_at_the_value():
    with pytest.raises(ValueError, match=r"^width must be in \(0, 2\], got 3$"):
        OPEN.check(3)


def test_whole_numbers_only():
    for good in (1, 10, np.int64(5), np.uint8(7)):
        assert COUNT.check(good) is good
    for bad in (1.0, 2.5, np.float64(3.0), 0, 11, True, "3", None, Fraction(3, 1), math.nan):
        with pytest.raises(ValueError, match=r"^count must be a whole number in \[1, 10\], got "):
            COUNT.check(bad)


def test_an_infinite_end():
    assert limits.EPSILON.check(math.inf) == math.inf
    assert limits.EPSILON.check(10**400) == 10**400
    with pytest.raises(ValueError, match=r"^epsilon must be at least 0, got -1$"):
        limits.EPSILON.check(-1)
    with pytest.raises(ValueError, match=r"^sensitivity must be above 0, got 0$"):
        limits.SENSITIVITY.check(0)
    with pytest.raises(ValueError, match="got nan"):
        limits.EPSILON.check(math.nan)


@pytest.mark.parametrize("limit", ALL, ids=lambda limit: limit.name)
def test_every_limit_accepts_its_own_ends_and_nothing_outside(limit):
    assert limit.contains(limit.low) != limit.low_open
    assert limit.contains(limit.high)
    assert not limit.contains(limit.low - 1)
    assert not limit.contains(limit.high + 1) or math.isinf(limit.high)
    assert not limit.contains(math.nan)
    assert limit.low < limit.high


@pytest.mark.parametrize("limit", [limit for limit in ALL if not math.isinf(limit.high)], ids=lambda limit: limit.name)
def test_every_printed_range_lies_inside_the_real_one(limit):
    low, high = printed_ends(limit.range_text)
    assert limit.low <= low <= high <= limit.high
    assert not limit.integer or "e" not in limit.range_text  # 4294967295, not 4.29e+09


@given(st.floats(1e-9, 1e6), st.floats(1.001, 1e6))
def test_any_printed_range_lies_inside_the_real_one(low, factor):
    limit = Limit("x", low, low * factor)
    shown_low, shown_high = printed_ends(limit.range_text)
    assert limit.low <= shown_low
    assert shown_high <= limit.high
    # four digits: at most one part in a thousand is hidden
    assert shown_low == pytest.approx(limit.low, rel=1e-3)
    assert shown_high == pytest.approx(limit.high, rel=1e-3)


@pytest.mark.parametrize(("k", "shown"), [(2, "0.5"), (3, "0.6666"), (10, "0.9"), (256, "0.996"), (65536, "0.9999")])
def test_flip_prob_limit(k, shown):
    limit = flip_prob_limit(k)
    assert limit.name == "flip_prob"
    assert limit.range_text == f"in [0, {shown}]"
    assert limit.contains((k - 1) / k)
    assert not limit.contains(math.nextafter((k - 1) / k, 1))
    with pytest.raises(
        ValueError, match=rf"^flip_prob must be in \[0, {shown}\], got 1; at {shown} an answer with {k} "
    ):
        limit.check(1)
    assert flip_prob_limit(k, "label noise").name == "label noise"


@given(st.integers(2, 65536))
def test_flip_prob_limit_never_prints_past_its_end(k):
    limit = flip_prob_limit(k)
    assert limit.contains(printed_ends(limit.range_text)[1])  # what the sentence offers is accepted
    advised = float(re.match(r"at (\S+) an answer", limit.advice).group(1))
    assert advised <= limit.high
    assert advised == pytest.approx(limit.high, rel=1e-3)


def test_a_limit_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        HALF.high = 2.0
