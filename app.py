"""privdemo: see what local privacy methods cost and protect. Run with `streamlit run app.py`."""

from functools import partial

import streamlit as st
from starlette.middleware import Middleware

from pages.kit.first_screen import FirstScreens
from pages.kit.start_up import prepared

app = st.App("pages/site.py", lifespan=partial(prepared, pages="pages.topics"), middleware=[Middleware(FirstScreens)])
