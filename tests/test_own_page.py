"""A visitor's own records on the four pages that take them: brought, asked about, refused, and gone."""

from __future__ import annotations

import gc
import io
import time
import weakref

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits
from streamlit.testing.v1 import AppTest

from pages.shared import cached, own
from privdemo import datasets
from tests import visiting
from tests.visiting import takeaway, warnings

PAGES = ("training", "proportions", "class_ratio", "comparison")
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


@pytest.mark.parametrize("page", PAGES)
def test_a_table_is_shown_asked_about_and_gone_when_forgotten(page, table):
    at = brought(visiting.opened(f"pages/{page}.py", **FEW[page]), "tumours.csv", table)
    assert any("569 rows, 4 columns to learn from. Classes: “B” 357, “M” 212." in said.value for said in at.markdown)
    assert at.dataframe[0].value.iloc[0].tolist() == ["17.99", "10.38", "big", "M"]
    held = at.session_state["own_data"]
    gone = [weakref.ref(held.records), weakref.ref(held.binary)]
    del held
    finished(at)
    words = takeaway(at)
    assert any(name in words for name in ("“B”", "“M”", "need be trusted"))
    assert "digit" not in words
    assert "image" not in words
    assert not warnings(at)
    at.button(key="own-forget").click().run()
    assert not at.exception
    assert "tumours.csv" not in takeaway(at)
    assert "“M”" not in takeaway(at)
    at = None
    cached.runner().leave("nobody")
    deadline = time.monotonic() + 20
    while any(ref() is not None for ref in gone) and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.2)
    assert [ref() for ref in gone] == [None, None]


@pytest.mark.parametrize("page", PAGES)
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
        "broken.csv cannot be used: row 2 of column “radius” says “unknown”, which is no finite number, while most of "
        "the column are numbers; fill it in, or leave the row or the column out."
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
    ("page", "key"), [("training", "images"), ("class_ratio", "records"), ("comparison", "compare_on")]
)
def test_a_link_to_somebodys_own_records_says_that_it_does_not_hold_them(page, key):
    at = visiting.opened(f"pages/{page}.py", **{key: own.TITLE})
    assert f"`{key}=your own` was ignored" in warnings(at)
    assert "A visitor’s own records are in no link: bring the file again." in warnings(at)


def test_a_pin_of_own_records_means_nothing_to_others(table):
    at = finished(brought(visiting.opened("pages/comparison.py", **FEW["comparison"]), "tumours.csv", table))
    at.button(key="pin-it").click().run()
    pin = at.session_state["pin"]
    assert pin.startswith("classify,your own,labels,")
    at.number_input(key="label_epsilon").set_value(4.0).run()
    assert not at.exception
    at = visiting.opened("pages/comparison.py", pin=pin)
    assert "its records were a visitor’s own, which are in no link" in warnings(at)
