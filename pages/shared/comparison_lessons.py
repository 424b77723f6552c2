"""What can be looked at below the comparison, one thing at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from pages.shared import cached, comparison_controls, layout, live, own, settings, text
from pages.shared.comparison_controls import Question, has_curves, on_curves
from pages.shared.comparison_panels import (
    IN_PERCENT,
    WORDS,
    Shown,
    best_by_trust,
    code,
    curve_draws,
    differing,
    longer_side,
    marked,
    n_draws,
    no_marks,
    of_metric,
    own_marks,
    people,
    privacy,
    unlike_yours,
    value,
)
from privdemo.experiments import comparison
from privdemo.experiments.comparison import CLASSIFY, METRICS, SHARE, TRUST, ComparisonConfig
from privdemo.experiments.comparison.study import Row
from privdemo.figures import comparison as charts
from privdemo.methods import BAG_NAMES, COMPARISON, LLP, NAIVE, SPREAD, mmd, set_names
from privdemo.tasks import binary_task


def show(shown: Shown) -> None:
    """Draw the lesson that is chosen."""
    lessons = {
        comparison_controls.SEEK: goal_seek,
        comparison_controls.NUMBERS: all_numbers,
        comparison_controls.ONE: one_likelihood,
        comparison_controls.PINNED: against_the_pin,
    }
    lessons[settings.choose(comparison_controls.LESSON, "Look at")](shown)


# --- goal seek -----------------------------------------------------------------------------------


def goal_seek(shown: Shown) -> None:
    """The least ε from which on the goal is reached, by whom one must trust, along the curves of one setting."""
    question = shown.question
    if question.goal is None:
        layout.section("What privacy can be had?", "Choose accuracy under “Judge by”, for which a goal can be set.")
        return
    rows = [row for row in of_metric(shown.curves, question.metric) if row.method in question.shown]
    if not rows or (not has_curves(question.config) and live.running(shown.work)):
        layout.section("What privacy can be had?", "Curves along ε are being drawn; then a goal is sought along them.")
        return
    found = comparison.study.seek(rows, question.goal, question.trusted)
    layout.section("What privacy can be had?", _seek_words(shown, found, rows))
    heads = ["who is trusted", "least ε", "method", "mark there", "how sure"]
    body = []
    for trust in question.trusted:
        one = comparison.study.seek(rows, question.goal, (trust,))
        reached = (
            [
                f"{one.epsilon:g}",
                COMPARISON[one.method].title,
                marked(question.metric, one.estimate),
                "its whole interval" if one.surely else "its mean alone",
            ]
            if one
            else None
        )
        body.append([trust, *(reached or ["none here does", "–", "–", "–"])])
    layout.grid(heads, body, labelled=True)
    layout.under_figure(
        "goal",
        f"Among the ε of the curves ({', '.join(f'{e:g}' for e in sorted({row.epsilon for row in rows}))}) the least "
        "from which on a method’s mean reaches the goal. It is the best of several methods on the same draws, which "
        "flatters it a little.",
        lambda: [dict(zip(heads, cells, strict=True)) for cells in body],
        lambda: layout.grid_page(heads, body),
        _seek_code(question),
    )


def _seek_words(shown: Shown, found: comparison.study.Reached | None, rows: Sequence[Row]) -> str:
    """What was found along the curves, whose they are, and how the visitor's own setting does."""
    question = shown.question
    assert question.goal is not None
    goal = (
        f"at least {text.share(question.goal)} accuracy"
        if question.metric == "accuracy"
        else f"a share off by at most {100 * question.goal:g} point{'' if question.goal == 0.01 else 's'}"
    )
    whom = f"trusting {' or '.join(question.trusted)}"
    start = f"For {goal}, {whom}, with {rows[0].n_train:,} people of each class{unlike_yours(question.config)}"
    start += f" in {n_draws(rows)} draws"
    return f"{start}: {_reached_words(question, found, rows)}{_own_seek(shown)}"


