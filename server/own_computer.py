"""Tell this computer's own addresses in private networks, and whether a browser runs on this computer itself."""

from __future__ import annotations

import os
import platform
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network, ip_address
from pathlib import Path
from urllib.parse import urlsplit

import psutil
from starlette.datastructures import Headers

from server import requests
from server.replica_limits import REPLICAS_ENV
from server.server_settings import SITE

LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
"""The names by which a browser on this computer asks for it."""

# RFC 1918 and RFC 4193; and the addresses that a computer gives itself where a network gives it none (RFC 3927).
_PRIVATE_IPV4 = tuple(map(IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")))
_PRIVATE_IPV6, _LINK_LOCAL = IPv6Network("fc00::/7"), IPv4Network("169.254.0.0/16")
# The names of interfaces that belong to virtual machines, containers and tunnels: seldom the network of a room.
_VIRTUAL = re.compile(r"(docker|br-|veth|virbr|vmnet|vboxnet|vEthernet|tun|tap|utun|wg|tailscale|zt|podman|lxc)", re.I)
# Headers by which proxies say that a request is not their own.
_OF_PROXIES = re.compile(r"forwarded|via|x-(forwarded|original|real|client|proxy|proxied)\b.*|cf-.*|true-client-ip")
# No packet goes to these: they only have the system choose the interface that leads out.
_OUTSIDE = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))
# The variable that container engines set in a container, and the files that they make there.
_CONTAINER_ENV = "container"
_CONTAINER_FILES = (Path("/.dockerenv"), Path("/run/.containerenv"))


@dataclass(frozen=True)
class OwnAddress:
    """An `address` of this computer in a private network, and the name of its `interface`."""

    address: str
    network: str
    interface: str

    @property
    def host(self) -> str:
        """Return the address as it stands in a URL: IPv6 in brackets."""
        return f"[{self.address}]" if ":" in self.address else self.address


@dataclass(frozen=True)
class Connection:
    """How a browser is connected: from which address, with which headers, and which `page` it says that it shows."""

    client: str
    headers: Mapping[str, str]
    page: str


def private_addresses() -> list[OwnAddress]:
    """Return this computer's addresses in private networks, first the one that a room is most likely to share.

    An address that the computer gave itself counts only where there is no other.
    """
    stats, outside = psutil.net_if_stats(), _addresses_to_outside()
    found = [
        (OwnAddress(str(at.ip), str(at.network), name), at)
        for name, addresses in psutil.net_if_addrs().items()
        if name in stats and stats[name].isup
        for one in addresses
        if one.family in (socket.AF_INET, socket.AF_INET6) and (at := _interface(one.address, one.netmask))
    ]
    given = [own for own, at in found if _is_private(at.ip)] or [own for own, at in found if at.ip in _LINK_LOCAL]

    def order(own: OwnAddress) -> tuple[bool, bool, bool]:
        return bool(_VIRTUAL.match(own.interface)), ":" in own.address, own.address not in outside

    return sorted(given, key=order)


def _interface(address: str, mask: str | None) -> IPv4Interface | IPv6Interface | None:
    """Return an address with its network; without a mask that of a home or an office. None for a malformed one."""
    try:
        if ":" in address:
            length = int(IPv6Address(mask)).bit_count() if mask else 64
            return IPv6Interface(f"{address.partition('%')[0]}/{length}")
        return IPv4Interface(f"{address}/{mask or 24}")
    except ValueError:
        return None


def _is_private(ip: IPv4Address | IPv6Address) -> bool:
    return ip in _PRIVATE_IPV6 if isinstance(ip, IPv6Address) else any(ip in network for network in _PRIVATE_IPV4)


def _addresses_to_outside() -> set[str]:
    """Return the addresses from which this computer would reach other networks."""
    found = set()
    for family, outside in _OUTSIDE:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((outside, 9))
                found.add(str(probe.getsockname()[0]))
        except OSError:  # no such way out
            continue
    return found


def all_addresses() -> set[str]:
    """Return every address of this computer, the loopback ones too, as `shortest_form` writes them."""
    found = (one for addresses in psutil.net_if_addrs().values() for one in addresses)
    return {shortest_form(one.address) for one in found if one.family in (socket.AF_INET, socket.AF_INET6)}


def shortest_form(address: str) -> str:
    """Return an IP address in its shortest form, without a zone; one of IPv4 within IPv6 as IPv4."""
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return str(ip.ipv4_mapped or ip) if isinstance(ip, IPv6Address) else str(ip)


def why_not_here(connection: Connection) -> str:
    """Return a sentence on why a browser does not count as one on this computer; empty if it does.

    It must be connected from a loopback address, by a local name of this computer, and not through a proxy, which may
    itself run here and be connected from a loopback address for visitors from anywhere.
    """
    headers = Headers(dict(connection.headers))
    if os.environ.get(SITE) or REPLICAS_ENV in os.environ:
        return "This is a server for visitors from elsewhere: whoever runs it says by which names it answers."
    if any(_OF_PROXIES.fullmatch(name.lower()) for name in headers):
        return "A proxy stands between your browser and this server."
    page = urlsplit(connection.page)
    asked_for = headers.get("host", "").lower()
    is_local = requests.host(headers) in LOCAL_HOSTS and page.netloc.lower() == asked_for
    if not is_local or page.scheme != "http" or not requests.is_same_origin(headers):
        return "Your browser did not ask for this page as `http://localhost`."
    try:
        is_loopback = ip_address(shortest_form(connection.client)).is_loopback
    except ValueError:
        is_loopback = False
    return "" if is_loopback else "Your browser is not on the computer that runs this app; open this page there."


def enclosure() -> str:
    """Return what this process is enclosed in, “a container” or “WSL”, whose addresses are not the computer's own."""
    if os.environ.get(_CONTAINER_ENV) or any(file.exists() for file in _CONTAINER_FILES):
        return "a container"
    return "WSL" if "microsoft" in platform.release().lower() else ""
