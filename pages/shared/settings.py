"""Settings of a page: each has a key in the URL, a range and a default; widgets are made from it.

A link with a bad value is not an error: the value is ignored and a note says so.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from pages.shared import text
from privdemo.limits import Limit

_NOTES = "link_notes"
_LATER = "assigned_later"
# What is remembered of a number: the view by which it was set, the value that it was set to, what was said lately.
_SET_BY, _HELD, _SAID = "_set_by", "_held", "_said"
# Seconds within which a widget that says again what it said before it was set from elsewhere is only late.
ECHO = 1.0


@dataclass(frozen=True)
class Number:
    """A number in the URL: `limit` is the one its computation checks as well."""

    key: str
    limit: Limit
    default: float

    def problem(self, raw: list[str]) -> str | None:
        """What is wrong with the raw URL value, as a sentence, or None."""
        try:
            if not re.fullmatch(r"[-+.0-9eE]+", raw[-1]):  # int() and float() know more spellings than a link needs
                raise ValueError(raw[-1])
            number: float = int(raw[-1]) if self.limit.integer else float(raw[-1])
            self.limit.check(number)
        except ValueError:
            kind = "a whole number " if self.limit.integer else ""
            return (
                f"{_quoted(self.key, raw)} was ignored: it must be {kind}{self.limit.range_text}. "
                f"The default, {self.default:g}, is shown."
            )
        return None


@dataclass(frozen=True)
class Choice:
    """One of (or, with `many`, at least `least` of) some options, which stand in the URL as they are.

    `notes` say more of values that are no options here. Without `in_link` it is in no link: its options may be words of
    a visitor's own.
    """

    key: str
    options: tuple[str, ...]
    default: Any
    many: bool = False
    least: int = 1
    notes: Mapping[str, str] = field(default_factory=dict)
    in_link: bool = True

    def problem(self, raw: list[str]) -> str | None:
        """What is wrong with the raw URL value, as a sentence, or None."""
        known = all(value in self.options for value in raw)
        if known and (self.least <= len(set(raw)) if self.many else len(raw) == 1):
            return None
        wanted = f"at least {self.least} of" if self.many else "one of"
        more = "".join(f" {self.notes[value]}" for value in raw if value in self.notes)
        default = f", {self.default}," if isinstance(self.default, str) else ""  # of many, too many to repeat
        start = f"{_quoted(self.key, raw)} was ignored: it must be {wanted} {_listed(self.options)}."
        return f"{start} The default{default} is shown.{more}"


@dataclass(frozen=True)
class Words:
    """A text in the URL; `check` raises ``ValueError`` with a sentence for one that means nothing."""

    key: str
    check: Callable[[str], Any]
    default: str

    def problem(self, raw: list[str]) -> str | None:
        """What is wrong with the raw URL value, as a sentence, or None."""
        try:
            self.check(raw[-1])
        except ValueError as error:
            shown = f"The default, {self.default}, is shown." if self.default else "All else is shown."
            return f"{_quoted(self.key, raw)} was ignored: {text.unmarked(str(error))}. {shown}"
        return None


Setting = Number | Choice | Words


def _listed(options: Iterable[str]) -> str:
    """“a”, “b”."""
    return ", ".join(f"“{option}”" for option in options)


def _quoted(key: str, raw: list[str] | None = None) -> str:
    """A link's words as a code span, in which no Markdown of theirs comes alive."""
    text = key if raw is None else f"{key}={', '.join(raw)}"
    plain = "".join(c if c.isprintable() and c != "`" else " " for c in text)
    return f"`{plain if len(plain) <= 60 else plain[:60] + '…'}`"


def current(choice: Choice) -> Any:
    """The choice as it will be: from the session, else from a good link, else the default."""
    if choice.key in st.session_state:
        return st.session_state[choice.key]
    raw = st.query_params.get_all(choice.key)
    if not raw or choice.problem(raw):
        return choice.default
    return tuple(raw) if choice.many else raw[0]


