"""Whether telephones reach a poll that is open to the room: what the server can test itself, and the words for it."""

from __future__ import annotations

from collections.abc import Collection
from http.client import HTTPConnection, HTTPException

from pages.topics.poll.join import short
from server import firewall
from server.firewall import Firewall
from server.own_computer import OwnAddress
from server.room import Opened

# Seconds that the server may take to answer itself.
_TIMEOUT = 3.0
# The most of a page that is read to see whose it is.
_MOST_READ = 20_000
NO_NETWORK = (
    "This computer has no address in a private network, so telephones cannot reach it. Connect it to the network of "
    "the room, then look again. A show of hands needs no network."
)
"""Said where there is no address at which a poll could be opened to the room."""


def ask_itself(opened: Opened) -> str:
    """Request the page of a poll at its address in the room; return why it does not come, or an empty text."""
    address = f"{opened.host}:{opened.port}"
    connection = HTTPConnection(opened.host.strip("[]"), opened.port, timeout=_TIMEOUT)
    try:
        connection.request("GET", f"/p/{opened.code}", headers={"Host": address})
        answer = connection.getresponse()
        page = answer.read(_MOST_READ).decode(errors="replace")
    except ConnectionRefusedError:
        or_ipv4, all_hosts = (", or for IPv4 alone", "::") if ":" in opened.host else ("", "0.0.0.0")
        return (
            f"The server does not listen at {address}; it was started for this computer alone{or_ipv4}. Start it with "
            f"“make run”, or without “--server.address”, or where uvicorn runs it, with “--host {all_hosts}”."
        )
    except (OSError, HTTPException):
        return f"No answer came from {address} within {_TIMEOUT:g} seconds."
    finally:
        connection.close()
    if answer.status == 429:
        return "Too much comes from your network at this moment. Wait a minute, then test again."
    if answer.status != 200 or f'data-code="{opened.code}"' not in page:
        return f"At {address} something else answers than this poll (status {answer.status})."
    return ""


def checks(opened: Opened, addresses: Collection[OwnAddress], problem: str) -> str:
    """Return as HTML how far telephones come: to this computer's address, to the server, and to the page.

    `addresses` are those of this computer now, and `problem` says why the server does not answer itself.
    """
    own = next((own for own in addresses if own.host == opened.host), None)
    where = short(opened.site)
    first = (
        ("good", f"This computer is in the private network {own.network}, as {own.address}.")
        if own
        else ("bad", f"This computer is no longer at {opened.host}. Close the room, and open it again.")
    )
    second = ("bad", problem) if problem else ("good", f"The server answers at {where}, asked from this computer.")
    third = (
        ("good", "A telephone has reached this page.")
        if opened.is_reached
        else ("", "Waiting for the first telephone: only it can tell whether the network lets it through.")
    )
    lines = (f'<p class="{how}">{words}</p>' for how, words in (first, second, third))
    return f'<div class="poll-checks" role="status">{"".join(lines)}</div>'


def what_may_be_in_the_way(opened: Opened, network: str, found: Firewall, enclosure: str) -> str:
    """Return as Markdown why a telephone may not come as far as this computer does."""
    advice, commands = firewall.advice(found, opened.port, network)
    shown = "\n\n```sh\n" + "\n".join(commands) + "\n```" if commands else ""
    return (
        f"{_of_enclosure(enclosure)}**Another network.** A telephone must be in the same network as this computer, "
        f"`{network}`, not in its mobile network. The Wi-Fi for guests often keeps devices apart: then no setting of "
        "this computer helps, but another network does, such as the hotspot of a telephone, which this computer joins "
        "as well.\n\n"
        f"**A firewall on this computer.** {advice}{shown}\n\n"
        f"**The address.** It is typed whole, `{opened.site}/p/{opened.code}`; some browsers put https:// before it "
        "by themselves, with which it does not open.\n\n"
        "A show of hands needs no network."
    )


def cannot_be_opened(reason: str, address: str) -> str:
    """Return as Markdown why a poll cannot be opened to the room from here."""
    return (
        f"Telephones cannot reach {short(address).partition('/')[0]}, and from here the poll cannot be opened to the "
        f"room. {reason} A show of hands needs no network."
    )


def other_ways(enclosure: str) -> str:
    """Return as Markdown how telephones reach a server on which no poll can be opened to the room."""
    return (
        f"{_of_enclosure(enclosure)}Whoever runs the server names the address at which telephones reach it in "
        "`PRIVDEMO_HOSTS`, and you open this page under that address. Or `PRIVDEMO_URL` says where a class finds it."
    )


def _of_enclosure(enclosure: str) -> str:
    """Return a paragraph on the container or the like that the app runs in; empty where it is in none."""
    if not enclosure:
        return ""
    if enclosure == "WSL":
        return (
            "**WSL.** The app runs in Windows' subsystem for Linux, whose address is often one that only Windows "
            "reaches. Put `networkingMode=mirrored` under `[wsl2]` in the file `.wslconfig`, or run the app in Windows "
            "itself.\n\n"
        )
    return (
        "**A container.** The app runs in a container, whose address is often one that only this computer reaches. "
        "Give it the computer's own network (`network_mode: host`), or publish its port, name the computer's address "
        "in `PRIVDEMO_HOSTS`, and open this page under that address.\n\n"
    )
