"""Check what a browser sends over its WebSocket, before Streamlit or a page reads it."""

from __future__ import annotations

import json
import logging
from types import UnionType
from typing import Any

from google.protobuf.message import DecodeError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from privdemo import limits
from server.streamlit_internals import BackMsg, WidgetState

_LOG = logging.getLogger(__name__)
# Levels of lists and objects within one another in a component's JSON.
_DEEPEST = 20
# Codes with which a WebSocket is closed: a kind of data that is not taken, and a message that is too big.
NOT_TAKEN, TOO_BIG = 1003, 1009


class RefusedMessageError(ValueError):
    """Raised for a message that closes the connection: with the `code` of the WebSocket and a sentence."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class Messages:
    """Middleware that hands on only messages that a page of the app sends, with their texts shortened.

    A text frame, a frame that is no message of Streamlit's and one that is too long close the connection. A shortened
    text is still too long for every setting of a page, which then says so in a sentence.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on every message as `checked` returns it."""
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        is_closed = False

        async def receive_checked() -> Message:
            nonlocal is_closed
            while (message := await receive())["type"] == "websocket.receive":
                try:
                    if (data := checked(message.get("bytes"))) is not None:
                        return {**message, "bytes": data}
                except RefusedMessageError as error:
                    _LOG.warning("A connection was closed: %s", error)
                    await send({"type": "websocket.close", "code": error.code, "reason": str(error)})
                    is_closed = True
                    return {"type": "websocket.disconnect", "code": error.code}
            return message

        async def send_while_open(message: Message) -> None:
            if not is_closed:
                await send(message)

        await self.app(scope, receive_checked, send_while_open)


def checked(data: bytes | None) -> bytes | None:
    """Return a browser's message with each text cut to the length that is read of it; None for one to be ignored.

    Four kinds are needed: a run of the script, its end, the addresses to upload a few files to, and a download that is
    made when its button is pressed. Widgets whose JSON is too long, or is none that a component sends, are left out.
    Raise `RefusedMessageError` for a message that is none of Streamlit's or too long as a whole.
    """
    if data is None:
        raise RefusedMessageError(NOT_TAKEN, "Messages must be binary.")
    _check_size("bytes", len(data), limits.MESSAGE_BYTES)
    message = BackMsg()
    try:
        message.ParseFromString(data)
    except DecodeError:
        raise RefusedMessageError(NOT_TAKEN, "This is no message of Streamlit's.") from None
    kind = message.WhichOneof("type")
    if kind == "stop_script":
        return data
    if kind == "file_urls_request":
        _check_size("files", len(message.file_urls_request.file_names), limits.UPLOADS_EACH)
    if kind == "file_urls_request" or message.backend_operation_request.HasField("deferred_file"):
        return data if len(data) <= limits.TEXT_LENGTH.high else None
    return _checked_run(message, data) if kind == "rerun_script" else None


def _checked_run(message: BackMsg, data: bytes) -> bytes:
    """Return a message that asks for a run of the script, with long texts cut and unreadable widgets left out."""
    state = message.rerun_script
    widgets = state.widget_states.widgets
    _check_size("widgets", len(widgets), limits.MESSAGE_WIDGETS)
    _check_size("remembered messages", len(state.cached_message_hashes), limits.MESSAGE_HASHES)
    names = len(state.fragment_id) + len(state.page_name) + len(state.page_script_hash) + state.context_info.ByteSize()
    _check_size("characters of names", names, limits.TEXT_LENGTH)
    kept, json_left = [], int(limits.JSON_LENGTH.high)
    for widget in widgets:
        json_left -= len(widget.json_value) + len(widget.json_trigger_value)
        if json_left >= 0 and _is_readable(widget):
            kept.append(widget)
    if len(data) <= limits.TEXT_LENGTH.high and len(kept) == len(widgets):  # then no text in it is too long
        return data
    # One character more than may be read: what is cut is still found to be too long.
    state.query_string = state.query_string[: int(limits.ADDRESS_BYTES.high) + 1]
    shortened = [_shortened_widget(widget, int(limits.TEXT_LENGTH.high)) for widget in kept]
    del widgets[:]
    widgets.extend(shortened)
    return message.SerializeToString()


def _check_size(unit: str, size: int, limit: limits.Limit) -> None:
    """Raise `RefusedMessageError` if a message has more of something than it may have."""
    if size > limit.high:
        raise RefusedMessageError(TOO_BIG, f"A message may have {limit.high:,} {unit}, this one has {size:,}.")


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
