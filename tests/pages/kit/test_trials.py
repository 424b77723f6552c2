"""Background jobs: what the runner gets, what is shown of its results, and what the session stores."""

import hashlib
from dataclasses import dataclass, replace
from typing import Any

import pytest
import streamlit as st

from pages.kit import cache, link, trials
from pages.kit.trials import Job, Trials
from privdemo.experiments import results
from privdemo.jobs import Progress
from tests.pages.kit.elements import OWN, Runner, opened, rendered


@dataclass(frozen=True)
class Config:
    dataset: Any = "mnist"
    trial: int = 0


@dataclass(frozen=True)
class Question:
    at_once: bool = True
    n_trials: int = 4
    config: Config = Config()


@dataclass(frozen=True)
class Result:
    mark: int
    config: Any = None


@pytest.fixture
def runner(monkeypatch):
    """Return the fake runner, in the session of the visitor “v”."""
    made = Runner()
    made.answer = Progress((), 3, True)
    monkeypatch.setattr(cache, "runner", lambda: made)
    monkeypatch.setattr(st, "session_state", {"visitor": "v"})
    return made


def own_job(n: int = 3, slow: bool = False) -> Job:
    return Job(("kind", Config(OWN), 0), "Trial", len, [Config(OWN, i) for i in range(n)], slow=slow)


def test_trials_that_are_there_are_taken_and_no_job_is_started(runner, monkeypatch):
    class Shipped:
        def find(self, function, task):
            return {"x": "X"}.get(task)

    monkeypatch.setattr(cache, "shipped_results", Shipped)
    monkeypatch.setattr(runner, "watch", lambda *_, **__: pytest.fail("a job was started"))
    monkeypatch.setattr(runner, "look", lambda key: {"seen": Progress(("Y",), 2, True)}.get(key[0]))
    job = Job(("seen", "c", 1), "Trial", len, ["x", "y", "z"], lambda: "now")
    found = trials.already_there([job, replace(job, key=("unseen", "c", 1), first=None)])
    assert found.results == (("now", "X", "Y"), ("X",))
    assert not found.running
    assert found.counts == {"Trial": (4, 7)}
    assert trials.already_there([own_job()]).results == ((),), "a visitor's own records are not known here"


@pytest.mark.parametrize(("at_once", "before"), [(True, 1), (False, 0)])
def test_trials_are_counted_by_their_config_and_the_first_may_be_run_at_once(at_once, before):
    (job,) = trials.one_job("kind", Question(at_once), len, lambda config: ("first", config), slow=True)
    tasks = [Config(trial=i) for i in range(before, 4)]
    assert replace(job, first=None) == Job(("kind", Config(), before), "Trial", len, tasks, slow=True)
    assert (job.first() if job.first else None) == (("first", Config()) if at_once else None)
    assert not trials.one_job("kind", Question(), len, len)[0].slow


def test_a_shared_job_is_followed_and_its_first_trial_comes_first(runner):
    job = Job(("a", "c", 1), "Trial", len, ["x", "y"], lambda: "now", slow=True)
    runner.answer = Progress(("then",), 2, True)
    assert trials.start_or_follow("q", [job]) == Trials((job,), (runner.answer,), (("now", "then"),))
    st.session_state["trials_again"] = True
    assert trials.start_or_follow("q", [replace(job, first=None, slow=False)]).results == (("then",),)
    trials.start_or_follow("q", [job])
    assert runner.calls[0][:-1] == (job.key, "v", len, ["x", "y"])
    options = [(call[-1]["new_try"], call[-1]["slow"]) for call in runner.calls]
    assert options == [(False, True), (True, False), (False, True)]
    assert not any("private" in call[-1] for call in runner.calls)


def test_a_stopped_question_shows_the_trials_so_far_and_starts_no_more(runner):
    job = Job(("a", "c", 0), "Trial", len, ["x", "y"])
    trials.stop(trials.fingerprint("q"))
    assert trials.start_or_follow("q", [job]).progress == (Progress((), 2, False),)
    runner.there[job.key] = Progress((1, 2, 3), 3, True)
    assert trials.start_or_follow("q", [job]).progress == (Progress((1, 2), 2, False),)
    assert runner.calls == [("v",)]
    assert trials.start_or_follow("another", [job]).running
    trials.resume()
    assert trials.start_or_follow("q", [job]).running
    assert [call[-1]["new_try"] for call in runner.calls[1:]] == [False, True]


