"""Answer the question of a setting's file without a browser: `python -m privdemo run FILE`. An entry point.

The page itself runs, in Streamlit's AppTest, as it would for a visitor with these settings in the link.
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
# Seconds between readings of the progress, and between lines about it if the output is not a terminal.
_POLL, _PRINT_EVERY = 0.3, 10.0
# Seconds that one run of a page may take: practically without end, as Ctrl-C ends it.
_TIMEOUT = 7 * 24 * 3600.0


def run(file: Path, out: Path | None) -> None:
    """Print the takeaway for a file's question, and write the table of its main figure to `out`, or beside the file.

    Raise ``ValueError`` with a sentence if the file holds no question, the page refuses a setting, or a file is in the
    way.
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
        _, answer = _interruptible(lambda: run_page(page, setting))
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    print(text_of(answer.takeaway()))
    rows = table(page.chapters.all[0].panels(answer))
    if rows is None:
        print("there is no table of this question", file=sys.stderr)
        return
    _write(out, to_csv(rows))
    print(f"written to {out}")


def run_page(page: Page, setting: SettingFile) -> tuple[Any, Any]:
    """Return the question that the settings make, and the page's answer once no trials are running.

    Raise ``ValueError`` if the page ignores a setting, if [config] is another question, or with the page's own sentence
    if there is no answer.
    """
    start_up.limit_threads()
    at = AppTest.from_file(_SCRIPT, default_timeout=_TIMEOUT)
    at.session_state["visited"], at.session_state[ANSWERED] = page.address, None
    for key, value in setting.settings.items():
        at.query_params[key] = list(value) if isinstance(value, tuple) else value
    show_progress, printed = _progress(page.title), set[str]()
    while True:
        at.run()
        if at.exception:
            raise ValueError(f"the page “{page.title}” failed: {at.exception[0].message}")
        messages = [*at.info, *at.toast]
        if link.NOTES in at.session_state:
            notes = "; ".join(note.rstrip(".") for of in at.session_state[link.NOTES].values() for note in of)
            _print_once(messages, printed)
            raise ValueError(f"the page does not take the settings as they stand: {notes}")
        _print_once([*messages, *at.warning], printed)
        answered = at.session_state[ANSWERED]
        if answered and (wrong := setting_file.differences(setting, answered[0])):
            raise ValueError("; ".join(wrong))
        bars = [bar.proto.text for bar in at.get("progress")]
        show_progress("; ".join(bars))
        if not any(button.key == "stop-draws" for button in at.button):
            break
        time.sleep(_POLL)
    if not answered:
        raise ValueError(next(text_of(words.value) for words in at.markdown if 'class="takeaway"' in words.value))
    return answered


def _print_once(elements: Iterable[Any], printed: set[str]) -> None:
    """Print texts that the page shows beside its answer; add them to `printed`, as each is printed once."""
    for words in dict.fromkeys(element.value for element in elements if element.value not in printed):
        print(f"privdemo: {words}", file=sys.stderr)
        printed.add(words)


def text_of(markup: str) -> str:
    """Return the text of some markup, without explanations of terms."""
    bare = re.sub(r'<span class="meaning".*?</span>|<[^>]*>', "", markup)
    return html.unescape(bare).replace("\u00a0", " ")


def table(panels: Iterable[Panel | tuple[Panel, ...]]) -> Sequence[Mapping[str, Any]] | None:
    """Return the rows of the first panel that has any, or None."""
    flat = (one for panel in panels for one in (panel if isinstance(panel, tuple) else (panel,)))
    return next((panel.rows() for panel in flat if panel.rows), None)


def _interruptible(function: Callable[[], Any]) -> Any:
    """Return `function()`, called in a thread, so that Ctrl-C ends the process at once."""
    results: list[Any] = []
    errors: list[BaseException] = []

    def call() -> None:
        try:
            results.append(function())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_POLL)
    if errors:
        raise errors[0]
    return results[0]


def _progress(title: str) -> Callable[[str], None]:
    """Return a function that prints the progress: on one line of a terminal, else every few seconds."""
    is_terminal, shown, when = sys.stderr.isatty(), "", time.monotonic()

    def show(words: str) -> None:
        nonlocal shown, when
        if is_terminal and words != shown:
            print(f"\r\033[K{title}: {words}" if words else "\r\033[K", end="", file=sys.stderr, flush=True)
            shown = words
        elif words and not is_terminal and time.monotonic() > when + _PRINT_EVERY:
            print(f"{title}: {words}", file=sys.stderr, flush=True)
            when = time.monotonic()

    return show


def _write(out: Path, text: str) -> None:
    """Write a table, unless the file exists with other columns."""
    if out.exists():
        with out.open(encoding="utf-8", errors="replace", newline="") as there:
            if next(csv.reader(there), []) != next(csv.reader([text.splitlines()[0]])):
                raise ValueError(f"{out} holds something else; name another file with --out")
    out.write_text(text, encoding="utf-8", newline="")
