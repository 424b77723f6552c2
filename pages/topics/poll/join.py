"""The address of a poll, to type and as a QR code, and what to do where telephones cannot reach it."""

from __future__ import annotations

import os
import re
import socket
from functools import lru_cache
from html import escape
from urllib.parse import urlsplit

import segno

from pages.topics.poll.question import Join
from server import server_settings

_LOCAL = re.compile(r"localhost|127(\.\d+){3}|::1|0\.0\.0\.0", re.IGNORECASE)
# Where `make run` serves unless it is told another port.
_PORT = 8501
# Modules of white around a QR code, without which telephones do not find it.
_QUIET = 4


def join(code: str, is_open: bool, seen: str | None) -> Join:
    """Return where to join the poll of a code: at PRIVDEMO_URL, else at the address the teacher’s browser uses."""
    site = given_site() or _site(seen or "") or f"http://localhost:{_PORT}"
    local = bool(_LOCAL.fullmatch(urlsplit(site).hostname or ""))
    return Join(code, f"{site}/p/{code}", is_open, local)


def given_site() -> str:
    """Return the address of this app that PRIVDEMO_URL gives, or an empty string."""
    return _site(os.environ.get(server_settings.SITE, ""))


def _site(address: str) -> str:
    """Return the scheme, host and port of an address, or an empty string for an invalid one."""
    try:
        parts = urlsplit(address.strip())
        known = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # such as a port of letters
        return ""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if known else ""


def short(address: str) -> str:
    """Return an address as one types it: without its scheme."""
    return address.partition("://")[2]


@lru_cache(maxsize=256)  # it takes as long as the rest of the page
def qr_code(address: str) -> str:
    """Return the QR code of an address as an image’s data URI, dark on white in the dark theme too."""
    code = segno.make(address, error="m", micro=False)
    return str(code.svg_data_uri(border=_QUIET, dark="#000", light="#fff", scale=8))


def picture(at: Join) -> str:
    """Return the address and its QR code as HTML."""
    site, _, code = short(at.address).rpartition("/")
    if not at.is_open:
        return f'<p class="poll-closed">Poll <b>{escape(code)}</b> is closed.</p>'
    return (
        f'<img alt="QR code of {escape(at.address)}" src="{qr_code(at.address)}">'
        f'<p class="poll-address">{escape(site)}/<wbr><b>{escape(code)}</b></p>'
    )


def own_address() -> str:
    """Return this machine’s address in its network, or an empty string; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("10.255.255.255", 9))
            found = str(probe.getsockname()[0])
        except OSError:
            return ""
    return "" if _LOCAL.fullmatch(found) else found


def how_to_reach(at: Join) -> str:
    """Say as HTML what to do where telephones cannot reach a poll; empty where they can."""
    if not at.local:
        return ""
    mine = own_address()
    example, port = mine or "192.168.1.20", urlsplit(at.address).port or 80
    other = "" if port == _PORT else f" PORT={port}"
    which = "" if mine else ", with this computer’s address in the place of that one"
    return (
        "Telephones cannot reach this address: start the app with "
        f"<code>PRIVDEMO_HOSTS={example} make run{other}</code>{which}, and open <b>http://{example}:{port}/poll</b> "
        "in the same network as the class. Until then, a show of hands needs no network."
    )
