"""What is asked, whom people trust, how many they are and how exact the result must be."""

from __future__ import annotations

from dataclasses import dataclass

from privdemo import limits
from privdemo.accounting import default_delta
from privdemo.datasets import DATASETS
from privdemo.experiments.comparison import study
from privdemo.methods import CURATOR, LEADER, NOBODY, SHUFFLER

YES_NO, ONE_OF_K, COUNTS, CLASSIFIER = "yes-no", "one-of-k", "counts", "classifier"

# Who may be trusted, from nobody to a curator, by the words of links and of the command line.
TRUSTED = {"nobody": NOBODY, "shuffler": SHUFFLER, "leader": LEADER, "curator": CURATOR}

# Whom people can trust, from nobody to whoever sees everything, for each kind of question; and why with no other.
TRUSTS: dict[str, tuple[str, ...]] = {
    YES_NO: tuple(TRUSTED),
    ONE_OF_K: tuple(TRUSTED),
    COUNTS: ("leader", "curator"),
    CLASSIFIER: ("nobody", "leader", "curator"),
}
_WHY_NOT = {
    COUNTS: "whoever holds the table has seen everybody's answer; ask “one-of-k” where people send theirs themselves",
    CLASSIFIER: "records cannot be mixed apart from their labels, so that a shuffler is for answers alone",
}
# The data sets whose trials come with the package.
SHIPPED = tuple(name for name in DATASETS if any(context.dataset == name for context in study.CONTEXTS))


@dataclass(frozen=True)
class Question:
    """A question to people, and what the result must be.

    Without `people` the advice is how many it takes, without `within` how exact the result can be; for a classifier
    both may be None, as its trials have their people. Raises ``ValueError`` for what cannot be asked.

    Args:
        ask: "yes-no", "one-of-k" (shares of k answers in a population of which people are a random sample), "counts"
            (of a table that somebody holds, about the people in it alone) or "classifier" (trained on private labels).
        trust: Whom people trust, a word of `TRUSTED`.
        people: How many people there are.
        within: Half the width of the 95 % interval of a share, or of a count as a share of all people; for a classifier
            the share of right answers that may be lost. 0.02 is ± 2 points.
        answers: How many answers there are.
        epsilon: The largest ε of one person that is allowed.
        delta: The δ of a shuffler, of a curator and of a leader; None: `default_delta` of the people who are asked.
            Without trust it is 0, and for a classifier it is that of the shipped trials.
        groups: How many groups there are, if their leaders are trusted.
        largest_share: The largest true share that any of the answers can have; the half-width holds for all up to it.
        dataset: The records that those of a classifier are like, one of `SHIPPED`.
    """

    ask: str
    trust: str
    people: int | None = None
    within: float | None = None
    answers: int = 2
    epsilon: float = 1.0
    delta: float | None = None
    groups: int | None = None
    largest_share: float = 1.0
    dataset: str = "mnist"

    def __post_init__(self) -> None:
        for name, value, known in (
            ("ask", self.ask, tuple(TRUSTS)),
            ("trust", self.trust, tuple(TRUSTED)),
            ("dataset", self.dataset, SHIPPED),
        ):
            if value not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, got {value!r}")
        if self.trust not in self.trusts:
            raise ValueError(
                f"trust must be one of {', '.join(self.trusts)} where {self.ask} is asked, got {self.trust!r}: "
                f"{_WHY_NOT[self.ask]}"
            )
        for limit, number in (
            (limits.ORACLE_PEOPLE, self.people),
            (limits.WITHIN, self.within),
            (limits.ADVISED_ANSWERS, self.answers),
            (limits.ORACLE_EPSILON, self.epsilon),
            (limits.RELEASE_DELTA, self.delta),
        ):
            if number is not None:
                limit.check(number)
        if self.people is None and self.within is None and self.ask != CLASSIFIER:
            raise ValueError("people and within are both missing; say how many people there are, or how exact to be")
        if self.answers != 2 and self.ask in (YES_NO, CLASSIFIER):
            raise ValueError(
                f"answers must be 2 where {self.ask} is asked, got {self.answers}; ask “one-of-k” for more"
            )
        limits.Limit("largest_share", 1 / self.answers, 1.0, "some answer has as many as all have on average").check(
            self.largest_share
        )
        self._check_groups()

    @property
    def trusts(self) -> tuple[str, ...]:
        """Whom people can trust where this is asked, from the least trust to the most."""
        return TRUSTS[self.ask]

    def release_delta(self, people: int) -> float:
        """Return δ if so many people are asked."""
        return default_delta(people) if self.delta is None else self.delta

    @property
    def widest_share(self) -> float:
        """The share of true answers whose interval is widest: ½, or the nearest that an answer can have."""
        return min(0.5, self.largest_share)

    def _check_groups(self) -> None:
        if self.groups is not None:
            most = (self.people or limits.ORACLE_PEOPLE.high) // 2
            limits.Limit("groups", 1, most, "a group of one person hides nothing", integer=True).check(self.groups)
        elif self.trust == "leader" and self.ask != CLASSIFIER:
            raise ValueError("groups is missing; say how many groups there are, each with a leader who counts it")
