"""What docs/extending.md shows works as it stands there: each block is run, and the page is visited."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from pages import topics
from pages.kit.dials import STEPS
from pages.kit.settings import Number
from pages.kit.trials import Trials
from pages.topics.images.answer import answer
from pages.topics.images.question import LEVELS, Question
from privdemo import commands
from privdemo.__main__ import main
from privdemo.experiments import images, results
from privdemo.experiments.training.fit import ESTIMATORS
from privdemo.mechanisms import PixelMechanism, RandomisedResponse
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.mechanisms.pixels import FAMILIES
from privdemo.methods import LABEL_COUNTS, TRAINING
from tests.documents import ROOT, run
from tests.pages import test_every_page as every_page
from tests.pages.visiting import folds, takeaway, visit

TEXT = (ROOT / "docs/extending.md").read_text(encoding="utf-8")


@pytest.fixture
def names(monkeypatch):
    """A module's names, for an example to run in; the tables in which it registers are afterwards as they were."""
    module = ModuleType("example")
    monkeypatch.setitem(sys.modules, module.__name__, module)  # so that what it defines can be pickled
    all_tables = (FAMILIES, LEVELS, STEPS, TRAINING, ESTIMATORS, RELEASES, LABEL_COUNTS)
    before = [dict(table) for table in all_tables]
    yield vars(module)
    for table, rows in zip(all_tables, before, strict=True):
        table.clear()
        table.update(rows)


def run_section(heading, names):
    """Run the blocks of a section one after the other, and return how many of its numbers were checked."""
    section = TEXT.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    blocks = re.findall(r"^```python\n(.*?)^```$", section, flags=re.DOTALL | re.MULTILINE)
    return sum(run(block, names) for block in blocks)


def test_a_mechanism_on_pixels(names):
    assert run_section("A mechanism on pixels", names) == 4
    noise = names["LogisticNoise"](0.2)
    assert isinstance(noise, PixelMechanism)
    sampled = noise.sample_noise((100_000,), np.random.default_rng(0)) * noise.level
    expected = noise.expected_distortion(np.zeros(1))
    assert np.abs(sampled).mean() == pytest.approx(expected.absolute, rel=0.02)
    assert np.square(sampled).mean() == pytest.approx(expected.squared, rel=0.04)
    # The promise against the density itself, one value that is 0 or 1.
    z = np.linspace(-20, 21, 400_001)
    density, other = (np.exp(noise.log_likelihood(z, value)) / noise.scale for value in (0.0, 1.0))
    for epsilon in (0.0, 1.0, 4.9):
        delta = np.trapezoid(np.maximum(0, density - np.exp(epsilon) * other), z)
        assert delta <= noise.delta_at(epsilon) + 1e-9
    assert noise.delta_at(noise.epsilon_at(0.1, 3), 3) == pytest.approx(0.1)


def test_the_mechanism_on_its_page(names, tmp_path, monkeypatch):
    run_section("A mechanism on pixels", names)
    numbers = {"shown": 2, "people": 100, "candidates": 20, "delta": 1e-5, "seed": 0, "level": 0.4}
    lies = RandomisedResponse(0.2, 2)
    question = Question("digits", ("7", "9"), FAMILIES["logistic"], lies, **numbers)
    shown = answer(question, Trials())
    assert "true and as sent at s = 0.4" in shown.main()[0].summary
    assert "From an upper bound on the privacy loss." in shown.promised()[0].figure.html


def test_a_mechanism_on_states_needs_nothing_but_its_answers(names):
    """Randomised response under another name, of which no estimator knows."""
    own = ("__dict__", "__weakref__")
    twin = type("Twin", (), {name: part for name, part in vars(RandomisedResponse).items() if name not in own})
    FAMILIES["twin"] = replace(FAMILIES["randomised_response"], name="twin", mechanism=twin, make=twin)
    known, found = (
        images.run(images.Config("digits", pixels=of(0.3, 17), n_people=100)) for of in (RandomisedResponse, twin)
    )
    for prior, most in (("flat", 0), ("true", 0), ("learned", 8)):  # grey levels; a prior learned by EM stops early
        assert np.abs(found.guesses[prior].astype(int) - known.guesses[prior]).max() <= most


