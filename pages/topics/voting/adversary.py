"""The chapters on the adversary: what one answer, and many answers of the same person, reveal about a vote."""

from __future__ import annotations

import math
from collections.abc import Mapping

from pages.kit import cache, numbers
from pages.kit.numbers import whole_of_100, whole_per_hundred
from pages.kit.panel import Chart, Markup, Panel, Prediction, Scale
from pages.kit.snippet import Snippet
from pages.kit.values import Values
from pages.topics.voting.answer import Answer
from pages.topics.voting.asking import answers_of, import_line
from pages.topics.voting.question import ASKED, SAID, prior_at
from privdemo import accounting, attacks, figures, limits
from privdemo.attacks import RepeatedAnswers
from privdemo.experiments import voting
from privdemo.figures import people
from privdemo.figures import voting as charts
from privdemo.mechanisms import BinaryChannel, Crosswise, UnrelatedQuestion


def _repeated_answers_by_count(channel: BinaryChannel, prior: float) -> tuple[RepeatedAnswers, ...]:
    """Return what 1, 2, … up to the maximum number of answers of one person reveal."""
    most = int(limits.N_ANSWERS.high)
    return tuple(attacks.repeated_answers(channel, prior, n) for n in range(1, most + 1))


repeated_answers_by_count = cache.shared(_repeated_answers_by_count, max_entries=256)


# --- one answer ----------------------------------------------------------------------------------


def prior_and_answer(values: Values, answer: Answer) -> tuple[float, str]:
    """Return the adversary's prior belief, and what the person says."""
    return values[prior_at(answer.config.share)], values[SAID]


def one_answer(answer: Answer, choice: tuple[float, str]) -> list[Panel]:
    """Return the panel on what one answer reveals; `choice` is the adversary’s prior and the answer."""
    (prior, vote), channel = choice, answer.config.channel
    said = answers_of(channel).said(vote)
    name, question = "one-answer", "What does one answer give away?"
    after = belief(channel, prior, vote)
    if after is None:
        words = f"With this belief and this chance of a changed answer nobody can say {said}. Change either."
        return [Panel(name, question, words)]
    before = _hundred_people(prior, "Before they answer: 100 people", people.VOTES)
    answered = _hundred_people(after, f"Afterwards: 100 people who say {said}", _senders(vote))
    legend = {f"voted {voted}": people.VOTES[kind] for voted, kind in _VOTES.items()}
    (other,) = (voted for voted in _VOTES if voted != vote)
    legend_after = {f"voted {other}, but said {said}": _senders(vote)[_VOTES[other]]}
    summary = (
        f"Of 100 people {numbers.per_hundred(prior)} voted A before anything is said; of 100 people who say {said}, "
        f"{numbers.per_hundred(after)} did: the odds of A against B went from "
        f"{numbers.odds(accounting.log_odds(prior))} to {numbers.odds(accounting.log_odds(after))}. The pictures round "
        "to whole people."
    )
    picture = Markup(figures.people_html([before, answered], legend | legend_after, summary))
    square = [
        _hundred_people(share, field.heading, marks, columns=10)
        for share, field, marks in ((prior, before, people.VOTES), (after, answered, _senders(vote)))
    ]
    return [
        Panel(
            name,
            question,
            belief_words(channel, prior, vote, after),
            picture,
            summary,
            lambda: [{"moment": "before", "voted_a": prior}, {"moment": f"after saying {said}", "voted_a": after}],
            Snippet(
                ("from privdemo import accounting", import_line(channel)),
                (
                    f"channel = {channel!r}",
                    f"prior, said = {prior!r}, {int(vote == 'A')}  # 1 is {answers_of(channel).a}",
                    "_, belief = accounting.posterior(channel.channel_matrix, [1 - prior, prior], said)",
                    f'print(f"of 100 people who say {said}, {{100 * belief:.3g}} voted A")',
                ),
            ),
            prediction=Prediction(
                "voting-one-answer",
                f"Of 100 people, {whole_per_hundred(prior)} voted A. Of 100 people who say {said}, how many do you "
                "think voted A?",
                100 * _whole(after),
                Scale(0, 100, 1, " people"),
                Markup(figures.people_html([square[0]], legend, f"{whole_per_hundred(prior)} of 100 people voted A.")),
                f"A voter of A says {said} {numbers.percent(says(channel, 1, vote))} of the time, a voter of B "
                f"{numbers.percent(says(channel, 0, vote))} of the time.",
            ),
            facts={"before": whole_per_hundred(prior), "after": whole_per_hundred(after)},
            on_slide=Markup(figures.people_html(square, legend | legend_after, summary)),
        )
    ]


