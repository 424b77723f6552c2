"""Every format of a number, and both ways to write an interval."""

import math

import pytest

from pages.kit import numbers
from pages.kit.numbers import LOSS, MARK, POINTS, SHARE, Scale, plain_scale, with_half, with_range
from privdemo.intervals import Estimate

UNKNOWN = Estimate(0.5, -math.inf, math.inf)


@pytest.mark.parametrize(
    ("estimate", "scale", "words"),
    [
        (Estimate(0.887, 0.866, 0.905), SHARE, "88.7 % (86.6–90.5)"),
        (Estimate(0.99, 0.95, 1.03), SHARE, "99.0 % (95.0–100.0)"),
        (Estimate(0.01, -0.03, 0.05), SHARE, "1.0 % (0.0–5.0)"),
        (Estimate(0.806, 0.798, 1.2), MARK, "0.806 (0.798–1.000)"),
        (Estimate(1.2, 1.1, 1.3), LOSS, "1.200 (1.100–1.300)"),
        (Estimate(0.02, -0.01, 0.05), LOSS, "0.020 (0.000–0.050)"),
        (Estimate(-0.01, -0.03, 0.01), POINTS, "−1.0 points (−3.0–1.0)"),
        (UNKNOWN, SHARE, "50.0 %"),
        (Estimate(0.5, 0.4, math.inf), MARK, "0.500"),
    ],
)
def test_an_interval_in_brackets(estimate, scale, words):
    assert with_range(estimate, scale) == words


@pytest.mark.parametrize(
    ("estimate", "scale", "words"),
    [
        (Estimate(0.917, 0.909, 0.925), SHARE, "91.7 ± 0.8 %"),
        (Estimate(0.03, 0.01, 0.05), POINTS, "3.0 ± 2.0 points"),
        (Estimate(0.806, 0.796, 0.81), MARK, "0.806 ± 0.010"),
        (Estimate(0.806, 0.8, 0.816), MARK, "0.806 ± 0.010"),
        (Estimate(-0.019, -0.057, 0.019), POINTS, "−1.9 ± 3.8 points"),
        (UNKNOWN, POINTS, "50.0 points"),
    ],
)
def test_half_an_interval_is_its_longer_side(estimate, scale, words):
    assert with_half(estimate, scale) == words


HALVES = [(0.03, 3), (0.5, 2), (1.0, 1), (9.9, 1), (10.0, 0), (350.0, 0), (0.0, 3), (math.inf, 3)]


@pytest.mark.parametrize(("half", "digits"), HALVES)
def test_a_plain_scale_gives_half_the_interval_two_figures(half, digits):
    scale = plain_scale(Estimate(-100.0, -100.0 - half / 2, -100.0 + half))
    assert scale == Scale(digits=digits, least=-math.inf)
    assert plain_scale(Estimate(5.0, 4.7, 5.1)).digits == 2


def test_a_bold_number_leaves_its_interval_thin():
    assert with_half(Estimate(0.8, 0.7, 0.9), MARK, bold=True) == "<b>0.800</b> ± 0.100"
    assert with_half(UNKNOWN, MARK, bold=True) == "<b>0.500</b>"


