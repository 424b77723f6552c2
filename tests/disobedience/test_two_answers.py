"""What disobedience does to the share of Yes: against every outcome of a few people, and a grid of all that may be."""

import itertools

import numpy as np
import pytest

from privdemo.disobedience import (
    ALWAYS_NO,
    ALWAYS_YES,
    FAIR_COIN,
    OPEN_TRUTH,
    WAYS,
    AlwaysAnswer,
    CraftedReport,
    FalseTruth,
    expected_estimate,
    identification_interval,
    mixed_channel,
    share_bias,
)
from privdemo.estimators import votes
from privdemo.mechanisms import BinaryChannel

CHANNELS = [BinaryChannel(0.2, 0.2), BinaryChannel(0.1, 0.35), BinaryChannel(0.8, 0.7)]
ALL_WAYS = [*WAYS.values(), FalseTruth((1,)), CraftedReport((1,)), CraftedReport((0, 1))]


def says_yes(way, truth, channel):
    """How often somebody of a way says Yes, from what the way is."""
    if way == OPEN_TRUTH:
        return float(truth)
    if way == FalseTruth((1,)):
        return 1 - channel.p01
    return {ALWAYS_NO: 0.0, ALWAYS_YES: 1.0, FAIR_COIN: 0.5, CraftedReport((1,)): 1.0}.get(way, 0.5)


