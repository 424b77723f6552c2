"""Show a step of a lecture alone (presenter mode), or a page with only some of its controls.

Both are parameters of a link. What is not shown is hidden by style rules: it is rendered all the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.kit import lecture, link, presenter, values
from pages.kit import settings as page_settings
from pages.kit.lecture import Lecture, Step
from pages.kit.settings import Choice, Number, Setting, Words
from pages.kit.values import Values
from privdemo.toml_text import shortened
from server.streamlit_internals import switch_page

# The keys of the two parameters in an address.
PRESENT, CONTROLS = "present", "controls"
_PENDING_NAVIGATION = "on_the_way_to"
_ARRIVED = "lecture_arrived_at"


@dataclass(frozen=True)
class PageInfo:
    """A page: its `address` and `title`, its settings for given values, and the addresses of all `pages`."""

    address: str
    title: str
    settings_for: Callable[[Values], Sequence[Setting]]
    pages: Collection[str]

    @property
    def default_settings(self) -> Sequence[Setting]:
        """Return the settings with the ranges that they have for the defaults."""
        return self.settings_for(Values())


@dataclass(frozen=True)
class Position:
    """A step of a lecture: the lecture's `name` in links, and the `number` of the step, from 1."""

    lecture: Lecture
    name: str
    number: int

    @property
    def step(self) -> Step:
        """Return the step."""
        return self.lecture.steps[self.number - 1]

    @property
    def link(self) -> str:
        """Return the position as it stands in a link, such as “3-vote”."""
        return f"{self.number}-{self.name}"


def read_position(words: str) -> Position:
    """Read a position such as “3-vote”. Raise ``ValueError`` if no lecture has it."""
    number, dash, name = words.partition("-")
    if not dash or not re.fullmatch("[0-9]{1,3}", number):
        raise ValueError("it must be the number of a step, a dash, and a lecture’s name or all of it")
    of = lecture.shipped().get(name) or lecture.from_link(name)
    if not 1 <= int(number) <= len(of.steps):
        raise ValueError(f"that lecture has steps 1 to {len(of.steps)}")
    return Position(of, name, int(number))


def link_parameters(here: PageInfo) -> tuple[Words, Words]:
    """Return the parameters of a link beside the settings: a position in a lecture, and the controls to show."""
    keys = [setting.key for setting in here.default_settings]

    def position_here(words: str) -> Position:
        position = read_position(words)
        if position.step.page != here.address:
            raise ValueError("that step is on another page")
        return position

    def names(words: str) -> list[str]:
        listed = words.split(",")
        if unknown := [name for name in listed if name not in keys]:
            raise ValueError(f"this page has no setting {shortened(unknown[0])}")
        return listed

    return Words(PRESENT, position_here, ""), Words(CONTROLS, names, "")


@dataclass(frozen=True)
class View:
    """What a page shows: everything, what a `position` in a lecture shows, or all with only some `controls`."""

    position: Position | None = None
    controls: Sequence[str] | None = None

    @property
    def whole(self) -> bool:
        """Return whether everything is shown."""
        return self.position is None and self.controls is None

    def shows(self, part: str) -> bool:
        """Return whether the sentence (“takeaway”) or the figure is shown."""
        return self.position is None or part in self.position.step.show

    @property
    def usable(self) -> Sequence[str]:
        """Return the keys of the settings that can be changed."""
        if self.position:
            return [self.position.step.control] if self.position.step.control else []
        return self.controls or []


def read_view(here: PageInfo) -> View:
    """Return the view that the address asks for; invalid parameters are ignored here, and noted by the page."""
    found: dict[str, Any] = {}
    for one in link_parameters(here):
        words = link.parameters().get(one.key, [""])[-1]
        if words and not one.problem([words]):
            found[one.key] = one.parse(words)
    return View(found.get(PRESENT), found.get(CONTROLS))


def render(view: View, here: PageInfo, remark: str = "") -> None:
    """Render the style rules that hide what the view does not show and, in a lecture, the presenter component.

    The component shows the title of the page, and that of the lecture; where there is a `remark`, that in its place.
    """
    if st.context.is_embedded:
        st.html(f"<style>{_FRAMED}</style>")
    if view.whole:
        return
    st.html(f"<style>{_sheet(view, here)}</style>")
    if now := view.position:
        st.html(f"<style>{presenter.SLIDE_CSS}</style>")

        def moved(move: str) -> None:
            _move(now, move, here)

        with st.container(key="presenter-line"):
            # A screen alone has its page's title.
            titles = " · ".join(dict.fromkeys((here.title, remark or now.lecture.title)))
            presenter.mount(now.number, len(now.lecture.steps), titles, moved)


def _sheet(view: View, here: PageInfo) -> str:
    """Return the style rules that hide the controls that cannot be used, and what the step does not show."""
    usable = _widgets(view.usable)
    except_usable = (f":not({usable}):not(:has({usable}))" if usable else "") + f":not(:has({_SHOWN}))"
    rules = [
        f"{', '.join(f'.st-key-{name} > *{except_usable}' for name in _CONTROL_CONTAINERS)} {{ display: none; }}",
        _ALWAYS_HIDDEN,
    ]
    hidden = _widgets(s.key for s in here.default_settings if s.key not in view.usable)
    rules.append(f":is({hidden}):not({_SHOWN} *) {{ display: none; }}")
    rules += [f".st-key-live-{key} {{ --dial-control: initial; }}" for key in view.usable]
    if view.position:
        rules += [rule for part, rule in _PARTS.items() if not view.shows(part)]
    return "\n".join(rules)


