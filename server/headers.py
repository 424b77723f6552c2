"""Add headers to every response: what a browser may load, and which sites may show the app in a frame."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.server_settings import FRAMES, checked

# Features of browsers that no page of the app uses.
_DENIED = "accelerometer camera display-capture geolocation gyroscope magnetometer microphone midi payment usb"


class SecurityHeaders:
    """Middleware that adds the headers of `security_headers` to every answer which does not have them already.

    `scripts` returns the scripts that stand within the HTML of pages.
    """

    def __init__(self, app: ASGIApp, scripts: Callable[[], Iterable[str]]) -> None:
        self.app = app
        self.headers = security_headers(scripts())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the app does, with the headers added."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                given = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    given.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_with_headers)


def security_headers(scripts: Iterable[str]) -> dict[str, str]:
    """Return headers by which a page loads from this server alone, and runs only these `scripts` within its HTML."""
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    inline = " ".join(f"'sha256-{digest}'" for digest in digests)
    policy = {
        "default-src": "'self'",
        "script-src": f"'self' blob: {inline}",  # Streamlit loads components from blobs
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": " ".join(checked(FRAMES)) or "'none'",
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Permissions-Policy": ", ".join(f"{name}=()" for name in _DENIED.split()),
    }
