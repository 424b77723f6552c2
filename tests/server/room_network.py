"""A server in a network of its own, and a telephone in it; a test runs it by `unshare --map-root-user --net python -m`.

Prints as JSON what each request got, once for each state of a poll.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from http.client import HTTPConnection

import uvicorn

from app import app
from pages.polls.store import store
from pages.topics.poll import reach
from server import own_computer
from server.room import ROOM

SERVER, TELEPHONE, PORT = "192.168.77.1", "192.168.77.2", 8501
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    "Origin": f"http://{SERVER}:{PORT}",
}
# What asks from the telephone: a line of JSON with a list of requests comes in, one with their statuses goes out.
ASKING = f"""
import json, sys
from http.client import HTTPConnection
def status(method, path, headers, body=None):
    connection = HTTPConnection("{SERVER}", {PORT}, timeout=20)
    connection.request(method, path, body, headers)
    return connection.getresponse().status
for line in sys.stdin:
    print(json.dumps([status(*one) for one in json.loads(line)]), flush=True)
"""


def run(*command: str) -> None:
    subprocess.run(command, check=True)


def plug_in() -> subprocess.Popen[str]:
    """Connect this network with another one, in which the telephone is; return the process that asks from there."""
    telephone = subprocess.Popen(
        ["unshare", "--net", sys.executable, "-c", f"print(flush=True)\n{ASKING}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert telephone.stdout
    telephone.stdout.readline()  # it is in its own network now
    there = ("nsenter", "--target", str(telephone.pid), "--net", "ip")
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", "room0", "type", "veth", "peer", "name", "phone0")
    run("ip", "link", "set", "phone0", "netns", str(telephone.pid))
    run("ip", "address", "add", f"{SERVER}/24", "dev", "room0")
    run("ip", "link", "set", "room0", "up")
    run(*there, "address", "add", f"{TELEPHONE}/24", "dev", "phone0")
    run(*there, "link", "set", "phone0", "up")
    return telephone


def serve() -> None:
    """Serve at all addresses, once the server answers this computer."""
    threading.Thread(
        target=uvicorn.Server(uvicorn.Config(app, host="0.0.0.0", port=PORT, log_level="error")).run, daemon=True
    ).start()
    while True:
        try:
            connection = HTTPConnection("127.0.0.1", PORT, timeout=5)
            connection.request("GET", "/_stcore/health")
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        time.sleep(0.1)


def main() -> None:
    telephone = plug_in()
    serve()
    code, secret = (opened := store().open("Is it so?", ("Yes", "No"), 0.2))[0].code, opened[1]
    other = store().open("Is that so?", ("Yes", "No"), 0.2)[0].code
    pages = ["/", "/poll", "/_stcore/health", "/_stcore/host-config", "/favicon.png", "/static/js/x.js", f"/p/{code}/x"]
    asked = {
        "its page": ("GET", f"/p/{code}", {}),
        "its state": ("GET", f"/p/{code}/now", {}),
        "another poll": ("GET", f"/p/{other}", {}),
        "no poll": ("GET", "/p/BBBBB", {}),
        "a box for a code": ("GET", "/p/", {}),
        **{path: ("GET", path, {}) for path in pages},
        "a connection": ("GET", "/_stcore/stream", UPGRADE),
        "a file": ("PUT", "/_stcore/upload_file/a/b", {"Origin": f"http://{SERVER}:{PORT}"}),
        "an answer of another site": ("POST", f"/p/{code}", {"Origin": "http://evil.example"}),
        "an answer": (
            "POST",
            f"/p/{code}",
            {"Origin": f"http://{SERVER}:{PORT}", "Content-Type": "application/json"},
            json.dumps({"round": 1, "answer": 0, "token": 32 * "a"}),
        ),
        "by another name": ("GET", f"/p/{code}", {"Host": f"evil.example:{PORT}"}),
    }

    def statuses() -> dict[str, int]:
        assert telephone.stdin
        assert telephone.stdout
        print(json.dumps(list(asked.values())), file=telephone.stdin, flush=True)
        return dict(zip(asked, json.loads(telephone.stdout.readline()), strict=True))

    found: dict[str, object] = {"addresses": [own.address for own in own_computer.private_addresses()]}
    found["before"] = statuses()
    room = ROOM.open(code, SERVER, PORT, 3600, own_computer.all_addresses())
    found["asked itself"], found["reached by itself"] = reach.ask_itself(room), ROOM.opened(code).is_reached  # type: ignore[union-attr]
    found["open"] = statuses()
    found["reached"] = ROOM.opened(code).is_reached  # type: ignore[union-attr]
    found["counted"] = store().counts(code, secret)
    store().close(code, secret)
    found["closed"] = statuses()
    telephone.kill()
    print(json.dumps(found), flush=True)
    os._exit(0)  # the server's thread is in the middle of its loop


if __name__ == "__main__":
    main()
