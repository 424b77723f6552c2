"""What estimators tend to, against the objective by Bayes' rule on fine grids."""

import numpy as np
import pytest

from privdemo.experiments import voting
from privdemo.experiments.voting import ElectionConfig
from privdemo.mechanisms import BinaryChannel
from tests.experiments.voting.oracles import ASYMMETRIC, answer_prob, objective


def test_figure_1_at_known_points():
    runs = {run.flip_prob: run for run in voting.figure1(n_shares=21)}
    assert list(runs) == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
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
    rows = voting.figure1_table(list(runs.values())[:2])
    assert [(row["flip_prob"], row["share"]) for row in rows] == [(p, t) for p in (0.0, 0.1) for t in share]
    assert [row["naive"] for row in rows[21:]] == runs[0.1].naive.tolist()
    with pytest.raises(ValueError, match="flip_prob"):
        voting.long_run(0.51, share)


@pytest.mark.parametrize(
    ("share", "flip_prob", "reconstruction"), [(0.55, 0.2, 1.0), (0.45, 0.2, 0.0), (0.5, 0.1, 0.5), (0.5, 0.2, np.nan)]
)
def test_the_limits_of_an_election(share, flip_prob, reconstruction):
    limits = voting.in_the_long_run(ElectionConfig(share=share, channel=BinaryChannel(flip_prob, flip_prob)))
    answers = flip_prob + (1 - 2 * flip_prob) * share
    expected = {"naive": answers, "reconstruction": reconstruction, "spread": share, "spread MLE": share}
    assert limits == pytest.approx(expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("flip_prob", [0.05, 0.2, 0.45])
def test_the_grid_maximum_is_the_largest_on_the_grid(flip_prob):
    share, grid = np.linspace(0.1, 0.9, 9), np.arange(1, 1000) / 1000
    for theta0, best in zip(share, voting.long_run(flip_prob, share).grid_maximum, strict=True):
        answers = flip_prob + (1 - 2 * flip_prob) * theta0
        found = grid[np.argmax(objective(grid, answers, flip_prob))]
        assert best == pytest.approx(np.nan if theta0 == 0.5 else found, abs=1e-12, nan_ok=True)


A_IS_A, B_IS_B = "whoever says A voted A", "whoever says B voted B"
A_IS_B, B_IS_A = "whoever says A voted B", "whoever says B voted A"


@pytest.mark.parametrize(
    ("channel", "ends", "certain"),
    [
        (BinaryChannel(0.2, 0.3), ("nobody", "everybody"), ()),
        (BinaryChannel(0.0, 0.3), ("everybody",), (A_IS_A,)),
        (BinaryChannel(0.3, 0.0), ("nobody",), (B_IS_B,)),
        (BinaryChannel(0.0, 0.0), (), (A_IS_A, B_IS_B)),
        (BinaryChannel(1.0, 1.0), (), (A_IS_B, B_IS_A)),
        (BinaryChannel(0.0, 1.0), ("nobody", "everybody"), ()),
        (BinaryChannel(1.0, 0.0), ("nobody", "everybody"), ()),
        (BinaryChannel(1.0, 0.4), ("everybody",), (B_IS_A,)),
    ],
)
def test_which_assumption_confirms_itself_and_what_an_answer_reveals(channel, ends, certain):
    assert voting.self_confirming(channel) == ends
    assert voting.known(channel) == certain


def test_the_misprinted_formula_adds_where_it_should_subtract():
    config = ElectionConfig(share=0.4, channel=ASYMMETRIC)
    assert voting.misprint(config) == pytest.approx((answer_prob(0.4, ASYMMETRIC) + 0.15) / 0.55)
    with pytest.raises(ValueError, match="carry no information"):
        voting.misprint(ElectionConfig(channel=BinaryChannel(0.3, 0.7)))
