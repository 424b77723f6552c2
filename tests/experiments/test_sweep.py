"""Sweeps: the same numbers anywhere, a file that grows, and nothing lost or done twice after a kill."""

import errno
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from privdemo import __version__
from privdemo.__main__ import main
from privdemo.experiments import class_ratio, comparison, label_counts, label_proportions, sweep, voting
from privdemo.experiments.many_answers import AnswersConfig, AttackedConfig
from privdemo.experiments.sweep import ImagesConfig, Sweep
from privdemo.experiments.sweep.catalogue import range_of
from privdemo.experiments.training import TrainingConfig
from privdemo.mechanisms import BinaryChannel, GaussianNoise, LaplaceNoise, RandomisedResponse
from privdemo.methods import NAIVE, SPREAD

ROOT = Path(__file__).parents[2]
SPEC = """
experiment = "class_ratio"
repeats = 10
[config]
dataset = "breast_cancer"
n_classes = 2
set_size = 20
n_test = 20
methods = ["mmd"]
[grid]
rho = [0.1, 0.2]
release = ["none", "laplace tight"]
"""
TRAINING = """
experiment = "training"
[config]
dataset = "digits"
n_train = 30
methods = ["naive"]
[grid]
labels = [0.1, [0.1, 0.3]]
pixels = [0.1, {sigma = 0.3}]
"""


def spec_file(folder, text=SPEC):
    path = folder / "spec.toml"
    path.write_text(text, encoding="utf-8")
    return path


def numbers(path):
    """What every trial asked → what came out, without the seconds."""
    rows = sweep.load(path)
    columns = ("rho", "release", "draw")
    found = {tuple(row[name] for name in columns): (row["mmd: L1 error"], row["distortion"]) for row in rows}
    assert len(found) == len(rows), "a trial was done twice"
    return found


def whole(wanted, out):
    return list(sweep.sweep(wanted, out, 1))


@pytest.fixture(scope="module")
def wanted(tmp_path_factory):
    return sweep.read_spec(spec_file(tmp_path_factory.mktemp("spec")))


@pytest.fixture(scope="module")
def reference(wanted, tmp_path_factory):
    out = tmp_path_factory.mktemp("sweep") / "out.csv"
    assert whole(wanted, out) == [(i, 40) for i in range(41)]
    return out


def test_a_spec_is_every_combination_of_its_grid(wanted, tmp_path):
    configs = sweep.read_spec(spec_file(tmp_path, TRAINING)).configs
    assert len(set(configs)) == 4
    flips = {"pixels": RandomisedResponse(0.1, 17), "labels": RandomisedResponse(0.1, 2)}
    assert configs[0] == TrainingConfig("digits", n_train=30, methods=(NAIVE,), **flips)
    assert (configs[-1].labels, configs[-1].pixels) == (BinaryChannel(0.1, 0.3), GaussianNoise(0.3))
    assert [trial.trial for trial in wanted.trials()] == [trial for trial in range(10) for _ in range(4)]


def test_a_row_is_one_trial_with_its_numbers_seconds_and_versions_and_means_are_over_trials(wanted, reference):
    rows = sweep.load(reference)
    for trial, row in zip(wanted.trials(), rows, strict=True):
        made = class_ratio.run(trial)
        assert float(row["mmd: L1 error"]) == pytest.approx(np.mean(made.fits["mmd"].errors), rel=1e-6)
        assert float(row["distortion"]) == made.distortion
        assert (row["seed"], row["draw"], row["problem"]) == ("0", str(trial.trial), "")
        assert float(row["seconds"]) > 0
        assert re.match(rf"privdemo {__version__} \([0-9a-f]{{8}}\) python ", row["versions"])
        assert f" numpy {np.__version__} scipy " in row["versions"]
    assert len(set(numbers(reference).values())) == 40, "other trials and other noise give other numbers"
    settings, found = sweep.summary(rows)[0]
    assert (settings["rho"], settings["release"]) == ("0.1", "none")
    error = found["mmd: L1 error"]
    assert error.mean == pytest.approx(np.mean([float(row["mmd: L1 error"]) for row in rows[::4]]))
    assert error.low < error.mean < error.high
    assert sweep.summary(rows[:4])[0][1] == {}, "of one trial there is no interval"


