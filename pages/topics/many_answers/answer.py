"""The answer of the page on many answers: the sentence, and true shares beside estimated ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from html import escape
from typing import Any

from pages.kit import cache, numbers, opendp, own_data
from pages.kit.panel import Chart, Markup, Panel, Prediction, Scale
from pages.kit.snippet import Snippet
from pages.kit.trials import Job, Trials
from pages.topics.many_answers.question import NOUNS, Question
from privdemo import figures, limits
from privdemo.experiments import many_answers
from privdemo.experiments.many_answers import ILLNESSES, UNIFORM, ZIPF, AnswersConfig, Fit, Release
from privdemo.experiments.many_answers import RANDOMISED_RESPONSE as RESPONSE
from privdemo.experiments.results import N_TRIALS
from privdemo.experiments.trials import with_trial
from privdemo.figures import many_answers as charts
from privdemo.intervals import Estimate
from privdemo.mechanisms.frequency_oracles import ORACLES, FrequencyOracle
from privdemo.mechanisms.frequency_oracles.response import KaryResponse
from privdemo.mechanisms.frequency_oracles.subset import SubsetSelection
from privdemo.methods import FREQUENCY_ORACLES

# The name of the guess that the page begins with.
GUESS = "answers-ranked-first"
# The first trial runs while the visitor waits if people times answers are no more than this.
_MOST_CELLS_AT_ONCE = 2_000_000
_FITS = "many answers"
# An error counts as equal to a larger one from this fraction of it on.
_EQUAL_FROM = 0.98
# What people do with one of the answers, where they do not just give it.
_VERBS = {"illness": "has", "occupation": "has", "word": "uses"}
# Answers of which nobody has more than one, so that a list of several holds names.
_OF_ONE = ("illness", "occupation")
# What people do with the answers that their reports support, where they do not just send them; and how many are listed.
_SENDS = {"basic rappor": "says yes to", "optimised unary": "says yes to"}
_SENDS |= {"local hashing": "sends the group that holds", "hadamard response": "sends the half that holds"}
# Answers among whose first reports the second example is sought, and then trials in which people with the next few do.
_EXAMPLES, _MORE_EXAMPLES, _NEXT = 10, 16, 4
_MOST_NAMES = 6
# What is answered where the estimates are off by no more than such a share.
_VERDICTS = ((0.05, "Yes"), (0.15, "Roughly"), (math.inf, "Not here"))
# Of so many of the most common answers it is asked whether they are found.
_FIRST = 5
# An error is called little beside a share so many times as large.
_LITTLE = 5
# How many of the hundred people stand in a row.
_COLUMNS = 50

released = cache.shared_or_private(many_answers.run)
example_of = cache.shared_or_private(many_answers.example)
fitted = cache.shared_or_private(many_answers.fit)
errors_of = cache.shared(many_answers.errors, max_entries=1024)


@dataclass(frozen=True, eq=False)
class Answer:
    """A question, what was released, and the `errors` of every oracle for this question.

    `fits` are trials that read simulated reports; `along` holds such trials at several levels of an axis, by the axis.
    """

    question: Question
    release: Release
    errors: Mapping[str, float]
    fits: tuple[Fit, ...] = ()
    along: Mapping[str, tuple[Fit, ...]] = field(default_factory=dict)

    @property
    def k(self) -> int:
        """Return how many different answers there are."""
        return self.release.truth.k

    @property
    def best(self) -> str:
        """Return the oracle with the least error for this question, the simpler of equals."""
        least = min(self.errors.values())
        return next(name for name, error in self.errors.items() if error <= least * (1 + 1e-9))

    @property
    def unasked(self) -> float:
        """Return the error of asking nobody and taking all shares for equal.

        Return 0 where all answers are equally frequent, as far as whole people can be.
        """
        error = many_answers.unasked_error(self.release.truth)
        return error if error * self.question.config.people >= 1 else 0.0

    @property
    def is_worse_than_guessing(self) -> bool:
        """Return whether the chosen method is typically off by more than asking nobody."""
        return 0 < self.unasked < self.errors[self.question.config.oracle]

    @property
    def off(self) -> float:
        """Return by how much the estimates of the chosen method are off in this survey, on average over all answers."""
        found, truth = self.release.found[self.question.config.oracle], self.release.truth
        return float(abs(found.shares - truth.shares).mean())

    def takeaway(self) -> str:
        """Say what each person sends, how far the estimates are off, and whether another method is better."""
        config, (one, many) = self.question.config, nouns(self.question)
        chosen, rival = self.release.found
        own, least = self.errors[chosen], self.errors[self.best]
        words = (
            f"<b>{self._verdict()}.</b> {self._sending} From these we estimate how common each {one} is, off by "
            f"<b>{bare_points(self.off)} percentage points</b> on average{self._too_much()}."
        )
        if many_answers.same_lie(chosen, rival, self.k, config.epsilon):
            words += (
                f" Here {title(chosen)} and {title(rival)} are the same method, because each person sends one {one}."
            )
        elif least < _EQUAL_FROM * own:
            words += f" Here {title(self.best)} would be more exact than {title(chosen)}."
        if self.is_worse_than_guessing:
            words += f" Taking all {many} for equally frequent, without asking, would typically be off by less."
        return words

    @property
    def _sending(self) -> str:
        """Say what people have, and what each sends."""
        config, (one, many) = self.question.config, nouns(self.question)
        who = numbers.people(config.people)
        if config.dataset in (ILLNESSES, ZIPF, UNIFORM):
            who = who.replace("pe", "simulated pe", 1)
        have = f"Each of {who} {_VERBS.get(one, 'gives')} one of {self.k:,} {many}."
        made = self._mechanism(config.oracle)
        if sends_one(made):
            n = numbers.people_of_100(1 - made.p)
            about = n.replace("under", "fewer than") if "under" in n else f"about {n}"
            send = f"{about} of 100 phones send{'s' * (n == '1')} a false {one} instead, picked at random"
            return f"{have} They answer in an app: to hide the truth, {send}."
        return f"{have} To hide it, each sends {self._sent(config.oracle)}."

    def _prediction(self) -> Prediction | None:
        """Return the guess of how many of the most common answers the estimates rank first, with what two people send.

        Return None of few answers, and where as many are equally common.
        """
        n, shares = min(_FIRST, self.k // 2), self.release.truth.shares
        if n < 2 or shares[n - 1] <= shares[n]:
            return None
        _, many = nouns(self.question)
        ranked = [int(i) for i in (-self.release.found[self.question.config.oracle].shares).argsort()[:n]]
        missing = [i for i in range(n) if i not in ranked]
        lost = f" {self._named(missing)} {'is' if len(missing) == 1 else 'are'} not among them." if missing else ""
        return Prediction(
            GUESS,
            f"{self._sending} <b>How many of the true top {n} {many} will researchers find from what is sent?</b>",
            n - len(missing),
            Scale(0, n, 1, ""),
            Markup(f"{self._hundred()}<p>{self.examples}</p><p>{self._how_often()}</p>{self._open_shares(n)}"),
            f"The estimated top {n}: {self._named(ranked)}.{lost}",
            f"Your guess: how many of the {n} are found, in any order",
        )

    def _named(self, which: Sequence[int]) -> str:
        """Return the names of some answers as HTML: “cold” and “flu”."""
        return numbers.join_words(tuple(f"“{escape(str(self.release.truth.names[i]))}”" for i in which))

    def _verdict(self) -> str:
        """Answer whether answers can be counted, by how far the estimates are off."""
        verdict = next(word for most, word in _VERDICTS if self.off <= most)
        if not (self.is_worse_than_guessing or self._too_much()):
            return verdict
        (one, many), n = nouns(self.question), self._n_found
        if n == self.k:
            return verdict
        if not n:
            return "Not here"
        common = f"for the most common {one}" if n == 1 else f"for the {n:,} most common {many}"
        if verdict == "Not here" or self.is_worse_than_guessing:
            return f"Only {common}"
        return f"{verdict}, {common}, not for rarer ones"

    @property
    def _n_found(self) -> int:
        """Return of how many of the most common answers, one after the other, the 95 % interval holds the true share
        and is narrower than it.
        """
        found, shares = self.release.found[self.question.config.oracle], self.release.truth.shares
        is_found = (found.high - found.low < shares) & (found.low <= shares) & (shares <= found.high)
        return self.k if is_found.all() else int(is_found.argmin())

    def _too_much(self) -> str:
        """Say for which share the error is small, and for which it is more than the share itself; empty if there are
        not both.
        """
        names, shares = self.release.truth.names, self.release.truth.shares
        first, last = shares[0], shares[-1]
        if not (first > _LITTLE * self.off and 0 < last < self.off):
            return ""
        common, rare = (f"of “{escape(str(names[i]))}” ({numbers.share(float(shares[i]))})" for i in (0, -1))
        return f". That is little beside the share {common}, but more than that {rare}"

    def _sent(self, oracle: str) -> str:
        """Say what each person sends by an oracle, with the word for an answer to this question."""
        one, many = nouns(self.question)
        made = self._mechanism(oracle)
        words = FREQUENCY_ORACLES[oracle].sends
        if isinstance(made, SubsetSelection):
            if made.size > 1:
                listed = "the names of " * (one in _OF_ONE)
                return f"{listed}{made.size:,} {many}, drawn so that {_named_by(made)[0]} people name their own"
            words = FREQUENCY_ORACLES[RESPONSE].sends  # a list of one is what randomised response sends
        return words.replace("answers", many).replace("answer", one)

    @property
    def examples(self) -> str:
        """Say what two people send: one who has the most frequent answer, whose report another chapter examines, and
        one for whom it is otherwise whether the true answer is sent, if there is one among the next few.
        """
        people = [(true, 0) for true in range(1, min(self.k, _EXAMPLES))]
        if self.k <= limits.ORACLE_ANSWERS.high:
            people += [(true, trial) for trial in range(1, _MORE_EXAMPLES) for true in range(1, min(self.k, _NEXT))]
        most = (0, 0)
        other = next((one for one in people if self._sends(*one) != self._sends(*most)), (1, 0))
        first, second = (most, other) if self._sends(*most) else (other, most)  # whose own answer is sent, first
        return f"For example, one person {self._example(*first)}.<br>Another {self._example(*second)}."

    def _hundred(self) -> str:
        """Return a hundred phones, hollow where they send another answer than the true one, as HTML; nothing where
        each sends several answers.
        """
        made, (one, _) = self._mechanism(self.question.config.oracle), nouns(self.question)
        if not sends_one(made):
            return ""
        true, other = numbers.people_of_100(made.p), numbers.people_of_100(1 - made.p)
        legend = {
            f"{true} of 100 phones send{'s' * (true == '1')} the true {one}": figures.people.SAID_A,
            f"{other} of 100 send{'s' * (other == '1')} a false one": figures.people.SAID_A.changed,
        }
        field = figures.split_field("", numbers.whole_of_100(made.p), 100, *legend.values(), columns=_COLUMNS)
        return f'<div class="hundred">{figures.people_html([field], legend, "A hundred phones")}</div>'

    def _how_often(self) -> str:
        """Say how often a list holds an answer that is not its sender's; nothing of other methods."""
        made, (one, _) = self._mechanism(self.question.config.oracle), nouns(self.question)
        if not isinstance(made, SubsetSelection) or made.size == 1:
            return ""
        _, other = _named_by(made)
        return f"Any {one} is also named by {other} people whose own is another."

    def _mechanism(self, oracle: str) -> Any:
        return many_answers.mechanism(oracle, self.k, self.question.config.epsilon)

    def _open_shares(self, n: int) -> str:
        """Return the shares of the `n` most common answers, of which it is open whether they are found, as HTML."""
        truth = self.release.truth
        true = [float(share) for share in truth.shares[:n]]
        return charts.open_shares_html(
            f"The true top {n} {nouns(self.question)[1]} (the researchers cannot see this)",
            f"The researchers’ estimated top {n}:",
            [str(name) for name in truth.names[:n]],
            true,
            [numbers.share(share) for share in true],
        )

    def _sends(self, true: int, trial: int) -> bool:
        """Return whether what a person sends who has one of the answers holds it."""
        return self.release.truth.names[true] in example_of(with_trial(self.question.config, trial), true)

    def _example(self, true: int, trial: int) -> str:
        """Say what a person sends who has one of the answers."""
        config, name = self.question.config, self.release.truth.names[true]
        sent = example_of(with_trial(config, trial), true)
        listed = " ".join(
            f'<span class="sent{" own" * (one == name)}">{escape(one)}</span>' for one in sent[:_MOST_NAMES]
        )
        listed += f" and {len(sent) - _MOST_NAMES:,} more" * (len(sent) > _MOST_NAMES)
        without = f" (“{escape(name)}” {'is among them' if self._sends(true, trial) else 'was left out by chance'})"
        if len(sent) == 1:
            without = f" ({'the true one' if self._sends(true, trial) else 'a false one'})"
        has, does = _VERBS.get(nouns(self.question)[0], "gives"), _SENDS.get(config.oracle, "sends")
        return f"{has} “{escape(name)}” and {does}: {listed or '<b>none</b>'}{without}"

    def main(self) -> list[Panel]:
        """Return the panel of true shares, and those estimated from one release."""
        found = self.release.found[self.question.config.oracle]
        return [
            Panel(
                "shares",
                answer=self.examples,
                figure=Chart(charts.shares(self.release)),
                summary=self._summary(),
                rows=lambda: share_rows(self.release),
                snippet=self._code(),
                prediction=self._prediction(),
            ),
            *about_negative(self.question, [found.shares[: charts.SHOWN]]),
        ]

    def ranges(self) -> list[Panel]:
        """Return the panel of the estimates with their 95 % intervals."""
        missed, n = len(charts.missed_ranges(self.release)), min(self.k, charts.SHOWN)
        words = (
            f"{n - missed} of these {n} ranges contain{'s' * (n - missed == 1)} the true share. Over many surveys, "
            "about 19 of 20 ranges do. In a real survey nobody knows the true shares, and the range alone says how far "
            "an estimate may be off."
        )
        return [
            Panel(
                "ranges",
                question="How far may each estimate be off?",
                answer=words,
                figure=Chart(charts.ranges(self.release)),
                summary=f"{words} {self._summary(with_ranges=True)}",
                rows=lambda: share_rows(self.release),
                snippet=self._code(),
            )
        ]

    def _code(self) -> Snippet:
        """Return the code of both figures."""
        return snippet(self.question).then(
            "release = many_answers.run(config)",
            "print(release.truth.names, release.truth.shares)",
            "for oracle, found in release.found.items():",
            "    print(oracle, found.shares, found.low, found.high)",
        )

    def _summary(self, with_ranges: bool = False) -> str:
        """Describe the figure of true shares and estimated ones, or the one `with_ranges`."""
        marks = "with 95 % intervals" if with_ranges else "each joined to its true share"
        config, people = self.question.config, self.release.truth
        some = f"the {charts.SHOWN} most frequent of {people.k:,}" if people.k > charts.SHOWN else f"all {people.k}"
        parts = []
        for oracle, estimate in self.release.found.items():
            first = Estimate(*(float(of_all[0]) for of_all in (estimate.shares, estimate.low, estimate.high)))
            covered = ((estimate.low <= people.shares) & (people.shares <= estimate.high)).mean()
            parts.append(
                f"{title(oracle)}: “{people.names[0]}” {numbers.share(first.mean)} "
                f"({numbers.interval(first, numbers.unlimited_share_scale(first))}), and "
                f"{numbers.share(float(covered))} of all intervals contain the truth"
            )
        return (
            f"{_people_words(config)}: {some} answers. Bars: "
            f"true shares, “{people.names[0]}” {numbers.share(float(people.shares[0]))}. Marks: shares estimated from "
            f"one release by inversion, {marks}; they are of these {config.people:,} people, and may begin "
            "below 0. "
            f"{numbers.capital('; '.join(parts))}. How far a method is typically off is the root of its mean "
            "squared error over all answers, in closed form, whatever the shares are: "
            f"{_times(self.question.config.oracle, self.errors, self.release.found)}."
        )


