"""What is prepared when the server starts also holds for what is loaded later."""

import json
import subprocess
import sys

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
