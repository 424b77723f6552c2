"""Measure how long each of many visitors waits after a change of a control, and what that costs the server.

`python -m tests.benchmarks.bench_load [SECONDS]`, or `opening` instead of seconds for the last part alone. Every
visitor changes a control each 3.5 s, over a WebSocket of its own, with and without a comparison of ten trials that runs
for another visitor. The clients run on the same cores as the server. A change renders the fragment around the control
again or, in the rows “the whole page”, the whole page. A single visitor changes the control ten times as often, so that
the server's other work weighs little. The benchmark stops at an error of the app, or if a run takes two minutes.

The same is measured for a plain Streamlit page with two charts. Then thirty visitors follow a comparison each, and last
two hundred open their pages of a server just started at the same moment.
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import sys
import time
from collections.abc import Sequence
from itertools import count as numbers
from pathlib import Path
from typing import Any

from pages.topics import PAGES
from tests.benchmarks import health
from tests.benchmarks.timing import table
from tests.benchmarks.visitors import Visitor, changes
from tests.browser import browsing

EVERY, SECONDS = 3.5, 30.0
# Seconds until the server has dropped the sessions of visitors who left, and the most that a comparison may take.
SESSION_END, TIMEOUT = 12.0, 180.0
FOLLOWERS, AT_ONCE = 30, 200
BESIDE, WHOLE = "a comparison beside", "the whole page"
# The script of the plain Streamlit page.
PLAIN_PAGE = str(Path(__file__).with_name("two_charts.py"))
_TICK = os.sysconf("SC_CLK_TCK")
# Seeds of comparisons that have not run yet, so that none is cached.
_SEEDS = numbers(1_000)


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


def memory(pid: int) -> float:
    """Return the memory of a process, in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def _changing(
    visitor: Visitor, seed: int, every: float, over: asyncio.Event, waits: list[float], whole: bool
) -> None:
    """Change the control at intervals of `every` seconds until `over` is set; append the seconds of each wait."""
    values = changes(0.01, 0.5, seed)
    await asyncio.sleep(random.Random(seed).uniform(0, every))
    while not over.is_set():
        took = await visitor.change("lie", next(values), whole)
        waits.append(took)
        await asyncio.sleep(max(0.0, every - took))


async def _comparison(address: str) -> str:
    """Open and follow a comparison; return the seconds that its ten trials took."""
    start, visitor = time.perf_counter(), Visitor(address, "comparison", f"compare_seed={next(_SEEDS)}")
    await visitor.open()
    assert visitor.auto_reruns, "the trials run in the background"
    await visitor.follow(start + TIMEOUT, [])
    ended, took = not visitor.auto_reruns, time.perf_counter() - start
    await visitor.leave()
    return f"{took:.0f}" if ended else "not ended"


async def load(address: str, pid: int, page: str, count: int, seconds: float, what: str = "") -> dict[str, Any]:
    """Return the waits of `count` visitors of a page, and their cost; `what` is `BESIDE`, `WHOLE` or empty."""
    before = memory(pid)
    visitors = [Visitor(address, page) for _ in range(count)]
    waits: list[float] = []
    over, every = asyncio.Event(), EVERY if count > 1 else EVERY / 10
    with health.response_times(address) as answers:
        opened = [await asyncio.gather(*(one.open() for one in visitors[i : i + 10])) for i in range(0, count, 10)]
        await visitors[0].change("lie", 0.5)  # work that is done once is no cost of a run
        spent = -cpu_seconds(pid)
        async with asyncio.TaskGroup() as tasks:
            for seed, one in enumerate(visitors):
                tasks.create_task(_changing(one, seed, every, over, waits, what == WHOLE))
            beside = tasks.create_task(_comparison(address)) if what == BESIDE else None
            await asyncio.sleep(seconds)
            took = await beside if beside else ""
            over.set()
        spent, held = spent + cpu_seconds(pid), memory(pid)
    await asyncio.gather(*(one.leave() for one in visitors))
    await asyncio.sleep(SESSION_END)
    cuts = statistics.quantiles(waits, n=20) if len(waits) > 1 else waits * 19
    return {
        "visitors": count,
        "": what,
        "p50 (s)": f"{cuts[9]:.2f}",
        "p95 (s)": f"{cuts[18]:.2f}",
        "processor a run (ms)": f"{1000 * spent / len(waits):.1f}",
        "health, worst (s)": f"{max(answers):.2f}",
        "opening, worst (s)": f"{max(max(group) for group in opened):.1f}",
        "memory before (MB)": f"{before:.0f}",
        "a visitor (MB)": f"{(held - before) / count:.2f}",
        "after all have left (MB)": f"{memory(pid):.0f}",
        "comparison (s)": took,
    }


