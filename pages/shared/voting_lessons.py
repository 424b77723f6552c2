"""The other lessons of the voting page, each with its own controls: price, adversary, asking again, and more."""

from __future__ import annotations

import math
from typing import Any

import streamlit as st

from pages.shared import cached, layout, lies, settings, text, voting_controls
from pages.shared.voting_controls import PEOPLE, PRECISION
from privdemo import accounting, attacks, figures
from privdemo.estimators import survey
from privdemo.experiments import voting
from privdemo.experiments.naive_training import NaiveConfig, NaiveResult
from privdemo.experiments.voting import ElectionConfig
from privdemo.figures import people
from privdemo.figures import voting as charts
from privdemo.mechanisms import BinaryChannel

# --- the price of privacy ------------------------------------------------------------------------------


@st.fragment
def price() -> None:
    """Any one of people, privacy and precision from the other two."""
    head = st.container()
    solve = settings.choose(voting_controls.SOLVE, "Find out the")
    voters, lie, width, share = _plan(solve)
    honest = survey.voters_needed(0.0, width, share)
    problem = ""
    if solve == PEOPLE:
        voters = survey.voters_needed(lie, width, share)
    elif solve == PRECISION:
        width = survey.half_width(voters, lie, share)
    elif voters < honest:
        problem = (
            f"{text.people(voters)} cannot tell this within ± {100 * width:.3g} points: that takes "
            f"<b>{text.people(honest)}</b> even if everyone tells the truth. Ask more, or accept a wider interval."
        )
    else:
        lie = survey.flip_prob_allowed(voters, width, share)
    with head:
        words = problem or _price_words(solve, voters, lie, width, share)
        layout.section("What does privacy cost?", "price", words)
    if not problem and voting_controls.PLAN_WIDTH.limit.contains(width) and math.isfinite(voters):
        _price_figure(solve, voters, lie, width, share)


def _plan(solve: str) -> tuple[float, float, float, float]:
    """People, lie, half-width and share: what `solve` starts from; the one it looks for stands at its default."""
    voters, lie, width = (
        float(setting.default)
        for setting in (voting_controls.PLAN_VOTERS, voting_controls.PLAN_LIE, voting_controls.PLAN_WIDTH)
    )
    first, second, third = st.columns(3, gap="medium")
    if solve != PEOPLE:
        with first:
            voters = settings.number(voting_controls.PLAN_VOTERS, "People you can ask", step=1000)
    if solve != voting_controls.PRIVACY:
        with second if solve == PRECISION else first:
            lie = lies.symmetric(
                voting_controls.PLAN_LIE,
                2,
                name="plan",
                label="Everyone lies with probability",
                p_label="p",
                epsilon_label="ε",
            )
    if solve != PRECISION:
        with second:
            width = settings.dial(voting_controls.PLAN_WIDTH, "Within ± (0.02 is 2 points)", step=0.001, form="%.6g")
    with third:
        share = settings.dial(
            voting_controls.PLAN_SHARE,
            "Expected share of A",
            step=0.01,
            form="%.6g",
            help="0.5 is the safe choice: no other share needs more people.",
        )
    return voters, lie, width, share


def _price_figure(solve: str, voters: float, lie: float, width: float, share: float) -> None:
    epsilon = accounting.randomised_response_epsilon(lie)
    curve = survey.curve(width, share)
    epsilons, needed = zip(*curve, strict=True)
    honest = survey.voters_needed(0.0, width, share)
    here = (epsilon, voters) if epsilons[0] <= epsilon <= epsilons[-1] else None
    layout.figure(
        "price",
        charts.price(epsilons, needed, honest, here, width),
        f"People to ask for a 95 % interval of ± {100 * width:.3g} points when {text.share(share, 0)} voted A, against "
        f"the ε of one answer: {needed[0]:,.0f} at ε = {epsilons[0]:.2g}, {needed[-1]:,.0f} at ε = {epsilons[-1]:.2g}, "
        f"{honest:,.0f} if everyone told the truth.",
        lambda: [{"epsilon": e, "people": n} for e, n in curve],
        _price_code(solve, voters, lie, width, share),
    )


