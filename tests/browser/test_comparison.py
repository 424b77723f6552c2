"""The comparison in a real Chromium: before Plotly has started, and its three views of ε after quick keys."""

import re
from collections.abc import Callable
from functools import partial

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pages.topics.comparison import question
from privdemo.mechanisms import RandomisedResponse
from tests.browser import browsing

pytestmark = pytest.mark.browser


class SlowConnection:
    """A page's connection whose messages from the server can be held back and delivered later, all at once."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._finished = 0
        self._held: list[Callable[[], None]] | None = None
        page.route_web_socket("**/_stcore/stream", self._connect)

    def _connect(self, browser: WebSocketRoute) -> None:
        def receive(message: str | bytes) -> None:
            self._finished += ForwardMsg.FromString(message).WhichOneof("type") == "script_finished"
            browser.send(message) if self._held is None else self._held.append(partial(browser.send, message))

        browser.connect_to_server().on_message(receive)

    def hold(self) -> None:
        self._held = []

    def wait(self) -> None:
        """Wait until the server has finished a script more, and has nothing else to send for a while."""
        before, quiet = self._finished, 0
        while self._finished == before or quiet < 2:
            seen = len(self._held)
            self._page.wait_for_timeout(100)
            quiet = quiet + 1 if len(self._held) == seen else 0

    def deliver(self) -> None:
        held, self._held = self._held, None
        assert held, "the server sent nothing meanwhile"
        for send in held:
            send()


def test_after_quick_keys_the_three_views_of_epsilon_agree(page: Page, address: str) -> None:
    """ε by its ladder, as a number, as the probability of a lie, and in the link: no press is lost or taken back.

    The first keys are pressed while the page is still on its way to the browser, as on a very slow connection.
    """
    connection = SlowConnection(page)
    browsing.open_page(
        page,
        f"{address}/comparison?compare_on=Small+digits&compare_draws=2&show=ignore+the+noise&compare_look=One+method+for+labels,+bags+and+groups",
    )
    slider = page.get_by_role("slider", name="Protection of one label")
    connection.hold()
    page.get_by_text("All results in a table", exact=True).click()
    connection.wait()
    slider.press("ArrowRight")
    connection.wait()
    slider.press("ArrowRight")
    connection.deliver()
    browsing.open_settings(page)
    steps = question.EPSILON_STEPS
    place = steps.index(1.0) - 2
    for keys in (["ArrowRight"] * 3, ["ArrowLeft"] * 4 + ["ArrowRight"] * 2):
        for key in keys:
            slider.press(key)
            page.wait_for_timeout(50)
            place = min(len(steps) - 1, max(0, place + (1 if key == "ArrowLeft" else -1)))
        expect(page).to_have_url(re.compile(rf"label_epsilon={steps[place]:g}(\.0)?(&|$)"))
        page.wait_for_timeout(500)
        browsing.settled(page)
        boxes = page.locator(".st-key-settings")
        expect(boxes.get_by_label("ε of a label", exact=True)).to_have_value(f"{steps[place]:g}")
        lie = RandomisedResponse.from_epsilon(steps[place], 2).flip_prob
        assert float(boxes.get_by_label("p of a flip", exact=True).input_value()) == pytest.approx(lie, rel=1e-3)
        expect(page).to_have_url(re.compile(rf"label_epsilon={steps[place]:g}(\.0)?(&|$)"))


def test_quick_changes_on_a_slow_connection_lose_no_message(page: Page, address: str) -> None:
    """A large message that the server sends as a hash is still there after four runs that reach the browser at once."""
    connection = SlowConnection(page)
    browsing.open_page(
        page,
        f"{address}/comparison?compare_on=Small+digits&compare_draws=2&show=ignore+the+noise&compare_look=Most+privacy+for+a+goal+you+set",
    )
    connection.hold()
    for chapter in (
        "How well it learns",
        "Compare two settings",
        "How well it learns",
        "Compare two settings",
        "Most privacy for a goal you set",
    ):
        page.get_by_role("radiogroup", name="Chapter").get_by_text(chapter, exact=True).click()
        connection.wait()
    connection.deliver()
    browsing.settled(page)
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize(("width", "link"), [(1280, ""), (390, "&task=find+a+share")])
def test_nothing_moves_when_plotly_has_started(page: Page, address: str, width: int, link: str) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    waiting = []
    page.route("**/PlotlyChart*", lambda route: waiting.append(route))
    page.goto(f"{address}/comparison?compare_on=Small+digits{link}")
    place = page.locator(".chart-place").first
    expect(place).to_be_visible()
    expect(page.locator(".takeaway")).to_contain_text("stand for private images")
    expect(page.locator(".st-key-main-control input[type=range]")).to_be_visible()  # above the curves
    browsing.answered(page)
    page.wait_for_timeout(150)
    before, below = place.bounding_box(), page.locator(".st-key-end").bounding_box()
    waiting[0].continue_()
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(page.locator(".chart-place:visible")).to_have_count(0)
    after = page.locator(".js-plotly-plot").first.bounding_box()
    assert [after[side] for side in after] == pytest.approx([before[side] for side in after], abs=1)
    assert page.locator(".st-key-end").bounding_box() == below


def test_more_pushed_labels_are_in_the_sentence_the_figure_and_the_link(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/comparison?compare_look=Labels+pushed+by+some&fake=0.2")
    said = page.locator(".takeaway")
    expect(said).to_contain_text("if 20 of 100 people send the opposite")
    expect(said).to_contain_text("74.0\u00a0% of new images right")
    more = page.get_by_role("spinbutton", name="False labels, as a share of all")
    more.fill("0.3")
    more.press("Enter")
    expect(said).to_contain_text("if 30 of 100 people send the opposite")
    expect(said).to_contain_text("53.1\u00a0% of new images right")
    expect(page.locator(".js-plotly-plot").first).to_contain_text("your setting: 30 %")
    expect(page).to_have_url(re.compile("fake=0.3"))
    page.get_by_role("radio", name="the second class").click(force=True)
    expect(said).to_contain_text("if 30 of 100 people send “9”, whatever is true")
    expect(said).to_contain_text("73.2\u00a0% of new images right")
    expect(page).to_have_url(re.compile("fake_label=the\\+second\\+class|fake_label=the%20second%20class"))


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_what_pushed_labels_do_is_guessed_first(page: Page, address: str, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    browsing.open_page(page, f"{address}/comparison", guesses=True)
    browsing.show_without_guess(page)
    page.get_by_text("If some people lie", exact=True).first.click()
    expect(page.locator(".takeaway")).to_contain_text("Of 100 new images, how many are still judged correctly?")
    browsing.settled(page)  # the chart of the chapter before has gone
    chart = page.locator(".js-plotly-plot").first
    expect(chart).to_be_visible()
    ends = chart.evaluate("plot => plot._fullLayout.yaxis.range")
    assert ends[0] < 0.5, "the axis does not give it away"
    drawn = chart.evaluate("plot => plot.data.filter(t => t.mode == 'lines+markers').map(t => [t.name, t.x.length])")
    assert dict(drawn) == {"all true": 4, "nobody": 1, "group leader": 1, "curator": 1}
    browsing.show_without_guess(page)
    expect(page.locator(".takeaway")).to_contain_text("for example, if 20 of 100 people send")


@pytest.mark.parametrize("address_of", ["comparison", "training"])
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (910, 700), (683, 512), (390, 844)])
def test_before_the_guess_each_label_stands_under_its_image(
    page: Page, address: str, width: int, height: int, address_of: str
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    browsing.open_page(page, f"{address}/{address_of}", guesses=True)
    image = page.locator(".labelled img").first
    expect(image).to_be_visible()
    box = image.bounding_box()
    labels = [label.bounding_box() for label in page.locator(".labelled .label").all()]
    assert box
    assert len(labels) == 12
    for i, label in enumerate(labels):
        assert label
        column = box["x"] + box["width"] / 6 * (i % 6), box["x"] + box["width"] / 6 * (i % 6 + 1)
        assert column[0] - 1 <= label["x"]
        assert label["x"] + label["width"] <= column[1] + 1, "within its column: no label covers another"
    assert box["x"] + box["width"] <= width
