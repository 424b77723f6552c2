"""List the elements that a small page sends to the browser."""

import json
import textwrap
from collections.abc import Iterator
from typing import Any

from google.protobuf.json_format import MessageToDict
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from pages.kit import number_control
from privdemo import datasets
from privdemo.jobs import Progress

# A visitor's file, and the records in it.
TABLE = "\n".join(["size,kind", *(f"{i},{'ab'[i % 2]}" for i in range(120))]).encode()
OWN = datasets.from_csv(TABLE, None, "o.csv")
# What elements say of themselves anyway, or twice.
_USUAL = {
    "align": "ALIGN_START",
    "direction": "VERTICAL",
    "gap_size": "SMALL",
    "justify": "JUSTIFY_START",
    "wrap": True,
}
_TWICE = {"has_min", "has_max", "data_type", "set_value", "element_type", "type", "scale", "use_stretch"}
_TWICE |= {f"{kind}_{what}" for kind in ("js", "html", "css") for what in ("content", "source_path")}
_TWICE |= {"isolate_styles", "accept_new_options", "deferred_file_id", "page_script_hash", "data", "spec"}


class Runner:
    """A runner that records its calls, and returns progress with so many tasks done, or the one set by a test."""

    def __init__(self, done: int | None = None, error: str | None = None) -> None:
        self.done, self.error = done, error
        self.calls: list[tuple] = []
        self.there: dict[Any, Progress] = {}
        self.answer: Progress | None = None

    def watch(self, *args: Any, **options: Any) -> Progress:
        self.calls.append((*args, options))
        n = len(args[-1])
        done = n if self.done is None else self.done
        return self.answer or Progress((1,) * done, n, done < n, self.error)

    def look(self, key: Any) -> Progress | None:
        return self.there.get(key)

    def leave(self, *args: Any) -> None:
        self.calls.append(args)


def opened(script: str, link: dict[str, Any] | None = None, **state: Any) -> AppTest:
    """Return the page of a script, opened by a link in a session with `state`.

    Numbers have plain boxes, unless `no_browser` is False.
    """
    at = AppTest.from_string(script, default_timeout=60)
    for key, value in (link or {}).items():
        at.query_params[key] = value
    for key, value in ({number_control.NO_BROWSER: True} | state).items():
        at.session_state[key] = value
    follow_address(at).run()
    assert not at.exception
    return at


def component_data(at: AppTest, name: str) -> list[dict[str, Any]]:
    """Return the data of each component of this name, without our prefix, that a page sends to the browser."""
    found = (one.proto for one in at.get("bidi_component"))
    return [json.loads(one.json) for one in found if one.component_name == f"privdemo_{name}"]


def follow_address(at: AppTest) -> AppTest:
    """Remember before each run what the address was, for `written`."""
    run = at._run

    def remember(*args: Any, **options: Any) -> AppTest:
        keys = ("address", "address_read", "address_sent")
        state = {key: at.session_state[key] for key in keys if key in at.session_state}
        at.before = (state.get("address"), state.get("address_read"))  # type: ignore[attr-defined]
        at.sent_before = state.get("address_sent", {"count": 0})["count"]  # type: ignore[attr-defined]
        return run(*args, **options)

    at._run = remember  # type: ignore[method-assign]
    return at


def written(at: AppTest) -> list[dict[str, list[str]]]:
    """Return what the browser has to change in its address without an entry in its history, by each component."""
    before, read_before = at.before  # type: ignore[attr-defined]
    found, read = [], at.session_state["address_read"]
    before = before if before is not None and read == read_before else read
    for data in sorted(component_data(at, "address"), key=lambda data: data["count"]):
        assert data["read"] == [[key, text] for key, texts in read.items() for text in texts]
        now = _by_key(data["address"])
        if changed := {key: now.get(key, []) for key in {**before, **now} if before.get(key, []) != now.get(key, [])}:
            found.append(changed)
        before = now
    return found


def sent_addresses(at: AppTest) -> list[dict[str, list[str]]]:
    """Return each whole address that is sent to the browser in the last run and was not sent before it."""
    sent = component_data(at, "address")
    return [_by_key(data["address"]) for data in sent if data["count"] > at.sent_before]  # type: ignore[attr-defined]


def _by_key(pairs: list[list[str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, text in pairs:
        found.setdefault(key, []).append(text)
    return found


def rendered(block: Block) -> str:
    """Return a line for each element: its kind, its key, and its fields, shortened.

    What stands in a block is deeper, or follows it after a “>” if it is alone there.
    """
    return "\n".join(_lines(block, ""))


def _lines(block: Block, indent: str, path: str = "") -> Iterator[str]:
    for child in block.children.values():
        fields = dict(_fields(MessageToDict(child.proto, preserving_proto_field_name=True))) if child.proto else {}
        key = fields.pop("id", "").split("-", 2)[-1]
        said = [f"{name}={_short(value)}" for name, value in fields.items() if name not in _TWICE]
        line = path + " ".join(filter(None, [child.type.removeprefix("flex_"), key, *said]))
        if isinstance(child, Block) and len(child.children) == 1:
            yield from _lines(child, indent, f"{line} > ")
            continue
        yield textwrap.fill(line, 118, initial_indent=indent, subsequent_indent=indent + "    ", break_on_hyphens=False)
        if isinstance(child, Block):
            yield from _lines(child, indent + "  ")


def _fields(message: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a message and of messages within it, without the usual ones."""
    for name, value in message.items():
        if isinstance(value, dict) and name != "height_config":
            yield from ((name if inner == "value" else inner, one) for inner, one in _fields(value))
        elif name == "query_param_key" and message.get("id", "").endswith(f"-{value}"):
            yield "in_link", True
        elif _USUAL.get(name) != value and name != "height_config":
            yield name, value


def _short(value: Any) -> str:
    if isinstance(value, list):
        value = "/".join(_short(one.get("content", one) if isinstance(one, dict) else one) for one in value)
    words = f"{value:g}" if isinstance(value, float) else str(value)
    return words if len(words) <= 40 else f"{words[:12]}…{words[-12:]}"
