"""The least ε and the fewest people: one step less misses the goal, no setting does better, and all is monotone."""

import itertools
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from privdemo.accounting import (
    default_delta,
    gaussian_counts_sigma,
    laplace_counts_scale,
    laplace_scale,
    shuffled_delta,
    shuffled_poll_delta,
    shuffled_response_delta,
)
from privdemo.advise import TRUSTS, Question, advise
from privdemo.advise.ways import MOST_HIDING, Noisy, Shuffled, oracle_of, ways
from privdemo.intervals import Z95
from privdemo.mechanisms.frequency_oracles import ORACLES, OptimisedLocalHashing, SubsetSelection
from privdemo.methods import COMPARISON, CURATOR, LEADER, NOBODY

CASES = [
    ("yes-no", 2, 0.03, 1.0),
    ("yes-no", 2, 0.004, 0.4),
    ("one-of-k", 4, 0.05, 2.0),
    ("one-of-k", 16, 0.02, 1.0),
    ("one-of-k", 64, 0.1, 0.5),
    ("one-of-k", 256, 0.01, 4.0),
    ("one-of-k", 1024, 0.02, 1.0),
    ("counts", 2, 0.001, 1.0),
    ("counts", 100, 0.01, 0.2),
]


def all_cases():
    return [(trust, *case) for case in CASES for trust in TRUSTS[case[0]]]


def groups(trust):
    return 10 if trust == "leader" else None


@pytest.mark.parametrize(("trust", "ask", "k", "within", "epsilon"), all_cases())
def test_one_person_fewer_and_one_step_more_private_miss_the_goal(trust, ask, k, within, epsilon):
    asked = {"ask": ask, "trust": trust, "answers": k, "epsilon": epsilon, "groups": groups(trust)}
    fewest = advise(Question(within=within, **asked)).plan
    assert fewest.reached
    assert fewest.half_width <= within
    assert fewest.people == fewest.people_needed
    one_fewer = advise(Question(people=fewest.people - 1, within=within, **asked)).plan
    assert not one_fewer.reached
    assert one_fewer.half_width > within
    assert one_fewer.people_needed == fewest.people

    people = 3 * fewest.people
    least = advise(Question(people=people, within=within, **asked)).plan
    assert least.reached
    assert least.half_width <= within
    assert least.epsilon <= epsilon
    assert least.epsilon == least.epsilon_needed
    first = min(way.first_step for way in ways(Question(people=people, within=within, **asked))) / 1000
    if least.epsilon > first:
        for way in ways(Question(people=people, within=within, **asked)):
            if least.epsilon - 0.001 >= way.first_step / 1000:
                assert way.setting(people, least.epsilon - 0.001).half_width > within


def half_width(oracle, share, people):
    """Half the distance of the roots s of (f̂ − s)² = z²/n · s(1 − s) for the reports that support an answer."""
    supported = oracle.q + share * (oracle.p - oracle.q)
    factor = Z95**2 / people
    low, high = np.sort(np.roots([1 + factor, -2 * supported - factor, supported**2]))
    return (high - low) / 2 / (oracle.p - oracle.q)


@pytest.mark.parametrize(("k", "people", "within"), [(2, 2500, 0.05), (3, 9000, 0.04), (64, 30_000, 0.03)])
def test_no_oracle_at_any_smaller_epsilon_reaches_the_goal(k, people, within):
    """All six oracles at many ε, with every size of a set and many numbers of hashes, at the worst of many shares."""
    asked = Question("one-of-k", "nobody", people, within, answers=k, epsilon=10.0)
    plan = advise(asked).plan
    shares = np.linspace(0, 1, 11)
    for epsilon in (*np.linspace(0.01, plan.epsilon - 0.001, 4), plan.epsilon - 0.001):
        for oracle in (
            *(make(k, float(epsilon)) for make in ORACLES.values()),
            *(SubsetSelection(k, float(epsilon), size) for size in range(1, k)),
            *(OptimisedLocalHashing(k, float(epsilon), g) for g in range(2, 12)),
        ):
            widest = max(half_width(oracle, share, people) for share in (*shares, oracle.worst_share()))
            assert widest > within
            assert widest == pytest.approx(half_width(oracle, oracle.worst_share(), people))
    own = oracle_of(asked, plan)
    assert max(half_width(own, share, people) for share in shares) <= within


