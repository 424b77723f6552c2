"""This computer's own addresses, and which browsers count as being on this computer."""

import socket
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from deploy import replicas
from server import own_computer, server_settings
from server.own_computer import Connection, why_not_here

HERE = {"host": "localhost:8501", "origin": "http://localhost:8501", "user-agent": "a browser"}
PAGE = "http://localhost:8501/poll"


@pytest.fixture(autouse=True)
def no_server(monkeypatch):
    for variable in (server_settings.SITE, server_settings.HOSTS, own_computer.REPLICAS_ENV):
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize("client", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "127.0.0.53"])
@pytest.mark.parametrize("host", ["localhost:8501", "127.0.0.1:8501", "[::1]:8501", "LOCALHOST"])
def test_a_browser_on_this_computer_counts_as_here(client, host):
    given = HERE | {"host": host, "origin": f"http://{host}"}
    assert why_not_here(Connection(client, given, f"http://{host}/poll")) == ""


@pytest.mark.parametrize(
    "client", ["192.168.1.33", "::ffff:192.168.1.33", "fd00::2", "172.17.0.1", "", "localhost", "0.0.0.0", "1270.0.0.1"]
)
def test_a_connection_from_another_computer_does_not_count_as_here(client):
    """172.17.0.1 is Docker's gateway, from which a container's visitors come, wherever they are."""
    assert "not on the computer" in why_not_here(Connection(client, HERE, PAGE))


@pytest.mark.parametrize(
    ("host", "origin", "page"),
    [
        ("192.168.1.20:8501", "http://192.168.1.20:8501", "http://192.168.1.20:8501/poll"),
        ("class.example", "https://class.example", "https://class.example/poll"),
        ("localhost.evil.example", "http://localhost.evil.example", "http://localhost.evil.example/"),
        ("localhost:8501", "http://localhost:8501", "https://class.example/poll"),  # a proxy that changes both headers
        ("localhost:8501", "https://class.example", PAGE),
        ("localhost:8501", "", PAGE),
        ("localhost:8501", "http://localhost:8501", "https://localhost:8501/poll"),
        ("localhost:8501", "http://localhost:8501", "http://localhost:9000/poll"),
        ("localhost:8501", "http://localhost:8501", ""),
        ("", "http://localhost:8501", PAGE),
    ],
)
def test_a_browser_that_asked_for_another_host_does_not_count_as_here(host, origin, page):
    assert "http://localhost" in why_not_here(Connection("127.0.0.1", HERE | {"host": host, "origin": origin}, page))


@pytest.mark.parametrize(
    "header",
    [
        "Forwarded",
        "Via",
        "X-Forwarded-For",
        "X-Forwarded-Host",
        "X-Forwarded-Proto",
        "X-Real-IP",
        "X-Original-Host",
        "X-Proxied-By",
        "CF-Ray",
    ],
)
def test_a_request_through_a_proxy_on_this_computer_does_not_count_as_here(header):
    """It connects from a loopback address for visitors from anywhere."""
    given = HERE | {header: "127.0.0.1"}
    assert why_not_here(Connection("127.0.0.1", given, PAGE)) == "A proxy stands between your browser and this server."


def test_no_browser_counts_as_here_if_the_server_has_a_public_site(monkeypatch):
    monkeypatch.setenv(server_settings.SITE, "https://class.example")
    assert "This is a server" in why_not_here(Connection("127.0.0.1", HERE, PAGE))


def test_no_replica_behind_haproxy_opens_to_the_room_whatever_headers_arrive(monkeypatch):
    (replica,) = replicas.replicas([8600])
    for name, value in replica.environment.items():
        monkeypatch.setenv(name, value)
    assert "This is a server" in why_not_here(Connection("127.0.0.1", HERE, PAGE))
    assert "set-header X-Forwarded-For" in replicas.configuration(":8501", [8600])


def test_names_that_a_server_is_given_do_not_keep_its_own_computer_from_opening(monkeypatch):
    monkeypatch.setenv(server_settings.HOSTS, "10.0.0.5")
    assert why_not_here(Connection("127.0.0.1", HERE, PAGE)) == ""


# --- addresses -----------------------------------------------------------------------------------


