"""The lesson of the voting page: one simulated poll, at every position of the slider of the lie."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from pages.kit import values as page_values
from pages.kit.live_dots import DOTS
from pages.kit.number_control import CONTROL, control_data
from pages.kit.numbers import with_no_break_spaces
from pages.kit.panel import LiveDots, Prediction
from pages.kit.privacy_inputs import answer_scale_html
from pages.kit.settings import Number
from pages.kit.trials import Trials
from pages.lessons.document import Lesson, guess_data, guess_html, place
from pages.topics.voting import PAGE
from pages.topics.voting.answer import Answer, answer
from pages.topics.voting.controls import LIE_SLIDER, VOTERS_OF_A_AND_B
from pages.topics.voting.question import LIE
from privdemo.experiments.voting import ElectionConfig
from privdemo.mechanisms import BinaryChannel


def lesson() -> Lesson:
    """Return the lesson."""
    values = positions(LIE)
    opened = answer_at(LIE.default)
    asked, figure = opened.main()[0].prediction, opened.main()[0].figure
    assert isinstance(asked, Prediction)
    assert isinstance(asked.covered, LiveDots)
    assert isinstance(figure, LiveDots)
    return Lesson(
        PAGE.title,
        PAGE.question,
        "A pollster asks simulated people whether they voted for A or for B. Chance changes some answers before "
        "anybody hears them, so that no answer gives its sender away. From all answers together the true share can "
        "still be estimated.",
        f"""{guess_html(asked)}
<div id="controls" hidden>{place("lie", "number")}<div id="epsilon"></div></div>
{place("people", "dots")}
<p id="arithmetic"></p>""",
        {"number": CONTROL, "dots": DOTS},
        "voting.js",
        {
            "guess": guess_data(asked),
            "values": values,
            "words": [_words(answer_at(value)) for value in values],
            "control": control_data(LIE, LIE.label, LIE.default, LIE_SLIDER, part="slider")
            | {"session": "", "count": 0},
            "dots": figure.data,
            "covered": asked.covered.data,
        },
    )


def positions(setting: Number) -> list[float]:
    """Return the number at each position of the slider of a setting, the end of its range included."""
    low, high, step = setting.limit.low, setting.limit.high, setting.step
    below = [round(low + i * step, 10) for i in range(int((high - low) / step) + 1)]
    return [*(value for value in below if value < high), high]


@cache
def config() -> ElectionConfig:
    """Return the polls on which the page opens."""
    return PAGE.question_of(page_values.from_texts(PAGE.all_settings, {}))


def answer_at(lie: float) -> Answer:
    """Return the answer of the page at a lie."""
    return answer(replace(config(), channel=BinaryChannel(lie, lie)), Trials())


def _words(found: Answer) -> dict[str, Any]:
    """Return the words of the page at one lie."""
    panel = found.main()[0]
    return {
        "takeaway": with_no_break_spaces(found.takeaway()),
        "epsilon": answer_scale_html(found.config.channel, VOTERS_OF_A_AND_B),
        "arithmetic": with_no_break_spaces(panel.note),
        "people": panel.summary,
    }