async def followers(address: str, pid: int, count: int, seconds: float) -> dict[str, Any]:
    """Return the waits of `count` visitors who follow a comparison each, and their cost."""
    visitors = [Visitor(address, "comparison", f"compare_seed={next(_SEEDS)}") for _ in range(count)]
    for one in visitors:
        await one.open()
    waits: list[float] = []
    before, until = cpu_seconds(pid), time.perf_counter() + seconds

    async def follow(i: int) -> None:
        await asyncio.sleep(i / count * EVERY)  # the visitors start one after another
        await visitors[i].follow(until, waits)

    await asyncio.gather(*map(follow, range(count)))
    spent = cpu_seconds(pid) - before
    await asyncio.gather(*(one.leave() for one in visitors))
    cuts = statistics.quantiles(waits, n=20)
    return {
        "followers": count,
        "looks": len(waits),
        "p50 (s)": f"{cuts[9]:.2f}",
        "p95 (s)": f"{cuts[18]:.2f}",
        "processor a look (ms)": f"{1000 * spent / len(waits):.1f}",
    }


async def at_once(address: str, pages: Sequence[str], count: int) -> dict[str, Any]:
    """Return the waits of `count` visitors who open one of the `pages` each, all at the same moment."""
    visitors = [Visitor(address, pages[i % len(pages)]) for i in range(count)]
    with health.response_times(address, every=0.05) as answers:
        opened = await asyncio.gather(*(one.open() for one in visitors))
    await asyncio.gather(*(one.leave() for one in visitors))
    return {
        "visitors": count,
        "pages": len(pages),
        "p50 (s)": f"{statistics.median(opened):.1f}",
        "last (s)": f"{max(opened):.1f}",
        "health, worst (s)": f"{max(answers):.2f}",
    }


def opening(count: int) -> list[dict[str, Any]]:
    """Return the waits when a class opens links at once: twice to one page, then to all pages."""
    one_page, all_pages = ["voting"], [page.address for page in PAGES]
    with browsing.running_script("app.py") as (address, _):
        rows = [asyncio.run(at_once(address, pages, count)) for pages in (one_page, one_page)]
    with browsing.running_script("app.py") as (address, _):
        return [*rows, asyncio.run(at_once(address, all_pages, count))]


def measure(script: str, page: str, loads: Sequence[tuple[int, str]], seconds: float) -> list[dict[str, Any]]:
    """Return a row for each of the `loads` on one server: the number of visitors, and what runs besides."""
    with browsing.running_script(script) as (address, pid):
        return [asyncio.run(load(address, pid, page, count, seconds, what)) for count, what in loads]


def show(title: str, rows: Sequence[dict[str, Any]]) -> None:
    """Print rows as a table."""
    table(title, list(rows[0]), [list(row.values()) for row in rows])


if __name__ == "__main__":
    if sys.argv[1:] == ["opening"]:
        show("All open their pages at once", opening(AT_ONCE))
        sys.exit()
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    alone = [(1, ""), (100, ""), (200, "")]
    show(f"Two charts: a change every {EVERY} s a visitor", measure(PLAIN_PAGE, "", alone, seconds))
    more = [(count, what) for what in (BESIDE, WHOLE) for count in (100, 200)]
    show(f"Voting: a change every {EVERY} s a visitor", measure("app.py", "voting", [*alone, *more], seconds))
    with browsing.running_script("app.py") as (address, pid):
        met = asyncio.run(followers(address, pid, FOLLOWERS, 2 * seconds))
    show("Followers of a comparison each", [met])
    show("All open their pages at once", opening(AT_ONCE))
