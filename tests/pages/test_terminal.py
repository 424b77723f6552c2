"""A page at a terminal: the sentence and the table of a settings file, and a sentence for what cannot be run."""

import csv
import io
import re
import signal
import sys
import threading
import time
from dataclasses import replace

import pytest

from pages import terminal
from pages.kit import setting_file
from pages.kit.setting_file import SettingFile
from pages.topics import PAGES
from privdemo.__main__ import main
from privdemo.experiments import sweep, voting
from privdemo.experiments.voting import ElectionConfig
from privdemo.mechanisms import BinaryChannel, Crosswise, UnrelatedQuestion

POLL = ElectionConfig(500, channel=BinaryChannel(0.3, 0.3), seed=3)
SETTINGS = {"voters": "500", "lie": "0.3", "poll_seed": "3"}
VOTING = setting_file.write("voting", SETTINGS, POLL)
TRAINING = """
page = "training"
experiment = "training"
[settings]
images = "Small digits"
n = 20
draws = 2
training_seed = 11
methods = ["ignore the noise"]
"""
ASKING = [page for page in PAGES if page.chapters]


@pytest.fixture
def run(tmp_path, capsys):
    """Run the command on a file of this text; returns the exit code, what was printed, and what was said of it."""
    file = tmp_path / "mine.toml"

    def run(text, *options):
        file.write_text(text, encoding="utf-8")
        code = main(["run", str(file), *options])
        printed = capsys.readouterr()
        return code, printed.out, printed.err.replace(str(tmp_path) + "/", "")

    return run


def test_the_sentence_is_printed_and_the_table_written(run, tmp_path):
    code, out, err = run(VOTING)
    assert (code, err) == (0, "")
    said, written = out.splitlines()
    start = "To protect people, about 30 % of those asked, picked at random, gave the opposite answer. "
    start += "From 500 simulated answers we "
    assert re.match(re.escape(start) + r"estimate that [0-9.]+ % voted for A \(95 % interval: ", said)
    assert written == f"written to {tmp_path / 'mine.csv'}"
    rows = list(csv.DictReader(io.StringIO((tmp_path / "mine.csv").read_text(encoding="utf-8"))))
    poll = voting.poll(POLL, voting.run(POLL))
    assert [{key: str(value) for key, value in row.items()} for row in voting.poll_table(poll)] == rows
    before = (tmp_path / "mine.csv").read_bytes()
    assert run(VOTING)[0] == 0, "the same table may be written again"
    assert (tmp_path / "mine.csv").read_bytes() == before
    (tmp_path / "other.csv").write_text("experiment,draw\n", encoding="utf-8")
    code, _, err = run(VOTING, "--out", str(tmp_path / "other.csv"))
    assert (code, err) == (1, "privdemo: other.csv holds something else; name another file with --out\n")


@pytest.mark.parametrize(
    ("settings", "channel", "said", "start"),
    [
        ({"lying": "unrelated question", "asks_vote": "0.6"}, UnrelatedQuestion(0.6, 0.25), "yes", "Chance asks 60 %"),
        ({"lying": "same or different", "born": "0.3"}, Crosswise(0.3), "different", "People say only whether two"),
    ],
    ids=["unrelated", "crosswise"],
)
def test_an_innocent_question_is_in_the_file_and_in_what_it_says(run, tmp_path, settings, channel, said, start):
    config = replace(POLL, channel=channel)
    text = setting_file.write("voting", SETTINGS | settings, config)
    code, out, err = run(text)
    assert (code, err) == (0, "")
    assert out.startswith(start)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "mine.csv").read_text(encoding="utf-8"))))
    poll = voting.poll(config, voting.run(config))
    assert sum(int(row["people"]) for row in rows if row["said"] == said) == poll.said_a
    code, _, err = run(text.replace(f"innocent = {channel.innocent}", "innocent = 0.11"))
    assert code == 1
    assert "channel is {" in err


