"""Mutation testing: change the code at random places, one place at a time, and see whether a test fails.

Takes a random sample of mutants of the families below, runs each against the tests of its own family alone, and prints
the survivors with their diffs and the score. `docs/mutants.md` says what a mutant is and explains the survivors.

    python -m tests.mutants.run --sample 400 --seed 0
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from mutmut.configuration import config, reset_config
from mutmut.mutation.diff_apply import find_mutant, get_diff_for_mutant
from mutmut.mutation.file_mutation import mutate_file_contents
from mutmut.utils.format_utils import get_mutant_name

ROOT = Path(__file__).parents[2]
# Each family: the folder whose code is mutated, and the folder of tests that must notice.
FAMILIES = {
    "accounting": ("privdemo/accounting", "tests/accounting"),
    "mechanisms": ("privdemo/mechanisms", "tests/mechanisms"),
    "estimators": ("privdemo/estimators", "tests/estimators"),
    "kit": ("pages/kit", "tests/pages/kit"),
    "topics": ("pages/topics", "tests/pages/topics"),
    "server": ("server", "tests/server"),
}
SOURCES = ["privdemo", "pages", "server"]
# Mutmut's command, run by this Python: a script in a virtual environment may name another one.
MUTMUT = "from mutmut.__main__ import cli; cli()"
# What mutmut writes for each mutant. A mutant that breaks the time limit or the interpreter has been noticed.
VERDICTS = {0: "survived", 5: "untested", 33: "untested", -24: "timeout", 36: "timeout", 152: "timeout", 255: "timeout"}
# The wording of errors and warnings is no behaviour: tests look for their key words only. A protocol that classes are
# checked against at run time is left alone: mutmut would add methods to it, which no class has.
SETTINGS = """
[tool.mutmut]
source_paths = {sources}
only_mutate = ["{code}/*"]
do_not_mutate = ["privdemo/mechanisms/pixel_mechanism.py"]
do_not_mutate_patterns = ['raise \\w+\\(', 'warnings\\.warn\\(']
pytest_add_cli_args = ["-p", "no:cacheprovider"]
pytest_add_cli_args_test_selection = ["{tests}"]
also_copy = {rest}
process_isolation = "forkserver"
timeout_constant = 6.0
timeout_multiplier = 5.0
"""
LEFT_OUT = shutil.ignore_patterns(".git", ".venv*", "__pycache__", ".*_cache", ".hypothesis", "mutants")
# A mutant is a fork of a process that has run NumPy: threads of its own would not survive that.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

# Tests that run in a copy of the project find the same data sets.
DATA = {name: str(Path(os.environ[name]).resolve()) for name in ("PRIVDEMO_DATA",) if name in os.environ}


def workshop(family: str, folder: Path) -> Path:
    """A copy of the project under `folder`, set up to mutate `family`."""
    code, tests = FAMILIES[family]
    copy = folder / family
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
    rest = [path.name for path in copy.iterdir() if path.name not in SOURCES]
    with (copy / "pyproject.toml").open("a", encoding="utf-8") as settings:
        settings.write(SETTINGS.format(sources=SOURCES, code=code, tests=tests, rest=rest))
    return copy


def mutants(family: str, copy: Path) -> list[str]:
    """The names of all mutants of `family`, in order."""
    enter(copy)
    found = []
    for file in filter(config().should_mutate, sorted(Path(FAMILIES[family][0]).rglob("*.py"))):
        mutated = mutate_file_contents(str(file), file.read_text(encoding="utf-8"))
        found += [get_mutant_name(file, name) for name in mutated.mutant_names]
    return found


def verdicts(names: list[str], copy: Path, jobs: int) -> dict[str, str]:
    """Run mutmut on the mutants `names`: killed, timeout, survived or untested, by name."""
    command = [sys.executable, "-P", "-c", MUTMUT, "run", "--max-children", str(jobs), *names]
    done = subprocess.run(command, cwd=copy, env=os.environ | ONE_THREAD | DATA, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"mutmut failed:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    codes: dict[str, int | None] = {}
    for file in (copy / "mutants").rglob("*.meta"):
        codes |= json.loads(file.read_text(encoding="utf-8"))["exit_code_by_key"]
    return {name: VERDICTS.get(codes[name], "killed") for name in names}


def noticed_by_all(name: str, family: str, copy: Path) -> bool:
    """Whether any test of `family` fails on the mutant `name`.

    Mutmut runs the tests that it saw reach a function; one that met the result in a cache of its process is not among
    them, nor one that starts a process of its own.
    """
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--rootdir=.", FAMILIES[family][1]]
    mutated = os.environ | ONE_THREAD | DATA | {"MUTANT_UNDER_TEST": name}
    return subprocess.run(command, cwd=copy / "mutants", env=mutated, capture_output=True).returncode != 0


def show(name: str, copy: Path) -> str:
    """The diff of the mutant `name`."""
    enter(copy)
    lines = get_diff_for_mutant(name, path=find_mutant(name).path).splitlines()
    return "\n".join(line for line in lines if not line.startswith(("--- ", "+++ ")))


def is_wording(diff: str) -> bool:
    """Whether a mutant changes nothing but the case of a text of several words, or puts it between XX.

    A text of one word may be a key or a command: its case is no mere wording.
    """
    before, after = (
        [part for line in diff.splitlines() if line.startswith(sign) for part in line[1:].split('"')] for sign in "-+"
    )
    if len(before) != len(after):
        return False
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    return all(" " in a.strip() and b.replace("XX", "").lower() == a.lower() for a, b in changed)


def enter(copy: Path) -> None:
    """Make mutmut work in `copy`, by its settings."""
    os.chdir(copy)
    reset_config()


def report(tally: Counter[str]) -> str:
    """The share of mutants that the tests noticed, and what became of them; `wording` are survivors of `is_wording`."""
    noticed, n = tally["killed"] + tally["timeout"], tally.total()
    return f"{noticed} of {n} noticed ({noticed / n:.1%}): " + ", ".join(f"{k} {v}" for k, v in sorted(tally.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description="Mutation testing of a random sample.")
    parser.add_argument("--sample", type=int, default=400, help="how many mutants (default 400)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (default 0)")
    parser.add_argument("--family", choices=FAMILIES, action="append", help="only this one; may be given repeatedly")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at once (default 2)")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies = {family: workshop(family, Path(folder)) for family in chosen.family or FAMILIES}
        pool = [(family, name) for family, copy in copies.items() for name in mutants(family, copy)]
        sample = random.Random(chosen.seed).sample(pool, min(chosen.sample, len(pool)))
        print(f"{len(sample)} of {len(pool)} mutants, seed {chosen.seed}", flush=True)
        score: Counter[str] = Counter()
        for family in sorted({family for family, _ in sample}):
            names, start = [name for of, name in sample if of == family], time.monotonic()
            found = verdicts(names, copies[family], chosen.jobs)
            for name in (name for name in names if found[name] in ("survived", "untested")):
                if noticed_by_all(name, family, copies[family]):
                    found[name] = "killed"
                elif is_wording(show(name, copies[family])):
                    found[name] = "wording"
            score += (tally := Counter(found.values()))
            print(f"\n{family}: {report(tally)}, {time.monotonic() - start:.0f} s", flush=True)
            for name in sorted(name for name in names if found[name] in ("survived", "untested", "wording")):
                print(f"\n{found[name]}: {name}\n{show(name, copies[family])}", flush=True)
    print(f"\nAll: {report(score)}")


if __name__ == "__main__":
    main()
