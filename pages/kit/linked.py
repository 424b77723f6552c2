"""Two widgets of one number, such as a slider and a box, or p and its ε: either can be set, the other follows.

With each change a browser says what all its widgets hold, also of those that it has not yet heard are set elsewhere.
So a number has an ear as well: what the last one of its widgets was told, a count, says how much the browser has heard.
"""

from __future__ import annotations

import math
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from pages.kit.settings import Number

# What is remembered of a number: the widget by which it was set, the value it was set to, what was said of it before
# the browser has heard so much, and how much it will be told next.
_SET_BY, _HELD, _SAID, _NEXT = "_set_by", "_held", "_said", "_next"
_EAR = "_heard"

State = MutableMapping[Any, Any]


@dataclass(frozen=True)
class View:
    """A second widget, `key`, of the number `source`: `to_source` and `from_source` turn one value into the other.

    `source` alone is in the address. The view is computed from it at every run and writes back to it. `state` is what
    the session remembers.
    """

    key: str
    source: Number
    to_source: Callable[[float], float]
    from_source: Callable[[float], float | None]
    state: State

    def prepare(self) -> float | None:
        """Before the widget is drawn: set it to what `source` says, unless it is the one that set `source`.

        Returns the value that the widget starts with where it is not set: as long as nobody has changed anything, a
        widget that is set would take back a key that was pressed while the page was drawn.
        """
        state, key = self.state, self.key
        value = state.get(self.source.key, self.source.default)
        view, shown, set_by = state.get(key), self.from_source(value), state.get(self.source.key + _SET_BY)
        agrees = view == shown or (
            view is not None and math.isclose(self.to_source(view), value, rel_tol=1e-9, abs_tol=1e-12)
        )
        if set_by is None and (agrees or view is None):
            return shown
        # The view by which the source was set is left alone: writing to it would take back a key pressed in the
        # meantime. The others are written to until the browser has heard: a run that is cut short tells nothing.
        if not agrees:
            _remember(state, self.source.key, key, view, shown)
        if not agrees or (set_by != key and _is_unheard(state, self.source.key, key)):
            state[key] = shown
            state.setdefault(self.source.key + _SET_BY, self.source.key)
        return None

    def write_back(self) -> None:
        """After a visitor has changed the widget: set `source` by it."""
        state, source = self.state, self.source.key
        view = state[self.key]
        if view is None or _is_late(state, source, self.key, view):
            return
        state.setdefault(source, self.source.default)
        set_by(state, self.key, source, self.to_source(view))


def set_by(state: State, widget: str, key: str, value: float) -> None:
    """Set the number `key` to what a visitor has chosen by another widget."""
    _remember(state, key, key, state.get(key))
    state[key] = state[key + _HELD] = value
    state[key + _SET_BY] = widget


def repeat(state: State, key: str) -> None:
    """Tell the browser again of a number that another widget has set, until it has heard."""
    if state.get(key + _SET_BY, key) != key and key in state and _is_unheard(state, key, key):
        state[key] = state[key]


def tell_ear(state: State, key: str) -> str:
    """Have the browser say with its next message that it has heard all that it was told; returns the widget to draw."""
    ear = key + _EAR
    state[ear] = state.get(key + _NEXT, 0)
    state[key + _NEXT] = state[ear] + 1
    return ear


def set_by_itself(state: State, key: str) -> None:
    """Take a number as typed, unless its browser is late and says what it was before another view set it."""
    if state.get(key + _SET_BY, key) != key:
        held = state[key + _HELD]
        if state[key] == held:
            return
        if _is_late(state, key, key, state[key]):
            state[key] = held
            return
    state[key + _SET_BY] = key


def _heard(state: State, source: str) -> float:
    """How much the browser has heard of a number: all, without an ear; nothing, if another session has told it more."""
    if source + _NEXT not in state:
        return math.inf
    heard = state.get(source + _EAR, -1)
    return heard if heard < state[source + _NEXT] else -1


def _remember(state: State, source: str, key: str, *values: Any) -> None:
    """Keep what a widget said until now, and was told to say, until the browser has heard what comes next."""
    heard, after = _heard(state, source), state.get(source + _NEXT, 0)
    kept = [(old, until) for old, until in state.get(key + _SAID, []) if heard < until]
    state[key + _SAID] = [*kept, *((value, after) for value in values)]


def _is_unheard(state: State, source: str, key: str) -> bool:
    """Whether the browser may not have heard of all that a widget was told."""
    heard = _heard(state, source)
    return any(heard < until for _, until in state.get(key + _SAID, []))


def _is_late(state: State, source: str, key: str, value: Any) -> bool:
    """Whether a widget says what it said before it was set from elsewhere, and the browser has not heard of that."""
    heard = _heard(state, source)
    return any(value == old and heard < until for old, until in state.get(key + _SAID, []))
