"""A page without a screen: `python -m privdemo run FILE` answers the question of a setting's file. An entry point.

The page itself computes, as it does for a visitor who comes by a link with these settings.
"""

from __future__ import annotations

import csv
import html
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from pages.kit import link, setting_file
from pages.kit.page import ANSWERED, Page
from pages.kit.panel import Panel, to_csv
from pages.kit.setting_file import SettingFile
from pages.topics import PAGES, page_at
from privdemo.experiments import running
from privdemo.toml_text import read_from
from server import start_up

_SCRIPT = Path(__file__).parent / "one_page.py"
# Seconds between looks at how far the draws are, and between lines about it where nobody watches.
_LOOK, _SAY = 0.3, 10.0
# Seconds that one run of a page may take; only Ctrl-C ends a question that asks for much.
_PATIENCE = 7 * 24 * 3600.0


def run(file: Path, out: Path | None) -> None:
    """Print the takeaway of a file's question, and write the table of its main figure to `out`, or beside the file.

    Raises ``ValueError`` with a sentence for a file that asks nothing, settings that the page would not take, and a
    file in the way.
    """
    out = out or file.with_suffix(".csv")
    running.check_out(out)
    if out.absolute() == file.absolute():
        raise ValueError(f"--out must be another file than the setting, got {out}")
    try:
        setting = setting_file.read(read_from(file), [page.address for page in PAGES])
        page = page_at(setting.page)
        if page.chapters is None:
            raise ValueError(f"the page “{page.title}” asks no question; take another one")
        _, answer = _interruptible(lambda: ask(page, setting))
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    print(plain(answer.takeaway()))
    rows = table(page.chapters.all[0].panels(answer))
    if rows is None:
        print("there is no table of this question", file=sys.stderr)
        return
    _write(out, to_csv(rows))
    print(f"written to {out}")


def ask(page: Page, setting: SettingFile) -> tuple[Any, Any]:
    """The question that the settings make, and the page's answer once no draws are under way.

    Raises ``ValueError`` where the page ignores a setting, where [config] asks something else, and with the page's own
    sentence where it has no answer.
    """
    start_up.limit_threads()
    at = AppTest.from_file(_SCRIPT, default_timeout=_PATIENCE)
    at.session_state["visited"], at.session_state[ANSWERED] = page.address, None
    for key, value in setting.settings.items():
        at.query_params[key] = list(value) if isinstance(value, tuple) else value
    say, said = _progress(page.title), set[str]()
    while True:
        at.run()
        if at.exception:
            raise ValueError(f"the page “{page.title}” failed: {at.exception[0].message}")
        told = [*at.info, *at.toast]
        if link.NOTES in at.session_state:
            notes = "; ".join(note.rstrip(".") for of in at.session_state[link.NOTES].values() for note in of)
            _tell(told, said)
            raise ValueError(f"the page does not take the settings as they stand: {notes}")
        _tell([*told, *at.warning], said)
        found = at.session_state[ANSWERED]
        if found and (wrong := setting_file.differences(setting, found[0])):
            raise ValueError("; ".join(wrong))
        bars = [bar.proto.text for bar in at.get("progress")]
        say("; ".join(bars))
        if not any(button.key == "stop-draws" for button in at.button):
            break
        time.sleep(_LOOK)
    if not found:
        raise ValueError(next(plain(words.value) for words in at.markdown if 'class="takeaway"' in words.value))
    return found


def _tell(elements: Iterable[Any], said: set[str]) -> None:
    """Say once what the page says beside its answer."""
    for words in dict.fromkeys(element.value for element in elements if element.value not in said):
        print(f"privdemo: {words}", file=sys.stderr)
        said.add(words)


def plain(markup: str) -> str:
    """The words of some markup, without explanations of terms."""
    bare = re.sub(r'<span class="meaning".*?</span>|<[^>]*>', "", markup)
    return html.unescape(bare).replace("\u00a0", " ")


def table(panels: Iterable[Panel | tuple[Panel, ...]]) -> Sequence[Mapping[str, Any]] | None:
    """The rows of the first of some panels that has any."""
    flat = (one for panel in panels for one in (panel if isinstance(panel, tuple) else (panel,)))
    return next((panel.rows() for panel in flat if panel.rows), None)


def _interruptible(function: Callable[[], Any]) -> Any:
    """`function()`, in a thread that Ctrl-C does not wait for."""
    found: list[Any] = []
    failed: list[BaseException] = []

    def call() -> None:
        try:
            found.append(function())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_LOOK)
    if failed:
        raise failed[0]
    return found[0]


def _progress(title: str) -> Callable[[str], None]:
    """What says how far the draws are: on one line of a terminal, else now and then."""
    terminal, said, when = sys.stderr.isatty(), "", time.monotonic()

    def say(words: str) -> None:
        nonlocal said, when
        if terminal and words != said:
            print(f"\r\033[K{title}: {words}" if words else "\r\033[K", end="", file=sys.stderr, flush=True)
            said = words
        elif words and not terminal and time.monotonic() > when + _SAY:
            print(f"{title}: {words}", file=sys.stderr, flush=True)
            when = time.monotonic()

    return say


def _write(out: Path, text: str) -> None:
    """Write a table, but not over one with other columns, which is of something else."""
    if out.exists():
        with out.open(encoding="utf-8", errors="replace", newline="") as there:
            if next(csv.reader(there), []) != next(csv.reader([text.splitlines()[0]])):
                raise ValueError(f"{out} holds something else; name another file with --out")
    out.write_text(text, encoding="utf-8", newline="")
