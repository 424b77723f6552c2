"""A visitor's own records on the pages that accept them: upload, estimates, refusal and deletion."""

import gc
import re
import time
import weakref

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits
from streamlit.testing.v1 import AppTest

from pages.kit import cache, own_data
from pages.topics.many_answers import CHAPTERS
from privdemo import datasets
from privdemo.methods import LABEL_PROPORTIONS, LLP
from tests.pages.visiting import code, finished, html, takeaway, until, visit, warnings

# Few trials and one method, so that a page finishes soon.
FEW_TRIALS = {
    "training": {"draws": "2", "methods": "ignore the noise"},
    "class_ratio": {"ratio_draws": "2"},
}
N_TRIALS = 12


@pytest.fixture(scope="module")
def table() -> bytes:
    bunch = load_breast_cancer()
    kinds = zip(bunch.data, bunch.target, strict=True)
    rows = [f"{r[0]:.5g},{r[1]:.5g},{'big' if r[3] > 600 else 'small'},{'MB'[kind]}" for r, kind in kinds]
    return "\n".join(["radius,texture,bulk,kind", *rows]).encode()


def small_table(classes: tuple[str, ...]) -> bytes:
    """A table of as few rows as are allowed, of alternating classes."""
    rows = [f"{i % 40 + 10 * (i % 2)},{i % 7},{classes[i % len(classes)]}" for i in range(60 * len(classes))]
    return "\n".join(["size,day,kind", *rows]).encode()


def upload(at: AppTest, name: str, content: bytes) -> AppTest:
    """Upload a file on the current page."""
    (uploader,) = [one for one in at.file_uploader if one.label.startswith("A table")]
    uploader.set_value((name, content, "application/octet-stream")).run()
    assert not at.exception
    return at


def go_to_page(at: AppTest, address: str) -> AppTest:
    """Open another page in the same session, without settings in the address, as the menu does."""
    at.session_state["visited"] = address
    at.query_params.clear()
    at.run()
    assert not at.exception
    return at


def n_done(at: AppTest) -> int:
    """Return how many of `N_TRIALS` have finished, by its progress bar; all when there is none."""
    bars = at.get("progress")
    return int(re.search(r"Trial (\d+) of", bars[0].proto.text)[1]) if bars else N_TRIALS


def references_to_records(at: AppTest) -> list[weakref.ref]:
    """Return weak references to the records of a visitor's file in the session."""
    held = at.session_state["own_data"][own_data.Own]
    return [weakref.ref(held.records), weakref.ref(held.binary)]


def assert_deleted(refs: list[weakref.ref]) -> None:
    """Assert that nothing in this process refers to the records any longer."""
    deadline = time.monotonic() + 20
    while any(ref() is not None for ref in refs) and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.2)
    assert [ref() for ref in refs] == [None] * len(refs)


def assert_hidden_from_others(
    page: str, link: dict[str, str], log: pytest.LogCaptureFixture, words: str = "“[BM]”|radius|tumours"
) -> None:
    """Assert that the pattern `words` of the file is not on another visitor's page, in shared caches or in the log."""
    other = visit(page, **link)
    choices = [option for control in other.segmented_control for option in control.options]
    seen = "\n".join([html(other), *(text.value for text in other.markdown), *choices])
    assert not re.search(f"{words}|your own", seen)
    shared = [args for kept in cache._CACHES for args in list(kept._results)]
    assert shared
    assert not any(own_data.is_own(arg) for args in shared for arg in args)
    assert not re.search(words, log.text)


@pytest.mark.parametrize("page", FEW_TRIALS)
def test_a_table_is_previewed_used_and_deleted_when_forgotten(page, table, caplog):
    at = upload(visit(page, **FEW_TRIALS[page]), "tumours.csv", table)
    assert any(
        "569 rows, 4 columns to learn from. Classes: “B” 357, “M” 212." in element.value for element in at.markdown
    )
    refs, words = references_to_records(at), takeaway(finished(at)) + html(at)
    assert re.search("“[BM]”", words)
    assert not re.search("digit|image", takeaway(at) + warnings(at))
    assert_hidden_from_others(page, FEW_TRIALS[page], caplog)
    at.button(key="own-forget").click().run()
    assert not re.search("“[BM]”", html(at))
    assert_deleted(refs)


def jobs_table() -> bytes:
    """300 different jobs of 900 people, quoted where they hold a comma."""
    jobs = [f'"welder, rank {i % 300}"' for i in range(600)] + ["baker"] * 300
    return "\n".join(["id,job", *(f"{i + 2000},{job}" for i, job in enumerate(jobs))]).encode()


