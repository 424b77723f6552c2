"""Iyer, Nath and Sarawagi, *Privacy preserving class ratio estimation* (KDD 2016)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from privdemo import datasets
from privdemo.experiments import label_counts
from privdemo.experiments.claims.claim import (
    CAVEAT,
    HOLDS,
    PERCENT,
    SENTENCE,
    ClaimRow,
    Finding,
    ResultsFile,
    exactly,
    first_trials,
    listed,
    not_checkable,
)
from privdemo.experiments.claims.judge import (
    judge_below,
    judge_difference,
    judge_fact,
    judge_levels,
    judge_much_less,
    judge_part,
    judge_reduction,
    judge_size,
    judge_value,
)
from privdemo.experiments.class_ratio import NO_RELEASE, SHARES, study
from privdemo.intervals import Estimate, gap_interval, ratio_interval
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import MMD, PSVM
from privdemo.verdict import clearly_above, clearly_below, judge

CountRows = Sequence[label_counts.Row]
RatioRows = Sequence[study.Row]
COUNT_RESULTS = ResultsFile(label_counts.STUDY.name, label_counts.load)
RATIO_RESULTS = ResultsFile(study.STUDY.name, study.load)
_OTHERS = ("laplace published", "gaussian published", "laplace prior")
# The groups of figure 1, and the people in all of them, in whom its errors are said.
_GROUPS, _PEOPLE = 5, 1000
# What the source does not give of a plotted number.
_READ_OFF = "the source only plots the number, so that it is read off roughly"
_DIRICHLET = "dirichlet published"
# At most this many times as much is “much less”.
_MUCH_LESS = 0.8
_OURS_IS_LINEAR = "our ∝SVM is linear, with squared hinge loss; the paper’s has a kernel"


# --- table 1 -------------------------------------------------------------------------------------


def size(published: float, name: str, features: str) -> Finding:
    """Compare the number of records of a data set with ours, if it is here."""
    if not datasets.available(name):
        return not_checkable(f"{name} is not here: python -m privdemo data {name}")
    dataset = datasets.load(name)
    n = len(dataset.y) if name == "adult" else dataset.n_train or 0
    more = "" if name == "adult" else f"; {len(dataset.y) - n:,} more are for testing"
    why = f"its {features} features are {dataset.X.shape[1]} columns here{more}"
    return Finding(exactly(n), judge_value(published, n), why)


# --- released counts -----------------------------------------------------------------------------


def _at_design(rows: CountRows) -> dict[str, label_counts.Row]:
    """Return the rows of the paper's main setting by release."""
    return _along(rows, label_counts.EPSILON_AXIS)[label_counts.EPSILON]


def _along(rows: CountRows, axis: str) -> dict[float, dict[str, label_counts.Row]]:
    """Return the rows of an axis by level and release."""
    found: dict[float, dict[str, label_counts.Row]] = {}
    for row in rows:
        if row.axis == axis:
            found.setdefault(row.level, {})[row.release] = row
    return found


def _best(rows: Mapping[str, label_counts.Row], names: Iterable[str]) -> label_counts.Row:
    return min((rows[name] for name in names if name in rows), key=lambda row: row.distortion)


def _batches(row: label_counts.Row) -> str:
    return f"{row.n_trials} batches of {label_counts.BATCH} releases, seeds 0 to {row.n_trials - 1}"


def distortion(published: float, rows: CountRows, release: str) -> Finding:
    """Compare the distortion of a release, as published, with the paper's plot."""
    design = _at_design(rows)
    times = design[release].distortion / published
    unknown = "" if release == _DIRICHLET else _READ_OFF
    return Finding(
        design[release].estimate,
        judge_size(published, design[release].estimate, unknown=unknown),
        f"equation 9 asks for so much noise that distortion is {times:.1f} times as large; with no more noise than "
        f"needed it is {design['dirichlet local'].distortion:.3f}"
        if release == _DIRICHLET
        else f"{times:.2f} times the paper’s number; {_READ_OFF}",
        _batches(design[release]),
        values={"shown": _PEOPLE / _GROUPS * published, "found": _PEOPLE / _GROUPS * design[release].distortion},
    )


