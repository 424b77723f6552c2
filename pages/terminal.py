"""Answer the question of a settings file without a browser: `python -m privdemo run FILE`. An entry point."""

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

from pages.kit import setting_file, trials
from pages.kit import values as page_values
from pages.kit.numbers import error_sentence_html
from pages.kit.page import Page, missing_data
from pages.kit.panel import Panel, one_by_one, to_csv
from pages.kit.setting_file import SettingFile
from pages.kit.settings import problems
from pages.kit.trials import Trials
from pages.topics import PAGES, page_at
from privdemo.experiments import running
from privdemo.toml_text import read_from
from server import start_up

# Seconds between readings of the progress, and between lines about it if the output is not a terminal.
_POLL, _PRINT_EVERY = 0.3, 10.0


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

    Raise ``ValueError`` if the page has no such setting or value, if [config] is another question, or with the page's
    own sentence if there is no answer.
    """
    start_up.limit_threads()
    if page.shows_images and (words := missing_data()):
        print(f"privdemo: {words}", file=sys.stderr)
    values = page_values.from_texts(page.all_settings, setting.settings)
    texts = {key: list(value) if isinstance(value, tuple) else [value] for key, value in setting.settings.items()}
    if bad := problems(page.all_settings(values), texts):
        listed = "; ".join(each.rstrip(".") for each in bad.values())
        raise ValueError(f"the page does not take the settings as they stand: {listed}")
    question = page.question_of(values)
    if isinstance(question, str):
        raise ValueError(text_of(question))
    if wrong := setting_file.differences(setting, question):
        raise ValueError("; ".join(wrong))
    for remark in page.remarks(values):
        print(f"privdemo: {remark}", file=sys.stderr)
    return question, _answer(page, question)


def _answer(page: Page, question: Any) -> Any:
    """Return the answer from all trials. Raise ``ValueError`` with the page's sentence if there is none."""
    try:
        made = _run_trials(page, question)
        answer = page.answer(question, made)
    except ValueError as error:
        raise ValueError(text_of(f"{page.failed} {error_sentence_html(error)}".strip())) from None
    if answer is None:
        why = error_sentence_html(made.problem or "no trial has ended")
        raise ValueError(text_of(f"{page.failed} {why}".strip()))
    if made.problem:
        print(f"privdemo: not all trials could be run. {text_of(error_sentence_html(made.problem))}", file=sys.stderr)
    return answer


def _run_trials(page: Page, question: Any) -> Trials:
    """Run the background jobs of a question, and print the progress; skip optional jobs that are slow."""
    if page.jobs:
        jobs = page.jobs(question)
    else:
        jobs = [job for job in page.extra_jobs(question) if not job.slow] if page.extra_jobs else []
    show_progress = _progress(page.title)
    while True:
        made = trials.start_or_follow(question, jobs)
        show_progress(made.progress_text if made.running else "")
        if not made.running:
            return made
        time.sleep(_POLL)


def text_of(markup: str) -> str:
    """Return the text of some markup, without explanations of terms."""
    bare = re.sub(r'<span class="meaning".*?</span>|<[^>]*>', "", markup)
    return html.unescape(bare).replace("\u00a0", " ")


def table(panels: Iterable[Panel | tuple[Panel, ...]]) -> Sequence[Mapping[str, Any]] | None:
    """Return the rows of the first panel that has any, or None."""
    flat = one_by_one(panels)
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
