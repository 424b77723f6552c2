"""Home: the story in one screen, and a way to every page."""

import streamlit as st

from pages.shared import cached, home_picture, home_story, layout

layout.header("What does privacy cost, and what does it protect?", [home_picture.SEED])
st.markdown(
    "When people may lie a little about their data, nobody needs to be trusted with the truth: that is **randomised "
    "response**. Here you set the lie, see what it does to real data, and measure what can still be learnt and what an "
    "adversary still finds out, with code that you can run yourself."
)
layout.data_note()
dataset = cached.image_datasets()[0]
left, right = st.columns(2, gap="medium")
with right, st.container(key="story"):
    home_story.cost(dataset)
home_story.pages()
seed = home_picture.people()
with left:
    picture = home_picture.show(dataset, seed)
    home_story.likelihood()
home_picture.more(picture)
