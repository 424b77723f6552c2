"""Hostile TOML files: lectures, saved settings and sweep specs are read or refused with a plain sentence, and soon."""

import gc
import json
import random
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pages.kit import lecture, setting_file
from pages.kit.values import Values
from pages.topics import PAGES
from privdemo.experiments import sweep
from privdemo.experiments.sweep import EXPERIMENTS, forms
from tests.fuzz.words import of_programmers

MOST_SECONDS = 0.2
ADDRESSES = [page.address for page in PAGES]
# Values of other kinds and sizes, as a file has them.
ODD = [
    *("3", "-1", "0", "10000000000000000000000", "0x" + "f" * 5000, "1" * 5000, "0.5", "-0.0", "1e308", "nan", "inf"),
    *("-inf", "true", "false", "1979-05-27", "07:32:00", "1979-05-27T07:32:00Z", '""', '"a"', '"٣"', '"\\u0000"'),
    *('"' + "a" * 9000 + '"', '"\\u0301\\u202e<b>`*"', "[]", "[3]", '["a"]', '["a", "a"]', "[[1, 2], [3]]", "[true]"),
    *("[1, 'a']", "[nan]", "{}", "{ a = 1 }", '{ sigma = "a" }', "{ flip_prob = [1], n_states = 2 }", "[{ a = 1 }]"),
    *("[" + "1, " * 2000 + "1]", "[" * 18 + "]" * 18),
]


class Raw(str):
    """A value as a file has it."""