def _widgets(keys: Iterable[str]) -> str:
    """Return a selector of the widgets of settings."""
    return ", ".join(f".st-key-{key}{end}" for key in keys for end in ("", "-number", "-boxes"))


# The keys of containers with controls.
_CONTROL_CONTAINERS = ("controls", "main-control", "main-control-fragment", "chapter-controls", "chapters")
# Containers that stay visible with the figure, such as a button that asks a class again, or boxes for a show of hands.
_SHOWN = '[class*="st-key-shown-"]'
# What is hidden on every page that does not show everything.
_ALWAYS_HIDDEN = (
    '.st-key-more, .st-key-presets, [data-testid="stPopoverBody"] { display: none; } :root { --dial-control: none; }'
)
# The rule for each part that a step does not show: a headline alone is larger.
_PARTS = {"figure": ".st-key-figure { display: none; } h1.headline { font-size: 1.8rem !important; }"}
# In a frame of another site only one page is shown, without the menu.
_FRAMED = '[data-testid="stHeader"] { display: none; } [data-testid="stMainBlockContainer"] { padding-top: 1rem; }'


def _move(now: Position, move: str, here: PageInfo) -> None:
    """Go to the next or previous step, or leave the lecture and keep the settings."""
    if move == presenter.LEAVE:
        link.set_with_history(PRESENT, "")
        return
    number = now.number + (1 if move == presenter.NEXT else -1)
    if 1 <= number <= len(now.lecture.steps):
        after = Position(now.lecture, now.name, number)
        open_step(after, here, _keys_to_keep(now.step, after.step, here))


def _keys_to_keep(before: Step, after: Step, here: PageInfo) -> set[str]:
    """Return the keys of numbers set by the audience to which two steps give the same value: they are not set again."""
    if after.page != here.address:
        return set()
    by_audience = [one for one in here.default_settings if isinstance(one, Number | Choice) and one.set_by_audience]
    keys = [setting.key for setting in by_audience]
    return {key for key in keys if before.settings.get(key) == after.settings.get(key)}


def open_step(at: Position, here: PageInfo, kept: Collection[str] = ()) -> None:
    """Open a step: its page with its settings, others at their defaults; those of the keys in `kept` stay."""
    given = {key: value for key, value in at.step.settings.items() if key not in kept}
    _navigate(at.step.page, given, here, _lecture_label(at), at, kept)


def open_file(page: str, given: Mapping[str, Any], here: PageInfo, name: str) -> None:
    """Open a `page` with the settings `given` in the file `name`, others at their defaults."""
    _navigate(page, given, here, f"the file {page_settings.as_code_span(name)}")


def _lecture_label(at: Position) -> str:
    """Return how notes call a lecture."""
    return f"the lecture {page_settings.as_code_span(at.lecture.title)}"


def _navigate(
    page: str,
    given: Mapping[str, Any],
    here: PageInfo,
    of: str,
    at: Position | None = None,
    kept: Collection[str] = (),
) -> None:
    """Set the settings of this page at once; for another page, remember them until it is shown."""
    if page not in here.pages:
        link.set_notes(f"{page_settings.as_code_span(page)} was ignored: there is no such page.", of=of)
    elif page != here.address:
        st.session_state[_PENDING_NAVIGATION] = page, given, of, at
    else:
        _reset_and_apply(given, here, of, kept)
        if at:
            link.set_with_history(PRESENT, at.link)


def finish_navigation(here: PageInfo) -> None:
    """Switch to the page that a lecture or a file opens; once it is shown, set its settings."""
    if not (pending := st.session_state.get(_PENDING_NAVIGATION)):
        _apply_linked_step(here)
        return
    page, given, of, at = pending
    if page != here.address:
        switch_page(link.page_at(page))
    del st.session_state[_PENDING_NAVIGATION]
    _reset_and_apply(given, here, of)
    if at:
        link.set_unsent(PRESENT, at.link)  # the page has an entry in the history already


def _apply_linked_step(here: PageInfo) -> None:
    """Once per visit: set those settings of a step that its link does not hold."""
    if st.session_state.get(_ARRIVED):
        return
    st.session_state[_ARRIVED] = True
    if at := read_view(here).position:
        given = {key: raw for key, raw in at.step.settings.items() if key not in link.parameters()}
        _apply(given, here, _lecture_label(at))


def _reset_and_apply(given: Mapping[str, Any], here: PageInfo, of: str, kept: Collection[str] = ()) -> None:
    """Reset the settings of a page but those of the keys in `kept`, set the `given` ones, and note the invalid ones."""
    values.reset([setting for setting in here.settings_for(values.here()) if setting.key not in kept])
    _apply(given, here, of)


def _apply(given: Mapping[str, Any], here: PageInfo, of: str) -> None:
    """Set the valid settings `of` a file or a lecture, and note the others."""
    values.set_from_texts(here.settings_for, given)
    texts = {key: list(value) if isinstance(value, tuple) else [value] for key, value in given.items()}
    bad = page_settings.problems(here.settings_for(values.here()), texts)
    link.set_notes(*bad.values(), of=of)
