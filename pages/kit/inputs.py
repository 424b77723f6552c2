"""Render widgets for settings, bound to the address.

In a hidden container (`is_hidden()`) no widget is rendered: the setting keeps its value and its place in the address,
which costs a tenth of the time.
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

# The key of the expander with the settings; its value is True while it is open.
SETTINGS = "settings"


def settings(folded: bool) -> DeltaGenerator:
    """Return the container for a page's settings: an expander, or a plain container where only some settings are shown.

    While the expander is closed, the container is hidden, as its widgets would be half of the cost of a page.
    """
    if not folded:
        return st.container(key=SETTINGS)
    fold = st.expander("Settings", key=SETTINGS, icon=":material/tune:", on_change="rerun")
    return fold if fold.open else hidden_container()


def container_if(key: str, wanted: bool) -> DeltaGenerator:
    """Return a visible container if it is `wanted`, else a hidden one."""
    return st.container(key=key) if wanted else hidden_container()


def number(setting: Number, label: str | None = None, *, hide_label: bool = False) -> Any:
    """Render a box for a number to type, and return the number."""
    cast = int if setting.limit.integer else float
    if is_hidden():
        return cast(link.keep_hidden(setting))
    pending = st.session_state.get(link.PENDING_NUMBERS, {})
    if setting.key in pending and setting.key in st.session_state:
        linked.set_from_other_widget(st.session_state, setting.key, pending.pop(setting.key))
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
    if setting.key in pending:
        st.rerun()
    return value


def slider_and_box(setting: Number, label: str | None = None) -> Any:
    """Render a slider and, under it, a box to type the number exactly; return the number."""
    if setting.limit.low == setting.limit.high:  # a slider would have one position
        return number(setting, label)
    slider = st.container()
    value = number(setting, label, hide_label=True)
    with slider:  # rendered last although it is above: the box reads the link
        number_slider(setting, label, form=setting.form, help=setting.help)
    return value


def number_slider(
    setting: Number, label: str | None = None, *, form: str | None = None, help: str | None = None
) -> None:
    """Render a slider over the whole range of a number whose box is rendered elsewhere."""
    cast = int if setting.limit.integer else float
    second_widget(
        f"{setting.key}_slide",
        setting,
        st.slider,
        lambda value: round(value, 10),  # a slider adds up its steps in binary fractions
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
    """Render a second widget of the number `source`, whose values are converted by `to_source` and `from_source`.

    The `last` one of a number is followed by its acknowledgement (see `linked`).
    """
    if is_hidden():
        return
    second = linked.LinkedWidget(key, source, to_source, from_source, st.session_state)
    widget(value=second.prepare(), key=key, on_change=second.write_back, **options)
    if last:
        acknowledgement(source)


def acknowledgement(source: Number) -> None:
    """Render, after all widgets of a number, the hidden input that the `linked` module counts up."""
    if is_hidden():
        return
    st.number_input("heard", min_value=0, key=linked.prepare_acknowledgement(st.session_state, source.key))


def text_input(setting: Words, label: str | None = None) -> str:
    """Render a box for a line of text, and return the text."""
    if is_hidden():
        return str(link.keep_hidden(setting))
    words = label or setting.label
    return st.text_input(words, setting.default, key=setting.key, help=setting.help, bind="query-params")


def choose(setting: Choice, label: str | None = None, *, hide_label: bool = False) -> Any:
    """Render a row of options; return the chosen one, or a tuple where the setting allows `many`."""
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
    """Render a row of options beside its label, and return the chosen one."""
    with st.container(horizontal=True, key="in-line"):
        return choose(setting)


def choose_from_list(setting: Choice, label: str | None = None) -> str:
    """Render a drop-down list, and return the chosen option."""
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
    """Move a value that is outside the range of this data set to the nearest end, and show a message."""
    value = st.session_state.get(setting.key)
    if value is not None and not setting.limit.contains(value):
        inside = setting.limit.nearest(value)
        st.session_state[setting.key] = inside
        st.toast(f"{name} is now {inside:.8g}, the end of its range here.")


@contextmanager
def slider_row(name: str) -> Iterator[tuple[DeltaGenerator, DeltaGenerator]]:
    """Yield containers for a slider and two linked boxes below it; what is rendered next stands beside if it fits.

    Render the boxes first, although they are below: they read the link.
    """
    with st.container(key=f"row-{name}"):
        yield st.container(), side_by_side(name)


def side_by_side(name: str) -> DeltaGenerator:
    """Return a container that places two linked numbers on one line."""
    return st.container(horizontal=True, key=f"pair-{name}")
