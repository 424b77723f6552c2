"""Links in a real Chromium: what reaches the address, what a reload brings back, and what comes alive nowhere."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import browsing

pytestmark = pytest.mark.browser
PARTS = ".takeaway, .answer, .summary, .grid td, .digits td"


@pytest.mark.parametrize(
    ("link", "ready"),
    [
        (
            "training?images=Small+digits&n=40&draws=2&methods=ignore+the+noise&label_p=0.3&look_at=Accuracy+of+each+method",
            "over 2 trials",
        ),
        (
            "distortion?counts_of=my+own&counts=40%2C60%2C900&along=%CE%B4&count_look=All+numbers",
            "200 simulated publications",
        ),
        ("comparison?compare_on=Small+digits&pin=classify,digits,labels,120,2,0", "Promised"),
    ],
    ids=["trials", "Greek letters", "a pin"],
)
def test_a_reload_shows_the_same(page: Page, address: str, link: str, ready: str) -> None:
    browsing.open_page(page, f"{address}/{link}")
    before = browsing.seen(page, ready, PARTS)
    page.reload()
    assert browsing.seen(page, ready, PARTS) == before


def test_a_preset_reaches_the_address_and_a_reload_keeps_it(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/image_noise?data=Small+digits")  # big ones take seconds at a new level
    browsing.open_settings(page)
    page.get_by_role("button", name="σ² = 0.1").click()
    expect(page).to_have_url(re.compile("sigma=0.316"))
    expect(page.locator(".st-key-dial output")).to_contain_text("0.316")
    browsing.settled(page)
    page.reload()
    expect(page.locator(".st-key-dial output")).to_contain_text("0.316")


def test_settings_survive_a_visit_to_another_page(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/image_noise?data=Small+digits&p=0.3&seed=2")
    takeaway = page.locator(".takeaway").text_content()
    browsing.go_to(page, "Start", "Home")
    expect(page.locator("h1")).to_contain_text("secrets")
    browsing.go_to(page, "Start", "Noise on images")
    expect(page.locator(".takeaway")).to_have_text(takeaway)
    expect(page).to_have_url(re.compile("p=0.3"))
    expect(page.locator(".st-key-link-notes")).to_have_count(0)


def test_settings_of_one_name_are_each_pages_own(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting?share=0.4")
    page.get_by_role("button", name=re.compile("Next: ")).click()
    expect(page).to_have_url(re.compile("lesson=Ways"))
    browsing.go_to(page, "Decide", "Private counts")
    expect(page.locator("h1")).to_contain_text("counts")
    expect(page).to_have_url(re.compile("distortion$"))
    browsing.go_to(page, "Start", "Voting with a lie")
    expect(page.locator(".takeaway")).to_contain_text("40.0 %")
    expect(page).to_have_url(re.compile("share=0.4"))


TOP = "(part) => part.getBoundingClientRect().top"


def test_chapters_for_specialists_are_folded_until_asked_for_and_while_one_is_shown(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting?share=0.4")
    last, special = page.get_by_role("radio", name="Quiz"), page.get_by_role("radio", name="More than two candidates")
    summary = page.get_by_text("For specialists")
    expect(special).to_be_hidden()
    last.focus()
    page.keyboard.press("ArrowRight")  # not to a folded one
    expect(last).to_be_focused()
    page.keyboard.press("Tab")
    expect(summary).to_be_focused()
    page.keyboard.press("Enter")
    expect(special).to_be_visible()
    assert special.evaluate(TOP) > summary.evaluate(TOP) - 10  # not above the words
    special.click()
    expect(page).to_have_url(re.compile(r"lesson=More\+than\+two"))
    browsing.settled(page)
    expect(page.get_by_role("radio", name="Training on changed labels")).to_be_visible()
    summary.click()
    expect(page.get_by_role("radio", name="Training on changed labels")).to_be_hidden()
    expect(special).to_be_visible()  # a chapter that is shown has its mark in the row
    page.get_by_role("radio", name="One poll").click()
    expect(special).to_be_hidden()
    expect(page).to_have_url(f"{address}/voting?share=0.4")
    page.reload()
    page.locator(".st-key-chapters [role=radio]").first.wait_for()
    expect(special).to_be_hidden()
    browsing.open_page(page, f"{address}/voting?lesson=More+than+two+candidates")
    expect(special).to_be_visible()
    expect(page.get_by_role("radio", name="Training on changed labels")).to_be_visible()


def test_a_chapter_is_changed_alone_and_keeps_its_setting(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting?lesson=How+many+to+ask")
    takeaway = page.locator(".takeaway")
    page.get_by_role("radio", name="precision").click()
    expect(page).to_have_url(re.compile("solve=precision"))
    expect(takeaway).to_contain_text("10,000 people who")
    browsing.unfold_chapters(page)
    page.get_by_role("radio", name="More than two candidates").click()
    expect(page).to_have_url(re.compile(r"lesson=More\+than\+two"))
    box = page.get_by_role("textbox", name="True shares of the candidates")
    box.fill("0.6, 0.4")
    box.press("Enter")
    expect(takeaway).to_contain_text("choose among 2 names")
    page.get_by_role("radio", name="How many to ask").click()
    expect(takeaway).to_contain_text("10,000 people who")
    browsing.open_menu(page)
    page.get_by_role("button", name="Reset").click()
    expect(page).to_have_url(f"{address}/voting")
    browsing.settled(page)
    assert page.url == f"{address}/voting"


def test_what_is_folded_away_stays_in_the_address(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting?voters=500")
    browsing.open_settings(page)
    box = page.get_by_role("spinbutton", name="Polls held")
    box.fill("30")
    box.press("Enter")
    expect(page).to_have_url(re.compile("voters=500&polls=30"))
    browsing.fold_settings(page)
    page.get_by_role("button", name="Ask another 500 people").click()
    expect(page).to_have_url(re.compile("voters=500&polls=31|polls=31&voters=500"))
    browsing.settled(page)
    page.reload()
    browsing.open_settings(page)
    expect(box).to_have_value("31")


def test_the_way_back_from_and_to_a_link(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/lectures")
    browsing.open_page(page, f"{address}/voting?lesson=How+many+to+ask")
    expect(page).to_have_url(re.compile("lesson=How\\+many\\+to\\+ask"))
    takeaway = page.locator(".takeaway").text_content()
    page.go_back()
    expect(page).to_have_url(f"{address}/lectures")
    page.go_forward()
    expect(page.locator(".takeaway")).to_have_text(takeaway)
    for name in ("How+many+to+ask", "More+than+two+candidates"):
        page.evaluate(f"history.pushState({{}}, '', '/voting?lesson={name}')")
    page.go_back()
    expect(page).to_have_url(re.compile("lesson=How\\+many\\+to\\+ask"))
    expect(page.locator(".takeaway")).to_have_text(takeaway)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_back_and_forward_lead_through_chapters_with_their_settings_as_they_were_left(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/voting?lie=0.1")
    slider, takeaway = page.locator(".st-key-lie-number input[type=range]"), page.locator(".takeaway")

    def set_lie(key: str) -> None:
        slider.press(key)
        browsing.settled(page)

    set_lie("PageDown")
    first, words = page.url, takeaway.text_content()
    page.get_by_role("radio", name="Many polls").click()
    expect(page).to_have_url(re.compile("lesson=Many"))
    set_lie("End")
    second = page.url
    assert first != second
    page.go_back()
    expect(page).to_have_url(first)
    expect(page.get_by_role("radio", name="One poll")).to_be_checked()
    expect(takeaway).to_have_text(words)
    page.go_forward()
    expect(page).to_have_url(second)
    expect(page.get_by_role("radio", name="Many polls")).to_be_checked()


def test_the_link_is_copied(page: Page, address: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    browsing.open_page(page, f"{address}/voting?lie=0.3")
    page.evaluate("history.replaceState(null, '', location.href + '&job=0123456789ab')")  # as while a job runs
    browsing.open_menu(page)
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Link copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == f"{address}/voting?lie=0.3"


def test_nonsense_in_a_link_is_noted_and_leaves_the_address(page: Page, address: str) -> None:
    browsing.open_page(page, f"{address}/image_noise?p=1.2&seed=abc&what=ever&classes=7")
    note = page.locator(".st-key-link-notes")
    for name in ("p=1.2", "seed=abc", "what", "classes=7"):
        expect(note).to_contain_text(name)
    expect(page.locator(".st-key-dial output")).to_have_text("70 %")
    expect(page).to_have_url(re.compile("/image_noise$"))
    note.get_by_role("button", name="Dismiss").click()
    expect(note).to_have_count(0)


ROWS = (f"{i % 37 + 20 * (i % 2)},{'red' if i % 3 else 'blue'},{'yes' if i % 2 else 'no'}" for i in range(200))
TABLE = "\n".join(["size,colour,kind", *ROWS]).encode()


def test_a_file_is_for_this_visit_alone(page: Page, address: str) -> None:
    link = "proportions?records=Breast+cancer&bags=12&bag_size=20&bag_draws=2&train_by=match+each+bag%E2%80%99s+share"
    browsing.open_page(page, f"{address}/{link}")
    expect(page.locator(browsing.PROGRESS)).to_have_count(0)  # the end of the trials runs the page again
    browsing.open_settings(page)
    page.get_by_role("button", name="Your own data").focus()
    page.keyboard.press("Enter")
    bad = TABLE.replace(b"\n20,", b"\nmany,", 1)
    for content, said in ((bad, "“many”, which is no finite"), (TABLE, "200 rows, 3 columns")):
        browsing.settled(page)  # every file has an upload of its own
        file = {"name": "mine.csv", "mimeType": "text/csv", "buffer": content}
        page.locator("input[type=file]").last.set_input_files([file])  # type: ignore[list-item]
        expect(page.get_by_text(said)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".takeaway", has_text="“yes”")).to_be_visible()
    expect(page).to_have_url(re.compile("records=your(\\+|%20)own"))
    other = page.context.new_page()  # a visit of its own, as a session is a tab's
    other.goto(page.url)
    page.reload()
    for visit in (other, page):
        expect(visit.get_by_text("A visitor’s own records are in no link: bring the file again.")).to_be_visible()
        expect(visit.get_by_role("button", name="mine.csv")).to_have_count(0)
    other.close()


EVIL = "//127.0.0.1:9"
WORDS = f"[In](http:{EVIL}/x) ![p](http:{EVIL}/p.png) www.evil.example a@evil.example <img src={EVIL}/y> :smile:"


@pytest.mark.parametrize(
    "link",
    [f"comparison?pin=:streamlit: {WORDS},digits,labels,250,1,0", f"voting?shares={WORDS}"],
    ids=["a pin", "a text"],
)
def test_a_links_words_come_alive_nowhere_and_fetch_nothing(page: Page, address: str, link: str) -> None:
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    browsing.open_page(page, f"{address}/{link}")
    expect(page.locator(".st-key-link-notes")).to_contain_text("was ignored")
    assert page.locator(".st-key-link-notes :is(a, img)").count() == 0
    assert [url for url in urls if not url.startswith((address, "data:", "blob:"))] == []