def test_results_of_own_records_move_to_the_session_and_the_job_continues_after_them(runner):
    job, key = own_job(slow=True), own_job().key
    runner.answer = Progress((Result(5),), 3, True)
    first = Result(5, Config(OWN, 0))
    assert trials.start_or_follow("q", [job]).progress == (Progress((first,), 3, True),)
    (call,) = runner.calls
    assert call[:2] == (key, "v")
    assert (call[2].func, call[2].args) == (results.without_config, (len,))
    assert call[3:] == (job.tasks, {"new_try": False, "slow": True, "private": True})
    assert trials.own_data.find_result(key) == (0, (first,))
    runner.there[key] = runner.answer = Progress((Result(5), Result(6)), 3, True)
    second = Result(6, Config(OWN, 1))
    assert trials.start_or_follow("q", [job]).results == ((first, second),)
    del runner.there[key]  # the runner forgets a job that nobody watches
    runner.answer, st.session_state["trials_again"] = Progress((Result(7),), 1, False), True
    assert trials.start_or_follow("q", [job]).progress == (
        Progress((first, second, Result(7, Config(OWN, 2))), 3, False),
    )
    assert runner.calls[-1][3:] == (job.tasks[2:], {"new_try": True, "slow": True, "private": True})
    assert trials.start_or_follow("q", [own_job(2)]).progress == (Progress((first, second), 2, False),)
    assert len(runner.calls) == 3


def test_own_trials_that_are_lost_are_waited_for_and_stopped_ones_are_shown(runner):
    job = own_job()
    runner.there[job.key] = Progress((Result(1),), 3, True)
    assert trials.start_or_follow("q", [job]).progress == (Progress((), 3, True),)
    trials.own_data.store_result(job.key, (0, (Result(1),)))
    trials.stop(trials.fingerprint("q"))
    assert trials.start_or_follow("q", [job]).progress == (Progress((Result(1),), 3, False),)
    assert runner.calls == [("v",)]


def test_other_jobs_are_not_followed_and_the_address_has_the_id_of_those_that_run(runner, monkeypatch):
    jobs, written = [Job(("a", "c", 0), "Trial", len, [1])], []
    monkeypatch.setattr(link, "set_one", lambda *args: written.append(args))
    trials.stop_watching_others(jobs)
    assert runner.calls == [("v", [("a", "c", 0)])]
    name = trials.job_id(jobs)
    assert name == hashlib.sha256(b"[('a', 'c', 0)]").hexdigest()[:12]
    assert trials.JOB.problem([name]) is None
    assert trials.job_id([*jobs, own_job()]) == ""
    trials.write_job_id(Trials(tuple(jobs), (runner.answer,)))
    trials.write_job_id(Trials(tuple(jobs), (Progress((), 3, False),)))
    assert written == [("job", name), ("job", "")]
    st.session_state.clear()
    assert len(trials.visitor()) == 32
    assert trials.visitor() == trials.visitor()


@pytest.mark.parametrize(
    ("arrived", "there", "said"), [("", False, ""), ("its", True, ""), ("its", False, "has ended"), ("x", True, "own")]
)
def test_the_job_of_a_link_is_looked_for_once(runner, monkeypatch, arrived, there, said):
    jobs, notes = [Job(("a", "c", 0), "Trial", len, [1]), Job(("b", "c", 0), "Trial", len, [1])], []
    name = trials.job_id(jobs) if arrived == "its" else arrived
    address = {"job": ["one before", name]} if name else {}
    monkeypatch.setattr(link, "parameters", lambda: address)
    monkeypatch.setattr(link, "add_note", notes.append)
    runner.there = {jobs[1].key: runner.answer} if there else {}
    trials.check_linked_job(jobs)
    assert len(notes) == bool(said)
    assert all(said in note and f"`job={name}`" in note for note in notes)
    address["job"] = ["another"]
    trials.check_linked_job(jobs)
    assert len(notes) == bool(said)


def test_results_are_picked_by_kind_and_config():
    jobs = tuple(Job(key, "Trial", len, []) for key in (("a", 1), ("a", 2), ("b", 1)))
    progress = Progress((), 1, False), Progress((1,), 1, False, "late"), Progress((), 1, True, "later")
    made = Trials(jobs, progress, ((1, 2), (3,), (4,)))
    assert (made.of_kind("a"), made.of_kind("a", 2), made.of_kind("b")) == ([1, 2, 3], [3], [4])
    assert (made.running, made.finished, made.problem) == (True, False, "late")
    assert (Trials().running, Trials().finished, Trials().problem) == (False, True, None)


BAR = """
import streamlit as st
from pages.kit import trials, screen
from privdemo.jobs import Progress

running = trials._STOPPED not in st.session_state
jobs = [("Trial", [1, 2], len, ", soon"), ("Trial", [1, 2, 3], None, ", soon"), ("Fit", [1], None, "")]
jobs = tuple(trials.Job(i, name, len, tasks, first, note=note) for i, (name, tasks, first, note) in enumerate(jobs))
befell = {"ahead": 2, "note": "one again"} if "crowd" in st.session_state else {}
progress = (Progress((1,), 2, running, **befell), Progress((1, 1, 1), 3, False), Progress((), 1, False))
screen.progress_bar("q", trials.Trials(jobs, progress))
screen.progress_bar("q", trials.Trials(jobs[1:2], progress[1:2]))
"""


