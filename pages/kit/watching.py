"""How far draws in the background are: looked at again and again, while the rest of the page stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import streamlit as st
from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx

from pages.kit import draws, screen
from pages.kit.draws import Draws, Job
from pages.kit.turns import in_turn


def draw(question: Any, jobs: Sequence[Job], shown: Draws, rest: str) -> None:
    """Draw how far the jobs are, and look again as long as more is to come than is `shown`.

    Only when there is more, the fragment with the key `rest` runs again, and in the end the page: a look costs a fifth.
    """
    if shown.poll is None:
        screen.progress_bar(question, shown)
    else:
        st.fragment(in_turn(_look), run_every=shown.poll)(question, jobs, shown, [shown], rest)


def _look(question: Any, jobs: Sequence[Job], shown: Draws, first: list[Draws], rest: str) -> None:
    try:
        now = first.pop() if first else draws.look(question, jobs)
    except ValueError:  # the rest says why
        _run_again(rest)
    if now.poll is None:
        st.rerun()  # all of the page, as `page` does in the end
    if now.stage != shown.stage:
        _run_again(rest)
    screen.progress_bar(question, now)


def _run_again(fragment: str) -> NoReturn:
    """Run the fragment with a key in place of the one that runs; `st.rerun` does so in callbacks only."""
    context = get_script_run_ctx()
    assert context is not None
    raise RerunException(
        RerunData(
            query_string=context.query_string,
            page_script_hash=context.page_script_hash,
            fragment_id_queue=context.fragment_storage.resolve_target(fragment),
            is_fragment_scoped_rerun=True,
            cached_message_hashes=context.cached_message_hashes,
            context_info=context.context_info,
        )
    )
