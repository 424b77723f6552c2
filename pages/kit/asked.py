"""What a browser asks for."""

from __future__ import annotations

import re

from starlette.datastructures import Headers
from starlette.types import Scope


def address(scope: Scope) -> str:
    """The path below the place where the app is mounted, without its first slash: a page's is its address."""
    return str(scope["path"]).removeprefix(str(scope.get("root_path", ""))).removeprefix("/")


def is_from_here(given: Headers) -> bool:
    """Whether a page of this server asks: its origin is the host asked for, whatever proxies in front speak."""
    origin = re.fullmatch(r"(https?)://([^/]+)", given.get("origin", "").lower())
    if not origin:
        return False
    port = {"http": ":80", "https": ":443"}[origin[1]]
    return origin[2].removesuffix(port) == given.get("host", "").lower().removesuffix(port)
