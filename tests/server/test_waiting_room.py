"""As many browsers are let in as there are places; active ones and networks with few places come first."""

import asyncio

import pytest
from starlette.responses import PlainTextResponse

from privdemo import limits
from server import waiting_room
from server.waiting_room import COMING, GONE, NOT_BACK, SILENT, WaitingRoom
from tests.server.asking import asking, in_a_loop

ROOM = 10


class Visit:
    """A browser's connection to an app: its messages, and the code with which the app has closed it."""

    def __init__(self, network):
        self.network, self.sent, self.closed = network, asyncio.Queue(), None
        self.sent.put_nowait({"type": "websocket.connect"})

    async def send(self, message):
        if message["type"] == "websocket.close":
            self.closed = message["code"]
            self.leave()

    def say_something(self):
        self.sent.put_nowait({"type": "websocket.receive", "bytes": b"x"})

    def leave(self):
        self.sent.put_nowait({"type": "websocket.disconnect"})


class Door:
    """Return a waiting room with ten places, before an app that sends a page and keeps connections open."""

    def __init__(self):
        self.seconds = 0.0
        self.room = WaitingRoom(self.app, {"voting"}.copy, lambda: self.seconds, {"v1"}.__contains__)
        self.visits = []

    async def app(self, scope, receive, send):
        if scope["type"] == "http":
            await PlainTextResponse("a page")(scope, receive, send)
            return
        while (await receive())["type"] != "websocket.disconnect":
            pass

    async def ask(self, network="10.0.0.1"):
        """Ask for the page; return whether it came."""
        return (await asking(self.room, "/voting", client=network)).status == 200

    async def connect(self, network="10.0.0.1", visit="", says=True):
        """Connect to the app, which is a visit from then on."""
        one = Visit(network)
        protocols = ", ".join(filter(None, ("streamlit", "token", visit)))
        headers = [(b"sec-websocket-protocol", protocols.encode())]
        scope = {"type": "websocket", "path": "/_stcore/stream", "headers": headers, "client": (network, 1)}
        one.task = asyncio.ensure_future(self.room(scope, one.sent.get, one.send))
        if says:
            one.say_something()
        await settle()
        self.visits.append(one)
        return one

    async def fill(self, n, network="10.0.0.1"):
        return [await self.connect(network) for _ in range(n)]

    @property
    def open(self):
        return sum(not one.task.done() for one in self.visits)


async def settle():
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.fixture(autouse=True)
def ten_places(monkeypatch):
    monkeypatch.setattr(limits, "VISITS", limits.Limit("visits", 1, ROOM))


def run(story):
    """Run a coroutine with a new waiting room."""

    async def whole_story():
        door = Door()
        await story(door)
        for one in door.visits:
            one.leave()
            await one.task
        assert not door.room.places, "who leaves holds no place"

    in_a_loop(whole_story())


def test_everybody_comes_in_until_the_places_are_taken():
    async def story(door):
        await door.fill(ROOM - 1)
        assert await door.ask()
        assert not await door.ask(), "the last place is kept for the one who was let in"
        assert (await door.connect()).closed is None
        assert not await door.ask()
        door.visits[0].leave()
        await settle()
        assert await door.ask()

    run(story)


def test_a_browser_that_does_not_connect_loses_its_place():
    async def story(door):
        assert [await door.ask() for _ in range(ROOM + 1)] == [True] * ROOM + [False]
        door.seconds = COMING
        assert await door.ask()

    run(story)


def test_connections_without_a_page_are_refused_where_there_are_far_too_many():
    async def story(door):
        await door.fill(ROOM + 1)
        refused = await door.connect()
        assert (refused.closed, door.open) == (1013, ROOM + 1)
        assert (await door.connect(visit="unknown")).closed == 1013
        assert (await door.connect(visit="v1")).closed is None, "who comes back to a visit is let in"

    run(story)


def test_a_connection_over_which_nothing_comes_is_closed(monkeypatch):
    monkeypatch.setattr(waiting_room, "FIRST_MESSAGE", 0.02)

    async def story(door):
        idle, looks = await door.connect(says=False), await door.connect()
        await asyncio.sleep(0.1)
        assert (idle.closed, looks.closed) == (1013, None)
        assert idle.task.done()

    run(story)


def test_four_hundred_idle_connections_keep_nobody_out(monkeypatch):
    """A client opens many connections without requesting a page: others get in once those are closed."""
    monkeypatch.setattr(waiting_room, "FIRST_MESSAGE", 0.02)

    async def story(door):
        for _ in range(ROOM + 1):
            await door.connect("10.0.0.9", says=False)
        await asyncio.sleep(0.1)
        assert (door.open, await door.ask()) == (0, True)

    run(story)


