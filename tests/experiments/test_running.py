"""Random streams of trials, and trials side by side: stored at once, never taken from other code or settings."""

import os
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dask
import numpy as np
import pytest

from privdemo.experiments import cluster, running
from privdemo.experiments.training import TrainingConfig
from privdemo.experiments.trials import generator, stream

CONFIG = TrainingConfig("digits", seed=5, trial=3)


def test_random_streams_are_the_children_of_a_trials_own_seed_sequence():
    root = np.random.SeedSequence(5, spawn_key=(3,))
    children = root.spawn(4)
    for i, child in enumerate(children):
        np.testing.assert_array_equal(stream(CONFIG, i).generate_state(4), child.generate_state(4))
        np.testing.assert_array_equal(generator(CONFIG, i).random(5), np.random.default_rng(child).random(5))
    np.testing.assert_array_equal(stream(CONFIG, 2, 1).generate_state(4), children[2].spawn(2)[1].generate_state(4))


ROOT = Path(__file__).parents[2]


def divmod_of(a, b):
    return divmod(a, b)


def logged(folder, i):
    """A trial that writes down every time it is run."""
    with Path(folder, f"trial {i}").open("a") as log:
        log.write("run\n")
    time.sleep(0.05)
    return i * i


def by_key(trials, function=divmod_of):
    return {running.trial_key(function, arguments): arguments for arguments in trials}


def found(trials, kept, function=divmod_of):
    """What comes out of trials one after the other."""
    arguments, store = by_key(trials, function), running.ResultFolder(kept)
    for _ in running.run_trials(function, arguments, store, 1):
        pass
    return [store[key] for key in arguments]


def test_a_study_goes_on_after_a_real_kill(tmp_path):
    """Killed where nothing can be tidied up: what is done by then is not done again."""
    trials, kept = [(str(tmp_path), i) for i in range(40)], tmp_path / "kept"
    code = f"from tests.experiments.test_running import *; found({trials}, Path({str(kept)!r}), logged)"
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.PIPE)
    while not Path(tmp_path, "trial 2").exists():
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.02)
    process.kill()
    process.communicate()
    whole = [path for path in kept.iterdir() if path.suffix != ".new"]
    assert 2 <= len(whole) < 40
    arguments, store = by_key(trials, logged), running.ResultFolder(kept)
    steps = list(running.run_trials(logged, arguments, store, 1))
    assert steps == [(i, 40) for i in range(len(whole), 41)]
    assert [store[key] for key in arguments] == [i * i for i in range(40)]
    runs = [len(Path(tmp_path, f"trial {i}").read_text().splitlines()) for i in range(40)]
    assert runs == [1] * len(whole) + [runs[len(whole)]] + [1] * (39 - len(whole)), "but the one that was being run"


def test_results_of_other_code_or_other_settings_are_not_reused(tmp_path, monkeypatch):
    assert found([(7, 2), (9, 4)], tmp_path) == [(3, 1), (2, 1)]
    there = running.ResultFolder(tmp_path)
    for file in list(tmp_path.iterdir()):
        there[file.name] = "kept"
    assert found([(7, 2), (8, 4)], tmp_path) == ["kept", (2, 0)]
    monkeypatch.setattr(running, "_code_hash", lambda: "other code")
    assert found([(7, 2)], tmp_path) == [(3, 1)]


def test_a_truncated_result_is_computed_again_and_a_write_that_fails_leaves_no_file(tmp_path, monkeypatch):
    found([(7, 2)], tmp_path)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], b"text"):
        file.write_bytes(damaged)
        assert found([(7, 2)], tmp_path) == [(3, 1)]
        assert file.read_bytes() == whole
    file.unlink()

    def power_cut(*_):
        raise OSError("no power")

    for module, step in ((running.os, "fsync"), (Path, "replace")):
        monkeypatch.setattr(module, step, power_cut)
        with pytest.raises(OSError, match="no power"):
            found([(7, 2)], tmp_path)
        assert not list(tmp_path.iterdir())
        monkeypatch.undo()


def test_a_results_folder_that_another_user_can_write_to_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(running.os, "getuid", lambda: tmp_path.stat().st_uid + 1)
    with pytest.raises(ValueError, match="can be written by somebody else"):
        running.ResultFolder(tmp_path)
    monkeypatch.undo()
    tmp_path.chmod(0o777)
    with pytest.raises(ValueError, match="can be written by somebody else"):
        running.ResultFolder(tmp_path)


