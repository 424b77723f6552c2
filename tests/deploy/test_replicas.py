"""Replicas behind a real HAProxy: who is sent where, and what becomes of everybody when one is killed."""

import asyncio
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from deploy import replicas
from privdemo import limits
from server import replica_limits
from tests.benchmarks.visitors import Visitor, changes
from tests.conftest import missing
from tests.server.asking import in_a_loop
from tests.working import DEADLINE, alive, until


@pytest.fixture(scope="module", autouse=True)
def there_is_haproxy():
    try:
        replicas.haproxy()
    except ValueError as error:
        missing(str(error))


@pytest.fixture(autouse=True)
def signals_as_before():
    """`replicas.main` takes over how this process is asked to end."""
    before = {sign: signal.getsignal(sign) for sign in replicas.SIGNALS}
    yield
    for sign, handler in before.items():
        signal.signal(sign, handler)


@pytest.mark.parametrize(("words", "shown"), [("0", "0"), ("two", "'two'"), ("1000", "1000"), ("-1", "'-1'")])
def test_a_bad_number_of_replicas_is_refused_with_the_range(words, shown):
    assert f"REPLICAS must be a whole number in [1, 64], got {shown}" in replicas.main(["--", words])


def test_what_is_missing_or_taken_is_said(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = replicas.main(["1", "--address", "127.0.0.1", "--port", str(port)])
    assert said == f"127.0.0.1:{port} cannot be used (Address already in use); name another port: PORT=8502"
    for port in ("0", "65536"):
        said = replicas.main(["1", "--port", port])
        assert said == f"port must be a whole number in [1, 65535], got {port}; name another one: PORT=8502"
    monkeypatch.setattr(replicas.shutil, "which", lambda *_, **__: None)
    assert "apt install haproxy" in replicas.main(["1", "--port", str(*replicas.free_ports(1))])


def test_a_replica_that_ends_before_it_answers_ends_all(monkeypatch, capfd):
    monkeypatch.setattr(replicas, "APP", [sys.executable, "-c", "print('no such page'); raise SystemExit(3)"])
    said = replicas.main(["1", "--address", "127.0.0.1", "--port", str(*replicas.free_ports(1))])
    assert said == "Replica 1 ended with exit code 3 before it answered; it says above why."
    assert "no such page" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("n", "cores", "takes"),
    [(1, 2, (2, 2, 400)), (2, 2, (2, 2, 400)), (2, 8, (5, 2, 400)), (4, 2, (1, 1, 200)), (3, 1, (1, 1, 133))],
)
def test_what_one_of_many_takes(monkeypatch, n, cores, takes):
    monkeypatch.setenv(replica_limits.REPLICAS_ENV, str(n))
    monkeypatch.setattr(replica_limits.os, "cpu_count", lambda: cores)
    assert (replica_limits.scripts(), replica_limits.workers(), replica_limits.visits()) == takes


class Server(BaseHTTPRequestHandler):
    """Answers with the headers that it was asked with; “/full” as the waiting room does."""

    def do_GET(self):
        self.send_response(503 if self.path == "/full" else 200)
        self.send_header("Set-Cookie", "privdemo_waits=me")
        body = str(self.headers).encode()
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


