"""What estimators tend to, against the objective by Bayes' rule on fine grids."""

import math

import numpy as np
import pytest

from privdemo.estimators.votes import reconstruction_objective
from privdemo.experiments import voting
from privdemo.experiments.voting import ElectionConfig
from privdemo.mechanisms import BinaryChannel
from tests.experiments.voting.oracles import ASYMMETRIC, INSIDE, answer_prob, objective


def test_every_ascent_ends_where_the_objective_stops_rising():
    runs = voting.figure1(n_shares=41)
    assert [run.flip_prob for run in runs] == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    for run in runs[1:-1]:
        for theta0, found in zip(run.share, run.reconstruction, strict=True):
            answers = run.flip_prob + (1 - 2 * run.flip_prob) * theta0
            low, high = sorted((answers, found))
            path = objective(INSIDE[(low < INSIDE) & (high > INSIDE)], answers, run.flip_prob)
            assert (np.diff(path) * (1 if found > answers else -1) >= -1e-14).all()
            if 0 < found < 1:
                for moved in (found - 0.01, found + 0.01):
                    assert objective(moved, answers, run.flip_prob) < objective(found, answers, run.flip_prob) or (
                        theta0 == 0.5 and run.flip_prob > (2 - math.sqrt(2)) / 4
                    )


def test_figure_1_at_known_points():
    runs = {run.flip_prob: run for run in voting.figure1(n_shares=21)}
    share = np.linspace(0, 1, 21)
    for run in runs.values():
        np.testing.assert_allclose(run.naive, run.flip_prob + (1 - 2 * run.flip_prob) * share, atol=1e-15)
        np.testing.assert_allclose(run.reconstruction, 1 - run.reconstruction[::-1], atol=1e-9)  # by symmetry
        if run.flip_prob < 0.5:
            np.testing.assert_allclose(run.spread, share, atol=1e-14)
    np.testing.assert_allclose(runs[0.0].reconstruction, share, atol=1e-9)  # without lies the diagonal
    assert runs[0.1].reconstruction[10] == pytest.approx(0.5, abs=1e-9)  # a maximum, and by symmetry at ½
    assert np.isnan(runs[0.5].spread).all()
    assert np.isnan(runs[0.5].reconstruction).all()  # 0 and 1 are equally good, whatever the truth
    for p in (0.2, 0.3, 0.4):  # above 0.146 an end for every share; at ½ both, equally
        expected = np.where(share > 0.5, 1, np.where(share < 0.5, 0, np.nan))
        np.testing.assert_array_equal(runs[p].reconstruction, expected)
    with pytest.raises(ValueError, match="flip_prob"):
        voting.long_run(0.51, share)


def test_at_a_tie_half_of_the_polls_end_at_either_end():
    config = ElectionConfig(100_000, 0.5, BinaryChannel(0.2, 0.2), 400)
    found = next(r for r in voting.records(config, voting.run(config)) if r.name == "reconstruction").values
    assert set(np.unique(found)) <= {0.0, 0.5, 1.0}
    assert abs((found == 1).mean() - 0.5) <= 5 * math.sqrt(0.25 / 400)
    assert math.isnan(voting.in_the_long_run(config)["reconstruction"])


@pytest.mark.parametrize(
    ("share", "flip_prob", "reconstruction"), [(0.55, 0.2, 1.0), (0.45, 0.2, 0.0), (0.5, 0.1, 0.5)]
)
def test_the_limits_of_an_election(share, flip_prob, reconstruction):
    limits = voting.in_the_long_run(ElectionConfig(share=share, channel=BinaryChannel(flip_prob, flip_prob)))
    answers = flip_prob + (1 - 2 * flip_prob) * share
    expected = {"naive": answers, "reconstruction": reconstruction, "spread": share, "spread MLE": share}
    assert limits == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("flip_prob", [0.0, 0.05, 0.1, 0.2, 0.45])
