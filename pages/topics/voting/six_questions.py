"""The chapter with six questions at the end of the story, about a poll at the visitor’s own settings."""

from __future__ import annotations

from dataclasses import replace

from pages.kit import numbers
from pages.kit.panel import Panel
from pages.kit.quiz import Option, Question
from pages.topics.voting.adversary import belief, repeated_answers_by_count, says
from pages.topics.voting.answer import Answer, lie_words, polls
from pages.topics.voting.asking import is_design
from pages.topics.voting.question import SHARE
from privdemo import accounting
from privdemo.experiments import voting
from privdemo.experiments.voting import ElectionConfig
from privdemo.mechanisms import BinaryChannel
from privdemo.methods import NAIVE, RAW_SPREAD

# The questions are about answers that give away something, but not all: about an ε from the least to the most.
_LEAST, _MOST = 0.01, 5.0
# How often the same person is asked, and how many times as many people.
_TIMES, _MORE = 5, 10
# In a poll with fewer such trials it is not said how many missed.
_MANY_POLLS = 20


def panels(answer: Answer) -> list[Panel]:
    """Return the panel with the chapter’s sentence."""
    config = asked_about(answer.config)
    words = lie_words(config)
    lies = f"{words[:1].lower()}{words[1:]}"
    about = f"The questions are about your poll: {lies}."
    if is_design(answer.config.channel) and config.channel != voting.ONE_IN_FIVE:
        about = f"The questions are about a poll whose answers say as much, but are changed by chance: {lies}."
    elif config.channel != answer.config.channel:
        about = f"At your setting an answer gives away all or nothing, so the questions are about another: {lies}."
    return [
        Panel(
            "six-questions",
            "Six questions",
            f"Choose an answer, and the reason appears below it. {about} Your answers are not kept or passed on.",
        )
    ]


def asked_about(config: ElectionConfig) -> ElectionConfig:
    """Return the config that the questions are about: the visitor’s, unless its answers give away all or nothing.

    Where an innocent question hides the vote, they are about answers that chance changes as often.
    """
    if _LEAST <= config.channel.epsilon <= _MOST:
        return replace(config, channel=BinaryChannel(config.channel.p10, config.channel.p01))
    return replace(config, channel=voting.ONE_IN_FIVE)


def questions(answer: Answer) -> tuple[Question, ...]:
    """Return the six questions, with the numbers of the visitor’s own settings."""
    config = asked_about(answer.config)
    shown = answer if config == answer.config else Answer(config, *polls(config))
    return (
        _no_epsilon(config.channel),
        _subpoena(config),
        _one_answer(config),
        _same_person(config),
        _interval(shown),
        _ignored(config),
    )


def _no_epsilon(channel: BinaryChannel) -> Question:
    """Ask what ε = 0 means."""
    here = numbers.epsilon(channel.epsilon)
    return Question(
        "no-epsilon",
        "What does ε = 0 mean?",
        (
            Option(
                "Everything is revealed: there is no privacy left.",
                "It is the other way round. The smaller ε is, the less an answer gives away; if no answer is changed "
                f"it is ∞. Here it is {here}.",
            ),
            Option(
                "An answer says nothing about its sender.",
                "Voters of A and of B then give the same answers equally often, so an answer changes no odds. No "
                "number of answers tells us the share either.",
                right=True,
            ),
            Option(
                "The estimate has no error.",
                "ε measures what an answer gives away, and not the error. At ε = 0 there is no estimate at all, "
                "however many people are asked.",
            ),
        ),
    )


def _subpoena(config: ElectionConfig) -> Question:
    """Ask whom a court can expose with what the pollster holds."""
    return Question(
        "subpoena",
        "A court orders the pollster to hand over all answers with names. Who is exposed?",
        (
            Option(
                "Everybody who was asked.",
                "The list holds answers, and not votes. Of 100 people on it who say A, "
                f"{_of_hundred(config, 'A')} voted A, so everybody can say that it was chance.",
            ),
            Option(
                "The people whose answers were changed by chance.",
                "The pollster does not know who they are: only the person sees the chance, and a changed answer looks "
                "like any other.",
            ),
            Option(
                "Nobody for sure, but some are suspected more than before.",
                f"{_per_hundred(config.share)} of 100 people voted A, and {_of_hundred(config, 'A')} of 100 who say A. "
                "That is a suspicion, and no answer proves a vote.",
                right=True,
            ),
        ),
    )


