"""What is prepared when the server starts also holds for what is loaded later."""

import json
import subprocess
import sys

import pytest

UNFINISHED = """
import asyncio, sys
import uvicorn
from server import start_up
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

async def slow(request):
    await asyncio.sleep(0.9)
    return PlainTextResponse("late")

async def main():
    start_up.HEAD_SECONDS = 0.2
    if sys.argv[1] == "bounded":
        start_up.close_unfinished_requests()
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
SCRIPT = """
import asyncio, json
from threadpoolctl import threadpool_info
from server.start_up import GC_THRESHOLDS, prepared

async def started():
    async with prepared(None, pages="pages.topics", on_end=lambda: print):
        import gc
        from starlette.formparsers import MultiPartParser
        threads = {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}
        frozen = gc.get_freeze_count() > 100_000 and gc.get_threshold() == GC_THRESHOLDS
        print(json.dumps([list(threads), MultiPartParser.spool_max_size, frozen]))

asyncio.run(started())
"""


def test_pages_compute_in_one_thread_uploads_stay_in_memory_and_libraries_are_frozen() -> None:
    found = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert json.loads(found.stdout.splitlines()[-1]) == [[1], 40_000_000, True]


@pytest.mark.parametrize(("how", "closed"), [("bounded", "True False True"), ("as it is", "False False False")])
def test_a_connection_is_closed_whose_request_does_not_arrive(how, closed):
    """A connection whose request is being answered stays open, however long that takes."""
    found = subprocess.run([sys.executable, "-c", UNFINISHED, how], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == [closed, "b'HTTP/1.1 200 OK'"]
