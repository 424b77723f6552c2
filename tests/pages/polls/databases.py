"""A PostgreSQL of the tests' own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def programs() -> Path | None:
    """The folder of PostgreSQL's programs, which Debian keeps out of the path; None where there is none."""
    found = shutil.which("initdb")
    return Path(found).parent if found else max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)


@contextmanager
def postgresql() -> Iterator[str]:
    """The URL of a database that ends with the context; it does not run as root, so as root it runs as postgres."""
    here = programs()
    assert here
    user = "postgres" if os.getuid() == 0 else None
    with tempfile.TemporaryDirectory() as folder:
        if user:
            shutil.chown(folder, user)

        def run(*command: str) -> None:
            said = [here / command[0], "-D", f"{folder}/data", *command[1:]]
            subprocess.run(said, user=user, cwd=folder, stdout=subprocess.DEVNULL, check=True)

        run(
            "initdb",
            "--auth=trust",
            "--username=postgres",
            "--no-sync",
            "--no-instructions",
            "--locale=C",
            "--encoding=UTF8",
        )
        run("pg_ctl", "--options", f"-k {folder} -c listen_addresses=", "-l", f"{folder}/log", "--wait", "start")
        try:
            yield f"postgresql+psycopg://postgres@/postgres?host={folder}"
        finally:
            run("pg_ctl", "--mode=immediate", "stop")
