"""The panel of the cost of privacy: accuracy at one ε, by who is trusted with the data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pages.kit import cache, numbers
from pages.kit.panel import Chart, Panel
from pages.kit.snippet import Snippet
from privdemo import figures
from privdemo.experiments.comparison import ComparisonConfig, study
from privdemo.experiments.comparison.study import Row
from privdemo.methods import COMPARISON, CURVES_FIRST, LEADER, NOBODY, TRUTH
from privdemo.tasks import binary_task

# The ε of a label at which the methods are compared.
EPSILON = 1.0
_TITLES = {
    TRUTH: "everybody sees them (no privacy):",
    NOBODY: "nobody sees them: chance changes<br>some before they are sent:",
    LEADER: "a group leader sees them,<br>and sends noisy totals:",
}
_WORDS = {
    NOBODY: "if nobody is trusted, and each person reports a wrong digit {lie} of the time (“{method}”)",
    LEADER: "if leaders of groups are trusted, and only noisy totals of {bag} people each are released (“{method}”)",
    TRUTH: "if every true label is known",
}

comparison_rows = cache.shared(study.load)


def best_by_trust(dataset: str) -> Mapping[str, Row]:
    """Return the shipped accuracy of the best of the comparison’s default methods, for each kind of trust."""
    rows = study.select(comparison_rows(), _config(dataset), "accuracy")
    return study.best_by_trust([row for row in rows if row.epsilon == EPSILON and row.method in CURVES_FIRST])


def _config(dataset: str) -> ComparisonConfig:
    """Return the comparison on a data set at `EPSILON`."""
    return ComparisonConfig(dataset=dataset, epsilon=EPSILON)


def cost(dataset: str) -> Panel:
    """Return the panel of the accuracy of the best method for each kind of trust."""
    best = best_by_trust(dataset)
    estimates = {title: (COMPARISON[best[trust].method], best[trust].estimate) for trust, title in _TITLES.items()}
    return Panel(
        "cost",
        "How well does a computer learn from labels that may be wrong?",
        _sentence(dataset),
        Chart(
            figures.by_trust(estimates, "new images named right, of 100 (by guessing: 50)<br>Whiskers: 95 % intervals")
        ),
        summary=_words(dataset),
        rows=lambda: [_columns(best[trust]) for trust in _TITLES],
        snippet=_snippet(dataset),
    )


def _sentence(dataset: str) -> str:
    """Say what is learnt from what, and that the methods differ in who sees the truth."""
    first, second = binary_task(dataset).classes
    return (
        f"People send images and say what each shows (its label), “{first}” or “{second}”. How well a computer learns "
        "to tell them apart depends on whether somebody may see the true labels."
    )


def _words(dataset: str) -> str:
    """Describe the figure, with what each method sees."""
    config, best = _config(dataset), best_by_trust(dataset)
    first, second = binary_task(dataset).classes
    lie = numbers.share(config.flips.flip_prob, 0)
    parts = [
        f"{numbers.with_range(best[trust].estimate)} "
        + words.format(method=COMPARISON[best[trust].method].title, lie=lie, bag=config.bag_size)
        for trust, words in _WORDS.items()
    ]
    return (
        f"The same {2 * best[TRUTH].n_train:,} people, ε = {EPSILON:g}: how many images of a {first} or a {second} "
        f"does the best method classify correctly? {'; '.join(parts)}. Means over {best[TRUTH].n_trials} trials, with "
        "95 % intervals."
    )


def _columns(row: Row) -> dict[str, Any]:
    """Return a method’s accuracy as a row of the file."""
    accuracy_columns = {"epsilon": row.epsilon, "accuracy": row.mean, "low": row.low, "high": row.high}
    return {"trust": row.trust} | COMPARISON[row.method].columns | accuracy_columns | {"draws": row.n_trials}


def _snippet(dataset: str) -> Snippet:
    """Return the code that selects these results."""
    return Snippet(
        (
            "from privdemo.experiments.comparison import ComparisonConfig, study",
            "from privdemo.methods import CURVES_FIRST",
        ),
        (
            f'rows = study.select(study.load(), ComparisonConfig(dataset="{dataset}"), "accuracy")',
            f"best = study.best_by_trust([r for r in rows if r.epsilon == {EPSILON} and r.method in CURVES_FIRST])",
        ),
    )