def _reached_words(question: Question, found: comparison.study.Reached | None, rows: Sequence[Row]) -> str:
    assert question.goal is not None
    if found is None:
        sign = 1 if METRICS[question.config.task][question.metric] else -1
        tried = [row for row in rows if row.trust in question.trusted]
        best = max(tried, key=lambda row: sign * row.mean, default=None)
        near = (
            f" The best is {value(question.metric, best.mean)}, by {COMPARISON[best.method].title} at ε = "
            f"{best.epsilon:g}."
            if best
            else ""
        )
        return f"<b>none here does</b>.{near}"
    sure = "its whole 95 % interval does" if found.surely else "its 95 % interval reaches to the other side of the goal"
    below = (
        f"; at ε = {found.before:g} it does not"
        if found.before is not None
        else ", the least that was tried"
        if found.lowest
        else "; no noise of its kind meets a lower one"
    )
    return (
        f"<b>ε = {found.epsilon:g}</b> by {COMPARISON[found.method].title}, "
        f"{marked(question.metric, found.estimate)} ({sure}){below}."
    )


def _own_seek(shown: Shown) -> str:
    """Whether the visitor's own setting reaches the goal, where the curves are not of it."""
    question, best = shown.question, best_by_trust(shown)
    if on_curves(question.config) or not best or question.goal is None:
        return ""
    sign = 1 if METRICS[question.config.task][question.metric] else -1
    marks = own_marks(shown)
    name = max(best.values(), key=lambda method: sign * marks[method].mean)
    does = "reaches it" if sign * marks[name].mean >= sign * question.goal else "does not reach it"
    return (
        f" Your own setting {does} at ε = {question.config.epsilon:g}: {COMPARISON[name].title}, "
        f"{marked(question.metric, marks[name])}."
    )


def _seek_code(question: Question) -> str:
    """The lines that seek the goal among the shipped curves, or among curves drawn anew where none are shipped."""
    config = replace(question.config, methods=())
    rows = ["rows = comparison.study.load()"]
    if not has_curves(config):
        rows = [
            "levels = comparison.study.EPSILONS",
            f"tried = [replace(config, epsilon=e, draw=i) for e in levels for i in range({curve_draws(question)})]",
            "rows = comparison.study.rows(mark for one in tried for mark in comparison.study.trial(one))",
        ]
    wanted = f"{question.goal!r}, {question.trusted!r}"
    return "\n".join(
        [
            "from dataclasses import replace",
            *(own.imports(config) or [""]),
            "from privdemo.experiments import comparison",
            "from privdemo.experiments.comparison import ComparisonConfig",
            "",
            *own.code(config),
            *rows,
            f'print(comparison.study.seek(comparison.study.select(rows, config, "{question.metric}"), {wanted}))',
        ]
    )


# --- all numbers ---------------------------------------------------------------------------------


def all_numbers(shown: Shown) -> None:
    """Every method's marks at the visitor's ε in a table that sorts, and whom each trusts."""
    question = shown.question
    metrics = METRICS[question.config.task]
    marks = {(row.method, row.metric): row.estimate for row in shown.mine}
    rows = []
    for name in COMPARISON:
        if (name, question.metric) in marks:
            row: dict[str, object] = {"method": COMPARISON[name].title, "trusts": COMPARISON[name].trust}
            for metric in metrics:
                scale, unit = (
                    (100, " (%)" if metric == "accuracy" else " (points)") if metric in IN_PERCENT else (1, "")
                )
                row[f"{WORDS[metric]}{unit}"] = round(scale * marks[name, metric].mean, 3)
                half = scale * longer_side(marks[name, metric])
                row[f"± {WORDS[metric]}"] = round(half, 3) if math.isfinite(half) else None
            rows.append(row)
    config = question.config
    answer = f"At your setting, {privacy(config)}. {people(config)}. Each method says whom it trusts:"
    trust = "; ".join(f"{who}: {why[:1].lower()}{why[1:].rstrip('.')}" for who, why in TRUST.items())
    layout.section("How do the methods compare?", f"{answer} {trust}.")
    if not rows:
        st.markdown(no_marks(shown))
        return
    st.dataframe(
        rows,
        hide_index=True,
        width="stretch",
        key="compare-table",
        column_config={
            name: st.column_config.NumberColumn(format="%.1f" if "(" in name or name[2:] in IN_PERCENT else "%.3f")
            for name in rows[0]
            if name not in ("method", "trusts")
        },
    )
    layout.under_figure(
        "comparison-numbers",
        f"{shown.n_draws} draws; ± is half the 95 % interval of a mean. Click a head to sort.",
        lambda: rows,
        lambda: layout.grid_page(list(rows[0]), [[str(cell) for cell in row.values()] for row in rows]),
        code(question),
    )