def ranking(rows: CountRows) -> Finding:
    """Compare scaled Dirichlet with the best other, all with tight noise and a guarantee that holds."""
    design = _at_design(rows)
    dirichlet = design["dirichlet public"]
    best = _best(design, (n for n, row in design.items() if row.guarantee.startswith("(") and "dirichlet" not in n))
    times = ratio_interval(dirichlet.estimate, best.estimate)
    return Finding(
        times,
        judge_below(times, 1),
        f"with no more noise than needed, the best other ({RELEASES[best.release].title}) distorts by "
        f"{best.distortion:.3f}, scaled Dirichlet with a public minimum by {dirichlet.distortion:.3f}",
        _batches(dirichlet),
    )


def more_classes(rows: CountRows) -> Finding:
    """Compute how the distortion of scaled Dirichlet relative to the best other changes with the number of classes."""
    along = _along(rows, label_counts.C_AXIS)
    times = {
        c: ratio_interval(at[_DIRICHLET].estimate, _best(at, _OTHERS).estimate)
        for c, at in sorted(along.items())
        if _DIRICHLET in at
    }
    first, last = min(times), max(times)
    change = gap_interval(times[last], times[first])
    ahead = [c for c, ratio in times.items() if clearly_below(ratio, 1)]
    return Finding(
        change,
        judge_below(change, caveat=last not in ahead),
        f"from {times[first].mean:.2f} to {times[last].mean:.2f} times, at most "
        f"{max(ratio.mean for ratio in times.values()):.2f}; clearly least at {listed(ahead)} of {listed(times)} "
        "classes",
        _batches(along[first][_DIRICHLET]),
        values={"first": first, "last": last},
    )


def all_shares(published: float, rows: CountRows) -> Finding:
    """Count the settings of the second plot in which scaled Dirichlet distorts least, all as published."""
    along = _along(rows, label_counts.RHO_AXIS)
    least = [x for x, at in sorted(along.items()) if _best(at, (*_OTHERS, _DIRICHLET)) is at.get(_DIRICHLET)]
    part = len(least) / len(along)
    return Finding(
        exactly(part),
        judge_part(published, part),
        f"with the noise of its own paper, at ρ = {listed(least)} of {listed(sorted(along))}",
        _batches(next(iter(along.values()))[_OTHERS[0]]),
    )


def small_epsilon(rows: CountRows) -> Finding:
    """Compare scaled Dirichlet with Laplace at the smallest ε that it allows, both as published."""
    along = _along(rows, label_counts.EPSILON_AXIS)
    times = {
        e: ratio_interval(at[_DIRICHLET].estimate, at["laplace published"].estimate)
        for e, at in sorted(along.items())
        if _DIRICHLET in at
    }
    first, last = min(times), max(times)
    without = sorted(e for e in along if e not in times)
    return Finding(
        times[first],
        judge_much_less(times[first], _MUCH_LESS, caveat=bool(without)),
        f"at ε = {listed(without)} its own rule allows no release at all; at ε = {last:g} the ratio is "
        f"{times[last].mean:.2f}",
        _batches(along[first][_DIRICHLET]),
        values={"first": first},
    )


def distortion_sd_ratio(rows: CountRows, release: str, others: Sequence[str]) -> Finding:
    """Divide the standard deviation of a mechanism's distortion over releases by the smallest of `others`."""
    design = _at_design(rows)
    ours, other = design[release], min((design[name] for name in others), key=lambda row: row.deviation)
    times = ratio_interval(ours.deviation_estimate, other.deviation_estimate)
    return Finding(
        times,
        judge_below(times, 1),
        f"{ours.deviation:.3f}, against {other.deviation:.3f} of {RELEASES[other.release].title}",
        _batches(ours),
    )


def no_advantage(rows: CountRows) -> Finding:
    """Compare Gaussian noise with Laplace, as published in every setting plotted; and with tight noise along δ."""
    times = [
        ratio_interval(at["gaussian published"].estimate, at["laplace published"].estimate)
        for axis in label_counts.AXES
        for at in _along(rows, axis).values()
        if axis != label_counts.DELTA_AXIS
    ]
    tight = {
        delta: ratio_interval(at["gaussian tight"].estimate, at["laplace tight"].estimate)
        for delta, at in sorted(_along(rows, label_counts.DELTA_AXIS).items())
    }
    better = [delta for delta, ratio in tight.items() if clearly_below(ratio, 1)]
    worse = [delta for delta, ratio in tight.items() if clearly_above(ratio, 1)]
    verdict, _ = judge_levels(dict(enumerate(times)), than=1)
    return Finding(
        min(times, key=lambda ratio: ratio.mean),
        CAVEAT if verdict == HOLDS and better else verdict,
        f"but with no more noise than needed, it distorts clearly less at δ = {listed(better)}, clearly more at "
        f"{listed(worse)}",
        _batches(_at_design(rows)["gaussian published"]),
    )


