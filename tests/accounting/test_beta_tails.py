"""Beta tails and differences of log Γ against 60 digits."""

import math

import mpmath
import pytest

from privdemo.accounting.beta_tails import FAR, beta_tail, huge_beta_tail, log_rise


@pytest.mark.parametrize(("p", "q"), [(0.5, 0.5), (3.0, 8.0), (40.0, 2.0), (0.01, 0.02), (2.0, 1e-4), (2.0, 1e-3)])
def test_tails_are_those_of_60_digits_also_where_a_series_takes_over(p, q):
    for log_odds in (-30.0, -1.5, 0.0, 0.7, 20.0, FAR - 1e-6, FAR + 1e-6, 1.5 * FAR)[: 8 if q < 1e-2 else 5]:
        with mpmath.workdps(60):
            exact = float(mpmath.betainc(q, p, 0, 1 / (1 + mpmath.exp(log_odds)), regularized=True))
        assert beta_tail(p, q, log_odds) == pytest.approx(exact, rel=1e-9 if log_odds > 20 else 1e-10)
        assert beta_tail(q, p, -log_odds) == pytest.approx(1 - exact, rel=1e-9)


@pytest.mark.parametrize(("p", "q"), [(2e7, 3e7), (1.5e7, 9e8), (4e8, 4e8)])
def test_tails_of_huge_parameters(p, q):
    for z in (-3.0, -0.4, 0.0, 1.0, 4.0):  # in standard deviations of the log odds, √(1/p + 1/q)
        log_odds = math.log(p / q) + z * math.sqrt(1 / p + 1 / q)
        # two terms of the expansion: 1e-7, of at most 1 in all
        assert huge_beta_tail(p, q, log_odds) == pytest.approx(beta_tail(p, q, log_odds), abs=1e-7)
    # a thousand standard deviations out there is all or nothing
    assert [huge_beta_tail(p, q, math.log(p / q) + far) for far in (1.001, -1.001)] == [0, 1]


@pytest.mark.parametrize("x", [1e-3, 0.5, 6.0, 19.9, 20.1, 300.0, 1e9, 1e15])
def test_rises_of_log_gamma(x):
    for h in (1e-6, 0.3, 1.0, 50.0):
        with mpmath.workdps(60):
            exact = float(mpmath.loggamma(mpmath.mpf(x) + mpmath.mpf(h)) - mpmath.loggamma(mpmath.mpf(x)))
        # below 20 the library's difference of two numbers up to 40; above, Stirling's series
        assert log_rise(x, h) == pytest.approx(exact, rel=3e-14, abs=2e-14 if x < 20 else 1e-17)
