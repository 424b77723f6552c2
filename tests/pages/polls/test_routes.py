"""Requests of telephones: the page, the status of each refusal, and answers on disk."""

import asyncio
import itertools
import json
import logging
import re
import threading
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest
from starlette.applications import Starlette

from pages.polls import background, languages, participant, routes, rules
from pages.polls.bucket import Bucket, Guesses
from pages.polls.database import TIMEOUT
from pages.polls.rules import DatabaseUnavailable, NoSuchPoll, PollError
from pages.polls.store import Store
from privdemo import limits
from server import room
from server.waiting_room import WaitingRoom
from tests.server.asking import ask, asking, in_a_loop

HERE = {"origin": "http://localhost", "content_type": "application/json"}
TOKEN = 32 * "a"


@pytest.fixture
def store(tmp_path):
    return Store(f"sqlite:///{tmp_path}/polls.sqlite")


@pytest.fixture
def app(store, clock):
    return Starlette(routes=routes.routes(routes.Telephones(lambda: store, clock, Guesses(clock))))


@pytest.fixture
def poll(store):
    return store.open("Have you ever copied homework?", ("Yes", "No"), 0.25)


def answer(round=1, answer=0, token=TOKEN):
    return json.dumps({"round": round, "answer": answer, "token": token}).encode()


def post(app, code, body=None, **given):
    return ask(app, f"/p/{code}", "POST", body=[answer() if body is None else body], **HERE | given)


LONGEST_LIE = 0.010000000000000002


@pytest.mark.parametrize("language", languages.LANGUAGES)
def test_the_page_is_small_and_runs_and_loads_nothing_but_its_own(app, store, language):
    longest = [(200 * letter, tuple(39 * letter + str(i) for i in range(6))) for letter in ("&", "<", "'", '"', "👍")]
    checked = [(question, answers[:2], check) for question, answers in longest for check in ("halves", "control")]
    for question, answers, *check in (("Have you ever copied homework?", ("Yes", "No")), *longest, *checked):
        poll, _ = store.open(question, answers, LONGEST_LIE, check=(*check, "")[0])
        page = ask(app, f"/p/{poll.code.lower()}", accept_language=language)
        assert (page.status, page.headers["content-language"]) == (200, language)
        assert len(page.body) < 15_000
        policy = page.headers["content-security-policy"]
        for tag in ("script", "style"):
            (part,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page.text, re.DOTALL)
            assert f"{tag}-src 'sha256-{b64encode(sha256(part.encode()).digest()).decode()}'" in policy
        assert not re.findall(r"""(?:src|href)="(?!data:,")|style="|@import|url\((?!#)|unsafe|https?:""", page.text)
        assert not re.search(r"\{\{|<[^>]* on\w+=", page.text)
        assert "default-src 'none'" in policy
        assert page.headers["cache-control"] == "no-store"
        assert "set-cookie" not in page.headers


def said_by_script(page):
    """The sentences in a page that its script says."""
    (words,) = re.findall(r"<script id=words type=\"application/json\">(.*?)</script>", page)
    return json.loads(words)


def test_style_and_script_are_the_same_in_all_languages_and_the_page_holds_its_own_alone(app, poll):
    parts, texts = set(), []
    for language in languages.LANGUAGES:
        page = ask(app, f"/p/{poll[0].code}", accept_language=language).text
        parts.add(page.partition("<style>")[2].partition("</style>")[0] + page.rpartition("<script>")[2])
        texts.append(said_by_script(page))
        assert f'<html lang="{language}">' in page
        assert languages.sentence(language, "intro_two") in page
        assert f"<b>{languages.percent(0.75, language)}</b>" in page
    assert len(parts) == 1
    assert {len(text) for text in texts} == {len(participant._SAID[""])}
    assert [languages.template("pl", key) for key in participant._SAID[""]] == texts[-1]


def test_before_the_first_button_stand_two_sentences_and_what_else_there_is_to_know_is_folded(app, poll):
    page = ask(app, f"/p/{poll[0].code}").text
    before, _, after = page.partition("<button")
    words = re.sub(r"<noscript>.*?</noscript>|<[^>]*>", " ", before.partition("</h1>")[2]).split()
    assert len(words) < 45
    assert after.index("<svg") < after.index("<details>")
    folded = after.partition("<details>")[2].partition("</details>")[0]
    for key in ("why", "watched", "wall", "stored", "remembers", "accidents", "operator", "plain"):
        assert languages.sentence("en", key) in folded


def test_without_javascript_a_sentence_says_what_is_missing_and_nothing_can_be_sent(app, poll):
    page = ask(app, f"/p/{poll[0].code}").text
    assert "<noscript><p><strong>Please switch JavaScript on" in page
    assert "<div id=ask hidden>" in page
    assert not re.search("<form|submit", page), "a browser would put the true answer into the address"


