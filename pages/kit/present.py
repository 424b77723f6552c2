"""Presenter mode, a step of a lecture and nothing else on screen; and pages of which a link leaves some controls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.kit import lecture, link, presenter
from pages.kit import settings as page_settings
from pages.kit.lecture import Lecture, Step
from pages.kit.settings import Setting, Words

_GO = "lecture_goes_to"


@dataclass(frozen=True)
class Place:
    """A place in a lecture: its `name` in links, and the `number` of the step, from 1."""

    lecture: Lecture
    name: str
    number: int

    @property
    def step(self) -> Step:
        """The step itself."""
        return self.lecture.steps[self.number - 1]

    @property
    def link(self) -> str:
        """The place as a link names it."""
        return f"{self.number}-{self.name}"

    @property
    def address(self) -> dict[str, Any]:
        """The settings of the step's link, its place in the lecture among them."""
        given = {key: list(v) if isinstance(v, tuple) else v for key, v in self.step.settings.items()}
        return given | {PRESENT.key: self.link}


def place(words: str) -> Place:
    """Read a place such as “3-vote”. Raises ``ValueError`` for one that is in no lecture."""
    number, dash, name = words.partition("-")
    if not dash or not number.isdecimal():
        raise ValueError("it must be the number of a step, a dash, and a lecture’s name or all of it")
    of = lecture.shipped().get(name) or lecture.from_link(name)
    if not 1 <= int(number) <= len(of.steps):
        raise ValueError(f"that lecture has steps 1 to {len(of.steps)}")
    return Place(of, name, int(number))


def _names(words: str) -> list[str]:
    names = words.split(",")
    if not all(name.isidentifier() for name in names):
        raise ValueError("it must be names of settings as links have them, with commas")
    return names


PRESENT = Words("present", place, "")
CONTROLS = Words("controls", _names, "")
# What a link may ask of any page, beside its settings.
SETTINGS = (PRESENT, CONTROLS)


@dataclass(frozen=True)
class View:
    """What is to be seen of a page: all, or what a `place` in a lecture shows, or all with only some `controls`."""

    place: Place | None = None
    controls: tuple[str, ...] | None = None

    @property
    def whole(self) -> bool:
        """Whether nothing is hidden."""
        return self.place is None and self.controls is None

    def shows(self, part: str) -> bool:
        """Whether the sentence (“takeaway”) or the figure is to be seen."""
        return self.place is None or part in self.place.step.show

    @property
    def left(self) -> tuple[str, ...]:
        """The keys of the settings that can be set."""
        if self.place:
            return (self.place.step.control,) if self.place.step.control else ()
        return self.controls or ()


def view(address: str) -> View:
    """What the link asks to see of the page of an address."""
    words, names = (st.query_params.get(setting.key) for setting in SETTINGS)
    if words and not PRESENT.problem([words]) and (found := place(words)).step.page == address:
        return View(found)
    return View(controls=tuple(_names(names))) if names and not CONTROLS.problem([names]) else View()


def draw(seen: View, address: str, settings: Sequence[Setting]) -> None:
    """Hide what is not to be seen, and listen to a lecture’s keys; `settings` are the page’s, as reset leaves them."""
    if seen.whole:
        return
    st.html(f"<style>{_sheet(seen)}</style>")
    if now := seen.place:

        def moved(move: str) -> None:
            _move(now, move, address, settings)

        with st.container(key="presenter-line"):
            presenter.mount(now.number, len(now.lecture.steps), now.lecture.title, moved)


def _sheet(seen: View) -> str:
    """The style rules that hide all controls but those that are left, and in a lecture what its step does not show."""
    left = ", ".join(f".st-key-{key}{end}" for key in seen.left for end in ("", "_slide", "_ladder"))
    kept = f":not({left}):not(:has({left}))" if left else ""
    rules = [f"{', '.join(f'.st-key-{place} > *{kept}' for place in _CONTROLS)} {{ display: none; }}", _NEVER]
    if not left:
        rules.append(":root { --dial-control: none; }")
    if seen.place:
        rules += [rule for part, rule in _PARTS.items() if not seen.shows(part)]
    return "\n".join(rules)


# Where controls stand, and what a page with only some of them does not have.
_CONTROLS = ("controls", "lever", "pulled", "chapter-controls", "chapters")
_NEVER = ".st-key-more, .st-key-presets { display: none; }"
_PARTS = {
    "takeaway": ".takeaway { display: none; }",
    "figure": ".st-key-figure { display: none; }",
}


def _move(now: Place, move: str, address: str, settings: Sequence[Setting]) -> None:
    """Go to the next or previous step, or leave the lecture and keep the settings."""
    if move == presenter.LEAVE:
        if PRESENT.key in st.query_params:
            del st.query_params[PRESENT.key]
        return
    number = now.number + (1 if move == presenter.NEXT else -1)
    if not 1 <= number <= len(now.lecture.steps):
        return
    after = Place(now.lecture, now.name, number)
    open_at(after.step.page, after.step.settings, address, settings, after)


def open_at(
    page: str, given: Mapping[str, Any], address: str, settings: Sequence[Setting], at: Place | None = None
) -> None:
    """Open a `page` with the settings `given`; `address` and `settings` are those of the page on screen.

    On the page on screen the settings are set; another page takes them from its address, with the next run.
    """
    if page != address:
        more = {PRESENT.key: at.link} if at else {}
        st.session_state[_GO] = page, {k: list(v) if isinstance(v, tuple) else v for k, v in given.items()} | more
        return
    texts = {key: list(value) if isinstance(value, tuple) else [value] for key, value in given.items()}
    bad = page_settings.problems(settings, texts)
    link.reset(settings)
    link.take(settings, {key: value for key, value in given.items() if key not in bad})
    link.remark(*bad.values())
    if at:
        st.query_params[PRESENT.key] = at.link


def go_on() -> None:
    """Go to the page that a lecture or a file has asked for."""
    if asked := st.session_state.pop(_GO, None):
        address, given = asked
        st.switch_page(link.page_at(address), query_params=given)