def check_link(settings: Iterable[Setting]) -> None:
    """Note every parameter of the link that is unknown or out of range, take it out, and keep the notes on screen.

    It runs before the widgets, which would take some bad values for good ones (a seed of 1.5 for 1).
    """
    known = {s.key: s for s in settings if not isinstance(s, Choice) or s.in_link}
    notes = st.session_state.setdefault(_NOTES, [])
    # What a widget has taken from the link is the widget's own by now.
    arrived = [key for key in st.query_params if key not in known or key not in st.session_state]
    bad = {key: _problem(key, known) for key in arrived}
    bad = {key: problem for key, problem in bad.items() if problem}
    if bad:
        for key in bad:
            del st.query_params[key]
        note(*bad.values())
    if notes:
        with st.container(key="link-notes"):
            st.warning("Part of this link could not be used.\n\n" + "\n".join(f"- {note}" for note in notes))
            st.button("Dismiss", on_click=forget_notes)


def forget_notes() -> None:
    """Take the notes on the link off the screen."""
    st.session_state.pop(_NOTES, None)


def note(*sentences: str) -> None:
    """Show from now on what of the link could not be used."""
    st.session_state.setdefault(_NOTES, []).extend(sentences)
    st.rerun()


def _problem(key: str, known: Mapping[str, Setting]) -> str | None:
    if key not in known:
        return f"{_quoted(key)} was ignored: this page has no such setting."
    return known[key].problem(st.query_params.get_all(key))


def reset(settings: Iterable[Setting]) -> None:
    """Set settings back to their defaults, which also takes them out of the URL."""
    for setting in settings:
        default = setting.default
        st.session_state[setting.key] = list(default) if isinstance(default, tuple) else default


def assign(values: Mapping[str, Any]) -> None:
    """Set numbers whose widgets may not be on screen yet, as a preset does.

    A widget takes its first value from the link or its default, and only a change after that reaches the URL. So a
    value for a widget that comes on screen with the next run is given to it in the run after (see `number`).
    """
    st.session_state.setdefault(_LATER, {}).update(values)


def keep_inside(setting: Number, name: str) -> None:
    """Bring a value from before a change of range (another data set) back inside, and say so."""
    value = st.session_state.get(setting.key)
    if value is not None and not setting.limit.contains(value):
        inside = setting.limit.nearest(value)
        st.session_state[setting.key] = inside
        st.toast(f"{name} is now {inside:.8g}, the end of its range here.")


def number(
    setting: Number,
    label: str,
    *,
    step: float,
    form: str | None = None,
    help: str | None = None,
    hide_label: bool = False,
) -> Any:
    """A number to type, bound to the URL."""
    cast = int if setting.limit.integer else float
    later = st.session_state.get(_LATER, {})
    if setting.key in later and setting.key in st.session_state:
        st.session_state[setting.key] = later.pop(setting.key)
    _follow(setting)
    value = st.number_input(
        label,
        cast(setting.limit.low),
        cast(setting.limit.high),
        cast(setting.default),
        step=cast(step),
        format=form,
        key=setting.key,
        help=help,
        label_visibility="collapsed" if hide_label else "visible",
        on_change=_set_by_itself,
        args=(setting.key,),
        bind="query-params",
    )
    if setting.key in later:
        st.rerun()
    return value


def dial(setting: Number, label: str, *, step: float, form: str | None = None, help: str | None = None) -> Any:
    """A number to slide and, under the slider, to type exactly."""
    if setting.limit.low == setting.limit.high:  # nothing to slide
        return number(setting, label, step=step, form=form, help=help)
    slider = st.container()
    value = number(setting, label, step=step, form=form, hide_label=True)
    with slider:  # above the number, but it is the number that reads the link
        slide(setting, label, step=step, form=form, help=help)
    return value