def belief(channel: BinaryChannel, prior: float, vote: str) -> float | None:
    """Return the probability of a vote for A after the answer that speaks for a vote, or None if nobody can give it."""
    try:
        return float(accounting.posterior(channel.channel_matrix, [1 - prior, prior], int(vote == "A"))[1])
    except ValueError:
        return None


def belief_words(channel: BinaryChannel, prior: float, vote: str, after: float) -> str:
    """Say how an answer changes a belief, and how far ε lets it."""
    said = answers_of(channel).said(vote)
    bound = f"the odds by {numbers.odds_factor(channel.epsilon)} at most"
    if math.isinf(channel.epsilon):
        bound = "any odds to certainty"
    return (
        f"Of 100 people who say {said}, <b>{whole_per_hundred(after)}</b> voted A. Before they answer: "
        f"<b>{whole_per_hundred(prior)}</b>. Whatever is known beforehand, one answer can change {bound}."
    )


def says(channel: BinaryChannel, voted: int, vote: str) -> float:
    """Return how likely a voter (1 for A, 0 for B) gives the answer that speaks for a vote."""
    return float(channel.channel_matrix[int(vote == "A"), voted])


def _whole(chance: float) -> float:
    """Return a chance in whole hundredths where that is enough."""
    return round(chance, 2) if 0.01 <= chance <= 0.99 else chance


# The kinds of people who voted A and B, as `_hundred_people` counts them.
_VOTES = {"A": voting.A_TRUE, "B": voting.B_TRUE}


def _senders(vote: str) -> dict[int, people.Dot]:
    """Return the marks of voters of A and of B who all give the answer that speaks for the same vote."""
    mark = people.SAID_A if vote == "A" else people.SAID_B
    return {kind: mark if voted == vote else mark.changed for voted, kind in _VOTES.items()}


def _hundred_people(share: float, heading: str, marks: Mapping[int, people.Dot], columns: int = 20) -> people.Field:
    """Return a field of a hundred dots for people, `share` of whom voted A."""
    return figures.dot_field(heading, voting.first_voted_a(whole_of_100(share), 100), marks, columns)


# --- many answers --------------------------------------------------------------------------------


def prior_and_number(values: Values, answer: Answer) -> tuple[float, int]:
    """Return the adversary's prior belief, and how often the person is asked."""
    return values[prior_at(answer.config.share)], values[ASKED]


def many_answers(answer: Answer, choice: tuple[float, int]) -> list[Panel | tuple[Panel, ...]]:
    """Return the panels on many answers of one person; `choice` is the adversary’s prior and their number."""
    (prior, n), channel = choice, answer.config.channel
    revealed = repeated_answers_by_count(channel, prior)
    start = (
        f"channel = {channel!r}",
        f"found = [repeated_answers(channel, prior={prior!r}, n_answers=m) for m in range(1, {len(revealed)} + 1)]",
    )
    imports = (
        "from privdemo.attacks import repeated_answers",
        "from privdemo.figures import voting as charts",
        import_line(channel),
    )
    guesses = Panel(
        "asking",
        figure=Chart(charts.asking_again(revealed, n)),
        summary=f"How often a guess of one person’s vote is right after 1 to {len(revealed)} answers; the majority of "
        f"{n} is right {numbers.share(revealed[n - 1].majority_right)} of the time.",
        rows=lambda: attacks.repeated_table(revealed, channel.epsilon),
        snippet=Snippet(imports, (*start, f"charts.asking_again(found, {n}).show()")),
        note=cost_words(channel, revealed, n),
    )
    answers = Panel(
        "answers",
        figure=Chart(charts.answers(revealed[n - 1])),
        summary="At the top: how often each number of answers A occurs; where the bars of the two kinds of voters "
        "stand "
        "apart, nothing can be denied. Below: how likely it is that a person who said A so often voted A.",
        rows=lambda: attacks.repeated_table(revealed[n - 1 : n], channel.epsilon),
        snippet=Snippet(
            imports, (*start, f"charts.answers(found[{n} - 1]).show()", f"print(found[{n} - 1].posterior)")
        ),
    )
    question = "What do several answers of the same person give away?"
    facts = {
        "answers": f"{n:,}",
        "right": numbers.share(revealed[n - 1].best_guess_right),
        "right_once": numbers.share(revealed[0].best_guess_right),
        "right_before": numbers.share(revealed[0].guess_before),
    }
    return [Panel(question=question, answer=many_words(prior, revealed, n), facts=facts), (guesses, answers)]


