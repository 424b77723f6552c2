"""The home page's picture: two digits under rising noise, and what an adversary makes of them."""

from __future__ import annotations

import streamlit as st

from pages.shared import cached
from privdemo import figures
from privdemo.experiments import image_noise


def show(dataset: str) -> None:
    """Release a 7 and a 9 at rising noise levels; show the releases and the adversary's guesses."""
    seed = st.session_state.setdefault("home-seed", 0)
    gallery = cached.gallery(image_noise.GalleryConfig(dataset, seed=seed))
    columns = [f"p = {level:.3g}" for level in gallery.levels]
    names = [name for digit in gallery.class_names for name in (f"the {digit}, as sent", "adversary's guess")]
    last = gallery.points[-2]
    alt = (
        f"A {gallery.class_names[0]} and a {gallery.class_names[1]} released with flip probability "
        f"{', '.join(f'{level:.3g}' for level in gallery.levels)}: the digits dissolve into noise from left to right. "
        "Under each, the adversary's best guess of the clean digit, which stays readable far longer."
    )
    st.html(figures.picture_html(figures.contact_sheet(gallery.images), columns, names, alt))
    st.markdown(
        f"Left to right, each pixel is replaced by another with rising probability p. At p = {last.level:.3g} a person "
        f"sees nothing, yet of 100 known people the sender is still found **{last.linked.mean:.0%}** of the time "
        f"(95 % interval {100 * last.linked.low:.0f}–{100 * last.linked.high:.0f} %). Only at p = "
        f"{gallery.levels[-1]:.3g} is nothing left."
    )
    st.button("Draw two other people", on_click=_next_people)


def _next_people() -> None:
    st.session_state["home-seed"] += 1
