"""Define the control of one number: a slider, a box to type it, and a box for it in another unit, such as its ε.

The control keeps its own state in the browser, and sends each change with a count. The server sends the value back with
the count of the last change that it has received, so that the control ignores a value from before a later change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from pages.kit import component, values
from pages.kit.settings import Number
from server.streamlit_internals import session_name

# A key that is True in the session of a test without a browser.
NO_BROWSER = "no_browser"

_HERE = Path(__file__).parent


def _read(name: str) -> str:
    """Return a file of the control without indentation and comments: Streamlit sends it along with every control."""
    lines = (_HERE / name).read_text(encoding="utf-8").splitlines()
    return "\n".join(bare for line in lines if (bare := line.strip()) and not bare.startswith("//"))


# The files of the component, which lessons hold too.
CONTROL = {
    "html": _read("control.html"),
    "css": _read("control.css") + _read("../range.css"),
    "js": _read("control.js"),
}
_control = st.components.v2.component("privdemo_number", **CONTROL)
# The key in the session state of the count of the last change that each control has sent.
_COUNTS = "number_changes"
_LARGEST_COUNT = 10**9


# The ends of every slider of privacy: more private is on the right throughout the app.
MORE_OR_LESS = ("more accurate", "more private")

# What of a number's control is rendered: its slider and its boxes may stand in two places.
Part = Literal["all", "slider", "boxes"]


@dataclass(frozen=True)
class Slider:
    """The slider of a number, over its whole range or over `stops`; `ends` are words for its left and right end.

    With `scale` a word stands in place of the chosen number, such as “moderate”; it has the least number of each word.
    A screen reader says “moderate (ε = 1)”, with the `unit` “ε = ”. With `largest_left` the largest number is on the
    left. With `percent` the chosen number is shown in percent. With `live`, what is on the page follows it while it is
    dragged: each position is an event of the document, `privdemo-number`.
    """

    name: str
    ends: tuple[str, str] | None = None
    stops: tuple[float, ...] = ()
    percent: bool = False
    live: bool = False
    largest_left: bool = False
    unit: str = ""
    scale: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True)
class OtherUnit:
    """Another way to write a number, such as the ε of a lie: `key` and `label` of its box, and how to convert.

    `from_number` returns None where the box is empty, with ∞ in its place. `to_number` may return a number outside of
    the range: the nearest within it is taken.
    """

    key: str
    label: str
    to_number: Callable[[float], float]
    from_number: Callable[[float], float | None]
    low: float
    high: float
    step: float
    help: str


def render(
    setting: Number,
    label: str,
    slider: Slider | None = None,
    other: OtherUnit | None = None,
    part: Part = "all",
) -> None:
    """Render the control of a number, or only its slider or its boxes; `label` stands above its box."""
    if st.session_state.get(NO_BROWSER):
        if part != "slider":
            _render_plain_boxes(setting, label, other)
        return
    key = f"{setting.key}-boxes" if part == "boxes" else f"{setting.key}-number"
    visit = {"key": setting.key, "session": session_name(), "count": st.session_state.get(_COUNTS, {}).get(key, 0)}
    data = visit | control_data(setting, label, values.get(setting), slider, other, part)

    def changed() -> None:
        _put_change(component.sent(key, "changed"), setting, other, key)

    _control(key=key, data=data, on_changed_change=changed)


def control_data(
    setting: Number,
    label: str,
    value: float,
    slider: Slider | None = None,
    other: OtherUnit | None = None,
    part: Part = "all",
) -> dict[str, Any]:
    """Return what the browser needs of the control of a number that has this `value`, as in `render`.

    The name of the visit, `session`, and the `count` of the last change come on top of it.
    """
    limit = setting.limit
    slide = slider and _slider_data(slider, value, setting)
    box = {
        "label": label,
        "hideLabel": slide is not None and slide["name"] == label,
        "help": setting.help or "",
        "low": limit.low,
        "high": limit.high,
        "lowOpen": limit.low_open,
        "range": limit.range_words,
        "integer": limit.integer,
        "step": setting.step,
    }
    return {
        "key": setting.key,
        "value": value,
        "text": _text(value),
        "box": box,
        "slider": slide,
        "other": other and _other_data(other, value),
        "hasBoxes": part != "slider",
    }


def _slider_data(slider: Slider, value: float, setting: Number) -> dict[str, Any] | None:
    """Return what the browser needs of a slider; None where it would have one position.

    A number between two stops, which was typed, is one more stop.
    """
    limit = setting.limit
    if limit.low == limit.high:
        return None
    stops = sorted({*filter(limit.contains, slider.stops), value}) if slider.stops else None
    return {
        "name": slider.name,
        "ends": _ends(slider, stops, limit.low, limit.high),
        "stops": stops,
        "percent": slider.percent,
        "unit": slider.unit,
        "scale": slider.scale,
        "live": slider.live,
        "largestLeft": slider.largest_left,
    }


def _ends(slider: Slider, stops: list[float] | None, low: float, high: float) -> tuple[str, str] | None:
    """Return the words at the ends of a slider, each before the number there, unless words say enough."""
    if slider.ends is None or slider.ends != MORE_OR_LESS or slider.scale:
        return slider.ends
    numbers = (stops[0], stops[-1]) if stops else (low, high)
    shown = [f"{100 * number:.4g} %" if slider.percent else f"{number:.4g}" for number in numbers]
    left, right = reversed(shown) if slider.largest_left else shown
    return f"{slider.ends[0]} ({left})", f"{slider.ends[1]} ({right})"


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
        "placeholder": "∞",
    }


def _put_change(change: Any, setting: Number, other: OtherUnit | None, key: str) -> None:
    """Set a number to what the control of a `key` sends: a count, and the number or its value in the other unit.

    Anything else is ignored.
    """
    match change:
        case {"count": int(), "value": int() | float() as value} if setting.limit.contains(value):
            values.put(setting, value)
        case {"count": int(), "other": int() | float() as value} if other and other.low <= value <= other.high:
            values.put(setting, setting.limit.nearest(other.to_number(float(value))))
        case {"count": int()}:
            pass  # the control shows the number that stays
        case _:
            return
    st.session_state.setdefault(_COUNTS, {})[key] = min(max(change["count"], 0), _LARGEST_COUNT)


def _text(value: float) -> str:
    """Return how a box shows a number."""
    return str(value) if isinstance(value, int) else f"{value:.8g}"


def _render_plain_boxes(setting: Number, label: str, other: OtherUnit | None) -> None:
    """Render boxes of Streamlit's instead, for a test of the page without a browser, which cannot run the control."""
    cast = int if setting.limit.integer else float
    st.number_input(
        label,
        cast(setting.limit.low),
        cast(setting.limit.high),
        step=cast(setting.step),
        help=setting.help,
        **values.widget_arguments(setting, "value"),
    )
    if other:
        _render_plain_other(setting, other)


def _render_plain_other(setting: Number, other: OtherUnit) -> None:
    """Render the plain box of a number in another unit."""
    there = other.from_number(values.get(setting))
    if st.session_state.get(other.key) != there:
        st.session_state[other.key] = there

    def changed() -> None:
        if (value := st.session_state[other.key]) is not None:
            values.put(setting, setting.limit.nearest(other.to_number(float(value))))

    st.number_input(other.label, other.low, other.high, None, step=other.step, key=other.key, on_change=changed)
