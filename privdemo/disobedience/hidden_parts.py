"""The likelihood of a survey in which a part of the people may not follow the rules.

Everybody is in one of three hidden parts: follows the rules and No is true, follows them and Yes is true, does not
follow them. A survey is a channel matrix C[cell, part], as any label channel of this package: the probability of each
cell that is counted (an answer in a group) in each part. Of shares μ of the parts the log-likelihood Σ n log(C μ) is
concave. Whatever is asked of μ, its value leaves a segment of the triangle of all μ, so that a profile likelihood is
the maximum of a concave function of one number.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize.elementwise import find_root
from scipy.special import xlogy

Array = NDArray[np.floating]
Asked = NDArray[np.float64]
# The columns of C.
OBEYS_NO, OBEYS_YES, DISOBEYS = range(3)
# Newton's steps at most; a step that leaves the bracket is replaced by its middle.
STEPS = 60
# How exactly the likeliest part is found; the likelihood there is exact to the square of that.
TOLERANCES = {"xatol": 1e-9}
# The likelihood is not looked at where nobody is left to follow the rules.
MOST_PART = 1 - 1e-9


# What may be asked of the shares of the parts: where its value is 0 and where it is 1, the two ends of the segment of
# all shares with that value, (2, 2, 3). In between the ends move evenly.
_NO, _YES, _OTHER = np.eye(3)
# The share among those who follow the rules, and the part that does not follow them.
SHARE: Asked = np.array([[_NO, _OTHER], [_YES, _OTHER]])
PART: Asked = np.array([[_NO, _YES], [_OTHER, _OTHER]])
# The least and the largest share of all people: none or all of those who disobey are added to Yes.
LEAST: Asked = np.array([[_NO, _OTHER], [_YES, _YES]])
MOST: Asked = np.array([[_NO, _NO], [_YES, _OTHER]])
# The share if everybody follows the rules.
ALL_FOLLOW: Asked = np.array([[_NO, _NO], [_YES, _YES]])


def profile(counts: Array, channel: Array, asked: Asked, value: Array) -> Array:
    """Return the largest log-likelihood of `counts` (m, J) with the `value` (m,) of what is `asked`: (m,).

    `channel` is C, (J, 3); `asked` is one question for all, (2, 2, 3), or one for each row, (m, 2, 2, 3).
    """
    start, step = _segment(channel, asked, value)
    return _best_on_segment(counts, start, step)[1]


def _segment(channel: Array, asked: Asked, value: Array) -> tuple[Array, Array]:
    """Return the cells' probabilities at the start of each value's segment, and by how much they change along it, (m,
    J) each.
    """
    at_0, at_1 = np.moveaxis(asked @ channel.T, -3, 0)
    ends = at_0 + value[:, None, None] * (at_1 - at_0)
    return ends[:, 0], ends[:, 1] - ends[:, 0]


def best_share(counts: Array, channel: Array) -> tuple[Array, Array]:
    """Return the likeliest share if everybody follows the rules, (m,), and the log-likelihood there."""
    no, yes = (np.broadcast_to(channel[:, part], counts.shape) for part in (OBEYS_NO, OBEYS_YES))
    return _best_on_segment(counts, no, yes - no)


def _best_on_segment(counts: Array, start: Array, step: Array) -> tuple[Array, Array]:
    """Return the s in [0, 1], (m,), at which the cells' probabilities `start` + s `step`, (m, J), make `counts` (m, J)
    likeliest, and that log-likelihood.
    """

    def slope_and_bend(s: Array) -> tuple[Array, Array]:
        chance = start + s[:, None] * step
        ratio = np.divide(step, chance, out=np.zeros(np.broadcast(counts, chance).shape), where=counts > 0)
        return (counts * ratio).sum(axis=-1), -(counts * ratio * ratio).sum(axis=-1)

    m = len(counts)
    low, high = np.zeros(m), np.ones(m)
    with np.errstate(divide="ignore", invalid="ignore"):
        at_start, at_end = slope_and_bend(low)[0] <= 0, slope_and_bend(high)[0] >= 0
        s = np.full(m, 0.5)
        for _ in range(STEPS):
            slope, bend = slope_and_bend(s)
            low, high = np.where(slope > 0, s, low), np.where(slope > 0, high, s)
            newton = s - slope / bend
            moved = np.where((newton > low) & (newton < high), newton, (low + high) / 2)
            far, s = np.abs(moved - s), moved
            if (far < 1e-10)[~(at_start | at_end)].all():
                break
    s = np.where(at_start, 0.0, np.where(at_end, 1.0, s))
    return s, xlogy(counts, start + s[:, None] * step).sum(axis=-1)


def maximise(counts: Array, channel: Array) -> tuple[Array, Array, Array]:
    """Return the likeliest share among those who follow the rules and the likeliest part that does not, (m,) each, and
    the log-likelihood there.

    The part is where the profile likelihood is level: its slope is the likelihood's own with the share held (envelope
    theorem). Where the likelihood is level in the part, as with one lie for all, the part is 0.
    """

    def slope(part: Array, rows: NDArray[np.integer]) -> Array:
        seen = counts[rows]
        start, step = _segment(channel, PART, part)
        share, _ = _best_on_segment(seen, start, step)
        obeys = channel[:, OBEYS_NO] + share[:, None] * (channel[:, OBEYS_YES] - channel[:, OBEYS_NO])
        chance = start + share[:, None] * step
        gained = seen * (channel[:, DISOBEYS] - obeys)
        return np.divide(gained, chance, out=np.zeros(chance.shape), where=seen > 0).sum(axis=-1)

    rows = np.arange(len(counts))
    part, most = np.zeros(len(counts)), np.full(len(counts), MOST_PART)
    with np.errstate(divide="ignore"):
        rises, falls = slope(part, rows) > 0, slope(most, rows) < 0
        part[rises & ~falls] = MOST_PART
        inside = rises & falls
        if inside.any():
            part[inside] = find_root(slope, (part[inside], most[inside]), args=(rows[inside],), tolerances=TOLERANCES).x
    share, likelihood = _best_on_segment(counts, *_segment(channel, PART, part))
    return share, part, likelihood
