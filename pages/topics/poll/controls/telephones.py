"""The poll that a teacher has open on telephones: its owner, by a secret, reads, repeats, closes and deletes it.

The secret is in the session, in the browser’s tab (so that a reload loses nothing) and in a private link, behind its #,
which no browser sends to a server and which is removed from the address as soon as it is read. It is in no other link,
in no file, in no log and on no screen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from pages.kit import component
from pages.kit.numbers import error_sentence_html, escape_markdown
from pages.kit.owned_poll import OWNED, address, looked_up
from pages.kit.panel import to_csv
from pages.kit.values import put, put_all
from pages.polls.bucket import GUESSES
from pages.polls.languages import LANGUAGES
from pages.polls.rules import NoSuchPoll, NotTheOwner, Poll, PollError
from pages.polls.store import store
from pages.topics.poll import join
from pages.topics.poll.question import STEP, STEPS, TELEPHONES, WAY, Join
from privdemo import limits
from privdemo.experiments.poll import CONTROL, HALVES, PollConfig, sent_row
from server.room import ROOM, Opened

# Keys of the session: the codes and secrets of the teacher's other polls, why an action failed, and whether the teacher
# has just left a poll.
_OTHERS, _PROBLEM, _LEFT = "polls_at_hand", "poll_problem", "poll_left"
# How many other polls are kept.
_MOST_OTHERS = 4
# Said of a code that no poll has and of a secret that does not fit, so that nobody learns which polls there are.
_NO_SUCH_OWNER = "There is no poll of this code and owner. Polls vanish after 24 hours."
# Said of an open poll that checks whether people follow the wheel.
_WITH_CHECK = {HALVES: ", with two wheels", CONTROL: ", with a control question"}
_HERE = Path(__file__).parent
_component = st.components.v2.component(
    "privdemo_poll_owner",
    html=(_HERE / "owner.html").read_text(encoding="utf-8"),
    css=(_HERE / "owner.css").read_text(encoding="utf-8"),
    js=(_HERE / "owner.js").read_text(encoding="utf-8"),
)


@dataclass(frozen=True)
class OwnedPoll:
    """The teacher’s poll, how many people sent each answer in each round, and how it is open to the room, if it is."""

    poll: Poll
    rounds: tuple[tuple[int, ...], ...]
    join: Join
    opened: Opened | None = None

    @property
    def question(self) -> str:
        """Return the question."""
        return self.poll.question

    @property
    def config(self) -> PollConfig:
        """Return the answers, the lie and the check."""
        return PollConfig(self.poll.answers, self.poll.lie, self.poll.check)


def own_poll() -> OwnedPoll | None:
    """Return the current state of the teacher’s poll, or None if there is none, or none any longer."""
    if not (owned := st.session_state.get(OWNED)):
        return None
    try:
        return _read(*owned)
    except (NoSuchPoll, NotTheOwner):
        _leave()
        st.session_state[_PROBLEM] = _NO_SUCH_OWNER
        return None
    except PollError as error:  # perhaps only for a moment
        st.session_state[_PROBLEM] = str(error)
        return None


def _read(code: str, secret: str) -> OwnedPoll:
    """Read a poll and its counts from the database."""
    with looked_up(code):
        found = store().poll(code)
        rounds = tuple(map(tuple, store().counts(code, secret)))
    if not found.is_open:
        ROOM.close(found.code)  # perhaps another process closed the poll
    return OwnedPoll(found, rounds, join.join(found.code, found.is_open, st.context.url), ROOM.opened(found.code))


def has_changed(shown: OwnedPoll) -> bool:
    """Return whether the poll has changed since it was `shown`."""
    owned = st.session_state.get(OWNED)
    if not owned or owned[0] != shown.poll.code:
        return True
    try:
        now = _read(*owned)
        return (now.rounds, now.poll.is_open, now.opened) != (shown.rounds, shown.poll.is_open, shown.opened)
    except (NoSuchPoll, NotTheOwner):
        return True
    except PollError:
        return False


def unopened() -> Join:
    """Return the future address of a poll that is not open yet and so has no code."""
    return join.join("", True, st.context.url)


def unreadable() -> str:
    """Return a sentence if the teacher’s poll cannot be read at this moment, else an empty text."""
    if not (owned := st.session_state.get(OWNED)):
        return ""
    return f"Your poll {owned[0]} cannot be read at this moment. Nothing of it is lost; look again."


def retry_button() -> None:
    """Render the button that reads the poll again."""
    st.button("Look again", key="poll-look", type="primary")


def open_button(question: str, config: PollConfig, language: str) -> None:
    """Render the button that opens a poll; `language` is that of the page for telephones, "" for each one's own."""
    st.button("Open the poll", key="poll-open", type="primary", on_click=_open, args=(question, config, language))


