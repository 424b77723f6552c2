"""The controls of the training page: a visitor's choices in, a frozen config out."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.shared import cached, lies, own, settings, text
from pages.shared.image_controls import DATASETS
from pages.shared.settings import Choice, Number
from privdemo import limits
from privdemo.datasets import Source
from privdemo.experiments import images, training
from privdemo.experiments.images import LabelMechanism
from privdemo.experiments.training import TrainingConfig
from privdemo.mechanisms import RandomisedResponse
from privdemo.mechanisms.pixels import FAMILIES
from privdemo.methods import CLEAN, NAIVE, PUBLISHED, RECONSTRUCTION, SPREAD, TRAINING

SYMMETRIC, ASYMMETRIC = "symmetric", "asymmetric"
NOISES = {FAMILIES[name].title: FAMILIES[name] for name in ("randomised_response", "gaussian")}
LEVEL_KEYS = {"randomised_response": "pixel_p", "gaussian": "pixel_sigma"}
LEVEL_DEFAULTS = {"randomised_response": 0.2, "gaussian": 0.5}
# The slack at which the ε of a pixel under Gaussian noise is given.
DELTA = 1e-5
# Beyond this many people a first draw takes more than a second, and is made away from the screen.
AT_ONCE = 300
# The published EM's work grows with people: beyond AT_ONCE it would take many minutes a draw.
EM_DRAWS = 3
DIGITS = tuple("0123456789")
PEOPLE = 250
_DATA = "people_with_images_of"

FIRST = Choice("first", DIGITS, "7")
SECOND = Choice("second", DIGITS, "9")
NOISE = Choice("pixel_noise", tuple(NOISES), next(iter(NOISES)))
KIND = Choice("label_lies", (SYMMETRIC, ASYMMETRIC), SYMMETRIC)
LABEL = Number("label_p", limits.flip_prob_limit(2, "label_p"), 0.2)
ZERO_LIES = Number("first_lies", limits.P10, 0.1)
ONE_LIES = Number("second_lies", limits.P01, 0.4)
TRAINERS = tuple(name for name in TRAINING if name != CLEAN)
TRAINED = Choice("methods", TRAINERS, (NAIVE, RECONSTRUCTION, SPREAD), many=True)
DRAWS = Number("draws", limits.N_DRAWS, 10)
SEED = Number("training_seed", limits.SEED, 0)

LESSONS = (TRADE_OFF, PROBABILITIES, WEIGHTS, TEST_DIGITS, ADVERSARY, BY_METHOD) = (
    *("the trade-off", "probabilities", "weights", "some images", "the adversary", "all numbers"),
)
STUDIES = {"figure 3": "figure3", "section 6.1": "section6.1", "lies that differ": "asymmetric"}
STUDY = Choice("study", tuple(STUDIES), "figure 3")
PICKED = Choice("which", ("the first", "the disputed"), "the first")

# One click to the paper's settings: noise on pixels, its level, label flips, people of each class.
PRESETS = {
    **{f"p = {p}": ("randomised_response", p, p, 250) for p in (0.1, 0.2, 0.3, 0.4)},
    "σ² = 0.1": ("gaussian", 0.1**0.5, 0.2, 4500),
    "σ² = 0.5": ("gaussian", 0.5**0.5, 0.2, 4500),
}


@dataclass(frozen=True)
class Question:
    """What the visitor asks: the first draw's config, and how many draws."""

    config: TrainingConfig
    n_draws: int

    @property
    def of_table(self) -> bool:
        """Whether the records are rows of a visitor's table, not images."""
        dataset = self.config.dataset
        return not isinstance(dataset, str) and dataset.image_shape is None

    def said(self, sentence: str) -> str:
        """What is said of images, of a table's records where they are such."""
        return text.of_tables(sentence) if self.of_table else sentence

    @property
    def lessons(self) -> Choice:
        """What can be looked at: rows of a table have no picture."""
        return lesson_choice(self.config.dataset)

    @property
    def at_once(self) -> bool:
        """Whether the first draw is quick enough to wait for."""
        return self.config.n_train <= AT_ONCE and own.light(self.config.dataset, 2 * self.config.n_train)


