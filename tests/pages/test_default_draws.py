"""Pages open on draws that come with the package: no job is started, and no progress bar is seen."""

import pytest

from pages.kit import cache, trials
from pages.topics import PAGES
from tests.pages.visiting import takeaway, visit

OF_DRAWS = pytest.mark.parametrize("page", [page for page in PAGES if page.jobs], ids=lambda page: page.address)


def assert_answered_without_a_job(page, monkeypatch):
    looks, look, before = [], trials.start_or_follow, set(cache.runner()._jobs)
    monkeypatch.setattr(
        trials, "start_or_follow", lambda question, jobs: looks.append(look(question, jobs)) or looks[-1]
    )
    at = visit(page.address)
    (found,) = looks
    assert found.finished
    assert not any(job.tasks and not results for job, results in zip(found.jobs, found.results, strict=True))
    assert set(cache.runner()._jobs) == before
    assert not [button.key for button in at.button if button.key in ("stop-draws", "more-draws")]
    assert takeaway(at)


@OF_DRAWS
@pytest.mark.mnist
def test_no_job_is_started_for_the_default_question(page, mnist, data_folder, monkeypatch):
    assert_answered_without_a_job(page, monkeypatch)


@OF_DRAWS
def test_nor_on_a_computer_that_has_only_the_data_sets_of_scikit_learn(page, no_mnist, monkeypatch):
    assert_answered_without_a_job(page, monkeypatch)