def test_a_page_with_two_wheels_says_of_each_what_it_does_and_protects(app, store):
    poll, _ = store.open("Is it so?", ("Yes", "No"), 0.1, check="halves")
    page = ask(app, f"/p/{poll.code}", accept_language="en").text
    assert "one sends the other answer in 10\u00a0% of cases, one in 40\u00a0%." in page
    assert "<b class=h0>90\u00a0%</b><b class=h1>60\u00a0%</b> your true answer" in page
    assert "it is true for <span class=h0>90</span><span class=h1>60</span>, if" in page
    assert "a factor of <span class=h0>9.00</span><span class=h1>1.50</span> (ε = <span class=h0>2.2</span>" in page
    assert re.findall(r'<circle class=(h.) [^>]*dasharray="(\d+) 100"', page) == [("h0", "10"), ("h1", "40")]
    assert 'data-lie="0.1;0.4"' in page
    assert "birthday" not in page


def test_a_page_with_a_control_question_asks_it_and_says_what_both_answers_reveal(app, store):
    poll, _ = store.open("Is it so?", ("Yes", "No"), 0.25, check="control")
    page = ask(app, f"/p/{poll.code}", accept_language="de").text
    assert "<legend>Hast du im Januar, Februar oder März Geburtstag?</legend>" in page
    assert page.count("<input type=radio name=control ") == 2
    assert "Faktor 3,00 (ε = 1,1)." in page
    assert "eine Antwort sagt nichts über die andere" in page
    assert "Rädern" not in page


def test_a_poll_with_a_check_counts_four_things_and_no_fifth(app, store):
    for check in ("halves", "control"):
        poll, secret = store.open("Is it so?", ("Yes", "No"), 0.25, check=check)
        for i in range(4):
            assert post(app, poll.code, answer(answer=i, token=f"{i:032x}")).status == 200
        refused = post(app, poll.code, answer(answer=4, token=f"{4:032x}"))
        assert (refused.status, store.counts(poll.code, secret)) == (422, [[1, 1, 1, 1]])
        store.ask_again(poll.code, secret)
        assert store.counts(poll.code, secret) == [[1, 1, 1, 1], [0, 0, 0, 0]]


@pytest.mark.parametrize(("answers", "whose"), [(("Yes", "No"), "the other one"), (("a", "b", "c"), "another one")])
def test_the_page_says_which_answers_chance_may_send(app, store, answers, whose):
    poll, _ = store.open("Is it so?", answers, 0.125)
    page = ask(app, f"/p/{poll.code}", accept_language="en").text
    assert f"A wheel decides by chance whether that answer or {whose} is sent" in page
    assert "<b>87.5\u00a0%</b> your true answer" in page
    german = ask(app, f"/p/{poll.code}", accept_language="de").text
    assert "<b>87,5\u00a0%</b> deine wahre Antwort" in german


def test_the_language_is_the_telephone_s_own_unless_the_teacher_has_fixed_one(app, store, poll):
    fixed, _ = store.open("Ist es so?", ("Ja", "Nein"), 0.25, language="de")
    for code, accepted, language in (
        (poll[0].code, "fr-CH, fr;q=0.9, en;q=0.8", "fr"),
        (poll[0].code, "ja", "en"),
        (poll[0].code, "", "en"),
        (fixed.code, "fr", "de"),
    ):
        page = ask(app, f"/p/{code}", accept_language=accepted)
        assert (page.headers["content-language"], page.headers["vary"]) == (language, "Accept-Language")
        assert f'<html lang="{language}">' in page.text


def test_a_refusal_is_in_the_telephone_s_language_and_that_of_a_program_in_english(app, store, poll):
    store.close(*[poll[0].code, poll[1]])
    refused = post(app, poll[0].code, accept_language="pl")
    assert json.loads(refused.body) == {"error": languages.sentence("pl", "closed")}
    assert (refused.headers["content-language"], refused.headers["vary"]) == ("pl", "Accept-Language")
    page = ask(app, "/p/BBBBB", accept="text/html", accept_language="it")
    assert '<html lang="it">' in page.text
    assert "<h1>Nessun sondaggio qui</h1>" in page.text
    assert "dopo 24 ore" in page.text
    box = ask(app, "/p/", accept_language="es-MX")
    assert "<h1>Unirse a una encuesta</h1>" in box.text
    assert (box.headers["content-language"], box.headers["vary"]) == ("es", "Accept-Language")
    assert ask(app, "/p/?code=x", accept_language="nl").text.count("Er is geen peiling met deze code.") == 1
    program = post(app, poll[0].code, b"", accept_language="pl")
    assert (program.headers["content-language"], "as JSON" in program.text) == ("en", True)


