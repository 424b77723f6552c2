"""Accuracy of a curator's classifier by where its noise is added: docs/curator.md. Then what each rule's fit takes.

    python -m tests.benchmarks.bench_curator            writes the tables, some minutes
    python -m tests.benchmarks.bench_curator times      the times alone, seconds

Ten trials of the comparison's people (the same for every rule, ε and δ), noise of the curator's own stream.
"""

import itertools
import re
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from privdemo.estimators.curator import CuratorLogisticRegression, best_rule
from privdemo.experiments import comparison
from privdemo.experiments.comparison.config import ComparisonConfig
from privdemo.experiments.comparison.release import CURATOR_STREAM
from privdemo.experiments.trials import generator
from privdemo.intervals import mean_interval
from tests.benchmarks.timing import alternate, beside, table

FILE = Path(__file__).resolve().parents[2] / "docs" / "curator.md"
DATASETS = {"mnist": "7 against 9", "adult": "Adult"}
EPSILONS, DELTAS, TRIALS = (0.25, 1.0, 4.0), {1e-6: "10⁻⁶", 0.0: "0"}, 10
# On these people rules were compared before the tables were made, with so many draws of noise for each.
OTHER_TRIALS, DRAWS = range(100, 120), 6
RULES = {"output": "output", "objective": "objective", "gradient": "gradient", "best": "best"}


def people_of(dataset, trial):
    """The records of a trial on the scale 0 to 1, their classes, and those of the test."""
    people = comparison.sample_people(ComparisonConfig(dataset=dataset, methods=("curator",), trial=trial))
    return people.config, people.unit(people.clean), people.y, people.unit(people.X_test), people.y_test


def accuracy(people, rule, epsilon, delta, draw=0):
    """The share of test records that the published classifier gets right."""
    config, X, y, X_test, y_test = people
    rng = generator(replace(config, epsilon=epsilon), CURATOR_STREAM, draw)
    model = CuratorLogisticRegression(epsilon, delta, rule=rule, random_state=rng).fit(X, y)
    return float(model.score(X_test, y_test))


def accuracies():
    """Accuracies (trials,) in points by data set, δ, ε and rule."""
    found = {}
    for dataset in DATASETS:
        trials = [people_of(dataset, trial) for trial in range(TRIALS)]
        for delta, epsilon, rule in itertools.product(DELTAS, EPSILONS, RULES):
            marks = [100 * accuracy(people, rule, epsilon, delta) for people in trials]
            found[dataset, delta, epsilon, rule] = np.array(marks)
    return found


def choice():
    """By how many points noisy gradients are ahead of noise on the objective, on other people and in more draws."""
    rows = []
    for dataset, title in DATASETS.items():
        trials = [people_of(dataset, trial) for trial in OTHER_TRIALS]
        for epsilon in EPSILONS:
            objective, gradient = (
                np.array(
                    [
                        np.mean([100 * accuracy(people, rule, epsilon, 1e-6, draw) for draw in range(DRAWS)])
                        for people in trials
                    ]
                )
                for rule in ("objective", "gradient")
            )
            rows.append(_row([title, f"{epsilon:g}", _half(objective), _half(gradient), _gap(gradient - objective)]))
    head = [_row(["", "ε", "objective", "gradient", "gradient ahead by"]), "|" + 5 * "---|"]
    return "\n".join(head + rows)


def _row(cells):
    return f"| {' | '.join(cells)} |"


def _half(marks):
    estimate = mean_interval(marks)
    return f"{estimate.mean:.1f} ± {estimate.half:.1f}"


def _gap(marks):
    estimate = mean_interval(marks)
    return f"{estimate.mean:+.1f} ± {estimate.half:.1f}".replace("-", "−")


def markdown(found):
    """The tables: accuracies, and by how much each rule is ahead of output perturbation, trial by trial."""
    settings = list(itertools.product(DATASETS, DELTAS))
    head = [_row(["", "δ", "ε", *RULES.values()]), "|" + (3 + len(RULES)) * "---|"]
    rows, gaps = [], []
    for (dataset, delta), epsilon in itertools.product(settings, EPSILONS):
        at = {rule: found[dataset, delta, epsilon, rule] for rule in RULES}
        start = [DATASETS[dataset], DELTAS[delta], f"{epsilon:g}"]
        rows.append(_row([*start, *map(_half, at.values())]))
        gaps.append(_row([*start, *(_gap(at[rule] - at["output"]) for rule in RULES if rule != "output")]))
    gap_head = [_row(["", "δ", "ε", *list(RULES.values())[1:]]), "|" + (2 + len(RULES)) * "---|"]
    return {"accuracy": "\n".join(head + rows), "gaps": "\n".join(gap_head + gaps)}


def times():
    """What a fit of 500 digits takes by each rule."""
    _, X, y, *_ = people_of("mnist", 0)
    fits = {
        rule: partial(CuratorLogisticRegression(1.0, 1e-6, rule=rule, random_state=0).fit, X, y)
        for rule in RULES
        if rule != "best"
    }
    dimensions = best_rule(*np.add(X.shape, (0, 1)), 1.0, 0.0)[1]
    fits[f"best, δ = 0 ({dimensions} dimensions)"] = partial(
        CuratorLogisticRegression(1.0, 0.0, rule="best", random_state=0).fit, X, y
    )
    table(
        "A fit of 500 digits at ε = 1",
        ["", "time", "of output perturbation's"],
        beside(alternate(fits, 5), "output", 3),
    )


if __name__ == "__main__":
    with threadpool_limits(1):
        times()
        if sys.argv[1:] != ["times"]:
            text = FILE.read_text(encoding="utf-8")
            for name, content in (markdown(accuracies()) | {"choice": choice()}).items():
                marked = re.compile(rf"(<!-- table: {name} -->\n\n).*?(<!-- end -->)", re.DOTALL)
                text = marked.sub(lambda match, content=content: f"{match[1]}{content}\n\n{match[2]}", text)
            FILE.write_text(text, encoding="utf-8")
