"""A class that answers on its telephones: `python -m tests.benchmarks.bench_poll [ANSWERS SECONDS]`.

Each telephone fetches the page and sends one answer, over a connection of its own, at a random moment; meanwhile the
page of the teacher, who has opened the poll, looks each second for answers and is rendered again. The telephones run
on the same cores. Afterwards every answer must be there, once. PostgreSQL where it is installed.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import sqlalchemy as sa

from pages.polls.database import COUNTS, POLLS, VARIABLE
from pages.polls.store import Store
from tests.benchmarks.bench_load import cpu_seconds
from tests.benchmarks.bench_replicas import behind_proxy
from tests.benchmarks.timing import table
from tests.benchmarks.visitors import Visitor
from tests.browser import browsing
from tests.pages.polls import databases

CLASSES = ((200, 5.0), (5_000, 60.0))


async def ask(host: str, head: str, body: str = "") -> int:
    """The status of an answer, over a connection of its own."""
    reader, writer = await asyncio.open_connection(*host.split(":"))
    given = f"{head} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nConnection: close\r\n"
    typed = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
    writer.write(f"{given}{typed}\r\n{body}".encode())
    answer = await reader.read()
    writer.close()
    return int(answer.split(b" ", 2)[1])


async def take_part(host: str, code: str, at: float, answer: int) -> tuple[float, float, int]:
    """Fetch the page and send an answer at a moment; seconds that each takes, and the last status."""
    await asyncio.sleep(at)
    start = time.perf_counter()
    assert await ask(host, f"GET /p/{code}") == 200
    looked = time.perf_counter()
    body = json.dumps({"round": 1, "answer": answer, "token": f"{random.getrandbits(128):032x}"})
    status = await ask(host, f"POST /p/{code}", body)
    return looked - start, time.perf_counter() - looked, status


async def opened(address: str, store: Store) -> tuple[Visitor, str]:
    """A teacher who opens a poll on the page, and its code."""
    before = set(codes(store))
    teacher = Visitor(address, "poll", "way=On+their+phones&poll_lie=0.3")
    await teacher.open()
    await teacher.press("poll-open")
    (code,) = set(codes(store)) - before
    return teacher, code


def codes(store: Store) -> list[str]:
    """The codes of all polls."""
    with store.database.reading() as connection:
        return list(connection.scalars(sa.select(POLLS.c.code)))


def counts(store: Store, code: str) -> list[int]:
    """How many sent each answer."""
    with store.database.reading() as connection:
        found = sa.select(COUNTS.c.people).where(COUNTS.c.code == code).order_by(COUNTS.c.answer)
        return list(connection.scalars(found))


async def answered(address: str, store: Store, people: int, seconds: float) -> dict[str, Any]:
    """What a class meets whose people answer within some seconds. Raises ``ValueError`` if an answer is lost."""
    waits: list[float] = []
    teacher, code = await opened(address, store)
    projector = asyncio.create_task(teacher.follow(math.inf, waits))
    await asyncio.sleep(2)
    moments = random.Random(0)
    host, start = address.removeprefix("http://"), time.perf_counter()
    met = await asyncio.gather(*(take_part(host, code, moments.uniform(0, seconds), i % 2) for i in range(people)))
    took = time.perf_counter() - start
    projector.cancel()
    if counts(store, code) != [people - people // 2, people // 2]:
        kept = Counter(status for _, _, status in met)
        raise ValueError(f"{people} people answered, {dict(kept)}, and {counts(store, code)} are there")
    looks, posts = (statistics.quantiles([one[i] for one in met], n=100) for i in (0, 1))
    return {
        "people": people,
        "within (s)": f"{took:.1f}",
        **{f"{name} (ms)": f"{1000 * posts[at]:.0f}" for name, at in (("p50", 49), ("p95", 94), ("p99", 98))},
        "page, p95 (ms)": f"{1000 * looks[94]:.0f}",
        "projector's looks": len(waits),
        "worst (s)": f"{max(waits):.2f}",
    }


@contextmanager
def one_process() -> Iterator[tuple[str, list[int]]]:
    """The address of the app, and its process."""
    with browsing.running_script("app.py") as (address, pid):
        yield address, [pid]


def measure(title: str, url: str, start: Callable[[], Any], classes: tuple[tuple[int, float], ...]) -> None:
    """Print what classes meet at the app that `start` starts, with polls in a database."""
    os.environ[VARIABLE] = url
    rows = []
    with start() as (address, pids):
        store = Store(url)
        for people, seconds in classes:
            spent = sum(map(cpu_seconds, pids))
            met = asyncio.run(answered(address, store, people, seconds))
            rows.append(met | {"processor (s)": f"{sum(map(cpu_seconds, pids)) - spent:.1f}"})
    table(title, list(rows[0]), [list(row.values()) for row in rows])


if __name__ == "__main__":
    classes = ((int(sys.argv[1]), float(sys.argv[2])),) if len(sys.argv) > 2 else CLASSES
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        file = f"sqlite:///{folder}/polls.sqlite"
        measure("SQLite, one process", file, one_process, classes)
        measure("SQLite, two replicas", file, lambda: behind_proxy(2), classes)
        if databases.programs():
            url = stack.enter_context(databases.postgresql())
            measure("PostgreSQL, two replicas", url, lambda: behind_proxy(2), classes)
        else:
            print("\nNo PostgreSQL here.")
