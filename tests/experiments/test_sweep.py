"""Sweeps: the same numbers anywhere, a file that grows, and nothing lost or done twice after a kill."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from privdemo import __version__
from privdemo.__main__ import main
from privdemo.experiments import class_ratio, comparison, label_proportions, sweep, training
from privdemo.experiments.sweep import Sweep
from privdemo.experiments.training import TrainingConfig
from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse
from privdemo.methods import NAIVE, SPREAD

ROOT = Path(__file__).parents[2]
SPEC = """
experiment = "training"
repeats = 3
[config]
dataset = "digits"
n_train = 30
methods = ["naive"]
[grid]
labels = [0.1, [0.1, 0.3]]
pixels = [0.1, {sigma = 0.3}]
"""


def spec_file(folder: Path, text: str = SPEC) -> Path:
    path = folder / "spec.toml"
    path.write_text(text, encoding="utf-8")
    return path


def numbers(path: Path) -> dict[tuple[str, ...], tuple[str, ...]]:
    """What every trial asked → what came out, without the seconds."""
    rows = sweep.load(path)
    found = {
        tuple(row[name] for name in ("labels", "pixels", "draw")): tuple(v for name, v in row.items() if ": " in name)
        for row in rows
    }
    assert len(found) == len(rows), "a trial was done twice"
    return found


def started(folder: Path, out: Path, rows: int, jobs: int, **how) -> subprocess.Popen:
    """The command as a process of its own, once `rows` trials are in the file."""
    arguments = [str(spec_file(folder)), "--out", str(out), "--jobs", str(jobs)]
    command = [sys.executable, "-m", "privdemo", "sweep", *arguments]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, **how)
    while not out.exists() or len(sweep.load(out)) < rows:
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.02)
    return process


def whole(wanted: Sweep, out: Path, *arguments) -> list[tuple[int, int]]:
    return list(sweep.sweep(wanted, out, *arguments))


@pytest.fixture(scope="module")
def wanted(tmp_path_factory) -> Sweep:
    return sweep.read_spec(spec_file(tmp_path_factory.mktemp("spec")))


@pytest.fixture(scope="module")
def reference(wanted, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("sweep") / "out.csv"
    assert whole(wanted, out, 1) == [(i, 12) for i in range(13)]
    return out


def test_a_spec_is_every_combination_of_its_grid(wanted):
    assert len(set(wanted.configs)) == 4
    assert wanted.configs[0] == TrainingConfig(
        "digits", n_train=30, pixels=RandomisedResponse(0.1, 17), labels=RandomisedResponse(0.1, 2), methods=(NAIVE,)
    )
    assert wanted.configs[-1].labels == BinaryChannel(0.1, 0.3)
    assert wanted.configs[-1].pixels == GaussianNoise(0.3)
    assert [trial.draw for trial in wanted.trials()] == [draw for draw in range(3) for _ in range(4)]


def test_a_row_is_one_trial_with_its_numbers_seconds_and_versions_and_means_are_over_draws(wanted, reference):
    rows = sweep.load(reference)
    assert len(rows) == 12
    for trial, row in zip(wanted.trials(), rows, strict=True):
        draw = training.run(trial)
        assert float(row["naive: accuracy"]) == draw.fits[NAIVE].accuracy
        assert float(row["naive: log_loss"]) == pytest.approx(draw.fits[NAIVE].log_loss, rel=1e-6)
        assert (row["seed"], row["draw"]) == ("0", str(trial.draw))
        assert float(row["seconds"]) > 0
        assert re.match(rf"privdemo {__version__} \([0-9a-f]{{8}}\) python ", row["versions"])
        assert f" numpy {np.__version__} scipy " in row["versions"]
        assert row["problem"] == ""
    assert len(set(numbers(reference).values())) == 12, "other draws and other noise give other numbers"
    asked, found = sweep.summary(rows)[0]
    assert asked["pixels"].startswith("RandomisedResponse")
    accuracy = found["naive: accuracy"]
    assert accuracy.mean == pytest.approx(np.mean([float(row["naive: accuracy"]) for row in rows[::4]]))
    assert accuracy.low < accuracy.mean < accuracy.high
    assert sweep.summary(rows[:4])[0][1] == {}, "of one draw there is no interval"


def test_a_sweep_goes_on_after_a_real_kill_without_repeating_or_losing_a_trial(wanted, reference, tmp_path):
    out = tmp_path / "out.csv"
    process = started(tmp_path, out, 4, 2, start_new_session=True)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    before = sweep.load(out)
    assert 4 <= len(before) < 12
    with out.open("a", encoding="utf-8") as file:
        file.write("training,digits,\"('7', ")  # as if it had been killed while it wrote
    steps = whole(wanted, out)
    assert steps[0] == (len(before), 12), "what is there is not done again"
    assert steps[-1] == (12, 12)
    assert sweep.load(out)[: len(before)] == before
    assert numbers(out) == numbers(reference)
    assert whole(wanted, out) == [(12, 12)], "nothing is left to do"


@pytest.mark.parametrize("written", ['training,"σ ≥ 2"', "σ"])
def test_a_sweep_goes_on_after_an_end_within_a_letter(wanted, reference, tmp_path, written):
    out = tmp_path / "out.csv"
    lines = reference.read_bytes().splitlines(keepends=True)
    for cut in range(1, len(written.encode())):
        out.write_bytes(b"".join(lines[:4]) + written.encode()[:cut])
        assert len(sweep.load(out)) == 3
        assert next(iter(sweep.sweep(wanted, out))) == (3, 12)


def test_an_interrupted_sweep_says_how_to_go_on(tmp_path):
    out = tmp_path / "out.csv"
    # a shell's background jobs ignore SIGINT
    process = started(tmp_path, out, 2, 1, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said.splitlines()[-1].endswith("the trials that are done are in the file; the same command goes on")
    assert "Traceback" not in said
    assert 2 <= len(sweep.load(out)) < 12


def test_a_cluster_that_loses_a_worker_still_does_every_trial(wanted, reference, tmp_path):
    from dask.distributed import LocalCluster

    out = tmp_path / "out.csv"
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        victim = cluster.workers[0].process.pid
        for done, _ in sweep.sweep(wanted, out, backend="dask", scheduler=cluster.scheduler_address):
            if done == 4 and victim:
                os.kill(victim, signal.SIGKILL)
                victim = None
        assert victim is None
    assert numbers(out) == numbers(reference)


def test_a_new_version_of_the_spec_adds_to_the_file(reference, tmp_path):
    out = tmp_path / "out.csv"
    out.write_bytes(reference.read_bytes())
    more = sweep.read_spec(spec_file(tmp_path, SPEC.replace("repeats = 3", "repeats = 4")))
    assert whole(more, out)[:2] == [(12, 16), (13, 16)]
    assert len(numbers(out)) == 16
    fewer = sweep.read_spec(spec_file(tmp_path, SPEC.replace("repeats = 3", "repeats = 1")))
    assert whole(fewer, out) == [(4, 4)]
    assert len(numbers(out)) == 16, "rows of others stay"


def test_a_trial_that_cannot_be_made_says_why_and_the_others_go_on(tmp_path, capsys):
    text = 'experiment = "bags"\nrepeats = 2\n[config]\ndataset = "breast_cancer"\nn_bags = 15\nbag_size = 20\n'
    text += 'methods = ["llp"]\n[grid]\nselection = ["iid", "unconfident"]'
    assert main(["sweep", str(spec_file(tmp_path, text)), "--out", str(tmp_path / "out.csv"), "--jobs", "1"]) == 0
    rows = sweep.load(tmp_path / "out.csv")
    problems = [row["problem"] for row in rows]
    assert [bool(problem) for problem in problems] == [False, True, False, True]
    printed = capsys.readouterr().out
    assert "in 2 trials something could not be made; the first: " + problems[1] in printed
    assert "llp: average F1, threshold half" in printed
    none = spec_file(tmp_path, text.replace('"iid", ', ""))
    assert main(["sweep", str(none), "--out", str(tmp_path / "none.csv"), "--jobs", "1"]) == 1
    assert capsys.readouterr().err.endswith("privdemo: no trial could be made; mend the spec and name another file\n")
    config = comparison.ComparisonConfig(dataset="digits", n_train=60, epsilon=0.1, methods=("set names dirichlet",))
    row = sweep.run_trial("comparison", config)
    assert "set names dirichlet: " in row["problem"]
    assert "set names dirichlet: accuracy" not in row


@pytest.mark.parametrize("name", sweep.EXPERIMENTS)
def test_the_columns_are_known_before_a_trial_runs(name):
    small = {
        "training": TrainingConfig("digits", n_train=40, pixels=RandomisedResponse(0.1, 17), methods=(NAIVE, SPREAD)),
        "bags": label_proportions.BagConfig("breast_cancer", 15, 20, methods=("llp", "mean map")),
        "class_ratio": class_ratio.RatioConfig("breast_cancer", 2, 80, n_test=80, methods=("mmd", "em")),
        "comparison": comparison.ComparisonConfig(
            "share", "digits", n_train=60, methods=("mmd laplace", "naive count")
        ),
    }[name]
    columns = Sweep(name, (small,), 1).columns()
    row = sweep.run_trial(name, small)
    assert sorted(row) == sorted(columns)
    assert all(row[column] for column in columns if column != "problem")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("experiment = ", "is not TOML: "),
        ("", "experiment must be one of training, bags, class_ratio, comparison, got None"),
        (SPEC + "[other]\nx = 1", "may hold experiment, repeats, config and grid, got other"),
        (SPEC.replace("n_train = 30", "n_train = 0"), "n_train must be "),
        (SPEC.replace("n_train = 30", "people = 30"), "config and grid may hold dataset, classes, n_train, "),
        (SPEC.replace("n_train = 30", "draw = 3"), "draw counts the repeats and is not set; set repeats"),
        (SPEC.replace("labels = [0.1, [0.1, 0.3]]", "labels = 0.1"), "labels in grid must be a list of one or more"),
        (SPEC.replace("[0.1, [0.1", "[1.2, [0.1"), "flip_prob must be"),
        (SPEC.replace("[grid]\n", "[grid]\nn_train = [3]\n"), "n_train must stand in config or in grid, not in both"),
        ('experiment = "bags"\nconfig = 3', "config must be a table, such as [config], got 3"),
    ],
)
def test_a_wrong_spec_gets_a_sentence(tmp_path, capsys, text, words):
    path = spec_file(tmp_path, text)
    assert main(["sweep", str(path), "--out", str(tmp_path / "out.csv")]) == 1
    said = capsys.readouterr().err
    assert said.startswith("privdemo: ")
    assert words in said
    assert len(said.splitlines()) == 1
    assert not (tmp_path / "out.csv").exists()


def test_a_file_of_something_else_is_left_alone(wanted, reference, tmp_path):
    out = tmp_path / "out.csv"
    for text in ("my,other,table\n" + "1,2,3\n" * 99, "x"):
        out.write_text(text)
        with pytest.raises(ValueError, match="name another file"):
            whole(wanted, out)
        assert out.read_text() == text
    other = sweep.read_spec(spec_file(tmp_path, SPEC.replace('["naive"]', '["naive", "spread"]')))
    out.write_bytes(reference.read_bytes())
    with pytest.raises(ValueError, match="another sweep's table"):
        whole(other, out)
    assert out.read_bytes() == reference.read_bytes()


def test_two_sweeps_do_not_write_one_file(wanted, tmp_path):
    first = sweep.sweep(wanted, tmp_path / "out.csv", 1)
    next(first)
    with pytest.raises(ValueError, match="another run is writing"):
        whole(wanted, tmp_path / "out.csv", 1)
    first.close()
    assert whole(wanted, tmp_path / "out.csv", 1)[-1] == (12, 12)
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
