"""Many visitors at once: how long each waits after a change of a control, and what that costs the server.

`python -m tests.benchmarks.bench_load [SECONDS]`, or `opening` instead of seconds for the last part alone. Every
visitor changes a control each 3.5 s, over a WebSocket of its own, alone and while a comparison of ten draws is made for
another; the clients run on the same cores as the server. What a change redraws is the part of the page around the
control, or where it says so the whole page, as for another chapter. A visitor who is alone changes it ten times as
often, so that what the server does meanwhile weighs little. An error of the app, or an answer that stays out for two
minutes, ends the benchmark.

Beside the app, a plain Streamlit page with two charts. Then thirty visitors who follow a comparison each, and last two
hundred who open their pages at the same moment, of a server that nobody has asked before.
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
# Seconds within which the server forgets those who have left, and after which a comparison is given up.
FORGOTTEN, PATIENCE = 12.0, 180.0
FOLLOWERS, AT_ONCE = 30, 200
BESIDE, WHOLE = "a comparison beside", "the whole page"
ANCHOR = str(Path(__file__).with_name("two_charts.py"))
_TICK = os.sysconf("SC_CLK_TCK")
# Seeds of comparisons that nobody has asked for yet.
_SEEDS = numbers(1_000)


def processor(pid: int) -> float:
    """Seconds of processor that a process has had."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


def memory(pid: int) -> float:
    """MB of memory that a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def _changing(
    visitor: Visitor, seed: int, every: float, over: asyncio.Event, waits: list[float], whole: bool
) -> None:
    values = changes(0.01, 0.5, seed)
    await asyncio.sleep(random.Random(seed).uniform(0, every))
    while not over.is_set():
        took = await visitor.change("lie", next(values), whole)
        waits.append(took)
        await asyncio.sleep(max(0.0, every - took))


async def _comparison(address: str) -> str:
    """How long the ten draws of a comparison take that somebody follows."""
    start, visitor = time.perf_counter(), Visitor(address, "comparison", f"compare_seed={next(_SEEDS)}")
    await visitor.open()
    assert visitor.polls, "there is something to wait for"
    await visitor.follow(start + PATIENCE, [])
    ended, took = not visitor.polls, time.perf_counter() - start
    await visitor.leave()
    return f"{took:.0f}" if ended else "not ended"


async def load(address: str, pid: int, page: str, count: int, seconds: float, what: str = "") -> dict[str, Any]:
    """What `count` visitors of a page meet, and what they cost; `what` besides: `BESIDE`, or `WHOLE`."""
    before = memory(pid)
    visitors = [Visitor(address, page) for _ in range(count)]
    waits: list[float] = []
    over, every = asyncio.Event(), EVERY if count > 1 else EVERY / 10
    with health.asked(address) as answers:
        opened = [await asyncio.gather(*(one.open() for one in visitors[i : i + 10])) for i in range(0, count, 10)]
        await visitors[0].change("lie", 0.5)  # what is done once is not what a run costs
        spent = -processor(pid)
        async with asyncio.TaskGroup() as tasks:
            for seed, one in enumerate(visitors):
                tasks.create_task(_changing(one, seed, every, over, waits, what == WHOLE))
            beside = tasks.create_task(_comparison(address)) if what == BESIDE else None
            await asyncio.sleep(seconds)
            took = await beside if beside else ""
            over.set()
        spent, held = spent + processor(pid), memory(pid)
    await asyncio.gather(*(one.leave() for one in visitors))
    await asyncio.sleep(FORGOTTEN)
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
    """What `count` visitors meet who follow a comparison each."""
    visitors = [Visitor(address, "comparison", f"compare_seed={next(_SEEDS)}") for _ in range(count)]
    for one in visitors:
        await one.open()
    waits: list[float] = []
    before, until = processor(pid), time.perf_counter() + seconds

    async def follow(place: int) -> None:
        await asyncio.sleep(place / count * EVERY)  # each came at a time of its own
        await visitors[place].follow(until, waits)

    await asyncio.gather(*map(follow, range(count)))
    spent = processor(pid) - before
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
    """What `count` visitors meet who open one of the `pages` each, all at the same moment."""
    visitors = [Visitor(address, pages[i % len(pages)]) for i in range(count)]
    with health.asked(address, every=0.05) as answers:
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
    """What happens when a class opens its link: that of one page, twice, and those of all pages."""
    one, every = ["voting"], [page.address for page in PAGES]
    with browsing.running_script("app.py") as (address, _):
        rows = [asyncio.run(at_once(address, pages, count)) for pages in (one, one)]
    with browsing.running_script("app.py") as (address, _):
        return [*rows, asyncio.run(at_once(address, every, count))]


def measure(script: str, page: str, loads: Sequence[tuple[int, str]], seconds: float) -> list[dict[str, Any]]:
    """The loads on one server: how many visitors, and what besides."""
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
    show(f"Two charts: a change every {EVERY} s a visitor", measure(ANCHOR, "", alone, seconds))
    more = [(count, what) for what in (BESIDE, WHOLE) for count in (100, 200)]
    show(f"Voting: a change every {EVERY} s a visitor", measure("app.py", "voting", [*alone, *more], seconds))
    with browsing.running_script("app.py") as (address, pid):
        met = asyncio.run(followers(address, pid, FOLLOWERS, 2 * seconds))
    show("Followers of a comparison each", [met])
    show("All open their pages at once", opening(AT_ONCE))