def again_button() -> None:
    """Render the button that asks the class once more."""
    shown = own_poll()
    most = limits.POLL_ROUNDS.high
    disabled = shown is None or not shown.join.is_open or len(shown.rounds) >= most
    help_words = f"The same people answer once more, and chance decides anew; {most:g} times at most."
    # A press that arrives twice asks once: it is for the round after the one that was on the screen.
    ask = partial(_ask_again, after=shown.poll.round if shown else None)
    if st.button("Ask again", key="poll-again", disabled=disabled, on_click=do_as_owner, args=(ask,), help=help_words):
        st.rerun()  # rerun the whole page, also from within a fragment


def buttons(shown: OwnedPoll) -> None:
    """Render the buttons of a poll’s owner: close, download, delete."""
    st.button("Close", key="poll-close", disabled=not shown.join.is_open, on_click=do_as_owner, args=(_close,))
    rows = partial(_csv, *st.session_state[OWNED], shown.config)
    st.download_button("Download the answers", rows, "poll.csv", "text/csv", key="poll-answers", on_click="ignore")
    with st.popover("Delete", key="poll-delete"):
        st.markdown("The poll and its answers will be gone for good.")
        st.button("Delete this poll", key="poll-delete-now", on_click=do_as_owner, args=(_delete,))


def poll_heading(shown: OwnedPoll) -> None:
    """Render the code, the state and the question of a poll."""
    state = "open" if shown.join.is_open else "closed"
    if shown.poll.language:
        state += f", in {LANGUAGES[shown.poll.language]} on every telephone"
    state += _WITH_CHECK.get(shown.poll.check, "")
    st.markdown(
        f"**{shown.poll.code}**, {state}: {escape_markdown(shown.question)}  \nOnly this tab can read it. If you "
        "close the "
        "tab, the private link alone brings it back: copy it now, and show it to nobody."
    )


def show_problem() -> None:
    """Show once why an action failed."""
    if problem := st.session_state.pop(_PROBLEM, None):
        st.error(problem)


def keep_secrets_in_tab(offered: bool) -> None:
    """Render the component that keeps the secrets in the browser’s tab and reads those of a private link.

    The private link is `offered` where the poll is shown.
    """
    owned = st.session_state.get(OWNED)
    data = {
        "owner": list(owned) if owned else None,
        "others": [list(other) for other in _others()],
        "left": st.session_state.get(_LEFT, False),
        "offered": offered,
        "site": join.given_site(),
    }
    _component(key="poll-owner", data=data, on_owner_change=_on_secrets_sent, width="content")


def _on_secrets_sent() -> None:
    """Make the poll whose code and secret the browser has sent the one shown, or say why it cannot be."""
    match component.sent("poll-owner", "owner"):
        case [str() as code, str() as secret, bool() as from_link, list() as others]:
            kept = [(other, its_secret) for other, its_secret in _pairs(others) if other != code]
            try:
                with looked_up(code):
                    store().counts(code, secret)
            except PollError as error:
                no_such_owner = isinstance(error, NoSuchPoll | NotTheOwner)
                if from_link:
                    why = _NO_SUCH_OWNER if no_such_owner else error
                    st.session_state[_PROBLEM] = f"This private link was not used. {why}"
                elif no_such_owner:  # other causes may be over in a moment
                    _store_others(kept)
                    _leave()
                return
            _store_others([*_others(), *kept])
            _show_poll(code, secret)
            if from_link:
                put(WAY, TELEPHONES)


