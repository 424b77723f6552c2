"""The chapters on errors: which method wins where, along ε, answers and people, bits of a report, and all numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pages.kit import cache, numbers
from pages.kit.panel import Chart, Panel, Prediction, Table
from pages.kit.snippet import Snippet
from pages.topics.many_answers.answer import Answer, bare_points, column, points, snippet, title
from pages.topics.many_answers.question import Curves
from privdemo.experiments import many_answers
from privdemo.experiments.many_answers import RANDOMISED_RESPONSE as RESPONSE
from privdemo.experiments.many_answers import Winners
from privdemo.figures import answer_map
from privdemo.figures import many_answers as charts
from privdemo.methods import FREQUENCY_ORACLES

along_of = cache.shared(many_answers.along, max_entries=256)
winners_of = cache.shared(many_answers.winners, spinner="Comparing methods all over the map…")

_IMPORT = ("from privdemo.experiments import many_answers",)
# How many answers the prediction is about.
_PREDICTED = 64


# --- along ---------------------------------------------------------------------------------------


def shown_first(answer: Answer) -> tuple[str, ...]:
    """Return three methods: the best, the papers’ and the visitor’s own, or another."""
    wanted = (answer.best, RESPONSE, answer.question.config.oracle, "optimised unary", "hadamard response")
    three = [name for name in dict.fromkeys(wanted) if name in answer.errors][:3]
    return tuple(name for name in FREQUENCY_ORACLES if name in three)


def along(answer: Answer, curves: Curves | None = None) -> list[Panel]:
    """Return the panel of the methods’ errors along ε, the number of answers or that of people."""
    curves = curves or Curves()
    axis, config = curves.axis, answer.question.config
    found = along_of(axis, answer.k, config.epsilon, config.people)
    names = tuple(answer.errors) if curves.all else shown_first(answer)
    own = {"epsilon": config.epsilon, "answers": answer.k, "people": config.people}[axis]
    unasked = None if axis == many_answers.K_AXIS else answer.unasked
    ends = min(found), max(found)
    shown = {at: f"{charts.WORDS[axis].format(at)}" for at in ends}
    curve_words = "; ".join(
        f"{title(name)} {bare_points(found[ends[0]][name])} at {shown[ends[0]]} and "
        f"{bare_points(found[ends[1]][name])} at {shown[ends[1]]}"
        for name in names
    )
    return [
        Panel(
            "error",
            "How far off is each method?",
            _along_words(answer, axis, found),
            Chart(charts.along(axis, found, names, own, unasked)),
            f"The root of the mean squared error of a share by inversion, in closed form: {curve_words}. Nothing is "
            "simulated here; the chapter “Three estimators compared” simulates other ways to read the same reports."
            + (
                f" Guessing blindly, that all answers are equally frequent, without asking anybody, is off by "
                f"{points(unasked)}."
                if unasked
                else ""
            ),
            lambda: [
                {axis: at, **column(name), "error": error} for at, here in found.items() for name, error in here.items()
            ],
            Snippet(
                _IMPORT,
                (
                    f'errors = many_answers.along("{axis}", {answer.k}, {config.epsilon!r}, {config.people})',
                    "for level, here in errors.items():",
                    "    print(level, here)",
                ),
            ),
            note=_curve_words(names, unasked),
        )
    ]


def _curve_words(names: Sequence[str], unasked: float | None) -> str:
    """Say what people send by each method, and what it means that a curve is above that of guessing blindly."""
    sent = "; ".join(f"{title(name)}: {FREQUENCY_ORACLES[name].plain}" for name in names)
    above = " A method above “guessing blindly” is worse than asking nobody." * bool(unasked)
    return f"What people send by {sent}. Typical error: over many surveys; the first chapter shows one.{above}"


def _along_words(answer: Answer, axis: str, found: dict[float, dict[str, float]]) -> str:
    """Say what the curves show."""
    config, chosen = answer.question.config, answer.question.config.oracle
    if axis == many_answers.K_AXIS:
        few, many = min(found), max(found)
        if RESPONSE not in found[many]:
            grown = {name: found[many][name] / found[few][name] for name in found[many]}
            parts = (f"{title(name)} is <b>{numbers.times(times)}</b> times" for name, times in grown.items())
            return f"With {many:,} possible answers instead of {few} the error of {' as large, that of '.join(parts)}."
        grown = {name: found[many][name] / found[few][name] for name in (RESPONSE, answer.best)}
        return (
            f"With {many:,} possible answers instead of {few} the error of {title(RESPONSE)} is "
            f"<b>{numbers.times(grown[RESPONSE])}</b> times as large"
            + (
                f", that of {title(answer.best)} <b>{numbers.times(grown[answer.best])}</b> times."
                if answer.best != RESPONSE
                else "."
            )
        )
    if axis == many_answers.PEOPLE_AXIS:
        return (
            "A hundred times as many people make the error ten times smaller, with every method. With "
            f"{numbers.people(max(found))} {title(chosen)} is typically off by "
            f"<b>{points(found[max(found)][chosen])}</b>."
        )
    halved = many_answers.halving_epsilon(chosen, answer.k, config.epsilon)
    off = points(found[config.epsilon][chosen])
    start = f"At ε = {numbers.epsilon(config.epsilon)} {title(chosen)} is typically off by <b>{off}</b>"
    return (
        f"{start}. To halve that error takes ε = {numbers.epsilon(halved)}, which is less private."
        if halved
        else f"{start}."
    )


# --- which method wins where ------------------------------------------------------------------------


def who_wins(answer: Answer, among: Sequence[str] | None = None) -> list[Panel]:
    """Return the map of the best method over ε and the number of answers."""
    names = tuple(among or FREQUENCY_ORACLES)
    if RESPONSE not in answer.errors:
        return [_beyond_the_map(answer)]
    found, config = winners_of(names), answer.question.config
    here = min(names, key=lambda name: (round(answer.errors[name], 12), list(FREQUENCY_ORACLES).index(name)))
    most = many_answers.most_answers(config.epsilon)
    cells = [name for row in found.names for name in row]
    won = "; ".join(
        f"{title(name)} in {numbers.share(cells.count(name) / len(cells), 0)} of the map"
        for name in FREQUENCY_ORACLES
        if name in cells
    )
    return [
        Panel(
            "winners",
            "Which method is the most exact?",
            f"At ε = {numbers.epsilon(config.epsilon)} and {answer.k:,} possible answers <b>{title(here)}</b> is the "
            f"most exact{_gain_words(answer, here)}.",
            Chart(answer_map.winners(found, (config.epsilon, answer.k))),
            f"The method with the least mean squared error by inversion, whatever the number of people: {won}. The "
            f"darker, the more it gains on {title(RESPONSE)}. The dashed line is the rule k = 3e^ε + 2 (Wang et al. "
            "2017): "
            "up to there one answer beats bits if the answer is rare. By the mean of all answers, as here, it does up "
            f"to {most:,} at this ε: {title(RESPONSE)} beats {title('optimised unary')} up to {most:,} answers. Subset "
            f"selection with sets of one is {title(RESPONSE)}, and larger sets win from "
            "fewer answers on.",
            lambda: _winner_rows(found),
            Snippet(
                _IMPORT,
                (
                    f"found = many_answers.winners({names!r})",
                    "for k, row in zip(found.ks, found.names):",
                    "    print(k, row)",
                ),
            ),
            note=_map_words(found, len(names)),
            prediction=_prediction(answer) if len(names) == len(FREQUENCY_ORACLES) else None,
        )
    ]


def _map_words(found: Winners, n_compared: int) -> str:
    """Explain the colours and the dashed line of a map of so many methods, and whether the line’s rule agrees with
    the colours.
    """
    there = [title(name) for name in FREQUENCY_ORACLES if any(name in row for row in found.names)]
    others = any(
        name != RESPONSE and k < many_answers.crossover(epsilon)
        for k, row in zip(found.ks, found.names, strict=True)
        for epsilon, name in zip(found.epsilons, row, strict=True)
    )
    differs = " Where the map has another colour below that line, that method is more exact." if others else ""
    n_others = n_compared - len(there)
    never = f" The other {'methods are' if n_others > 1 else 'method is'} the most exact nowhere here." * bool(n_others)
    return (
        f"Colour: the most exact method there, {' or '.join(there)}; the darker, the larger its lead over "
        f"{title(RESPONSE)}.{never} Dashed: a rule of 2017 (Wang et al.) chooses {title(RESPONSE)} below this "
        f"line.{differs}"
    )


def _beyond_the_map(answer: Answer) -> Panel:
    """Return the panel in words on more answers than the map has."""
    config = answer.question.config
    errors = "; ".join(f"{title(name)} is typically off by {points(error)}" for name, error in answer.errors.items())
    return Panel(
        "winners",
        "Which method is the most exact?",
        f"The map ends at 1,024 possible answers. Of the two methods for {answer.k:,} <b>{title(answer.best)}</b> is "
        "the more exact.",
        summary=f"ε = {numbers.epsilon(config.epsilon)}: {errors}.",
        rows=lambda: [{"epsilon": config.epsilon, **column(name), "error": e} for name, e in answer.errors.items()],
        snippet=Snippet(_IMPORT, (f"print(many_answers.errors({answer.k}, {config.epsilon!r}, {config.people}))",)),
    )


def _prediction(answer: Answer) -> Prediction:
    """Return the guess which of all methods wins with `_PREDICTED` answers."""
    config = answer.question.config
    errors = many_answers.errors(_PREDICTED, config.epsilon, config.people)
    best = min(errors, key=lambda name: errors[name])
    why = (
        f"{numbers.capital(title(RESPONSE))} is {numbers.times(errors[RESPONSE] / errors[best])} times as far off, "
        f"because with {_PREDICTED} answers hardly anybody sends the true one."
    )
    return Prediction(
        "most-exact-method",
        f"Six methods protect an answer equally (ε = {numbers.epsilon(config.epsilon)}). Which one estimates the "
        f"shares of "
        f"{_PREDICTED} possible answers most exactly?",
        title(best),
        tuple(method.title for method in FREQUENCY_ORACLES.values()),
        Table(("method", "what each person sends"), [[one.title, one.sends] for one in FREQUENCY_ORACLES.values()]),
        "" if best == RESPONSE else why,
    )


def _gain_words(answer: Answer, name: str) -> str:
    """Say how much more exact a method is than the papers’ one."""
    times = answer.errors[RESPONSE] / answer.errors[name]
    return "" if name == RESPONSE else f": the error of {title(RESPONSE)} is {numbers.times(times)} times as large"


def _winner_rows(found: Winners) -> list[dict[str, Any]]:
    """Return the map as rows of a file."""
    return [
        {"epsilon": epsilon, "answers": k, **column(name), "times as exact as k-ary": times}
        for k, row, here in zip(found.ks, found.names, found.times, strict=True)
        for epsilon, name, times in zip(found.epsilons, row, here, strict=True)
    ]


# --- bits ----------------------------------------------------------------------------------------


def bits(answer: Answer) -> list[Panel]:
    """Return the panel of the size of a report against its error."""
    config = answer.question.config
    sent = {name: many_answers.mechanism(name, answer.k, config.epsilon).bits for name in answer.errors}
    chosen = config.oracle
    fewest = min(sent, key=lambda name: sent[name])
    light = [name for name in sent if answer.errors[name] <= 1.2 * answer.errors[answer.best]]
    lightest = min(light, key=lambda name: sent[name])
    return [
        Panel(
            "bits",
            "How much data does each person send?",
            f"{_length_words(chosen, fewest, sent)} Of the methods whose error is at most a fifth above the least, "
            f"{title(lightest)} sends the fewest: <b>{_bits(sent[lightest])}</b>.",
            Chart(charts.bits(answer.errors, sent)),
            f"{answer.k:,} answers, ε = {numbers.epsilon(config.epsilon)}: "
            + "; ".join(f"{title(name)} {_bits(n)}, off by {points(answer.errors[name])}" for name, n in sent.items())
            + ". Bits are those of a report written as briefly as all reports can be; local hashing sends its hash "
            "function as well. Marks at one place stand one in the other.",
            lambda: [{**column(name), "bits": n, "error": answer.errors[name]} for name, n in sent.items()],
            Snippet(
                (*_IMPORT, "from privdemo.mechanisms.frequency_oracles import for_answers"),
                (
                    f"for name in for_answers({answer.k}):",
                    f"    print(name, many_answers.mechanism(name, {answer.k}, {config.epsilon!r}).bits)",
                ),
            ),
        )
    ]


def _length_words(chosen: str, fewest: str, sent: Mapping[str, int]) -> str:
    """Say how many bits each person sends by the chosen method, and by the briefest."""
    start = f"With {title(chosen)} each person sends <b>{_bits(sent[chosen])}</b>"
    return f"{start}." if chosen == fewest else f"{start}, with {title(fewest)} {_bits(sent[fewest])}."


def _bits(n: int) -> str:
    """Write a number of bits."""
    return "1 bit" if n == 1 else f"{n:,} bits"


# --- all numbers ---------------------------------------------------------------------------------


def all_numbers(answer: Answer) -> list[Panel]:
    """Return the table of all methods for the visitor’s question."""
    config = answer.question.config
    made = {name: many_answers.mechanism(name, answer.k, config.epsilon) for name in answer.errors}
    rows = [
        column(name)
        | {"p": one.p, "q": one.q, "error": answer.errors[name], "bits": one.bits}
        | {"times the least": answer.errors[name] / answer.errors[answer.best]}
        for name, one in made.items()
    ]
    errors = numbers.standard_errors([row["error"] for row in rows])
    least = dict(zip(made, errors, strict=True))[answer.best]
    body = [
        [
            numbers.capital(row["method"]),
            f"{error} points",
            f"{row['times the least']:.2f}",
            f"{row['bits']:,}",
            numbers.share(row["p"]),
            numbers.share(row["q"]),
        ]
        for row, error in zip(rows, errors, strict=True)
    ]
    heads = [
        *("method", "typical error", "error, times the least", "bits sent"),
        *("report supports the true answer", "report supports another answer"),
    ]
    return [
        Panel(
            "all-methods",
            "How do all six compare?" if len(made) > 2 else "How do the two compare?",
            f"{numbers.capital(title(answer.best))} is the most exact: a share is typically off by "
            f"<b>{least} points</b>.",
            Table(heads, body, labelled=True),
            f"{answer.k:,} answers, {numbers.people(config.people)}, ε = {numbers.epsilon(config.epsilon)}. A report "
            "supports the true answer, and any other one, with the chances in the last two columns; all else follows "
            "from them.",
            lambda: rows,
            snippet(answer.question).then(
                "k = many_answers.truth(config).k",
                "print(many_answers.errors(k, config.epsilon, config.people))",
            ),
        )
    ]
