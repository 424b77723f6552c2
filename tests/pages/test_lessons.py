"""Lessons as files: complete without the network, with the app's own JavaScript, and with the package's numbers."""

from __future__ import annotations

import base64
import json
import re
import zlib
from hashlib import sha256

import numpy as np
import pytest

from pages import lessons
from pages.kit import numbers
from pages.lessons import image_dial, show_of_hands, voting
from pages.topics.home.secret import cases
from privdemo import __version__
from privdemo.__main__ import main
from privdemo.estimators import votes
from privdemo.experiments import images, poll, running
from privdemo.experiments import voting as elections
from privdemo.experiments.poll import PollConfig
from privdemo.mechanisms import BinaryChannel
from tests.documents import ROOT

NAMES = list(lessons.LESSONS)
# The files whose JavaScript each lesson runs.
OF_THE_APP = {
    "own_secret.html": ["topics/home/secret/secret.js"],
    "voting.html": ["kit/live_dots/dots.js", "kit/number_control/control.js"],
    "image_dial.html": ["kit/live_dial/files.js", "kit/live_dial/dial.js", "kit/live_dial/guesses.js"],
    "show_of_hands.html": ["topics/poll/reveal/reveal.js", "kit/number_control/control.js"],
}
# What has a browser ask for something, unless the address is the data itself or a part of the page.
ASKING = re.compile(r"""(?:\b(?:src|href|srcset|action|poster)\s*=|url\(|@import)\s*["']?(?!data:|#)([^\s"')>]+)""")
SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def data_of(text):
    """Return what a lesson unpacks."""
    return json.loads(zlib.decompress(base64.b64decode(re.search(r'id="packed">([^<]+)<', text)[1])))


@pytest.fixture
def read(lessons_folder):
    """Return the text of a lesson."""
    return lambda name: (lessons_folder / name).read_text(encoding="utf-8")


def bare(words):
    """Return words without markup and with plain spaces."""
    return re.sub(r"<[^>]*>", "", words).replace("\u00a0", " ")


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_is_a_small_file_that_asks_for_nothing(read, name):
    text = read(name)
    assert len(text.encode()) < 1_000_000
    files = data_of(text)["components"]
    everything = text + "".join(part for one in files.values() for part in one.values())
    assert not [found for found in ASKING.findall(everything) if not found.startswith("${")]
    (script,) = SCRIPT.findall(text)
    hashed = base64.b64encode(sha256(script.encode()).digest()).decode()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert f"default-src 'none'; script-src 'sha256-{hashed}';" in policy
    assert "http" not in policy
    assert not re.search(r"WebSocket|XMLHttpRequest|sendBeacon|EventSource|https?://(?!www\.w3\.org/)", script)
    assert f"A lesson of the Python package privdemo {__version__}." in text


@pytest.mark.parametrize("name", NAMES)
def test_its_components_run_the_javascript_of_the_app(read, name):
    """Comments and indentation are left out of one of them, which the app sends with each number."""
    (script,) = SCRIPT.findall(read(name))
    lines = {line.strip() for line in script.splitlines()}
    for file in OF_THE_APP[name]:
        for line in (ROOT / "pages" / file).read_text(encoding="utf-8").splitlines():
            bare_line = line.strip().replace("export default ", "return ")
            assert not bare_line or bare_line.startswith("//") or bare_line in lines, (file, line)


def test_voting_has_the_estimates_of_the_package_at_every_lie(read):
    data, config = data_of(read("voting.html")), voting.config()
    assert data["values"] == [round(i / 100, 2) for i in range(51)]
    assert data["control"]["value"] in data["values"]
    for lie, words in zip(data["values"], data["words"], strict=True):
        channel = BinaryChannel(lie, lie)
        here = elections.ElectionConfig(config.n_voters, config.share, channel, config.n_elections, config.seed)
        held = elections.poll(here, elections.run(here))
        assert f"{held.said_a:,} said A." in words["people"]
        if channel.contrast:
            best = votes.estimate("spread MLE", held.said_a, held.n_voters, channel).value
            assert f"we estimate that {100 * best:.1f} %" in bare(words["takeaway"])
        of_a, of_b = (round(100 * share) for share in channel.channel_matrix[::-1, 1])
        assert f"Of 100 people who voted A, {of_a} say A. Of 100 who voted B, {of_b} say" in words["epsilon"]


def test_the_dots_of_voting_are_its_people(read):
    data, config = data_of(read("voting.html")), voting.config()
    shown = elections.people(config)
    assert base64.b64decode(data["dots"]["voted"]) == shown.voted_a.tobytes()
    assert base64.b64decode(data["dots"]["uniform"]) == shown.uniform.tobytes()
    results, truth = data["guess"]["results"], 100 * config.share
    assert len(results) == 101
    assert f"You guessed 40 %; it is {truth:.0f} %: 5 points too high." in bare(results[40])


