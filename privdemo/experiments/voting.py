"""An election by randomised response: who voted for whom, who lied, and what three estimators make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privdemo import limits
from privdemo.estimators import frequencies, votes
from privdemo.intervals import Estimate, mean_interval, wilson_ends, wilson_interval
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from privdemo.simplex import project_simplex

Array = NDArray[np.floating]
Counts = NDArray[np.integer]
HONEST = "honest"
TRUTHFUL = BinaryChannel(0.0, 0.0)
ONE_IN_FIVE = BinaryChannel(0.2, 0.2)


@dataclass(frozen=True)
class ElectionConfig:
    """`n_elections` polls of `n_voters` people each, from a country where the share `share` voted for A.

    Who voted for B says A with `channel.p10`; who voted for A says B with `channel.p01`. The polls of
    one seed do not depend on how many more are drawn: the 7th is the same in a run of 10 and of 1,000.
    """

    n_voters: int = 1000
    share: float = 0.35
    channel: BinaryChannel = ONE_IN_FIVE
    n_elections: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        limits.N_VOTERS.check(self.n_voters)
        limits.SHARE.check(self.share)
        if not isinstance(self.channel, BinaryChannel):
            raise ValueError(f"channel must be a BinaryChannel, such as BinaryChannel(0.2, 0.2), got {self.channel!r}")
        limits.N_ELECTIONS.check(self.n_elections)
        limits.SEED.check(self.seed)

    @property
    def answer_prob(self) -> float:
        """How often a person drawn at random answers A: p10 + (1 − p10 − p01) θ."""
        p10, p01 = self.channel.p10, self.channel.p01
        return min(1.0, max(0.0, p10 + (1 - p10 - p01) * self.share))

    @property
    def estimators(self) -> tuple[str, ...]:
        """The estimators that have an answer: none of the spread family where answers carry no information."""
        return tuple(n for n in votes.ESTIMATORS if self.channel.contrast or not n.startswith("spread"))


@dataclass(frozen=True, eq=False)
class Elections:
    """Counts of every poll, each (n_elections,): true votes for A, and lies of the voters for A and for B."""

    voted_a: Counts
    lied_a: Counts
    lied_b: Counts

    @property
    def said_a(self) -> Counts:
        """All that the pollster sees: the number of answers A."""
        return self.voted_a - self.lied_a + self.lied_b


def run(config: ElectionConfig) -> Elections:
    """Hold the polls, drawing counts instead of people.

    Voters are independent, so the number of votes for A is binomial(N, θ), and the numbers of lies
    are binomial given it: the same distribution as asking one person after another.
    """
    votes_rng, a_rng, b_rng = (np.random.default_rng(s) for s in np.random.SeedSequence(config.seed).spawn(3))
    voted_a = votes_rng.binomial(config.n_voters, config.share, config.n_elections)
    lied_a = a_rng.binomial(voted_a, config.channel.p01)
    lied_b = b_rng.binomial(config.n_voters - voted_a, config.channel.p10)
    return Elections(voted_a, lied_a, lied_b)


# --- one poll ------------------------------------------------------------------------------------


class Poll(NamedTuple):
    """One poll: its four kinds of people, and every estimate, the honest one first."""

    voted_a: int
    lied_a: int
    lied_b: int
    said_a: int
    n_voters: int
    estimates: dict[str, votes.VoteEstimate]


def poll(config: ElectionConfig, elections: Elections, index: int = -1) -> Poll:
    """One of the polls with its estimates; the last one unless `index` says otherwise."""
    limits.Limit("index", -config.n_elections, config.n_elections - 1, integer=True).check(index)
    voted_a, lied_a, lied_b = (int(counts[index]) for counts in (elections.voted_a, elections.lied_a, elections.lied_b))
    said_a = voted_a - lied_a + lied_b
    estimates = {HONEST: votes.estimate("naive", voted_a, config.n_voters, TRUTHFUL)}
    for name in config.estimators:
        estimates[name] = votes.estimate(name, said_a, config.n_voters, config.channel)
    return Poll(voted_a, lied_a, lied_b, said_a, config.n_voters, estimates)


# Kinds of people in a dot field: their vote, and whether they lied.
A_TRUE, A_LIED, B_TRUE, B_LIED = range(4)
N_DOTS = 1000


def dots(config: ElectionConfig, shown: Poll) -> NDArray[np.uint8]:
    """The kind of each of at most `N_DOTS` people of a poll, in no order: A_TRUE, A_LIED, B_TRUE or B_LIED.

    Of a larger poll, people drawn at random without replacement. Every place keeps its luck when the
    settings change: only as many people change as the counts do.
    """
    cells = np.array([shown.voted_a - shown.lied_a, shown.lied_a, 0, shown.lied_b])
    cells[B_TRUE] = shown.n_voters - cells.sum()
    rng = np.random.default_rng([config.seed, config.n_elections])
    n_dots = min(N_DOTS, shown.n_voters)
    vote_luck, lie_luck = rng.permutation(n_dots), rng.permutation(n_dots)
    if n_dots < shown.n_voters:
        cells = rng.multivariate_hypergeometric(cells, n_dots)
    kinds = np.empty(n_dots, np.uint8)
    by_vote = np.argsort(vote_luck)
    n_a = cells[A_TRUE] + cells[A_LIED]
    for people, liar, truthful, n_liars in (
        (by_vote[:n_a], A_LIED, A_TRUE, cells[A_LIED]),
        (by_vote[n_a:], B_LIED, B_TRUE, cells[B_LIED]),
    ):
        ranked = people[np.argsort(lie_luck[people])]
        kinds[ranked[:n_liars]] = liar
        kinds[ranked[n_liars:]] = truthful
    return kinds


def first_voted_a(n_a: int, n_people: int) -> NDArray[np.uint8]:
    """Kinds of `n_people` honest people, the first `n_a` of whom voted A: an icon array."""
    limits.Limit("n_a", 0, n_people, integer=True).check(n_a)
    return np.where(np.arange(n_people) < n_a, A_TRUE, B_TRUE).astype(np.uint8)


# --- many polls ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Record:
    """What one estimator did over all polls.

    `values` (n_elections,); `bias` measured, with its 95 % interval, and `deviation` measured; `n_held` in how many
    polls the estimator's own 95 % interval held the true share, `covered` that as a share; `law` the exact
    distribution, which the others tend to.
    """

    name: str
    values: Array
    bias: Estimate
    deviation: float
    covered: Estimate
    n_held: int
    law: votes.Law


def records(config: ElectionConfig, elections: Elections) -> tuple[Record, ...]:
    """Every estimator over all polls; the first is what honest answers would have given."""
    honest = _record(config, HONEST, elections.voted_a, config.share, TRUTHFUL)
    rest = (_record(config, name, elections.said_a, config.answer_prob, config.channel) for name in config.estimators)
    return honest, *rest


def _record(config: ElectionConfig, name: str, counts: Counts, answer_prob: float, channel: BinaryChannel) -> Record:
    estimator = "naive" if name == HONEST else name
    distinct, where = np.unique(counts, return_inverse=True)
    shares = distinct / config.n_voters
    values = votes.ESTIMATORS[estimator](shares, channel)[where]
    low, high = votes.interval(estimator, shares, config.n_voters, channel)
    holds = (low <= config.share) & (config.share <= high)
    return Record(
        name,
        values,
        bias=mean_interval(values - config.share),
        deviation=float(values.std(ddof=1)) if len(values) > 1 else 0.0,
        covered=wilson_interval(int(holds[where].sum()), config.n_elections),
        n_held=int(holds[where].sum()),
        law=votes.law(estimator, answer_prob, config.n_voters, channel),
    )


# As far as a share is drawn; beyond, an estimate says only that it knows nothing.
FAR = (-0.5, 1.5)


def span(records: Sequence[Record], share: float) -> tuple[float, float]:
    """Where all estimates, all their values of probability above 10⁻⁶ and the true share lie, with some room.

    Within `FAR`: when nearly all answers are lies a raw spread estimate may be anywhere.
    """
    ends = [share]
    for record in records:
        likely = record.law.values[record.law.weights > 1e-6]
        ends += [record.values.min(), record.values.max(), likely.min(), likely.max()]
    room = max(0.02 * (max(ends) - min(ends)), 1e-4)
    return max(FAR[0], float(min(ends) - room)), min(FAR[1], float(max(ends) + room))


def beyond(records: Sequence[Record]) -> int:
    """How many estimates lie outside `FAR`, where none is drawn."""
    return sum(int(((record.values < FAR[0]) | (record.values > FAR[1])).sum()) for record in records)


class Histogram(NamedTuple):
    """`edges` (m+1,); the measured and the exact share of polls in each bin, both (m,)."""

    edges: Array
    measured: Array
    exact: Array


def histogram(record: Record, low: float, high: float, n_bins: int = 60) -> Histogram:
    """A record's estimates in about `n_bins` bins between `low` and `high`, beside their exact distribution.

    Estimates of a few voters lie on a lattice; a bin holds a whole number of its points, each in the middle of its
    share of the bin, so that no bin looks fuller than its neighbours for that reason alone.
    """
    width = (high - low) / n_bins
    steps = np.diff(record.law.values)
    step = float(np.abs(steps).max()) if len(steps) and np.allclose(steps, steps[0]) else 0.0
    start = low
    if step:
        width = step * max(1, round(width / step))
        start = record.law.values[0] - 0.5 * step
        start -= width * np.ceil((start - low) / width)
    edges = start + width * np.arange(np.ceil((high - start) / width) + 1)
    measured, _ = np.histogram(record.values, edges)
    exact, _ = np.histogram(record.law.values, edges, weights=record.law.weights)
    return Histogram(edges, measured / len(record.values), exact)


# --- figure 1 of the paper -------------------------------------------------------------------------

FLIP_PROBS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)


class LongRun(NamedTuple):
    """What each estimator tends to with ever more voters, for true shares `share` (n,) under one symmetric lie.

    `grid_maximum` is where J∞ is largest on a grid of 1 to 999 thousandths. It and `reconstruction` are nan where two
    ends are equally good, and `spread` is nan where the answers carry no information.
    """

    flip_prob: float
    share: Array
    naive: Array
    spread: Array
    reconstruction: Array
    grid_maximum: Array


def figure1(flip_probs: Sequence[float] = FLIP_PROBS, n_shares: int = 201) -> tuple[LongRun, ...]:
    """Barber's figure 1: the reconstruction θ against the true θ₀, from J∞, and beside it the other two estimators."""
    share = np.linspace(0, 1, n_shares)
    return tuple(long_run(p, share) for p in flip_probs)


