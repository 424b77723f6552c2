"""Test the δ and ε of shuffled answers against enumeration, exact sums of binomial counts, and simulation."""

import itertools
import math
from functools import partial

import numpy as np
import pytest
from scipy.stats import binom

from privdemo import accounting as acc
from privdemo.accounting import shuffling
from tests.accounting.oracles import hockey_stick, two_counts, worst_shuffled
from tests.benchmarks import bench_shuffling
from tests.documents import ROOT

# More than the library adds to δ for the improbable counts that it leaves out.
TRUNCATION = 1e-29


def worst_poll(local_epsilon, n_voters, epsilon):
    """Return the exact δ(ε) of a poll with two answers: the largest over the number of others whose truth is a 1."""
    flip_prob, counts = 1 / (1 + math.exp(local_epsilon)), np.arange(n_voters)
    delta = 0.0
    for ones in range(n_voters):
        others = np.convolve(binom.pmf(counts, ones, 1 - flip_prob), binom.pmf(counts, n_voters - 1 - ones, flip_prob))
        yes, no = np.convolve(others, [flip_prob, 1 - flip_prob]), np.convolve(others, [1 - flip_prob, flip_prob])
        delta = max(delta, hockey_stick(yes, no, epsilon), hockey_stick(no, yes, epsilon))
    return delta


@pytest.mark.parametrize("n_voters", [1, 2, 3, 6])
@pytest.mark.parametrize("local_epsilon", [0.3, 1.5, 4.0])
def test_delta_of_a_small_poll_equals_enumeration(n_voters, local_epsilon):
    for share in (0.0, 0.03, 0.3, 0.8):
        exact = worst_shuffled(local_epsilon, 2, n_voters, share * local_epsilon)
        found = acc.shuffled_poll_delta(local_epsilon, n_voters, share * local_epsilon)
        assert exact <= found * (1 + 1e-12) <= exact * (1 + 1e-9)
    assert acc.shuffled_poll_delta(local_epsilon, n_voters, local_epsilon) == 0


@pytest.mark.parametrize(
    ("local_epsilon", "n_voters", "epsilon"),
    [(1, 66, 0.5), (0.3, 100, 0.0), (5.1, 300, 0.03), (1.1, 115, 0.61), (4, 300, 0.4), (0.5, 300, 0.15), (7, 200, 1.0)],
)
def test_delta_of_a_large_poll_covers_every_number_of_ones(local_epsilon, n_voters, epsilon):
    """The worst others need not be all ones or all zeros: with these settings, taking only those errs by up to 11 %."""
    exact = worst_poll(local_epsilon, n_voters, epsilon)
    found = acc.shuffled_poll_delta(local_epsilon, n_voters, epsilon)
    assert exact <= found <= 1.003 * exact


@pytest.mark.parametrize("local_epsilon", [0.3, 1.5, 4.0, 9.0])
@pytest.mark.parametrize("n_voters", [1, 2, 50, 400, 30_000])
def test_delta_among_ones_is_that_of_others_who_all_have_a_1(local_epsilon, n_voters):
    flip_prob, counts = 1 / (1 + math.exp(local_epsilon)), np.arange(n_voters)
    others = binom.pmf(counts, n_voters - 1, 1 - flip_prob)
    yes, no = np.convolve(others, [flip_prob, 1 - flip_prob]), np.convolve(others, [1 - flip_prob, flip_prob])
    for share in (0.02, 0.3, 1.0):
        found = acc.shuffled_poll_delta_among_ones(local_epsilon, n_voters, share * local_epsilon)
        assert found == pytest.approx(hockey_stick(yes, no, share * local_epsilon), rel=1e-6, abs=1e-13)
        assert found <= acc.shuffled_poll_delta(local_epsilon, n_voters, share * local_epsilon) * (1 + 1e-9)