# --- one likelihood ------------------------------------------------------------------------------


# Of each kind of name: who has it, what our estimator is there, beside which other, and by what they are judged.
_SAME = (
    ("lies", "what each person says", CLASSIFY, "log_loss", SPREAD, NAIVE),
    ("bag names", "the bag that a record is in", CLASSIFY, "accuracy", BAG_NAMES, LLP),
    ("set names", "the set that a record is in", SHARE, "error", set_names("gaussian"), mmd("gaussian")),
)


def one_likelihood(shown: Shown) -> None:
    """Label flips, bag names and set names are the same channel; what that buys, in numbers."""
    config = shown.question.config
    layout.section(
        "One likelihood, three papers",
        "What a person says, the name of the bag and the name of the set that a record is in are all answers that "
        "depend on its class through a matrix T[answer | class]. So one estimator learns from all three: it makes "
        "Σ log Σ T[answer | class] p(class | x) as large as can be.",
    )
    _what_it_buys(shown)
    matrices = comparison.example_channels(config)
    classes = binary_task(config.dataset).classes
    answers = {"lies": [f"“{name}”" for name in classes], "set names": ["set 1", "set 2"]}
    sizes = "; ".join(f"{name}, {len(matrix)} answers" for name, matrix in matrices.items())
    layout.figure(
        "channels",
        charts.channels(matrices, classes, answers),
        f"T of your setting, first draw: {sizes}. The more its two columns differ, the more an answer says of the "
        f"class. Bags filled at random hardly do.",
        lambda: [
            {"channel": name, "answer": i, **dict(zip(classes, row, strict=True))}
            for name, matrix in matrices.items()
            for i, row in enumerate(matrix)
        ],
        "\n".join(
            [
                *own.imports(config),
                "from privdemo.experiments import comparison",
                "from privdemo.experiments.comparison import ComparisonConfig",
                "",
                *own.code(config),
                "print(comparison.example_channels(config))",
            ]
        ),
    )
    with st.container(horizontal=True):
        st.page_link("pages/training.py", label="Lies: training on noise →")
        st.page_link("pages/proportions.py", label="Bags: only totals →")
        st.page_link("pages/class_ratio.py", label="Sets: share of a group →")