def test_the_hash_of_the_code_changes_with_the_code(tmp_path, monkeypatch):
    (tmp_path / "a.py").write_text("x = 1")
    monkeypatch.setattr(running.resources, "files", lambda _: tmp_path)
    before = running._code_hash.__wrapped__()
    (tmp_path / "a.py").write_text("x = 2")
    assert running._code_hash.__wrapped__() != before


def test_only_one_run_holds_the_lock_of_an_output_file(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.csv").symlink_to(tmp_path / "out.csv")
    for same in ("out.csv", "sub/../out.csv", "link.csv"):
        with (
            running.only_one(tmp_path / "out.csv"),
            pytest.raises(ValueError, match="another run is writing"),
            running.only_one(tmp_path / same),
        ):
            pass
    with running.only_one(tmp_path / "out.csv"):
        assert (tmp_path / ".out.csv.lock").exists(), "beside it, where every user and every host finds it"


@pytest.mark.parametrize("out", ["/dev/null", "/dev/zero", "pipe"])
def test_a_device_or_a_pipe_is_no_file_to_write(out, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match=r"--out must be a file, got .*, a device or a pipe"):
        running.check_out(tmp_path / out)


@pytest.mark.parametrize(
    ("out", "words"),
    [
        ("self", "a link that leads back to itself"),
        (250 * "x", "whose name is too long; take a shorter one"),
        (256 * "x", "whose name is too long; take a shorter one"),
        ("taken", r"no lock can be made: .*/\.taken\.lock \(Is a directory\)"),
        ("/proc/o.csv", r"no lock can be made: /proc/\.o\.csv\.lock \(No such file or directory\)"),
    ],
)
def test_an_output_file_that_cannot_be_written_or_locked_is_refused_with_a_sentence(out, words, tmp_path):
    (tmp_path / "self").symlink_to(tmp_path / "self")
    (tmp_path / ".taken.lock").mkdir()
    with pytest.raises(ValueError, match=f"--out must be a file.*{words}"):
        running.only_one(tmp_path / out).__enter__()


@pytest.mark.parametrize("says", [b"", b"SSH-2.0-OpenSSH_9.2\r\n"], ids=["nothing", "something else"])
def test_a_server_that_is_no_dask_scheduler_is_recognised(says, monkeypatch):
    monkeypatch.setattr(cluster, "_SILENCE", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor() as pool:
        answered = pool.submit(lambda: server.accept()[0])
        pool.submit(lambda: answered.result().sendall(says))
        with (
            pytest.raises(ConnectionError, match=r"what answers there is no Dask scheduler.*start one with"),
            running.parallel(1, "dask", f"tcp://127.0.0.1:{server.getsockname()[1]}"),
        ):
            pass
        answered.result().close()


def test_a_scheduler_that_does_not_answer_is_reported_at_once():
    address = "tcp://127.0.0.1:1"
    with (
        pytest.raises(ConnectionError, match=rf"no Dask scheduler answers at {address} \(.*start one with `dask sched"),
        running.parallel(1, "dask", address),
    ):
        pass


@pytest.mark.parametrize("address", ["nowhere", "tcp://127.0.0.1:port", "tls://127.0.0.1:0", "ws://127.0.0.1:8786"])
def test_an_invalid_address_of_a_scheduler_is_refused(address):
    with pytest.raises(ValueError, match=rf"the scheduler must be an address such as tcp://.*; got '{address}'"):
        running.check(1, "dask", address)


@pytest.mark.parametrize("file", ["", "none.pem"])
def test_a_scheduler_that_speaks_tls_needs_certificates(file, monkeypatch):
    there = {"distributed.comm.tls.ca-file": file, "distributed.comm.tls.client.cert": file}
    with (
        dask.config.set(there),
        pytest.raises(ValueError, match=r"needs certificates that .*DISTRIBUTED__COMM__TLS__CA_"),
    ):
        running.check(1, "dask", "tls://127.0.0.1:8786")


def test_bad_settings_are_refused_before_anything_runs():
    with pytest.raises(ValueError, match="backend must be one of loky, dask, got 'ray'"):
        next(running.run_trials(divmod_of, {0: (7, 2)}, {}, 2, "ray"))
