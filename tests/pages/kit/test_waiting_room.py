"""Where there are too many visits newcomers wait, in their order."""

import pytest
from starlette.responses import PlainTextResponse

from pages.kit.waiting_room import GONE, WaitingRoom
from privdemo import limits
from tests.pages.kit.asking import ask


class Now:
    visits, seconds = 0, 0.0


@pytest.fixture
def now(monkeypatch):
    monkeypatch.setattr(limits, "VISITS", limits.Limit("visits", 1, 10))
    monkeypatch.setattr(limits, "WAITING", limits.Limit("waiting", 1, 3))
    return Now()


@pytest.fixture
def room(now):
    return WaitingRoom(PlainTextResponse("a page"), {"voting"}.copy, lambda: now.visits, lambda: now.seconds)


def come(room, name):
    answer = ask(room, "/voting", cookie=f"privdemo_waits={name}")
    return "in" if answer.status == 200 else int(answer.text.split("You are number ")[1].split(" ")[0])


def test_up_to_the_bound_everybody_comes_in(room, now):
    now.visits = 9
    assert come(room, "a") == "in"
    now.visits = 10
    assert come(room, "b") == 1


def test_who_waits_longest_comes_in_first(room, now):
    now.visits = 10
    assert [come(room, name) for name in "abc"] == [1, 2, 3]
    now.visits = 9
    assert [come(room, name) for name in "ba"] == [2, "in"]


def test_who_has_gone_away_holds_nobody_up(room, now):
    now.visits = 10
    come(room, "a")
    now.seconds, now.visits = GONE, 9
    assert come(room, "b") == "in"


def test_more_than_can_be_counted_wait_as_well(room, now):
    now.visits = 10
    assert [come(room, name) for name in "abcdea"] == [1, 2, 3, 4, 4, 1]


def test_the_light_page_tries_again_and_files_are_sent_to_all(room, now):
    now.visits = 10
    waiting = ask(room, "/voting")
    assert (waiting.status, waiting.headers["refresh"]) == (503, "5")
    assert "10 people" in waiting.text
    assert ask(room, "/static/js/x.js").text == "a page"
