"""What cannot be asked is one clear sentence: a ``ValueError``, and a line at the terminal."""

import cProfile
import dataclasses
import json
import pstats
import re

import pytest

from privdemo.__main__ import main
from privdemo.advise import (
    TRUSTED,
    TRUSTS,
    Question,
    action,
    advise,
    comparisons,
    label,
    price,
    promise,
    protection,
    result,
    sentence,
)

BAD = [
    ({"people": 0}, "people must be a whole number in [1, 10000000], got 0; somebody must report"),
    ({"people": -3}, "people must be a whole number in [1, 10000000], got -3"),
    ({"people": 2 * 10**7}, "people must be a whole number in [1, 10000000], got 20000000"),
    ({"within": 0.0}, "within must be in [0.0001, 0.5], got 0; it is half the width of a 95 % interval"),
    ({"within": -0.1}, "within must be in [0.0001, 0.5], got -0.1"),
    ({"within": float("nan")}, "within must be in [0.0001, 0.5], got nan"),
    ({"within": 3.0}, "within must be in [0.0001, 0.5], got 3"),
    ({"trust": "my neighbour"}, "trust must be one of nobody, shuffler, leader, curator, got 'my neighbour'"),
    ({"ask": "everything"}, "ask must be one of yes-no, one-of-k, counts, classifier, got 'everything'"),
    (
        {"ask": "counts", "trust": "nobody"},
        "trust must be one of leader, curator where counts is asked",
    ),
    ({"ask": "classifier", "trust": "shuffler"}, "trust must be one of nobody, leader, curator where classifier is "),
    ({"ask": "one-of-k", "answers": 1}, "answers must be a whole number in [2, 1024], got 1; one answer hides nothing"),
    ({"ask": "one-of-k", "answers": 1025}, "answers must be a whole number in [2, 1024], got 1025"),
    ({"answers": 3}, "answers must be 2 where yes-no is asked, got 3; ask “one-of-k” for more"),
    ({"epsilon": 0.0}, "epsilon must be in [0.01, 10], got 0; below, nothing can be seen"),
    ({"epsilon": float("inf")}, "epsilon must be in [0.01, 10], got inf"),
    ({"delta": 1.0}, "delta must be in [0, 0.3], got 1"),
    ({"trust": "leader"}, "groups is missing; say how many groups there are"),
    ({"trust": "leader", "groups": 51}, "groups must be a whole number in [1, 50], got 51; a group of one person"),
    ({"largest_share": 0.4}, "largest_share must be in [0.5, 1], got 0.4; "),
    ({"ask": "classifier", "dataset": "sms"}, "dataset must be one of mnist, digits, adult, got 'sms'"),
    ({"ask": "classifier", "epsilon": 0.05}, "epsilon must be in [0.1, 10], got 0.05; less was not tried"),
]