def test_each_refusal_of_a_poll_has_a_sentence_in_every_language():
    for error in routes._STATUS:
        assert len({error().sentence(language) for language in languages.LANGUAGES}) == len(languages.LANGUAGES)
        assert str(error()) == error().sentence("en")
    assert "5.000 Antworten" in rules.PollFull().sentence("de")


def test_words_of_a_poll_are_shown_as_words(app, store):
    poll, _ = store.open('"><script>alert(1)</script>{{code}}', ("<img src=x onerror=alert(1)>", "{{lie}} {0}"), 0.25)
    page = ask(app, f"/p/{poll.code}").text
    assert page.count("<script>") == 1
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;{{code}}</h1>" in page
    assert "{{lie}} {0}</span>" in page


def test_an_answer_is_on_disk_before_it_is_acknowledged_and_counts_once(app, store, poll, tmp_path):
    poll, secret = poll
    for body in (answer(), answer(answer=1), answer(token=32 * "b")):
        kept = post(app, poll.code, body)
        assert (kept.status, json.loads(kept.body)) == (200, {"round": 1})
        assert "set-cookie" not in kept.headers
    assert Store(store.database.url.render_as_string()).counts(poll.code, secret) == [[2, 0]]


@pytest.mark.parametrize(
    ("body", "given", "status", "said"),
    [
        (None, {"origin": "http://evil.example"}, 403, "own page only"),
        (None, {"origin": ""}, 403, "own page only"),
        (None, {"content_type": "text/plain"}, 415, "application/json"),
        (answer(round=2), {}, 422, "not been asked that often"),
        (answer(answer=2), {}, 422, "no such answer"),
        (answer(answer=-1), {}, 422, "no such answer"),
        (answer(answer=10**300), {}, 422, "no such answer"),
        (answer(round=10**300), {}, 422, "not been asked"),
        (answer(answer=True), {}, 400, "as JSON"),
        (answer(answer=0.0), {}, 400, "as JSON"),
        (answer(token=31 * "a"), {}, 400, "as JSON"),
        (answer(token=31 * "a" + "\n"), {}, 400, "as JSON"),
        (answer(token=None), {}, 400, "as JSON"),
        (b"[1, 0]", {}, 400, "as JSON"),
        (b'{"round": 1', {}, 400, "as JSON"),
        (b"\xff\x00", {}, 400, "as JSON"),
        (500 * b"[", {}, 400, "as JSON"),
        (1_000 * b"[", {}, 400, "as JSON"),
        (b"", {}, 400, "as JSON"),
        (answer()[:-1] + b', "truth": 1}', {}, 400, "as JSON"),
        (1025 * b" ", {}, 413, "1,024 bytes"),
        (1_000_000 * b" ", {}, 413, "1,024 bytes"),
    ],
    ids=itertools.count(),
)
def test_what_is_refused_says_why_and_is_not_counted(app, store, poll, body, given, status, said):
    poll, secret = poll
    refused = post(app, poll.code, body, **given)
    assert (refused.status, said in json.loads(refused.body)["error"]) == (status, True)
    assert store.counts(poll.code, secret) == [[0, 0]]


def test_a_poll_that_is_not_there_closed_or_full(app, store, poll, monkeypatch):
    poll, secret = poll
    for code in ("BBBBB", "BCDF", "%00", "é", 300 * "B"):
        assert [post(app, code).status, ask(app, f"/p/{code}").status, ask(app, f"/p/{code}/now").status] == 3 * [404]
    page = ask(app, "/p/BBBBB", accept="text/html,*/*")
    assert (page.status, '<p role="alert">There is no poll' in page.text, "<form" in page.text) == (404, True, True)
    monkeypatch.setattr(limits, "POLL_PEOPLE", limits.Limit("answers", 1, 1, integer=True))
    assert [post(app, poll.code, answer(token=32 * letter)).status for letter in "aba"] == [200, 507, 200]
    store.close(poll.code, secret)
    assert post(app, poll.code).status == 410
    assert 'data-open="no"' in ask(app, f"/p/{poll.code}").text


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS"])
def test_other_methods_are_refused(app, poll, method):
    refused = ask(app, f"/p/{poll[0].code}", method, **HERE)
    assert (refused.status, refused.headers["allow"]) == (405, "GET, HEAD, POST")
    assert ask(app, f"/p/{poll[0].code}/now", "POST", **HERE).headers["allow"] == "GET, HEAD"


