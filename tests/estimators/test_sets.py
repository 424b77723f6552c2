"""Sets with proportions: reading, halving, refusals, and whether proportions span the simplex."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from privdemo.estimators.sets import Sets, read_proportions, read_set, read_sets, span_problem, split_sets
from tests.estimators.oracles import rng
from tests.estimators.ratio_oracles import THREE, TWO


def test_reading_keeps_sets_as_they_are():
    X = [rng(i).random((n, 3)) for i, n in enumerate((6, 2, 4))]
    sets = read_sets(X, THREE.tolist())
    np.testing.assert_array_equal(sets.sizes, [6, 2, 4])
    np.testing.assert_array_equal(sets.names, np.repeat([0, 1, 2], [6, 2, 4]))
    np.testing.assert_array_equal(sets.stacked(), np.concatenate(X))
    assert sets.n_classes == 3
    np.testing.assert_allclose(sets.prior, (6 * THREE[0] + 2 * THREE[1] + 4 * THREE[2]) / 12, rtol=1e-14)
    both = sets + read_sets(X[:1], [[0, 1, 0]])  # absent classes pass
    np.testing.assert_array_equal(both.sizes, [6, 2, 4, 6])
    np.testing.assert_array_equal(both.proportions, [*THREE, [0, 1, 0]])
    mixed = Sets((csr_array(np.eye(2)), np.ones((1, 2))), TWO).stacked()
    np.testing.assert_array_equal(mixed.toarray(), [[1, 0], [0, 1], [1, 1]])
    for given_, dtype in ((np.ones((2, 1), np.float32), np.float32), ([[1]], np.float64)):
        assert read_set(given_, "x").dtype == dtype
    assert read_set(csr_array(np.eye(2)).tocsc(), "x", 2).format == "csr"


def test_halves_of_sets_part_them_at_random():
    sets = [np.arange(n, dtype=float)[:, None] for n in (2, 5, 40)]
    parts = split_sets(Sets(tuple(sets), THREE), rng(1))
    for i, x in enumerate(sets):
        one, other = parts[0].X[i], parts[1].X[i]
        assert sorted(np.concatenate((one, other)).ravel()) == x.ravel().tolist()
        assert 0 <= len(one) - len(other) <= 1
    np.testing.assert_array_equal((parts[0].proportions, parts[1].proportions), (THREE, THREE))
    assert parts[0].X[2].tolist() != split_sets(Sets(tuple(sets), THREE), rng(2))[0].X[2].tolist()
    with pytest.raises(ValueError, match="set 2 has one record, and half of it is none; give larger sets, or tuning_s"):
        split_sets(Sets((np.ones((3, 1)), np.ones((1, 1))), TWO), rng(1))


X3 = [rng(i).random((6, 3)) for i in range(3)]


@pytest.mark.parametrize("group", ["", "tuning "])
@pytest.mark.parametrize(
    ("sets", "p", "sentence"),
    [
        *[
            ([X3[0], none, X3[2]], THREE, "^{}set 2 is empty: leave it out")
            for none in (np.empty((0, 3)), csr_array((0, 3)))
        ],
        ([X3[0], X3[1][:, :2], X3[2]], THREE, "^{}set 2 must have 3 columns like the others, got 2"),
        ([X3[0], np.full((4, 3), np.nan), X3[2]], THREE, "{}set 2 contains NaN"),
        (X3[:2], THREE, "^{}sets and proportions must be equally many, got 2 and 3"),
        ([], np.empty((0, 3)), "^{}sets must be one or more, got none"),
        (X3, [0.2, 0.3, 0.5], r"^proportions must have a row for each set and a column .*, got shape \(3,\)"),
        (X3, np.ones((3, 1)), r"got shape \(3, 1\)"),
        (X3, [[0.5, 0.5], [-0.1, 1.1], [1, 0]], r"sum to 1, got \[-0.1  1.1\] for {}set 2; project_simplex\(…\)"),
        (X3, [[1, 0], [0.1, 0.9], [0.6, 0.6]], r"sum to 1, got \[0.6 0.6\] for {}set 3"),
        (X3, [[0.5, 0.5], [np.inf, 0], [0, 1]], r"sum to 1, got \[inf  0.\] for {}set 2"),
        (X3, [[0.5, 0.5], [0.5, 0.50002], [0, 1]], "for {}set 2"),
    ],
)
def test_sets_that_are_none_are_refused_and_named(sets, p, sentence, group):
    with pytest.raises(ValueError, match=sentence.format(group)):
        read_sets(sets, p, group)
    assert read_proportions([[0.5, 0.5000005]]).shape == (1, 2)  # they are checked to a millionth


@given(st.integers(2, 5), st.integers(1, 6), st.integers(0, 3), st.booleans(), st.integers(0, 10**6))
def test_a_problem_is_seen_if_and_only_if_the_affine_hull_lacks_a_vertex(c, n, mixtures, flat, seed):
    draw = rng(seed)
    counts = draw.multinomial(12, np.ones(c) / c, n)
    if flat:  # mixtures of two alone
        counts = np.concatenate((counts[:2], counts[draw.integers(min(n, 2), size=mixtures)]))
    counts = np.concatenate((2 * counts, counts[:mixtures] + counts[0])).tolist()
    problem = span_problem(np.array(counts) / 24)
    # the hull has all c − 1 dimensions of the simplex
    differences = [[a - b for a, b in zip(row, counts[0], strict=True)] for row in counts]
    assert (problem is None) == (np.linalg.matrix_rank(differences) == c - 1)
    if problem is not None:
        number = f"{len(counts)} set{'s' if len(counts) > 1 else ''} of rank {np.linalg.matrix_rank(counts)}"
        assert problem.startswith(f"{number} cannot tell {c} classes apart (assumption A0 fails): give {c} sets")


@pytest.mark.parametrize(("gap", "spans"), [(1e-3, True), (1e-5, True), (1e-8, False), (0.0, False)])
def test_proportions_that_hardly_differ_span_down_to_a_millionth(gap, spans):
    p = np.array([[0.3 + gap, 0.3, 0.4 - gap], [0.3, 0.3 + gap, 0.4 - gap], [0.3, 0.3, 0.4]])
    assert (span_problem(p) is None) == spans
