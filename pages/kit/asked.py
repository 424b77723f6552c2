"""What a browser asks for."""

from __future__ import annotations

from starlette.types import Scope


def address(scope: Scope) -> str:
    """The path below the place where the app is mounted, without its first slash: a page's is its address."""
    return str(scope["path"]).removeprefix(str(scope.get("root_path", ""))).removeprefix("/")