def answer(question: Question, trials: Trials) -> Answer:
    """Release the answers by two methods, and gather the trials there are so far."""
    release = released(question.config)
    config = question.config
    errors = errors_of(release.truth.k, config.epsilon, config.people)
    along = {axis: tuple(trials.of_kind(_kind_along(axis))) for axis in many_answers.READ_AT}
    return Answer(question, release, errors, tuple(trials.of_kind(_FITS)), along)


def extra_jobs(question: Question) -> list[Job]:
    """Return the trials that simulate every person’s report, while the chapter on reading them is shown."""
    config = question.config
    if not question.reads:
        return []
    along = [job for axis in many_answers.READ_AT if (job := _job_along(axis, config)).tasks]
    people = released(config).truth
    if not many_answers.is_soon(config, people):
        return along
    before = 1 if config.people * people.k <= _MOST_CELLS_AT_ONCE else 0
    tasks, first = [with_trial(config, i) for i in range(before, N_TRIALS)], partial(fitted, config) if before else None
    return [Job((_FITS, config, before), "Trial", many_answers.fit, tasks, first), *along]


def _kind_along(axis: str) -> str:
    """Return the kind of the trials along an axis."""
    return f"{_FITS} along {axis}"


def _job_along(axis: str, config: AnswersConfig) -> Job:
    """Return the job of trials along an axis; its key leaves out the question’s own level on it, as they do."""
    tasks = many_answers.read_along(config, axis)
    return Job((_kind_along(axis), tasks[0] if tasks else config), "Trial", many_answers.fit, tasks)