def many_words(prior: float, revealed: tuple[RepeatedAnswers, ...], n: int) -> str:
    """Say what `n` answers reveal to one with this `prior`; `revealed` holds what 1, 2, … answers reveal."""
    here, once = revealed[n - 1], revealed[0]
    times = {1: "one answer", 2: "two answers"}.get(n, f"{n} answers")
    same = "" if n == 1 else " of the same person"
    after_one = "" if n == 1 else f"after one answer {numbers.share(once.best_guess_right)}, "
    always = f" (by always guessing {'A' if prior > 0.5 else 'B'})" if prior != 0.5 else ""
    return (
        f"After <b>{times}</b>{same}, the best guess of the vote is right "
        f"<b>{numbers.share(here.best_guess_right)}</b> of the time; {after_one}without any "
        f"{numbers.share(here.guess_before)}{always}."
    )


def cost_words(channel: BinaryChannel, revealed: tuple[RepeatedAnswers, ...], n: int) -> str:
    """Say what `n` answers cost, how they are given, and the odds if all of them speak for A."""
    epsilon = numbers.epsilon(accounting.compose(channel.epsilon, n))
    each = "" if n == 1 or epsilon in ("0", "∞") else f", {numbers.epsilon(channel.epsilon)} for each"
    fresh = "" if n == 1 else f" {numbers.capital(anew_words(channel))}."
    return (
        f"The privacy loss{' of these answers together' * (n > 1)} is ε = {epsilon}{each}.{fresh}"
        f"{_if_all_say(answers_of(channel).a, float(revealed[n - 1].log_odds[-1]), n)}"
    )


def anew_words(channel: BinaryChannel) -> str:
    """Say why several answers of a person are independent, given the vote.

    A birthday does not change: asked about the same one again, “same or different” is the same answer again. So each
    question must be about another.
    """
    if isinstance(channel, Crosswise):
        return "each about a birthday of somebody else; about the same birthday again, the answer is the same again"
    if isinstance(channel, UnrelatedQuestion):
        return "chance chooses the question anew for each, and each is about a birthday of somebody else"
    return "chance decides anew for each"


def _if_all_say(said: str, log_odds: float, n: int) -> str:
    """Say the odds of a vote for A if all `n` answers are those that speak for it; empty if they cannot be (nan)."""
    every = {1: "the answer is", 2: "both answers are"}.get(n, f"all {n} answers are")
    if math.isnan(log_odds):
        return ""
    if math.isinf(log_odds):
        return f" If {every} {said}, this person certainly voted {'A' if log_odds > 0 else 'B'}."
    return f" If {every} {said}, the odds that this person voted A are {numbers.odds(log_odds)}."


# --- the words folded away ------------------------------------------------------------------------


def standing_words(channel: BinaryChannel) -> str:
    """Say what one answer reveals to an adversary who holds both votes equally likely."""
    parts = []
    for vote in "AB":
        voted_a = belief(channel, 0.5, vote)
        if voted_a is not None:  # this answer is possible
            right = voted_a if vote == "A" else 1 - voted_a
            said = answers_of(channel).said(vote)
            parts.append(f"of 100 people who say {said}, {numbers.per_hundred(right)} voted {vote}")
    more = "“Asking a person again” shows how the answers of one person add up until nothing can be denied."
    if not channel.contrast:
        more = "“Asking a person again” shows that more answers tell no more."
    elif math.isinf(channel.epsilon):
        more = "“Asking a person again” goes on to several answers."
    return (
        f"To somebody who holds both votes equally likely: {numbers.join_words(tuple(parts))}. One answer costs "
        f"ε = {numbers.epsilon(channel.epsilon)}. The "
        f"chapter “What one answer reveals” starts from any other belief; {more}"
    )