def test_a_column_of_answers_is_read_by_every_chapter_and_deleted_when_forgotten(caplog, tmp_path, monkeypatch):
    link = {"answers_look": "Three estimators compared"}
    at = upload(visit("many_answers", **link, people="77"), "jobs.csv", jobs_table())
    assert any(
        "900 people, 301 different answers. The most frequent: “baker” 300, " in element.value
        for element in at.markdown
    )
    assert at.number_input(key="people").value == 900
    held = at.session_state["own_data"][own_data.OwnAnswers]
    refs = [weakref.ref(held), weakref.ref(held.answers)]
    del held
    until(at, lambda at: "From the same reports" in takeaway(at))
    jobs = cache.runner()._jobs
    assert {jobs[key].private for key in list(jobs) if "jobs.csv" in repr(key)} == {True}
    assert_hidden_from_others("many_answers", link, caplog, "welder|baker|jobs")
    for chapter in CHAPTERS.all:
        at.segmented_control(key=CHAPTERS.key).set_value(chapter.name).run()
        assert not at.exception
    at.segmented_control(key=CHAPTERS.key).set_value("True and estimated shares").run()
    (tmp_path / "jobs.csv").write_bytes(jobs_table())
    monkeypatch.chdir(tmp_path)
    exec(code(at), scope := {"print": lambda *_: None})
    truth = scope["release"].truth
    assert (truth.names[0], truth.counts.tolist()) == ("baker", [300, *300 * [2]])
    assert f"“baker” {100 * scope['release'].found['subset selection'].shares[0]:.1f} %" in html(at)
    at.number_input(key="people").set_value(5_000).run()
    assert "5,000 people" in takeaway(at)
    at.button(key="own-forget").click().run()
    assert at.number_input(key="people").value == 10_000
    assert not re.search("baker|welder", html(at))
    assert_deleted(refs)


def test_a_stopped_and_pinned_setting_is_deleted_when_forgotten_on_another_page(table):
    at = upload(visit("comparison", compare_draws="6", show="ignore the noise"), "tumours.csv", table)
    refs = references_to_records(at)
    until(at, lambda at: "nobody sees" in takeaway(at))
    at.segmented_control(key="compare_look").set_value("Compare two settings").run()
    at.button(key="stop-trials").click().run()
    at.button(key="pin-it").click().run()
    assert (pin := at.session_state["values"]["comparison"]["pin"]).startswith("classify,your own,labels,")
    at.segmented_control(key="compare_on").set_value("Small digits").run()
    until(at, lambda at: " clearly" in takeaway(at))
    jobs = cache.runner()._jobs
    assert {jobs[key].private for key in list(jobs) if "tumours.csv" in repr(key)} == {True}
    go_to_page(at, "proportions").button(key="own-forget").click().run()
    assert_deleted(refs)
    go_to_page(at, "comparison")
    assert "its records were a visitor’s own, which are in no link" in warnings(visit("comparison", pin=pin))


def test_continuing_after_a_stop_runs_the_remaining_trials(table):
    at = upload(
        visit("proportions", bag_draws=str(N_TRIALS), train_by=LABEL_PROPORTIONS[LLP].title), "tumours.csv", table
    )
    until(at, lambda at: 2 <= n_done(at) < N_TRIALS)
    at.button(key="stop-trials").click().run()
    done = n_done(at)
    at.button(key="resume-trials").click().run()
    left = [len(job.tasks) for key, job in list(cache.runner()._jobs.items()) if key[0] == "bags" and job.private]
    assert left == [N_TRIALS - done]
    finished(at)
    ((_, trials),) = (kept for key, kept in at.session_state["own_results"].items() if key[0] == "bags")
    assert [trial.config.trial for trial in trials] == list(range(1, N_TRIALS))


def test_class_names_are_shown_but_are_in_no_link():
    here = visit("training", draws="1", methods="ignore the noise")
    at = finished(upload(here, "names.csv", small_table(("digit", "image", "pixel"))))
    assert "of class “digit” and" in html(at)
    at.selectbox(key="own_second").select("pixel").run()
    assert "of class “pixel”" in html(at)
    assert not {"first", "second", "own_first", "own_second"} & set(at.query_params)
    assert "of class “a” and" in html(finished(upload(at, "other.csv", small_table(("a", "b", "c")))))


def test_the_code_for_own_images_computes_the_numbers_of_the_page(tmp_path, monkeypatch):
    digits, file = load_digits(), tmp_path / "mine.npz"
    np.savez_compressed(file, X=digits.images, y=digits.target)
    at = finished(upload(visit("training", **FEW_TRIALS["training"]), "mine.npz", file.read_bytes()))
    assert any("1,797 images of 8 × 8 pixels, 17 grey levels." in element.value for element in at.markdown)
    monkeypatch.chdir(tmp_path)
    exec(code(at), scope := {"print": lambda *_: None})
    assert isinstance(scope["config"].dataset, datasets.Dataset)
    mark = 100 * np.mean([trial.fits["naive"].accuracy for trial in scope["trials"]])
    assert f"names <b>{mark:.1f} of 100</b>" in takeaway(at)


@pytest.mark.parametrize(
    ("page", "key"), [("training", "images"), ("comparison", "compare_on"), ("many_answers", "answers_of")]
)
def test_a_link_that_names_own_records_warns_that_it_does_not_contain_them(page, key):
    at = visit(page, **{key: own_data.TITLE})
    assert f"`{key}=your own` was ignored" in warnings(at)
    assert "A visitor’s own records are in no link: bring the file again." in warnings(at)
