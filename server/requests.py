"""Read from a request which address it asks for, from which page and from which network."""

from __future__ import annotations

import re
from ipaddress import IPv6Address, ip_address

from starlette.datastructures import Headers
from starlette.types import Scope


def address(scope: Scope) -> str:
    """Return the path without its first slash and without the path that the app is mounted at."""
    return str(scope["path"]).removeprefix(str(scope.get("root_path", ""))).removeprefix("/")


def host(headers: Headers) -> str:
    """Return the host asked for in lower case, without a port and without a dot at its end."""
    return re.sub(r"\.?(:\d+)?$", "", headers.get("host", ""), count=1).lower()


def is_same_origin(headers: Headers) -> bool:
    """Return whether a page of this server sent the request: its origin is the host asked for.

    The scheme may differ, as a proxy in front may speak HTTPS to the browser and HTTP to the app.
    """
    origin = re.fullmatch(r"(https?)://([^/]+)", headers.get("origin", "").lower())
    if not origin:
        return False
    port = {"http": ":80", "https": ":443"}[origin[1]]
    return origin[2].removesuffix(port) == headers.get("host", "").lower().removesuffix(port)


def network(address: str) -> str:
    """Return the network of an IP address: an IPv4 address itself, of IPv6 the /56 that one household or office has."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    return str(int(found) >> 72) if isinstance(found, IPv6Address) and not found.ipv4_mapped else address


def network_of(scope: Scope) -> str:
    """Return the network that a request comes from; empty where the server does not say."""
    return network(scope["client"][0]) if scope.get("client") else ""
