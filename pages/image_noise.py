"""What does the noise do to an image?"""

from typing import Any

import streamlit as st

from pages.shared import image_controls, image_panels, layout

QUESTION = "What does the noise do to an image?"


@st.fragment
def follow_the_level(question: image_controls.Question, view: str, place: Any) -> None:
    """All that follows the noise level: alone it runs again when the dial is let go."""
    answer = image_panels.answer(image_controls.level_inputs(question))
    layout.takeaway(place, QUESTION, image_panels.takeaway(answer))
    image_panels.pictures(answer, view)
    with st.container(key="rest"):
        image_panels.privacy_cards(answer)
        image_panels.damage_and_linkage(answer)
        layout.folds(image_panels.folds(answer, view))


settings = image_controls.all_settings()
place = layout.header(QUESTION, settings)
layout.data_note()
with st.container(key="page-main"):
    side, main = st.columns([1, 3], gap="medium")
with side, st.container(key="controls"):
    question = image_controls.controls()
if question:
    with main:
        view = image_panels.presets_and_view()
        follow_the_level(question, view, place)