def test_a_body_that_does_not_arrive_is_not_waited_for(app, poll, monkeypatch):
    monkeypatch.setattr(limits, "POLL_SECONDS", limits.Limit("seconds", 0, 0.01))
    assert ask(app, f"/p/{poll[0].code}", "POST", body=[b'{"round"', None], **HERE).status == 408


def test_a_body_without_end_is_refused_once_it_is_too_long(app, poll):
    parts = [b" " * 100_000] * 21 + [None]
    assert ask(app, f"/p/{poll[0].code}", "POST", body=parts, **HERE).status == 413


def test_whether_the_question_is_asked_again_is_known_within_half_a_second(app, store, poll, clock):
    poll, secret = poll
    now = f"/p/{poll.code}/now"
    assert json.loads(ask(app, now).body) == {"round": 1, "open": True}
    store.ask_again(poll.code, secret)
    refused = post(app, poll.code)
    assert (refused.status, "is asked again" in refused.text) == (409, True)
    store.close(poll.code, secret)
    assert json.loads(ask(app, now).body) == {"round": 1, "open": True}, "read anew for nobody"
    assert post(app, poll.code).status == 410
    clock.now += 0.5
    assert json.loads(ask(app, now).body) == {"round": 2, "open": False}


def test_a_database_that_is_away_is_said_and_tried_again(poll):
    def away():
        raise DatabaseUnavailable

    assert routes._TIMEOUT > TIMEOUT, "what the database says itself is heard"
    app = Starlette(routes=routes.routes(routes.Telephones(away)))
    page = ask(app, "/p/BCDFG", accept="text/html")
    for refused in (post(app, "BCDFG"), ask(app, "/p/BCDFG"), page):
        assert (refused.status, refused.headers["retry-after"]) == (503, "2")
    assert "<h1>Please wait</h1>" in page.text
    assert '<meta http-equiv="refresh"' in page.text

    def broken():
        raise ZeroDivisionError

    assert post(Starlette(routes=routes.routes(routes.Telephones(broken))), "BCDFG").status == 503


def test_a_database_that_hangs_is_not_waited_for_and_what_it_writes_later_counts_once(store, poll, monkeypatch):
    poll, secret = poll
    freed = threading.Event()

    def hangs():
        freed.wait()
        return store

    monkeypatch.setattr(routes, "_TIMEOUT", 0.05)
    app, path = Starlette(routes=routes.routes(routes.Telephones(hangs))), f"/p/{poll.code}"

    async def sent():
        return (await asking(app, path, "POST", body=[answer()], **HERE)).status

    async def all_of_it():
        try:
            hung = [await sent(), await sent(), (await asking(app, path)).status, (await asking(app, path)).status]
        finally:
            freed.set()
        monkeypatch.setattr(routes, "_TIMEOUT", 10.0)
        return [*hung, await sent(), (await asking(app, path)).status]

    assert in_a_loop(asyncio.wait_for(all_of_it(), 30)) == [503, 503, 503, 503, 200, 200]
    assert store.counts(poll.code, secret) == [[1, 0]]


def test_a_flood_from_one_address_is_refused_and_a_class_behind_one_is_not(store, clock, poll, monkeypatch):
    burst, rate = limits.POLL_BURST.high, limits.POLL_RATE.high
    assert burst >= 200
    assert burst + 60 * rate >= 5_000, "in a minute"
    monkeypatch.setattr(limits, "POLL_BURST", limits.Limit("answers at once", 1, 200))
    app, path = (
        Starlette(routes=routes.routes(routes.Telephones(lambda: store, clock, Guesses(clock)))),
        f"/p/{poll[0].code}",
    )
    bodies = [answer(token=f"{i:032x}") for i in range(202)]

    async def flood():
        return await asyncio.gather(
            *(asking(app, path, "POST", body=[one], client="10.0.0.7", **HERE) for one in bodies)
        )

    *together, refused, again = in_a_loop(flood())
    assert {one.status for one in together} == {200}
    assert (refused.status, refused.headers["retry-after"], again.status) == (429, "2", 429)
    assert ask(app, path, client="10.0.0.7").status == 200, "who looks is counted apart"
    assert post(app, poll[0].code, client="10.0.0.8").status == 200
    clock.now += 1
    assert post(app, poll[0].code, client="10.0.0.7").status == 200


WRONG = ["".join(letters) for letters in itertools.islice(itertools.product("BCDFG", repeat=5), 500)]


