"""What `Dockerfile`, `.dockerignore` and `compose.yaml` say, as far as these three need it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import yaml

# What a Dockerfile may hold here; anything else would go untried.
_KNOWN = {"FROM", "ENV", "WORKDIR", "COPY", "RUN", "USER", "EXPOSE", "HEALTHCHECK", "CMD"}
# ${NAME:-what stands for it otherwise}
_GIVEN = re.compile(r"\$\{(\w+):-([^}]*)\}")


@dataclass(frozen=True)
class Step:
    """One instruction, and the words behind it."""

    name: str
    words: str

    def __str__(self) -> str:
        return f"{self.name} {self.words}"

    def command(self) -> list[str]:
        """The command of RUN, CMD or HEALTHCHECK: a list as it stands, anything else for a shell."""
        words = self.words.partition("CMD ")[2] if self.name == "HEALTHCHECK" else self.words
        return json.loads(words) if words.startswith("[") else ["/bin/sh", "-c", words]

    def option(self, name: str) -> str:
        """The value of an option, such as `--retries=3`."""
        return re.search(rf"--{name}=(\S+)", self.words)[1]


def steps(text: str) -> list[Step]:
    """The instructions of a Dockerfile. Raises ``ValueError`` for one that is not known here."""
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    found = [Step(*line.split(maxsplit=1)) for line in lines.replace("\\\n", " ").splitlines() if line.strip()]
    for step in found:
        if step.name not in _KNOWN or (step.name == "COPY" and "--" in step.words):
            raise ValueError(f"this line of Dockerfile is not tried: {step}")
    return found


def environment(compose: str, **given: str) -> dict[str, str]:
    """The variables that compose.yaml sets, where `given` ones are set outside."""
    (service,) = yaml.safe_load(compose)["services"].values()
    return {
        name: _GIVEN.sub(lambda m: given.get(m[1]) or m[2], value) for name, value in service["environment"].items()
    }


def seconds(words: str) -> float:
    """How long a duration is, such as `2m` or `10s`."""
    return float(words[:-1]) * {"s": 1, "m": 60}[words[-1]]


class Ignored:
    """What `.dockerignore` leaves out: the last pattern that a path, or a folder above it, matches decides."""

    def __init__(self, text: str) -> None:
        lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
        named = [(not line.startswith("!"), line.lstrip("!").strip("/")) for line in lines]
        self._taken = [name for leaves_out, name in named if not leaves_out]
        self._patterns = [(leaves_out, re.compile(_pattern(name))) for leaves_out, name in named]

    def __contains__(self, path: str) -> bool:
        above = [path, *map(str, PurePosixPath(path).parents)][:-1]
        out = False
        for leaves_out, pattern in self._patterns:
            if any(map(pattern.fullmatch, above)):
                out = leaves_out
        return out

    def wholly(self, folder: str) -> bool:
        """Whether all of a folder is left out, so that nobody need look into it."""
        return folder in self and not any(name.startswith(f"{folder}/") for name in self._taken)


def _pattern(words: str) -> str:
    """A pattern of `.dockerignore` as a regular expression."""
    parts = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(parts.get(part) or re.escape(part) for part in re.split(r"(\*\*/|\*\*|\*|\?)", words))


def context(folder: Path) -> Iterator[str]:
    """The files of a folder that Docker would see."""
    ignored = Ignored((folder / ".dockerignore").read_text())
    for above, folders, files in os.walk(folder):
        here = Path(above).relative_to(folder)
        folders[:] = [name for name in folders if not ignored.wholly(str(here / name))]
        for name in files:
            if (path := str(here / name)) not in ignored:
                yield path


def copy(step: Step, folder: Path, root: Path, place: str) -> None:
    """Do what COPY says, from a folder into a root file system where `place` is the working directory.

    Raises ``ValueError`` for a source that is neither the whole folder nor a file that Docker would see.
    """
    *sources, target = shlex.split(step.words)
    files = list(context(folder))
    for source in sources:
        if source != "." and source not in files:
            raise ValueError(f"{source} is no file that Docker would see: {step}")
        for file in files if source == "." else [source]:
            to = root / place.lstrip("/") / target / (file if source == "." else Path(file).name)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(folder / file, to)