def test_the_grid_maximum_is_the_largest_on_the_grid_and_an_artefact_of_it(flip_prob):
    share, grid = np.linspace(0.1, 0.9, 9), np.arange(1, 1000) / 1000
    found = voting.long_run(flip_prob, share).grid_maximum
    for theta0, best in zip(share, found, strict=True):
        answers = flip_prob + (1 - 2 * flip_prob) * theta0
        if theta0 == 0.5 and flip_prob:
            assert math.isnan(best)
            continue
        assert best == pytest.approx(grid[np.argmax(objective(grid, answers, flip_prob))], abs=1e-12)
        if flip_prob:  # a finer grid comes nearer to the ends
            finer = INSIDE[np.argmax(objective(INSIDE, answers, flip_prob))]
            assert min(finer, 1 - finer) < 1e-6


@pytest.mark.parametrize(
    ("channel", "ends"),
    [
        (BinaryChannel(0.2, 0.2), ("nobody", "everybody")),
        (BinaryChannel(0.0, 0.3), ("everybody",)),
        (BinaryChannel(0.3, 0.0), ("nobody",)),
        (BinaryChannel(0.0, 0.0), ()),
        (BinaryChannel(1.0, 1.0), ()),
        (BinaryChannel(0.0, 1.0), ("nobody", "everybody")),
        (BinaryChannel(1.0, 0.4), ("everybody",)),
    ],
)
def test_which_assumption_confirms_itself(channel, ends):
    assert voting.self_confirming(channel) == ends
    for answers in (0.2, 0.5, 0.9):
        if channel.p10 == 1 - channel.p01 and channel.p10 in (0.0, 1.0):
            answers = channel.p10  # nobody can say the other
        found = reconstruction_objective([0.0, 1.0], answers, channel)
        assert [value == 0 for value in found] == [end in ends for end in ("nobody", "everybody")]


@pytest.mark.parametrize(
    ("channel", "certain"),
    [
        (BinaryChannel(0.2, 0.3), ()),
        (BinaryChannel(0.0, 0.3), ("whoever says A voted A",)),
        (BinaryChannel(1.0, 0.3), ("whoever says B voted A",)),
        (BinaryChannel(0.0, 0.0), ("whoever says A voted A", "whoever says B voted B")),
        (BinaryChannel(1.0, 1.0), ("whoever says A voted B", "whoever says B voted A")),
        (BinaryChannel(0.0, 1.0), ()),
        (BinaryChannel(1.0, 0.0), ()),
    ],
)
def test_what_an_answer_reveals_for_certain(channel, certain):
    assert voting.known(channel) == certain


def test_the_misprinted_formula_adds_where_it_should_subtract():
    config = ElectionConfig(share=0.4, channel=ASYMMETRIC)
    answers = answer_prob(0.4, ASYMMETRIC)
    assert voting.misprint(config) == pytest.approx((answers + 0.15) / 0.55)
    with pytest.raises(ValueError, match="carry no information"):
        voting.misprint(ElectionConfig(channel=BinaryChannel(0.3, 0.7)))


def test_the_landscape_is_the_objective_of_answers():
    config = ElectionConfig(share=0.3, channel=BinaryChannel(0.1, 0.1))
    theta, found = voting.landscape(config)
    np.testing.assert_array_equal(theta, np.linspace(0, 1, 401))
    np.testing.assert_allclose(found[1:-1], objective(theta[1:-1], config.answer_prob, 0.1), atol=1e-13)
    assert found[0] == found[-1] == 0


def test_the_table_of_figure_1_has_a_row_for_each_lie_and_share():
    runs = voting.figure1((0.1, 0.3), n_shares=5)
    rows = voting.figure1_table(runs)
    assert [(row["flip_prob"], row["share"]) for row in rows] == [
        (p, t) for p in (0.1, 0.3) for t in np.linspace(0, 1, 5)
    ]
    assert [row["naive"] for row in rows[5:]] == runs[1].naive.tolist()
