"""The lesson of the home page: the reader's own secret, which stays in the browser."""

from __future__ import annotations

from pages.kit.panel import Component
from pages.kit.privacy_inputs import People, answer_scale_html
from pages.lessons.document import Lesson, place
from pages.topics.home import PAGE
from pages.topics.home.question import LIE
from pages.topics.home.secret import panel
from privdemo.mechanisms import BinaryChannel

# A lesson has no ways into the app that could be gone on to.
_WITHOUT_DOORS = ".skip-story, .on { display: none; }"


def lesson() -> Lesson:
    """Return the lesson."""
    story = panel().figure
    assert isinstance(story, Component)
    return Lesson(
        PAGE.chapters.all[0].name,
        PAGE.question,
        "A spinning wheel changes some answers by chance before anybody sees them: no single answer gives anyone away, "
        "yet the total can be worked out. Try it.",
        f"""{place("secret", "secret")}
<div id="epsilon">{answer_scale_html(BinaryChannel(LIE, LIE), People())}</div>""",
        {"secret": {"html": story.html, "css": story.css + _WITHOUT_DOORS, "js": story.js}},
        "own_secret.js",
        {"secret": story.data},
    )
