"""Is a firewall on? Stand-ins for the files and programs of each system, and the words for what to do."""

import subprocess

import pytest

from server import firewall
from server.firewall import Firewall


@pytest.fixture
def programs(monkeypatch):
    """Return a function that has programs print what is given for the first word of each; others are not there."""
    asked = []

    def have(**printed):
        def run(command, timeout, **_):
            asked.append((command, timeout))
            found = printed.get(command[0].rpartition("/")[2])
            if found is None:
                raise FileNotFoundError(command[0])
            if isinstance(found, BaseException):
                raise found
            return subprocess.CompletedProcess(command, 0, found, "")

        monkeypatch.setattr(subprocess, "run", run)
        return asked

    return have


MACOS = "the firewall of macOS"
WINDOWS = "Windows Defender Firewall"
NETSH = "\nPublic Profile Settings:\n---\nState                                 {}\nOk.\n"


@pytest.mark.parametrize(
    ("system", "printed", "name", "is_on"),
    [
        ("Linux", {"systemctl": "active\n"}, "firewalld", True),
        ("Linux", {"systemctl": "inactive\n"}, "a firewall", None),
        ("Linux", {"systemctl": subprocess.TimeoutExpired("systemctl", 2)}, "a firewall", None),
        ("Linux", {}, "a firewall", None),
        ("Darwin", {"socketfilterfw": "Firewall is enabled. (State = 1)\n"}, MACOS, True),
        (
            "Darwin",
            {"socketfilterfw": "Firewall is blocking all connections. (State = 2)\n"},
            MACOS,
            True,
        ),
        ("Darwin", {"socketfilterfw": "Firewall is disabled. (State = 0)\n"}, MACOS, False),
        ("Darwin", {"socketfilterfw": PermissionError()}, MACOS, None),
        (
            "Windows",
            {"netsh": NETSH.format("ON")},
            WINDOWS,
            True,
        ),
        (
            "Windows",
            {"netsh": NETSH.format("OFF")},
            WINDOWS,
            False,
        ),
        ("Windows", {"netsh": "Status                                EIN\nOK.\n"}, WINDOWS, None),
        ("Windows", {}, WINDOWS, None),
        ("Plan 9", {}, "a firewall", None),
    ],
)
def test_what_each_system_says_is_read(programs, tmp_path, system, printed, name, is_on):
    asked = programs(**printed)
    assert firewall.find(system, tmp_path / "ufw.conf") == Firewall(name, is_on)
    assert all(timeout <= 2 for _, timeout in asked), "nobody waits long for a program that hangs"


@pytest.mark.parametrize(
    ("text", "is_on"),
    [("# ufw\nENABLED=yes\nLOGLEVEL=low\n", True), ("ENABLED=no\n", None), ("#ENABLED=yes\n", None), ("", None)],
)
def test_the_file_of_ufw_is_read(programs, tmp_path, text, is_on):
    programs()
    file = tmp_path / "ufw.conf"
    file.write_text(text)
    assert firewall.find("Linux", file).is_on == is_on
    file.write_bytes(b"\xff\xfe")
    assert firewall.find("Linux", file).is_on is None


def test_this_computers_own_is_looked_for_without_fail():
    assert firewall.find().name


UFW = "allow from 192.168.1.0/24 to any port 8621 proto tcp"
RICH = 'rule family="ipv4" source address="192.168.1.0/24" port port="8621" protocol="tcp" accept'
SOCKET = "/usr/libexec/ApplicationFirewall/socketfilterfw"
RULE = 'netsh advfirewall firewall {} rule name="privdemo"'
OPENING = "dir=in action=allow protocol=TCP localport=8621 remoteip=192.168.1.0/24"
COMMANDS = {
    "ufw": (f"sudo ufw {UFW}", f"sudo ufw delete {UFW}"),
    "firewalld": (f"sudo firewall-cmd --add-rich-rule='{RICH}'", f"sudo firewall-cmd --remove-rich-rule='{RICH}'"),
    # It knows programs, not ports.
    MACOS: (f"sudo {SOCKET} --unblockapp '/usr/bin/my python'", f"sudo {SOCKET} --blockapp '/usr/bin/my python'"),
    WINDOWS: (f"{RULE.format('add')} {OPENING}", RULE.format("delete")),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_commands_open_the_port_to_the_network_and_close_it_again(name):
    words, commands = firewall.advice(Firewall(name, True), 8621, "192.168.1.0/24", "/usr/bin/my python")
    assert "is on" in words
    assert tuple(commands) == COMMANDS[name]


def test_firewalld_is_told_of_ipv6():
    _, (allow, _) = firewall.advice(Firewall("firewalld", True), 8501, "fd00::/64")
    assert 'family="ipv6"' in allow


@pytest.mark.parametrize("name", [MACOS, WINDOWS])
def test_one_that_is_off_is_said_not_to_be_in_the_way(name):
    words, commands = firewall.advice(Firewall(name, False), 8501, "192.168.1.0/24")
    assert (words.endswith("is off, so it is not in the way."), commands) == (True, ())
    words, commands = firewall.advice(Firewall(name, None), 8501, "192.168.1.0/24")
    assert "may be on: this cannot be seen" in words
    assert commands


def test_one_that_cannot_be_seen_is_said_to_be_possible():
    words, commands = firewall.advice(Firewall("a firewall", None), 8501, "192.168.1.0/24")
    assert "others cannot be seen" in words
    assert "TCP port 8501 in from 192.168.1.0/24" in words
    assert not commands
