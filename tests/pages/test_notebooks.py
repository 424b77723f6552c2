"""The notebook of each page's first figure runs in Jupyter from start to end, and prints the number on the screen.

All notebooks run in one kernel, one after the other, each with no names of the one before it.
"""

import json
import re
from collections import Counter
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import nbformat
import pytest
from nbclient import NotebookClient

from pages import screens, terminal
from pages.kit import notebook, trials
from pages.kit.setting_file import SettingFile
from pages.kit.values import from_texts
from pages.topics import PAGES, page_at

pytestmark = pytest.mark.mnist
ROOT = Path(__file__).parents[2]
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
# Deletes what a notebook defined. `%reset` would also delete what Python needs to start the worker processes of a page.
FORGET = "%reset_selective -f ."
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}


class Case(NamedTuple):
    """A page with settings, a panel, and where the screen shows a number: so many times what the code prints."""

    address: str
    panel: str
    pattern: str
    times: float = 100
    settings: dict[str, str] = {}  # noqa: RUF012

    @property
    def name(self):
        return (self.address or "home") + " changed" * bool(self.settings)

    @property
    def link(self):
        """The settings, and few trials where the page has trials."""
        return FEW_TRIALS.get(self.address, {}) | self.settings


# Two trials are as many as a mean needs, and the first trials of a page are among the shipped ones.
FEW_TRIALS = {
    "comparison": {"compare_draws": "2"},
    "training": {"draws": "2"},
    "proportions": {"bag_draws": "2"},
    "class_ratio": {"ratio_draws": "2"},
}
POINTS = r"(?:±|within) ([\d.]+) percentage points"
HINT = r"use each bag as a hint ([\d.]+) %"
VOTED, SENT = r"estimate that ([\d.]+) %", r"right sender for (\d+) of 100"
LEARNT, OFF_BY = r"It names (\d+) of 100", r"off by ([\d.]+) on average"
CASES = [
    Case("", "home", r"found in (\d+) of 100"),
    Case("voting", "people", VOTED),
    Case("voting", "people", VOTED, 100, {"lie": "0.3", "voters": "500"}),
    Case("image_noise", "images", SENT),
    Case("poll", "poll", r"\b(\d+) of 200", 1),
    Case(
        "poll", "poll", r"\b(\d+) people have answered", 1, {"way": "Show of hands", "hands_1": "30", "hands_2": "21"}
    ),
    Case("comparison", "by-trust", r"it gets ([\d.]+) % of new images right"),
    Case(
        "comparison", "by-trust", r"nobody trusted ([\d.]+) ", 100, {"label_epsilon": "2", "compare_on": "Small digits"}
    ),
    Case("many_answers", "shares", r"“cold” ([\d.]+) % \("),
    Case("many_answers", "shares", r"“cold” ([\d.]+) % \(", 100, {"different": "8", "lie": "basic RAPPOR"}),
    Case("distortion", "released", OFF_BY, 1),
    Case("distortion", "released", OFF_BY, 1, {"mechanism": "Laplace, as in the paper"}),
    Case("training", "images-in-dispute", LEARNT),
    Case("proportions", "bag-scores", HINT),
    Case(
        "proportions",
        "bag-scores",
        HINT,
        100,
        {"proportion_noise": "Laplace", "proportion_epsilon": "2", "records": "Breast cancer"},
    ),
    Case("class_ratio", "methods", r"methods says ([\d.]+) %"),
    Case("advice", "advice", POINTS, 1),
    Case("advice", "advice", POINTS, 1, {"people": "1000"}),
    Case("claims", "verdicts", r"\b(\d+) hold;", 1),
    Case("claims", "verdicts", r"recheck (\d+) claims from Yan", 1, {"source": "Yan"}),
]


class Ran(NamedTuple):
    """A notebook that was run, and what the screen says: its sentence, and the figure as text."""

    cells: list
    sentence: str
    summary: str

    def printed(self, index):
        """What the code cell of this index printed."""
        outputs = self.code[index].outputs
        assert not [one for one in outputs if one.output_type == "error"], outputs
        return "".join(one.text for one in outputs if one.output_type == "stream" and one.name == "stdout")

    @property
    def code(self):
        return [cell for cell in self.cells if cell.cell_type == "code"]


def computed_here(_question, jobs):
    """All trials of a question: the shipped ones, and the others from this process; a notebook starts processes."""
    there = trials.already_there(jobs)
    more = [
        tuple(map(job.function, job.tasks[len(one.results) :]))
        for job, one in zip(there.jobs, there.progress, strict=True)
    ]
    results = [(*shipped, *others) for shipped, others in zip(there.results, more, strict=True)]
    return replace(there, results=tuple(results))


