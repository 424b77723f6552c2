"""Limits of uploads: for a visit, for all visits, and for how long a file may stay unread."""

import asyncio
from dataclasses import replace
from types import SimpleNamespace

import pytest
from starlette.requests import ClientDisconnect
from streamlit.runtime.state import SessionState

from privdemo import limits
from server import uploads
from server.uploads import UnreadUploads, Uploads
from tests.server.asking import in_a_loop


class Manager:
    def __init__(self, **files):
        self.file_storage = {
            visit: {str(i): SimpleNamespace(data=bytes(n)) for i, n in enumerate(sizes)}
            for visit, sizes in files.items()
        }

    def remove_file(self, visit, file):
        del self.file_storage[visit][file]


@pytest.fixture
def holds(monkeypatch):
    """Make the server hold files of these sizes."""

    def so(**files):
        server = SimpleNamespace(uploaded_file_mgr=Manager(**files), get_app_session=sessions.get)
        monkeypatch.setattr(uploads.runtime, "get_instance", lambda: server)

    sessions = {}
    so()
    so.sessions = sessions
    return so


async def put(guard, visit, size=10, said=True, receive=None):
    """Return the status and the text of the response to an upload."""
    answer = []

    async def send(message):
        answer.append(message)

    length = [(b"content-length", str(size).encode())] if said else []
    path = f"/_stcore/upload_file/{visit}/some-file"
    await guard({"type": "http", "method": "PUT", "path": path, "headers": length}, receive, send)
    return (answer[0]["status"], answer[1]["body"].decode()) if answer else (200, "")


def guarded(seconds=0.0):
    """Return the middleware before an app that takes so many seconds and sends nothing."""

    async def app(scope, receive, send):
        await asyncio.sleep(seconds)

    return Uploads(app)


def test_a_visit_may_have_so_many_files(holds):
    holds(me=[1, 1], you=[1])
    assert in_a_loop(put(guarded(), "me")) == (503, "This visit has 2 files under way, as many as it may.")
    assert in_a_loop(put(guarded(), "you")) == (200, "")


def test_the_page_is_asked_once_to_say_why_and_the_log_says_nothing(holds, caplog):
    reruns = []
    session = SimpleNamespace(session_state=SessionState(), request_rerun=reruns.append, _client_state="as it was")
    holds.sessions["me"] = session
    holds(me=[1, 1])
    for _ in range(2):
        in_a_loop(put(guarded(), "me"))
    assert reruns == ["as it was"]
    assert session.session_state.filtered_state == {
        uploads.REFUSAL: "This visit has 2 files under way, as many as it may."
    }
    assert not caplog.records


def test_files_that_arrive_count_and_no_longer_when_they_have(holds):
    async def several():
        guard = guarded(0.01)
        together = await asyncio.gather(*(put(guard, "me") for _ in range(3)))
        return [status for status, _ in [*together, await put(guard, "me")]]

    assert in_a_loop(several()) == [200, 200, 503, 200]


@pytest.mark.parametrize(("size", "said", "status"), [(50, True, 200), (51, True, 503), (1, False, 503)])
def test_all_visits_together_may_have_so_many_bytes(holds, monkeypatch, size, said, status):
    monkeypatch.setattr(limits, "UPLOAD_BYTES", replace(limits.UPLOAD_BYTES, high=100))
    holds(a=[20], b=[30])
    found, words = in_a_loop(put(guarded(), "me", size, said))
    assert found == status
    assert ("try again in a minute" in words) == (status == 503)


def test_a_file_too_large_is_refused_before_it_arrives(holds):
    assert in_a_loop(put(guarded(), "me", 500_000_000)) == (
        413,
        "This file has 500,000,000 bytes, and 20,000,000 are allowed.",
    )
    assert in_a_loop(put(guarded(), "me", 20_000_000))[0] == 200


async def reading(scope, receive, send):
    """An app that reads the whole request."""
    while (await receive())["more_body"]:
        pass


def arriving(*parts):
    """Return a `receive` that sends parts of these sizes and then nothing more; None disconnects."""
    left = [*parts]

    async def receive():
        if not left:
            await asyncio.sleep(30)
        if (size := left.pop(0)) is None:
            raise ClientDisconnect
        return {"type": "http.request", "body": bytes(size), "more_body": True}

    return receive


def test_only_bytes_that_have_arrived_count_and_they_must_go_on_arriving(holds, monkeypatch):
    monkeypatch.setattr(limits, "UPLOAD_BYTES", replace(limits.UPLOAD_BYTES, high=100))
    monkeypatch.setattr(limits, "UPLOAD_PAUSE", replace(limits.UPLOAD_PAUSE, high=0.02))
    guard = Uploads(reading)

    async def several():
        sent = [(90, [10]), (90, [10]), (50, [10, 60, 60]), (50, [10, None])]  # the third brings more than it said
        work = (put(guard, f"{n}", size, receive=arriving(*parts)) for n, (size, parts) in enumerate(sent))
        return await asyncio.gather(*work)

    stopped = (408, "This file has stopped arriving.")
    assert in_a_loop(several()) == [stopped, stopped, (503, uploads._FULL), (200, "")], "the last has no answer"
    assert (guard._bytes, +guard._arriving) == (0, {})


def test_a_file_that_does_not_arrive_is_given_up(holds, monkeypatch):
    monkeypatch.setattr(limits, "UPLOAD_SECONDS", replace(limits.UPLOAD_SECONDS, high=0.01))
    assert in_a_loop(put(guarded(30), "me")) == (408, "This file took too long to arrive.")


def test_what_no_page_has_read_within_a_minute_is_dropped():
    now = [0.0]
    unread, manager = UnreadUploads(lambda: now[0]), Manager(me=[1], you=[1, 1])
    unread.delete_unread(SimpleNamespace(uploaded_file_mgr=manager))
    manager.remove_file("you", "1")
    for t, left in ((59, 1), (61, 0)):
        now[0] = t
        unread.delete_unread(SimpleNamespace(uploaded_file_mgr=manager))
        assert [len(files) for files in manager.file_storage.values()] == [left, left]
