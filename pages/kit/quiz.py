"""Define the questions of a quiz as values; `quiz_input` renders them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Option:
    """An option of a question, and the `reason` why it is right or wrong, as Markdown."""

    words: str
    reason: str
    right: bool = False


@dataclass(frozen=True)
class Question:
    """A question with two or more options that differ, one of them right; `name` is unique in the app."""

    name: str
    ask: str
    options: Sequence[Option]

    def __post_init__(self) -> None:
        words = {option.words for option in self.options}
        if len(words) < max(2, len(self.options)) or sum(option.right for option in self.options) != 1:
            raise ValueError(f"options must differ and one of them be right, got {self.options}")

    def option(self, words: str) -> Option:
        """Return the option of these words."""
        return next(option for option in self.options if option.words == words)
