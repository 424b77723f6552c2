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
        layout.section("What does privacy cost?", words)
    if problem or not math.isfinite(voters):
        return
    if voting_controls.PLAN_WIDTH.limit.contains(width):
        _price_figure(solve, voters, lie, width, share)
    else:
        st.caption(f"The curve is drawn for half-widths {voting_controls.PLAN_WIDTH.limit.range_text} alone.")


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
    curve = survey.curve(width, share, through=epsilon)
    honest = survey.voters_needed(0.0, width, share)
    (least, most_people), (most, least_people) = curve[0], curve[-1]
    layout.figure(
        "price",
        charts.price(curve, honest, (epsilon, voters), width),
        f"People to ask for a 95 % interval of ± {100 * width:.3g} points when {text.share(share)} voted A, against "
        f"the ε of one answer: {text.people(most_people)} at ε = {least:.2g}, {text.people(least_people)} at "
        f"ε = {most:.2g}, {text.people(honest)} if everyone told the truth.",
        lambda: [{"epsilon": e, "people": n} for e, n in curve],
        _price_code(solve, voters, lie, width, share),
    )


def _price_code(solve: str, voters: float, lie: float, width: float, share: float) -> str:
    solved = {
        PEOPLE: "people = survey.voters_needed(lie, width, share)",
        PRECISION: "width = survey.half_width(people, lie, share)",
    }.get(solve, "lie = survey.flip_prob_allowed(people, width, share)")
    given = {"people": f"{voters:.0f}", "lie": repr(lie), "width": repr(width), "share": repr(share)}
    del given[solved.split()[0]]
    return f"""
from privdemo import accounting
from privdemo.estimators import survey
from privdemo.figures import voting as charts

{", ".join(given)} = {", ".join(given.values())}
{solved}
print(people, lie, width)
epsilon = accounting.randomised_response_epsilon(lie)
curve = survey.curve(width, share, through=epsilon)
honest = survey.voters_needed(0.0, width, share)
charts.price(curve, honest, (epsilon, people), width).show()
"""


def _price_words(solve: str, voters: float, lie: float, width: float, share: float) -> str:
    epsilon = f"ε = {text.epsilon(accounting.randomised_response_epsilon(lie))}"
    if math.isinf(voters) or math.isinf(width):
        return "At ε = 0 the answers say nothing: no number of people is enough."
    points, who = f"± {100 * width:.3g} points", text.people(voters)
    if not voting_controls.PLAN_WIDTH.limit.contains(width):
        if width > 0.5:
            return f"The answer of {who} at {epsilon} says next to nothing: its interval is wider than all shares."
        return f"{who} at {epsilon} let you know this within <b>{points}</b>."
    honest = survey.voters_needed(0.0, width, share)
    if lie == 0:
        return f"{who} who all tell the truth ({epsilon}) let you know this within <b>{points}</b>."
    factor = survey.price(lie, share)
    same = (
        f" For the same standard error such lies take {text.times(factor)} times as many people."
        if math.isfinite(factor)
        else ""
    )
    if solve == PEOPLE:
        return (
            f"To know this within <b>{points}</b> at {epsilon} you need <b>N = {who.split()[0]}</b>, "
            f"<b>{text.times(voters / honest)} times as many</b> as if everyone told the truth ({honest:,.0f})."
        )
    if solve == PRECISION:
        return (
            f"{who} at {epsilon} let you know this within <b>{points}</b>; if everyone told the truth, "
            f"{text.people(honest)} would do.{same}"
        )
    return (
        f"With {who} and {points} wanted, everyone may lie with probability up to <b>{text.at_most(lie)}</b> "
        f"(<b>{epsilon}</b>). If everyone told the truth, {text.people(honest)} would do.{same}"
    )


# --- what the adversary sees ------------------------------------------------------------------------------


@st.fragment
def adversary(channel: BinaryChannel) -> None:
    """What one answer tells about a vote."""
    head = st.container()
    with st.container(horizontal=True, gap="medium"):
        prior = _prior()
        said = settings.choose(voting_controls.ANSWER, "The person says")
    _one_answer(head, channel, prior, said)


@st.fragment
def asking_twice(channel: BinaryChannel) -> None:
    """What many answers of the same person tell."""
    head = st.container()
    with st.container(horizontal=True, gap="medium"):
        with st.container(width=360):
            asked = settings.dial(voting_controls.ASKED, "Answers from the same person", step=1)
        prior = _prior()
    _asking_again(head, channel, prior, asked)


