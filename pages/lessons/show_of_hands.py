"""The lesson of the poll page: a show of hands, of simulated people or as many as are typed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from html import escape
from typing import Any

from pages.kit.number_control import CONTROL, control_data
from pages.kit.numbers import with_no_break_spaces
from pages.kit.panel import Component, Panel
from pages.kit.privacy_inputs import People, answer_scale_html
from pages.kit.settings import Number
from pages.kit.trials import Trials
from pages.kit.values import Values
from pages.lessons.document import Lesson, place
from pages.topics.poll import PAGE, chapters
from pages.topics.poll.answer import Answer, answer, how_to_lie, rule_picture
from pages.topics.poll.question import (
    ANSWERS,
    ASKED,
    ENOUGH,
    HANDS,
    HANDS_UP,
    PEOPLE,
    REHEARSAL,
    SEED,
    STEP,
    STEPS,
    WAY,
    Question,
    check_answers,
    lie_setting,
)
from privdemo.experiments import poll
from privdemo.experiments.poll import PollConfig

# The most hands for each answer: what Python finds is in the file for each pair of numbers.
MOST_HANDS = 60
# Digits after the point of a share in the file, which places bars and is not written anywhere.
_DIGITS = 4
_TEXT = ASKED.default
CONFIG = PollConfig(check_answers(ANSWERS.default), lie_setting(Values({})).default)
# The chapters of each way of answering, by their names.
_OF_HANDS: dict[str, Callable[[Answer], Any]] = {STEPS[1]: chapters.what_they_said, STEPS[3]: chapters.corrected}
_OF_SIMULATED = {STEPS[0]: Answer.main, **_OF_HANDS, STEPS[7]: chapters.the_truth}


def lesson() -> Lesson:
    """Return the lesson."""
    first, second = CONFIG.answers
    controls = [_control(HANDS_UP[i], f"Hands for “{words}”") for i, words in enumerate(CONFIG.answers)]
    return Lesson(
        "A show of hands",
        PAGE.question,
        "Coins decide in secret whether somebody raises a hand for the truth or for another answer, so nobody can be "
        "sure what any one person meant. The share of each answer can still be estimated.",
        f"""<p class="poll-rule poll-asked">{escape(_TEXT)}</p>
<fieldset class="choices"><legend>{WAY.label}</legend>{_radios("way", (REHEARSAL, HANDS))}</fieldset>
<div id="rule" hidden><p class="poll-rule">{how_to_lie(_hands(0, 0))}</p>{rule_picture(CONFIG)}</div>
<div id="hands" hidden>{place("hands-0", "number")}{place("hands-1", "number")}</div>
<fieldset class="choices"><legend>{STEP.label}</legend>{_radios("chapter", tuple(_OF_SIMULATED))}</fieldset>
<h2 id="question"></h2>
<p class="takeaway" id="takeaway" tabindex="-1" aria-live="polite"></p>
<p><button type="button" id="few" hidden>Show the estimates anyway</button></p>
{place("answers", "reveal")}
<div id="epsilon">{_epsilon(first, second)}</div>""",
        {"number": CONTROL, "reveal": _files()},
        "show_of_hands.js",
        {"ways": {REHEARSAL: _simulated_way(), HANDS: _hands_way()}, "fewest": ENOUGH, "controls": controls},
    )


def _radios(name: str, options: tuple[str, ...]) -> str:
    """Return a radio button for each option, of which the first is chosen."""
    return "".join(
        f'<label><input type="radio" name="{name}" value="{words}"{" checked" * (i == 0)}> {words}</label>'
        for i, words in enumerate(options)
    )


def _epsilon(first: str, second: str) -> str:
    return answer_scale_html(
        CONFIG.channel, People(f"would honestly say “{first}”", f"would honestly say “{second}”", f"“{first}”")
    )


def _control(setting: Number, label: str) -> dict[str, Any]:
    """Return the box to type how many hands are up."""
    limited = replace(setting, limit=replace(setting.limit, high=MOST_HANDS))
    return control_data(limited, label, 0, part="boxes") | {"session": "", "count": 0}


# --- simulated people ----------------------------------------------------------------------------


def simulated() -> Answer:
    """Return the answer of the page once all of its simulated people have answered."""
    group = poll.rehearse(CONFIG, PEOPLE.default, SEED.default)
    counts = group.counts(1, PEOPLE.default)
    return answer(Question(REHEARSAL, _TEXT, CONFIG, (counts,), PEOPLE.default, group.truth), Trials())


def _simulated_way() -> dict[str, Any]:
    found = simulated()
    panels = {name: make(found)[0] for name, make in _OF_SIMULATED.items()}
    return {
        "questions": _questions(panels),
        "chapters": {
            name: {"answer": with_no_break_spaces(panel.answer or found.takeaway()), "picture": _data(panel)}
            for name, panel in panels.items()
        },
    }


# --- hands ---------------------------------------------------------------------------------------


def _hands(first: int, second: int, *, shows_few: bool = True) -> Question:
    """Return the question after so many hands for each of two answers."""
    return Question(HANDS, _TEXT, poll.with_card_probability(CONFIG), ((first, second),), shows_few=shows_few)


def _hands_way() -> dict[str, Any]:
    """Return what the page says and shows for each pair of numbers of hands."""
    panels = _panels(1, 0)
    pictures = {name: _data(panel) for name, panel in panels.items()}
    numbers = range(MOST_HANDS + 1)
    return {
        "questions": _questions(panels),
        "nobody": chapters.what_they_said(answer(_hands(0, 0), Trials()))[0].answer,
        "tooFew": [""] + [_too_few(n) for n in range(1, ENOUGH)],
        "pictures": pictures,
        "hands": [
            [_chapters(first, second, pictures) if first + second else None for second in numbers] for first in numbers
        ],
    }


def _too_few(n: int) -> str:
    """Return what the page says while so few have answered that estimates wait."""
    return chapters.corrected(answer(_hands(n, 0, shows_few=False), Trials()))[0].answer


def _panels(first: int, second: int) -> dict[str, Panel]:
    found = answer(_hands(first, second), Trials())
    return {name: make(found)[0] for name, make in _OF_HANDS.items()}


def _chapters(first: int, second: int, pictures: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the words of each chapter, and what of its picture's data is not as in `pictures`."""
    return {
        name: {"answer": with_no_break_spaces(panel.answer)}
        | {part: value for part, value in _data(panel).items() if value != pictures[name][part]}
        for name, panel in _panels(first, second).items()
    }


# --- of both -------------------------------------------------------------------------------------


def _files() -> dict[str, str]:
    """Return the files of the component of the pictures."""
    figure = simulated().main()[0].figure
    assert isinstance(figure, Component)
    return {"html": figure.html, "css": figure.css, "js": figure.js}


def _questions(panels: dict[str, Panel]) -> dict[str, str]:
    return {name: panel.question for name, panel in panels.items()}


def _data(panel: Panel) -> dict[str, Any]:
    """Return the data of a panel's picture, with its shares rounded."""
    assert isinstance(panel.figure, Component)
    return {name: _rounded(part) for name, part in panel.figure.data.items()}


def _rounded(part: Any) -> Any:
    if isinstance(part, float):
        return round(part, _DIGITS)
    if isinstance(part, dict):
        return {name: _rounded(one) for name, one in part.items()}
    return [_rounded(one) for one in part] if isinstance(part, list | tuple) else part
