"""Measure the response time of a server's health check from another process, so that busy clients do not slow it."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

EVERY = 0.25


@contextmanager
def response_times(address: str, every: float = EVERY) -> Iterator[list[float]]:
    """Check the health repeatedly until the context ends; the list then holds the response times in seconds."""
    waits: list[float] = []
    command = [sys.executable, "-m", __name__, address, str(every)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "asking\n"
        yield waits
        waits += json.loads(process.communicate()[0])


def _ask(address: str, every: float) -> None:
    """Check the health until the other process closes the standard input, then print the response times."""
    over, waits = threading.Event(), list[float]()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    print("asking", flush=True)
    while not over.is_set():
        start = time.perf_counter()
        urllib.request.urlopen(f"{address}/_stcore/health", timeout=60).read()
        waits.append(time.perf_counter() - start)
        over.wait(every)
    print(json.dumps(waits))


if __name__ == "__main__":
    _ask(sys.argv[1], float(sys.argv[2]))
