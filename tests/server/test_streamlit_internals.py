"""A test for each private member of Streamlit that is used: it fails when Streamlit changes that member."""

import asyncio
import json
import logging
import threading
from types import SimpleNamespace

import pytest
from streamlit import runtime
from streamlit.components.v2.bidi_component import main as components
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.session_manager import SessionClientDisconnectedError
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import SessionState
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.testing.v1 import AppTest

from server import streamlit_internals as internals
from tests.server.asking import in_a_loop


class Client(internals._NoClient):
    """A browser that records what it is sent, until it disconnects."""

    def __init__(self):
        self.received, self.is_gone = [], False

    def write_forward_msg(self, msg):
        if self.is_gone:
            raise SessionClientDisconnectedError
        self.received.append(msg)


@pytest.fixture
def server(tmp_path, monkeypatch):
    """Return a Streamlit server whose script writes the value of a key of its state."""
    script = tmp_path / "script.py"
    script.write_text("import streamlit as st\nst.text(st.session_state.get('key', 'nothing'))\n")
    monkeypatch.setattr(Runtime, "_instance", None)
    uploads = MemoryUploadedFileManager("/_stcore/upload_file")
    yield Runtime(RuntimeConfig(str(script), MemoryMediaFileStorage("/media"), uploads))
    Runtime._instance = None


def during(server, story):
    """Run a coroutine while the server runs."""

    async def both():
        await server.start()
        try:
            return await story()
        finally:
            server.stop()
            await server.stopped

    return in_a_loop(both())


def test_streamlit_does_not_warn_a_thread_that_runs_no_script_and_says_so(caplog, monkeypatch):
    monkeypatch.setattr(runtime, "exists", lambda: True)
    logger = logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context")
    monkeypatch.setattr(logger, "propagate", True)
    logger.addHandler(caplog.handler)
    try:
        with internals.outside_of_scripts():
            internals.get_script_run_ctx()
            assert not caplog.records
            other = threading.Thread(target=internals.get_script_run_ctx)
            other.start()
            other.join()
        n = len(caplog.records)
        assert n, "another thread is warned all the same"
        internals.get_script_run_ctx()
        assert len(caplog.records) > n
    finally:
        logger.removeHandler(caplog.handler)


def test_the_public_members_that_are_relied_on_are_there():
    assert (internals.static_folder() / "index.html").is_file()
    assert internals.MAX_LINK_SETTINGS >= 100


def test_sessions_are_those_that_are_connected_and_those_that_may_come_back(server):
    async def story():
        stays, leaves = (server.connect_session(Client(), {}) for _ in range(2))
        assert set(internals.sessions(server)) == {stays, leaves}
        server.disconnect_session(leaves)
        assert (internals.is_connected(stays), internals.is_connected(leaves)) == (True, False)
        return set(internals.sessions(server)) == {stays, leaves}

    assert during(server, story)


def test_the_address_of_a_browser_is_known_to_its_script_also_if_it_is_a_loopback_one(server, monkeypatch):
    class Connected(Client):
        client_context = SimpleNamespace(remote_ip="127.0.0.1")

    async def story():
        found = []
        for client in (Connected(), Client()):
            context = SimpleNamespace(session_id=server.connect_session(client, {}))
            monkeypatch.setattr(internals, "get_script_run_ctx", lambda context=context, **_: context)
            found.append(internals.client_address())
        return found

    assert internals.client_address() == ""
    assert during(server, story) == ["127.0.0.1", ""]


def test_a_session_is_given_a_value_from_outside_and_runs_again(server):
    async def story():
        client = Client()
        session = server.connect_session(client, {})
        internals.rerun_with(session, "key", "a refusal")
        internals.rerun_with("nobody", "key", "is there")
        for _ in range(200):
            await asyncio.sleep(0.02)
            if any("a refusal" in str(message.delta) for message in client.received):
                return True
        return False

    assert during(server, story)


def test_the_last_session_is_let_go_without_leaving_another(server):
    async def story():
        await internals.release_last_session(server, 0.01)
        return internals.sessions(server)

    assert during(server, story) == {}


def test_uploads_are_those_of_each_session(server):
    manager = server.uploaded_file_mgr
    manager.add_file("one", UploadedFileRec("id", "a.csv", "text/csv", b"123"))
    assert internals.uploads(server)["one"]["id"].data == b"123"
    internals.drop_upload(server, "one", "id")
    assert not internals.uploads(server).get("one")


def test_a_server_that_ends_while_a_thread_looks_for_it_is_none(monkeypatch):
    monkeypatch.setattr(runtime, "exists", lambda: True)  # it was there a moment ago
    monkeypatch.setattr(Runtime, "_instance", None)
    assert internals.running_server() is None
    assert not internals.is_connected("somebody")


