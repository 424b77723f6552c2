"""When visits end, and what is deleted with them."""

import asyncio
from dataclasses import replace
from types import SimpleNamespace

import pytest
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFile, UploadedFileRec

from privdemo import limits
from server import visits
from server.visits import ENDED_AFTER, MOST_ENDED, DisconnectedVisits
from tests.server.asking import in_a_loop


class Session:
    def __init__(self, name):
        self.id, self.session_state = name, {"own_data": 1}


class Server:
    """A server with visits, some of which are connected."""

    def __init__(self, *names):
        self.sessions, self.connected, self._session_mgr = {name: Session(name) for name in names}, set(names), self

    def list_sessions(self):
        return [SimpleNamespace(session=session) for session in self.sessions.values()]

    def is_active_session(self, name):
        return name in self.connected

    def close_session(self, name):
        del self.sessions[name]


def test_a_file_is_taken_once(monkeypatch):
    state = {}
    monkeypatch.setattr(visits.st, "session_state", state)
    assert visits.pop_upload("key") is None
    state["key"] = UploadedFile(UploadedFileRec("id", "a.csv", "text/csv", b"1"), FileURLs())
    assert visits.pop_upload("key") == (b"1", "a.csv")
    state["key"] = DeletedFile("id")
    assert visits.pop_upload("key") is None


def test_a_visit_ends_after_a_break_that_is_too_long_and_holds_nothing_then(monkeypatch):
    now, left, collected = [0.0], [], []
    monkeypatch.setattr(visits.gc, "collect", lambda: collected.append(now[0]))
    disconnected, server = DisconnectedVisits(lambda: now[0]), Server("a", "b")
    disconnected.note_upload("a")
    session = server.sessions["a"]
    for t, connected, gone in (
        (0, "ab", []),
        (1, "b", []),
        (ENDED_AFTER, "b", []),
        (ENDED_AFTER + 0.5, "ab", []),
        (ENDED_AFTER + 1, "b", []),
        (2 * ENDED_AFTER + 1, "b", ["a"]),
    ):
        now[0], server.connected = t, set(connected)
        assert disconnected.end_disconnected(server, left.append) == gone
    assert (left, set(server.sessions), session.session_state) == (["a"], {"b"}, {})
    assert collected == [now[0]]
    now[0] += 1
    disconnected.end_disconnected(server, left.append)
    assert len(collected) == 2, "something still holds the visit"
    del session
    now[0] += 1
    disconnected.end_disconnected(server, left.append)
    assert len(collected) == 2
    disconnected.collect_soon()
    disconnected.end_disconnected(server, left.append)
    assert len(collected) == 3


def test_of_many_who_have_left_a_few_are_ended_at_a_time():
    now, names = [0.0], {str(i) for i in range(MOST_ENDED + 2)}
    disconnected, server = DisconnectedVisits(lambda: now[0]), Server(*names)
    server.connected = set()
    disconnected.end_disconnected(server, [].append)
    now[0] = ENDED_AFTER
    assert [len(disconnected.end_disconnected(server, names.remove)) for _ in range(3)] == [MOST_ENDED, 2, 0]
    assert not names


def test_what_a_visitor_held_is_gone_ten_seconds_after_leaving(monkeypatch):
    """With the real times: the check, the time until a visit ends, and two collections, as one may be too early."""
    now, collected = [0.0], []
    monkeypatch.setattr(visits.gc, "collect", lambda: collected.append(now[0]))
    disconnected, server = DisconnectedVisits(lambda: now[0]), Server("a")
    disconnected.note_upload("a")
    held = server.sessions["a"]
    disconnected.end_disconnected(server, [].append)
    server.connected = set()
    while len(collected) < 2:
        now[0] += visits.CHECK_EVERY + visits.CHECK_EVERY / 4  # one at which a visit ends takes that much longer
        assert now[0] <= 10, "docs/serving.md promises ten seconds"
        disconnected.end_disconnected(server, [].append)
    assert not held.session_state


def test_nothing_is_looked_for_of_a_visitor_who_brought_nothing(monkeypatch):
    """With two hundred other visits a check takes a tenth of a second, during which no request is answered."""
    now, collected = [0.0], []
    monkeypatch.setattr(visits.gc, "collect", lambda: collected.append(now[0]))
    disconnected, server = DisconnectedVisits(lambda: now[0]), Server("a")
    held = server.sessions["a"]
    disconnected.end_disconnected(server, [].append)
    server.connected, now[0] = set(), 1.0
    disconnected.end_disconnected(server, [].append)
    now[0] += ENDED_AFTER
    assert disconnected.end_disconnected(server, [].append) == ["a"]
    assert not held.session_state
    assert not collected


def test_the_timer_goes_on_after_it_has_ended_visits(monkeypatch):
    monkeypatch.setattr(visits, "CHECK_EVERY", 0.001)
    ended = [["first"], [], ["second"]]

    def end_disconnected(*_):
        if not ended:
            raise asyncio.CancelledError  # which ends the timer
        return ended.pop(0)

    async def release(*_):
        pass

    monkeypatch.setattr(visits, "DISCONNECTED", SimpleNamespace(end_disconnected=end_disconnected))
    monkeypatch.setattr(visits, "UnreadUploads", lambda: SimpleNamespace(delete_unread=lambda _: None))
    monkeypatch.setattr(visits, "release_last_session", release)
    monkeypatch.setattr(visits.runtime, "get_instance", lambda: None)
    with pytest.raises(asyncio.CancelledError):
        in_a_loop(asyncio.wait_for(visits.forget_ended([].append), 5))
    assert not ended


def test_the_timer_drops_files_that_no_page_has_read(monkeypatch):
    monkeypatch.setattr(limits, "UNREAD_SECONDS", replace(limits.UNREAD_SECONDS, high=0))
    monkeypatch.setattr(visits, "CHECK_EVERY", 0.001)
    server, dropped = Server("a"), []

    def remove_file(*file):
        dropped.append(file)
        raise asyncio.CancelledError  # which ends the timer

    server.uploaded_file_mgr = SimpleNamespace(file_storage={"a": {"file": None}}, remove_file=remove_file)
    monkeypatch.setattr(visits.runtime, "get_instance", lambda: server)
    with pytest.raises(asyncio.CancelledError):
        in_a_loop(asyncio.wait_for(visits.forget_ended([].append), 5))
    assert dropped == [("a", "file")]
