"""The address of a poll, to type and as a QR code."""

from __future__ import annotations

import os
import re
from html import escape
from urllib.parse import urlsplit

from pages.kit.qr_code import qr_code
from pages.topics.poll.question import Join
from server import server_settings
from server.room import ROOM

_LOCAL = re.compile(r"localhost|127(\.\d+){3}|::1|0\.0\.0\.0", re.IGNORECASE)
# Where the app is taken to be if the browser does not say.
_UNKNOWN_SITE = "http://localhost:8501"
NOT_OPENED = "The teacher has not opened the poll to this room yet."
"""Said to a class whose telephones cannot reach the poll."""


def join(code: str, is_open: bool, seen: str | None) -> Join:
    """Return where to join the poll of a code.

    That is at PRIVDEMO_URL, else at the address at which it is open to the room, else where the teacher’s browser is.
    """
    opened = ROOM.opened(code)
    site = given_site() or (opened.site if opened else _site(seen or "")) or _UNKNOWN_SITE
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


def picture(at: Join) -> str:
    """Return as HTML the address and its QR code, or why there is none."""
    site, _, code = short(at.address).rpartition("/")
    if not at.is_open:
        return f'<p class="poll-closed">Poll <b>{escape(code)}</b> is closed.</p>'
    if at.local:
        return f'<p class="poll-closed">{NOT_OPENED}</p>'
    return (
        f'<img alt="QR code of {escape(at.address)}" src="{qr_code(at.address)}">'
        f'<p class="poll-address">{escape(site)}/<wbr><b>{escape(code)}</b></p>'
    )
