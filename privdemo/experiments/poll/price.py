"""The cost of lies in people: the number needed for an interval of some width, with lies and without."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from privdemo import limits
from privdemo.disobedience import Design
from privdemo.estimators import votes
from privdemo.experiments.poll.reveal import Reveal
from privdemo.mechanisms import BinaryChannel

# Half the widths of the intervals for which people are counted.
_WIDTHS = (0.1, 0.05, 0.02)
_TRUTHFUL = BinaryChannel(0.0, 0.0)


class Price(NamedTuple):
    """The price of privacy in people: the number of true answers with the precision of the poll's answers, ± `half`.

    `with_lies` is the number of answers of the poll, `without_lies` that of true answers; 0 if one true answer is more
    precise. `plans` are people needed for some half-widths, with these lies and without: (half, with, without). Every
    width is that of the widest interval of a reveal, so that it holds for all answers. With a check `half` is that of
    the corrected share, and the plans are those of many people, of whom as many disobey as was noticed.
    """

    with_lies: int
    without_lies: int
    half: float
    plans: tuple[tuple[float, int, int], ...]


def price(found: Reveal) -> Price:
    """Return what the lies cost."""
    if (design := found.config.design) and found.noticed:
        share, part = found.noticed.share, min(found.noticed.part.mean, limits.PART_OF_POLL.high)
        half, needed = (share.high - share.low) / 2, lambda width: _checked_people_needed(design, part, width)
    else:
        channel = found.config.channel
        miss = found.config.miss
        half, needed = half_width(found.n_answers, channel, miss), lambda width: people_needed(channel, width, miss)
    plans = tuple((width, needed(width), people_needed(_TRUTHFUL, width, found.config.miss)) for width in _WIDTHS)
    return Price(found.n_answers, _truthful_people_needed(half, found.config.miss), half, plans)


def _checked_people_needed(design: Design, part: float, half: float) -> int:
    """Return how many people give `half` the interval, whatever the share is, if a `part` does not follow the rules."""
    return max(design.people_needed(half, share, part) for share in np.linspace(0, 1, 21))


@lru_cache(4096)
def half_width(n_people: int, channel: BinaryChannel, miss: float = 0.05) -> float:
    """Return half the interval (`votes.exact`) from `n_people`, before it is cut at 0 and 1, where it is widest.

    That is where half of all answers are this one, or as near to half as the lies allow.
    """
    likeliest = min(max(0.5, channel.p10), 1 - channel.p01)
    count = int(likeliest * n_people)
    ends = [votes.exact(each, n_people, channel, miss) for each in {count, min(count + 1, n_people)}]
    return max(found.high - found.low for found in ends) / 2


@lru_cache(4096)
def people_needed(channel: BinaryChannel, half: float, miss: float = 0.05) -> int:
    """Return the fewest people from whom the interval is ± `half` or narrower, whatever they answer."""
    few, many = 0, 1
    while half_width(many, channel, miss) > half:
        few, many = many, 2 * many
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if half_width(middle, channel, miss) <= half else (middle, many)
    return many


def _truthful_people_needed(half: float, miss: float) -> int:
    """Return the number of true answers whose interval is ± `half`; 0 where it is wider than that of one."""
    return 0 if half > half_width(1, _TRUTHFUL, miss) else people_needed(_TRUTHFUL, half, miss)
