"""What is set once when the server starts holds for all that is loaded later."""

import json
import subprocess
import sys

SCRIPT = """
import asyncio, json, socket
from threadpoolctl import threadpool_info
from pages.kit.start_up import YOUNG, prepared

async def started():
    made = socket.create_server(("127.0.0.1", 0))
    async with prepared(None, pages="pages.topics"):
        import gc
        from starlette.formparsers import MultiPartParser
        threads = {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}
        visitor = socket.create_connection(made.getsockname())
        at_once = made.accept()[0].getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) > 0
        frozen = gc.get_freeze_count() > 100_000 and gc.get_threshold() == YOUNG
        print(json.dumps([list(threads), MultiPartParser.spool_max_size, frozen, at_once]))

asyncio.run(started())
"""


def test_pages_compute_in_one_thread_uploads_stay_in_memory_libraries_are_frozen_and_messages_do_not_wait() -> None:
    found = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert json.loads(found.stdout.splitlines()[-1]) == [[1], 40_000_000, True, True]
