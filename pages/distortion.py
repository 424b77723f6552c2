"""How much do private counts distort?"""

import streamlit as st

from pages.shared import count_controls, count_folds, count_lessons, count_panels, layout

QUESTION = "How much do private counts distort?"

place = layout.header(QUESTION, count_controls.all_settings())
with st.container(key="page-main"):
    side, main = st.columns([1, 3], gap="medium")
with side, st.container(key="controls"):
    question = count_controls.controls()
with main:
    if isinstance(question, str):
        layout.takeaway(place, QUESTION, question)
    else:
        sentence, outcomes = count_panels.question_takeaway(question)
        layout.takeaway(place, QUESTION, sentence)
        count_panels.main_figure(question)
        with st.container(key="rest"):
            count_lessons.show(question, outcomes)
    with st.container(key="end"):
        layout.folds(count_folds.folds(question))
