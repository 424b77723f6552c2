"""A running app and a real Chromium, for the browser tests and the browser benchmark."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser import find_chromium

ROOT = Path(__file__).parents[2]
# Chromium must not look for anything outside: the app promises to fetch nothing from the internet.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PROGRESS = ".st-key-trial-progress"
# The code of every widget and chart has come, and they are rendered.
RENDERED = """
() => !document.querySelector("[data-testid=stSkeleton]")
  && [...document.querySelectorAll("[data-testid=stPlotlyChart]")].every((one) => one.querySelector(".main-svg"))
"""


@contextlib.contextmanager
def running_app(listening: str = "127.0.0.1", **environment: str) -> Iterator[str]:
    """The address of the app, started as the README says, until the context ends; `listening` is where it listens."""
    with running_script("app.py", listening=listening, **environment) as (address, _):
        yield address


@contextlib.contextmanager
def running_script(
    script: str, module: str = "streamlit", listening: str = "127.0.0.1", **environment: str
) -> Iterator[tuple[str, int]]:
    """The address of a server that runs `script`, by default Streamlit's, and its process, until the context ends."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ways = {"streamlit": ["run", script, "--server.address", listening, "--server.port"]}
    command = [sys.executable, "-m", module, *ways.get(module, [script, "--port"]), str(port)]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **environment},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            address = f"http://127.0.0.1:{port}"
            wait_until_healthy(address, process)
            yield address, process.pid
        finally:
            process.terminate()
            process.wait(10)
            log.seek(0)
            print(log.read())


def wait_until_healthy(address: str, process: subprocess.Popen) -> None:
    """Wait until an app answers that a process serves."""
    for _ in range(300):
        if process.poll() is not None:
            raise RuntimeError("the app ended instead of starting")
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):
            return
        time.sleep(0.1)
    raise RuntimeError("the app did not start within 30 seconds")


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium."""
    path = find_chromium.find()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


def open_page(page: Page, address: str, *, guesses: bool = False) -> None:
    """Go to `address` and wait until the page is rendered and no script runs.

    Unless `guesses` are wanted, a figure that waits for one is shown without it.
    """
    page.goto(address)
    page.locator("h1").first.wait_for()
    page.locator(".st-key-figure, .cards, .st-key-shipped-lectures").first.wait_for()
    settled(page)
    if not guesses and asks_for_guess(page):
        show_without_guess(page)


def asks_for_guess(page: Page) -> bool:
    """Return whether a figure waits for a guess."""
    return page.get_by_role("button", name="Just show me").count() > 0


def show_without_guess(page: Page) -> None:
    """Have a figure shown that waits for a guess."""
    show_me = page.get_by_role("button", name="Just show me")
    show_me.click()
    expect(show_me).to_have_count(0)
    settled(page)


def download_figure(page: Page, name: str, button: str, file: Path) -> None:
    """Open the menu below the figure of a panel, and download what one of its buttons gives into `file`."""
    choice = page.get_by_role("button", name=button)
    if not choice.count():
        page.locator(f".st-key-{name}-save button").first.click()
    with page.expect_download() as download:
        choice.click()
    download.value.save_as(file)


def unfold_chapters(page: Page) -> None:
    """Show the chapters that are folded, if the page has any."""
    for kind in ("all-chapters", "later-chapters"):
        folded = page.locator(f".{kind}:not([open]) summary")
        if folded.count() and folded.is_visible():
            folded.click()


def settled(page: Page) -> None:
    """Wait until the server has finished the page's script, and the browser has rendered all of it."""
    answered(page)
    page.wait_for_function(RENDERED)
    page.wait_for_timeout(150)


def answered(page: Page) -> None:
    """Wait until the server has finished the page's script; the code of a widget or chart may still be on its way."""
    page.wait_for_timeout(150)
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
    page.wait_for_function("() => !document.querySelector('[data-stale=\"true\"], #first-screen')")


def seen(page: Page, ready: str, parts: str) -> list[str]:
    """What stands on a page in `parts`, a CSS selector, and its address, once its first summary holds `ready`."""
    expect(page.locator(".summary").first).to_contain_text(ready, timeout=30_000)
    settled(page)
    return [*page.locator(parts).all_inner_texts(), page.url.split("?")[1]]


def go_to(page: Page, group: str, title: str) -> None:
    """Open the page with this title from its group of the menu."""
    page.get_by_role("button", name=group, exact=True).click()
    page.get_by_test_id("stTopNavDropdownLink").filter(has_text=title).click()


def open_settings(page: Page) -> None:
    """Unfold the settings of a page."""
    page.locator(".st-key-settings summary").first.click()
    expect(page.locator(".st-key-settings details").first).to_have_attribute("open", "")
    _still(page)


def fold_settings(page: Page) -> None:
    """Fold the settings of a page away again."""
    page.locator(".st-key-settings summary").first.click()
    expect(page.locator(".st-key-settings input")).to_have_count(0)
    _still(page)
    expect(page.locator(".st-key-settings details").first).not_to_have_attribute("open", "")
    settled(page)


def _still(page: Page) -> None:
    """Wait until nothing folds or unfolds: what stands below moves, and would move away under a click."""
    page.wait_for_function("() => ![...document.querySelectorAll('details')].some(one => one.getAnimations().length)")


def open_menu(page: Page) -> None:
    """Open the menu of a page."""
    page.locator(".st-key-more").get_by_role("button", name="More").click()
    expect(page.get_by_role("button", name="Reset")).to_be_visible()


def stop(page: Page) -> None:
    """Stop the trials of a page."""
    main = page.get_by_test_id("stMainBlockContainer")
    main.get_by_role("button", name="Stop", exact=True).click()
    expect(main.get_by_role("button", name="Go on")).to_be_visible()
    expect(page.locator(PROGRESS)).to_contain_text("stopped")