def test_delta_of_a_simulated_poll_equals_the_computed_one():
    n_voters, local_epsilon, epsilon, n_polls = 2000, 2.0, 0.1, 1_000_000
    rng, flip_prob = np.random.default_rng(0), 1 / (1 + math.exp(local_epsilon))
    others = rng.binomial(n_voters - 1, 1 - flip_prob, n_polls)
    uniform = rng.random(n_polls)
    yes, no = others + (uniform < 1 - flip_prob), others + (uniform < flip_prob)
    counts = np.arange(n_voters + 1)
    at_least = [np.bincount(sums, minlength=len(counts))[::-1].cumsum()[::-1] / n_polls for sums in (yes, no)]
    threshold = (at_least[0] - math.exp(epsilon) * at_least[1]).argmax()
    terms = (yes >= threshold).astype(float) - math.exp(epsilon) * (no >= threshold)
    simulated, error = terms.mean(), terms.std() / math.sqrt(n_polls)
    computed = acc.shuffled_poll_delta(local_epsilon, n_voters, epsilon)
    assert abs(simulated - computed) < 5 * error + 0.002 * computed
    assert simulated > acc.shuffled_poll_delta(0.9 * local_epsilon, n_voters, epsilon) + 5 * error


@pytest.mark.parametrize(("n_voters", "local_epsilon"), [(1, 2.0), (2, 0.5), (5, 1.0), (30, 2.5)])
@pytest.mark.parametrize("share", [0.0, 0.2, 0.7])
def test_the_clone_bound_equals_the_sum_over_every_number_of_clones(n_voters, local_epsilon, share):
    epsilon, truth_prob = share * local_epsilon, math.exp(local_epsilon) / (math.exp(local_epsilon) + 1)
    probs = np.zeros((2, n_voters + 1, n_voters + 1))
    for clones in range(n_voters):
        for first in range(clones + 1):
            clones_prob = binom.pmf(clones, n_voters - 1, math.exp(-local_epsilon)) * binom.pmf(first, clones, 0.5)
            for answer, prob in ((0, truth_prob), (1, 1 - truth_prob)):
                probs[answer, first + 1, clones - first] += prob * clones_prob
                probs[answer, first, clones - first + 1] += (1 - prob) * clones_prob
    expected = hockey_stick(probs[0].ravel(), probs[1].ravel(), epsilon)
    assert expected == pytest.approx(hockey_stick(probs[1].ravel(), probs[0].ravel(), epsilon), rel=1e-9)
    assert expected <= acc.shuffled_delta(local_epsilon, n_voters, epsilon) * (1 + 1e-12) <= expected * (1 + 1e-6)


@pytest.mark.parametrize("n_states", [2, 3])
def test_the_clone_bound_is_above_the_enumerated_delta(n_states):
    for local_epsilon, share in itertools.product((0.4, 2.0), (0.05, 0.5)):
        exact = worst_shuffled(local_epsilon, n_states, 4, share * local_epsilon)
        assert exact <= acc.shuffled_delta(local_epsilon, 4, share * local_epsilon)


def blanket(local_epsilon, n_states, n_voters, epsilon):
    """Return the δ(ε) of what is left once everybody who sends the truth is known: the mean over how many are left."""
    q, odds = 1 / (math.exp(local_epsilon) + n_states - 1), math.exp(local_epsilon)
    delta = 0.0
    for uniform in range(n_voters):
        first, second = np.meshgrid(np.arange(uniform + 1), np.arange(uniform + 1), indexing="ij")
        some = binom.pmf(first + second, uniform, 2 / n_states) * binom.pmf(first, first + second, 0.5)
        probs = np.zeros((uniform + 2, uniform + 2))
        probs[1:, :-1] += odds * q * some
        probs[:-1, 1:] += q * some
        probs[:-1, :-1] += (n_states - 2) * q * some
        left = binom.pmf(uniform, n_voters - 1, n_states * q)
        delta += left * hockey_stick(probs.ravel(), probs.T.ravel(), epsilon)
    return delta


@pytest.mark.parametrize(("n_states", "n_voters"), [(3, 3), (3, 6), (4, 3), (4, 5)])
@pytest.mark.parametrize("local_epsilon", [0.4, 2.0, 4.0])
def test_the_response_bound_is_above_every_neighbour_and_below_the_clone_bound(n_states, n_voters, local_epsilon):
    for share in (0.0, 0.05, 0.2, 0.5, 0.9):
        epsilon = share * local_epsilon
        exact = worst_shuffled(local_epsilon, n_states, n_voters, epsilon)
        found = acc.shuffled_response_delta(local_epsilon, n_voters, epsilon, n_states)
        assert exact <= found <= acc.shuffled_delta(local_epsilon, n_voters, epsilon)
        assert found <= 1.11 * exact or share == 0.9, "of so few people whom the blanket hides"
        assert two_counts(local_epsilon, n_states, n_voters, epsilon) <= exact * (1 + 1e-9)
    assert acc.shuffled_response_delta(local_epsilon, n_voters, local_epsilon, n_states) == 0


