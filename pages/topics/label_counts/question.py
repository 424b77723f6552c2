"""The settings of the page on private counts and of its chapters, and the question they make."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import NamedTuple

from pages.kit import numbers
from pages.kit.settings import EPSILON_HELP, Choice, Number, Setting, Words
from pages.kit.values import Values
from privdemo import limits
from privdemo.accounting import LARGEST_DEFAULT, default_delta
from privdemo.experiments import label_counts
from privdemo.experiments.label_counts import CountConfig
from privdemo.mechanisms.label_counts import RELEASES, check_counts

CLINIC, DESIGN, OWN = "a clinic’s", "the paper’s", "my own"
COUNTS_SOURCE = Choice("counts_of", (CLINIC, DESIGN, OWN), CLINIC, "Counts")
# The patients of an invented clinic by illness.
PATIENTS = {"flu": 320, "asthma": 230, "migraine": 180, "diabetes": 140, "epilepsy": 90, "hepatitis": 40}
CLASSES = Number(
    "count_classes", limits.Limit("number of classes", 2, 50, integer=True), label_counts.CLASSES, "Classes"
)
TOTAL = Number("labels", limits.Limit("labels", 10, 10**9, integer=True), label_counts.TOTAL, "People in all", 100)
RHO = Number(
    "share",
    limits.Limit("share", 0.001, 0.5, "of every class but the last"),
    label_counts.RHO,
    "Share of each class",
    0.01,
    "Every class but the last has this share of the people; the last has the rest.",
)
EPSILON = Number("count_epsilon", limits.RELEASE_EPSILON, 1.0, "ε of the counts", 0.01, EPSILON_HELP)
N_MIN = Number(
    "n_min",
    limits.N_MIN,
    25,
    "Public minimum",
    5,
    help="What everybody may know: no class has fewer people. Scaled Dirichlet “least noise from a public minimum on” "
    "chooses its noise from this number alone, never from the counts.",
)
REPEATS = Number(
    "releases",
    limits.REPEATS,
    CountConfig.repeats,
    "Trials",
    100,
    help="How often the counts are released with each kind of noise.",
)
# So often the clinic's few counts are released, so that the ranges of their errors differ little by chance.
_REPEATS_OF_CLINIC = 1000
SEED = Number("count_seed", limits.SEED, CountConfig.seed, "Seed", help="The same seed gives the same noise.")
NAME_BY_TITLE = {release.title: name for name, release in RELEASES.items()}
MECHANISM = Choice(
    "mechanism",
    tuple(NAME_BY_TITLE),
    RELEASES["discrete laplace"].title,
    "Noise to look at",
)
AXES = {
    "ε": label_counts.EPSILON_AXIS,
    "δ": label_counts.DELTA_AXIS,
    "classes": label_counts.C_AXIS,
    "class share": label_counts.RHO_AXIS,
}
AXIS = Choice("along", tuple(AXES), "ε", "Horizontal axis")
THREE, ALL = "three", "all"
CURVES = Choice("curves", (THREE, ALL), THREE, "Kinds of noise")
EXAMPLE = "120, 80, 300, 500"


def parse(text: str) -> tuple[int, ...]:
    """Return counts as typed or pasted, separated by commas, blanks, tabs or new lines.

    Raise ``ValueError`` with a sentence for invalid counts.
    """
    # “1,000” may be one number or two: between blanks, or with a part such as 000, it is refused.
    between = [part.strip(",") for part in re.split(r"[\s;]+", text) if part.strip(",")]
    unclear = [
        part for part in between if re.search(r",0\d|^0\d|\d\.\d{3}$", part) or (len(between) > 1 and "," in part)
    ]
    if unclear:
        raise ValueError(
            f"“{unclear[0][:20]}” may be a part of a number, or several; write 1000 without comma, point or blank, and "
            "a blank after every comma between counts"
        )
    parts = [number for part in between for number in part.split(",") if number]
    if not parts:
        raise ValueError(f"no counts are given; type or paste some, such as {EXAMPLE}")
    counts = []
    for part in parts:
        try:
            counts.append(float(part))
        except ValueError:
            raise ValueError(f"“{part[:20]}” is not a number; give counts such as {EXAMPLE}") from None
    found = tuple(int(n) for n in check_counts(counts))
    limits.RELEASED_PEOPLE.check(sum(found))
    return found


COUNTS = Words("counts", parse, EXAMPLE, "Counts of each class", f"Type or paste: {EXAMPLE}.")


def delta_setting(values: Values) -> Number:
    """Return the setting of δ; its default is the paper’s for the paper’s counts, else it follows from the people."""
    whose = values[COUNTS_SOURCE]
    default = label_counts.DELTA
    if whose != DESIGN:
        try:
            default = default_delta(sum(_counts(values, whose)))
        except ValueError:  # the page says what is wrong with the counts
            default = LARGEST_DEFAULT
    help = (
        "The chance that the promise fails: at worst, so often a release gives a label away. Unless set it is 10⁻⁶ or "
        f"1/n², whichever is smaller, of n people; for the paper’s counts it is the paper’s {label_counts.DELTA:g}."
    )
    return Number("count_delta", limits.RELEASE_DELTA, default, "δ of the counts", 1e-6, help)


@dataclass(frozen=True)
class Question:
    """The visitor’s question: `config` with the counts, the design behind them, and the chosen mechanism, `release`.

    `own` says that the counts are typed by the visitor or the clinic’s, not of the design; the clinic’s classes have
    `names`.
    """

    config: CountConfig
    n_classes: int
    total: int
    rho: float
    own: bool
    release: str
    names: tuple[str, ...] = ()

    @property
    def class_names(self) -> tuple[str, ...]:
        """Return a name for every class."""
        return self.names or tuple(f"class {c + 1}" for c in range(len(self.config.counts)))


def repeats_setting(values: Values) -> Number:
    """Return the setting of how often counts are released; by default the clinic's few are released more often."""
    return replace(REPEATS, default=_REPEATS_OF_CLINIC) if values[COUNTS_SOURCE] == CLINIC else REPEATS