@pytest.mark.parametrize(
    ("k", "largest_share"), [(2, 1.0), (4, 1.0), (5, 0.5), (8, 0.5), (16, 0.3), (64, 0.1), (256, 0.02)]
)
def test_half_widths_fall_at_every_step_of_epsilon(k, largest_share):
    """Also where the best size of a set is another one."""
    (way,) = ways(Question("one-of-k", "nobody", 5000, answers=k, largest_share=largest_share))
    steps = (*range(10, 2000, 12), *range(2000, 10_001, 100))
    widths = [way.setting(5000, step / 1000).half_width for step in steps]
    assert all(after < before for before, after in itertools.pairwise(widths))


@pytest.mark.parametrize("k", [2, 16])
def test_no_setting_behind_a_shuffler_is_more_private_or_needs_fewer_people(k):
    """Every ε₀ of many: those that reach the goal are not private one step below, or with one person fewer."""
    within = 0.05
    asked = {"ask": "one-of-k", "trust": "shuffler", "answers": k, "within": within}
    profiles = dict.fromkeys(ORACLES if k > 2 else (), shuffled_delta)
    profiles["randomised response"] = shuffled_poll_delta if k == 2 else partial(shuffled_response_delta, n_states=k)
    fewest = advise(Question(**asked)).plan
    least = advise(Question(people=2000, **asked)).plan
    for plan, people, epsilon in (
        (fewest, fewest.people - 1, 1.0),
        (least, 2000, least.epsilon - 0.001),
    ):
        first = round(1000 * plan.parameters["local_epsilon"]) - 40
        reach = 0
        for step in (*range(first, first + 80), *range(first + 80, 10_001, 300)):
            for name, profile in profiles.items():
                oracle = ORACLES[name].for_shares(k, step / 1000, 1.0)
                if half_width(oracle, oracle.worst_share(), people) <= within:
                    reach += 1
                    assert profile(step / 1000, people, epsilon) > default_delta(people)
        assert reach > 30
    for plan in (fewest, least):
        profile = profiles[plan.mechanism]
        assert profile(plan.parameters["local_epsilon"], plan.people, plan.epsilon) <= plan.delta


def test_a_shuffler_hides_people_among_at_most_a_hundred_thousand():
    asked = Question("yes-no", "shuffler", epsilon=0.1, delta=1e-6, people=MOST_HIDING)
    plans = [advise(replace(asked, people=people)).plan for people in (MOST_HIDING, 3_000_000)]
    assert plans[0].parameters == plans[1].parameters


@pytest.mark.parametrize("ask", ["yes-no", "one-of-k", "counts"])
def test_unless_it_is_said_delta_follows_from_the_people_of_each_plan(ask):
    for trust in TRUSTS[ask]:
        groups = 20 if trust == "leader" else None
        asked = Question(ask, trust, within=0.02, epsilon=0.5, answers=2 if ask == "yes-no" else 16, groups=groups)
        fewest = advise(asked).plan
        for people in (fewest.people, 500, 50_000):
            plan = advise(replace(asked, people=people)).plan
            assert plan.delta == (0 if plan.mechanism in ORACLES and trust != "shuffler" else default_delta(people))
            assert plan.people_needed == fewest.people
            said = advise(replace(asked, people=people, delta=default_delta(people))).plan
            assert replace(said, people_needed=0) == replace(plan, people_needed=0)
        assert advise(replace(asked, people=fewest.people)).reached
        assert not advise(replace(asked, people=fewest.people - 1)).reached


