"""A real server, asked by a telephone that is another computer of its network."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.conftest import ROOT, missing

NETWORK = ["unshare", "--map-root-user", "--net"]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What each request got before a poll was opened to the room, meanwhile, and after it was closed."""
    if not all(map(shutil.which, ("unshare", "nsenter", "ip"))):
        missing("no networks of their own here: unshare, nsenter or ip is not there")
    if subprocess.run([*NETWORK, "true"], capture_output=True, check=False).returncode:
        missing("no networks of their own here: the system does not allow it")
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path_factory.mktemp("polls"))}
    command = [*NETWORK, sys.executable, "-m", "tests.server.room_network"]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, timeout=120, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


ALLOWED = {"its page": 200, "its state": 200, "another poll": 404, "no poll": 404, "a box for a code": 200}
BY_THE_ROUTE = {"an answer": 200, "an answer of another site": 403}


def test_the_server_finds_its_address_and_reaches_itself_there(found):
    assert found["addresses"] == ["192.168.77.1"]
    assert (found["asked itself"], found["reached by itself"]) == ("", False)


@pytest.mark.parametrize("when", ["before", "closed"])
def test_everything_is_refused_before_and_after(found, when):
    assert set(found[when].values()) == {421}


def test_meanwhile_the_pages_of_the_poll_are_answered_and_everything_else_is_refused(found):
    got = dict(found["open"])
    for name, status in (ALLOWED | BY_THE_ROUTE).items():
        assert (name, got.pop(name)) == (name, status)
    assert "a connection" in got
    assert set(got.values()) == {421}
    assert found["counted"] == [[1, 0]]


def test_the_telephone_is_noticed(found):
    assert found["reached"] is True