def data_choice() -> Choice:
    """The image sets that are here, MNIST first if it is one of them, and what the visitor has brought."""
    return own.choice("images", tuple(title for title, name in DATASETS.items() if name in cached.image_datasets()))


def _source(title: str) -> Source:
    return own.source(title, DATASETS.__getitem__)


def class_choices(data: Source) -> tuple[Choice, Choice]:
    """Which two classes are told apart: of digits 7 and 9, of a visitor's own the first two."""
    if isinstance(data, str):
        return FIRST, SECOND
    names = data.class_names
    return Choice("own_first", names, names[0], in_link=False), Choice("own_second", names, names[1], in_link=False)


def people_setting(data: Source, classes: tuple[str, ...]) -> Number:
    """People of each class, as many as the data set has of both after some are kept for testing."""
    most = min(int(limits.N_TRAIN.high), cached.sizes(data, classes)[0])
    limit = limits.Limit("n", limits.N_TRAIN.low, most, limits.N_TRAIN.advice, integer=True)
    return Number("n", limit, min(PEOPLE, most))


def lesson_choice(data: Source) -> Choice:
    """What can be looked at below the marks: rows of a table have no picture."""
    pictures = isinstance(data, str) or data.image_shape is not None
    return Choice("look_at", tuple(name for name in LESSONS if pictures or name != TEST_DIGITS), TRADE_OFF)


def level_setting(family_name: str, n_states: int) -> Number:
    """The noise level of pixels, in the range its mechanism checks."""
    return Number(LEVEL_KEYS[family_name], FAMILIES[family_name].limit(n_states), LEVEL_DEFAULTS[family_name])


def all_settings() -> list[settings.Setting]:
    """Every setting of the page, with the ranges that the current data set and classes give."""
    images = settings.current(data_choice())
    pair = class_choices(_source(images))
    classes = tuple(settings.current(choice) for choice in pair)
    known = len(set(classes)) == 2 and all(name in pair[0].options for name in classes)
    return _settings(images, classes if known else tuple(choice.default for choice in pair))


def default_settings() -> list[settings.Setting]:
    """The same with the ranges of the default data set and classes."""
    return _settings(data_choice().default, (FIRST.default, SECOND.default))


def _settings(images: str, classes: tuple[str, ...]) -> list[settings.Setting]:
    data, source = data_choice(), _source(images)
    people = people_setting(source, classes)
    levels = [level_setting(family, images.n_states(source)) for family in LEVEL_KEYS]
    labels = [KIND, LABEL, ZERO_LIES, ONE_LIES]
    return [
        data,
        *class_choices(source),
        people,
        NOISE,
        *levels,
        *labels,
        TRAINED,
        DRAWS,
        SEED,
        lesson_choice(source),
        STUDY,
        PICKED,
    ]