def _what_it_buys(shown: Shown) -> None:
    """The one estimator beside the one made for each kind of name: by the visitor's draws, else by shipped ones."""
    question = shown.question
    config = question.config
    epsilon = min(comparison.study.EPSILONS, key=lambda shipped: abs(math.log(shipped / config.epsilon)))
    shipped = [
        row
        for row in cached.comparison_rows()
        if (row.dataset, row.private, row.epsilon) == (config.dataset, config.private, epsilon)
    ]
    sources = [{(row.task, row.method, row.metric): row for row in rows} for rows in (shown.mine, shipped)]
    heads = ["the answer", "judged by", "spread likelihood", "made for it", "difference, draw by draw", "draws"]
    body = []
    for name, what, task, metric, ours, other in _SAME:
        pair = {(task, ours, metric), (task, other, metric)}
        at = next((at for at in sources if pair <= at.keys()), None)  # both of one source
        if at:
            mine, theirs = at[task, ours, metric], at[task, other, metric]
            cells = [
                f"{name}: {what}",
                WORDS[metric] + (" of a share" if metric == "error" else ""),
                marked(metric, mine.estimate),
                f"{marked(metric, theirs.estimate)} ({COMPARISON[other].title})",
                changed(mine, theirs),
                "of your setting"
                if at is sources[0]
                else f"shipped, {mine.n_train:,} people of each class, ε = {epsilon:g}",
            ]
            body.append(cells)
    if not body:
        pairs = "; ".join(f"“{COMPARISON[ours].title}” and “{COMPARISON[other].title}”" for *_, ours, other in _SAME)
        st.markdown(
            f"No numbers are shipped for these records: {pairs} are compared here once both of a pair are chosen under "
            "“More settings” and have a mark."
        )
        return
    layout.grid(heads, body, labelled=True)
    clear = {verdict: sum(row[4].endswith(verdict) for row in body) for verdict in ("better", "worse", "not clear")}
    left = "" if len(body) == len(_SAME) else " The other task, or another method under “More settings”, has the rest."
    layout.under_figure(
        "what-it-buys",
        f"Of the {len(body)}, the one likelihood is clearly better in {clear['better']}, clearly worse in "
        f"{clear['worse']}; in {clear['not clear']} it is not clear. “Better” and “worse”: the 95 % interval of the "
        f"difference on the same draws leaves out 0. Your setting: {people(config)}.{left}",
        lambda: [dict(zip(heads, cells, strict=True)) for cells in body],
        lambda: layout.grid_page(heads, body),
        _buys_code(question, epsilon),
    )


def _buys_code(question: Question, epsilon: float) -> str:
    """The lines that compute the differences, of the visitor's own draws where there are such, else of the shipped."""
    config = question.config
    wanted = f"(config.dataset, config.private, {epsilon!r})"
    return "\n".join(
        [
            *own.imports(config),
            "from privdemo.experiments import comparison",
            "from privdemo.experiments.comparison import ComparisonConfig",
            "from privdemo.experiments.draws import at_draw",
            "",
            *own.code(config),
            "shipped = comparison.study.load()",
            f"shipped = [row for row in shipped if (row.dataset, row.private, row.epsilon) == {wanted}]",
            f"draws = [comparison.run(at_draw(config, i)) for i in range({question.n_draws})]",
            "mine = comparison.study.rows(mark for draw in draws for mark in comparison.study.trial_marks(draw))",
            "sources = [{(row.task, row.method, row.metric): row for row in rows} for rows in (mine, shipped)]",
            "for task, metric, ours, other in (",
            *(f"    {(task, metric, ours, other)!r}," for _, _, task, metric, ours, other in _SAME),
            "):",
            "    pair = (task, ours, metric), (task, other, metric)",
            "    at = next((at for at in sources if at.keys() >= set(pair)), None)",
            "    if at:",
            "        print(ours, comparison.study.difference(*(at[one] for one in pair)))",
        ]
    )


def changed(now: Row, then: Row) -> str:
    """The difference of two rows in words, and whether it is better, worse or not clear."""
    gap = comparison.study.difference(now, then)
    if gap is None:
        return "too few draws of both"
    if gap.low == gap.mean == gap.high == 0:
        return "the same"
    unit, scale = (" points", 100) if now.metric in IN_PERCENT else ("", 1)
    digits = _digits(scale * gap.mean, 1 if unit else 3)
    amount = f"{scale * gap.mean:+.{digits}f} ± {scale * (gap.high - gap.mean):.{digits}f}{unit}".replace("-", "−")
    better = (gap.mean > 0) == METRICS[now.task][now.metric]
    verdict = ("better" if better else "worse") if gap.excludes_zero else "not clear"
    return f"{amount}, {verdict}"


