"""Bound what a browser may send over its WebSocket, before Streamlit or a page reads it."""

from __future__ import annotations

import logging

from google.protobuf.message import DecodeError
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from privdemo import limits

_LOG = logging.getLogger(__name__)
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

    JSON that is too long is left out with its widget. Raises `TooBigError` for a message too long as a whole.
    """
    _check_size("message", "bytes", len(data), limits.MESSAGE_BYTES)
    if len(data) <= limits.TEXT_LENGTH.high:  # then nothing in it is longer
        return data
    message = BackMsg()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return data  # Streamlit refuses it
    if message.WhichOneof("type") != "rerun_script":
        return data
    state, text = message.rerun_script, int(limits.TEXT_LENGTH.high)
    widgets = state.widget_states.widgets
    _check_size("message", "widgets", len(widgets), limits.MESSAGE_WIDGETS)
    # One character more than may be read: what is cut is still found to be too long.
    state.query_string = state.query_string[: int(limits.ADDRESS_BYTES.high) + 1]
    kept = [_shortened_widget(widget, text) for widget in widgets if _is_short_enough(widget)]
    del widgets[:]
    widgets.extend(kept)
    return message.SerializeToString()


def _check_size(what: str, unit: str, size: int, limit: limits.Limit) -> None:
    if size > limit.high:
        raise TooBigError(f"A {what} may have {limit.high:,} {unit}, this one has {size:,}.")


def _is_short_enough(widget: WidgetState) -> bool:
    """Whether a widget's JSON, name and lists can be read; a text alone is shortened instead."""
    most = limits.JSON_LENGTH.high
    return len(widget.id) <= limits.TEXT_LENGTH.high and (
        widget.HasField("string_value") or widget.HasField("string_trigger_value") or widget.ByteSize() <= most
    )


def _shortened_widget(widget: WidgetState, most: int) -> WidgetState:
    """Cut the text of a widget to `most` characters and one more, by which it is known to be too long."""
    if widget.HasField("string_value"):
        widget.string_value = widget.string_value[: most + 1]
    elif widget.HasField("string_trigger_value"):
        widget.string_trigger_value.data = widget.string_trigger_value.data[: most + 1]
    return widget
