"""Surveys that notice disobedience: against grids, the package's own likelihood, and every outcome there can be."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom, chi2

from privdemo.disobedience import (
    ALWAYS_NO,
    ALWAYS_YES,
    FAIR_COIN,
    OPEN_TRUTH,
    ControlQuestion,
    TwoHalves,
    notice,
    notice_many,
)
from privdemo.disobedience import hidden_parts as parts
from privdemo.estimators import frequencies, votes
from privdemo.mechanisms import BinaryChannel


def lie(p):
    return BinaryChannel(p, p)


HALVES = TwoHalves(lie(0.1), lie(0.4))
DESIGNS = [
    HALVES,
    TwoHalves(lie(0.2), lie(0.3), ALWAYS_YES),
    TwoHalves(BinaryChannel(0.1, 0.3), BinaryChannel(0.4, 0.2), FAIR_COIN),
    ControlQuestion(lie(0.2)),
    ControlQuestion(BinaryChannel(0.3, 0.1), 0.4, to_others=True),
]


def rng(seed=0):
    return np.random.default_rng(seed)


def says_yes(way):
    return {ALWAYS_NO: 0.0, ALWAYS_YES: 1.0, FAIR_COIN: 0.5}[way]


def cells(design, share, part):
    """The probability of every cell, (2, 2), person by person: the share and the part may be arrays."""
    y = says_yes(design.way)

    def yes(channel, true):
        return channel.p10 + (1 - channel.p10 - channel.p01) * true

    if isinstance(design, TwoHalves):
        chances = [(1 - part) * yes(channel, share) + part * y for channel in (design.first, design.second)]
        return [[1 - chances[0], chances[0]], [1 - chances[1], chances[1]]]
    asked, control = yes(design.channel, share), yes(design.channel, design.known_share) + 0 * share
    if design.to_others:
        chances = [(1 - part) * each + part * y for each in (asked, control)]
        return [[1 - chances[0], chances[0]], [1 - chances[1], chances[1]]]
    return [
        [
            (1 - part) * (asked if a else 1 - asked) * (control if c else 1 - control)
            + part * (y if a else 1 - y) * (y if c else 1 - y)
            for c in (0, 1)
        ]
        for a in (0, 1)
    ]


def log_likelihood(design, counts, share, part):
    """That of counts (2, 2), where shares and parts may be grids."""
    chances = cells(design, share, part)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = [counts[i][j] * np.log(chances[i][j]) for i in (0, 1) for j in (0, 1) if counts[i][j]]
    return sum(np.where(np.isnan(term), -np.inf, term) for term in terms)


@pytest.mark.parametrize("design", DESIGNS)
def test_the_channel_is_what_people_do(design):
    for share, part in ((0.35, 0.0), (0.35, 0.2), (0.0, 0.3), (1.0, 1.0)):
        expected = cells(design, share, part)
        np.testing.assert_allclose(design.probabilities(share, part), expected, atol=1e-12)
    matrix = design.channel_matrix((600, 400))
    frequencies.check_channel(matrix)
    assert matrix.shape == (4, 3)
    if design.independent_rows:
        np.testing.assert_allclose(matrix[:2].sum(axis=0), 0.6)


@pytest.mark.parametrize("design", DESIGNS)
def test_samples_follow_their_law(design):
    many = 4000
    found = design.sample(0.35, 0.2, 301, rng(1), many)
    assert found.shape == (many, 2, 2)
    if design.independent_rows:
        np.testing.assert_array_equal(found.sum(axis=2), np.tile([151, 150], (many, 1)))
    chances = np.array(cells(design, 0.35, 0.2))
    expected = chances * ([[151], [150]] if design.independent_rows else 301)
    np.testing.assert_allclose(found.mean(axis=0), expected, atol=5 * np.sqrt(301 / 4 / many))
    assert (np.abs(found.mean(axis=0) - 301 * np.array(cells(design, 0.35, 0.3))) > 1).any()


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("part", [0.0, 0.2])
def test_the_estimates_are_those_of_the_packages_own_likelihood(design, part):
    """Expectation–maximisation over three hidden parts, by `frequencies.em`, which knows no design."""
    for counts in design.sample(0.35, part, 1000, rng(2), 4):
        found = notice(design, counts)
        channel = design.channel_matrix(counts.sum(axis=1) if design.independent_rows else (1, 1))
        fitted = frequencies.em(counts.ravel(), channel, max_iter=20_000, tolerance=1e-10).frequencies
        assert found.part.mean == pytest.approx(fitted[parts.DISOBEYS], abs=2e-4)
        assert found.share.mean == pytest.approx(fitted[parts.OBEYS_YES] / (1 - fitted[parts.DISOBEYS]), abs=4e-4)
        assert found.everybody_low.mean == pytest.approx(fitted[parts.OBEYS_YES], abs=4e-4)
        assert found.everybody_high.mean == pytest.approx(1 - fitted[parts.OBEYS_NO], abs=4e-4)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("part", [0.0, 0.25])
def test_intervals_are_those_of_a_grid_of_the_whole_likelihood(design, part):
    counts = design.sample(0.35, part, 600, rng(4))[0]
    found = notice(design, counts)
    step = 1 / 1000
    share, z = np.meshgrid(np.arange(0, 1 + step, step), np.arange(0, 1, step), indexing="ij")
    likelihood = log_likelihood(design, counts, share, z)
    inside = 2 * (likelihood.max() - likelihood) <= chi2.ppf(0.95, 1)
    of_grid = {"share": share, "part": z, "everybody_low": (1 - z) * share, "everybody_high": (1 - z) * share + z}
    for name, values in of_grid.items():
        assert values[inside].min() == pytest.approx(getattr(found, name).low, abs=3 * step), name
        assert values[inside].max() == pytest.approx(getattr(found, name).high, abs=3 * step), name
    best = np.unravel_index(likelihood.argmax(), likelihood.shape)
    assert share[best] == pytest.approx(found.share.mean, abs=4 * step)
    assert z[best] == pytest.approx(found.part.mean, abs=4 * step)
    follow = likelihood[:, 0]
    assert share[follow.argmax(), 0] == pytest.approx(found.if_all_follow.mean, abs=step)
    held = share[2 * (follow.max() - follow) <= chi2.ppf(0.95, 1), 0]
    assert [held.min(), held.max()] == pytest.approx([found.if_all_follow.low, found.if_all_follow.high], abs=2 * step)
    ratio = 2 * (likelihood.max() - follow.max())
    expected = chi2.sf(ratio, 1) / 2 if found.part.mean > 0 else 1.0
    assert found.p_value == pytest.approx(expected, abs=0.02)


def every_outcome(n):
    """Every pair of counts of two halves of n people each, (m, 2, 2), and a function that gives their probabilities."""
    yes = np.array(list(itertools.product(range(n + 1), repeat=2)))
    counts = np.stack([n - yes, yes], axis=2)

    def chance(share, part):
        first, second = (cells(HALVES, share, part)[half][1] for half in (0, 1))
        return binom.pmf(yes[:, 0], n, first) * binom.pmf(yes[:, 1], n, second)

    return counts, chance


def test_coverage_size_and_power_over_every_outcome_of_a_hundred_people():
    counts, chance = every_outcome(50)
    found = notice_many(HALVES, counts)
    least = {"share": 1.0, "part": 1.0}
    for share, part in itertools.product((0.05, 0.35, 0.8), (0.0, 0.05, 0.1, 0.3)):
        weights = chance(share, part)
        assert weights.sum() == pytest.approx(1)
        for name, value in (("share", share), ("part", part)):
            held = np.array(
                [getattr(each, name).low - 1e-6 <= value <= getattr(each, name).high + 1e-6 for each in found]
            )
            least[name] = min(least[name], float(weights @ held))
        low, high = (1 - part) * share, (1 - part) * share + part
        both = np.array([x.everybody_low.low <= low + 1e-6 and high - 1e-6 <= x.everybody_high.high for x in found])
        assert weights @ both > 0.93
    assert least["share"] >= 0.93
    assert least["part"] >= 0.93
    alarm = np.array([each.p_value < 0.05 for each in found])
    for share in (0.05, 0.2, 0.35, 0.8):
        assert chance(share, 0.0) @ alarm < 0.06
    assert chance(0.35, 0.5) @ alarm > 0.6
    ignored = np.array([each.if_all_follow.covers(0.35) for each in found])
    assert chance(0.35, 0.0) @ ignored > 0.93
    assert chance(0.35, 0.25) @ ignored < 0.7, "without the part, a quarter who say No carry the truth away"


def test_a_quarter_who_say_no_are_found_and_the_share_with_them():
    """The prototype of the issue: 2,000 people, lies of .1 and .4."""
    draws = HALVES.sample(0.35, 0.25, 2000, rng(5), 400)
    found = notice_many(HALVES, draws)
    assert np.mean([each.share.mean for each in found]) == pytest.approx(0.35, abs=0.01)
    assert np.mean([each.part.mean for each in found]) == pytest.approx(0.25, abs=0.01)
    halves = [np.mean(votes.corrected(draws[:, i, 1] / 1000, HALVES_LIES[i])) for i in (0, 1)]
    assert np.mean(halves) == pytest.approx(-0.003, abs=0.01)
    assert np.mean([each.p_value < 0.05 for each in found]) > 0.99


HALVES_LIES = (lie(0.1), lie(0.4))


@pytest.mark.parametrize("design", DESIGNS)
def test_the_covariance_is_that_of_many_surveys(design):
    people, surveys = 20_000, 600
    found = notice_many(design, design.sample(0.35, 0.2, people, rng(6), surveys))
    both = np.array([(each.share.mean, each.part.mean) for each in found])
    expected = design.covariance(0.35, 0.2, people)
    np.testing.assert_allclose(np.cov(both.T), expected, rtol=0.25)
    assert design.half_width(0.35, 0.2, people) == pytest.approx(1.959964 * math.sqrt(expected[0, 0]), rel=1e-6)
    needed = design.people_needed(0.05, 0.35, 0.2)
    assert design.half_width(0.35, 0.2, needed) <= 0.05 < design.half_width(0.35, 0.2, needed - 1)
    width = np.mean([each.share.high - each.share.low for each in found])
    assert width == pytest.approx(2 * design.half_width(0.35, 0.2, people), rel=0.05)


def test_the_price_is_in_people():
    alone = 0.1 + 0.8 * 0.35
    assert HALVES.price(0.35, 0.1) == pytest.approx(
        float(HALVES.covariance(0.35, 0.1, 1)[0, 0]) * 0.8**2 / (alone * (1 - alone))
    )
    assert ControlQuestion(lie(0.2)).price(0.35) < HALVES.price(0.35) < TwoHalves(lie(0.2), lie(0.3)).price(0.35)
    # with a control question of nearly everybody's Yes, obedience is seen at once, and a random half is asked it
    assert ControlQuestion(lie(0.0), 1.0, to_others=True).price(0.35, 0.0) == pytest.approx(2, rel=1e-6)


def test_if_all_say_no_nobody_need_follow_the_rules():
    found = notice(HALVES, [[90, 0], [70, 0]])
    assert found.part.mean == pytest.approx(1)
    assert found.part.high == 1
    assert found.everybody_low.mean == pytest.approx(0, abs=1e-8)
    assert notice(TwoHalves(lie(0.1), lie(0.4), ALWAYS_YES), [[0, 90], [0, 70]]).part.mean == pytest.approx(1)


def test_one_survey_alone_is_as_one_of_many():
    draws = HALVES.sample(0.35, 0.1, 500, rng(7), 5)
    for alone, among in zip((notice(HALVES, each) for each in draws), notice_many(HALVES, draws), strict=True):
        np.testing.assert_allclose(np.hstack(alone[:5]), np.hstack(among[:5]), atol=1e-6)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: TwoHalves(lie(0.2), lie(0.2)), "first and second must be different lies, got .*take .1 and .4"),
        (lambda: TwoHalves(lie(0.2), lie(0.3), OPEN_TRUTH), "way must be one whose answers do not depend on the truth"),
        (lambda: ControlQuestion(lie(0.5)), r"p10 \+ p01 must differ from 1"),
        (lambda: ControlQuestion(lie(0.2), 1.5), r"share must be in \[0, 1\], got 1.5"),
        (lambda: ControlQuestion(lie(0.0), 0.0), "known_share must be one at which .* got 0; take another control"),
        (lambda: ControlQuestion(lie(0.2), 0.5, FAIR_COIN), "known_share must be one at which .* got 0.5"),
        (lambda: notice(HALVES, [1, 2, 3, 4]), "counts must be 2 × 2 whole numbers from 0"),
        (lambda: notice(HALVES, [[1, 2], [3, -4]]), "counts must be 2 × 2 whole numbers from 0"),
        (lambda: notice(HALVES, [[0, 0], [3, 4]]), "counts must be of at least one person in each group"),
        (lambda: HALVES.sample(0.3, 1.1, 10, rng()), r"part must be in \[0, 1\], got 1.1"),
        (lambda: HALVES.people_needed(0.9, 0.3), r"half_width must be in \[0.0001, 0.5\], got 0.9"),
    ],
)
def test_impossible_questions_are_refused(ask, sentence):
    with pytest.raises(ValueError, match=sentence):
        ask()


@pytest.mark.parametrize("design", DESIGNS)
def test_the_ends_of_what_is_possible_have_estimates(design):
    for counts in ([[9, 0], [7, 0]], [[0, 9], [0, 7]], [[9, 0], [0, 7]], [[0, 1], [1, 0]], [[1000, 0], [0, 1]]):
        found = notice(design, counts)
        for estimate in found[:5]:
            assert 0 <= estimate.low <= estimate.mean + 1e-9
            assert estimate.mean - 1e-9 <= estimate.high <= 1
        assert 0 <= found.p_value <= 1
