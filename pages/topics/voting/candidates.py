"""The chapter on more than two candidates: the same ε, simple inversion, and the best fit within range."""

from __future__ import annotations

from pages.kit import cache, numbers
from pages.kit.panel import Chart, Panel
from pages.kit.snippet import Snippet
from pages.topics.voting.answer import Answer
from pages.topics.voting.question import many_config
from privdemo.experiments import voting
from privdemo.experiments.voting import ManyConfig, ManyResult
from privdemo.figures import voting as charts

# A share below the first is negative, not a 0 with a rounding error; an ε below the second is 0.
_ROUNDING, _NO_EPSILON = -1e-12, 1e-9
_PANEL_NAME, _QUESTION = "candidates", "What changes with more than two candidates?"

one_poll = cache.shared(voting.run_many, max_entries=256, spinner="Counting the answers…")


def panels(answer: Answer, typed: str) -> list[Panel]:
    """Return the panel of one poll among the candidates whose shares are `typed`, at the ε of the page’s lies."""
    election = answer.config
    if election.channel.epsilon < _NO_EPSILON:
        words = (
            "With these changes an answer says nothing of the vote (ε = 0): every candidate is named as often as any "
            "other. Let fewer answers be changed."
        )
        return [Panel(_PANEL_NAME, _QUESTION, words)]
    try:
        config = many_config(typed, election.channel.epsilon, election.n_voters, election.seed)
    except ValueError as error:
        return [Panel(_PANEL_NAME, _QUESTION, numbers.error_sentence_html(error))]
    result = one_poll(config)
    n_negative = int((result.inversion < _ROUNDING).sum())
    return [
        Panel(
            _PANEL_NAME,
            _QUESTION,
            f"{lie_words(config)} {inversion_words(n_negative, result.doubtful)}",
            Chart(charts.candidates(config.shares, result)),
            f"True shares as bars, estimates from the answers of {numbers.people(config.n_voters)} as markers; the "
            f"simple inversion with its 95 % intervals. The best fit is exact; {climb_words(result)}"
            f"{'' if config.mechanism.flip_prob == 0 else ' Ignoring the changes pulls all together.'}",
            lambda: voting.many_table(config, result),
            Snippet(
                (
                    "from privdemo.experiments.voting import ManyConfig, run_many",
                    "from privdemo.figures import voting as charts",
                ),
                (
                    f"config = {config!r}",
                    "result = run_many(config)",
                    "charts.candidates(config.shares, result).show()",
                ),
            ),
        )
    ]


def lie_words(config: ManyConfig) -> str:
    """Say how often a person lies who chooses among several candidates at the same ε."""
    k, epsilon, lie = len(config.shares), f"ε = {numbers.epsilon(config.epsilon)}", config.mechanism.flip_prob
    if lie == 0:
        return (
            f"The answers prove a vote ({epsilon}): to promise as little among <b>{k}</b> candidates, everyone may "
            "tell the truth."
        )
    return (
        f"With the same privacy ({epsilon}), a person who can choose among <b>{k}</b> names a wrong candidate "
        f"<b>{numbers.share(lie, 0)}</b> of the time."
    )


def inversion_words(n_negative: int, n_doubtful: int) -> str:
    """Say whether simple inversion gives shares that an election can have."""
    if not n_negative:
        return "Here all ways to correct agree: none gives a negative share."
    whom = "a candidate" if n_negative == 1 else f"{n_negative} candidates"
    words = f"Simple inversion gives {whom} a share below 0, which no election can have; the best fit does not."
    if not n_doubtful:
        return words
    return f"{words} Of {n_doubtful} the whole interval is out of range: <b>the model is doubtful</b>."


def climb_words(result: ManyResult) -> str:
    """Say how close expectation–maximisation came to the exact maximum."""
    gap = "a thousandth of a point" if result.em_gap < 1e-5 else f"{100 * result.em_gap:.2g} points"
    climb = "climbing the likelihood step by step (expectation–maximisation)"
    if result.em_converged and result.em_gap > 1e-3:
        return f"{climb} ends {gap} from it, for the likelihood is nearly flat: there it lacks less than a thousandth."
    if result.em_converged:
        return f"{climb} ends within {gap} of it."
    return (
        f"{climb} was stopped after {voting.EM_ITERATIONS:,} rounds, {gap} from it: the less the answers tell, the "
        "slower the climb."
    )
