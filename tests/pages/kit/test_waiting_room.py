"""Where there are too many visits newcomers wait, in their order."""

import re

import pytest
from starlette.responses import PlainTextResponse

from pages.kit.waiting_room import COMING, GONE, WaitingRoom
from privdemo import limits
from tests.pages.kit.asking import ask, in_a_loop


class Now:
    visits, seconds = 0, 0.0


@pytest.fixture
def now(monkeypatch):
    monkeypatch.setattr(limits, "VISITS", limits.Limit("visits", 1, 10))
    monkeypatch.setattr(limits, "WAITING", limits.Limit("waiting", 1, 6))
    return Now()


@pytest.fixture
def room(now):
    async def app(scope, receive, send):
        """Streamlit's part: a page, or a connection, which is a visit after the handshake."""
        if scope["type"] == "http":
            await PlainTextResponse("a page")(scope, receive, send)
            return
        await receive()
        await send({"type": "websocket.accept"})
        now.visits += 1
        await receive()

    return WaitingRoom(app, {"voting"}.copy, lambda: now.visits, lambda: now.seconds, {"v1"}.__contains__)


def connect(room, protocols="streamlit, token"):
    """Connect to the app; whether that was refused."""
    sent = []

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message["type"])

    headers = [(b"sec-websocket-protocol", protocols.encode())]
    in_a_loop(room({"type": "websocket", "path": "/_stcore/stream", "headers": headers}, receive, send))
    return sent == ["websocket.close"]


def come(room, name="", whence="127.0.0.1"):
    answer = ask(room, "/voting", cookie=f"privdemo_waits={room.signed(name)}" if name else "", client=whence)
    return "in" if answer.status == 200 else int(answer.text.split("You are number ")[1].split(" ")[0])


def test_up_to_the_bound_everybody_comes_in(room, now):
    now.visits = 9
    assert come(room, "a") == "in"
    now.visits = 10
    assert come(room, "b") == 1


def test_all_who_come_at_once_are_counted_before_they_have_connected(room, now):
    now.visits = 8
    assert [come(room, name) for name in "abcd"] == ["in", "in", 1, 2]
    assert not connect(room)
    assert room.waiting.keys() == {room.signed("c"), room.signed("d")}
    assert (now.visits, len(room.coming), come(room, "c")) == (9, 1, 1)
    now.seconds = COMING  # the other one never came
    assert [come(room, name) for name in "cd"] == ["in", 1]


def test_who_skips_the_page_is_refused_where_there_are_far_too_many(room, now):
    now.visits = 10
    assert [connect(room), connect(room), connect(room, "streamlit, token, unknown")] == [False, True, True]
    assert not connect(room, "streamlit, token, v1")  # comes back to a visit
    assert now.visits == 12


def test_who_waits_longest_comes_in_first(room, now):
    now.visits = 10
    assert [come(room, name) for name in "abc"] == [1, 2, 3]
    now.visits = 9
    assert [come(room, name) for name in "ba"] == [2, "in"]


def test_who_has_gone_away_holds_nobody_up(room, now):
    now.visits = 10
    come(room, "a")
    now.seconds, now.visits = GONE, 9
    assert come(room, "b") == "in"


def test_more_than_can_be_counted_wait_as_well(room, now):
    now.visits = 10
    assert [come(room, name) for name in "abcdea"] == [1, 2, 3, 4, 4, 1], "half of the line"
    assert [come(room, name, "10.0.0.7") for name in "fghij"] == [4, 5, 6, 7, 7]


def test_one_network_that_asks_for_pages_alone_closes_the_door_to_nobody(room, now):
    assert [come(room) for _ in range(7)] == ["in"] * 5 + [1, 1], "half of those who may be there"
    assert not room.waiting, "and none of them stands in the line"
    answer = ask(room, "/voting")
    assert "5 people have just been let in from your network" in answer.text
    assert come(room, whence="10.0.0.7") == "in"
    (name,) = re.findall(r"privdemo_waits=(\w+)\.\w+;", answer.headers["set-cookie"])
    assert come(room, name) == 1, "in that network also who waits,"
    now.seconds = COMING
    assert [come(room) for _ in range(5)] == ["in"] * 4 + [2], "but before those who come later"
    assert come(room, name) == "in"


def test_invented_names_have_no_place_in_the_line(room, now):
    now.visits = 10
    for i in range(20):
        assert ask(room, "/voting", cookie=f"privdemo_waits={i}.é").status == 503
    assert not room.waiting
    now.visits = 0
    assert [ask(room, "/voting", cookie=f"privdemo_waits={i}").status for i in range(6)] == [200] * 5 + [503]
    assert come(room, whence="10.0.0.7") == "in"


def test_names_that_one_network_collects_close_the_door_to_no_other(room, now, monkeypatch):
    monkeypatch.setattr(limits, "WAITING", limits.Limit("waiting", 1, 40))
    names = [str(i) for i in range(30)]
    now.visits = 10
    assert [come(room, name) for name in names][-1] == len(room.waiting) + 1 == 21, "half of the line"
    now.visits = 0
    assert come(room, whence="10.0.0.7") == "in", "past those who wait, for whom five places are kept"
    assert [come(room, name) for name in names].count("in") == 5
    assert [come(room, whence=f"10.0.0.{i}") for i in (8, 9, 10, 11)] == ["in"] * 4
    answer = ask(room, "/voting", client="10.0.0.12")
    assert "0 people look at privdemo now, and 10 have just been let in: as many as" in answer.text
    now.seconds = COMING
    answer = ask(room, "/voting")
    assert "0 people have just been let in from your network, and 20 have waited longer: as many" in answer.text
    now.visits = 6
    answer = ask(room, "/voting", client="10.0.0.12")
    assert "6 people look at privdemo now, and 5 have waited longer: as many" in answer.text


def test_the_light_page_tries_again_and_files_are_sent_to_all(room, now):
    now.visits = 10
    waiting = ask(room, "/voting")
    assert (waiting.status, waiting.headers["refresh"]) == (503, "5")
    assert "10 people look at privdemo now: as many as this server can serve." in waiting.text
    assert ask(room, "/static/js/x.js").text == "a page"
