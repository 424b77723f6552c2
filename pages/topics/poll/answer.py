"""What the page says while a class answers: how many have, how each one lies, and how to join."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from pages.kit import numbers
from pages.kit.panel import Markup, Panel
from pages.kit.snippet import Snippet, as_code
from pages.kit.trials import Trials
from pages.topics.poll import join
from pages.topics.poll.question import HANDS, REHEARSAL, Question
from privdemo import figures
from privdemo.experiments import poll
from privdemo.experiments.poll import PollConfig, Reveal
from privdemo.figures import poll as charts

# From this lie on an answer says little of its sender; below it “proves nothing” would say too much.
_MANY_LIES = 0.1
# What is to be done or known in each way besides how people lie.
_TO_DO = {
    HANDS: "Type how many raise a hand for each answer. ",
    REHEARSAL: "These people are simulated, to see how it goes. ",
}


@dataclass(frozen=True)
class Answer:
    """A question and what its answers tell; nothing of that while nobody has answered."""

    question: Question
    found: Reveal | None

    def takeaway(self) -> str:
        """How each of them lies; how many have answered stands large in the picture."""
        asked = self.question
        if not asked.is_opened:
            return (
                "Open the poll: the page then shows an address and a QR code, and the answers as they come. "
                f"{_each(asked.config)} Once it is open, that cannot be changed."
            )
        if len(asked.rounds) > 1:
            return f"The question is asked for the {ordinal(len(asked.rounds))} time. {_each(asked.config)}"
        return f"{_TO_DO.get(asked.way, '')}{_each(asked.config)}"

    def main(self) -> tuple[Panel, ...]:
        """How to join, and how many have."""
        asked = self.question
        return (
            Panel(
                "poll",
                figure=Markup(picture(asked)),
                summary=f"{_people(asked)} {'has' if asked.answered == 1 else 'have'} answered. {how_to_lie(asked)}",
                rows=lambda: [{"time": i, "answers": sum(sent)} for i, sent in enumerate(asked.rounds, start=1)],
                snippet=self.snippet(),
            ),
        )

    @property
    def number(self) -> int:
        """The number of the answer that sentences are about: of two the first, of more the one most widely true."""
        assert self.found
        shares = [reading.true.mean for reading in self.found.readings]
        return 0 if len(shares) == 2 else shares.index(max(shares))

    def snippet(self, *lines: str, draws: bool = True) -> Snippet:
        """The lines that read the answers, and then some."""
        asked = self.question
        start = f"config = poll.{as_code(asked.config)}"
        made = Snippet(("from privdemo.experiments import poll",), (start, f"counts = {as_code(asked.counts)}"))
        if not self.found or not lines:
            return made
        charts = ("from privdemo.figures import poll as charts",) if draws else ()
        return made.then("found = poll.reveal(config, counts)", *lines, imports=charts)


def answer(question: Question, _: Trials) -> Answer:
    """Read the answers that are there."""
    return Answer(question, poll.reveal(question.config, question.counts) if sum(question.counts) else None)


# --- words ---------------------------------------------------------------------------------------


def ordinal(number: int) -> str:
    """“1st”, “2nd”, “3rd”, “4th”."""
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"


def said(words: str) -> str:
    """An answer in quotation marks, as markup, in which the name of a picture stays as it is."""
    return f"“{escape(words).replace(':material/', ':material&#47;')}”"


def _people(asked: Question) -> str:
    """“23 people”, “23 of 200 simulated people”."""
    if asked.way != REHEARSAL:
        return numbers.people(asked.answered)
    return f"{asked.answered:,} of {asked.expected or 0:,} simulated people"


def _each(config: PollConfig) -> str:
    """How each person lies, and what that is for."""
    return f"Each lies <b>{numbers.percent(config.lie)}</b> of the time, by chance, so {_proves(config)}."


def _proves(config: PollConfig) -> str:
    """What one answer proves of its sender: never all, but much where lies are few."""
    odds = numbers.odds_factor(config.mechanism.epsilon)
    return "no answer proves anything" if config.lie >= _MANY_LIES else f"an answer moves the odds by {odds} at most"


def how_to_lie(asked: Question) -> str:
    """How chance tells each person to lie."""
    config, (lies, pack) = asked.config, poll.cards(asked.config)
    other = "the other answer" if len(config.answers) == 2 else "one of the other answers, each as often,"
    if asked.way != HANDS:
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
    cards = f"{lies} of which {'says' if lies == 1 else 'say'} “lie”"
    if (others := len(config.answers) - 1) > 1:
        return (
            f"Everybody draws two cards and shows them to nobody: one of {pack}, {cards}, and one of {others}, "
            f"numbered 1 to {others}. Whoever finds “lie” raises a hand for the answer that many places after the true "
            "one (after the last comes the first), all others for the truth."
        )
    return (
        f"Everybody draws one of {pack} cards, {cards}, and shows it to nobody. Whoever finds “lie” raises a hand for "
        f"{other}, all others for the truth."
    )


def picture(asked: Question) -> str:
    """How to join or to lie, or who of simulated people has answered; and how many have, in large letters."""
    of = f" of {asked.expected:,} simulated people" if asked.expected else ""
    have = "has answered" if asked.answered == 1 and not of else "have answered"
    count = f'<p class="poll-count"><b>{asked.answered:,}</b>{of} {have}</p>'
    if asked.join and not asked.is_opened:
        return f'<p class="poll-rule">{how_to_lie(asked)}</p><p class="poll-reach">{join.how_to_reach(asked.join)}</p>'
    if asked.join:
        reach = (
            f'<p class="poll-reach">{join.how_to_reach(asked.join)}</p>'
            if asked.join.local and asked.join.is_open
            else ""
        )
        return f'<div class="poll-join">{join.picture(asked.join)}{count}</div>{reach}'
    if asked.expected:
        return f"{count}{figures.people_html([charts.arrived(asked.answered, asked.expected)], {}, _people(asked))}"
    rule = f'<p class="poll-rule poll-asked">{escape(asked.asked)}</p><p class="poll-rule">{how_to_lie(asked)}</p>'
    return f"{rule}{count}" if asked.answered else rule
