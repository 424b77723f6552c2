"""Keep several widgets of one number in agreement, such as a slider and a box, or p and its ε.

Each message of a browser holds the values of all its widgets, also those that the server has changed since and that the
browser has not received yet. So each number has an acknowledgement as well: a hidden widget that the server counts up
in every run. The count that the browser sends back says which of the server's values it has received; values that are
not acknowledged are pending, and old values that arrive meanwhile are ignored.
"""

from __future__ import annotations

import math
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from pages.kit.settings import Number
from privdemo.limits import Limit

# Endings of keys in the session state: whether a number was ever set; the values that a widget has sent and was set to,
# the latest last, with the count that acknowledges them; and the next count.
_SET, _PENDING, _NEXT = "_set", "_said", "_next"
# Whether a number was set while an earlier change of it was pending.
_OVERTAKEN = "_overtaken"
_ACKNOWLEDGED = "_heard"

State = MutableMapping[Any, Any]


@dataclass(frozen=True)
class LinkedWidget:
    """A second widget, `key`, of the number `source`; `to_source` and `from_source` convert between their values.

    Only `source` is in the address. The second widget is set from it in every run, and its changes are written back to
    it. `state` is the session state.
    """

    key: str
    source: Number
    to_source: Callable[[float], float]
    from_source: Callable[[float], float | None]
    state: State

    def prepare(self) -> float | None:
        """Set the widget to the value of `source` before it is rendered, unless the browser already shows that.

        Return the value to start with, or None if the widget is set by the session state. Until anything changes it is
        not set: setting a widget would undo a key that is pressed while the script runs.
        """
        state, key = self.state, self.key
        value = state.get(self.source.key, self.source.default)
        current, shown = state.get(key), self.from_source(value)
        agrees = current == shown or (
            current is not None and math.isclose(self.to_source(current), value, rel_tol=1e-9, abs_tol=1e-12)
        )
        if not state.get(self.source.key + _SET) and (agrees or current is None):
            return shown
        # Set the widget until that is acknowledged, as a run that is interrupted sends nothing, and not afterwards:
        # that would undo a key pressed in the meantime.
        if not agrees or _pending_values(state, self.source.key, key):
            _send(state, self.source.key, key, shown)
        return None

    def write_back(self) -> None:
        """Set `source` after a visitor has changed this widget; to be called as its `on_change`."""
        state, source = self.state, self.source.key
        current = state[self.key]
        if current is not None and _is_new_choice(state, source, self.key, current):
            state.setdefault(source, self.source.default)
            set_from_other_widget(state, source, self.to_source(current))


def set_from_other_widget(state: State, key: str, value: float) -> None:
    """Set the number `key` to a value chosen in another widget than its own."""
    state[key + _OVERTAKEN] = bool(_pending_values(state, key, key))
    _send(state, key, key, value)


def accept_typed(state: State, key: str) -> None:
    """Accept a typed number; called as `on_change` of its box.

    A late message, with the value from before the number was set by another widget, is ignored.
    """
    if _is_new_choice(state, key, key, state[key]):
        state[key + _OVERTAKEN] = bool(_pending_values(state, key, key))
    else:
        state[key] = state[key + _PENDING][0][-1]
    state[key + _SET] = True


def set_from_dial(state: State, dial: str, key: str, limit: Limit) -> None:
    """Set a number to the value of a dial; a value that is no number within the limit is ignored."""
    moved = state[dial].get("moved")
    if isinstance(moved, int | float) and limit.contains(moved):
        set_from_other_widget(state, key, float(moved))


def must_rewrite_address(state: State, key: str) -> bool:
    """Return whether a pending value may overwrite the number in the address, so that it must be written again.

    Return True at most once for each change.
    """
    return bool(state.pop(key + _OVERTAKEN, False))


def resend_pending(state: State, key: str) -> None:
    """Send the value of a number that another widget has set again, until it is acknowledged."""
    if key in state and _pending_values(state, key, key):
        _send(state, key, key, state[key])


def prepare_acknowledgement(state: State, key: str) -> str:
    """Count up the acknowledgement of a number, and return the key of its hidden widget."""
    widget = key + _ACKNOWLEDGED
    state[widget] = state.get(key + _NEXT, 0)
    state[key + _NEXT] = state[widget] + 1
    return widget


def _acknowledged(state: State, source: str) -> float:
    """Return the last count that the browser has acknowledged.

    That is infinite if the number has no acknowledgement, and -1 for a count from another session.
    """
    if source + _NEXT not in state:
        return math.inf
    count = state.get(source + _ACKNOWLEDGED, -1)
    return count if count < state[source + _NEXT] else -1


def _pending_values(state: State, source: str, key: str) -> list[Any]:
    """Return the values that a widget may still send, as the browser has not acknowledged the last change."""
    values, count = state.get(key + _PENDING, ([], 0))
    return values if _acknowledged(state, source) < count else []


def _send(state: State, source: str, key: str, value: Any) -> None:
    """Set a widget, and remember its earlier values as pending until the new one is acknowledged."""
    before = dict.fromkeys([*_pending_values(state, source, key), state.get(key)])
    state[key + _PENDING] = [*(one for one in before if one != value), value], state.get(source + _NEXT, 0)
    state[key], state[source + _SET] = value, True


def _is_new_choice(state: State, source: str, key: str, value: Any) -> bool:
    """Return whether a value was chosen by a visitor, and remember it if so.

    It was not if the widget had it before a pending change, or was set to it last.
    """
    values, count = state.get(key + _PENDING, ([], 0))
    pending = _pending_values(state, source, key)
    if value in pending or value in values[-1:]:
        return False
    state[key + _PENDING] = [*pending, value], count
    return True
