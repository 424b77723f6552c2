"""The ways to ask, by whom people trust: each searches the least ε, and the fewest people, that reach a goal.

*Nobody* is trusted: everybody reports through a frequency oracle with ε. *A shuffler* mixes such reports, made with a
larger ε₀. *A leader* counts the true answers of a group and adds noise, and the groups' counts are added up. *A
curator* does so with all people at once. Every half-width falls as ε, ε₀ or the number of people grows, so that every
search is a bisection over multiples of 1/1000 or whole numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache, partial
from typing import ClassVar, NamedTuple

from privdemo import limits
from privdemo.accounting import (
    gaussian_counts_sigma,
    laplace_counts_scale,
    laplace_scale,
    shuffled_delta,
    shuffled_poll_delta_among_ones,
    shuffled_response_delta,
)
from privdemo.advise.plan import MOST_STEP, STEPS, Plan, fewest, steps
from privdemo.advise.question import COUNTS, Question
from privdemo.estimators import survey
from privdemo.estimators.trusted_survey import noise_half_width, noisy_half_width
from privdemo.mechanisms.frequency_oracles import (
    ORACLES,
    FrequencyOracle,
    KaryResponse,
    OptimisedLocalHashing,
    SubsetSelection,
)
from privdemo.mechanisms.label_counts import CountError, GaussianCounts, LaplaceCounts, laplace_error

MOST_PEOPLE = int(limits.ORACLE_PEOPLE.high)
# A shuffler's ε is computed as if so many people at most hid each other: more only hide each other better.
MOST_HIDING = 100_000
LAPLACE_COUNT, LAPLACE_COUNTS, GAUSSIAN_COUNTS = "laplace count", "laplace counts", "gaussian counts"


class Setting(NamedTuple):
    """A mechanism with its parameters, its half-width for some number of people, and the share where it is widest."""

    mechanism: str
    parameters: Mapping[str, float]
    half_width: float
    share: float | None


class Way(ABC):
    """A way to ask a question under one kind of trust."""

    first_step: ClassVar[int]

    def __init__(self, question: Question) -> None:
        self.question = question

    def delta(self, people: int) -> float:
        """Return the δ of one person among so many."""
        return self.question.release_delta(people)

    @property
    def fewest_people(self) -> int:
        """The fewest people who can be asked at all."""
        return 1

    @abstractmethod
    def setting(self, people: int, epsilon: float) -> Setting:
        """Return the most exact setting with so many people and at most this ε."""

    def least(self, people: int, within: float) -> tuple[int, Setting] | None:
        """Return the least number of steps of ε with which the half-width is `within` or less, with its setting; None
        if no number up to that of ε = 10 is enough.
        """
        if self.setting(people, MOST_STEP / STEPS).half_width > within:
            return None
        step = fewest(lambda step: self.setting(people, step / STEPS).half_width <= within, self.first_step, MOST_STEP)
        return step, self.setting(people, step / STEPS)

    @abstractmethod
    def people_needed(self, epsilon: float, within: float) -> int | None:
        """Return the fewest people with whom the half-width is `within` or less at this ε; None if ten million are too
        few.
        """


class Local(Way):
    """Nobody is trusted: the frequency oracle whose interval at its worst share is the narrowest, of all or of
    `kinds`.
    """

    first_step = steps(limits.ORACLE_EPSILON.low)

    def __init__(self, question: Question, kinds: tuple[type[FrequencyOracle], ...] = tuple(ORACLES.values())) -> None:
        super().__init__(question)
        self.kinds = kinds

    def delta(self, people: int) -> float:
        """Return 0: every report is private by itself."""
        return 0.0

    def setting(self, people: int, epsilon: float) -> Setting:
        """See `Way`. The half-width is that of the score interval of how many reports support an answer, divided by
        p − q.
        """
        largest = self.question.largest_share
        widths = {
            oracle: survey.half_width(people, oracle.one_against_rest, oracle.worst_share(largest))
            for oracle in self._oracles(epsilon)
        }
        oracle = min(widths, key=lambda each: widths[each])
        name = next(name for name, kind in ORACLES.items() if type(oracle) is kind)
        return Setting(name, _parameters(oracle), widths[oracle], oracle.worst_share(largest))

    def people_needed(self, epsilon: float, within: float) -> int | None:
        """See `Way`."""
        largest = self.question.largest_share
        needed = min(
            survey.voters_needed(oracle.one_against_rest, within, oracle.worst_share(largest))
            for oracle in self._oracles(epsilon)
        )
        return int(needed) if needed <= MOST_PEOPLE else None

    def _oracles(self, epsilon: float) -> tuple[FrequencyOracle, ...]:
        return cached_oracles(self.question.answers, steps(epsilon), self.question.largest_share, self.kinds)


class Shuffled(Way):
    """A shuffler is trusted: reports with a larger ε₀, which the others' reports hide.

    This is any oracle but k-ary randomised response, with an upper bound of ε that holds for each.
    """

    first_step = 1

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self.local = Local(question, tuple(kind for kind in ORACLES.values() if kind is not KaryResponse))
        # Several searches come to the same δ.
        self._delta_of = self._least_delta_of = cache(shuffled_delta)

    def setting(self, people: int, epsilon: float) -> Setting:
        """See `Way`. `local_epsilon` is the ε₀ of every report."""
        step = self._last_private_step(lambda step: people, epsilon)
        return _with_local_epsilon(self.local.setting(people, step / STEPS), step)

    def least(self, people: int, within: float) -> tuple[int, Setting] | None:
        """See `Way`: the least ε₀ that reaches the goal, then the least ε that it has once shuffled."""
        found = self.local.least(people, within)
        if found is None:
            return None
        local, setting = found
        first = fewest(lambda step: self._may_be_private(local, people, step / STEPS), self.first_step, local)
        step = next(step for step in range(first, local + 1) if self._is_private(local, people, step / STEPS))
        return step, _with_local_epsilon(setting, local)

    def people_needed(self, epsilon: float, within: float) -> int | None:
        """See `Way`. A larger ε₀ needs fewer people for the goal, and more to hide each other.

        So the fewest have the largest ε₀ at which those who reach the goal hide each other, or the next, with which it
        takes more of them to hide each other than to reach it.
        """

        def reach(step: int) -> int:
            return self.local.people_needed(step / STEPS, within) or MOST_PEOPLE

        step = self._last_private_step(reach, epsilon)
        if step == MOST_STEP or self.local.people_needed(step / STEPS, within) is None:
            return self.local.people_needed(step / STEPS, within)
        return fewest(lambda people: self._is_private(step + 1, people, epsilon), reach(step + 1), reach(step))

    def _last_private_step(self, people_at: Callable[[int], int], epsilon: float) -> int:
        """Return the largest number of steps of ε₀ with which that many people hide each other: at least that of ε."""
        own = steps(epsilon)
        above = fewest(lambda step: not self._may_be_private(step, people_at(step), epsilon), own + 1, MOST_STEP + 1)
        return next(
            step
            for step in range(above - 1, own - 1, -1)
            if step == own or self._is_private(step, people_at(step), epsilon)
        )

    def _is_private(self, local_step: int, people: int, epsilon: float) -> bool:
        """Return whether shuffled reports with so many steps of ε₀ are (ε, δ)-private."""
        return self._keeps(self._delta_of, local_step, people, epsilon)

    def _may_be_private(self, local_step: int, people: int, epsilon: float) -> bool:
        """Return False where `_is_private` does, but for a few steps near the limit, in a tenth of the time."""
        return self._keeps(self._least_delta_of, local_step, people, epsilon)

    def _keeps(self, delta_of: Callable[..., float], local_step: int, people: int, epsilon: float) -> bool:
        """Return whether ε and δ are kept, by the δ that `delta_of` says.

        With δ = 0 a shuffler changes nothing: where all others send the same, a report alone decides what is seen.
        """
        delta = self.delta(people)
        if delta == 0:
            return local_step <= steps(epsilon)
        return delta_of(local_step / STEPS, min(people, MOST_HIDING), epsilon) <= delta


class ShuffledResponse(Shuffled):
    """A shuffler is trusted, of k-ary randomised response: with two answers the ε of the count is exact, with more a
    tighter upper bound than that of any oracle (`accounting.shuffling`).
    """

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self.local = Local(question, (KaryResponse,))
        self._delta_of = self._least_delta_of = cache(partial(shuffled_response_delta, n_states=question.answers))
        if question.answers == 2:
            self._least_delta_of = cache(shuffled_poll_delta_among_ones)


class Noisy(Way):
    """True answers are counted in each of `n_groups`, noise is added to every count, and the counts are added up.

    One count is enough for two answers, as the number of people is public. Of more every count has noise; whoever wants
    shares of 0 or more that sum to 1 can project them, which favours small counts.
    """

    first_step = steps(limits.RELEASE_EPSILON.low)

    n_groups = 1

    @property
    def fewest_people(self) -> int:
        """See `Way`."""
        return 2 * self.n_groups if self.n_groups > 1 else 1

    def setting(self, people: int, epsilon: float) -> Setting:
        """See `Way`: Laplace or Gaussian noise."""
        share = None if self.question.ask == COUNTS else self.question.widest_share
        settings = [
            Setting(name, parameters, self._half_width(people, error), share)
            for name, parameters, error in _noises(self.question.answers, epsilon, self.delta(people))
        ]
        return min(settings, key=lambda setting: setting.half_width)

    def people_needed(self, epsilon: float, within: float) -> int | None:
        """See `Way`."""

        def enough(people: int) -> bool:
            return self.setting(people, epsilon).half_width <= within

        return fewest(enough, self.fewest_people, MOST_PEOPLE) if enough(MOST_PEOPLE) else None

    def _half_width(self, people: int, error: CountError) -> float:
        """Return the half-width of a sum of counts, each with this error."""
        total = error.times(self.n_groups)
        if self.question.ask == COUNTS:
            return noise_half_width(total) / people
        return noisy_half_width(people, total, self.question.widest_share)


class Grouped(Noisy):
    """The leader of each group is trusted, and nobody else."""

    @property
    def n_groups(self) -> int:  # type: ignore[override]
        """How many groups there are."""
        return self.question.groups or 1


# The ways that are open to whoever trusts somebody: without a leader's noise everybody can still report alone.
WAYS: dict[str, tuple[type[Way], ...]] = {
    "nobody": (Local,),
    "shuffler": (ShuffledResponse, Shuffled),
    "leader": (Grouped, Local),
    "curator": (Noisy,),
}


def ways(question: Question) -> list[Way]:
    """Return the ways to ask a question; nobody in a table reports, and of two answers no oracle is as exact as
    randomised response.
    """
    left_out = {Local} if question.ask == COUNTS else {Shuffled} if question.answers == 2 else set()
    return [way(question) for way in WAYS[question.trust] if way not in left_out]


@lru_cache(4096)
def cached_oracles(
    k: int, n_steps: int, largest_share: float, kinds: tuple[type[FrequencyOracle], ...]
) -> tuple[FrequencyOracle, ...]:
    """Return the frequency oracles of these kinds with ε = `n_steps`/1000; of two answers randomised response alone."""
    used = (KaryResponse,) if k == 2 else kinds
    return tuple(kind.for_shares(k, n_steps / STEPS, largest_share) for kind in used)


def oracle_of(question: Question, plan: Plan) -> FrequencyOracle:
    """Return the frequency oracle of a plan for `question`."""
    epsilon = plan.parameters.get("local_epsilon", plan.epsilon)
    return ORACLES[plan.mechanism].for_shares(question.answers, epsilon, question.largest_share)


def _with_local_epsilon(setting: Setting, step: int) -> Setting:
    return setting._replace(parameters={**setting.parameters, "local_epsilon": step / STEPS})


def _parameters(oracle: FrequencyOracle) -> dict[str, float]:
    """Return what a report is made with: how often it supports the true answer, and how often another."""
    found: dict[str, float] = {"p": oracle.p, "q": oracle.q}
    if isinstance(oracle, KaryResponse):
        return found | {"flip_prob": oracle.response.flip_prob}
    if isinstance(oracle, SubsetSelection):
        return found | {"size": oracle.size}
    if isinstance(oracle, OptimisedLocalHashing):
        return found | {"n_hashes": oracle.n_hashes}
    return found


def _noises(k: int, epsilon: float, delta: float) -> Iterator[tuple[str, dict[str, float], CountError]]:
    """Yield the least noise of each kind that is (ε, δ)-private: its name, its parameter, and the error of a count."""
    if k == 2:
        scale = laplace_scale(epsilon, delta)
        yield LAPLACE_COUNT, {"scale": scale}, laplace_error(scale)
    else:
        scale = laplace_counts_scale(epsilon, delta)
        yield LAPLACE_COUNTS, {"scale": scale}, LaplaceCounts(scale).error
    if k > 2 and delta > 0:
        sigma = gaussian_counts_sigma(epsilon, delta)
        yield GAUSSIAN_COUNTS, {"sigma": sigma}, GaussianCounts(sigma).error
