"""The page of a telephone: its wheel, what it sends, byte for byte, its languages, and a network that is away."""

import re
import threading
import time
from collections.abc import Iterator
from itertools import count
from types import SimpleNamespace

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, Route, expect
from scipy.stats import chisquare
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from deploy import replicas
from pages.polls import languages, routes
from pages.polls.store import Store
from tests.browser.test_every_view import audited
from tests.working import until

pytestmark = pytest.mark.browser

SPINS, ODD = 100_000, 1e-4
SPIN = """
([answer, n, p, spins]) => {
  const counts = Array(n).fill(0);
  for (let i = 0; i < spins; i++) counts[released(answer, n, p)]++;
  return counts;
}
"""
# The wheel's random words are these, one after the other.
FIXED = "(words) => { crypto.getRandomValues = (into) => into.fill(words.shift()); }"
# No page of a Chromium without a screen is ever hidden, so a test says that one is.
SEEN_AGAIN = "document.dispatchEvent(new Event('visibilitychange'))"
KEPT = "JSON.parse(Object.values(localStorage)[0])"
COUNTING = "() => { const go = fetch; looks_made = 0; fetch = (...all) => { looks_made++; return go(...all); }; }"
# Milliseconds after which a page that waits has looked whether the question is asked again.
A_WHILE = 15_000
# Milliseconds: sooner than a page that waits looks by itself.
SOON = 2_000
# The wheel decides for the truth, or for a lie: random bits all 1, or all 0.
CLOSED = "This poll is closed; it takes no more answers."
TWICE = (
    "The question is asked again. Of 100 people who send the same answer 2 times, it is true for 69, if all answers "
    "are equally common."
)
OFFLINE = "No network: keep this page open, and what the wheel decided will be sent when the network is back."
ALWAYS = {"truth": 2**32 - 1, "lie": 0}


