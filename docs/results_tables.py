"""Write the tables of `docs/results.md` from the shipped results files: `make results`.

The prose is written by hand. A table stands between the lines `<!-- table: NAME -->` and `<!-- end -->`; `TABLES` names
the function that makes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from privdemo.experiments import class_ratio, comparison, label_counts, label_proportions, training
from privdemo.experiments.images import guess_study
from privdemo.experiments.many_answers import study as answers_study
from privdemo.intervals import Estimate
from privdemo.mechanisms.label_counts import RELEASES, STUDIED
from privdemo.methods import (
    BAG_NAMES,
    CLASS_RATIO,
    COMPARISON,
    FREQUENCY_ORACLES,
    LABEL_PROPORTIONS,
    LLP,
    MMD,
    NAIVE,
    RFF,
    SPREAD,
    TRAINING,
    by_trying,
)

FILE = Path(__file__).parent / "results.md"
_MARKED = re.compile(r"(?<=<!-- table: )(.+?)( -->\n\n)(.*?)(\n\n<!-- end -->)", re.DOTALL)


def document(text: str) -> str:
    """Return the text of `docs/results.md` with every table made anew."""
    return _MARKED.sub(lambda match: f"{match[1]}{match[2]}{TABLES[match[1]]()}{match[4]}", text)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    head_line, *lines = (f"| {' | '.join(cells)} |".replace("|  |", "| |") for cells in (head, *rows))
    return "\n".join([head_line, "|" + len(head) * "---|", *lines])


def _number(value: float, digits: int) -> str:
    """Return a number with the minus sign of typography, and none before a 0."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def _half(estimate: Estimate, digits: int) -> str:
    """Return a mean and half its interval, where that is cut the longer side: “0.797 ± 0.009”."""
    return f"{estimate.mean:.{digits}f} ± {estimate.half:.{digits}f}"


def _ends(estimate: Estimate, digits: int) -> str:
    """Return a mean and the ends of its interval: “1.3 (−0.2 to 2.7)”."""
    return estimate.formatted(lambda value: _number(value, digits))


# --- what training on noise reaches --------------------------------------------------------------


def _point(name: str, method: str, level: float) -> str:
    """Return accuracy and log loss of a method in a study of training: “0.935 (0.21)”."""
    points = training.study.points(training.study.load(name))[method]
    point = next(point for point in points if point.level == level)
    return f"{point.accuracy.mean:.3f} ({point.log_loss.mean:.2f})"


def training_figure_3() -> str:
    """Return the table of figure 3."""
    levels = (0.1, 0.2, 0.3, 0.4)
    titles = {SPREAD: f"{TRAINING[SPREAD].title}: accuracy (log loss)"}
    titles |= {"published": "the paper's EM, 400 steps, no penalty"}
    methods = (SPREAD, "spread low rank", "spread classes", by_trying(SPREAD), NAIVE, "published", "clean")
    return _table(
        ["250 + 250, pixels and labels flipped with p", *(f"{level:g}" for level in levels)],
        (
            [titles.get(method, TRAINING[method].title), *(_point("figure3", method, level) for level in levels)]
            for method in methods
        ),
    )


def training_section_61() -> str:
    """Return the table of section 6.1."""
    levels = (0.1, 0.25, 0.5, 1.0)
    methods = (SPREAD, "spread low rank", "spread classes", by_trying(SPREAD), "spread flat", NAIVE)
    return _table(
        ["4,500 + 4,500, Gaussian noise σ² on pixels, label flips 0.2", *(f"{level:g}" for level in levels)],
        ([TRAINING[method].title, *(_point("section6.1", method, level) for level in levels)] for method in methods),
    )


def guesses() -> str:
    """Return the table of errors of guessed pixels."""
    means = guess_study.means(guess_study.load())
    titles = {"learned": "each pixel by itself, learned", "low_rank": "strokes"}
    return _table(
        ["randomised response", *(f"p = {level:g}" for level in guess_study.LEVELS)],
        (
            [title, *(f"{means[prior, level].mean:.4f}" for level in guess_study.LEVELS)]
            for prior, title in titles.items()
        ),
    )


_PAIRS = tuple((level, pair) for level in (0.2, 0.4) for pair in ("3v5", "4v9", "1v7"))
_PAIR_HEADS = [f"{level:g}: {pair.replace('v', ', ')}" for level, pair in _PAIRS]


