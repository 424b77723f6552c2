"""What a class tells: intervals that hold for few people, beliefs by hand, people who answer in their order."""

import math
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom, norm

from privdemo import limits
from privdemo.disobedience import TwoHalves, notice, notice_many
from privdemo.estimators import frequencies, votes
from privdemo.experiments import poll
from privdemo.experiments.poll import CHECKS, CONTROL, HALVES, NO_CHECK, PollConfig
from privdemo.experiments.poll.price import half_width
from privdemo.intervals import exact_ends, wilson_ends
from privdemo.mechanisms import BinaryChannel
from tests.documents import ROOT

CLASSES = (5, 6, 8, 10, 13, 20, 30, 60, 120, 300)
COIN = PollConfig()
FOUR = PollConfig(("never", "once", "twice", "often"), 0.3)


@cache
def ends(config: PollConfig, n: int) -> np.ndarray:
    """Both ends of the first answer's interval by how many sent it, the others in equal parts: (2, n + 1)."""
    others = len(config.answers) - 1
    counts = [(x, *((n - x + i) // others for i in range(others))) for x in range(n + 1)]
    found = [poll.reveal(config, each).readings[0].estimated for each in counts]
    return np.array([(each.low, each.high) for each in found]).T


def sent(config: PollConfig, share: np.ndarray) -> np.ndarray:
    """How likely the first answer is sent by one of people for `share` of whom it is true."""
    return config.channel.p10 + config.channel.contrast * share


def coverage(config: PollConfig, n: int, shares: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """How often the interval of n people holds each of `shares`, by the `chances` (shares, n + 1) of every count."""
    low, high = ends(config, n)
    holds = (low <= shares[:, None] + 1e-12) & (shares[:, None] <= high + 1e-12)
    return (chances * holds).sum(axis=1)


KINDS = [PollConfig(lie=0.05), COIN, PollConfig(lie=0.4), FOUR]


@pytest.mark.parametrize("config", KINDS, ids=lambda config: f"{len(config.answers)} answers, {config.lie}")
def test_the_interval_holds_the_share_of_all_at_least_95_times_of_100_and_is_not_absurdly_wide(config):
    """Over every count that n people sampled at random can send, exactly."""
    shares = np.linspace(0, 1, 101)
    for n in CLASSES:
        chances = binom.pmf(np.arange(n + 1), n, sent(config, shares)[:, None])
        held = coverage(config, n, shares, chances)
        assert held.min() >= 1 - config.miss - 1e-9, n
        low, high = ends(config, n)
        widths = (chances * (high - low)).sum(axis=1)
        cut = [
            np.clip((q - config.channel.p10) / config.channel.contrast, 0, 1)
            for q in wilson_ends(np.arange(n + 1) / n, n)
        ]
        wider = norm.isf(config.miss / 2) / norm.isf(0.025)
        assert (widths <= 1.3 * wider * (chances * (cut[1] - cut[0])).sum(axis=1)).all(), n
        if n >= 120:
            assert held[20:-20].mean() <= 1 - 0.6 * config.miss, n


def test_wilsons_ends_would_not_hold_it():
    n, share = 8, np.array([0.0])
    chances = binom.pmf(np.arange(n + 1), n, sent(PollConfig(lie=0.05), share)[:, None])
    low, _ = wilson_ends(np.arange(n + 1) / n, n)
    assert (chances * (low <= sent(PollConfig(lie=0.05), share)[:, None])).sum() < 0.95


@pytest.mark.parametrize("config", KINDS[1:], ids=lambda config: f"{len(config.answers)} answers, {config.lie}")
def test_the_interval_holds_the_share_of_these_very_people(config):
    """Of n people T hold the answer for true: the counts are sums of two binomials, and only the lies are random."""
    yes, no = 1 - config.channel.p01, config.channel.p10
    for n in (5, 10, 30, 120):
        true = np.arange(n + 1)
        chances = np.array(
            [np.convolve(binom.pmf(true[: t + 1], t, yes), binom.pmf(true[: n - t + 1], n - t, no)) for t in true]
        )
        assert coverage(config, n, true / n, chances).min() >= 0.95 - 1e-9, n


def test_a_reveal_by_hand():
    found = poll.reveal(COIN, (60, 40))
    yes, no = found.readings
    assert found.n_answers == 100
    assert (yes.senders, yes.reported.mean) == (60, 0.6)
    assert yes.estimated.mean == pytest.approx((0.6 - 0.25) / 0.5)
    assert yes.meant.mean == pytest.approx(0.75 * 0.7 / 0.6)  # of 60 who sent yes, 52.5 meant it
    assert no.meant.mean == pytest.approx(0.75 * 0.3 / 0.4)
    for reading in (yes, no):
        for estimate in (reading.reported, reading.estimated, reading.meant):
            assert estimate.low < estimate.mean < estimate.high
        assert not reading.doubtful
    (again, _) = poll.asked_again(found)
    odds = 0.7 / 0.3
    assert [each.mean for each in again.meant] == pytest.approx([odds * 3**m / (1 + odds * 3**m) for m in range(1, 6)])
    assert again.meant[0] == pytest.approx(yes.meant)


def test_the_shares_of_many_answers_are_the_likeliest_of_the_simplex_and_lie_in_their_intervals():
    counts = (3, 0, 20, 4)
    found = poll.reveal(FOUR, counts)
    shares = [reading.estimated.mean for reading in found.readings]
    np.testing.assert_allclose(shares, frequencies.randomised_response_mle(counts, FOUR.lie))
    assert sum(shares) == pytest.approx(1)
    for reading in found.readings:
        assert 0 <= reading.estimated.low <= reading.estimated.mean <= reading.estimated.high <= 1
    never = found.readings[2]
    keep, other = 1 - FOUR.lie, FOUR.lie / 3
    odds = never.estimated.mean * keep / ((1 - never.estimated.mean) * other)
    assert never.meant.mean == pytest.approx(odds / (1 + odds))


@pytest.mark.parametrize(("k", "n", "lie"), [(6, 100, 0.4), (3, 20, 0.3), (5, 1000, 0.6)])
def test_the_intervals_of_all_answers_hold_together_in_95_of_100_polls(k, n, lie):
    config = PollConfig(tuple("abcdef"[:k]), lie)
    shares = np.arange(1, k + 1) / np.arange(1, k + 1).sum()
    sent = config.mechanism.channel_matrix @ shares
    counts = np.random.default_rng(0).multinomial(n, sent, size=4000)
    assert config.miss == pytest.approx(0.05 / k)

    def together(miss):
        low, high = exact_ends(counts, n, miss)
        return ((low <= sent) & (sent <= high)).all(axis=1).mean()

    assert together(config.miss) >= 0.95
    assert together(0.05) < 0.945, "each by itself"
    shown = poll.reveal(config, tuple(counts[0].tolist())).readings
    low, high = exact_ends(counts[0], n, config.miss)
    assert [(one.reported.low, one.reported.high) for one in shown] == list(zip(low, high, strict=True))


def test_both_shares_of_two_answers_are_one_number():
    assert COIN.miss == 0.05


def test_a_few_answers_of_any_lie_are_read():
    """Also where the likeliest share is 0 or 1 but for the last digit."""
    for lie in np.linspace(0.01, 0.45, 23):
        for counts in ((1, 0), (2, 1), (1, 3), (0, 7)):
            for reading in poll.reveal(PollConfig(lie=float(lie)), counts).readings:
                assert 0 <= reading.meant.low <= reading.meant.high <= 1


def test_answers_that_such_lies_hardly_explain_are_doubtful():
    doubtful = poll.reveal(PollConfig(lie=0.4), (100, 0)).readings
    assert [(reading.estimated.mean, reading.doubtful) for reading in doubtful] == [(1, True), (0, True)]


def widest(config: PollConfig, n: int) -> float:
    """Half of the widest interval that n people's counts can give, before it is cut."""
    found = [votes.exact(x, n, config.channel) for x in range(n + 1)]
    return max(each.high - each.low for each in found) / 2


HONEST = SimpleNamespace(channel=BinaryChannel(0.0, 0.0))


def test_the_price_is_of_the_very_intervals_that_are_shown():
    """Whatever the answers turn out to be: it is reckoned where the interval is widest."""
    cost = poll.price(poll.reveal(COIN, (60, 40)))
    assert cost == poll.price(poll.reveal(COIN, (100, 0))), "no share of a few decides what others need"
    assert cost.with_lies == 100
    assert cost.half == pytest.approx(widest(COIN, 100))
    assert widest(HONEST, cost.without_lies) <= cost.half < widest(HONEST, cost.without_lies - 1)
    (half, lying, honest), *_ = cost.plans
    assert widest(COIN, lying) <= half < widest(COIN, lying - 1)
    assert widest(HONEST, honest) <= half < widest(HONEST, honest - 1)
    assert (lying, honest) == (402, 104)


def test_the_limits_say_how_wide_the_interval_of_a_small_class_is():
    said = f"± {100 * half_width(30, COIN.channel):.0f} points in a class of 30"
    assert said in (ROOT / "docs/limits.md").read_text(encoding="utf-8")


def test_answers_may_say_less_than_an_honest_one():
    assert poll.price(poll.reveal(PollConfig(lie=0.45), (100, 100))).without_lies == 0
    assert poll.price(poll.reveal(COIN, (1, 0))).without_lies == 0


def test_the_price_is_of_the_widest_interval_where_lies_keep_answers_from_being_half():
    three = PollConfig(("a", "b", "c"), 0.55)
    for n in (1, 2, 30, 31):
        sent_most = 1 - three.channel.p01
        near = [votes.exact(x, n, three.channel, three.miss) for x in range(int(sent_most * n) + 2) if x <= n]
        assert half_width(n, three.channel, three.miss) == pytest.approx(max(each.high - each.low for each in near) / 2)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: PollConfig(("yes",)), "number of answers must be a whole number in"),
        (lambda: PollConfig(lie=0.5), "lie's probability must be in"),
        (lambda: poll.reveal(COIN, (0, 0)), "nobody has answered"),
        (lambda: poll.reveal(COIN, (1, 2, 3)), "number of counts must be"),
        (lambda: poll.reveal(COIN, (-1, 2)), "count must be a whole number in"),
        (lambda: poll.rehearse(COIN, 0, 0), "answers to a poll must be"),
    ],
)
def test_impossible_questions_are_refused(ask, sentence):
    with pytest.raises(ValueError, match=sentence):
        ask()


def test_people_rehearse_in_their_order_and_lie_afresh_each_time():
    class_ = poll.rehearse(FOUR, 400, 3)
    assert sum(class_.truth) == 400
    assert sum(class_.shares) == pytest.approx(1)
    first = class_.counts(1, 10)
    assert sum(first) == 10
    assert all(a <= b for a, b in zip(first, class_.counts(1, 400), strict=True))
    assert class_.sent.shape == (limits.POLL_ROUNDS.high, 400)
    kept = (class_.sent[0] == class_.sent[1]).mean()
    same = (1 - FOUR.lie) ** 2 + FOUR.lie**2 / 3
    assert abs(kept - same) < 4 * math.sqrt(same * (1 - same) / 400)
    honest = poll.rehearse(PollConfig(FOUR.answers, 0.01), 400, 3)
    assert honest.truth == class_.truth, "the lie changes nothing of who they are"


@pytest.mark.parametrize(
    ("lie", "pack"),
    [
        (0.25, (1, 4)),
        (0.1, (1, 10)),
        (1 / 6, (1, 6)),
        (0.2689, (3, 11)),
        (0.01, (1, 52)),
        (0.26, (1, 4)),
        (0.24, (1, 4)),
    ],
)
def test_people_lie_as_often_as_their_cards_do(lie, pack):
    config = PollConfig(lie=lie)
    assert poll.deck_for(config) == pack
    assert poll.with_card_probability(config).lie == pack[0] / pack[1]


@pytest.mark.parametrize("answers", [("yes", "no"), tuple("abcdef")])
def test_a_class_has_the_cards_for_every_lie(answers):
    limit = limits.poll_lie_limit(len(answers))
    for lie in np.linspace(limit.low, limit.high, 200):
        lies, pack = poll.deck_for(PollConfig(answers, float(lie)))
        assert pack <= 13 or pack == 52
        assert lies / pack == pytest.approx(lie, abs=0.015)


def test_tables_hold_the_reveal():
    found = poll.reveal(COIN, (60, 40))
    assert [row["answers"] for row in poll.said_table(found)] == [60, 40]
    assert poll.share_table(found, (0.5, 0.5))[0] == poll.share_table(found)[0] | {"true": 0.5}
    assert [row["meant"] for row in poll.meant_table(found)] == [reading.meant.mean for reading in found.readings]
    assert len(poll.again_table(poll.asked_again(found))) == 10
    assert poll.price_table(poll.price(found))[0]["people"] == 100


# --- a check on the rules ------------------------------------------------------------------------


def checked(check, lie=0.1):
    return PollConfig(lie=lie, check=check)


def test_the_other_half_is_never_less_private_and_the_default_is_as_recommended():
    assert checked(HALVES).lies == (0.1, 0.4)
    assert COIN.lies == (0.25,)
    limit = limits.poll_lie_limit(2)
    for lie in np.linspace(limit.low, limit.high, 45):
        ours, others = checked(HALVES, float(lie)).lies
        assert (ours, ours < others < 0.5) == (lie, True)
        assert isinstance(checked(HALVES, float(lie)).design, TwoHalves), "they differ enough to be told apart"


@pytest.mark.parametrize(
    ("given", "said"),
    [({"check": "both"}, "check must be one of"), ({"answers": ("a", "b", "c"), "check": HALVES}, "has two answers")],
)
def test_a_check_that_there_is_not_is_refused(given, said):
    with pytest.raises(ValueError, match=said):
        PollConfig(**given)


@pytest.mark.parametrize(
    ("check", "counts", "table"),
    [(HALVES, (290, 710, 348, 652), [[710, 290], [652, 348]]), (CONTROL, (80, 120, 160, 640), [[640, 160], [120, 80]])],
)
def test_a_poll_with_a_check_reads_what_the_designs_read(check, counts, table):
    """The designs have No first, and (halves, answers) or (answer, control answer); the poll has Yes first."""
    config = checked(check)
    found, wanted = poll.reveal(config, counts), notice(config.design, table)
    assert found.noticed == wanted
    yes, no = found.readings
    assert (yes.senders, no.senders) == ((638, 1362) if check == HALVES else (200, 800))
    assert yes.estimated == wanted.share
    assert tuple(no.estimated) == pytest.approx((1 - wanted.share.mean, 1 - wanted.share.high, 1 - wanted.share.low))
    assert not yes.doubtful
    assert poll.share_table(found)[0]["not_following"] == wanted.part.mean
    half = (wanted.share.high - wanted.share.low) / 2
    assert poll.price(found).half == half


def test_with_nobody_in_a_half_there_is_nothing_to_compare():
    found = poll.reveal(checked(HALVES), (30, 20, 0, 0))
    assert found.noticed is None
    assert [r.estimated for r in found.readings] == [
        r.estimated for r in poll.reveal(checked(NO_CHECK), (30, 20)).readings
    ]
    assert "not_following" not in poll.share_table(found)[0]


def test_without_a_check_rehearsals_and_reveals_are_as_they_were():
    class_ = poll.rehearse(COIN, 200, 78)
    assert class_.truth == (67, 133)
    assert [class_.counts(time, 200)[0] for time in (1, 2, 3, 4, 5)] == [87, 82, 84, 84, 78]
    assert poll.share_table(poll.reveal(COIN, (60, 40)))[0].keys() == {
        *("answer", "answers", "said", "corrected", "corrected_low", "corrected_high")
    }


@pytest.mark.parametrize("check", CHECKS)
def test_those_who_disobey_send_the_last_answer_every_time_and_the_rest_what_they_would_anyway(check):
    config = checked(check)
    obedient, class_ = poll.rehearse(config, 1000, 3), poll.rehearse(config, 1000, 3, 0.2)
    assert (obedient.disobey, class_.disobey, class_.truth) == (0, 200, obedient.truth)
    no = (class_.sent // 2 == 1) & (class_.sent % 2 == 1) if check == CONTROL else class_.sent % 2 == 1
    always = no.all(axis=0)
    assert always.sum() >= 200
    changed = (class_.sent != obedient.sent).any(axis=0)
    assert changed.sum() <= 200
    assert always[changed].all()
    if check == HALVES:
        half = class_.sent // 2
        assert (half == half[0]).all(), "a telephone keeps its wheel"
        assert abs(half[0].mean() - 0.5) < 0.06


@pytest.mark.parametrize("check", [HALVES, CONTROL])
def test_who_does_not_follow_the_rules_is_noticed_where_a_poll_without_a_check_is_misled(check):
    """Over 200 classes of 1,000, a fifth of whom always say No."""
    share, part, misled = [], [], []
    for seed in range(200):
        class_ = poll.rehearse(checked(check), 1000, seed, 0.2)
        found = poll.reveal(checked(check), class_.counts(1, 1000))
        plain = poll.reveal(checked(NO_CHECK), poll.rehearse(checked(NO_CHECK), 1000, seed, 0.2).counts(1, 1000))
        share.append(found.noticed.share.covers(class_.shares[0]))
        part.append(found.noticed.part.covers(0.2))
        misled.append(not plain.readings[0].estimated.covers(class_.shares[0]))
    assert min(np.mean(share), np.mean(part)) > 0.9
    assert np.mean(misled) > 0.7


@pytest.mark.parametrize("check", [HALVES, CONTROL])
@pytest.mark.parametrize("people", [60, 1000])
def test_intervals_of_a_class_at_the_chances_that_the_page_opens_with_contain_the_truth(check, people):
    """As the limits in the docs say, but for the error of 1,000 simulated classes."""
    design, rng = checked(check, COIN.lie).design, np.random.default_rng(1)
    for share in (0.05, 0.35, 0.8):
        for part in (0.0, 0.1, 0.3):
            found = notice_many(design, design.sample(share, part, people, rng, 1000))
            assert np.mean([one.share.covers(share) for one in found]) > 0.92
            assert np.mean([one.part.covers(part) for one in found]) > 0.91
            if (share, part) == (0.35, 0.1):
                width = np.mean([one.part.high - one.part.low for one in found])
                assert width == pytest.approx(
                    {HALVES: (0.48, 0.20), CONTROL: (0.33, 0.12)}[check][people > 60], abs=0.02
                )


def test_a_row_of_the_file_says_the_half_or_the_control_answer():
    assert poll.sent_row(COIN, 1, 1) == {"time": 1, "answer": "No"}
    assert poll.sent_row(checked(HALVES), 2, 2) == {"time": 2, "answer": "Yes", "changed_by_chance": 0.4}
    assert poll.sent_row(checked(CONTROL), 1, 2) == {"time": 1, "answer": "No", "january_to_march": "Yes"}
