"""What is released of bags: counted again, with the noise asked for, each stream of randomness on its own."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from privdemo.experiments.draws import at_draw, generator
from privdemo.experiments.label_proportions import BagConfig, draw_release, records, release, study
from privdemo.mechanisms.aggregation import TooFewRecords, noisy_means, noisy_proportions
from privdemo.methods import NAMES
from tests.experiments.label_proportions.cases import CASES, GROUPED, NOISY, count_records, equal, without_noise


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


def test_one_choice_does_not_move_what_else_is_random():
    first, plain = draw_release(NOISY), without_noise(NOISY)
    people, groups = ("record_bags", "true_proportions", "proportions"), ("names", "counts", "positives")
    for change in ({"k": 7}, {"aggregation": "nearest-k"}, {"aggregation": "none", "k": 1}):
        other = draw_release(replace(NOISY, **change))
        assert equal(other, first, *people)
        assert equal(other.records, first.records, "X", "y")
        assert not equal(other, first, *groups)
    other = draw_release(replace(NOISY, feature_epsilon=0.3))
    assert equal(other, first, *groups, *people)
    gaps = [released.rows - plain.rows for released in (first, other)]
    np.testing.assert_allclose(gaps[1], 10 * gaps[0], rtol=1e-6, atol=1e-12)
    other = draw_release(replace(NOISY, selection="iid", n_bags=9, aggregation="none", k=1))
    assert equal(other.test, first.test, "X", "y")


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


def test_bags_of_one_class_alone_teach_nothing_and_say_so():
    config = BagConfig("breast_cancer", 2, 2, methods=(NAMES,))
    refused = []
    for draw in range(40):  # four records are benign with a chance of 0.63⁴ = 0.16, malignant with 0.02
        with suppress(TooFewRecords):
            assert len(set(draw_release(at_draw(config, draw)).records.y)) == 2
            continue
        refused.append(draw)
    assert 0 < len(refused) < 20
    assert study.trial("k", at_draw(config, refused[0])) == []
    with pytest.raises(TooFewRecords, match="all 4 records that came into the bags are "):
        draw_release(at_draw(config, refused[0]))
