"""The chapter on fake clients: by how much they can raise an answer’s share, and whether a collector can undo it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape

from pages.kit import cache, numbers
from pages.kit.panel import Chart, Panel, Prediction, Scale
from pages.topics.many_answers.answer import Answer, bare_points, column, points, snippet, title
from pages.topics.many_answers.question import Pushing
from privdemo import limits
from privdemo.disobedience.defences import CONSISTENT, NONE, RECOVERED, TARGETS_KNOWN
from privdemo.disobedience.many_answers import CRAFTED, PRETEND
from privdemo.experiments import many_answers
from privdemo.experiments.many_answers import RANDOMISED_RESPONSE as RESPONSE
from privdemo.experiments.many_answers import AnswersConfig, AttackedSurvey, Attackers
from privdemo.figures import attackers as charts
from privdemo.methods import DEFENCES, FREQUENCY_ORACLES

attacked = cache.shared_or_private(many_answers.attacked)

_QUESTION = "Does more privacy make an attacker stronger or weaker?"
# Which guesses of a rise can be marked, in points.
_MOST_GUESSED = 100
# A defence helps if it takes this part of the rise off, as far as that is below 100 %.
_HELPS_FROM = 0.5


@dataclass(frozen=True, eq=False)
class Attack:
    """What fake clients do to the visitor’s question: `rises` of their target’s share along ε, by crafted reports."""

    answer: Answer
    attackers: Attackers
    rises: Mapping[float, Mapping[str, float]]

    @property
    def config(self) -> AnswersConfig:
        """The visitor’s config."""
        return self.answer.question.config

    @property
    def share(self) -> float:
        """The target’s true share."""
        return float(self.answer.release.truth.shares[self.attackers.target])

    @property
    def name(self) -> str:
        """The target’s name."""
        return self.answer.release.truth.names[self.attackers.target]

    @property
    def pretended(self) -> float:
        """By how much the target’s share rises if they only pretend that it is true of them."""
        return self.attackers.part * (1 - self.share)

    @property
    def pretends(self) -> bool:
        """Whether the fake clients only pretend that the answer is true of them."""
        return self.attackers.attack == PRETEND

    @property
    def quoted(self) -> str:
        """The answer’s name in quotes, as HTML."""
        return f"“{escape(self.name)}”"

    @property
    def here(self) -> Mapping[str, float]:
        """By how much the share rises at the visitor’s ε by crafted reports, by oracle."""
        return self.rises[self.config.epsilon]

    @property
    def rise(self) -> float:
        """By how much it rises by the visitor’s own method and attack."""
        return self.pretended if self.pretends else self.here[self.config.oracle]

    @property
    def rival(self) -> str:
        """The oracle by which it rises most, or least if that is the visitor’s own."""
        most, least = (end(self.here, key=lambda name: self.here[name]) for end in (max, min))
        return most if most != self.config.oracle else least


def who_can_push(answer: Answer, pushing: Pushing | None = None) -> list[Panel]:
    """Return the panels of how far fake clients push an answer along ε, and of what defences leave of it."""
    pushing = pushing or Pushing()
    attack = _attack(answer, pushing)
    if not pushing.part:
        return [
            Panel("attackers", _QUESTION, "There are no fake participants, so nothing is pushed. Choose some above.")
        ]
    if not attack.pretended:
        return [Panel("attackers", _QUESTION, f"All people give {attack.quoted} already, so nothing can be pushed.")]
    return [_along(attack, pushing), *([_defences(attack)] if round(pushing.part * attack.config.people) else [])]


def _attack(answer: Answer, pushing: Pushing) -> Attack:
    """Return what fake clients do to an answer’s question."""
    people, epsilon = answer.release.truth, answer.question.config.epsilon
    target = many_answers.target_of(people, many_answers.RAREST if pushing.is_rarest else many_answers.FREQUENT)
    crafted = Attackers(target, pushing.part, CRAFTED)
    rises = many_answers.pushed(answer.k, float(people.shares[target]), epsilon, crafted)
    return Attack(answer, replace(crafted, attack=pushing.attack), rises)


def _along(attack: Attack, pushing: Pushing) -> Panel:
    """Return the panel of the rise along ε."""
    shown = () if attack.pretends else _shown(attack, pushing.all)
    chart = charts.pushed(attack.rises, shown, attack.pretended, attack.config.epsilon, attack.name)
    attackers = attack.attackers
    return Panel(
        "attackers",
        _QUESTION,
        _words(attack),
        Chart(chart),
        _summary(attack),
        lambda: [
            {"epsilon": level, **column(name), "rise": rise, "rise if they pretend": attack.pretended}
            for level, at in attack.rises.items()
            for name, rise in at.items()
        ],
        snippet(attack.answer.question).then(
            f"attackers = many_answers.Attackers({attackers.target}, {attackers.part!r}, {attackers.attack!r})",
            "people = many_answers.truth(config)",
            f"share = people.shares[{attackers.target}]",
            "for epsilon, rises in many_answers.pushed(people.k, share, config.epsilon, attackers).items():",
            "    print(epsilon, rises)",
        ),
        note=_note(attack, shown),
        prediction=_prediction(attack),
    )


def _shown(attack: Attack, all_six: bool) -> tuple[str, ...]:
    """Return the methods to show: all, or three: the visitor’s own, the papers’, and the one that is pushed least."""
    least = min(attack.here, key=lambda name: attack.here[name])
    wanted = (attack.config.oracle, RESPONSE, least, attack.rival, "optimised unary")
    three = [name for name in dict.fromkeys(wanted) if name in attack.here][:3]
    return tuple(name for name in FREQUENCY_ORACLES if name in (attack.here if all_six else three))


def _words(attack: Attack) -> str:
    """Say by how much the answer rises at the visitor’s ε, and at another one."""
    fake = f"<b>{numbers.per_hundred(attack.attackers.part)} fake participants in 100</b>"
    if attack.pretends:
        return (
            f"{fake} who pretend that {attack.quoted} is true of them, and then follow the rules, raise its share by "
            f"<b>{points(attack.rise)}</b>, with every method and at every ε."
        )
    epsilon, own, rival = attack.config.epsilon, attack.config.oracle, attack.rival
    other = epsilon / 2 if epsilon / 2 >= limits.ORACLE_EPSILON.low else 2 * epsilon
    then = many_answers.pushed(attack.answer.k, attack.share, other, attack.attackers)[other]
    more, less = (then, attack.here) if other < epsilon else (attack.here, then)
    law = "<b>Stronger.</b> " * all(more[name] > 1.01 * less[name] for name in (own, rival))
    beside = f" With {title(rival)}: by {_up_to_100(attack.here[rival])} and {_up_to_100(then[rival])} points." * (
        rival != own
    )
    return (
        f"{law}With {title(own)}, {fake} raise the share of {attack.quoted} by <b>{_up_to_100(attack.here[own])}</b> "
        f"points at ε = {numbers.epsilon(epsilon)}, and by <b>{_up_to_100(then[own])}</b> at ε = "
        f"{numbers.epsilon(other)}.{beside}"
    )


def _up_to_100(rise: float) -> str:
    """Write a rise in points; above 100, which no share can rise by, in words."""
    return bare_points(rise) if rise <= 1 else "more than 100"


def _note(attack: Attack, shown: Sequence[str]) -> str:
    """Say what is pushed, and what a rise above 100 points means if the figure shows one."""
    words = f"The true share of {attack.quoted} is {numbers.share(attack.share)}."
    if any(at[name] > 1 for at in attack.rises.values() for name in shown):
        words += (
            " No share can rise by more than 100 points: where a curve is above that, far fewer fake participants are "
            "enough."
        )
    return words


def _summary(attack: Attack) -> str:
    """Describe the figure of rises."""
    ends = min(attack.rises), attack.config.epsilon, max(attack.rises)
    crafted = "; ".join(
        f"{title(name)} "
        + ", ".join(f"{bare_points(attack.rises[at][name])} at ε = {numbers.epsilon(at)}" for at in dict.fromkeys(ends))
        for name in attack.here
    )
    return (
        f"Fake clients, {numbers.per_hundred(attack.attackers.part)} of 100 people, push {attack.quoted}, which "
        f" {numbers.share(attack.share)} of the others have. By how many points its estimated share rises on "
        f"average, by inversion, in closed form: if they pretend that it is true of them, {points(attack.pretended)} "
        f"everywhere; if they send the report that helps it most, {crafted}."
    )


def _prediction(attack: Attack) -> Prediction | None:
    """Return the guess by how many points the answer rises; None where that is beyond guessing."""
    truth = 100 * attack.rise
    if truth > _MOST_GUESSED:
        return None
    how = (
        "They pretend that it is true of them and then follow the rules"
        if attack.pretends
        else "Each sends whatever report helps it most"
    )
    return Prediction(
        "fake-clients",
        f"<b>{numbers.per_hundred(attack.attackers.part)} of 100</b> who answer are fake clients. They push "
        f"{attack.quoted}, which is true of {numbers.share(attack.share)}. {how}. <b>By how many percentage points "
        f"does its estimated share rise</b> (ε = {numbers.epsilon(attack.config.epsilon)}, "
        f"{title(attack.config.oracle)})?",
        truth,
        Scale(0.0, _MOST_GUESSED, 1, " points"),
        Chart(charts.pushed(attack.rises, (), attack.pretended, attack.config.epsilon, attack.name)),
        _why(attack),
    )


def _why(attack: Attack) -> str:
    """Say why the answer rises so much."""
    if attack.pretends:
        return "Nobody can tell these clients from people of whom the answer is true."
    counts_as = attack.rise / attack.attackers.part + attack.share
    if counts_as < 1.05:
        return "At this ε chance changes so few reports that a fake one counts as one person."
    return (
        "An honest report is partly chance, and the correction makes up for that. A fake report leaves nothing to "
        f"chance, so that it counts as {numbers.times(counts_as)} people."
    )


# --- defences ------------------------------------------------------------------------------------


def _defences(attack: Attack) -> Panel:
    """Return the panel of what each defence makes of one survey under attack."""
    found = attacked(attack.config, attack.attackers)
    attackers = attack.attackers
    return Panel(
        "defences",
        "Can whoever collects the answers undo it?",
        _defence_words(attack, found),
        Chart(charts.defended(found, attack.name)),
        f"One simulated survey of {numbers.people(attack.config.people)} by {title(attack.config.oracle)}, ε = "
        f"{numbers.epsilon(attack.config.epsilon)}. {attack.quoted} is true of {numbers.share(found.true)}. "
        + "; ".join(
            f"{DEFENCES[name].title}: {numbers.share(one.share)}, and a share is off by {points(one.error)}"
            for name, one in found.left.items()
        )
        + ". Errors are roots of mean squares over all answers.",
        lambda: [
            {**DEFENCES[name].columns, "true": found.true, "estimate": one.share, "error": one.error}
            for name, one in found.left.items()
        ],
        snippet(attack.answer.question).then(
            f"attackers = many_answers.Attackers({attackers.target}, {attackers.part!r}, {attackers.attack!r})",
            "found = many_answers.attacked(config, attackers)",
            "print(found.true)",
            "for defence, left in found.left.items():",
            "    print(defence, left.share, left.error)",
        ),
        note=_defence_note(attack),
    )


def _defence_words(attack: Attack, found: AttackedSurvey) -> str:
    """Say what the answer’s share looks like without a defence and with each."""
    none, nearest, recovered, told = (found.left[name].share for name in (NONE, CONSISTENT, RECOVERED, TARGETS_KNOWN))
    rise = none - found.true
    start = (
        f"In one simulated survey the estimated share of {attack.quoted} is <b>{numbers.share(none)}</b> instead of "
        f"{numbers.share(found.true)}."
    )
    if rise <= 0:
        return f"{start} Chance hides the attack here."
    given = (
        f"the {DEFENCES[CONSISTENT].title} give {numbers.share(nearest)}, LDPRecover gives {numbers.share(recovered)}. "
        f"Told which answer is pushed, LDPRecover gives {numbers.share(told)}"
        f"{', less than the truth' * (told < found.true)}."
    )
    if attack.pretends:
        return f"{start} <b>No:</b> nobody can tell these clients from people of whom it is true; {given}"
    possible = min(none, 1.0) - found.true
    helps = min(abs(nearest - found.true), abs(recovered - found.true)) <= (1 - _HELPS_FROM) * possible
    return f"{start} <b>{'In part' if helps else 'Hardly'}:</b> {given}"


def _defence_note(attack: Attack) -> str:
    """Say what the defences do."""
    return (
        f"{numbers.capital(DEFENCES[CONSISTENT].title)}: none below 0, and 100 % in all. LDPRecover (Sun et al. 2024) "
        "takes off what fake reports are thought to add; it is told that "
        f"{numbers.per_hundred(attack.attackers.part)} of 100 are fake."
    )