def test_outside_of_a_script_there_is_no_session_and_nothing_to_drop():
    assert internals.session_name() == ""
    internals.drop_own_uploads()
    assert not runtime.exists() or not internals.is_connected("nobody")


def script_of_uploads():
    import streamlit as st
    from streamlit.runtime.uploaded_file_manager import UploadedFileRec

    from server import streamlit_internals as internals

    manager = st.runtime.scriptrunner.get_script_run_ctx().uploaded_file_mgr
    mine = internals.session_name()
    for name in "abc":
        manager.add_file(mine, UploadedFileRec(name, name, "text/csv", b""))
    held = internals.uploads(type("Server", (), {"uploaded_file_mgr": manager}))
    st.session_state["all"] = sorted(held[mine])
    internals.drop_own_uploads("a")
    st.session_state["one less"] = sorted(manager.file_storage[mine])
    internals.drop_own_uploads()
    st.session_state["none"] = sorted(manager.file_storage.get(mine, {}))


def test_a_script_drops_its_own_uploads():
    at = AppTest.from_function(script_of_uploads).run()
    assert not at.exception
    assert [at.session_state[key] for key in ("all", "one less", "none")] == [["a", "b", "c"], ["b", "c"], []]


def script_of_an_address():
    import streamlit as st

    from server import streamlit_internals as internals

    st.session_state["back"] = internals.is_history_navigation()
    internals.set_in_address({"text": ["put"], "b": ["1", "2"], "a": []})
    st.session_state["read"] = {key: st.query_params.get_all(key) for key in st.query_params}
    if st.session_state.get("again"):
        del st.session_state["again"]
        st.rerun()


@pytest.mark.parametrize("again", [False, True])
def test_an_address_that_is_set_is_read_in_this_run_and_after_a_rerun(again):
    at = AppTest.from_function(script_of_an_address)
    at.query_params.update({"a": "1", "kept": "x"})
    at.session_state["again"] = again
    at.run()
    assert at.session_state["read"] == {"kept": ["x"], "text": ["put"], "b": ["1", "2"]}
    assert dict(at.query_params) == {"kept": "x", "text": "put", "b": ["1", "2"]}
    assert at.session_state["back"] is False


def test_a_switch_to_another_page_sends_nothing_on_the_address_of_the_page_that_is_left(monkeypatch):
    sent = []
    context = SimpleNamespace(_enqueue=sent.append)

    def switch(page):
        """Send what Streamlit does before a switch, and what else may be sent meanwhile."""
        for kind in ("page_info_changed", "session_event"):
            message = ForwardMsg()
            getattr(message, kind).SetInParent()
            context._enqueue(message)
        raise KeyboardInterrupt(page)

    monkeypatch.setattr(internals, "get_script_run_ctx", lambda: context)
    monkeypatch.setattr(internals.st, "switch_page", switch)
    with pytest.raises(KeyboardInterrupt, match="there"):
        internals.switch_page("there")
    assert [message.WhichOneof("type") for message in sent] == ["session_event"]
    assert context._enqueue == sent.append


def script_of_a_hidden_container():
    import streamlit as st

    from server import streamlit_internals as internals

    seen = [internals.is_hidden()]
    with internals.hidden_container():
        seen.append(internals.is_hidden())
        st.text("hidden")
    with st.container():
        seen.append(internals.is_hidden())
        st.text("shown")
    st.session_state["seen"] = seen


def test_what_is_rendered_in_a_hidden_container_is_not_sent():
    at = AppTest.from_function(script_of_a_hidden_container).run()
    assert not at.exception
    assert at.session_state["seen"] == [False, True, False]
    assert [text.value for text in at.text] == ["shown"]


def test_a_components_values_are_read_as_they_are_unless_an_event_came_along(monkeypatch):
    monkeypatch.setattr(
        components, "make_bidi_component_presenter", components.make_bidi_component_presenter
    )  # put back after the test
    as_streamlit = components.make_bidi_component_presenter("events", "component", {"level"})
    internals.avoid_component_proxy_classes()
    state = SessionState()
    state._new_widget_state.set_widget_metadata(
        WidgetMetadata("events", deserializer=json.loads, serializer=json.dumps, value_type="json_trigger_value")
    )
    read = components.make_bidi_component_presenter("events", "component", {"level"})
    assert read(held := {"level": 1}, state) is held
    assert as_streamlit(held, state) is not held, "Streamlit makes a proxy; without one this patch can go"
    state._new_widget_state.set_from_value("events", [{"event": "move", "value": "next"}])
    assert read(held, state) == {"level": 1, "move": "next"}
