"""Unrelated questions and the crosswise model against an enumeration of what a person does, and textbook formulas."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from privdemo import accounting
from privdemo.attacks import repeated_answers
from privdemo.estimators import survey, votes
from privdemo.experiments.voting import design_costs, design_curves, design_table, designs_at
from privdemo.mechanisms import BinaryChannel, Crosswise, UnrelatedQuestion
from privdemo.methods import SURVEY_DESIGNS
from tests.documents import ROOT
from tests.estimators.oracles import wilson_half_width

COIN_AND_BIRTHDAY = UnrelatedQuestion(0.5, 0.25)
BIRTHDAY = Crosswise(0.25)
DESIGNS = [COIN_AND_BIRTHDAY, UnrelatedQuestion(0.7, 0.1), UnrelatedQuestion(0.3, 0.8), BIRTHDAY, Crosswise(0.9)]

NAMES = {design: f"{type(design).__name__[0]}{design.innocent:g}" for design in DESIGNS}
by_design = pytest.mark.parametrize("design", DESIGNS, ids=NAMES.get)


def enumerated(design):
    """P(says 1 | truth) for the truths no and yes, from every outcome of chance and of the innocent trait."""
    chances = []
    for truth in (0, 1):
        total = Fraction(0)
        for asked, innocent in itertools.product((False, True), (0, 1)):
            weight = Fraction(design.innocent) if innocent else 1 - Fraction(design.innocent)
            if isinstance(design, Crosswise):
                says, weight = truth != innocent, weight * asked  # both questions are always asked
            else:
                weight *= Fraction(design.asked) if asked else 1 - Fraction(design.asked)
                says = truth if asked else innocent
            total += weight * bool(says)
        chances.append(total)
    return chances


@by_design
def test_the_channel_and_its_epsilon_are_those_of_what_a_person_does(design):
    no, yes = enumerated(design)
    expected = [[float(chance) for chance in row] for row in ((1 - no, 1 - yes), (no, yes))]
    np.testing.assert_allclose(design.channel_matrix, expected, rtol=1e-14, atol=0)
    ratios = [a / b for pair in ((no, yes), (1 - no, 1 - yes)) for a, b in itertools.permutations(pair)]
    assert design.epsilon == pytest.approx(math.log(max(ratios)), rel=1e-13)
    assert design.epsilon == pytest.approx(accounting.channel_epsilon(design.channel_matrix), rel=1e-13)
    assert design.delta_at(design.epsilon) == pytest.approx(0, abs=1e-12)
    assert design.delta_at(0.9 * design.epsilon) > 0.001, "no smaller ε holds"


def test_three_months_of_birthdays_are_the_lie_of_one_in_four_and_a_coin_before_them_the_log_of_five():
    assert Crosswise(0.25).epsilon == BinaryChannel(0.25, 0.25).epsilon == pytest.approx(math.log(3))
    assert Crosswise(0.75).epsilon == pytest.approx(math.log(3))
    assert (COIN_AND_BIRTHDAY.p10, COIN_AND_BIRTHDAY.p01) == (0.125, 0.375)
    assert COIN_AND_BIRTHDAY.epsilon == pytest.approx(math.log(0.625 / 0.125))
    assert UnrelatedQuestion(0.6, 0.5).channel_matrix == pytest.approx(BinaryChannel(0.2, 0.2).channel_matrix)


@pytest.mark.parametrize(
    ("design", "epsilon", "contrast"),
    [
        (UnrelatedQuestion(1.0, 0.25), math.inf, 1),  # everybody is asked openly
        (UnrelatedQuestion(0.0, 0.25), 0, 0),  # nobody is
        (UnrelatedQuestion(0.4, 0.0), math.inf, 0.4),  # who says yes has the trait
        (Crosswise(0.5), 0, 0),
        (Crosswise(0.0), math.inf, 1),
        (Crosswise(1.0), math.inf, -1),
    ],
    ids=str,
)
def test_the_ends_give_all_or_nothing_away(design, epsilon, contrast):
    assert (design.epsilon, design.contrast) == (epsilon, pytest.approx(contrast))


@given(st.floats(0, 20), st.floats(0, 1))
def test_a_design_for_an_epsilon_keeps_it_and_asks_as_often_as_that_allows(epsilon, innocent):
    design, crosswise = UnrelatedQuestion.from_epsilon(epsilon, innocent), Crosswise.from_epsilon(epsilon)
    assert design.epsilon <= epsilon
    assert crosswise.epsilon <= epsilon
    assert crosswise.innocent == accounting.randomised_response_flip_prob(epsilon)
    if design.asked < 1 - 1e-6 and 0.001 < innocent < 0.999:
        assert UnrelatedQuestion(design.asked + 1e-6 * (1 - design.asked), innocent).epsilon > epsilon
    if innocent in (0, 1):
        assert design.asked == 0, "one answer of the two would be proof"


def test_no_epsilon_asks_everybody_openly():
    assert UnrelatedQuestion.from_epsilon(math.inf, 0.25) == UnrelatedQuestion(1.0, 0.25)
    assert Crosswise.from_epsilon(math.inf) == Crosswise(0.0)


@pytest.mark.parametrize("n", [1, 2, 7])
@by_design
def test_the_estimate_is_the_textbooks_and_unbiased(design, n):
    no, yes = enumerated(design)
    for share in (Fraction(0), Fraction(1, 10), Fraction(7, 20), Fraction(1)):
        says = no + (yes - no) * share
        mean = Fraction(0)
        for k in range(n + 1):
            seen = Fraction(k, n)
            if isinstance(design, Crosswise):  # Yu, Tian & Tang: λ is the share of “same”
                q = Fraction(design.innocent)
                textbook = ((1 - seen) + q - 1) / (2 * q - 1)
            else:  # Greenberg et al.
                p = Fraction(design.asked)
                textbook = (seen - (1 - p) * Fraction(design.innocent)) / p
            assert float(votes.corrected(k / n, design)) == pytest.approx(float(textbook), abs=1e-12)
            mean += math.comb(n, k) * says**k * (1 - says) ** (n - k) * textbook
        assert mean == share


def test_the_variances_are_the_textbooks():
    n, share, q, p, innocent = 1000, 0.35, 0.25, 0.5, 0.25
    crosswise = share * (1 - share) / n + q * (1 - q) / (n * (2 * q - 1) ** 2)
    says = p * share + (1 - p) * innocent
    for design, expected in ((BIRTHDAY, crosswise), (COIN_AND_BIRTHDAY, says * (1 - says) / (n * p**2))):
        law = votes.law("spread", design.p10 + design.contrast * share, n, design)
        assert law.deviation**2 == pytest.approx(expected, rel=1e-6)
        assert law.mean == pytest.approx(share, abs=1e-9)


def test_at_the_same_chance_an_unrelated_question_is_more_precise_than_the_opposite_but_less_private():
    for chance in (0.6, 0.7, 0.8):
        unrelated, opposite = UnrelatedQuestion(chance, 0.25), BinaryChannel(1 - chance, 1 - chance)
        assert survey.price(unrelated, 0.35) < survey.price(opposite, 0.35)
        assert unrelated.epsilon > opposite.epsilon


def coverage(asked_by, read_as, n, share):
    """How often the exact interval of answers `asked_by` one design, but `read_as` another, contains the share."""
    counts = np.arange(n + 1)
    holds = np.array([votes.exact(int(k), n, read_as).covers(share) for k in counts])
    return float(stats.binom.pmf(counts, n, asked_by.p10 + asked_by.contrast * share) @ holds)


@pytest.mark.parametrize("n", [5, 40, 250])
@by_design
def test_the_exact_interval_contains_every_share_95_times_of_100(design, n):
    found = [coverage(design, design, n, share) for share in np.linspace(0, 1, 21)]
    assert min(found) >= 0.95
    assert n < 250 or np.mean(found) < 0.98, "nor is it far too wide"


@pytest.mark.parametrize(
    ("asked_by", "read_as"),
    [
        (UnrelatedQuestion(0.5, 0.35), COIN_AND_BIRTHDAY),
        (UnrelatedQuestion(0.5, 0.15), COIN_AND_BIRTHDAY),
        (UnrelatedQuestion(0.3, 0.25), COIN_AND_BIRTHDAY),
        (Crosswise(0.35), BIRTHDAY),
        (Crosswise(0.15), BIRTHDAY),
    ],
    ids=["more", "fewer", "seldom asked", "crosswise more", "crosswise fewer"],
)
def test_with_a_wrong_share_of_the_innocent_answer_the_interval_misses_it(asked_by, read_as):
    assert coverage(asked_by, asked_by, 2000, 0.1) >= 0.95
    assert coverage(asked_by, read_as, 2000, 0.1) < 0.5


@pytest.mark.parametrize("design", [COIN_AND_BIRTHDAY, BIRTHDAY], ids=NAMES.get)
@pytest.mark.parametrize("share", [0.05, 0.35, 0.5])
@pytest.mark.parametrize("half", [0.05, 0.1])
def test_people_needed_are_the_fewest_of_all_numbers(design, share, half):
    no, yes = map(float, enumerated(design))
    widths = (wilson_half_width(n, 0.0, no + (yes - no) * share) / abs(yes - no) for n in itertools.count(1))
    fewest = next(n for n, width in enumerate(widths, 1) if width <= half)
    assert survey.voters_needed(design, half, share) == fewest


# --- side by side --------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.1, 1.0, math.log(3), 4.0])
@pytest.mark.parametrize("innocent", [0.05, 0.25, 0.5, 0.75])
@pytest.mark.parametrize("share", [0.02, 0.35, 0.9])
def test_at_the_same_epsilon_no_design_needs_fewer_people_than_the_opposite(epsilon, innocent, share):
    opposite, forced, unrelated, crosswise = costs = design_costs(epsilon, innocent, 1000, share, 0.02)
    assert [cost.name for cost in costs] == list(SURVEY_DESIGNS) == list(designs_at(epsilon, innocent))
    for cost in costs:
        assert epsilon - 1e-9 <= cost.channel.epsilon <= epsilon
        assert cost.half_width == survey.half_width(1000, cost.channel, share)
    assert crosswise[2:] == opposite[2:]
    assert forced[2:] == pytest.approx(opposite[2:], rel=1e-6)
    assert unrelated.people >= opposite.people
    assert (unrelated.people > 1.02 * opposite.people) == (innocent != 0.5)
    curves = design_curves((epsilon,), innocent, share, 0.02)
    assert curves == {cost.name: [(epsilon, cost.people)] for cost in (opposite, unrelated)}


def test_nothing_can_be_estimated_without_any_privacy_loss_and_all_is_said_without_a_limit():
    for cost, row in zip(nothing := design_costs(0.0, 0.25, 1000, 0.35, 0.02), design_table(nothing), strict=True):
        assert (cost.half_width, cost.people) == (math.inf, math.inf)
        assert (row["epsilon"], row["people_needed"]) == (0, "")
    openly = design_costs(math.inf, 0.25, 1000, 0.35, 0.02)
    assert {cost.people for cost in openly} == {survey.voters_needed(0.0, 0.02, 0.35)}


def test_the_table_of_the_docs_is_computed():
    table = (ROOT / "docs" / "pages.md").read_text(encoding="utf-8").partition("| design | set |")[2]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:6]]
    set_so = (BinaryChannel(0.2, 0.2), UnrelatedQuestion(0.6, 0.5), COIN_AND_BIRTHDAY, BIRTHDAY)
    alike = design_costs(math.log(4), 0.25, 1000, 0.35, 0.02)
    assert [row[0] for row in rows] == [method.title for method in SURVEY_DESIGNS.values()]
    for row, channel, cost in zip(rows, set_so, alike, strict=True):
        half, people = survey.half_width(1000, channel, 0.35), survey.voters_needed(channel, 0.02, 0.35)
        assert row[2:] == [f"{channel.epsilon:.2f}", f"± {100 * half:.1f} points", f"{people:,}", f"{cost.people:,}"]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: UnrelatedQuestion(1.2, 0.25), r"asked must be in \[0, 1\], got 1.2; it is the probability"),
        (lambda: UnrelatedQuestion(0.5, -0.1), r"innocent must be in \[0, 1\], got -0.1; it is the known share"),
        (lambda: Crosswise(25), r"innocent must be in \[0, 1\], got 25; it is the known share"),
        (lambda: UnrelatedQuestion.from_epsilon(-1, 0.25), "epsilon must be at least 0, got -1"),
        (lambda: UnrelatedQuestion.from_epsilon(1, 2), r"innocent must be in \[0, 1\], got 2"),
    ],
)
def test_impossible_designs_are_refused(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.parametrize("design", [UnrelatedQuestion(0.5, 0.25), Crosswise(0.25)], ids=["unrelated", "crosswise"])
def test_repeated_answers_are_those_about_another_birthday_each_time_not_about_the_same(design):
    """Every pair of answers and birthdays is enumerated; a person has the truth yes in 35 of 100 cases."""

    def says_yes(truth: int, born: int) -> float:
        if isinstance(design, Crosswise):
            return float(truth != born)
        return design.asked * truth + (1 - design.asked) * born

    def best_guess_right(births: list[tuple[tuple[int, int], float]]) -> float:
        right = 0.0
        for said in itertools.product((0, 1), repeat=2):
            chances = [0.65, 0.35]
            for truth in (0, 1):
                chances[truth] *= sum(
                    weight * math.prod(abs(1 - one - says_yes(truth, b)) for one, b in zip(said, born, strict=True))
                    for born, weight in births
                )
            right += max(chances)
        return right

    share = {0: 1 - design.innocent, 1: design.innocent}
    others = [((a, b), share[a] * share[b]) for a in (0, 1) for b in (0, 1)]
    same = [((a, a), share[a]) for a in (0, 1)]
    found = repeated_answers(design, prior=0.35, n_answers=2).best_guess_right
    assert found == pytest.approx(best_guess_right(others), abs=1e-12)
    assert abs(found - best_guess_right(same)) > 0.01
