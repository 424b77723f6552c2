"""Pages open on trials that are shipped with the package: no job is started, and no progress bar is rendered."""

import pytest

from pages.kit import cache, trials
from pages.topics import PAGES
from tests.pages.visiting import takeaway, visit

BY_PAGE_WITH_TRIALS = pytest.mark.parametrize(
    "page", [page for page in PAGES if page.jobs], ids=lambda page: page.address
)


def assert_answers_without_a_job(page, monkeypatch):
    calls, original, before = [], trials.start_or_follow, set(cache.runner()._jobs)
    monkeypatch.setattr(
        trials, "start_or_follow", lambda question, jobs: calls.append(original(question, jobs)) or calls[-1]
    )
    at = visit(page.address)
    (found,) = calls
    assert found.finished
    assert not any(job.tasks and not results for job, results in zip(found.jobs, found.results, strict=True))
    assert set(cache.runner()._jobs) == before
    assert not [button.key for button in at.button if button.key in ("stop-trials", "resume-trials")]
    assert takeaway(at)


@BY_PAGE_WITH_TRIALS
@pytest.mark.mnist
def test_no_job_is_started_for_the_default_question(page, mnist, data_folder, monkeypatch):
    assert_answers_without_a_job(page, monkeypatch)


@BY_PAGE_WITH_TRIALS
def test_no_job_is_started_where_only_scikit_learn_data_sets_exist(page, no_mnist, monkeypatch):
    assert_answers_without_a_job(page, monkeypatch)
