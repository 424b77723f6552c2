"""Visits and what they hold: who is still connected, what they uploaded, and a timer that forgets those who left.

Streamlit itself forgets a visit only when somebody else comes, and what was uploaded only with the visit.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from uuid import uuid4

import streamlit as st
from streamlit import runtime
from streamlit.runtime.uploaded_file_manager import UploadedFile

from server.streamlit_internals import drop_own_uploads, is_connected, release_last_session, session_name, sessions
from server.uploads import Unread

# Seconds after which a visit whose connection was lost has ended: a short break loses nothing.
BREAK = 6.0
# Seconds between looks at who has left, and how many of them are ended before others are answered.
LOOK, AT_ONCE = 1.0, 5
_LOG = logging.getLogger(__name__)
# Seconds for which what has ended is looked for in memory.
_SEARCH = 60.0


def name() -> str:
    """The name of this visit, by which it is known whether its visitor is still connected."""
    found = session_name()
    return found if is_connected(found) else uuid4().hex


def take(key: str) -> tuple[bytes, str] | None:
    """The bytes and the name of a file just brought to the widget of a key, which the server then no longer keeps.

    None where there is none, and for one that was taken before: a widget still on the screen says it once more.
    """
    uploaded = st.session_state.get(key)
    if not isinstance(uploaded, UploadedFile):
        return None
    drop_own_uploads(uploaded.file_id)
    if visit := session_name():
        ENDED.has_brought(visit)
    ENDED.collect_soon()
    return uploaded.getvalue(), uploaded.name


def drop_uploads() -> None:
    """Forget every file that this visitor has uploaded, and clear what was made of it out of memory soon."""
    drop_own_uploads()
    ENDED.collect_soon()


class Ended:
    """Finds visits that have ended, and clears all that they held out of memory.

    At once, if they brought something of their own; of others nothing is left that the next collection may not find.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # Since when the connection of each visit has been lost; the visits that have brought something of their own;
        # and what may be in memory, until when it is looked for.
        self._away: dict[str, float] = {}
        self._brought: set[str] = set()
        self._search: dict[weakref.ref[Any], float] = {}
        self._until = 0.0

    def has_brought(self, visit: str) -> None:
        """Note that a visitor has brought something of their own, all of which is to go with them."""
        self._brought.add(visit)

    def collect_soon(self) -> None:
        """Clear out of memory what nothing refers to any longer, at the next looks."""
        self._until = self._clock() + 3 * LOOK

    def look(self, server: runtime.Runtime, leave: Callable[[str], None]) -> list[str]:
        """End the visits whose visitors have been away for `BREAK` seconds; `leave` is called with the name of each.

        Returns their names; there may be more where they are `AT_ONCE`.
        """
        now = self._clock()
        visits = sessions(server)
        self._away = {visit: self._away.get(visit, now) for visit in visits if not server.is_active_session(visit)}
        ended = [visit for visit, since in self._away.items() if now - since >= BREAK][:AT_ONCE]
        for visit in ended:
            leave(visit)
            server.close_session(visit)
            session = visits.pop(visit)
            with suppress(Exception):  # of what a browser sent that cannot be read
                session.session_state.clear()  # at once, whatever may still refer to the session
            if visit in self._brought:
                self._brought.remove(visit)
                self._search[weakref.ref(session)] = now + _SEARCH
            del session
        del visits
        self._search = {ref: until for ref, until in self._search.items() if ref() is not None and now < until}
        if len(ended) < AT_ONCE and (self._search or now < self._until):
            gc.collect()
        return ended


# What has ended on this server.
ENDED = Ended()


async def forget_ended(leave: Callable[[str], None]) -> None:
    """Look for visits that have ended, and files that no page has read, for as long as the server runs."""
    unread = Unread()
    while True:
        await asyncio.sleep(LOOK)
        try:
            server, any_ended = runtime.get_instance(), False
            unread.look(server)
            while ended := ENDED.look(server, leave):
                any_ended = True
                await asyncio.sleep(0)
                if len(ended) < AT_ONCE:
                    break
            if any_ended:
                await release_last_session(server, LOOK / 4)
        except Exception:  # of one visit; the others are to be forgotten as well
            _LOG.exception("A visit that ended could not be forgotten.")