def about_negative(question: Question, shown: Iterable[Iterable[float]]) -> list[Panel]:
    """Return a panel in words on why estimates are below 0 if some of those `shown` are; none if none is."""
    if not any(share < 0 for shares in shown for share in shares):
        return []
    one, _ = nouns(question)
    have = {"has": "have", "uses": "use"}.get(_VERBS.get(one, ""), "give")
    words = (
        f"Every {one} is also sent by people who do not {have} it. We subtract how many of these we expect. Where "
        "chance made fewer, we subtract too much, and the estimate can fall below 0 %."
    )
    return [Panel(question="Why is an estimate below 0 %?", answer=words)]


def title(oracle: str) -> str:
    """Return an oracle’s title, as sentences name it."""
    return FREQUENCY_ORACLES[oracle].title


def points(error: float) -> str:
    """Write a typical error: “1.9 points”."""
    return f"{bare_points(error)} points"


def bare_points(error: float) -> str:
    """Write a typical error in points, without the word: “1.9”."""
    return numbers.standard_error(error)


def _times(chosen: str, errors: Mapping[str, float], compared: Iterable[str]) -> str:
    """Say how far the chosen method is typically off, and the one it is compared with."""
    (rival,) = set(compared) - {chosen}
    off, rivals = numbers.standard_errors([errors[chosen], errors[rival]])
    return f"{title(chosen)} {off} points, {title(rival)} {rivals} points"


