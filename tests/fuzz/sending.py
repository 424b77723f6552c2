"""A running app, and visitors who send it whatever they like over Streamlit's WebSocket."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.browser.browsing import ROOT, wait_until_healthy

TIMEOUT = 60.0
# What a widget of each kind sends, where that is text.
TEXTS = {
    "text_input": "string_value",
    "text_area": "string_value",
    "selectbox": "string_value",
    "radio": "string_value",
    "multiselect": "string_array_value",
    "button_group": "string_array_value",
    "chat_input": "chat_input_value",
    "bidi_component": "json_value",
}
# Kinds that send no text: numbers, presses and files.
NO_TEXTS = {"button", "download_button", "link_button", "number_input", "slider", "checkbox", "file_uploader"}
NO_TEXTS |= {"plotly_chart", "dataframe", "vega_lite_chart"}
# The fields of an element that hold words.
_BODIES = ("markdown", "alert", "text", "heading", "toast", "html")
_DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


class ClosedError(Exception):
    """Raised where the server has closed the connection; `code` says why."""

    def __init__(self, code: int | None) -> None:
        super().__init__(f"closed with {code}")
        self.code = code


@dataclass
class Rendered:
    """What one run of a page has rendered: words, and whether it ended in an error."""

    words: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


class Visitor:
    """A visitor to a page with a link; `widgets` are its widgets' kinds by their ids, `folds` those of what unfolds.

    `received` are the bytes that the server has sent.
    """

    def __init__(self, address: str, page: str, query: Mapping[str, Any] | None = None) -> None:
        self.host, self.page = address.removeprefix("http://"), page
        self.query = urlencode(query or {}, doseq=True)
        self.widgets: dict[str, str] = {}
        self.folds: set[str] = set()
        self.page_hash = ""
        self.received = 0
        self.socket: ClientConnection

    async def __aenter__(self) -> Visitor:
        """Come to the page, and unfold all that it folds away."""
        self.socket = await connect(
            f"ws://{self.host}/_stcore/stream",
            subprotocols=["streamlit"],  # type: ignore[list-item]
            origin=f"http://{self.host}",  # type: ignore[arg-type]
            compression=None,
            max_size=None,
            ping_interval=None,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the page."""
        await self.socket.close()

    async def run(self, states: list[WidgetState] | None = None, query: str | None = None) -> Rendered:
        """Have the page run with these states of widgets, and wait until it has. Raises `ClosedError`."""
        message = BackMsg()
        rerun = message.rerun_script
        rerun.query_string = self.query if query is None else query
        rerun.page_name, rerun.page_script_hash = "" if self.page_hash else self.page, self.page_hash
        for fold in self.folds:
            rerun.widget_states.widgets.add(id=fold, bool_value=True)
        rerun.widget_states.widgets.extend(states or [])
        await self.send(message.SerializeToString())
        return await self.rendered()

    async def send(self, frame: bytes | str) -> None:
        """Send a frame."""
        with contextlib.suppress(ConnectionClosed):  # which is found when an answer is awaited
            await self.socket.send(frame)

    async def rendered(self) -> Rendered:
        """What is rendered until a run ends."""
        found = Rendered()
        async with asyncio.timeout(TIMEOUT):
            while True:
                try:
                    raw = await self.socket.recv()
                except ConnectionClosed:
                    raise ClosedError(self.socket.close_code) from None
                self.received += len(raw)
                answer = ForwardMsg()
                answer.ParseFromString(raw)
                kind = answer.WhichOneof("type")
                if kind == "navigation":
                    self.page_hash = answer.navigation.page_script_hash
                if kind == "delta":
                    self._look(answer.delta, found)
                if kind == "script_finished" and answer.script_finished in _DONE:
                    return found

    def _look(self, delta: Any, found: Rendered) -> None:
        """Note the widgets and the words of a part of the page."""
        if delta.WhichOneof("type") == "add_block":
            for part in ("expandable", "popover"):
                if fold := getattr(delta.add_block, part).id:
                    self.folds.add(fold)
        elif delta.WhichOneof("type") == "new_element":
            kind = delta.new_element.WhichOneof("type")
            element = getattr(delta.new_element, kind)
            if kind == "exception":
                found.failed.append(element.message)
            elif kind in _BODIES:
                found.words.append(element.body)
            elif identity := getattr(element, "id", ""):
                self.widgets[identity] = kind


def key_of(identity: str) -> str:
    """The key of a widget, as the page's source has it."""
    return identity.split("-", 2)[-1]


@dataclass
class Health:
    """How long the server took to say that it is well: each time with the moment at which it was asked."""

    samples: list[tuple[float, float]] = field(default_factory=list, repr=False)

    def worst(self, since: float, until: float = float("inf")) -> float:
        """The longest that it took, of all answers that were awaited at some time between two moments."""
        return max((took for when, took in self.samples if when + took >= since and when <= until), default=0.0)


_ASK = """
import sys, time, urllib.request
while True:
    start = time.monotonic()
    urllib.request.urlopen(sys.argv[1] + "/_stcore/health", timeout=120).read()
    print(start, time.monotonic() - start, flush=True)
    time.sleep(float(sys.argv[2]))
"""


@contextlib.contextmanager
def asked_for_health(address: str, every: float = 0.05) -> Iterator[Health]:
    """Ask from a process of its own, which nothing in this one delays, until the context ends."""
    found = Health()

    def listen() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            when, took = map(float, line.split())
            found.samples.append((when, took))

    with subprocess.Popen(
        [sys.executable, "-c", _ASK, address, str(every)], stdout=subprocess.PIPE, text=True
    ) as process:
        thread = threading.Thread(target=listen)
        thread.start()
        try:
            yield found
        finally:
            process.terminate()
            thread.join()


async def next_answer(health: Health) -> None:
    """Wait until the server has answered a question after health that is asked from now on."""
    now, end = time.monotonic(), time.monotonic() + TIMEOUT
    while not health.samples or health.samples[-1][0] < now:
        assert time.monotonic() < end, "the server does not say whether it is well"
        await asyncio.sleep(0.01)


@contextlib.contextmanager
def served(log: Path) -> Iterator[str]:
    """The address of the app, started as the README says; what it says goes into a file."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.address", "127.0.0.1"]
    with log.open("w") as file:
        process = subprocess.Popen(
            [*command, "--server.port", str(port)], cwd=ROOT, env=dict(os.environ), stdout=file, stderr=file
        )
        try:
            address = f"http://127.0.0.1:{port}"
            wait_until_healthy(address, process)
            yield address
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:  # it is held up
                process.kill()
                process.wait()
