"""The tabs on the adversary: what one answer tells of a vote, and what many answers of the same person do."""

from __future__ import annotations

import math

from pages.kit import cache, numbers
from pages.kit.panel import Chart, Markup, Panel
from pages.kit.snippet import Snippet
from pages.topics.voting.answer import Answer
from privdemo import accounting, attacks, figures, limits
from privdemo.attacks import RepeatedAnswers
from privdemo.experiments import voting
from privdemo.figures import people
from privdemo.figures import voting as charts
from privdemo.mechanisms import BinaryChannel


def _asked_again(channel: BinaryChannel, prior: float) -> tuple[RepeatedAnswers, ...]:
    """What 1, 2, … up to the most answers of one person give away."""
    most = int(limits.N_ANSWERS.high)
    return tuple(attacks.repeated_answers(channel, prior, n) for n in range(1, most + 1))


asked_again = cache.shared(_asked_again, max_entries=256)


# --- one answer ----------------------------------------------------------------------------------


def one_answer(shown: Answer, asked: tuple[float, str]) -> list[Panel]:
    """What one answer tells about a vote, to somebody who held it for A with probability `prior` before."""
    (prior, said), channel = asked, shown.config.channel
    name, question = "one-answer", "What the adversary sees"
    after = belief(channel, prior, said)
    if after is None:
        words = f"With this belief and these lies nobody can say {said}. Change one of them."
        return [Panel(name, question, words)]
    fields = [
        _hundred(prior, "Before: 100 people like this one"),
        _hundred(after, f"After: 100 such people who say {said}"),
    ]
    legend = {"voted A": people.VOTED_A, "voted B": people.VOTED_B}
    summary = (
        f"Of 100 people {numbers.per_hundred(prior)} voted A before anything is said; of 100 people who say {said}, "
        f"{numbers.per_hundred(after)} did. The pictures round to whole people."
    )
    picture = Markup(figures.people_html(fields, legend, summary))
    return [
        Panel(
            name,
            question,
            belief_words(channel, prior, said, after),
            picture,
            summary,
            lambda: [{"moment": "before", "voted_a": prior}, {"moment": f"after saying {said}", "voted_a": after}],
            Snippet(
                ("from privdemo import accounting", "from privdemo.mechanisms import BinaryChannel"),
                (
                    f"channel = {channel!r}",
                    f"prior, said = {prior!r}, {int(said == 'A')}  # 1 is A",
                    "_, belief = accounting.posterior(channel.channel_matrix, [1 - prior, prior], said)",
                    f'print(f"of 100 people who say {said}, {{100 * belief:.3g}} voted A")',
                ),
            ),
        )
    ]


def belief(channel: BinaryChannel, prior: float, said: str) -> float | None:
    """The probability of a vote for A after an answer; None where nobody can give that answer."""
    try:
        return float(accounting.posterior(channel.channel_matrix, [1 - prior, prior], int(said == "A"))[1])
    except ValueError:
        return None


def belief_words(channel: BinaryChannel, prior: float, said: str, after: float) -> str:
    """How an answer moves the odds of a vote, and how far ε lets it."""
    before_odds, after_odds = (numbers.odds(accounting.log_odds(p)) for p in (prior, after))
    bound = "by any factor" if math.isinf(channel.epsilon) else f"by {numbers.odds_factor(channel.epsilon)} at most"
    moved = f"went from {before_odds} to <b>{after_odds}</b>" if prior not in (0, 1) else "were settled before it"
    return (
        f"Of 100 people who say {said}, <b>{numbers.per_hundred(after)}</b> voted A. Before the answer it was "
        f"{numbers.per_hundred(prior)}: the odds of A against B {moved}. Whatever is known beforehand, "
        f"ε = {numbers.epsilon(channel.epsilon)} lets one answer move odds {bound}."
    )


