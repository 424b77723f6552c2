"""What two replicas behind HAProxy carry beside one process: `python -m tests.benchmarks.bench_replicas [SECONDS]`.

With `opening` instead of seconds: what two hundred meet who open their pages of two new replicas at the same moment.
Else, first visitors of the voting page change a control again as soon as the page is up to date, so that there is
always more to do; the sides take turns, and each number is the median of the turns in which next to nothing else ran.
Then many change it every 3.5 s. The clients run on the same cores.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deploy import replicas
from pages.topics import PAGES
from tests.benchmarks.bench_load import AT_ONCE, at_once, cpu_seconds, show
from tests.benchmarks.timing import table
from tests.benchmarks.visitors import Visitor, changes
from tests.browser import browsing

VISITORS, SECONDS, TURNS = 40, 6.0, 5
# Cores that whatever else runs may take of a turn that counts, and how many turns there are at most.
OTHERS, TRIES = 0.1, 40
EVERY, COUNTS = 3.5, (100, 200, 300, 400)


OTHER = "cores, others"


@contextmanager
def behind_proxy(n: int) -> Iterator[tuple[str, list[int]]]:
    """The address of `n` replicas, and their processes, the proxy's last."""
    (port,) = replicas.free_ports(1)
    command = [sys.executable, "-m", "deploy.replicas", str(n), "--address", "127.0.0.1", "--port", str(port)]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(command, cwd=browsing.ROOT, stdout=log, stderr=subprocess.STDOUT)
        try:
            address = f"http://127.0.0.1:{port}"
            browsing.wait_until_healthy(address, process)
            log.seek(0)
            yield address, [int(pid) for pid in re.findall(r": process (\d+)", log.read())]
        finally:
            process.terminate()
            process.wait(30)


def busy() -> float:
    """Return the CPU time of all processes of this machine, in seconds."""
    user, nice, system, _, _, irq, softirq, *_ = map(int, Path("/proc/stat").read_text().split(maxsplit=9)[1:9])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


async def load(
    address: str, pids: Sequence[int], seconds: float, count: int = VISITORS, every: float = 0.0
) -> dict[str, float]:
    """What visitors who make a change `every` so many seconds, or at once, meet, and what a run costs."""
    visitors = [Visitor(address, "voting") for _ in range(count)]
    for i in range(0, count, 10):
        await asyncio.gather(*(one.open() for one in visitors[i : i + 10]))
    waits: list[float] = []
    spent = [cpu_seconds(pid) for pid in pids]
    client, all_of_it, until = time.process_time(), busy(), time.perf_counter() + seconds

    async def change(visitor: Visitor, seed: int) -> None:
        values = changes(0.01, 0.5, seed)
        await asyncio.sleep(random.Random(seed).uniform(0, every))
        while time.perf_counter() < until:
            waits.append(await visitor.change("lie", next(values)))
            await asyncio.sleep(max(0.0, every - waits[-1]))

    await asyncio.gather(*(change(one, seed) for seed, one in enumerate(visitors)))
    took = time.perf_counter() - until + seconds
    spent = [cpu_seconds(pid) - before for pid, before in zip(pids, spent, strict=True)]
    client, all_of_it = time.process_time() - client, busy() - all_of_it
    await asyncio.gather(*(one.leave() for one in visitors))
    cuts = statistics.quantiles(waits, n=20)
    return {
        "runs a second": len(waits) / took,
        "p50 (s)": cuts[9],
        "p95 (s)": cuts[18],
        "processor a run: app (ms)": 1000 * sum(spent) / len(waits),
        "clients (ms)": 1000 * client / len(waits),
        OTHER: max(0.0, all_of_it - sum(spent) - client) / took,
    }


def medians(turns: Sequence[dict[str, float]]) -> list[str]:
    """Each number over the turns."""
    return [f"{statistics.median(turn[name] for turn in turns):.3g}" for name in turns[0]]


def many(sides: dict[str, tuple[str, list[int]]], seconds: float) -> None:
    """Print what visitors with a pause meet on each side."""
    for count in COUNTS:
        met = {side: asyncio.run(load(*where, seconds, count, EVERY)) for side, where in sides.items()}
        rows = [[side, *medians([found])] for side, found in met.items()]
        table(f"{count} visitors who make a change every {EVERY} s", ["", *next(iter(met.values()))], rows)


def opening(count: int) -> list[dict[str, Any]]:
    """What happens when a class opens its link: that of one page, twice, and those of all pages."""
    one, every = ["voting"], [page.address for page in PAGES]
    with behind_proxy(2) as (address, _):
        rows = [asyncio.run(at_once(address, pages, count)) for pages in (one, one)]
    with behind_proxy(2) as (address, _):
        return [*rows, asyncio.run(at_once(address, every, count))]


if __name__ == "__main__":
    if sys.argv[1:] == ["opening"]:
        show("All open their pages of two replicas at once", opening(AT_ONCE))
        sys.exit()
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    one: list[dict[str, float]] = []
    two: list[dict[str, float]] = []
    with browsing.running_script("app.py") as (alone, pid), behind_proxy(2) as replicated:
        sides = {"one process": (alone, [pid]), "two replicas": replicated}
        for _ in range(TRIES):
            a, b = (asyncio.run(load(*where, seconds)) for where in sides.values())
            if max(a[OTHER], b[OTHER]) < OTHERS:
                one.append(a)
                two.append(b)
            if len(one) == TURNS:
                break
        else:
            sys.exit(f"Too much else runs on this machine: only {len(one)} of {TRIES} turns count.")
        rows: list[list[Any]] = [[side, *medians(turns)] for side, turns in zip(sides, (one, two), strict=True)]
        table(f"{VISITORS} visitors without a pause", ["", *one[0]], rows)
        ratios = [b["runs a second"] / a["runs a second"] for a, b in zip(one, two, strict=True)]
        print(f"two replicas carry {statistics.median(ratios):.2f} × one ({min(ratios):.2f}–{max(ratios):.2f})")
        many(sides, 5 * seconds)
