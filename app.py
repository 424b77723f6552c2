"""privdemo: see what local privacy methods cost and protect. Run with `streamlit run app.py`."""

from collections.abc import Callable
from functools import cache, partial

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

from pages.kit import first_screen
from pages.polls import background, routes
from server import server_settings
from server.allowed_requests import AllowedRequests
from server.compression import AcceptedEncoding, CompressedFiles
from server.headers import SecurityHeaders
from server.messages import Messages
from server.one_at_a_time import OneAtATime
from server.start_up import prepared
from server.uploads import Uploads
from server.waiting_room import WaitingRoom


@cache
def addresses() -> frozenset[str]:
    """Return the addresses of all pages, which are loaded with the first request for one."""
    from pages.topics import PAGES

    return frozenset(page.address for page in PAGES)


def leave_jobs() -> Callable[[str], None]:
    """Return the function by which a visit that has ended gives up its background jobs."""
    from pages.kit import cache

    return cache.runner().leave


server_settings.check()

# What stands in front of the site; a request goes through it from top to bottom.
MIDDLEWARE = [
    Middleware(SecurityHeaders, scripts=first_screen.scripts),
    Middleware(AllowedRequests, addresses=addresses, routes=routes.ADDRESS, to_telephones=routes.at_other_host),
    Middleware(Messages),
    Middleware(OneAtATime),
    Middleware(Uploads),
    Middleware(AcceptedEncoding),
    Middleware(CompressedFiles),
    Middleware(GZipMiddleware, minimum_size=1_000, compresslevel=6),
    Middleware(WaitingRoom, addresses=addresses),
    Middleware(first_screen.FirstScreens, addresses=addresses),
]

app = st.App(
    "pages/site.py",
    routes=routes.routes(routes.Telephones()),
    lifespan=partial(prepared, pages="pages.topics", on_end=leave_jobs, background=background.begin),
    middleware=MIDDLEWARE,
)
