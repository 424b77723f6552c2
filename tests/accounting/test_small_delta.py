"""The default δ is small beside the number of people, and a large one is told from a small one."""

import pytest

from pages.kit.numbers import large_delta_words
from privdemo import accounting as acc


@pytest.mark.parametrize(("people", "delta"), [(1, 1e-6), (500, 1e-6), (1000, 1e-6), (2000, 2.5e-7), (10**6, 1e-12)])
def test_the_default_is_the_smaller_of_a_millionth_and_one_over_the_square(people, delta):
    assert acc.default_delta(people) == pytest.approx(delta)
    assert not acc.is_large_delta(people, acc.default_delta(people))


def test_nobody_has_no_default():
    with pytest.raises(ValueError, match="people"):
        acc.default_delta(0)


def test_delta_is_large_where_over_a_twentieth_of_a_person_may_be_published():
    assert acc.is_large_delta(500, 1.01e-4)
    assert not acc.is_large_delta(500, 1e-4)
    assert large_delta_words(500, 1e-4) == ""
    assert large_delta_words(500, 1e-3) == (
        "δ = 10⁻³ is large: at worst the true label of 0.5 of 500 people may be published. For real use choose a δ "
        "below 0.0001."
    )
