"""The app as it is served, and addresses that say what it holds of its visitors, and to which others it connected.

`uvicorn` runs it for a test.
"""

from __future__ import annotations

import sys
import weakref
from collections import Counter
from contextlib import suppress
from functools import wraps
from typing import Any

import streamlit as st
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from app import app as served
from pages.kit import own_data, own_data_input
from server import visits

_ELSEWHERE: list[str] = []


def _note_connection(event: str, args: tuple[Any, ...]) -> None:
    """Remember every connection to another machine, and every look-up of one by its name."""
    if event in ("socket.connect", "socket.sendto") and isinstance(args[1], tuple):
        host = str(args[1][0])
    elif event == "socket.getaddrinfo":
        host = str(args[0])
    else:
        return
    if not host.startswith("127.") and host not in ("localhost", "::1", "None"):
        _ELSEWHERE.append(f"{event} {host}")


sys.addaudithook(_note_connection)
visits.ENDED_AFTER = 0.5  # a test waits for it
_SEEN: list[weakref.ref[Any]] = []


def _note(found: Any) -> None:
    """Remember what was found, without holding it, and what is in it if it is a tuple."""
    if isinstance(found, tuple):
        for one in found:
            _note(one)
        return
    with suppress(TypeError):  # numbers and words, which no reference can be weak to
        _SEEN.append(weakref.ref(found))


def _noted(function: Any, *, observe_before: Any) -> Any:
    """Return `function`, which notes what `observe_before` makes of its arguments before each call."""

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        _note(observe_before(*args))
        return function(*args, **options)

    return call


def _all_of(own: own_data.Reading) -> tuple[Any, ...]:
    """A visitor's own data, and the visit itself."""
    context = get_script_run_ctx()
    assert context
    read = (own.answers,) if isinstance(own, own_data.OwnAnswers) else (own.records, own.binary)
    return own, *read, runtime.get_instance().get_app_session(context.session_id)


own_data_input.store_reading = _noted(own_data.store_reading, observe_before=_all_of)
own_data.store_result = _noted(own_data.store_result, observe_before=lambda key, kept: kept)
visits.pop_upload = _noted(visits.pop_upload, observe_before=st.session_state.get)


def _held() -> dict[str, int]:
    """How much of each kind is still there, and the files that the server keeps."""
    kinds = [type(one).__name__ for ref in _SEEN if (one := ref()) is not None]
    files = runtime.get_instance().uploaded_file_mgr.file_storage  # type: ignore[attr-defined]
    return Counter([*kinds, *("file" for session in files.values() for _ in session)])


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer as the app does, but for two addresses."""
    path = scope["path"] if scope["type"] == "http" else ""
    own = JSONResponse(_held()) if path == "/held" else JSONResponse(_ELSEWHERE) if path == "/elsewhere" else None
    await (own or served)(scope, receive, send)
