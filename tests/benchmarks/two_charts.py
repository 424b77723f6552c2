"""A plain Streamlit page with two charts, a number and fourteen texts: what a rerun costs without an app of ours."""

import plotly.graph_objects as go
import streamlit as st

lie = st.number_input("lie", 0.0, 0.5, 0.2, 0.01, key="lie")
for chart in ("one", "two"):
    x = list(range(50))
    st.plotly_chart(go.Figure(go.Scatter(x=x, y=[lie * value for value in x])), key=chart)
for number in range(14):
    st.write(f"Text {number}: {lie}")
