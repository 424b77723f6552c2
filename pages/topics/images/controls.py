"""The settings and widgets of the page on noise on images, and the question they make."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import cache, dials, inputs, link, numbers, privacy_inputs
from pages.kit.settings import Choice, Number, Setting
from privdemo import limits
from privdemo.accounting.laplace import LAPLACE_EXCESS
from privdemo.experiments import images
from privdemo.experiments.images import Config, CurveConfig, LabelMechanism
from privdemo.experiments.sweep import ImagesConfig
from privdemo.mechanisms import RandomisedResponse
from privdemo.mechanisms.pixels import FAMILIES, PixelFamily
from server.streamlit_internals import hidden_container

MECHANISMS = {family.title: family for family in FAMILIES.values()}
SYMMETRIC, ASYMMETRIC = "symmetric", "asymmetric"


class Level(NamedTuple):
    """The noise level of a family as a setting: its `key` in the address, and its `default`.

    `accounting` says how the ε of a whole image at a chance δ to fail is computed.
    """

    key: str
    default: float
    accounting: str


# One row for each family of noise. At the first level one can hardly read a digit of MNIST, but an adversary who knows
# strokes can.
LEVELS = {
    "randomised_response": Level("p", 0.7, "From the exact distribution of the privacy loss."),
    "gaussian": Level("sigma", 0.3, "From the exact Gaussian curve."),
    "laplace": Level("b", 0.3, f"From an upper bound on the privacy loss, within {numbers.share(LAPLACE_EXCESS)}."),
}
# The key of the choice among the chapters, and the chapters that code refers to.
VIEW, DIAL, CHANGED, GAUSS = "view", "The dial", "Changed pixels", "Gaussian noise"

MECHANISM = Choice("noise", tuple(MECHANISMS), next(iter(MECHANISMS)), "Noise on every pixel")
CLASSES = Choice("classes", tuple("0123456789"), ("7", "9"), "Digits", many=True, least=2)
LABEL_KIND = Choice("label_lie", (SYMMETRIC, ASYMMETRIC), SYMMETRIC, "Lie about the label")
ZERO_LIES = Number("p10", limits.P10, 0.1, "Lies about the first digit")
ONE_LIES = Number("p01", limits.P01, 0.3, "Lies about the second digit")
SHOWN = Number("shown", limits.PER_CLASS, 5, "Images of each digit")
PEOPLE = Number(
    "people",
    limits.N_PEOPLE,
    4000,
    "People who release",
    step=100,
    help="Their releases teach the adversary what pixels look like, and how they go together. There are fewer where "
    "the data set ends: all ten digits of MNIST have 60,000 images.",
)
CANDIDATES = Number(
    "candidates",
    limits.N_CANDIDATES,
    100,
    "Possible senders",
    step=10,
    help="People whose clean images are known; one of them sent the image.",
)
DELTA = Number(
    "delta",
    limits.Limit("delta", 1e-10, 0.5, "δ is the chance that the promise fails"),
    1e-5,
    "δ, chance that the promise fails",
    step=1e-6,
    form="%.6g",
    help="It goes with every ε of a promise that may fail.",
)
SEED = Number("seed", limits.SEED, 0, "Seed", help="The same seed gives the same people and draws.")

# One click to the paper's settings: pixel noise, its level, and the label flips that go with it.
PRESETS = {
    **{f"p = {p}": ("randomised_response", p, p) for p in (0.1, 0.2, 0.3, 0.4)},
    "σ² = 0.1": ("gaussian", math.sqrt(0.1), 0.2),
    "σ² = 0.5": ("gaussian", math.sqrt(0.5), 0.2),
}


@dataclass(frozen=True)
class Setup:
    """The visitor’s question without the noise level, which is set beside the dial."""

    data: str
    classes: tuple[str, ...]
    family: PixelFamily
    labels: LabelMechanism
    shown: int
    people: int
    candidates: int
    delta: float
    seed: int

    @property
    def n_states(self) -> int:
        """Return how many grey levels a pixel has."""
        return images.n_states(self.data)

    def at(self, level: float) -> Question:
        """Return the question at a noise level."""
        return Question(**vars(self), level=level)


@dataclass(frozen=True)
class Question(Setup):
    """The visitor’s whole question, with the noise level of a pixel."""

    level: float

    @property
    def config(self) -> Config:
        """Return the config of the release."""
        mechanism = self.family.make(self.level, self.n_states)
        return Config(self.data, self.classes, mechanism, self.labels, self.shown, self.people, self.seed)

    @property
    def curve(self) -> CurveConfig:
        """Return the config of linking releases to senders at any noise level."""
        return CurveConfig(self.data, self.classes, self.family.name, self.candidates, self.seed)

    @property
    def swept(self) -> ImagesConfig:
        """Return the same question as a config of a sweep, which shows no images."""
        config = self.config
        people = config.n_people, self.candidates, self.seed
        return ImagesConfig(self.data, self.classes, config.pixels, self.labels, *people)


def data_choice() -> Choice:
    """Return the choice among the available image sets, MNIST first if it is one of them."""
    available = cache.image_titles()
    return Choice("data", available, available[0], "Images")


def level_setting(family: PixelFamily, n_states: int) -> Number:
    """Return the setting of the noise level of `family`, in the range its mechanism checks."""
    level = LEVELS[family.name]
    return Number(level.key, family.limit(n_states), level.default, family.title, step=dials.STEPS[family.name])


def label_setting(n_classes: int) -> Number:
    """Return the setting of the label’s flip probability among `n_classes`."""
    return Number("flip", limits.flip_prob_limit(n_classes, "flip"), 0.2, "p of the label")


def all_settings() -> list[Setting]:
    """Return every setting of the page, with the ranges that the current data set and classes give."""
    data = data_choice()
    n_states = images.n_states(cache.IMAGE_SETS[link.current(data)])
    levels = [level_setting(family, n_states) for family in FAMILIES.values()]
    label = label_setting(max(CLASSES.least, len(link.current(CLASSES))))
    more = [SHOWN, PEOPLE, CANDIDATES, DELTA, SEED]
    return [data, CLASSES, MECHANISM, *levels, LABEL_KIND, label, ZERO_LIES, ONE_LIES, *more]


def controls(main: DeltaGenerator) -> Setup | str:
    """Render the controls; return the question without its level, or a sentence on why there is none."""
    data = cache.IMAGE_SETS[inputs.choose(data_choice())]
    classes = tuple(sorted(inputs.choose(CLASSES)))
    if len(classes) < CLASSES.least:
        return "Choose at least two digits: a label needs something to be confused with."
    family = MECHANISMS[inputs.choose(MECHANISM)]
    labels = _labels(classes)
    shown, people, candidates, delta, seed = map(inputs.number, (SHOWN, PEOPLE, CANDIDATES, DELTA, SEED))
    return Setup(data, classes, family, labels, shown, people, candidates, delta, seed)


def _labels(classes: tuple[str, ...]) -> LabelMechanism:
    """Render the label’s lie, as one flip probability or, for two classes, two; return the mechanism."""
    n_classes = len(classes)
    kind = inputs.choose(LABEL_KIND) if n_classes == 2 else SYMMETRIC
    if kind == ASYMMETRIC:
        zero, one = classes
        return privacy_inputs.two_lies(
            ZERO_LIES,
            ONE_LIES,
            labels=(f"{zero} → {one}", f"{one} → {zero}"),
            titles=(f"Share of {zero}s reported as {one}", f"Share of {one}s reported as {zero}"),
        )
    if n_classes > 2:
        st.caption("With more than two digits, every wrong digit is equally likely.")
    setting = label_setting(n_classes)
    inputs.clamp(setting, "The label’s lie")
    flip_prob = privacy_inputs.lie(
        setting,
        n_classes,
        name="label",
        label="Share of people who report a wrong digit",
        p_label="p of the label",
        epsilon_label="ε of the label",
    )
    return RandomisedResponse(flip_prob, n_classes)


def level_inputs(setup: Setup) -> Question:
    """Render the noise level, or the ε of one pixel that sets it, and return the question.

    The boxes are hidden in the chapters on the paper’s figures, which have their own levels.
    """
    family, n_states = setup.family, setup.n_states
    chapter = st.session_state.get(VIEW)
    setting = level_setting(family, n_states)
    inputs.clamp(setting, f"The {family.level_name} {family.symbol}")
    with inputs.container_if("level-inputs", chapter not in (CHANGED, GAUSS)):
        level = _level(setting, setup, own_slider=chapter != DIAL)
    with hidden_container():  # so that a preset's level of another family reaches the address
        for other in FAMILIES.values():
            if other is not family:
                hidden = level_setting(other, n_states)
                inputs.clamp(hidden, f"The {other.level_name} {other.symbol}")
                inputs.number(hidden)
    return setup.at(level)


def _level(setting: Number, setup: Setup, own_slider: bool) -> float:
    """Render the boxes of the noise level and of its ε, under a slider where there is no dial; return the level."""
    family = setup.family
    with inputs.slider_row("level") as (slider, boxes):
        with boxes:
            level = privacy_inputs.pixel_level(
                setting, family, setup.n_states, setup.delta, "pixel_epsilon", slides=own_slider
            )
        if own_slider:
            with slider:
                inputs.number_slider(setting, f"{family.level_name.capitalize()}, {family.symbol}")
                privacy_inputs.say_which_end_is_private()
        epsilon = family.make(level, setup.n_states).epsilon
        if epsilon < math.inf:
            privacy_inputs.scale(epsilon)
    return level


def presets(_: object) -> None:
    """Render buttons with the paper’s settings."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            "Settings of the paper:",
            width="content",
            help="The noise on every pixel in its experiments, with the lie about the label that goes with it. "
            "σ² is the square of the noise strength σ.",
        )
        for name in PRESETS:
            st.button(name, key=f"preset {name}", on_click=_apply, args=(name,))


def _apply(name: str) -> None:
    """Set the controls to one of the paper’s settings and return to the dial."""
    family, level, flip = PRESETS[name]
    link.set_choices({MECHANISM: FAMILIES[family].title, LABEL_KIND: SYMMETRIC})
    link.set_numbers({LEVELS[family].key: level, "flip": flip})
    st.session_state[VIEW] = DIAL
