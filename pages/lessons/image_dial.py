"""The lesson of the page on noise on images: the dial, with everything that Python finds at each of its positions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from html import escape
from typing import Any

from pages.kit import values as page_values
from pages.kit.live_dial import DIAL, GUESSES
from pages.kit.numbers import with_no_break_spaces
from pages.kit.panel import LiveDial, Prediction, one_by_one
from pages.kit.privacy_inputs import black_or_white, guess_scale_html
from pages.kit.trials import Trials
from pages.lessons.document import Lesson, address, guess_data, guess_html, place
from pages.lessons.voting import positions
from pages.topics.images import PAGE
from pages.topics.images.answer import GROWING_NOISE, Answer, answer, growing_noise
from pages.topics.images.question import Question, level_setting
from privdemo import datasets, figures

# Coarser than in the app, as every position has pictures of its own.
STEP = 0.02
# The images that come with scikit-learn, wherever the lesson is written.
_IMAGES = {"data": "Small digits"}
# The parts of the dial's data that depend on its level.
_AT_LEVEL = ("level", "linkingHere", "guesses", "matching")


def lesson() -> Lesson:
    """Return the lesson."""
    answers = answers_along()
    first = next(i for i, one in enumerate(answers) if one.question.level == question().level)
    opened = answers[first]
    of_app = answer(opened.question, Trials())  # at the levels of the app
    asked = _prediction(of_app)
    dial = _dial(opened)
    pictures = json.loads(dial.data["pictures"]) | {"step": STEP}
    source = datasets.load(opened.question.data)
    return Lesson(
        PAGE.title,
        PAGE.question,
        "Before it is sent, each pixel of a digit is replaced by a random grey with the chance p. Somebody who already "
        f"has the original images of {opened.own_point.n_candidates} people tries to find out who sent which. How much "
        "noise hides the sender?",
        f"""{guess_html(asked)}
<div id="covered">{_strip(of_app)}</div>
<div id="shown" hidden>{place("dial", "dial")}<div id="epsilon"></div></div>""",
        {"dial": DIAL, "guesses": GUESSES},
        "image_dial.js",
        {
            "guess": guess_data(asked),
            "first": first,
            "dial": _for_browser(dial.data | {"pictures": json.dumps(pictures).encode()}),
            "levels": [_level(one) for one in answers],
            "guesses": _for_browser(dial.later() or {}),
        },
        f"The digits are from {source.source}, {source.licence}.",
    )


@cache
def question() -> Question:
    """Return the question on which the page opens, with the small digits."""
    return PAGE.question_of(page_values.from_texts(PAGE.all_settings, _IMAGES))


@cache
def answers_along() -> tuple[Answer, ...]:
    """Return the answer of the page at each position of the dial; each knows the points and guesses of all."""
    asked = question()
    setting = replace(level_setting(asked.family, asked.n_states), step=STEP)
    answers = [answer(replace(asked, level=level), Trials()) for level in positions(setting)]
    points, along = [one.own_point for one in answers], tuple(one.guesses for one in answers)
    return tuple(replace(one, points=points, along=along) for one in answers)


def _prediction(found: Answer) -> Prediction:
    """Return the guess that the page asks for, of the noise at which the sender is lost."""
    panels = one_by_one(found.lost())
    return next(panel.prediction for panel in panels if panel.prediction)


def _strip(found: Answer) -> str:
    """Return one image with more and more noise as HTML; so small ones stand apart, in the app larger ones do not."""
    columns, pictures = growing_noise(found)
    shown = "".join(
        f'<figure><figcaption>{escape(words)}</figcaption><img src="{figures.data_uri(picture)}" alt=""></figure>'
        for words, picture in zip(columns, pictures[0], strict=True)
    )
    return f'<div class="strip" role="img" aria-label="{GROWING_NOISE}">{shown}</div>'


def _dial(found: Answer) -> LiveDial:
    figure = found.main()[0].figure
    assert isinstance(figure, LiveDial)
    return figure


def _level(found: Answer) -> dict[str, Any]:
    """Return what the page says and shows at one level."""
    data, pixels = _dial(found).data, found.question.config.pixels
    return {
        "takeaway": with_no_break_spaces(found.takeaway()),
        "epsilon": guess_scale_html(pixels.epsilon, black_or_white(pixels), name="ε of one pixel"),
        "dial": _for_browser({name: data[name] for name in _AT_LEVEL}),
    }


def _for_browser(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return data of the dial with addresses for bytes, as the app gives them to it."""
    return {name: address(part) if isinstance(part, bytes) else part for name, part in data.items()}
