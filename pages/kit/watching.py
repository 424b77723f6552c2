"""How far draws in the background are, looked at again and again while the rest of the page stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages.kit import screen, trials
from pages.kit.numbers import sentence
from pages.kit.trials import Job, Trials
from server.turns import in_turn

# True in a session that a terminal or a test has.
NO_BROWSER = "no_browser"


def watch(question: Any, shown: Trials) -> None:
    """Say how far the draws of a question are, and look again as long as more come; then the page is drawn anew."""
    if shown.running:
        st.fragment(in_turn(_look), run_every=shown.poll)(question, shown, [shown])
    else:
        screen.progress_bar(question, shown)


def _look(question: Any, shown: Trials, first: list[Trials]) -> None:
    """Take one look, which costs little while nothing but the place in the queue is new."""
    try:
        now = first.pop() if first else trials.start_or_follow(question, shown.jobs)
    except ValueError:
        st.rerun()  # the page says why
    if now.stage != shown.stage:
        st.rerun()
    screen.progress_bar(question, now)


def start(question: Any, jobs: Sequence[Job]) -> Trials:
    """How far jobs are that add to the answer of a question; they are begun, and those of another question left.

    Where there is no browser, in which something is dragged, slow ones are not.
    """
    jobs = [job for job in jobs if not (job.slow and st.session_state.get(NO_BROWSER))]
    trials.stop_watching_others(jobs)
    return trials.start_or_follow(question, jobs)


def watch_for_more(question: Any, shown: Trials) -> None:
    """Look again while jobs add to an answer that is there; once one of them has ended the page is drawn anew."""
    if shown.problem:
        st.warning(f"Not everything could be computed. {sentence(shown.problem)}")
    if shown.running:
        st.fragment(in_turn(_look_for_more), run_every=shown.poll)(question, shown, [shown])


def _look_for_more(question: Any, shown: Trials, first: list[Trials]) -> None:
    now = first.pop() if first else trials.start_or_follow(question, shown.jobs)
    if now.ended != shown.ended or now.poll != shown.poll:
        st.rerun()