class Curves(NamedTuple):
    """What the figure plots: its `axis`, and whether it shows `all` curves."""

    axis: str = label_counts.EPSILON_AXIS
    all: bool = False


DEFAULT_CURVES = Curves()


def settings(values: Values) -> list[Setting]:
    """Return every setting of the page."""
    about_counts = [COUNTS_SOURCE, CLASSES, TOTAL, RHO, COUNTS]
    return [*about_counts, EPSILON, delta_setting(values), N_MIN, MECHANISM, repeats_setting(values), SEED]


def question_of(values: Values) -> Question | str:
    """Return the question, or a sentence on why there is none."""
    whose = values[COUNTS_SOURCE]
    n_classes, total, rho = values[CLASSES], values[TOTAL], values[RHO]
    try:
        counts = _counts(values, whose)
        config = CountConfig(
            counts,
            values[EPSILON],
            values[delta_setting(values)],
            values[N_MIN],
            repeats=values[repeats_setting(values)],
            seed=values[SEED],
        )
    except ValueError as error:
        return f"Nothing can be released here. {numbers.error_sentence_html(error)}"
    names = tuple(PATIENTS) if whose == CLINIC else ()
    return Question(config, n_classes, total, rho, whose != DESIGN, NAME_BY_TITLE[values[MECHANISM]], names)


def _counts(values: Values, whose: str) -> tuple[int, ...]:
    """Return the counts of the clinic, of the paper’s design, or as typed; raise ``ValueError`` for invalid ones."""
    if whose == CLINIC:
        return tuple(PATIENTS.values())
    return parse(values[COUNTS]) if whose == OWN else label_counts.design(values[CLASSES], values[TOTAL], values[RHO])


def curves_of(values: Values, _: object) -> Curves:
    """Return what the figure of errors plots."""
    return Curves(AXES[values[AXIS]], values[CURVES] == ALL)


def axis_of(values: Values, _: object) -> str:
    """Return the axis of the claim's figure."""
    return AXES[values[AXIS]]
