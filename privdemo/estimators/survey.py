"""The price of privacy: voters, lie and precision, each from the other two.

The spread estimate of a share θ under a symmetric lie p has the standard error √(q(1−q)/N)/(1−2p) with
q = p + (1−2p)θ. As q(1−q) = ¼ − (1−2p)²(θ−½)², all three questions have answers in closed form.
"""

from __future__ import annotations

import math

from privdemo import accounting, limits
from privdemo.intervals import Z95


def half_width(n_voters: int, flip_prob: float, share: float = 0.5) -> float:
    """Half the width of a 95 % interval, z √(q(1−q)/N) / (1−2p), in shares.

    `n_voters` N, `flip_prob` p in [0, ½), `share` θ (½ is the worst case). ∞ at p = ½.
    """
    limits.N_VOTERS.check(n_voters)
    return Z95 * math.sqrt(_variance(flip_prob, share) / n_voters)


def voters_needed(flip_prob: float, half_width: float, share: float = 0.5) -> float:
    """The N at which 95 % intervals are ± `half_width`: (z/h)² q(1−q)/(1−2p)², rounded up to a whole; ∞ at p = ½."""
    limits.HALF_WIDTH.check(half_width)
    needed = (Z95 / half_width) ** 2 * _variance(flip_prob, share)
    return needed if math.isinf(needed) else max(1, math.ceil(needed * (1 - 1e-12)))


def flip_prob_allowed(n_voters: int, half_width: float, share: float = 0.5) -> float:
    """The largest lie at which N voters give ± `half_width`: 1 − 2p = ½ / √(N h²/z² + (θ−½)²).

    Raises ``ValueError`` when not even honest answers would do.
    """
    limits.N_VOTERS.check(n_voters)
    limits.HALF_WIDTH.check(half_width)
    limits.SHARE.check(share)
    contrast = 0.5 / math.sqrt(n_voters * (half_width / Z95) ** 2 + (share - 0.5) ** 2)
    if contrast > 1 + 1e-12:
        honest = voters_needed(0.0, half_width, share)
        raise ValueError(
            f"n_voters must be at least {honest} for a half-width of {half_width:g}, even if everyone tells the truth, "
            f"got {n_voters}; ask more people or accept a wider interval"
        )
    return max(0.0, (1 - contrast) / 2)


def price(flip_prob: float, share: float = 0.5) -> float:
    """How many times as many voters it takes as if everyone told the truth, for the same standard error.

    q(1−q) / ((1−2p)² θ(1−θ)); at θ = ½ it is 1/(1−2p)². ∞ at p = ½, and where honest answers never vary.
    """
    honest = _variance(0.0, share)
    return math.inf if honest == 0 else _variance(flip_prob, share) / honest


def curve(half_width: float, share: float = 0.5, n_points: int = 61) -> list[tuple[float, float]]:
    """(ε, voters needed) for ε from 0.1 to 10, evenly on a logarithmic scale."""
    epsilons = [10 ** (2 * i / (n_points - 1) - 1) for i in range(n_points)]
    return [(epsilon, voters_needed(accounting.flip_prob_for(epsilon), half_width, share)) for epsilon in epsilons]


def _variance(flip_prob: float, share: float) -> float:
    """N times the variance of the spread estimate: ¼/(1−2p)² − (θ−½)²."""
    limits.flip_prob_limit(2).check(flip_prob)
    limits.SHARE.check(share)
    contrast = 1 - 2 * flip_prob
    return math.inf if contrast == 0 else max(0.0, 0.25 / contrast**2 - (share - 0.5) ** 2)