def _hundred(share: float, heading: str) -> people.Field:
    """A hundred people, `share` of whom voted A, as dots."""
    return figures.dot_field(heading, voting.first_voted_a(round(100 * share), 100), people.TRUTH, columns=20)


# --- many answers --------------------------------------------------------------------------------


def many_answers(shown: Answer, asked: tuple[float, int]) -> list[Panel]:
    """What many answers of the same person tell."""
    (prior, n), channel = asked, shown.config.channel
    found = asked_again(channel, prior)
    return [
        Panel(
            "asking",
            "Asking twice",
            many_words(channel, found, n),
            Chart(charts.asking_again(found, n)),
            f"At the top: how often a guess of one person’s vote is right after 1 to {len(found)} answers; the "
            f"majority of {n} is right {numbers.share(found[n - 1].majority_right)} of the time. In the middle: how "
            "likely each number of answers A is; where the bars of the two kinds of voters stand apart, nothing can "
            "be denied. Below: the posterior, how likely it is that a person who said A so often voted A.",
            lambda: attacks.repeated_table(found, channel.epsilon),
            Snippet(
                (
                    "from privdemo.attacks import repeated_answers",
                    "from privdemo.figures import voting as charts",
                    "from privdemo.mechanisms import BinaryChannel",
                ),
                (
                    f"channel = {channel!r}",
                    f"found = [repeated_answers(channel, prior={prior!r}, n_answers=m) "
                    f"for m in range(1, {len(found)} + 1)]",
                    f"charts.asking_again(found, {n}).show()",
                    f"print(found[{n} - 1].posterior)",
                ),
            ),
        )
    ]


def many_words(channel: BinaryChannel, found: tuple[RepeatedAnswers, ...], n: int) -> str:
    """What `n` answers cost and give away; `found` holds what 1, 2, … answers do."""
    here, once = found[n - 1], found[0]
    times = "once" if n == 1 else f"{n} times, with a fresh lie each time"
    after_one = "" if n == 1 else f", after one answer {numbers.share(once.best_guess_right)}"
    return (
        f"Asked <b>{times}</b>, one person has spent "
        f"<b>ε = {numbers.epsilon(accounting.compose(channel.epsilon, n))}</b>, and the adversary’s best guess of the "
        f"vote is right <b>{numbers.share(here.best_guess_right)}</b> of the time (before any answer "
        f"{numbers.share(here.guess_before)}{after_one}).{_all_alike(float(here.log_odds[-1]), n)}"
    )


def _all_alike(log_odds: float, n: int) -> str:
    """The odds of a vote for A if all `n` answers are A; nan where they cannot be."""
    every = {1: "the answer is", 2: "both answers are"}.get(n, f"all {n} answers are")
    if math.isnan(log_odds):
        return ""
    if math.isinf(log_odds):
        return f" If {every} A, this person certainly voted {'A' if log_odds > 0 else 'B'}."
    return f" If {every} A, the odds that this person voted A are <b>{numbers.odds(log_odds)}</b>."


# --- the fold ------------------------------------------------------------------------------------


def standing_words(channel: BinaryChannel) -> str:
    """What one answer tells somebody who knows nothing else."""
    told = []
    for said in "AB":
        voted_a = belief(channel, 0.5, said)
        if voted_a is not None:  # somebody can say that
            right = voted_a if said == "A" else 1 - voted_a
            told.append(f"of 100 people who say {said}, {numbers.per_hundred(right)} voted {said}")
    more = "“asking twice” shows how the answers of one person add up until nothing can be denied."
    if not channel.contrast:
        more = "“asking twice” shows that more answers tell no more."
    elif math.isinf(channel.epsilon):
        more = "“asking twice” goes on to several answers."
    return (
        f"To somebody who holds both votes equally likely: {numbers.a_list(tuple(told))}. One answer costs "
        f"ε = {numbers.epsilon(channel.epsilon)}. The tab “the adversary” starts from any other belief; {more}"
    )
