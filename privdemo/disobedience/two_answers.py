"""What a part of the people that does not follow the rules does to the share of Yes, in closed form.

Two answers, 0 (No) and 1 (Yes). Those who disobey answer by a channel of their own, so that everybody together answers
by a mix of two channels, which is a channel again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privdemo import limits
from privdemo.disobedience.ways import Way
from privdemo.intervals import wilson_ends
from privdemo.mechanisms import BinaryChannel

Array = NDArray[np.floating]


def mixed_channel(channel: BinaryChannel, way: Way, part: float) -> BinaryChannel:
    """Return the channel of all people if a `part` of them, chosen whatever the truth, answers in a `way` of its own.

    (1 − z) T + z W, of the mechanism's channel T and that of the way W.
    """
    limits.PART.check(part)
    theirs = way.channel(channel)
    return BinaryChannel(
        *((1 - part) * ours + part * other for ours, other in ((channel.p10, theirs.p10), (channel.p01, theirs.p01)))
    )


def share_bias(channel: BinaryChannel, way: Way, part: float, their_share: float) -> float:
    """Return by how much the corrected estimate (`votes.corrected`) misses everybody's true share, on average.

    z ((w₁₀ + (1 − w₁₀ − w₀₁) π − P₁₀)/(1 − P₁₀ − P₀₁) − π), π = `their_share` among those who disobey, w their channel.
    The share among the others does not matter. Raises ``ValueError`` where answers carry no information.
    """
    limits.PART.check(part)
    limits.SHARE.check(their_share)
    theirs = way.channel(channel)
    from_no, from_yes = channel.inverse_matrix[1]
    says_yes = theirs.p10 + (1 - theirs.p10 - theirs.p01) * their_share
    return part * (from_no * (1 - says_yes) + from_yes * says_yes - their_share)


def expected_estimate(
    channel: BinaryChannel, way: Way, part: float, share: float, their_share: float | None = None
) -> float:
    """Return the mean of the corrected estimate: everybody's share and `share_bias`.

    `share` is true of those who follow the rules, `their_share` (by default the same) of those who do not. The mean may
    be below 0 or above 1.
    """
    limits.SHARE.check(share)
    theirs = share if their_share is None else their_share
    return (1 - part) * share + part * theirs + share_bias(channel, way, part, theirs)


class PossibleShares(NamedTuple):
    """The least and the largest share of all people that a survey is compatible with: of a number, or (k,) each.

    `low` and `high` are of infinitely many people; `least` and `most` allow for chance too, 95 times of 100.
    """

    low: Array
    high: Array
    least: Array
    most: Array


def identification_interval(
    channel: BinaryChannel, said_yes: ArrayLike, people: int, most_part: float
) -> PossibleShares:
    """Return which shares of all people are possible if up to `most_part` of them send whatever they like.

    `said_yes` of `people` say Yes. Those who disobey may all say No while Yes is true of all of them, or the reverse:
    no survey by `channel` alone can tell. The interval has the width z (1 + 1/|1 − P₁₀ − P₀₁|), unless an end of [0, 1]
    cuts it. For one answer of many take `oracle.one_against_rest` and how many reports support each answer, (k,); then
    `least` and `most` hold for each answer by itself. Raises ``ValueError`` for impossible counts.
    """
    limits.ORACLE_PEOPLE.check(people)
    counts = np.asarray(said_yes, dtype=float)
    if not ((counts >= 0) & (counts <= people)).all():
        raise ValueError(f"said_yes must be counts from 0 to the {people} people, got {said_yes!r}; count again")
    seen = counts / people
    from_least, from_most = wilson_ends(seen, people)
    low, high = possible_shares(channel, seen, most_part)
    ends = [end for share in (from_least, from_most) for end in possible_shares(channel, share, most_part)]
    return PossibleShares(low, high, np.minimum.reduce(ends), np.maximum.reduce(ends))


def possible_shares(channel: BinaryChannel, seen: ArrayLike, most_part: float) -> tuple[Array, Array]:
    """Return the least and the largest share of all people if a share `seen` of very many answers is Yes.

    Up to `most_part` of them send whatever they like; see `identification_interval`.
    """
    limits.PART.check(most_part)
    from_no, from_yes = channel.inverse_matrix[1]
    contrast = 1 / (from_yes - from_no)
    # Yes is true of this part of all people, who follow the rules, if none or all of the others say Yes.
    if_none, if_all = ((np.asarray(seen) - (1 - most_part) * channel.p10 - yes) / contrast for yes in (0.0, most_part))
    low, high = (np.clip(end, 0, 1 - most_part) for end in (np.minimum(if_none, if_all), np.maximum(if_none, if_all)))
    return low, high + most_part
