"""Read and check the environment variables that configure the server."""

from __future__ import annotations

import os
import re
from ipaddress import IPv6Address

# Names of the server besides those of the machine itself, and pages that may show it in a frame; separated by commas.
HOSTS, FRAMES = "PRIVDEMO_HOSTS", "PRIVDEMO_FRAMES"
# The address at which a class finds the app.
SITE = "PRIVDEMO_URL"
# Whether the server answers requests for its metrics.
METRICS = "PRIVDEMO_METRICS"
# The address of a Dask scheduler whose cluster does the long work of this server, instead of two processes here.
SCHEDULER = "PRIVDEMO_SCHEDULER"
_ADDRESS = re.compile(r"https?://([\w.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?/?", re.IGNORECASE)
_NAME = re.compile(r"\w([\w-]*\w)?(\.\w([\w-]*\w)?)*\.?", re.ASCII)
# An address as a content security policy has it, and then a path, which is left out: a policy would allow that alone.
_PAGE = re.compile(
    r"(((https?://)?(\*\.)?[\w-]+(\.[\w-]+)*|https?://\[[0-9a-f:.]+\])(:(\d+|\*))?)([/?#][^\s;]*)?", re.ASCII
)
# How names of `HOSTS` and `FRAMES` are written, with an example.
_FORMS = {
    HOSTS: "a name or an address alone, such as privdemo.example; wildcards are not taken, and a name with ß only in "
    "its ASCII form, such as xn--strae-oqa.example",
    FRAMES: "an address such as https://course.example, 'self', or 'none' alone",
}


def checked(variable: str) -> list[str]:
    """Return the names that `HOSTS` or `FRAMES` holds, as a browser writes them.

    Raise ``ValueError`` with a sentence for a wrong name: no browser would ask for such a host, and in a policy it
    could allow more than is meant.
    """
    found = [name.strip().lower() for name in os.environ.get(variable, "").split(",") if name.strip()]
    if variable == FRAMES and found in (["none"], ["'none'"]):
        return []
    as_browsers_write = _host if variable == HOSTS else _page
    written = [as_browsers_write(name) for name in found]
    if "" in written:
        wrong = found[written.index("")]
        raise ValueError(f"{variable} must hold, with commas in between, {_FORMS[variable]}; got {wrong!r}")
    return written


def _host(name: str) -> str:
    """Return a host as a browser asks for it: IPv6 in brackets, other alphabets in IDNA; empty if it is no host."""
    address = name[1:-1] if name.startswith("[") and name.endswith("]") else name
    if ":" in address and "%" not in address:
        try:
            return f"[{IPv6Address(address)}]"
        except ValueError:
            return ""
    if not name.isascii():
        try:
            encoded = name.encode("idna")
            # Python's IDNA writes some letters as others (ß as ss), under which no browser would ask.
            name = encoded.decode() if encoded.decode("idna") == name else ""
        except UnicodeError:
            return ""
    return name if _NAME.fullmatch(name) else ""


def _page(name: str) -> str:
    """Return the origin of a page that may show the app in a frame; empty if it is no page."""
    if name in ("self", "'self'"):
        return "'self'"
    if name in ("https:", "http:", "*"):
        return name
    found = None if name == "none" else _PAGE.fullmatch(name)
    return found[1] if found else ""


def check() -> None:
    """Exit with a message if an environment variable is invalid."""
    try:
        for variable in _FORMS:
            checked(variable)
        _check_site()
        _check_scheduler()
    except ValueError as error:
        raise SystemExit(f"privdemo: {error}") from None


def _check_site() -> None:
    """Raise ``ValueError`` with a sentence if `SITE` is not an address without a path: the path would be lost."""
    given = os.environ.get(SITE, "").strip()
    if given and not _ADDRESS.fullmatch(given):
        example = "https://privdemo.example or http://192.0.2.2:8501"
        raise ValueError(f"{SITE} must be an address without a path, such as {example}; got {given!r}")


def _check_scheduler() -> None:
    """Raise ``ValueError`` with a sentence if `SCHEDULER` is no address, or Dask cannot be used."""
    if given := os.environ.get(SCHEDULER):
        from privdemo.experiments import running  # only here, so that deploy/replicas.py need not load the package

        try:
            running.check(1, "dask", given)
        except ValueError as error:
            raise ValueError(f"{SCHEDULER}: {error}") from None