def mean_over_outcomes(chances, channel):
    """The mean of the corrected estimate over every way in which people may answer, who say Yes with `chances`."""
    total = 0.0
    for answers in itertools.product((0, 1), repeat=len(chances)):
        chance = np.prod([p if answer else 1 - p for p, answer in zip(chances, answers, strict=True)])
        total += chance * float(votes.corrected(np.mean(answers), channel))
    return total


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("way", ALL_WAYS)
def test_the_bias_is_that_of_every_outcome(channel, way):
    obey, disobey = (1, 0, 0), (1, 1, 0)
    chances = [(1 - channel.p01) if truth else channel.p10 for truth in obey]
    chances += [says_yes(way, truth, channel) for truth in disobey]
    found = expected_estimate(channel, way, 0.5, share=1 / 3, their_share=2 / 3)
    assert found == pytest.approx(mean_over_outcomes(chances, channel), abs=1e-12)
    assert share_bias(channel, way, 0.5, 2 / 3) == pytest.approx(found - 0.5, abs=1e-12)
    assert share_bias(channel, way, 0.0, 2 / 3) == 0
    assert share_bias(channel, way, 0.25, 2 / 3) == pytest.approx((found - 0.5) / 2)
    if way != OPEN_TRUTH:  # whose answers depend on the truth
        assert share_bias(channel, way, 0.5, 1 / 3) - (found - 0.5) == pytest.approx(0.5 / 3)
    else:
        assert abs(share_bias(channel, way, 0.5, 1 / 3) - (found - 0.5)) > 1e-3


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("way", ALL_WAYS)
def test_a_mix_of_people_is_a_channel(channel, way):
    mixed, n, rng = mixed_channel(channel, way, 0.3), 200_000, np.random.default_rng(0)
    for truth in (0, 1):
        yes = np.r_[
            rng.random(n * 7 // 10) < channel.channel_matrix[1, truth],
            rng.random(n * 3 // 10) < says_yes(way, truth, channel),
        ]
        assert mixed.channel_matrix[1, truth] == pytest.approx(yes.mean(), abs=5 / n**0.5)
    found = float(votes.corrected(mixed.p10 + mixed.contrast * 0.35, channel))
    assert found == pytest.approx(expected_estimate(channel, way, 0.3, 0.35), abs=1e-12)


def test_a_quarter_that_says_no_carries_35_percent_below_zero():
    """The mean of two halves' corrected shares, with lies of .1 and .4: −0.2 %."""
    halves = [expected_estimate(BinaryChannel(p, p), ALWAYS_NO, 0.25, 0.35) for p in (0.1, 0.4)]
    assert np.mean(halves) == pytest.approx(-0.00312, abs=1e-4)
    for p, percent in ((0.1, 38.9), (0.2, 39.9), (0.3, 42.0), (0.4, 48.2)):  # five of 100 who always say Yes
        assert 100 * expected_estimate(BinaryChannel(p, p), ALWAYS_YES, 0.05, 0.35) == pytest.approx(percent, abs=0.06)


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("seen", [0.03, 0.41, 0.5, 0.77])
@pytest.mark.parametrize("part", [0.0, 0.1, 0.4])
def test_the_identified_shares_are_all_that_are_possible(channel, seen, part):
    found = identification_interval(channel, round(seen * 10_000), 10_000, part)
    # Every part up to the given one, and how many of those who disobey say Yes; the share among the others follows.
    z, yes = np.meshgrid(np.linspace(0, part, 21), np.linspace(0, 1, 401))
    share = (seen - z * yes - (1 - z) * channel.p10) / ((1 - z) * channel.contrast)
    z, share = z[(share >= 0) & (share <= 1)], share[(share >= 0) & (share <= 1)]
    if len(z):
        assert ((1 - z) * share).min() == pytest.approx(found.low, abs=3e-3)
        assert ((1 - z) * share + z).max() == pytest.approx(found.high, abs=3e-3)
    else:  # no share explains so many answers: the nearest one
        assert found.low in (0, pytest.approx(1 - part))
    assert 0 <= found.least <= found.low <= found.high <= found.most <= 1


def test_up_to_ten_of_a_hundred_leave_35_percent_between_21_and_49():
    channel = BinaryChannel(0.2, 0.2)
    found = identification_interval(channel, 410_000, 1_000_000, 0.1)
    assert found.low == pytest.approx(0.35 - 0.1 * 0.8 / 0.6)
    assert found.high == pytest.approx(0.35 + 0.1 * 0.2 / 0.6 + 0.1)
    assert found.high - found.low == pytest.approx(0.1 * (1 + 1 / 0.6))
    both = identification_interval(channel, [410, 200], 1000, 0.1)
    assert both.low.shape == both.most.shape == (2,)
    assert both.least[0] < found.low < both.low[0] + 1e-9


@pytest.mark.parametrize("their_share", [0.0, 1.0])
def test_the_wider_interval_holds_everybodys_share_whatever_people_do(their_share):
    channel, people, part, rng = BinaryChannel(0.2, 0.2), 2000, 0.1, np.random.default_rng(3)
    share = 0.9 * 0.35 + 0.1 * their_share
    says = 0.9 * (0.2 + 0.6 * 0.35) + 0.1 * (1 - their_share)  # they all say the contrary
    found = identification_interval(channel, rng.binomial(people, says, 4000), people, part)
    held = (found.least <= share) & (share <= found.most)
    assert held.mean() > 0.96  # one side alone may miss: 97.5 %
    assert ((found.low <= share) & (share <= found.high)).mean() < 0.6


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (
            lambda: share_bias(CHANNELS[0], ALWAYS_NO, 1.2, 0.5),
            r"part must be in \[0, 1\], got 1.2; .*divide",
        ),
        (lambda: expected_estimate(CHANNELS[0], ALWAYS_NO, 0.2, -0.1), r"share must be in \[0, 1\], got -0.1"),
        (
            lambda: identification_interval(CHANNELS[0], 11, 10, 0.1),
            "said_yes must be .* 0 to the 10 people, got 11",
        ),
        (lambda: identification_interval(BinaryChannel(0.3, 0.7), 3, 10, 0.1), r"p10 \+ p01 must differ from 1"),
        (lambda: mixed_channel(CHANNELS[0], AlwaysAnswer(2), 0.1), r"answer must be a whole number in \[0, 1\], got 2"),
        (lambda: CraftedReport(()), "answers must be one or more different ones, got"),
        (lambda: FalseTruth((1, 1)), r"answers must be one or more different ones, got \(1, 1\); name each once"),
    ],
)
def test_impossible_questions_are_refused(ask, sentence):
    with pytest.raises(ValueError, match=sentence):
        ask()
