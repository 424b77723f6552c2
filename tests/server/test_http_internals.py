"""A test for each change of Uvicorn, h11 and Starlette: it fails when a member that is changed is another one."""

import subprocess
import sys

import pytest

LONG = """
import asyncio, sys
import uvicorn
from server import http_internals
from starlette.applications import Starlette

async def main():
    if sys.argv[1] == "changed":
        http_internals.read_long_requests()
    server = uvicorn.Server(uvicorn.Config(Starlette(), port=0, http="h11", log_level="error"))
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /" + 200_000 * b"a" + b" HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
    try:
        print((await reader.readline())[9:12] == b"404")
    except ConnectionError:
        print(False)
    server.should_exit = server.force_exit = True
    await serving

asyncio.run(main())
"""
UPLOAD = """
import asyncio, sys
from server import http_internals
from starlette.requests import Request

async def receive():
    head = b'--x\\r\\nContent-Disposition: form-data; name="a"; filename="a.csv"\\r\\n\\r\\n'
    return {"type": "http.request", "body": head + 20_000_000 * b"1" + b"\\r\\n--x--\\r\\n", "more_body": False}

async def main():
    if sys.argv[1] == "changed":
        http_internals.keep_uploads_in_memory()
    headers = [(b"content-type", b"multipart/form-data; boundary=x")]
    async with Request({"type": "http", "method": "POST", "headers": headers}, receive).form() as form:
        print(form["a"].size, form["a"].file._rolled)

asyncio.run(main())
"""
UNFINISHED = """
import asyncio, sys
import uvicorn
from server import http_internals
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

async def slow(request):
    await asyncio.sleep(0.9)
    return PlainTextResponse("late")

async def main():
    http_internals.HEAD_SECONDS = 0.2
    if sys.argv[1] == "bounded":
        http_internals.close_unfinished_requests()
    app = Starlette(routes=[Route("/", slow)])
    server = uvicorn.Server(uvicorn.Config(app, port=0, http="h11", log_level="error", timeout_keep_alive=60))
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    streams = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
    (_, begun), (_, asked), (_, late) = streams
    begun.write(b"GET / HTTP/1.1\\r\\nHost: a")
    asked.write(b"GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
    late.write(b"GET /none HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 9\\r\\n\\r\\n1")
    await asyncio.sleep(0.7)
    await streams[2][0].readuntil(b"\\r\\n\\r\\nNot Found")
    print(*(reader.at_eof() for reader, _ in streams))
    print((await streams[1][0].readuntil(b"late"))[:15])
    server.should_exit = server.force_exit = True
    await serving

asyncio.run(main())
"""


def printed(script, how):
    """What a script prints in a process of its own, where nothing else is changed."""
    found = subprocess.run([sys.executable, "-c", script, how], capture_output=True, text=True, check=True)
    return found.stdout.splitlines()


@pytest.mark.parametrize(("how", "is_read"), [("changed", True), ("as it is", False)])
def test_a_request_of_more_than_64_kilobytes_is_read(how, is_read):
    assert printed(LONG, how) == [f"{is_read}"]


@pytest.mark.parametrize(("how", "is_on_disk"), [("changed", False), ("as it is", True)])
def test_an_upload_as_large_as_may_be_stays_in_memory(how, is_on_disk):
    assert printed(UPLOAD, how) == [f"20000000 {is_on_disk}"]


@pytest.mark.parametrize(("how", "closed"), [("bounded", "True False True"), ("as it is", "False False False")])
def test_a_connection_is_closed_whose_request_does_not_arrive(how, closed):
    """A connection whose request is being answered stays open, however long that takes."""
    assert printed(UNFINISHED, how) == [closed, "b'HTTP/1.1 200 OK'"]
