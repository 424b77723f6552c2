"""Widgets made from settings, bound to the address.

A setting that is drawn `nowhere` is no widget: it keeps its value, and its place in the address, at little cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import link, linked
from pages.kit.settings import Choice, Number, Words
from server.streamlit_internals import hidden_container, is_hidden

# The key of the folded settings, which is true while they are open.
SETTINGS = "settings"


def settings(folded: bool) -> DeltaGenerator:
    """The place of a page's settings: folded, but for a link that leaves only some of them.

    They are drawn once they are unfolded: folded away they would be half of what a page costs.
    """
    if not folded:
        return st.container(key=SETTINGS)
    fold = st.expander("Settings", key=SETTINGS, icon=":material/tune:", on_change="rerun")
    return fold if fold.open else hidden_container()


def container_if(key: str, wanted: bool) -> DeltaGenerator:
    """A place on the screen where it is `wanted`, else nowhere."""
    return st.container(key=key) if wanted else hidden_container()


def number(setting: Number, label: str | None = None, *, hide_label: bool = False) -> Any:
    """Render a box for a number to type, and return the number."""
    cast = int if setting.limit.integer else float
    if is_hidden():
        return cast(link.keep_hidden(setting))
    later = st.session_state.get(link.PENDING_NUMBERS, {})
    if setting.key in later and setting.key in st.session_state:
        linked.set_from_other_widget(st.session_state, setting.key, later.pop(setting.key))
    linked.resend_pending(st.session_state, setting.key)
    value = st.number_input(
        label or setting.label,
        cast(setting.limit.low),
        cast(setting.limit.high),
        cast(setting.default),
        step=cast(setting.step),
        format=setting.form,
        key=setting.key,
        help=setting.help,
        label_visibility="collapsed" if hide_label else "visible",
        on_change=linked.accept_typed,
        args=(st.session_state, setting.key),
        bind="query-params",
    )
    if linked.must_rewrite_address(st.session_state, setting.key):
        link.rewrite_in_address(setting)
    if setting.key in later:
        st.rerun()
    return value


def slider_and_box(setting: Number, label: str | None = None) -> Any:
    """Render a slider and, under it, a box to type the number exactly; return the number."""
    if setting.limit.low == setting.limit.high:  # nothing to slide
        return number(setting, label)
    slider = st.container()
    value = number(setting, label, hide_label=True)
    with slider:  # above the box, but it is the box that reads the link
        number_slider(setting, label, form=setting.form, help=setting.help)
    return value


def number_slider(
    setting: Number, label: str | None = None, *, form: str | None = None, help: str | None = None
) -> None:
    """Render a slider over the whole range of a number that is typed elsewhere."""
    cast = int if setting.limit.integer else float
    second_widget(
        f"{setting.key}_slide",
        setting,
        st.slider,
        lambda value: round(value, 10),  # a slider counts its steps in binary fractions
        lambda value: value,
        label=label or setting.label,
        min_value=cast(setting.limit.low),
        max_value=cast(setting.limit.high),
        step=cast(setting.step),
        format=form,
        help=help,
    )


def second_widget(
    key: str,
    source: Number,
    widget: Callable[..., Any],
    to_source: Callable[[float], float],
    from_source: Callable[[float], float | None],
    *,
    last: bool = True,
    **options: Any,
) -> None:
    """Render a second widget of the number `source`; after the `last` one, render the acknowledgement."""
    if is_hidden():
        return
    second = linked.LinkedWidget(key, source, to_source, from_source, st.session_state)
    widget(value=second.prepare(), key=key, on_change=second.write_back, **options)
    if last:
        acknowledgement(source)


def acknowledgement(source: Number) -> None:
    """Draw, after all widgets of a number, what nobody sees: it says how much of it the browser has heard."""
    if is_hidden():
        return
    st.number_input("heard", min_value=0, key=linked.prepare_acknowledgement(st.session_state, source.key))


def text_input(setting: Words, label: str | None = None) -> str:
    """Render a line for a text, and return the text."""
    if is_hidden():
        return str(link.keep_hidden(setting))
    words = label or setting.label
    return st.text_input(words, setting.default, key=setting.key, help=setting.help, bind="query-params")


def choose(setting: Choice, label: str | None = None, *, hide_label: bool = False) -> Any:
    """Render a row of options and return the chosen one, or a tuple where the setting allows `many`."""
    if is_hidden():
        return link.keep_hidden(setting)
    if setting.many:
        return tuple(
            st.pills(
                label or setting.label,
                setting.options,
                selection_mode="multi",
                default=list(setting.default),
                key=setting.key,
                wrap=True,
                bind="query-params" if setting.in_link else None,
            )
        )
    return st.segmented_control(
        label or setting.label,
        setting.options,
        default=setting.default,
        required=True,
        key=setting.key,
        label_visibility="collapsed" if hide_label else "visible",
        wrap=True,
        bind="query-params",
    )


def choose_in_line(setting: Choice) -> Any:
    """Render a row of options beside its label and return the chosen one."""
    with st.container(horizontal=True, key="in-line"):
        return choose(setting)


def choose_from_list(setting: Choice, label: str | None = None) -> str:
    """Render a list that opens, and return the one option picked."""
    if is_hidden():
        return str(link.keep_hidden(setting))
    return st.selectbox(
        label or setting.label,
        setting.options,
        setting.options.index(setting.default),
        key=setting.key,
        bind="query-params" if setting.in_link else None,
    )


def clamp(setting: Number, name: str) -> None:
    """Bring a value from before a change of range (another data set) back inside, and say so."""
    value = st.session_state.get(setting.key)
    if value is not None and not setting.limit.contains(value):
        inside = setting.limit.nearest(value)
        st.session_state[setting.key] = inside
        st.toast(f"{name} is now {inside:.8g}, the end of its range here.")


@contextmanager
def slider_row(name: str) -> Iterator[tuple[DeltaGenerator, DeltaGenerator]]:
    """Places for a slider and for two linked numbers to type; what they mean may follow, in a line if there is room.

    The boxes read the link, so draw them first; the slider stands before them.
    """
    with st.container(key=f"row-{name}"):
        yield st.container(), side_by_side(name)


def side_by_side(name: str) -> DeltaGenerator:
    """A place for two linked numbers on one line."""
    return st.container(horizontal=True, key=f"pair-{name}")