def equation_9_delta() -> Finding:
    """Simulate δ between neighbours, each with the σ that eq. 9 gives for its own counts: what is really released."""
    config = label_counts.CountConfig()
    leak = label_counts.leak(config, _DIRICHLET)
    return Finding(
        leak.own_delta,
        judge_below(leak.own_delta, config.delta),
        f"by equation 9 σ is {leak.sigma:.5f} for one and {leak.neighbour_sigma:.5f} for the other, so the "
        f"choice of noise leaks; with one σ for both, δ would be {leak.neighbour_delta:.4f}",
        f"{label_counts.N_SIMULATED:,} releases, seed {config.seed}",
        published=config.delta,
        values={"delta": config.delta, "epsilon": config.epsilon},
    )


# --- class ratios --------------------------------------------------------------------------------


def reduction(rows: RatioRows, index: int, note: str = "") -> Finding:
    """Compare how much lower an error is with what the text states: the reduction number `index` of the study."""
    found = study.published_reductions(rows)[index]
    verdict, why = judge_reduction(found.published, found.ours)
    return Finding(
        found.ours,
        verdict,
        why + note,
        first_trials(rows[0].n_trials),
        published=found.published,
        values={"errors": found.words},
    )


def _curve(rows: RatioRows, name: str, dataset: str, method: str, release: str) -> list[Estimate]:
    """Return the error along `SHARES`."""
    at = {
        row.share: row.estimate
        for row in study.select(rows, name, overall=False)
        if (row.dataset, row.method, row.release) == (dataset, method, release)
    }
    return [at[share] for share in SHARES]


def near_training(rows: RatioRows) -> Finding:
    """Compare the error of ∝SVM away from the share it was trained on, which for two mirrored sets is one half."""
    curve = dict(zip(SHARES, _curve(rows, study.BINARY, "adult", PSVM, NO_RELEASE), strict=True))
    near_by = min(SHARES, key=lambda share: abs(share - 0.5))
    gaps = {share: gap_interval(curve[share], curve[near_by]) for share in (SHARES[0], SHARES[-1])}
    most = max(gaps, key=lambda share: gaps[share].mean)
    verdict, clear = judge_levels(gaps)
    return Finding(
        gaps[most],
        verdict,
        f"error {curve[near_by].mean:.3f} there, {' and '.join(f'{curve[s].mean:.3f} at {s:g}' for s in gaps)}; "
        f"clearly larger at {listed(clear)}; {_OURS_IS_LINEAR}",
        first_trials(rows[0].n_trials),
        values={"most": most, "near_by": near_by},
    )


def skewed_target(rows: RatioRows) -> Finding:
    """Compare what noise on the counts adds to MMD's error, of sets with few zeros and with nearly all zeros."""
    clean, noisy, tight = (
        _curve(rows, study.PRIVATE, "mnist", MMD, release)
        for release in (NO_RELEASE, "laplace published", "laplace tight")
    )
    harm = [gap_interval(one, other) for one, other in zip(noisy, clean, strict=True)]
    less = [gap_interval(one, other) for one, other in zip(tight, clean, strict=True)]
    more = gap_interval(harm[-1], harm[0])
    return Finding(
        more,
        judge_difference(more),
        f"at {SHARES[-1]:g} it adds {harm[-1].mean:.3f}, at {SHARES[0]:g} {harm[0].mean:.3f}; tight Laplace noise "
        f"{less[-1].mean:.3f} and {less[0].mean:.3f}",
        first_trials(rows[0].n_trials),
    )


def distortion_is_error(published: float, rows: RatioRows) -> Finding:
    """Compare the order of mechanisms by how much they distort with their order by MMD's error."""
    here = [row for row in study.select(rows, study.PRIVATE) if row.method == MMD]
    pairs = [
        (less, more)
        for less, more in itertools.permutations(here, 2)
        if less.distortion < more.distortion and judge(gap_interval(more.estimate, less.estimate)).clear
    ]
    if not pairs:
        return not_checkable("no two ways to release the counts clearly differ")
    right = sum(less.error < more.error for less, more in pairs) / len(pairs)
    return Finding(
        exactly(right),
        judge_part(published, right),
        f"of {len(pairs)} pairs among {len(here)} ways to release the counts, true counts among them",
        first_trials(here[0].n_trials),
    )