def long_run(flip_prob: float, share: Array) -> LongRun:
    """The limits of the three estimators when N → ∞; `share` (n,) in [0, 1]."""
    limits.flip_prob_limit(2).check(flip_prob)
    channel = BinaryChannel(flip_prob, flip_prob)
    answers = flip_prob + (1 - 2 * flip_prob) * votes.naive(share, TRUTHFUL)
    spread = votes.corrected(answers, channel) if channel.contrast else np.full(answers.shape, np.nan)
    climbed = votes.reconstruction(answers, channel)
    climbed[votes.reconstruction_tied(answers, channel)] = np.nan
    return LongRun(flip_prob, share, answers, spread, climbed, _grid_maximum(answers, channel))


def _grid_maximum(answers: Array, channel: BinaryChannel) -> Array:
    """Where J∞ is largest on a grid that leaves the ends of [0, 1] out; nan where both of its ends are equally good."""
    theta = np.arange(1, 1000) / 1000
    objective = votes.reconstruction_objective(theta, answers[:, None], channel)
    found = theta[objective.argmax(axis=1)]
    tied = np.abs(objective - objective.max(axis=1, keepdims=True))[:, [0, -1]].max(axis=1) < 1e-12
    return np.where(tied, np.nan, found)


def in_the_long_run(config: ElectionConfig) -> dict[str, float]:
    """Where each estimator of `config` tends with ever more voters; nan for a reconstruction that cannot choose."""
    ends = {name: float(votes.ESTIMATORS[name](config.answer_prob, config.channel)) for name in config.estimators}
    if votes.reconstruction_tied(config.answer_prob, config.channel):
        ends["reconstruction"] = np.nan
    return ends


