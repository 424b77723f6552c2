"""The methods that learn from released data: one table an experiment, for figures, pages and sweeps.

A method's name is its key in configs, CSV files and links. How an experiment makes an estimator of it is said there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from privdemo import palette
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.palette import Style

# Whom one must trust with the true label.
TRUTH, NOBODY, OWNER, PUBLISHER = "no privacy", "nobody", "a bag owner", "a publisher"


@dataclass(frozen=True)
class Method:
    """A method's `name`, its `title` in sentences and charts, whom it makes one `trust`, and its `style` in charts."""

    name: str
    title: str
    trust: str
    style: Style


def check_methods(names: Sequence[str], known: Mapping[str, Method]) -> None:
    """Raise ``ValueError`` unless `names` are one or more of the methods `known`."""
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise ValueError(f"methods must be one or more of {', '.join(known)}, got {', '.join(unknown) or 'none'}")


def _table(methods: Iterable[Method]) -> dict[str, Method]:
    return {method.name: method for method in methods}


def _like(style: Style, dash: str, marker: str) -> Style:
    """Another line and marker in the colour of `style`."""
    return Style(style.colour, dash, marker)


# --- polls ---------------------------------------------------------------------------------------

# What honest answers would have given: the ceiling. The spread likelihood's estimate may leave [0, 1], its maximum not.
HONEST, RAW_SPREAD, SPREAD_MLE = "honest", "spread", "spread MLE"

VOTING = _table(
    (
        Method(HONEST, "if nobody lied", TRUTH, _like(palette.TRUTH, "solid", "line-ns-open")),
        Method("naive", "naive", NOBODY, palette.NAIVE),
        Method("reconstruction", "reconstruction", NOBODY, palette.RECONSTRUCTION),
        Method(RAW_SPREAD, "spread, raw", NOBODY, _like(palette.SPREAD, "dot", "circle-open")),
        Method(SPREAD_MLE, "spread, in [0, 1]", NOBODY, palette.SPREAD),
    )
)

# --- released label counts -----------------------------------------------------------------------

_LAPLACE, _GAUSSIAN, _DIRICHLET = palette.OTHERS
# One colour a family of noise. Solid and filled: tight; dashed and open: as published; dotted: depends on the counts.
_COUNT_STYLES = {
    "laplace published": _like(_LAPLACE, "dash", "circle-open"),
    "laplace tight": _like(_LAPLACE, "solid", "circle"),
    "gaussian published": _like(_GAUSSIAN, "dash", "square-open"),
    "gaussian tight": _like(_GAUSSIAN, "solid", "square"),
    "laplace prior": _like(_LAPLACE, "longdashdot", "triangle-up-open"),
    "dirichlet published": _like(_DIRICHLET, "dot", "diamond-open"),
    "dirichlet local": _like(_DIRICHLET, "dot", "diamond-tall"),
    "dirichlet public": _like(_DIRICHLET, "solid", "diamond"),
}
LABEL_COUNTS = _table(Method(name, release.title, PUBLISHER, _COUNT_STYLES[name]) for name, release in RELEASES.items())

# --- training on noisy records and labels --------------------------------------------------------

CLEAN, NAIVE, RECONSTRUCTION, SPREAD = "clean", "naive", "reconstruction", "spread"
FLAT, TRUE, PUBLISHED = "spread flat", "spread true", "published"

TRAINING = _table(
    (
        Method(CLEAN, "clean data", TRUTH, palette.TRUTH),
        Method(NAIVE, "naive", NOBODY, palette.NAIVE),
        Method(RECONSTRUCTION, "reconstruction", NOBODY, palette.RECONSTRUCTION),
        Method(SPREAD, "spread, learned prior", NOBODY, palette.SPREAD),
        Method(FLAT, "spread, flat prior", NOBODY, _like(palette.SPREAD, "dot", "circle-open")),
        Method(TRUE, "spread, true prior", TRUTH, _like(palette.SPREAD, "dash", "pentagon-open")),
        Method(PUBLISHED, "spread, published EM", NOBODY, _like(palette.SPREAD, "longdashdot", "hourglass-open")),
    )
)

# --- label proportions ---------------------------------------------------------------------------

# Full labels of clean records: the ceiling. Labels of what was released: a k-mean has the labels of its records.
FULL, LABELLED = "full", "labelled"
NAMES, LLP, MEAN_MAP, ALTERNATING = "names", "llp", "mean map", "alternating"