class Recorded(H11Protocol):
    """Notes every byte that a connection brings."""

    heard: list[bytearray]

    def connection_made(self, transport):
        self.came = bytearray()
        self.heard.append(self.came)
        super().connection_made(transport)

    def data_received(self, data):
        self.came.extend(data)
        super().data_received(data)


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> Iterator[SimpleNamespace]:
    """A server of polls alone in this process: its address, its store, and every byte that comes."""
    store = Store(f"sqlite:///{tmp_path_factory.mktemp('polls')}/polls.sqlite")
    heard: list[bytearray] = []
    protocol = type("Protocol", (Recorded,), {"heard": heard})
    telephones = routes.Telephones(lambda: store, count().__next__)  # reads every poll anew
    app = Starlette(routes=routes.routes(telephones))
    (port,) = replicas.free_ports(1)
    server = uvicorn.Server(uvicorn.Config(app, port=port, http=protocol, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    until(lambda: server.started)
    yield SimpleNamespace(address=f"http://127.0.0.1:{port}", store=store, heard=heard)
    server.should_exit = True
    thread.join()


@pytest.fixture
def telephone(browser: Browser) -> Iterator[Page]:
    """A tab 320 pixels wide."""
    context = browser.new_context(viewport={"width": 320, "height": 568}, reduced_motion="reduce")
    yield context.new_page()
    assert context.cookies() == []
    context.close()


def spin(page: Page) -> None:
    """Choose the first answer, and spin the wheel."""
    page.get_by_role("radio").first.check()
    page.get_by_role("button", name="Spin").click()


def answer(page: Page) -> None:
    """Choose the first answer, spin, and see what came of it."""
    spin(page)
    expect(page.locator("#result")).to_be_focused()


def opened(served, answers=("Yes", "No"), lie=0.4):
    poll, secret = served.store.open("Have you ever copied homework?", answers, lie)
    return poll, secret, f"{served.address}/p/{poll.code}"


def visited(served, page, with_clock=False):
    """Open a poll and go to it, with a clock that the test sets."""
    poll, secret, url = opened(served)
    if with_clock:
        page.clock.install()
    page.goto(url)
    return poll, secret, url


@pytest.mark.parametrize(("n", "lie"), [(2, 0.4), (3, 0.5)])
def test_the_wheel_has_the_probability_of_the_poll_and_no_other(served, telephone, n, lie):
    answers = ("Yes", "No", "Rather not say")[:n]
    telephone.goto(opened(served, answers, lie)[2])
    found = telephone.evaluate(SPIN, [1, n, lie, SPINS])

    def p_value(p):
        return chisquare(found, [SPINS * (1 - p if i == 1 else p / (n - 1)) for i in range(n)]).pvalue

    assert p_value(lie) > ODD
    assert max(p_value(1.03 * lie), p_value(lie / 1.03)) < ODD


def test_the_wheel_compares_every_bit_and_prefers_no_answer(served, telephone):
    telephone.goto(opened(served)[2])

    def decided(words, call):
        telephone.evaluate(FIXED, words)
        return telephone.evaluate(call)

    quarter = 2**30
    assert decided([quarter - 1], "chance(0.25)") is True
    assert decided([quarter], "chance(0.25)") is False
    for bits, lied in ((2**31 - 1, True), (2**31, False)):  # 2⁻³³ is told from 0 by the second word
        assert decided([quarter, bits], "chance(0.25 + 2 ** -33)") is lied
    assert [decided([word], "below(3)") for word in (0, 1, 2, 3, 2**32 - 2)] == [0, 1, 2, 0, 2]
    assert decided([2**32 - 1, 1], "below(3)") == 1, "the last word is one too many for three"
    released = [decided([0, word], "released(2, 4, 0.25)") for word in range(3)]
    assert released == [3, 0, 1]


def sent(served, browser, url, truth, wheel, control=None):
    """Every byte that a telephone sends of an answer, but for its token, and what it then shows."""
    before, context = len(served.heard), browser.new_context()
    context.add_init_script(f"crypto.getRandomValues = (into) => into.fill({ALWAYS[wheel]});")
    page = context.new_page()
    page.goto(url)
    page.get_by_role("radio").nth(truth).check()
    if control is not None:
        page.get_by_role("radio").nth(2 + control).check()
    page.get_by_role("button", name="Spin").click()
    expect(page.locator("#result")).not_to_be_empty()
    (came,) = (found[0] for one in served.heard[before:] if (found := re.findall(rb"POST .*", one, re.DOTALL)))
    shown = page.locator("#sent").inner_text()
    context.close()
    bare, n_tokens = re.subn(rb'"token":"[0-9a-f]{32}"', b"", came.partition(b"GET ")[0])
    assert n_tokens == 1
    return bytes(bare), shown


def test_what_is_sent_says_nothing_of_the_truth_but_what_the_wheel_decided(served, browser):
    _, _, url = opened(served)
    true_yes, shown_true = sent(served, browser, url, 0, "truth")
    false_yes, shown_false = sent(served, browser, url, 1, "lie")
    false_no, _ = sent(served, browser, url, 0, "lie")
    assert true_yes == false_yes, "a truth and a lie of the same words"
    assert b'"answer":0' in true_yes
    assert b'"answer":1' in false_no
    assert len(false_no) == len(true_yes)
    assert "own answer: Yes" in shown_true
    assert "another answer. Yours was: No" in shown_false


@pytest.mark.parametrize("check", ["halves", "control"])
def test_what_is_sent_in_a_poll_with_a_check_says_nothing_more(served, browser, check):
    """Whatever the random words are, the half and the second spin hang on them alone."""
    poll, _ = served.store.open("Have you ever copied homework?", ("Yes", "No"), 0.4, check=check)
    url = f"{served.address}/p/{poll.code}"

    def bytes_sent(truth, birthday, wheel):
        return sent(served, browser, url, truth, wheel, birthday if check == "control" else None)[0]

    all_true, all_changed = bytes_sent(0, 1, "truth"), bytes_sent(1, 0, "lie")
    assert len(all_true) == len(all_changed)
    if check == "control":
        assert b'"answer":1' in all_true, "Yes to the question, No to the control question"
        assert all_true == all_changed
    else:
        assert b'"answer":2' in all_true, "Yes, with the second wheel"
        assert b'"answer":0' in all_changed, "Yes as well, with the first wheel"


def test_either_half_is_as_likely(served, telephone):
    """The half is drawn as one of two, from the bits of the browser's secure generator."""
    poll, _ = served.store.open("Is it so?", ("Yes", "No"), 0.1, check="halves")
    halves = []
    for _ in range(40):
        telephone.goto(f"{served.address}/p/{poll.code}")
        halves.append(telephone.evaluate("() => { localStorage.clear(); return half; }"))
    assert 7 < sum(halves) < 33, "but for a chance of 2 in 100,000"


def test_a_class_answers_by_keyboard_once_and_again_when_it_is_asked_again(served, telephone):
    poll, secret, url = opened(served)
    page, other = telephone, telephone.context.new_page()  # the QR code is read twice
    other.goto(url)
    page.bring_to_front()
    page.clock.install()
    page.goto(url)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert audited(page) == []
    page.get_by_role("button", name="Spin").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("First choose your true answer.")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Spin")).to_be_focused()
    page.evaluate("() => { const button = document.querySelector('#send'); button.click(); button.click(); }")
    expect(page.locator("#result")).to_be_focused()
    page.emulate_media(color_scheme="dark")
    assert audited(page) == []
    said = page.locator("#result bdi").inner_text()
    page.reload()
    expect(page.locator("#spun")).to_have_text("What it was, this page no longer knows.")
    kept = page.evaluate(KEPT)
    assert 24 < kept.pop("until") - time.time() / 3600 <= 26
    assert kept == {"round": 1, "arrived": True}, "that it has answered, not what"
    assert page.evaluate("document.querySelector('#ask').hidden")
    spin(other)
    expect(other.locator("#spun")).to_have_text("What it was, this page no longer knows.")
    other.close()
    expected = [int(said == answer) for answer in poll.answers]
    assert served.store.counts(poll.code, secret) == [expected]
    served.store.ask_again(poll.code, secret)
    page.clock.fast_forward(A_WHILE)
    expect(page.get_by_role("status")).to_have_text(TWICE)
    page.get_by_role("button", name="Answer again").click()
    answer(page)
    assert [sum(asked) for asked in served.store.counts(poll.code, secret)] == [1, 1]
    served.store.close(poll.code, secret)
    page.reload()
    expect(page.get_by_role("status")).to_have_text(CLOSED)
    assert page.evaluate("localStorage.length") == 0


def test_a_telephone_that_is_put_away_hears_that_the_question_is_asked_again(served, telephone):
    page = telephone
    poll, secret, _ = visited(served, telephone, with_clock=True)
    page.get_by_role("radio").first.check()
    served.store.ask_again(poll.code, secret)
    page.get_by_role("button", name="Spin").click()
    expect(page.get_by_role("status")).to_contain_text("came too late and was not counted")
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    page.evaluate(COUNTING)
    page.clock.fast_forward(60_000)
    assert page.evaluate("looks_made") == 0, "nobody sees it"
    page.evaluate("Object.defineProperty(document, 'hidden', { value: false })")
    page.evaluate(SEEN_AGAIN)
    page.get_by_role("button", name="Answer again").click()
    answer(page)
    served.store.ask_again(poll.code, secret)
    page.clock.run_for(A_WHILE)
    expect(page.get_by_role("button", name="Answer again")).to_be_visible()


def test_a_telephone_that_looks_at_another_poll_still_counts_once(served, telephone):
    page = telephone
    _, _, url = visited(served, telephone, with_clock=True)
    answer(page)
    page.goto(opened(served)[2])
    expect(page.get_by_role("button", name="Spin")).to_be_visible()
    page.goto(url)
    expect(page.locator("#spun")).to_have_text("What it was, this page no longer knows.")
    expect(page.get_by_role("button", name="Spin")).to_be_hidden()
    page.clock.set_fixed_time(time.time() + 27 * 3600)
    page.goto(opened(served)[2])
    assert page.evaluate("localStorage.length") == 0, "a day later the poll is gone"


def test_who_has_not_answered_yet_hears_that_it_is_asked_again_and_closed(served, telephone):
    page = telephone
    poll, secret, _ = visited(served, telephone, with_clock=True)
    page.get_by_role("radio").first.check()
    served.store.ask_again(poll.code, secret)
    page.clock.fast_forward(A_WHILE)
    expect(page.get_by_role("status")).to_contain_text("The question is asked again.")
    page.get_by_role("button", name="Spin").click()
    expect(page.locator("#result")).to_be_focused()
    assert [sum(asked) for asked in served.store.counts(poll.code, secret)] == [0, 1]
    page.evaluate("localStorage.clear()")
    page.reload()
    served.store.close(poll.code, secret)
    page.clock.fast_forward(A_WHILE)
    expect(page.get_by_role("status")).to_have_text(CLOSED)
    expect(page.get_by_role("button", name="Spin")).to_be_hidden()


def test_a_server_that_hangs_gives_the_button_back(served, telephone):
    page = telephone
    visited(served, telephone, with_clock=True)
    page.route("**/p/*", lambda route: None)  # never answered
    spin(page)
    for _ in range(4):
        page.clock.fast_forward(20_000)
        expect(page.get_by_role("status")).to_have_text("The server did not respond. Trying again …")
        page.clock.fast_forward(3_000)
        expect(page.get_by_role("status")).to_have_text("Sending what the wheel decided …")
    page.clock.fast_forward(20_000)
    expect(page.get_by_role("button", name="Send again")).to_be_enabled()


def test_a_browser_that_keeps_nothing_says_that_a_reload_counts_again(served, telephone):
    telephone.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw Error(); } })")
    telephone.add_init_script("Object.defineProperty(window, 'isSecureContext', { value: false })")
    telephone.goto(opened(served)[2])
    telephone.locator("summary").click()
    expect(telephone.get_by_text("if you reload after answering, your answer can be counted twice")).to_be_visible()
    expect(telephone.get_by_text("This connection is not encrypted")).to_be_visible()