def slide(setting: Number, label: str, *, step: float, form: str | None = None, help: str | None = None) -> None:
    """A slider over the whole range of a number that is typed elsewhere."""
    cast = int if setting.limit.integer else float
    linked(
        f"{setting.key}_slide",
        setting,
        st.slider,
        lambda value: round(value, 10),  # a slider counts its steps in binary fractions
        lambda value: value,
        label=label,
        min_value=cast(setting.limit.low),
        max_value=cast(setting.limit.high),
        step=cast(step),
        format=form,
        help=help,
    )


def write(setting: Words, label: str, help: str | None = None) -> str:
    """A text to type, bound to the URL."""
    return st.text_input(label, setting.default, key=setting.key, help=help, bind="query-params")


def choose(setting: Choice, label: str, *, hide_label: bool = False) -> Any:
    """A row of options, bound to the URL; several may be chosen where the setting says `many`."""
    if setting.many:
        return tuple(
            st.pills(
                label,
                setting.options,
                selection_mode="multi",
                default=list(setting.default),
                key=setting.key,
                wrap=True,
                bind="query-params",
            )
        )
    return st.segmented_control(
        label,
        setting.options,
        default=setting.default,
        required=True,
        key=setting.key,
        label_visibility="collapsed" if hide_label else "visible",
        wrap=True,
        bind="query-params",
    )


def pick(setting: Choice, label: str) -> str:
    """One of many options in a list that opens, bound to the URL."""
    return st.selectbox(
        label,
        setting.options,
        setting.options.index(setting.default),
        key=setting.key,
        bind="query-params" if setting.in_link else None,
    )


def linked(
    key: str,
    source: Number,
    widget: Callable[..., Any],
    to_source: Callable[[float], float],
    from_source: Callable[[float], float | None],
    **options: Any,
) -> None:
    """A second view of `source`, such as its ε or a slider: either can be set, the other follows.

    `source` alone is in the URL; the view is computed from it at every run and writes back to it.
    """
    value = st.session_state.get(source.key, source.default)
    view = st.session_state.get(key)
    says_so = view is not None and math.isclose(to_source(view), value, rel_tol=1e-9, abs_tol=1e-12)
    # The view by which the source was set is left alone: writing to it would take back a key pressed in the meantime.
    # The others are written to in every run, as one that is cut short by the next key tells the browser nothing.
    if not (says_so and st.session_state.get(source.key + _SET_BY) == key):
        st.session_state[key] = from_source(value)
        _remember(key, view, st.session_state[key])

    def write_back() -> None:
        view = st.session_state[key]
        if view is None or _is_late(key, view):
            return
        before, st.session_state[source.key] = st.session_state.get(source.key, source.default), to_source(view)
        _remember(source.key, before)
        st.session_state[source.key + _SET_BY] = key
        st.session_state[source.key + _HELD] = st.session_state[source.key]

    widget(key=key, on_change=write_back, **options)


def _follow(setting: Number) -> None:
    """Tell the browser again of a number that another view has set."""
    if st.session_state.get(setting.key + _SET_BY) and setting.key in st.session_state:
        st.session_state[setting.key] = st.session_state[setting.key]


def _set_by_itself(key: str) -> None:
    """A number was typed, or its browser is late and says what it was before another view set it."""
    if not st.session_state.get(key + _SET_BY):
        return
    held = st.session_state[key + _HELD]
    if st.session_state[key] == held:
        return
    if _is_late(key, st.session_state[key]):
        st.session_state[key] = held
    else:
        st.session_state[key + _SET_BY] = None


def _remember(key: str, *values: Any) -> None:
    """Keep what a widget said until now, and was told to say, for as long as a late browser may say it."""
    now = time.monotonic()
    kept = [(old, when) for old, when in st.session_state.get(key + _SAID, []) if now < when + ECHO]
    st.session_state[key + _SAID] = [*kept, *((value, now) for value in values)]


def _is_late(key: str, value: Any) -> bool:
    """Whether a widget says what it said a moment ago, before it was set from elsewhere."""
    said = st.session_state.get(key + _SAID, [])
    return any(value == old and time.monotonic() < when + ECHO for old, when in said)
