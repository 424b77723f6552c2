"""Finds a Chromium for the browser tests; with --install, gets one if there is none.

Debian's package where root and apt are there, else Playwright's own build. Exits 1, saying what to
do, when none can be had.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find() -> str | None:
    """The path of a Chromium: PRIVDEMO_CHROMIUM, one on the PATH, or Playwright's own; None without one."""
    named = os.environ.get("PRIVDEMO_CHROMIUM")
    if named:
        return named if Path(named).exists() else None
    return next((path for name in NAMES if (path := shutil.which(name))), None) or _playwrights_own()


def install() -> None:
    """Install Debian's Chromium if this is root on a machine with apt, else Playwright's."""
    if shutil.which("apt-get") and getattr(os, "geteuid", lambda: 1)() == 0:
        quiet = {"DEBIAN_FRONTEND": "noninteractive", **os.environ}
        subprocess.run(["apt-get", "update", "-qq"], check=False, env=quiet)
        subprocess.run(["apt-get", "install", "-y", "-qq", "chromium"], check=False, env=quiet)
    if not find():
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


def _playwrights_own() -> str | None:
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


if __name__ == "__main__":
    if "--install" in sys.argv and not find():
        install()
    found = find()
    print(
        f"Chromium for the browser tests: {found}" if found else "No Chromium: install one, or set PRIVDEMO_CHROMIUM."
    )
    sys.exit(0 if found else 1)
