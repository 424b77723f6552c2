"""The command line: what it prints, and the exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from privdemo import commands, datasets
from privdemo.__main__ import main
from privdemo.datasets import files
from privdemo.experiments import label_counts, results, training
from privdemo.experiments.training import TrainingConfig
from privdemo.mechanisms import RandomisedResponse
from privdemo.methods import CLEAN, NAIVE

ROOT = Path(__file__).parents[1]
BEFORE = results.to_csv(training.study.Row, ())


def test_data_says_what_a_data_set_holds(capsys):
    assert main(["data", "digits"]) == 0
    output = capsys.readouterr()
    assert output.out.startswith("digits: 1,797 rows × 64 columns, 10 classes\n  in scikit-learn\n  CC BY 4.0; ")
    assert output.err == ""


@pytest.mark.mnist
def test_data_all_covers_every_data_set(data_folder, capsys):
    assert main(["data", "all"]) == 0
    printed = capsys.readouterr().out
    headings = [line.split(":")[0] for line in printed.splitlines() if not line.startswith(" ")]
    assert tuple(headings) == datasets.DATASETS
    assert f"  in {data_folder.resolve() / 'mnist'}\n" in printed


def test_failure_is_one_sentence_and_exit_code_1(tmp_path):
    process = subprocess.run(
        [sys.executable, "-m", "privdemo", "data", "mnist"],
        env={**os.environ, "PRIVDEMO_DATA": str(tmp_path / "nowhere")},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert process.returncode == 1
    assert process.stdout == ""
    assert process.stderr.startswith("privdemo: PRIVDEMO_DATA names the folder ")
    assert len(process.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["data", "foo"], "invalid choice: 'foo'"),
        (["data"], "required: NAME"),
        ([], "required: COMMAND"),
        (["fetch"], "invalid choice: 'fetch'"),
        (["reproduce", "figure9"], "invalid choice: 'figure9'"),
        (["reproduce", "figure3", "--draws", "ten"], "argument --draws: invalid int value: 'ten'"),
    ],
)
def test_wrong_usage_is_exit_code_2(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_ctrl_c_keeps_no_incomplete_file(monkeypatch, tmp_path, capsys):
    def interrupted(self, url, output_file, pooch):
        output_file.write(b"half of it")
        raise KeyboardInterrupt

    monkeypatch.delenv("PRIVDEMO_DATA", raising=False)
    monkeypatch.setattr(files.pooch, "os_cache", lambda project: tmp_path / project)
    monkeypatch.setattr(files.pooch.HTTPDownloader, "__call__", interrupted)
    assert main(["data", "sms"]) == 130
    assert capsys.readouterr().err == "privdemo: interrupted; no incomplete file was kept\n"
    assert [path.name for path in tmp_path.rglob("*.gz")] == []
    assert [path.name for path in tmp_path.rglob("*.partial")] == []


# --- reproduce -------------------------------------------------------------------------------------------


def tiny_config(p):
    return TrainingConfig("digits", n_train=20, pixels=RandomisedResponse(p, 17), labels=RandomisedResponse(p))


@pytest.fixture
def tiny(monkeypatch):
    """A study that takes a second; with --jobs 1 it is seen by whoever runs it."""
    study = training.study.Study("tiny", "Digits", "p", (0.05, 0.2), tiny_config, (CLEAN, NAIVE), {NAIVE: {0.2: 0.876}})
    monkeypatch.setitem(training.study.STUDIES, "tiny", study)
    return study


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--draws", "1"], r"--draws must be a whole number in [2, 50], got 1; an interval needs two"),
        (["--draws", "51", "--out", "x.csv"], r"--draws must be a whole number in [2, 50], got 51; "),
        (["--jobs", "0"], "--jobs must be a whole number in [1, 1024], got 0"),
        (["--draws", "3"], "name a file with --out: the app's own has 10 draws, not 3"),
        (["--out", "nowhere/x.csv"], "--out must be a file in a folder that is there, got nowhere/x.csv"),
        (["--out", "."], "--out must be a file in a folder that is there, got ."),
    ],
)
def test_a_study_that_cannot_be_run_is_refused_at_once(arguments, sentence, tiny, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(training.study, "trial", lambda *_: pytest.fail("must not be run"))
    assert main(["reproduce", "tiny", *arguments]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"privdemo: {sentence}")
    assert len(output.err.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_a_study_is_written_and_printed_beside_what_was_published(tiny, tmp_path, capsys):
    out = tmp_path / "tiny.csv"
    out.write_text(BEFORE)
    assert main(["reproduce", "tiny", "--draws", "2", "--jobs", "1", "--out", str(out)]) == 0
    rows = results.from_csv(training.study.Row, out.read_text(encoding="utf-8"))
    assert [path.name for path in tmp_path.iterdir()] == ["tiny.csv"]
    cases = [(level, draw, method) for level in tiny.levels for method in tiny.methods for draw in (0, 1)]
    assert [(row.level, row.draw, row.method) for row in rows] == cases
    output = capsys.readouterr()
    assert "tiny: 4 of 4 trials" in output.err
    title, head, *lines, last = output.out.splitlines()
    assert title == "Digits"
    assert head.startswith("p: accuracy, log loss")
    assert last == f"written to {out}"
    printed = {(float(level), method): numbers for level, method, *numbers in map(str.split, lines)}
    assert set(printed) == {(level, method) for level, _, method in cases}
    for (level, method), numbers in printed.items():
        here = [row for row in rows if (row.level, row.method) == (level, method)]
        for mark, shown in (("accuracy", numbers[0]), ("log_loss", numbers[2])):
            # a mean of six written digits, shown with three decimals
            assert float(shown) == pytest.approx(sum(getattr(row, mark) for row in here) / 2, abs=0.0005 + 1e-5)
        assert numbers[4:] == (["0.876"] if (level, method) == (0.2, NAIVE) else [])


def trials_done(tmp_path):
    return len(list((tmp_path / "tiny.csv.trials").iterdir()))


def test_an_interrupted_study_goes_on_where_it_was_and_leaves_the_file_that_was_there(
    tiny, monkeypatch, tmp_path, capsys
):
    """Stopped in its third trial of four; the same command then makes two, and the file is that of one go."""
    run, made = training.study.trial, []

    def trial(*arguments):
        if len(made) == 2:
            raise KeyboardInterrupt
        made.append(arguments)
        return run(*arguments)

    trial.__qualname__, trial.__module__ = run.__qualname__, run.__module__
    monkeypatch.setattr(training.study, "trial", trial)
    out, whole = tmp_path / "tiny.csv", tmp_path / "whole.csv"
    out.write_text(BEFORE)
    command = ["reproduce", "tiny", "--draws", "2", "--jobs", "1", "--out"]
    assert main([*command, str(out)]) == 130
    output = capsys.readouterr()
    assert output.err.splitlines()[-1] == (
        "privdemo: interrupted; the trials that are done are kept beside the file (FILE.trials), what they say so far, "
        "if anything, in FILE.part; the same command goes on"
    )
    so_far = results.from_csv(training.study.Row, (tmp_path / "tiny.csv.part").read_text(encoding="utf-8"))
    assert len(so_far) == 2 * 2, "both methods of two trials: a file to use"
    assert output.out == ""
    assert out.read_text() == BEFORE
    assert trials_done(tmp_path) == 2
    monkeypatch.setattr(training.study, "trial", run)
    again = []
    monkeypatch.setattr(training.study, "run", lambda config: again.append(config) or training.run(config))
    assert main([*command, str(out)]) == 0
    assert len(again) == 2
    assert not {(config.pixels.flip_prob, config.draw) for config in again} & {(p, draw) for _, p, draw, _ in made}
    assert main([*command, str(whole)]) == 0
    assert out.read_text() == whole.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tiny.csv", "whole.csv"]


@pytest.mark.parametrize("content", ["my,own,table\n1,2,3\n", "x"])
def test_a_file_of_something_else_is_not_written_over(tiny, content, tmp_path, capsys):
    out = tmp_path / "mine.csv"
    out.write_text(content)
    assert main(["reproduce", "tiny", "--draws", "2", "--jobs", "1", "--out", str(out)]) == 1
    assert capsys.readouterr().err == f"privdemo: {out} holds something else than results; name another file\n"
    assert out.read_text() == content
    assert [path.name for path in tmp_path.iterdir()] == ["mine.csv"]


def test_only_what_is_its_own_is_taken_away(tiny, tmp_path, capsys):
    out, kept = tmp_path / "tiny.csv", tmp_path / "tiny.csv.trials"
    kept.mkdir(mode=0o700)
    (kept / "notes.txt").write_text("mine")
    command = ["reproduce", "tiny", "--draws", "2", "--jobs", "1", "--out", str(out)]
    assert main(command) == 0
    assert [path.name for path in kept.iterdir()] == ["notes.txt"]
    (tmp_path / "tiny.csv.part").write_text("mine too")
    assert main(command) == 1
    assert "tiny.csv.part holds something else than results" in capsys.readouterr().err


def test_a_study_interrupted_while_it_is_written_leaves_the_file_that_was_there(tiny, monkeypatch, tmp_path):
    out = tmp_path / "tiny.csv"
    out.write_text(BEFORE)
    write = Path.write_text

    def half(self, text, **options):
        write(self, text[:50], **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_text", half)
    assert main(["reproduce", "tiny", "--draws", "2", "--jobs", "1", "--out", str(out)]) == 130
    assert out.read_text() == BEFORE
    assert trials_done(tmp_path) == 4
    assert not (tmp_path / "tiny.csv.new").exists()


def test_the_file_that_is_written_unasked_is_the_one_that_is_shipped(tiny, monkeypatch, tmp_path):
    monkeypatch.setattr(results, "shipped", lambda name: tmp_path / f"{name}.csv")
    assert main(["reproduce", "tiny", "--jobs", "1"]) == 0
    assert len(training.study.load("tiny")) == 2 * 2 * results.N_DRAWS


def test_all_studies_go_on_with_the_one_that_was_interrupted(monkeypatch, tmp_path, capsys):
    """Those that were done are not done again, though their files are there."""
    made = []

    def trial(name, draw):
        if (name, draw) == ("second", 1) and made.count(("second", 1)) == 0:
            made.append((name, draw))
            raise KeyboardInterrupt
        made.append((name, draw))
        return [draw]

    monkeypatch.setattr(
        commands,
        "reproductions",
        lambda: {
            name: commands.Reproduction(
                name,
                trial,
                lambda n, name=name: [(name, i) for i in range(n)],
                lambda found: results.to_csv(training.study.Row, ()),
                lambda found: [],
            )
            for name in ("first", "second")
        },
    )
    command = ["reproduce", "all", "--draws", "2", "--jobs", "1", "--out", str(tmp_path)]
    assert main(command) == 130
    assert made == [("first", 0), ("first", 1), ("second", 0), ("second", 1)]
    assert main(command) == 0
    assert made[4:] == [("second", 1)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.csv", "second.csv"]
    assert capsys.readouterr().err.count("second: 2 of 2 trials") == 1


def test_a_study_of_another_module_is_written_and_printed(tmp_path, capsys):
    out = tmp_path / "distortion.csv"
    assert main(["reproduce", "distortion", "--draws", "2", "--jobs", "1", "--out", str(out)]) == 0
    trials = [mark for axis, draw in label_counts.trials(2) for mark in label_counts.trial(axis, draw)]
    assert out.read_text(encoding="utf-8") == label_counts.to_csv(trials)
    output = capsys.readouterr()
    assert "distortion: 8 of 8 trials" in output.err
    assert output.out.splitlines()[0] == label_counts.TITLE


def test_every_study_can_be_reproduced_under_the_name_of_its_file():
    studies = commands.reproductions()
    assert list(studies) == [*training.study.STUDIES, "llp", "classratio", "distortion", "comparison"]
    assert all(results.shipped(name).exists() for name in studies)


def test_who_has_read_enough_gets_no_complaint():
    process = subprocess.Popen(
        [sys.executable, "-m", "privdemo", "claims"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) in (0, 141)
