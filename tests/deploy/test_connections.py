"""How many connections HAProxy takes, and that those beyond wait instead of failing; and whom it believes."""

import asyncio
import http.client
import re
import resource
import subprocess
from contextlib import asynccontextmanager, suppress

import pytest

from deploy import replicas
from privdemo import limits
from server import waiting_room
from tests.conftest import missing
from tests.deploy.test_replicas import ask, behind_proxy
from tests.server.asking import in_a_loop

TEMPLATE = replicas.TEMPLATE.read_text()


@pytest.fixture(scope="module", autouse=True)
def there_is_haproxy():
    try:
        replicas.haproxy()
    except ValueError as error:
        missing(str(error))


def test_haproxy_finds_nothing_wrong_with_its_file(tmp_path):
    file = tmp_path / "haproxy.cfg"
    file.write_text(replicas.configuration("127.0.0.1:8501", [8502, 8503]))
    said = subprocess.run([replicas.haproxy(), "-c", "-f", file], capture_output=True, text=True)
    assert (said.returncode, said.stderr) == (0, ""), said.stderr


def test_places_at_a_replica_are_enough_for_its_visitors_and_few_enough_for_its_files():
    visits, polls = map(int, re.findall(r"default-server .*maxconn (\d+)", TEMPLATE))
    assert visits >= waiting_room.BEYOND * limits.VISITS.high + 200
    assert visits + polls <= 1024 - 100
    assert limits.POLL_PEOPLE.high + 2 * visits <= replicas.CONNECTIONS
    assert float(re.search(r"timeout queue (\d+)s", TEMPLATE)[1]) > 12, "as long as the app waits for its database"


@pytest.mark.parametrize(
    ("files", "n"), [(1024, 462), (4096, 1998), (16_099, 7999), (20_000, 8000), (resource.RLIM_INFINITY, 8000), (90, 1)]
)
def test_haproxy_takes_as_many_connections_as_it_may_open_files_for(monkeypatch, files, n):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (64, files))
    assert replicas.connections() == n
    assert re.search(rf"^    maxconn {n}$", replicas.configuration("127.0.0.1:8501", [8502]), re.M)


class Crowd:
    """A server that answers nobody before it is told to, and counts who is there at once."""

    def __init__(self):
        self.now = self.most = 0
        self.may_answer = asyncio.Event()

    async def serve(self, reader, writer):
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            head = await reader.readuntil(b"\r\n\r\n")
            if b"_stcore/health" not in head:
                self.now += 1
                self.most = max(self.most, self.now)
                await self.may_answer.wait()
                self.now -= 1
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
            await writer.drain()
        writer.close()


@asynccontextmanager
async def crowd(folder, places):
    """A crowd's server, and the port of HAProxy before it, with so many places for visitors and for polls each."""
    one = Crowd()
    server = await asyncio.start_server(one.serve, "127.0.0.1", 0, backlog=512)
    (port,) = replicas.free_ports(1)
    words = replicas.configuration(f"127.0.0.1:{port}", [server.sockets[0].getsockname()[1]])
    file = folder / "haproxy.cfg"
    file.write_text(re.sub(r"(default-server .*maxconn) \d+", rf"\1 {places}", words))
    proxy = await asyncio.create_subprocess_exec(replicas.haproxy(), "-db", "-f", file, stderr=subprocess.DEVNULL)
    try:
        yield one, port
    finally:
        proxy.kill()
        await proxy.wait()
        server.close()


async def status_of(port, path):
    """The status of an answer to one who comes alone."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    return int(answer.split()[1])


async def burst(folder, path, places, people):
    """What all who come at once are answered, and how many of them were at the server at once."""
    async with asyncio.timeout(60), crowd(folder, places) as (one, port):
        while True:  # HAProxy takes a moment to listen
            with suppress(ConnectionRefusedError):
                (await asyncio.open_connection("127.0.0.1", port))[1].close()
                break
            await asyncio.sleep(0.02)
        tasks = [asyncio.create_task(status_of(port, path)) for _ in range(people)]
        while one.now < min(places, replicas.connections()):
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.3)  # others would come in now
        one.may_answer.set()
        return await asyncio.gather(*tasks), one.most


@pytest.mark.parametrize("path", ["/voting", "/p/BCDFG/now"])
def test_a_burst_beyond_the_places_of_a_replica_waits_its_turn(tmp_path, path):
    answers, most = in_a_loop(burst(tmp_path, path, places=20, people=100))
    assert (answers, most) == (100 * [200], 20)


def test_a_burst_beyond_all_connections_waits_to_be_taken(tmp_path, monkeypatch):
    monkeypatch.setattr(replicas, "CONNECTIONS", 20)
    answers, most = in_a_loop(burst(tmp_path, "/voting", places=100, people=80))
    assert (answers, most) == (80 * [200], 20)


def test_visitors_keep_their_own_addresses():
    with behind_proxy(1) as (port, _):
        ask(port, "/")
        for whence in ("127.0.0.2", "127.0.0.3"):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10, source_address=(whence, 0))
            connection.request("GET", "/", headers={"X-Forwarded-For": "10.0.0.7"})
            assert re.findall("x-forwarded-for: (.*)", connection.getresponse().read().decode().lower()) == [whence]


def test_another_proxy_in_front_is_believed_once_its_address_is_named(monkeypatch, tmp_path):
    changed = re.sub(r"(set-header X-Forwarded-\w+ .*)", r"\1 unless { src 127.0.0.9 }", TEMPLATE)
    (tmp_path / "haproxy.cfg").write_text(changed)
    assert changed.count("unless { src 127.0.0.9 }") == 2
    monkeypatch.setattr(replicas, "TEMPLATE", tmp_path / "haproxy.cfg")
    with behind_proxy(1) as (port, _):
        ask(port, "/")
        for whence, seen in (("127.0.0.9", ["10.0.0.7", "https"]), ("127.0.0.2", ["127.0.0.2", "http"])):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10, source_address=(whence, 0))
            connection.request("GET", "/", headers={"X-Forwarded-For": "10.0.0.7", "X-Forwarded-Proto": "https"})
            body = connection.getresponse().read().decode().lower()
            assert [re.search(f"x-forwarded-{name}: (.*)", body)[1] for name in ("for", "proto")] == seen