def test_a_sweep_goes_on_after_a_real_kill_without_repeating_or_losing_a_trial(wanted, reference, tmp_path):
    out = tmp_path / "out.csv"
    command = [sys.executable, "-m", "privdemo", "sweep", str(spec_file(tmp_path)), "--out", str(out), "--jobs", "1"]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    while not out.exists() or out.read_bytes().count(b"\n") < 5:  # the names of the columns, and four rows
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.02)
    process.kill()
    process.communicate()
    before = sweep.load(out)
    assert 4 <= len(before) < 40
    with out.open("a", encoding="utf-8") as file:
        file.write("class_ratio,breast_c")  # as if it had been killed while it wrote
    steps = whole(wanted, out)
    assert (steps[0], steps[-1]) == ((len(before), 40), (40, 40)), "what is there is not done again"
    assert sweep.load(out)[: len(before)] == before
    assert numbers(out) == numbers(reference)
    assert whole(wanted, out) == [(40, 40)], "nothing is left to do"


def test_a_sweep_goes_on_after_an_end_within_a_letter(wanted, reference, tmp_path):
    out = tmp_path / "out.csv"
    lines, written = reference.read_bytes().splitlines(keepends=True), 'class_ratio,"σ ≥ 2"'.encode()
    for cut in range(1, len(written)):
        out.write_bytes(b"".join(lines[:4]) + written[:cut])
        assert len(sweep.load(out)) == 3
        assert next(iter(sweep.sweep(wanted, out))) == (3, 40)


@pytest.mark.parametrize(
    ("code", "advice"),
    [(errno.ENOSPC, "free some space there, and "), (errno.EROFS, "make that possible, and ")],
    ids=["full", "read-only"],
)
def test_a_disk_that_cannot_be_written_to_is_said_with_its_file_and_nothing_is_lost(
    wanted, reference, tmp_path, monkeypatch, capsys, code, advice
):
    rows, onto_disk = iter(range(3)), os.fsync

    def fsync(file):
        """Fail within the third row."""
        if next(rows) == 2:
            os.ftruncate(file, os.fstat(file).st_size - 20)
            raise OSError(code, os.strerror(code))
        onto_disk(file)

    out = tmp_path / "out.csv"
    monkeypatch.setattr(os, "fsync", fsync)
    assert main(["sweep", str(spec_file(tmp_path)), "--out", str(out), "--jobs", "1"]) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith(f"privdemo: {out} cannot be written ({os.strerror(code)}); {advice}")
    monkeypatch.undo()
    assert whole(wanted, out)[0] == (2, 40)
    assert numbers(out) == numbers(reference)


def test_a_table_that_excel_has_saved_is_the_same_sweep(wanted, reference, tmp_path):
    out = tmp_path / "out.csv"
    out.write_bytes(b"\xef\xbb\xbf" + b"".join(reference.read_bytes().replace(b"\n", b"\r\n").splitlines(True)[:-1]))
    assert whole(wanted, out) == [(39, 40), (40, 40)]
    assert numbers(out) == numbers(reference)


def test_a_cluster_that_loses_a_worker_still_does_every_trial(wanted, reference, tmp_path):
    import dask
    from dask.distributed import LocalCluster

    out = tmp_path / "out.csv"
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "spawn"}),  # a fork of many threads may hang
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
    ):
        victim = cluster.workers[0].process.pid
        for done, _ in sweep.sweep(wanted, out, backend="dask", scheduler=cluster.scheduler_address):
            if done == 4:
                os.kill(victim, signal.SIGKILL)
    assert numbers(out) == numbers(reference)


def test_a_new_version_of_the_spec_adds_to_the_file(reference, tmp_path):
    out = tmp_path / "out.csv"
    out.write_bytes(reference.read_bytes())
    for repeats, steps in ((11, [(40, 44), (41, 44)]), (1, [(4, 4)])):
        other = sweep.read_spec(spec_file(tmp_path, SPEC.replace("repeats = 10", f"repeats = {repeats}")))
        assert whole(other, out)[:2] == steps
        assert len(numbers(out)) == 44, "rows of others stay"


def test_a_trial_that_cannot_be_made_says_why_and_the_others_go_on(tmp_path, capsys):
    def printed(text, name):
        arguments = ["sweep", str(spec_file(tmp_path, text)), "--out", str(tmp_path / name), "--jobs", "1"]
        return main(arguments), capsys.readouterr()

    text = SPEC.replace("repeats = 10", "repeats = 2").replace("[0.1, 0.2]", "[0.1]")
    text = text.replace("laplace tight", "gaussian tight").replace("[grid]", "delta = 0.0\n[grid]")
    code, output = printed(text, "out.csv")
    problems = [row["problem"] for row in sweep.load(tmp_path / "out.csv")]
    assert (code, [bool(problem) for problem in problems]) == (0, [False, True, False, True])
    assert "2 trials could not be made in full; the first: " + problems[1] in output.out
    code, output = printed(text.replace('"none", ', ""), "none.csv")
    assert code == 1
    assert output.err.endswith("privdemo: no trial could be made; correct the spec and name another file\n")


