"""Five hundred hostile links to all pages: each part of them is used, or a plain sentence says why not, and soon."""

import json
import random
import time
import zlib
from base64 import urlsafe_b64encode
from functools import cache, partial
from typing import Any
from urllib.parse import parse_qs, urlencode

import pytest
from streamlit.runtime.scriptrunner import RerunData
from streamlit.testing.v1 import local_script_runner

from pages.kit import lecture, present
from pages.kit import page as kit_page
from pages.kit.page import Page
from pages.kit.settings import Choice, Setting, Words, problems
from pages.kit.values import Values
from pages.topics import PAGES
from pages.topics.comparison import question as comparison_question
from privdemo import limits
from privdemo.experiments.comparison import ComparisonConfig
from tests.fuzz.words import of_programmers
from tests.pages.visiting import visit

# Links that are read part by part, and links that are opened besides those that are too long.
LINKS, VISITED = 500, 60
MOST_SECONDS = 0.05
LONGEST = 33_000
NUMBERS = [
    *("1e999", "-1e999", "-0", "nan", "inf", "٣", "1_000", "0x10", "1e-400", "9" * 400, "+5", " 5", "5 ", "1,5", "½"),
    *("1.0", "-1", "0.0000001", "1e3", ".", "-", "e", "1e", "--1", "1..2", "∞", "𝟓"),
]
TEXTS = [
    *(
        "",
        " ",
        "\0",
        "\n",
        "\u202e",
        "\u0301",
        "\ufeff",
        "\ud7ff",
        "😀",
        "👩‍👩‍👧‍👦",
        "%",
        "%00",
        "%zz",
        "%25%32%35",
        "&",
        "=",
        "#",
        "?",
    ),
    *(
        "<script>alert(1)</script>",
        "[a](javascript:alert(1))",
        "`*x*`",
        "$x$",
        ":red[x]",
        "{x}",
        "{0.__class__}",
        "%s%n",
    ),
    *(
        "../../etc/passwd",
        "None",
        "True",
        "[]",
        "a,b",
        "a;b",
        "'",
        '"',
        "\\",
        "a/b",
        " / ",
        "/" * 9,
        "constructor",
        "٣,٤",
    ),
]
UNITS = ["a", " ", "\u0301", "\\", "[", "]", "9", ",", "/", "😀", "a, ", "0.1 ", "<b>", "`", "%", "a\u0301", "\u00a0/ "]
KEYS = [
    "",
    " ",
    "what",
    "Job",
    "a b",
    "\0",
    "present",
    "controls",
    "lecture",
    "pin",
    "job",
    "settings",
    "embed",
    "__class__",
]
# Links that are too long, without a key as well.
LONG = [{"": ["a" * 9000]}, {"": [""], "what": [" " * LONGEST]}, {"a": ["\u0301" * 9000], "": ["", "b"]}]


@cache
def codes() -> tuple[str, ...]:
    """Return encoded lectures and pinned settings as links have them: whole, cut, changed, and with hostile content."""
    chance = random.Random("codes")
    whole = [lecture.to_link(one) for one in lecture.shipped().values()] + [
        comparison_question.encode(ComparisonConfig(dataset="digits"))
    ]
    found = []
    for code in whole:
        cut = chance.randrange(len(code))
        other = chance.choice("A_-=, \u0301")
        found += [
            code,
            code[:cut],
            code[cut:],
            code[:cut] + other + code[cut + 1 :],
            code * 2,
            f"1-{code}",
            f"٣-{code}",
        ]
    tables: tuple[Any, ...] = (
        [],
        {},
        3,
        None,
        ["a", "b", 3, 4],
        ["a", "b", 3, [[]]],
        ["a", "b", 1e999, [["", {}, "", "t", ""]]],
    )
    tables = (*tables, ["a", "b", 3, [["", {"a": None}, [], "t", {}]]], [[[[["a"] * 9] * 9] * 9] * 9] * 9)
    for table in tables:
        packed = zlib.compress(json.dumps(table).encode(), 9)
        found.append("1" + urlsafe_b64encode(packed).decode().rstrip("="))
    # a few letters that decompress to 50,000 nested lists
    bomb = "1" + urlsafe_b64encode(zlib.compress(b"[" * 50_000, 9)).decode().rstrip("=")
    # settings of the page “Methods compared” as its parameter `pin` holds them
    pins = [
        "a,b,c,d,e,f",
        ",,,,,",
        *(f"classify,digits,labels,{n},{n},{n},delta={n}" for n in ("nan", "1e999", "٣", "1")),
    ]
    return (*found, bomb, *pins, *(f"classify,digits,labels,250,1,0,{word}" for word in ("x", "__class__=1", "rho=")))


