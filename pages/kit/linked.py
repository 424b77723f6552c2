"""Two widgets of one number, such as a slider and a box, or p and its ε: either can be set, the other follows."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from pages.kit.settings import Number

# Seconds within which a widget that says again what it said before it was set from elsewhere is only late.
ECHO = 2.0
# What is remembered of a number: the widget by which it was set, the value it was set to, what was said lately.
_SET_BY, _HELD, _SAID = "_set_by", "_held", "_said"

State = MutableMapping[Any, Any]
Clock = Callable[[], float]


@dataclass(frozen=True)
class View:
    """A second widget, `key`, of the number `source`: `to_source` and `from_source` turn one value into the other.

    `source` alone is in the address. The view is computed from it at every run and writes back to it. `state` is what
    the session remembers; `clock` counts seconds.
    """

    key: str
    source: Number
    to_source: Callable[[float], float]
    from_source: Callable[[float], float | None]
    state: State
    clock: Clock = time.monotonic

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
        # meantime. The others are written to in every run, as one cut short by the next key tells the browser nothing.
        if not (agrees and set_by == key):
            state[key] = shown
            state.setdefault(self.source.key + _SET_BY, self.source.key)
            _remember(state, self.clock, key, view, shown)
        return None

    def write_back(self) -> None:
        """After a visitor has changed the widget: set `source` by it."""
        state, source = self.state, self.source.key
        view = state[self.key]
        if view is None or _is_late(state, self.clock, self.key, view):
            return
        before, state[source] = state.get(source, self.source.default), self.to_source(view)
        _remember(state, self.clock, source, before)
        state[source + _SET_BY] = self.key
        state[source + _HELD] = state[source]


def repeat(state: State, key: str) -> None:
    """Tell the browser again of a number that another view has set."""
    if state.get(key + _SET_BY, key) != key and key in state:
        state[key] = state[key]


def set_by_itself(state: State, key: str, clock: Clock = time.monotonic) -> None:
    """Take a number as typed, unless its browser is late and says what it was before another view set it."""
    if state.get(key + _SET_BY, key) != key:
        held = state[key + _HELD]
        if state[key] == held:
            return
        if _is_late(state, clock, key, state[key]):
            state[key] = held
            return
    state[key + _SET_BY] = key


def _remember(state: State, clock: Clock, key: str, *values: Any) -> None:
    """Keep what a widget said until now, and was told to say, for as long as a late browser may say it."""
    now = clock()
    kept = [(old, when) for old, when in state.get(key + _SAID, []) if now < when + ECHO]
    state[key + _SAID] = [*kept, *((value, now) for value in values)]


def _is_late(state: State, clock: Clock, key: str, value: Any) -> bool:
    """Whether a widget says what it said a moment ago, before it was set from elsewhere."""
    said = state.get(key + _SAID, [])
    return any(value == old and clock() < when + ECHO for old, when in said)
