"""The controls of the image-noise page: a visitor's choices in, frozen configs out."""

from __future__ import annotations

import math
from dataclasses import dataclass

import streamlit as st

from pages.shared import cached, lies, settings
from pages.shared.settings import Choice, Number
from privdemo import limits
from privdemo.experiments import images
from privdemo.experiments.images import Config, CurveConfig, LabelMechanism
from privdemo.mechanisms import RandomisedResponse
from privdemo.mechanisms.pixels import FAMILIES, PixelFamily

DATASETS = {"MNIST": "mnist", "Small digits": "digits"}
MECHANISMS = {family.title: family for family in FAMILIES.values()}
SYMMETRIC, ASYMMETRIC = "symmetric", "asymmetric"
LEVEL_KEYS = {"randomised_response": "p", "gaussian": "sigma", "laplace": "b"}
LEVEL_DEFAULTS = {"randomised_response": 0.2, "gaussian": 0.3, "laplace": 0.3}
LEVEL_STEPS = {"randomised_response": 0.005, "gaussian": 0.01, "laplace": 0.01}
LIVE, FIGURE_2, FIGURE_4 = "live dial", "figure 2", "figure 4"

MECHANISM = Choice("noise", tuple(MECHANISMS), next(iter(MECHANISMS)))
CLASSES = Choice("classes", tuple("0123456789"), ("7", "9"), many=True, least=2)
LABEL_KIND = Choice("label_lie", (SYMMETRIC, ASYMMETRIC), SYMMETRIC)
P10 = Number("p10", limits.P10, 0.1)
P01 = Number("p01", limits.P01, 0.3)
VIEW = Choice("view", (LIVE, FIGURE_2, FIGURE_4), LIVE)
SHOWN = Number("shown", limits.PER_CLASS, 5)
PEOPLE = Number("people", limits.N_PEOPLE, 2000)
CANDIDATES = Number("candidates", limits.N_CANDIDATES, 100)
DELTA = Number("delta", limits.Limit("delta", 1e-10, 0.5, "δ is the slack in the promise"), 1e-5)
SEED = Number("seed", limits.SEED, 0)

# One click to the paper's settings: pixel noise, its level, and the label flips that go with it.
PRESETS = {
    **{f"p = {p}": ("randomised_response", p, p) for p in (0.1, 0.2, 0.3, 0.4)},
    "σ² = 0.1": ("gaussian", math.sqrt(0.1), 0.2),
    "σ² = 0.5": ("gaussian", math.sqrt(0.5), 0.2),
}


@dataclass(frozen=True)
class Question:
    """What the visitor asked for, but for the noise level."""

    data: str
    classes: tuple[str, ...]
    family: PixelFamily
    labels: LabelMechanism
    shown: int
    people: int
    candidates: int
    delta: float
    seed: int

    def at(self, level: float) -> Choices:
        """The question at a noise level."""
        mechanism = self.family.make(level, images.n_states(self.data))
        return Choices(
            config=Config(self.data, self.classes, mechanism, self.labels, self.shown, self.people, self.seed),
            curve=CurveConfig(self.data, self.classes, self.family.name, self.candidates, self.seed),
            family=self.family,
            level=level,
            delta=self.delta,
        )


@dataclass(frozen=True)
class Choices:
    """All that the visitor asked for, as configs."""

    config: Config
    curve: CurveConfig
    family: PixelFamily
    level: float
    delta: float


def data_choice() -> Choice:
    """The image sets that are here; MNIST first if it is one of them."""
    here = tuple(title for title, name in DATASETS.items() if name in cached.image_datasets())
    return Choice("data", here, here[0])


def level_setting(family: PixelFamily, n_states: int) -> Number:
    """The noise level of `family`, in the range its mechanism checks."""
    return Number(LEVEL_KEYS[family.name], family.limit(n_states), LEVEL_DEFAULTS[family.name])


def label_setting(n_classes: int) -> Number:
    """The label's flip probability among `n_classes`."""
    return Number("flip", limits.flip_prob_limit(n_classes, "flip"), 0.2)


