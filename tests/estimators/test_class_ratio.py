"""What every estimator of class ratios does alike: it reads sets, warns, refuses, and leaves absent classes out."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from privdemo.estimators.mmd import MMDClassRatio
from privdemo.estimators.set_names import ClassifyAndCount, SetIdentityClassRatio
from privdemo.estimators.sets import Sets, split_sets
from tests.estimators.oracles import rng
from tests.estimators.ratio_oracles import (
    EVERY,
    KINDS,
    THREE,
    TWO,
    every_method,
    gaussian_set,
    gaussian_sets,
    name,
)

X3 = [rng(i).random((6, 3)) for i in range(3)]


WITHOUT_SECOND = np.insert(TWO, 1, 0, axis=1)


# --- assumption A0 --------------------------------------------------------------------------------


@every_method
def test_fitting_warns_where_a0_fails_and_only_there(method):
    sets, tuning = gaussian_sets(THREE, 30, 1), gaussian_sets(THREE, 30, 2)
    p = np.array([[0.5, 0.3, 0.2], [0.3, 0.4, 0.3], [0.4, 0.35, 0.25]])  # the third midway between the others
    n = 3 if isinstance(method, SetIdentityClassRatio) else 6  # which mixes the second group alone
    with pytest.warns(
        UserWarning, match=f"^{n} sets of rank 2 cannot tell 3 classes apart .assumption A0 fails.: give 3"
    ):
        clone(method).fit(sets, p, tuning, p)
    # the second group helps
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*assumption A0")
        clone(method).fit(sets, p, tuning, THREE)


@every_method
def test_the_warning_counts_the_sets_that_were_given(method):
    p = np.array([[0.8, 0.1, 0.1], [0.1, 0.4, 0.5]])
    with pytest.warns(UserWarning, match="^2 sets of rank 2 cannot tell 3 classes apart"):
        clone(method).fit(gaussian_sets(p, 20, 1), p)


@every_method
def test_no_warning_that_sets_do_not_span_where_halves_of_all_are_learnt_from(method):
    """The second group lacks a class; all sets together span the simplex, and halves of all are what is mixed."""
    q = np.array([[0.5, 0.5, 0.0], [0.2, 0.8, 0.0], [0.8, 0.2, 0.0]])
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*assumption A0")
        clone(method).fit(gaussian_sets(THREE, 40, 1, d=3), THREE, gaussian_sets(q, 40, 2, d=3), q)


# --- classes that no set has ----------------------------------------------------------------------


@every_method
@pytest.mark.filterwarnings("ignore:.*assumption A0")
@pytest.mark.parametrize("alone", [False, True])
def test_a_class_that_no_set_has_gets_no_share(method, alone):
    sets, tuning = gaussian_sets(TWO, 40, 1), gaussian_sets(TWO, 40, 2)
    second = () if alone else (tuning, WITHOUT_SECOND)
    fit = clone(method).fit(sets, WITHOUT_SECOND, *second)
    expected = clone(method).fit(sets, TWO, *([] if alone else [tuning, TWO]))
    np.testing.assert_array_equal(fit.present_, [True, False, True])
    for seed, shares in enumerate(([0.4, 0.6], [1.0, 0.0], [0.0, 1.0])):
        U = gaussian_set(shares, 40, 3 + seed)
        raw, found = fit.predict_raw(U), fit.predict(U)
        assert raw[1] == pytest.approx(0, abs=1e-12)
        np.testing.assert_array_equal(raw[[0, 2]], expected.predict_raw(U))
        assert found[1] == pytest.approx(0, abs=1e-12)
        assert found.sum() == pytest.approx(1, abs=1e-12)


@every_method
@pytest.mark.filterwarnings("ignore:.*assumption A0")
def test_where_all_records_are_of_one_class_so_are_all_that_are_asked_about(method):
    fit = clone(method).fit(X3, np.tile([0.0, 1.0, 0.0], (3, 1)))
    np.testing.assert_array_equal(fit.present_, [False, True, False])
    np.testing.assert_allclose(fit.predict_raw(X3[0])[[0, 2]], 0, atol=1e-12)
    np.testing.assert_array_equal(fit.predict(X3[0]), [0, 1, 0])
    with pytest.raises(ValueError, match="U must have 3 columns"):
        fit.predict(np.ones((4, 2)))


@pytest.mark.parametrize("method", EVERY[2:], ids=name)
@pytest.mark.filterwarnings("ignore:.*assumption A0")
@pytest.mark.parametrize("first", [False, True])
def test_a_class_that_one_group_lacks_is_learnt_from_halves_of_all_sets(method, first):
    q = np.array([[0.5, 0.5, 0.0], [0.2, 0.8, 0.0], [0.8, 0.2, 0.0]])
    groups = [(gaussian_sets(THREE, 40, 1, d=3), THREE), (gaussian_sets(q, 40, 2, d=3), q)]
    (sets, p), (tuning, other) = groups[::-1] if first else groups
    U = gaussian_set([0.2, 0.2, 0.6], 50, 3, d=3)
    method = clone(method).set_params(random_state=5)
    found = clone(method).fit(sets, p, tuning, other).predict_raw(U)
    one, two = split_sets(Sets((*sets, *tuning), np.concatenate((p, other))), rng(5))
    expected = clone(method).fit(one.X, one.proportions, two.X, two.proportions).predict_raw(U)
    np.testing.assert_array_equal(found, expected)
    # MMD needs no halves
    mmd = MMDClassRatio(1.0).fit(sets, p, tuning, other)
    np.testing.assert_array_equal(mmd.sizes_, [40] * 6)


# --- scikit-learn's manner ------------------------------------------------------------------------


@every_method
@pytest.mark.parametrize("kind", ["float64", "float32", "sparse float64"])
def test_fit_alters_nothing_and_returns_itself(method, kind):
    shares = TWO, TWO[::-1], TWO
    sets, tuning, U = ([KINDS[kind](x) for x in gaussian_sets(rows, 20, seed)] for seed, rows in enumerate(shares))
    p, q = TWO.copy(), TWO[::-1].copy()
    before = [x.copy() for x in (*sets, *tuning, *U)]
    estimator = clone(method)
    params = {key: value for key, value in estimator.get_params().items() if not hasattr(value, "fit")}
    assert estimator.fit(sets, p, tuning, q) is estimator
    found = [estimator.predict(x) for x in U]
    for mine, other in zip((*sets, *tuning, *U), before, strict=True):
        assert abs(mine - other).max() == 0
    np.testing.assert_array_equal((p, q), (TWO, TWO[::-1]))
    assert {key: estimator.get_params()[key] for key in params} == params
    assert estimator.n_features_in_ == 2
    for mine in found:
        assert mine.shape == (2,)
        assert (mine >= 0).all()
        assert mine.sum() == pytest.approx(1, abs=1e-12)


@every_method
def test_the_constructor_only_stores(method):
    nonsense = {key: object() for key in method.get_params(deep=False)}
    made = type(method)(**nonsense)
    assert all(getattr(made, key) is value for key, value in nonsense.items())


@every_method
def test_without_a_second_group_the_same_seed_gives_the_same(method):
    sets, U = gaussian_sets(TWO, 40, 1, gap=1.0), gaussian_set([0.5, 0.5], 40, 3, gap=1.0)
    one = clone(method).set_params(random_state=5).fit(sets, TWO).predict_raw(U)
    np.testing.assert_array_equal(one, clone(method).set_params(random_state=5).fit(sets, TWO).predict_raw(U))


@every_method
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [*KINDS, "sparse columns", "lists"])
def test_how_records_are_given_changes_little(method, kind):
    method = clone(method)
    if isinstance(method, MMDClassRatio):
        method.set_params(bandwidth=1.0)  # for single precision and large ones there is a test of its own
    give = (KINDS | {"sparse columns": csc_array, "lists": np.ndarray.tolist})[kind]
    groups = gaussian_sets(TWO, 40, 1), gaussian_sets(TWO, 40, 2), [gaussian_set([0.4, 0.6], 40, 3)]
    expected = clone(method).fit(groups[0], TWO, groups[1], TWO).predict_raw(groups[2][0])
    sets, tuning, (U,) = [[give(x) for x in group] for group in groups]
    found = method.fit(sets, TWO.tolist(), tuning, TWO.tolist()).predict_raw(U)
    # single precision, and climbs that end a step sooner; of 40 records one may be counted otherwise
    np.testing.assert_allclose(found, expected, atol=0.026 if isinstance(method, ClassifyAndCount) else 0.005)


@every_method
def test_what_is_not_fitted_says_so(method):
    for ask in (method.predict, method.predict_raw):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            ask(rng(1).random((4, 2)))


def test_a_fit_that_was_refused_leaves_an_estimator_that_is_not_fitted():
    estimator = MMDClassRatio(-1.0)
    sets = gaussian_sets(TWO, 20, 1)
    with pytest.raises(ValueError, match="bandwidth must be"):
        estimator.fit(sets, TWO)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        estimator.predict(sets[0])


# --- refusals -------------------------------------------------------------------------------------


@every_method
@pytest.mark.parametrize(
    ("sets", "p", "sentence"),
    [
        ([X3[0], np.empty((0, 3)), X3[2]], THREE, "^set 2 is empty: leave it out, or put records in it"),
        ([X3[0], X3[1][:, :2], X3[2]], THREE, "^set 2 must have 3 columns like the others, got 2"),
        (X3[:2], THREE, "^sets and proportions must be equally many, got 2 and 3"),
        ([], np.empty((0, 3)), "^sets must be one or more, got none"),
        (X3, [0.2, 0.3, 0.5], r"^proportions must have a row for each set and a column .*, got shape \(3,\)"),
        (X3, np.ones((3, 1)), r"got shape \(3, 1\)"),
        (X3, [[0.5, 0.5], [-0.1, 1.1], [1, 0]], r"sum to 1, got \[-0.1  1.1\] for set 2; project_simplex\(…\) takes"),
        (X3, [[0.5, 0.5], [0.1, 0.9], [0.6, 0.6]], r"sum to 1, got \[0.6 0.6\] for set 3"),
        (X3, [[0.5, 0.5], [0.1, 0.9], [np.nan, 1]], r"sum to 1, got \[nan  1.\] for set 3"),
        (X3, [[0.5, 0.5], [np.inf, 0], [0, 1]], r"sum to 1, got \[inf  0.\] for set 2"),
        ([X3[0], X3[1][:1], X3[2]], THREE, "^set 2 has one record, and half of it is none; give larger sets"),
        ([X3[0], np.full((4, 3), np.nan), X3[2]], THREE, "set 2 contains NaN"),
    ],
)
def test_sets_that_are_none_are_refused(method, sets, p, sentence):
    with pytest.raises(ValueError, match=sentence):
        clone(method).fit(sets, p)


@every_method
@pytest.mark.filterwarnings("ignore:a bag of one record")
def test_one_record_may_be_a_set_where_there_are_others_to_choose_with(method):
    """Set identity halves its first group to choose C, and is given C here."""
    given = {"C": 1.0} if isinstance(method, SetIdentityClassRatio) else {}
    found = clone(method).set_params(**given).fit([X3[0][:1], *X3[1:]], THREE, X3, THREE).predict(X3[0])
    assert found.sum() == pytest.approx(1, abs=1e-12)


@every_method
@pytest.mark.parametrize("seed", [None, -1, 1.5, 2**32, "7", True, np.random.default_rng(0)], ids=str)
def test_seeds_that_are_no_whole_numbers_are_refused(method, seed):
    """None would draw other random features for every set, and other halves for every proportion."""
    with pytest.raises(ValueError, match=r"(seed|random_state) must be a whole number in \[0, 4294967295\], got"):
        clone(method).set_params(random_state=seed).fit(X3, THREE)


@pytest.mark.parametrize(
    ("tuning", "q", "sentence"),
    [
        ([x[:, :2] for x in X3], THREE, "^tuning_sets must have 3 columns and 3 classes.*, got 2 and 3"),
        (X3, np.tile(TWO, (2, 1))[:3], "^tuning_sets must have 3 columns and 3 classes.*, got 3 and 2"),
        ([X3[0], np.empty((0, 3)), X3[2]], THREE, "^tuning set 2 is empty"),
        ([X3[0], X3[1][:, :2], X3[2]], THREE, "^tuning set 2 must have 3 columns like the others, got 2"),
        ([X3[0], np.full((4, 3), np.nan), X3[2]], THREE, "tuning set 2 contains NaN"),
        (X3[:2], None, "^tuning sets and proportions must be equally many, got 2 and 3"),
        (X3, [[0.5, 0.3, 0.2], [0.9, 0.9, 0.9], [0, 0, 1]], "got .0.9 0.9 0.9. for tuning set 2"),
        (None, THREE, "^tuning_proportions must come with tuning_sets"),  # which sets would have these?
    ],
)
def test_second_groups_that_are_none_are_refused_and_named(tuning, q, sentence):
    with pytest.raises(ValueError, match=sentence):
        MMDClassRatio().fit(X3, THREE, tuning, q)


@every_method
@pytest.mark.parametrize(
    ("U", "sentence"),
    [
        (np.empty((0, 3)), "U is empty"),
        (csr_array((0, 3)), "U is empty"),
        (np.ones((4, 2)), "U must have 3 columns like the others, got 2"),
        (np.full((4, 3), np.nan), "U contains NaN"),
    ],
)
def test_sets_that_cannot_be_asked_about_are_refused(method, U, sentence):
    fit = clone(method).fit(X3, THREE, X3, THREE)
    with pytest.raises(ValueError, match=sentence):
        fit.predict(U)
