"""The chapters on people: what one report reveals about its sender, how to read reports, and whom to trust."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pages.kit import cache, numbers
from pages.kit.panel import Chart, Panel, Prediction
from pages.kit.snippet import Snippet
from pages.topics.many_answers.answer import (
    Answer,
    about_negative,
    bare_points,
    nouns,
    points,
    sends_one,
    snippet,
    title,
)
from privdemo import limits
from privdemo.accounting import default_delta
from privdemo.experiments import many_answers
from privdemo.experiments.many_answers import EPSILONS, RANDOMISED_RESPONSE, OneReport, Trusted
from privdemo.experiments.results import TRIAL_COLUMN
from privdemo.figures import many_answers as charts
from privdemo.mechanisms.frequency_oracles.subset import SubsetSelection
from privdemo.methods import CURATOR, INVERTED, LIKELIEST, NOBODY, PROJECTED, SHARES_OF_ANSWERS, SHUFFLER
from privdemo.methods import TRUSTED_WITH_ANSWERS as TRUSTED

one_report_of = cache.shared_or_private(many_answers.one_report)
trusted_at = cache.shared(many_answers.trusted, max_entries=4096, spinner="Finding how little noise a shuffler allows…")

# Trust helps if the error is so many times smaller with it.
_HELPS_FROM = 1.05

# --- one report ----------------------------------------------------------------------------------


def one_report(answer: Answer, rarest: bool = False) -> list[Panel]:
    """Return the panel on what an adversary concludes from one report, of a person with the `rarest` answer if set."""
    config = answer.question.config
    there = answer.release.truth.counts > 0
    sent = int(there.nonzero()[0][-1]) if rarest else 0
    found = one_report_of(config, sent)
    shown = sorted({*range(min(charts.SHOWN, answer.k)), sent})
    if len(shown) > charts.SHOWN:
        shown.remove(charts.SHOWN - 1)
    name = f"“{found.names[sent]}”"
    before, after = (numbers.out_of_100(float(belief[sent])) for belief in (found.prior, found.posterior))
    misleads = ": it is misled" if found.posterior[sent] < found.prior[sent] and before != after else ""
    fits = f"which holds {name}" if found.supported[sent] else f"which by chance leaves out {name}"
    made = many_answers.mechanism(config.oracle, answer.k, config.epsilon)
    one, many = nouns(answer.question)
    n_sent = int(found.supported.sum())
    is_list = isinstance(made, SubsetSelection) and n_sent > 1
    report = f"a list of {n_sent:,} {many}" if is_list else f"a report that fits {n_sent:,} of {answer.k:,} {many}"
    says, marked = (
        f"{report}, {fits}, the true answer",
        f"{many} {'on the list' if is_list else 'that the report fits'}",
    )
    if sends_one(made):
        said = found.names[int(found.supported.argmax())]
        says = f"{name}, the true answer" if found.supported[sent] else f"“{said}” in place of {name}, the true answer"
        marked = f"{one} that is sent"
    most = numbers.odds_factor(config.epsilon)
    guessed = f"{numbers.per_hundred(found.guess_before)} to {numbers.per_hundred(found.guess_after.mean)}"
    return [
        Panel(
            "one-report",
            "What does one report reveal of its sender?",
            f"This person sends {says}. To whoever receives it, the chance of {name} goes "
            f"from {before} to <b>{after}</b>{misleads}. A report changes the odds of an answer by {most} at most.",
            Chart(charts.one_report(found, shown)),
            f"One report by {title(config.oracle)}, ε = {numbers.epsilon(config.epsilon)}: what is believed of each "
            "answer before it, the share of all people, and after it. The odds of an answer changed by a factor of "
            f"{numbers.any_size(found.factor)} at most; ε allows {most}. Over all people the best guess of one's "
            f"answer is right for {guessed} of 100, without and with the report "
            f"({numbers.with_range(found.guess_after)} over {many_answers.N_GUESSED:,} simulated reports).",
            lambda: _report_rows(found),
            snippet(answer.question).then(
                f"found = many_answers.one_report(config, {sent})",
                "print(found.supported, found.posterior, found.guess_after)",
            ),
            note=f"Bold: the {marked}.",
        )
    ]


def _report_rows(found: OneReport) -> list[dict[str, Any]]:
    """Return the beliefs before and after the report as rows of a file."""
    return [
        {"answer": name, "supported": bool(found.supported[i])}
        | {"before": float(found.prior[i]), "after": float(found.posterior[i])}
        for i, name in enumerate(found.names)
    ]


# --- reading reports -----------------------------------------------------------------------------


def readings(answer: Answer, axis: str = "") -> list[Panel]:
    """Return the panels that compare three estimators on the same reports, for the question or along an `axis`."""
    config = answer.question.config
    if axis:
        return [_errors_along_panel(answer, axis)]
    if not limits.LIKELIEST_ANSWERS.contains(answer.k):
        return [_without_reports(answer, "The three are compared for up to 1,024 possible answers.")]
    if not many_answers.is_soon(config, answer.release.truth):
        most = int(many_answers.MOST_CELLS / answer.k)
        return [
            _without_reports(
                answer,
                f"With {answer.k:,} possible answers, reports are simulated person by person for up to {most:,} "
                f"people, "
                f"and there are {config.people:,}: choose fewer of either.",
            )
        ]
    if not answer.fits:
        return [_without_reports(answer, "Every person’s report is being simulated…")]
    shown = (shares[: charts.SHOWN] for shares in answer.fits[0].shares.values())
    return [_errors_panel(answer), _shares_panel(answer), *about_negative(answer.question, shown)]


def _errors_panel(answer: Answer) -> Panel:
    """Return the panel of the three estimators’ errors over all trials."""
    found = many_answers.mean_errors(answer.fits)
    inverted, likeliest = found[INVERTED].mean, found[LIKELIEST].mean
    parts = "; ".join(f"{SHARES_OF_ANSWERS[name].title} {error.times(100):#.3g}" for name, error in found.items())
    return Panel(
        "readings",
        "How should shares be estimated from the reports?",
        f"From the same reports “{SHARES_OF_ANSWERS[LIKELIEST].title}” is typically off by "
        f"<b>{points(likeliest)}</b> a share, “{SHARES_OF_ANSWERS[INVERTED].title}” by {bare_points(inverted)}.",
        Chart(charts.estimators(found)),
        f"{_reports_words(answer)}, {numbers.count_trials(answer.fits)}. {_ERROR}: {parts}. The likeliest shares "
        f"could be likelier by {max(fit.gap for fit in answer.fits):.1g} nats a report at most.",
        lambda: [
            SHARES_OF_ANSWERS[name].columns | {TRIAL_COLUMN: i, "error": fit.errors[name]}
            for i, fit in enumerate(answer.fits)
            for name in (INVERTED, PROJECTED, LIKELIEST)
        ],
        snippet(answer.question).then("fit = many_answers.fit(config)", "print(fit.errors)"),
    )


def _shares_panel(answer: Answer) -> Panel:
    """Return the panel of the shares that each estimator finds in the first trial."""
    people, first = answer.release.truth, answer.fits[0]
    return Panel(
        "read-shares",
        figure=Chart(charts.estimates(first, people.names, people.shares)),
        summary="The first trial: true shares as bars, and what each way estimates from the same reports. "
        f"“{people.names[0]}”, the most frequent answer: {numbers.share(float(people.shares[0]))} in truth; "
        + "; ".join(
            f"{SHARES_OF_ANSWERS[way].title} {numbers.share(float(shares[0]))}" for way, shares in first.shares.items()
        )
        + ".",
        rows=lambda: [
            {"answer": name, "true": float(people.shares[i])}
            | {SHARES_OF_ANSWERS[way].title: float(shares[i]) for way, shares in first.shares.items()}
            for i, name in enumerate(people.names)
        ],
        snippet=snippet(answer.question).then("fit = many_answers.fit(config)", "print(fit.shares)"),
    )


_ERROR = "The root of the mean squared error of a share, in points, with 95 % intervals over trials"


def _reports_words(answer: Answer) -> str:
    """Say how many people’s reports are simulated, and by which method."""
    config = answer.question.config
    return f"{numbers.people(config.people)} and {answer.k:,} answers, reports by {title(config.oracle)}, one by one"


def _errors_along_panel(answer: Answer, axis: str) -> Panel:
    """Return the panel of the three estimators’ errors along an axis, once all trials are there."""
    config, found = answer.question.config, many_answers.errors_along(answer.along.get(axis, ()), axis)
    wanted = {getattr(one, many_answers.FIELDS[axis]) for one in many_answers.read_along(config, axis)}
    if not wanted:
        return _without_reports(answer, "So many reports take too long to simulate: choose fewer people or answers.")
    if len(found) < len(wanted):
        return _without_reports(answer, "Every person’s report is being simulated, at several places along the axis…")
    own = {"epsilon": config.epsilon, "answers": answer.k, "people": config.people}[axis]
    gains = {at: here[INVERTED].mean / here[LIKELIEST].mean for at, here in found.items()}
    most = max(gains, key=lambda at: gains[at])
    error_words = "; ".join(
        f"{method.title} "
        + ", ".join(f"{bare_points(here[name].mean)} at {_level_words(axis, at)}" for at, here in found.items())
        for name, method in SHARES_OF_ANSWERS.items()
    )
    return Panel(
        "readings-along",
        "Where does the way to estimate matter?",
        f"It matters most at <b>{_level_words(axis, most)}</b>: there “{SHARES_OF_ANSWERS[INVERTED].title}” is off by "
        f"{numbers.times(gains[most])} times as much as “{SHARES_OF_ANSWERS[LIKELIEST].title}”.",
        Chart(charts.read_along(axis, found, own)),
        f"{_reports_words(answer)}, but for what changes along the axis; {many_answers.N_READ} trials at each place. "
        f"{_ERROR}: "
        f"{error_words}.",
        lambda: [
            {axis: at, **SHARES_OF_ANSWERS[name].columns, "error": e.mean, "low": e.low, "high": e.high}
            for at, here in found.items()
            for name, e in here.items()
        ],
        snippet(answer.question).then(
            f'fits = [many_answers.fit(one) for one in many_answers.read_along(config, "{axis}")]',
            f'print(many_answers.errors_along(fits, "{axis}"))',
        ),
    )


def _level_words(axis: str, level: float) -> str:
    """Write a level of an axis."""
    return charts.WORDS[axis].format(level)


def _without_reports(answer: Answer, words: str) -> Panel:
    """Return a panel of the errors that need no simulated report, with `words` on why there are no others."""
    config = answer.question.config
    return Panel(
        "readings",
        "How should shares be estimated from the reports?",
        words,
        rows=lambda: [{"oracle": name, "error by inversion": error} for name, error in answer.errors.items()],
        snippet=snippet(answer.question).then(
            f"print(many_answers.errors({answer.k}, {config.epsilon!r}, {config.people}))"
        ),
    )


# --- whom to trust -------------------------------------------------------------------------------


def whom_to_trust(answer: Answer, delta: float | None = None) -> list[Panel]:
    """Return the panel of the error at the same (ε, δ) if nobody, a shuffler or a curator is trusted."""
    config = answer.question.config
    delta = default_delta(config.people) if delta is None else delta
    levels = sorted({*EPSILONS, config.epsilon})
    found = [trusted_at(answer.k, config.people, level, delta) for level in levels]
    here = found[levels.index(config.epsilon)]
    arguments = f"{answer.k}, {config.people}, {config.epsilon!r}, {delta!r}"
    return [
        Panel(
            "trust",
            "How much does it help to trust somebody?",
            f"{_help_words(here)} A share is typically off by <b>{points(here.local)}</b> if nobody is trusted, by "
            f"<b>{bare_points(here.shuffled)}</b> if a shuffler mixes all reports, and by "
            f"<b>{bare_points(here.curated)}</b> if a curator sees the true answers.",
            Chart(charts.trusted(found, config.epsilon)),
            _trust_summary(answer, here, delta),
            lambda: [row for each in found for row in _trust_rows(each, delta)],
            Snippet(
                ("from privdemo.experiments import many_answers",),
                (
                    f"for each in many_answers.trusted_along({arguments}):",
                    "    print(each)",
                ),
            ),
            note=f"With a shuffler or a curator, outsiders find out no more than is said beside the slider, but for a "
            f"chance of δ = {numbers.power_of_ten(delta)} that protection fails; if nobody is trusted, it never does. "
            f"{numbers.large_delta_words(config.people, delta, 'answer')}".rstrip(),
            prediction=_prediction(found, here),
        )
    ]


def _help_words(here: Trusted) -> str:
    """Say how many times smaller an error is with a curator, who is trusted with all answers."""
    times = here.local / here.curated
    if times < _HELPS_FROM:
        return "<b>Hardly at all here.</b>"
    return f"<b>The error is about {float(f'{times:.2g}'):,g} times smaller with a curator.</b>"


def _prediction(found: Sequence[Trusted], here: Trusted) -> Prediction:
    """Return the guess which step of trust makes the error smaller by more points."""
    steps = {
        "trusting a shuffler": here.local - here.shuffled,
        "going on to trust a curator": here.shuffled - here.curated,
    }
    shuffler, curator = steps.values()
    why = ": in a mixed crowd each person needs far less noise" if shuffler > curator else ""
    return Prediction(
        "shuffler-or-curator",
        f"With nobody trusted a share is off by {points(here.local)} (ε = {numbers.epsilon(here.epsilon)}). <b>What "
        "takes more off that error: trusting a shuffler, who mixes all reports, or going on to trust a curator, who "
        "sees all true answers?</b>",
        max(steps, key=lambda step: steps[step]),
        tuple(steps),
        Chart(charts.trusted(found, here.epsilon, [NOBODY])),
        f"The shuffler takes off {points(shuffler)}, the curator {bare_points(curator)} more{why}.",
    )


def _trust_summary(answer: Answer, here: Trusted, delta: float) -> str:
    """Describe the figure of errors by trust, and the mechanism behind each."""
    bounded = "this" if here.shuffled_oracle == RANDOMISED_RESPONSE else "any"
    exact = (
        "as large as can be"
        if answer.k == 2
        else f"as large as a bound for {bounded} method allows, so that the error may be less than shown"
    )
    counts = "one count, from which the other follows" if answer.k == 2 else "every count"
    curator = {
        "laplace": f"Laplace noise on {counts}",
        "gaussian": f"Gaussian noise on {counts}",
        here.shuffled_oracle: "the same reports as behind the shuffler, as noise on counts is off by more here",
    }
    return (
        f"{answer.k:,} answers of {numbers.people(answer.question.config.people)}, ε = "
        f"{numbers.epsilon(here.epsilon)}, δ = {numbers.power_of_ten(delta)}; "
        f"errors in closed form, by inversion, of the best method at each ε. {numbers.capital(TRUSTED[NOBODY].title)}: "
        f"{title(here.oracle)}, which needs no δ. {numbers.capital(TRUSTED[SHUFFLER].title)}: everybody reports by "
        f"{title(here.shuffled_oracle)} with ε = {numbers.epsilon(here.local_epsilon)}, and all of them together "
        f"keep the promise; that ε is {exact}. {numbers.capital(TRUSTED[CURATOR].title)}: {curator[here.curated_by]}. "
        f"Records that carry their own "
        "features cannot be shuffled apart from their labels."
    )


def _trust_rows(each: Trusted, delta: float) -> list[dict[str, Any]]:
    """Return the errors by trust at one ε as rows of a file."""
    errors = {NOBODY: each.local, SHUFFLER: each.shuffled, CURATOR: each.curated}
    how = {NOBODY: each.oracle, SHUFFLER: each.shuffled_oracle, CURATOR: each.curated_by}
    own = {NOBODY: each.epsilon, SHUFFLER: each.local_epsilon}
    if each.curated_by == each.shuffled_oracle:
        own[CURATOR] = each.local_epsilon
    return [
        {"epsilon": each.epsilon, "delta": delta, "trust": name, "error": error}
        | {"by": how[name], "ε of a report": own.get(name)}
        for name, error in errors.items()
    ]
