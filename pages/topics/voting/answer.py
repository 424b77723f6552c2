"""What the voting page says of its polls: the sentence, the people of the last poll, and every estimate of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pages.kit import cache, numbers
from pages.kit.draws import Draws
from pages.kit.panel import Chart, Markup, Panel
from pages.kit.snippet import Snippet
from privdemo import figures
from privdemo.experiments import voting
from privdemo.experiments.voting import ElectionConfig, Poll, Record
from privdemo.figures import people
from privdemo.figures import voting as charts
from privdemo.methods import RAW_SPREAD, SPREAD_MLE, VOTING


def _polls(config: ElectionConfig) -> tuple[Poll, Any, tuple[Record, ...]]:
    """The last poll, its people as dots, and what every estimator did over all polls."""
    elections = voting.run(config)
    last = voting.poll(config, elections)
    return last, voting.dots(config, last), voting.records(config, elections)


polls = cache.shared(_polls, max_entries=128)


@dataclass(frozen=True)
class Answer:
    """The polls of a config: the last `poll`, its people as `dots`, and each estimator's record over all polls."""

    config: ElectionConfig
    poll: Poll
    dots: Any
    records: tuple[Record, ...]

    def takeaway(self) -> str:
        """The page in one sentence, with the live numbers."""
        config, poll = self.config, self.poll
        said = f"of {numbers.people(poll.n_voters)} asked <b>{numbers.share(poll.said_a / poll.n_voters)}</b> say A."
        truth = f"the truth is <b>{numbers.share(config.share)}</b>"
        start = f"{lie_words(config)}, and {said}"
        if not config.channel.contrast:
            return f"{start} With such lies an answer is as likely after either vote: nothing can be learnt; {truth}."
        best = poll.estimates[SPREAD_MLE]
        reading = (
            f"<b>{numbers.share(best.value)}</b> of the country voted A "
            f"(95 % interval {numbers.between(best.low, best.high)}); {truth}."
        )
        if config.channel == voting.TRUTHFUL:
            return f"Nobody lies (ε = ∞), and {said} The pollster knows every vote, and concludes that {reading}"
        return f"{start} Taking the lies into account, the pollster concludes that {reading}"

    def main(self) -> tuple[tuple[Panel, ...]]:
        """The people of the last poll as we see them and as the pollster does; every estimate beside the truth."""
        fields = [
            figures.dot_field("What we see: votes, and who lied", self.dots, people.TRUTH),
            figures.dot_field("What the pollster sees: answers", self.dots, people.ANSWERS),
        ]
        summary = people_words(self)
        return (
            (
                Panel(
                    "people",
                    figure=Markup(
                        figures.people_html(fields, people.LEGEND, summary),
                    ),
                    summary=summary,
                    rows=lambda: voting.poll_table(self.poll),
                    snippet=_draw_people(last_poll_snippet(self.config)),
                ),
                Panel(
                    "estimates",
                    figure=Chart(charts.estimates(self.poll.estimates, self.config.share)),
                    summary=estimate_words(self.poll, self.config.share),
                    rows=lambda: voting.estimate_table(self.poll),
                    snippet=_draw_estimates(last_poll_snippet(self.config)),
                ),
            ),
        )


def answer(config: ElectionConfig, _: Draws) -> Answer:
    """Hold the polls."""
    return Answer(config, *polls(config))


# --- words ---------------------------------------------------------------------------------------


def lie_words(config: ElectionConfig) -> str:
    """How people lie, with the ε of one answer."""
    p10, p01 = config.channel.p10, config.channel.p01
    epsilon = f"ε = {numbers.epsilon(config.channel.epsilon)}"
    if p10 == p01:
        return f"Each person lies with probability <b>{numbers.probability(p10)}</b> ({epsilon})"
    return (
        f"Voters of B say A with probability <b>{numbers.probability(p10)}</b>, voters of A say B with "
        f"<b>{numbers.probability(p01)}</b> ({epsilon})"
    )


def people_words(shown: Answer) -> str:
    """Who voted, lied and said what in the poll, and what the pollster can know of it."""
    poll, n_dots = shown.poll, len(shown.dots)
    who = f"{numbers.people(poll.n_voters)}:"
    if n_dots < poll.n_voters:
        who = f"{n_dots:,} of the {numbers.people(poll.n_voters)}, drawn at random, are shown; of them all"
    counts = f"{who} {poll.voted_a:,} voted A, {poll.lied_a + poll.lied_b:,} lied, {poll.said_a:,} said A."
    known = voting.known(shown.config.channel)
    if not known:
        return f"{counts} The pollster cannot tell a liar from an honest person."
    return f"{counts} The pollster knows: {numbers.a_list(known)}."


def estimate_words(poll: Poll, truth: float) -> str:
    """Every estimate of a poll in a sentence, and whether its interval holds the true share."""
    words: list[str] = []
    best = poll.estimates.get(SPREAD_MLE)
    for name, e in poll.estimates.items():
        if name == RAW_SPREAD and best and e.value == best.value:
            continue
        holds = "holds" if e.interval.covers(truth) else "misses"
        # When all give the same answer the plug-in standard error is 0, which is no certainty: the interval says more.
        error = f"s.e. {numbers.standard_error(e.standard_error)}; " if e.standard_error else ""
        interval = numbers.between(e.low, e.high)
        words.append(f"{VOTING[name].title} {numbers.share(e.value)} ({error}{interval}, {holds} the truth)")
    note = ""
    if best and best.interval.exact:
        note = (
            " The whole interval of the raw estimate lies outside [0, 1], so the other shrinks to its end: no "
            "certainty, but a poll that such lies hardly explain."
        )
    return f"Estimates of this poll with 95 % intervals: {'; '.join(words)}.{note}"


# --- code ----------------------------------------------------------------------------------------


def snippet(config: ElectionConfig) -> Snippet:
    """The lines that hold the polls."""
    return Snippet(
        ("from privdemo.experiments import voting", "from privdemo.mechanisms import BinaryChannel"),
        (f"config = voting.{config!r}", "elections = voting.run(config)"),
    )


def last_poll_snippet(config: ElectionConfig) -> Snippet:
    """The lines that hold the polls and pick the last one."""
    return snippet(config).then("poll = voting.poll(config, elections)  # the last one")


def poll_snippet(config: ElectionConfig) -> Snippet:
    """The lines that hold the polls and draw the pictures of the last one."""
    return _draw_estimates(_draw_people(last_poll_snippet(config)))


def _draw_people(made: Snippet) -> Snippet:
    """Add the picture of the people of a poll."""
    return made.then(
        "dots = voting.dots(config, poll)",
        'seen = figures.dot_field("votes, and who lied", dots, people.TRUTH)',
        'told = figures.dot_field("answers", dots, people.ANSWERS)',
        'picture = figures.people_html([seen, told], people.LEGEND, "one poll")',
        'open("people.html", "w").write(figures.document("One poll", picture, figures.CSS))',
        imports=("from privdemo import figures", "from privdemo.figures import people"),
    )


def _draw_estimates(made: Snippet) -> Snippet:
    """Add the figure of the estimates of a poll."""
    return made.then(
        "charts.estimates(poll.estimates, config.share).show()",
        imports=("from privdemo.figures import voting as charts",),
    )
