"""Surveys with two answers that notice whether people follow the rules.

With one lie for all, people who say No whatever happens look like people for whom No is true. Two random halves with
different lies, or a question whose true share is known, tell them apart: two numbers are seen and two are unknown.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize.elementwise import find_root
from scipy.stats import chi2

from privdemo import limits
from privdemo.disobedience import hidden_parts
from privdemo.disobedience.hidden_parts import (
    ALL_FOLLOW,
    DISOBEYS,
    LEAST,
    MOST,
    OBEYS_NO,
    OBEYS_YES,
    PART,
    SHARE,
    Asked,
)
from privdemo.disobedience.ways import ALWAYS_NO, Way
from privdemo.intervals import Z95, Estimate
from privdemo.mechanisms import BinaryChannel

Array = NDArray[np.floating]
# How exactly the end of an interval is found.
TOLERANCES = {"xatol": 1e-7, "fatol": 1e-7}
# How near to 0 and to 1 the end of an interval is searched.
EDGE = 1e-9
YES = 1


class Design(ABC):
    """A survey whose counts, (2, 2), tell how many people do not follow the rules.

    `way` is what those people are taken to do: answer by chance alone, such as `ALWAYS_NO`.
    """

    way: Way

    @property
    @abstractmethod
    def lies(self) -> BinaryChannel:
        """The channel with which a survey with one lie for all would be asked, of the same largest ε."""

    @property
    @abstractmethod
    def independent_rows(self) -> bool:
        """Whether each row of the counts is a group of people of its own; else each person is in one of four cells."""

    @abstractmethod
    def _cells(self) -> Array:
        """Return P(cell | hidden part) of each group, (4, 3)."""

    def channel_matrix(self, people: Sequence[int]) -> Array:
        """Return P(cell | hidden part), (4, 3), of people in groups of these sizes: a label channel.

        Cells are those of the counts row by row; the parts are in the order `OBEYS_NO`, `OBEYS_YES`, `DISOBEYS`.
        """
        rows = np.repeat(np.asarray(people) / sum(people), 2) if self.independent_rows else 1.0
        return self._cells() * np.broadcast_to(rows, 4)[:, None]

    def probabilities(self, share: float, part: float) -> Array:
        """Return the probability of each cell, (2, 2), within its row if rows are groups of their own."""
        limits.SHARE.check(share)
        limits.PART.check(part)
        return (self._cells() @ [(1 - part) * (1 - share), (1 - part) * share, part]).reshape(2, 2)

    def sample(self, share: float, part: float, people: int, rng: np.random.Generator, size: int = 1) -> NDArray:
        """Return counts of `size` surveys, (size, 2, 2), if Yes is true of `share` of those who follow the rules.

        Of groups the first has the odd person.
        """
        limits.N_VOTERS.check(people)
        chances = self.probabilities(share, part)
        if not self.independent_rows:
            return rng.multinomial(people, chances.ravel(), size).reshape(size, 2, 2)
        groups = ((people + 1) // 2, people // 2)
        return np.stack([rng.multinomial(n, p, size) for n, p in zip(groups, chances, strict=True)], axis=1)

    def covariance(self, share: float, part: float, people: int) -> Array:
        """Return the covariance matrix (2, 2) of the estimated share and part for many people: the inverse of Fisher's
        information.

        Rows that are groups are taken as halves.
        """
        limits.N_VOTERS.check(people)
        cells = self.channel_matrix((1, 1))
        moved = np.stack(
            [
                (1 - part) * (cells[:, OBEYS_YES] - cells[:, OBEYS_NO]),
                cells[:, DISOBEYS] - cells[:, OBEYS_NO] - share * (cells[:, OBEYS_YES] - cells[:, OBEYS_NO]),
            ]
        )
        chance = cells @ [(1 - part) * (1 - share), (1 - part) * share, part]
        return np.linalg.inv((moved / np.maximum(chance, 1e-300)) @ moved.T) / people

    def half_width(self, share: float, part: float, people: int) -> float:
        """Return half the width of the share's 95 % interval for many people."""
        return Z95 * math.sqrt(float(self.covariance(share, part, people)[0, 0]))

    def people_needed(self, half_width: float, share: float, part: float = 0.0) -> int:
        """Return how many people give that half-width, by the formula for many people."""
        limits.HALF_WIDTH.check(half_width)
        return math.ceil((self.half_width(share, part, 1) / half_width) ** 2)

    def price(self, share: float, part: float = 0.0) -> float:
        """Return how many times as many people are needed as if all followed the rules and that were known.

        They would then all be asked with `lies`.
        """
        says_yes = self.lies.p10 + self.lies.contrast * share
        alone = says_yes * (1 - says_yes) / self.lies.contrast**2
        return float(self.covariance(share, part, 1)[0, 0]) / alone