@pytest.mark.parametrize("k", [2, 16])
def test_without_delta_a_shuffler_gains_nothing(k):
    """If all others send the other answer, the count of ones is as telling as the report itself."""
    for people in (20, 5000, 1_000_000):
        asked = Question("one-of-k", "shuffler", people, answers=k, delta=0.0)
        shuffled, alone = (advise(replace(asked, trust=trust)).plan for trust in ("shuffler", "nobody"))
        assert shuffled.parameters["local_epsilon"] == shuffled.epsilon == 1.0
        assert shuffled.half_width == alone.half_width


QUESTIONS = {
    "yes-no": Question("yes-no", "nobody", 3000, 0.06, epsilon=1.5),
    "shuffled": Question("yes-no", "shuffler", 3000, 0.06, epsilon=0.3),
    "leaders": Question("yes-no", "leader", 3000, 0.06, epsilon=0.3, groups=20),
    "curator": Question("one-of-k", "curator", 3000, 0.06, answers=16, epsilon=0.3),
    "many": Question("one-of-k", "nobody", 20_000, 0.06, answers=16, epsilon=1.0),
    "many shuffled": Question("one-of-k", "shuffler", 20_000, 0.03, answers=16, epsilon=1.0),
    "table": Question("counts", "curator", 3000, 0.01, answers=16, epsilon=0.3),
}
# Each argument, its values, and whether more of it makes every result better.
ARGUMENTS = [
    ("people", (200, 500, 3000, 20_000, 300_000, 10_000_000), True),
    ("within", (0.02, 0.03, 0.05, 0.06, 0.2, 0.4), True),
    ("epsilon", (0.05, 0.2, 0.3, 1.0, 1.5, 4.0, 10.0), True),
    ("delta", (0.0, 1e-9, 1e-6, 1e-3), True),
    ("answers", (2, 3, 4, 16, 64, 1024), False),
    ("groups", (1, 2, 20, 100), False),
    ("largest_share", (0.1, 0.3, 0.5, 0.7, 1.0), False),
]
NEVER = float("inf")


def results(asked):
    """What less of is better: the ε that is needed, the people, and the half-width at the largest ε."""
    plan = advise(asked).plan
    exact = advise(Question(**(vars(asked) | {"within": None}))).plan
    return plan.epsilon_needed or NEVER, plan.people_needed or NEVER, exact.half_width


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize(("argument", "values", "more_is_better"), ARGUMENTS)
def test_every_result_is_monotone_in_every_argument(name, argument, values, more_is_better):
    asked = vars(QUESTIONS[name])
    if argument == "answers" and asked["ask"] == "yes-no":
        asked = asked | {"ask": "one-of-k"}
    if argument == "groups" and asked["trust"] != "leader":
        return
    if argument == "largest_share" and asked["answers"] < 16:
        return
    found = [results(Question(**(asked | {argument: value}))) for value in values]
    for first, then in itertools.pairwise(found if more_is_better else found[::-1]):
        assert all(later <= earlier * (1 + 1e-12) for earlier, later in zip(first, then, strict=True)), found


@pytest.mark.parametrize("case", [(2, 500, 0.1), (2, 20_000, 0.02), (16, 5000, 0.05), (256, 100_000, 0.01)])
def test_more_trust_never_costs_more(case):
    k, people, within = case
    asked = {"ask": "one-of-k", "people": people, "within": within, "answers": k, "groups": 10}
    found = {trust: results(Question(trust=trust, **asked)) for trust in TRUSTS["one-of-k"]}
    for less, more in (("nobody", "shuffler"), ("shuffler", "curator"), ("nobody", "leader"), ("leader", "curator")):
        assert all(b <= a for a, b in zip(found[less], found[more], strict=True)), found


