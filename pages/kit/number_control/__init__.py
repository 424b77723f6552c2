"""Define the control of one number: a slider, a box to type it, and a box for it in another unit, such as its ε.

The control keeps its own state in the browser, and sends each change with a count. The server sends the count of the last
change that it has received with the value, so that the control does not go back to a value from before a later change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from pages.kit import values, watching
from pages.kit.settings import Number
from server.streamlit_internals import is_hidden

_HERE = Path(__file__).parent


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


_control = st.components.v2.component(
    "privdemo_number", html=_read("control.html"), css=_read("control.css"), js=_read("control.js")
)
# The most that a number of a browser may be off by to be the one shown: its box shows eight digits.
_LARGEST = 1e15


@dataclass(frozen=True)
class Slider:
    """The slider of a number, over its whole range or over `stops`; `ends` are words for its first and last position.

    With `percent` the chosen number stands beside it in percent. With `live`, what is on the page follows it while it is
    dragged: the page hears of each position by an event of the document, `privdemo-number`.
    """

    ends: tuple[str, str] | None = None
    stops: tuple[float, ...] = ()
    percent: bool = False
    live: bool = False


@dataclass(frozen=True)
class OtherUnit:
    """Another way to write a number, such as the ε of a lie: `key` and `label` of its box, and how to convert.

    `from_number` returns None where the box is empty, with `placeholder`; `to_number` returns a number within its limit.
    """

    key: str
    label: str
    to_number: Callable[[float], float]
    from_number: Callable[[float], float | None]
    low: float
    high: float
    step: float
    help: str
    placeholder: str = ""


def render(
    setting: Number,
    label: str,
    *,
    slider: Slider | None = None,
    box_label: str = "",
    other: OtherUnit | None = None,
) -> Any:
    """Render the control of a number, and return the number.

    With a `slider`, `label` stands above it and `box_label` above the box; else `label` stands above the box.
    """
    if is_hidden():
        return values.get(setting)
    if st.session_state.get(watching.NO_BROWSER):
        return _plain_boxes(setting, box_label or label, other)
    value, limit = values.get(setting), setting.limit
    key = f"{setting.key}-number"

    def changed() -> None:
        _put_change(st.session_state[key].get("changed"), setting, other)

    data = {
        "key": setting.key,
        "label": label,
        "boxLabel": box_label or label,
        "showBoxLabel": bool(box_label) or slider is None,
        "help": setting.help or "",
        "low": limit.low,
        "high": limit.high,
        "range": limit.range_text,
        "integer": limit.integer,
        "step": setting.step,
        "value": value,
        "text": _text(value),
        "count": st.session_state.get(_count_key(setting), 0),
        "slider": slider and _slider_data(slider, value, limit.low, limit.high),
        "other": other and _other_data(other, value),
    }
    _control(key=key, data=data, on_changed_change=changed)
    return values.get(setting)


def _slider_data(slider: Slider, value: float, low: float, high: float) -> dict[str, Any] | None:
    """Return what the browser needs of a slider; None where it would have one position."""
    if low == high:
        return None
    stops = slider.stops and sorted({*(stop for stop in slider.stops if low <= stop <= high), value})
    return {"ends": slider.ends, "stops": stops or None, "percent": slider.percent, "live": slider.live}


def _other_data(other: OtherUnit, value: float) -> dict[str, Any]:
    """Return what the browser needs of the box for another unit."""
    there = other.from_number(value)
    return {
        "label": other.label,
        "help": other.help,
        "low": other.low,
        "high": other.high,
        "range": f"{other.low:.4g} to {other.high:.4g}",
        "step": other.step,
        "text": "" if there is None else f"{there:.4g}",
        "placeholder": other.placeholder,
    }


def _count_key(setting: Number) -> str:
    return f"{setting.key}-changes"


def _put_change(change: Any, setting: Number, other: OtherUnit | None) -> None:
    """Set a number to what a browser sends: a count, and the number or its value in the other unit; ignore all else."""
    match change:
        case {"count": int() as count, "value": int() | float() as value} if setting.limit.contains(value):
            values.put(setting, int(value) if setting.limit.integer else float(value))
        case {"count": int() as count, "other": int() | float() as value} if other and other.low <= value <= other.high:
            values.put(setting, other.to_number(float(value)))
        case _:
            return
    st.session_state[_count_key(setting)] = min(max(count, 0), _LARGEST)


def _text(value: float) -> str:
    """Return how a box shows a number."""
    return str(value) if isinstance(value, int) else f"{value:.8g}"


def _plain_boxes(setting: Number, label: str, other: OtherUnit | None) -> Any:
    """Render boxes of Streamlit's instead, for a terminal or a test: no browser is there to run the control."""
    cast = int if setting.limit.integer else float
    st.number_input(
        label,
        cast(setting.limit.low),
        cast(setting.limit.high),
        step=cast(setting.step),
        format=None if setting.limit.integer else "%.8g",
        help=setting.help,
        **values.shown_by_widget(setting, "value"),
    )
    if other:
        there = other.from_number(values.get(setting))
        if st.session_state.get(other.key) != there:
            st.session_state[other.key] = there

        def changed() -> None:
            if (value := st.session_state[other.key]) is not None:
                values.put(setting, other.to_number(value))

        st.number_input(other.label, other.low, other.high, None, step=other.step, key=other.key, on_change=changed)
    return values.get(setting)
