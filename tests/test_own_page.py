"""A visitor's own records on the four pages that take them: brought, asked about, refused, and gone."""

from __future__ import annotations

import asyncio
import gc
import io
import re
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits
from starlette.datastructures import Headers
from starlette.formparsers import MultiPartParser
from streamlit.testing.v1 import AppTest

from pages.shared import cached, own
from privdemo import datasets, limits
from tests import visiting
from tests.visiting import takeaway, warnings

# So few draws, and so little more, that a page has all it asks for soon.
FEW = {
    "training": {"draws": "2", "methods": "naive"},
    "proportions": {"bag_draws": "2", "train_by": "llp"},
    "class_ratio": {"ratio_draws": "2"},
    "comparison": {"compare_draws": "2", "show": ["naive", "spread on lies"]},
}


@pytest.fixture(scope="module")
def table() -> bytes:
    bunch = load_breast_cancer()
    rows = [
        f"{r[0]:.5g},{r[1]:.5g},{'big' if r[3] > 600 else 'small'},{'MB'[k]}"
        for r, k in zip(bunch.data, bunch.target, strict=True)
    ]
    return "\n".join(["radius,texture,bulk,kind", *rows]).encode()


@pytest.fixture(scope="module")
def images() -> bytes:
    digits = load_digits()
    buffer = io.BytesIO()
    np.savez_compressed(buffer, X=digits.images, y=digits.target)
    return buffer.getvalue()


def brought(at: AppTest, name: str, content: bytes) -> AppTest:
    at.file_uploader[0].set_value((name, content, "application/octet-stream")).run()
    assert not at.exception
    return at


def finished(at: AppTest) -> AppTest:
    deadline = time.monotonic() + 90
    while any(bar.value < 100 for bar in at.get("progress") if hasattr(bar, "value")) or "are learning" in takeaway(at):
        assert time.monotonic() < deadline, takeaway(at)
        time.sleep(0.3)
        at.run()
    return at


@pytest.mark.parametrize("page", ["training", "class_ratio"])
def test_a_table_is_shown_asked_about_and_gone_when_forgotten(page, table):
    at = brought(visiting.opened(f"pages/{page}.py", **FEW[page]), "tumours.csv", table)
    assert any("569 rows, 4 columns to learn from. Classes: “B” 357, “M” 212." in said.value for said in at.markdown)
    assert at.dataframe[0].value.iloc[0].tolist() == ["M", "17.99", "10.38", "big"]
    held = at.session_state["own_data"]
    gone = [weakref.ref(held.records), weakref.ref(held.binary)]
    del held
    finished(at)
    words = takeaway(at)
    assert any(name in words for name in ("“B”", "“M”", "trusting"))
    assert "digit" not in words
    assert "image" not in words
    assert not warnings(at)
    at.button(key="own-forget").click().run()
    assert not at.exception
    assert "tumours.csv" not in takeaway(at)
    assert "“M”" not in takeaway(at)
    all_gone(gone)


def all_gone(records: list[weakref.ref]) -> None:
    """Nothing in this process holds the records any longer, whatever it keeps."""
    deadline = time.monotonic() + 20
    while any(ref() is not None for ref in records) and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.2)
    assert [ref() for ref in records] == [None] * len(records)


def test_a_stopped_pinned_setting_is_gone_when_forgotten_on_another_page(table):
    at = brought(visiting.opened("pages/comparison.py", compare_draws="12", show="naive"), "tumours.csv", table)
    held = at.session_state["own_data"]
    gone = [weakref.ref(held.records), weakref.ref(held.binary)]
    del held
    deadline = time.monotonic() + 60
    while "trusting" not in takeaway(at) and time.monotonic() < deadline:
        time.sleep(0.2)
        at.run()
    at.button(key="stop-draws").click().run()
    at.button(key="pin-it").click().run()
    pin = at.session_state["pin"]
    assert pin.startswith("classify,your own,labels,")
    at.segmented_control(key="compare_on").set_value("Small digits").run()
    at.segmented_control(key="compare_look").set_value("against a pin").run()
    deadline = time.monotonic() + 60
    while " clearly" not in " ".join(visiting.answers(at)):
        assert time.monotonic() < deadline, visiting.answers(at)
        time.sleep(0.3)
        at.run()
        assert not at.exception
    jobs = cached.runner()._jobs
    assert all(job.private for key, job in jobs.items() if "tumours.csv" in repr(key))
    assert any("tumours.csv" in repr(key) for key in jobs)
    at.switch_page("pages/proportions.py").run()
    at.button(key="own-forget").click().run()
    assert not at.exception
    all_gone(gone)
    at.switch_page("pages/comparison.py").run()
    assert not at.exception
    assert "Small digits" in takeaway(at) or "trusting" in takeaway(at)
    other = visiting.opened("pages/comparison.py", pin=pin)
    assert "its records were a visitor’s own, which are in no link" in warnings(other)