def pairs() -> str:
    """Return accuracy and log loss for other pairs of digits."""
    return _table(
        ["p, digits", *_PAIR_HEADS],
        (
            [TRAINING[method].title, *(_point(f"pair-{pair}", method, level) for level, pair in _PAIRS)]
            for method in (by_trying(SPREAD), SPREAD, NAIVE, "clean")
        ),
    )


def pair_leads() -> str:
    """Return what “chosen by trying” wins for other pairs of digits, trial by trial."""

    def leads(other: str, metric: str, factor: float, digits: int) -> list[str]:
        gaps = (
            training.study.compare(training.study.load(f"pair-{pair}"), by_trying(SPREAD), other, metric)[level]
            for level, pair in _PAIRS
        )
        return [_ends(gap.times(factor), digits) for gap in gaps]

    others = {SPREAD: "learned one by one", NAIVE: "ignore the noise"}
    kinds = {"points": ("accuracy", 100.0, 1), "log loss": ("log_loss", 1.0, 2)}
    return _table(
        ["correct for the noise, less …", *_PAIR_HEADS],
        ([f"{title}: {unit}", *leads(other, *kind)] for unit, kind in kinds.items() for other, title in others.items()),
    )


# --- bags, sets and counts -----------------------------------------------------------------------


def bags() -> str:
    """Return average F1 on Adult by how bags were filled."""
    study = label_proportions.study
    rows = study.select(study.load(), study.SELECTING, "adult", "share")
    found = {(row.selection, row.method): row.estimate for row in rows}
    selections = {"iid": "at random", "skewed": "skewed (0 to 48 %)", "even": "even (0 to 100 %)"}
    methods = ("names", "names chosen", LLP, "mean map", "alternating", "full")
    return _table(
        ["", *selections.values()],
        (
            [LABEL_PROPORTIONS[method].title, *(_half(found[selection, method], 3) for selection in selections)]
            for method in methods
        ),
    )


def private_sets() -> str:
    """Return the L1 error of shares of ten digits by how counts were released.

    Dirichlet noise that is tight for these counts, which has no guarantee, is left out.
    """
    study = class_ratio.study
    found = {(row.release, row.method): row.estimate for row in study.select(study.load(), study.PRIVATE)}
    titles = {"none": "true counts"} | {name: RELEASES[name].title for name in STUDIED}
    titles |= {"laplace prior": "Laplace prior"}
    titles |= {"dirichlet public": f"{titles['dirichlet public']}, here 75"}
    return _table(
        ["counts", *(CLASS_RATIO[method].title for method in (SPREAD, MMD))],
        (
            [title, *(_half(found[release, method], 3) for method in (SPREAD, MMD))]
            for release, title in titles.items()
            if release != "dirichlet local"
        ),
    )


def sets() -> str:
    """Return the L1 error of shares without noise, of every method."""
    study = class_ratio.study
    shipped = study.load()
    private = study.select(shipped, study.PRIVATE)
    found = {("ten", row.method): row.error for row in private if row.release == class_ratio.NO_RELEASE}
    found |= {("ten", row.method): row.error for row in study.select(shipped, study.DIGITS) if row.method not in found}
    found |= {(row.dataset, row.method): row.error for row in study.select(shipped, study.BINARY)}
    data = {"ten": "ten digits", "adult": "Adult", "mnist": "7 against 9", "sms": "SMS"}
    titles = {name: method.title for name, method in CLASS_RATIO.items()}
    titles |= {RFF: "blend averages, 1,500 random features"}
    return _table(
        ["", *data.values()],
        (
            [title, *(f"{found[one, method]:.3f}" if (one, method) in found else "–" for one in data)]
            for method, title in titles.items()
        ),
    )


def counts() -> str:
    """Return the distortion of released counts along δ."""
    found = {(row.level, row.release): row.distortion for row in label_counts.load() if row.axis == "delta"}
    deltas = {0.05: "0.05", 0.01: "0.01", 1e-4: "10⁻⁴"}
    titles = {name: RELEASES[name].title for name in STUDIED} | {
        "gaussian tight": f"{RELEASES['gaussian tight'].title} (analytic)",
        "laplace prior": "Laplace prior",
        "dirichlet public": f"{RELEASES['dirichlet public'].title}, here 25",
    }
    return _table(
        ["", *(f"δ = {delta}" for delta in deltas.values())],
        (
            [title, *(f"{found[delta, name]:.3f}" if (delta, name) in found else "no σ" for delta in deltas)]
            for name, title in titles.items()
        ),
    )