def written(value: Any) -> str:
    """A value in TOML, on one line."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {written(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | bool) else repr(value)


def as_file(table: dict[str, Any]) -> bytes:
    """The file of a table."""
    return "\n".join(f"{json.dumps(key)} = {written(value)}" for key, value in table.items()).encode()


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value of a table, and to the tables in it."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if path:
        yield path
    for key, each in inner:
        yield from places(each, (*path, key))


def changed(value: Any, path: tuple[Any, ...], to: Any) -> Any:
    """The same with another value at the end of a path."""
    key, *rest = path
    new = changed(value[key], tuple(rest), to) if rest else to
    if isinstance(value, dict):
        return value | {key: new}
    return [*value[:key], new, *value[key + 1 :]]


def config_of(name: str) -> dict[str, Any]:
    """The config of an experiment as a file has it, on records that every computer has."""
    experiment = EXPERIMENTS[name]
    usual = getattr(experiment.config, "dataset", "")
    return experiment.plain_values(experiment.make({"dataset": "digits"} if usual == "mnist" else {}))


# --- lectures and saved settings -----------------------------------------------------------------


def from_nothing(chance: random.Random) -> Iterator[bytes]:
    """Files that are no lecture and no setting, most of them no TOML."""
    for size in (0, 1, 100, 5000, 64_000, 64_001, 200_000):
        yield chance.randbytes(size)
        yield bytes(chance.choices(b"\"'\\[]{}=.,#\n\t a1_-", k=size))
    for unit in ('"\\', "\\\\'", "'''", '"""', '"\\"', "a='\\'\n", '"\\".', "'.'.", '"" ', "a.\t", "#\\'", '"""\\'):
        yield unit.encode() * (62_000 // len(unit))
    for unit, end in (("[", ""), ("[", "]"), ("{a=", ""), ("{a=", "}"), ("[[", "]]"), ("a.", "a"), ("'a'.", "b")):
        for n in (19, 25, 400, 10_000):
            yield b"a = " + unit.encode() * n + end.encode() * n
    yield b"\n".join(b"[" + b".".join([b"a"] * 15 + [b"b%d" % i]) + b"]" for i in range(1000))
    yield b"\n".join(b"[[a%d]]" % i for i in range(6000))
    yield b"title = 1\ntitle = 2"
    yield b"[a]\n[a]"
    yield b"\xef\xbb\xbftitle = 'x'\r\n"
    yield b"\xff\xfet\0i\0"
    yield "title = '\ud800'".encode("utf-8", "surrogatepass")
    for odd in ODD[:20]:
        yield f"page = {odd}\nstep = {odd}".encode()


def setting(chance: random.Random) -> dict[str, Any]:
    """The table of a saved setting with a config."""
    name = chance.choice(list(EXPERIMENTS))
    page = chance.choice([page for page in PAGES if page.settings(Values())])
    settings = {s.key: list(v) if isinstance(v := s.default, tuple) else v for s in page.here.default_settings}
    return {"page": page.address or "home", "experiment": name, "repeats": 3, "settings": settings} | {
        "config": config_of(name)
    }


def hostile_files() -> list[bytes]:
    """A hundred files: of no meaning, and good ones with one value changed."""
    chance = random.Random("files")
    found = list(from_nothing(chance))
    found = chance.sample(found, 60) + [content for content in found if len(content) > 61_000]
    lectures = [tomllib.loads(lecture.to_toml(one)) for one in lecture.shipped().values()]
    while len(found) < 120:
        table = chance.choice(lectures) if len(found) % 2 else setting(chance)
        found.append(as_file(changed(table, chance.choice(list(places(table))), Raw(chance.choice(ODD)))))
    return found


def read_lecture(content: bytes) -> None:
    """Read a lecture and check its settings as the app does."""
    found = lecture.read(content)
    lecture.check_pages(found, ADDRESSES)
    for step in found.steps:
        page = next(page for page in PAGES if page.address == step.page)
        for said in lecture.problems(step, page.here.default_settings).values():
            assert not of_programmers(said), said


def read_setting(content: bytes) -> None:
    """Read a saved setting."""
    setting_file.read(content, ADDRESSES)


@pytest.fixture(autouse=True)
def no_garbage_collection() -> Iterator[None]:
    """A whole collection takes longer than any file; the server collects by time, not while it reads."""
    gc.disable()
    yield
    gc.enable()


def fault(read: Callable[[bytes], None], content: bytes) -> str | None:
    """What is wrong with the way in which a file is read, if something is."""
    start = time.thread_time()
    try:
        read(content)
        said = ""
    except ValueError as error:
        said = str(error)
        if type(error) is not ValueError:
            return f"{type(error).__name__}: {said}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    took = time.thread_time() - start
    if words := of_programmers(said):
        return f"{words}: {said}"
    if len(said) > 1200 or not said.isprintable():
        return f"{len(said)} letters, or unprintable ones: {said[:200]!r}"
    return f"takes {took:.2f} s" if took > MOST_SECONDS else None


@pytest.mark.parametrize("read", [read_lecture, read_setting])
def test_files(read: Callable[[bytes], None]) -> None:
    read_lecture(lecture.to_toml(lecture.shipped()["randomised-response"]).encode())
    files = hostile_files()
    assert len(files) >= 100
    faults = [f"{content[:90]!r}… {wrong}" for content in files if (wrong := fault(read, content))]
    assert not faults, "\n".join(faults)


# --- sweep specs ---------------------------------------------------------------------------------


class Spec(NamedTuple):
    """A spec with one value changed: the key, the new value, and the file."""

    key: str
    value: str
    content: bytes

    @property
    def title(self) -> str:
        """The key and the value, shortened."""
        return f"{self.key} = {self.value[:40]}"

    def forms(self) -> list[str]:
        """The key, and the value in any way in which a sentence may show it, as far as it is short."""
        if len(self.value) >= 5000:
            return [self.key, self.value[:20]]
        value = tomllib.loads(f"value = {self.value}")["value"]
        number = f"{value:.10g}" if isinstance(value, float) else repr(value)
        return [self.key, self.value[:20], number[:20], repr(forms.as_tuples(value))[:20]]


def spec(name: str) -> dict[str, Any]:
    """A good spec of an experiment."""
    config = {key: value for key, value in config_of(name).items() if key != "seed"}
    return {"experiment": name, "repeats": 2, "config": config, "grid": {"seed": [0, 1]}}


def hostile_specs() -> list[Spec]:
    """A hundred and more specs: in each one value of another kind or size, or a key of another name."""
    chance = random.Random("specs")
    found = []
    for name in EXPERIMENTS:
        whole = spec(name)
        for _ in range(14):
            path = chance.choice(list(places(whole)))
            value = chance.choice(ODD)
            found.append(
                Spec(
                    str(next(k for k in reversed(path) if isinstance(k, str))),
                    value,
                    as_file(changed(whole, path, Raw(value))),
                )
            )
        for key in ("methods", "classes", "dataset", "seed", "draw", "nothing", "", "a b"):
            value = chance.choice(ODD)
            config = whole["config"] | {key: Raw(value)}
            found.append(Spec(key, value, as_file(whole | {"config": config, "grid": {}})))
    found.append(Spec("methods", "3", b"experiment = 'bags'\n[config]\nmethods = 3"))
    return found


def test_good_specs(tmp_path: Path) -> None:
    for name in EXPERIMENTS:
        file = tmp_path / f"{name}.toml"
        file.write_bytes(as_file(spec(name)))
        assert len(sweep.read_spec(file).trials()) == 4


def test_specs(tmp_path: Path) -> None:
    faults, refused = [], 0
    file = tmp_path / "spec.toml"

    def read(content: bytes) -> None:
        file.write_bytes(content)
        sweep.read_spec(file)

    specs = hostile_specs()
    for one in specs:
        if wrong := fault(read, one.content):
            faults.append(f"{one.title}: {wrong}")
        try:
            read(one.content)
        except ValueError as error:
            refused += 1
            said = str(error).removeprefix(f"{file}: ").partition(" (with ")[0]
            if not any(form in said for form in one.forms()):
                faults.append(f"{one.title}: neither key nor value is named: {said}")
    assert len(specs) > 100
    assert refused > len(specs) / 2
    assert not faults, "\n".join(faults)