def _price_code(solve: str, voters: float, lie: float, width: float, share: float) -> str:
    solved = {
        PEOPLE: f"people = survey.voters_needed({lie!r}, {width!r}, {share!r})",
        PRECISION: f"width = survey.half_width({voters:.0f}, {lie!r}, {share!r})",
    }.get(solve, f"lie = survey.flip_prob_allowed({voters:.0f}, {width!r}, {share!r})")
    return f"""
from privdemo import accounting
from privdemo.estimators import survey
from privdemo.figures import voting as charts

{solved}
epsilons, needed = zip(*survey.curve({width!r}, {share!r}))
honest = survey.voters_needed(0.0, {width!r}, {share!r})
here = accounting.randomised_response_epsilon({lie!r}), {voters:.0f}
charts.price(epsilons, needed, honest, here, {width!r}).show()
"""


def _price_words(solve: str, voters: float, lie: float, width: float, share: float) -> str:
    epsilon = f"ε = {text.epsilon(accounting.randomised_response_epsilon(lie))}"
    if math.isinf(voters) or math.isinf(width):
        return "At ε = 0 the answers say nothing: no number of people is enough."
    factor = survey.price(lie, share)
    more = f"<b>{text.times(factor)} times as many</b> as" if math.isfinite(factor) else "where one would do"
    points = f"± {100 * width:.3g} points"
    who = text.people(voters)
    if width > 0.5:
        return f"{who} at {epsilon} tell you next to nothing: a 95 % interval is wider than all shares there are."
    if solve == PEOPLE:
        honest = survey.voters_needed(0.0, width, share)
        return (
            f"To know this within <b>{points}</b> at {epsilon} you need <b>N = {voters:,.0f}</b>, {more} if everyone "
            f"told the truth ({honest:,.0f})."
        )
    if solve == PRECISION:
        honest_width = survey.half_width(int(voters), 0.0, share)
        return (
            f"{who} at {epsilon} tell you this within <b>{points}</b>; if everyone told the truth, "
            f"within ± {100 * honest_width:.3g}."
        )
    honest = survey.voters_needed(0.0, width, share)
    return (
        f"With {who} and {points} wanted, everyone may lie with probability up to <b>{lie:.4g}</b> "
        f"(<b>{epsilon}</b>). If everyone told the truth, {text.people(honest)} would do."
    )


# --- what the adversary sees ------------------------------------------------------------------------------


@st.fragment
def adversary(channel: BinaryChannel) -> None:
    """One answer, then many from the same person: what they tell about a vote."""
    head = st.container()
    with st.container(horizontal=True, key="adversary-controls", gap="medium"):
        with st.container(width=360):
            prior = settings.dial(
                voting_controls.PRIOR,
                "How likely is a vote for A, before the answer?",
                step=0.01,
                form="%.6g",
                help="What the adversary believes beforehand: the probability that this person voted A.",
            )
        said = settings.choose(voting_controls.ANSWER, "The person says")
    _one_answer(head, channel, prior, said)
    head = st.container()
    with st.container(width=360):
        asked = settings.dial(voting_controls.ASKED, "Answers from the same person", step=1)
    _asking_again(head, channel, prior, asked)


def _one_answer(head: Any, channel: BinaryChannel, prior: float, said: str) -> None:
    try:
        _, belief = accounting.posterior(channel.channel_matrix, [1 - prior, prior], int(said == "A"))
    except ValueError:
        with head:
            words = f"With this belief and these lies nobody can say {said}. Change one of them."
            layout.section("What the adversary sees", "adversary", words)
        return
    bound = accounting.posterior_odds(1.0, channel.epsilon)
    most = "by any factor" if math.isinf(bound) else f"by {text.odds_factor(channel.epsilon)} at most"
    words = (
        f"Of 100 people who say {said}, <b>{_per_hundred(belief)}</b> voted A. Before the answer it was "
        f"{_per_hundred(prior)}: the odds of A against B went from {_odds(prior)} to <b>{_odds(belief)}</b>. Whatever "
        f"is known beforehand, ε = {text.epsilon(channel.epsilon)} lets one answer move odds {most}."
    )
    with head:
        layout.section("What the adversary sees", "adversary", words)
    fields = [
        _hundred(prior, "Before: 100 people like this one"),
        _hundred(belief, f"After: 100 such people who say {said}"),
    ]
    summary = (
        f"Of 100 people {100 * prior:.3g} voted A before anything is said; of 100 people who say {said}, "
        f"{100 * belief:.3g} did. The pictures round to whole people."
    )
    legend = {"voted A": people.VOTED_A, "voted B": people.VOTED_B}
    st.html(figures.people_html(fields, legend, summary))
    layout.under_figure(
        "one-answer",
        summary,
        lambda: [{"moment": "before", "voted_a": prior}, {"moment": f"after saying {said}", "voted_a": float(belief)}],
        lambda: figures.people_page(fields, legend, summary),
        f"""
from privdemo import accounting
from privdemo.mechanisms import BinaryChannel

channel = {channel!r}
_, belief = accounting.posterior(channel.channel_matrix, [1 - {prior!r}, {prior!r}], observed={int(said == "A")})
print(f"of 100 people who say {said}, {{100 * belief:.3g}} voted A")
""",
    )


