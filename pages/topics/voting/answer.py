"""What the voting page says of its polls: the sentence, the people of the last poll, and every reading of it."""

from __future__ import annotations

from dataclasses import dataclass

from pages.kit import cache, numbers
from pages.kit.panel import Chart, LiveDots, Panel
from pages.kit.snippet import Snippet
from pages.kit.trials import Trials
from pages.topics.voting import dots
from privdemo import figures
from privdemo.estimators.votes import VoteEstimate
from privdemo.experiments import voting
from privdemo.experiments.voting import ElectionConfig, People, Poll, Record
from privdemo.figures import people
from privdemo.figures import voting as charts
from privdemo.methods import NAIVE, RAW_SPREAD, RECONSTRUCTION, SPREAD_MLE, VOTING


def _polls(config: ElectionConfig) -> tuple[Poll, People]:
    """The last poll, and its people who are shown."""
    return voting.poll(config, voting.run(config)), voting.people(config)


def _all_polls(config: ElectionConfig) -> tuple[Record, ...]:
    """What every estimator did over all polls, which takes longer."""
    return voting.records(config, voting.run(config))


# Polls from which on it is told in how many of them an interval misses the truth.
_MANY = 20

polls = cache.shared(_polls, max_entries=128)
all_polls = cache.shared(_all_polls, max_entries=128)


@dataclass(frozen=True)
class Answer:
    """The polls of a config: the last `poll`, and its `people` who are shown."""

    config: ElectionConfig
    poll: Poll
    people: People

    @property
    def records(self) -> tuple[Record, ...]:
        """Each estimator's record over all polls."""
        return all_polls(self.config)

    def takeaway(self) -> str:
        """The page in one sentence, with the live numbers."""
        config, poll = self.config, self.poll
        who, truth = numbers.people(poll.n_voters), f"nationwide <b>{numbers.share(config.share)}</b>."
        said = f"<b>{numbers.share(poll.said_a / poll.n_voters)}</b> of {who} say A"
        if not config.channel.contrast:
            alike = "Voters of A and of B answer alike: nothing can be learnt of A’s share"
            return f"{lie_words(config)}, and {said}. {alike}; {truth}"
        best = reading(poll.estimates[SPREAD_MLE])
        if config.channel == voting.TRUTHFUL:
            found = f"Everyone tells the truth, and {said}: <b>{best}</b> voted A; {truth}"
        else:
            found = f"{lie_words(config)}, and {said}. Correcting for the lies gives <b>{best}</b> for A; {truth}"
        return f"{found}{doubt_words(poll.estimates[SPREAD_MLE])}{missed_words(self)}"

    def main(self, _: None = None) -> tuple[Panel, ...]:
        """The people of the last poll as we see them and as the pollster does."""
        summary = people_words(self)
        return (
            Panel(
                "people",
                figure=LiveDots(
                    dots.live(self.config, self.people, summary),
                    lambda: figures.people_html(dots.still(self.config, self.people), people.LEGEND, summary),
                ),
                summary=summary,
                rows=lambda: voting.poll_table(self.poll),
                snippet=_draw_people(last_poll_snippet(self.config)),
                links=[("poll", "Try it with your class")],
            ),
        )


def answer(config: ElectionConfig, _: Trials) -> Answer:
    """Hold the polls."""
    return Answer(config, *polls(config))


def readings(shown: Answer) -> list[Panel]:
    """Every estimate of the last poll beside the truth."""
    return [
        Panel(
            "estimates",
            "Which reading of the answers finds the truth?",
            reading_words(shown.poll, shown.config.share),
            Chart(charts.estimates(shown.poll.estimates, shown.config.share)),
            estimate_words(shown.poll, shown.config.share),
            lambda: voting.estimate_table(shown.poll),
            _draw_estimates(last_poll_snippet(shown.config)),
        )
    ]


# --- words ---------------------------------------------------------------------------------------


def lie_words(config: ElectionConfig) -> str:
    """How people lie."""
    p10, p01 = config.channel.p10, config.channel.p01
    if p10 == p01:
        return f"Each person lies <b>{numbers.percent(p10)}</b> of the time"
    return (
        f"Voters of B say A <b>{numbers.percent(p10)}</b> of the time, voters of A say B "
        f"<b>{numbers.percent(p01)}</b> of it"
    )


