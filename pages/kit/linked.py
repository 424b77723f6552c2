"""Two widgets of one number, such as a slider and a box, or p and its ε: either can be set, the other follows.

With each change a browser says what all its widgets hold, also those that were set elsewhere and have not heard of it.
So a number has an ear as well, a hidden widget that the server counts up: what it holds is how much the browser has
heard.
"""

from __future__ import annotations

import math
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from pages.kit.settings import Number
from privdemo.limits import Limit

# Whether a number was ever set; what a widget said and was told, the last of it at the end, until the browser has heard
# so much; and how much it will hear next.
_SET, _PENDING, _NEXT = "_set", "_said", "_next"
# Whether a number was set while its browser had something else of it still to hear.
_OVERTAKEN = "_overtaken"
_ACKNOWLEDGED = "_heard"

State = MutableMapping[Any, Any]


@dataclass(frozen=True)
class LinkedWidget:
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
        """Before the widget is drawn: set it to what `source` says, unless the browser shows that already.

        Returns the value that the widget starts with where it is not set: as long as nobody has changed anything, a
        widget that is set would take back a key that was pressed while the page was drawn.
        """
        state, key = self.state, self.key
        value = state.get(self.source.key, self.source.default)
        view, shown = state.get(key), self.from_source(value)
        agrees = view == shown or (
            view is not None and math.isclose(self.to_source(view), value, rel_tol=1e-9, abs_tol=1e-12)
        )
        if not state.get(self.source.key + _SET) and (agrees or view is None):
            return shown
        # A view is told until the browser has heard, as a run that is cut short tells nothing, and then is left alone:
        # to tell it anything would take back a key pressed in the meantime.
        if not agrees or _pending_values(state, self.source.key, key):
            _send(state, self.source.key, key, shown)
        return None

    def write_back(self) -> None:
        """After a visitor has changed the widget: set `source` by it."""
        state, source = self.state, self.source.key
        view = state[self.key]
        if view is not None and _is_new_choice(state, source, self.key, view):
            state.setdefault(source, self.source.default)
            set_from_other_widget(state, source, self.to_source(view))


def set_from_other_widget(state: State, key: str, value: float) -> None:
    """Set the number `key` to what a visitor has chosen by another widget than its own."""
    state[key + _OVERTAKEN] = bool(_pending_values(state, key, key))
    _send(state, key, key, value)


def accept_typed(state: State, key: str) -> None:
    """Take a number as typed, unless its browser is late and says what it was before it was set elsewhere."""
    if _is_new_choice(state, key, key, state[key]):
        state[key + _OVERTAKEN] = bool(_pending_values(state, key, key))
    else:
        state[key] = state[key + _PENDING][0][-1]
    state[key + _SET] = True


def set_from_dial(state: State, dial: str, key: str, limit: Limit) -> None:
    """Set a number to the value that a dial was released at; a value that is no number within its limit is ignored."""
    moved = state[dial].get("moved")
    if isinstance(moved, int | float) and limit.contains(moved):
        set_from_other_widget(state, key, float(moved))


def must_rewrite_address(state: State, key: str) -> bool:
    """Whether what the browser hears late of a number may overwrite what it has put into the address; asked once."""
    return bool(state.pop(key + _OVERTAKEN, False))


def resend_pending(state: State, key: str) -> None:
    """Tell the browser again of a number that was set elsewhere, until it has heard."""
    if key in state and _pending_values(state, key, key):
        _send(state, key, key, state[key])


def prepare_acknowledgement(state: State, key: str) -> str:
    """Have the browser say with its next message that it has heard all it was told; returns the key of the ear."""
    ear = key + _ACKNOWLEDGED
    state[ear] = state.get(key + _NEXT, 0)
    state[key + _NEXT] = state[ear] + 1
    return ear


def _acknowledged(state: State, source: str) -> float:
    """How much the browser has heard of a number: all, without an ear; nothing, if another session has told it more."""
    if source + _NEXT not in state:
        return math.inf
    heard = state.get(source + _ACKNOWLEDGED, -1)
    return heard if heard < state[source + _NEXT] else -1


def _pending_values(state: State, source: str, key: str) -> list[Any]:
    """What a widget may still say as its browser has not heard of all that it was told."""
    said, until = state.get(key + _PENDING, ([], 0))
    return said if _acknowledged(state, source) < until else []


def _send(state: State, source: str, key: str, value: Any) -> None:
    """Set a widget, and keep what it said until now, and is told, until the browser has heard."""
    before = dict.fromkeys([*_pending_values(state, source, key), state.get(key)])
    state[key + _PENDING] = [*(one for one in before if one != value), value], state.get(source + _NEXT, 0)
    state[key], state[source + _SET] = value, True


def _is_new_choice(state: State, source: str, key: str, value: Any) -> bool:
    """Whether a visitor wants this value, not a browser that is late or only says what it was told last."""
    said, until = state.get(key + _PENDING, ([], 0))
    unheard = _pending_values(state, source, key)
    if value in unheard or value in said[-1:]:
        return False
    state[key + _PENDING] = [*unheard, value], until
    return True
