"""What does the noise do to an image?"""

import streamlit as st

from pages.shared import cached, image_controls, image_panels, layout

settings = image_controls.all_settings()
place = layout.header("What does the noise do to an image?", settings)
if "mnist" not in cached.image_datasets():
    st.info(
        "Showing scikit-learn's small digits, because MNIST is not on this computer. "
        "To get it: `python -m privdemo data mnist` (11 MB), or set `PRIVDEMO_DATA` to a folder that has it."
    )
with st.container(key="page-main"):
    side, main = st.columns([1, 3], gap="medium")
with side:
    choices = image_controls.controls()
if choices is None:
    st.stop()
result = cached.run(choices.config)
privacy = image_panels.privacy_of(choices, result)
here = cached.measure(choices.curve, choices.level)
layout.takeaway(place, image_panels.takeaway(choices, result, privacy, here))
with main:
    image_panels.pictures(choices, result, privacy)
image_panels.privacy_cards(choices, result, privacy)
left, right = st.columns(2, gap="medium")
points = cached.curve(choices.curve)
with left:
    image_panels.distortion(choices, points, here)
with right:
    image_panels.linkage(choices, points, here)
layout.folds(image_panels.folds(choices, result, privacy, here))
