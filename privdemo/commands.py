"""The commands of the command line: fetch data, print claims, compute a study anew, run a sweep."""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from privdemo import datasets, limits
from privdemo.advise import Question, advise, comparisons, promise, sentence
from privdemo.disobedience import (
    ATTACKS,
    WAYS,
    ControlQuestion,
    CraftedReport,
    Design,
    TwoHalves,
    attack,
    defended,
    expected_estimate,
    gain,
    notice,
    possible_shares,
)
from privdemo.experiments import (
    claims,
    class_ratio,
    comparison,
    label_counts,
    label_proportions,
    naive_steps,
    results,
    running,
    shipped_trials,
    sweep,
    training,
)
from privdemo.experiments.claims.claim import Claim
from privdemo.experiments.images import guess_study
from privdemo.experiments.many_answers import study as answers_study
from privdemo.experiments.shipped_study import ShippedStudy
from privdemo.intervals import Estimate
from privdemo.mechanisms import BinaryChannel
from privdemo.mechanisms.frequency_oracles import ORACLES
from privdemo.simplex import round_to_sum

_STUDIES: tuple[ShippedStudy[Any], ...] = (
    *training.study.SHIPPED.values(),
    naive_steps.STUDY,
    naive_steps.CLEAN_STUDY,
    guess_study.STUDY,
    label_proportions.study.STUDY,
    class_ratio.study.STUDY,
    label_counts.STUDY,
    comparison.study.STUDY,
    comparison.pushed.STUDY,
    comparison.deltas.STUDY,
    answers_study.STUDY,
    shipped_trials.STUDY,
)
# The studies that `reproduce` can compute again, by the names of their results files.
STUDIES = {study.name: study for study in _STUDIES}


def show_data(name: str) -> None:
    """Fetch a data set, or "all", unless it is there already; print what it holds and where it comes from."""
    for each in datasets.DATASETS if name == "all" else (name,):
        dataset = datasets.load(each, progress=True)
        n_rows, n_columns = dataset.X.shape
        print(f"{each}: {n_rows:,} rows × {n_columns:,} columns, {dataset.n_classes} classes")
        print(f"  in {datasets.location(each) or 'scikit-learn'}")
        print(f"  {dataset.licence}; {dataset.source}")


def show_claims(source: str | None) -> None:
    """Print every published claim beside ours with its verdict, of one paper (its first author) or of all."""
    shown = [claim for claim in claims.all_claims() if source in (None, claims.FIRST_AUTHORS[claim.source])]
    for claim in shown:
        print("\n".join(claim_lines(claim)))
    print("; ".join(f"{n} {verdict}" for verdict, n in claims.count_verdicts(shown).items()))


