"""No more scripts run at once than there are slots, and each gets one."""

import threading

import pytest

from server import script_slots
from tests.working import until


@pytest.fixture(autouse=True)
def two_cores(monkeypatch):
    monkeypatch.setattr(script_slots, "_SLOTS", script_slots.FairSemaphore(2))


def most_at_once(work):
    """Return how many of ten threads were within `work(inside)` at once, and how many completed it."""
    now, most, ended, lock = [0], [0], [], threading.Lock()

    def inside(change):
        with lock:
            now[0] += change
            most[0] = max(most[0], now[0])

    def run():
        work(inside)
        ended.append(1)

    threads = [threading.Thread(target=run) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    return most[0], len(ended)


def render(inside):
    inside(1)
    threading.Event().wait(0.01)
    inside(-1)


def test_ten_pages_are_rendered_two_at_a_time():
    assert most_at_once(script_slots.in_script_slot(render)) == (2, 10)


def test_a_fragment_is_rendered_in_the_slot_of_its_page():
    assert most_at_once(script_slots.in_script_slot(script_slots.in_script_slot(render))) == (2, 10)


def test_a_page_that_waits_leaves_its_slot_to_others():
    def waiting(inside):
        with script_slots.without_slot():
            render(inside)

    all_wait = threading.Barrier(10, timeout=10)
    most, ended = most_at_once(script_slots.in_script_slot(lambda inside: (waiting(inside), waits(all_wait))))
    assert (most > 2, ended) == (True, 10)


def waits(barrier):
    with script_slots.without_slot():
        barrier.wait()


def test_a_page_that_fails_gives_its_turn_back():
    def fails(inside):
        raise ValueError("broken")

    for _ in range(5):
        with pytest.raises(ValueError, match="broken"):
            script_slots.in_script_slot(fails)(None)
    assert most_at_once(script_slots.in_script_slot(render)) == (2, 10)


@pytest.mark.parametrize("come_back", ["in a slot of its own", "after a pause"])
def test_who_comes_back_at_once_waits_behind_those_who_wait(monkeypatch, come_back):
    monkeypatch.setattr(script_slots, "_SLOTS", script_slots.FairSemaphore(1))
    order, others = (
        [],
        [threading.Thread(target=script_slots.in_script_slot(lambda: order.append("other"))) for _ in range(3)],
    )
    with script_slots.script_slot():
        for other in others:
            other.start()
        until(lambda: len(script_slots._SLOTS._waiting) == 3)
        if come_back == "after a pause":
            with script_slots.without_slot():
                pass
            order.append("back")
    with script_slots.script_slot():
        order.append("back")
    for other in others:
        other.join(10)
    assert order[:4] == ["other"] * 3 + ["back"]
