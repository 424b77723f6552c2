"""Polling background jobs: the page is rendered again only when there is more to show."""

import pytest

from pages.kit import watching
from pages.kit.trials import POLL, SLOW_POLL, Job, Trials
from privdemo.jobs import Progress

JOB = Job(("kind", "c", 0), "Trial", len, ["x"] * 3)


def at(done, running=True, ahead=0, error=None):
    results = (1,) * done
    return Trials((JOB,), (Progress(results, 3, running, error, ahead=ahead),), (results,))


class PageAgain(Exception):
    """Raised instead of a rerun of the whole page."""


@pytest.fixture
def look(monkeypatch):
    """Return a function that polls once, with one trial shown before, and returns what is rendered."""
    rendered = []

    def again():
        raise PageAgain

    def look(now):
        def found(question, jobs):
            if isinstance(now, ValueError):
                raise now
            return now

        monkeypatch.setattr(watching.trials, "start_or_follow", found)
        watching._look("?", at(1), [])
        return rendered

    monkeypatch.setattr(watching.screen, "progress_bar", lambda question, now: rendered.append(now))
    monkeypatch.setattr(watching.st, "rerun", again)
    return look


@pytest.mark.parametrize("now", [at(1), at(1, ahead=2)])
def test_where_only_the_place_in_the_queue_is_new_the_bar_alone_is_rendered(look, now):
    assert look(now) == [now]


@pytest.mark.parametrize(
    "now",
    [at(2), at(1, error="x"), at(1, ahead=9), at(3, running=False), at(1, running=False), ValueError("too much")],
)
def test_another_trial_an_error_another_interval_and_the_end_rerun_the_page(look, now):
    with pytest.raises(PageAgain):
        look(now)


@pytest.mark.parametrize(
    ("shown", "interval"), [(at(1), POLL), (at(1, ahead=9), SLOW_POLL), (at(1, running=False), None)]
)
def test_jobs_are_polled_until_they_end_and_in_a_long_queue_less_often(monkeypatch, shown, interval):
    intervals, rendered = [], []
    monkeypatch.setattr(watching.screen, "progress_bar", lambda question, now: rendered.append(now))
    monkeypatch.setattr(watching.st, "fragment", lambda part, run_every: intervals.append(run_every) or part)
    watching.watch("?", shown)
    assert rendered == [shown]
    assert intervals == ([interval] if interval else [])
