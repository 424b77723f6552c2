"""The poll that a teacher has open on telephones: whoever holds its secret sees, asks again, closes and deletes it.

The secret is in the session, in the browser's tab (so that a reload loses nothing) and in a private link, behind its #,
which no browser sends to a server and which is taken off the address as soon as it is read. It is in no other link,
in no file, in no log and on no screen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from pages.kit.numbers import sentence, unmarked
from pages.kit.panel import to_csv
from pages.polls import rules
from pages.polls.bucket import GUESSES
from pages.polls.rules import NoSuchPoll, NotTheOwner, Poll, PollError
from pages.polls.store import store
from pages.topics.poll import join
from pages.topics.poll.question import TELEPHONES, Join
from privdemo import limits
from privdemo.experiments.poll import PollConfig
from server.turns import pause

# The code and the secret of the teacher's poll and those of others that are at hand, why something was not done with
# it, and whether one was left.
_OWNED, _OTHERS, _PROBLEM, _LEFT = "poll_owned", "polls_at_hand", "poll_problem", "poll_left"
# As many others are kept at hand.
_MOST_OTHERS = 4
_HERE = Path(__file__).parent
_component = st.components.v2.component(
    "privdemo_poll_owner",
    html=(_HERE / "owner.html").read_text(encoding="utf-8"),
    css=(_HERE / "owner.css").read_text(encoding="utf-8"),
    js=(_HERE / "owner.js").read_text(encoding="utf-8"),
)


@dataclass(frozen=True)
class Mine:
    """The teacher's poll, and how many sent each answer each time it was asked."""

    poll: Poll
    rounds: tuple[tuple[int, ...], ...]
    join: Join

    @property
    def question(self) -> str:
        """What is asked."""
        return self.poll.question

    @property
    def config(self) -> PollConfig:
        """The answers and the lie."""
        return PollConfig(self.poll.answers, self.poll.lie)


def mine() -> Mine | None:
    """The teacher's poll as it is now; None where there is none, or no longer."""
    if not (owned := st.session_state.get(_OWNED)):
        return None
    try:
        return _read(*owned)
    except (NoSuchPoll, NotTheOwner) as error:
        _leave()
        st.session_state[_PROBLEM] = str(error)
        return None
    except PollError as error:  # at this moment only
        st.session_state[_PROBLEM] = str(error)
        return None


def _read(code: str, secret: str) -> Mine:
    with pause():  # a database that hangs holds up nobody else
        found = store().poll(code)
        rounds = tuple(map(tuple, store().counts(code, secret)))
    return Mine(found, rounds, join.join(found.code, found.is_open, st.context.url))


def changed(shown: Mine) -> bool:
    """Whether the poll is another now than when it was `shown`."""
    owned = st.session_state.get(_OWNED)
    if not owned or owned[0] != shown.poll.code:
        return True
    try:
        now = _read(*owned)
        return (now.rounds, now.poll.is_open) != (shown.rounds, shown.poll.is_open)
    except (NoSuchPoll, NotTheOwner):
        return True
    except PollError:
        return False


def before() -> Join:
    """Where a poll will be that has no code yet, as it is not open."""
    return join.join("", True, st.context.url)


def out_of_reach() -> str:
    """Render the way to look again where a poll is there but cannot be read; return what stands on the page, if so."""
    if not (owned := st.session_state.get(_OWNED)):
        return ""
    st.button("Look again", key="poll-look", type="primary")
    return f"Your poll {owned[0]} cannot be read at this moment. Nothing of it is lost; look again."


def open_button(question: str, config: PollConfig) -> None:
    """Render the button that opens a poll."""
    st.button("Open the poll", key="poll-open", type="primary", on_click=_open, args=(question, config))


def again_button() -> None:
    """Render the button that asks the class once more."""
    shown = mine()
    most = limits.POLL_ROUNDS.high
    off = shown is None or not shown.join.is_open or len(shown.rounds) >= most
    help_words = f"The same people answer with a fresh lie, {most:g} times at most."
    if st.button("Ask again", key="poll-again", disabled=off, on_click=_do, args=(_ask_again,), help=help_words):
        st.rerun()  # the whole page, also from within a part of it


def buttons(shown: Mine) -> None:
    """Render what an owner may do with a poll."""
    st.button("Close", key="poll-close", disabled=not shown.join.is_open, on_click=_do, args=(_close,))
    rows = partial(_csv, *st.session_state[_OWNED], shown.poll.answers)
    st.download_button("Download the answers", rows, "poll.csv", "text/csv", key="poll-answers", on_click="ignore")
    with st.popover("Delete", key="poll-delete"):
        st.markdown("The poll and its answers will be gone for good.")
        st.button("Delete this poll", key="poll-delete-now", on_click=_do, args=(_delete,))


def say_what_is_asked(shown: Mine) -> None:
    """Render the code of a poll, how it stands and its question."""
    state = "open" if shown.join.is_open else "closed"
    st.markdown(
        f"**{shown.poll.code}**, {state}: {unmarked(shown.question)}  \nOnly this tab can read it. If you close the "
        "tab, the private link alone brings it back: copy it now, and show it to nobody."
    )