@pytest.mark.parametrize(("n_states", "n_voters"), [(3, 2), (3, 60), (5, 80), (64, 80)])
@pytest.mark.parametrize("local_epsilon", [0.5, 2.0, 5.0])
def test_the_response_bound_is_the_mean_over_the_numbers_of_uniform_answers(n_states, n_voters, local_epsilon):
    for share in (0.02, 0.1, 0.4):
        epsilon = share * local_epsilon
        least, expected = (of(local_epsilon, n_states, n_voters, epsilon) for of in (two_counts, blanket))
        found = acc.shuffled_response_delta(local_epsilon, n_voters, epsilon, n_states)
        assert least * (1 - 1e-9) <= expected <= found * (1 + 1e-9)
        assert found <= 1.01 * expected + 1e-11
        assert found <= 1.3 * least or least < 1e-3, "it is not far above what can at least be seen"


@pytest.mark.parametrize(("n_voters", "local_epsilon"), [(2000, 1.0), (2000, 2.5), (20_000, 3.0)])
def test_the_response_bound_is_the_same_by_sum_and_by_series(n_voters, local_epsilon, monkeypatch):
    for delta, more in ((1e-3, 1.005), (1e-6, 1.02), (1e-9, 1.05)):
        epsilon = acc.shuffled_response_epsilon(local_epsilon, n_voters, delta, 16)
        monkeypatch.setattr(shuffling, "CELLS", 0)
        by_series = acc.shuffled_response_delta(local_epsilon, n_voters, epsilon, 16)
        monkeypatch.setattr(shuffling, "CELLS", 10**7)
        by_sum = acc.shuffled_response_delta(local_epsilon, n_voters, epsilon, 16)
        monkeypatch.undo()
        assert by_sum * (1 - 1e-6) <= by_series <= more * by_sum
        assert by_series <= delta


def test_where_rounding_is_more_than_the_response_bound_the_clone_bound_is_taken():
    clones = acc.shuffled_delta(1.0, 1000, 0.5)
    assert acc.shuffled_response_delta(1.0, 1000, 0.5, 3) == clones < 1e-20


def test_of_two_answers_the_response_bound_is_exact():
    for n_voters, local_epsilon, epsilon in ((1, 1.0, 0.5), (30, 2.0, 0.3), (5000, 2.0, 0.1)):
        exact = acc.shuffled_poll_delta(local_epsilon, n_voters, epsilon)
        assert acc.shuffled_response_delta(local_epsilon, n_voters, epsilon) == exact
        assert acc.shuffled_response_delta(local_epsilon, n_voters, epsilon, 3) < acc.shuffled_delta(
            local_epsilon, n_voters, epsilon
        )
    assert acc.shuffled_response_epsilon(2.0, 5000, 1e-6) == acc.shuffled_poll_epsilon(2.0, 5000, 1e-6)
    assert acc.shuffled_response_local_epsilon(0.1, 1e-6, 5000) == acc.shuffled_poll_local_epsilon(0.1, 1e-6, 5000)


@pytest.mark.parametrize("n_states", [3, 16, 1024, 65_536])
def test_of_a_million_answers_the_response_bound_is_below_the_clone_bound(n_states):
    for local_epsilon, delta in itertools.product((0.5, 4.0, 9.0, 15.0), (1e-6, 1e-12)):
        found = acc.shuffled_response_epsilon(local_epsilon, 1_000_000, delta, n_states)
        assert found <= acc.shuffled_epsilon(local_epsilon, 1_000_000, delta) * (1 + 1e-9)
        assert acc.shuffled_response_delta(local_epsilon, 1_000_000, found, n_states) <= delta


