"""Presenter mode, a step of a lecture and nothing else on screen; and pages of which a link leaves some controls."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.kit import lecture, link, presenter
from pages.kit import settings as page_settings
from pages.kit.lecture import Lecture, Step
from pages.kit.settings import Number, Setting, Words
from privdemo.toml_text import shortened
from server.streamlit_internals import remove_from_address

# The keys of both in an address.
PRESENT, CONTROLS = "present", "controls"
_PENDING_NAVIGATION = "on_the_way_to"
_ARRIVED = "lecture_arrived_at"


@dataclass(frozen=True)
class PageInfo:
    """The page on screen: its `address` and `title`, its `settings` as reset leaves them, and all `pages` there are."""

    address: str
    title: str
    settings: Sequence[Setting]
    pages: Collection[str]


@dataclass(frozen=True)
class Position:
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


def read_position(words: str) -> Position:
    """Read a place such as “3-vote”. Raises ``ValueError`` for one that is in no lecture."""
    number, dash, name = words.partition("-")
    if not dash or not re.fullmatch("[0-9]{1,3}", number):
        raise ValueError("it must be the number of a step, a dash, and a lecture’s name or all of it")
    of = lecture.shipped().get(name) or lecture.from_link(name)
    if not 1 <= int(number) <= len(of.steps):
        raise ValueError(f"that lecture has steps 1 to {len(of.steps)}")
    return Position(of, name, int(number))


def link_parameters(here: PageInfo) -> tuple[Words, Words]:
    """What a link may ask of a page beside its settings: a place in a lecture, and which controls to leave."""
    keys = [setting.key for setting in here.settings]

    def its_place(words: str) -> Position:
        found = read_position(words)
        if found.step.page != here.address:
            raise ValueError("that step is on another page")
        return found

    def names(words: str) -> list[str]:
        found = words.split(",")
        if unknown := [name for name in found if name not in keys]:
            raise ValueError(f"this page has no setting {shortened(unknown[0])}")
        return found

    return Words(PRESENT, its_place, ""), Words(CONTROLS, names, "")


@dataclass(frozen=True)
class View:
    """What is to be seen of a page: all, or what a `position` in a lecture shows, or all with only some `controls`."""

    position: Position | None = None
    controls: Sequence[str] | None = None

    @property
    def whole(self) -> bool:
        """Whether nothing is hidden."""
        return self.position is None and self.controls is None

    def shows(self, part: str) -> bool:
        """Whether the sentence (“takeaway”) or the figure is to be seen."""
        return self.position is None or part in self.position.step.show

    def title(self, question: str) -> str:
        """What is large over a page of this `question`."""
        return (self.position and self.position.step.say) or question

    @property
    def left(self) -> Sequence[str]:
        """The keys of the settings that can be set."""
        if self.position:
            return [self.position.step.control] if self.position.step.control else []
        return self.controls or []


def read_view(here: PageInfo) -> View:
    """What the link asks to see of a page; what it asks wrongly is not heeded."""
    found: dict[str, Any] = {}
    for one in link_parameters(here):
        words = st.query_params.get(one.key)
        if words and not one.problem([words]):
            found[one.key] = one.check(words)
    return View(found.get(PRESENT), found.get(CONTROLS))


def render(seen: View, here: PageInfo) -> None:
    """Hide what is not to be seen, and listen to a lecture’s keys."""
    if st.context.is_embedded:
        st.html(f"<style>{_FRAMED}</style>")
    if seen.whole:
        return
    st.html(f"<style>{_sheet(seen, here)}</style>")
    if now := seen.position:

        def moved(move: str) -> None:
            _move(now, move, here)

        with st.container(key="presenter-line"):
            titles = " · ".join(dict.fromkeys((here.title, now.lecture.title)))  # a screen alone has its page's
            presenter.mount(now.number, len(now.lecture.steps), titles, moved)


def _sheet(seen: View, here: PageInfo) -> str:
    """The style rules that hide all controls but those that are left, and in a lecture what its step does not show."""
    left = _widgets(seen.left)
    kept = (f":not({left}):not(:has({left}))" if left else "") + f":not(:has({_SHOWN}))"
    rules = [f"{', '.join(f'.st-key-{place} > *{kept}' for place in _CONTROLS)} {{ display: none; }}", _NEVER]
    hidden = _widgets(s.key for s in here.settings if s.key not in seen.left)
    rules.append(f":is({hidden}):not({_SHOWN} *) {{ display: none; }}")
    rules += [f".st-key-live-{key} {{ --dial-control: initial; }}" for key in seen.left]
    if seen.position:
        rules += [rule for part, rule in _PARTS.items() if not seen.shows(part)]
        rules += [_OWN_QUESTION] if seen.position.step.say else []
        rules.append(_headline(seen.position.step.say))
    return "\n".join(rules)


def _headline(words: str) -> str:
    """The style rule of a headline that is smaller where it is long, and leaves what stands under it less room."""
    size = presenter.headline_size(words)
    return f":root {{ --headline: {size}rem; --long-headline: {presenter.extra_headline_height(words)}rem; }}"


def _widgets(keys: Iterable[str]) -> str:
    """A selector of all widgets of settings."""
    return ", ".join(f".st-key-{key}{end}" for key in keys for end in ("", "_slide", "_ladder"))


# Where controls stand, and what a page with only some of them does not have.
_CONTROLS = ("controls", "main-control", "main-control-fragment", "chapter-controls", "chapters")
# What is part of what is shown, such as a button that asks a class again, or boxes for what the room says.
_SHOWN = '[class*="st-key-shown-"]'
_NEVER = (
    '.st-key-more, .st-key-presets, [data-testid="stPopoverBody"] { display: none; } :root { --dial-control: none; }'
)
# What a number of a control means is said in words, as the takeaway is; alone, these are written large.
_PARTS = {
    "takeaway": ".takeaway, .epsilon { display: none; }",
    "figure": ".st-key-figure { display: none; } .takeaway { font-size: 1.8rem !important; }",
}
# In a frame of another page there is one page alone.
_FRAMED = '[data-testid="stHeader"] { display: none; } [data-testid="stMainBlockContainer"] { padding-top: 1rem; }'
# The sentence of the step stands for the question of the chapter.
_OWN_QUESTION = "h2.chapter { display: none; }"


def _move(now: Position, move: str, here: PageInfo) -> None:
    """Go to the next or previous step, or leave the lecture and keep the settings."""
    if move == presenter.LEAVE:
        if PRESENT in st.query_params:
            del st.query_params[PRESENT]
        return
    number = now.number + (1 if move == presenter.NEXT else -1)
    if 1 <= number <= len(now.lecture.steps):
        after = Position(now.lecture, now.name, number)
        open_step(after, here, _keys_to_keep(now.step, after.step, here))


def _keys_to_keep(before: Step, after: Step, here: PageInfo) -> set[str]:
    """Return the keys set by the audience: they keep their values where two steps give them the same one."""
    if after.page != here.address:
        return set()
    keys = [setting.key for setting in here.settings if isinstance(setting, Number) and setting.set_by_audience]
    return {key for key in keys if before.settings.get(key) == after.settings.get(key)}


def open_step(at: Position, here: PageInfo, kept: Collection[str] = ()) -> None:
    """Open a place in a lecture: its page with its settings, all others as reset leaves them, but for those `kept`."""
    given = {key: value for key, value in at.step.settings.items() if key not in kept}
    others = [setting for setting in here.settings if setting.key not in kept]
    _navigate(at.step.page, given, replace(here, settings=others), _lecture_label(at), at)


def open_file(page: str, given: Mapping[str, Any], here: PageInfo, name: str) -> None:
    """Open a `page` with the settings `given` in the file of this name, all others as reset leaves them."""
    _navigate(page, given, here, f"the file {page_settings.as_code_span(name)}")


def _lecture_label(at: Position) -> str:
    """How a note calls a lecture."""
    return f"the lecture {page_settings.as_code_span(at.lecture.title)}"


def _navigate(page: str, given: Mapping[str, Any], here: PageInfo, of: str, at: Position | None = None) -> None:
    """Set the page that is `here` at once; another page is set when it is on screen. Notes are `of` this."""
    if page not in here.pages:
        link.set_notes(f"{page_settings.as_code_span(page)} was ignored: there is no such page.", of=of)
    elif page != here.address:
        st.session_state[_PENDING_NAVIGATION] = page, given, of, at
    else:
        _reset_and_apply(given, here.settings, of, at)


def finish_navigation(here: PageInfo) -> None:
    """Go to the page that a lecture or a file has asked for, and once there set it as asked."""
    if not (pending := st.session_state.get(_PENDING_NAVIGATION)):
        _apply_linked_step(here)
        return
    page, given, of, at = pending
    if page != here.address:
        address = {key: list(value) if isinstance(value, tuple) else value for key, value in given.items()}
        st.switch_page(link.page_at(page), query_params=address | ({PRESENT: at.link} if at else {}))
    del st.session_state[_PENDING_NAVIGATION]
    link.enter_page(here.address)  # what is noted from here on is of this page
    _reset_and_apply(given, here.settings, of, at)


def _apply_linked_step(here: PageInfo) -> None:
    """Once a visit: set what a link to a step of a lecture leaves out of the step's settings."""
    if st.session_state.get(_ARRIVED):
        return
    st.session_state[_ARRIVED] = True
    if at := read_view(here).position:
        link.enter_page(here.address)
        given = {key: raw for key, raw in at.step.settings.items() if key not in st.query_params}
        _apply(given, here.settings, _lecture_label(at))


def _reset_and_apply(given: Mapping[str, Any], settings: Sequence[Setting], of: str, at: Position | None) -> None:
    """Set a page's settings, and note which of those `given` are not good."""
    link.reset(settings)
    _apply(given, settings, of)
    if at:
        st.query_params[PRESENT] = at.link


def _apply(given: Mapping[str, Any], settings: Sequence[Setting], of: str) -> None:
    """Take good values `of` a file or a lecture, and note which are not."""
    texts = {key: list(value) if isinstance(value, tuple) else [value] for key, value in given.items()}
    bad = page_settings.problems(settings, texts)
    if there := [key for key in bad if key in st.query_params]:
        remove_from_address(there)
    link.set_from_texts(settings, {key: value for key, value in given.items() if key not in bad})
    link.set_notes(*bad.values(), of=of)
