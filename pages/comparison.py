"""Which method, at which privacy?"""

import streamlit as st

from pages.shared import comparison_controls, comparison_folds, comparison_lessons, comparison_panels, layout, live

QUESTION = "Which method, at which privacy?"

place = layout.header(QUESTION, [*comparison_controls.all_settings(), live.JOB], comparison_controls.default_settings())
layout.data_note()
with st.container(key="page-main"):
    side, main = st.columns([1, 3], gap="medium")
with side, st.container(key="controls"):
    question = comparison_controls.controls()
with main:
    live.follow(comparison_panels.lesson(comparison_lessons.show), question, QUESTION, place)
    with st.container(key="end"):
        layout.folds(comparison_folds.folds(question))
