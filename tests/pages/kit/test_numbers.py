"""Every format of a number and of an interval."""

import math
from math import inf

import pytest

from pages.kit import numbers
from pages.kit.numbers import (
    LOSS,
    MARK,
    MARK_DIFFERENCE,
    POINTS,
    SHARE,
    Scale,
    difference_scale,
    plain_scale,
    standard_errors,
    with_half,
)
from privdemo.intervals import Estimate

UNKNOWN = Estimate(0.5, -inf, inf)


@pytest.mark.parametrize(
    ("estimate", "scale", "ends", "words"),
    [
        ((0.887, 0.866, 0.905), SHARE, "86.6–90.5 %", "88.7 % ({})"),
        ((0.99, 0.95, 1.03), SHARE, "95.0–100.0 %", "99.0 % ({})"),
        ((0.99999, 0.99, 1.0), SHARE, "99.0–100.0 %", "over 99.9 % ({})"),
        ((1.0, 1.0, 1.0), SHARE, "100.0–100.0 %", "100.0 %"),
        ((0.806, 0.798, 1.2), MARK, "0.798–1.000", "0.806 ({})"),
        ((0.02, -0.01, 0.05), LOSS, "0.000–0.050", "0.020 ({})"),
        ((-0.01, -0.03, 0.01), POINTS, "−3.0–1.0 points", "−1.0 points ({})"),
        ((0.123456, 0.1, 0.2), SHARE._replace(digits=2), "10.00–20.00 %", "12.35 % ({})"),
        (UNKNOWN, SHARE, None, "50.0 %"),
        ((0.5, 0.4, inf), MARK, None, "0.500"),
    ],
)
def test_an_interval_alone_and_in_brackets(estimate, scale, ends, words):
    estimate = Estimate(*estimate)
    assert ends is None or numbers.interval(estimate, scale) == ends
    assert numbers.with_range(estimate, scale) == words.format((ends or "").removesuffix(scale.unit))


@pytest.mark.parametrize(
    ("estimate", "scale", "options", "words"),
    [
        ((0.917, 0.909, 0.925), SHARE, {}, "91.7 ± 0.8 %"),
        ((0.806, 0.796, 0.81), MARK, {}, "0.806 ± 0.010"),
        ((0.843, 0.2, 1.0), SHARE, {}, "84.3 % (20.0–100.0)"),
        ((-0.019, -0.057, 0.019), POINTS, {}, "−1.9 ± 3.8 points"),
        ((0.5, 0.5, 0.5), POINTS, {}, "50.0 points"),
        (UNKNOWN, POINTS, {}, "50.0 points"),
        (UNKNOWN, MARK, {"bold": True}, "<b>0.500</b>"),
        ((0.0596, 0.0565, 0.0627), difference_scale(0.0156), {"signed": True}, "+5.96 ± 0.31"),
        (UNKNOWN, difference_scale(0.0156), {"signed": True}, "+50.00"),
        ((0.0421, 0.0341, 0.0501), POINTS, {"signed": True}, "+4.2 ± 0.8 points"),
        ((-0.02, -0.05, 0.01), MARK_DIFFERENCE, {"signed": True}, "−0.020 ± 0.030"),
        ((-0.000001, -0.000001, -0.000001), MARK_DIFFERENCE, {"signed": True}, "+0.000 ± 0.000"),
    ],
)
def test_a_number_and_half_its_interval(estimate, scale, options, words):
    assert with_half(Estimate(*estimate), scale, **options) == words


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.321, 0.38, "32.1 to 38.0 %"),
        (-0.02, 0.3, "−2.0 to 30.0 %"),
        (0.3, 0.3, "30.0 to 30.0 %"),
        (0.30001, 0.30002, "30.0010 to 30.0020 %"),
        (0.3, 0.300995, "30.000 to 30.100 %"),
        (0.3, 0.300000001, "30.0 to 30.0 %"),
    ],
)
def test_ends_of_shares_have_digits_that_differ(low, high, words):
    estimate = Estimate(low, low, high)
    assert numbers.interval(estimate, numbers.unlimited_share_scale(estimate)) == words