def _one_answer(config: ElectionConfig) -> Question:
    """Ask how many of those who say A voted A; options that would be the right one are left out."""
    channel, right = config.channel, _of_hundred(config, "A")
    honest, before = _per_hundred(says(channel, 1, "A")), _per_hundred(config.share)
    wrong = {
        honest: f"{honest} of 100 voters of A say A, which is not what is asked. Among those who say A there are "
        "voters of B as well.",
        before: f"That is the share before anybody answers. An answer changes the odds, at most by "
        f"{numbers.odds_factor(channel.epsilon)}.",
        "100": "That would be so if no voter of B said A, but "
        f"{_per_hundred(says(channel, 0, 'A'))} of 100 do, by chance.",
    }
    options = {count: Option(count, reason) for count, reason in wrong.items() if count != right}
    options[right] = Option(
        right,
        f"Among 100 people {before} voted A. Counting how many voters of A and of B say A gives this share.",
        right=True,
    )
    return Question(
        "one-answer",
        f"{before} of 100 people voted A. Of 100 people who say A, how many voted A?",
        [options[count] for count in sorted(options, key=lambda count: float(count.split()[-1]))],
    )


def _same_person(config: ElectionConfig) -> Question:
    """Ask what happens if one person answers again and again."""
    channel = config.channel
    found = repeated_answers_by_count(channel, config.share)
    once, often = (numbers.share(found[n - 1].best_guess_right) for n in (1, _TIMES))
    total = numbers.epsilon(accounting.compose(channel.epsilon, _TIMES))
    return Question(
        "same-person",
        f"The same person answers {_TIMES} times, and chance decides anew each time. What happens?",
        (
            Option(
                f"The answers add up: together their privacy loss is ε = {total}.",
                f"Each answer has a privacy loss of ε = {numbers.epsilon(channel.epsilon)}. The best guess of the "
                "vote is "
                f"then right {often} of the time, and {once} after one answer.",
                right=True,
            ),
            Option(
                "Nothing: every single answer is protected as before.",
                f"Each one is, but the same person’s answers are read together: the privacy loss of {_TIMES} is ε = "
                f"{total}.",
            ),
            Option(
                "The vote is better hidden, as more answers are changed.",
                "Chance is different each time and the vote is not, so chance evens out, and the vote remains.",
            ),
        ),
    )


def _interval(shown: Answer) -> Question:
    """Ask whether the interval of the last poll contains the truth for sure."""
    estimate = shown.poll.estimates[RAW_SPREAD].interval
    ends = numbers.interval(estimate, numbers.unlimited_share_scale(estimate))
    record = next(record for record in shown.records if record.name == RAW_SPREAD)
    n, missed = len(record.values), len(record.values) - record.n_covered
    seen = f" It missed the truth in {missed:,} of your {n:,} polls." if n >= _MANY_POLLS else ""
    return Question(
        "interval",
        f"Corrected for changed answers, the 95 % interval of this poll is {ends}. Does it contain the truth for sure?",
        (
            Option(
                "Yes, as changed answers have been corrected for.",
                "The correction removes what changed answers do on average. Luck remains: other people, and other "
                "changes, give another interval.",
            ),
            Option(
                "No: such an interval misses the truth in about 5 of 100 polls.",
                f"And nobody can tell from one poll whether it is one of them.{seen}",
                right=True,
            ),
            Option(
                "No: it contains what 95 % of the people voted.",
                "The 95 % are polls and not people: of 100 such polls, about 95 have an interval that contains the "
                "truth.",
            ),
        ),
    )


def _ignored(config: ElectionConfig) -> Question:
    """Ask where an estimate that ignores the changes ends, for a share at which they make a difference."""
    share = next(
        share
        for share in (config.share, float(SHARE.default), 0.1)
        if numbers.share(share) != numbers.share(_naive_limit(config, share))
    )
    truth, end = numbers.share(share), numbers.share(_naive_limit(config, share))
    return Question(
        "ignored",
        f"{truth} voted A. {_MORE} times as many people are asked, and nobody corrects for the changes. What does the "
        "estimate do?",
        (
            Option(
                f"It comes closer to the truth, {truth}.",
                "More people reduce luck alone. What changed answers shift stays shifted, however many people are "
                "asked.",
            ),
            Option(
                "It stays as uncertain as it was.",
                f"It becomes more certain, but of the wrong share: {end}.",
            ),
            Option(
                f"It comes closer to {end}, the share of people who say A.",
                "Its interval becomes narrower around the wrong share. Only correcting for changed answers leads to "
                "the truth.",
                right=True,
            ),
        ),
    )


def _naive_limit(config: ElectionConfig, share: float) -> float:
    """Return the share at which an estimate that ignores the changes ends."""
    return voting.limits_by_estimator(replace(config, share=share))[NAIVE]


def _of_hundred(config: ElectionConfig, said: str) -> str:
    """Write how many of 100 people who give an answer voted A."""
    return _per_hundred(belief(config.channel, config.share, said) or 0.0)


def _per_hundred(share: float) -> str:
    """Write how many of 100 people, in whole people."""
    return numbers.people_of_100(share)
