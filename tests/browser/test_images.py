"""The page "What does the noise do to an image?" in a real Chromium: its dial, numbers and downloads."""

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from pages.kit import dials
from pages.topics.images.answer import SHOWN_PRIORS
from privdemo.experiments import images
from privdemo.mechanisms import pixels
from tests.browser import browsing

pytestmark = pytest.mark.browser
LEVEL_BOX = ".st-key-p-boxes #number"
TITLES = {"mnist": "MNIST", "digits": "Small+digits"}
FEW = 200  # people: more of them say nothing more of the browser


def dial(page: Page, level_index: int, event: str) -> None:
    """Move the dial to a position; `input` is a drag under way, `change` the release."""
    slider = page.locator("input#level").last
    expect(slider).to_be_enabled()
    slider.evaluate(
        "(input, [value, event]) => { input.value = value;"
        " input.dispatchEvent(new Event('input')); if (event === 'change') input.dispatchEvent(new Event('change')); }",
        [str(level_index), event],
    )


def grey_levels(page: Page, kind: str) -> np.ndarray:
    """The grey levels in every canvas of a kind, (n, n_pixels), and nothing but grey."""
    page.locator(f"canvas.{kind}").first.wait_for(state="attached")  # they may be folded
    rgba = page.locator(f"canvas.{kind}").evaluate_all(
        "all => all.map(c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data])"
    )
    values = np.array(rgba, dtype=np.uint8).reshape(len(rgba), -1, 4)
    assert (values[..., :3] == values[..., :1]).all()
    assert (values[..., 3] == 255).all()
    return values[..., 0]


def wait_for_all_guesses(page: Page) -> None:
    """Wait until the dial has guesses at all levels, which processes compute that others need as well."""
    page.wait_for_function("() => globalThis.privdemoGuesses", timeout=120_000)
    browsing.settled(page)


@pytest.mark.parametrize(
    ("family", "dataset"),
    list(zip(pixels.FAMILIES.values(), ("mnist", "digits", "digits"), strict=True)),
    ids=list(pixels.FAMILIES),
)
def test_dragging_shows_the_pixels_and_guesses_that_python_computes_without_the_server(
    page: Page, address: str, family: pixels.PixelFamily, dataset: str
) -> None:
    seed, link = (0, "") if dataset == "mnist" else (5, "&seed=5")  # as in other tests here
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    browsing.open_page(page, f"{address}/image_noise?noise={family.title}&data={TITLES[dataset]}&people={FEW}{link}")
    wait_for_all_guesses(page)  # until then the page looks how far they are
    sent.clear()
    k = 256 if dataset == "mnist" else 17
    config = images.Config(dataset=dataset, pixels=family.make(0.3, k), n_people=FEW, seed=seed)
    result = images.run(config)
    np.testing.assert_array_equal(grey_levels(page, "clean"), result.clean)
    limit, step = family.limit(k), 0.005 if family.name == "randomised_response" else 0.01
    before = grey_levels(page, "released")
    for index in (1, 37, 120, 10_000):  # the last position is the end of the range
        dial(page, index, "input")
        level = min(round(limit.low + index * step, 6), limit.high)
        mechanism = family.make(level, k)
        clean = mechanism.from_states(result.states, k)
        expected = mechanism.to_grey(mechanism.apply(clean, result.noise))
        shown = grey_levels(page, "released")
        np.testing.assert_array_equal(shown, expected)
        assert (shown != before).any()
        before = shown
    if family.name == "gaussian":  # and small digits
        assert_guesses_at_levels_of_the_grid(page, config, family)
    assert not sent, "dragging must not ask the server"


def assert_guesses_at_levels_of_the_grid(page: Page, config: images.Config, family: pixels.PixelFamily) -> None:
    """While the dial is dragged to these levels, its guesses and its sentence are the very ones that Python makes."""
    limit, step = family.limit(17), dials.STEPS[family.name]
    for point in images.curve(images.CurveConfig("digits", family=family.name, seed=config.seed)):
        dial(page, 10_000 if point.level == limit.high else round((point.level - limit.low) / step), "input")
        result = images.run(images.with_mechanism(config, family, point.level))
        stacked = np.stack([result.guesses[name] for name in SHOWN_PRIORS])
        np.testing.assert_array_equal(grey_levels(page, "guess").reshape(stacked.shape), stacked)
        expect(page.locator(".found").last).to_have_text(dials.linking_sentence(point))


