"""privdemo: see what local privacy methods cost and protect. Run with `streamlit run app.py`."""

import streamlit as st

st.set_page_config(page_title="privdemo", page_icon="🎲", layout="wide")
st.navigation(
    [
        st.Page("pages/home.py", title="Home", default=True),
        st.Page("pages/voting.py", title="Voting with a lie"),
        st.Page("pages/image_noise.py", title="Noise on images"),
        st.Page("pages/training.py", title="Training on noise"),
        st.Page("pages/proportions.py", title="Only bag totals"),
        st.Page("pages/class_ratio.py", title="Share of a group"),
        st.Page("pages/distortion.py", title="Private counts"),
        st.Page("pages/comparison.py", title="Which method?"),
        st.Page("pages/claims.py", title="Claims"),
    ],
    position="top",
).run()
