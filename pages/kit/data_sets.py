"""Offer a choice of data sets: those on this computer, and the visitor's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from pages.kit import cache, inputs, own_data, own_data_input
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
        return own_data_input.choice(self.key, tuple(here))

    def source(self, values: Values) -> Source:
        """Return the data set that is chosen."""
        names = {task.title: name for name, task in self.tasks.items()}
        return own_data.source(values[self.choice], names.__getitem__, self.binary)

    def problem(self, values: Values) -> str:
        """Return a sentence if the chosen data set cannot be read, else an empty text."""
        problem = cache.problem(self.source(values))
        return f"{values[self.choice]} cannot be read: {problem}" if problem else ""

    def choose(self) -> None:
        """Render the choice, and the upload of a visitor's own."""
        inputs.choose(self.choice, "Records")
        own_data_input.panel(self.choice, self.binary)
        if absent := [name for name in self.tasks if not cache.available(name)]:
            st.caption(f"Not on this computer: {', '.join(absent)}. `python -m privdemo data all` fetches them.")