def _hundred(share: float, heading: str) -> people.Field:
    n = round(100 * share)
    return figures.dot_field(heading, voting.first_voted_a(n, 100), people.TRUTH, columns=20)


def _per_hundred(share: float) -> str:
    return f"{100 * share:.3g}" if share < 0.999 or share == 1 else f"{100 * share:.6g}"


def _odds(share: float) -> str:
    """Odds as people say them: “4 to 1”, “even”, “1 to 4”."""
    if share in (0.0, 1.0):
        return "certainly A" if share else "certainly B"
    odds = share / (1 - share)
    if math.isclose(odds, 1, rel_tol=1e-9):
        return "even"
    return f"{odds:,.3g} to 1" if odds >= 1 else f"1 to {1 / odds:,.3g}"


def _asking_again(head: Any, channel: BinaryChannel, prior: float, asked: int) -> None:
    all_asked = [attacks.repeated_answers(channel, prior, m) for m in range(1, 51)]
    here, once = all_asked[asked - 1], all_asked[0]
    every = "the answer is" if asked == 1 else f"all {asked} answers are"
    belief = here.posterior[-1]
    told = (
        "" if math.isnan(belief) else f" If {every} A, then of 100 such people <b>{_per_hundred(belief)}</b> voted A."
    )
    total = asked * channel.epsilon if channel.epsilon else 0.0
    words = (
        f"Asked <b>{asked}</b> time{'s' if asked > 1 else ''}, with a fresh lie each time, one person has spent "
        f"<b>ε = {text.epsilon(total)}</b>, and the adversary’s best guess of the vote is right "
        f"<b>{text.share(here.best_guess_right)}</b> of the time (after one answer: "
        f"{text.share(once.best_guess_right)})."
        f"{told}"
    )
    with head:
        layout.section("Asking twice", "twice", words)
    rows = [(m, r.majority_right, r.best_guess_right) for m, r in enumerate(all_asked, start=1)]
    layout.figure(
        "asking",
        charts.asking_again(rows, here, asked),
        f"Above: how often one person’s vote is found out after 1 to 50 answers; the majority of {asked} is right "
        f"{text.share(here.majority_right)} of the time. Below: how likely each number of answers A is; where the bars "
        "of the two kinds of voters stand apart, nothing can be denied any more.",
        lambda: [
            {"answers": m, "epsilon": m * channel.epsilon, "majority_right": right, "best_guess_right": best}
            for m, right, best in rows
        ],
        f"""
from privdemo.attacks import repeated_answers
from privdemo.figures import voting as charts
from privdemo.mechanisms import BinaryChannel

channel = {channel!r}
found = [repeated_answers(channel, prior={prior!r}, n_answers=m) for m in range(1, 51)]
rows = [(m, r.majority_right, r.best_guess_right) for m, r in enumerate(found, start=1)]
charts.asking_again(rows, found[{asked} - 1], {asked}).show()
""",
    )


# --- more than two candidates ------------------------------------------------------------------------------


