"""Servers of polls alone, each started again when it is killed: `python -m tests.pages.polls.served URL PORT …`."""

from __future__ import annotations

import os
import signal
import socket
import sys

import uvicorn
from starlette.applications import Starlette

from pages.polls import routes
from pages.polls.store import Store


def server(url: str) -> uvicorn.Server:
    """A server of polls, with all that it needs loaded and nothing opened."""
    store = Store(url)
    app = Starlette(routes=routes.routes(routes.Telephones(lambda: store)))
    config = uvicorn.Config(app, log_level="error", ws="none", lifespan="off")
    config.load()
    return uvicorn.Server(config)


def start(url: str, listening: socket.socket) -> int:
    """Start a process that serves; all that it needs is loaded already."""
    pid = os.fork()
    if pid:
        print(pid, flush=True)
        return pid
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    server(url).run(sockets=[listening])
    os._exit(0)


def main(url: str, *ports: str) -> None:
    server(url)  # what it loads, those that are started have
    places = [socket.create_server(("127.0.0.1", int(port)), backlog=500) for port in ports]
    running = {start(url, place): place for place in places}

    def end(*_: object) -> None:
        for pid in running:
            os.kill(pid, signal.SIGKILL)
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    while True:
        ended, _ = os.wait()
        place = running.pop(ended)
        running[start(url, place)] = place


if __name__ == "__main__":
    main(*sys.argv[1:])
