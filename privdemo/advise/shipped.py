"""Plans for a classifier: from the shipped trials of the comparison, as no closed form says how well one learns."""

from __future__ import annotations

from functools import lru_cache

from privdemo import limits
from privdemo.advise.plan import Plan
from privdemo.advise.question import CLASSIFIER, TRUSTED, TRUSTS, Question
from privdemo.datasets import name_of
from privdemo.experiments.comparison import CLASSIFY, LABELS, ComparisonConfig, needs_delta, study
from privdemo.intervals import Estimate
from privdemo.methods import CLEAN, COMPARISON, LEADER, NOBODY

# The comparison's settings with private labels, by the data set.
_CONTEXTS: dict[str, ComparisonConfig] = {
    name_of(context.dataset): context
    for context in study.CONTEXTS
    if (context.task, context.private) == (CLASSIFY, LABELS)
}


@lru_cache(1)
def _accuracies() -> dict[str, list[study.Row]]:
    """Return the accuracies of all methods, with private labels, by the data set."""
    rows = study.load()
    return {dataset: study.select(rows, context, "accuracy") for dataset, context in _CONTEXTS.items()}


def clean_accuracy(dataset: str) -> Estimate:
    """Return the accuracy of a classifier with every label true."""
    return next(row for row in _accuracies()[dataset] if row.method == CLEAN).estimate


def lost_by_trial(dataset: str, method: str, epsilon: float) -> tuple[float, ...]:
    """Return by how much the accuracy of a method is below that with every label true, trial by trial."""
    here = {row.method: row.values for row in _accuracies()[dataset] if row.epsilon == epsilon}
    return tuple(here[CLEAN][trial] - accuracy for trial, accuracy in here[method].items())


def people_of(dataset: str) -> int:
    """Return how many people learned in the trials, of both classes together."""
    return 2 * _accuracies()[dataset][0].n_train


def classifier_plan(question: Question) -> Plan:
    """Return the plan for a classifier: a method that needs no more trust, at one of the ε of the trials.

    Whether it reaches the goal is judged by the mean of ten trials; a method must reach it at every larger ε too. The
    trials have one number of people: fewer than those are not advised on, and more are not taken to do better. Raises
    ``ValueError`` for a largest ε below all of them.
    """
    rows, clean = _accuracies()[question.dataset], clean_accuracy(question.dataset).mean
    least = min(study.EPSILONS)
    limits.Limit("epsilon", least, limits.ORACLE_EPSILON.high, "less was not tried").check(question.epsilon)
    trusts = TRUSTS[CLASSIFIER]
    trusted = [TRUSTED[word] for word in trusts[: trusts.index(question.trust) + 1]]
    sought = None if question.within is None else study.seek(rows, clean - question.within, trusted)
    reaches = question.within is None or (sought is not None and sought.epsilon <= question.epsilon)
    if sought and reaches:
        epsilon, method, accuracy = sought.epsilon, sought.method, sought.estimate
    else:
        allowed = (row for row in rows if row.epsilon <= question.epsilon and COMPARISON[row.method].trust in trusted)
        best = max(allowed, key=lambda row: row.mean)
        epsilon, method, accuracy = best.epsilon, best.method, best.estimate
    tried = people_of(question.dataset)
    return Plan(
        trust=question.trust,
        mechanism=method,
        parameters=_parameters(method, epsilon),
        epsilon=epsilon,
        delta=_CONTEXTS[question.dataset].release_delta if needs_delta(method) else 0.0,
        people=tried,
        half_width=clean - accuracy.mean,
        share=None,
        reached=reaches and (question.people is None or question.people >= tried),
        people_needed=tried if reaches else None,
        epsilon_needed=sought.epsilon if sought else None,
        accuracy=accuracy,
    )


def _parameters(method: str, epsilon: float) -> dict[str, float]:
    """Return what a method is given in the trials at this ε."""
    config = ComparisonConfig(epsilon=epsilon)
    by_trust = {NOBODY: {"flip_prob": config.flips.flip_prob}, LEADER: {"bag_size": float(config.bag_size)}}
    return by_trust.get(COMPARISON[method].trust, {})
