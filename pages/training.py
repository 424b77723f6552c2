"""Can a classifier be trained on noise?"""

import streamlit as st

from pages.shared import layout, live, training_controls, training_folds, training_lessons, training_panels

QUESTION = "Can a classifier be trained on noise?"

place = layout.header(QUESTION, [*training_controls.all_settings(), live.JOB], training_controls.default_settings())
layout.data_note()
with st.container(key="page-main"):
    side, main = st.columns([1, 3], gap="medium")
with side, st.container(key="controls"):
    question = training_controls.controls()
with main:
    training_panels.presets()
    live.follow(training_panels.lesson(training_lessons.show), question, QUESTION, place)
    with st.container(key="end"):
        layout.folds(training_folds.folds(question))