async def statuses(app, codes, client="10.0.0.7", end="", **how):
    """Return the statuses of simultaneous requests for these codes."""
    paths = [f"/p/{code}{end}" for code in codes]
    return [one.status for one in await asyncio.gather(*(asking(app, path, client=client, **how) for path in paths))]


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("end", ["", "/now"])
def test_wrong_codes_cost_the_same_however_they_come(app, clock, together, end):
    """500 simultaneous guesses succeed no more often than 500 in sequence, and a second later one more is allowed."""
    burst = int(limits.GUESS_BURST.high)

    async def walk():
        if together:
            return await statuses(app, WRONG, end=end)
        return [(await statuses(app, [code], end=end))[0] for code in WRONG]

    assert in_a_loop(walk()) == [404] * burst + [429] * (500 - burst)
    clock.now += 1 / limits.GUESS_RATE.high
    assert in_a_loop(statuses(app, WRONG[:2], end=end)) == [404, 429]


def test_answers_to_wrong_codes_are_guesses_as_well(app):
    async def walk():
        half = int(limits.GUESS_BURST.high) // 2
        looked = await statuses(app, WRONG[:half])
        return looked + await statuses(app, WRONG, method="POST", body=[answer()], **HERE)

    found = in_a_loop(walk())
    assert found.count(404) == limits.GUESS_BURST.high
    assert found[-1] == 429


def test_a_guess_that_is_right_is_not_told_from_a_wrong_one_without_tokens(app, poll):
    async def walk():
        await statuses(app, WRONG)
        return await statuses(app, [poll[0].code]) + await statuses(app, [poll[0].code], "10.0.0.8")

    assert in_a_loop(walk()) == [429, 200]


def test_whoever_tries_codes_does_not_slow_a_class_behind_the_same_address(app, poll):
    """Thirty clients flood with wrong codes, and a class has found its poll."""
    code = poll[0].code

    async def walk():
        assert await statuses(app, [code]) == [200]
        await statuses(app, 5 * WRONG)
        looks = await statuses(app, [code] * 200) + await statuses(app, [code] * 200, end="/now")
        bodies = [answer(token=f"{i:032x}") for i in range(200)]
        sent = [asking(app, f"/p/{code}", "POST", body=[one], client="10.0.0.7", **HERE) for one in bodies]
        return looks + [one.status for one in await asyncio.gather(*sent)]

    assert set(in_a_loop(walk())) == {200}


def test_a_class_gets_in_from_its_teacher_s_network_though_somebody_there_tried_codes_first(store, clock):
    guesses = Guesses(clock)
    app = Starlette(routes=routes.routes(routes.Telephones(lambda: store, clock, guesses)))
    found, _ = store.open("Is it so?", ("Yes", "No"), 0.25)

    async def walk():
        await statuses(app, WRONG)
        refused = await statuses(app, [found.code])
        guesses.note_found("10.0.0.7", found.code)  # as the page does where its teacher opens the poll
        return refused + await statuses(app, [found.code] * 30)

    assert in_a_loop(walk()) == [429] + [200] * 30


def test_guesses_from_many_threads_are_counted_as_from_one():
    guesses = Guesses(lambda: 0.0)
    codes = ["".join(letters) for letters in itertools.islice(itertools.product(rules.LETTERS, repeat=5), 4_000)]

    def guess(code):
        try:
            with guesses.look_up("10.0.0.7", code):
                raise NoSuchPoll
        except PollError as error:
            return isinstance(error, NoSuchPoll)

    with ThreadPoolExecutor(16) as threads:
        assert sum(threads.map(guess, codes)) == limits.GUESS_BURST.high
    assert not guesses._under_way


def test_a_right_code_costs_no_guess(app, store):
    codes = [store.open(f"Question {i}?", ("Yes", "No"), 0.25)[0].code for i in range(3)]

    async def walk():
        for _ in range(3):
            assert set(await statuses(app, 100 * codes)) == {200}
        return await statuses(app, WRONG)

    assert in_a_loop(walk()).count(404) == limits.GUESS_BURST.high


def test_the_time_to_try_all_codes_is_what_the_docs_promise():
    days = len(rules.LETTERS) ** rules.CODE / limits.GUESS_RATE.high / 86_400
    said = " ".join(Path("docs/serving.md").read_text().split())
    assert f"trying all codes takes one network {days:.0f} days" in said


def test_a_code_is_found_however_its_address_is_typed(app, poll):
    code = poll[0].code
    for end in ("", "/now"):
        for address in (f"/p/{code}{end}/", f"/P/{code}{end}", f"/P/{code.lower()}{end}/"):
            found = ask(app, address)
            assert (found.status, found.headers["location"]) == (308, f"/p/{code}{end}")
            assert routes.ADDRESS.fullmatch(address[1:])
    for address in ("/p", "/p/", "/P", "/P/"):
        box = ask(app, address)
        assert (box.status, '<form action="/p/">' in box.text) == (200, True)
        assert "form-action 'self'" in box.headers["content-security-policy"]
        assert routes.ADDRESS.fullmatch(address[1:])
    typed = ask(app, f"/p/?code=+{code.lower()}+")
    assert (typed.status, typed.headers["location"]) == (303, f"/p/{code}")
    assert ask(app, "/p/?code=%22%3E").status == 404