@pytest.mark.parametrize(
    ("half", "digits"), [(0.03, 3), (0.5, 2), (1.0, 1), (9.9, 1), (10.0, 0), (350.0, 0), (0.0, 3), (inf, 3)]
)
def test_a_plain_scale_gives_half_the_interval_two_figures(half, digits):
    assert plain_scale(Estimate(-100.0, -100.0 - half / 2, -100.0 + half)) == Scale(digits=digits, least=-inf)
    assert plain_scale(Estimate(5.0, 4.7, 5.1)).digits == 2


@pytest.mark.parametrize(
    ("errors", "words"),
    [
        ((0.047, 0.0198, 0.0216), "4.7 2.0 2.2"),
        ((0.047, 0.0198, 0.0188, 0.0192), "4.70 1.98 1.88 1.92"),
        ((0.019, 0.019, 0.01901), "1.9 1.9 1.9"),
        ((0.12, 0.30), "12 30"),
        ((0.001, 0.5), "0.10 50.00"),
        ((1e-9, 0.02), "10⁻⁷ 2.0"),
    ],
)
def test_standard_errors_of_a_column_have_the_same_decimals_and_read_apart(errors, words):
    assert " ".join(standard_errors(errors)) == words


def test_a_standard_error_has_as_many_figures_as_are_wanted():
    assert [numbers.standard_error(error, 3) for error in (0.0188, 0.02, 0.253, 1.05)] == [
        "1.88",
        "2.00",
        "25.3",
        "105",
    ]


# A format, then numbers and the words for each; “log4” is the natural logarithm of 4.
WRITTEN = """
epsilon: inf → ∞ | 1e-13 → 0 | 1e-12 → 10⁻¹² | 2e-5 → 2·10⁻⁵ | 1e-4 → 0.0001 | 0.00123 → 0.0012 | 0.123 → 0.12
epsilon: 1.386 → 1.39 | 99.96 → 100 | 5431.2 → 5,431
odds_factor: log4 → a factor of 4.00 | log4.001 → a factor of 4.01 | log10 → a factor of 10.00 | inf → any factor at all
odds_factor: log10.5 → a factor of 11 | log20.5 → a factor of 21 | log1e6 → a factor of 10⁶ | 50 → a factor of 10²²
power_of_ten: 0.05 → 0.05 | 0.01 → 0.01 | 0 → 0 | 1e-5 → 10⁻⁵ | 2.5e-4 → 2.5·10⁻⁴
share: 0.353 → 35.3 % | -0.012 → −1.2 % | 0.997 → 99.7 % | 1 → 100.0 % | 0 → 0.0 % | 1e-13 → 0.0 %
share: 0.9999 → over 99.9 % | 0.0001 → under 0.1 % | 1.0001 → just over 100 % | -0.0001 → just under 0 %
per_hundred: 0.8 → 80 | 0.9999 → over 99.9 | 0.9995 → over 99.9 | 1 → 100 | 0.0001 → under 0.1 | 0.0005 → 0.05
odds: inf → all to nothing | -inf → nothing to all | 0 → even | log4 → 4 to 1 | log0.4444 → 1 to 2.25
odds: 0.5 → 1.65 to 1 | 0.005 → 1.00501 to 1 | log150 → 150 to 1
odds: log12345.6 → 12,346 to 1 | log1e6 → 1,000,000 to 1 | 21 → over 10⁹ to 1
standard_error: 0.016 → 1.6 | 0.02 → 2.0 | 0.25 → 25 | 1.05 → 105 | 0.0987 → 9.9 | 0.0999 → 10 | 1e-4 → 0.010
standard_error: 1.5e-6 → 1.5·10⁻⁴
points: 0.059 → +5.9 points | -0.0001 → +0.0 points | -0.059 → −5.9 points
absolute_points: 0.059 → 5.9 points | -0.059 → 5.9 points
distance: 0.1634 → 0.163 | 0.0095 → 0.009 | 0.0012 → 0.0012 | 1e-4 → 0.0001 | 4.7e-6 → 4.7·10⁻⁶ | 0 → 0.000
signed: 0.0421 → +0.042 | -0.004 → −0.004
difference: 0.0596 0 → +5.96 | 0.000012 0.00001 → +0.001 | 0.05 0.005 → +5.00 | 0.05 0.000995 → +5.000
times: 4.66 → 4.7 | 1.02 → 1.02 | 1.05 → 1.1 | 1.26 → 1.3 | 100 → 100 | 12300 → 12,300 | 2.5e9 → 2.5·10⁹
seconds: 0.021 → 21 ms | 0.09945 → 99 ms | 0.1 → 0.1 s | 0.25 → 0.25 s | 63.2 → 63 s | 123.4 → 123 s
degrees: 27.44 → 27.4° | -0.01 → 0.0° | -27.44 → −27.4°
any_size: 643147100 → 643,147,100 | -1234.4 → −1,234 | 1000 → 1,000 | 27.41 → 27.4 | -0.9692 → −0.969 | 1e-10 → 0
any_size: 1e-9 → 1e−09
two_figures: 1e-10 → 0 | -0.25 → −0.25 | 1e-9 → 1e−09
people: 1 → 1 person | 1000 → 1,000 people | 1e9 → 1.0·10⁹ people | 6e16 → 6.0·10¹⁶ people
at_most: 0.25809 → 0.2580 | 0.98769 → 0.9876 | 1e-4 → 0.0001 | 0.00005 → under 0.0001
"""
CASES = [
    (line.split(": ")[0], *case.split(" → "))
    for line in WRITTEN.strip().splitlines()
    for case in line.split(": ")[1].split(" | ")
]


