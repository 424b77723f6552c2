"""What the server is told: names by which it may be asked for, pages that may show it in a frame, and its address."""

from __future__ import annotations

import os
import re

# Names besides those of the machine itself, and pages; both with commas in between.
HOSTS, FRAMES = "PRIVDEMO_HOSTS", "PRIVDEMO_FRAMES"
# The address at which a class finds the app.
SITE = "PRIVDEMO_URL"
_ADDRESS = re.compile(r"https?://([\w.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?/?", re.IGNORECASE)
# How each of the first two is written, with an example.
_FORMS = {
    HOSTS: (re.compile(r"[\w.-]+|\[[0-9a-f:.]+\]"), "a name or an address alone, such as privdemo.example"),
    FRAMES: (
        re.compile(
            r"((https?://)?(\*\.)?[\w-]+(\.[\w-]+)*|https?://\[[0-9a-f:.]+\])(:(\d+|\*))?|https?:|'self'|\*", re.ASCII
        ),
        "an address such as https://course.example",
    ),
}


def checked(variable: str) -> list[str]:
    """What `HOSTS` or `FRAMES` names, with commas in between, in small letters.

    Raises ``ValueError`` with a sentence for what is no such name: as a host it would never be asked for, and in a
    policy it could allow more than is meant.
    """
    form, example = _FORMS[variable]
    found = [name.strip().lower() for name in os.environ.get(variable, "").split(",") if name.strip()]
    if wrong := [name for name in found if not form.fullmatch(name)]:
        raise ValueError(f"{variable} must hold, with commas in between, {example}; got {wrong[0]!r}")
    return found


def check() -> None:
    """End the start of the server with a sentence, where it is told what cannot be."""
    try:
        for variable in _FORMS:
            checked(variable)
        _check_site()
    except ValueError as error:
        raise SystemExit(f"privdemo: {error}") from None


def _check_site() -> None:
    """Raises ``ValueError`` with a sentence where `SITE` is not an address alone: a path would be lost."""
    given = os.environ.get(SITE, "").strip()
    if given and not _ADDRESS.fullmatch(given):
        example = "https://privdemo.example or http://192.0.2.2:8501"
        raise ValueError(f"{SITE} must be an address without a path, such as {example}; got {given!r}")