def self_confirming(channel: BinaryChannel) -> tuple[str, ...]:
    """Who, if assumed to have voted A, makes J its largest, 0, whatever the answers: nobody, everybody, or both.

    J(0) = 0 where a voter of B may give every answer that anybody may give, J(1) = 0 where a voter of A may.
    """
    may_answer = channel.channel_matrix > 0
    anybody = may_answer.any(axis=1)
    may_all = [(may_answer[:, vote] == anybody).all() for vote in (0, 1)]
    return tuple(who for who, may in zip(("nobody", "everybody"), may_all, strict=True) if may)


def misprint(config: ElectionConfig) -> float:
    """What Barber's eq. (2) and (24) tend to as they are printed, with f̃ + p10: the contrast must not be 0."""
    if not config.channel.contrast:
        raise ValueError(f"p10 + p01 must differ from 1, got {config.channel}; such answers carry no information")
    return (config.answer_prob + config.channel.p10) / config.channel.contrast


def known(channel: BinaryChannel) -> tuple[str, ...]:
    """What an answer gives away for certain: "whoever says A voted A", and so on; empty when both lies may happen."""
    certain = [
        ("whoever says A voted A", channel.p10 == 0),
        ("whoever says B voted B", channel.p01 == 0),
        ("whoever says A voted B", channel.p01 == 1),
        ("whoever says B voted A", channel.p10 == 1),
    ]
    return tuple(words for words, holds in certain if holds and channel.contrast)


