"""Members of Streamlit that are not part of its public interface; nothing else in the project uses any.

tests/server/test_streamlit_internals.py has a test for each, which fails when Streamlit changes it.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlencode

import streamlit as st
from streamlit import runtime
from streamlit.components.v2.bidi_component import main as components
from streamlit.delta_generator import DeltaGenerator
from streamlit.delta_generator_singletons import context_dg_stack
from streamlit.file_util import get_static_dir
from streamlit.navigation.page import StreamlitPage
from streamlit.proto.BackMsg_pb2 import BackMsg as BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState as WidgetState
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.session_manager import SessionClient
from streamlit.runtime.state import get_session_state
from streamlit.runtime.state.query_params import CLIENT_STATE_QUERY_STRING_MAX_FIELDS

MAX_LINK_SETTINGS = CLIENT_STATE_QUERY_STRING_MAX_FIELDS
"""As many settings of a link are read; of one with more, none."""


def static_folder() -> Path:
    """Return the folder of the files that Streamlit sends to browsers."""
    return Path(get_static_dir())


# --- sessions ------------------------------------------------------------------------------------


def running_server() -> runtime.Runtime | None:
    """Return the server of this process, or None if it has none, or none any more.

    `runtime.exists` and then `runtime.get_instance` would fail in a thread if the server ends in between.
    """
    try:
        return runtime.get_instance()
    except RuntimeError:
        return None


def sessions(server: runtime.Runtime) -> dict[str, Any]:
    """Return every session of a server by its name, also one whose browser has lost its connection."""
    return {info.session.id: info.session for info in server._session_mgr.list_sessions()}


def session_name() -> str:
    """Return the name of the session whose script is running; empty outside of a script."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def client_address() -> str:
    """Return the address from which the browser of the running script is connected; empty where there is none.

    The public way says None of a loopback address as well as where no browser is connected.
    """
    context = get_script_run_ctx(suppress_warning=True)
    server = running_server()
    client = server.get_client(context.session_id) if context and server else None
    connection = client.client_context if client else None
    return (connection.remote_ip or "") if connection else ""


def is_connected(session: str) -> bool:
    """Return whether a session's browser is connected at this moment."""
    server = running_server()
    return server is not None and server.is_active_session(session) is True


@contextmanager
def outside_of_scripts() -> Iterator[None]:
    """Have Streamlit not warn that this thread runs no script, as a download that is made on a click does.

    Without this each look at the session's state, which is empty there, is a line of the log.
    """
    log, here = logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context"), threading.get_ident()

    def is_of_another_thread(record: logging.LogRecord) -> bool:
        return record.thread != here

    log.addFilter(is_of_another_thread)
    try:
        yield
    finally:
        log.removeFilter(is_of_another_thread)


def rerun_with(session: str, key: str, value: object) -> None:
    """Set a key of a session's state from outside of its script, unless it is set, and have the script run again."""
    found = runtime.get_instance().get_app_session(session)
    if found and key not in found.session_state:
        # The public way would write a warning into the log: it is for scripts.
        found.session_state._new_session_state[key] = value
        found.request_rerun(found._client_state)


class _NoClient(SessionClient):
    """A client that ignores what is sent to it."""

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        """Ignore the message."""

    @property
    def client_context(self) -> None:
        """Return nothing: no browser is connected."""


async def release_last_session(server: runtime.Runtime, seconds: float) -> None:
    """Make Streamlit release a session that has ended: its loop refers to the last one that it served."""
    name = server.connect_session(_NoClient(), {})
    server.handle_backmsg(name, BackMsg(set_run_on_save=False))
    await asyncio.sleep(seconds)
    server.close_session(name)


# --- uploads -------------------------------------------------------------------------------------


def uploads(server: runtime.Runtime) -> dict[str, dict[str, Any]]:
    """Return the uploaded files that a server holds, by the session and the file's name in it."""
    files: dict[str, dict[str, Any]] = getattr(server.uploaded_file_mgr, "file_storage", {})
    return {session: dict(each) for session, each in list(files.items())}


def drop_upload(server: runtime.Runtime, session: str, file: str) -> None:
    """Delete a file that a session has uploaded."""
    server.uploaded_file_mgr.remove_file(session, file)  # type: ignore[attr-defined]


def drop_own_uploads(file: str = "") -> None:
    """Delete a file, or all, that the session whose script is running has uploaded."""
    if context := get_script_run_ctx(suppress_warning=True):
        if file:
            context.uploaded_file_mgr.remove_file(context.session_id, file)  # type: ignore[attr-defined]
        else:
            context.uploaded_file_mgr.remove_session_files(context.session_id)


# --- the address of a page -----------------------------------------------------------------------


def is_history_navigation() -> bool:
    """Return whether this run of the script follows the browser's back or forward button."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def set_in_address(values: Mapping[str, list[str]]) -> None:
    """Set texts in the address as this run and its reruns read it; the browser gets no message.

    A key without texts is removed.

    The public way, `st.query_params`, sends the whole address for each key, and adds an entry to the browser's history.
    """
    with get_session_state().query_params() as parameters:
        for key, texts in values.items():
            parameters.discard_param_no_forward_msg(key)
            if texts:
                parameters.set_with_no_forward_msg(key, texts if len(texts) > 1 else texts[0])
        if context := get_script_run_ctx():
            context.query_string = urlencode(parameters._query_params, doseq=True)  # for `st.rerun`


def switch_page(page: StreamlitPage) -> NoReturn:
    """Switch to another page, as `st.switch_page` does; the browser's history gets an entry for that page alone.

    Streamlit first clears the parameters in the address of the page that is left, which adds an entry for it as well:
    here the browser gets no message of that.
    """
    context = get_script_run_ctx()
    assert context is not None, "a script is running"
    send = context._enqueue
    context._enqueue = lambda message: None if message.HasField("page_info_changed") else send(message)
    try:
        st.switch_page(page)
    finally:
        context._enqueue = send


# --- rendering -----------------------------------------------------------------------------------


def hidden_container() -> DeltaGenerator:
    """Return a container of which nothing is sent to the browser."""
    return DeltaGenerator(root_container=None)


def is_hidden() -> bool:
    """Return whether what is rendered now is within a hidden container."""
    return context_dg_stack.get()[-1]._root_container is None


def avoid_component_proxy_classes() -> None:
    """Have a component's values read as they are, unless its browser has just sent an event along.

    Streamlit defines a class at each read, which writes through to the component: ten classes a run for a number box,
    which are never written to, and which only the garbage collector can free. They were five sixths of all garbage.
    """
    components.make_bidi_component_presenter = _read_as_they_are(components.make_bidi_component_presenter)


def _read_as_they_are(make: Callable[..., Callable[[Any, Any], Any]]) -> Callable[..., Callable[[Any, Any], Any]]:
    """Return a maker of readers that use those of `make` only for a component that sends an event."""

    def make_reader(events: str, *others: Any) -> Callable[[Any, Any], Any]:
        present = make(events, *others)

        def read(value: Any, state: Any) -> Any:
            return present(value, state) if state._new_widget_state.get(events) else value

        return read

    return make_reader