@st.fragment
def candidates(election: ElectionConfig) -> None:
    """The same ε among k candidates: the channel inverted, projected, and the exact maximum of the likelihood."""
    head = st.container()
    typed = settings.write(
        voting_controls.SHARES, "True shares of the candidates", "Two to twenty numbers that sum to 1, with commas."
    )
    try:
        config = voting_controls.many_config(typed, election.channel.epsilon, election.n_voters, election.seed)
    except ValueError as error:
        with head:
            words = text.sentence(error)
            layout.section("More than two candidates", "candidates", words)
        return
    _candidates_figure(head, config, cached.candidates(config))


def _candidates_figure(head: Any, config: voting.ManyConfig, result: voting.ManyResult) -> None:
    k = len(config.shares)
    negative = int((result.inversion < 0).sum())
    if negative:
        verdict = (
            f"The inverted channel gives {negative} candidate{'s' if negative > 1 else ''} a share below 0; projected, "
            "and as the maximum of the likelihood, they get none."
        )
    else:
        verdict = "The inverted channel keeps all shares above 0, so it is the maximum of the likelihood too."
    words = (
        f"At the same ε = {text.epsilon(config.epsilon)} a person who has <b>{k}</b> candidates to choose from names "
        f"another than the true one with probability <b>{config.mechanism.flip_prob:.3g}</b>. {verdict}"
    )
    with head:
        layout.section("More than two candidates", "candidates", words)
    layout.figure(
        "candidates",
        charts.candidates(config.shares, result),
        f"True shares as bars, estimates from the answers of {text.people(config.n_voters)} as markers; the inverted "
        "channel with its 95 % intervals. The naive reading pulls all candidates together.",
        lambda: voting.many_table(config, result),
        f"""
from privdemo.experiments.voting import ManyConfig, run_many
from privdemo.figures import voting as charts

config = {config!r}
result = run_many(config)
charts.candidates(config.shares, result).show()
""",
    )


# --- when naive training works ---------------------------------------------------------------------------------


@st.fragment
def naive_training() -> None:
    """The paper's appendix B: the direction that training on flipped labels finds."""
    head = st.container()
    config = voting_controls.naive_config()
    yours, same = (cached.naive_training_run(c) for c in (config, config.isotropic))
    with head:
        layout.section("When is it fine to train on lies?", "naive-training", _naive_words(config, yours))
    layout.figure(
        "naive-training",
        charts.naive_training(same, yours),
        "The loss of naive training, −L′∞(α) of the paper’s equation 104, against the direction of weights of length "
        f"1, in nats a person above its least. With the same spread in all directions {_least(same)}; with your "
        f"inputs {_least(yours)}.",
        lambda: [
            {"alpha": float(a), "loss": float(loss), "loss_same_spread": float(other)}
            for a, loss, other in zip(yours.alpha, yours.loss, same.loss, strict=True)
        ],
        f"""
from privdemo.experiments.naive_training import NaiveConfig, run
from privdemo.figures import voting as charts

config = {config!r}
charts.naive_training(run(config.isotropic), run(config)).show()
""",
    )


def _naive_words(config: NaiveConfig, yours: NaiveResult) -> str:
    start = "A classifier is trained on flipped labels as if they were true."
    if config.contrast == 0:
        return f"{start} These flips leave nothing to learn: trained freely, the weights shrink to 0."
    right = config.contrast > 0
    timid = ", so its probabilities are too timid" if right and yours.free_length < 0.995 else ""
    return (
        f"{start} With Gaussian inputs around 0 and the length of its weights left free, as logistic regression leaves "
        f"it, they point <b>exactly the {'right' if right else 'wrong'} way</b> however the inputs are spread, at "
        f"<b>{yours.free_length:.2f}</b> of their true length{timid}. The paper holds them at the true length; then "
        f"the best direction is <b>{_direction(yours)}</b> from the truth."
    )


def _direction(result: NaiveResult) -> str:
    return f"±{text.degrees(abs(result.best))}" if result.tied else text.degrees(result.best)


def _least(result: NaiveResult) -> str:
    if math.isnan(result.best):
        return "all directions are equally bad"
    return (
        f"it is least at α = {_direction(result)}, and at 0 its slope is {text.near_zero(result.slope)} and its "
        f"curvature {text.near_zero(result.curvature)} (in radians)"
    )
