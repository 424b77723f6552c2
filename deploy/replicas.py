"""Replicas of the app behind HAProxy: `python -m deploy.replicas 2` is what `make serve REPLICAS=2` runs.

One process draws pages on about one core. Each replica is the app as `make run` starts it, on a port of its own that
only this machine reaches; HAProxy gives each visitor to one of them and keeps the visitor there.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from string import Template

from privdemo import limits
from server import server_settings
from server.replica_limits import REPLICAS

ROOT = Path(__file__).parents[1]
TEMPLATE = Path(__file__).with_name("haproxy.cfg")
APP = [sys.executable, "-m", "streamlit", "run", "app.py", "--logger.hideWelcomeMessage", "true"]
# What asks this process to end.
SIGNS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Seconds between looks at what has ended, from one start of a process to the next, and until one that was asked to end
# is killed.
LOOK, PAUSE, GRACE = 0.1, 1.0, 5.0
# Connections of visitors that HAProxy takes at once: 5,000 telephones of a poll keep one each while they look, and two
# replicas have a thousand visitors. Files that it needs besides two for each connection.
CONNECTIONS, FILES = 8000, 100
# Seconds between questions to a replica whether it is well, until it may answer, and of silence after which it hangs.
ASK, PATIENCE, HANGS = 2.0, 10.0, 45.0


@dataclass
class Child:
    """A process that is to run for as long as this one, and all that it starts."""

    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    # Where it says whether it is well, and when it was started or said so last.
    health: str = ""
    heard: float = 0.0
    process: subprocess.Popen[bytes] | None = None
    since: float = 0.0

    def start(self) -> None:
        """Start it, in a group of its own: Ctrl-C in the terminal reaches this process alone."""
        self.since = self.heard = time.monotonic()
        environment = {**os.environ, **self.environment}
        self.process = subprocess.Popen(self.command, cwd=ROOT, env=environment, start_new_session=True)
        print(f"{self.name}: process {self.process.pid}", flush=True)

    def how_it_ended(self) -> str | None:
        """How it has ended; None while it runs."""
        code = self.process.poll() if self.process else None
        if code is None:
            return None
        return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"

    def is_well(self) -> bool:
        """Whether it says so; of one that cannot be asked, whether it has run for a moment."""
        now = time.monotonic()
        if not self.health:
            return now - self.since > PAUSE
        with suppress(OSError, HTTPException), urllib.request.urlopen(self.health, timeout=PATIENCE):
            self.heard = now
        return self.heard == now

    def listen(self) -> None:
        """Ask it again and again whether it is well, for ever."""
        while True:
            self.is_well()
            time.sleep(ASK)

    def what_is_wrong(self) -> str | None:
        """What has become of it; None while it runs and answers."""
        if how := self.how_it_ended():
            return how
        return "hangs" if self.health and time.monotonic() - self.heard > HANGS else None

    def stop(self, grace: float = GRACE) -> None:
        """End it, by force if it takes longer than `grace`; then what is left of what it has started."""
        if self.process is None:
            return
        with suppress(subprocess.TimeoutExpired):
            if grace:
                self.process.terminate()
                self.process.wait(grace)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def replicas(ports: Sequence[int]) -> list[Child]:
    """The app on each of some ports of this machine."""
    where = [["--server.address", "127.0.0.1", "--server.port", str(port)] for port in ports]
    each = {REPLICAS: str(len(ports))}
    return [
        Child(f"Replica {i}", [*APP, *place], each, f"http://127.0.0.1:{port}/_stcore/health")
        for i, (place, port) in enumerate(zip(where, ports, strict=True), start=1)
    ]


def connections() -> int:
    """How many connections HAProxy can take: fewer than `CONNECTIONS` where the system lets it open fewer files."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return CONNECTIONS if files == resource.RLIM_INFINITY else min(CONNECTIONS, max(1, (files - FILES) // 2))