def test_an_estimator(names):
    assert run_section("An estimator", names) == 2


def test_a_release_of_label_counts(names):
    assert run_section("A release of label counts", names) == 2
    assert names["outcomes"]["geometric"].holds
    # The promise against the probabilities themselves: a label that moves shifts two counts by one.
    counts = names["GeometricCounts"](0.6)
    noise = np.arange(-60, 61)
    chance = (1 - 0.6) / (1 + 0.6) * 0.6 ** np.abs(noise)
    here, moved = np.outer(chance, chance)[1:, :-1], np.outer(chance, chance)[:-1, 1:]
    for epsilon in (0.0, 0.5, -2 * np.log(0.6)):
        assert np.maximum(0, here - np.exp(epsilon) * moved).sum() <= counts.delta_at(epsilon) + 1e-9


@pytest.fixture
def with_the_page(tmp_path, monkeypatch):
    """`pages.topics` with the folder in it, written from the blocks that follow names, and the one line in its list."""
    (tmp_path / "one_answer").mkdir()
    for name, content in re.findall(r"^`pages/topics/(one_answer/[\w.]+)`.*\n\n```\w+\n((?s:.*?))^```$", TEXT, re.M):
        (tmp_path / name).write_text(content, encoding="utf-8")
    file = Path(topics.__file__)
    (line,) = re.findall(r"in `_FOLDERS` of .*?```text\n(.*?)```", TEXT, flags=re.DOTALL)
    assert len(line.splitlines()) == 1
    changed = ModuleType(topics.__name__)
    changed.__path__ = [*topics.__path__, str(tmp_path)]
    monkeypatch.setitem(sys.modules, topics.__name__, changed)
    monkeypatch.setattr("pages.topics", changed)
    source = file.read_text(encoding="utf-8").replace('"home",\n', f'"home",\n{line}')
    exec(compile(source, file, "exec", dont_inherit=True), vars(changed))
    yield changed
    for name in [name for name in sys.modules if name.startswith("pages.topics.one_answer")]:
        del sys.modules[name]


