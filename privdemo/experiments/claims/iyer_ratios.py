"""Iyer, Nath and Sarawagi: their claims about the class ratios that are estimated from sets."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from privdemo.experiments.claims.claim import (
    IYER,
    PERCENT,
    SENTENCE,
    Claim,
    exactly,
    first_trials,
    listed,
    unverifiable,
)
from privdemo.experiments.claims.judge import judge_difference, judge_fact, judge_levels, judge_part, judge_reduction
from privdemo.experiments.class_ratio import NO_RELEASE, SHARES, study
from privdemo.intervals import Estimate, gap_interval
from privdemo.methods import CLASS_RATIO, MMD, PSVM
from privdemo.verdict import judge

_SETS = "python -m privdemo reproduce classratio"
_OURS_IS_LINEAR = "our ∝SVM is linear, with squared hinge loss; the paper’s has a kernel"


def all_claims() -> list[Claim]:
    """Every claim about estimated class ratios, in the paper's order."""
    rows = study.load()
    elsewhere = unverifiable(
        IYER,
        "figures 2 and 3, other data sets",
        "the same curves for YouTube, Higgs, Acoustic and Twitter",
        "the data sets are not at hand; Census is Adult here, and SMS and breast cancer are added",
    )
    return [
        *_ratios(rows),
        _near_training(rows),
        _skewed_sets(rows),
        _distortion_is_error(rows),
        elsewhere,
        _theorem_1(rows),
        *_advice(rows),
    ]


def _ratios(rows: Sequence[study.Row]) -> list[Claim]:
    found = []
    for reduction in study.published_reductions(rows):
        verdict, why = judge_reduction(reduction.published, reduction.ours.mean)
        of_svm = CLASS_RATIO[PSVM].title.partition(",")[0] in reduction.words
        found.append(
            Claim(
                source=IYER,
                place="figure 2" if of_svm else "figure 3",
                words=f"how much smaller an error is: {reduction.words}",
                published=reduction.published,
                ours=reduction.ours,
                unit=PERCENT,
                seeds=first_trials(rows[0].n_trials),
                command=_SETS,
                verdict=verdict,
                why=f"{why}; {_OURS_IS_LINEAR}" if of_svm else why,
            )
        )
    return found


def _curve(rows: Sequence[study.Row], name: str, dataset: str, method: str, release: str) -> list[Estimate]:
    """The error along `SHARES`."""
    at = {
        row.share: row.estimate
        for row in study.select(rows, name, overall=False)
        if (row.dataset, row.method, row.release) == (dataset, method, release)
    }
    return [at[share] for share in SHARES]


def _near_training(rows: Sequence[study.Row]) -> Claim:
    """∝SVM away from the share it was trained on, which for two mirrored sets is one half."""
    curve = dict(zip(SHARES, _curve(rows, study.BINARY, "adult", PSVM, NO_RELEASE), strict=True))
    near_by = min(SHARES, key=lambda share: abs(share - 0.5))
    gaps = {share: gap_interval(curve[share], curve[near_by]) for share in (SHARES[0], SHARES[-1])}
    most = max(gaps, key=lambda share: gaps[share].mean)
    verdict, clear = judge_levels(gaps)
    return Claim(
        source=IYER,
        place="figure 2",
        words="∝SVM is accurate only near the shares it was trained on: how much larger its error on Adult is at a "
        f"share of {most:g} than at {near_by:g}, on which it was trained",
        ours=gaps[most],
        seeds=first_trials(rows[0].n_trials),
        command=_SETS,
        verdict=verdict,
        why=f"error {curve[near_by].mean:.3f} there, {' and '.join(f'{curve[s].mean:.3f} at {s:g}' for s in gaps)}; "
        f"clearly larger at {listed(clear)}; {_OURS_IS_LINEAR}",
    )


