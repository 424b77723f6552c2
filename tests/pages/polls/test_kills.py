"""Servers are killed while a class answers: each acknowledged answer is stored once."""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager, suppress
from itertools import cycle

from deploy import replicas
from pages.polls.store import Store
from tests.conftest import ROOT, missing
from tests.pages.polls import databases
from tests.working import DEADLINE, until

KILLS, CLASS = 20, 12


@contextmanager
def served(what, url, n):
    """Yield the ports of servers of the app, or of polls alone, and a function that kills one while people wait."""
    ports = replicas.free_ports(n)
    command = [sys.executable, "-m", "tests.pages.polls.served", what, url, *map(str, ports)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        pids = [int(process.stdout.readline()) for _ in ports]

        turns = cycle(ports)

        def kill(people):
            port = next(turns)
            until(lambda: any(one.waits_for == port for one in people))
            os.kill(pids.pop(0), signal.SIGKILL)
            pids.append(int(process.stdout.readline()))

        try:
            yield ports, kill
        finally:
            process.terminate()


class People(threading.Thread):
    """A part of the class: each person sends an answer again until one is acknowledged."""

    def __init__(self, me, code, ports, over):
        super().__init__()
        self.me, self.code, self.ports, self.over = me, code, ports, over
        self.acknowledged, self.tries, self.waits_for = Counter(), 0, None

    def run(self):
        i = 0
        while not self.over.is_set():
            self.answer(i % 3, f"{self.me:016x}{i:016x}")
            i += 1

    def answer(self, answer, token):
        end = time.monotonic() + DEADLINE
        while True:
            assert time.monotonic() < end
            self.tries += 1
            with suppress(OSError, http.client.HTTPException):
                port = self.ports[self.tries % len(self.ports)]
                server = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
                body = json.dumps({"round": 1, "answer": answer, "token": token})
                given = {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{port}"}
                server.request("POST", f"/p/{self.code}", body, given)
                self.waits_for = port
                try:
                    status = server.getresponse().status
                finally:
                    self.waits_for = None
                server.close()
                if status == 200:
                    self.acknowledged[answer] += 1
                    return
                assert status in (429, 503), status
            time.sleep(0.005)


def kill_twenty_times(what, url, n):
    store = Store(url)
    poll, secret = store.open("Have you ever copied homework?", ("Yes", "No", "Rather not say"), 0.25)
    over = threading.Event()
    with served(what, url, n) as (ports, kill):
        people = [People(me, poll.code, ports, over) for me in range(CLASS)]
        for one in people:
            one.start()

        def count():
            return sum(one.acknowledged.total() for one in people)

        for _ in range(KILLS):
            before = count()
            until(lambda before=before: count() >= before + 5)
            kill(people)
        over.set()
        for one in people:
            one.join()
    acknowledged = sum((one.acknowledged for one in people), Counter())
    lost = sum(one.tries for one in people) - acknowledged.total()
    assert store.counts(poll.code, secret) == [[acknowledged[answer] for answer in range(3)]]
    assert lost >= KILLS // 2, "it was in the middle"
    store.database.dispose()


def test_the_app_with_sqlite_keeps_each_acknowledged_answer_once(tmp_path):
    kill_twenty_times("app", f"sqlite:///{tmp_path}/polls.sqlite", 1)


def test_postgresql_keeps_each_acknowledged_answer_of_two_replicas_once():
    if databases.programs() is None:
        missing("no PostgreSQL here")
    with databases.postgresql() as url:
        kill_twenty_times("polls", url, 2)
