"""Visitors without a browser: they speak to a running app as Streamlit's own page does, over its WebSocket."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

TIMEOUT = 120.0
_DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


class Visitor:
    """A client that opens a page and changes its controls, by their keys."""

    def __init__(self, address: str, page: str, query: str = "", cookie: str = "") -> None:
        self.host, self.page, self.query = address.removeprefix("http://"), page, query
        self.cookie = cookie
        self.widgets: dict[str, str] = {}
        self.values: dict[str, float] = {}
        self.received = self.changes = 0
        # The hash by which the server knows the page, once it is open.
        self.page_hash = ""
        # The fragment that runs again after a change of a widget, by the widget's key.
        self.fragments: dict[str, str] = {}
        # The seconds after which a fragment is to run again by itself, by the fragment.
        self.auto_reruns: dict[str, float] = {}
        self.socket: ClientConnection

    async def open(self) -> float:
        """Open the page; return the seconds until it is rendered."""
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
        """Set a number; return the seconds until its fragment, or the `whole` page, is up to date."""
        start = time.perf_counter()
        self.changes += 1
        control, events = f"{key}-number", {}
        if control in self.widgets:
            change = {"event": "changed", "value": {"count": self.changes, "value": value}}
            events[control] = json.dumps([change])
        else:  # a number of the plain page
            control, self.values[key] = key, value
        await self._run("" if whole else self.fragments[control], events=events)
        return time.perf_counter() - start

    async def press(self, key: str) -> None:
        """Press a button, and wait until the page is up to date."""
        await self._run(pressed=self.widgets[key])

    async def again(self) -> None:
        """Rerun the whole page."""
        await self._run()

    async def end_of_polls(self) -> None:
        """Wait until everything that the page makes in the background is there."""
        await self.follow(time.perf_counter() + TIMEOUT, [])

    async def follow(self, until: float, waits: list[float]) -> None:
        """Rerun fragments when the page asks for it, until no job runs or `until`; append the seconds of each wait."""
        while self.auto_reruns and time.perf_counter() < until:
            fragment, seconds = next(iter(self.auto_reruns.items()))
            await asyncio.sleep(seconds)
            start = time.perf_counter()
            await self._run(fragment)
            waits.append(time.perf_counter() - start)

    async def leave(self) -> None:
        """Close the page."""
        await self.socket.close()

    async def _run(
        self, fragment: str = "", pressed: str = "", events: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """Run the page's script or one fragment of it, with `events` of components, and wait until it has finished."""
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.fragment_id = self.query, fragment
        state.page_name, state.page_script_hash = "" if self.page_hash else self.page, self.page_hash
        for key, value in self.values.items():
            state.widget_states.widgets.add(id=self.widgets[key], double_value=value)
        for key, event in events.items():
            trigger = _make_trigger_id(self.widgets[key], "events")
            state.widget_states.widgets.add(id=trigger, json_trigger_value=event)
        if pressed:
            state.widget_states.widgets.add(id=pressed, trigger_value=True)
        await self.socket.send(message.SerializeToString())
        async with asyncio.timeout(TIMEOUT):
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
                    self.page_hash = answer.navigation.page_script_hash
                    self.auto_reruns.clear()
                if kind == "auto_rerun":
                    self.auto_reruns[answer.auto_rerun.fragment_id] = answer.auto_rerun.interval
                for fragment in answer.stop_auto_rerun.fragment_ids:
                    self.auto_reruns.pop(fragment, None)
                if kind == "delta" and answer.delta.WhichOneof("type") == "new_element":
                    self._record_widget(answer.delta.new_element, answer.delta.fragment_id)
                if kind == "script_finished" and answer.script_finished in _DONE:
                    return

    def _record_widget(self, element: Any, fragment: str) -> None:
        """Record the id of a widget and its fragment by its key."""
        kind = element.WhichOneof("type")
        if kind == "exception":
            raise RuntimeError(element.exception.message)
        widget = getattr(element, kind).id if kind in ("button", "number_input", "bidi_component") else ""
        if widget:
            key = widget.split("-", 2)[-1]
            self.widgets[key], self.fragments[key] = widget, fragment


def changes(low: float, high: float, seed: int) -> Iterator[float]:
    """Yield ever new values from `low` to `high`, in steps of 0.01."""
    count, step = round((high - low) * 100), seed * 7
    while True:
        step += 13
        yield round(low + step % count / 100, 2)
