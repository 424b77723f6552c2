"""Results in one file: what comes out is what went in, and no other file is taken for one."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privdemo.experiments.packed import is_packed, pack, unpack


class Pair(NamedTuple):
    left: Any
    right: Any


@dataclass(frozen=True, eq=False)
class Found:
    name: str
    fits: Mapping[str, Any]
    y: Any


KINDS = (Found, Pair)
plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
things = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner).map(lambda p: Pair(*p))
    ),
)


@given(things)
def test_what_comes_out_is_what_went_in(thing):
    back = unpack(pack(thing, KINDS, ""), KINDS)
    assert back == thing
    assert repr(back) == repr(thing), "types and signs of zero too"


def test_arrays_keep_their_type_and_every_bit():
    arrays = (np.array([0.1, math.nan, -0.0, math.inf]), np.arange(6).reshape(2, 3), np.array([], np.float32))
    back = unpack(pack(Found("a", {"one": arrays}, np.float64(0.1)), KINDS, "v"), KINDS)
    assert [getattr(back, field.name) for field in fields(back)][::2] == ["a", 0.1]
    for before, after in zip(arrays, back.fits["one"], strict=True):
        assert (before.dtype, before.shape, before.tobytes()) == (after.dtype, after.shape, after.tobytes())


@pytest.mark.parametrize("thing", [[1], {1, 2}, b"x", np.array([object()]), Found])
def test_what_has_no_place_is_refused(thing):
    with pytest.raises((TypeError, ValueError)):
        unpack(pack(thing, KINDS, ""), KINDS)


def test_a_file_of_other_kinds_a_damaged_one_and_something_else_are_refused(tmp_path):
    class Pair(NamedTuple):
        left: Any
        middle: Any

    Pair.__qualname__ = "Pair"
    good = pack(Found("a", {}, np.arange(1000) / 7), KINDS, "")
    with pytest.raises(ValueError, match="made by another version of privdemo"):
        unpack(good, (Found, Pair))
    middle = len(good) // 2
    damaged = good[:middle], good[: middle - 9] + bytes(9) + good[middle:], b"", b"a,b\n1,2\n"
    file = tmp_path / "a.npz"
    for content in damaged:
        with pytest.raises(ValueError, match="it is no file of such results, or is damaged"):
            unpack(content, KINDS)
    for content, is_it in ((good, True), (b"", False), (b"a,b\n", False)):
        file.write_bytes(content)
        assert is_packed(file) == is_it
    np.savez(file, a=np.arange(3))
    assert not is_packed(file)
