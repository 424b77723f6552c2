"""Measure what one visitor's rerun of every page costs the server: `python -m tests.benchmarks.bench_reruns [RUNS]`.

The whole page runs again, as after a change of a setting, with everything computed that can be kept. A plain page of
two charts runs in turn with it, so that a busy machine shows in both.
"""

from __future__ import annotations

import asyncio
import statistics
import sys

from pages.topics import PAGES
from tests.benchmarks.bench_load import PLAIN_PAGE, cpu_seconds
from tests.benchmarks.timing import table
from tests.benchmarks.visitors import Visitor
from tests.browser import browsing

RUNS, TURNS = 15, 5


async def cost(visitor: Visitor, pid: int, runs: int) -> tuple[float, float]:
    """Return the CPU time in ms, and the kB sent, of a rerun."""
    spent, sent = cpu_seconds(pid), visitor.received
    for _ in range(runs):
        await visitor.again()
    return 1000 * (cpu_seconds(pid) - spent) / runs, (visitor.received - sent) / runs / 1000


async def measure(address: str, pid: int, plain: str, plain_pid: int, runs: int) -> list[list[str]]:
    """Return a row for each page: its name, its cost, that of the plain page in the same turns, and the ratio."""
    beside, rows = Visitor(plain, ""), []
    await beside.open()
    for page in PAGES:
        visitor = Visitor(address, page.address)
        await visitor.open()
        await visitor.end_of_polls()
        await cost(visitor, pid, 3)
        turns = [(await cost(visitor, pid, runs), await cost(beside, plain_pid, runs)) for _ in range(TURNS)]
        own, sent = (statistics.median(turn[0][i] for turn in turns) for i in range(2))
        other = statistics.median(turn[1][0] for turn in turns)
        rows.append([page.address or "home", f"{own:.1f}", f"{other:.1f}", f"{own / other:.1f}", f"{sent:.0f}"])
        await visitor.leave()
    return rows


if __name__ == "__main__":
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    with browsing.running_script("app.py") as (address, pid), browsing.running_script(PLAIN_PAGE) as (plain, plain_pid):
        rows = asyncio.run(measure(address, pid, plain, plain_pid, runs))
    table("A rerun, processor", ["page", "ms", "two charts (ms)", "ratio", "kB sent"], rows)