@pytest.mark.parametrize("wrong", ["as many again hide a person", "two counts alone"])
def test_bounds_that_promise_too_much_are_below_what_enumeration_finds(wrong):
    """Both look right at other settings."""
    local_epsilon, n_states, n_voters, epsilon = 0.4, 4, 5, 0.2
    too_small = {
        "as many again hide a person": acc.shuffled_response_delta(local_epsilon, 2 * n_voters - 1, epsilon, n_states),
        "two counts alone": two_counts(local_epsilon, n_states, n_voters, epsilon),
    }
    exact = worst_shuffled(local_epsilon, n_states, n_voters, epsilon)
    assert too_small[wrong] < 0.9 * exact
    assert exact <= acc.shuffled_response_delta(local_epsilon, n_voters, epsilon, n_states)


def test_the_tables_in_the_documents_are_what_the_script_makes():
    """Some of their rows; by all of them the bound is hardly above the exact ε of many people."""
    text = (ROOT / "docs/shuffling.md").read_text(encoding="utf-8")
    rows = [bench_shuffling.few_row(*at) for at in bench_shuffling.FEW[::2]]
    rows += [bench_shuffling.many_row(*at) for at in bench_shuffling.MANY[::5] if at[1] <= 10_000]
    assert set(rows) <= set(text.splitlines())
    assert text.count("\n| ") == 3 + 2 + 1 + len(bench_shuffling.FEW) + len(bench_shuffling.MANY)
    many = text.split("<!-- table: many -->")[1].split("<!-- end -->")[0].strip().splitlines()[2:]
    above = {tuple(row.split(" | ")[:3]): float(row.split(" | ")[6]) for row in many}
    assert len(above) == len(bench_shuffling.MANY)
    assert max(above.values()) <= 1.002, "as is said of it in pages and docs"


def test_exact_delta_is_below_the_clone_bound_and_that_below_the_closed_form():
    """Compare the three at the ε of the closed form."""
    n_nontrivial = 0
    for n_voters, delta in itertools.product((100, 2000, 50_000, 1_000_000), (1e-8, 1e-3)):
        for local_epsilon in (0.1, 1.0, 3.0):
            closed = acc.published_shuffled_epsilon(local_epsilon, n_voters, delta)
            exact, clones = (
                profile(local_epsilon, n_voters, closed) for profile in (acc.shuffled_poll_delta, acc.shuffled_delta)
            )
            assert exact <= clones + TRUNCATION <= delta + TRUNCATION
            n_nontrivial += closed < local_epsilon
    assert n_nontrivial > 10
    assert acc.published_shuffled_epsilon(1.0, 10_000, 1e-6) == pytest.approx(
        math.log1p((math.e - 1) / (math.e + 1) * (8 * math.sqrt(math.e * math.log(4e6) / 1e4) + 8 * math.e / 1e4))
    )


@pytest.mark.parametrize(("kind", "states"), [("poll_", {}), ("", {}), ("response_", {"n_states": 16})])
def test_inverses_meet_delta_and_are_tight(kind, states):
    names = ("delta", "epsilon", "local_epsilon")
    delta, epsilon, local = (partial(getattr(acc, f"shuffled_{kind}{name}"), **states) for name in names)
    found = epsilon(2.0, 5000, 1e-6)
    assert delta(2.0, 5000, found) <= 1e-6 < delta(2.0, 5000, 0.999 * found)
    assert local(found, 1e-6, 5000) == pytest.approx(2.0, abs=1e-4)
    most = local(0.2, 1e-5, 5000)
    assert delta(most, 5000, 0.2) <= 1e-5 < delta(1.001 * most, 5000, 0.2)
    assert (epsilon(2.0, 5000, 0.0), epsilon(2.0, 5000, 1.0), epsilon(0.0, 5000, 0.0)) == (2.0, 0, 0)
    assert local(0.7, 0.0, 5000) == pytest.approx(0.7)
    assert local(20.0, 0.0, 10) == 20
    assert epsilon(1.5, 1, 0.0) == 1.5, "shuffling does not hide the answer of a single person"


def test_a_million_answers_have_a_small_delta():
    assert acc.shuffled_poll_delta(1.0, 1_000_000, 0.005) < acc.shuffled_delta(1.0, 1_000_000, 0.005) < 1e-6
