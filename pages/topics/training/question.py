"""The settings of the training page, and the question they make."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pages.kit import cache, own_data
from pages.kit.settings import WHAT_TWO_LIES_DO, Choice, Number, Setting
from pages.kit.values import Values
from pages.topics.training.pixel_noise import NOISES
from privdemo import limits
from privdemo.datasets import Source
from privdemo.experiments import images, training
from privdemo.experiments.images import LabelMechanism
from privdemo.experiments.training import TrainingConfig
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from privdemo.mechanisms.pixels import FAMILIES, PixelFamily
from privdemo.methods import CLEAN, PUBLISHED, TRAINED_FIRST, TRAINING

SYMMETRIC, ASYMMETRIC = "symmetric", "asymmetric"
MECHANISMS = {FAMILIES[name].title: FAMILIES[name] for name in NOISES}
# With more people a first trial takes more than a second, and is made in the background.
AT_ONCE = 300
# The published EM's work grows with people: beyond AT_ONCE it would take many minutes a trial.
EM_TRIALS = 3
DIGITS = tuple("0123456789")
sizes = cache.shared_or_private(training.sizes, max_entries=256)
PEOPLE = 250

FIRST = Choice("first", DIGITS, "7", "First digit or class")
SECOND = Choice("second", DIGITS, "9", "Second digit or class")
# A hint for links with `classes`, the key of the page on images.
_CLASSES = " Write `first=0&second=1&more_digits=2,3` for the digits 0, 1, 2 and 3."
MORE = Choice(
    "more_digits", DIGITS, (), "More digits or classes", many=True, least=0, hints_by_key={"classes": _CLASSES}
)
NOISE = Choice("pixel_noise", tuple(MECHANISMS), next(iter(MECHANISMS)), "Noise on every pixel")
LABEL_KIND = Choice("label_lies", (SYMMETRIC, ASYMMETRIC), SYMMETRIC, "Lie about the label")
FLIP_PROB_FIRST = Number("first_lies", limits.P10, 0.1, "Lies about the first", step=0.01, help=WHAT_TWO_LIES_DO)
FLIP_PROB_SECOND = Number("second_lies", limits.P01, 0.4, "Lies about the second", step=0.01, help=WHAT_TWO_LIES_DO)
TRAINERS = {method.title: name for name, method in TRAINING.items() if name != CLEAN}
TRAINED = Choice(
    "methods",
    tuple(TRAINERS),
    tuple(TRAINING[name].title for name in TRAINED_FIRST if name != CLEAN),
    "Methods",
    many=True,
)
TRIALS = Number(
    "draws",
    limits.N_TRIALS,
    10,
    "Trials",
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
    "Experiment under “Accuracy by noise level”",
)


@dataclass(frozen=True)
class Question:
    """The visitor’s question: the first trial’s config, how many trials, and which test images and study are shown.

    `own_file` is the visitor’s file, if the records come from it.
    """

    config: TrainingConfig
    n_trials: int
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


def data_choice() -> Choice:
    """Return the choice among the available image sets, MNIST first if it is one of them, and the visitor’s data."""
    return own_data.choice("images", cache.image_titles())


def source_of(values: Values) -> Source:
    """Return the data set that is chosen."""
    return own_data.source(values[data_choice()], cache.IMAGE_SETS.__getitem__)


def classes_of(values: Values) -> tuple[str, ...]:
    """Return the chosen classes, or the default ones where they do not fit the data set."""
    choices = class_choices(source_of(values))
    return valid_classes(choices, *(values[choice] for choice in choices))


def settings(values: Values) -> list[Setting]:
    """Return every setting of the page, with the ranges for the data set and the classes."""
    source, classes = source_of(values), classes_of(values)
    levels = [level_setting(family, images.n_states(source)) for family in MECHANISMS.values()]
    records = [data_choice(), *class_choices(source), people_setting(source, classes)]
    noise = [NOISE, *levels, LABEL_KIND, label_setting(len(classes)), FLIP_PROB_FIRST, FLIP_PROB_SECOND]
    return [*records, *noise, TRAINED, TRIALS, SEED, PICKED, STUDY]


def question_of(values: Values) -> Question | str:
    """Return the question, or a sentence on why there is none."""
    data, classes = source_of(values), classes_of(values)
    kinds = words_of(data)[1]
    first, second = (values[choice] for choice in class_choices(data)[:2])
    if first == second:
        return f"Choose two different {kinds}: {first} cannot be told from {second}."
    if len(classes) > training.MOST_CLASSES:
        return f"Choose {training.MOST_CLASSES} {kinds} at most: {len(classes)} are chosen."
    trained = [name for name in _trained(values) if not _is_too_slow(name, values)]
    if not trained:
        return "Choose at least one method in Settings, under “Methods”."
    family, n_states = MECHANISMS[values[NOISE]], images.n_states(data)
    pixels = family.make(values[level_setting(family, n_states)], n_states)
    n_train = values[people_setting(data, classes)]
    config = TrainingConfig(
        data, classes, n_train, pixels, labels_of(values, len(classes)), (CLEAN, *trained), values[SEED]
    )
    return Question(config, values[TRIALS], own_data.file_of(data), values[PICKED], values[STUDY])


def remarks(values: Values) -> list[str]:
    """Say which chosen method is left out, and why."""
    return [
        f"“{TRAINING[name].title}” runs here with up to {_most_people(values)} people of each class: its time grows "
        "with them."
        for name in _trained(values)
        if _is_too_slow(name, values)
    ]


def _trained(values: Values) -> list[str]:
    """Return the chosen methods, in the order in which they are shown."""
    return [name for title, name in TRAINERS.items() if title in values[TRAINED]]


def _most_people(values: Values) -> int:
    """Return with how many people of each class the published EM runs here."""
    return 2 * AT_ONCE // len(classes_of(values))


def _is_too_slow(method: str, values: Values) -> bool:
    people = people_setting(source_of(values), classes_of(values))
    return method == PUBLISHED and values[people] > _most_people(values)


def labels_of(values: Values, n_classes: int) -> LabelMechanism:
    """Return the label’s lie: one flip probability or, for two classes, two that may differ."""
    if n_classes == 2 and values[LABEL_KIND] == ASYMMETRIC:
        return BinaryChannel(values[FLIP_PROB_FIRST], values[FLIP_PROB_SECOND])
    return RandomisedResponse(values[label_setting(n_classes)], n_classes)


def words_of(data: Source) -> tuple[str, str, str]:
    """Return what a class is called, what classes are called, and what each number of a record is called."""
    what = "pixel" if isinstance(data, str) or data.image_shape else "column"
    return ("digit", "digits", what) if isinstance(data, str) else ("class", "classes", what)