def four_digits(value: float) -> str:
    """Return a number to four significant digits; counts from 1,000 on in full."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def claim_lines(claim: Claim) -> list[str]:
    """Return a published value and ours, with the verdict and the reason."""
    reading = f", {claim.reading}" if claim.reading else ""
    published = "–" if claim.published is None else f"{four_digits(claim.published)}{reading}"
    ours = "–"
    if claim.ours:
        ours = four_digits(claim.ours.mean) if claim.ours.has_no_width else claim.ours.formatted(four_digits)
    return [
        f"{claim.source}, {claim.place}: {claim.words}",
        f"  published {published}; ours {ours}",
        f"  {claim.verdict}: {claim.why}",
        f"  {claim.seeds}; {claim.command}",
    ]


# --- advise ---------------------------------------------------------------------------------------


def show_advice(as_json: bool, **asked: Any) -> None:
    """Print the advice for a question, in words or as JSON. Raises ``ValueError`` for what cannot be asked."""
    advice = advise(Question(**asked))
    words = {"sentence": sentence(advice), "promise": promise(advice.plan), "comparisons": comparisons(advice)}
    if as_json:
        print(json.dumps(words | dataclasses.asdict(advice), ensure_ascii=False, indent=2))
        return
    plan = advice.plan
    print(words["sentence"], words["promise"], *words["comparisons"], sep="\n")
    chosen = "; ".join(f"{name} {four_digits(value)}" for name, value in plan.parameters.items())
    print(f"  {plan.mechanism}{chosen and f': {chosen}'}; ε {plan.epsilon:g}, δ {plan.delta:g}")


# --- people who do not follow the rules -----------------------------------------------------------

# Surveys in which `show_attack` measures what defences leave, and their seed.
_SURVEYS, _SEED = 20, 0


def show_disobedience(share: float, lie: float, part: float, as_json: bool) -> None:
    """Print what people who do not follow the rules do to the estimated share of two answers."""
    channel = _equal_lies("--lie", lie)
    estimates = {name: expected_estimate(channel, way, part, share) for name, way in WAYS.items()}
    low, high = (float(end) for end in possible_shares(channel, lie + channel.contrast * share, part))
    if as_json:
        print(json.dumps({"estimates": estimates, "low": low, "high": high}, indent=2))
        return
    print(f"Yes is true of {_percent(share)}; if {_percent(part)} do not follow the rules, the mean estimate is")
    for name, estimate in estimates.items():
        print(f"  {_percent(estimate):>8s}  where they answer: {name}")
    print(
        f"where they may answer whatever they like, an estimate of {_percent(share)} means that Yes is true of "
        f"{_percent(low)} to {_percent(high)}"
    )


def _equal_lies(name: str, lie: float) -> BinaryChannel:
    """Return the channel of lies that are equally likely for both answers; `name` is that of the option."""
    limits.Limit(name, 0.0, 1.0).check(lie)
    if lie == 0.5:
        raise ValueError(f"{name} must differ from 0.5, got 0.5; such an answer says nothing about the truth")
    return BinaryChannel(lie, lie)


def show_noticed(lies: list[float], counts: list[int], control: float | None, as_json: bool) -> None:
    """Print what a survey that notices disobedience says: two halves, or a `control` question of known share."""
    design: Design
    if control is None and len(lies) == 2:
        if lies[0] == lies[1]:
            raise ValueError(
                f"--lies must be two different ones, got {lies[0]:g} twice; with one lie for all nobody can tell a lie "
                "from disobedience: take .1 and .4, say"
            )
        first, second = (BinaryChannel(lie, lie) for lie in map(limits.Limit("--lies", 0.0, 1.0).check, lies))
        design = TwoHalves(first, second)
    elif control is not None and len(lies) == 1:
        design = ControlQuestion(_equal_lies("--lies", lies[0]), control)
    else:
        raise ValueError(
            f"--lies must be two for two halves, or one with --control, got {len(lies)} "
            f"{'without' if control is None else 'with'} --control"
        )
    found = notice(design, [counts[:2], counts[2:]])
    if as_json:
        estimates = {name: value._asdict() for name, value in found._asdict().items() if isinstance(value, Estimate)}
        print(json.dumps(estimates | {"p_value": found.p_value}, indent=2))
        return
    everybody = Estimate(found.everybody_low.mean, found.everybody_low.low, found.everybody_high.high)
    print(f"{found.part.formatted(_percent)} do not follow the rules (test that all do: p = {found.p_value:.2g})")
    print(f"share of Yes among those who follow them: {found.share.formatted(_percent)}")
    print(
        f"among all: between {_percent(everybody.mean)} and {_percent(found.everybody_high.mean)}, with chance "
        f"{_percent(everybody.low)} to {_percent(everybody.high)}"
    )
    print(f"if everybody were taken to follow them: {found.if_all_follow.formatted(_percent)}")


def show_attack(
    answers: int, epsilon: float, part: float, share: float, targets: int, people: int, as_json: bool
) -> None:
    """Print how far fake clients push `targets` of the answers, each true of `share`, and what defences leave."""
    dataclasses.replace(limits.ORACLE_ANSWERS, name="--answers").check(answers)
    dataclasses.replace(limits.ORACLE_PEOPLE, name="--people").check(people)
    limits.Limit("--targets", 1, answers - 1, "at least one answer is not wanted", integer=True).check(targets)
    limits.Limit("--share", 0.0, 1 / targets, "it is the share of each target").check(share)
    limits.Limit("--part", 0.0, 0.5, "more fake clients than true ones leave nothing to estimate").check(part)
    wanted = tuple(range(answers - targets, answers))
    shares = np.append(np.full(answers - targets, (1 - targets * share) / (answers - targets)), np.full(targets, share))
    fake = round(part * people)
    counts = round_to_sum(shares * (people - fake))
    found: dict[str, dict[str, Any]] = {}
    for name in ORACLES:
        oracle, rng = ORACLES[name](answers, epsilon), np.random.default_rng(_SEED)
        crafted = CraftedReport(wanted)
        left = defended(oracle, crafted, wanted, counts, fake, _SURVEYS, rng)
        found[name] = {
            "supported": crafted.supported(oracle),
            "gain": {each: gain(oracle, attack(each, wanted), wanted, part, shares) for each in ATTACKS},
            "left": {each: kept.gain.mean for each, kept in left.items()},
        }
    if as_json:
        print(json.dumps(found, indent=2))
        return
    print(
        f"{_percent(part)} fake clients want {targets} of {answers} answers, each true of {_percent(share)}, to look "
        f"frequent; ε = {epsilon:g}"
    )
    print("points by which these answers together rise, by attack; and after each defence against a crafted report")
    kinds = ("gain", "left")
    titles = [f"{title:>5s}" for kind in kinds for title in next(iter(found.values()))[kind]]
    print(f"  {'':19s}  supports  {'  '.join(titles)}")
    for name, one in found.items():
        cells = (f"{100 * value:.1f}" for kind in kinds for value in one[kind].values())
        row = "  ".join(f"{cell:>{len(title)}s}" for cell, title in zip(cells, titles, strict=True))
        print(f"  {name:19s}  {one['supported']:8.3g}  {row}")


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %".replace("-", "−")


# --- sweep ---------------------------------------------------------------------------------------


def run_sweep(spec: Path, out: Path, jobs: int, backend: str, scheduler: str | None) -> None:
    """Run the trials of a TOML file that `out` does not hold yet, and print the mean of each config's numbers.

    Raises ``ValueError`` for a spec or file that cannot be used, and where no trial could be made.
    """
    wanted = sweep.read_spec(spec)
    running.check_out(out)
    _check_jobs(jobs)
    _show_progress("sweep", sweep.sweep(wanted, out, jobs, backend, scheduler))
    rows = sweep.in_order(wanted, sweep.load(out))
    for cells, means in sweep.summary(rows):
        print(", ".join(f"{name} {value}" for name, value in cells.items()))
        for name, estimate in means.items():
            print(f"  {name:40s}  {estimate:.3f}")
    problems = [row for row in rows if row["problem"]]
    if problems:
        print(f"{len(problems):,} trials could not be made in full; the first: {problems[0]['problem']}")
    if {row["versions"] for row in rows} - {running.versions()}:
        print(
            "some rows were made by other versions or other code: see their versions, or name another file for all anew"
        )
    print(f"written to {out}")
    if rows and not any(sweep.numbers(rows).values()):
        raise ValueError("no trial could be made; correct the spec and name another file")


# --- reproduce -----------------------------------------------------------------------------------


def reproduce(name: str, out: Path | None, n_trials: int, jobs: int, backend: str, scheduler: str | None) -> None:
    """Compute a study, or "all", again; print it and write it to `out` (None: the results file of the package).

    Trials that are done are kept beside the file until all studies are done, so that the same command resumes after
    an interruption. Raises ``ValueError`` for settings out of range and for a file that holds no results.
    """
    if name == "all" and out and not out.is_dir():
        raise ValueError(f"--out must be a folder that is there for all, got {out}")
    folders = []
    for study in STUDIES.values() if name == "all" else (STUDIES[name],):
        limits.Limit("--draws", 2, limits.N_TRIALS.high, "an interval needs two", integer=True).check(n_trials)
        _check_jobs(jobs)
        if out is None and n_trials != results.N_TRIALS:
            raise ValueError(f"name a file with --out: the app's own has {results.N_TRIALS} trials, not {n_trials}")
        file = study.file if out is None else out / f"{study.name}.{study.suffix}" if name == "all" else out
        running.check_out(file)
        with running.only_one(file):
            folder = _reproduce_one(study, file, n_trials, jobs, backend, scheduler)
            if name == "all":
                folders.append(folder)
            else:
                folder.delete()
    for folder in folders:  # only now, so that after an interruption no finished study is computed again
        folder.delete()


def _reproduce_one(
    study: ShippedStudy[Any], out: Path, n_trials: int, jobs: int, backend: str, scheduler: str | None
) -> running.ResultFolder:
    """Write one study's file and print its report; returns the folder of its trials."""
    part = out.with_name(out.name + ".part")
    for file in (out, part):
        if file.exists() and file.stat().st_size and not study.is_own(file):
            raise ValueError(f"{file} holds something else than results; name another file")
    arguments = {running.trial_key(study.run_trial, each): each for each in study.trials(n_trials)}
    running.check(jobs, backend, scheduler)
    done = running.ResultFolder(out.with_name(out.name + ".trials"))

    def marks() -> list[Any]:
        return [mark for key in arguments if key in done for mark in done[key]]

    try:
        steps = running.run_trials(study.run_trial, arguments, done, jobs, backend, scheduler)
        _show_progress(study.name, (step for step in steps if step[0]))  # nothing before the first trial is done
    except KeyboardInterrupt:
        if found := marks():
            running.write_whole(part, study.to_file(study.rows(found)))
        raise
    rows = study.rows(marks())
    running.write_whole(out, study.to_file(rows))
    part.unlink(missing_ok=True)
    print("\n".join(study.report(rows)))
    print(f"written to {out}")
    return done


# --- what sweep and reproduce share --------------------------------------------------------------


def _check_jobs(jobs: int) -> None:
    limits.Limit("--jobs", 1, 1024, integer=True).check(jobs)


def _show_progress(name: str, steps: Iterator[tuple[int, int]]) -> None:
    """Run to the end and print each step (done, of how many): on one line of a terminal, else every 10 seconds."""
    terminal, printed = sys.stderr.isatty(), 0.0
    for done, total in steps:
        if terminal or done == total or time.monotonic() > printed + 10:
            printed = time.monotonic()
            start, end = ("\r", "") if terminal else ("", "\n")
            print(f"{start}{name}: {done:,} of {total:,} trials", end=end, file=sys.stderr, flush=True)
    if terminal:
        print(file=sys.stderr)
