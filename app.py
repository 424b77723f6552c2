"""privdemo: see what local privacy methods cost and protect. Run with `streamlit run app.py`."""

from functools import cache, partial

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

from pages.kit import told
from pages.kit.first_screen import FirstScreens
from pages.kit.guard import Guard
from pages.kit.messages import Messages
from pages.kit.pace import Pace
from pages.kit.start_up import prepared
from pages.kit.static_files import Codings, PackedFiles
from pages.kit.uploads import Uploads
from pages.kit.waiting_room import WaitingRoom
from pages.polls import background, routes


@cache
def addresses() -> frozenset[str]:
    """The addresses of all pages, which the server need not know before it is asked for one."""
    from pages.topics import PAGES

    return frozenset(page.address for page in PAGES)


told.check()
MIDDLEWARE = [
    Middleware(Guard, addresses=addresses, routes=routes.ADDRESS),
    Middleware(Messages),
    Middleware(Pace),
    Middleware(Uploads),
    Middleware(Codings),
    Middleware(PackedFiles),
    Middleware(GZipMiddleware, minimum_size=1_000, compresslevel=6),
    Middleware(WaitingRoom, addresses=addresses),
    Middleware(FirstScreens, addresses=addresses),
]

app = st.App(
    "pages/site.py",
    routes=routes.routes(routes.Telephones()),
    lifespan=partial(prepared, pages="pages.topics", also=background.begin),
    middleware=MIDDLEWARE,
)
