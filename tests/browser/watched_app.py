"""The app as it is served, and an address that says what it holds of its visitors: `uvicorn` runs it for a test."""

from __future__ import annotations

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


def _noted(function: Any, *, first: Any) -> Any:
    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        _note(first(*args))
        return function(*args, **options)

    return call


def _all_of(own: own_data.Reading) -> tuple[Any, ...]:
    """A visitor's own data, and the visit itself."""
    context = get_script_run_ctx()
    assert context
    read = (own.answers,) if isinstance(own, own_data.OwnAnswers) else (own.records, own.binary)
    return own, *read, runtime.get_instance().get_app_session(context.session_id)


own_data_input.store_reading = _noted(own_data.store_reading, first=_all_of)
own_data.store_result = _noted(own_data.store_result, first=lambda key, kept: kept)
visits.take_upload = _noted(visits.take_upload, first=st.session_state.get)


def _held() -> dict[str, int]:
    """How much of each kind is still there, and the files that the server keeps."""
    kinds = [type(one).__name__ for ref in _SEEN if (one := ref()) is not None]
    files = runtime.get_instance().uploaded_file_mgr.file_storage  # type: ignore[attr-defined]
    return Counter([*kinds, *("file" for session in files.values() for _ in session)])


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer as the app does, but for one address."""
    here = scope["type"] == "http" and scope["path"] == "/held"
    await (JSONResponse(_held()) if here else served)(scope, receive, send)
