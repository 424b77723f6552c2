"""Try what `Dockerfile` says without Docker, in a fresh Debian of mmdebstrap: `make docker-steps`, as root.

Each RUN runs in it, CMD as the user that the file names, and HEALTHCHECK beside it. The server's processes, mounts
and network are this command's own, so all of them end with it, however it ends. Docker itself, its images, networks
and volumes, cannot be tried so.
"""

from __future__ import annotations

import ctypes
import fcntl
import http.client
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from tests.deploy import dockerfile

ROOT = Path(__file__).parents[2]
# Seconds until all steps together, one step, or stopping a server has failed; `docker stop` waits as long.
ALL_TIMEOUT, STEP_TIMEOUT, STOP_TIMEOUT = 900, 600, 30
# Codes of polls that one address may try at two replicas before it is refused, at the very most.
MAX_TRIES = 1000
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CLONE_NEWNET, SIOCSIFFLAGS, IFF_UP = 0x40000000, 0x8914, 1
# What Docker's Debian goes without, and what keeps its packages from starting services.
SLIM = [f"path-exclude=/usr/share/{name}/*" for name in ("doc", "man", "info", "locale")]
NO_SERVICES = "#!/bin/sh\nexit 101\n"
# Where anybody may write, as in any Debian, and what belongs to no image.
ANYBODYS = ("/tmp", "/var/tmp", "/run/lock", "/dev", "/proc", "/mnt")
# Computes one call on the cluster, as a replica does.
ON_CLUSTER = """
import sys
from joblib import delayed
from privdemo.experiments import running
with running.parallel(1, "dask", sys.argv[1]) as compute:
    assert list(compute([delayed(pow)(2, 5)])) == [32]
"""


class Failed(Exception):
    """A step went wrong; what it said."""


class Machine:
    """What makes this machine reach its packages: settings of apt and pip, for the steps alone."""

    def __init__(self, suite: str) -> None:
        lists = [Path("/etc/apt/sources.list"), Path("/etc/apt/sources.list.d/debian.sources")]
        self.sources = [str(one) for one in lists if one.exists() and re.search(rf"\b{suite}\b", one.read_text())]
        wanted = re.compile(r"Acquire::(https?::|Check-).*\S")
        said = subprocess.run(["apt-config", "dump"], capture_output=True, text=True).stdout
        self.apt = ['Acquire::Retries "3";']
        self.apt += [line for line in said.splitlines() if wanted.match(line) and not line.endswith('"";')]
        listed = [sys.executable, "-m", "pip", "config", "list"]
        said = subprocess.run(listed, capture_output=True, text=True).stdout
        found = re.findall(r"^(?:global|install|:env:)\.([\w.-]+)='(.*)'$", said, re.M)
        self.pip = {f"PIP_{name.upper().replace('-', '_')}": value for name, value in found}
        self.proxies = {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}

    def lend(self, root: Path) -> dict[str, str]:
        """Lend a root file system what pip's settings name, below /mnt; gives the settings."""
        mount("tmpfs", root / "mnt", "-t", "tmpfs")
        return {name: re.sub(r"/[^\s:]+", lambda m: self._lent(m[0], root), value) for name, value in self.pip.items()}

    @staticmethod
    def _lent(words: str, root: Path) -> str:
        """The name under which a file or a folder of this machine is lent; other words as they are."""
        path = Path("/", words.lstrip("/"))
        if not path.exists() or path == Path("/"):
            return words
        if path.is_file():
            shutil.copy(path, root / "mnt" / path.name)
            return f"{'//' if words.startswith('//') else ''}/mnt/{path.name}"
        top = Path(*path.parts[:3])  # links of an index lead to its neighbours
        at = root / "mnt" / top.relative_to("/")
        if not at.exists():
            at.mkdir(parents=True)
            mount(top, at, "--bind")
        return f"{'//' if words.startswith('//') else ''}/mnt{path}"


def mount(what: str | Path, at: Path, *options: str) -> None:
    """Mount something, until this command ends."""
    subprocess.run(["mount", *options, str(what), str(at)], check=True)