def test_frames_are_in_time_for_the_next_and_release_updates_the_page_its_guesses_and_the_link(
    page: Page, address: str
) -> None:
    browsing.open_page(page, f"{address}/image_noise?people={FEW}")
    wait_for_all_guesses(page)
    times = page.locator("input#level").last.evaluate(
        "input => [...Array(60).keys()].map(i => { const start = performance.now(); input.value = 20 + 2 * i;"
        " input.dispatchEvent(new Event('input')); return performance.now() - start; })"
    )
    assert np.median(times) < 16
    dial(page, 100, "input")
    expect(page.locator(".dial").last).to_have_attribute("data-guesses", "near")
    expect(page.locator(".takeaway")).to_have_css("opacity", "0.45")  # it is of another level
    expect(page.locator(".matching").last).to_have_css("opacity", "0.45")
    expect(page.locator(".dial output").last).to_have_text("50 %")
    before = page.locator(".match .sent img").last.get_attribute("src")
    dial(page, 100, "change")
    browsing.settled(page)
    expect(page.locator(".takeaway")).to_have_css("opacity", "1")
    expect(page.locator(".dial").last).to_have_attribute("data-guesses", "exact")
    expect(page.locator(".matching").last).to_have_css("opacity", "1")
    expect(page.locator(".match .sent img").last).not_to_have_attribute("src", before)
    browsing.open_settings(page)
    expect(page.locator(LEVEL_BOX)).to_have_value("0.5")
    browsing.fold_settings(page)
    expect(page).to_have_url(re.compile(rf"\?(people={FEW}&p=0\.5|p=0\.5&people={FEW})$"))
    guesses = grey_levels(page, "guess")
    result = images.run(images.Config(pixels=pixels.FAMILIES["randomised_response"].make(0.5, 256), n_people=FEW))
    stacked = np.stack([result.guesses[name] for name in SHOWN_PRIORS])
    np.testing.assert_array_equal(guesses.reshape(stacked.shape), stacked)


def test_on_a_telephone_a_line_holds_people_of_both_kinds_and_unfolds(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    browsing.open_page(page, f"{address}/image_noise?people={FEW}")
    wait_for_all_guesses(page)
    fold = page.locator(".dial .fold:visible").first
    expect(fold.locator("canvas").first).to_be_hidden()
    fold.locator("summary").click()
    first = fold.locator(".line:visible").first
    expect(first.locator("canvas").first).to_be_visible()
    names = first.locator("canvas.clean").evaluate_all("all => all.map(one => one.ariaLabel.slice(-1))")
    assert set(names) == {"7", "9"}
    expect(first.locator(".row-name")).to_have_count(6)


def test_its_pictures_are_fetched_once_and_are_there_again_after_another_chapter(page: Page, address: str) -> None:
    fetched: list[str] = []
    page.on("response", lambda answer: answer.url.startswith(f"{address}/media/") and fetched.append(answer.url))
    browsing.open_page(page, f"{address}/image_noise?data=Small+digits&people={FEW}&seed=5")
    wait_for_all_guesses(page)
    before = {kind: grey_levels(page, kind) for kind in ("released", "guess")}
    for chapter in ("How many speckles hide the sender", "Finding the sender"):
        page.get_by_role("radio", name=chapter).click()
        browsing.settled(page)
    for kind, pictures in before.items():
        np.testing.assert_array_equal(grey_levels(page, kind), pictures)
    assert len(fetched) == len(set(fetched)) == 4


def test_the_keyboard_moves_the_dial_and_a_typed_number_but_no_news_of_a_level_that_it_has_left(
    page: Page, address: str
) -> None:
    browsing.open_page(page, f"{address}/image_noise?people={FEW}")
    wait_for_all_guesses(page)  # until then the page may be rendered again at any moment
    slider = page.locator("input#level").last
    slider.focus()
    slider.press("ArrowRight")  # more private
    expect(page).to_have_url(re.compile("p=0.705"))
    browsing.settled(page)
    expect(slider).to_have_attribute(
        "aria-valuetext",
        re.compile("^70.5 %. A program that has the originals of 100 people picks the right"),
    )
    browsing.open_settings(page)
    box = page.locator(LEVEL_BOX)
    box.fill("0.1234")
    box.press("Enter")
    expect(page).to_have_url(re.compile("p=0.1234"))
    expect(page.locator(".dial output").last).to_have_text("12.34 %")
    browsing.settled(page)
    dial(page, 100, "input")
    page.get_by_role("spinbutton", name="Possible senders").fill("90")
    page.get_by_role("spinbutton", name="Possible senders").press("Enter")
    expect(page.locator(".found").last).to_contain_text("the originals of 90 people")
    browsing.settled(page)
    expect(page.locator("input#level").last).to_have_value("100")
    expect(page.locator(".dial").last).to_have_attribute("data-level", "0.5")


def test_downloads_hold_the_shown_numbers_and_fetch_nothing(page: Page, address: str, tmp_path: Path) -> None:
    browsing.open_page(page, f"{address}/image_noise?data=Small+digits&people={FEW}&seed=5")
    wait_for_all_guesses(page)  # until then the page may be rendered again at any moment
    page.get_by_role("radio", name="How many speckles hide the sender").click()
    browsing.settled(page)
    browsing.download_figure(page, "linkage", "Save numbers (CSV)", tmp_path / "linkage.csv")
    assert (
        str(images.curve(images.CurveConfig("digits", seed=5))[0].linked.mean) in (tmp_path / "linkage.csv").read_text()
    )
    for name, chapter in (("linkage", "How many speckles hide the sender"), ("images", "Finding the sender")):
        page.get_by_role("radio", name=chapter).click()
        browsing.settled(page)
        browsing.download_figure(page, name, "Save figure (HTML)", tmp_path / f"{name}.html")
    for name in ("linkage", "images"):
        requests: list[str] = []
        page.on("request", lambda request, seen=requests: seen.append(request.url))
        page.goto((tmp_path / f"{name}.html").as_uri())
        expect(page.locator("svg.main-svg, img").first).to_be_visible()
        assert not [url for url in requests if url.startswith("http")]