def test_the_image_dial_has_the_senders_and_the_guesses_of_the_package(read):
    data, question = data_of(read("image_dial.html")), image_dial.question()
    levels = [one["dial"]["level"] for one in data["levels"]]
    assert levels[:3] == [0, 0.02, 0.04]
    assert levels[-1] == question.family.limit(question.n_states).high
    assert data["dial"]["levels"] == levels
    assert levels[data["first"]] == question.level
    for i in (0, 20, data["first"], -2, -1):
        found = images.measure(question.curve, levels[i]).linked.mean
        assert (
            f"picks the right sender for {numbers.out_of_100(found)} such images"
            in data["levels"][i]["dial"]["linkingHere"]
        )
        config = images.with_mechanism(question.config, question.family, levels[i])
        guesses = images.guess(config).pictures["low_rank"]
        packed = base64.b64decode(data["levels"][i]["dial"]["guesses"].partition(",")[2])
        np.testing.assert_array_equal(np.frombuffer(packed, np.uint8)[: guesses.size], guesses.ravel())
    assert "CC BY 4.0" in read("image_dial.html")


def test_a_show_of_hands_has_the_estimates_of_the_package_for_all_hands(read):
    ways = data_of(read("show_of_hands.html"))["ways"]
    assert set(ways) == {"Try it with simulated people", "Show of hands"}
    hands, config = ways["Show of hands"], PollConfig(("Yes", "No"), 0.25)
    most = show_of_hands.MOST_HANDS
    rng = np.random.default_rng(0)
    pairs = [(0, 1), (most, most), *(tuple(pair) for pair in rng.integers(1, most + 1, (40, 2)).tolist())]
    for yes, no in pairs:
        first, second = poll.reveal(config, (yes, no)).readings
        sent, estimated = hands["hands"][yes][no].values()
        assert bare(sent["answer"]).startswith(f"{yes} of ")
        assert f"“Yes” is true for {100 * first.estimated.mean:.1f} %" in bare(estimated["answer"])
        shown = hands["pictures"]["Estimated percentages"] | estimated
        for reading, bar in zip((first, second), shown["readings"], strict=True):
            np.testing.assert_allclose(bar["estimated"], reading.estimated, atol=5e-5)
    group = poll.rehearse(config, 200, 78)
    truth = ways["Try it with simulated people"]["chapters"]["Comparison with the truth"]
    assert f"“Yes” is true for {100 * group.shares[0]:.1f} %" in bare(truth["answer"])


def test_your_own_secret_has_the_numbers_of_the_home_page(read):
    shown = data_of(read("own_secret.html"))["secret"]["cases"]
    for case, found in zip(shown, cases(), strict=True):
        assert case["estimate"]["value"] == 100 * found.estimate.mean
        assert bare(case["found"][0]).startswith(f"{found.n_same:,} people sent {found.sent}.")


# --- the command -----------------------------------------------------------------------------------


@pytest.fixture
def few(monkeypatch):
    """Let the command write one lesson alone, which is quick."""
    monkeypatch.setattr(lessons, "LESSONS", {"own_secret.html": lessons.LESSONS["own_secret.html"]})


def test_lessons_are_written_again_and_nothing_else_is_touched(few, tmp_path, capsys):
    folder = tmp_path / "new"
    assert main(["lessons", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert re.fullmatch(rf"{re.escape(str(folder / 'own_secret.html'))}: \d+ kB\n", printed)
    first = (folder / "own_secret.html").read_bytes()
    (folder / "notes.txt").write_text("mine")
    assert main(["lessons", str(folder)]) == 0
    assert (folder / "own_secret.html").read_bytes() == first
    assert sorted(file.name for file in folder.iterdir()) == ["notes.txt", "own_secret.html"]


def test_a_folder_that_cannot_be_used_gets_one_sentence(few, tmp_path, capsys, monkeypatch):
    file, taken = tmp_path / "file", tmp_path / "taken"
    file.write_text("mine")
    taken.mkdir()
    (taken / "own_secret.html").write_text("<!doctype html>mine")
    full = tmp_path / "full"
    (full / "own_secret.html").mkdir(parents=True)
    for folder, words in (
        (file, f"{file} is a file; name a folder for the lessons"),
        (file / "below", f"there is no folder {file}; make it first, or name another one"),
        (tmp_path / "a" / "b", f"there is no folder {tmp_path / 'a'}; make it first, or name another one"),
        (taken, f"{taken / 'own_secret.html'} is something else than a lesson; move it, or name another folder"),
        (full, f"{full / 'own_secret.html'} is something else than a lesson; move it, or name another folder"),
    ):
        assert main(["lessons", str(folder)]) == 1
        assert capsys.readouterr() == ("", f"privdemo: {words}\n")
    assert (taken / "own_secret.html").read_text() == "<!doctype html>mine"

    def refuse(path, content):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(running, "write_whole", refuse)
    assert main(["lessons", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"privdemo: {tmp_path / 'own_secret.html'}: Permission denied\n"
