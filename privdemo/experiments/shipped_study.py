"""A study whose results come with the package: a fixed grid of settings, its trials, and the file that they make."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from privdemo.experiments import results

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")
Row = TypeVar("Row")


@dataclass(frozen=True)
class ShippedStudy(Generic[Row]):
    """A study that `python -m privdemo reproduce` computes again; like a sweep, but for the settings, which are fixed.

    Args:
        name: The name of the study at the command line, and of its file.
        title: What is studied.
        settings: Returns the grid, a tuple of arguments for each place of it.
        run_trial: `run_trial(*setting, trial)` runs one trial of a setting and returns its marks. A trial has the same
            random numbers wherever and whenever it runs.
        row: The dataclass of a row; its fields are the columns of the file.
        rows: Returns the rows of the file from the marks of all trials, which are in the order of the grid and within a
            setting in the order of trials.
        report: Returns lines of text about rows, beside published values.
        needs: The data sets which have to be fetched for it.
    """

    name: str
    title: str
    settings: Callable[[], Sequence[tuple[Any, ...]]]
    run_trial: Callable[..., Sequence[Any]]
    row: type[Row]
    rows: Callable[[Sequence[Any]], Sequence[Row]]
    report: Callable[[Sequence[Row]], list[str]]
    needs: str = ""

    suffix: ClassVar[str] = "csv"

    @property
    def file(self) -> Path:
        """The file that comes with the package."""
        return results.shipped(self.name, self.suffix)

    def trials(self, n_trials: int = results.N_TRIALS) -> list[tuple[Any, ...]]:
        """Return the arguments of every `run_trial`."""
        return [(*setting, trial) for setting in self.settings() for trial in range(n_trials)]

    def to_file(self, rows: Sequence[Row]) -> bytes:
        """Return rows as the content of a file."""
        return results.to_csv(self.row, rows).encode()

    def is_own(self, file: Path) -> bool:
        """Return whether a file is one that `to_file` wrote, of this study or another."""
        return results.is_results(file)

    def load(self) -> tuple[Row, ...]:
        """Return the rows that come with the package."""
        return results.from_csv(self.row, self.file.read_text(encoding="utf-8"))


def group(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Return the items of each key, keys in the order in which they come first."""
    found: dict[Key, list[Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found
