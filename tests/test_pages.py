"""Every page through Streamlit's AppTest: as it opens, after a change, and from a bad link."""

from __future__ import annotations

import gzip
import math
import re
import shutil
from pathlib import Path

import pytest
import streamlit as st

from privdemo import accounting
from privdemo.experiments import images
from tests import visiting
from tests.visiting import html, opened, takeaway, warnings

ROOT = Path(__file__).parents[1]
NOISE = "pages/image_noise.py"


def test_home_leads_to_every_page_that_exists(mnist: object) -> None:
    at = opened()
    links = {element.proto.page for element in at.get("page_link")}
    pages = {path.stem for path in (ROOT / "pages").glob("*.py")} - {"home"}
    assert links == pages
    assert "data:image/png;base64," in html(at)
    share = re.search(r"<b>(\d+) %</b>", html(at).replace("\u00a0", " "))
    points = images.gallery(images.GalleryConfig()).points
    assert share is not None
    assert int(share.group(1)) == round(100 * points[-2].linked.mean)


def test_home_draws_other_people(mnist: object) -> None:
    at = opened()
    before = html(at)
    next(button for button in at.button if button.label == "Draw two other people").click().run()
    assert html(at) != before
    assert at.session_state["people_seed"] == 1
    assert html(opened(people_seed="1")) == html(at)


def test_noise_page_opens_with_the_right_numbers(mnist: object) -> None:
    at = opened(NOISE)
    text = takeaway(at)
    assert "p = <b>0.2</b>" in text
    assert f"ε = {accounting.randomised_response_epsilon(0.2, 2):.3g}" in text
    assert f"ε = {accounting.randomised_response_loss(0.2, 256, 784).epsilon(1e-5):,.0f}" in text
    cards = html(at)
    assert "ε = 5,431" in cards
    assert "80 meant it" in cards
    assert not at.warning


@pytest.mark.parametrize(
    "link",
    [
        {"noise": "Gaussian", "sigma": "0.5"},
        {"noise": "Laplace", "b": "2"},
        {"data": "Small digits", "p": "0.5"},
        {"classes": ["0", "1", "2"], "flip": "0.6"},
        {"label_lie": "asymmetric", "p10": "0", "p01": "1"},
        {"p": "0"},
        {"p": "0.99609375", "flip": "0.5"},
        {"view": "figure 2"},
        {"view": "figure 4"},
        {"shown": "1", "people": "20", "candidates": "2", "delta": "0.5", "seed": "4294967295"},
    ],
    ids=str,
)
def test_noise_page_shows_what_a_link_asks_for(mnist: object, link: dict) -> None:
    at = opened(NOISE, **link)
    assert not at.warning
    for key, value in link.items():
        shown = at.session_state[key]
        wanted = value if isinstance(value, list) or not isinstance(shown, int | float) else float(value)
        assert shown == wanted
    assert "not private" not in html(at) or link.get("p") != "0.99609375"


def test_level_and_epsilon_follow_each_other(mnist: object) -> None:
    at = opened(NOISE)
    at.number_input(key="p").set_value(0.4).run()
    assert math.isclose(at.number_input(key="pixel_epsilon").value, accounting.randomised_response_epsilon(0.4, 256))
    at.number_input(key="pixel_epsilon").set_value(2.0).run()
    assert at.number_input(key="p").value == accounting.randomised_response_flip_prob(2.0, 256)
    assert at.session_state["p"] == at.number_input(key="p").value
    at.number_input(key="label_epsilon").set_value(3.0).run()
    assert at.number_input(key="flip").value == accounting.randomised_response_flip_prob(3.0, 2)
    assert "ε = 3<" in html(at)
    at.slider(key="flip_slide").set_value(0.5).run()
    assert at.number_input(key="flip").value == 0.5
    assert "50 meant it" in html(at)


def test_sliders_show_what_the_link_says(mnist: object) -> None:
    assert opened(NOISE, flip="0.4").slider(key="flip_slide").value == 0.4
    at = opened(NOISE, label_lie="asymmetric", p10="0.25", p01="0.6")
    assert [at.slider(key=f"{key}_slide").value for key in ("p10", "p01")] == [0.25, 0.6]


def test_words_follow_the_numbers(mnist: object) -> None:
    """Nothing is called protected, hidden or betrayed against what the numbers beside it say."""

    def adversary(**link: str) -> str:
        return next(text.value for text in opened(NOISE, **link).markdown if "Three attacks" in text.value)

    assert "the image betrays the label" in adversary()
    assert "no better than chance" in adversary(p="0.99609375")
    assert "no better than chance" in adversary(flip="0.5")
    assert "add up to 1" in "".join(
        t.value for t in opened(NOISE, label_lie="asymmetric", p10="0.3", p01="0.7").markdown
    )
    cards = html(opened(NOISE, p="0.99609375"))
    assert "not private" not in cards
    assert "a factor of 1.00" in cards


def test_as_many_people_as_there_are(mnist: object) -> None:
    at = opened(NOISE, data="Small digits", candidates="1000", people="5000")
    result = images.measure(images.CurveConfig("digits", n_candidates=1000), 0.2)
    assert result.n_candidates < 400
    assert f"among {result.n_candidates} people" in takeaway(at)
    assert f"{1 / result.n_candidates:.1%}" in html(at)


def test_gaussian_epsilon_is_at_the_chosen_delta(mnist: object) -> None:
    at = opened(NOISE, noise="Gaussian", delta="0.001")
    at.number_input(key="pixel_epsilon").set_value(5.0).run()
    sigma = at.number_input(key="sigma").value
    assert math.isclose(sigma, accounting.gaussian_sigma(5.0, 1e-3))
    assert "Gaussian noise has no ε without such a slack" in html(at)