@pytest.mark.parametrize(
    ("function", "values", "words"),
    [
        ("epsilon", (math.inf,), "∞"),
        ("epsilon", (1e-13,), "0"),
        ("epsilon", (2e-5,), "2·10⁻⁵"),
        ("epsilon", (0.123,), "0.12"),
        ("epsilon", (1.386,), "1.39"),
        ("epsilon", (99.96,), "100"),
        ("epsilon", (5431.2,), "5,431"),
        ("epsilon", (1e-12,), "10⁻¹²"),
        ("epsilon", (1e-4,), "0.0001"),
        ("epsilon", (0.00123,), "0.0012"),
        ("odds_factor", (math.inf,), "any factor at all"),
        ("odds_factor", (math.log(4),), "a factor of 4.00"),
        ("odds_factor", (math.log(4.001),), "a factor of 4.01"),
        ("odds_factor", (math.log(20.5),), "a factor of 21"),
        ("odds_factor", (20.0,), "a factor of 10⁹"),
        ("odds_factor", (math.log(1e6),), "a factor of 10⁶"),
        ("odds_factor", (math.log(10),), "a factor of 10.00"),
        ("odds_factor", (math.log(10.5),), "a factor of 11"),
        ("odds_factor", (50.0,), "a factor of 10²²"),
        ("power_of_ten", (0.05,), "0.05"),
        ("power_of_ten", (0.0,), "0"),
        ("power_of_ten", (1e-5,), "10⁻⁵"),
        ("power_of_ten", (2.5e-4,), "2.5·10⁻⁴"),
        ("power_of_ten", (0.01,), "0.01"),
        ("a_list", (("7",),), "7"),
        ("a_list", (("1", "2", "3"),), "1, 2 and 3"),
        ("a_list", (("7", "9"),), "7 and 9"),
        ("a_list", ((),), ""),
        ("share", (0.353,), "35.3 %"),
        ("share", (-0.012,), "−1.2 %"),
        ("share", (0.9999,), "over 99.9 %"),
        ("share", (0.0001,), "under 0.1 %"),
        ("share", (1.0001,), "just over 100 %"),
        ("share", (-0.0001,), "just under 0 %"),
        ("share", (1.0,), "100.0 %"),
        ("share", (0.0,), "0.0 %"),
        ("share", (0.997,), "99.7 %"),
        ("share", (1e-13,), "0.0 %"),
        ("difference_with_half", (Estimate(0.0596, 0.0565, 0.0627), 0.0156), "+5.96 ± 0.31"),
        ("difference_with_half", (Estimate(-0.35, -0.35, -0.35), 0.0001), "−35.000 ± 0.000"),
        ("difference_with_half", (Estimate(-0.35, -math.inf, math.inf), 0.0156), "−35.00"),
        ("signed_with_half", (Estimate(0.0421, 0.0341, 0.0501),), "+4.2 ± 0.8 points"),
        ("signed_with_half", (Estimate(-0.02, -0.05, 0.01), LOSS), "−0.020 ± 0.030"),
        ("signed_with_half", (Estimate(0.0001, 0.00009, 0.00011), LOSS), "+0.0001 ± 0.0000"),
        ("signed_with_half", (Estimate(-0.000001, -0.000001, -0.000001), LOSS), "+0.000 ± 0.000"),
        ("between", (0.321, 0.38), "32.1 to 38.0 %"),
        ("between", (-0.02, 0.3), "−2.0 to 30.0 %"),
        ("between", (0.3, 0.3), "30.0 to 30.0 %"),
        ("between", (0.30001, 0.30002), "30.0010 to 30.0020 %"),
        ("between", (0.3, 0.300995), "30.000 to 30.100 %"),
        ("between", (0.3, 0.300000001), "30.000000 to 30.000000 %"),
        ("per_hundred", (0.8,), "80"),
        ("per_hundred", (0.9999,), "over 99.9"),
        ("per_hundred", (0.0001,), "under 0.1"),
        ("per_hundred", (1.0,), "100"),
        ("per_hundred", (0.9995,), "over 99.9"),
        ("per_hundred", (0.0005,), "0.05"),
        ("odds", (math.inf,), "all to nothing"),
        ("odds", (-math.inf,), "nothing to all"),
        ("odds", (0.0,), "even"),
        ("odds", (math.log(4),), "4 to 1"),
        ("odds", (-math.log(2.25),), "1 to 2.25"),
        ("odds", (math.log(150),), "150 to 1"),
        ("odds", (21.0,), "over 10⁹ to 1"),
        ("odds", (0.5,), "1.65 to 1"),
        ("odds", (0.005,), "1.00501 to 1"),
        ("odds", (math.log(12345.6),), "12,346 to 1"),
        ("odds", (math.log(1e6),), "1,000,000 to 1"),
        ("standard_error", (0.016,), "1.6"),
        ("standard_error", (0.25,), "25"),
        ("standard_error", (1.05,), "105"),
        ("standard_error", (0.0987,), "9.9"),
        ("points", (0.059,), "+5.9 points"),
        ("points", (-0.0001,), "+0.0 points"),
        ("points", (-0.059,), "−5.9 points"),
        ("distance", (0.1634,), "0.163"),
        ("distance", (0.0012,), "0.0012"),
        ("distance", (4.7e-6,), "4.7·10⁻⁶"),
        ("distance", (0.0095,), "0.009"),
        ("distance", (0.0,), "0.000"),
        ("distance", (1e-4,), "0.0001"),
        ("signed", (0.0421,), "+0.042"),
        ("signed", (-0.004,), "−0.004"),
        ("difference", (0.0596, 0.0), "+5.96"),
        ("difference", (0.000012, 0.00001), "+0.001"),
        ("difference", (0.05, 0.02, ""), "5.00"),
        ("difference", (0.05, 0.005), "+5.00"),
        ("difference", (0.05, 0.000995), "+5.000"),
        ("times", (4.66,), "4.7"),
        ("times", (1.02,), "1.02"),
        ("times", (12300,), "12,300"),
        ("times", (2.5e9,), "2.5·10⁹"),
        ("times", (100,), "100"),
        ("times", (1.05,), "1.1"),
        ("times", (1.26,), "1.3"),
        ("seconds", (0.021,), "21 ms"),
        ("seconds", (0.25,), "0.25 s"),
        ("seconds", (63.2,), "63 s"),
        ("seconds", (0.09945,), "99 ms"),
        ("seconds", (0.1,), "0.1 s"),
        ("seconds", (123.4,), "123 s"),
        ("degrees", (27.44,), "27.4°"),
        ("degrees", (-0.01,), "0.0°"),
        ("degrees", (-27.44,), "−27.4°"),
        ("plain", (643147100.0,), "643,147,100"),
        ("plain", (-1234.4,), "−1,234"),
        ("plain", (1000.0,), "1,000"),
        ("plain", (27.41,), "27.4"),
        ("plain", (-0.9692,), "−0.969"),
        ("plain", (1e-10,), "0"),
        ("plain", (1e-9,), "1e−09"),
        ("near_zero", (1e-10,), "0"),
        ("near_zero", (-0.25,), "−0.25"),
        ("near_zero", (1e-9,), "1e−09"),
        ("people", (1,), "1 person"),
        ("people", (1000,), "1,000 people"),
        ("people", (6e16,), "6.0·10¹⁶ people"),
        ("people", (1e9,), "1.0·10⁹ people"),
        ("sentence", ("flip_prob is <b>1</b>",), "Flip prob is &lt;b&gt;1&lt;/b&gt;."),
        ("sentence", ('flip_prob of label_prob is "1"',), 'Flip prob of label_prob is "1".'),
        ("probability", (0.25806,), "0.2581"),
        ("probability", (0.49999,), "0.49999"),
        ("probability", (0.5,), "0.5"),
        ("probability", (0.99999,), "0.99999"),
        ("at_most", (0.25809,), "0.2580"),
        ("at_most", (0.00005,), "under 0.0001"),
        ("at_most", (1e-4,), "0.0001"),
        ("at_most", (0.98769,), "0.9876"),
        ("count_draws", ([1],), "one draw"),
        ("count_draws", (range(10),), "10 draws"),
        ("unbroken", ("5 % ± 1 ε = 2",), "5\u00a0%\u00a0±\u00a01 ε\u00a0=\u00a02"),
        ("unbroken", ("N = 2",), "N\u00a0=\u00a02"),
    ],
)
def test_a_number_as_people_read_it(function, values, words):
    assert getattr(numbers, function)(*values) == words