# --- kinds of trust ------------------------------------------------------------------------------

CONTEXTS = {
    "7 against 9": ("mnist", "labels"),
    "7 against 9, images private": ("mnist", "records"),
    "Adult": ("adult", "labels"),
    "small digits": ("digits", "labels"),
}


def trust() -> str:
    """Return what every method reaches on the same people, at three ε."""
    found = {
        (row.task, row.epsilon, row.method): row
        for row in comparison.study.load()
        if (row.dataset, row.private) == CONTEXTS["7 against 9"] and row.metric in ("accuracy", "error")
    }
    methods = (
        *("clean", "naive count", "corrected count", NAIVE, SPREAD, by_trying(SPREAD), "shuffled count", LLP),
        *(BAG_NAMES, by_trying(BAG_NAMES), "set names gaussian", by_trying("set names gaussian"), "mmd gaussian"),
        *("curator", "curator pure"),
    )
    places = [(task, epsilon) for task in ("classify", "share") for epsilon in (0.25, 1.0, 4.0)]

    def cell(method: str, task: str, epsilon: float) -> str:
        row = found.get((task, epsilon, method))
        return _half(row.estimate.times(100), 1) if row else "–"

    return _table(
        ["", "trusts", "0.25", "1", "4", "share: 0.25", "1", "4"],
        (
            [COMPARISON[name].title, COMPARISON[name].trust, *(cell(name, *place) for place in places)]
            for name in methods
        ),
    )


def _leads(ours: str, other: str) -> str:
    """Return by how many points `ours` is more accurate than `other`, trial by trial, along ε."""
    study = comparison.study
    found = {(row.dataset, row.private, row.epsilon, row.method, row.metric): row for row in study.load()}

    def cell(context: tuple[str, str], epsilon: float) -> str:
        gap = study.difference(*(found[*context, epsilon, method, "accuracy"] for method in (ours, other)))
        return _ends(gap.times(100), 1) if gap else "–"

    return _table(
        ["ε", *(f"{epsilon:g}" for epsilon in study.EPSILONS)],
        ([title, *(cell(context, epsilon) for epsilon in study.EPSILONS)] for title, context in CONTEXTS.items()),
    )


def long_run() -> str:
    """Return the error of a share in the long run, in points, by the closed form."""
    configs = [comparison.ComparisonConfig("share", epsilon=epsilon) for epsilon in (0.25, 1.0, 4.0)]

    def cell(config: comparison.ComparisonConfig, method: str) -> str:
        error = comparison.exact_error(config, method)
        return "–" if error is None else f"{100 * error:.2f}"

    return _table(
        ["in the long run", *(f"{config.epsilon:g}" for config in configs)],
        (
            [COMPARISON[name].title, *(cell(config, name) for config in configs)]
            for name in ("naive count", "corrected count", "shuffled count", "curator", "curator pure")
        ),
    )


