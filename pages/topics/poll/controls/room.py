"""Open a poll to the room: telephones join it at this computer's own address, and nothing else of the app opens there.

Only a browser on the computer itself may do that, which is checked again when the button is pressed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

import streamlit as st

from pages.kit.numbers import escape_markdown
from pages.polls.rules import PollClosed, PollError
from pages.polls.store import store
from pages.topics.poll import reach
from pages.topics.poll.controls import telephones
from pages.topics.poll.controls.telephones import OwnedPoll
from pages.topics.poll.question import Join
from server import firewall, own_computer
from server.firewall import Firewall
from server.own_computer import Connection, OwnAddress
from server.room import ROOM, Opened
from server.script_slots import without_slot
from server.streamlit_internals import client_address

# The key of the session with the last test, and which opening it is of.
_TESTED = "poll_room_tested"


@dataclass(frozen=True)
class Test:
    """What the server found when it asked itself: the `problem`, empty if there is none, and the firewall."""

    opened: tuple[str, str]
    problem: str
    firewall: Firewall


def connection() -> Connection:
    """Return how the browser of the running script is connected."""
    return Connection(client_address(), st.context.headers, st.context.url or "")


def panel(shown: OwnedPoll | None, at: Join) -> None:
    """Render how far telephones come, and the buttons that open and close the room.

    Before a poll is `shown`, only why it could not be opened to the room is said.
    """
    if shown and shown.opened:
        _opened_panel(shown, shown.opened)
    elif at.local and at.is_open:
        _closed_panel(shown, at)


def _closed_panel(shown: OwnedPoll | None, at: Join) -> None:
    """Render the button that opens a poll to the room, or why there is none."""
    with st.container(key="poll-room", gap="small"):
        if reason := own_computer.why_not_here(connection()):
            st.markdown(reach.cannot_be_opened(reason, at.address))
            with st.expander("How do telephones reach it?", key="poll-room-help"):
                st.markdown(reach.other_ways(own_computer.enclosure()))
            return
        addresses = own_computer.private_addresses()
        if not addresses:
            st.markdown(reach.NO_NETWORK)
            st.button("Look again", key="poll-room-look")
        elif shown:
            _open_button(shown, addresses)


def _open_button(shown: OwnedPoll, addresses: list[OwnAddress]) -> None:
    """Render the button that opens a poll, beside a choice of addresses if there are several."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        chosen = addresses[0].address
        if len(addresses) > 1:
            names = {own.address: f"{own.address} ({own.interface})" for own in addresses}
            chosen = st.selectbox(
                "This computer’s address in the room",
                list(names),
                format_func=lambda address: names.get(address, address),
                key="poll-room-address",
                width=320,
            )
        open_it = partial(_open, address=chosen)
        st.button(
            "Open to this room", key="poll-room-open", type="primary", on_click=telephones.do_as_owner, args=(open_it,)
        )
    st.caption(
        f"Telephones in the same network then join at {escape_markdown(chosen)}. Of this app they get this poll’s page "
        "alone, until you close the poll or the room."
    )


def _opened_panel(shown: OwnedPoll, opened: Opened) -> None:
    """Render the tests, what may be in the way, and the buttons that test again and close the room."""
    test = _last_test(opened)
    addresses = own_computer.private_addresses()
    with st.container(key="poll-room", gap="small"):
        st.html(reach.checks(opened, addresses, test.problem))
        if not opened.is_reached:
            network = next((own.network for own in addresses if own.host == opened.host), opened.host)
            words = reach.what_may_be_in_the_way(opened, network, test.firewall, own_computer.enclosure())
            with st.expander("It does not open?", key="poll-room-help"):
                st.markdown(words)
        with st.container(horizontal=True, gap="small"):
            st.button("Test again", key="poll-room-test", on_click=_test, args=(opened,))
            st.button("Close the room", key="poll-room-close", on_click=telephones.do_as_owner, args=(_close,))


def _open(code: str, secret: str, address: str) -> None:
    """Open a poll to the room at one of this computer's addresses, if the server then answers there.

    Raise `PollError` with a sentence if it cannot be.
    """
    now = connection()
    if reason := own_computer.why_not_here(now):
        raise PollError(reason)
    own = next((own for own in own_computer.private_addresses() if own.address == address), None)
    if own is None:
        raise PollError("This computer’s address has changed meanwhile. Choose again.")
    with without_slot():  # others are served while a database hangs
        store().counts(code, secret)  # refuses whoever is not the owner
        found = store().poll(code)
    if not found.is_open:
        raise PollClosed
    port = urlsplit(now.page).port or 80
    opened = ROOM.open(code, own.host, port, found.seconds_left, own_computer.all_addresses())
    if problem := _test(opened).problem:
        ROOM.close(code)
        raise PollError(f"The poll was not opened to the room. {problem}")


def _close(code: str, secret: str) -> None:
    """Close the room; only the owner may."""
    store().counts(code, secret)
    ROOM.close(code)


def _test(opened: Opened) -> Test:
    """Have the server ask itself and look for a firewall; keep what it finds in the session."""
    with without_slot():
        test = Test((opened.code, opened.site), reach.ask_itself(opened), firewall.find())
    st.session_state[_TESTED] = test
    return test


def _last_test(opened: Opened) -> Test:
    """Return the last test of this visit, or test if there is none of this opening."""
    test = st.session_state.get(_TESTED)
    return test if test and test.opened == (opened.code, opened.site) else _test(opened)
