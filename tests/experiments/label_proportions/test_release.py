"""What is released of bags: counted again, with the noise asked for, each stream of randomness on its own."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import issparse

from privdemo.experiments.draws import at_draw, generator
from privdemo.experiments.label_proportions import (
    BagConfig,
    Records,
    draw_release,
    n_training,
    records,
    release,
    run,
    study,
)
from privdemo.mechanisms.aggregation import TooFewRecords, noisy_means, noisy_proportions
from privdemo.methods import NAMES
from tests.experiments.label_proportions.cases import CASES, GROUPED, NOISY, SINGLE, count_records, equal, without_noise


@pytest.mark.parametrize("config", CASES.values(), ids=CASES)
def test_a_release_is_what_counting_its_records_gives(config):
    released, known = draw_release(config), records(config.dataset)[0]
    inside, bags = released.records, released.record_bags
    assert max(count_records(known).values()) == 1  # no tumour twice, so that sets of records are sets of people
    assert len(count_records(inside) + count_records(released.test)) == len(inside.y) + len(released.test.y)
    assert len(released.test.y) == round(0.3 * 569)
    assert 0 <= inside.X.min() <= inside.X.max() <= 1
    members = [np.flatnonzero(bags == b) for b in range(config.n_bags)]
    np.testing.assert_array_equal(released.sizes, [len(rows) for rows in members])
    np.testing.assert_allclose(released.true_proportions, [inside.y[rows].mean() for rows in members], atol=1e-15)
    np.testing.assert_array_equal(np.bincount(released.names, released.positives), [inside.y[m].sum() for m in members])
    kinds = (released.positives > 0).astype(int) + (released.positives < released.counts)
    assert released.least_labels == (min(len(set(inside.y[rows])) for rows in members), kinds.min())
    assert (released.counts >= config.k).all()
    assert (released.counts < 2 * config.k).all() or config.k == 1
    if config.aggregation == "k-tree":
        assert (kinds == 1).all()
    else:
        assert released.sizes.max() <= config.bag_size
        assert np.ptp(released.sizes) == 0 or config.selection == "confident"
    plain = without_noise(config)
    assert equal(plain, released, "counts", "positives", "names", "true_proportions", "record_bags")
    np.testing.assert_array_equal(plain.proportions, plain.true_proportions)
    for b, rows in enumerate(members):  # grouping leaves a bag's mean as it is
        here = plain.names == b
        mean = plain.counts[here] @ plain.rows[here] / plain.counts[here].sum()
        np.testing.assert_allclose(mean, inside.X[rows].mean(axis=0), atol=1e-12)
    centre = inside.X.mean(axis=0)
    kept = plain.counts @ np.square(plain.rows - centre).sum(axis=1) / np.square(inside.X - centre).sum()
    assert released.loss == pytest.approx(1 - kept, abs=1e-9)
    assert released.loss <= 1e-9 if config.k == 1 else 0.1 < released.loss < 1


def test_noise_is_that_of_the_mechanisms_with_a_stream_of_its_own_each():
    noisy, plain = draw_release(NOISY), without_noise(NOISY)
    rows = noisy_means(plain.rows, plain.counts, 3.0, generator(NOISY, release.FEATURE_STREAM))
    np.testing.assert_array_equal(noisy.rows, rows)
    rng = generator(NOISY, release.PROPORTION_STREAM)
    proportions = noisy_proportions(plain.proportions, plain.sizes, 0.5, rng)
    np.testing.assert_array_equal(noisy.proportions, proportions)
    np.testing.assert_array_equal(noisy.projected, np.clip(proportions, 0, 1))


@pytest.mark.parametrize(("low", "high", "share"), [(-1.0, 1.2, None), (-9.0, 0.1, 0.0), (0.9, 9.0, 1.0)])
def test_noise_averages_out_before_the_overall_share_is_projected(low, high, share):
    released = draw_release(CASES["k-tree, skewed"])
    released = released._replace(proportions=np.where(np.arange(15) % 2, low, high))
    assert np.ptp(released.sizes) > 0
    raw = np.average(released.proportions, weights=released.sizes)
    assert released.known_share == pytest.approx(raw if share is None else share, abs=1e-12)


@pytest.mark.parametrize("end", [0, 1])
def test_proportions_all_nought_or_all_one_are_moved_half_a_record_inside(end):
    released = draw_release(SINGLE)._replace(proportions=np.full(15, 3.0 if end else -3.0))
    assert released.projected.tolist() == [abs(end - 0.5 / 20)] * 15


def test_one_choice_does_not_move_what_else_is_random():
    first, plain = draw_release(NOISY), without_noise(NOISY)
    people, groups = ("record_bags", "true_proportions", "proportions"), ("names", "counts", "positives")
    for change in ({"k": 7}, {"aggregation": "nearest-k"}, {"aggregation": "none", "k": 1}):
        other = draw_release(replace(NOISY, **change))
        assert equal(other, first, *people)
        assert equal(other.records, first.records, "X", "y")
        assert not equal(other, first, *groups)
    for change, factor in (({"feature_epsilon": 0.3}, 10), ({"proportion_epsilon": 5.0}, 0.1)):
        other = draw_release(replace(NOISY, **change))
        name, still = ("rows", "proportions") if "feature_epsilon" in change else ("proportions", "rows")
        assert equal(other, first, *groups, *people[:2], still)
        gaps = [getattr(r, name) - getattr(plain, name) for r in (first, other)]
        np.testing.assert_allclose(gaps[1], factor * gaps[0], rtol=1e-6, atol=1e-12)
    other = draw_release(replace(NOISY, selection="iid", n_bags=9, aggregation="none", k=1))
    assert equal(other.test, first.test, "X", "y")


def test_another_draw_or_seed_has_other_people_bags_groups_and_noise():
    first = draw_release(NOISY)
    for change in ({"draw": 1}, {"seed": 1}):
        other = draw_release(replace(NOISY, **change))
        assert count_records(other.test) != count_records(first.test)
        assert not equal(other, first, "rows")
        assert not equal(other, first, "proportions")


@pytest.mark.parametrize("aggregation", ["none", "random-k", "nearest-k", "k-tree"])
def test_where_labels_are_promised_they_do_not_move_who_is_in_which_bag(aggregation, monkeypatch):
    """With other labels of the same records, bags and groups are the same just where a promise says so."""
    config = replace(GROUPED, selection="iid", aggregation=aggregation, k=1 if aggregation == "none" else 4)
    first, (known, n_train) = draw_release(config), records("breast_cancer")
    turned = known._replace(y=np.random.default_rng(0).permutation(known.y))
    monkeypatch.setattr(release, "records", lambda dataset: (turned, n_train))
    other = draw_release(config)
    assert not np.array_equal(other.true_proportions, first.true_proportions)
    alike = first.rows.shape == other.rows.shape and equal(other, first, "rows", "names", "counts")
    assert alike == config.label_promise


@pytest.mark.parametrize("config", [BagConfig("adult", 12, 60, "skewed"), BagConfig("sms", 8, 40)])
def test_real_records_stay_sparse_till_there_is_noise(data_folder, config):
    known, boundary = records(config.dataset)
    n_train = n_training(config.dataset)
    assert (n_train, boundary) == ((32_561, 32_561) if config.dataset == "adult" else (len(known.y) - 1672, None))
    for change in ({}, {"aggregation": "random-k", "k": 5}, {"aggregation": "k-tree", "k": 5}):
        released = draw_release(replace(config, **change))
        assert issparse(released.rows)
        assert issparse(released.records.X)
        assert count_records(released.records) + count_records(released.test) <= count_records(known)
        if boundary:
            assert equal(released.test, Records(known.X[n_train:], known.y[n_train:]), "X", "y")
    assert not issparse(draw_release(replace(config, feature_epsilon=1.0)).rows)


@pytest.mark.parametrize(
    ("change", "error", "sentence"),
    [
        ({"n_bags": 399}, ValueError, "n_bags must be at most 398, the records of breast_cancer to train on, got 399"),
        (
            {"bag_size": 40, "aggregation": "k-tree", "k": 20, "selection": "iid"},
            TooFewRecords,
            r"“at random” needs at least 30 records \(or means\) of a kind for 15 of the bags, got \d+; .* a lower k",
        ),
        (
            {"n_bags": 10, "selection": "confident", "bag_size": 40, "aggregation": "random-k", "k": 40},
            TooFewRecords,
            r"k must be at most \d\d, the records of bag \d, got 40; lower k or take larger bags",
        ),
    ],
)
def test_questions_without_an_answer_say_why(change, error, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}") as refused:
        run(replace(SINGLE, **change))
    assert type(refused.value) is error


def test_bags_of_one_class_alone_teach_nothing_and_say_so():
    config, refused = BagConfig("breast_cancer", 2, 2, methods=(NAMES,)), {}
    for draw in range(60):  # four records are benign with a chance of 0.63⁴ = 0.16, malignant with 0.02
        try:
            assert len(set(draw_release(at_draw(config, draw)).records.y)) == 2
        except TooFewRecords as error:
            refused[draw] = str(error)
    assert abs(len(refused) / 60 - 0.18) < 5 * math.sqrt(0.18 * 0.82 / 60)
    for sentence in refused.values():
        assert sentence.startswith("all 4 records that came into the bags are ")
        assert sentence.endswith("learnt from one class; take larger or other bags, lower k, or change the seed")
    assert study.trial("k", at_draw(config, next(iter(refused)))) == []