def _says_yes(way: Way, channel: BinaryChannel) -> float:
    """Return how often people of this `way` say Yes. Raises ``ValueError`` where that depends on the truth."""
    theirs = way.channel(channel)
    if theirs.contrast:
        raise ValueError(
            f"way must be one whose answers do not depend on the truth, such as ALWAYS_NO, got {way!r}; "
            "people who openly tell the truth spoil no estimate, but look like fewer lies"
        )
    return theirs.p10


def _group(channel: BinaryChannel, yes: float) -> Array:
    """Return P(answer | hidden part) of one group, (2, 3)."""
    return np.column_stack([channel.channel_matrix, [1 - yes, yes]])


@dataclass(frozen=True)
class TwoHalves(Design):
    """Two random halves of the people with different lies (Clark & Desharnais 1998).

    P(Yes in half h) = (1 − z)(P₁₀ + (1 − P₁₀ − P₀₁) π) + z y, where a part z says Yes with y whatever happens, and π is
    the share of those who follow the rules. Counts are (halves, answers).
    """

    first: BinaryChannel
    second: BinaryChannel
    way: Way = ALWAYS_NO

    def __post_init__(self) -> None:
        yes = [_says_yes(self.way, channel) for channel in (self.first, self.second)]
        # Each half gives one equation with the coefficients (P₁₀ − y, contrast); in proportion the two are one.
        (a, b), (c, d) = ((lies.p10 - y, lies.contrast) for lies, y in zip((self.first, self.second), yes, strict=True))
        if abs(a * d - b * c) < 1e-9:
            raise ValueError(
                f"first and second must be different lies, got {self.first} and {self.second} for {self.way}; "
                "with one lie for all nobody can tell a lie from disobedience: take .1 and .4, say"
            )

    @property
    def lies(self) -> BinaryChannel:
        return max(self.first, self.second, key=lambda channel: channel.epsilon)

    @property
    def independent_rows(self) -> bool:
        return True

    def _cells(self) -> Array:
        return np.vstack([_group(channel, _says_yes(self.way, channel)) for channel in (self.first, self.second)])


@dataclass(frozen=True)
class ControlQuestion(Design):
    """A second question whose true share is known, asked with the same lies.

    Such as whether somebody's birthday is in January to March: a quarter. Everybody answers both, with independent
    lies, and whoever does not follow the rules answers both in the same way; counts are (answer, answer to the control
    question). Or, with `to_others`, a random half answers the control question instead; counts are then (questions,
    answers). The two truths are taken to be independent.
    """

    channel: BinaryChannel
    known_share: float = 0.25
    way: Way = ALWAYS_NO
    to_others: bool = False

    def __post_init__(self) -> None:
        limits.SHARE.check(self.known_share)
        self.channel.inverse_matrix  # noqa: B018 (raises where answers carry no information)
        yes = _says_yes(self.way, self.channel)
        if abs(self._control()[YES] - yes) < 1e-9:
            raise ValueError(
                f"known_share must be one at which the control question is answered otherwise than by {self.way}, got "
                f"{self.known_share:g}; take another control question"
            )

    @property
    def lies(self) -> BinaryChannel:
        return self.channel

    @property
    def independent_rows(self) -> bool:
        return self.to_others

    def _control(self) -> Array:
        """Return P(answer to the control question) of those who follow the rules, (2,)."""
        return self.channel.channel_matrix @ [1 - self.known_share, self.known_share]

    def _cells(self) -> Array:
        question, control = _group(self.channel, _says_yes(self.way, self.channel)), self._control()
        answers = np.column_stack([control, control, question[:, DISOBEYS]])
        if self.to_others:
            return np.vstack([question, answers])
        return (question[:, None] * answers).reshape(4, 3)


