"""The command line: what it prints, and the exit code."""

from __future__ import annotations

import json
import os
import re
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from privdemo import commands, datasets
from privdemo.__main__ import main
from privdemo.datasets import files
from privdemo.disobedience import ControlQuestion, TwoHalves, notice
from privdemo.experiments import (
    class_ratio,
    comparison,
    label_counts,
    label_proportions,
    naive_steps,
    results,
    running,
    shipped_trials,
    training,
)
from privdemo.experiments.comparison import ComparisonConfig
from privdemo.experiments.shipped_study import ShippedStudy
from privdemo.experiments.trials import with_trial
from privdemo.mechanisms import BinaryChannel


def test_data_says_what_every_data_set_holds(data_folder, monkeypatch, capsys):
    digits = datasets.load("digits")
    monkeypatch.setattr(datasets, "load", lambda name, progress: digits)
    assert main(["data", "all"]) == 0
    printed = capsys.readouterr().out
    assert tuple(re.findall(r"^(\w+):", printed, re.MULTILINE)) == datasets.DATASETS
    assert f"  in {data_folder.resolve() / 'mnist'}\n" in printed
    assert "digits: 1,797 rows × 64 columns, 10 classes\n  in scikit-learn\n  CC BY 4.0; " in printed


def test_failure_is_one_sentence_with_exit_code_1_and_wrong_usage_2(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("PRIVDEMO_DATA", str(tmp_path / "nowhere"))
    for arguments, sentence in (
        (["data", "sms"], "PRIVDEMO_DATA names the folder "),
        (["reproduce", "figure3", "--draws", "1"], "--draws must be a whole number in [2, 50], got 1; an interval "),
        (["reproduce", "figure3", "--draws", "3"], "name a file with --out: the app's own has 10 trials, not 3"),
        (["reproduce", "figure3", "--out", "nowhere/x"], "--out must be a file in a folder that is there, got "),
    ):
        assert main(arguments) == 1
        assert re.fullmatch(rf"privdemo: {re.escape(sentence)}.*\n", capsys.readouterr().err)
    with pytest.raises(SystemExit) as stop:
        main(["reproduce", "figure9"])
    assert stop.value.code == 2


def test_ctrl_c_keeps_no_incomplete_file(monkeypatch, tmp_path, capsys):
    def interrupted(self, url, output_file, pooch):
        output_file.write(b"half of it")
        raise KeyboardInterrupt

    monkeypatch.delenv("PRIVDEMO_DATA", raising=False)
    monkeypatch.setattr(files.pooch, "os_cache", lambda project: tmp_path / project)
    monkeypatch.setattr(files.pooch.HTTPDownloader, "__call__", interrupted)
    assert main(["data", "sms"]) == 130
    assert capsys.readouterr().err == "privdemo: interrupted; no incomplete file was kept\n"
    assert not [path for path in tmp_path.rglob("*") if path.suffix in (".gz", ".partial")]


@dataclass
class Row:
    study: str
    trial: int


BEFORE = results.to_csv(Row, [Row("earlier", 0)])


class Made(list):
    """The trials that were begun; `stop` is one to interrupt, once."""

    stop = None

    def trial(self, name, trial):
        self.append((name, trial))
        if (name, trial) == self.stop:
            self.stop = None
            raise KeyboardInterrupt
        return [Row(name, trial)]

    def study(self, name):
        """Return one row for a trial."""
        return ShippedStudy(
            name, name, lambda: [(name,)], self.trial, Row, list, lambda rows: [f"{len(rows)} of {name}"]
        )


@pytest.fixture
def made(monkeypatch):
    made = Made()
    monkeypatch.setattr(commands, "STUDIES", {name: made.study(name) for name in ("first", "second")})
    return made


def reproduce(out, *options, name="first", trials=4):
    return main(["reproduce", name, "--draws", str(trials), "--jobs", "1", "--out", str(out), *options])


def names_in(folder):
    """The files of a folder but for locks."""
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".lock")


def test_an_interrupted_study_goes_on_where_it_was_and_leaves_the_file_that_was_there(made, tmp_path, capsys):
    out, part = tmp_path / "tiny.csv", tmp_path / "tiny.csv.part"
    out.write_text(BEFORE)
    kept = tmp_path / "tiny.csv.trials"
    made.stop = ("first", 2)
    assert reproduce(out) == 130
    assert re.search(r"\nprivdemo: interrupted; .* the same command goes on$", capsys.readouterr().err.strip())
    assert results.from_csv(Row, part.read_text(encoding="utf-8")) == (Row("first", 0), Row("first", 1))
    assert out.read_text() == BEFORE
    assert len(names_in(kept)) == 2
    (kept / "notes.txt").write_text("mine")
    assert reproduce(out) == 0
    assert made == [("first", trial) for trial in (0, 1, 2, 2, 3)]
    assert results.from_csv(Row, out.read_text(encoding="utf-8")) == tuple(Row("first", trial) for trial in range(4))
    assert (names_in(tmp_path), names_in(kept)) == (["tiny.csv", "tiny.csv.trials"], ["notes.txt"])
    assert capsys.readouterr().out == f"4 of first\nwritten to {out}\n"


