"""How many voted for A?"""

import streamlit as st

from pages.shared import layout, voting_controls, voting_folds, voting_lessons, voting_panels

SECTIONS = {
    "again": "held again and again",
    "reconstruction": "why not guess each vote back?",
    "price": "what does privacy cost?",
    "adversary": "what the adversary sees",
    "twice": "asking twice",
    "candidates": "more candidates",
    "naive-training": "when is it fine to train on lies?",
}

place = layout.header("How many voted for A?", voting_controls.ALL)
with st.container(key="page-main"):
    side, main = st.columns([1, 3], gap="medium")
with side, st.container(key="controls"):
    config = voting_controls.controls()
shown = voting_panels.answer(config)
layout.takeaway(place, voting_panels.takeaway(shown))
with main:
    voting_panels.buttons(config)
    voting_panels.one_poll(shown)
    with st.container(key="rest"):
        layout.contents(SECTIONS)
        voting_panels.many_polls(shown)
        voting_panels.reconstruction(config)
        voting_lessons.price()
        voting_lessons.adversary(config.channel)
        voting_lessons.candidates(config)
        voting_lessons.naive_training()
        layout.folds(voting_folds.folds(config))
