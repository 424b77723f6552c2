"""Many visitors at once: how long each waits after a change of a control, and what that costs the server.

`python -m tests.benchmarks.bench_load [SECONDS]`. Every visitor changes a control each 3.5 s, over a WebSocket of its
own; the clients run on the same cores as the server. Beside the app, a plain Streamlit page with two charts.
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import sys
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks.timing import table
from tests.benchmarks.visitors import Visitor, changes
from tests.browser import browsing

EVERY, SECONDS = 3.5, 30.0
ANCHOR = str(Path(__file__).with_name("two_charts.py"))
_TICK = os.sysconf("SC_CLK_TCK")


def processor(pid: int) -> float:
    """Seconds of processor that a process has had."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


def memory(pid: int) -> float:
    """MB of memory that a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def _changing(visitor: Visitor, seed: int, until: float, waits: list[float]) -> None:
    values = changes(0.01, 0.5, seed)
    await asyncio.sleep(random.Random(seed).uniform(0, EVERY))
    while time.perf_counter() < until:
        took = await visitor.change("lie", next(values))
        waits.append(took)
        await asyncio.sleep(max(0.0, EVERY - took))


async def _health(address: str, until: float, waits: list[float]) -> None:
    def ask() -> None:
        urllib.request.urlopen(f"{address}/_stcore/health", timeout=60).read()

    while time.perf_counter() < until:
        start = time.perf_counter()
        await asyncio.to_thread(ask)
        waits.append(time.perf_counter() - start)
        await asyncio.sleep(0.25)


async def load(address: str, pid: int, page: str, count: int, seconds: float) -> dict[str, Any]:
    """What `count` visitors of a page meet, and what they cost."""
    visitors = [Visitor(address, page) for _ in range(count)]
    opened = [await asyncio.gather(*(one.open() for one in visitors[i : i + 10])) for i in range(0, count, 10)]
    waits: list[float] = []
    health: list[float] = []
    until, before = time.perf_counter() + seconds, processor(pid)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(_health(address, until, health))
        for seed, one in enumerate(visitors):
            tasks.create_task(_changing(one, seed, until, waits))
    spent, held = processor(pid) - before, memory(pid)
    await asyncio.gather(*(one.leave() for one in visitors))
    cuts = statistics.quantiles(waits, n=20) if len(waits) > 1 else waits * 19
    return {
        "visitors": count,
        "p50 (s)": f"{cuts[9]:.2f}",
        "p95 (s)": f"{cuts[18]:.2f}",
        "processor a run (ms)": f"{1000 * spent / len(waits):.0f}",
        "health, worst (s)": f"{max(health):.2f}",
        "opening, worst (s)": f"{max(max(group) for group in opened):.1f}",
        "memory (MB)": f"{held:.0f}",
    }


def measure(script: str, page: str, counts: Sequence[int], seconds: float) -> list[dict[str, Any]]:
    """The loads on one server, the smallest first."""
    rows = []
    with browsing.running_script(script) as (address, pid):
        for count in counts:
            rows.append(asyncio.run(load(address, pid, page, count, seconds)))
    return rows


if __name__ == "__main__":
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    for title, script, page in (("Two charts", ANCHOR, ""), ("Voting", "app.py", "voting")):
        rows = measure(script, page, (1, 100, 200), seconds)
        table(f"{title}: a change every {EVERY} s a visitor", list(rows[0]), [list(row.values()) for row in rows])
