"""A PostgreSQL server for the tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def programs() -> Path | None:
    """Return the folder of PostgreSQL's programs, which Debian does not add to the PATH; None if there is none."""
    found = shutil.which("initdb")
    return Path(found).parent if found else max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)


@contextmanager
def postgresql() -> Iterator[str]:
    """Yield the URL of a database that ends with the context; under root it runs as the user postgres."""
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
