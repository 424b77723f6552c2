"""Whether telephones reach a poll: a server that asks itself, and the words for what it finds."""

import socket
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from deploy import replicas
from pages.polls import participant
from pages.polls.rules import Poll
from pages.topics.poll import reach
from server.firewall import Firewall
from server.own_computer import OwnAddress
from server.room import Opened

POLL = Poll("BCDFG", "Have you?", ("Yes", "No"), 0.25, 1, True, 3600)
WIFI = OwnAddress("192.168.1.20", "192.168.1.0/24", "wlan0")


def opened_at(port, host="127.0.0.1", is_reached=False):
    return Opened("BCDFG", host, port, 0.0, frozenset(), is_reached)


@contextmanager
def answering(status, page):
    """Serve a page with a status at every address; yield the port and the requests that came."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append((self.path, self.headers["Host"]))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port, asked
        server.shutdown()


def test_the_server_asks_itself_for_the_very_page_by_the_very_name(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # a telephone does not go by this computer's proxy
    with answering(200, participant.page(POLL, "en")) as (port, asked):
        assert reach.ask_itself(opened_at(port)) == ""
    assert asked == [("/p/BCDFG", f"127.0.0.1:{port}")]


@pytest.mark.parametrize(
    ("status", "page", "said"),
    [
        (421, "", "something else answers than this poll (status 421)"),
        (200, "<h1>Another app</h1>", "something else answers than this poll (status 200)"),
        (
            200,
            participant.page(Poll("ZZZZZ", "BCDFG?", ("Yes", "No"), 0.25, 1, True, 1), "en"),
            "something else answers",
        ),
        (429, "", "Wait a minute"),
    ],
)
def test_another_answer_is_a_problem(status, page, said):
    with answering(status, page) as (port, _):
        assert said in reach.ask_itself(opened_at(port))


def test_a_server_that_does_not_listen_there_says_how_it_would():
    (port,) = replicas.free_ports(1)
    said = reach.ask_itself(opened_at(port))
    assert f"does not listen at 127.0.0.1:{port}" in said
    assert "make run" in said
    assert "for this computer alone. " in said
    of_ipv6 = reach.ask_itself(opened_at(port, "[::1]"))
    assert "for this computer alone, or for IPv4 alone. " in of_ipv6
    assert "--host ::" in of_ipv6


def test_a_server_that_hangs_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(reach, "_TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert "No answer came from" in reach.ask_itself(opened_at(silent.getsockname()[1]))


def test_each_check_is_good_bad_or_waits():
    opened = opened_at(8501, WIFI.host)
    words = reach.checks(opened, [WIFI], "")
    assert (words.count('class="good"'), words.count('class="bad"'), words.count('class=""')) == (2, 0, 1)
    words = reach.checks(opened_at(8501, WIFI.host, is_reached=True), [], "It is off.")
    assert (words.count('class="good"'), words.count('class="bad"'), words.count('class=""')) == (1, 2, 0)


def test_what_may_be_in_the_way_has_the_real_port_network_and_address():
    words = reach.what_may_be_in_the_way(opened_at(8621, WIFI.host), WIFI.network, Firewall("ufw", True), "")
    assert "```sh\nsudo ufw allow from 192.168.1.0/24 to any port 8621 proto tcp\nsudo ufw delete" in words
    assert "`http://192.168.1.20:8621/p/BCDFG`" in words
    assert "container" not in words


@pytest.mark.parametrize(
    ("enclosure", "said"), [("a container", "`network_mode: host`"), ("WSL", "networkingMode=mirrored")]
)
def test_what_the_app_is_enclosed_in_is_said_to_be_in_the_way(enclosure, said):
    opened = opened_at(8501, WIFI.host)
    assert said in reach.what_may_be_in_the_way(opened, WIFI.network, Firewall("ufw", True), enclosure)
    assert said in reach.other_ways(enclosure)


def test_where_it_cannot_be_opened_the_reason_and_the_show_of_hands_are_said():
    words = reach.cannot_be_opened("Because.", "http://localhost:8501/p/")
    assert "cannot reach localhost:8501, and" in words
    assert words.endswith("Because. A show of hands needs no network.")
    assert reach.other_ways("").startswith("Whoever runs the server")
