"""Estimates from the answers of a class: the true share, and the posterior of a sender."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privdemo import accounting, attacks, limits
from privdemo.disobedience import Noticed, notice
from privdemo.estimators import frequencies, votes
from privdemo.experiments.poll.config import PollConfig
from privdemo.intervals import Estimate, exact_interval
from privdemo.mechanisms import BinaryChannel, RandomisedResponse


class Reading(NamedTuple):
    """One answer: its `senders`, the share of people who `reported` it, the share of whom it is `estimated` to be true
    (corrected for lies), and the share of the senders who `meant` it.

    Each share has a 95 % interval; that of `meant` varies the estimated share only. Those of three or more answers are
    wide enough to hold together in 95 of 100 polls (`PollConfig.miss`). The interval of `estimated` is cut at 0 and 1.
    `doubtful` is true if it lay outside before it was cut: such lies hardly explain the answers. Where the poll has
    noticed who follows the rules, `estimated` and `meant` are about these people alone. Of two halves `meant` is about
    the senders in the one in which answers say more.
    """

    answer: str
    senders: int
    reported: Estimate
    estimated: Estimate
    meant: Estimate
    doubtful: bool


@dataclass(frozen=True)
class Reveal:
    """A poll and its estimates, one reading for each answer.

    `channel` is what becomes of "this answer or another one" among all who answered; of two halves it is a mean.
    `noticed` is what a poll with a check says of the share of the first answer and of the part of the people who always
    send the second one; None without a check, and while a half is empty.
    """

    config: PollConfig
    readings: tuple[Reading, ...]
    channel: BinaryChannel
    noticed: Noticed | None = None

    @property
    def n_answers(self) -> int:
        """How many have answered."""
        return sum(reading.senders for reading in self.readings)

    def changed(self, reading: Reading) -> float:
        """Return the share of the senders of an answer, in both halves, who sent it because chance changed theirs.

        Who does not follow the rules sends the last answer, and chance has no part in it.
        """
        share, channel = reading.estimated.mean, self.channel
        others = 0.0
        if self.noticed and reading is self.readings[-1]:
            others = self.noticed.part.mean / (1 - self.noticed.part.mean)
        by_chance, by_truth = (1 - share) * channel.p10, share * (1 - channel.p01)
        return by_chance / (by_chance + by_truth + others)


def reveal(config: PollConfig, counts: tuple[int, ...]) -> Reveal:
    """Return the estimates from `counts` of all that can be sent (`PollConfig.by_answer`). Raises ``ValueError`` for
    impossible counts, and where nobody answered.
    """
    limits.Limit("number of counts", config.n_cells, config.n_cells, integer=True).check(len(counts))
    for count in counts:
        limits.Limit("count", 0, limits.POLL_PEOPLE.high, integer=True).check(count)
    cells, total = config.by_answer(counts), sum(counts)
    noticed = _noticed(config, cells)
    lie = (
        config.lie if len(config.lies) == 1 or not total else float(np.average(config.lies, weights=cells.sum(axis=0)))
    )
    channel = RandomisedResponse(lie, len(config.answers)).one_against_rest
    sent = tuple(cells.sum(axis=1).tolist())
    best = frequencies.randomised_response_mle(sent, lie).clip(0, 1)  # rounding may leave [0, 1]
    readings = []
    for i, (answer, count, share) in enumerate(zip(config.answers, sent, best, strict=True)):
        if noticed:
            true, unfit = noticed.share if i == 0 else _complement(noticed.share), False
        else:
            raw = votes.exact(count, total, channel, config.miss)
            low, high = (min(max(end, 0.0), 1.0) for end in raw[1:])
            # The most likely shares of all answers together may lie outside the interval of one by itself.
            true = Estimate(float(share), min(low, float(share)), max(high, float(share)))
            unfit = raw.high < 0 or raw.low > 1
        meant = Estimate(*(_posterior(config.channel, each) for each in true))
        readings.append(Reading(answer, count, exact_interval(count, total, config.miss), true, meant, unfit))
    return Reveal(config, tuple(readings), channel, noticed)


def _noticed(config: PollConfig, cells: NDArray[np.int64]) -> Noticed | None:
    """Return what a poll with a check says of its `cells`; None where too little was sent."""
    design = config.design
    if design is None or not cells.any() or (design.independent_rows and not cells.any(axis=0).all()):
        return None
    # The design's first answer is No, the poll's is Yes; its rows are halves, or answers to the question.
    table = cells[::-1].T if design.independent_rows else cells[::-1, ::-1]
    return notice(design, table)


def _complement(share: Estimate) -> Estimate:
    return Estimate(1 - share.mean, 1 - share.high, 1 - share.low)


def _posterior(channel: BinaryChannel, share: float) -> float:
    """Return the share of the senders of an answer who meant it, where it is true for this `share` of all people."""
    return float(accounting.posterior(channel.channel_matrix, [1 - share, share], 1)[1])


class Again(NamedTuple):
    """An answer that somebody has sent each of 1, 2, … times, and how likely it is `meant` after each of them."""

    answer: str
    meant: tuple[Estimate, ...]


def asked_again(found: Reveal) -> tuple[Again, ...]:
    """Return the posterior after the same answer of one person once, twice, … up to the most repetitions of a poll.

    The answer is equally likely for every other true answer, so two cases are enough: this one is true, or it is not.
    Of two halves it is the one in which answers say more.
    """
    channel = found.config.channel
    times = range(1, int(limits.POLL_ROUNDS.high) + 1)

    def after(share: float, n: int) -> float:
        return float(attacks.repeated_answers(channel, share, n).posterior[n])

    return tuple(
        Again(r.answer, tuple(Estimate(*(after(share, n) for share in r.estimated)) for n in times))
        for r in found.readings
    )