def configuration(bind: str, ports: Sequence[int]) -> str:
    """What HAProxy reads: where visitors come in, and the ports of the replicas."""
    servers = [f"    server {i} 127.0.0.1:{port}" for i, port in enumerate(ports, start=1)]
    visited = "\n".join(f"{server} cookie {i}" for i, server in enumerate(servers, start=1))
    asked = "\n".join(f"{server} track replicas/{i}" for i, server in enumerate(servers, start=1))
    return Template(TEMPLATE.read_text()).substitute(bind=bind, connections=connections(), servers=visited, polls=asked)


def haproxy() -> str:
    """The path of HAProxy, which Debian keeps where only root looks. Raises ``ValueError`` where there is none."""
    found = shutil.which("haproxy", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"]))
    if not found:
        raise ValueError("make serve needs HAProxy: on Debian or Ubuntu, apt install haproxy. make run does without.")
    return found


def free_ports(n: int) -> list[int]:
    """Ports of this machine that nobody uses."""
    with ExitStack() as all_open:
        found = [all_open.enter_context(socket.socket()) for _ in range(n)]
        for one in found:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in found]


def check_free(address: str, port: int) -> None:
    """Raise ``ValueError`` where visitors cannot come in: no port, a taken one, another machine's address."""
    limits.PORT.check(port)
    with socket.socket() as place:
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            place.bind((address, port))
        except OSError as error:
            raise ValueError(
                f"{address}:{port} cannot be used ({error.strerror}); name another port: PORT=8502"
            ) from None


def wait_for(child: Child) -> None:
    """Wait until it is well. Raises ``ValueError`` if it ends instead."""
    while not child.is_well():
        if how := child.how_it_ended():
            raise ValueError(f"{child.name} {how} before it answered; it says above why.")
        time.sleep(LOOK)


def look_after(running: Sequence[Child]) -> None:
    """Start again what has ended or hangs, for ever."""
    for child in running:
        child.heard = time.monotonic()
        threading.Thread(target=child.listen, daemon=True).start()
    while True:
        time.sleep(LOOK)
        for child in running:
            if (how := child.what_is_wrong()) and time.monotonic() - child.since > PAUSE:
                print(f"{child.name} {how} and is started again.", flush=True)
                child.stop(grace=0)
                child.start()


def serve(n: int, address: str, port: int) -> None:
    """Serve until this process is asked to end. Raises ``ValueError`` with a sentence where it cannot."""
    check_free(address, port)
    ports = free_ports(n)
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "haproxy.cfg")
        config.write_text(configuration(f"{address}:{port}", ports))
        proxy, behind = Child("HAProxy", [haproxy(), "-db", "-f", str(config)]), replicas(ports)
        try:
            for replica in behind:
                replica.start()
            for replica in behind:
                wait_for(replica)
            proxy.start()
            wait_for(proxy)
            print(f"privdemo: http://{address or 'localhost'}:{port}, replicas on ports {ports}", flush=True)
            look_after([proxy, *behind])
        finally:
            for child in (proxy, *behind):
                child.stop()


def end(*_: object) -> None:
    """End this process in order; who asks once more does not keep it from ending the others."""
    for sign in SIGNS:
        signal.signal(sign, signal.SIG_IGN)
    sys.exit()


def number(words: str) -> int:
    """How many replicas somebody asks for. Raises ``ValueError`` with the range."""
    return int(limits.REPLICAS.check(int(words) if words.isdecimal() else words))  # type: ignore[arg-type]


def main(arguments: Sequence[str] | None = None) -> str | None:
    """Serve; a sentence if that cannot be done."""
    parser = argparse.ArgumentParser(prog="python -m deploy.replicas", description="Serve replicas of the app.")
    parser.add_argument("replicas", help="how many; more than there are cores wait for each other")
    parser.add_argument("--port", type=int, default=8501, help="where visitors come in (default: 8501)")
    parser.add_argument("--address", default="", help="the address of this machine for visitors (default: every one)")
    asked = parser.parse_args(arguments)
    server_settings.check()
    for sign in SIGNS:
        signal.signal(sign, end)
    try:
        serve(number(asked.replicas), asked.address, asked.port)
    except ValueError as error:
        return str(error)
    return None


if __name__ == "__main__":
    sys.exit(main())