def sends_one(made: FrequencyOracle) -> bool:
    """Return whether each person sends one answer by a mechanism: a list of one is what randomised response sends."""
    return isinstance(made, KaryResponse) or (isinstance(made, SubsetSelection) and made.size == 1)


def nouns(question: Question) -> tuple[str, str]:
    """Return what one answer to a question and several are called."""
    dataset = question.config.dataset
    return NOUNS.get(dataset if isinstance(dataset, str) else "", ("answer", "answers"))


def _people_words(config: Any) -> str:
    """Say how many people there are and, for simulated ones, how their answers are distributed."""
    return f"{config.people:,} people" + (
        f" whose answers follow Zipf’s law (s = {config.exponent:g})" * (config.dataset in (ILLNESSES, ZIPF))
    )


def share_rows(release: Release) -> list[dict[str, Any]]:
    """Return every answer’s true share and both estimates as rows of a file."""
    people = release.truth
    return [
        {"answer": name, "people": int(people.counts[i]), "true": float(people.shares[i])}
        | {
            f"{oracle}: {column}": float(getattr(estimate, part)[i])
            for oracle, estimate in release.found.items()
            for column, part in (("estimate", "shares"), ("low", "low"), ("high", "high"))
        }
        for i, name in enumerate(people.names)
    ]