def run(what: str, command: Sequence[str], timeout: float = STEP_TIMEOUT, **environment: str) -> None:
    """Run a command to its end. Raises `Failed` with the last that it said."""
    done = subprocess.Popen(
        command,
        env={"PATH": PATH, "HOME": "/root"} | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        said = done.communicate(timeout=timeout)[0]
    except subprocess.TimeoutExpired:
        done.kill()
        raise Failed(f"{what}: took longer than {timeout:.0f} s") from None
    if done.returncode:
        raise Failed("\n".join([f"{what}: ended with exit code {done.returncode}", *said.splitlines()[-30:]]))


@contextmanager
def timed(what: str):
    """Print a line that says what was done, and how long it took."""
    begun = time.monotonic()
    yield
    print(
        f"docker-steps: {time.monotonic() - begun:5.1f} s  {what if len(what) < 90 else what[:87] + '...'}", flush=True
    )


def until(what: str, seconds: float, look):
    """What `look` gives as soon as it is true. Raises `Failed` when it takes longer than so many seconds."""
    end = time.monotonic() + seconds
    while not (seen := look()):
        if time.monotonic() > end:
            raise Failed(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.2)
    return seen


class Image:
    """A root file system, made as a Dockerfile says."""

    def __init__(self, root: Path) -> None:
        self.root, self.place, self.user, self.environment = root, "/", "root", {}
        self.check = self.command = dockerfile.Step("", "")
        self.port = 0

    def build(self, steps: Sequence[dockerfile.Step]) -> None:
        """Do one instruction after the other."""
        (base,) = [step.words for step in steps if step.name == "FROM"]
        if not (suite := re.fullmatch(r"debian:(\w+)-slim", base)):
            raise Failed(f"only debian:...-slim can be made here, not {base}")
        machine = Machine(suite[1])
        with timed(f"FROM {base}, made by mmdebstrap"):
            self._begin(machine, suite[1])
        lent = machine.lend(self.root) | machine.proxies
        for step in steps[1:]:
            with timed(str(step)) if step.name == "RUN" else nullcontext():
                self._do(step, lent)
        subprocess.run(["umount", "--recursive", self.root / "mnt"], check=True)

    def _begin(self, machine: Machine, suite: str) -> None:
        apt = [f"--aptopt={line}" for line in machine.apt] + [f"--dpkgopt={line}" for line in SLIM]
        made = ["mmdebstrap", "--mode=root", "--variant=minbase", *apt, suite, str(self.root), *machine.sources]
        run("mmdebstrap", made, **machine.proxies)
        no_services = self.root / "usr/sbin/policy-rc.d"
        no_services.write_text(NO_SERVICES)
        no_services.chmod(0o755)
        shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")
        (self.root / "etc/hosts").write_text("127.0.0.1 localhost\n")
        mount("proc", self.root / "proc", "-t", "proc")
        mount("tmpfs", self.root / "dev/shm", "-t", "tmpfs", "-o", "mode=1777,size=64m")

    def _do(self, step: dockerfile.Step, lent: dict[str, str]) -> None:
        match step.name:
            case "RUN":
                run(str(step), self.chroot_command(step.command()), **self.environment | lent)
            case "COPY":
                dockerfile.copy(step, ROOT, self.root, self.place)
            case "ENV":
                name, _, value = step.words.partition("=")
                self.environment[name] = value
            case "WORKDIR":
                self.place = step.words
                (self.root / step.words.lstrip("/")).mkdir(parents=True, exist_ok=True)
            case "USER":
                self.user = step.words
            case "EXPOSE":
                self.port = int(step.words)
            case "HEALTHCHECK":
                self.check = step
            case "CMD":
                self.command = step

    def ids(self) -> list[str]:
        """The numbers of the image's user and of its group, and its home."""
        entries = (line.split(":") for line in (self.root / "etc/passwd").read_text().splitlines())
        return next([uid, gid, home] for name, _, uid, gid, _, home, _ in entries if name == self.user)

    def chroot_command(self, command: Sequence[str]) -> list[str]:
        """Return the command line that runs a command in the image, as its user, without any right of root's or a way
        to one, as compose.yaml has it.
        """
        uid, gid, _ = self.ids()
        less = [] if uid == "0" else ["--no-new-privs", "--bounding-set=-all"]
        as_user = ["setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups", *less]
        return ["chroot", str(self.root), *as_user, "sh", "-c", 'cd "$0" && exec "$@"', self.place, *command]

    def variables(self, **more: str) -> dict[str, str]:
        """What a process of the image finds in its environment."""
        return {"PATH": PATH, "HOME": self.ids()[2]} | self.environment | more


class Container:
    """The image's server, told what compose.yaml tells it."""

    def __init__(self, image: Image, log: Path, **given: str) -> None:
        given_by_compose = dockerfile.environment((ROOT / "compose.yaml").read_text(), **given)
        self.image, self.log, self.environment = image, log, image.variables(**given_by_compose)
        self.process = self.start(image.command.command(), log)

    def start(self, command: Sequence[str], log: Path, **more) -> subprocess.Popen:
        """Start a command in the container, and return its process without waiting for it."""
        with log.open("w") as words:
            return subprocess.Popen(
                self.image.chroot_command(command),
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=words,
                stderr=subprocess.STDOUT,
                **more,
            )

    def is_healthy(self) -> bool:
        """Whether the check says so, in the time that it has."""
        check = self.start(self.image.check.command(), self.log.with_suffix(".check"), start_new_session=True)
        try:
            return check.wait(dockerfile.seconds(self.image.check.option("timeout"))) == 0
        except subprocess.TimeoutExpired:
            os.killpg(check.pid, signal.SIGKILL)
            check.wait()
            return False

    def wait(self) -> None:
        """Wait until it is healthy, no longer than Docker would."""

        def look() -> bool:
            if self.process.poll() is not None:
                raise Failed(f"the server ended with exit code {self.process.returncode}:\n{self.said()}")
            return self.is_healthy()

        try:
            until("healthy", dockerfile.seconds(self.image.check.option("start-period")), look)
        except Failed as error:
            raise Failed(f"{error}\n{self.said()}") from None

    def said(self) -> str:
        """The last that it said."""
        check = self.log.with_suffix(".check").read_text().splitlines()[-1:]
        return "\n".join([*self.log.read_text().splitlines()[-30:], *check])

    def stop(self) -> None:
        """End it as Docker does. Raises `Failed` if anything of it stays."""
        self.process.terminate()
        try:
            self.process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            raise Failed(f"the server has not ended within {STOP_TIMEOUT} s:\n{self.said()}") from None
        until("all processes of the server end", 5, lambda: not processes(self.image.ids()[0]))
        expect(not self.is_healthy(), "the check says healthy although the server has ended")


def processes(uid: str, holding: str = "") -> list[int]:
    """The processes of a user, whose command holds some words, that have not ended."""
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            words, command = status.read_text(), status.with_name("cmdline").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if re.search(rf"^Uid:\t{uid}\t", words, re.M) and "State:\tZ" not in words and holding in command:
            found.append(int(status.parent.name))
    return found


def expect(holds: bool, otherwise: str) -> None:
    """Raise `Failed` with a sentence unless something holds."""
    if not holds:
        raise Failed(otherwise)


def unshare_network() -> None:
    """Leave this machine's network: what is started from here on reaches itself alone."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET):
        raise Failed(f"no network of its own: {os.strerror(ctypes.get_errno())}")
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def check_image_contents(image: Image) -> None:
    """Raise `Failed` if the image holds what does not run, or if its user may write elsewhere than where polls are
    kept.
    """
    top = {path.name for path in (image.root / "privdemo").iterdir()}
    taken = set(re.findall(r"^!(\S+)", (ROOT / ".dockerignore").read_text(), re.M))
    expect(top == taken | {".venv"}, f"/privdemo holds {sorted(top ^ taken)} too, or not")
    odd = [*image.root.glob("root/.cache/*"), *image.root.glob("var/lib/apt/lists/*"), *image.root.glob("mnt/*")]
    odd += [path for path in (image.root / "privdemo").rglob("*.gz") if ".venv" not in path.parts]
    expect(not odd, f"the image holds {odd}")
    prune = [word for path in ANYBODYS for word in ("-path", path, "-o")][:-1]
    find = ["find", "/", "(", *prune, ")", "-prune", "-o", "-writable", "!", "-type", "l", "-print"]
    found = subprocess.run(
        image.chroot_command(find), env=image.variables(), capture_output=True, text=True
    ).stdout.split()
    expect(found == ["/polls"], f"{image.user} may write to {found}")
    expect(image.ids()[0] != "0", "the server runs as root")


def ask(port: int, path: str, whence: str = "127.0.0.1") -> int:
    """The status of an answer of the server, to one of the addresses of this machine."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20, source_address=(whence, 0))
    connection.request("GET", path)
    return connection.getresponse().status


def check_server(image: Image, folder: Path) -> None:
    """Start the server, check what its health check says and whether polls are kept, and stop it."""
    uid = image.ids()[0]
    with timed("CMD: healthy, through HAProxy"):
        container = Container(image, folder / "log")
        expect(not container.is_healthy(), "the check says healthy before anything answers")
        container.wait()
    with timed("a page, and the polls' database in its volume"):
        expect(ask(image.port, "/voting") == 200, "the page on voting does not come")
        expect(ask(image.port, "/p/BCDFG") == 404, "a code that is none is not a 404")
        (kept,) = (image.root / "polls").rglob("polls.sqlite")
        expect(kept.stat().st_uid == int(uid), f"{kept} is not the user's own")
    with timed("who tries codes is kept waiting, others are not"):
        tries = (ask(image.port, "/p/BCDFG", "127.0.0.2") for _ in range(MAX_TRIES))
        expect(429 in tries, f"one address may try {MAX_TRIES} codes")
        expect(ask(image.port, "/p/BCDFG", "127.0.0.3") == 404, "another address counts as the one that tries codes")
    with timed("replicas that hang: unhealthy; that go on: healthy"):
        hung = processes(uid, "streamlit")
        for sign, is_well in ((signal.SIGSTOP, False), (signal.SIGCONT, True)):
            for process in hung:
                os.kill(process, sign)
            expect(container.is_healthy() == is_well, f"{sign.name}: healthy is not {is_well}")
    with timed("SIGTERM: all has ended, and is unhealthy"):
        container.stop()


def check_server_with_cluster(image: Image, folder: Path) -> None:
    """Start the server with PRIVDEMO_SCHEDULER: it must not end, and the image's Dask must compute."""
    address, log = "tcp://127.0.0.1:8786", folder / "dask-log"
    with timed("PRIVDEMO_SCHEDULER names a Dask scheduler: healthy, nothing restarts"), log.open("w") as words:
        dask = [".venv/bin/dask", "scheduler", "--host", "127.0.0.1", "--port", "8786", "--no-dashboard"]
        worker = [".venv/bin/dask", "worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        worker += ["--local-directory", "/tmp"]
        options = {"env": image.variables(), "stdin": subprocess.DEVNULL, "stdout": words, "stderr": words}
        both = [subprocess.Popen(image.chroot_command(command), **options) for command in (dask, worker)]
        container = Container(image, folder / "log with Dask", PRIVDEMO_SCHEDULER=address)
        container.wait()
        call = image.chroot_command([".venv/bin/python", "-c", ON_CLUSTER, address])
        run("a call on the cluster", call, timeout=60, **image.variables())
        said = container.log.read_text()
        expect("is started again" not in said and said.count("Replica 1: process") == 1, f"a replica restarts:\n{said}")
        for one in both:
            one.terminate()
            one.wait(STOP_TIMEOUT)
        container.stop()


def try_all_steps(folder: Path) -> None:
    """Build the image and try its server, in a process whose processes and mounts are its own."""
    image = Image(folder / "root")
    image.build(dockerfile.steps((ROOT / "Dockerfile").read_text()))
    (image.root / "data").mkdir()  # compose.yaml's folder of data, empty
    with timed("nothing else is in the image, and its user writes to /polls alone"):
        check_image_contents(image)
    unshare_network()
    check_server(image, folder)
    check_server_with_cluster(image, folder)


def run_isolated() -> str | None:
    """Have an isolated process try all steps, and clear up; return a sentence if that fails."""
    tools = [tool for tool in ("mmdebstrap", "unshare", "setpriv") if not shutil.which(tool)]
    if os.geteuid() or tools:
        why = f"apt install {' '.join(tools)}" if tools else "run it as root"
        skipped = f"docker-steps: not tried here; {why}."
        if os.environ.get("CI"):
            return skipped
        print(skipped)
        return None
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="privdemo-docker-") as folder:
        # All of it ends with this process, and mounts are gone before anything is deleted.
        alone = [
            "setpriv",
            "--pdeathsig",
            "KILL",
            "unshare",
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
            "--mount-proc",
        ]
        with subprocess.Popen([*alone, sys.executable, "-m", __spec__.name, folder], cwd=ROOT) as process:
            try:
                code = process.wait(ALL_TIMEOUT)
            except subprocess.TimeoutExpired:
                return f"docker-steps: not done within {ALL_TIMEOUT} s."
            finally:
                process.kill()
    return "docker-steps: failed; it says above why." if code else None


def main(arguments: Sequence[str]) -> str | None:
    """Try all steps; a sentence where one fails."""
    if not arguments:
        return run_isolated()
    try:
        try_all_steps(Path(arguments[0]))
    except (Failed, ValueError) as error:
        return f"docker-steps: {error}"
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
