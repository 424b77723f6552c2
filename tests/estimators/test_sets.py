"""Sets with proportions: reading, halving, and whether proportions span the simplex, in exact fractions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from privdemo.estimators.sets import Sets, read_proportions, read_sets, span_problem, split_sets
from tests.estimators.oracles import rng
from tests.estimators.ratio_oracles import (
    THREE,
    TWO,
    hull_holds_simplex,
    rank_by_fractions,
)

WITHOUT_SECOND = np.insert(TWO, 1, 0, axis=1)


def test_reading_keeps_sets_as_they_are():
    X = [rng(i).random((n, 3)) for i, n in enumerate((6, 2, 4))]
    sets = read_sets(X, THREE.tolist())
    np.testing.assert_array_equal(sets.sizes, [6, 2, 4])
    np.testing.assert_array_equal(sets.names, np.repeat([0, 1, 2], [6, 2, 4]))
    np.testing.assert_array_equal(sets.stacked(), np.concatenate(X))
    assert sets.n_classes == 3
    np.testing.assert_allclose(sets.prior, (6 * THREE[0] + 2 * THREE[1] + 4 * THREE[2]) / 12, rtol=1e-14)
    both = sets + sets
    np.testing.assert_array_equal(both.sizes, [6, 2, 4] * 2)
    np.testing.assert_array_equal(both.proportions, np.tile(THREE, (2, 1)))


def test_one_sparse_set_makes_all_records_sparse():
    sets = Sets((csr_array(np.eye(2)), np.ones((1, 2))), TWO)
    np.testing.assert_array_equal(sets.stacked().toarray(), [[1, 0], [0, 1], [1, 1]])


def test_reading_lets_absent_classes_pass():
    np.testing.assert_array_equal(read_proportions(WITHOUT_SECOND.tolist()), WITHOUT_SECOND)


def test_halves_of_sets_part_them_at_random():
    sets = [np.arange(n, dtype=float)[:, None] for n in (2, 5, 40)]
    parts = split_sets(Sets(tuple(sets), THREE), rng(1))
    for i, x in enumerate(sets):
        one, other = parts[0].X[i], parts[1].X[i]
        assert sorted(np.concatenate((one, other)).ravel()) == x.ravel().tolist()
        assert 0 <= len(one) - len(other) <= 1
    np.testing.assert_array_equal(parts[1].proportions, THREE)
    assert parts[0].X[2].tolist() != split_sets(Sets(tuple(sets), THREE), rng(2))[0].X[2].tolist()
    with pytest.raises(
        ValueError, match=r"set 2 has one record, and half of it is none; give larger sets,? (or )?tuning_sets"
    ):
        split_sets(Sets((np.ones((3, 1)), np.ones((1, 1))), TWO), rng(1))


@st.composite
def shares_in_twelfths(draw):
    """Rows of c counts that sum to 12, some of them mixtures of others."""
    c = draw(st.integers(2, 5))
    cuts = st.lists(st.integers(0, 12), min_size=c - 1, max_size=c - 1).map(sorted)
    rows = [
        [b - a for a, b in zip([0, *one], [*one, 12], strict=True)]
        for one in draw(st.lists(cuts, min_size=1, max_size=6))
    ]
    if draw(st.booleans()):
        rows = [[a + b for a, b in zip(x, y, strict=True)] for x in rows for y in rows[:2]][:7]
        return rows, 24
    return rows, 12


@settings(max_examples=300)
@given(shares_in_twelfths())
def test_a_problem_is_seen_if_and_only_if_the_affine_hull_lacks_a_vertex(shares):
    counts, total = shares
    problem = span_problem(np.array(counts) / total)
    assert (problem is None) == hull_holds_simplex(counts, total)
    c = len(counts[0])
    if problem is not None:
        number = f"{len(counts)} set{'s' if len(counts) > 1 else ''} of rank {rank_by_fractions(counts)}"
        assert problem.startswith(
            f"{number} cannot tell {c} classes apart (assumption A0 fails): give {c} sets or more"
        )


@pytest.mark.parametrize(("gap", "spans"), [(1e-3, True), (1e-5, True), (1e-8, False), (0.0, False)])
def test_proportions_that_hardly_differ_span_down_to_a_millionth(gap, spans):
    p = np.array([[0.3 + gap, 0.3, 0.4 - gap], [0.3, 0.3 + gap, 0.4 - gap], [0.3, 0.3, 0.4]])
    assert (span_problem(p) is None) == spans
