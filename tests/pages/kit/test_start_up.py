"""What is set once when the server starts holds for all that is loaded later."""

import json
import subprocess
import sys

SCRIPT = """
import asyncio, json
from threadpoolctl import threadpool_info
from pages.kit.start_up import prepared

async def started():
    async with prepared(None):
        import pages.topics
        from starlette.formparsers import MultiPartParser
        threads = {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}
        print(json.dumps([list(threads), MultiPartParser.spool_max_size]))

asyncio.run(started())
"""


def test_pages_loaded_after_the_start_compute_in_one_thread_and_uploads_stay_in_memory() -> None:
    found = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert json.loads(found.stdout.splitlines()[-1]) == [[1], 40_000_000]
