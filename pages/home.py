"""Home: what this is, in three sentences and one picture."""

import streamlit as st

from pages.shared import cached, home_picture, layout

layout.header("What does privacy cost, and what does it protect?", [home_picture.SEED])
st.markdown(
    "When people may lie a little about their data, nobody needs to be trusted with the truth: that is **randomised "
    "response**. privdemo lets you set the lie, see "
    "what it does to real data, and measure what can still be learnt and what an adversary still finds out. Every "
    "number on every page comes from code that you can run yourself, nearly all of them as you look."
)
layout.data_note()
home_picture.show(cached.image_datasets()[0])
st.subheader("Pages", anchor=False)
st.page_link("pages/voting.py", label="**How many voted for A?** →")
st.caption("Let everyone lie a little, read the true share off the lies, and see who is protected and what it costs.")
st.page_link("pages/image_noise.py", label="**What does the noise do to an image?** →")
st.caption("Drag a dial and watch digits dissolve; see what the noise promises, damages and fails to hide.")
st.page_link("pages/training.py", label="**Can a classifier be trained on noise?** →")
st.caption("Train on corrupted digits in four ways, and see which model is right, and which one knows how sure to be.")
st.page_link("pages/proportions.py", label="**What if only bag totals are known?** →")
st.caption(
    "Put records into bags, release one number of each, and see how well single records can still be told apart."
)
st.page_link("pages/class_ratio.py", label="**What share of this group…?** →")
st.caption(
    "From a few large sets of known proportions, find those of any other set, in eight ways, with true counts or "
    "private ones."
)
st.page_link("pages/distortion.py", label="**How much do private counts distort?** →")
st.caption("Release the label counts of a set in four ways, published and tight, and see which promise costs least.")
st.page_link("pages/comparison.py", label="**Which method, at which privacy?** →")
st.caption(
    "All families of methods on the same people, at the same ε: what each reaches, whom one must trust with the truth, "
    "and the least ε that reaches a goal."
)
st.page_link("pages/claims.py", label="**Do the papers’ claims hold?** →")
st.caption("Published figures, tables and formulas beside ours, each with a verdict and the command that checks it.")
