"""Visitors without a browser: they speak to a running app as Streamlit's own page does, over its WebSocket."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

PATIENCE = 120.0
_DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


class Visitor:
    """One who looks at a page and changes its controls, which are named by their keys."""

    def __init__(self, address: str, page: str, query: str = "", cookie: str = "") -> None:
        self.host, self.page, self.query = address.removeprefix("http://"), page, query
        self.cookie = cookie
        self.widgets: dict[str, str] = {}
        self.values: dict[str, Any] = {}
        self.received = 0
        # What the server calls the page, once the visitor is there.
        self.place = ""
        # The part of the page that alone runs again after a change of a widget, by the widget's key.
        self.fragments: dict[str, str] = {}
        # Seconds after which parts of the page are to run again by themselves, by the part.
        self.polls: dict[str, float] = {}
        self.socket: ClientConnection

    async def open(self) -> float:
        """Come to the page; seconds until it is drawn."""
        start = time.perf_counter()
        self.socket = await connect(
            f"ws://{self.host}/_stcore/stream",
            subprotocols=["streamlit"],  # type: ignore[list-item]
            origin=f"http://{self.host}",  # type: ignore[arg-type]
            additional_headers={"Cookie": self.cookie} if self.cookie else None,
            max_size=None,
            ping_interval=None,
        )
        assert self.socket.response is not None
        self.cookie = self.socket.response.headers.get("Set-Cookie", self.cookie).partition(";")[0]
        await self._run()
        return time.perf_counter() - start

    async def change(self, key: str, value: float, whole: bool = False) -> float:
        """Set a number; seconds until the page is up to date, its part around the number, or the `whole` of it."""
        start = time.perf_counter()
        self.values[key] = value
        await self._run("" if whole else self.fragments[key])
        return time.perf_counter() - start

    async def press(self, key: str) -> None:
        """Press a button, and wait until the page is up to date."""
        await self._run(pressed=self.widgets[key])

    async def again(self) -> None:
        """Have the whole page run again."""
        await self._run()

    async def end_of_polls(self) -> None:
        """Wait until everything that the page makes in the background is there."""
        await self.follow(time.perf_counter() + PATIENCE, [])

    async def follow(self, until: float, waits: list[float]) -> None:
        """Look again at what is under way as often as the page asks for it, until it has ended."""
        while self.polls and time.perf_counter() < until:
            fragment, seconds = next(iter(self.polls.items()))
            await asyncio.sleep(seconds)
            start = time.perf_counter()
            await self._run(fragment)
            waits.append(time.perf_counter() - start)

    async def leave(self) -> None:
        """Close the page."""
        await self.socket.close()

    async def _run(self, fragment: str = "", pressed: str = "") -> None:
        """Have the page's script run, or a fragment of it, and wait until it has."""
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.fragment_id = self.query, fragment
        state.page_name, state.page_script_hash = "" if self.place else self.page, self.place
        for key, value in self.values.items():
            state.widget_states.widgets.add(id=self.widgets[key], double_value=value)
        if pressed:
            state.widget_states.widgets.add(id=pressed, trigger_value=True)
        await self.socket.send(message.SerializeToString())
        async with asyncio.timeout(PATIENCE):
            while True:
                answer = ForwardMsg()
                raw = await self.socket.recv()
                self.received += len(raw)
                answer.ParseFromString(raw)  # type: ignore[arg-type]
                kind = answer.WhichOneof("type")
                if (
                    kind == "session_event"
                    and answer.session_event.WhichOneof("type") == "script_compilation_exception"
                ):
                    raise RuntimeError(answer.session_event.script_compilation_exception.message)
                if kind == "navigation":  # the whole page runs
                    self.place = answer.navigation.page_script_hash
                    self.polls.clear()
                if kind == "auto_rerun":
                    self.polls[answer.auto_rerun.fragment_id] = answer.auto_rerun.interval
                for fragment in answer.stop_auto_rerun.fragment_ids:
                    self.polls.pop(fragment, None)
                if kind == "delta" and answer.delta.WhichOneof("type") == "new_element":
                    self._keep(answer.delta.new_element, answer.delta.fragment_id)
                if kind == "script_finished" and answer.script_finished in _DONE:
                    return

    def _keep(self, element: Any, fragment: str) -> None:
        """Note the id of a widget, and the fragment in which it stands, by its key."""
        kind = element.WhichOneof("type")
        if kind == "exception":
            raise RuntimeError(element.exception.message)
        widget = getattr(element, kind).id if kind in ("button", "number_input", "slider") else ""
        if widget:
            key = widget.split("-", 2)[-1]
            self.widgets[key], self.fragments[key] = widget, fragment


def changes(low: float, high: float, seed: int) -> Iterator[float]:
    """Ever new values from `low` to `high`, in steps of 0.01."""
    count, place = round((high - low) * 100), seed * 7
    while True:
        place += 13
        yield round(low + place % count / 100, 2)