@pytest.mark.parametrize("name", ["p = 0.1", "p = 0.2", "p = 0.3", "p = 0.4", "σ² = 0.1", "σ² = 0.5"])
def test_presets_set_the_papers_values(mnist: object, name: str) -> None:
    at = opened(NOISE, label_lie="asymmetric", view="figure 2")
    at.button(key=f"preset {name}").click().run()
    assert not at.exception
    value = float(name.split()[-1])
    if name.startswith("p"):
        assert at.number_input(key="p").value == value
        assert at.number_input(key="flip").value == value
    else:
        assert math.isclose(at.number_input(key="sigma").value ** 2, value)
        assert at.number_input(key="flip").value == 0.2
    assert at.session_state["view"] == "live dial"


BAD = [
    ("p", "1.2", "in [0, 0.996]"),
    ("p", "nan", "in [0, 0.996]"),
    ("p", "many", "in [0, 0.996]"),
    ("sigma", "-1", "in [0.01, 5]"),
    ("b", "inf", "in [0.01, 5]"),
    ("flip", "0.7", "in [0, 0.5]"),
    ("p10", "2", "in [0, 1]"),
    ("delta", "0", "in [1e-10, 0.5]"),
    ("seed", "1.5", "a whole number"),
    ("seed", "-1", "a whole number"),
    ("candidates", "1", "in [2, 1000]"),
    ("people", "10", "in [20, 5000]"),
    ("shown", "11", "in [1, 10]"),
    ("classes", "7", "at least 2 of"),
    ("classes", "seven", "at least 2 of"),
    ("noise", "loud", "one of “Randomised response”, “Gaussian”, “Laplace”"),
    ("data", "cifar", "one of “MNIST”, “Small digits”"),
    ("view", "", "one of “live dial”"),
    ("flipp", "0.3", "this page has no such setting"),
    ("reset", "1", "this page has no such setting"),
    ("seed", "1_000", "a whole number"),
    ("p", "![x](//elsewhere.test/a)", "in [0, 0.996]"),
]


@pytest.mark.parametrize("cases", visiting.as_links(BAD))
def test_bad_links_are_ignored_with_a_note_on_every_value(mnist: object, cases: list[tuple[str, str, str]]) -> None:
    at = opened(NOISE, **{key: value for key, value, _ in cases})
    for key, _, words in cases:
        assert words in visiting.notes_on(at, key)
    assert re.sub(r"`[^`]*`", "", warnings(at)).count("](") == 0  # a link's words stay inside code spans
    assert takeaway(at) == takeaway(opened(NOISE))
    next(button for button in at.button if button.label == "Dismiss").click().run()
    assert not at.warning


def test_one_digit_is_not_enough(mnist: object) -> None:
    at = opened(NOISE)
    at.get("button_group")[1].set_value(["7"]).run()
    assert not at.exception
    assert "Choose at least two digits" in warnings(at)


def test_a_level_outside_another_data_sets_range_is_brought_inside_and_said(mnist: object) -> None:
    at = opened(NOISE, p="0.99")
    at.get("button_group")[0].set_value("Small digits").run()
    assert not at.exception
    assert at.number_input(key="p").value == 16 / 17
    assert "the end of its range" in at.toast[0].value


def test_reset_brings_every_default_back(mnist: object) -> None:
    fresh = takeaway(opened(NOISE))
    at = opened(NOISE, p="0.4", classes=["0", "1", "2"], seed="9", flip="0.1", delta="0.01", candidates="50")
    assert takeaway(at) != fresh
    at.button(key="reset").click().run()
    assert takeaway(at) == fresh


def test_without_mnist_the_app_starts_on_digits_and_says_how_to_get_it(no_mnist: None) -> None:
    st.cache_data.clear()
    home = opened()
    assert "data:image/png;base64," in html(home)
    assert "python -m privdemo data mnist" in home.info[0].value
    at = opened(NOISE)
    assert "python -m privdemo data mnist" in at.info[0].value
    assert at.session_state["data"] == "Small digits"
    assert "64 pixels" in takeaway(at)
    adversary = next(text.value for text in at.markdown if "Three attacks" in text.value)
    assert re.search(r"from 3\d\d people's", adversary)  # as many as the digits have, not the 2,000 asked for


@pytest.mark.parametrize("damage", ["truncated", "wrong"])
def test_a_bad_mnist_file_is_named_and_the_app_goes_on_with_digits(
    mnist: object, data_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, damage: str
) -> None:
    shutil.copytree(data_folder / "mnist", tmp_path / "mnist")
    name = "t10k-labels-idx1-ubyte.gz"
    whole = (tmp_path / "mnist" / name).read_bytes()
    (tmp_path / "mnist" / name).write_bytes(whole[:-20] if damage == "truncated" else gzip.compress(b"something else"))
    monkeypatch.setenv("PRIVDEMO_DATA", str(tmp_path))
    st.cache_data.clear()
    for page in (None, NOISE):
        at = opened(page)
        assert name in at.info[0].value
    assert at.session_state["data"] == "Small digits"
    st.cache_data.clear()


def test_the_shown_code_gives_the_shown_numbers(mnist: object) -> None:
    at = opened(NOISE, p="0.9", noise="Randomised response", seed="3", candidates="40")
    names: dict = {}
    block = next(text.value for text in at.markdown if "```python" in text.value)
    exec(block.split("```python")[1].split("```")[0].replace(".show()", ""), names)
    assert f"ε = {names['promise'].image_at_delta:,.0f}" in takeaway(at)
    assert f"<b>{names['result'].changed_pixels:.0f}</b>" in takeaway(at)
    assert f"<b>{100 * names['here'].linked.mean:.0f}</b> are traced" in takeaway(at)
    assert len(names["points"]) == 17
