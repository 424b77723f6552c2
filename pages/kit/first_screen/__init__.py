"""Send the first screen of a page within its HTML, so that it is seen before Streamlit has started in the browser.

The first visit to a page without settings in its link saves the sentence and the figures; later visits get them. A link
with settings gets no first screen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Set
from functools import cache
from html import escape
from pathlib import Path
from typing import NamedTuple

import streamlit as st
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.kit import link, style
from server import requests
from server.streamlit_internals import static_folder

# The markup of each page's first screen, by its address. It holds nothing of a visitor: only default answers.
_SCREENS: dict[str, str] = {}
_FIRST = "first_visit"
_HERE = Path(__file__).parent
_LAYOUT, SCRIPT, _CHAPTERS = (
    (_HERE / name).read_text(encoding="utf-8") for name in ("first_screen.css", "leave.js", "chapters.js")
)
_SERVER = 'window.__streamlit = { BACKEND_BASE_URL: new URL("./", location.href).href };'
_INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_ROOT = '<div id="root">'
_NO_CACHE = {"Cache-Control": "no-cache"}


class Heights(NamedTuple):
    """What Streamlit renders between the parts of a first screen, in rem.

    `above` is the space above the sentence, with `middle_above` and `narrow_above` in such windows. `tall` is the
    space between the sentence and the figures in a wide window that is high, `wide` in one that is not, and `narrow`
    in a narrow one.
    """

    tall: float
    wide: float
    narrow: float
    above: float = 0.0
    middle_above: float = 0.0
    narrow_above: float = 0.0


def begin() -> None:
    """Begin a run of a page: only the first run of a visit without settings can be saved as a first screen."""
    st.session_state[_FIRST] = _FIRST not in st.session_state and not link.parameters()


def is_missing(address: str) -> bool:
    """Return whether this run can be saved as a first screen, and the page has none yet."""
    return address not in _SCREENS and st.session_state.get(_FIRST, False)


def save(address: str, title: str, words: str, row: list[str], heights: Heights) -> None:
    """Save a page's first screen: its title, and the markup of its sentence and of its first figures, side by side."""
    sheet = style.SHEET.replace(":root", ":host")
    figures = "".join(f"<div>{figure}</div>" for figure in row)
    _SCREENS[address] = (
        '<div id="first-screen" inert aria-hidden="true" '
        f'style="color-scheme:light dark;--tall-gap:{heights.tall}rem;--gap:{heights.wide}rem;'
        f"--narrow-gap:{heights.narrow}rem;--above:{heights.above}rem;--middle-above:{heights.middle_above}rem;"
        f'--narrow-above:{heights.narrow_above}rem">'
        f'<template shadowrootmode="open">{sheet}<style>{_LAYOUT}</style>'
        f'<h1>{escape(title)}</h1>{words}<div class="row">{figures}</div></template></div><script>{SCRIPT}</script>'
    )


class FirstScreens:
    """Middleware that answers requests for `addresses` with Streamlit's HTML and the page's first screen."""

    def __init__(self, app: ASGIApp, addresses: Callable[[], Set[str]]) -> None:
        self.app, self.addresses = app, addresses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer requests for pages, and pass on all others."""
        address = None
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            address = requests.address(scope)
        if address is None or address not in self.addresses():
            await self.app(scope, receive, send)
            return
        screen = "" if scope.get("query_string") else _SCREENS.get(address, "")
        page = HTMLResponse(empty_page().replace(_ROOT, screen + _ROOT, 1), headers=_NO_CACHE)
        await page(scope, receive, send)


def scripts() -> list[str]:
    """Return the scripts within the HTML of a page: Streamlit's, and those of the first screen."""
    return [*_INLINE_SCRIPT.findall(empty_page()), SCRIPT]


@cache
def empty_page() -> str:
    """Return the HTML that Streamlit sends for every page, before any page is rendered, with additions.

    A script says where the server is, as Streamlit would first try below the page's own address, where requests are
    refused. The style of all pages comes after Streamlit's, so that nothing is ever shown without it. Another script
    scrolls up to the sentence of a chapter that is chosen below the figure, on a narrow screen.
    """
    page = (static_folder() / "index.html").read_text(encoding="utf-8")
    page = page.replace("<title>", f"<script>{_SERVER}</script>\n<script>{_CHAPTERS}</script>\n<title>", 1)
    return page.replace(_ROOT, style.SHEET + _ROOT, 1)
