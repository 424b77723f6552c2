"""Look, without special rights, whether a firewall is on, and say how to let telephones of a network through it."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

_UFW = Path("/etc/ufw/ufw.conf")
_MACOS = "/usr/libexec/ApplicationFirewall/socketfilterfw"
# Seconds after which a program that says the state of a firewall is no longer waited for.
_TIMEOUT = 2.0
_UNKNOWN = "a firewall"


@dataclass(frozen=True)
class Firewall:
    """A firewall's `name`, and whether it is on; None if that cannot be seen."""

    name: str
    is_on: bool | None


def find(system: str = "", ufw: Path = _UFW) -> Firewall:
    """Return the firewall of this computer, or one of unknown state. `system` is as `platform.system` names it."""
    looks: dict[str, Callable[[], Firewall]] = {
        "Linux": lambda: _on_linux(ufw),
        "Darwin": _on_macos,
        "Windows": _on_windows,
    }
    return looks.get(system or platform.system(), lambda: Firewall(_UNKNOWN, None))()


def _on_linux(ufw: Path) -> Firewall:
    """Return ufw or firewalld, if one is on; rules that were set without them are for root alone to see."""
    try:
        is_ufw = bool(re.search(r"^\s*ENABLED\s*=\s*yes\b", ufw.read_text(encoding="utf-8"), re.I | re.M))
    except (OSError, UnicodeError):
        is_ufw = False
    if is_ufw:
        return Firewall("ufw", True)
    if _output("systemctl", "is-active", "firewalld").strip() == "active":
        return Firewall("firewalld", True)
    return Firewall(_UNKNOWN, None)


def _on_macos() -> Firewall:
    state = re.search(r"State\s*=\s*(\d)", _output(_MACOS, "--getglobalstate"))
    return Firewall("the firewall of macOS", state[1] != "0" if state else None)


def _on_windows() -> Firewall:
    """Return Windows' own; netsh answers in the language of Windows, so other words than ON and OFF say nothing."""
    state = re.search(r"\b(ON|OFF)\s*$", _output("netsh", "advfirewall", "show", "currentprofile", "state"), re.M)
    return Firewall("Windows Defender Firewall", state[1] == "ON" if state else None)


def _output(*command: str) -> str:
    """Return what a program prints; empty if it is not there, fails to start or takes too long."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT, check=False, errors="replace"
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout


def advice(firewall: Firewall, port: int, network: str, python: str = sys.executable) -> tuple[str, Sequence[str]]:
    """Return a sentence on how to let a network's telephones through to a port, and the commands for a terminal.

    The first command opens the port, the second one closes it again.
    """
    if firewall.is_on is False:
        return f"{_capital(firewall.name)} is off, so it is not in the way.", ()
    family = "ipv6" if ":" in network else "ipv4"
    rule = f'rule family="{family}" source address="{network}" port port="{port}" protocol="tcp" accept'
    state = "is on" if firewall.is_on else "may be on: this cannot be seen from here"
    if firewall.name == "ufw":
        allow = f"allow from {network} to any port {port} proto tcp"
        return "ufw is on. These let the network in, and shut it out again:", (
            f"sudo ufw {allow}",
            f"sudo ufw delete {allow}",
        )
    if firewall.name == "firewalld":
        commands = [f"sudo firewall-cmd --{verb}-rich-rule='{rule}'" for verb in ("add", "remove")]
        return "firewalld is on. These let the network in, and shut it out again:", commands
    if firewall.name == "the firewall of macOS":
        return (
            f"The firewall of macOS {state}. In System Settings, Network, Firewall, Options, have “Block all incoming "
            "connections” off and Python allowed; or let it in with the first of these, and shut it out again with the "
            "second:",
            [f"sudo {_MACOS} --{verb} '{python}'" for verb in ("unblockapp", "blockapp")],
        )
    if firewall.name == "Windows Defender Firewall":
        named = 'netsh advfirewall firewall {} rule name="privdemo"'
        return (
            f"Windows Defender Firewall {state}. If Windows asks, allow Python on private networks, and see that this "
            "network is set to “Private”. Or, in a terminal opened as administrator, these let the network in, and "
            "shut it out again:",
            [
                f"{named.format('add')} dir=in action=allow protocol=TCP localport={port} remoteip={network}",
                named.format("delete"),
            ],
        )
    return (
        f"A firewall on this computer may be in the way; neither ufw nor firewalld is on, and others cannot be seen "
        f"from here. It must let TCP port {port} in from {network}.",
        (),
    )


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
