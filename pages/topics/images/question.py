"""The settings of the page on noise on images, and the question they make."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from pages.kit import cache, dials, numbers
from pages.kit.settings import WHAT_TWO_LIES_DO, Choice, Number, Setting
from pages.kit.values import Values
from privdemo import limits
from privdemo.accounting.laplace import LAPLACE_EXCESS
from privdemo.experiments import images
from privdemo.experiments.images import Config, CurveConfig, LabelMechanism
from privdemo.experiments.sweep import ImagesConfig
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from privdemo.mechanisms.pixels import FAMILIES, PixelFamily

MECHANISMS = {family.title: family for family in FAMILIES.values()}
SYMMETRIC, ASYMMETRIC = "symmetric", "asymmetric"


class Level(NamedTuple):
    """The noise level of a family as a setting: its `key` in the address, and its `default`.

    `accounting` says how the ε of a whole image at δ is computed.
    """

    key: str
    default: float
    accounting: str


# One row for each family of noise. At the first level one can hardly read a digit of MNIST, but an adversary who knows
# strokes can.
LEVELS = {
    "randomised_response": Level("p", 0.7, "Computed exactly."),
    "gaussian": Level("sigma", 0.3, "Computed exactly."),
    "laplace": Level("b", 0.3, f"Computed as an upper bound, at most {numbers.share(LAPLACE_EXCESS)} too large."),
}
DIAL, LOST, PROMISED, CHANGED, GAUSS = CHAPTER_NAMES = (
    "Finding the sender",
    "How much noise hides the sender",
    "What the noise guarantees",
    "Images from the paper: replaced pixels",
    "Images from the paper: Gaussian noise",
)
CHAPTER = Choice("view", CHAPTER_NAMES, DIAL)

MECHANISM = Choice("noise", tuple(MECHANISMS), next(iter(MECHANISMS)), "Noise on every pixel")
CLASSES = Choice("classes", tuple("0123456789"), ("7", "9"), "Digits", many=True, least=2)
LABEL_KIND = Choice("label_lie", (SYMMETRIC, ASYMMETRIC), SYMMETRIC, "How reported digits are changed")
FLIP_PROB_FIRST = Number("p10", limits.P10, 0.1, "First digit reported as the second", step=0.01, help=WHAT_TWO_LIES_DO)
FLIP_PROB_SECOND = Number(
    "p01", limits.P01, 0.3, "Second digit reported as the first", step=0.01, help=WHAT_TWO_LIES_DO
)
SHOWN = Number("shown", limits.PER_CLASS, Config.per_class, "Images of each digit")
PEOPLE = Number(
    "people",
    limits.N_PEOPLE,
    4000,
    "People who send",
    step=100,
    help="What they send teaches the adversary what pixels look like, and how they go together. There are fewer where "
    "the data set ends: all ten digits of MNIST have 60,000 images.",
)
CANDIDATES = Number(
    "candidates",
    limits.N_CANDIDATES,
    CurveConfig.n_candidates,
    "Possible senders",
    step=10,
    help="People whose originals are known; one of them sent the image.",
)
DELTA = Number(
    "delta",
    limits.Limit("delta", 1e-10, 0.5, "δ is the chance that the promise fails"),
    1e-5,
    "δ, chance that the promise fails",
    step=1e-6,
    help="It goes with every ε that holds only with a δ.",
)
SEED = Number("seed", limits.SEED, Config.seed, "Seed", help="The same seed gives the same people and the same noise.")

# One click to the paper's settings: pixel noise, its level, and the label flips that go with it.
PRESETS = {
    **{f"p = {p}": ("randomised_response", p, p) for p in (0.1, 0.2, 0.3, 0.4)},
    "σ² = 0.1": ("gaussian", math.sqrt(0.1), 0.2),
    "σ² = 0.5": ("gaussian", math.sqrt(0.5), 0.2),
}


@dataclass(frozen=True)
class Question:
    """The visitor’s question: the people, the noise on their images and labels, and who attacks them."""

    data: str
    classes: tuple[str, ...]
    family: PixelFamily
    labels: LabelMechanism
    shown: int
    people: int
    candidates: int
    delta: float
    seed: int
    level: float

    @property
    def n_states(self) -> int:
        """Return how many grey levels a pixel has."""
        return images.n_states(self.data)

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
    return Number("flip", limits.flip_prob_limit(n_classes, "flip"), 0.2, "p of the label", step=0.01)


def settings(values: Values) -> list[Setting]:
    """Return every setting of the page, with the ranges for the data set and the classes."""
    n_states = images.n_states(cache.IMAGE_SETS[values[data_choice()]])
    levels = [level_setting(family, n_states) for family in FAMILIES.values()]
    label = label_setting(max(CLASSES.least, len(values[CLASSES])))
    more = [SHOWN, PEOPLE, CANDIDATES, DELTA, SEED]
    return [data_choice(), CLASSES, MECHANISM, *levels, LABEL_KIND, label, FLIP_PROB_FIRST, FLIP_PROB_SECOND, *more]


def question_of(values: Values) -> Question | str:
    """Return the question, or a sentence on why there is none."""
    data, classes = cache.IMAGE_SETS[values[data_choice()]], tuple(sorted(values[CLASSES]))
    if len(classes) < CLASSES.least:
        return "Choose at least two digits: a label needs something to be confused with."
    family, labels = MECHANISMS[values[MECHANISM]], _labels(values, len(classes))
    level = values[level_setting(family, images.n_states(data))]
    more = (values[setting] for setting in (SHOWN, PEOPLE, CANDIDATES, DELTA, SEED))
    return Question(data, classes, family, labels, *more, level)


def _labels(values: Values, n_classes: int) -> LabelMechanism:
    """Return the label’s lie: one flip probability or, for two classes, two that may differ."""
    if n_classes == 2 and values[LABEL_KIND] == ASYMMETRIC:
        return BinaryChannel(values[FLIP_PROB_FIRST], values[FLIP_PROB_SECOND])
    return RandomisedResponse(values[label_setting(n_classes)], n_classes)
