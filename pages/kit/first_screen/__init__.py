"""A page's first screen, sent with the page's very first bytes: it stands until Streamlit has started in the browser.

It is what the page drew for the first visitor who came to it without any setting: the same sentence and the same
figure, before the libraries that draw it live are there. A link that holds settings goes without.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Set
from functools import cache
from html import escape
from pathlib import Path

import streamlit as st
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.kit import style
from server import requests
from server.streamlit_internals import static_folder

# The markup of each page's first screen, by its address; of the pages' own words and default answers only.
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


def begin() -> None:
    """Begin a run of a page: only the first one of a visit without settings is what every such visit begins with."""
    st.session_state[_FIRST] = _FIRST not in st.session_state and not st.query_params


def is_missing(address: str) -> bool:
    """Whether the screen of this run is a first screen that is not known yet."""
    return address not in _SCREENS and st.session_state.get(_FIRST, False)


def save(address: str, title: str, words: str, row: list[str], room: tuple[float, float]) -> None:
    """Keep a page's first screen: its title, the markup of its sentence and of its first figures, side by side.

    `room` is the height between the sentence and the figures, in rem, and that on a narrow screen.
    """
    sheet = style.SHEET.replace(":root", ":host")
    figures = "".join(f"<div>{figure}</div>" for figure in row)
    wide, narrow = room
    _SCREENS[address] = (
        '<div id="first-screen" inert aria-hidden="true" '
        f'style="color-scheme:light dark;--room:{wide}rem;--narrow-room:{narrow}rem">'
        f'<template shadowrootmode="open">{sheet}<style>{_LAYOUT}</style>'
        f'<h1>{escape(title)}</h1>{words}<div class="row">{figures}</div></template></div><script>{SCRIPT}</script>'
    )


class FirstScreens:
    """Middleware that sends the pages of some `addresses`, each with its first screen once that is known."""

    def __init__(self, app: ASGIApp, addresses: Callable[[], Set[str]]) -> None:
        self.app, self.addresses = app, addresses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the app does, but for pages."""
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
    """The page of HTML that Streamlit sends for every address, before anything is drawn on it.

    It says where the server is: Streamlit would ask below the page's own address first, and be refused. It holds the
    style of all pages, which overrules what Streamlit puts in its head: nothing is ever seen without it. And it hears
    of the chapter that is chosen.
    """
    page = (static_folder() / "index.html").read_text(encoding="utf-8")
    page = page.replace("<title>", f"<script>{_SERVER}</script>\n<script>{_CHAPTERS}</script>\n<title>", 1)
    return page.replace(_ROOT, style.SHEET + _ROOT, 1)
