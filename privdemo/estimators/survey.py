"""Number of voters, lie and precision of a survey, each from the other two.

Under a symmetric lie p a share θ is answered A with q = p + (1−2p)θ, and the interval of the spread estimate is
Wilson's for q divided by 1 − 2p. With c = 1 − 2p and q(1−q) = ¼ − c²(θ−½)² its half-width h obeys

    (h c (1 + z²/N) / z)² = q(1−q)/N + z²/(4N²),

which is quadratic in N, linear in c² and explicit in h: all three have closed forms. Where the two
votes lie differently, with P₁₀ and P₀₁, q = P₁₀ + cθ and c = |1 − P₁₀ − P₀₁|; such lies are given as a channel.
"""

from __future__ import annotations

import math

from privdemo import accounting, limits
from privdemo.intervals import Z95
from privdemo.mechanisms import BinaryChannel

Z2 = Z95**2
# A flip probability for all, or a channel with one for each vote.
Lie = float | BinaryChannel


def half_width(n_voters: int, flip_prob: Lie, share: float = 0.5) -> float:
    """Return half the width of the 95 % interval that `n_voters` N answers give, in shares; ∞ at p = ½.

    `flip_prob` p in [0, ½]; `share` θ (½ is the worst case). Taken at the expected share of answers.
    """
    limits.N_VOTERS.check(n_voters)
    contrast, variance = _answers(flip_prob, share)
    if contrast == 0:
        return math.inf
    return Z95 / (1 + Z2 / n_voters) * math.sqrt(variance / n_voters + Z2 / (4 * n_voters**2)) / contrast


def voters_needed(flip_prob: Lie, half_width: float, share: float = 0.5) -> float:
    """Return the fewest voters whose 95 % interval is ± `half_width` or narrower; ∞ at p = ½.

    The positive root of A N² + (2A z² − q(1−q)) N + A z⁴ − z²/4 = 0 with A = (h c / z)², rounded up.
    """
    limits.HALF_WIDTH.check(half_width)
    contrast, variance = _answers(flip_prob, share)
    if contrast == 0:
        return math.inf
    a = (half_width * contrast / Z95) ** 2
    b = 2 * a * Z2 - variance
    c = a * Z2**2 - Z2 / 4
    root = (math.sqrt(max(0.0, b * b - 4 * a * c)) - b) / (2 * a)
    return max(1, math.ceil(root * (1 - 1e-12)))


def flip_prob_allowed(n_voters: int, half_width: float, share: float = 0.5) -> float:
    """Return the largest lie at which N voters give ± `half_width`: c² = (¼/N + z²/4N²) / ((h(1 + z²/N)/z)² +
    (θ−½)²/N).

    Raises ``ValueError`` when even true answers are not precise enough.
    """
    limits.N_VOTERS.check(n_voters)
    limits.HALF_WIDTH.check(half_width)
    limits.SHARE.check(share)
    wanted = (half_width * (1 + Z2 / n_voters) / Z95) ** 2 + (share - 0.5) ** 2 / n_voters
    contrast = math.sqrt((1 / n_voters + Z2 / n_voters**2) / 4 / wanted)
    if contrast > 1 + 1e-12:
        truthful = voters_needed(0.0, half_width, share)
        raise ValueError(
            f"n_voters must be at least {truthful} for a half-width of {half_width:g}, even if everyone tells "
            f"the truth, got {n_voters}; ask more people or accept a wider interval"
        )
    return max(0.0, (1 - contrast) / 2)


def price(flip_prob: Lie, share: float = 0.5) -> float:
    """Return the factor by which the number of voters grows, compared with true answers, for the same standard error.

    q(1−q) / (c² θ(1−θ)); at θ = ½ it is 1/c². ∞ at p = ½, and where true answers never vary.
    """
    contrast, variance = _answers(flip_prob, share)
    scale = contrast**2 * share * (1 - share)
    return math.inf if scale == 0 else variance / scale


def curve(half_width: float, share: float = 0.5, through: float = 1.0) -> list[tuple[float, float]]:
    """Return (ε, voters needed) for ε from 0.1 to 10, evenly on a logarithmic scale; further if ε = `through` lies
    outside.
    """
    known = 0 < through < math.inf
    low, high = (min(0.1, through / 1.5), max(10.0, 1.5 * through)) if known else (0.1, 10.0)
    epsilons = [low * (high / low) ** (i / 60) for i in range(61)]
    return [
        (epsilon, voters_needed(accounting.randomised_response_flip_prob(epsilon), half_width, share))
        for epsilon in epsilons
    ]


def _answers(lie: Lie, share: float) -> tuple[float, float]:
    """Return the size of the contrast, c = 1 − 2p for a lie p, and the variance q(1−q) of one answer."""
    limits.SHARE.check(share)
    if isinstance(lie, BinaryChannel):
        contrast, says_a = abs(lie.contrast), lie.p10 + lie.contrast * share
    else:
        limits.flip_prob_limit(2).check(lie)
        contrast, says_a = 1 - 2 * lie, lie + (1 - 2 * lie) * share
    return contrast, says_a * (1 - says_a)
