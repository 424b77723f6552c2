"""Class ratios in experiment: the sets, what is released of them, every method's errors, many draws and their rows."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from privdemo import datasets
from privdemo.estimators.mmd import MMDClassRatio
from privdemo.estimators.set_names import SpreadClassRatio
from privdemo.experiments import class_ratio, results
from privdemo.experiments.class_ratio import SHARES, RatioConfig
from privdemo.experiments.class_ratio.config import TEST_STREAM
from privdemo.experiments.class_ratio.release import round_to_sum
from privdemo.experiments.draws import at_draw, generator
from privdemo.mechanisms.label_counts import RELEASES, calibrate
from privdemo.methods import CLASS_RATIO, COUNT, EM, IDENTITY, MMD, PCC, PSVM, RFF, SPREAD
from privdemo.simplex import project_simplex

CONFIG = RatioConfig("digits", 4, 80, n_test=80, methods=(SPREAD, MMD))
BINARY = RatioConfig("breast_cancer", 2, 80, n_test=80, methods=tuple(CLASS_RATIO))


@pytest.fixture(scope="module")
def binary():
    return class_ratio.run(BINARY)


# --- the sets


@pytest.mark.parametrize(
    ("c", "size", "copies", "rho"), [(4, 80, 1, 0.1), (2, 50, 2, 0.1), (10, 60, 1, 0.05), (3, 7 * 10, 1, 0)]
)
def test_sets_have_one_common_class_each_in_turn(c, size, copies, rho):
    config = RatioConfig("digits", c, size, copies, rho)
    counts = config.counts()
    assert counts.shape == (copies * c, c)
    assert (counts.sum(axis=1) == size).all()
    for i, row in enumerate(counts):
        assert row.argmax() == i % c
        assert set(np.delete(row, i % c)) == {round(rho * size)}


def test_records_are_of_the_class_they_count_for_none_twice_in_a_set_and_none_both_learnt_from_and_asked_about():
    config = replace(CONFIG, set_size=120)
    sample = class_ratio.draw_sample(config)
    names = sample.dataset.class_names
    assert names == tuple("0123")
    for group in (sample.training, sample.tuning):
        for rows, row in zip(group.rows, config.counts(), strict=True):
            assert np.bincount(sample.dataset.y[rows], minlength=4).tolist() == row.tolist()
            assert len(np.unique(rows)) == len(rows)
            assert (np.diff(sample.dataset.y[rows].astype(int)) < 0).any(), "in no order"
    within = np.concatenate(sample.training.rows)
    assert len(np.unique(within)) == len(within), "there are enough for one group"
    learnt = {*within.tolist(), *np.concatenate(sample.tuning.rows).tolist()}
    asked = {row for pool in sample.pools for row in pool.tolist()}
    assert not learnt & asked
    other = class_ratio.draw_sample(at_draw(config, 1))
    assert set(np.concatenate(other.training.rows).tolist()) != set(within.tolist())


@pytest.mark.parametrize(("c", "size", "copies"), [(2, 110, 1), (2, 37, 3), (3, 120, 1)])
def test_every_record_serves_once_before_any_serves_again(c, size, copies):
    sample = class_ratio.draw_sample(RatioConfig("digits", c, size, copies))
    used = np.concatenate(sample.training.rows + sample.tuning.rows)
    asked = np.concatenate(sample.pools)
    for k in range(c):
        every = np.setdiff1d(np.flatnonzero(sample.dataset.y == k), asked)
        times = np.bincount(used, minlength=len(sample.dataset.y))[every]
        assert times.max() >= 2, "else this shows nothing"
        assert np.ptp(times) <= 1


def test_a_set_is_asked_about_with_the_wanted_proportions():
    sample, rng = class_ratio.draw_sample(CONFIG), np.random.default_rng(0)
    U, truth = class_ratio.draw_asked_set(CONFIG, sample, 0.7, rng)
    assert U.shape == (80, 64)
    assert U.dtype == np.float32
    assert (U.min(), U.max()) == (0, 1)
    assert truth == pytest.approx([0.7, 0.1, 0.1, 0.1])
    first, second = (class_ratio.draw_asked_set(CONFIG, sample, None, rng)[1] for _ in range(2))
    assert first == pytest.approx(second), "at random, but the same in every draw"
    assert class_ratio.draw_asked_set(replace(CONFIG, seed=1), sample, None, rng)[1] != pytest.approx(first)
    for share in (0.0, 1.0, 0.333):
        assert class_ratio.draw_asked_set(CONFIG, sample, share, rng)[1].sum() == pytest.approx(1)


@pytest.mark.parametrize("values", [[0.5, 0.5, 1.0], [2.2, 3.3, 4.5], [0.0, 10.0], [1 / 3 * 10] * 3])
def test_rounding_keeps_the_sum_and_moves_by_less_than_one(values):
    found = round_to_sum(np.array(values))
    assert found.sum() == round(sum(values))
    assert (np.abs(found - values) < 1).all()


@pytest.mark.parametrize(
    ("dataset", "n", "expected"),
    [("digits", 2, ("7", "9")), ("digits", 3, ("0", "1", "2")), ("breast_cancer", 2, ("benign", "malignant"))],
)
def test_the_classes_are_the_first_ones_and_two_digits_are_those_hardest_to_tell_apart(dataset, n, expected):
    config = RatioConfig(dataset, n, 40)
    assert config.chosen_classes == expected
    assert class_ratio.draw_sample(config).dataset.class_names == expected


# --- what is released


def test_without_privacy_the_true_proportions_are_released():
    sample = class_ratio.draw_sample(CONFIG)
    training, tuning, mechanism = class_ratio.release_proportions(CONFIG, sample)
    assert training is sample.training.proportions
    assert tuning is sample.tuning.proportions
    assert mechanism is None


@pytest.mark.parametrize("release", [name for name in RELEASES if name != "dirichlet published"])
def test_private_proportions_are_those_of_the_mechanism_calibrated_for_the_counts(release):
    config = replace(CONFIG, release=release, epsilon=1.0, delta=0.05, n_min=5)
    sample = class_ratio.draw_sample(config)
    training, tuning, mechanism = class_ratio.release_proportions(config, sample)
    assert mechanism == calibrate(release, 1.0, 0.05, config.counts(), 5)
    for found in (training, tuning):
        assert found.shape == (4, 4)
        assert found.sum(axis=1) == pytest.approx(1)
        assert not np.allclose(found, sample.training.proportions)
    assert not np.allclose(training, tuning), "each set has noise of its own"
    again = class_ratio.release_proportions(config, sample)[0]
    np.testing.assert_array_equal(again, training)
    other = class_ratio.release_proportions(at_draw(config, 1), sample)[0]
    assert not np.allclose(other, training)


# --- one draw


def test_every_method_is_fitted_to_what_it_may_see_and_asked_about_the_same_sets(binary):
    sample = class_ratio.draw_sample(BINARY)
    rng = generator(BINARY, TEST_STREAM)
    asked = [class_ratio.draw_asked_set(BINARY, sample, share, rng) for share in (BINARY.share, *SHARES)]
    assert set(binary.fits) == set(CLASS_RATIO)
    for name, fit in binary.fits.items():
        model = class_ratio.fit_method(name, BINARY, sample, sample.training.proportions, sample.tuning.proportions)
        found = [model.predict(U) for U, _ in asked]
        assert fit.found == pytest.approx(found[0])
        errors = [np.abs(p - truth).sum() for p, (_, truth) in zip(found[1:], asked[1:], strict=True)]
        assert fit.errors == pytest.approx(errors)
        assert sum(fit.found) == pytest.approx(1)
    assert binary.truth == pytest.approx(asked[0][1])
    assert binary.problem is None


def test_methods_with_labels_learn_from_one_pure_set_for_each_class():
    sample = class_ratio.draw_sample(BINARY)
    p = sample.training.proportions
    model = class_ratio.fit_method(EM, BINARY, sample, p, p)
    wrong = class_ratio.fit_method(EM, BINARY, sample, p[::-1], p[::-1])
    np.testing.assert_array_equal(model.prior_, wrong.prior_)  # they know labels, and look at no proportions
    U = class_ratio.as_input(sample.dataset, np.concatenate(sample.pools))
    accuracy = (model.predict_proba(U).argmax(axis=1) == sample.dataset.y[np.concatenate(sample.pools)]).mean()
    assert accuracy > 0.9
    assert not class_ratio.fit_method(PCC, BINARY, sample, p, p).correct


def test_methods_beat_a_guess_that_knows_nothing_and_counting_does_worse_for_far_mixes(binary):
    for name in (SPREAD, MMD, RFF, IDENTITY, EM):
        assert np.mean(binary.fits[name].errors) < 0.25, name  # the even mix has a mean error of 0.44
    far = (0, len(SHARES) - 1)
    spread = np.mean([binary.fits[SPREAD].errors[i] for i in far])
    assert spread < 0.15
    for name in (COUNT, PSVM, PCC):
        assert 0 <= np.mean(binary.fits[name].errors) <= 2


def test_the_numbers_of_a_draw_are_those_of_its_parts(binary):
    sample = class_ratio.draw_sample(BINARY)
    model = class_ratio.fit_method(MMD, BINARY, sample, sample.training.proportions, sample.tuning.proportions)
    assert isinstance(model, MMDClassRatio)
    assert binary.condition_number == pytest.approx(model.condition_number_)
    assert binary.bound == pytest.approx(model.bound(80))
    assert binary.factor == model.factor_
    assert binary.distortion == 0
    noisy = class_ratio.run(replace(BINARY, methods=(MMD,), release="laplace tight", epsilon=0.5))
    assert noisy.distortion == pytest.approx(np.abs(noisy.released - noisy.proportions).sum(axis=1).mean())
    assert noisy.distortion > 0
    assert noisy.attack is None
    assert math.isnan(class_ratio.run(replace(BINARY, methods=(EM,))).bound)


def test_releases_on_the_same_records_are_what_each_gives_alone():
    config = replace(CONFIG, epsilon=0.5, delta=0.05)
    names = ("none", "laplace tight", "gaussian tight")
    together = class_ratio.run_releases(config, names)
    for name, draw in zip(names, together, strict=True):
        alone = class_ratio.run(replace(config, release=name))
        for method in (SPREAD, MMD):
            assert draw.fits[method].errors == pytest.approx(alone.fits[method].errors)
        assert draw.config == alone.config
    assert together[1].fits[MMD].errors != together[0].fits[MMD].errors


def test_the_adversary_is_right_as_often_as_a_count_by_hand_says():
    draw, sample = class_ratio.run(CONFIG), class_ratio.draw_sample(CONFIG)
    attack = draw.attack
    assert attack.n == 320
    assert attack.by_set == 4 * 56, "the common class of every set"
    spread = SpreadClassRatio(random_state=0).fit(
        [class_ratio.as_input(sample.dataset, rows) for rows in sample.training.rows],
        sample.training.proportions,
        [class_ratio.as_input(sample.dataset, rows) for rows in sample.tuning.rows],
        sample.tuning.proportions,
    )
    rows = np.concatenate(sample.training.rows)
    named = spread.predict_proba(class_ratio.as_input(sample.dataset, rows)).argmax(axis=1)
    assert attack.by_model == (named == sample.dataset.y[rows]).sum()
    rates = class_ratio.attack_rates([draw])
    assert rates["set"].mean == pytest.approx(0.7)
    assert rates["model"].mean > 0.9, "single records are named, though no record's label was released"
    assert rates["new"].mean > 0.85


def test_the_same_config_gives_the_same_numbers_and_another_draw_others(binary):
    again = class_ratio.run(BINARY)
    assert {n: f.errors for n, f in again.fits.items()} == {n: f.errors for n, f in binary.fits.items()}
    other = class_ratio.run(at_draw(BINARY, 1))
    assert other.fits[SPREAD].errors != binary.fits[SPREAD].errors


def test_noise_that_leaves_a_class_without_a_share_is_borne():
    config = replace(BINARY, methods=(SPREAD, MMD, IDENTITY, COUNT, PSVM), release="laplace published", epsilon=0.001)
    seen = set()
    for draw in range(6):
        found = class_ratio.run(at_draw(config, draw))
        seen.add(bool((found.released > 0).any(axis=0).all()))
        for fit in found.fits.values():
            assert np.isfinite(fit.errors).all()
            assert sum(fit.found) == pytest.approx(1)
    assert False in seen, "at this noise some releases leave a class out of all training sets"


def test_what_a_release_promises_is_checked_and_records_in_two_sets_are_counted():
    sizes = replace(BINARY, methods=(MMD,), release="laplace tight")
    draw = class_ratio.run(sizes)
    sample = class_ratio.draw_sample(sizes)
    rows = np.concatenate(sample.training.rows + sample.tuning.rows).tolist()
    assert draw.most_sets == max(map(rows.count, set(rows))) == 2, "148 malignant records for 160 places"
    assert class_ratio.run(replace(sizes, set_size=40)).most_sets == 1
    assert draw.holds
    assert not class_ratio.run(replace(sizes, release="gaussian published", epsilon=20.0, delta=1e-6)).holds
    assert not class_ratio.run(replace(sizes, release="dirichlet local", epsilon=5.0)).holds
    assert math.isnan(draw.bound), "the theorem is of true counts"
    assert not class_ratio.run(replace(sizes, release="none")).holds


def test_random_features_are_of_every_draws_own_and_their_gap_is_told():
    draws = [class_ratio.run(at_draw(replace(BINARY, methods=(MMD, RFF)), i)) for i in range(2)]
    gaps = [np.abs(np.array(d.fits[RFF].found) - d.fits[MMD].found).sum() for d in draws]
    assert class_ratio.features_gap(draws).mean == pytest.approx(np.mean(gaps))
    assert 0 < np.mean(gaps) < 0.2


# --- bad configs


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dataset": "magic"}, "dataset must be one of mnist"),
        ({"release": "magic"}, "release must be one of none, laplace published"),
        ({"n_classes": 11}, r"n_classes must be a whole number in \[2, 10\], got 11; Small digits has no more"),
        (
            {"rho": 0.25},
            r"the share ρ \(rho\) must be below 1/4 = 0.25, at which all sets are alike and nothing tells",
        ),
        ({"rho": 0.3}, "assumption A0 fails"),
        (
            {"set_size": 12, "rho": 0.24},
            "rho = 0.24 of 12 records is 3 of each class, so that no class is the common one",
        ),
        ({"share": 1.1}, "share must be"),
        ({"bandwidth": 0.0}, "bandwidth must be in"),
        ({"methods": ()}, "methods must be one or more of"),
        ({"methods": ("magic",)}, "got magic"),
        ({"methods": (PSVM,)}, "∝SVM tells two classes apart, not 4"),
        ({"set_size": 5}, "set_size must be"),
        ({"epsilon": 0.0}, "epsilon must be"),
        ({"delta": 0.5}, "delta must be"),
    ],
)
def test_a_bad_config_gets_a_sentence(change, words):
    with pytest.raises(ValueError, match=words):
        replace(CONFIG, **change)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"set_size": 200}, r"must be at most 123 for Small digits, whose smallest class has no more .* got 200; take"),
        ({"copies": 2}, "got 160"),
        ({"release": "dirichlet public"}, "class 2 of set 1 has 8 labels, fewer than the public bound n_min = 25"),
        ({"release": "dirichlet local", "rho": 0.0}, "no share for an empty class"),
        ({"release": "gaussian tight", "delta": 0.0}, "use Laplace noise"),
    ],
)
def test_what_the_data_do_not_allow_gets_a_sentence(change, words):
    with pytest.raises(ValueError, match=words):
        class_ratio.check(replace(CONFIG, **change))
    with pytest.raises(ValueError, match=words):
        class_ratio.run(replace(CONFIG, **change))


# --- many draws


def test_means_over_draws_are_plain_means_with_students_interval():
    draws = [class_ratio.run(at_draw(CONFIG, i)) for i in range(3)]
    errors = [np.mean(d.fits[MMD].errors) for d in draws]
    assert class_ratio.mean_error(draws, MMD).mean == pytest.approx(np.mean(errors))
    # t(0.975, 2) = 4.3027
    half = 4.3027 * np.std(errors, ddof=1) / math.sqrt(3)
    assert class_ratio.mean_error(draws, MMD).high == pytest.approx(np.mean(errors) + half, rel=1e-4)
    assert class_ratio.share_of(draws, SPREAD, 2).mean == pytest.approx(
        np.mean([d.fits[SPREAD].found[2] for d in draws])
    )
    assert class_ratio.error_along(draws, SPREAD, 4).mean == pytest.approx(
        np.mean([d.fits[SPREAD].errors[4] for d in draws])
    )
    own = [np.abs(np.array(d.fits[SPREAD].found) - d.truth).sum() for d in draws]
    assert class_ratio.error(draws, SPREAD).mean == pytest.approx(np.mean(own))
    gap = class_ratio.difference(draws, SPREAD, MMD)
    assert gap.mean == pytest.approx(class_ratio.mean_error(draws, SPREAD).mean - np.mean(errors))
    rows = class_ratio.table(draws)
    assert len(rows) == 6
    assert rows[0]["share found of 1"] == draws[0].fits[SPREAD].found[1]
    assert rows[0]["L1 error at 0.3"] == draws[0].fits[SPREAD].errors[2]


# --- the studies


def test_trials_are_draws_of_every_release_and_rows_their_means(monkeypatch):
    small = replace(CONFIG, epsilon=0.5, n_min=5)
    study = class_ratio.study.Study("skew", "", (small, replace(small, rho=0.15)), ("none", "laplace tight"))
    monkeypatch.setattr(class_ratio.study, "STUDIES", {"skew": study})
    marks = [
        m
        for config in study.configs
        for d in range(2)
        for m in class_ratio.study.trial("skew", replace(config, draw=d))
    ]
    assert len(marks) == 2 * 2 * 2 * 2
    rows = class_ratio.study.rows(marks)
    assert len(rows) == 2 * 2 * 2 * (1 + len(SHARES))
    draws = [class_ratio.run(replace(small, release="laplace tight", draw=d)) for d in range(2)]
    overall = next(
        row
        for row in class_ratio.study.select(rows, "skew")
        if (row.rho, row.release, row.method) == (0.1, "laplace tight", SPREAD)
    )
    assert overall.estimate.mean == pytest.approx(class_ratio.mean_error(draws, SPREAD).mean)
    at_half = next(
        row
        for row in class_ratio.study.select(rows, "skew", overall=False)
        if (row.rho, row.release, row.method, row.share) == (0.1, "laplace tight", SPREAD, 0.5)
    )
    assert at_half.estimate.mean == pytest.approx(class_ratio.error_along(draws, SPREAD, 4).mean)
    again = results.from_csv(class_ratio.study.Row, class_ratio.study.to_csv(marks))
    assert [row.error for row in again] == pytest.approx([row.error for row in rows], rel=1e-5)
    assert math.isnan(again[0].share)


def test_the_shipped_rows_are_those_of_the_studies_and_reach_what_was_asked():
    rows = class_ratio.study.load()
    expected = {
        (study.name, replace(config, release=release), method)
        for study in class_ratio.study.STUDIES.values()
        for config in study.configs
        for release in study.releases
        for method in config.methods
    }
    assert len([row for row in rows if math.isnan(row.share)]) == len(expected)
    assert {row.n_draws for row in rows} == {results.N_DRAWS}
    at = {(row.release, row.method): row.error for row in class_ratio.study.select(rows, class_ratio.study.PRIVATE)}
    assert at["none", MMD] <= 0.048
    assert at["none", SPREAD] <= 0.022
    for method in (MMD, SPREAD):
        for release in RELEASES:
            if RELEASES[release].tight:
                assert at[release, method] <= at["none", method] + 0.03


@pytest.mark.parametrize(("study", "place"), [(class_ratio.study.BINARY, 3), (class_ratio.study.SKEW, 0)])
def test_a_shipped_place_can_be_had_again(study, place, mnist, data_folder):
    config = class_ratio.study.STUDIES[study].configs[place]
    fresh = {(m.method, m.config.release): np.mean(m.errors) for m in class_ratio.study.trial(study, config)}
    rows = {
        (row.method, row.release): row
        for row in class_ratio.study.select(class_ratio.study.load(), study)
        if (row.dataset, row.rho) == (config.dataset, config.rho)
    }
    assert set(fresh) == set(rows)
    for key, value in fresh.items():
        # one draw of ten: within five standard deviations of the mean (t(0.975, 9) = 2.26)
        deviation = (rows[key].high - rows[key].low) / 2 / 2.26 * math.sqrt(10)
        assert abs(value - rows[key].error) <= 5 * deviation + 1e-9


def test_the_papers_claims_stand_beside_ours():
    rows = class_ratio.study.load()
    claims = class_ratio.study.published_reductions(rows)
    assert [claim.published for claim in claims] == [0.7, 0.6, 0.6, 0.6]
    at = {
        row.release: row.error for row in class_ratio.study.select(rows, class_ratio.study.PRIVATE) if row.method == MMD
    }
    assert claims[2].ours.mean == pytest.approx(1 - at["dirichlet public"] / at["laplace published"])
    shares = class_ratio.study.select(rows, class_ratio.study.BINARY, overall=False)
    of = {(row.method, row.share): row.error for row in shares if row.dataset == "adult"}
    assert claims[0].ours.mean == pytest.approx(max(1 - of[MMD, share] / of[PSVM, share] for share in SHARES))
    assert {row.guarantee for row in rows if row.release == "dirichlet local"} == {
        "none: noise chosen from the private counts"
    }


def test_projection_and_data_set_helpers_agree_with_what_is_used_here():
    digits = datasets.load("digits").select_classes("012")
    unit = class_ratio.as_input(digits, np.arange(5))
    np.testing.assert_allclose(unit, digits.X[:5] / 16, rtol=1e-6)
    assert project_simplex([0.5, 0.7]) == pytest.approx([0.4, 0.6])
