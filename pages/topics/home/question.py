"""The settings of the home page, and the question they make."""

from __future__ import annotations

from dataclasses import dataclass

from pages.kit import cache, dials
from pages.kit.settings import Number, Setting
from pages.kit.values import Values
from privdemo import limits
from privdemo.experiments import images
from privdemo.experiments.images import Config, CurveConfig
from privdemo.mechanisms.pixels import FAMILIES

FAMILY = FAMILIES["randomised_response"]
# At this level MNIST’s digits cannot be read as released, but in the guess they can. The small digits, which stand in
# where MNIST is missing, have fewer grey levels and are half hidden at the smaller level.
LEVEL, SMALL_LEVEL = 0.8, 0.5
# The number of people learned from within a second; more would teach strokes better.
PEOPLE = images.AT_A_TIME
# The visitor's own secret: three mild questions, and the answers; the chance that the wheel sends the other answer.
QUESTIONS = (
    "Have you ever copied homework?",
    "Have you ever called in sick without being ill?",
    "Have you ever read a message that was not meant for you?",
)
ANSWERS = ("Yes", "No")
LIE = 0.25
# The simulated others, and the share of them for whom Yes is true in the long run. Of the seeds 0 to 999 that have
# exactly this share among the others, the seed is the one whose corrected estimate is off by most nearly the median
# of all: neither lucky nor unlucky.
OTHERS, SHARE, SECRET_SEED = 999, 0.3, 334
SEED = Number("people_seed", limits.SEED, 0, "Seed of the picture")


@dataclass(frozen=True)
class Question:
    """Two people’s digits of a data set, chosen by a seed, and the noise level."""

    dataset: str
    seed: int
    level: float

    @property
    def config(self) -> Config:
        """Return the config of the release."""
        mechanism = FAMILY.make(self.level, images.n_states(self.dataset))
        return Config(self.dataset, pixels=mechanism, per_class=1, n_people=PEOPLE, seed=self.seed)

    @property
    def curve(self) -> CurveConfig:
        """Return the config of linking releases to senders at any noise level."""
        return CurveConfig(self.dataset, seed=self.seed)


def settings(_: Values) -> list[Setting]:
    """Return every setting of the page."""
    return [level_setting(), SEED]


def question_of(values: Values) -> Question:
    """Return the two people and the noise level."""
    return Question(_dataset(), values[SEED], values[level_setting()])


def level_setting() -> Number:
    """Return the setting of the noise level, in the range that the data set gives."""
    limit = FAMILY.limit(images.n_states(_dataset()))
    level = LEVEL if limit.high >= LEVEL else SMALL_LEVEL
    title = f"{FAMILY.symbol}, {FAMILY.level_name}"
    return Number("home_p", limit, level, title, step=dials.STEPS[FAMILY.name])


def _dataset() -> str:
    """Return the best of the available image sets."""
    return cache.IMAGE_SETS[cache.image_titles()[0]]
