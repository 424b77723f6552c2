"""How many voted for A?"""

import streamlit as st

from pages.shared import layout, settings, voting_controls, voting_folds, voting_lessons, voting_panels

QUESTION = "How many voted for A?"

place = layout.header(QUESTION, voting_controls.ALL)
with st.container(key="page-main"):
    side, main = st.columns([1, 3], gap="medium")
with side, st.container(key="controls"):
    config = voting_controls.controls()
shown = voting_panels.answer(config)
layout.takeaway(place, QUESTION, voting_panels.takeaway(shown))
lessons = {
    voting_controls.AGAIN: lambda: voting_panels.many_polls(shown),
    voting_controls.GUESSING: lambda: voting_panels.reconstruction(config),
    voting_controls.PRICE: voting_lessons.price,
    voting_controls.ADVERSARY: lambda: voting_lessons.adversary(config.channel),
    voting_controls.TWICE: lambda: voting_lessons.asking_twice(config.channel),
    voting_controls.MORE: lambda: voting_lessons.candidates(config),
    voting_controls.TRAINING: voting_lessons.naive_training,
}
with main:
    voting_panels.buttons(config)
    voting_panels.one_poll(shown)
    with st.container(key="rest"):
        lessons[settings.choose(voting_controls.LESSON, "Lessons")]()
        layout.folds(voting_folds.folds(config))
