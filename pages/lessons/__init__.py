"""Write lessons: parts of the app as HTML files, each of which needs neither a server nor the network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pages.lessons import image_dial, own_secret, show_of_hands, voting
from pages.lessons.document import MARK, Lesson, document
from privdemo.experiments import running
from server import start_up

# Each lesson by the name of its file.
LESSONS: dict[str, Callable[[], Lesson]] = {
    "own_secret.html": own_secret.lesson,
    "voting.html": voting.lesson,
    "image_dial.html": image_dial.lesson,
    "show_of_hands.html": show_of_hands.lesson,
}


def write(folder: Path) -> None:
    """Write every lesson into a folder, which is made if its parent is there; print the names and sizes.

    Raise ``ValueError`` with a sentence if something else than lessons is in the way, and write nothing then.
    """
    start_up.limit_threads()
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file; name a folder for the lessons")
    if not folder.absolute().parent.is_dir():
        raise ValueError(f"there is no folder {folder.absolute().parent}; make it first, or name another one")
    for name in LESSONS:
        _check_is_own(folder / name)
    folder.mkdir(exist_ok=True)
    for name, make in LESSONS.items():
        content = document(make()).encode()
        running.write_whole(folder / name, content)
        print(f"{folder / name}: {len(content) / 1000:,.0f} kB")


def _check_is_own(file: Path) -> None:
    """Raise ``ValueError`` if a file is there that is no lesson."""
    if file.is_dir() or (file.exists() and MARK.encode() not in file.read_bytes()[:1000]):
        raise ValueError(f"{file} is something else than a lesson; move it, or name another folder")
