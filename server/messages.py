"""Bound what a browser may send over its WebSocket, before Streamlit or a page reads it."""

from __future__ import annotations

import json
import logging
from types import UnionType
from typing import Any

from google.protobuf.message import DecodeError
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from privdemo import limits

_LOG = logging.getLogger(__name__)
# Levels of lists and objects within one another in a component's JSON.
_DEEPEST = 20
# Codes with which a WebSocket is closed: a kind of data that is not taken, and a message that is too big.
NOT_TAKEN, TOO_BIG = 1003, 1009


class TooBigError(ValueError):
    """Raised for a message that is too long as a whole."""


class Messages:
    """Middleware that closes a connection after a text frame or a message too long, and shortens long texts.

    A shortened text is still too long for every setting of a page, which then says so in a sentence.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on every message as `shortened` returns it."""
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        is_closed = False

        async def receive_bounded() -> Message:
            nonlocal is_closed
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            data = message.get("bytes")
            if data is None:
                code, reason = NOT_TAKEN, "Messages must be binary."
            else:
                try:
                    return {**message, "bytes": shortened(data)}
                except TooBigError as error:
                    code, reason = TOO_BIG, str(error)
            _LOG.warning("A connection was closed: %s", reason)
            await send({"type": "websocket.close", "code": code, "reason": reason})
            is_closed = True
            return {"type": "websocket.disconnect", "code": code}

        async def send_while_open(message: Message) -> None:
            if not is_closed:
                await send(message)

        await self.app(scope, receive_bounded, send_while_open)


def shortened(data: bytes) -> bytes:
    """Return a browser's message with each text cut to the length that is read of it.

    JSON that is too long, or that no component sends, is left out with its widget. Raises `TooBigError` for a message
    too long as a whole.
    """
    _check_size("message", "bytes", len(data), limits.MESSAGE_BYTES)
    message = BackMsg()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return data  # Streamlit refuses it
    if message.WhichOneof("type") != "rerun_script":
        return data
    state = message.rerun_script
    widgets = state.widget_states.widgets
    _check_size("message", "widgets", len(widgets), limits.MESSAGE_WIDGETS)
    kept = [widget for widget in widgets if _is_readable(widget)]
    if len(data) <= limits.TEXT_LENGTH.high and len(kept) == len(widgets):  # then no text in it is too long
        return data
    # One character more than may be read: what is cut is still found to be too long.
    state.query_string = state.query_string[: int(limits.ADDRESS_BYTES.high) + 1]
    shortened_ones = [_shortened_widget(widget, int(limits.TEXT_LENGTH.high)) for widget in kept]
    del widgets[:]
    widgets.extend(shortened_ones)
    return message.SerializeToString()


def _check_size(what: str, unit: str, size: int, limit: limits.Limit) -> None:
    if size > limit.high:
        raise TooBigError(f"A {what} may have {limit.high:,} {unit}, this one has {size:,}.")


def _is_readable(widget: WidgetState) -> bool:
    """Return whether a widget's name, lists and JSON can be read; a text that is too long is shortened instead."""
    if len(widget.id) > limits.TEXT_LENGTH.high:
        return False
    if widget.HasField("string_value") or widget.HasField("string_trigger_value"):
        return True
    if widget.ByteSize() > limits.JSON_LENGTH.high:
        return False
    if widget.HasField("json_value"):
        return _is_json(widget.json_value, dict)
    return not widget.HasField("json_trigger_value") or _is_json(widget.json_trigger_value, list | dict)


def _is_json(text: str, kind: type | UnionType) -> bool:
    """Return whether a text is JSON of a kind, nested no deeper than what a component of the app sends."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, kind) and not _is_deeper(value, _DEEPEST)


def _is_deeper(value: Any, levels: int) -> bool:
    """Return whether lists and objects lie within one another more than so many levels deep."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels < 0 or any(_is_deeper(each, levels - 1) for each in inner)


def _shortened_widget(widget: WidgetState, most: int) -> WidgetState:
    """Cut the text of a widget to `most` characters and one more, by which it is known to be too long."""
    if widget.HasField("string_value"):
        widget.string_value = widget.string_value[: most + 1]
    elif widget.HasField("string_trigger_value"):
        widget.string_trigger_value.data = widget.string_trigger_value.data[: most + 1]
    return widget