def test_a_bucket_fills_again_and_forgets_who_has_not_asked_for_long(monkeypatch, clock):
    bucket = Bucket(3, 2, clock)
    assert [bucket.take_token("a") for _ in range(4)] == [True, True, True, False]
    clock.now += 0.5
    assert [bucket.take_token("a") for _ in range(2)] == [True, False]
    clock.now += 60
    ours = ["2001:db8:0:1::1", "2001:db8:0:ff::2", "2001:db8:0:ff::3", "2001:db8:0:2::1"]
    assert [bucket.take_token(one) for one in ours] == [True, True, True, False], "one /56 is one network"
    assert bucket.take_token("2001:db8:0:100::1")
    bucket.give_back("2001:db8::1")
    assert [bucket.take_token(one) for one in ours[:2]] == [True, False]
    assert len(bucket._left) == 2, "a has all of its tokens again, and is forgotten"
    monkeypatch.setattr("pages.polls.bucket._MOST_REMEMBERED", 10)
    for i in range(100):
        bucket.take_token(f"10.0.0.{i}")
    assert len(bucket._left) <= 11


def test_who_takes_part_is_not_a_visitor_of_the_app(app, poll, monkeypatch):
    """Answers to a poll pass a full waiting room."""
    monkeypatch.setattr(limits, "VISITS", limits.Limit("visits", 0, 0))
    room = WaitingRoom(app, {"", "voting"}.copy)
    assert ask(room, f"/p/{poll[0].code}").status == post(room, poll[0].code).status == 200
    assert ask(room, "/voting").status == 503


def test_answers_that_come_together_are_written_together(store, poll):
    poll, secret = poll
    batches = []

    class Counted(routes.Telephones):
        def _count_all(self, answers):
            batches.append(len(answers))
            return super()._count_all(answers)

    app = Starlette(routes=routes.routes(Counted(lambda: store)))
    bodies = [answer(answer=i % 3, token=f"{i:032x}") for i in range(60)]

    async def all_at_once():
        path = f"/p/{poll.code}"
        return await asyncio.gather(*(asking(app, path, "POST", body=[body], **HERE) for body in bodies))

    assert [one.status for one in in_a_loop(all_at_once())] == 20 * [200, 200, 422]
    assert store.counts(poll.code, secret) == [[20, 20]]
    assert len(batches) < 10
    assert sum(batches) == 60


def test_a_lone_answer_is_no_longer_in_the_log_once_nobody_waits(app, store, poll, tmp_path):
    log = tmp_path / "polls.sqlite-wal"

    async def one_at_a_time():
        for i in range(3):
            kept = await asking(app, f"/p/{poll[0].code}", "POST", body=[answer(token=f"{i:032x}")], **HERE)
            assert kept.status == 200
            assert log.stat().st_size > 0, "it is acknowledged first"
            while log.stat().st_size:
                await asyncio.sleep(0.001)

    in_a_loop(asyncio.wait_for(one_at_a_time(), 30))
    assert store.counts(poll[0].code, poll[1]) == [[3, 0]]


def test_logs_of_requests_leave_polls_out(caplog):
    background.exclude_from_access_log()
    log = logging.getLogger("uvicorn.access")
    with caplog.at_level(logging.INFO, "uvicorn.access"):
        for path in ("/p/BCDFG", "/P/BCDFG", "/p/?code=BCDFG", "/poll", "/voting"):
            log.info('%s - "%s %s HTTP/%s" %d', "10.0.0.7:1234", "GET", path, "1.1", 200)
    log.removeFilter(background._is_no_vote)
    assert [record.args[2] for record in caplog.records] == ["/poll", "/voting"]


def test_old_polls_are_forgotten_while_the_server_runs(monkeypatch):
    looks = []

    class Forgetting:
        def truncate_log(self):
            pass

        def forget_old(self):
            looks.append(1)
            if len(looks) == 1:
                raise DatabaseUnavailable

    async def for_a_while():
        task = asyncio.create_task(background.begin())
        while len(looks) < 3:
            await asyncio.sleep(0.001)
        task.cancel()

    monkeypatch.setattr(background, "FORGET_EVERY", 0.001)
    monkeypatch.setattr(routes, "store_of_process", Forgetting)
    in_a_loop(asyncio.wait_for(for_a_while(), 30))
    logging.getLogger("uvicorn.access").removeFilter(background._is_no_vote)


# --- polls that are open to the room -------------------------------------------------------------

ROOM_HOST = "192.168.1.20"


