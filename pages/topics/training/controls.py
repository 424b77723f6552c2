"""The settings and widgets of the training page, and the question they make."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import cache, inputs, link, numbers, own_data, own_data_input, privacy_inputs
from pages.kit.settings import Choice, Number, Setting
from pages.topics.training.pixel_noise import DELTA, NOISES
from privdemo import limits
from privdemo.datasets import Source
from privdemo.experiments import images, training
from privdemo.experiments.images import LabelMechanism
from privdemo.experiments.training import TrainingConfig
from privdemo.mechanisms import RandomisedResponse
from privdemo.mechanisms.pixels import FAMILIES, PixelFamily
from privdemo.methods import CLEAN, PUBLISHED, TRAINED_FIRST, TRAINING
from server.streamlit_internals import hidden_container

SYMMETRIC, ASYMMETRIC = "symmetric", "asymmetric"
MECHANISMS = {FAMILIES[name].title: FAMILIES[name] for name in NOISES}
# With more people a first draw takes more than a second, and is made in the background.
AT_ONCE = 300
# The published EM's work grows with people: beyond AT_ONCE it would take many minutes a draw.
EM_DRAWS = 3
DIGITS = tuple("0123456789")
sizes = cache.shared_or_private(training.sizes, max_entries=256)
PEOPLE = 250
_DATA = "people_with_images_of"

FIRST = Choice("first", DIGITS, "7", "First digit or class")
SECOND = Choice("second", DIGITS, "9", "Second digit or class")
# A hint for links with `classes`, the key of the page on images.
_CLASSES = " Write `first=0&second=1&more_digits=2,3` for the digits 0, 1, 2 and 3."
MORE = Choice("more_digits", DIGITS, (), "More digits or classes", many=True, least=0, meant={"classes": _CLASSES})
NOISE = Choice("pixel_noise", tuple(MECHANISMS), next(iter(MECHANISMS)), "Noise on every pixel")
KIND = Choice("label_lies", (SYMMETRIC, ASYMMETRIC), SYMMETRIC, "Lie about the label")
ZERO_LIES = Number("first_lies", limits.P10, 0.1, "Lies about the first")
ONE_LIES = Number("second_lies", limits.P01, 0.4, "Lies about the second")
TRAINERS = {method.title: name for name, method in TRAINING.items() if name != CLEAN}
TRAINED = Choice(
    "methods",
    tuple(TRAINERS),
    tuple(TRAINING[name].title for name in TRAINED_FIRST if name != CLEAN),
    "Methods",
    many=True,
)
DRAWS = Number(
    "draws",
    limits.N_TRIALS,
    10,
    "Draws",
    help="Repeats with other people, other noise and other test images.",
)
SEED = Number("training_seed", limits.SEED, 0, "Seed", help="The same seed gives the same people and noise.")

# One click to the paper's settings: noise on pixels, its level, label flips, people of each class.
PRESETS = {
    **{f"p = {p}": ("randomised_response", p, p, 250) for p in (0.1, 0.2, 0.3, 0.4)},
    "σ² = 0.1": ("gaussian", 0.1**0.5, 0.2, 4500),
    "σ² = 0.5": ("gaussian", 0.5**0.5, 0.2, 4500),
}
# One click to all digits: their noise, and people of each.
TEN = "randomised_response", 0.2, 0.2, 500
# Which test images are shown.
DISPUTED, AS_THEY_COME = "in dispute", "as they come"
PICKED = Choice(
    "which",
    (DISPUTED, AS_THEY_COME),
    DISPUTED,
    "Test images shown",
)
# The shipped experiments on what noise costs, by their titles.
STUDIES = {"replaced pixels": "figure3", "Gaussian noise": "section6.1", "unequal lies": "asymmetric"}
STUDY = Choice(
    "study",
    tuple(STUDIES),
    next(iter(STUDIES)),
    "Experiment under “What it costs”",
)


@dataclass(frozen=True)
class Question:
    """The visitor’s question: the first trial’s config, how many trials, and which test images and study are shown.

    `own_file` is the visitor’s file, if the records come from it.
    """

    config: TrainingConfig
    n_draws: int
    own_file: own_data.File | None = None
    picked: str = DISPUTED
    study: str = STUDY.default

    @property
    def of_table(self) -> bool:
        """Return whether the records are rows of a visitor’s table, not images."""
        dataset = self.config.dataset
        return not isinstance(dataset, str) and dataset.image_shape is None

    def in_its_words(self, sentence: str) -> str:
        """Return `sentence`, with the words for a table if the records are rows of one."""
        return of_tables(sentence) if self.of_table else sentence

    @property
    def at_once(self) -> bool:
        """Return whether the first trial is quick enough to run while the visitor waits."""
        n_people = len(self.config.classes) * self.config.n_train
        few = len(self.config.classes) == 2 and self.config.n_train <= AT_ONCE
        return few and own_data.is_quick(self.config.dataset, n_people)

    @property
    def of_two(self) -> bool:
        """Return whether there are exactly two classes."""
        return len(self.config.classes) == 2


# The words for images, and those for a table's records in their place.
_TABLE_WORDS = {"image": "record", "pixel": "column", "digit": "class"}
_TABLE_WORDS |= {f"{word}s": "classes" if word == "digit" else f"{other}s" for word, other in _TABLE_WORDS.items()}


def of_tables(sentence: str) -> str:
    """Replace the words for images by those for a table’s records; names in quotation marks stay."""
    return re.sub(
        rf"“[^”]*”|(?i:\b(?:{'|'.join(_TABLE_WORDS)})\b)",
        lambda chosen_two: chosen_two[0] if chosen_two[0].startswith("“") else _table_word(chosen_two[0]),
        sentence,
    )


def _table_word(word: str) -> str:
    """Return the word for a table in the place of `word`, capitalised like it."""
    other = _TABLE_WORDS[word.lower()]
    return other.capitalize() if word[0].isupper() else other


def data_choice() -> Choice:
    """Return the choice among the available image sets, MNIST first if it is one of them, and the visitor’s data."""
    return own_data_input.choice("images", cache.image_titles())


def _source(title: str) -> Source:
    """Return the data of a title."""
    return own_data.source(title, cache.IMAGE_SETS.__getitem__)


def class_choices(data: Source) -> tuple[Choice, Choice, Choice]:
    """Return the choices of the classes: digits 7 and 9, or the first two of a visitor’s own, and any others."""
    if isinstance(data, str):
        return FIRST, SECOND, MORE
    names = data.class_names
    return (
        Choice("own_first", names, names[0], in_link=False),
        Choice("own_second", names, names[1], in_link=False),
        Choice("own_more", names, (), many=True, least=0, in_link=False),
    )


def valid_classes(
    choices: tuple[Choice, Choice, Choice], first: str, second: str, more: Sequence[str]
) -> tuple[str, ...]:
    """Return the chosen classes, each once, if they are valid for the data set; else the default two."""
    known = first != second and all(name in choices[0].options for name in (first, second, *more))
    return tuple(dict.fromkeys((first, second, *more))) if known else (choices[0].default, choices[1].default)


def label_setting(n_classes: int) -> Number:
    """Return the setting of the label’s flip probability among `n_classes`."""
    return Number("label_p", limits.flip_prob_limit(n_classes, "label_p"), 0.2, "p of the label", step=0.01)


def people_setting(data: Source, classes: tuple[str, ...]) -> Number:
    """Return the setting of people of each class, at most as many as the data set has besides test records."""
    most = min(int(limits.N_TRAIN.high), sizes(data, classes)[0])
    limit = limits.Limit("n", limits.N_TRAIN.low, most, limits.N_TRAIN.advice, integer=True)
    help = "Each releases one image and one label."
    return Number("n", limit, min(PEOPLE, most), "People of each class", step=10, help=help)


def level_setting(family: PixelFamily, n_states: int) -> Number:
    """Return the setting of the noise level of `family`, in the range its mechanism checks."""
    noise = NOISES[family.name]
    return Number(noise.key, family.limit(n_states), noise.default, family.title, step=0.01)


def all_settings(defaults: bool = False) -> list[Setting]:
    """Return every setting of the page, with ranges for the current data set and classes, or for the default ones."""
    data = data_choice()
    source = _source(data.default if defaults else link.current(data))
    choices = (FIRST, SECOND, MORE) if defaults else class_choices(source)
    first, second, more = (choice.default if defaults else link.current(choice) for choice in choices)
    classes = valid_classes(choices, first, second, more)
    people = people_setting(source, classes)
    levels = [level_setting(family, images.n_states(source)) for family in MECHANISMS.values()]
    labels = [KIND, label_setting(len(classes)), ZERO_LIES, ONE_LIES]
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
        PICKED,
        STUDY,
    ]


def controls(main: DeltaGenerator) -> Question | str:
    """Render the controls, the noise in `main`; return the question, or a sentence on why there is none."""
    data = _source(
        inputs.choose(data_choice(), "Images" if own_data.current_reading(own_data.Own) is None else "Records")
    )
    own_data_input.panel(data_choice())
    kind, kinds = ("digit", "digits") if isinstance(data, str) else ("class", "classes")
    first, second, more = _classes(data, kind, kinds)
    classes = valid_classes(class_choices(data), first, second, more)
    setting = people_setting(data, classes)
    own_data.reset_sizes(_DATA, data, (setting,))
    inputs.clamp(setting, f"People of each {kind}")
    with st.container():
        n_train = inputs.slider_and_box(setting, f"People of each {kind}")
    what = "pixel" if isinstance(data, str) or data.image_shape else "column"
    family = MECHANISMS[inputs.choose(NOISE, f"Noise on every {what}")]
    with main:
        pixels = _pixels(data, family, what)
    with st.container():
        labels = _labels(classes, kinds)
    chosen = inputs.choose(TRAINED)
    trained = [name for title, name in TRAINERS.items() if title in chosen]
    n_draws = inputs.number(DRAWS)
    seed = inputs.number(SEED)
    picked, study = inputs.choose(PICKED), inputs.choose(STUDY)
    _hidden_inputs(data, len(classes))
    if first == second:
        return f"Choose two different {kinds}: {first} cannot be told from {second}."
    if len(classes) > training.MOST_CLASSES:
        return f"Choose {training.MOST_CLASSES} {kinds} at most: {len(classes)} are chosen."
    most = 2 * AT_ONCE // len(classes)
    if PUBLISHED in trained and n_train > most:
        title = TRAINING[PUBLISHED].title
        st.info(f"“{title}” runs here with up to {most} people of each class: its time grows with them.")
        trained = [name for name in trained if name != PUBLISHED]
    if not trained:
        return "Choose at least one method in Settings, under “Methods”."
    config = TrainingConfig(data, classes, n_train, pixels, labels, (CLEAN, *trained), seed)
    return Question(config, n_draws, own_data.file_of(data), picked, study)


def _classes(data: Source, kind: str, kinds: str) -> tuple[str, str, tuple[str, ...]]:
    """Render the choices of the classes; return the first, the second, and any others."""
    choices = class_choices(data)
    first, second, more = choices
    current = [*(st.session_state.get(one.key, one.default) for one in (first, second)), *link.current(more)]
    if any(name not in first.options for name in current):
        for choice in choices:  # the classes of other records
            st.session_state[choice.key] = list(choice.default) if choice.many else choice.default
    chosen_two = inputs.choose_from_list(first, f"First {kind}"), inputs.choose_from_list(second, f"Second {kind}")
    return *chosen_two, inputs.choose(more, f"More {kinds}") if len(first.options) > 2 else ()


def _hidden_inputs(data: Source, n_classes: int) -> None:
    """Create the unused noise settings hidden, so that a preset’s values for them reach the address."""
    with hidden_container():
        for family in MECHANISMS.values():
            if st.session_state[NOISE.key] != family.title:
                hidden = level_setting(family, images.n_states(data))
                inputs.clamp(hidden, f"The {family.level_name} {family.symbol}")
                inputs.number(hidden, family.title)
        if n_classes == 2 and st.session_state[KIND.key] == ASYMMETRIC:
            inputs.number(label_setting(n_classes))


def _pixels(data: Source, family: PixelFamily, what: str) -> training.TrainingNoise:
    """Render the noise on every pixel: a slider, and boxes for its level and for the ε of one pixel."""
    n_states = images.n_states(data)
    setting = level_setting(family, n_states)
    inputs.clamp(setting, f"The {family.level_name} {family.symbol}")
    with inputs.slider_row("pixel_level") as (slider, boxes), boxes:
        level = privacy_inputs.pixel_level(
            setting, family, n_states, DELTA, "training_pixel_epsilon", what, slides=True
        )
    with slider:
        inputs.number_slider(setting, f"{family.level_name.capitalize()} {family.symbol} of every {what}")
        privacy_inputs.say_which_end_is_private()
    return family.make(level, n_states)


def _labels(classes: tuple[str, ...], kinds: str) -> LabelMechanism:
    """Render the lie about the label: one flip probability, or, for two classes, two that may differ."""
    n_classes = len(classes)
    if n_classes > 2:
        st.caption(f"With more than two {kinds}, every wrong one is equally likely.")
    elif inputs.choose(KIND) == ASYMMETRIC:
        first, second = classes
        return privacy_inputs.two_lies(
            ZERO_LIES,
            ONE_LIES,
            labels=(f"{first} → {second}", f"{second} → {first}"),
            titles=(f"Of the {first}s, share sent as {second}", f"Of the {second}s, share sent as {first}"),
        )
    setting = label_setting(n_classes)
    inputs.clamp(setting, "The label’s lie")
    flip_prob = privacy_inputs.lie(
        setting,
        n_classes,
        name="training_label",
        label="Each label is wrong with probability",
        p_label="p of the label",
        epsilon_label="ε of the label",
    )
    return RandomisedResponse(flip_prob, n_classes)


def presets(_: object) -> None:
    """Render buttons with the paper’s settings."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("The paper’s experiments:", width="content")
        for name, preset in PRESETS.items():
            st.button(name, key=f"train {name}", on_click=_apply, args=preset, help=_preset_words(*preset))
    st.button("All ten digits", key="train ten", on_click=_apply, args=(*TEN, DIGITS), help=_preset_words(*TEN))


def _preset_words(family: str, level: float, flip: float, people: int) -> str:
    """Say what a preset sets."""
    pixels = (
        f"Every pixel is replaced {numbers.share(level, 0)} of the time"
        if family == "randomised_response"
        else f"Every pixel gets Gaussian noise of variance σ² = {level**2:.2g}"
    )
    return f"{pixels}, every label is wrong {numbers.share(flip, 0)} of the time; {people:,} people of each class."


def _apply(family: str, level: float, flip: float, people: int, classes: tuple[str, ...] = ("7", "9")) -> None:
    """Set the controls to a preset."""
    data = data_choice()
    first, second, *more = classes
    link.set_choices({data: data.default, NOISE: FAMILIES[family].title, KIND: SYMMETRIC, FIRST: first, SECOND: second})
    link.set_choices({MORE: more})
    most = people_setting(cache.IMAGE_SETS[data.default], classes).limit.high
    link.set_numbers({NOISES[family].key: level, label_setting(len(classes)).key: flip, "n": int(min(people, most))})
