"""The chapter on people who do not play along: what the poll says then, and two halves that notice it.

The rows follow the slider while it is dragged (rows.js): the browser gets what each position of the slider shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pages.kit import cache, numbers
from pages.kit.panel import Component, Panel, Prediction, Scale
from pages.kit.snippet import Snippet
from pages.kit.values import Values
from pages.topics.voting.answer import Answer
from pages.topics.voting.asking import import_line, is_design
from pages.topics.voting.question import PART, WAY, WAYS
from privdemo import figures, palette
from privdemo.disobedience import ALWAYS_NO, ALWAYS_YES, FAIR_COIN, Way, expected_estimate
from privdemo.disobedience import WAYS as WAYS_BY_NAME
from privdemo.experiments import voting
from privdemo.experiments.voting import Disobeyed, ElectionConfig
from privdemo.figures import voting as charts
from privdemo.intervals import Estimate
from privdemo.mechanisms import BinaryChannel

_NAME, _QUESTION = "disobedience", "What if some do not play along?"
_HERE = Path(__file__).parent
_HTML, _CSS, _JS = ((_HERE / f"rows.{kind}").read_text(encoding="utf-8") for kind in ("html", "css", "js"))
_NOTE = "Mark: estimate. Line: 95 % interval. Upright grey line: the truth."
# The length from which an axis has fewer numbers.
_LONG_AXIS = 1.3
# A guess of the estimate is between these, in percent.
_GUESSED = (-50.0, 100.0)


class Choice(NamedTuple):
    """The `part` of the people that does not play along, and what they do instead, in the words of the `name`."""

    part: float
    name: str

    @property
    def way(self) -> Way:
        """What they do instead."""
        return WAYS_BY_NAME[WAYS[self.name]]


def choice_of(values: Values, _: object) -> Choice:
    """Return how many people do not play along, and what they do."""
    return Choice(values[PART], values[WAY])


disobeyed = cache.shared(voting.disobeyed, max_entries=64)


def parts_with(part: float) -> tuple[float, ...]:
    """Return every position of the slider of the part, and `part`, which may have been typed."""
    n = round(PART.limit.high / PART.step)
    return tuple(sorted({part, *(round(i * PART.step, 10) for i in range(n + 1))}))


@dataclass(frozen=True)
class Shown:
    """What the polls of a config say for every position of the slider, of which one is `chosen`."""

    config: ElectionConfig
    chosen: Choice
    found: Sequence[Disobeyed]

    @property
    def now(self) -> Disobeyed:
        """What they say for the chosen part."""
        return next(one for one in self.found if one.part == self.chosen.part)

    @property
    def wanted(self) -> float:
        """Half the interval of the corrected estimate if everybody plays along."""
        return self.found[0].corrected.half

    def needed(self, one: Disobeyed) -> int | None:
        """Return how many people two halves take for an interval as narrow; None where they do not help."""
        if not voting.is_noticed(self.chosen.way):
            return None
        return voting.people_for_two_halves(self.config, self.chosen.way, one.part, self.wanted)


def panels(answer: Answer, chosen: Choice) -> list[Panel]:
    """Return the panel of what the poll says if some do not play along."""
    config = answer.config
    if not config.channel.contrast:
        words = "These answers say nothing of how many voted for A, so there is no estimate that anybody could spoil."
        return [Panel(_NAME, _QUESTION, words)]
    shown = Shown(config, chosen, disobeyed(config, chosen.way, parts_with(chosen.part)))
    return [
        Panel(
            _NAME,
            _QUESTION,
            sentence(shown),
            _rows(shown),
            summary(shown),
            lambda: voting.disobedience_table(shown.found),
            _snippet(shown),
            prediction=prediction(config, chosen),
            facts=_facts(shown),
        )
    ]


def prediction(config: ElectionConfig, chosen: Choice) -> Prediction | None:
    """Ask for the corrected estimate; None where there is none, or everybody plays along, or it is beyond guessing."""
    if not config.channel.contrast or not chosen.part:
        return None
    (now,) = disobeyed(config, chosen.way, (chosen.part,))
    truth, (low, high) = 100 * now.corrected.mean, _GUESSED
    if not low <= truth <= high:
        return None
    return Prediction(
        "voting-disobedience",
        f"<b>{numbers.per_hundred(chosen.part)} of 100 people</b> {_do(chosen)}{_motive(chosen)}. "
        f"The truth is <b>{numbers.share(config.share)}</b>. What does the corrected estimate say on average?",
        truth,
        Scale(low if truth < 0 else 0.0, high, 1, " %"),
        _covered(config, chosen.part),
        _why(config.channel, chosen.way),
        "**Your guess: what does the corrected estimate say?**",
    )


def _do(chosen: Choice) -> str:
    """Say what they do, after “25 of 100 people”."""
    return f"{chosen.name} instead" if chosen.way == FAIR_COIN else chosen.name


def _motive(chosen: Choice) -> str:
    """Say why people may say B: whoever does not want to be taken for a voter of A."""
    return ", to be safe" if chosen.way == ALWAYS_NO else ""


def _why(channel: BinaryChannel, way: Way) -> str:
    """Say why the correction goes wrong."""
    if way == ALWAYS_NO:
        taken = numbers.per_hundred(channel.p10)
        return (
            f"Correcting takes off the {taken} of 100 answers A that chance makes where nobody voted A. These people "
            "give none, so it takes off too much."
        )
    if way == ALWAYS_YES:
        return "The correction takes every answer A that chance does not explain for more than one vote for A."
    if way == FAIR_COIN:
        return "Half of these people say A, whatever is true of them."
    return "The correction undoes changes that these answers never had."


# --- the figure ------------------------------------------------------------------------------------


class _Axis(NamedTuple):
    """The ends of the horizontal axis of all rows."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """Return the place of a value, cut at the ends: 0 is left and 1 is right."""
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))

    @property
    def ticks(self) -> list[tuple[str, float]]:
        """Return the numbers at the axis, each with its place."""
        step = 0.25 if self.high - self.low < _LONG_AXIS else 0.5
        marked = [i * step for i in range(-6, 7) if self.low <= i * step <= self.high]
        return [(numbers.share(tick, 0), self.at(tick)) for tick in marked]


def _rows(shown: Shown) -> Component:
    """Return the rows for each position of the slider; a report has the chart of the chosen one."""
    config, axis = shown.config, _Axis(*charts.disobedience_axis(shown.found))
    stops = [
        {"part": one.part, "rows": _stop(config, one, axis), "more": more_words(shown, one)} for one in shown.found
    ]
    return _component(
        {"part": shown.chosen.part, "words": _QUESTION, "note": _NOTE, "kinds": _kinds(config), "stops": stops},
        axis,
        lambda: figures.chart(charts.disobedience(shown.now, config.share)),
    )


def _covered(config: ElectionConfig, part: float) -> Component:
    """Return the first row before the guess: the truth alone."""
    axis = _Axis(0.0, 1.0)
    row = {"name": "Corrected estimate:", "value": "?", "at": None, "beyond": "", "from": None, "to": None}
    stops = [{"part": part, "rows": [row | {"rule": axis.at(config.share)}], "more": ""}]
    words = f"The truth, {numbers.share(config.share)}, before the estimate is shown"
    data = {"part": part, "words": words, "note": "Thick line: the truth.", "kinds": _kinds(config)[:1], "stops": stops}
    return _component(data, axis, str)


def _component(data: Mapping[str, Any], axis: _Axis, still: Callable[[], str]) -> Component:
    """Return the rows of `data` along an axis."""
    same = {"key": PART.key, "truth_colour": palette.TRUTH.colour, "zero": axis.at(0.0), "ticks": axis.ticks}
    return Component("voting_disobedience", _HTML, _CSS, _JS, {**same, **data}, still)


def _kinds(config: ElectionConfig) -> list[dict[str, str]]:
    """Return the colour and the mark of each row, and the heading above it, if there is one."""
    corrected, possible, halves = (style.colour for style in charts.disobedience_styles.values())
    one = "One chance of a changed answer for all"
    if is_design(config.channel):
        one = "Asked this way, all alike"
    elif config.channel.p10 == config.channel.p01:
        one = f"{one}: {numbers.percent(config.channel.p10)}"
    first, second = (numbers.percent(lies.p10) for lies in (voting.FIRST_HALF, voting.SECOND_HALF))
    two = f"Ask in two halves instead: chance changes {first} of the answers in one, {second} in the other"
    return [
        {"heading": one, "colour": corrected, "shape": "circle"},
        {"colour": possible, "shape": "band"},
        {"heading": two, "colour": halves, "shape": "square"},
        {"colour": halves, "shape": "square"},
    ]


def _stop(config: ElectionConfig, one: Disobeyed, axis: _Axis) -> list[dict[str, Any]]:
    """Return what each row shows: its name, its value in words, and where its marks and the truth stand."""
    truth, (least, most) = axis.at(config.share), map(float, one.possible[2:])
    rows = [
        _row("Corrected estimate:", share_words(one.corrected), one.corrected, truth, axis),
        {"name": possible_name(one.part), "value": possible_words(one), "at": None, "beyond": "", "rule": truth}
        | {"from": axis.at(least), "to": axis.at(most)},
    ]
    if one.noticed:
        share, part = one.noticed.share, one.noticed.part
        value = f"{part_words(part)}; really {numbers.per_hundred(one.part)}"
        rows += [
            _row("Share of A among those who play along:", share_words(share), share, truth, axis),
            _row("People who do not play along:", value, part, axis.at(one.part), axis),
        ]
    return rows


def _row(name: str, value: str, estimate: Estimate, rule: float, axis: _Axis) -> dict[str, Any]:
    """Return a row with the mark of an estimate, at an end of the axis if it lies beyond, and its interval."""
    beyond = "left" if estimate.mean < axis.low else "right" if estimate.mean > axis.high else ""
    ends = {"from": axis.at(estimate.low), "to": axis.at(estimate.high)}
    return {"name": name, "value": value, "at": axis.at(estimate.mean), "beyond": beyond, "rule": rule} | ends


# --- words ---------------------------------------------------------------------------------------


def share_words(estimate: Estimate) -> str:
    """Write an estimated share with its 95 % interval: “17.9 % (13.3 to 22.8)”."""
    return numbers.with_range(estimate, numbers.unlimited_share_scale(estimate))


def part_words(estimate: Estimate) -> str:
    """Write an estimated part of the people with its 95 % interval: “24 of 100 (12 to 35)”."""
    mean, low, high = (numbers.people_of_100(value) for value in estimate)
    return f"{mean} of 100 ({low} to {high})"


def possible_name(part: float) -> str:
    """Name the row of the shares that are possible."""
    if not part:
        return "Possible truths if all play along:"
    return f"What the truth may be if up to {numbers.per_hundred(part)} of 100 answer at will:"


def possible_words(one: Disobeyed) -> str:
    """Write the shares that are possible, chance included."""
    return " to ".join(numbers.share(float(end)) for end in one.possible[2:])


def sentence(shown: Shown) -> str:
    """Say what the corrected estimate becomes, and whether two halves notice it."""
    chosen, truth, estimate = shown.chosen, shown.config.share, numbers.share(shown.now.corrected.mean)
    if not chosen.part:
        return (
            f"Everybody plays along, so the corrected estimate is <b>{estimate}</b> on average, which is the truth. "
            "Move the slider to see what happens if some do not."
        )
    return (
        f"The corrected estimate becomes <b>{estimate}</b> on average instead of <b>{numbers.share(truth)}</b> if "
        f"{numbers.per_hundred(chosen.part)} of 100 people {_do(chosen)}.{_noticed_words(shown)}"
    )


def _noticed_words(shown: Shown) -> str:
    """Say whether two halves notice it."""
    if not shown.now.noticed:
        return ""
    halves = " Asking two halves of the people with different chances of a changed answer"
    if not voting.is_noticed(shown.chosen.way):
        return f"{halves} <b>does not help</b> here: it finds those who give one answer whatever is true."
    part = shown.now.noticed.part
    found = f"<b>{numbers.people_of_100(part.mean)} of 100</b> who do not play along"
    return f"{halves} finds {found}{'' if part.low > 0 else ', which may be luck'}."


def more_words(shown: Shown, one: Disobeyed) -> str:
    """Say whether one chance for all shows the mistake, and what two halves can tell and cost."""
    said = filter(
        None,
        (
            unseen_words(shown, one),
            agree_words(shown.chosen.way, one),
            price_words(shown, one),
            "Darker: below 0 %, where no share can be.",
        ),
    )
    return numbers.with_no_break_spaces(" ".join(said))


def unseen_words(shown: Shown, one: Disobeyed) -> str:
    """Say whether one chance for all shows the mistake, and how large that is at the chance of the second half."""
    config, way, lies = shown.config, shown.chosen.way, voting.SECOND_HALF
    if not one.part:
        return ""
    if one.corrected.high < 0 or one.corrected.low > 1:
        side = "below 0 %" if one.corrected.high < 0 else "above 100 %"
        return (
            f"A share {side} shows that something is wrong; with one chance for all nobody can tell how many do not "
            "play along."
        )
    unseen = "With one chance for all, nobody can see this mistake in the answers"
    if way == FAIR_COIN or config.channel.p10 != config.channel.p01 or config.channel.p10 >= lies.p10:
        return f"{unseen}."
    then = expected_estimate(lies, way, one.part, config.share)
    at_second = f"at {numbers.percent(lies.p10)} the estimate would be {numbers.share(then)}"
    return f"{unseen}. It grows with that chance: {at_second}."


def agree_words(way: Way, one: Disobeyed) -> str:
    """Say when the two halves agree."""
    if not one.noticed:
        return ""
    if not voting.is_noticed(way):
        return "The two halves do not tell such people from those who play along."
    agree = "Corrected, both halves give the same share"
    return (
        f"{agree} if all play along; those who do not move them apart." if one.part else f"{agree}, as all play along."
    )


def price_words(shown: Shown, one: Disobeyed) -> str:
    """Say what two halves cost in people; empty where they do not help."""
    people = shown.needed(one)
    if people is None:
        return ""
    return (
        f"This takes more people: for a share within ± {numbers.absolute_points(shown.wanted)}, "
        f"{numbers.people(people)} in two halves instead of {numbers.count(shown.config.n_voters)} who all play along."
    )


def summary(shown: Shown) -> str:
    """Describe the rows, for screen readers."""
    config, now = shown.config, shown.now
    words = (
        f"Corrected estimate if everybody is taken to play along: {share_words(now.corrected)}, with the 95 % interval "
        f"of a poll of {numbers.people(config.n_voters)}; the truth is {numbers.share(config.share)}, among those who "
        "play along as among the others. "
        f"{possible_name(now.part)} {possible_words(now)}, luck included."
    )
    if not now.noticed:
        return words
    return (
        f"{words} One simulated poll of as many people in two halves gives {share_words(now.noticed.share)} for A "
        f"among those who play along, and finds that {part_words(now.noticed.part)} do not; really it is "
        f"{numbers.per_hundred(now.part)}. {more_words(shown, now)}"
    )


def _facts(shown: Shown) -> dict[str, str]:
    """Return the numbers of the chapter by name, for the sentences of a lecture."""
    now = shown.now
    least, most = (numbers.share(float(end)) for end in now.possible[2:])
    found = {"part": numbers.per_hundred(now.part), "corrected": numbers.share(now.corrected.mean)}
    found |= {"least": least, "most": most}
    if now.noticed:
        share, part = now.noticed.share.mean, now.noticed.part.mean
        found |= {"noticed": numbers.people_of_100(part), "halves": numbers.share(share)}
    if needed := shown.needed(now):
        found["needed"] = f"{needed:,}"
    return found


def _snippet(shown: Shown) -> Snippet:
    """Return the code that computes the numbers of the rows and plots them."""
    return Snippet(
        (
            "from privdemo.disobedience import WAYS",
            "from privdemo.experiments import voting",
            "from privdemo.figures import voting as charts",
            import_line(shown.config.channel),
        ),
        (
            f"config = voting.{shown.config!r}",
            f"way, part = WAYS[{WAYS[shown.chosen.name]!r}], {shown.chosen.part!r}",
            "followed, disobeying = voting.disobeyed(config, way, (0.0, part))",
            "print(disobeying.corrected, disobeying.possible)  # one chance for all",
            "print(disobeying.noticed)  # two halves",
            "print(voting.people_for_two_halves(config, way, part, followed.corrected.half))",
            "charts.disobedience(disobeying, config.share).show()",
        ),
    )