def panel_of(case):
    """The question, the panel and the sentence of the page with the settings of a case."""
    page = page_at(case.address)
    with mock.patch.object(trials, "start_or_follow", computed_here):
        question, answer = terminal.run_page(page, SettingFile(case.address, case.link))
    shown = page.chapters.all[0].panels_for(answer, from_texts(page.all_settings, case.link))
    flat = chain.from_iterable(one if isinstance(one, tuple) else (one,) for one in shown)
    (panel,) = (one for one in flat if one.name == case.panel)
    return page, question, panel, terminal.text_of(answer.takeaway())


def written(page, question, panel, settings):
    known = settings if page.is_repeatable else None
    return notebook.text(panel, page.title, page.question, page.address, known, page.opendp_lines(question))


@pytest.fixture(scope="module")
def ran(mnist, data_folder, tmp_path_factory):
    """Every notebook by its case, run in one kernel, in a folder of its own, as some write a file."""
    found, whole = {}, nbformat.v4.new_notebook(metadata=KERNEL)
    for case in CASES:
        page, question, panel, sentence = panel_of(case)
        cells = nbformat.reads(written(page, question, panel, case.link), as_version=4).cells
        for cell in cells:
            cell.id = f"cell-{len(whole.cells)}"
            whole.cells.append(cell)
        whole.cells.append(nbformat.v4.new_code_cell(FORGET))
        found[case.name] = Ran(cells, sentence, terminal.text_of(panel.summary))
    folder = {"metadata": {"path": str(tmp_path_factory.mktemp("notebooks"))}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        NotebookClient(whole, timeout=1200, resources=folder).execute()
    return found


def test_every_page_with_figures_has_a_notebook_at_its_defaults_but_for_trials_and_several_at_other_settings():
    counted = Counter(case.address for case in CASES)
    assert set(counted) == {page.address for page in PAGES if page.chapters}
    assert set(counted.values()) == {1, 2}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_notebook_prints_the_number_on_the_screen_and_its_sentence(ran, case):
    done = ran[case.name]
    on_screen = re.search(case.pattern, f"{done.sentence} {done.summary}")
    if case.name == "claims changed":  # the code lists the claims of all sources
        assert done.printed(0).count("\nYan ") == int(on_screen[1])
    else:
        rounded = 0.5 * 10 ** -len(on_screen[1].partition(".")[2]) + 1e-9
        printed = [case.times * float(number) for number in NUMBER.findall(done.printed(0))]
        assert any(abs(number - float(on_screen[1])) <= rounded for number in printed), done.printed(0)
    if page_at(case.address).is_repeatable:
        assert done.printed(1).strip() == done.sentence
        (shown,) = (one.data for one in done.code[1].outputs if one.output_type == "execute_result")
        assert shown["text/plain"] == done.sentence
        assert {"application/vnd.plotly.v1+json", "text/html"} & shown.keys()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_lines_for_opendp_print_the_epsilon_that_they_name(ran, case):
    for cell in ran[case.name].code:
        if "opendp" not in cell.source:
            continue
        printed = "".join(one.text for one in cell.outputs if one.output_type == "stream")
        by_opendp = [float(number) for number in re.findall(r"^[ερ]: (.*)$", printed, flags=re.MULTILINE)]
        by_us = [float(number) for number in re.findall(r"(?:ε|ρ):.*# ([\d.]+)", cell.source)]
        assert by_us
        assert by_opendp == pytest.approx(by_us, abs=1e-6)


def test_a_notebook_is_valid_small_and_the_same_for_the_same_settings():
    (case,) = (case for case in CASES if case.name == "distortion changed")
    page, question, panel, _ = panel_of(case)
    text = written(page, question, panel, case.link)
    assert text == written(page, question, panel, case.link)
    nbformat.validate(json.loads(text))
    assert len(text) < 50_000
    assert "`mechanism` | `Laplace, as in the paper`" in text


def test_a_notebook_of_the_whole_page_shows_its_first_figure():
    assert screens.answer("voting", {}).panel.name == "people"


def test_a_screen_that_does_not_exist_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="no page with figures at the address 'nowhere'"):
        screens.answer("nowhere", {}, "people")
    with pytest.raises(ValueError, match="panel must be one of people in the chapter “One poll”, got 'persons'"):
        screens.answer("voting", {}, "persons")
    with pytest.raises(ValueError, match="the page does not take the settings"):
        screens.answer("voting", {"lie": "7"}, "people")