def controls() -> Question | str:
    """Draw the controls and return what they ask, or a sentence that says why they make no question."""
    data = _source(settings.choose(data_choice(), "Images" if own.held() is None else "Records"))
    own.panel(data_choice())
    classes = class_choices(data)
    if any(st.session_state.get(choice.key, choice.default) not in choice.options for choice in classes):
        for choice in classes:  # other records, other classes
            st.session_state[choice.key] = choice.default
    kind, kinds = ("digit", "digits") if isinstance(data, str) else ("class", "classes")
    left, right = st.columns(2, gap="small")
    with left:
        first = settings.pick(classes[0], f"First {kind}")
    with right:
        second = settings.pick(classes[1], f"Second {kind}")
    if first == second:
        return f"Choose two different {kinds}: {first} cannot be told from {second}."
    setting = people_setting(data, (first, second))
    own.fit(_DATA, data, (setting,))
    settings.keep_inside(setting, f"People of each {kind}")
    n_train = settings.dial(setting, f"People of each {kind}", step=10, help="Each releases one image and one label.")
    pixels = _pixels(data)
    labels = _labels(first, second)
    trained = settings.choose(TRAINED, "Train by")
    with st.expander("More settings"):
        n_draws = settings.number(
            DRAWS, "Draws", step=1, help="Repeats with other people, other noise and other test images."
        )
        seed = settings.number(SEED, "Seed", step=1, help="The same seed gives the same people and noise.")
    _out_of_sight(data)
    if PUBLISHED in trained and n_train > AT_ONCE:
        st.info(f"The published EM runs here with up to {AT_ONCE} people of each class: its time grows with them.")
        trained = [name for name in trained if name != PUBLISHED]
    if not trained:
        return "Choose at least one way to train, under “Train by”."
    methods = (CLEAN, *(name for name in TRAINERS if name in trained))
    return Question(TrainingConfig(data, (first, second), n_train, pixels, labels, methods, seed), n_draws)


def _out_of_sight(data: Source) -> None:
    """The numbers that the chosen kinds of noise do without: drawn unseen, so that a preset's reach the address."""
    with st.container(key="other-levels"):
        for family in NOISES.values():
            if st.session_state[NOISE.key] != family.title:
                hidden = level_setting(family.name, images.n_states(data))
                settings.keep_inside(hidden, f"The {family.level_name} {family.symbol}")
                settings.number(hidden, family.title, step=0.01)
        if st.session_state[KIND.key] == ASYMMETRIC:
            settings.number(LABEL, "p of the label", step=0.01)


def _pixels(data: Source) -> training.TrainingNoise:
    """The noise on every pixel: a slider for its level, and the level or the ε of one pixel to type."""
    what = "pixel" if isinstance(data, str) or data.image_shape else "column"
    family = NOISES[settings.choose(NOISE, f"Noise on every {what}")]
    n_states = images.n_states(data)
    setting = level_setting(family.name, n_states)
    settings.keep_inside(setting, f"The {family.level_name} {family.symbol}")
    slider = st.container()
    step = 0.01
    with lies.pair("pixel_level") as places:
        level = lies.pixel_level(setting, family, n_states, DELTA, step, "training_pixel_epsilon", places, what)
    with slider:
        settings.slide(setting, f"{family.level_name.capitalize()} {family.symbol} of every {what}", step=step)
        st.caption("← more accurate · more private →", text_alignment="center")
    return family.make(level, n_states)


def _labels(first: str, second: str) -> LabelMechanism:
    """The lie about the label."""
    if settings.choose(KIND, "Lie about the label") == ASYMMETRIC:
        return lies.asymmetric(
            ZERO_LIES,
            ONE_LIES,
            labels=(f"{first} → {second}", f"{second} → {first}"),
            titles=(f"Of the {first}s, share sent as {second}", f"Of the {second}s, share sent as {first}"),
        )
    flip_prob = lies.symmetric(
        LABEL,
        2,
        name="training_label",
        label="Each label is flipped with probability",
        p_label="p of the label",
        epsilon_label="ε of the label",
    )
    return RandomisedResponse(flip_prob, 2)


def apply_preset(name: str) -> None:
    """Set the controls to one of the paper's settings, on the paper's images where they are here."""
    family, level, flip, people = PRESETS[name]
    data = data_choice()
    for choice, value in (
        (data, data.default),
        (NOISE, FAMILIES[family].title),
        (KIND, SYMMETRIC),
        (FIRST, "7"),
        (SECOND, "9"),
    ):
        st.session_state[choice.key] = value
    most = people_setting(DATASETS[data.default], ("7", "9")).limit.high
    settings.assign({LEVEL_KEYS[family]: level, LABEL.key: flip, "n": int(min(people, most))})