def landscape(config: ElectionConfig, n_points: int = 401) -> tuple[Array, Array]:
    """J∞ over θ for the visitor's own election: `theta` (n_points,) and `J` (n_points,), in nats a voter."""
    theta = np.linspace(0, 1, n_points)
    return theta, votes.reconstruction_objective(theta, config.answer_prob, config.channel)


# Iterations of expectation–maximisation before it is stopped; its climb is slow where lies leave little.
EM_ITERATIONS = 2000

# --- more than two candidates ------------------------------------------------------------------------


@dataclass(frozen=True)
class ManyConfig:
    """One poll among k = len(shares) candidates; `shares` sum to 1 and everyone lies with k-ary randomised response."""

    shares: tuple[float, ...] = (0.4, 0.3, 0.2, 0.1)
    epsilon: float = 1.0
    n_voters: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.shares, tuple):
            raise ValueError(f"shares must be a tuple, such as (0.6, 0.4), got {self.shares!r}")
        limits.N_CHOICES.check(len(self.shares))
        for share in self.shares:
            limits.SHARE.check(share)
        if abs(sum(self.shares) - 1) > 1e-6:
            raise ValueError(f"shares must sum to 1, got {sum(self.shares):.6g}; change one of them")
        limits.EPSILON.check(self.epsilon)
        if self.epsilon < 1e-9:
            raise ValueError(
                f"epsilon must be above 0, got {self.epsilon:.3g}: all candidates would be named equally often, "
                "whatever the votes; let people lie less"
            )
        limits.N_VOTERS.check(self.n_voters)
        limits.SEED.check(self.seed)

    @property
    def mechanism(self) -> RandomisedResponse:
        """The least lie among k candidates that is ε-private."""
        return RandomisedResponse.from_epsilon(self.epsilon, len(self.shares))


