"""What privacy costs, in four numbers: how often records are named right at one ε, by whom one trusts."""

from __future__ import annotations

import math
from collections.abc import Mapping

from pages.kit import cache, numbers
from pages.kit.panel import Cards, Panel
from privdemo.experiments.comparison import ComparisonConfig, study
from privdemo.experiments.comparison.study import Row
from privdemo.methods import COMPARISON, NOBODY, OWNER, PUBLISHER, SHOWN_FIRST, TRUTH
from privdemo.tasks import binary_task

# The ε of a label at which the four numbers are given.
EPSILON = 1.0
_TITLES = {
    NOBODY: "Nobody is trusted",
    OWNER: "A bag’s owner is trusted",
    PUBLISHER: "A publisher of sets is trusted",
    TRUTH: "No privacy",
}
_WORDS = {
    NOBODY: "Each person lies about the label with probability {lie}. Best: {method}.",
    OWNER: "Only noisy totals of bags, groups of {bag} filled at random, are released. Best: {method}.",
    PUBLISHER: "Counts of two large sets; ε covers these alone: a set’s name may tell a label like a lie with ε "
    "= {name}. Best: {method}.",
    TRUTH: "Every true label is known.",
}

comparison_rows = cache.shared(study.load)


def best_by_trust(dataset: str) -> Mapping[str, Row]:
    """The shipped accuracy of the best method shown at first, for each kind of trust."""
    rows = study.select(comparison_rows(), _config(dataset), "accuracy")
    return study.best_by_trust([row for row in rows if row.epsilon == EPSILON and row.method in SHOWN_FIRST])


def _config(dataset: str) -> ComparisonConfig:
    return ComparisonConfig(dataset=dataset, epsilon=EPSILON)


def _words(dataset: str) -> str:
    """Say on which records and people the four numbers were measured."""
    first, second = binary_task(dataset).classes
    ceiling = best_by_trust(dataset)[TRUTH]
    return (
        f"<b>The same {2 * ceiling.n_train:,} people, ε = {EPSILON:g}</b> (what it covers changes the odds by a factor "
        f"of {math.exp(EPSILON):.1f} at most): how often are a {first} and a {second} told apart? It depends on whom "
        f"one trusts with the truth, and on what ε covers. Means over {ceiling.n_draws} draws, 95 % intervals:"
    )


def cost(dataset: str) -> Panel:
    """The four numbers, each with its interval, the best method and what it sees."""
    config, best = _config(dataset), best_by_trust(dataset)
    lie = numbers.probability(config.flips.flip_prob)
    name = numbers.epsilon(config.set_name_epsilon)
    cards = [
        (
            title,
            numbers.with_range(best[trust].estimate),
            _WORDS[trust].format(method=COMPARISON[best[trust].method].title, lie=lie, bag=config.bag_size, name=name),
        )
        for trust, title in _TITLES.items()
    ]
    return Panel(answer=_words(dataset), figure=Cards(cards))