def _digits(value: float, least: int) -> int:
    """So many decimals that `value`, unless it is next to none, does not read as 0."""
    return next((digits for digits in range(least, 6) if round(value, digits)), least)


# --- against a pin -------------------------------------------------------------------------------


def against_the_pin(shown: Shown) -> None:
    """The visitor's setting beside the pinned one, in words."""
    question = shown.question
    if question.pinned is None:
        layout.section("What has changed?", "Nothing is pinned: “Pin this setting” above keeps one to compare with.")
        return
    if question.pinned.task != question.config.task:
        layout.section(
            "What has changed?", "The pinned setting is of the other task, so its marks mean something else. Pin anew."
        )
        return
    metric = question.metric
    now, then = ({row.method: row for row in of_metric(rows, metric)} for rows in (shown.mine, shown.pinned))
    both = [name for name in COMPARISON if name in now and name in then]
    if not both:
        layout.section(
            "What has changed?",
            "None of the methods that are shown says anything of the pinned setting; show others, or pin anew."
            if not question.shared
            else "The draws of both settings are being made."
            if live.running(shown.work)
            else "No method has marks of both settings.",
        )
        return
    heads = ["method", "now", "pinned", "difference, draw by draw"]
    body = [
        [
            COMPARISON[name].title,
            marked(metric, now[name].estimate),
            marked(metric, then[name].estimate),
            changed(now[name], then[name]),
        ]
        for name in both
    ]
    clear = [row for row in body if row[3].endswith(("better", "worse"))]
    layout.section(
        "What has changed?",
        f"{_what_differs(question.config, question.pinned)} Of {len(body)} {'method' if len(body) == 1 else 'methods'} "
        f"<b>{len(clear)}</b> {'differs' if len(clear) == 1 else 'differ'} clearly"
        + (f": {'; '.join(f'{row[0]} {row[3]}' for row in clear)}." if clear else "."),
    )
    layout.grid(heads, body, labelled=True)
    layout.under_figure(
        "pinned",
        f"By {WORDS[metric]}. “Better” and “worse”: the 95 % interval of the difference, the first draw of one less "
        f"the first of the other and so on, leaves out 0.{_same_people(question.config, question.pinned)}",
        lambda: [dict(zip(heads, cells, strict=True)) for cells in body],
        lambda: layout.grid_page(heads, body),
        _pin_code(question, question.pinned),
    )


def _same_people(now: ComparisonConfig, then: ComparisonConfig) -> str:
    same = (now.dataset, now.n_train, now.seed) == (then.dataset, then.n_train, then.seed)
    return " Both are of the same people, whose luck cancels." if same else " The people of the two are not the same."


def _pin_code(question: Question, pinned: ComparisonConfig) -> str:
    """The lines that draw both settings and their differences."""
    return "\n".join(
        [
            *(own.imports(question.config) or own.imports(pinned)),
            "from privdemo.experiments import comparison",
            "from privdemo.experiments.comparison import ComparisonConfig",
            "from privdemo.experiments.draws import at_draw",
            "",
            *own.code(pinned),
            "then = config",
            *own.code(question.config),
            "",
            "def rows(config):",
            f"    draws = [comparison.run(at_draw(config, i)) for i in range({question.n_draws})]",
            "    found = comparison.study.rows(m for draw in draws for m in comparison.study.trial_marks(draw))",
            f'    return {{row.method: row for row in found if row.metric == "{question.metric}"}}',
            "",
            "now, then = rows(config), rows(then)",
            "for method in now.keys() & then.keys():",
            "    print(method, comparison.study.difference(now[method], then[method]))",
        ]
    )


def _what_differs(now: ComparisonConfig, then: ComparisonConfig) -> str:
    """What of two settings is not the same, in words."""
    parts = [f"{name} {here} (pinned {there})" for name, here, there in differing(now, then)]
    return f"What differs: {'; '.join(parts)}." if parts else "Nothing differs: this is the pinned setting."