def test_more_classes_than_two_have_a_lie_about_as_many():
    config = sweep.make("training", {"dataset": "digits", "classes": ["3", "8", "5"], "n_train": 20})
    assert config.labels == RandomisedResponse(0.2, 3)
    assert sweep.EXPERIMENTS["training"].make(sweep.EXPERIMENTS["training"].plain_values(config)) == config
    row = sweep.run_trial("training", replace(config, methods=(NAIVE,)))
    assert 0.3 < float(row["naive: accuracy"]) <= 1


SMALL = {
    "training": TrainingConfig("digits", n_train=20, pixels=RandomisedResponse(0.1, 17), methods=(NAIVE, SPREAD)),
    "bags": label_proportions.BagConfig("breast_cancer", 5, 8, methods=("llp", "mean map")),
    "class_ratio": class_ratio.RatioConfig("breast_cancer", 2, 80, n_test=80, methods=("mmd", "em")),
    "comparison": comparison.ComparisonConfig("share", "digits", n_train=60, methods=("mmd laplace", "naive count")),
    "voting": voting.ElectionConfig(50, n_elections=3, channel=BinaryChannel(0.1, 0.2)),
    "images": ImagesConfig("digits", pixels=LaplaceNoise(0.3), n_people=60, n_candidates=10),
    "many_answers": AnswersConfig(k=4, people=50),
    "disobedience": voting.DisobeyedConfig(50, n_elections=3, channel=BinaryChannel(0.1, 0.2), part=0.2),
    "attackers": AttackedConfig(k=4, people=50, part=0.2),
    "label_counts": label_counts.CountConfig((20, 30), releases=("laplace tight", "dirichlet public"), n_min=20),
}


@pytest.mark.parametrize("name", sweep.EXPERIMENTS)
def test_the_columns_are_known_before_a_trial_runs(name):
    wanted = Sweep(name, (SMALL[name],), 2)
    columns = wanted.columns()
    row, other = (sweep.run_trial(name, trial) for trial in wanted.trials())
    assert sorted(row) == sorted(columns)
    assert (row["draw"], other["draw"]) == ("0", "1")
    assert sweep.numbers([row]) != sweep.numbers([other]), "another trial has other random numbers"
    assert all(row[column] for column in columns if column != "problem")
    assert all(
        low <= value <= high for mark, (value,) in sweep.numbers([row]).items() for low, high in [range_of(mark)]
    )


@pytest.mark.parametrize("k", [1, 2])
def test_numbers_that_the_settings_do_not_give_are_no_fault_of_a_trial(k, tmp_path):
    """With groups there is no threshold by the share, without them no method that learns from labels of groups."""
    wanted = Sweep("bags", (replace(SMALL["bags"], aggregation="random-k", k=k, methods=("labelled", "llp")),), 1)
    whole(wanted, tmp_path / "out.csv")
    (row,) = sweep.load(tmp_path / "out.csv")
    assert not row["problem"]
    assert any(row[name] == "" for name in wanted.columns()[:-1])
    assert whole(wanted, tmp_path / "out.csv")[0] == (1, 1), "it goes on"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("experiment = ", "a spec is TOML, which this file is not: "),
        (SPEC.replace("n_test = 20", "people = 20"), "config and grid may hold dataset, n_classes, set_size, "),
        (SPEC.replace("rho = [0.1, 0.2]", "rho = 0.1"), "rho in grid must be a list of one or more"),
        (TRAINING.replace("[0.1, [0.1", "[1.2, [0.1"), "flip_prob must be"),
        (TRAINING.replace('["naive"]', "3"), "methods must be a list of texts, such as"),
        ('experiment = "training"\n[config]\nclasses = [7, 9]', "classes must be a list of texts, such as"),
        (
            'experiment = "label_counts"\n[config]\ncounts = ["a"]',
            "counts must be a list of whole numbers, such as [50",
        ),
        ('experiment = "bags"\n[config]\ndataset = 3', "dataset must be a text, such as"),
        ('experiment = ["training"]', "experiment must be one of training, bags, "),
        ("n" + ".n" * 20000 + " = 1", "a spec may have 20 tables within one another"),
        (SPEC + "x = " + "[" * 9000, "a spec may have 20 tables within one another"),
        (SPEC + "#" * 64_000, "a spec may have 64,000 bytes"),
        (SPEC + f"seed = {list(range(3000))}\ncopies = {list(range(300))}", "trials must be a whole number in ["),
    ],
    ids=lambda value: value[:20],
)
def test_a_wrong_spec_gets_a_sentence(tmp_path, capsys, text, words):
    assert main(["sweep", str(spec_file(tmp_path, text)), "--out", str(tmp_path / "out.csv")]) == 1
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("privdemo: ")
    assert words in said
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
@pytest.mark.parametrize("command", ["sweep", "run"])
def test_a_pipe_is_no_spec(tmp_path, capsys, command):
    path = tmp_path / "spec.toml"
    os.mkfifo(path)
    assert main([command, str(path), "--out", str(tmp_path / "out.csv")]) == 1
    assert capsys.readouterr().err == f"privdemo: {path}: it must be a file, not a device or a pipe\n"


