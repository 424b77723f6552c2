"""The stated half-width against simulation: within 5 % of the distance that 95 % of results keep from the truth."""

import numpy as np
import pytest

from privdemo.advise import TRUSTS, Question, advise, simulated_half_width
from privdemo.advise.ways import oracle_of
from privdemo.estimators.frequency_oracles import invert
from privdemo.experiments.comparison import CLASSIFY, LABELS, study
from privdemo.mechanisms.label_counts import GaussianCounts, LaplaceCounts

ASKED = [("yes-no", 2), *(("one-of-k", k) for k in (2, 4, 16, 64, 256, 1024)), ("counts", 2), ("counts", 16)]
# No goal, with ε at most 1; and goals that take little noise and much.
GOALS = [(None, 1.0), (0.02, 10.0), (0.2, 10.0)]


@pytest.mark.parametrize(("ask", "k"), ASKED)
def test_every_half_width_is_that_of_a_simulation(ask, k):
    for trust in TRUSTS[ask]:
        for people in (100, 5000, 1_000_000):
            for within, epsilon in GOALS:
                groups = 20 if trust == "leader" else None
                advice = advise(Question(ask, trust, people, within, k, epsilon, groups=groups))
                simulated = simulated_half_width(advice)
                assert advice.plan.half_width == pytest.approx(simulated, rel=0.05), (advice.plan, simulated)


@pytest.mark.parametrize("largest_share", [0.05, 0.3])
def test_with_a_largest_share_the_half_width_is_that_of_a_simulation_for_all_shares_up_to_it(largest_share):
    for trust in ("nobody", "shuffler", "curator"):
        plan = advise(Question("one-of-k", trust, 20_000, answers=64, largest_share=largest_share)).plan
        assert plan.share <= largest_share
        for share in np.linspace(0.01, largest_share, 5):
            assert simulated_error(plan, 64, share) < 1.05 * plan.half_width
        assert simulated_error(plan, 64, plan.share) == pytest.approx(plan.half_width, rel=0.05)


def simulated_error(plan, k, share, repeats=20_000):
    """The error that 95 % of estimates keep, from the mechanism's own parameters."""
    rng = np.random.default_rng(1)
    have = rng.binomial(plan.people, share, repeats)
    if "p" in plan.parameters:
        p, q = plan.parameters["p"], plan.parameters["q"]
        supported = rng.binomial(have, p) + rng.binomial(plan.people - have, q)
        found = (supported / plan.people - q) / (p - q)
    else:
        found = (have + plan.parameters["scale"] * rng.laplace(size=repeats)) / plan.people
    return np.quantile(np.abs(found - share), 0.95)


@pytest.mark.parametrize("k", [2, 16, 64])
@pytest.mark.parametrize("trust", ["nobody", "shuffler"])
def test_intervals_of_reports_are_as_wide_as_stated_and_contain_the_share(k, trust):
    """The estimator that is run, on all reports: its intervals, not only its error."""
    asked = Question("one-of-k", trust, 3000, answers=k)
    plan = advise(asked).plan
    oracle = oracle_of(asked, plan)
    assert (oracle.p, oracle.q) == (plan.parameters["p"], plan.parameters["q"])
    shares = np.full(k, (1 - plan.share) / (k - 1))
    shares[0] = plan.share
    rng = np.random.default_rng(2)
    widths, covered = [], 0
    for _ in range(200):
        supported = oracle.support_counts(rng.multinomial(plan.people, shares), rng)
        found = invert(oracle, supported, plan.people, of_population=True)
        widths.append((found.high[0] - found.low[0]) / 2)
        covered += found.low[0] <= plan.share <= found.high[0]
    assert np.mean(widths) == pytest.approx(plan.half_width, rel=0.05)
    assert 180 <= covered <= 199


def test_reports_sampled_person_by_person_are_as_exact_as_stated():
    asked = Question("one-of-k", "nobody", 2000, answers=4)
    plan = advise(asked).plan
    oracle, rng = oracle_of(asked, plan), np.random.default_rng(3)
    values = np.repeat(np.arange(4), 500)
    errors = []
    for _ in range(400):
        asked = rng.choice(values, plan.people)
        tally = oracle.tally(oracle.reports(asked, rng))
        errors.append((tally / plan.people - oracle.q) / (oracle.p - oracle.q) - 0.25)
    assert np.quantile(np.abs(errors), 0.95) < 1.05 * plan.half_width


@pytest.mark.parametrize(("epsilon", "delta", "kind"), [(1.0, 1e-6, LaplaceCounts), (0.05, 1e-3, GaussianCounts)])
def test_a_noisy_table_is_as_exact_as_stated_whatever_its_counts(epsilon, delta, kind):
    plan = advise(Question("counts", "curator", 1000, answers=16, epsilon=epsilon, delta=delta)).plan
    mechanism = kind(*plan.parameters.values())
    for counts in (np.r_[1000, np.zeros(15, int)], np.full(16, 1000) // 16):
        released = mechanism.noisy(np.tile(counts, (4000, 1)), np.random.default_rng(4))
        assert np.quantile(np.abs(released - counts), 0.95) / 1000 == pytest.approx(plan.half_width, rel=0.05)
    assert mechanism.delta_at(epsilon) <= delta


@pytest.mark.parametrize("dataset", ["mnist", "adult", "digits"])
@pytest.mark.parametrize("trust", TRUSTS["classifier"])
def test_a_classifier_loses_what_the_shipped_trials_lose(dataset, trust):
    rows = [
        row
        for row in study.load()
        if (row.task, row.dataset, row.private, row.metric) == (CLASSIFY, dataset, LABELS, "accuracy")
    ]
    for epsilon in study.EPSILONS:
        advice = advise(Question("classifier", trust, dataset=dataset, epsilon=epsilon))
        plan = advice.plan
        (row,) = [row for row in rows if (row.method, row.epsilon) == (plan.mechanism, plan.epsilon)]
        clean = next(each.mean for each in rows if each.method == "clean")
        assert plan.half_width == pytest.approx(clean - row.mean)
        assert simulated_half_width(advice) == pytest.approx(plan.half_width, rel=0.05, abs=1e-6)
        assert plan.people == 2 * row.n_train
        assert plan.delta == (1e-6 if row.method == "curator" else 0)