@dataclass(frozen=True, eq=False)
class ManyResult:
    """`answers` (k,) counts; estimates of the k shares, each (k,), with the raw one's 95 % interval.

    `mle` is the maximum of the likelihood in closed form; `mle_by_em` the same by expectation–maximisation, which
    has converged when the log-likelihood of all answers together could gain less than 10⁻³, else was stopped.
    """

    answers: Counts
    naive: Array
    inversion: Array
    low: Array
    high: Array
    projected: Array
    mle: Array
    mle_by_em: Array
    em_converged: bool

    @property
    def em_apart(self) -> float:
        """How far the two maxima lie apart, at most."""
        return float(np.abs(self.mle - self.mle_by_em).max())


def run_many(config: ManyConfig) -> ManyResult:
    """Hold one poll among k candidates and estimate every share in four ways."""
    mechanism = config.mechanism
    shares = np.array(config.shares) / sum(config.shares)
    votes_rng, lies_rng = (np.random.default_rng(s) for s in np.random.SeedSequence(config.seed).spawn(2))
    voted = votes_rng.multinomial(config.n_voters, shares)
    answers = lies_rng.multinomial(voted, mechanism.channel_matrix.T).sum(axis=0)
    channel = mechanism.one_against_rest
    naive = answers / config.n_voters
    inversion = frequencies.invert_channel(answers, mechanism.channel_matrix)
    low, high = (votes.corrected(end, channel) for end in wilson_ends(naive, config.n_voters))
    tolerance = 1e-3 / config.n_voters
    fitted = frequencies.em(answers, mechanism.channel_matrix, max_iter=EM_ITERATIONS, tolerance=tolerance)
    return ManyResult(
        answers,
        naive,
        inversion,
        low,
        high,
        project_simplex(inversion),
        frequencies.randomised_response_mle(answers, mechanism.flip_prob),
        fitted.frequencies,
        bool(fitted.gap <= tolerance),
    )


# --- tables ------------------------------------------------------------------------------------------


def poll_table(shown: Poll) -> list[dict[str, Any]]:
    """The four kinds of people in a poll."""
    voted_b = shown.n_voters - shown.voted_a
    return [
        {"voted": "A", "said": "A", "people": shown.voted_a - shown.lied_a},
        {"voted": "A", "said": "B", "people": shown.lied_a},
        {"voted": "B", "said": "B", "people": voted_b - shown.lied_b},
        {"voted": "B", "said": "A", "people": shown.lied_b},
    ]


def estimate_table(shown: Poll) -> list[dict[str, Any]]:
    """One row for each estimate of a poll."""
    return [{"estimator": name, **e._asdict()} for name, e in shown.estimates.items()]


def figure1_table(runs: Sequence[LongRun]) -> list[dict[str, Any]]:
    """One row for each lie and true share."""
    columns = LongRun._fields[1:]
    return [
        {"flip_prob": run.flip_prob, **dict(zip(columns, map(float, row), strict=True))}
        for run in runs
        for row in zip(*run[1:], strict=True)
    ]


def candidate_name(index: int) -> str:
    """A, B, C, …"""
    return chr(ord("A") + index)


def many_table(config: ManyConfig, result: ManyResult) -> list[dict[str, Any]]:
    """One row for each candidate."""
    columns = ("answers", "naive", "inversion", "low", "high", "projected", "mle", "mle_by_em")
    return [
        {"candidate": candidate_name(i), "share": share, **{name: getattr(result, name)[i].item() for name in columns}}
        for i, share in enumerate(config.shares)
    ]


def record_table(found: Sequence[Record]) -> list[dict[str, Any]]:
    """One row for each estimator and poll."""
    return [
        {"estimator": record.name, "election": i + 1, "estimate": float(value)}
        for record in found
        for i, value in enumerate(record.values)
    ]