def test_the_bar_counts_trials_by_name_and_stops_and_resumes_them(monkeypatch):
    made = Runner()
    monkeypatch.setattr(cache, "runner", lambda: made)
    at = opened(BAR, visitor="v")
    bar = "container trial-progress direction=HORIZONTAL align=ALIGN_CENTER\n  progress value=71 text={}\n  button {}"
    assert rendered(at.main) == bar.format("Trial 5 of 6, soon · Fit 0 of 1", "stop-trials label=Stop")
    at.button(key="stop-trials").click().run()
    assert made.calls == [("v",)]
    assert at.session_state["stopped_trials"] == trials.fingerprint("q")
    assert rendered(at.main) == bar.format("Trial 5 of 6, soon · Fit 0 of 1, stopped", "resume-trials label=Go on")
    at.button(key="resume-trials").click().run()
    assert at.session_state["trials_again"] is True
    assert at.button(key="stop-trials")
    crowd = opened(BAR, visitor="v", crowd=True).get("progress")[0].proto.text
    assert crowd == "Trial 5 of 6, soon · Fit 0 of 1 · 2 computations come first · one again"


def test_a_job_behind_many_others_says_so_and_is_polled_less_often():
    def made(*progress):
        return Trials(tuple(Job(i, "Trial", len, []) for i, _ in enumerate(progress)), progress)

    assert made(Progress((), 1, False)).poll is None
    assert made(Progress((), 1, True, ahead=3)).poll == trials.POLL
    far, near = Progress((), 1, True, ahead=4, note="lost"), Progress((), 1, True, ahead=1)
    assert (made(far).poll, made(far, near).poll) == (trials.SLOW_POLL, trials.POLL)
    assert (made(far, near).ahead, made(near, far).note) == (1, "lost")


class Ready:
    """Shipped results: those of `len` for the first trials."""

    def __init__(self, n):
        self.n = n

    def find(self, run, config):
        return f"ready {config.trial}" if run is len and config.trial < self.n else None


@pytest.fixture
def ready(monkeypatch):
    def with_trials(n):
        monkeypatch.setattr(cache, "shipped_results", lambda: Ready(n))

    return with_trials


def job_of(n, at_once=True):
    (job,) = trials.one_job("kind", Question(at_once, n), len, lambda config: "made at once")
    return job


@pytest.mark.parametrize("at_once", [True, False])
def test_a_job_whose_trials_are_all_shipped_is_not_started(runner, ready, at_once):
    ready(4)
    for n in (1, 4):
        found = trials.start_or_follow("q", [job_of(n, at_once)])
        assert found.results == (tuple(f"ready {i}" for i in range(n)),)
        assert (found.finished, found.running) == (True, False)
    assert not runner.calls


def test_a_job_runs_the_trials_after_the_shipped_ones(runner, ready):
    ready(3)
    job, runner.answer = job_of(5), Progress(("made 3",), 2, True)
    found = trials.start_or_follow("q", [job])
    assert found.results == (("ready 0", "ready 1", "ready 2", "made 3"),)
    assert found.progress == (Progress(("ready 1", "ready 2", "made 3"), 4, True),)
    assert runner.calls[0][:4] == (job.key, "v", len, [Config(trial=3), Config(trial=4)])
    trials.stop(trials.fingerprint("q"))
    assert trials.start_or_follow("q", [job]).progress == (Progress(("ready 1", "ready 2"), 4, False),)


def test_shipped_trials_end_at_a_gap_and_own_records_have_none(runner, ready, monkeypatch):
    job, runner.answer = job_of(4), Progress((), 3, True)
    monkeypatch.setattr(Ready, "find", lambda self, run, config: "ready" if config.trial in (0, 2) else None)
    ready(0)
    assert trials.start_or_follow("q", [job]).results == (("ready",),)
    assert runner.calls[0][3] == job.tasks
    own = replace(own_job(1), first=lambda: "own")
    assert trials.start_or_follow("q", [own]).results == (("own",),)


def test_no_note_says_that_shipped_trials_of_a_link_are_made_anew(runner, ready, monkeypatch):
    notes = []
    monkeypatch.setattr(link, "add_note", notes.append)
    monkeypatch.setattr(link, "parameters", lambda: {"job": [trials.job_id([job_of(4)])]})
    ready(4)
    trials.check_linked_job([job_of(4)])
    assert not notes


def test_without_a_usable_file_of_shipped_trials_the_log_says_so_and_all_are_run(runner, monkeypatch, caplog):
    def damaged():
        raise ValueError("defaults.npz cannot be used: it is damaged")

    monkeypatch.setattr(cache.shipped_trials, "load", damaged)
    cache.shipped_results.clear()
    job = job_of(3)
    assert trials.start_or_follow("q", [job]).results == (("made at once",),)
    assert runner.calls[0][3] == job.tasks
    assert caplog.messages == ["defaults.npz cannot be used: it is damaged"]
    cache.shipped_results.clear()