@pytest.mark.parametrize("dataset", ["mnist", "adult", "digits"])
def test_a_classifier_is_monotone_too(dataset):
    def lost(**asked):
        plan = advise(Question(**({"ask": "classifier", "trust": "nobody", "dataset": dataset} | asked))).plan
        return plan.half_width

    def needed(**asked):
        plan = advise(Question(**({"ask": "classifier", "trust": "nobody", "dataset": dataset} | asked))).plan
        return plan.epsilon_needed or NEVER

    trusts, goals = TRUSTS["classifier"], (0.005, 0.01, 0.03, 0.1, 0.3)
    levels = [lost(epsilon=epsilon, people=5000) for epsilon in (0.1, 0.2, 0.5, 1.0, 2.0, 7.0, 10.0)]
    assert levels == sorted(levels, reverse=True)
    assert [needed(within=goal) for goal in goals] == sorted((needed(within=goal) for goal in goals), reverse=True)
    assert [lost(trust=trust, people=500) for trust in trusts] == sorted(
        (lost(trust=trust, people=500) for trust in trusts), reverse=True
    )
    reached = [advise(Question("classifier", "nobody", n, 0.2, dataset=dataset)).reached for n in (10, 499, 500, 9000)]
    assert reached == sorted(reached)
    assert reached[-1]


def test_behind_no_trust_or_a_curator_the_ways_are_one_each():
    asked = Question("yes-no", "leader", 100, groups=10)
    assert [type(way).__name__ for way in ways(asked)] == ["Grouped", "Local"]
    (shuffled,), (curated,) = (ways(Question("yes-no", trust, 100)) for trust in ("shuffler", "curator"))
    assert isinstance(shuffled, Shuffled)
    assert isinstance(curated, Noisy)


@pytest.mark.parametrize(("k", "delta"), [(2, 1e-3), (16, 1e-6)])
def test_the_fewest_behind_a_shuffler_may_need_more_to_hide_each_other_than_to_reach_the_goal(k, delta):
    asked = {"ask": "one-of-k", "trust": "shuffler", "answers": k, "within": 0.03, "epsilon": 0.05, "delta": delta}
    fewest = advise(Question(**asked)).plan
    assert fewest.half_width < 0.03 * (1 - 1e-5)
    assert not advise(Question(people=fewest.people - 1, **asked)).reached


def test_leaders_of_many_small_groups_need_more_people_than_if_everybody_reports():
    plan = advise(Question("yes-no", "leader", within=0.05, groups=1000)).plan
    assert (plan.mechanism, plan.people) == ("randomised response", 1795)
    assert plan == replace(advise(Question("yes-no", "nobody", within=0.05)).plan, trust="leader")


def test_noise_is_the_least_that_is_private():
    for k, least in ((2, laplace_scale(0.5, 1e-6)), (16, laplace_counts_scale(0.5, 1e-6))):
        plan = advise(Question("counts", "curator", 1000, answers=k, epsilon=0.5)).plan
        assert plan.parameters == {"scale": least}
    plan = advise(Question("counts", "curator", 1000, answers=16, epsilon=0.05, delta=1e-3)).plan
    assert plan.parameters == {"sigma": gaussian_counts_sigma(0.05, 1e-3)}


def test_what_no_number_of_people_reaches_needs_none():
    plan = advise(Question("one-of-k", "nobody", 1000, 0.0005, answers=64, epsilon=0.1)).plan
    assert (plan.reached, plan.people_needed, plan.epsilon_needed) == (False, None, None)


def test_every_thousandth_of_epsilon_can_be_the_largest():
    for step in range(990, 1100):
        assert advise(Question("yes-no", "nobody", 1000, epsilon=step / 1000)).plan.epsilon == step / 1000


def test_a_classifier_needs_no_more_trust_than_there_is():
    for dataset, epsilon in itertools.product(("mnist", "adult", "digits"), (0.1, 0.25, 1.0, 8.0)):
        for trust, allowed in (
            ("nobody", {NOBODY}),
            ("leader", {NOBODY, LEADER}),
            ("curator", {NOBODY, LEADER, CURATOR}),
        ):
            plan = advise(Question("classifier", trust, epsilon=epsilon, dataset=dataset)).plan
            assert COMPARISON[plan.mechanism].trust in allowed
