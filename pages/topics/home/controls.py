"""The home page's controls: the noise on every pixel, and whose digits are shown."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import cache, dials, inputs
from pages.kit.settings import Number
from privdemo import limits
from privdemo.experiments import images
from privdemo.experiments.images import Config, CurveConfig
from privdemo.mechanisms.pixels import FAMILIES

FAMILY = FAMILIES["randomised_response"]
# Here an eye sees nothing of MNIST’s digits as they are sent, and reads them in the guess. Without MNIST the small
# digits, of fewer greys, are half hidden.
LEVEL, SMALL_LEVEL = 0.8, 0.5
# As many as are learned from in less than a second: the more of them, the better strokes are learned.
PEOPLE = images.AT_A_TIME
SEED = Number("people_seed", limits.SEED, 0, "Seed of the picture")


@dataclass(frozen=True)
class Question:
    """What is shown: two people's digits of a data set, chosen by a seed, under noise of a level."""

    dataset: str
    seed: int
    level: float

    @property
    def config(self) -> Config:
        """Who is shown, and what is released."""
        mechanism = FAMILY.make(self.level, images.n_states(self.dataset))
        return Config(self.dataset, pixels=mechanism, per_class=1, n_people=PEOPLE, seed=self.seed)

    @property
    def curve(self) -> CurveConfig:
        """Who may have sent an image."""
        return CurveConfig(self.dataset, seed=self.seed)


def level_setting() -> Number:
    """The noise level, in the range that the data set gives."""
    limit = FAMILY.limit(images.n_states(_dataset()))
    level = LEVEL if limit.high >= LEVEL else SMALL_LEVEL
    title = f"{FAMILY.symbol}, {FAMILY.level_name}"
    return Number("home_p", limit, level, title, step=dials.STEPS[FAMILY.name], form="%.8g")


def _dataset() -> str:
    """The best of the image sets that are here."""
    return cache.IMAGE_SETS[cache.image_titles()[0]]


def controls(_: DeltaGenerator) -> Question:
    """Render the controls and return what they ask; the dial itself stands in the figure."""
    setting = level_setting()
    level = inputs.number(setting)
    inputs.acknowledgement(setting)
    seed = inputs.number(SEED)
    st.button("Draw two other people", on_click=_next_people)
    return Question(_dataset(), seed, level)


def _next_people() -> None:
    st.session_state[SEED.key] += 1
