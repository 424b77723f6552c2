"""Which data sets can be shown, and which results are cached for all visitors or for one."""

import gzip
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import streamlit as st

from pages.kit import cache
from privdemo.experiments import cluster, running
from privdemo.jobs import Runner
from privdemo.mechanisms import BinaryChannel
from server import server_settings
from tests.pages.kit.elements import opened


@pytest.fixture(autouse=True)
def _forget():
    cache.clear()
    yield
    cache.clear()


def test_images_that_are_here_have_no_problem(mnist):
    assert cache.problem("mnist") is None
    assert cache.image_titles() == ("MNIST", "Small digits")


def test_without_mnist_it_is_said_how_to_get_it_unless_a_folder_is_set(no_mnist, monkeypatch, tmp_path):
    assert "Run `python -m privdemo data mnist`" in cache.problem("mnist")
    assert cache.image_titles() == ("Small digits",)
    assert cache._problem(object()) is None
    monkeypatch.setenv("PRIVDEMO_DATA", str(tmp_path))
    assert "mnist" in cache._problem("mnist")
    assert "Run `python -m" not in cache._problem("mnist")


@pytest.mark.parametrize("damage", ["truncated", "wrong"])
def test_a_bad_file_of_mnist_is_named(data_folder, monkeypatch, tmp_path, damage):
    file = tmp_path / "mnist/t10k-labels-idx1-ubyte.gz"
    shutil.copytree(data_folder / "mnist", file.parent)
    file.write_bytes(file.read_bytes()[:-20] if damage == "truncated" else gzip.compress(b"something else"))
    monkeypatch.setenv("PRIVDEMO_DATA", str(tmp_path))
    assert file.name in cache.problem("mnist")
    assert cache.image_titles() == ("Small digits",)


CHOICE = """
import streamlit as st
from pages.kit import own_data_input, values
from pages.kit.data_sets import DataSets
from privdemo.tasks import BINARY

data = DataSets("on", {name: BINARY[name] for name in ("mnist", "breast_cancer", "adult")})
values.enter("page", lambda given: [data.choice])
own_data_input.choose_records(data)
now = values.here()
st.session_state["found"] = data.choice.options, data.choice.default, data.source(now), data.problem(now)
"""


def test_the_data_sets_on_this_computer_are_offered_and_the_others_named(no_mnist):
    at = opened(CHOICE, {"on": "Adult"})
    assert at.session_state["found"] == (("Breast cancer",), "Breast cancer", "breast_cancer", "")
    assert [words.value for words in at.caption if "Not on this" in words.value] == [
        "Not on this computer: mnist, adult. `python -m privdemo data all` fetches them."
    ]


def test_a_data_set_that_cannot_be_read_is_named(data_folder, monkeypatch):
    monkeypatch.setattr(cache, "problem", lambda name: f"{name} is broken")
    for link, source, words in (
        ({}, "mnist", "MNIST cannot be read: mnist is broken"),
        ({"on": "Adult"}, "adult", "Adult cannot be read: adult is broken"),
    ):
        at = opened(CHOICE, link)
        assert at.session_state["found"][2:] == (source, words)
        assert not [caption for caption in at.caption if "Not on this" in caption.value]


def test_another_data_set_is_chosen_on_the_page(data_folder):
    at = opened(CHOICE)
    at.get("button_group")[0].set_value("Breast cancer").run()
    assert at.session_state["found"][2:] == ("breast_cancer", "")


def test_results_are_kept_for_all_but_those_of_own_records(monkeypatch):
    calls = []
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(cache.own_data, "is_own", lambda value: value == "mine")

    def found(one: str, two: str) -> str:
        calls.append(two)
        return one + two

    kept = cache.shared_or_private(found)
    assert kept.__name__ == "found"
    assert [kept("a", who) for who in ("all", "all", "mine", "mine")] == ["aall", "aall", "amine", "amine"]
    assert calls == ["all", "mine"]
    assert list(st.session_state["own_results"]) == [(f"{__name__}.{found.__qualname__}", "a", "mine")]


def test_the_results_used_longest_ago_make_room_and_old_ones_are_computed_anew(monkeypatch):
    now, calls = [0.0], []
    monkeypatch.setattr(cache.time, "monotonic", lambda: now[0])
    kept = cache.shared(lambda n: calls.append(n) or n, max_entries=2, ttl=10.0)
    for n in (1, 2, 1, 3, 1, 2):
        assert kept(n) == n
    assert calls == [1, 2, 3, 2]
    now[0] = 9.0
    kept(1)
    now[0] = 10.0
    assert kept(1) == 1
    assert calls == [1, 2, 3, 2, 1]


def test_a_result_is_computed_once_for_all_who_wait_and_again_after_a_failure():
    calls, begun, go_on = [], threading.Event(), threading.Event()

    def slow(fails: bool) -> int:
        calls.append(fails)
        begun.set()
        go_on.wait(10)
        if fails and len(calls) == 1:
            raise ValueError("the first one fails")
        return len(calls)

    with ThreadPoolExecutor(3) as visitors:
        kept = cache.shared(slow)
        first = visitors.submit(kept, True)
        begun.wait(10)
        waiting = [visitors.submit(kept, True) for _ in range(2)]
        go_on.set()
        assert isinstance(first.exception(), ValueError)
        assert [one.result(10) for one in waiting] == [2, 2]


def test_nobody_can_change_a_result_that_all_share():
    kept = cache.shared(lambda: ({"one": [np.zeros(2)]}, BinaryChannel(0.1, 0.2)))
    with pytest.raises(ValueError, match="read-only"):
        kept()[0]["one"][0] += 1


def test_long_work_is_done_here_unless_a_scheduler_is_named(monkeypatch):
    monkeypatch.setattr(Runner, "__init__", lambda self, is_there, workers, worker=None: self.__dict__.update(vars()))
    monkeypatch.delenv(server_settings.SCHEDULER, raising=False)
    assert (cache._runner().workers, cache._runner().worker) == (2, None)
    monkeypatch.setenv(server_settings.SCHEDULER, "tcp://10.0.0.7:8786")
    one, other = (cache._runner().worker() for _ in range(2))
    assert isinstance(one, cluster.ClusterWorker)
    assert one._cluster.address == other._cluster.address == "tcp://10.0.0.7:8786"
    monkeypatch.setattr(running, "find_spec", lambda name: None)
    with pytest.raises(
        SystemExit, match=r"the dask backend needs more: in the project's folder, pip install '\.\[dask\]'"
    ):
        server_settings.check()