@pytest.fixture
def interfaces(monkeypatch):
    """Return a function that has this computer seem to have some addresses, and those of its ways to outside."""

    def have(given, outside=(), down=()):
        found = {}
        for name, address, mask in given:
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            found.setdefault(name, []).append(SimpleNamespace(family=family, address=address, netmask=mask))
        found.setdefault("lo", []).append(
            SimpleNamespace(family=socket.AF_INET, address="127.0.0.1", netmask="255.0.0.0")
        )
        found["lo"].append(SimpleNamespace(family=psutil.AF_LINK, address="00:00:00:00:00:00", netmask=None))
        monkeypatch.setattr(psutil, "net_if_addrs", lambda: found)
        stats = {name: SimpleNamespace(isup=name not in down) for name in found}
        monkeypatch.setattr(psutil, "net_if_stats", lambda: stats)
        monkeypatch.setattr(own_computer, "_addresses_to_outside", lambda: set(outside))
        return [(own.address, own.network) for own in own_computer.private_addresses()]

    return have


def test_only_addresses_of_private_networks_are_offered(interfaces):
    assert interfaces([("eth0", "192.0.2.2", "255.255.255.0"), ("eth0", "2001:db8::5", "ffff:ffff:ffff:ffff::")]) == []
    assert interfaces([("eth0", "100.64.0.5", "255.192.0.0"), ("eth0", "fe80::1%eth0", None)]) == []
    for address, mask, network in (
        ("10.1.2.3", "255.255.0.0", "10.1.0.0/16"),
        ("172.31.255.9", "255.255.255.128", "172.31.255.0/25"),
        ("192.168.1.20", None, "192.168.1.0/24"),
        ("fd00::2", "ffff:ffff:ffff:ffff::", "fd00::/64"),
        ("fd00::2", None, "fd00::/64"),
    ):
        assert interfaces([("eth0", address, mask)]) == [(address, network)]
    assert interfaces([("eth0", "172.32.0.1", None), ("eth0", "192.169.0.1", None), ("eth0", "11.0.0.1", None)]) == []


def test_a_link_local_address_is_offered_only_if_there_is_no_other(interfaces):
    alone = ("eth0", "169.254.7.7", "255.255.0.0")
    assert interfaces([alone]) == [("169.254.7.7", "169.254.0.0/16")]
    assert interfaces([alone, ("wlan0", "192.168.1.20", "255.255.255.0")]) == [("192.168.1.20", "192.168.1.0/24")]


def test_addresses_that_lead_outside_come_first_and_virtual_networks_and_ipv6_last(interfaces):
    given = [
        ("docker0", "172.17.0.1", "255.255.0.0"),
        ("eth0", "fd00::2", "ffff:ffff:ffff:ffff::"),
        ("eth0", "10.0.0.7", "255.0.0.0"),
        ("wlan0", "192.168.1.20", "255.255.255.0"),
        ("tun0", "10.8.0.2", "255.255.255.0"),
        ("eth1", "192.168.9.9", "255.255.255.0"),
    ]
    found = [address for address, _ in interfaces(given, outside=["192.168.1.20", "10.8.0.2"], down=["eth1"])]
    assert found == ["192.168.1.20", "10.0.0.7", "fd00::2", "10.8.0.2", "172.17.0.1"]


def test_this_computers_own_addresses_are_found():
    assert {"127.0.0.1"} <= own_computer.all_addresses()
    assert {own.address for own in own_computer.private_addresses()} <= own_computer.all_addresses()


def test_an_address_is_compared_in_its_plain_form():
    given = ("::ffff:10.0.0.5", "FD00:0::2", "fe80::1%eth0", "10.0.0.5", "nonsense")
    assert [own_computer.shortest_form(one) for one in given] == [
        "10.0.0.5",
        "fd00::2",
        "fe80::1",
        "10.0.0.5",
        "nonsense",
    ]


def test_a_container_or_wsl_around_the_server_is_detected(monkeypatch, tmp_path):
    monkeypatch.delenv("container", raising=False)
    monkeypatch.setattr(own_computer, "_CONTAINER_FILES", (tmp_path / ".dockerenv",))
    monkeypatch.setattr(own_computer.platform, "release", lambda: "6.1.0")
    assert own_computer.enclosure() == ""
    monkeypatch.setattr(own_computer.platform, "release", lambda: "5.15.90.1-microsoft-standard-WSL2")
    assert own_computer.enclosure() == "WSL"
    Path(tmp_path / ".dockerenv").touch()
    assert own_computer.enclosure() == "a container"