@pytest.mark.parametrize(("wrong", "words"), BAD)
def test_what_cannot_be_asked_is_one_sentence(wrong, words, capsys):
    asked = {"ask": "yes-no", "trust": "nobody", "people": 100, "within": 0.1} | wrong
    with pytest.raises(ValueError, match=f"^{re.escape(words)}"):
        advise(Question(**asked))
    assert main(["advise", *options(asked)]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert re.fullmatch(rf"privdemo: {re.escape(words)}.*\n", printed.err)


def options(asked):
    return [f"--{name.replace('_', '-')}={value}" for name, value in asked.items()]


@pytest.mark.parametrize("ask", ["yes-no", "one-of-k", "counts"])
def test_people_or_a_goal_must_be_given(ask, capsys):
    with pytest.raises(ValueError, match="people and within are both missing"):
        Question(ask, "curator")
    assert main(["advise", "--ask", ask, "--trust", "curator"]) == 1
    assert capsys.readouterr().err.startswith("privdemo: people and within are both missing; say how many people")


@pytest.mark.parametrize("wrong", [{"people": 10.5}, {"people": True}, {"people": "10"}, {"within": "0.1"}])
def test_what_is_no_number_is_refused(wrong):
    with pytest.raises(ValueError, match="must be"):
        Question(**({"ask": "yes-no", "trust": "nobody", "people": 10} | wrong))


def test_the_terminal_prints_the_sentences_and_the_same_as_json(capsys):
    arguments = ["advise", "--ask", "yes-no", "--trust", "nobody", "--people", "5000", "--within", "0.03"]
    advice = advise(Question("yes-no", "nobody", 5000, 0.03))
    words = [sentence(advice), promise(advice.plan), *comparisons(advice)]
    assert main(arguments) == 0
    assert capsys.readouterr().out.splitlines() == [
        *words,
        "  randomised response: p 0.7311; q 0.2689; flip_prob 0.2689; ε 1, δ 0",
    ]
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [found["sentence"], found["promise"], *found["comparisons"]] == words
    assert found["plan"] == dataclasses.asdict(advice.plan)
    assert found["question"] == dataclasses.asdict(advice.question)


def test_the_terminal_takes_every_argument_of_a_question(capsys):
    asked = Question("one-of-k", "leader", 4000, 0.05, 8, 2.0, 1e-5, 7, 0.4, "adult")
    assert main(["advise", *options(vars(asked)), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["question"] == dataclasses.asdict(asked)


SLOWEST = [
    Question("yes-no", "shuffler", 300, 0.1, groups=10),
    Question("yes-no", "leader", 90_000, 0.01, groups=100),
    Question("one-of-k", "shuffler", 5_000_000, 0.001, answers=1024),
    Question("one-of-k", "curator", 100_000, 0.01, answers=64),
    Question("counts", "curator", 10_000, 0.01, answers=1024, delta=1e-3),
    Question("classifier", "nobody", within=0.03),
    Question("yes-no", "nobody", within=0.02, epsilon=0.05, delta=0.0),
    Question("yes-no", "shuffler", 5000, 0.003, epsilon=0.3, delta=0.0),
]


def test_advice_takes_few_steps_however_many_people_there_are():
    """Calls of functions are counted, which a busy machine does not change; the benchmark has the milliseconds."""
    advise(Question("classifier", "nobody", within=0.05))  # reads the shipped results once
    for asked in SLOWEST:
        with cProfile.Profile() as profile:
            advise(asked)
        assert pstats.Stats(profile).total_calls < 200_000, asked


# --- words ---------------------------------------------------------------------------------------


def all_questions():
    for ask, trusts in TRUSTS.items():
        for trust in trusts:
            for k in (2,) if ask in ("yes-no", "classifier") else (2, 16, 1024):
                for people, within in ((20, None), (600, 0.05), (None, 0.02)):
                    for largest in (1.0, 0.3):
                        groups = 5 if trust == "leader" else None
                        if largest >= 1 / k:
                            yield Question(ask, trust, people, within, k, groups=groups, largest_share=largest)


def test_every_advice_is_in_whole_phrases():
    for asked in all_questions():
        advice = advise(asked)
        cards = [card for card in (result(advice), price(advice)) if card]
        said = [action(asked, advice.plan), protection(advice.plan)[1], *(card[2] for card in cards)]
        for words in (sentence(advice), promise(advice.plan), *comparisons(advice), *said):
            assert re.fullmatch(r"[A-Z][^{}_]+\.", words), words
            assert not re.search(r"nan|inf\b|None|  |\.\.|e[-+]\d", words), words
        assert sentence(advice).startswith("It cannot be done: ") != advice.reached
        assert len(advice.alternatives) <= 2
        for title, number, _ in cards:
            assert re.fullmatch(
                "Result|Margin of error|Price of privacy|Accuracy lost|"
                "People needed to come within [0-9.]+ percentage points? of the truth",
                title,
            )
            assert not re.search(r"nan|inf\b|None|e[-+]\d|-", number), number


def test_a_result_and_its_price_say_what_true_answers_would_save():
    for asked, result_words, price_words in (
        (
            Question("yes-no", "nobody", 5000, 0.03),
            (
                "Margin of error",
                "± 3 percentage points",
                "In 95 of 100 surveys of 5,000 people the estimated share of yes is off by no more than this, as you "
                "asked.",
            ),
            (
                "People needed to come within 3 percentage points of the truth",
                "4,993",
                "With true answers, 1,064 would be enough. Example: if the share of yes is truly 50 %, the survey "
                "finds 47 to 53 %. About 1 survey in 20 will miss by more.",
            ),
        ),
        (
            Question("yes-no", "nobody", 5000),
            (
                "Margin of error",
                "± 3 percentage points",
                "In 95 of 100 surveys of 5,000 people the estimated share of yes is off by no more than this.",
            ),
            (
                "Price of privacy",
                "± 3 points instead of ± 1.39 points",
                "True answers of 5,000 people would be right to ± 1.39 points.",
            ),
        ),
        (
            Question("yes-no", "nobody", 50, epsilon=0.01),
            (
                "Margin of error",
                "any result is possible",
                "At this protection 50 people tell too little about the share of yes.",
            ),
            (
                "Price of privacy",
                "any result instead of ± 13.4 points",
                "True answers of 50 people would be right to ± 13.4 points.",
            ),
        ),
        (
            Question("counts", "curator", 5000, 0.03, 8),
            (
                "Margin of error",
                "± 149 people",
                "In 95 of 100 such tables each number in the table is off by no more than this. Without noise it would "
                "be exact.",
            ),
            None,
        ),
        (
            Question("classifier", "nobody", within=0.05),
            (
                "Result",
                "92.5 of 100 right",
                "So often is a computer right that learned from 500 people like those of our trials. No other number "
                "of people was tried.",
            ),
            (
                "Accuracy lost",
                "2.5 of 100 fewer right",
                "With every label true the computer would be right about 95.0 of 100 times.",
            ),
        ),
    ):
        advice = advise(asked)
        assert (result(advice), price(advice)) == (result_words, price_words)
    assert price(advise(Question("yes-no", "nobody", 1000, 0.01))) is None, "the goal is not reached"


@pytest.mark.parametrize(
    ("asked", "number"),
    [
        (Question("yes-no", "curator", 1_000_000, 0.03), "1,072"),
        (Question("yes-no", "nobody", 10_000_000, 0.5), "15"),
        (Question("yes-no", "nobody", 5000, epsilon=10.0), "hardly anything"),
        (Question("classifier", "nobody", epsilon=8.0), "none"),
    ],
)
def test_the_price_is_of_the_people_who_are_needed_not_of_those_there_are(asked, number):
    (_, said, sentence_on_it) = price(advise(asked))
    assert said == number
    assert sentence_on_it.startswith("This is with the least protection that you allow. ") == number.endswith(
        ("2", "5")
    )


def test_the_sentence_names_the_noise_the_people_and_the_price():
    for asked, words in (
        (
            Question("yes-no", "nobody", 5000, 0.03),
            "Let each person’s phone sometimes send the opposite answer on purpose, with a chance of about 1 in 4 "
            "(26.9 %). "
            "So nobody, not even you, can be sure of any one answer. "
            "From what 5,000 people send the share of yes can still be "
            "worked out, to ± 3 percentage points in 95 of 100 surveys. The price of privacy: with true answers, "
            "1,064 people would be enough.",
        ),
        (
            Question("yes-no", "nobody", 1000, 0.05),
            "It cannot be done: with 1,000 people and ε of at most 1, the share of yes is right to ± 6.69 percentage "
            "points in 95 of 100 surveys. Any one of these is enough: ask 1,795 people, allow ε = 1.446, let people "
            "trust a shuffler, or accept ± 6.69 points.",
        ),
        (
            Question("counts", "curator", 600, 0.01, 16),
            "It cannot be done: with 600 people and ε of at most 1, each number in the table is right to ± 6.13 "
            "people in 95 of 100 tables. Any one of these is enough: take a table of 613 people, allow ε = 1.022, or "
            "accept ± 6.13 people.",
        ),
        (
            Question("yes-no", "nobody", 1),
            "Let each person’s phone sometimes send the opposite answer on purpose, with a chance of about 1 in 4 "
            "(26.9 %). "
            "So nobody, not even you, can be sure of any one answer. "
            "With 1 person the share of yes may be anything; with true "
            "answers, ± 44.5 points.",
        ),
        (
            Question("classifier", "nobody", 100),
            "It cannot be done: 100 people are fewer than the 500 of our trials. No other number of people was tried. "
            "Ask 500 people.",
        ),
    ):
        assert sentence(advise(asked)) == words


def test_what_would_have_to_change_is_enough():
    """Each way out of what cannot be done, taken by itself."""
    for ask, k in (("yes-no", 2), ("one-of-k", 16)):
        asked = Question(ask, "nobody", 1000, 0.1 if k > 2 else 0.05, answers=k)
        advice = advise(asked)
        assert not advice.reached
        plan = advice.plan
        for change in (
            {"people": plan.people_needed},
            {"epsilon": plan.epsilon_needed},
            {"within": plan.half_width},
            *({"trust": other.trust} for other in advice.alternatives),
        ):
            assert advise(dataclasses.replace(asked, **change)).reached, change


def test_alternatives_are_the_next_less_and_the_next_more_trust():
    for trust, around in (("nobody", ["shuffler"]), ("shuffler", ["nobody", "curator"]), ("curator", ["shuffler"])):
        advice = advise(Question("yes-no", trust, 2000, 0.05))
        assert [other.trust for other in advice.alternatives] == around
        for other in advice.alternatives:
            assert other == advise(Question("yes-no", other.trust, 2000, 0.05)).plan
    grouped = [advise(Question("yes-no", trust, 2000, 0.05, groups=10)).alternatives for trust in TRUSTED]
    assert [[other.trust for other in each] for each in grouped] == [
        ["shuffler"],
        ["nobody", "leader"],
        ["shuffler", "curator"],
        ["leader"],
    ]


def test_the_promise_is_the_most_that_an_observer_can_be_right():
    plan = advise(Question("yes-no", "nobody", 5000, 0.03)).plan
    assert "is right fewer than 74 of 100 times" in promise(plan)  # e/(1 + e) is 0.731
    assert plan.parameters["p"] < 0.74
    assert "is right up to nearly 100 of 100 times" in promise(dataclasses.replace(plan, epsilon=6.0))


def test_other_trust_gives_each_of_two_ways_a_sentence():
    (shuffled,) = comparisons(advise(Question("yes-no", "nobody", 5000, 0.03)))
    assert shuffled == (
        "If people trust a shuffler, who mixes all answers so that nobody knows whose is whose, 5,000 people are "
        "protected better, for the same ± 3 points. That takes ε = 0.064. Or keep ε = 1 and ask only 1,190 people."
    )
    nobody, curator = comparisons(advise(Question("yes-no", "shuffler", 600, 0.05)))
    assert nobody == (
        "If people trust nobody, 600 people are protected less well, for the same ± 5 points. "
        "That takes ε = 2.184. Or take ε = 1 and ask 1,795 people."
    )
    assert curator.endswith(
        "600 people are protected better, for the same ± 5 points. "
        "That takes ε = 0.159. Or take ε = 1 and ask only 389 people."
    )


# --- the label -----------------------------------------------------------------------------------


def text_of(advice, words=""):
    return {line.title: line.text for line in label(advice, words)}


def test_a_label_without_a_question_says_what_is_wanted():
    advice = advise(Question("yes-no", "nobody", 5000, 0.03))
    assert text_of(advice)["What is asked"] == "The share of people whose answer is yes."
    asked = text_of(advice, "Have you ever cheated?")["What is asked"]
    assert asked == "“Have you ever cheated?” Wanted: the share of people whose answer is yes."


@pytest.mark.parametrize(
    ("asked", "how", "trusted"),
    [
        (
            Question("yes-no", "nobody", 5000),
            "Your telephone will send the opposite answer",
            "Only the telephone",
        ),
        (
            Question("one-of-k", "shuffler", 5000, answers=64),
            "(subset selection). A shuffler mixes",
            "The shuffler: ",
        ),
        (
            Question("yes-no", "leader", 5000, groups=20),
            "The leader of each of the 20 groups adds",
            "The leader",
        ),
        (Question("counts", "curator", 5000, answers=16), "A curator adds Laplace noise of scale 2 to", "The curator"),
        # Where noise from every telephone is better, it does not matter who else is trusted.
        (
            Question("yes-no", "leader", 5000, groups=2500),
            "Your telephone will send the opposite answer",
            "Only the telephone",
        ),
        (
            Question("classifier", "nobody"),
            "(randomised response). A computer is trained with",
            "Only the telephone",
        ),
        (Question("classifier", "curator"), "Your telephone will send the other label", "Only the telephone"),
        (
            Question("classifier", "leader", epsilon=0.1, dataset="adult"),
            "The leader of each group of",
            "The leader of",
        ),
        (
            Question("classifier", "curator", epsilon=0.25, dataset="adult"),
            "A curator trains a computer",
            "The curator",
        ),
    ],
)
def test_a_label_names_those_who_must_be_trusted_and_no_others(asked, how, trusted):
    lines = text_of(advise(asked))
    assert how in lines["How"]
    assert lines["Who must be trusted"].startswith(trusted)
    assert lines["Who sees what"].startswith("Whoever collects" if trusted == "Only the telephone" else trusted[:10])
    of_records = asked.ask == "classifier" and trusted != "The curator"
    assert lines["Not protected"].startswith("Of a record, all but its label." if of_records else "Who takes part")
    assert ("telephone" in lines["Not protected"]) == ("telephone will" in lines["How"])


def test_a_label_says_what_delta_is():
    lines = text_of(advise(Question("yes-no", "shuffler", within=0.02, epsilon=0.5)))
    loss = "ε = 0.5 for one answer (0 gives nothing away); with a chance of 0.00000013 (δ) it is more."
    assert lines["Protection"].endswith(f" Privacy loss: {loss}")
    assert lines["Asked again"] == (
        "Each time gives more away. After 5 times such a guess is right fewer than 73 of 100 times (losses add "
        "up, to ε = 2.5 at most, with a chance of 0.000000648 more)."
    )


def test_with_too_few_people_for_our_trials_all_that_is_missing_is_named():
    few = Question("classifier", "nobody", people=300, within=0.005, epsilon=1.0)
    assert sentence(advise(few)).endswith("Ask 500 people and allow ε = 4.")
    assert sentence(advise(dataclasses.replace(few, within=0.5))).endswith(" Ask 500 people.")


def test_of_a_table_whose_counts_may_be_anything_no_margin_is_given():
    table = Question("counts", "leader", people=20, within=0.03, epsilon=1.0, answers=5, groups=4)
    assert "each number in the table may be anything" in sentence(advise(table))
    assert result(advise(table))[1] == "any result is possible"
    assert result(advise(dataclasses.replace(table, people=5000)))[1].endswith(" people")
