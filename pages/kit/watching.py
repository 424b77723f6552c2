"""Poll background jobs in a fragment, so that the rest of the page is not rendered again each time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages.kit import screen, trials
from pages.kit.number_control import NO_BROWSER
from pages.kit.numbers import error_sentence_html
from pages.kit.trials import Job, Trials
from server.script_slots import in_script_slot


def watch(question: Any, shown: Trials) -> None:
    """Render the progress of a question's trials and poll it; when there are new trials, the whole page is rendered."""
    if shown.running:
        st.fragment(in_script_slot(_look), run_every=shown.poll)(question, shown, [shown])
    else:
        screen.progress_bar(question, shown)


def _look(question: Any, shown: Trials, first: list[Trials]) -> None:
    """Read the progress once: render the bar if only the place in the queue has changed, else rerun the page."""
    try:
        now = first.pop() if first else trials.start_or_follow(question, shown.jobs)
    except ValueError:
        st.rerun()  # then the page shows the error
    if now.stage != shown.stage:
        st.rerun()
    screen.progress_bar(question, now)


def start(question: Any, jobs: Sequence[Job]) -> Trials:
    """Start or follow jobs that add to the answer of a question, and stop following those of other questions.

    Slow jobs are left out without a browser: they serve what is dragged there.
    """
    jobs = [job for job in jobs if not (job.slow and st.session_state.get(NO_BROWSER))]
    trials.stop_watching_others(jobs)
    return trials.start_or_follow(question, jobs)


def watch_for_more(question: Any, shown: Trials) -> None:
    """Poll jobs that add to an answer that is shown; once one has ended the page is rendered again."""
    if shown.problem:
        st.warning(f"Not everything could be computed. {error_sentence_html(shown.problem)}")
    if shown.running:
        st.fragment(in_script_slot(_look_for_more), run_every=shown.poll)(question, shown, [shown])


def _look_for_more(question: Any, shown: Trials, first: list[Trials]) -> None:
    now = first.pop() if first else trials.start_or_follow(question, shown.jobs)
    if now.ended != shown.ended or now.poll != shown.poll:
        st.rerun()
