"""The answer of the voting page: the sentence, the people of the last poll, and every estimate from it."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pages.kit import cache, numbers, opendp
from pages.kit.panel import Chart, KnownNumber, LiveDots, Panel, Prediction, Scale
from pages.kit.snippet import Snippet
from pages.kit.trials import Trials
from pages.topics.voting.asking import answers_of, design_words, import_line, is_design
from pages.topics.voting.question import ASKED_VOTE
from privdemo import figures
from privdemo.estimators.votes import VoteEstimate
from privdemo.experiments import voting
from privdemo.experiments.voting import ElectionConfig, People, Poll, Record
from privdemo.figures import people
from privdemo.figures import voting as charts
from privdemo.mechanisms import BinaryChannel, UnrelatedQuestion
from privdemo.methods import NAIVE, RAW_SPREAD, RECONSTRUCTION, SPREAD_MLE, VOTING

# The name of the guess that the page begins with.
GUESS = "voting-share"


def _polls(config: ElectionConfig) -> tuple[Poll, People]:
    """Return the last poll and those of its people who are shown."""
    return voting.poll(config, voting.run(config)), voting.people(config)


def _all_polls(config: ElectionConfig) -> tuple[Record, ...]:
    """Return the results of every estimator over all polls, which takes longer than the last poll alone."""
    return voting.records(config, voting.run(config))


# From so many polls on, the sentence counts in how many of them an interval misses the truth.
_MANY_POLLS = 20

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
        """Return the results of every estimator over all polls."""
        return all_polls(self.config)

    def takeaway(self) -> str:
        """Return the page’s sentence, with its current numbers."""
        config, poll = self.config, self.poll
        truth = f"The truth in the simulated country: <b>{numbers.share(config.share)}</b>."
        if not config.channel.contrast:
            alike = "Voters of A and of B answer alike, so the answers say nothing of how many voted for A"
            return f"{lie_words(config)}. {alike}. {truth}"
        best = poll.estimates[SPREAD_MLE]
        source = f"{numbers.count(poll.n_voters)} simulated answer{'s' * (poll.n_voters != 1)}"
        estimate = f"From {source} we estimate that <b>{best_words(best)}</b> voted for A{interval_in_brackets(best)}"
        sentence = f"{lie_words(config)}. {estimate}. {truth}"
        return f"{sentence}{doubt_words(best)}{missed_words(self)}"

    @property
    def facts(self) -> dict[str, str]:
        """Return the numbers of the last poll by name, for the sentences of a lecture."""
        config, poll = self.config, self.poll
        found = {
            "asked": f"{poll.n_voters:,}",
            "lie": numbers.percent(config.channel.p10),
            "changed": numbers.count(poll.lied_a + poll.lied_b),
            "said_a": f"{poll.said_a:,}",
            "said": numbers.share(poll.said_a / poll.n_voters),
            "truth": numbers.share(config.share),
            "ignored": numbers.share(poll.estimates[NAIVE].value),
            "guessed_back": numbers.share(poll.estimates[RECONSTRUCTION].value),
        }
        if best := poll.estimates.get(SPREAD_MLE):
            found |= {"estimate": numbers.share(best.value)}
        if best and not best.interval.has_no_width:
            found |= {"within": numbers.absolute_points(best.interval.half)}
        return found

    def main(self) -> tuple[Panel, ...]:
        """Return the panel of the people of the last poll: their votes, and their answers as the pollster sees them."""
        summary = people_words(self)
        return (
            Panel(
                "people",
                figure=LiveDots(
                    live_dots(self.config, self.people, summary),
                    lambda: figures.people_html(
                        still_dots(self.config, self.people),
                        _legend(self.config.channel, changed=not self.config.channel.is_truthful),
                        summary,
                        still_dots(self.config, self.people, upright=True),
                    ),
                ),
                summary=summary,
                rows=self._rows,
                snippet=_with_people_figure(last_poll_snippet(self.config)).then(
                    "for method, estimate in poll.estimates.items():",
                    "    print(method, estimate.value, estimate.interval)",
                ),
                note=arithmetic_words(self.poll, self.config.channel),
                links=[("poll", "Try it with your class")],
                prediction=self._prediction(),
            ),
        )

    def _rows(self) -> list[dict[str, Any]]:
        """Return the four kinds of people, by their votes and by what they said."""
        said = answers_of(self.config.channel)
        return [row | {"said": said.said(row["said"]).strip("“”")} for row in voting.poll_table(self.poll)]

    def _prediction(self) -> Prediction | None:
        """Ask for the true share behind the answers; None where the answers say nothing of it."""
        config, poll = self.config, self.poll
        if not config.channel.contrast:
            return None
        simulated = numbers.people(poll.n_voters).replace(" p", " simulated p")
        lies, said = lie_words(config), answers_of(config.channel)
        words = f"What the pollster hears: {poll.said_a:,} of {numbers.people(poll.n_voters)} say {said.a}."
        heard = LiveDots(
            live_dots(config, self.people, words, are_covered=True),
            lambda: figures.people_html(
                still_dots(config, self.people, are_covered=True), _legend(config.channel, changed=False), words
            ),
        )
        lied_b, lied_a = numbers.count(poll.lied_b), numbers.count(poll.lied_a)
        claim = f"{simulated} {'say' if poll.n_voters > 1 else 'says'} that they voted for A"
        turned = f"Chance turned {lied_b} answers of voters of B into A, and {lied_a} of voters of A into B."
        if is_design(config.channel):
            claim = f"{simulated} say {said.a}"
            turned = f"Of voters of B {lied_b} said {said.a}, and of voters of A {lied_a} said {said.b}."
        return Prediction(
            GUESS,
            f"{numbers.share(poll.said_a / poll.n_voters)} of {claim}. "
            f"But {lies[:1].lower()}{lies[1:]}. <b>What share really voted for A?</b>",
            100 * config.share,
            Scale(0, 100, 1, " %"),
            heard,
            turned,
            "**Your guess: what share really voted for A?**",
            [KnownNumber(100 * poll.said_a / poll.n_voters, f"say {said.a}")],
        )


def answer(config: ElectionConfig, _: Trials) -> Answer:
    """Hold the polls and return their answer."""
    return Answer(config, *polls(config))


def one_polls_estimates(answer: Answer) -> list[Panel]:
    """Return the panel of every estimate of the last poll beside the truth."""
    return [
        Panel(
            "estimates",
            "Which estimate finds the truth?",
            reading_words(answer.poll, answer.config.share, answer.config.channel),
            Chart(charts.estimates(answer.poll.estimates, answer.config.share)),
            estimate_words(answer.poll, answer.config.share),
            lambda: voting.estimate_table(answer.poll),
            _with_estimates_figure(last_poll_snippet(answer.config)),
        )
    ]


# --- the dots ------------------------------------------------------------------------------------


# The headings of the fields; the browser fills in the numbers, and so does `still_dots`.
_VOTES = "How those asked really voted: {voted_a} of {asked} for A (only this simulation knows)"
# What is added to the heading of the answers where chance may change them.
_CHANGED = "; a real pollster cannot see which are hollow"
_SOME_CHANGED = " (chance may have switched some, nobody sees which)"
# The keys of the settings by which voters of B lie, and voters of A: one for both, or one each.
_SLIDERS = (("lie", "b_says_a", "born"), ("lie", "a_says_b", "born"))
_Fields = tuple[tuple[str, Mapping[int, people.Dot]], ...]


def _fields(channel: BinaryChannel, are_covered: bool) -> _Fields:
    """Return the heading and the dots of each field; the votes are covered before the guess, and nothing is hollow."""
    heard = f"What the pollster hears: {{said_a}} of {{asked}} say {answers_of(channel).a}"
    if are_covered:
        return ((heard + ("" if is_design(channel) else _SOME_CHANGED), people.ANSWERS),)
    return ((_VOTES, people.VOTES), (heard + _CHANGED, people.TRUTH))


def _legend(channel: BinaryChannel, *, changed: bool) -> dict[str, people.Dot]:
    """Return the mark of each answer, and with `changed` those of answers that speak for the other vote."""
    said, dots = answers_of(channel), people.LEGEND
    if is_design(channel):
        names = (f"A, or {said.a}", f"B, or {said.b}", f"voted B, but said {said.a}", f"voted A, but said {said.b}")
        dots = dict(zip(names, dots.values(), strict=True))
    return {name: dot for name, dot in dots.items() if changed or not dot.hollow}


def live_dots(config: ElectionConfig, people_shown: People, words: str, *, are_covered: bool = False) -> dict[str, Any]:
    """Return the data of the interactive dots; `words` describe them to screen readers."""
    n = len(people_shown.voted_a)
    legend = _legend(config.channel, changed=not are_covered)
    plans = [people.plan(heading, dots, n) for heading, dots in _fields(config.channel, are_covered)]
    for plan in plans:
        plan["heading_unchanged"] = _unchanged(plan["heading"])
    return {
        "poll": f"{config.seed}/{config.n_elections}",
        "voted": _base64(people_shown.voted_a),
        "uniform": _base64(people_shown.uniform),
        "lies": [config.channel.p10, config.channel.p01],
        "sliders": _sliders(config.channel),
        "fields": plans,
        "narrow": people.NARROW,
        "legend": [
            {"name": name, "sign": dot.sign, "colour": dot.colour, "hollow": dot.hollow} for name, dot in legend.items()
        ],
        "words": words,
    }


def _sliders(channel: BinaryChannel) -> list[list[dict[str, Any]]]:
    """Return by which settings voters of B lie, and voters of A, each with the lie at 0 and its slope."""
    if isinstance(channel, UnrelatedQuestion):
        ends = (channel.innocent, 1 - channel.innocent)
        return [[{"key": ASKED_VOTE.key, "at_0": end, "slope": -end}] for end in ends]
    return [[{"key": key, "at_0": 0, "slope": 1} for key in keys] for keys in _SLIDERS]


def still_dots(
    config: ElectionConfig, people_shown: People, *, are_covered: bool = False, upright: bool = False
) -> list[people.Field]:
    """Return the same fields as still pictures, with the numbers that the browser fills in."""
    fields = _fields(config.channel, are_covered)
    kinds = voting.kinds(people_shown, config.channel)
    said_a = int(((kinds == voting.A_TRUE) | (kinds == voting.B_LIED)).sum())
    numbers_shown = {"voted_a": int(people_shown.voted_a.sum()), "said_a": said_a, "asked": len(kinds)}
    counts = {name: f"{n:,}" for name, n in numbers_shown.items()}
    columns = people.columns_of(len(kinds), upright=upright)
    if config.channel.is_truthful:
        fields = tuple((_unchanged(heading), dots) for heading, dots in fields)
    return [figures.dot_field(heading.format(**counts), kinds, dots, columns) for heading, dots in fields]


def _unchanged(heading: str) -> str:
    """Return a heading as it is where no answer is changed."""
    return heading.replace(_CHANGED, "").replace(_SOME_CHANGED, "")


def _base64(array: Any) -> str:
    """Return the array’s raw bytes (little-endian) as base64 text."""
    return base64.b64encode(array.tobytes()).decode()


# --- words ---------------------------------------------------------------------------------------


def lie_words(config: ElectionConfig) -> str:
    """Say how chance changes answers."""
    if is_design(config.channel):
        return design_words(config.channel)
    if config.channel.is_truthful:
        return "No answer was changed: everyone tells the truth"
    if config.channel.p10 == config.channel.p01 == 1:
        return "Every answer was changed to the other one"
    p10, p01 = map(numbers.percent, (config.channel.p10, config.channel.p01))
    if p10 == p01:
        chance = f"{p10}{_one_in_words(config.channel.p10)}"
        return f"To protect people, about {chance} of those asked, picked at random, gave the opposite answer"
    return f"Voters of B say A {p10} of the time, and voters of A say B {p01} of the time"


def _one_in_words(chance: float) -> str:
    """Write a chance as one in so many, in brackets, where that is a whole number; else return “”."""
    if not 0 < chance < 1 or abs(round(1 / chance) - 1 / chance) > 1e-9:
        return ""
    return f" (1\u00a0in\u00a0{round(1 / chance):,})"


def best_words(estimate: VoteEstimate) -> str:
    """Write an estimate, as doubtful if no share explains the answers."""
    return f"{numbers.share(estimate.value)}{' (doubtful)' if estimate.doubtful else ''}"


def interval_in_brackets(estimate: VoteEstimate) -> str:
    """Write the 95 % interval of an estimate in brackets, if it has a width and some share explains the answers."""
    if estimate.doubtful or estimate.interval.has_no_width:
        return ""
    if estimate.interval.low <= 0 and estimate.interval.high >= 1:
        return " (so few answers leave any share possible)"
    return f" (95 % interval: {numbers.interval(estimate.interval)})"


def arithmetic_words(poll: Poll, channel: BinaryChannel) -> str:
    """Show how the estimate is worked out from the answers; empty where nothing is to be corrected, or can be."""
    if channel.is_truthful or not channel.contrast:
        return ""
    shares = poll.said_a / poll.n_voters, channel.p10, 1 - channel.p01
    result = _way(*shares)
    # As many digits as it takes for the shown numbers to give the shown result.
    rounded = ([round(100 * share, digits) for share in shares] for digits in range(1, 12))
    exact = next((shown for shown in rounded if _way(*shown) == result), [100 * share for share in shares])
    said, nobody, everybody = (f"{number:.12g}" for number in exact)
    beyond = ""
    if not 0 <= result <= 100:
        beyond = f" No share is {'below 0' if result < 0 else 'above 100'} %, so we take that."
    return (
        f"How we estimate: if nobody had voted for A, {nobody} % would say {answers_of(channel).a}"
        f"{' by chance' * (0 < channel.p10 < 1)}; if everybody "
        f"had, {everybody} %. Here {said} % do. That is {result:.1f} % of the way from {nobody} to "
        f"{everybody}: "
        f"({said} − {nobody}) / ({everybody} − {nobody}).{beyond}"
    ).replace(" -", " −")


def _way(said: float, nobody: float, everybody: float) -> float:
    """Return how far `said` is on the way from `nobody` to `everybody`, in percent as it is shown; nan if they meet."""
    return round(100 * (said - nobody) / (everybody - nobody), 1) + 0.0 if everybody != nobody else math.nan


def doubt_words(estimate: VoteEstimate) -> str:
    """Say that such changes hardly explain the answers, if no share does; else return an empty string."""
    return " Such changes hardly explain these answers: <b>the model is doubtful</b>." if estimate.doubtful else ""


def missed_words(answer: Answer) -> str:
    """Say that the corrected interval of the last poll misses the truth, and how often it does; else return “”."""
    if answer.poll.estimates[SPREAD_MLE].interval.covers(answer.config.share):
        return ""
    record = next(record for record in answer.records if record.name == SPREAD_MLE)
    start, n = " This poll’s 95 % interval <b>misses</b> the truth in the country", len(record.values)
    if n < _MANY_POLLS:
        return f"{start}, as about 1 in 20 does."
    return f"{start}, as it does in {n - record.n_covered:,} of {n:,} such polls; 5 in 100 are expected."


def reading_words(poll: Poll, truth: float, channel: BinaryChannel) -> str:
    """Say whether ignoring the changed answers and correcting for them find the truth in one poll."""
    ignoring, correcting = "Ignoring that chance changed answers", "Correcting for the changes"
    if is_design(channel):
        ignoring, correcting = f"Taking every {answers_of(channel).a} for a vote for A", "Allowing for the birthdays"
    ignored, best = poll.estimates[NAIVE], poll.estimates.get(SPREAD_MLE)
    gives = f"{ignoring} gives <b>{numbers.share(ignored.value)}</b>"
    ignored_words = f"{gives}{_interval_and_verdict(ignored, truth)}"
    is_truth = f"the truth is <b>{numbers.share(truth)}</b>"
    if not best:
        return f"{ignored_words}; {is_truth}. Such answers say nothing about the votes."
    corrected = f"{correcting} gives <b>{numbers.share(best.value)}</b>; {is_truth}"
    return f"{corrected}{_interval_and_verdict(best, truth)}. {ignored_words}.{doubt_words(best)}"


def _interval_and_verdict(estimate: VoteEstimate, truth: float) -> str:
    """Write an estimate’s interval, to follow the estimate, and whether it contains the truth."""
    if estimate.interval.has_no_width:
        return ""
    shown = numbers.interval(estimate.interval, numbers.unlimited_share_scale(estimate.interval))
    return f", and the 95 % interval, {shown}, {_verdict(estimate, truth)} the truth"


def _verdict(estimate: VoteEstimate, truth: float) -> str:
    """Say whether the 95 % interval of an estimate contains the truth."""
    return "contains" if estimate.interval.covers(truth) else "misses"


def people_words(answer: Answer) -> str:
    """Describe the dots, for screen readers: the people, their answers and what the pollster knows."""
    poll, n_dots = answer.poll, len(answer.people.voted_a)
    who = f"{numbers.people(poll.n_voters)}:"
    if n_dots < poll.n_voters:
        who = f"{n_dots:,} of the {numbers.people(poll.n_voters)}, chosen at random, are shown; of them all"
    channel = answer.config.channel
    said = answers_of(channel)
    changed = f"chance changed {poll.lied_a + poll.lied_b:,} answers"
    unknown = "whose answer chance changed"
    if is_design(channel):
        changed = f"{poll.lied_b:,} voters of B said {said.a} and {poll.lied_a:,} voters of A {said.b}"
        unknown = "who these are"
    counts = f"{who} {poll.voted_a:,} voted A, {changed}, {poll.said_a:,} said {said.a}."
    known = voting.certain_inferences(channel)
    if not known:
        return f"{counts} The pollster cannot tell {unknown}."
    words = numbers.join_words(known).replace("says A", f"says {said.a}").replace("says B", f"says {said.b}")
    return f"{counts} The pollster knows: {words}."


def estimate_words(poll: Poll, truth: float) -> str:
    """List every estimate of a poll, and whether its interval contains the true share."""
    words: list[str] = []
    best = poll.estimates.get(SPREAD_MLE)
    for name, e in poll.estimates.items():
        if name == RAW_SPREAD and best and e.value == best.value:
            continue
        # If all give the same answer, the plug-in standard error is 0, which is no certainty: the interval says more.
        error = f"s.e. {numbers.standard_error(e.standard_error)} points; " if e.standard_error else ""
        interval = f"{error}{numbers.interval(e.interval, numbers.unlimited_share_scale(e.interval))}"
        if e.doubtful and e.interval.has_no_width:
            interval = "at the end, without an interval"
        words.append(f"{VOTING[name].title} {numbers.share(e.value)} ({interval}, {_verdict(e, truth)} the truth)")
    note = ""
    if best and best.doubtful:
        note = (
            " The whole interval of the unlimited estimate lies outside 0 to 100 %, so the other shrinks to an end: no "
            "certainty, but a poll that such changes hardly explain: the model is doubtful."
        )
    return f"Estimates from this poll with 95 % intervals: {'; '.join(words)}.{note}"


# --- code ----------------------------------------------------------------------------------------


def opendp_lines(config: ElectionConfig) -> Snippet | None:
    """Return the lines for OpenDP that randomise answers as these people do."""
    return opendp.snippet(answer=config.channel)


def snippet(config: ElectionConfig) -> Snippet:
    """Return the code that holds the polls."""
    return Snippet(
        ("from privdemo.experiments import voting", import_line(config.channel)),
        (f"config = voting.{config!r}", "elections = voting.run(config)"),
    )


def last_poll_snippet(config: ElectionConfig) -> Snippet:
    """Return the code that holds the polls and picks the last one."""
    return snippet(config).then("poll = voting.poll(config, elections)  # the last one")


def poll_snippet(config: ElectionConfig) -> Snippet:
    """Return the code that holds the polls and plots the last one."""
    return _with_estimates_figure(_with_people_figure(last_poll_snippet(config)))


def _with_people_figure(code: Snippet) -> Snippet:
    """Add the picture of the people of a poll to the code."""
    return code.then(
        "kinds = voting.kinds(voting.people(config), config.channel)  # of the last poll, a thousand at most",
        'voted = figures.dot_field("how they voted", kinds, people.VOTES)',
        'said = figures.dot_field("what they say, hollow where chance changed it", kinds, people.TRUTH)',
        'picture = figures.people_html([voted, said], people.LEGEND, "one poll")',
        'open("people.html", "w").write(figures.document("One poll", picture, figures.CSS))',
        imports=("from privdemo import figures", "from privdemo.figures import people"),
    )


def _with_estimates_figure(code: Snippet) -> Snippet:
    """Add the figure of the estimates of a poll to the code."""
    return code.then(
        "charts.estimates(poll.estimates, config.share).show()",
        imports=("from privdemo.figures import voting as charts",),
    )