VALUES = ["0.1", "-1", "nan", "inf", "9" * 30, "true", '"x"', '"mnist"', '"\\u001b[31m"', "1979-05-27", "[]", "{}"]


def random_value(rng, depth=0):
    """Anything that TOML can say, most of it no value of a config."""
    kind = rng.random()
    if kind < 0.6 or depth > 3:
        return rng.choice(VALUES)
    inner = [random_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind < 0.8:
        return f"[{', '.join(inner)}]"
    return f"{{{', '.join(f'{key} = {value}' for key, value in zip(('sigma', 'laplace', 'n'), inner, strict=False))}}}"


def random_spec(rng):
    """A spec as somebody might write it who knows the names, and nothing of their values."""
    name = rng.choice(list(sweep.EXPERIMENTS))
    there = {field.name for field in fields(sweep.EXPERIMENTS[name].config)}
    known = [*sorted(there - {"dataset"}), "people", '""']
    lines = [f"experiment = {json.dumps(name) if rng.random() < 0.9 else random_value(rng)}"]
    lines += [f"repeats = {random_value(rng)}"] if rng.random() < 0.2 else []
    for table in ("config", "grid"):
        lines.append(f"[{table}]")
        lines += ['dataset = "digits"'] if table == "config" and "dataset" in there else []
        for key in rng.sample(known, rng.randrange(3)):
            value = random_value(rng)
            lines.append(f"{key} = {value if table == 'config' or rng.random() < 0.1 else f'[{value}, 0.2]'}")
    text = "\n".join(lines)
    place = rng.randrange(len(text))
    return text if rng.random() < 0.9 else text[:place] + rng.choice('"[\0={.') + text[place:]


def test_no_spec_ends_in_anything_but_a_sentence(tmp_path):
    rng, refusals = random.Random(0), []
    for _ in range(200):
        path = spec_file(tmp_path, random_spec(rng))
        try:
            wanted = sweep.read_spec(path)
        except ValueError as error:
            refusals.append(str(error))
        else:
            assert wanted.columns()
    assert 100 < len(refusals) < 200
    assert all(words.isprintable() and len(words) < 1000 for words in refusals)


def test_a_file_of_something_else_is_left_alone(wanted, reference, tmp_path):
    out = tmp_path / "out.csv"
    other = sweep.read_spec(spec_file(tmp_path, SPEC.replace('["mmd"]', '["mmd", "spread"]')))
    for asked, content, words in (
        (wanted, b"my,other,table\n" + b"1,2,3\n" * 99, "name another file"),
        (wanted, b"x", "name another file"),
        (wanted, reference.read_bytes().replace(b",", b"\r", 1), "line 1 is no line of CSV .*; name another file"),
        (other, reference.read_bytes(), "another sweep's table"),
    ):
        out.write_bytes(content)
        with pytest.raises(ValueError, match=words):
            whole(asked, out)
        assert out.read_bytes() == content


def test_two_sweeps_do_not_write_one_file(wanted, tmp_path):
    first = sweep.sweep(wanted, tmp_path / "out.csv", 1)
    next(first)
    with pytest.raises(ValueError, match="another run is writing"):
        whole(wanted, tmp_path / "out.csv")
    first.close()
    assert whole(wanted, tmp_path / "out.csv")[-1] == (40, 40)
    (tmp_path / "other.csv").hardlink_to(tmp_path / "out.csv")
    with pytest.raises(ValueError, match=r"other\.csv has a second name \(a hard link\)"):
        whole(wanted, tmp_path / "other.csv")
