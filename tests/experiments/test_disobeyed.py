"""A poll in which some do not follow the rules: its numbers are those of simulated people, and of `privdemo notice`."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from privdemo.disobedience import WAYS, TwoHalves, notice
from privdemo.estimators import votes
from privdemo.experiments import voting
from privdemo.experiments.voting import FIRST_HALF, SECOND_HALF, ElectionConfig
from privdemo.intervals import wilson_ends
from privdemo.mechanisms import BinaryChannel

CONFIG = ElectionConfig(seed=326)
PARTS = (0.0, 0.1, 0.25, 0.5)
FIFTH, UNEVEN = BinaryChannel(0.2, 0.2), BinaryChannel(0.1, 0.3)


def says_a(name, voted_a, channel, rng):
    """Answers of people who do not follow the rules, person by person, without the package's formulas."""
    if name == "open truth":
        return voted_a
    if name == "fair coin":
        return rng.random(voted_a.shape) < 0.5
    return np.full(voted_a.shape, name == "always yes")


@pytest.mark.parametrize(("name", "channel"), list(product(WAYS, (FIFTH, UNEVEN))))
def test_the_corrected_estimate_is_the_mean_over_simulated_people(name, channel):
    rng, n = np.random.default_rng(5), 2_000_000
    for part in (0.1, 0.5):
        (found,) = voting.disobeyed(ElectionConfig(channel=channel), WAYS[name], (part,))
        voted_a = rng.random(n) < 0.35
        changed = rng.random(n) < np.where(voted_a, channel.p01, channel.p10)
        answers = np.where(rng.random(n) < part, says_a(name, voted_a, channel, rng), voted_a ^ changed)
        error = 0.5 / np.sqrt(n) / channel.contrast
        assert found.corrected.mean == pytest.approx(votes.corrected(answers.mean(), channel), abs=4.5 * error)


def test_those_who_always_say_b_take_the_estimate_below_nobody():
    now = voting.disobeyed(ElectionConfig(channel=BinaryChannel(0.4, 0.4)), WAYS["always no"], (0.25,))[0]
    assert now.corrected.mean == pytest.approx((0.75 * 0.47 - 0.4) / 0.2)  # −23.75 %
    ends = [(seen - 0.4) / 0.2 for seen in wilson_ends(0.75 * 0.47, 1000)]
    assert now.corrected[1:] == pytest.approx(ends)


def test_if_everybody_plays_along_the_possible_shares_are_those_of_the_interval():
    for way in WAYS.values():
        (followed,) = voting.disobeyed(CONFIG, way, (0.0,))
        assert followed.corrected.mean == pytest.approx(0.35)
        assert [float(end) for end in followed.possible] == pytest.approx([0.35, 0.35, *followed.corrected[1:]])


@pytest.mark.parametrize("name", WAYS)
def test_the_possible_shares_hold_the_truth_and_grow(name):
    found = voting.disobeyed(CONFIG, WAYS[name], [i / 100 for i in range(51)])
    widths = [float(one.possible.most - one.possible.least) for one in found]
    assert widths == sorted(widths)
    assert all(one.possible.low <= 0.35 + 1e-12 and one.possible.high >= 0.35 - 1e-12 for one in found)


@pytest.mark.parametrize("name", ["always no", "always yes"])
def test_two_halves_are_read_as_the_package_reads_such_counts(name):
    """The luck is that of the config: the quantiles of two uniform numbers, the same whatever the part."""
    luck = np.random.default_rng(np.random.SeedSequence(326, spawn_key=(5,))).random((100, 2))[-1]
    for part, found in zip(PARTS, voting.disobeyed(CONFIG, WAYS[name], PARTS), strict=True):
        chances = [(1 - part) * (p + (1 - 2 * p) * 0.35) + part * (name == "always yes") for p in (0.1, 0.4)]
        yes = binom.ppf(luck, 500, chances).astype(int)
        design = TwoHalves(FIRST_HALF, SECOND_HALF, WAYS[name])
        read = notice(design, np.column_stack([500 - yes, yes]))
        assert found.noticed.share == pytest.approx(read.share, abs=1e-6)
        assert found.noticed.part == pytest.approx(read.part, abs=1e-6)


def test_two_halves_find_the_share_and_the_part_in_most_polls():
    held = np.zeros(2)
    for seed in range(200):
        (found,) = voting.disobeyed(ElectionConfig(seed=seed, n_elections=1), WAYS["always no"], (0.25,))
        held += found.noticed.share.covers(0.35), found.noticed.part.covers(0.25)
    assert (held >= 0.91 * 200).all(), held


@pytest.mark.parametrize("people", [1, 2, 3, 10_000_000])
def test_any_number_of_people_may_be_asked(people):
    found = voting.disobeyed(ElectionConfig(n_voters=people), WAYS["always no"], PARTS)
    assert all((one.noticed is None) == (people == 1) for one in found)
    assert len(voting.disobedience_table(found)) == len(PARTS)


def test_the_people_that_two_halves_take_give_that_interval():
    design = voting.two_halves(WAYS["always no"])
    people = voting.people_for_two_halves(CONFIG, WAYS["always no"], 0.25, 0.05)
    assert design.half_width(0.35, 0.25, people) <= 0.05 < design.half_width(0.35, 0.25, people - 1)
    assert voting.people_for_two_halves(CONFIG, WAYS["always no"], 0.25, 0.7) is None


def test_answers_that_say_nothing_have_no_estimate():
    with pytest.raises(ValueError, match="no information"):
        voting.disobeyed(ElectionConfig(channel=BinaryChannel(0.5, 0.5)), WAYS["always no"], PARTS)


# --- in a sweep ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "part"), [("always no", 0.0), ("always no", 0.25), ("always yes", 0.1)])
def test_a_sweep_finds_the_bias_of_one_lie_and_the_coverage_of_two_halves(name, part):
    config = voting.DisobeyedConfig(2000, n_elections=400, channel=FIFTH, part=part, way=name, seed=3)
    found = voting.reliability(config)
    (expected,) = voting.disobeyed(config, WAYS[name], (part,))
    corrected, share, those = (found[key] for key in (voting.CORRECTED, voting.HALVES_SHARE, voting.HALVES_PART))
    error = 0.5 / np.sqrt(2000 * 400) / FIFTH.contrast
    assert corrected.bias == pytest.approx(expected.corrected.mean - 0.35, abs=4.5 * error)
    assert corrected.coverage < 0.1 if part else 0.92 < corrected.coverage < 0.98
    assert abs(share.bias) < 0.02  # at z = 0 that is cut off below, which moves the share up
    assert abs(those.bias) < 0.03
    assert min(share.coverage, those.coverage) > 0.9


def test_a_way_that_two_halves_do_not_notice_is_missed_in_a_sweep():
    config = voting.DisobeyedConfig(2000, n_elections=200, part=0.3, way="fair coin")
    assert voting.reliability(config)[voting.HALVES_PART].coverage < 0.5


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"n_voters": 1}, "there are two halves"),
        ({"part": 1.1}, "part must be in"),
        ({"way": "never"}, "way must be one of always no, always yes, fair coin, open truth, got 'never'"),
    ],
)
def test_what_a_sweep_of_disobedience_refuses(given, why):
    with pytest.raises(ValueError, match=why):
        voting.DisobeyedConfig(**given)