def reading(found: VoteEstimate) -> str:
    """An estimate with half its 95 % interval; where the answers went beyond every share, that this end is doubtful."""
    return f"{numbers.share(found.value)} (doubtful)" if found.doubtful else _with_half(found)


def doubt_words(found: VoteEstimate) -> str:
    """That lies like these hardly explain the answers, where no share does; else nothing."""
    return " Such lies hardly explain these answers: <b>the model is doubtful</b>." if found.doubtful else ""


def missed_words(shown: Answer) -> str:
    """That the corrected interval of the last poll misses the truth, and in how many polls it does; else nothing."""
    if shown.poll.estimates[SPREAD_MLE].interval.covers(shown.config.share):
        return ""
    record = next(record for record in shown.records if record.name == SPREAD_MLE)
    start, n = " This poll’s 95 % interval <b>misses</b> it", len(record.values)
    if n < _MANY:
        return f"{start}, as about 1 in 20 does."
    return f"{start}, as it does in {n - record.n_held:,} of {n:,} such polls; 5 in 100 are expected."


def _with_half(found: VoteEstimate) -> str:
    """An estimate with half its 95 % interval, if that has a width."""
    return numbers.share(found.value) if found.interval.exact else numbers.with_half(found.interval)


def reading_words(poll: Poll, truth: float) -> str:
    """What ignoring the lies, guessing back and correcting for the lies make of a poll."""
    found = []
    for name in (NAIVE, RECONSTRUCTION, SPREAD_MLE):
        if estimate := poll.estimates.get(name):
            verdict = "contains" if estimate.interval.covers(truth) else "misses"
            found.append(f"“{VOTING[name].title}” gives <b>{_with_half(estimate)}</b>, which {verdict} it")
    start = f"The truth is <b>{numbers.share(truth)}</b>: {'; '.join(found)}."
    if best := poll.estimates.get(SPREAD_MLE):
        return f"{start}{doubt_words(best)}"
    return f"{start} These lies cannot be corrected for."


def people_words(shown: Answer) -> str:
    """Who voted, lied and said what in the poll, and what the pollster can know of it."""
    poll, n_dots = shown.poll, len(shown.people.voted_a)
    who = f"{numbers.people(poll.n_voters)}:"
    if n_dots < poll.n_voters:
        who = f"{n_dots:,} of the {numbers.people(poll.n_voters)}, drawn at random, are shown; of them all"
    counts = f"{who} {poll.voted_a:,} voted A, {poll.lied_a + poll.lied_b:,} lied, {poll.said_a:,} said A."
    known = voting.known(shown.config.channel)
    if not known:
        return f"{counts} The pollster cannot tell a liar from an honest person."
    return f"{counts} The pollster knows: {numbers.a_list(known)}."


def estimate_words(poll: Poll, truth: float) -> str:
    """Every estimate of a poll in a sentence, and whether its interval contains the true share."""
    words: list[str] = []
    best = poll.estimates.get(SPREAD_MLE)
    for name, e in poll.estimates.items():
        if name == RAW_SPREAD and best and e.value == best.value:
            continue
        holds = "contains" if e.interval.covers(truth) else "misses"
        # When all give the same answer the plug-in standard error is 0, which is no certainty: the interval says more.
        error = f"s.e. {numbers.standard_error(e.standard_error)} points; " if e.standard_error else ""
        interval = f"{error}{numbers.between(e.low, e.high)}"
        if e.doubtful and e.interval.exact:
            interval = "at the end, without an interval"
        words.append(f"{VOTING[name].title} {numbers.share(e.value)} ({interval}, {holds} the truth)")
    note = ""
    if best and best.doubtful:
        note = (
            " The whole interval of the unlimited estimate lies outside 0 to 100 %, so the other shrinks to an end: no "
            "certainty, but a poll that such lies hardly explain: the model is doubtful."
        )
    return f"Readings of this poll with 95 % intervals: {'; '.join(words)}.{note}"


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
        "kinds = voting.kinds(voting.people(config), config.channel)  # of the last poll, a thousand at most",
        'seen = figures.dot_field("votes, and who lied", kinds, people.TRUTH)',
        'told = figures.dot_field("answers", kinds, people.ANSWERS)',
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