@pytest.fixture
def opened_room(poll, clock):
    found = room.Room(clock)
    found.open(poll[0].code, ROOM_HOST, 8501, 3600, {ROOM_HOST, "127.0.0.1"})
    return found


@pytest.fixture
def room_app(store, clock, opened_room):
    """Return the routes as they are asked under the host of the room."""
    served = Starlette(routes=routes.routes(routes.Telephones(lambda: store, clock, Guesses(clock), opened_room)))

    async def app(scope, receive, send):
        await served({**scope, room.HOST: ROOM_HOST}, receive, send)

    return app


def test_in_the_room_only_a_poll_that_is_open_to_it_is_found(room_app, store, poll):
    other, secret = store.open("Is it so?", ("Yes", "No"), 0.25)
    assert ask(room_app, f"/p/{poll[0].code}").status == post(room_app, poll[0].code).status == 200
    for code in (other.code, "BBBBB"):
        said = {(answer.status, answer.text) for answer in (ask(room_app, f"/p/{code}"), post(room_app, code))}
        assert said == {(404, json.dumps({"error": str(NoSuchPoll())}, separators=(",", ":")))}
        assert ask(room_app, f"/p/{code}/now").status == 404
    assert store.counts(other.code, secret) == [[0, 0]]


def test_trying_codes_in_the_room_costs_what_it_costs_elsewhere(room_app, poll):
    codes = ["".join(letters) for letters in itertools.islice(itertools.product("BCDFG", repeat=5), 201)]
    codes = [code for code in codes if code != poll[0].code][: int(limits.GUESS_BURST.high)]
    assert {ask(room_app, f"/p/{code}", client="192.168.1.33").status for code in codes} == {404}
    assert ask(room_app, f"/p/{poll[0].code}", client="192.168.1.33").status == 429
    assert ask(room_app, f"/p/{poll[0].code}", client="192.168.1.34").status == 200


def test_that_a_telephone_was_there_is_noted_and_of_this_computer_it_is_not(room_app, opened_room, poll, app):
    code = poll[0].code
    assert ask(room_app, f"/p/{code}", client=ROOM_HOST).status == 200
    assert ask(room_app, f"/p/{code}", client=f"::ffff:{ROOM_HOST}").status == 200
    assert ask(app, f"/p/{code}", client="192.168.1.33").status == 200  # by another name of the server
    assert not opened_room.opened(code).is_reached
    assert ask(room_app, f"/p/{code}", client="::ffff:192.168.1.33").status == 200
    assert opened_room.opened(code).is_reached


@pytest.mark.parametrize("end", ["close", "delete"])
def test_a_poll_that_another_process_ends_is_closed_to_the_room_with_the_next_request(
    room_app, opened_room, store, clock, poll, end
):
    code = poll[0].code
    assert ask(room_app, f"/p/{code}").status == 200
    getattr(store, end)(code, poll[1])
    assert opened_room.is_host(ROOM_HOST), "this room is not the store's own"
    clock.now += 1
    refused = ask(room_app, f"/p/{code}")
    assert refused.status == (410 if end == "close" else 404)
    assert not opened_room.is_host(ROOM_HOST)
    assert ask(room_app, f"/p/{code}").status == 404


@pytest.mark.parametrize("end", ["close", "delete"])
def test_a_poll_that_ends_is_closed_to_the_room_at_once(store, poll, end):
    room.ROOM.open(poll[0].code, ROOM_HOST, 8501, 3600, ())
    with pytest.raises(PollError):
        getattr(store, end)(poll[0].code, "stolen")
    assert room.ROOM.is_host(ROOM_HOST)
    getattr(store, end)(*(poll[0].code, poll[1]))
    assert not room.ROOM.is_host(ROOM_HOST)


def sent_guess(number=1, value=42, token=TOKEN):
    return json.dumps({"number": number, "value": value, "token": token}).encode()


def post_guess(app, code, body=None, **given):
    return ask(app, f"/p/{code}/guess", "POST", body=[sent_guess() if body is None else body], **HERE | given)


@pytest.fixture
def guessed(store, poll):
    """A poll with its secret, whose room is asked for a share."""
    store.ask_guess(*as_owner(poll), rules.Guess("What <share> & how?", 0, 100, 1, "\u00a0%"))
    return poll


def as_owner(poll):
    return poll[0].code, poll[1]


