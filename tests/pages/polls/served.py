"""Servers, each started again when it is killed: `python -m tests.pages.polls.served app URL PORT …`.

In the place of `app`, `polls` serves polls alone, which starts in a fifth of the time.
"""

from __future__ import annotations

import functools
import os
import signal
import socket
import sys
from importlib import import_module

import uvicorn
from starlette.applications import Starlette
from streamlit.components.v2 import manifest_scanner

from pages.polls import routes
from pages.polls.database import VARIABLE
from server import start_up

# What the app otherwise loads at each start.
LOADED = """anyio._backends._asyncio itsdangerous starlette.middleware.sessions starlette.staticfiles
streamlit.web.bootstrap streamlit.web.server.starlette.starlette_agent_routes"""
# Streamlit looks through every installed package at each start, which is most of it: once is enough.
manifest_scanner.scan_component_manifests = functools.cache(manifest_scanner.scan_component_manifests)


def load() -> None:
    """Import all that the app needs, so that it starts quickly."""
    import app

    app.addresses()
    for name in LOADED.split():
        import_module(name)
    manifest_scanner.scan_component_manifests()
    start_up.freeze_heap()


def server(what: str) -> uvicorn.Server:
    """Return a server of the app, or of polls alone, that has not started."""
    if what == "app":
        from app import app as served
    else:
        routes.store_of_process()  # loads its library, and opens nothing
        served = Starlette(routes=routes.routes(routes.Telephones()))
    config = uvicorn.Config(served, log_level="error", lifespan="auto" if what == "app" else "off")
    config.load()
    return uvicorn.Server(config)


def start(what: str, listening: socket.socket) -> int:
    """Start a server process; all that it needs is imported already."""
    pid = os.fork()
    if pid:
        print(pid, flush=True)
        return pid
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    server(what).run(sockets=[listening])
    os._exit(0)


def main(what: str, url: str, *ports: str) -> None:
    os.environ[VARIABLE] = url
    if what == "app":
        load()
    server(what)  # what it loads, those that are started have
    places = [socket.create_server(("127.0.0.1", int(port)), backlog=500) for port in ports]
    running = {start(what, place): place for place in places}

    def end(*_: object) -> None:
        for pid in running:
            os.kill(pid, signal.SIGKILL)
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    while True:
        ended, _ = os.wait()
        place = running.pop(ended)
        running[start(what, place)] = place


if __name__ == "__main__":
    main(*sys.argv[1:])
