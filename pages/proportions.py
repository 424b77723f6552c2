"""What if only bag totals are known?"""

import streamlit as st

from pages.shared import bag_controls, bag_folds, bag_lessons, bag_panels, layout, live

QUESTION = "What if only bag totals are known?"

place = layout.header(QUESTION, [*bag_controls.all_settings(), live.JOB], bag_controls.default_settings())
with st.container(key="page-main"):
    side, main = st.columns([1, 3], gap="medium")
with side, st.container(key="controls"):
    question = bag_controls.controls()
with main:
    bag_panels.presets()
    live.follow(bag_panels.lesson(bag_lessons.show), question, QUESTION, place)
    with st.container(key="end"):
        layout.folds(bag_folds.folds(question))