@contextmanager
def behind_proxy(n):
    """The port of HAProxy, set up as for replicas, before `n` servers of the test's own."""
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), Server) for _ in range(n)]
    (port,) = replicas.free_ports(1)
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "haproxy.cfg")
        config.write_text(replicas.configuration(f"127.0.0.1:{port}", [one.server_port for one in servers]))
        proxy = subprocess.Popen([replicas.haproxy(), "-db", "-f", config], stderr=subprocess.DEVNULL)
        for one in servers:
            threading.Thread(target=one.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield port, servers
        finally:
            proxy.kill()
            proxy.wait()
            end(servers)


def end(servers):
    for one in servers:
        one.shutdown()
        one.server_close()


def ask(port, path, **headers):
    """The answer through the proxy: its status, its cookies and what is in it."""

    def answer():
        with suppress(ConnectionRefusedError):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", path, headers=headers)
            found = connection.getresponse()
            return found.status, found.headers.get_all("Set-Cookie", []), found.read().decode()
        return None

    return until(answer)


def test_the_proxy_binds_a_visitor_to_a_replica_but_nobody_who_waits():
    with behind_proxy(2) as (port, servers):
        status, cookies, body = ask(port, "/voting", Host="privdemo.example", Cookie="privdemo_replica=2")
        assert (status, cookies) == (200, ["privdemo_waits=me"])
        for line in ("host: privdemo.example", "x-forwarded-for: 127.0.0.1", "x-forwarded-proto: http"):
            assert line in body.lower()
        assert re.search("privdemo_replica=[12]; .*HttpOnly; SameSite=Lax", ask(port, "/voting")[1][-1])
        status, cookies, _ = ask(port, "/full")
        assert (status, cookies) == (503, ["privdemo_waits=me", "privdemo_replica=; Path=/; Max-Age=0"])
        end(servers)
        for path in ("/voting", "/p/BCDFG"):
            status, _, body = ask(port, path)
            assert (status, "tries again" in body) == (503, True)


def test_the_proxy_gives_who_answers_a_poll_no_cookie_and_takes_any_replica():
    with behind_proxy(2) as (port, servers):
        ask(port, "/voting")
        end(servers[:1])
        for path in ("/p/BCDFG", "/p/BCDFG/now", "/P/BCDFG", "/p", "/p?code=BCDFG"):
            headers = {"Cookie": "privdemo_replica=1", "X-Forwarded-For": "10.0.0.7"}
            status, cookies, body = ask(port, path, **headers)
            assert (status, cookies) == (200, ["privdemo_waits=me"]), "the server's own alone"
            assert re.findall("x-forwarded-for: (.*)", body.lower()) == ["127.0.0.1"], "not what is said of it"
        assert len(ask(port, "/poll")[1]) == 2, "the teacher's page is a visit"


def test_a_long_link_reaches_the_app_which_says_that_it_is_too_long():
    with behind_proxy(1) as (port, _):
        assert ask(port, "/voting?a=" + 60_000 * "b")[0] == 200
    buffer_size = int(re.search(r"tune\.bufsize (\d+)", replicas.TEMPLATE.read_text())[1])
    assert buffer_size - 1024 >= limits.REQUEST_BYTES.high, "HAProxy keeps 1 kB of it for headers that it adds"


def test_a_page_of_the_proxy_itself_has_the_headers_of_the_app():
    with behind_proxy(0) as (port, _):
        ask(port, "/voting")
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", "/voting")
        answer = connection.getresponse()
    assert answer.status == 503
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert (answer.headers["X-Content-Type-Options"], answer.headers["Referrer-Policy"]) == ("nosniff", "same-origin")


@contextmanager
def two_replicas(folder):
    """The address of two replicas of the app, and what the command that started them says."""
    (port,) = replicas.free_ports(1)
    log = folder / "log"
    command = [sys.executable, "-m", "deploy.replicas", "2", "--address", "127.0.0.1", "--port", str(port)]
    with log.open("w") as words:
        process = subprocess.Popen(command, cwd=replicas.ROOT, stdout=words, stderr=subprocess.STDOUT)
    try:
        until(lambda: "privdemo: http" in log.read_text() or process.poll() is not None)
        assert process.poll() is None, log.read_text()
        yield f"http://127.0.0.1:{port}", log.read_text
    finally:
        for sign in (signal.SIGINT, signal.SIGTERM):  # the second is for one in a hurry
            process.send_signal(sign)
        assert process.wait(30) == 0, log.read_text()


def processes(said, replica):
    """The processes that a replica has had."""
    return [int(pid) for pid in re.findall(rf"Replica {replica}: process (\d+)", said())]


async def kill_one(address, said):
    """Kill a replica while visitors of both change a control; gives the process that was killed."""
    visitors = [Visitor(address, "voting") for _ in range(4)]
    for one in visitors:
        await one.open()
    killed = visitors[0].cookie
    theirs = [one for one in visitors if one.cookie == killed]
    others = [one for one in visitors if one.cookie != killed]
    assert len(theirs) == len(others) == 2
    (pid,) = processes(said, killed[-1])
    values = changes(0.01, 0.5, 0)
    waiting = [asyncio.create_task(one.change("lie", next(values))) for one in others]
    os.kill(pid, signal.SIGKILL)
    await asyncio.gather(*waiting)
    while len(processes(said, killed[-1])) == 1:
        for one in others:
            await one.change("lie", next(values))
    for one in theirs:  # comes back as a browser does: with the cookie of the replica that is gone
        again = Visitor(address, "voting", cookie=one.cookie)
        await again.open()
        await again.change("lie", next(values))
        await again.leave()
    for one in others:
        await one.change("lie", next(values))
        await one.leave()
    return pid, killed[-1]


def test_a_killed_replica_is_replaced_and_the_visitors_of_the_other_notice_nothing(tmp_path):
    with two_replicas(tmp_path) as (address, said):
        pid, replica = in_a_loop(kill_one(address, said))
        assert f"Replica {replica} was ended by SIGKILL and is started again." in said()
        assert not alive(pid)
        port = int(re.search(r"replicas on ports \[(.*)\]", said())[1].split(", ")[int(replica) - 1])
        in_a_loop(until_answered(port))
    assert not any(alive(one) for one in [*processes(said, 1), *processes(said, 2)])


async def until_answered(port):
    """Visit a replica itself, as soon as it is there."""
    visitor = Visitor(f"http://127.0.0.1:{port}", "voting")
    async with asyncio.timeout(DEADLINE):
        while True:
            with suppress(OSError):
                await visitor.open()
                return await visitor.leave()
            await asyncio.sleep(0.05)


# A server that answers all, looked after as a replica is, but with less patience.
LOOKED_AFTER = """
import signal
import sys
from deploy import replicas

replicas.HEALTH_EVERY, replicas.HEALTH_TIMEOUT, replicas.HANGS_AFTER, replicas.PAUSE = 0.1, 0.3, 1.0, 0.1
port = sys.argv[1]
server = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", port]
child = replicas.Child("Replica 1", server, health=f"http://127.0.0.1:{port}/")
child.start()
try:
    replicas.wait_for(child)
    print("Replica 1 answers", flush=True)
    signal.signal(signal.SIGTERM, replicas.exit_once)
    replicas.supervise([child])
finally:
    child.stop()
"""


def test_a_replica_that_hangs_is_killed_and_started_again():
    (port,) = replicas.free_ports(1)
    command = [sys.executable, "-c", LOOKED_AFTER, str(port)]
    with subprocess.Popen(command, cwd=replicas.ROOT, stdout=subprocess.PIPE, text=True) as process:
        said = (line.strip() for line in process.stdout if line.startswith("Replica 1"))
        try:
            hung = int(next(said).rpartition(" ")[2])
            assert next(said) == "Replica 1 answers"
            os.kill(hung, signal.SIGSTOP)
            assert next(said) == "Replica 1 hangs and is started again."
            again = int(next(said).rpartition(" ")[2])
            assert not alive(hung)
            assert ask(port, "/")[0] == 200
        finally:
            process.terminate()
    until(lambda: not alive(again))