def all_settings() -> list[settings.Setting]:
    """Every setting of the page, with the ranges that the current data set and classes give."""
    data = data_choice()
    n_states = images.n_states(DATASETS[settings.current(data)])
    levels = [level_setting(family, n_states) for family in FAMILIES.values()]
    label = label_setting(max(2, len(settings.current(CLASSES))))
    more = [SHOWN, PEOPLE, CANDIDATES, DELTA, SEED]
    return [data, CLASSES, MECHANISM, *levels, LABEL_KIND, label, P10, P01, VIEW, *more]


def controls() -> Question | None:
    """Draw the controls and return what they ask, or None (with a sentence on screen) if they make no question."""
    data = DATASETS[settings.choose(data_choice(), "Images")]
    classes = tuple(sorted(settings.choose(CLASSES, "Digits")))
    if len(classes) < CLASSES.least:
        st.warning("Choose at least two digits: a label needs something to be confused with.")
        return None
    family = MECHANISMS[settings.choose(MECHANISM, "Noise on every pixel")]
    labels = _labels(classes)
    with st.expander("More settings"):
        return Question(
            data,
            classes,
            family,
            labels,
            shown=settings.number(SHOWN, "Images of each digit", step=1),
            people=settings.number(
                PEOPLE, "People who release", step=100, help="Their releases teach the adversary the learned prior."
            ),
            candidates=settings.number(
                CANDIDATES, "Candidates for linking", step=10, help="Known people, one of whom sent the image."
            ),
            delta=settings.number(
                DELTA, "δ, slack in the promise", step=1e-6, form="%.6g", help="Used by every (ε, δ)."
            ),
            seed=settings.number(SEED, "Seed", step=1, help="The same seed gives the same people and draws."),
        )


def level_inputs(question: Question) -> Choices:
    """The noise level, typed, or set through the ε of one pixel."""
    family, n_states = question.family, images.n_states(question.data)
    setting = level_setting(family, n_states)
    settings.keep_inside(setting, f"The {family.level_name} {family.symbol}")
    row = st.container(horizontal=True, key="level-inputs")
    step = LEVEL_STEPS[family.name]
    level = lies.pixel_level(setting, family, n_states, question.delta, step, "pixel_epsilon", (row, row))
    with st.container(key="other-levels"):  # out of sight, so that a preset's level for them reaches the address
        for other in FAMILIES.values():
            if other is not family:
                hidden = level_setting(other, n_states)
                settings.keep_inside(hidden, f"The {other.level_name} {other.symbol}")
                settings.number(hidden, other.title, step=LEVEL_STEPS[other.name])
    return question.at(level)


def _labels(classes: tuple[str, ...]) -> LabelMechanism:
    """The label's lie: one flip probability, or two that differ (for two classes)."""
    n_classes = len(classes)
    kind = settings.choose(LABEL_KIND, "Lie about the label") if n_classes == 2 else SYMMETRIC
    if kind == ASYMMETRIC:
        zero, one = classes
        return lies.asymmetric(
            P10,
            P01,
            labels=(f"{zero} → {one}", f"{one} → {zero}"),
            titles=(f"Of the {zero}s, share sent as {one}", f"Of the {one}s, share sent as {zero}"),
        )
    if n_classes > 2:
        st.caption("Lies about more than two digits are symmetric.")
    setting = label_setting(n_classes)
    settings.keep_inside(setting, "The label's flip probability")
    flip_prob = lies.symmetric(
        setting,
        n_classes,
        name="label",
        label="Each label is replaced with probability",
        p_label="p of the label",
        epsilon_label="ε of the label",
    )
    return RandomisedResponse(flip_prob, n_classes)


def apply_preset(name: str) -> None:
    """Set the controls to one of the paper's settings and go back to the dial."""
    family, level, flip = PRESETS[name]
    st.session_state[MECHANISM.key] = FAMILIES[family].title
    st.session_state[LABEL_KIND.key] = SYMMETRIC
    settings.assign({LEVEL_KEYS[family]: level, "flip": flip})
    st.session_state[VIEW.key] = LIVE


def set_level(family: PixelFamily, level: float) -> None:
    """Set the noise level from the dial."""
    st.session_state[LEVEL_KEYS[family.name]] = level
