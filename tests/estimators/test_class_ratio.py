"""What every estimator of class ratios does alike: reading and halving sets, warnings, refusals, absent classes."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone

from privdemo.estimators.label_proportions import LabelProportionClassifier
from privdemo.estimators.mmd import MMDClassRatio
from privdemo.estimators.proportion_svm import ProportionSVM
from privdemo.estimators.set_names import ClassifyAndCount, SetIdentityClassRatio, SpreadClassRatio
from privdemo.estimators.sets import Sets, read_proportions, read_set, read_sets, span_problem, split_sets
from tests.estimators.oracles import rng
from tests.estimators.ratio_oracles import KINDS, THREE, TWO, gaussian_set, gaussian_sets

MMD, SPREAD, IDENTITY = MMDClassRatio(1.0), SpreadClassRatio(1.0, 1.0), SetIdentityClassRatio(1.0)
X3 = [rng(i).random((6, 3)) for i in range(3)]
WITHOUT_SECOND = np.insert(TWO, 1, 0, axis=1)
WITHOUT_THIRD = np.array([[0.5, 0.5, 0.0], [0.2, 0.8, 0.0], [0.8, 0.2, 0.0]])
MIDWAY = np.array([[0.5, 0.3, 0.2], [0.3, 0.4, 0.3], [0.4, 0.35, 0.25]])  # the third between the others


@pytest.mark.parametrize(
    ("method", "p", "q", "problem"),
    [
        (MMD, MIDWAY, MIDWAY, "^6 sets of rank 2 cannot tell 3 classes apart .assumption A0 fails.: give 3"),
        (IDENTITY, THREE, MIDWAY, "^3 sets of rank 2"),
        *[(method, THREE[:2], None, "^2 sets of rank 2 cannot tell 3") for method in (MMD, IDENTITY)],
        (MMD, MIDWAY, THREE, "$"),  # the second group helps
        # all sets together span the simplex, and halves of all are what is mixed
        (MMD, THREE, WITHOUT_THIRD, "$"),
        (IDENTITY, THREE, WITHOUT_THIRD, "$"),
    ],
)
def test_fitting_warns_where_a0_fails_and_only_there(method, p, q, problem):
    second = () if q is None else (gaussian_sets(q, 30, 2, d=3), q)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        clone(method).fit(gaussian_sets(p, 30, 1, d=3), p, *second)
    (found,) = [str(one.message) for one in seen if "assumption A0" in str(one.message)] or [""]
    assert re.match(problem, found)


@pytest.mark.filterwarnings("ignore:.*assumption A0")
@pytest.mark.parametrize("method", [MMD, SPREAD], ids=["MMD", "spread"])
@pytest.mark.parametrize("alone", [False, True])
def test_a_class_that_no_set_has_gets_no_share(method, alone):
    sets, tuning = gaussian_sets(TWO, 40, 1), gaussian_sets(TWO, 40, 2)
    fit = clone(method).fit(sets, WITHOUT_SECOND, *(() if alone else (tuning, WITHOUT_SECOND)))
    expected = clone(method).fit(sets, TWO, *(() if alone else (tuning, TWO)))
    np.testing.assert_array_equal(fit.present_, [True, False, True])
    U = gaussian_set([1.0, 0.0], 40, 3)
    np.testing.assert_array_equal(fit.predict_raw(U), np.insert(expected.predict_raw(U), 1, 0))
    np.testing.assert_array_equal(fit.predict(U), np.insert(expected.predict(U), 1, 0))
    # where all records are of one class, so are all that are asked about
    one = clone(method).fit(X3, np.tile([0.0, 1.0, 0.0], (3, 1)))
    np.testing.assert_array_equal([one.predict_raw(X3[0]), one.predict(X3[0])], [[0, 1, 0]] * 2)


@pytest.mark.parametrize("method", [SPREAD, IDENTITY], ids=["spread", "identity"])
@pytest.mark.filterwarnings("ignore:.*assumption A0")
@pytest.mark.parametrize("lacking", [slice(None), slice(None, None, -1)], ids=["second", "first"])
def test_a_class_that_one_group_lacks_is_learnt_from_halves_of_all_sets(method, lacking):
    groups = [(gaussian_sets(p, 40, i, d=3), p) for i, p in enumerate((THREE, WITHOUT_THIRD))][lacking]
    (sets, p), (tuning, q) = groups
    U, method = gaussian_set([0.2, 0.2, 0.6], 50, 3, d=3), clone(method).set_params(random_state=5)
    found = clone(method).fit(sets, p, tuning, q).predict_raw(U)
    one, two = split_sets(Sets((*sets, *tuning), np.concatenate((p, q))), rng(5))
    expected = clone(method).fit(one.X, one.proportions, two.X, two.proportions).predict_raw(U)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(MMDClassRatio(1.0).fit(sets, p, tuning, q).sizes_, [40] * 6)  # MMD needs no halves


EVERY = {
    "MMD": MMD,
    "random features": MMDClassRatio(1.0, n_features=50),
    "spread": SPREAD,
    "identity": SetIdentityClassRatio(),
    "bags": ClassifyAndCount(LabelProportionClassifier()),
    "machine": ClassifyAndCount(ProportionSVM(n_starts=1)),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("method", EVERY.values(), ids=EVERY)
@pytest.mark.parametrize("kind", ["float32", "sparse float64", "sparse matrix"])
def test_how_records_are_given_changes_little_and_they_stay_as_they_are(method, kind):
    groups = gaussian_sets(TWO, 40, 1), gaussian_sets(TWO, 40, 2), [gaussian_set([0.4, 0.6], 40, 3)]
    expected = clone(method).fit(groups[0], TWO, groups[1], TWO).predict_raw(groups[2][0])
    sets, tuning, (U,) = given_ = [[KINDS[kind](x) for x in group] for group in groups]
    before, fit = [x.copy() for group in given_ for x in group], clone(method)
    assert fit.fit(sets, TWO.tolist(), tuning) is fit  # with the same proportions, by default
    # single precision, and climbs that end a step sooner; of 40 records one may be counted otherwise
    atol = 0.026 if isinstance(method, ClassifyAndCount) else 0.005
    np.testing.assert_allclose(fit.predict_raw(U), expected, atol=atol)
    assert fit.predict(U).sum() == pytest.approx(1, abs=1e-12)
    assert all(abs(x - y).max() == 0 for x, y in zip((x for group in given_ for x in group), before, strict=True))
    assert fit.n_features_in_ == 2


def test_settings_have_the_documented_defaults():
    climbing = {"C": "cv", "tol": 1e-4, "max_iter": 2000, "random_state": 0}
    assert MMDClassRatio().get_params() == {"bandwidth": "cv", "n_features": None, "random_state": 0}
    assert SpreadClassRatio().get_params() == climbing | {"temperature": "cv", "correct": True}
    assert SetIdentityClassRatio().get_params() == climbing
    assert ClassifyAndCount(1).get_params() == {"classifier": 1, "random_state": 0}


@pytest.mark.parametrize(
    ("settings", "tuning", "sentence"),
    [
        ({}, ([x[:, :2] for x in X3], THREE), "^tuning_sets must have 3 columns and 3 classes.*, got 2 and 3"),
        ({}, (None, THREE), "^tuning_proportions must come with tuning_sets"),  # which sets would have these?
        ({"bandwidth": np.inf}, (), r"bandwidth must be in .0.0001, 10000., got inf"),  # which says nothing
    ],
)
def test_settings_and_second_groups_out_of_range_are_refused(settings, tuning, sentence):
    with pytest.raises(ValueError, match=sentence):
        MMDClassRatio(**settings).fit(X3, THREE, *tuning)


def test_reading_keeps_sets_as_they_are():
    X = [rng(i).random((n, 3)) for i, n in enumerate((6, 2, 4))]
    sets = read_sets(X, THREE.tolist())
    np.testing.assert_array_equal(sets.sizes, [6, 2, 4])
    np.testing.assert_array_equal(sets.names, np.repeat([0, 1, 2], [6, 2, 4]))
    np.testing.assert_array_equal(sets.stacked(), np.concatenate(X))
    np.testing.assert_allclose(sets.prior, (6 * THREE[0] + 2 * THREE[1] + 4 * THREE[2]) / 12, rtol=1e-14)
    both = sets + read_sets(X[:1], [[0, 1, 0]])  # absent classes pass
    np.testing.assert_array_equal(both.proportions, [*THREE, [0, 1, 0]])
    mixed = Sets((csr_array(np.eye(2)), np.ones((1, 2))), TWO).stacked()
    np.testing.assert_array_equal(mixed.toarray(), [[1, 0], [0, 1], [1, 1]])
    assert [read_set(x, "x").dtype for x in (np.ones((2, 1), np.float32), [[1]])] == [np.float32, np.float64]
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


@pytest.mark.parametrize("group", ["", "tuning "])
@pytest.mark.parametrize(
    ("sets", "p", "sentence"),
    [
        ([X3[0], np.empty((0, 3)), X3[2]], THREE, "^{}set 2 is empty: leave it out"),
        ([X3[0], X3[1][:, :2], X3[2]], THREE, "^{}set 2 must have 3 columns like the others, got 2"),
        ([X3[0], np.full((4, 3), np.nan), X3[2]], THREE, "{}set 2 contains NaN"),
        (X3, [0.2, 0.3, 0.5], r"^proportions must have a row for each set and a column .*, got shape \(3,\)"),
        (X3, [[0.5, 0.5], [-0.1, 1.1], [1, 0]], r"sum to 1, got \[-0.1  1.1\] for {}set 2; project_simplex\(…\)"),
    ],
)
def test_sets_that_are_none_are_refused_and_named(sets, p, sentence, group):
    with pytest.raises(ValueError, match=sentence.format(group)):
        read_sets(sets, p, group)
    assert read_proportions([[0.5, 0.5000005]]).shape == (1, 2)  # they are checked to a millionth


@given(st.integers(2, 5), st.integers(1, 6), st.integers(0, 3), st.booleans(), st.integers(0, 10**6))
def test_a_problem_is_seen_if_and_only_if_the_affine_hull_lacks_a_vertex(c, n, mixtures, flat, seed):
    generator = rng(seed)
    counts = generator.multinomial(12, np.ones(c) / c, n)
    if flat:  # mixtures of two alone
        counts = np.concatenate((counts[:2], counts[generator.integers(min(n, 2), size=mixtures)]))
    counts = np.concatenate((2 * counts, counts[:mixtures] + counts[0])).tolist()
    problem = span_problem(np.array(counts) / 24)
    # the hull has all c − 1 dimensions of the simplex
    differences = [[a - b for a, b in zip(row, counts[0], strict=True)] for row in counts]
    assert (problem is None) == (np.linalg.matrix_rank(differences) == c - 1)
    if problem is not None:
        number = f"{len(counts)} set{'s' if len(counts) > 1 else ''} of rank {np.linalg.matrix_rank(counts)}"
        assert problem.startswith(f"{number} cannot tell {c} classes apart (assumption A0 fails): give {c} sets")
