"""Which polls are open to the room, under which host and until when."""

import pytest

from server.room import Room

HOST = "192.168.1.20"


@pytest.fixture
def room(clock):
    return Room(clock)


def test_a_poll_is_open_under_its_own_host_and_no_other(room):
    assert not room.is_host(HOST)
    room.open("BCDFG", HOST, 8501, 60, ())
    assert room.is_host(HOST)
    assert room.is_open("BCDFG", HOST)
    for code, host in (("BCDFH", HOST), ("BCDFG", "192.168.1.21"), ("BCDFG", ""), ("", HOST)):
        assert not room.is_open(code, host)
    assert not room.is_host("192.168.1.2")
    assert not room.is_host("")


def test_what_is_closed_is_closed_and_other_polls_stay_open(room):
    room.open("BCDFG", HOST, 8501, 60, ())
    room.open("BCDFH", HOST, 8501, 60, ())
    room.close("BCDFG")
    room.close("ZZZZZ")
    assert (room.opened("BCDFG"), room.is_open("BCDFG", HOST)) == (None, False)
    assert room.is_open("BCDFH", HOST)
    room.close("BCDFH")
    assert not room.is_host(HOST)


def test_a_poll_that_expires_is_closed_to_the_room(room, clock):
    room.open("BCDFG", HOST, 8501, 60, ())
    clock.now += 59.9
    assert room.is_open("BCDFG", HOST)
    clock.now += 0.2
    assert not room.is_host(HOST)
    assert room.opened("BCDFG") is None


def test_a_poll_that_is_opened_at_another_address_leaves_the_first(room):
    room.open("BCDFG", HOST, 8501, 60, ())
    room.open("BCDFG", "[fd00::2]", 80, 60, ())
    assert not room.is_host(HOST)
    assert room.opened("BCDFG").site == "http://[fd00::2]"


def test_a_telephone_is_whoever_comes_from_another_computer_and_only_that_there_was_one_is_kept(room):
    room.open("BCDFG", HOST, 8501, 60, {HOST, "127.0.0.1"})
    room.note_visit("BCDFG", HOST)
    room.note_visit("BCDFG", "127.0.0.1")
    room.note_visit("ZZZZZ", "192.168.1.33")
    assert not room.opened("BCDFG").is_reached
    room.note_visit("BCDFG", "192.168.1.33")
    assert room.opened("BCDFG").is_reached
    assert "192.168.1.33" not in repr(vars(room))