@pytest.mark.parametrize(("function", "values", "words"), CASES)
def test_a_number_as_people_read_it(function, values, words):
    found = [math.log(float(v[3:])) if v.startswith("log") else float(v) for v in values.split()]
    assert getattr(numbers, function)(*found) == words


@pytest.mark.parametrize(
    ("function", "given", "words"),
    [
        (numbers.one_in, 0.3, "one in 3.33"),
        (numbers.one_in, 0.05, "one in 20"),
        (numbers.one_in, 1e-6, "one in 1,000,000"),
        (numbers.one_in, 1e-100, "one in 1.0·10¹⁰⁰"),
        (numbers.join_words, (), ""),
        (numbers.join_words, ("7", "9"), "7 and 9"),
        (numbers.join_words, ("1", "2", "3"), "1, 2 and 3"),
        (numbers.count_trials, [1], "one trial"),
        (numbers.count_trials, range(10), "10 trials"),
        (numbers.error_sentence_html, "flip_prob is <b>1</b>", "Flip prob is &lt;b&gt;1&lt;/b&gt;."),
        (numbers.error_sentence_html, 'flip_prob of label_prob is "1"', 'Flip prob of label_prob is "1".'),
        (numbers.with_no_break_spaces, "5 % ± 1 ε = 2", "5\u00a0%\u00a0±\u00a01 ε\u00a0=\u00a02"),
        (numbers.escape_markdown, "[a](//b.test)", r"\[a\]\(\/\/b\.test\)"),
        (numbers.escape_markdown, "www.b.test", "www\u2060\\.b\\.test"),
        (numbers.escape_markdown, "x" * 401, "x" * 400 + "…"),
    ],
)
def test_words_as_people_read_them(function, given, words):
    assert function(given) == words


@pytest.mark.parametrize(
    ("epsilon", "words"),
    [
        (0.0, "an answer says nothing"),
        (math.log(3), "whatever was believed before, the odds change at most threefold"),
        (math.log(2.5), "whatever was believed before, the odds change at most by a factor of 2.50"),
        (math.inf, "an answer may say everything"),
    ],
)
def test_epsilon_bounds_the_odds(epsilon, words):
    assert numbers.odds_bound_text(epsilon) == words


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (1.0, "100 times of 100"),
        (0.999, "over 99 times of 100"),
        (0.97, "97 times of 100"),
        (0.01, "1 time of 100"),
        (0.001, "under 1 time of 100"),
        (0.0, "0 times of 100"),
    ],
)
def test_how_often_something_happens_is_said_in_whole_times(share, words):
    assert numbers.times_of_100(share) == words