def _skewed_sets(rows: Sequence[study.Row]) -> Claim:
    """What noise on the counts adds to MMD's error, of sets with few zeros and with nearly all zeros."""
    clean, noisy, tight = (
        _curve(rows, study.PRIVATE, "mnist", MMD, release)
        for release in (NO_RELEASE, "laplace published", "laplace tight")
    )
    harm = [gap_interval(one, other) for one, other in zip(noisy, clean, strict=True)]
    less = [gap_interval(one, other) for one, other in zip(tight, clean, strict=True)]
    more = gap_interval(harm[-1], harm[0])
    return Claim(
        source=IYER,
        place="figure 3",
        words="noise on the counts harms more if the set asked about is skewed: how much more error published "
        f"Laplace noise adds at a share of {SHARES[-1]:g} of zeros than at {SHARES[0]:g}",
        ours=more,
        seeds=first_trials(rows[0].n_trials),
        command=_SETS,
        verdict=judge_difference(more),
        why=f"at {SHARES[-1]:g} it adds {harm[-1].mean:.3f}, at {SHARES[0]:g} {harm[0].mean:.3f}; tight Laplace noise "
        f"{less[-1].mean:.3f} and {less[0].mean:.3f}",
    )


def _distortion_is_error(rows: Sequence[study.Row]) -> Claim:
    """Do mechanisms that distort less leave MMD a smaller error? By their order."""
    here = [row for row in study.select(rows, study.PRIVATE) if row.method == MMD]
    pairs = [
        (less, more)
        for less, more in itertools.permutations(here, 2)
        if less.distortion < more.distortion and judge(gap_interval(more.estimate, less.estimate)).clear
    ]
    words = "less distortion of the counts means less error of MMD (ten digits)"
    if not pairs:
        return unverifiable(IYER, "figure 3", words, "no two ways to release the counts clearly differ")
    right = sum(less.error < more.error for less, more in pairs) / len(pairs)
    return Claim(
        source=IYER,
        place="figure 3",
        words=f"{words}: of the pairs of mechanisms whose errors clearly differ, the fraction where the one "
        "that distorts less has the smaller error",
        published=1.0,
        ours=exactly(right),
        unit=PERCENT,
        seeds=first_trials(here[0].n_trials),
        command=_SETS,
        verdict=judge_part(right),
        why=f"of {len(pairs)} pairs among {len(here)} ways to release the counts, true counts among them",
        reading=SENTENCE,
    )


def _theorem_1(rows: Sequence[study.Row]) -> Claim:
    """The bound of MMD's L2 error, which lies between L1/√c and the L1 error of the file."""
    here = [row for row in rows if row.method == MMD and math.isnan(row.share) and math.isfinite(row.bound)]
    nearest = min(here, key=lambda row: row.bound / row.error)
    times = nearest.bound / nearest.error
    kept = [row for row in here if row.bound >= row.error / math.sqrt(row.n_classes)]
    least = min(row.bound for row in here)
    return Claim(
        source=IYER,
        place="theorem 1",
        words="MMD’s error is below a bound: smallest ratio of the bound to the (L1) error in all settings tried",
        ours=Estimate(times, nearest.bound / nearest.high, nearest.bound / nearest.low),
        seeds=first_trials(here[0].n_trials),
        command=_SETS,
        verdict=judge_fact(len(kept) == len(here), caveat=least > math.sqrt(2)),
        why=f"true in {len(kept)} of {len(here)} settings; but the smallest bound is {least:.3g}, and no two mixes are "
        "further apart than √2: it tells how errors shrink, not how large they are",
    )


def _advice(rows: Sequence[study.Row]) -> list[Claim]:
    """The paper's advice for sets, of MMD with true counts."""
    found = []
    for words, name, setting, place in (
        ("skewed sets are easier to learn from", study.SKEW, "rho", "ρ ="),
        ("few, large sets are easier to learn from than many", study.SETS, "copies", "sets of each kind:"),
    ):
        here = [row for row in study.select(rows, name) if (row.method, row.release) == (MMD, NO_RELEASE)]
        first, last = (pick(here, key=lambda row: getattr(row, setting)) for pick in (min, max))
        gap = gap_interval(last.estimate, first.estimate)
        found.append(
            Claim(
                source=IYER,
                place="section 2, advice",
                words=f"{words}: how much smaller MMD’s error is ({first.n_classes} digits, true counts)",
                ours=gap,
                seeds=first_trials(first.n_trials),
                command=_SETS,
                verdict=judge_difference(gap),
                why=f"error {first.error:.3f} at {place} {getattr(first, setting):g}, {last.error:.3f} at "
                f"{getattr(last, setting):g}{'' if judge(gap).clear else '; the difference is not clear'}",
            )
        )
    return found
