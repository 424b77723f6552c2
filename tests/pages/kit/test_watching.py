"""Looks at draws in the background: the rest of the page is drawn anew only when there is more to show."""

from types import SimpleNamespace

import pytest
from streamlit.runtime.scriptrunner import RerunException

from pages.kit import watching
from pages.kit.draws import POLL, Draws, Job
from privdemo.jobs import Progress

JOB = Job(("kind", "c", 0), "Draw", len, ["x"] * 3)


def at(done, running=True, ahead=0, error=None):
    results = (1,) * done
    return Draws((JOB,), (Progress(results, 3, running, error, ahead=ahead),), (results,))


@pytest.fixture
def looked(monkeypatch):
    """What a look after one draw draws: the bar, or all the rest."""
    drawn = []
    monkeypatch.setattr(watching.screen, "progress_bar", lambda question, now: drawn.append(now))
    monkeypatch.setattr(watching, "_run_again", lambda part: drawn.append(part))
    monkeypatch.setattr(watching.st, "rerun", lambda: drawn.append("page"))
    return lambda now: (
        monkeypatch.setattr(watching.draws, "look", lambda question, jobs: now),
        watching._look("?", [JOB], at(1), [], "rest"),
        drawn,
    )[-1]


@pytest.mark.parametrize("now", [at(1), at(1, ahead=2)])
def test_where_only_the_place_in_the_queue_has_changed_the_bar_alone_is_drawn(looked, now):
    assert looked(now) == [now]


@pytest.mark.parametrize("now", [at(2), at(1, error="x"), at(1, ahead=9)])
def test_another_draw_an_error_or_another_pace_draws_the_rest_anew(looked, now):
    assert looked(now)[0] == "rest"


@pytest.mark.parametrize("now", [at(3, running=False), at(1, running=False)])
def test_in_the_end_the_whole_page_is_drawn(looked, now):
    assert looked(now)[0] == "page"


def test_another_part_runs_in_place_of_the_one_that_runs(monkeypatch):
    storage = SimpleNamespace(resolve_target=lambda key: [f"id of {key}"])
    context = SimpleNamespace(
        query_string="", page_script_hash="", fragment_storage=storage, cached_message_hashes=set(), context_info=None
    )
    monkeypatch.setattr(watching, "get_script_run_ctx", lambda: context)
    with pytest.raises(RerunException) as asked:
        watching._run_again("rest")
    assert asked.value.rerun_data.fragment_id_queue == ["id of rest"]


def test_what_has_ended_is_not_looked_at_again(monkeypatch):
    bars = []
    monkeypatch.setattr(watching.screen, "progress_bar", lambda question, now: bars.append(now))
    watching.draw("?", [JOB], at(3, running=False), "rest")
    assert bars == [at(3, running=False)]
    assert at(1).poll == POLL