def _pairs(sent: list[Any]) -> list[tuple[str, str]]:
    """Return the pairs of code and secret in what a browser sent, only the first if there are many."""
    pairs = [pair for pair in sent[: 2 * _MOST_OTHERS] if isinstance(pair, list) and len(pair) == 2]
    return [(code, secret) for code, secret in pairs if isinstance(code, str) and isinstance(secret, str)]


def _store_others(pairs: Iterable[tuple[str, str]]) -> None:
    """Store the teacher’s other polls, each once, at most `_MOST_OTHERS`."""
    st.session_state[_OTHERS] = list(dict(pairs).items())[:_MOST_OTHERS]


def _others() -> list[tuple[str, str]]:
    """Return the codes and secrets of the teacher’s polls that are not the one shown."""
    return st.session_state.get(_OTHERS, [])


def _show_poll(code: str, secret: str) -> None:
    """Make a poll the one that is shown; the previous one joins the other polls."""
    known = dict(filter(None, [st.session_state.get(OWNED), *_others()])) | {code: secret}
    st.session_state[OWNED] = (code, secret)
    _store_others((other, its_secret) for other, its_secret in known.items() if other != code)
    st.session_state[_LEFT] = False


def other_polls_buttons(shown: bool) -> None:
    """Render a button for each of the teacher’s polls that is not on the page; `shown` says whether one is."""
    here = [] if shown else [st.session_state.get(OWNED)]
    for code, secret in filter(None, [*here, *_others()]):
        st.button(f"Your poll {code}", key=f"poll-to-{code}", on_click=_go_to_poll, args=(code, secret))


def _go_to_poll(code: str, secret: str) -> None:
    """Show one of the teacher’s polls, from its first step."""
    _show_poll(code, secret)
    put_all({WAY: TELEPHONES, STEP: STEPS[0]})


def _open(question: str, config: PollConfig, language: str) -> None:
    """Open a poll and show it, or store why that failed."""
    try:
        found, secret = store().open(question, config.answers, config.lie, address(), language, config.check)
    except (ValueError, PollError) as error:
        st.session_state[_PROBLEM] = error_sentence_html(str(error).rstrip("."))
        return
    # Telephones in the teacher's network find the poll, whatever others there have tried.
    GUESSES.note_found(address(), found.code)
    _show_poll(found.code, secret)
    put(STEP, STEPS[0])


def do_as_owner(action: Callable[[str, str], object]) -> None:
    """Do something that only the owner may do, or store why that failed."""
    if not (owned := st.session_state.get(OWNED)):
        return
    try:
        action(*owned)
    except PollError as error:
        st.session_state[_PROBLEM] = str(error)


def _ask_again(code: str, secret: str, after: int | None) -> None:
    """Start the round after another, unless it has begun already."""
    store().ask_again(code, secret, after)


def _close(code: str, secret: str) -> None:
    """Close the poll."""
    store().close(code, secret)


def _delete(code: str, secret: str) -> None:
    """Delete the poll and show none."""
    store().delete(code, secret)
    _leave()


def _leave() -> None:
    """Show no poll, and have the browser’s tab drop the secret of the last one."""
    st.session_state[OWNED], st.session_state[_LEFT] = None, True


def _csv(code: str, secret: str, config: PollConfig) -> str:
    """Return the released answers, the only ones stored, as CSV text."""
    try:
        rows = [sent_row(config, time, cell) for time, cell in store().rows(code, secret)]
    except PollError as error:  # deleted meanwhile, from another tab
        rows = [{"time": "", "answer": str(error)}]
    return to_csv(rows or [{"time": "", "answer": "nobody has answered"}])