def test_rows_are_in_the_order_of_the_grid_whichever_trial_is_done_first(made, monkeypatch, tmp_path):
    @contextmanager
    def backwards(*_):
        yield lambda calls: (function(*values, **options) for function, values, options in list(calls)[::-1])

    monkeypatch.setattr(running, "parallel", backwards)
    assert reproduce(tmp_path / "tiny.csv") == 0
    assert made == [("first", trial) for trial in (3, 2, 1, 0)]
    written = results.from_csv(Row, (tmp_path / "tiny.csv").read_text(encoding="utf-8"))
    assert written == tuple(Row("first", trial) for trial in range(4))


@pytest.mark.parametrize(("end", "content"), [("", "my,own,table\n1,2,3\n"), (".part", "mine")])
def test_a_file_of_something_else_is_not_written_over(made, end, content, tmp_path, capsys):
    file = tmp_path / f"mine.csv{end}"
    file.write_text(content)
    assert reproduce(tmp_path / "mine.csv") == 1
    assert capsys.readouterr().err == f"privdemo: {file} holds something else than results; name another file\n"
    assert (file.read_text(), names_in(tmp_path)) == (content, [file.name])


def test_a_study_interrupted_while_it_is_written_leaves_the_file_that_was_there(made, monkeypatch, tmp_path):
    out = tmp_path / "tiny.csv"
    out.write_text(BEFORE)
    files, onto_disk = iter(range(5)), os.fsync

    def fsync(file):
        """Interrupt after the files of four trials, within the results file."""
        if next(files) == 4:
            os.ftruncate(file, 50)
            raise KeyboardInterrupt
        onto_disk(file)

    monkeypatch.setattr(os, "fsync", fsync)
    assert reproduce(out) == 130
    assert out.read_text() == BEFORE
    assert len(names_in(tmp_path / "tiny.csv.trials")) == 4
    assert not (tmp_path / "tiny.csv.new").exists()


def test_all_studies_go_on_with_the_one_that_was_interrupted(made, tmp_path):
    """Those that were done are not done again, though their files are there."""
    made.stop = ("second", 1)
    assert reproduce(tmp_path, name="all", trials=2) == 130
    assert made == [("first", 0), ("first", 1), ("second", 0), ("second", 1)]
    assert reproduce(tmp_path, name="all", trials=2) == 0
    assert made[4:] == [("second", 1)]
    assert names_in(tmp_path) == ["first.csv", "second.csv"]


def test_every_study_can_be_reproduced_under_the_name_of_its_file():
    studies = commands.STUDIES
    others = [
        "figure3-steps",
        "section6.1-steps",
        "guesses",
        "llp",
        "classratio",
        "distortion",
        "comparison",
        "pushed",
        "deltas",
        "answers",
        "defaults",
    ]
    assert list(studies) == [*training.study.STUDIES, *others]
    assert all(name == study.name and study.is_own(study.file) for name, study in studies.items())
    for name, study in training.study.STUDIES.items():
        places = [(level, method) for _, level, methods in studies[name].settings() for method in methods]
        assert sorted(places) == sorted((level, method) for level in study.levels for method in study.methods)
    for module in (naive_steps, label_proportions.study, class_ratio.study, label_counts, comparison.study):
        assert studies[module.STUDY.name].run_trial == module.run_trial


def test_the_trials_that_pages_open_on_are_written_and_printed(monkeypatch, tmp_path, capsys):
    config = ComparisonConfig(dataset="breast_cancer", n_train=40, methods=("clean",))
    monkeypatch.setattr(shipped_trials, "questions", lambda: [config])
    out = tmp_path / "mine.npz"
    out.write_text("mine")
    assert reproduce(out, name="defaults", trials=2) == 1
    assert "holds something else than results" in capsys.readouterr().err
    out.unlink()
    for _ in range(2):  # it may be written again
        assert reproduce(out, name="defaults", trials=2) == 0
    marks = [comparison.run(with_trial(config, i)).fits["clean"].marks["accuracy"] for i in range(2)]
    there = shipped_trials.load(out)
    found = [there.find(comparison.run, with_trial(config, i)).fits["clean"].marks["accuracy"] for i in range(2)]
    assert found == pytest.approx(marks)
    printed = capsys.readouterr().out
    assert "ComparisonConfig, breast_cancer, ε 1, 2 trials\n" in printed
    assert f"  clean                 {sum(marks) / 2:.3f} (" in printed


