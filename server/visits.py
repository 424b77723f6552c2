"""Read and delete what visits have uploaded, and end visits whose browsers have disconnected.

Streamlit by itself ends such a visit only when another one begins, and keeps uploaded files as long as the visit.
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
from server.uploads import UnreadUploads

# Seconds after which a visit without a connection has ended: a short interruption loses nothing.
ENDED_AFTER = 6.0
# Seconds between checks, and the most visits that are ended before the event loop does other work.
CHECK_EVERY, MOST_ENDED = 1.0, 5
_LOG = logging.getLogger(__name__)
# Seconds for which garbage is collected until an ended session is gone.
_SEARCH_SECONDS = 60.0


def name() -> str:
    """Return the name of this visit, with which `is_connected` checks whether its browser is still connected."""
    found = session_name()
    return found if is_connected(found) else uuid4().hex


def pop_upload(key: str) -> tuple[bytes, str] | None:
    """Return the bytes and the name of a file just uploaded to a widget, and delete it from the server.

    Return None if there is none. A widget that is still on screen returns the same file only once.
    """
    uploaded = st.session_state.get(key)
    if not isinstance(uploaded, UploadedFile):
        return None
    drop_own_uploads(uploaded.file_id)
    if visit := session_name():
        DISCONNECTED.note_upload(visit)
    DISCONNECTED.collect_soon()
    return uploaded.getvalue(), uploaded.name


def drop_uploads() -> None:
    """Delete every file that this visit has uploaded, and collect garbage soon."""
    drop_own_uploads()
    DISCONNECTED.collect_soon()


class DisconnectedVisits:
    """Ends visits whose browsers have disconnected, and frees all memory that they held.

    That happens at once for visits that uploaded something; for others the next regular collection is enough.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # Since when each visit is disconnected; the visits that have uploaded something; and ended sessions that may
        # still be in memory, with the time until which garbage is collected for them.
        self._disconnected_since: dict[str, float] = {}
        self._uploaded: set[str] = set()
        self._search: dict[weakref.ref[Any], float] = {}
        self._until = 0.0

    def note_upload(self, visit: str) -> None:
        """Note that a visit has uploaded something, so that its memory must be freed when it ends."""
        self._uploaded.add(visit)

    def collect_soon(self) -> None:
        """Collect garbage in the next calls of `end_disconnected`."""
        self._until = self._clock() + 3 * CHECK_EVERY

    def end_disconnected(self, server: runtime.Runtime, on_end: Callable[[str], None]) -> list[str]:
        """End visits that have been disconnected for `ENDED_AFTER` seconds; `on_end` is called with the name of each.

        Return their names; if they are `MOST_ENDED`, there may be more.
        """
        now = self._clock()
        visits = sessions(server)
        self._disconnected_since = {
            visit: self._disconnected_since.get(visit, now) for visit in visits if not server.is_active_session(visit)
        }
        ended = [visit for visit, since in self._disconnected_since.items() if now - since >= ENDED_AFTER][:MOST_ENDED]
        for visit in ended:
            on_end(visit)
            server.close_session(visit)
            session = visits.pop(visit)
            with suppress(Exception):  # a widget's value that cannot be parsed
                session.session_state.clear()  # even if something still refers to the session
            if visit in self._uploaded:
                self._uploaded.remove(visit)
                self._search[weakref.ref(session)] = now + _SEARCH_SECONDS
            del session  # or this variable would keep the last one in memory through the collection below
        del visits  # as would this, which refers to sessions too
        self._search = {ref: until for ref, until in self._search.items() if ref() is not None and now < until}
        if len(ended) < MOST_ENDED and (self._search or now < self._until):
            gc.collect()
        return ended


# The one instance of this server.
DISCONNECTED = DisconnectedVisits()


async def forget_ended(on_end: Callable[[str], None]) -> None:
    """End visits and delete unread files regularly, for as long as the server runs; call `on_end` for each visit."""
    unread = UnreadUploads()
    while True:
        await asyncio.sleep(CHECK_EVERY)
        try:
            server, any_ended = runtime.get_instance(), False
            unread.delete_unread(server)
            while ended := DISCONNECTED.end_disconnected(server, on_end):
                any_ended = True
                await asyncio.sleep(0)
                if len(ended) < MOST_ENDED:
                    break
            if any_ended:
                await release_last_session(server, CHECK_EVERY / 4)
        except Exception:  # the other visits must still be ended
            _LOG.exception("A visit that ended could not be forgotten.")