def _prior() -> float:
    with st.container(width=360):
        return settings.dial(
            voting_controls.PRIOR,
            "How likely is a vote for A, before any answer?",
            step=0.01,
            form="%.6g",
            help="What the adversary believes beforehand: the probability that this person voted A.",
        )


def _one_answer(head: Any, channel: BinaryChannel, prior: float, said: str) -> None:
    try:
        belief = accounting.posterior(channel.channel_matrix, [1 - prior, prior], int(said == "A"))
    except ValueError:
        with head:
            words = f"With this belief and these lies nobody can say {said}. Change one of them."
            layout.section("What the adversary sees", words)
        return
    after = float(belief[1])
    before_odds, after_odds = (text.odds(accounting.log_odds(p)) for p in (prior, after))
    bound = "by any factor" if math.isinf(channel.epsilon) else f"by {text.odds_factor(channel.epsilon)} at most"
    moved = f"went from {before_odds} to <b>{after_odds}</b>" if prior not in (0, 1) else "were settled before it"
    words = (
        f"Of 100 people who say {said}, <b>{text.per_hundred(after)}</b> voted A. Before the answer it was "
        f"{text.per_hundred(prior)}: the odds of A against B {moved}. Whatever is known beforehand, "
        f"ε = {text.epsilon(channel.epsilon)} lets one answer move odds {bound}."
    )
    with head:
        layout.section("What the adversary sees", words)
    fields = [
        _hundred(prior, "Before: 100 people like this one"),
        _hundred(after, f"After: 100 such people who say {said}"),
    ]
    summary = (
        f"Of 100 people {text.per_hundred(prior)} voted A before anything is said; of 100 people who say {said}, "
        f"{text.per_hundred(after)} did. The pictures round to whole people."
    )
    legend = {"voted A": people.VOTED_A, "voted B": people.VOTED_B}
    st.html(figures.people_html(fields, legend, summary))
    layout.under_figure(
        "one-answer",
        summary,
        lambda: [{"moment": "before", "voted_a": prior}, {"moment": f"after saying {said}", "voted_a": after}],
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


def _asking_again(head: Any, channel: BinaryChannel, prior: float, asked: int) -> None:
    all_asked = cached.asked_again(channel, prior)
    here, once = all_asked[asked - 1], all_asked[0]
    every = {1: "the answer is", 2: "both answers are"}.get(asked, f"all {asked} answers are")
    odds = float(here.log_odds[-1])
    told = f" If {every} A, the odds that this person voted A are <b>{text.odds(odds)}</b>."
    if math.isinf(odds):
        told = f" If {every} A, this person certainly voted {'A' if odds > 0 else 'B'}."
    times = "once" if asked == 1 else f"{asked} times, with a fresh lie each time"
    after_one = "" if asked == 1 else f", after one answer {text.share(once.best_guess_right)}"
    words = (
        f"Asked <b>{times}</b>, one person has spent "
        f"<b>ε = {text.epsilon(accounting.compose(channel.epsilon, asked))}</b>, and the adversary’s best guess of the "
        f"vote is right <b>{text.share(here.best_guess_right)}</b> of the time (before any answer "
        f"{text.share(here.guess_before)}{after_one}).{'' if math.isnan(odds) else told}"
    )
    with head:
        layout.section("Asking twice", words)
    layout.figure(
        "asking",
        charts.asking_again(all_asked, asked),
        f"At the top: how often a guess of one person’s vote is right after 1 to {len(all_asked)} answers; the "
        f"majority of {asked} is right {text.share(here.majority_right)} of the time. In the middle: how likely each "
        "number of answers A is; where the bars of the two kinds of voters stand apart, nothing can be denied. "
        "Below: the posterior, how likely it is that a person who said A so often voted A.",
        lambda: attacks.repeated_table(all_asked, channel.epsilon),
        f"""
from privdemo.attacks import repeated_answers
from privdemo.figures import voting as charts
from privdemo.mechanisms import BinaryChannel

channel = {channel!r}
found = [repeated_answers(channel, prior={prior!r}, n_answers=m) for m in range(1, {len(all_asked)} + 1)]
charts.asking_again(found, {asked}).show()
print(found[{asked} - 1].posterior)
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
    if election.channel.epsilon < 1e-9:
        with head:
            words = (
                "Your lies leave nothing of a vote in the answers (ε = 0): any candidate is named as often as another, "
            )
            layout.section("More than two candidates", f"{words}whatever the votes. Let people lie less.")
        return
    try:
        config = voting_controls.many_config(typed, election.channel.epsilon, election.n_voters, election.seed)
    except ValueError as error:
        with head:
            words = text.sentence(error)
            layout.section("More than two candidates", words)
        return
    _candidates_figure(head, config, cached.candidates(config))


def _candidates_figure(head: Any, config: voting.ManyConfig, result: voting.ManyResult) -> None:
    k = len(config.shares)
    negative = int((result.inversion < -1e-12).sum())
    if negative:
        whom = "a candidate" if negative == 1 else f"{negative} candidates"
        verdict = (
            f"The inverted channel gives {whom} a share below 0, which no election can have; projected, or by "
            "likelihood, none is."
        )
    else:
        verdict = "The inverted channel gives no share below 0, so it is the maximum of the likelihood too."
    epsilon = f"ε = {text.epsilon(config.epsilon)}"
    lies = (
        f"At the same {epsilon} a person who has <b>{k}</b> candidates to choose from names another than the true one "
    )
    lies += f"with probability <b>{text.probability(config.mechanism.flip_prob)}</b>."
    if config.mechanism.flip_prob == 0:
        lies = (
            f"Your lies leave answers that prove a vote ({epsilon}): promising as little among <b>{k}</b> candidates, "
        )
        lies += "everyone may tell the truth."
    words = f"{lies} {verdict}"
    with head:
        layout.section("More than two candidates", words)
    layout.figure(
        "candidates",
        charts.candidates(config.shares, result),
        f"True shares as bars, estimates from the answers of {text.people(config.n_voters)} as markers; the inverted "
        "channel with its 95 % intervals. The maximum of the likelihood is exact; "
        f"{_climb_words(result)}{'' if config.mechanism.flip_prob == 0 else ' The naive reading pulls all together.'}",
        lambda: voting.many_table(config, result),
        f"""
from privdemo.experiments.voting import ManyConfig, run_many
from privdemo.figures import voting as charts

config = {config!r}
result = run_many(config)
charts.candidates(config.shares, result).show()
""",
    )


def _climb_words(result: voting.ManyResult) -> str:
    """How near expectation–maximisation came to the exact maximum."""
    apart = "a thousandth of a point" if result.em_apart < 1e-5 else f"{100 * result.em_apart:.2g} points"
    if result.em_converged and result.em_apart > 1e-3:
        return (
            f"climbing the likelihood step by step (expectation–maximisation) ends {apart} from it, for the likelihood "
            "is nearly flat: there it lacks less than a thousandth."
        )
    if result.em_converged:
        return f"climbing the likelihood step by step (expectation–maximisation) ends within {apart} of it."
    return (
        f"climbing the likelihood step by step (expectation–maximisation) was stopped after {voting.EM_ITERATIONS:,} "
        f"rounds, {apart} from it: the less the answers tell, the slower the climb."
    )


# --- when naive training works ---------------------------------------------------------------------------------


@st.fragment
def naive_training() -> None:
    """The paper's appendix B: the direction that training on flipped labels finds."""
    head = st.container()
    config = voting_controls.naive_config()
    yours, same = (cached.naive_training_run(c) for c in (config, config.isotropic))
    with head:
        layout.section("When is it fine to train on lies?", _naive_words(config, yours))
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
    start = "A classifier is trained on labels that may be flipped, as if they were true."
    if config.contrast == 0:
        return f"{start} These flips leave nothing to learn: trained freely, the weights shrink to 0."
    right = yours.free_alpha == 0
    timid = ", so its probabilities are too timid" if right and yours.free_length < 0.995 else ""
    best = f"the best direction{'s are' if len(yours.best) > 1 else ' is'} <b>{_directions(yours)}</b> from the truth"
    return (
        f"{start} With Gaussian inputs around 0 and the length of its weights left free, as logistic regression leaves "
        f"it, they point <b>exactly the {'right' if right else 'wrong'} way</b> however the inputs are spread, at "
        f"<b>{yours.free_length:.2g}</b> of their true length{timid}. The paper fixes the true length; then {best}."
    )


def _directions(result: NaiveResult) -> str:
    return text.a_list(tuple(text.degrees(a) for a in result.best))


def _least(result: NaiveResult) -> str:
    if not result.best:
        return "all directions are equally good"
    at_truth = f"slopes by {text.near_zero(result.slope)} a radian"
    if text.near_zero(result.slope) == "0":
        at_truth = "is level, " + ("in a dip" if result.curvature > 0 else "on a hump")
    return f"it is least at α = {_directions(result)}, and at the truth, α = 0, it {at_truth}"
