"""The methods that learn from released data: one table for each experiment, for figures, pages and sweeps.

A method's name is its key in configs, shipped results and Python; on screen it has a plain title, the same everywhere.
Each experiment maps the name to an estimator.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from privdemo import palette
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.palette import Style

# Who must be trusted with the true label, from nobody to a curator, who sees everything and publishes only a result.
TRUTH, NOBODY, SHUFFLER = "no privacy", "nobody", "a shuffler"
LEADER, PUBLISHER, CURATOR = "a group leader", "a publisher", "a curator"


@dataclass(frozen=True)
class Method:
    """A method's `name`, its `title` on screen, who must be trusted (`trust`), its `style`, and the `paper`'s term.

    `sends` is what each person sends by a frequency oracle, in a few words, and `plain` the same in fewer.
    """

    name: str
    title: str
    trust: str
    style: Style
    paper: str = ""
    sends: str = ""
    plain: str = ""

    @property
    def in_links(self) -> str:
        """What links call the method: its title, or the one it had when the first of them were made."""
        return _FORMER_TITLES.get(self.title, self.title)

    @property
    def in_full(self) -> str:
        """The title with the paper's term, as a chart's hover shows it."""
        return f"{self.title} ({self.paper})" if self.paper else self.title

    @property
    def columns(self) -> dict[str, str]:
        """What names the method in a CSV file: `method` as on screen, `key` as in Python."""
        return {"method": self.title, "key": self.name}


def check_methods(names: Sequence[str], known: Mapping[str, Method]) -> None:
    """Raise ``ValueError`` unless `names` are one or more of the methods `known`."""
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise ValueError(f"methods must be one or more of {', '.join(known)}, got {', '.join(unknown) or 'none'}")


def _table(methods: Iterable[Method]) -> dict[str, Method]:
    return {method.name: method for method in methods}


def _in_colour_of(style: Style, dash: str, marker: str) -> Style:
    """Return another line and marker in the colour of `style`."""
    return Style(style.colour, dash, marker)


def by_trying(name: str) -> str:
    """Return the name of the method that chooses, by trying, how to learn in the place of `name`: see
    `estimators.choose`.
    """
    return f"{name} chosen"


# Titles that several tables share.
GUESS_BACK, ALL_KNOWN = "guess the true answers first", "labels known"
MATCH_BAGS, TYPICAL = "match each bag’s percentage", "compare typical members"
TYPICAL_AGAIN = f"{TYPICAL}, repeated"
_FORMER_TITLES = {
    MATCH_BAGS: "match each bag’s share",
    TYPICAL: "estimate each kind’s average",
    TYPICAL_AGAIN: "estimate each kind’s average, repeated",
}
# What a title ends with whose method knows more than is released.
_CEILING = "(for comparison)"
_CORRECTED = "correct for the noise"
# These learn from the bag or the set that a record is in, as a label that is often wrong; the better of two ways is
# the one that predicts held-out labels better.
_HINT_BAGS, _HINT_GROUPS, _BETTER = "use each bag as a hint", "use each group as a hint", "better of two"

# --- polls ---------------------------------------------------------------------------------------

# The estimate from true answers: the upper bound of what a method can reach. The spread likelihood's estimate may leave
# [0, 1], its maximum not.
HONEST, RAW_SPREAD, SPREAD_MLE = "honest", "spread", "spread MLE"

VOTING = _table(
    (
        Method(HONEST, "if no answer were changed", TRUTH, _in_colour_of(palette.TRUTH, "solid", "line-ns-open")),
        Method("naive", "ignore the changes", NOBODY, palette.NAIVE, "naive"),
        Method("reconstruction", "count guessed votes", NOBODY, palette.RECONSTRUCTION, "reconstruction"),
        Method(
            RAW_SPREAD,
            "correct for the changes, unlimited",
            NOBODY,
            _in_colour_of(palette.SPREAD, "dot", "circle-open"),
            "spread likelihood, also below 0 and above 1",
        ),
        Method(
            SPREAD_MLE,
            "correct for the changes",
            NOBODY,
            palette.SPREAD,
            "spread likelihood, its maximum from 0 to 1",
        ),
    )
)

# Designs of a survey with a sensitive question, in which everybody answers at random in a known way.
OPPOSITE, FORCED, UNRELATED, CROSSWISE = "opposite", "forced answer", "unrelated question", "crosswise"

SURVEY_DESIGNS = _table(
    (
        Method(OPPOSITE, "the truth or its opposite", NOBODY, palette.SPREAD, "Warner"),
        Method(FORCED, "the truth or a coin’s answer", NOBODY, palette.OTHERS[2], "forced response"),
        Method(UNRELATED, "the vote or an unrelated question", NOBODY, palette.NAIVE, "Greenberg"),
        Method(CROSSWISE, "only: same or different", NOBODY, palette.OTHERS[1], "crosswise model"),
    )
)

# --- one of many answers -------------------------------------------------------------------------

_SUBSETS, _UNARY, _ONE = palette.OTHERS[1], palette.OTHERS[0], palette.OTHERS[2]
# One colour a family: what names one answer, what has a bit for each, what names several.
FREQUENCY_ORACLES = _table(
    (
        Method(
            "randomised response",
            "k-ary randomised response",
            NOBODY,
            _in_colour_of(_ONE, "dash", "square-open"),
            sends="one answer, the true one or a random one",
            plain="one answer each",
        ),
        Method(
            "basic rappor",
            "basic RAPPOR",
            NOBODY,
            _in_colour_of(_UNARY, "dot", "circle-open"),
            "symmetric unary encoding",
            "a yes or no for every answer, each switched by chance",
            "yes or no to each answer",
        ),
        Method(
            "optimised unary",
            "optimised unary encoding",
            NOBODY,
            _in_colour_of(_UNARY, "solid", "triangle-up"),
            sends="a yes or no for every answer, seldom a wrong yes",
            plain="yes or no to each, few false yeses",
        ),
        Method(
            "local hashing",
            "optimised local hashing",
            NOBODY,
            _in_colour_of(_UNARY, "dashdot", "triangle-down-open"),
            sends="one of a few random groups of answers, more often than by chance that of the true one",
            plain="a random group of answers",
        ),
        Method(
            "subset selection",
            "subset selection",
            NOBODY,
            _in_colour_of(_SUBSETS, "solid", "circle"),
            sends="a list of some answers, which holds the true one more often than by chance",
            plain="a list, partly random",
        ),
        Method(
            "hadamard response",
            "Hadamard response",
            NOBODY,
            _in_colour_of(_SUBSETS, "dot", "diamond-open"),
            sends="a number that stands for half of the answers, more often than by chance a half with the true one",
            plain="half of all answers",
        ),
    )
)

# Shares read from the same reports: by inversion, as the nearest proportions to those, and as the likeliest ones.
INVERTED, PROJECTED, LIKELIEST = "inverted", "projected", "likeliest"

SHARES_OF_ANSWERS = _table(
    (
        Method(
            INVERTED,
            f"{_CORRECTED}, unlimited",
            NOBODY,
            VOTING[RAW_SPREAD].style,
            "inversion, also below 0 and above 1",
        ),
        Method(
            PROJECTED,
            f"{_CORRECTED}, nearest shares",
            NOBODY,
            _in_colour_of(palette.SPREAD, "dash", "square-open"),
            "inversion, projected onto the simplex",
        ),
        Method(LIKELIEST, _CORRECTED, NOBODY, palette.SPREAD, "maximum likelihood"),
    )
)

TRUSTED_WITH_ANSWERS = _table(
    (
        Method(NOBODY, "nobody is trusted", NOBODY, _in_colour_of(palette.OTHERS[0], "solid", "circle")),
        Method(SHUFFLER, "a shuffler is trusted", SHUFFLER, _in_colour_of(palette.OTHERS[1], "dash", "square")),
        Method(CURATOR, "a curator is trusted", CURATOR, _in_colour_of(palette.OTHERS[2], "dashdot", "diamond")),
    )
)

# What a collector can do against fake clients, by the names of `disobedience.all_defences`.
DEFENCES = _table(
    (
        Method("none", "no defence", NOBODY, _in_colour_of(palette.ADVERSARY, "solid", "x")),
        Method(
            "projection",
            "nearest possible shares",
            NOBODY,
            _in_colour_of(palette.SPREAD, "dash", "square-open"),
            "inversion, projected onto the simplex",
        ),
        Method("LDPRecover", "LDPRecover", NOBODY, _in_colour_of(palette.OTHERS[1], "dot", "diamond-open")),
        Method(
            "LDPRecover, targets known",
            "LDPRecover, told the answer",
            NOBODY,
            _in_colour_of(palette.OTHERS[1], "solid", "diamond"),
            "LDPRecover with known targets",
        ),
    )
)

# --- released label counts -----------------------------------------------------------------------

_LAPLACE, _GAUSSIAN, _DIRICHLET = palette.OTHERS
# One colour a family of noise. Solid and filled: tight; dashed and open: as published; dotted: depends on the counts;
# dashes and dots: of whole numbers.
_COUNT_STYLES = {
    "laplace published": _in_colour_of(_LAPLACE, "dash", "circle-open"),
    "laplace tight": _in_colour_of(_LAPLACE, "solid", "circle"),
    "gaussian published": _in_colour_of(_GAUSSIAN, "dash", "square-open"),
    "gaussian tight": _in_colour_of(_GAUSSIAN, "solid", "square"),
    "laplace prior": _in_colour_of(_LAPLACE, "longdashdot", "triangle-up-open"),
    "dirichlet published": _in_colour_of(_DIRICHLET, "dot", "diamond-open"),
    "dirichlet local": _in_colour_of(_DIRICHLET, "dot", "diamond-tall"),
    "dirichlet public": _in_colour_of(_DIRICHLET, "solid", "diamond"),
    "discrete laplace": _in_colour_of(_LAPLACE, "dashdot", "cross"),
    "discrete gaussian": _in_colour_of(_GAUSSIAN, "dashdot", "x"),
}
LABEL_COUNTS = _table(
    Method(name, release.title, PUBLISHER, _COUNT_STYLES[name], release.paper) for name, release in RELEASES.items()
)

# --- training on noisy records and labels --------------------------------------------------------

CLEAN, NAIVE, RECONSTRUCTION, SPREAD = "clean", "naive", "reconstruction", "spread"
FLAT, LOW_RANK, TRUE, PUBLISHED = "spread flat", "spread low rank", "spread true", "published"
CLASSES, CHOSEN = "spread classes", "spread chosen"

# The spread likelihood needs a prior of a clean pixel's grey levels: uniform, as learned from the noisy images for
# each pixel by itself (one by one) or with those that go together (strokes), or as in the clean images (pixels known).
# Strokes are known of each class too (class by class), or both are tried on held-out labels, which has no addition.
_SPREAD = "spread likelihood"

TRAINING = _table(
    (
        Method(CLEAN, "clean data", TRUTH, palette.TRUTH),
        Method(NAIVE, "ignore the noise", NOBODY, palette.NAIVE, "naive"),
        Method(RECONSTRUCTION, GUESS_BACK, NOBODY, palette.RECONSTRUCTION, "reconstruction"),
        Method(SPREAD, f"{_CORRECTED}, learned one by one", NOBODY, palette.SPREAD, f"{_SPREAD}, learned prior"),
        Method(
            FLAT,
            f"{_CORRECTED}, pixels alike",
            NOBODY,
            _in_colour_of(palette.SPREAD, "dot", "circle-open"),
            f"{_SPREAD}, flat prior",
        ),
        Method(
            LOW_RANK,
            f"{_CORRECTED}, strokes",
            NOBODY,
            _in_colour_of(palette.SPREAD, "longdash", "triangle-up-open"),
            f"{_SPREAD}, low-rank prior",
        ),
        Method(
            CLASSES,
            f"{_CORRECTED}, class by class",
            NOBODY,
            _in_colour_of(palette.SPREAD, "dashdot", "square-open"),
            f"{_SPREAD}, a model of the classes",
        ),
        Method(
            CHOSEN,
            _CORRECTED,
            NOBODY,
            _in_colour_of(palette.SPREAD, "solid", "diamond-open"),
            f"{_SPREAD}, low-rank prior or a model of the classes",
        ),
        Method(
            TRUE,
            f"{_CORRECTED}, pixels known",
            TRUTH,
            _in_colour_of(palette.SPREAD, "dash", "pentagon-open"),
            f"{_SPREAD}, true prior",
        ),
        Method(
            PUBLISHED,
            f"{_CORRECTED}, as published",
            NOBODY,
            _in_colour_of(palette.SPREAD, "longdashdot", "hourglass-open"),
            f"{_SPREAD}, the paper’s own EM",
        ),
    )
)

# The methods with which the training page begins.
TRAINED_FIRST = (CLEAN, NAIVE, RECONSTRUCTION, CHOSEN)

# --- label proportions ---------------------------------------------------------------------------

# Full labels of clean records: the ceiling. Labels of what was released: a k-mean has the labels of its records.
FULL, LABELLED = "full", "labelled"
NAMES, LLP, MEAN_MAP, ALTERNATING = "names", "llp", "mean map", "alternating"

LABEL_PROPORTIONS = _table(
    (
        Method(FULL, f"without privacy {_CEILING}", TRUTH, palette.TRUTH, "full labels"),
        Method(
            LABELLED,
            f"{ALL_KNOWN}, data as sent {_CEILING}",
            TRUTH,
            _in_colour_of(palette.TRUTH, "dash", "square-open"),
            "labels of what is released",
        ),
        Method(NAMES, _HINT_BAGS, LEADER, palette.SPREAD, f"{_SPREAD} on bag names"),
        Method(
            by_trying(NAMES),
            f"{_HINT_BAGS}, {_BETTER}",
            LEADER,
            _in_colour_of(palette.SPREAD, "dashdot", "diamond-open"),
            f"{_SPREAD} on bag names, or a model of the classes",
        ),
        Method(LLP, MATCH_BAGS, LEADER, palette.LABEL_PROPORTIONS, "the slides’ model"),
        Method(MEAN_MAP, TYPICAL, LEADER, palette.OTHERS[1], "mean map"),
        Method(
            ALTERNATING,
            TYPICAL_AGAIN,
            LEADER,
            _in_colour_of(palette.OTHERS[1], "dot", "diamond-open"),
            "alternating mean map",
        ),
    )
)

# --- class ratios --------------------------------------------------------------------------------

MMD, RFF, IDENTITY, COUNT, PSVM = "mmd", "rff", "identity", "count", "svm"
# These see the label of every record: what the others are measured against.
EM, PCC = "em", "pcc"

CLASS_RATIO = _table(
    (
        Method(SPREAD, _HINT_GROUPS, PUBLISHER, palette.SPREAD, f"{_SPREAD} on set names"),
        Method(
            by_trying(SPREAD),
            f"{_HINT_GROUPS}, {_BETTER}",
            PUBLISHER,
            _in_colour_of(palette.SPREAD, "dashdot", "diamond-open"),
            f"{_SPREAD} on set names, or a model of the classes",
        ),
        Method(MMD, "blend the groups’ averages", PUBLISHER, palette.MMD, "maximum mean discrepancy"),
        Method(
            RFF,
            "blend averages, random features",
            PUBLISHER,
            _in_colour_of(palette.MMD, "dot", "triangle-down-open"),
            "MMD with random Fourier features",
        ),
        Method(IDENTITY, "recognise the group", PUBLISHER, palette.OTHERS[0], "set identity"),
        Method(
            COUNT, "match group shares, then count", PUBLISHER, palette.LABEL_PROPORTIONS, "LLP, classify and count"
        ),
        Method(PSVM, "widest margin, then count", PUBLISHER, palette.OTHERS[1], "∝SVM, classify and count"),
        Method(
            EM,
            f"{ALL_KNOWN} {_CEILING}",
            TRUTH,
            _in_colour_of(palette.TRUTH, "solid", "star-triangle-up"),
            "all labels, prior correction",
        ),
        Method(
            PCC,
            f"{ALL_KNOWN}, then count {_CEILING}",
            TRUTH,
            _in_colour_of(palette.TRUTH, "dash", "square-open"),
            "all labels, classify and count",
        ),
    )
)

# --- the comparison ------------------------------------------------------------------------------

COUNT_NAIVE, CORRECTED_COUNT, BAG_NAMES = "naive count", "corrected count", "bag names"
SHUFFLED_COUNT, CURATED, CURATED_PURE = "shuffled count", "curator", "curator pure"
# The tight releases of label counts by the noise that methods on sets are named after; its words and their dashes.
TIGHT = {"laplace": "laplace tight", "gaussian": "gaussian tight", "dirichlet": "dirichlet public"}
_NOISES = {
    "laplace": ("Laplace noise", "dot"),
    "gaussian": ("Gaussian noise", "dashdot"),
    "dirichlet": ("scaled Dirichlet", "longdashdot"),
}
# The noise of the sets whose names a choosing method learns from as well.
TRIED_NOISE = "gaussian"
# Who must be trusted is shown by the marker, hollow where a method is chosen by trying; what learns is the colour and
# the dash: the spread likelihood has one colour, whatever the channel.
MARKERS = {TRUTH: "line-ns-open", NOBODY: "circle", SHUFFLER: "pentagon"}
MARKERS |= {LEADER: "square", PUBLISHER: "diamond", CURATOR: "triangle-up"}


def set_names(noise: str) -> str:
    """Return the name of the spread likelihood on the names of sets whose counts are released with one of `TIGHT`."""
    return f"set names {noise}"


def mmd(noise: str) -> str:
    """Return the name of MMD on sets whose counts are released with one of `TIGHT`."""
    return f"mmd {noise}"


# The methods of the comparison that are chosen by trying, each with the one in whose place it chooses.
TRIED = {by_trying(name): name for name in (SPREAD, BAG_NAMES, set_names(TRIED_NOISE))}


def _compared_method(name: str, title: str, paper: str, trust: str, family: Style, dash: str = "") -> Method:
    """Return a method in the colour of its family, and in its dash unless it has one of its own."""
    return Method(name, title, trust, _in_colour_of(family, dash or family.dash, MARKERS[trust]), paper)


def _by_trying(name: str, title: str, trust: str) -> Method:
    """Return a method that chooses by trying instead of the one called `name`; titled `title`."""
    paper = f"{_SPREAD}, low-rank prior or a model of the classes"
    style = _in_colour_of(palette.SPREAD, "solid" if trust == PUBLISHER else "dashdot", f"{MARKERS[trust]}-open")
    return Method(by_trying(name), title, trust, style, paper)


COMPARISON = _table(
    (
        Method(CLEAN, "all labels true", TRUTH, palette.TRUTH, "true labels"),
        _compared_method(COUNT_NAIVE, "count as sent", "naive count", NOBODY, palette.NAIVE),
        _compared_method(CORRECTED_COUNT, f"count, then {_CORRECTED}", "corrected count", NOBODY, palette.OTHERS[0]),
        _compared_method(NAIVE, "ignore the noise", "naive", NOBODY, palette.NAIVE),
        _compared_method(RECONSTRUCTION, GUESS_BACK, "reconstruction", NOBODY, palette.RECONSTRUCTION),
        _compared_method(
            SPREAD, f"{_CORRECTED}, learned one by one", f"{_SPREAD}, learned prior", NOBODY, palette.SPREAD
        ),
        _compared_method(FLAT, f"{_CORRECTED}, pixels alike", f"{_SPREAD}, flat prior", NOBODY, palette.SPREAD, "dot"),
        _by_trying(SPREAD, _CORRECTED, NOBODY),
        _compared_method(
            SHUFFLED_COUNT, "count shuffled answers", "corrected count, shuffled", SHUFFLER, palette.OTHERS[0], "dash"
        ),
        _compared_method(
            TRUE, f"{_CORRECTED}, pixels known", f"{_SPREAD}, true prior", TRUTH, palette.SPREAD, "longdash"
        ),
        _compared_method(LLP, MATCH_BAGS, "the slides’ model (LLP)", LEADER, palette.LABEL_PROPORTIONS),
        _compared_method(BAG_NAMES, _HINT_BAGS, f"{_SPREAD} on bag names", LEADER, palette.SPREAD, "dash"),
        _by_trying(BAG_NAMES, f"{_HINT_BAGS}, {_BETTER}", LEADER),
        *(
            method
            for noise, (words, dash) in _NOISES.items()
            for method in (
                _compared_method(
                    set_names(noise),
                    f"{_HINT_GROUPS}, {words}",
                    f"{_SPREAD} on set names",
                    PUBLISHER,
                    palette.SPREAD,
                    dash,
                ),
                _compared_method(
                    mmd(noise),
                    f"blend the groups’ averages, {words}",
                    "maximum mean discrepancy",
                    PUBLISHER,
                    palette.MMD,
                    dash,
                ),
            )
        ),
        _by_trying(set_names(TRIED_NOISE), f"{_HINT_GROUPS}, {TRIED_NOISE.title()}, {_BETTER}", PUBLISHER),
        _compared_method(CURATED, "noisy result", "output perturbation, (ε, δ)", CURATOR, palette.OTHERS[1], "solid"),
        _compared_method(
            CURATED_PURE, "noisy result, δ = 0", "output perturbation, ε alone", CURATOR, palette.OTHERS[1]
        ),
    )
)

# The curves with which the comparison begins, of either task: three, and that of every label. The home page names the
# best of them for each kind of trust. None learns from a publisher's sets: there ε covers the counts alone.
CURVES_FIRST = (CLEAN, NAIVE, COUNT_NAIVE, CORRECTED_COUNT, by_trying(SPREAD), SHUFFLED_COUNT, LLP, CURATED)
