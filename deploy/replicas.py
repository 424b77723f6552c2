"""Run replicas of the app behind HAProxy: `python -m deploy.replicas 2` is what `make serve REPLICAS=2` calls.

One process renders pages on about one core. Each replica is the app as `make run` starts it, on a port that only this
computer reaches; HAProxy assigns each visitor to one replica and keeps them there.
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
from server.replica_limits import REPLICAS_ENV

ROOT = Path(__file__).parents[1]
TEMPLATE = Path(__file__).with_name("haproxy.cfg")
APP = [sys.executable, "-m", "streamlit", "run", "app.py", "--logger.hideWelcomeMessage", "true"]
# The signals that end this process.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Seconds between checks for ended processes, between two starts of one, and from its termination until it is killed.
CHECK_EVERY, PAUSE, GRACE = 0.1, 1.0, 5.0
# The most connections of visitors to HAProxy: 5,000 telephones of a poll keep one each while they poll, and two
# replicas have a thousand visitors. Files that it needs besides two for each connection.
CONNECTIONS, FILES = 8000, 100
# Seconds between health checks of a replica, until a check has failed, and without a good one until it is restarted.
HEALTH_EVERY, HEALTH_TIMEOUT, HANGS_AFTER = 2.0, 10.0, 45.0


@dataclass
class Child:
    """A child process that is restarted when it ends, with its own children."""

    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    # The URL of its health check, and when it was started or the check last succeeded.
    health: str = ""
    last_healthy: float = 0.0
    process: subprocess.Popen[bytes] | None = None
    since: float = 0.0

    def start(self) -> None:
        """Start it in a process group of its own, so that Ctrl-C in the terminal reaches only this process."""
        self.since = self.last_healthy = time.monotonic()
        environment = {**os.environ, **self.environment}
        self.process = subprocess.Popen(self.command, cwd=ROOT, env=environment, start_new_session=True)
        print(f"{self.name}: process {self.process.pid}", flush=True)

    def end_reason(self) -> str | None:
        """Return how it ended; None while it runs."""
        code = self.process.poll() if self.process else None
        if code is None:
            return None
        return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"

    def check_health(self) -> bool:
        """Make its health check, and return whether it is answered; without one, whether it has run for a moment."""
        now = time.monotonic()
        if not self.health:
            return now - self.since > PAUSE
        with suppress(OSError, HTTPException), urllib.request.urlopen(self.health, timeout=HEALTH_TIMEOUT):
            self.last_healthy = now
        return self.last_healthy == now

    def poll_health(self) -> None:
        """Check its health regularly, without end."""
        while True:
            self.check_health()
            time.sleep(HEALTH_EVERY)

    def problem(self) -> str | None:
        """Return how it ended or that it hangs; None while it runs and answers."""
        if how := self.end_reason():
            return how
        return "hangs" if self.health and time.monotonic() - self.last_healthy > HANGS_AFTER else None

    def stop(self, grace: float = GRACE) -> None:
        """Terminate it, kill it if that takes longer than `grace`, then kill what is left of its process group."""
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
    """Return the app on each of some ports of this computer."""
    where = [["--server.address", "127.0.0.1", "--server.port", str(port)] for port in ports]
    each = {REPLICAS_ENV: str(len(ports))}
    return [
        Child(f"Replica {i}", [*APP, *arguments], each, f"http://127.0.0.1:{port}/_stcore/health")
        for i, (arguments, port) in enumerate(zip(where, ports, strict=True), start=1)
    ]


def connections() -> int:
    """Return how many connections HAProxy can take: fewer than `CONNECTIONS` if the system allows fewer files."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return CONNECTIONS if files == resource.RLIM_INFINITY else min(CONNECTIONS, max(1, (files - FILES) // 2))


def configuration(bind: str, ports: Sequence[int]) -> str:
    """Return HAProxy's configuration: the address for visitors, and the ports of the replicas."""
    servers = [f"    server {i} 127.0.0.1:{port}" for i, port in enumerate(ports, start=1)]
    visited = "\n".join(f"{server} cookie {i}" for i, server in enumerate(servers, start=1))
    tracked = "\n".join(f"{server} track replicas/{i}" for i, server in enumerate(servers, start=1))
    return Template(TEMPLATE.read_text()).substitute(
        bind=bind, connections=connections(), servers=visited, polls=tracked
    )


def haproxy() -> str:
    """Return the path of HAProxy, which Debian installs outside of the PATH. Raise ``ValueError`` if there is none."""
    found = shutil.which("haproxy", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"]))
    if not found:
        raise ValueError("make serve needs HAProxy: on Debian or Ubuntu, apt install haproxy. make run does without.")
    return found


def free_ports(n: int) -> list[int]:
    """Return free ports of this computer."""
    with ExitStack() as all_open:
        found = [all_open.enter_context(socket.socket()) for _ in range(n)]
        for one in found:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in found]


def check_free(address: str, port: int) -> None:
    """Raise ``ValueError`` if the address for visitors cannot be used: an invalid or used port, or another computer."""
    limits.PORT.check(port)
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address, port))
        except OSError as error:
            raise ValueError(
                f"{address}:{port} cannot be used ({error.strerror}); name another port: PORT=8502"
            ) from None


def wait_for(child: Child) -> None:
    """Wait until a child is healthy. Raise ``ValueError`` if it ends instead."""
    while not child.check_health():
        if how := child.end_reason():
            raise ValueError(f"{child.name} {how} before it answered; it says above why.")
        time.sleep(CHECK_EVERY)


def supervise(running: Sequence[Child]) -> None:
    """Check the children without end, and restart those that have ended or hang; never returns."""
    for child in running:
        child.last_healthy = time.monotonic()
        threading.Thread(target=child.poll_health, daemon=True).start()
    while True:
        time.sleep(CHECK_EVERY)
        for child in running:
            if (how := child.problem()) and time.monotonic() - child.since > PAUSE:
                print(f"{child.name} {how} and is started again.", flush=True)
                child.stop(grace=0)
                child.start()


def serve(n: int, address: str, port: int) -> None:
    """Serve until this process is terminated. Raise ``ValueError`` with a sentence if that is not possible."""
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
            supervise([proxy, *behind])
        finally:
            for child in (proxy, *behind):
                child.stop()


def exit_once(*_: object) -> None:
    """Exit, and ignore further signals, which would interrupt the end of the children."""
    for one in SIGNALS:
        signal.signal(one, signal.SIG_IGN)
    sys.exit()


def n_replicas(words: str) -> int:
    """Return the number of replicas in an argument. Raise ``ValueError`` with the allowed range."""
    return int(limits.REPLICAS.check(int(words) if words.isdecimal() else words))  # type: ignore[arg-type]


def main(arguments: Sequence[str] | None = None) -> str | None:
    """Serve; return a sentence if that is not possible."""
    parser = argparse.ArgumentParser(prog="python -m deploy.replicas", description="Serve replicas of the app.")
    parser.add_argument("replicas", help="how many; more than there are cores wait for each other")
    parser.add_argument("--port", type=int, default=8501, help="where visitors come in (default: 8501)")
    parser.add_argument("--address", default="", help="the address of this machine for visitors (default: every one)")
    parsed = parser.parse_args(arguments)
    server_settings.check()
    for one in SIGNALS:
        signal.signal(one, exit_once)
    try:
        serve(n_replicas(parsed.replicas), parsed.address, parsed.port)
    except ValueError as error:
        return str(error)
    return None


if __name__ == "__main__":
    sys.exit(main())