def text(chance: random.Random, setting: Setting | None) -> str:
    """One value: of the setting's own, or anything else."""
    kind = chance.random()
    if kind < 0.3 and isinstance(setting, Choice):
        return chance.choice([*setting.options, ",".join(setting.options)])
    if kind < 0.45:
        return chance.choice(NUMBERS)
    if kind < 0.7:
        return chance.choice(TEXTS)
    if kind < 0.8:
        return chance.choice(codes())
    if kind < 0.9:
        unit = chance.choice(UNITS)
        return (unit * LONGEST)[: chance.choice([100, 1000, 8191, 8193, LONGEST])]
    default = setting.default if setting else ""
    given = str(default[0] if isinstance(default, tuple) and default else default)
    place = chance.randrange(len(given) + 1)
    return given[:place] + chance.choice([*TEXTS, *NUMBERS]) + given[place:]


def link(page: Page, chance: random.Random) -> dict[str, list[str]]:
    """A link to a page."""
    settings = {setting.key: setting for setting in known(page)}
    keys = chance.sample(list(settings), min(len(settings), chance.choice([1, 2, 3, 8])))
    keys += chance.sample(KEYS, chance.choice([0, 0, 1, 2]))
    return {key: [text(chance, settings.get(key)) for _ in range(chance.choice([1, 1, 1, 2, 5]))] for key in keys}


def known(page: Page) -> list[Setting]:
    """All that a link to a page may set."""
    return [*page.all_settings(Values()), *present.link_parameters(page.here)]


def links() -> list[tuple[Page, dict[str, list[str]]]]:
    """All links, with their pages."""
    chance = random.Random("links")
    return [(PAGES[i % len(PAGES)], link(PAGES[i % len(PAGES)], chance)) for i in range(LINKS)]


def faults(page: Page, address: dict[str, list[str]]) -> list[str]:
    """What is wrong with the way in which a link is read."""
    found = []
    settings = {setting.key: setting for setting in known(page)}
    for key, raw in address.items():
        where = f"/{page.address}?{key[:20]}={raw[0][:40]!r} ({len(raw[0])} letters)"
        setting = settings.get(key)
        least = 9.0
        for _ in range(3):
            start = time.thread_time()
            try:
                said = problems(settings.values(), {key: raw}).get(key)
                if setting and not said:
                    setting.value(raw)
            except Exception as error:
                found.append(f"{where}: {type(error).__name__}: {error}")
                break
            least = min(least, time.thread_time() - start)
            if least < MOST_SECONDS:
                break
        else:
            found.append(f"{where} takes {least:.2f} s")
        if said and (words := of_programmers(said, key + "".join(raw))):
            found.append(f"{where}: {words}: {said}")
        if said and len(said) > 3000:
            found.append(f"{where}: {len(said)} letters are said")
    return found


def test_each_part_is_used_or_refused() -> None:
    made = links()
    wrong = [fault for page, address in made for fault in faults(page, address)]
    assert not wrong, "\n".join(wrong)
    texts = [value for _, address in made for raw in address.values() for value in raw]
    assert max(map(len, texts)) == LONGEST
    assert len({page.address for page, _ in made}) == len(PAGES)


def test_long_texts_are_refused_at_once() -> None:
    wrong = []
    for page in PAGES:
        for setting in known(page):
            if isinstance(setting, Words):
                wrong += [
                    fault for unit in UNITS for fault in faults(page, {setting.key: [(unit * LONGEST)[:LONGEST]]})
                ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.address or "home")
def test_pages_open(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kit_page, "show", lambda *args: None)  # what is answered is tested elsewhere
    chance = random.Random(f"visits to {page.address}")
    hostile = [*LONG, *(link(page, chance) for _ in range(VISITED // len(PAGES) + 1))]
    given = ""
    at = visit(page.address)
    monkeypatch.setattr(local_script_runner, "RerunData", partial(RerunData, is_history_navigation=True))
    for address in hostile:
        at.query_params.clear()
        # as a browser sends it, and Streamlit takes it
        sent = parse_qs(urlencode(address, doseq=True, errors="replace"), keep_blank_values=True)
        for key, values in sent.items():
            at.query_params[key] = values
        at.run()
        assert not at.exception, (address, at.exception[0].message)
        said = "\n".join(element.value for element in (*at.warning, *at.error, *at.toast, *at.markdown))
        given += "".join([*address, *(value for values in address.values() for value in values)])  # notes stay
        assert not of_programmers(said, given)


def test_length_of_a_link_is_bounded() -> None:
    assert limits.LINK_LENGTH.high < limits.ADDRESS_BYTES.high < LONGEST