def say_problem() -> None:
    """Say once why something was not done."""
    if problem := st.session_state.pop(_PROBLEM, None):
        st.error(problem)


def remember(offered: bool) -> None:
    """Have the browser's tab keep the secrets, and hand in those that a private link or the tab holds.

    The private link is `offered` where the poll is shown.
    """
    owned = st.session_state.get(_OWNED)
    data = {
        "owner": list(owned) if owned else None,
        "others": [list(other) for other in _others()],
        "left": st.session_state.get(_LEFT, False),
        "offered": offered,
        "site": join.given_site(),
    }
    _component(key="poll-owner", data=data, on_owner_change=_take_in, width="content")


def _take_in() -> None:
    """Take a poll in whose code and secret a browser says; one that does not fit is said to be none."""
    match st.session_state["poll-owner"].get("owner"):
        case [str() as code, str() as secret, bool() as from_link, list() as others]:
            kept = [(other, its) for other, its in _pairs(others) if other != code]
            try:
                with GUESSES.look_up(st.context.ip_address or "localhost", rules.written(code)):
                    store().counts(code, secret)
            except PollError as error:
                no_such_owner = isinstance(error, NoSuchPoll | NotTheOwner)
                if from_link:
                    # One sentence for both, by which nobody learns whether there is a poll of this code.
                    why = "There is no poll of this code and owner, or no longer." if no_such_owner else error
                    st.session_state[_PROBLEM] = f"This private link was not used. {why}"
                elif no_such_owner:  # other causes may be over in a moment
                    _keep_others(kept)
                    _leave()
                return
            _keep_others([*_others(), *kept])
            _own(code, secret)
            if from_link:
                st.session_state["way"] = TELEPHONES


def _pairs(handed: list[Any]) -> list[tuple[str, str]]:
    """Return the codes with their secrets of what a browser says; of many only the first."""
    pairs = [pair for pair in handed[: 2 * _MOST_OTHERS] if isinstance(pair, list) and len(pair) == 2]
    return [(code, secret) for code, secret in pairs if isinstance(code, str) and isinstance(secret, str)]


def _keep_others(pairs: Iterable[tuple[str, str]]) -> None:
    """Keep polls at hand, each once, and no more than `_MOST_OTHERS`."""
    st.session_state[_OTHERS] = list(dict(pairs).items())[:_MOST_OTHERS]


def _others() -> list[tuple[str, str]]:
    """The codes and secrets of the teacher's polls that are not the one shown."""
    return st.session_state.get(_OTHERS, [])


def _own(code: str, secret: str) -> None:
    """Make a poll the one that is shown; the one that was stays at hand."""
    known = dict(filter(None, [st.session_state.get(_OWNED), *_others()])) | {code: secret}
    st.session_state[_OWNED] = (code, secret)
    _keep_others((other, its) for other, its in known.items() if other != code)
    st.session_state[_LEFT] = False


def ways_to_polls(shown: bool) -> None:
    """Render a way to each of the teacher's polls that is not on the page; one is if it is `shown`."""
    here = [] if shown else [st.session_state.get(_OWNED)]
    for code, secret in filter(None, [*here, *_others()]):
        st.button(f"Your poll {code}", key=f"poll-to-{code}", on_click=_go_to, args=(code, secret))


def _go_to(code: str, secret: str) -> None:
    _own(code, secret)
    st.session_state["way"] = TELEPHONES


def _open(question: str, config: PollConfig) -> None:
    try:
        by = st.context.ip_address or "localhost"  # who opens too many
        found, secret = store().open(question, config.answers, config.lie, by)
    except (ValueError, PollError) as error:
        st.session_state[_PROBLEM] = sentence(str(error).rstrip("."))
        return
    _own(found.code, secret)


def _do(action: Callable[[str, str], object]) -> None:
    """Do something that only the owner may do, or say why it was not done."""
    if not (owned := st.session_state.get(_OWNED)):
        return
    try:
        action(*owned)
    except PollError as error:
        st.session_state[_PROBLEM] = str(error)


def _ask_again(code: str, secret: str) -> None:
    store().ask_again(code, secret)


def _close(code: str, secret: str) -> None:
    store().close(code, secret)


def _delete(code: str, secret: str) -> None:
    store().delete(code, secret)
    _leave()


def _leave() -> None:
    st.session_state[_OWNED], st.session_state[_LEFT] = None, True


def _csv(code: str, secret: str, answers: tuple[str, ...]) -> str:
    """The released answers, of which nothing else exists, as lines of a file."""
    try:
        rows = [{"time": time, "answer": answers[number]} for time, number in store().rows(code, secret)]
    except PollError as error:  # deleted meanwhile, from another tab
        rows = [{"time": "", "answer": str(error)}]
    return to_csv(rows or [{"time": "", "answer": "nobody has answered"}])
