"""What share of this group…?"""

import streamlit as st

from pages.shared import layout, live, ratio_controls, ratio_folds, ratio_lessons, ratio_panels

QUESTION = "What share of this group…?"

place = layout.header(QUESTION, [*ratio_controls.all_settings(), live.JOB], ratio_controls.default_settings())
layout.data_note()
with st.container(key="page-main"):
    side, main = st.columns([1, 3], gap="medium")
with side, st.container(key="controls"):
    question = ratio_controls.controls()
with main:
    ratio_panels.presets()
    live.follow(ratio_panels.lesson(ratio_lessons.show), question, QUESTION, place)
    with st.container(key="end"):
        layout.folds(ratio_folds.folds(question))
