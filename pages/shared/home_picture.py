"""The home page's picture: two digits under rising noise, and what an adversary makes of them."""

from __future__ import annotations

import streamlit as st

from pages.shared import cached, layout, settings
from privdemo import figures, limits
from privdemo.experiments import image_noise

SEED = settings.Number("people_seed", limits.SEED, 0)


def show(dataset: str) -> None:
    """Release two people's digits at rising noise levels; show the releases and the adversary's guesses."""
    place = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        seed = settings.number(SEED, "Seed", step=1)
        st.button("Draw two other people", on_click=_next_people)
    config = image_noise.GalleryConfig(dataset, seed=seed)
    gallery = cached.gallery(config)
    columns = [f"p = {level:.3g}" for level in gallery.levels]
    names = [name for digit in gallery.class_names for name in (f"the {digit}, as sent", "adversary's guess")]
    last = gallery.points[-2]
    summary = (
        f"A {gallery.class_names[0]} and a {gallery.class_names[1]}, released with flip probability "
        f"{', '.join(f'{level:.3g}' for level in gallery.levels)}: left to right, each pixel is replaced by another "
        f"with rising probability. Under each, an adversary's best guess of the clean digit. At p = {last.level:.3g}, "
        f"of {last.n_candidates} known people the sender is still found <b>{last.linked.mean:.0%}</b> of the time "
        f"(95 % interval {100 * last.linked.low:.0f}–{100 * last.linked.high:.0f} %); at p = {gallery.levels[-1]:.3g} "
        "nothing is left."
    )
    plain = summary.replace("<b>", "").replace("</b>", "")
    sheet = figures.contact_sheet(gallery.images)
    with place:
        st.html(figures.picture_html(sheet, columns, names, plain))
        layout.under_figure(
            "home",
            summary,
            lambda: image_noise.strip_table(names, columns, gallery.images),
            lambda: figures.picture_page(sheet, columns, names, plain),
        )
    layout.folds({"Code that reproduces this": _code(config)})


def _code(config: image_noise.GalleryConfig) -> str:
    return f"""
```python
from privdemo.experiments.image_noise import GalleryConfig, gallery
from privdemo.figures import contact_sheet, png

picture = gallery({config!r})
open("picture.png", "wb").write(png(contact_sheet(picture.images)))
```
"""


def _next_people() -> None:
    st.session_state[SEED.key] += 1
