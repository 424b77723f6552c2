"""Render widgets that show the values of settings, and set them when a visitor changes one.

Within a hidden container (`is_hidden()`) they return the value and render nothing, which saves nine tenths of the time.
"""

from __future__ import annotations

from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import number_control, values
from pages.kit.number_control import OtherUnit, Part, Slider
from pages.kit.settings import Choice, Number, Words
from server.streamlit_internals import hidden_container, is_hidden

# The key of the expander with the settings; its value is True while it is open.
SETTINGS = "settings"


def settings(folded: bool) -> DeltaGenerator:
    """Return the container for a page's settings: an expander, or a plain container where only some settings are shown.

    While the expander is closed, the container is hidden: rendering its widgets would take half of the time of a page.
    """
    if not folded:
        return st.container(key=SETTINGS)
    fold = st.expander("Settings", key=SETTINGS, icon=":material/tune:", on_change="rerun")
    return fold if fold.open else hidden_container()


def container_if(key: str, wanted: bool) -> DeltaGenerator:
    """Return a visible container if it is `wanted`, else a hidden one."""
    return st.container(key=key) if wanted else hidden_container()


def number(
    setting: Number,
    label: str | None = None,
    *,
    slider: Slider | None = None,
    other: OtherUnit | None = None,
    part: Part = "all",
) -> Any:
    """Render the control of a number, or a part of it, and return the number; `label` stands above its box."""
    if not is_hidden():
        number_control.render(setting, label or setting.label, slider, other, part)
    return values.get(setting)


def slider_and_box(
    setting: Number, label: str | None = None, ends: tuple[str, str] | None = None, *, largest_left: bool = False
) -> Any:
    """Render a slider over the whole range of a number and a box to type it exactly; return the number."""
    name = label or setting.label
    return number(setting, name, slider=Slider(name, ends, largest_left=largest_left))


def text_input(setting: Words, label: str | None = None) -> str:
    """Render a box for a line of text, and return the text."""
    if not is_hidden():
        st.text_input(label or setting.label, help=setting.help, **values.widget_arguments(setting, "value"))
    return str(values.get(setting))


def choose(setting: Choice, label: str | None = None, *, hide_label: bool = False) -> Any:
    """Render a row of options; return the chosen one, or a tuple where the setting allows `many`."""
    if not is_hidden():
        _render_options(setting, label or setting.label, hide_label)
    return values.get(setting)


def _render_options(setting: Choice, label: str, hide_label: bool) -> None:
    shown = values.widget_arguments(setting)
    if setting.many:
        st.pills(label, setting.options, selection_mode="multi", format_func=setting.on_screen, wrap=True, **shown)
        return
    visibility: Literal["collapsed", "visible"] = "collapsed" if hide_label else "visible"
    shown |= {"format_func": setting.on_screen, "label_visibility": visibility}
    st.segmented_control(label, setting.options, required=True, wrap=True, **shown)


def choose_in_line(setting: Choice) -> Any:
    """Render a row of options beside its label, and return the chosen one."""
    with st.container(horizontal=True, key="in-line"):
        return choose(setting)


def choose_from_list(setting: Choice, label: str | None = None) -> str:
    """Render a drop-down list, and return the chosen option."""
    if not is_hidden():
        arguments = values.widget_arguments(setting, "index")
        st.selectbox(label or setting.label, setting.options, format_func=setting.on_screen, **arguments)
    return str(values.get(setting))


def row(name: str) -> DeltaGenerator:
    """Return a container for a control and the words on what its number means: on one line where both fit."""
    return st.container(key=f"row-{name}")


def side_by_side(name: str) -> DeltaGenerator:
    """Return a container that places two numbers on one line."""
    return st.container(horizontal=True, key=f"pair-{name}")