def test_a_study(names, monkeypatch, tmp_path, capsys):
    assert run_section("A study", names) == 1
    printed = capsys.readouterr().out
    study, out = names["STUDY"], tmp_path / "sixteen.csv"
    monkeypatch.setitem(commands.STUDIES, study.name, study)
    assert main(["reproduce", study.name, "--draws", "3", "--jobs", "1", "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"{printed}written to {out}\n"
    monkeypatch.setattr(results, "shipped", lambda name, suffix: tmp_path / f"{name}.{suffix}")
    assert [(row.epsilon, row.trial) for row in study.load()] == [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]


def test_a_page_is_one_folder_and_one_line(with_the_page):
    before = [page.address for page in topics.PAGES]
    assert [page.address for page in with_the_page.PAGES] == [before[0], "one_answer", *before[1:]]
    at = visit("one_answer")
    assert "63.2 mean it" in re.sub("<.*?>", "", takeaway(at))  # 0.8 · 0.3 / (0.8 · 0.3 + 0.2 · 0.7)
    assert "by a factor of 4.00 at most" in takeaway(visit("one_answer", look="The promise"))
    assert {"How it works", "What others see", "Limits"} <= folds(at).keys()


def test_the_loop_over_all_pages_holds_for_it(with_the_page, monkeypatch):
    page = with_the_page.page_at("one_answer")
    every_page.test_a_link_sets_values_and_reset_restores_the_defaults(page, Number)
    every_page.test_each_invalid_value_has_a_warning_and_defaults_are_used(page, monkeypatch)
    for end in ("low", "high"):
        every_page.test_all_numbers_at_one_end_are_answered_or_refused_in_a_sentence(page, end)


# --- changes to what is there --------------------------------------------------------------------


def section_of(heading):
    return TEXT.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def applied(heading, root):
    """Apply the changes of a section to a copy of the project, and return the files that were changed or added."""
    section, files = section_of(heading), set()
    for block in re.findall(r"^```diff\n(.*?)^```$", section, flags=re.DOTALL | re.MULTILINE):
        name = re.search(r"^\+\+\+ b/(\S+)$", block, flags=re.MULTILINE)[1]
        text = (root / name).read_text(encoding="utf-8")
        for hunk in re.split(r"^@@.*@@\n", block, flags=re.MULTILINE)[1:]:
            before, after = ("".join(f"{line[1:]}\n" for line in hunk.splitlines() if line[0] == sign) for sign in "-+")
            assert text.count(before) == 1, (name, before)
            text = text.replace(before, after)
        (root / name).write_text(text, encoding="utf-8")
        files.add(name)
    added = re.findall(r"^```python\n(.*?)^```\n\n[^`]*`([\w/]+\.py)`", section, flags=re.DOTALL | re.MULTILINE)
    for content, name in added:
        (root / name).write_text(content, encoding="utf-8")
        files.add(name)
    return files


@pytest.fixture
def copy(tmp_path):
    """A copy of the project's code."""
    for folder in ("pages", "privdemo", "server"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def in_copy(root, script):
    """Run a script in a copy of the project, and return what it prints."""
    variables = os.environ | {"PYTHONPATH": f"{root}{os.pathsep}{ROOT}"}
    done = subprocess.run([sys.executable, "-c", script], cwd=root, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_slider_is_in_links_reset_lectures_and_at_the_command_line(copy):
    assert len(applied("A slider on a page that is there", copy)) <= 3
    (copy / "mine.toml").write_text('page = "voting"\n[settings]\nanswering = 0.6\n', encoding="utf-8")
    script = """
from pages.kit.lecture import Step, problems
from pages.topics import page_at
from pages.topics.voting.question import ANSWERING
from privdemo.__main__ import main
from pages.terminal import text_of
from tests.pages.visiting import takeaway, visit

page = page_at("voting")
at = visit("voting", answering="0.6")
print(text_of(takeaway(at)))
at.number_input(key="answering").set_value(0.3).run()
print(text_of(takeaway(at)), at.query_params["answering"])
at.button(key="reset").click().run()
print(text_of(takeaway(at)), "answering" in at.query_params)
print(problems(Step("voting", {"answering": "0.5"}, "", ("control",), "answering"), page.here.default_settings))
print(list(problems(Step("voting", {"answering": "5"}), page.here.default_settings)))
print(main(["run", "mine.toml"]))
"""
    linked, typed, reset, step, wrong, run, _, code = in_copy(copy, script)
    assert "From 600 simulated answers" in linked
    assert "From 300 simulated answers" in typed
    assert typed.endswith(" 0.3")
    assert "From 1,000 simulated answers" in reset
    assert reset.endswith(" False")
    assert (step, wrong, code) == ("{}", "['answering']", "0")
    assert run == linked


def test_a_sentence_is_changed_in_one_file(copy):
    assert applied("Another sentence", copy) == {"pages/topics/comparison/answer.py"}
    script = """
from tests.pages.visiting import takeaway, visit

print(takeaway(visit("comparison")))
"""
    assert "None of these 3 ways does better, with these settings." in "".join(in_copy(copy, script))


def test_a_seventh_oracle_is_on_its_page_and_in_the_package(copy):
    assert len(applied("A seventh frequency oracle", copy)) <= 3
    script = """
from privdemo.mechanisms.frequency_oracles import ORACLES
from tests.pages.visiting import takeaway, visit

oracle = ORACLES["pair selection"](10, 1.0)
print(oracle.bits, oracle.n_supports)
at = visit("many_answers", lie="pair selection", people="5000")
print(takeaway(at))
offered = [option for box in at.selectbox for option in box.options]
print("pair selection" in ORACLES, "two answers" in offered)
"""
    bits, sentence, offered = in_copy(copy, script)
    assert bits == "6 45"  # 45 pairs of 10 answers
    assert "pair selection" in sentence
    assert offered == "True True"