def test_a_network_with_all_places_gives_one_up_to_another():
    async def story(door):
        for second in range(ROOM):
            door.seconds = second
            await door.fill(1, "10.0.0.9")
        door.visits[0].say_something()
        await settle()
        assert not await door.ask()
        await settle()
        assert [one.closed for one in door.visits[:3]] == [None, 1013, None], "the one that is silent longest"
        assert not await door.ask("10.0.0.9"), "the place is kept"
        assert await door.ask()
        await door.connect()
        assert (await door.connect("10.0.0.9", "v1")).closed == 1013, "nor does it come back at once"
        door.seconds += NOT_BACK
        assert (await door.connect("10.0.0.9", "v1")).closed is None

    run(story)


def test_a_network_that_asks_for_pages_alone_keeps_nobody_out():
    async def story(door):
        assert [await door.ask("10.0.0.9") for _ in range(ROOM + 1)] == [True] * ROOM + [False]
        assert [await door.ask(f"10.0.0.{i}") for i in range(4)] == [True] * 4

    run(story)


def test_where_all_networks_hold_few_only_silent_connections_give_way():
    async def story(door):
        for i in range(ROOM):
            await door.fill(1, f"10.0.1.{i}")
        assert not await door.ask()
        await settle()
        assert door.open == ROOM
        door.seconds = SILENT + 1
        for one in door.visits[1:]:
            one.say_something()
        await settle()
        assert not await door.ask()
        await settle()
        assert [one.closed for one in door.visits[:2]] == [1013, None]
        assert await door.ask()

    run(story)


def test_two_networks_that_hold_half_each_give_way():
    async def story(door):
        for network in ("10.0.0.7", "10.0.0.8"):
            await door.fill(ROOM // 2, network)
        assert not await door.ask()
        await settle()
        assert door.open == ROOM - 1
        assert await door.ask()

    run(story)


def test_one_who_holds_a_place_takes_none_from_a_network_with_two():
    async def story(door):
        for i in range(ROOM // 2):
            await door.fill(2, f"10.0.1.{i}")
        assert not await door.ask("10.0.1.0")
        await settle()
        assert door.open == ROOM

    run(story)


def test_a_network_with_three_places_gives_one_up_to_somebody_with_one():
    async def story(door):
        for network in ("10.0.0.7", "10.0.0.7", "10.0.0.7", *(f"10.0.1.{i}" for i in range(ROOM - 3))):
            await door.fill(1, network)
        assert not await door.ask("10.0.1.0")
        await settle()
        closed = [one.closed for one in door.visits[:4]]  # which of three that came at once is for the clock to say
        assert closed.count(1013) == 1
        assert closed[3] is None

    run(story)


def test_clients_that_connect_again_and_again_do_not_keep_others_out():
    """They send a message every second, hold all places and those beyond, and come back as soon as they are closed."""

    async def story(door):
        for visit in range(ROOM + 1):
            await door.connect("10.0.0.9", f"v{visit}")
        seconds_until_in = None
        for second in range(20):
            door.seconds = second
            for one in [one for one in door.visits if one.closed is not None]:
                door.visits.remove(one)
                await door.connect("10.0.0.9", "v1")
            for one in door.visits:
                one.say_something()
            if second % 5 == 0 and await door.ask():
                seconds_until_in = second
                break
            await settle()
        assert seconds_until_in == 5, "the first try frees places, the second finds one"
        assert (await door.connect()).closed is None

    run(story)


def test_a_free_place_is_kept_for_a_network_that_waits_and_holds_fewer():
    async def story(door):
        for i in range(ROOM // 2):
            await door.fill(2, f"10.0.1.{i}")
        assert not await door.ask("10.0.0.9"), "one network holds only twice as many, but more than twice none"
        await settle()
        assert not await door.ask("10.0.1.4")
        door.seconds += GONE
        assert await door.ask("10.0.1.4"), "who has not tried again is gone"

    run(story)


def test_the_waiting_page_tries_again_and_files_are_sent_to_all():
    async def story(door):
        await door.fill(ROOM)
        waiting = await asking(door.room, "/voting", client="10.0.0.1")
        assert (waiting.status, waiting.headers["refresh"]) == (503, "5")
        assert "This page tries again every 5 seconds." in waiting.text
        assert (await asking(door.room, "/static/js/x.js")).text == "a page"

    run(story)