LABEL_PROPORTIONS = _table(
    (
        Method(FULL, "full labels", TRUTH, palette.TRUTH),
        Method(LABELLED, "labels of what is released", TRUTH, _like(palette.TRUTH, "dash", "square-open")),
        Method(NAMES, "spread on bag names", OWNER, palette.SPREAD),
        Method(LLP, "the slides’ model", OWNER, palette.LABEL_PROPORTIONS),
        Method(MEAN_MAP, "mean map", OWNER, palette.OTHERS[0]),
        Method(ALTERNATING, "alternating mean map", OWNER, palette.OTHERS[1]),
    )
)

# --- class ratios --------------------------------------------------------------------------------

MMD, RFF, IDENTITY, COUNT, PSVM = "mmd", "rff", "identity", "count", "svm"
# These see the label of every record: what the others are measured against.
EM, PCC = "em", "pcc"

CLASS_RATIO = _table(
    (
        Method(SPREAD, "spread on set names", PUBLISHER, palette.SPREAD),
        Method(MMD, "MMD", PUBLISHER, palette.MMD),
        Method(RFF, "MMD, random features", PUBLISHER, _like(palette.MMD, "dot", "triangle-down-open")),
        Method(IDENTITY, "set identity", PUBLISHER, palette.OTHERS[0]),
        Method(COUNT, "LLP, classify and count", PUBLISHER, palette.LABEL_PROPORTIONS),
        Method(PSVM, "∝SVM, classify and count", PUBLISHER, palette.OTHERS[1]),
        Method(EM, "all labels, prior correction", TRUTH, _like(palette.TRUTH, "solid", "star-triangle-up")),
        Method(PCC, "all labels, classify and count", TRUTH, _like(palette.TRUTH, "dash", "square-open")),
    )
)

# --- the comparison ------------------------------------------------------------------------------

COUNT_NAIVE, CORRECTED_COUNT, BAG_NAMES = "naive count", "corrected count", "bag names"
# The tight releases of label counts by the noise that methods on sets are named after; its words and their dashes.
TIGHT = {"laplace": "laplace tight", "gaussian": "gaussian tight", "dirichlet": "dirichlet public"}
_NOISES = {
    "laplace": ("Laplace", "dot"),
    "gaussian": ("Gaussian", "dashdot"),
    "dirichlet": ("scaled Dirichlet", "longdashdot"),
}
# Whom one must trust is the marker, what learns the colour: the spread likelihood has one, whatever the channel.
MARKERS = {TRUTH: "line-ns-open", NOBODY: "circle", OWNER: "square", PUBLISHER: "diamond-open"}


def set_names(noise: str) -> str:
    """The name of the spread likelihood on the names of sets whose counts are released with one of `TIGHT`."""
    return f"set names {noise}"


def mmd(noise: str) -> str:
    """The name of MMD on sets whose counts are released with one of `TIGHT`."""
    return f"mmd {noise}"


def _compared(name: str, title: str, trust: str, colour: Style, dash: str = "solid") -> Method:
    return Method(name, title, trust, _like(colour, dash, MARKERS[trust]))


COMPARISON = _table(
    (
        Method(CLEAN, "true labels", TRUTH, palette.TRUTH),
        _compared(COUNT_NAIVE, "lies, counted", NOBODY, palette.NAIVE),
        _compared(CORRECTED_COUNT, "lies, corrected count", NOBODY, palette.OTHERS[0]),
        _compared(NAIVE, "naive", NOBODY, palette.NAIVE),
        _compared(RECONSTRUCTION, "reconstruction", NOBODY, palette.RECONSTRUCTION),
        _compared(SPREAD, "spread on lies", NOBODY, palette.SPREAD),
        _compared(FLAT, "spread on lies, flat prior", NOBODY, palette.SPREAD, "dot"),
        _compared(TRUE, "spread on lies, true prior", TRUTH, palette.SPREAD, "longdash"),
        _compared(LLP, "LLP, the slides’ model", OWNER, palette.LABEL_PROPORTIONS),
        _compared(BAG_NAMES, "spread on bag names", OWNER, palette.SPREAD, "dash"),
        *(
            method
            for noise, (words, dash) in _NOISES.items()
            for method in (
                _compared(set_names(noise), f"spread on set names, {words}", PUBLISHER, palette.SPREAD, dash),
                _compared(mmd(noise), f"MMD, {words}", PUBLISHER, palette.MMD, dash),
            )
        ),
    )
)

# Shown at first: one of each family, without what is told in words.
SHOWN_FIRST = (
    *(CLEAN, NAIVE, SPREAD, LLP, BAG_NAMES),
    *(COUNT_NAIVE, CORRECTED_COUNT, set_names("gaussian"), mmd("gaussian")),
)
