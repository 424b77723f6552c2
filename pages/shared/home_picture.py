"""The home page's picture: two digits under rising noise, and what an adversary makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.shared import cached, layout, settings, text
from privdemo import figures, limits
from privdemo.experiments import images

SEED = settings.Number("people_seed", limits.SEED, 0)


@dataclass(frozen=True)
class Picture:
    """A gallery of releases and guesses, its headings, and what it shows in words."""

    config: images.GalleryConfig
    gallery: images.Gallery
    columns: list[str]
    names: list[str]
    summary: str

    @property
    def plain(self) -> str:
        """The words without marks."""
        return self.summary.replace("<b>", "").replace("</b>", "")

    @property
    def sheet(self) -> Any:
        """All images side by side."""
        return figures.contact_sheet(self.gallery.images)


def people() -> int:
    """Whose digits are shown, by a seed."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        seed = settings.number(SEED, "Seed of the picture", step=1)
        st.button("Draw two other people", on_click=_next_people)
    return int(seed)


def show(dataset: str, seed: int) -> Picture:
    """Release two people's digits at rising noise levels; show the releases and the adversary's guesses."""
    config = images.GalleryConfig(dataset, seed=seed)
    gallery = cached.gallery(config)
    columns = [f"p = {level:.3g}" for level in gallery.levels]
    names = [name for digit in gallery.class_names for name in (f"the {digit}, as sent", "adversary's guess")]
    last = gallery.points[-2]
    found = (
        f"At p = {last.level:.3g}, of {last.n_candidates} known people the sender is still found "
        f"<b>{100 * last.linked.mean:.0f} %</b> of the time (95 % interval {100 * last.linked.low:.0f}–"
        f"{100 * last.linked.high:.0f} %)"
    )
    summary = (
        f"A {gallery.class_names[0]} and a {gallery.class_names[1]}, released with flip probability "
        f"{', '.join(f'{level:.3g}' for level in gallery.levels)}: left to right, each pixel is replaced by another "
        f"with rising probability. Under each, an adversary's best guess of the clean digit. {found}; at p = "
        f"{gallery.levels[-1]:.3g} nothing is left."
    )
    picture = Picture(config, gallery, columns, names, summary)
    st.html(figures.picture_html(picture.sheet, columns, names, picture.plain))
    st.html(f'<p class="summary">Each pixel is replaced with probability p. {text.unbroken(found)}.</p>')
    return picture


def more(picture: Picture) -> None:
    """The picture in words, its data and its code."""
    layout.under_figure(
        "home",
        picture.summary,
        lambda: images.strip_table(picture.names, picture.columns, picture.gallery.images),
        lambda: figures.picture_page(picture.sheet, picture.columns, picture.names, picture.plain),
    )
    layout.folds({"Code that reproduces this": _code(picture.config)})


def _code(config: images.GalleryConfig) -> str:
    return f"""
```python
from privdemo.experiments.images import GalleryConfig, gallery
from privdemo.figures import contact_sheet, png

picture = gallery({config!r})
open("picture.png", "wb").write(png(contact_sheet(picture.images)))
```
"""


def _next_people() -> None:
    st.session_state[SEED.key] += 1