def theorem_1(rows: RatioRows) -> Finding:
    """Compare the bound with MMD's L2 error, which lies between L1/√c and the L1 error of the file."""
    here = [row for row in rows if row.method == MMD and math.isnan(row.share) and math.isfinite(row.bound)]
    nearest = min(here, key=lambda row: row.bound / row.error)
    times = nearest.bound / nearest.error
    not_refuted = [row for row in here if row.bound >= row.error / math.sqrt(row.n_classes)]
    least = min(row.bound for row in here)
    return Finding(
        Estimate(times, nearest.bound / nearest.high, nearest.bound / nearest.low),
        judge_fact(len(not_refuted) == len(here), caveat=least > math.sqrt(2)),
        f"true in {len(not_refuted)} of {len(here)} settings; but the smallest bound is {least:.3g}, and no two mixes "
        "are further apart than √2: it tells how errors shrink, not how large they are",
        first_trials(here[0].n_trials),
    )


def advice(rows: RatioRows, name: str, setting: str, words: str) -> Finding:
    """Compare MMD's error with true counts at both ends of a `setting` of the sets."""
    here = [row for row in study.select(rows, name) if (row.method, row.release) == (MMD, NO_RELEASE)]
    first, last = (pick(here, key=lambda row: getattr(row, setting)) for pick in (min, max))
    gap = gap_interval(last.estimate, first.estimate)
    return Finding(
        gap,
        judge_difference(gap),
        f"error {first.error:.3f} at {words} {getattr(first, setting):g}, {last.error:.3f} at "
        f"{getattr(last, setting):g}{'' if judge(gap).clear else '; the difference is not clear'}",
        first_trials(first.n_trials),
        values={"classes": first.n_classes},
    )


# --- the table -----------------------------------------------------------------------------------

