"""Send requests to an ASGI app over HTTP or a WebSocket, without a server."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass


def in_a_loop(work):
    """Return a coroutine's result; a browser test in this process may have left a running loop in this thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


@dataclass(frozen=True)
class Answered:
    """An app's response: the status, the headers in lower case, and the body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self):
        return self.body.decode()


def ask(app, path, method="GET", kind="http", extensions=(), body=(), client="127.0.0.1", **headers):
    """Return an app's response; `headers` with _ for -. A closed WebSocket has its code as the status.

    `extensions` are what the server can do besides, by ASGI's names; `body` are the parts that arrive, None one that
    never does.
    """
    return in_a_loop(asking(app, path, method, kind, extensions, body, client, **headers))


async def asking(app, path, method="GET", kind="http", extensions=(), body=(), client="127.0.0.1", **headers):
    """Do the same as `ask` in a running event loop."""
    path, _, query = path.partition("?")
    sent, arriving = [], [*body]

    async def receive():
        part = arriving.pop(0) if arriving else b""
        if part is None:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": part, "more_body": bool(arriving)}

    async def send(message):
        sent.append(message)

    given = {"host": "localhost"} | {name.replace("_", "-"): value for name, value in headers.items()}
    encoded = [(name.encode(), value.encode()) for name, value in given.items()]
    scope = {"type": kind, "method": method, "path": path, "query_string": query.encode(), "headers": encoded}
    scope["extensions"] = {name: {} for name in extensions}
    scope["client"] = (client, 50_000)
    await app(scope, receive, send)
    start = sent[0]
    found = {name.decode(): value.decode() for name, value in start.get("headers", [])}
    body = b"".join(message.get("body", b"") for message in sent)
    return Answered(start.get("status", start.get("code")), found, body)