def deltas() -> str:
    """Return what a shuffler and a curator reach at two values of δ, and how far the shuffler goes from lies to the
    curator.
    """
    study, configs = comparison.study, [comparison.ComparisonConfig("share", epsilon=e) for e in (0.25, 1.0, 4.0)]
    models = {"10⁻³": comparison.deltas.load(), "10⁻⁶": study.load()}

    def errors(config: comparison.ComparisonConfig, delta: str) -> list[float]:
        at = replace(config, delta=comparison.deltas.LARGE_DELTA if delta == "10⁻³" else None)
        names = ("corrected count", "shuffled count", "curator")
        return [100 * error for name in names if (error := comparison.exact_error(at, name)) is not None]

    def accuracy(rows: Sequence[study.Row], epsilon: float, method: str) -> study.Row:
        context = comparison.ComparisonConfig()
        return next(
            row for row in study.select(rows, context, "accuracy") if (row.epsilon, row.method) == (epsilon, method)
        )

    def lead(rows: Sequence[study.Row], epsilon: float) -> str:
        gap = study.difference(accuracy(rows, epsilon, "curator"), accuracy(study.load(), epsilon, NAIVE))
        return _ends(gap.times(100), 1) if gap else "–"

    def way(config: comparison.ComparisonConfig, delta: str) -> str:
        lies, shuffled, curated = errors(config, delta)
        return f"{100 * (lies - shuffled) / (lies - curated):.0f} %"

    lines: list[list[str]] = []
    for delta, rows in models.items():
        lines += [
            [f"share: a shuffler’s error, δ = {delta}", *(f"{errors(c, delta)[1]:.2f}" for c in configs)],
            [f"share: of the way from lies to a curator, δ = {delta}", *(way(c, delta) for c in configs)],
            [
                f"a curator’s model, δ = {delta}",
                *(_half(accuracy(rows, c.epsilon, "curator").estimate.times(100), 1) for c in configs),
            ],
            [f"a curator’s model less ignoring the noise, δ = {delta}", *(lead(rows, c.epsilon) for c in configs)],
        ]
    return _table(["", *(f"{c.epsilon:g}" for c in configs)], lines)


def pushed() -> str:
    """Return what methods reach along the part of the people who push their labels, and how far a share is off."""
    study = comparison.pushed
    found = {
        (r.task, r.method, r.fake_part, r.fake_label): r for r in study.load() if r.metric in ("accuracy", "error")
    }
    places = [(0.0, comparison.OPPOSITE)]
    places += [(part, label) for label in (comparison.OPPOSITE, comparison.SECOND) for part in study.PARTS[1:]]
    heads = [f"{part:.0%} {'wrong' if label == comparison.OPPOSITE else '9'}" for part, label in places[1:]]
    asked = [("classify", name) for name in ("clean", NAIVE, SPREAD, by_trying(SPREAD), LLP, BAG_NAMES)]
    asked += [("classify", name) for name in ("set names gaussian", "curator")]
    counting = ("naive count", "corrected count", "shuffled count", LLP, "mmd gaussian", "curator")
    asked += [("share", name) for name in counting]
    return _table(
        ["", "trusts", "nobody pushes", *heads],
        (
            [
                f"{'share: ' * (task == 'share')}{COMPARISON[name].title}",
                COMPARISON[name].trust,
                *(_half(found[task, name, *place].estimate.times(100), 1) for place in places),
            ]
            for task, name in asked
        ),
    )


def answers() -> str:
    """Return the errors of shares of many answers, by lie and by how reports are read."""
    means = answers_study.means(answers_study.load())

    def cell(estimate: Estimate) -> str:
        return estimate.times(1e4).formatted("{:.0f}".format, " ({}–{})")

    return _table(
        ["ε", "lie", "inversion", "nearest shares", "likeliest shares", "stopped early"],
        (
            [
                f"{epsilon:g}",
                FREQUENCY_ORACLES[oracle].title,
                *(cell(means[oracle, epsilon, reading]) for reading in answers_study.READINGS),
            ]
            for epsilon in answers_study.EPSILONS
            for oracle in answers_study.ORACLES
        ),
    )


TABLES: dict[str, Callable[[], str]] = {
    "training, figure 3": training_figure_3,
    "training, section 6.1": training_section_61,
    "guesses of pixels": guesses,
    "other pairs of digits": pairs,
    "other pairs of digits, leads": pair_leads,
    "bag totals": bags,
    "sets, private counts": private_sets,
    "sets, true counts": sets,
    "private counts": counts,
    "kinds of trust": trust,
    "lies chosen by trying, over ignoring them": lambda: _leads(by_trying(SPREAD), NAIVE),
    "lies chosen by trying, over one by one": lambda: _leads(by_trying(SPREAD), SPREAD),
    "bag names chosen by trying": lambda: _leads(by_trying(BAG_NAMES), BAG_NAMES),
    "bag names chosen by trying, over bag shares": lambda: _leads(by_trying(BAG_NAMES), LLP),
    "kinds of trust, in the long run": long_run,
    "kinds of trust, at two values of δ": deltas,
    "pushed labels": pushed,
    "many answers": answers,
}

if __name__ == "__main__":
    FILE.write_text(document(FILE.read_text(encoding="utf-8")), encoding="utf-8")