class Noticed(NamedTuple):
    """What a survey that notices says.

    `share` is that of those who follow the rules, `part` what part of all people does not, each with its 95 % interval.
    Everybody's share is between `everybody_low` = π(1 − z) and `everybody_high` = π(1 − z) + z, as nothing is known of
    those who disobey; the ends of their intervals hold both. It is `share` only if disobedience has nothing to do with
    the truth. `if_all_follow` is the share that is estimated if nobody is taken to disobey. `p_value` is of the test
    that nobody does.
    """

    share: Estimate
    part: Estimate
    everybody_low: Estimate
    everybody_high: Estimate
    if_all_follow: Estimate
    p_value: float


def notice(design: Design, counts: ArrayLike) -> Noticed:
    """Return the maximum-likelihood estimates from a survey's `counts` (2, 2), with profile likelihood intervals.

    Raises ``ValueError`` for counts that are no whole numbers, and where a group is empty.
    """
    seen = np.asarray(counts)
    if seen.shape != (2, 2) or not np.issubdtype(seen.dtype, np.integer) or (seen < 0).any():
        raise ValueError(f"counts must be 2 × 2 whole numbers from 0, such as [[80, 70], [95, 55]], got {counts!r}")
    if not seen.sum() or (design.independent_rows and not seen.sum(axis=1).all()):
        raise ValueError(f"counts must be of at least one person in each group, got {seen.tolist()}; ask more people")
    return notice_many(design, seen[None])[0]


def notice_many(design: Design, counts: NDArray[np.integer]) -> list[Noticed]:
    """Return `notice` of each of many surveys, `counts` (m, 2, 2), together."""
    seen = counts.reshape(-1, 4).astype(float)
    channel = design.channel_matrix((1, 1))
    share, part, best = hidden_parts.maximise(seen, channel)
    alone, best_alone = hidden_parts.best_share(seen, channel)
    yes = (1 - part) * share
    asked = ((SHARE, share), (PART, part), (LEAST, yes), (MOST, yes + part), (ALL_FOLLOW, alone))
    bests = np.stack([best] * 4 + [best_alone])
    low, high = _ends(seen, channel, np.stack([each for each, _ in asked]), np.stack([v for _, v in asked]), bests)
    estimates = [
        [Estimate(*ends) for ends in zip(value.tolist(), *each, strict=True)]
        for (_, value), *each in zip(asked, low.tolist(), high.tolist(), strict=True)
    ]
    apart = np.maximum(0.0, 2 * (best - best_alone))
    p_values = np.where(part > 0, chi2.sf(apart, 1) / 2, 1.0)
    share_of, part_of, low_of, high_of, follow_of = estimates
    rows = zip(share_of, part_of, low_of, high_of, follow_of, p_values.tolist(), strict=True)
    return [Noticed(*row) for row in rows]


def _ends(counts: Array, channel: Array, asked: Asked, values: Array, best: Array) -> tuple[Array, Array]:
    """Return both ends of the 95 % interval of all that is `asked` (a, 2, 2, 3), about the likeliest `values` (a, m).

    An interval holds the values whose log-likelihood ratio is at most that of `Z95` standard errors, z² / 2, below the
    `best` (a, m).
    """
    n_asked, m = values.shape

    def drop(at: Array, which: NDArray[np.integer]) -> Array:
        question, row = np.divmod(which, m)
        likelihood = hidden_parts.profile(counts[row], channel, asked[question], at)
        return np.sqrt(np.maximum(0.0, 2 * (best[question, row] - likelihood))) - Z95  # nearly even in `at`

    which = np.tile(np.arange(n_asked * m), 2)
    outer, ends = np.repeat([EDGE, 1 - EDGE], n_asked * m), np.repeat([0.0, 1.0], n_asked * m)
    cut = drop(outer, which) > 0
    if cut.any():
        bracket = (values.ravel()[which[cut]], outer[cut])
        ends[cut] = find_root(drop, bracket, args=(which[cut],), tolerances=TOLERANCES).x
    low, high = ends.reshape(2, n_asked, m)
    return low, high