CLAIMS = (
    *(
        ClaimRow("table 1", f"size of {name}", lambda _: not_checkable("the data set is not at hand"), published=n)
        for name, n in {"YouTube": 6_431_471, "Higgs": 11_000_000, "Acoustic": 78_823, "Twitter": 6_940}.items()
    ),
    ClaimRow(
        "table 1",
        "size of Census",
        partial(size, name="adult", features="14"),
        published=48_842,
        command="python -m privdemo data adult",
    ),
    ClaimRow(
        "table 1",
        "size of MNIST",
        partial(size, name="mnist", features="780"),
        published=60_000,
        command="python -m privdemo data mnist",
    ),
    ClaimRow(
        "figure 1",
        "scaled Dirichlet, as published: distortion of five classes’ shares",
        partial(distortion, release=_DIRICHLET),
        (COUNT_RESULTS,),
        published=label_counts.PUBLISHED[_DIRICHLET],
        surprise="A paper says that each group’s published size is wrong by {shown:.0f} people on average; we find "
        "{found:.0f}.",
        what=f"{_GROUPS} groups have {_PEOPLE:,} people in all. To protect them, the size of each group is published "
        "with a random change: for example, 110 in place of 50. On average, a size is wrong by:",
        consequence="By the paper’s own formula the errors are far larger than in its chart.",
        card_unit=(_PEOPLE / _GROUPS, "people"),
    ),
    ClaimRow(
        "figure 1",
        "the best of the others (Laplace), as published: distortion",
        partial(distortion, release="laplace published"),
        (COUNT_RESULTS,),
        published=label_counts.PUBLISHED["laplace published"],
    ),
    ClaimRow(
        "figure 1",
        "scaled Dirichlet distorts least: its distortion with a promise that holds, divided by that of the best other",
        ranking,
        (COUNT_RESULTS,),
    ),
    ClaimRow(
        "figure 1",
        "the more classes, the further scaled Dirichlet is ahead, all as published: change of its distortion "
        "divided by that of the best other, from {first:g} to {last:g} classes",
        more_classes,
        (COUNT_RESULTS,),
    ),
    ClaimRow(
        "figure 1",
        "scaled Dirichlet distorts least for all class shares, all as published: in what fraction of the settings "
        "plotted",
        all_shares,
        (COUNT_RESULTS,),
        published=1.0,
        unit=PERCENT,
        reading=SENTENCE,
    ),
    ClaimRow(
        "figure 1",
        "for small ε scaled Dirichlet distorts much less than Laplace, both as published: ratio of distortions, at "
        "ε = {first:g}",
        small_epsilon,
        (COUNT_RESULTS,),
    ),
    ClaimRow(
        "figure 1",
        "scaled Dirichlet’s distortion varies least from release to release: its standard deviation divided by that "
        "of the best other, both as published",
        partial(distortion_sd_ratio, release=_DIRICHLET, others=_OTHERS),
        (COUNT_RESULTS,),
    ),
    ClaimRow(
        "figure 1",
        "scaled Dirichlet’s distortion varies least from release to release: its standard deviation divided by that "
        "of the best other, both with no more noise than needed",
        partial(distortion_sd_ratio, release="dirichlet public", others=("laplace tight", "gaussian tight")),
        (COUNT_RESULTS,),
    ),
    ClaimRow(
        "section 4.3",
        "Gaussian noise has no advantage over Laplace: smallest ratio of its distortion to that of Laplace in all "
        "settings plotted, both as published",
        no_advantage,
        (COUNT_RESULTS,),
    ),
    ClaimRow(
        "section 3",
        "scaled Dirichlet with noise chosen from the counts keeps δ = {delta:g}: the true δ at ε = {epsilon:g} between "
        "the paper’s counts and counts with one label changed",
        equation_9_delta,
        surprise="Published numbers protect people less than a paper says.",
        what="Random changes (noise) in published tables should hide what you answered. How often can somebody learn "
        "more about you than promised?",
        consequence="So people’s answers are at risk more often than the paper says.",
        card_unit=(100, "of 100 times"),
    ),
    ClaimRow(
        "figure 2",
        "how much smaller an error is: {errors}",
        partial(reduction, index=0, note=f"; {_OURS_IS_LINEAR}"),
        (RATIO_RESULTS,),
        unit=PERCENT,
    ),
    *(
        ClaimRow(
            "figure 3",
            "how much smaller an error is: {errors}",
            partial(reduction, index=i),
            (RATIO_RESULTS,),
            unit=PERCENT,
        )
        for i in (1, 2, 3)
    ),
    ClaimRow(
        "figure 2",
        "∝SVM is accurate only near the shares it was trained on: how much larger its error on Adult is at a share of "
        "{most:g} than at {near_by:g}, on which it was trained",
        near_training,
        (RATIO_RESULTS,),
    ),
    ClaimRow(
        "figure 3",
        "noise on the counts harms more if the group asked about is skewed: how much more error published Laplace "
        f"noise adds at a share of {SHARES[-1]:g} of zeros than at {SHARES[0]:g}",
        skewed_target,
        (RATIO_RESULTS,),
    ),
    ClaimRow(
        "figure 3",
        "less distortion of the counts means less error of MMD (ten digits): of the pairs of mechanisms whose errors "
        "clearly differ, the fraction where the one that distorts less has the smaller error",
        distortion_is_error,
        (RATIO_RESULTS,),
        published=1.0,
        unit=PERCENT,
        reading=SENTENCE,
    ),
    ClaimRow(
        "figures 2 and 3, other data sets",
        "the same curves for YouTube, Higgs, Acoustic and Twitter",
        partial(
            not_checkable,
            "the data sets are not at hand; Census is Adult here, and SMS and breast cancer are added",
        ),
    ),
    ClaimRow(
        "theorem 1",
        "MMD’s error is below a bound: smallest ratio of the bound to the (L1) error in all settings tried",
        theorem_1,
        (RATIO_RESULTS,),
    ),
    ClaimRow(
        "section 2, advice",
        "skewed groups are easier to learn from: how much smaller MMD’s error is ({classes} digits, true counts)",
        partial(advice, name=study.SKEW, setting="rho", words="ρ ="),
        (RATIO_RESULTS,),
    ),
    ClaimRow(
        "section 2, advice",
        "few, large groups are easier to learn from than many: how much smaller MMD’s error is ({classes} digits, true "
        "counts)",
        partial(advice, name=study.SETS, setting="copies", words="groups of each kind:"),
        (RATIO_RESULTS,),
    ),
)