def test_going_on_after_a_stop_does_what_is_left(table, monkeypatch):
    at = brought(visiting.opened("pages/proportions.py", bag_draws="15", train_by="llp"), "tumours.csv", table)
    wanted = []
    watch = cached.runner().watch

    def watching(key, *rest, **options):
        wanted.append(len(rest[2]))
        return watch(key, *rest, **options)

    deadline = time.monotonic() + 60
    while not 2 <= _n_done(at) < 15:
        assert time.monotonic() < deadline
        time.sleep(0.1)
        at.run()
    at.button(key="stop-draws").click().run()
    done = _n_done(at)
    monkeypatch.setattr(cached.runner(), "watch", watching)
    at.button(key="more-draws").click().run()
    assert not at.exception
    assert wanted[-1] == 15 - done
    while _n_done(at) < 15:
        assert time.monotonic() < deadline
        time.sleep(0.2)
        at.run()
    (key,) = [key for key in at.session_state["own_results"] if key[0] == "bags"]
    _, draws = at.session_state["own_results"][key]
    assert [draw.config.draw for draw in draws] == list(range(1, 15))


def _n_done(at: AppTest) -> int:
    """How many draws the page has, by its progress bar; all when there is none."""
    bars = at.get("progress")
    return int(re.search(r"Draw (\d+) of", bars[0].proto.text)[1]) if bars else 15


def test_what_is_uploaded_is_never_put_on_disk():
    async def spooled(size: int) -> bool:
        async def chunks():
            head = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f.csv"\r\n\r\n'
            yield head + b"a" * size + b"\r\n--x--\r\n"

        form = await MultiPartParser(Headers({"content-type": "multipart/form-data; boundary=x"}), chunks()).parse()
        return form["f"].file._rolled

    most = int(limits.OWN_BYTES.high)
    with ThreadPoolExecutor(1) as aside:  # this thread may have an event loop of its own
        found = [aside.submit(lambda n: asyncio.run(spooled(n)), size).result() for size in (most, 3 * most)]
    assert found == [False, True]


def test_the_smallest_file_allowed_is_learnt_from_on_every_page():
    rows = [f"{i % 40 + 10 * (i % 2)},{i % 7},{'no' if i % 2 else 'yes'}" for i in range(120)]
    content = "\n".join(["size,day,kind", *rows]).encode()
    for page in ("training", "proportions"):
        at = finished(brought(visiting.opened(f"pages/{page}.py", **FEW[page]), "small.csv", content))
        assert "<b>" in takeaway(at)
        assert "No" not in takeaway(at).split()[:1]


def test_names_of_classes_stay_and_are_in_no_link():
    rows = [f"{i % 40 + 10 * (i % 2)},{i % 7},{('digit', 'image', 'pixel')[i % 3]}" for i in range(360)]
    content = "\n".join(["size,day,kind", *rows]).encode()
    at = finished(brought(visiting.opened("pages/training.py", **FEW["training"]), "names.csv", content))
    assert "of class “digit” and" in takeaway(at)
    at.selectbox(key="own_second").select("pixel").run()
    assert "of class “pixel”" in takeaway(at)
    assert not {"first", "second", "own_first", "own_second"} & set(at.query_params)
    brought(at, "other.csv", content.replace(b"digit", b"a").replace(b"image", b"b").replace(b"pixel", b"c"))
    assert "of class “a” and" in takeaway(finished(at))


@pytest.mark.parametrize("page", ["training"])
def test_images_are_shown_and_the_code_computes_what_the_page_says(page, images, tmp_path, monkeypatch):
    at = finished(brought(visiting.opened(f"pages/{page}.py", **FEW[page]), "mine.npz", images))
    assert any("1,797 images of 8 × 8 pixels, 17 grey levels." in said.value for said in at.markdown)
    (tmp_path / "mine.npz").write_bytes(images)
    monkeypatch.chdir(tmp_path)
    scope: dict = {"print": lambda *_: None}
    exec(at.code[0].value, scope)
    assert len(scope["draws"]) == 2
    assert isinstance(scope["config"].dataset, datasets.Dataset)
    if page == "training":
        mark = 100 * np.mean([draw.fits["naive"].accuracy for draw in scope["draws"]])
        assert f"<b>{mark:.1f} %</b> (naive)" in takeaway(at)


def test_a_file_that_cannot_be_read_is_refused_and_what_was_there_stays(table):
    at = brought(visiting.opened("pages/proportions.py", **FEW["proportions"]), "tumours.csv", table)
    before = takeaway(finished(at))
    brought(at, "broken.csv", table.replace(b"\n20.57,", b"\nunknown,", 1))
    assert at.error[0].value == (
        "broken.csv cannot be used: line 3, column “radius” says “unknown”, which is no finite number, while most of "
        "the column are numbers; fill it in, or leave the row or the column out. tumours.csv is still in use."
    )
    assert takeaway(at) == before
    at.selectbox(key="own_label").select("bulk").run()
    assert not at.error
    assert "“small”" in takeaway(at)
    at.selectbox(key="own_label").select("radius").run()
    assert "the label column “radius” must have 2 to 20 different values, got" in at.error[0].value
    assert "“small”" in takeaway(at)


def test_a_class_is_asked_about_against_all_others(images):
    at = finished(brought(visiting.opened("pages/proportions.py", **FEW["proportions"]), "mine.npz", images))
    assert "the share that are “9”" in takeaway(at)
    at.selectbox(key="own_positive").select("3").run()
    assert "the share that are “3”" in takeaway(at)


@pytest.mark.parametrize(
    ("page", "key"), [("training", "images"), ("class_ratio", "ratio_records"), ("comparison", "compare_on")]
)
def test_a_link_to_somebodys_own_records_says_that_it_does_not_hold_them(page, key):
    at = visiting.opened(f"pages/{page}.py", **{key: own.TITLE})
    assert f"`{key}=your own` was ignored" in warnings(at)
    assert "A visitor’s own records are in no link: bring the file again." in warnings(at)
