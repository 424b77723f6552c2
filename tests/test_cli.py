"""The command line: what it prints, and the exit code."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from privdemo import datasets
from privdemo.__main__ import main
from privdemo.datasets import files


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
    ],
)
def test_wrong_usage_is_exit_code_2(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--help"], ["data", "--help"]])
def test_help_teaches_by_example(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 0
    printed = capsys.readouterr().out
    assert "python -m privdemo data mnist" in printed
    assert "PRIVDEMO_DATA" in printed


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
