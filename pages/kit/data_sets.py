"""Offer a choice of data sets: those on this computer, and the visitor's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pages.kit import cache, own_data
from pages.kit.settings import Choice
from pages.kit.values import Values
from privdemo.datasets import Source
from privdemo.tasks import Task


@dataclass(frozen=True)
class DataSets:
    """The choice among the data sets of some `tasks`, by default the first on this computer; `key` is its key in links.

    With `binary`, a visitor's own records have two classes: one against all others.
    """

    key: str
    tasks: Mapping[str, Task]
    binary: bool = False

    @property
    def choice(self) -> Choice:
        """Return the setting: the titles of the data sets on this computer, and the visitor's own."""
        here = (task.title for name, task in self.tasks.items() if cache.available(name))
        return own_data.choice(self.key, tuple(here))

    def source(self, values: Values) -> Source:
        """Return the data set that is chosen."""
        names = {task.title: name for name, task in self.tasks.items()}
        return own_data.source(values[self.choice], names.__getitem__, self.binary)

    def problem(self, values: Values) -> str:
        """Return a sentence if the chosen data set cannot be read, else an empty text."""
        problem = cache.problem(self.source(values))
        return f"{values[self.choice]} cannot be read: {problem}" if problem else ""