def opendp_lines(question: Question) -> Snippet | None:
    """Return the lines for OpenDP for those of the two methods that it has; None if it has neither."""
    release = released(question.config)
    names = {RESPONSE: "answer", "basic rappor": "bits"}
    return opendp.snippet(
        **{
            name: ORACLES[oracle](release.truth.k, question.config.epsilon)
            for oracle, name in names.items()
            if oracle in release.found
        }
    )


def snippet(question: Question) -> Snippet:
    """Return the code that makes the config."""
    imports = (
        "from privdemo.experiments import many_answers",
        "from privdemo.experiments.many_answers import AnswersConfig",
    )
    return own_data.snippet(question.config, question.file, *imports)


def column(oracle: str) -> dict[str, str]:
    """Return the columns that name an oracle in a CSV file."""
    return FREQUENCY_ORACLES[oracle].columns


def _named_by(made: SubsetSelection) -> tuple[str, str]:
    """Return how many name their own answer in a list, and how many name another one: “48 of 100”, “23 of 100”."""
    own, other = (numbers.people_of_100(chance) for chance in (made.p, made.q))
    if own == other:
        return f"{10_000 * made.p:,.0f} of 10,000", f"{10_000 * made.q:,.0f} of 10,000"
    return f"{own} of 100", f"{other} of 100"
