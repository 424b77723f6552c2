"""privdemo: see what local privacy methods cost and protect. Run with `streamlit run app.py`."""

import streamlit as st
from starlette.middleware import Middleware

from pages.kit.first_screen import FirstScreens
from pages.kit.start_up import prepared

app = st.App("pages/site.py", lifespan=prepared, middleware=[Middleware(FirstScreens)])