def printed(capsys, *arguments):
    assert main(arguments) == 0
    return capsys.readouterr().out


def test_what_people_who_do_not_follow_the_rules_do_to_an_estimate(capsys):
    text = printed(capsys, "disobey", "--share", "0.35", "--lie", "0.3", "--part", "0.25")
    assert text.startswith("Yes is true of 35.0 %; if 25.0 % do not follow the rules, the mean estimate is\n")
    assert "     7.5 %  where they answer: always no\n" in text  # .35 − .25 (.3/.4 + .35)
    assert "    70.0 %  where they answer: always yes\n" in text
    assert text.endswith("an estimate of 35.0 % means that Yes is true of 0.0 % to 78.7 %\n")
    ten = printed(capsys, "disobey")  # of 100, with lies of 0.2
    assert ten.endswith("of 21.7 % to 48.3 %\n")
    found = json.loads(printed(capsys, "disobey", "--lie", "0.4", "--part", "0.25", "--json"))
    assert found["estimates"]["always no"] == pytest.approx(0.35 - 0.25 * 2.35)


def test_how_many_do_not_follow_the_rules(capsys):
    halves = ("notice", "--lies", "0.1", "0.4", "--counts", "710", "290", "652", "348")
    lies = BinaryChannel(0.1, 0.1), BinaryChannel(0.4, 0.4)
    expected = notice(TwoHalves(*lies), [[710, 290], [652, 348]])
    text = printed(capsys, *halves)
    assert text.startswith("26.5 % (18.4 % to 34.5 %) do not follow the rules (test that all do: p = 2.2e-10)\n")
    assert "share of Yes among those who follow them: 36.8 % (29.5 % to 45.7 %)\n" in text
    assert "among all: between 27.1 % and 53.6 %, with chance 23.3 % to 64.0 %\n" in text
    assert text.endswith("if everybody were taken to follow them: 21.4 % (18.2 % to 24.7 %)\n")
    found = json.loads(printed(capsys, *halves, "--json"))
    assert found["part"] == pytest.approx(expected.part._asdict())
    assert found["p_value"] == pytest.approx(expected.p_value)
    control = ("notice", "--lies", "0.2", "--control", "0.25", "--counts", "1083", "319", "397", "201", "--json")
    expected = notice(ControlQuestion(BinaryChannel(0.2, 0.2), 0.25), [[1083, 319], [397, 201]])
    assert json.loads(printed(capsys, *control))["share"] == pytest.approx(expected.share._asdict())


def test_how_far_fake_clients_push_an_answer(capsys):
    text = printed(capsys, "attack", "--people", "2000")
    lines = text.splitlines()
    assert lines[0] == "5.0 % fake clients want 1 of 64 answers, each true of 1.0 %, to look frequent; ε = 1"
    assert lines[3].split()[:6] == ["randomised", "response", "1", "5.0", "0.0", "188.3"]
    assert len(lines) == 9
    found = json.loads(printed(capsys, "attack", "--targets", "5", "--people", "2000", "--json"))
    assert found["optimised unary"]["supported"] == 5
    assert found["randomised response"]["supported"] == pytest.approx(1)
    assert found["optimised unary"]["left"]["none"] == pytest.approx(
        found["optimised unary"]["gain"]["crafted report"], abs=0.1
    )


def test_impossible_questions_about_disobedience_are_one_sentence(capsys):
    for arguments, sentence in (
        (["notice", "--lies", "0.1", "--counts", "1", "2", "3", "4"], "--lies must be two for two halves, or one with"),
        (
            ["notice", "--lies", "0.2", "0.2", "--counts", "1", "2", "3", "4"],
            "--lies must be two different ones, got 0.2",
        ),
        (["notice", "--lies", "1.2", "0.2", "--counts", "1", "2", "3", "4"], "--lies must be in [0, 1], got 1.2"),
        (["disobey", "--lie", "0.5"], "--lie must differ from 0.5"),
        (["attack", "--targets", "64"], "--targets must be a whole number in [1, 63], got 64; at least one"),
        (["disobey", "--part", "2"], "part must be in [0, 1], got 2; it is the part of all people"),
        (["attack", "--targets", "5", "--share", "0.3"], "--share must be in [0, 0.2], got 0.3"),
        (["attack", "--part", "0.6"], "--part must be in [0, 0.5], got 0.6"),
        (["attack", "--answers", "1"], "--answers must be a whole number in [2, 1024], got 1"),
        (["attack", "--people", "0"], "--people must be a whole number in [1"),
    ):
        assert main(arguments) == 1
        assert capsys.readouterr().err.startswith(f"privdemo: {sentence}")