def test_an_answer_whose_acknowledgement_is_lost_is_sent_again_and_counts_once(served, telephone):
    page = telephone
    poll, secret, _ = visited(served, telephone, with_clock=True)
    page.evaluate(f"() => {{ crypto.getRandomValues = (into) => into.fill({ALWAYS['lie']}); }}")
    lost: list[Route] = []

    def lose(route: Route) -> None:
        if route.request.method == "POST" and not lost:
            lost.append(route)
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/p/*", lose)
    spin(page)
    expect(page.get_by_role("status")).to_contain_text("Trying again")
    kept = page.evaluate(KEPT)
    assert kept.keys() == {"round", "answer", "token", "arrived", "until", "tried"}
    assert kept["answer"] == 1, "the lie that is sent, not the truth"
    page.clock.fast_forward(4_000)
    expect(page.locator("#result")).to_be_focused()
    assert sum(served.store.counts(poll.code, secret)[0]) == 1


def test_what_a_poll_refuses_is_said(served, telephone):
    page = telephone
    poll, secret, _ = visited(served, telephone)
    served.store.close(poll.code, secret)
    spin(page)
    expect(page.get_by_role("status")).to_have_text(CLOSED)
    page.goto(f"{served.address}/p/BBBBB")
    expect(page.get_by_role("alert")).to_contain_text("There is no poll with this code.")


# What a telephone asks for, and what it gets.
LOCALES = {"de-CH": "de", "fr-CA": "fr", "pl-PL": "pl", "pt-BR": "pt"}


@pytest.mark.parametrize(("locale", "language"), LOCALES.items())
def test_a_class_answers_in_the_languages_of_its_telephones(served, browser, locale, language):
    poll, secret, url = opened(served, ("Yes", "No", "Rather not say"))
    context = browser.new_context(
        viewport={"width": 320, "height": 568}, locale=locale, reduced_motion="reduce", color_scheme="dark"
    )
    page = context.new_page()

    def said(key, **given):
        return languages.sentence(language, key, **given)

    page.goto(url)
    assert page.evaluate("document.documentElement.lang") == language
    expect(page.get_by_text(said("intro_more"))).to_be_visible()
    page.get_by_role("button", name=said("send")).click()
    expect(page.get_by_role("status")).to_have_text(said("choose"))
    page.get_by_text(said("why")).click()
    expect(page.get_by_text(said("wall"))).to_be_visible()
    expect(page.locator("#plain")).to_be_hidden()  # this computer's own address is a secure context
    page.get_by_role("radio").last.check()
    page.get_by_role("button", name=said("send")).click()
    expect(page.locator("#result")).to_be_focused()
    expect(page.locator("#result")).to_contain_text(said("arrived", answer="").strip())
    expect(page.locator("#spun")).to_contain_text(said("until_left"))
    served.store.ask_again(poll.code, secret)
    page.evaluate(SEEN_AGAIN)
    expect(page.get_by_role("status")).to_contain_text(said("asked_again"))
    page.get_by_role("button", name=said("answer_again")).click()
    page.get_by_role("radio").last.check()
    served.store.close(poll.code, secret)
    page.get_by_role("button", name=said("send")).click()
    expect(page.get_by_role("status")).to_have_text(said("closed"))
    assert audited(page) == []
    context.close()


def test_what_is_refused_is_in_the_language_that_the_teacher_has_fixed(served, telephone):
    poll, secret = served.store.open("Ist es so?", ("Ja", "Nein"), 0.4, language="de")
    telephone.goto(f"{served.address}/p/{poll.code}")
    telephone.get_by_role("radio").first.check()
    served.store.close(poll.code, secret)
    telephone.get_by_role("button", name=languages.sentence("de", "send")).click()
    expect(telephone.get_by_role("status")).to_have_text(languages.sentence("de", "closed"))


def test_a_screen_reader_meets_what_matters_in_order_and_the_question_in_no_language(served, telephone):
    telephone.goto(opened(served)[2])
    order = telephone.evaluate(
        """() => [...document.querySelectorAll('h1, legend, #send, #said, svg, details')].map((one) => one.localName)"""
    )
    assert order == ["h1", "legend", "button", "p", "svg", "details"]
    assert (
        telephone.evaluate("document.querySelector('h1').lang + document.querySelector('label').closest('[lang]').lang")
        == ""
    )
    assert telephone.locator("#said").get_attribute("role") == "status"


def posts_of(page):
    """The answers that a page sends, as they are sent."""
    found = []
    page.on("request", lambda request: request.method == "POST" and found.append(request.post_data_json))
    return found


def test_what_is_answered_without_a_network_is_sent_once_when_it_is_back(served, telephone):
    poll, secret, url = opened(served)
    page, context = telephone, telephone.context
    page.goto(url)
    sends = posts_of(page)
    context.set_offline(True)
    page.get_by_role("radio").first.check()
    page.get_by_role("button", name="Spin").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text(OFFLINE)
    expect(page.get_by_role("button", name="Send again")).to_be_focused()
    assert audited(page) == []
    kept = page.evaluate(KEPT)
    page.get_by_role("button", name="Send again").click()
    expect(page.get_by_role("status")).to_have_text(OFFLINE)
    assert served.store.counts(poll.code, secret) == [[0, 0]]
    before = len(sends)
    context.set_offline(False)
    page.evaluate(SEEN_AGAIN)  # together with the network, as when a screen is unlocked
    expect(page.locator("#result")).to_be_focused()
    expect(page.get_by_role("status")).to_be_empty()
    assert len(sends) == before + 1
    assert {one["token"] for one in sends} == {kept["token"]}
    assert {one["answer"] for one in sends} == {kept["answer"]}
    assert sum(served.store.counts(poll.code, secret)[0]) == 1
    page.reload()
    expect(page.locator("#result")).to_have_text("Your answer has arrived.")
    assert sum(served.store.counts(poll.code, secret)[0]) == 1


def test_what_was_kept_without_a_network_is_sent_after_a_reload_and_not_once_the_poll_is_closed(served, telephone):
    poll, secret, url = opened(served)
    page, context = telephone, telephone.context
    other = context.new_page()
    for tab in (page, other):
        tab.goto(url)
        tab.get_by_role("radio").first.check()
    context.set_offline(True)
    page.bring_to_front()
    page.get_by_role("button", name="Spin").click()
    expect(page.get_by_role("status")).to_have_text(OFFLINE)
    other.get_by_role("button", name="Spin").click()  # sends the same
    expect(other.get_by_role("status")).to_have_text(OFFLINE)
    context.set_offline(False)
    page.reload()
    for tab in (page, other):
        expect(tab.locator("#result")).to_contain_text("arrived")
    expect(page.locator("#spun")).to_have_text(re.compile("this page no longer knows"))
    assert sum(served.store.counts(poll.code, secret)[0]) == 1
    served.store.ask_again(poll.code, secret)
    page.evaluate(SEEN_AGAIN)
    page.get_by_role("button", name="Answer again").click()
    page.get_by_role("radio").first.check()
    context.set_offline(True)
    page.get_by_role("button", name="Spin").click()
    expect(page.get_by_role("status")).to_have_text(OFFLINE)
    served.store.close(poll.code, secret)
    context.set_offline(False)
    expect(page.get_by_role("status")).to_have_text(f"{CLOSED} Whether your answer counted, this page cannot tell.")
    assert sum(served.store.counts(poll.code, secret)[1]) == 0


def frozen(page, state):
    """Freeze a tab as a telephone does whose screen is locked, or let it go on."""
    page.context.new_cdp_session(page).send("Page.setWebLifecycleState", {"state": state})


def lock(page):
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    page.evaluate(SEEN_AGAIN)
    frozen(page, "frozen")


def unlock(page):
    frozen(page, "active")
    page.evaluate("Object.defineProperty(document, 'hidden', { value: false, configurable: true })")
    page.evaluate(SEEN_AGAIN)


def test_a_telephone_whose_screen_was_locked_shows_at_once_what_became_of_the_poll(served, telephone):
    page = telephone
    poll, secret, _ = visited(served, telephone)
    answer(page)
    lock(page)
    served.store.ask_again(poll.code, secret)
    unlock(page)
    expect(page.get_by_role("status")).to_have_text(TWICE, timeout=SOON)
    expect(page.locator("#result")).to_contain_text("Sent and arrived")
    page.get_by_role("button", name="Answer again").click()
    lock(page)
    served.store.close(poll.code, secret)
    unlock(page)
    expect(page.get_by_role("status")).to_have_text(CLOSED, timeout=SOON)
    expect(page.get_by_role("button", name="Spin")).to_be_hidden()


def hang_first_answer(page, *, arrives):
    """Have a telephone hear nothing of its first answer, which is counted if it `arrives`."""
    hung: list[Route] = []

    def hang(route: Route) -> None:
        if route.request.method == "POST" and not hung:
            hung.append(route)
            if arrives:
                route.fetch()
        else:
            route.continue_()

    page.route("**/p/*", hang)


def test_a_screen_that_is_locked_while_an_answer_is_lost_sends_it_again_on_waking(served, telephone):
    page = telephone
    poll, secret, _ = visited(served, telephone)
    hang_first_answer(page, arrives=False)
    spin(page)
    expect(page.get_by_role("status")).to_have_text("Sending what the wheel decided …")
    lock(page)
    time.sleep(2.2)
    unlock(page)
    expect(page.locator("#result")).to_contain_text("Sent and arrived", timeout=SOON)
    expect(page.get_by_role("status")).to_be_empty()
    assert sum(served.store.counts(poll.code, secret)[0]) == 1


def test_an_answer_of_which_nothing_was_heard_is_not_called_lost_when_the_question_is_asked_again(served, telephone):
    page = telephone
    poll, secret, _ = visited(served, telephone)

    def lose(route: Route) -> None:
        if route.request.method == "POST" and served.store.poll(poll.code).round == 1:
            route.fetch()
            served.store.ask_again(poll.code, secret)
            route.abort()
        else:
            route.continue_()

    page.route("**/p/*", lose)
    spin(page)
    late = (
        "What was sent just now came too late and was not counted. Whether your answer counted, this page cannot tell."
    )
    expect(page.get_by_role("status")).to_contain_text(late)
    expect(page.get_by_role("button", name="Answer again")).to_be_visible()
    expect(page.get_by_role("status")).to_contain_text(late)
    assert sum(served.store.counts(poll.code, secret)[0]) == 1
    page.get_by_role("button", name="Answer again").click()
    answer(page)
    assert [sum(asked) for asked in served.store.counts(poll.code, secret)] == [1, 1]


def test_a_page_that_comes_back_from_the_browser_s_memory_asks_at_once(served, telephone):
    page = telephone
    poll, secret, _ = visited(served, telephone)
    answer(page)
    served.store.close(poll.code, secret)
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(page.get_by_role("status")).to_have_text(CLOSED, timeout=SOON)


@pytest.mark.parametrize(("wheel", "turned"), [("truth", 1080 - 180 * 1.4), ("lie", 1080 - 180 * 0.4)])
def test_the_wheel_stops_where_it_has_decided(served, telephone, wheel, turned):
    telephone.add_init_script(f"crypto.getRandomValues = (into) => into.fill({ALWAYS[wheel]});")
    telephone.goto(opened(served)[2])
    answer(telephone)
    assert telephone.evaluate("parseFloat(/[0-9.]+/.exec(disc.style.transform)[0])") == pytest.approx(turned)