def test_trials_in_the_background_are_waited_for(run, tmp_path):
    code, out, err = run(TRAINING)
    assert code == 0
    assert all(line.startswith("Training on noise: Trial ") for line in err.splitlines()), "on a slow machine"
    assert re.match(
        r"Yes, but .* It names .* of 100 new images correctly .* From these, a computer learned to tell 7 from 9",
        out,
    )
    rows = list(csv.DictReader(io.StringIO((tmp_path / "mine.csv").read_text(encoding="utf-8"))))
    assert {"proba_clean", "proba_naive"} <= set(rows[0]), "what each method says of the images in dispute"


@pytest.mark.mnist
@pytest.mark.parametrize("page", ASKING, ids=lambda page: page.address)
def test_the_question_on_which_a_page_opens_is_the_same_in_its_file(page, mnist, tmp_path):
    question, answer = terminal.run_page(page, SettingFile(page.address))
    assert terminal.text_of(answer.takeaway())
    config = setting_file.config_of(question)
    assert (config is None) == (page.address in ("", "poll", "claims", "advice"))
    path = tmp_path / "setting.toml"
    path.write_text(setting_file.write(page.address, {}, config, 2), encoding="utf-8")
    file = setting_file.read(path.read_bytes(), [page.address for page in PAGES])
    assert setting_file.differences(file, question) == []
    if config is not None:
        assert sweep.read_spec(path).configs == (config,)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            VOTING.replace("\nvoters = 500", "\nvoters = 600"),
            "n_voters is 500 in [config], but the settings make it 600",
        ),
        (VOTING.replace("lie = 0.3", "lie = 0.7"), "the page does not take the settings as they stand: `lie=0.7` was"),
        (VOTING.replace("\nlie = 0.3", "\nlies = 0.3"), "`lies` was ignored: this page has no such setting"),
        (VOTING.replace("channel = 0.3", "channel = 3"), "p10 must be in [0, 1], got 3"),
        (TRAINING + 'second = "7"', "Choose two different digits: 7 cannot be told from 7."),
        ('page = "lectures"', "the page “Lectures” asks no question; take another one"),
        ("page = ", "a setting is TOML, which this file is not: "),
    ],
    ids=lambda text: text[-30:],
)
def test_what_cannot_be_run_gets_one_sentence(run, tmp_path, text, words):
    code, out, err = run(text)
    assert (code, out) == (1, "")
    assert err.startswith("privdemo: mine.toml: ")
    assert words in err
    assert not (tmp_path / "mine.csv").exists()


def test_a_refusal_is_printed_as_text_not_as_markup(run, monkeypatch):
    def refuse(question, trials):
        raise ValueError("it must be < 5")

    page = replace(terminal.page_at("voting"), answer=refuse)
    monkeypatch.setattr(terminal, "page_at", lambda address: page)
    assert run(VOTING)[2] == "privdemo: mine.toml: It must be < 5.\n"


def test_without_mnist_it_says_so(no_mnist, run):
    code, _, err = run('page = "image_noise"\n[settings]\ndata = "MNIST"')
    assert code == 1
    assert re.search(r"^privdemo: Showing scikit-learn's small digits, because MNIST cannot be read: ", err)
    assert "\nprivdemo: mine.toml: the page does not take the settings as they stand: `data=MNIST` was ignored" in err


def test_files_that_are_not_there(run, tmp_path, capsys):
    assert main(["run", "nowhere.toml"]) == 1
    assert capsys.readouterr().err == "privdemo: nowhere.toml: No such file or directory\n"
    for out in (tmp_path, tmp_path / "nowhere" / "x.csv", tmp_path / "mine.toml"):
        code, _, err = run(VOTING, "--out", str(out))
        assert code == 1
        assert err.startswith(
            ("privdemo: --out must be a file in a folder that is there", "privdemo: --out must be another")
        )


def test_ctrl_c_does_not_wait_for_the_page(run, monkeypatch):
    started = time.monotonic()

    def ask(page, setting):
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        time.sleep(20)

    monkeypatch.setattr(terminal, "run_page", ask)
    assert run(VOTING) == (130, "", "privdemo: interrupted; nothing was written\n")
    assert time.monotonic() < started + 10


def test_without_the_app_it_says_so(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "pages", None)
    code, _, err = run(VOTING)
    assert code == 1
    assert err.startswith("privdemo: the app is not here (")
