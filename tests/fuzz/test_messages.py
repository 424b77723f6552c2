"""Messages of nearly a megabyte to every widget that takes a text: they hold up nobody, and leave no traceback.

Each page is opened and unfolded; every text, list of texts and component's JSON on it is sent five kinds of long text.
"""

import asyncio
import json
import time
from collections.abc import Iterator, Mapping
from itertools import chain, cycle, takewhile
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from pages.kit import lecture
from pages.kit.lecture import Lecture, Step
from pages.kit.page import Page
from pages.kit.settings import Choice, Words
from pages.kit.values import Values
from pages.topics import PAGES
from tests.browser.browsing import ROOT
from tests.fuzz.sending import (
    NO_TEXTS,
    TEXTS,
    ClosedError,
    Health,
    Rendered,
    Visitor,
    asked_for_health,
    key_of,
    next_answer,
    served,
)
from tests.fuzz.words import of_programmers
from tests.server.asking import in_a_loop

KINDS = {"letters": "a", "spaces": " ", "marks": "\u0301", "backslashes": "\\", "brackets": "["}
# Bytes of a message that is taken, and of one that is not; and of JSON that is looked into.
FRAME, TOO_LONG, JSON = 900_000, 1_000_001, 60_000
TOO_BIG = 1009
# Seconds that the server may take longer to say that it is well than an idle one, and how often that is tried.
BEYOND_IDLE, TRIES = 0.2, 4
# What a component's browser may say, by the name of the event.
EVENTS = ("moved", "move", "screen", "owner", "changed")
ODD: tuple[Any, ...] = (
    None,
    {"count": 1},
    {"count": -1, "value": float("nan")},
    {"count": 10**30, "value": 10**400},
    {"count": True, "value": True, "other": True},
    {"count": 2, "other": float("inf")},
    {"count": [], "value": 0.1},
    {"value": 0.1},
    True,
    "",
    "a",
    "٣",
    -1,
    1e308,
    float("nan"),
    float("inf"),
    10**400,
    [],
    [1],
    [[]],
    {},
    {"a": 1},
)
RAW = (
    "",
    *(unit * JSON for unit in 'a ["\\'),
    "[" * 900 + "]" * 900,
    "[" * 30_000 + "]" * 30_000,
    '"a"',
    "3",
    "null",
    "[3]",
)
# The components that hear something from their browser, each with a page and a link where they are.
OWN = Lecture("Own", "", 5, (Step("poll", {}, "One"), Step("voting", {}, "Two", ("figure", "control"), "lesson")))
COMPONENTS: list[tuple[str, dict[str, str], tuple[str, ...]]] = [
    ("", {}, ("dial", "copy-link")),
    ("voting", {}, ("lie-number", "people-dots")),
    ("voting", {"present": "1-from-lies-to-learning"}, ("presenter",)),
    ("poll", {}, ("poll-owner",)),
    ("lectures", {"lecture": lecture.to_link(OWN), "x": "1"}, ("address-page",)),
]
# Pages that are asked for by long addresses of names that no page knows: one without chapters, one that takes a text.
LONG_LINKS = {"", "poll"}
# Links that bring widgets on the screen, and choices that bring more of them there, by the address of the page.
LINKS = {"lectures": {"lecture": lecture.to_link(OWN)}, "voting": {"part": "0.2"}}
MORE_STAGES = {
    "distortion": [{"counts_of": "my own"}],
    "comparison": [{"compare_on": "Small digits"}],
    "poll": [{"way": "Show of hands"}, {"way": "On their phones"}],
}
# Settings of which no page has a widget at all, or before a visitor brings records, opens a poll on telephones or asks
# something else than the page opens with.
NOT_RENDERED = {"job", "lecture", "pin", "poll_language", "like", "trust_one_of_k", "trust_counts", "trust_classifier"}


class Server(NamedTuple):
    """A running app, the file of what it says, its health, and the longest time of an idle one to answer."""

    address: str
    log: Path
    health: Health
    idle: float


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    log = tmp_path_factory.mktemp("fuzz") / "log"
    with served(log) as address, asked_for_health(address) as health:
        in_a_loop(first_visit(address))
        yield Server(address, log, health, in_a_loop(idle_now(health)))


