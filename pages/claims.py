"""Do the papers' claims hold?"""

import streamlit as st

from pages.shared import claim_panels, layout

QUESTION = "Do the papers’ claims hold?"

place = layout.header(QUESTION, claim_panels.all_settings())
with st.container(key="page-main"):
    chosen = claim_panels.controls()
    layout.takeaway(place, QUESTION, claim_panels.takeaway(chosen))
    claim_panels.show(chosen)
with st.container(key="end"):
    layout.folds(claim_panels.folds())