def test_what_the_room_is_asked_to_guess_is_a_form_with_a_script_of_its_own(app, guessed, store, clock):
    code = guessed[0].code
    assert json.loads(ask(app, f"/p/{code}/now").body) == {"round": 1, "open": True, "guess": 1}
    form = ask(app, f"/p/{code}/guess/", accept_language="de")
    assert form.status == 308
    form = ask(app, f"/p/{code}/guess", accept_language="de")
    assert (form.status, form.headers["content-language"], form.headers["cache-control"]) == (200, "de", "no-store")
    assert f"<legend>{languages.sentence('de', 'guess_asked')}</legend>" in form.text
    assert "<p lang=en>What &lt;share&gt; & how?</p>" in form.text
    assert "min=0 max=100 step=1 " in form.text
    assert languages.sentence("de", "guess_open") in form.text
    (script,) = re.findall("<script>(.*)</script>", form.text, re.DOTALL)
    allowed = ask(app, f"/p/{code}").headers["content-security-policy"]
    assert f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in allowed
    store.ask_guess(*as_owner(guessed), rules.Guess("Which?", options=("<b>", "two")))
    clock.now += 1
    form = ask(app, f"/p/{code}/guess")
    assert 'data-number="2"' in form.text
    assert '<div lang="en">' in form.text
    assert "<span dir=auto>&lt;b&gt;</span>" in form.text
    assert script in form.text
    store.end_guess(*as_owner(guessed), 2)
    clock.now += 1
    assert ask(app, f"/p/{code}/guess").status == 409
    assert "guess" not in json.loads(ask(app, f"/p/{code}/now").body)


@pytest.mark.parametrize(
    ("guess", "field"),
    [
        (rules.Guess("How many?", 0, 100, 1, " people"), "<span>0 – 100 Personen</span>"),
        (rules.Guess("Who?", options=("nobody", "a curator")), "<span dir=auto>niemand</span>"),
    ],
)
def test_options_and_units_of_a_guess_are_in_the_language_of_the_telephone(app, poll, store, guess, field):
    store.ask_guess(*as_owner(poll), guess)
    form = ask(app, f"/p/{poll[0].code}/guess", accept_language="de").text
    assert '<div lang="de">' in form
    assert field in form


def test_a_guess_is_kept_once_and_beside_the_answer(app, guessed, store):
    code, secret = as_owner(guessed)
    for body in (sent_guess(), sent_guess(value=50), sent_guess(value=10.0, token=32 * "b")):
        kept = post_guess(app, code, body)
        assert (kept.status, json.loads(kept.body)) == (200, {"number": 1})
        assert "set-cookie" not in kept.headers
    assert post(app, code).status == 200
    assert store.end_guess(code, secret, 1) == [10.0, 42.0]
    assert store.counts(code, secret) == [[1, 0]]


@pytest.mark.parametrize(
    ("body", "given", "status", "said"),
    [
        (None, {"origin": "http://evil.example"}, 403, "own page only"),
        (None, {"content_type": "text/plain"}, 415, "application/json"),
        (sent_guess(number=2), {}, 409, "no longer asked for"),
        (sent_guess(value=101), {}, 422, "not possible here"),
        (sent_guess(value=-1), {}, 422, "not possible here"),
        (sent_guess(value=0.5), {}, 422, "not possible here"),
        (sent_guess(value=10**300), {}, 422, "not possible here"),
        (sent_guess(value=float("nan")), {}, 422, "not possible here"),
        (sent_guess(value=True), {}, 400, "as JSON"),
        (sent_guess(value="42"), {}, 400, "as JSON"),
        (sent_guess(number=1.0), {}, 400, "as JSON"),
        (sent_guess(token="a"), {}, 400, "as JSON"),
        (answer(), {}, 400, "as JSON"),
        (b"", {}, 400, "as JSON"),
        (1025 * b" ", {}, 413, "1,024 bytes"),
    ],
    ids=itertools.count(),
)
def test_a_guess_that_is_refused_says_why_and_is_not_kept(app, guessed, store, body, given, status, said):
    code, secret = as_owner(guessed)
    refused = post_guess(app, code, body, **given)
    assert (refused.status, said in json.loads(refused.body)["error"]) == (status, True)
    assert store.n_guesses(code, secret) == 0


def test_guesses_of_a_poll_that_is_not_there_closed_or_full(app, guessed, store, monkeypatch):
    code, secret = as_owner(guessed)
    for wrong in ("BBBBB", "BCDF"):
        assert [post_guess(app, wrong).status, ask(app, f"/p/{wrong}/guess").status] == [404, 404]
    refused = ask(app, f"/p/{code}/guess", "PUT", **HERE)
    assert (refused.status, refused.headers["allow"]) == (405, "GET, HEAD, POST")
    monkeypatch.setattr(limits, "POLL_PEOPLE", limits.Limit("answers", 1, 1, integer=True))
    assert [post_guess(app, code, sent_guess(token=32 * letter)).status for letter in "aba"] == [200, 507, 200]
    store.close(code, secret)
    assert post_guess(app, code).status == 410