async def first_visit(address: str) -> None:
    """Have the server load what it loads once."""
    async with Visitor(address, "") as visitor:
        await visitor.run()


def stages(page: Page) -> list[dict[str, str]]:
    """The choices, by their keys, that bring all widgets of a page on the screen, one after the other."""
    found: list[dict[str, str]] = [{}]
    if page.chapters:
        texts = [
            (s.key, one.on_screen)
            for one in page.chapters.all
            for s in one.settings_for(Values())
            if isinstance(s, Words | Choice)
        ]
        found += [{page.chapters.key: name} for name in dict.fromkeys(dict(reversed(texts)).values())]
    return found + MORE_STAGES.get(page.address, [])


def text(kind: str, size: int) -> str:
    """A text of so many bytes."""
    unit = KINDS[kind]
    return unit * (size // len(unit.encode()))


def state(identity: str, kind: str, of: str, size: int) -> list[WidgetState]:
    """What a widget of a kind sends, in about so many bytes of a kind of text."""
    long = text(of, size)
    if TEXTS[kind] == "string_value":
        return [WidgetState(id=identity, string_value=long)]
    if TEXTS[kind] == "string_array_value":
        one = WidgetState(id=identity)
        one.string_array_value.data.extend([text(of, size // 2), *[KINDS[of] * 6] * (size // 40)])
        return [one]
    assert TEXTS[kind] == "json_value"
    short = text(of, size // 100)
    nested = json.loads("[" * 40 + "]" * 40)
    given = {event: [short, short, True, [[short, short], short, nested]] for event in EVENTS}
    events = [{"event": event, "value": value} for event, value in given.items()]
    trigger = _make_trigger_id(identity, "events")
    return [
        WidgetState(id=identity, json_value=json.dumps(given, ensure_ascii=False)),
        WidgetState(id=trigger, json_trigger_value=json.dumps(events, ensure_ascii=False)),
    ]


def messages(widgets: Mapping[str, str]) -> Iterator[list[WidgetState]]:
    """Every kind of text to all widgets at once, and a longer one of the kinds in turns to each of them alone."""
    share = FRAME // (2 * len(widgets) + 1)
    for of in KINDS:
        yield [one for identity, kind in widgets.items() for one in state(identity, kind, of, share)]
        yield [one for identity, kind in widgets.items() for one in state(identity, kind, of, JSON // 10)]
    for (identity, kind), of in zip(widgets.items(), cycle(KINDS), strict=False):
        yield state(identity, kind, of, FRAME if kind != "bidi_component" else 2 * JSON)


class Sending(NamedTuple):
    """What a visitor sends for one run of a page: the states of widgets, and the page's query unless it is the same."""

    states: list[WidgetState]
    query: str | None = None


def queries() -> list[str]:
    """Long addresses of every kind of text, and addresses that no page writes."""
    found = [f"what={text(of, FRAME)}&asked={text(of, 100)}" for of in KINDS]
    return [*found, "=" + "a" * 9000, "=&=b&what=" + "a" * 9000, "%FF%00=%zz&&&;=", "a&" * 900, "&" * 9000, ""]


async def attack(
    server: Server, visitor: Visitor, sendings: list[Sending], idle: float
) -> tuple[list[Rendered], list[Sending], float]:
    """Send all; what is rendered after each, what the server answered late meanwhile, and the longest that it took."""
    rendered, times = [], []
    for one in sendings:
        start = time.monotonic()
        rendered.append(await visitor.run(one.states, one.query))
        times.append((start, time.monotonic()))
    await next_answer(server.health)
    worst = [server.health.worst(*between) for between in times]
    late = [one for one, took in zip(sendings, worst, strict=True) if took > idle + BEYOND_IDLE]
    return rendered, late, max(worst)


async def attack_again_if_late(server: Server, visitor: Visitor, sendings: list[Sending]) -> tuple[list[Rendered], str]:
    """Send all, and once more what was answered late, as the computer may have been busy; what stays late is a fault.

    Return what is rendered after each, and the fault or an empty text.
    """
    rendered, idle, left = [], server.idle, sendings
    for _ in range(TRIES):
        more, left, worst = await attack(server, visitor, left, idle)
        rendered += more
        if not left:
            return rendered, ""
        idle = max(idle, await idle_now(server.health))
    return rendered, f"{worst:.2f} s until the server said that it is well, {idle:.2f} idle"


def faults(rendered: list[Rendered], usual: set[str]) -> list[str]:
    """What is wrong with what is rendered, beside what is usual."""
    words = {word for one in rendered for word in one.words} - usual
    failed = [f"the page failed: {one.failed}" for one in rendered if one.failed]
    return failed + [f"{wrong}: {word[:200]}" for word in words if (wrong := of_programmers(word))]


def choices(stage: Mapping[str, str], widgets: Mapping[str, str]) -> list[WidgetState]:
    """What the widgets of choices send."""
    found = []
    for identity, kind in widgets.items():
        if kind == "button_group" and key_of(identity) in stage:
            found.append(WidgetState(id=identity))
            found[-1].string_array_value.data.append(stage[key_of(identity)])
    assert len(found) == len(stage)
    return found


async def idle_now(health: Health) -> float:
    """The longest time that a server takes to say that it is well while nobody asks anything else."""
    since = time.monotonic()
    await asyncio.sleep(1)
    await next_answer(health)
    return health.worst(since)


async def fuzz(server: Server, page: Page) -> tuple[set[str], list[str]]:
    """The keys of all widgets of a page that take a text, and all that is wrong after they were sent texts."""
    done: set[str] = set()
    found: list[str] = []
    async with Visitor(server.address, page.address, LINKS.get(page.address)) as visitor:
        await visitor.run()
        await visitor.run()
        assert visitor.folds
        for stage in stages(page):
            usual = await visitor.run(choices(stage, visitor.widgets))
            found += faults([usual], set(usual.words))
            assert set(visitor.widgets.values()) <= {*TEXTS, *NO_TEXTS}
            new = {one: kind for one, kind in visitor.widgets.items() if kind in TEXTS and one not in done}
            if not new:
                continue
            sendings = [Sending(states) for states in (*messages(new), [])]
            if page.address in LONG_LINKS and not stage:
                sendings += [Sending([], query) for query in queries()]
            rendered, late = await attack_again_if_late(server, visitor, sendings)
            found += faults(rendered, set(usual.words))
            found += [f"{stage}: {late}"] if late else []
            done |= new.keys()
    return {key_of(identity) for identity in done}, found


def tracebacks(log: Path) -> list[str]:
    """The errors of all tracebacks in a log, each with the last place in the project."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    found = []
    for i, line in enumerate(lines):
        if "Traceback" in line:
            rest = list(takewhile(lambda one: one.startswith(" "), lines[i + 1 :]))
            places = [one.strip() for one in rest if f'"{ROOT}/' in one and ".venv" not in one] or ["elsewhere"]
            error = lines[i + len(rest) + 1][:200] if i + len(rest) + 1 < len(lines) else ""
            found.append(f"{error} ({places[-1]})")
    return found


def new_tracebacks(server: Server, before: int) -> str:
    """The tracebacks since there were so many, each once."""
    return "\n".join(dict.fromkeys(tracebacks(server.log)[before:]))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.address or "home")
def test_long_texts(page: Page, server: Server) -> None:
    before = len(tracebacks(server.log))
    keys, found = in_a_loop(fuzz(server, page))
    texts = {s.key for s in page.all_settings(Values()) if isinstance(s, Words | Choice)} - NOT_RENDERED
    assert not new_tracebacks(server, before)
    assert not found, "\n".join(dict.fromkeys(found))
    assert texts <= keys
    assert f"link-controls-{page.address}" in keys


def odd(identity: str) -> Iterator[list[WidgetState]]:
    """What the browser of a component never says: values of other kinds, JSON that is none, and lists in lists."""
    trigger = _make_trigger_id(identity, "events")
    for value in ODD:
        given = json.dumps(dict.fromkeys(EVENTS, value))
        events = json.dumps([{"event": event, "value": value} for event in EVENTS])
        yield [WidgetState(id=identity, json_value=given), WidgetState(id=trigger, json_trigger_value=events)]
    for raw in RAW:
        yield [WidgetState(id=identity, json_value=raw)]
        yield [WidgetState(id=trigger, json_trigger_value=raw)]


async def say_odd_things(server: Server, page: str, link: Mapping[str, str], keys: tuple[str, ...]) -> list[str]:
    """Have the components of a page send what their browser never does, all at once; what is wrong then."""
    async with Visitor(server.address, page, link) as visitor:
        await visitor.run()
        usual = await visitor.run()
        components = {key_of(one): one for one, kind in visitor.widgets.items() if kind == "bidi_component"}
        together = zip(*(odd(components[key]) for key in keys), strict=True)
        rendered = [await visitor.run([*chain.from_iterable(states)]) for states in together]
        return faults([*rendered, await visitor.run()], set(usual.words))


@pytest.mark.parametrize(("page", "link", "keys"), COMPONENTS, ids=[" and ".join(keys) for _, _, keys in COMPONENTS])
def test_odd_json(page: str, link: dict[str, str], keys: tuple[str, ...], server: Server) -> None:
    before = len(tracebacks(server.log))
    found = in_a_loop(say_odd_things(server, page, link, keys))
    assert not new_tracebacks(server, before)
    assert not found, "\n".join(dict.fromkeys(found))


async def closing(address: str, frame: bytes | str) -> int | None:
    """The code with which the server closes a connection after a frame."""
    async with Visitor(address, "") as visitor:
        await visitor.run()
        await visitor.send(frame)
        with pytest.raises(ClosedError) as closed:
            await visitor.rendered()
        return closed.value.code


async def bytes_for(address: str, query: Mapping[str, str]) -> int:
    """How many bytes the server sends to somebody who opens the page of a poll by a link."""
    async with Visitor(address, "poll", query) as visitor:
        await visitor.run()
        return visitor.received


def test_long_links_are_not_answered_with_much_more(server: Server) -> None:
    usual = in_a_loop(bytes_for(server.address, {}))
    longest = in_a_loop(bytes_for(server.address, {"asked": "?" * 200, "answers": "a" * 3_000, "nowhere": "b" * 4_000}))
    assert longest - usual < 100_000


def test_other_messages(server: Server) -> None:
    """Messages that no page of the app sends are ignored, and a request for many files ends the visit."""
    before, idle = len(tracebacks(server.log)), server.idle
    many = BackMsg()
    many.file_urls_request.file_names[:] = ["a"] * 300_000
    many.file_urls_request.request_id = "a"

    async def walk() -> Rendered:
        async with Visitor(server.address, "") as visitor:
            await visitor.run()
            for ignored in ("clear_cache", "app_heartbeat", "load_git_info", "debug_shutdown_runtime"):
                await visitor.send(BackMsg(**{ignored: True}).SerializeToString())
            await next_answer(server.health)
            return await visitor.run()

    for left in reversed(range(TRIES)):
        since = time.monotonic()
        assert in_a_loop(closing(server.address, many.SerializeToString())) == TOO_BIG
        assert not in_a_loop(walk()).failed
        worst = server.health.worst(since)
        if worst <= idle + BEYOND_IDLE or not left:
            break
        idle = max(idle, in_a_loop(idle_now(server.health)))  # the computer may have got busy
    assert worst <= idle + BEYOND_IDLE
    assert not new_tracebacks(server, before)


def test_too_long(server: Server) -> None:
    before = len(tracebacks(server.log))
    assert in_a_loop(closing(server.address, b"\0" * TOO_LONG)) == TOO_BIG
    assert not new_tracebacks(server, before)


def test_text_frame(server: Server) -> None:
    before = len(tracebacks(server.log))
    assert in_a_loop(closing(server.address, "a" * 100)) in (1003, 1007, 1008)
    in_a_loop(first_visit(server.address))
    assert not new_tracebacks(server, before)
