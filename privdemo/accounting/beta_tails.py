"""Tails of Beta distributions on the log odds scale, and differences of log Γ, to the last digits."""

from __future__ import annotations

import math

from scipy.special import betainc, betaincc, betaln, expit, gammaln, ndtr

# Beyond these log odds a share is too near to 0 for a number, and a Beta tail its power series' first term.
FAR = 700.0
# Stirling's series is exact to the last digit from here on.
LARGE = 20.0
# Where both parameters of a Beta distribution are above this, its tail is taken from `huge_beta_tail`, whose errors
# are small there: SciPy's functions lose digits from 1e11 on, and are left well before.
HUGE = 1e7


def log_rise(x: float, h: float) -> float:
    """Return log Γ(x + h) − log Γ(x), by Stirling's series where the two are so large that their digits would
    cancel.
    """
    if x < LARGE:
        return float(gammaln(x + h) - gammaln(x))
    return (x - 0.5) * math.log1p(h / x) - h + h * math.log(x + h) + _stirling(x + h) - _stirling(x)


def _stirling(x: float) -> float:
    square = x * x
    return (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * square)) / square) / square) / x


def beta_tail(p: float, q: float, log_odds: float) -> float:
    """Return P(log B/(1 − B) > `log_odds`) for B ~ Beta(p, q), also where B itself would round to 0 or 1."""
    if log_odds > FAR:
        return math.exp(-log_odds * q - math.log(q) - float(betaln(p, q)))
    if log_odds < -FAR:
        return -math.expm1(log_odds * p - math.log(p) - float(betaln(p, q)))
    return float(betainc(q, p, expit(-log_odds)) if log_odds > 0 else betaincc(p, q, expit(log_odds)))


def huge_beta_tail(p: float, q: float, log_odds: float) -> float:
    """Return what `beta_tail` does, for p and q that are both above `HUGE`, with errors below 1e-7.

    This is Temme's expansion for large p + q (DLMF 8.18.9), two terms, with c₀ at its centre.
    """
    n, share = p + q, p / (p + q)
    from_mean = log_odds - math.log(p / q)
    if abs(from_mean) > 1:  # a thousand standard deviations
        return 0.0 if from_mean > 0 else 1.0
    half_square = max(0.0, math.log1p(share * math.expm1(from_mean)) - share * from_mean)  # ½ η²
    eta = math.copysign(math.sqrt(2 * half_square), from_mean)
    skew = (1 - 2 * share) / (3 * math.sqrt(share * (1 - share)))
    return float(ndtr(-eta * math.sqrt(n))) - math.exp(-n * half_square) * skew / math.sqrt(2 * math.pi * n)
