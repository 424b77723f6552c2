"""The answer of the poll page while a class answers: how many have, how each person lies, and how to join."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from pages.kit import numbers, opendp
from pages.kit.panel import Markup, Panel
from pages.kit.snippet import Snippet, as_code
from pages.kit.trials import Trials
from pages.topics.poll import reveal
from pages.topics.poll.question import HANDS, REHEARSAL, TELEPHONES, WAY_WORDS, Question
from privdemo.experiments import poll
from privdemo.experiments.poll import PollConfig, Reveal
from privdemo.mechanisms import RandomisedResponse

# From this probability of a lie on, the page says that an answer proves nothing; below it that would be too much.
MANY_LIES = 0.1
# So many cards are shown with their words.
_FEW_CARDS = 12
# Who changes which answer in each way of answering.
_CHANGE = {
    HANDS: ("Each person", "their answer"),
    TELEPHONES: ("Each phone", "its owner’s answer"),
    REHEARSAL: ("In this rehearsal the computer", "each answer"),
}
# What the sentence adds in each way of answering.
_NOTES = {
    HANDS: "Type how many people raise a hand for each answer.",
    REHEARSAL: "Rehearse with simulated people, then ask the real ones.",
}


@dataclass(frozen=True)
class Answer:
    """A question and the estimates from its answers, None while nobody has answered."""

    question: Question
    found: Reveal | None

    def takeaway(self) -> str:
        """Say how each person lies; the picture shows in large letters how many have answered."""
        question = self.question
        if not question.is_opened:
            first = (
                "Open the poll, then open it to this room" if question.join and question.join.local else "Open the poll"
            )
            return (
                f"{first}: this page then shows an address, a QR code, and how many have answered. "
                f"{_lie_words(question)} Once the poll is open, that cannot be changed."
            )
        if len(question.rounds) > 1:
            return f"The question is asked for the {ordinal(len(question.rounds))} time. {_lie_words(question)}"
        return f"{_lie_words(question)} {_NOTES.get(question.way, '')}".strip()

    @property
    def facts(self) -> dict[str, str]:
        """Return the question, how often chance changes an answer, and how many have answered, for a lecture."""
        question = self.question
        return {
            "question": question.text,
            "lie": numbers.percent(question.config.lie),
            "answered": f"{question.answered:,}",
        }

    def main(self) -> tuple[Panel, ...]:
        """Return the panel on how to join and how many have answered."""
        question = self.question
        have = "has" if question.answered == 1 else "have"
        begins = question.is_opened and (question.join or question.expected or question.answered)
        answered = f"{_people_answered(question)} {have} answered. " if begins else ""
        summary = f"{answered}{how_to_lie(question)}"
        return (
            Panel(
                "poll",
                figure=reveal.heap(question, summary) if begins else Markup(rule(question)),
                summary=summary,
                rows=lambda: [{"time": i, "answers": sum(sent)} for i, sent in enumerate(question.rounds, start=1)],
                snippet=self.snippet().then('print(sum(counts), "have answered")'),
            ),
        )

    @property
    def number(self) -> int:
        """Return the index of the answer that sentences are about: of two the first, of more the most frequent."""
        assert self.found
        shares = [reading.estimated.mean for reading in self.found.readings]
        return 0 if len(shares) == 2 else shares.index(max(shares))

    def snippet(self, *lines: str, plots: bool = True) -> Snippet:
        """Return the code that reads the answers, followed by `lines`; with `plots` it imports the figures."""
        question = self.question
        start = f"config = poll.{as_code(question.config)}"
        code = Snippet(("from privdemo.experiments import poll",), (start, f"counts = {as_code(question.counts)}"))
        if not self.found or not lines:
            return code
        charts = ("from privdemo.figures import poll as charts",) if plots else ()
        return code.then("found = poll.reveal(config, counts)", *lines, imports=charts)


def answer(question: Question, _: Trials) -> Answer:
    """Estimate the true shares, if anybody has answered."""
    return Answer(question, poll.reveal(question.config, question.counts) if sum(question.counts) else None)


def opendp_lines(question: Question) -> Snippet | None:
    """Return the lines for OpenDP that randomise an answer as a telephone does; None where there are two wheels."""
    return None if question.config.check == poll.HALVES else opendp.snippet(answer=question.config.mechanism)


# --- words ---------------------------------------------------------------------------------------


def ordinal(number: int) -> str:
    """Write an ordinal: “1st”, “2nd”, “3rd”, “4th”."""
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"


def said(words: str) -> str:
    """Return an answer in quotation marks, as HTML in which an icon’s name stays text."""
    return f"“{escape(words).replace(':material/', ':material&#47;')}”"


def _people_answered(question: Question) -> str:
    """Write how many have answered: “23 people”, “23 of 200 simulated people”."""
    if question.way != REHEARSAL:
        return numbers.people(question.answered)
    return f"{question.answered:,} of {question.expected or 0:,} simulated people"


def _lie_words(question: Question) -> str:
    """Say who changes an answer, with which chance, and what that protects."""
    config = question.config
    who, answer = _CHANGE[question.way]
    changes = f"changes {answer} to another"
    if len(config.answers) == 2:
        first, second = map(said, config.answers)
        changes = f"switches {answer} ({first} to {second}, or {second} to {first})"
    chance, *of_other_half = (f"<b>{numbers.percent(lie)}</b>" for lie in config.lies)
    on_halves = f" on half of the telephones, of {of_other_half[0]} on the others" if of_other_half else ""
    noticed = ", as well as how many people do not follow the wheel" if config.check else ""
    return (
        f"{who} {changes} with a chance of {chance}{on_halves}, so "
        f"{_protection_words(config)}. As we know this chance, we can still estimate the true percentages{noticed}."
    )


def check_words(config: PollConfig) -> str:
    """Say how the poll finds out whether people follow the wheel, and what that reveals; "" if it does not."""
    losses = [numbers.epsilon(RandomisedResponse(lie, 2).epsilon) for lie in config.lies]
    if config.check == poll.HALVES:
        first, second = map(numbers.percent, config.lies)
        return (
            f"Half of the telephones, chosen by chance, have a wheel that changes {second} of the answers "
            f"(ε = {losses[1]}), the others keep {first} (ε = {losses[0]}). Each shows its own wheel. Whoever follows "
            "none is taken to send the second answer, such as No."
        )
    if config.check == poll.CONTROL:
        return (
            "Everybody is also asked whether their birthday is in January, February or March, which is true for a "
            f"quarter, and that answer has a spin of its own. Each of the two answers has ε = {losses[0]} and says "
            "nothing about the other. Whoever does not follow the wheel is taken to send the second answer, like No, "
            "to both."
        )
    return ""


def _protection_words(config: PollConfig) -> str:
    """Say what one answer proves about its sender: little where lies are many, much where they are few."""
    odds = numbers.odds_factor(config.mechanism.epsilon)
    return (
        "nobody can be sure of any one person’s true answer"
        if config.lie >= MANY_LIES
        else f"an answer changes the odds by {odds} at most"
    )


def ways_html(chosen: str) -> str:
    """Say what the chosen way of answering is and where the answers go, as HTML."""
    return f'<p class="poll-way"><b>{chosen}</b>: {WAY_WORDS[chosen]}</p>'


def how_to_lie(question: Question) -> str:
    """Say how chance decides whether a person lies: by telephone, two tosses of a coin, or cards."""
    config, (lies, pack) = question.config, poll.deck_for(question.config)
    other = "the other answer" if len(config.answers) == 2 else "one of the other answers, each as often,"
    if config.check == poll.HALVES:
        first, second = map(numbers.percent, config.lies)
        return (
            f"With probability {first} on one half of the telephones and {second} on the other, a telephone sends the "
            "other answer in the place of the true one, and nobody sees the truth."
        )
    if question.way != HANDS:
        return (
            f"With probability {numbers.percent(config.lie)} a telephone sends {other} in the place of the true one, "
            "and nobody sees the truth."
        )
    if len(config.answers) == 2 and (lies, pack) == (1, 4):
        first, second = map(said, config.answers)
        return (
            "Everybody tosses a coin twice, and nobody else sees it. First heads: raise a hand for the truth. First "
            f"tails: the second toss answers; heads is {first}, tails is {second}."
        )
    cards = f"{lies} of which {'says' if lies == 1 else 'say'} “other”"
    if (others := len(config.answers) - 1) > 1:
        return (
            f"Everybody draws two cards and shows them to nobody: one of {pack}, {cards}, and one of {others}, "
            f"numbered 1 to {others}. Whoever finds “other” raises a hand for the answer that many places after the "
            "true one (after the last comes the first), all others for the truth."
        )
    return (
        f"Everybody draws one of {pack} cards, {cards}, and shows it to nobody. Whoever finds “other” raises a hand "
        f"for {other}, all others for the truth."
    )


def rule(question: Question) -> str:
    """Return as HTML what chance does, before there is anything to count."""
    asked = f'<p class="poll-rule poll-asked">{escape(question.text)}</p>' if question.join is None else ""
    pictured = rule_picture(question.config) if question.way == HANDS else ""
    return f'{asked}<p class="poll-rule">{how_to_lie(question)}</p>{pictured}'


def rule_picture(config: PollConfig) -> str:
    """Return as HTML what chance decides: the four outcomes of two tosses of a coin, or the pack of cards."""
    lies, pack = poll.deck_for(config)
    if len(config.answers) == 2 and (lies, pack) == (1, 4):
        first, second = map(said, config.answers)
        outcomes = ("HH", "the truth"), ("HT", "the truth"), ("TH", first), ("TT", second)
        boxes = "".join(
            f'<div class="toss"><span>{"".join(f"<i>{side}</i>" for side in sides)}</span>{words}</div>'
            for sides, words in outcomes
        )
        return f'<div class="rule-picture" aria-hidden="true">{boxes}</div>'
    boxes = '<div class="playing-card other">other</div>' * lies
    boxes += '<div class="playing-card">truth</div>' * (pack - lies)
    return f'<div class="rule-picture cards-{"few" if pack <= _FEW_CARDS else "many"}" aria-hidden="true">{boxes}</div>'
