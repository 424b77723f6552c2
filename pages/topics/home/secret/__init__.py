"""The story of the home page: a visitor's own secret, sent as a wheel decides, among the answers of simulated people.

What the visitor answers, writes, sends and guesses stays in the browser (secret.js), which gets from here whatever it
shows after either answer.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from pages.kit import numbers
from pages.kit.panel import Component, Panel
from pages.topics.home.question import ANSWERS, LIE, OTHERS, QUESTIONS, SECRET_SEED, SHARE
from privdemo import accounting, figures
from privdemo.experiments import poll, voting
from privdemo.figures import people
from privdemo.intervals import Estimate
from privdemo.mechanisms import BinaryChannel

_HERE = Path(__file__).parent
_CONFIG = voting.ElectionConfig(OTHERS, SHARE, BinaryChannel(LIE, LIE), 1, SECRET_SEED)
_POLL = poll.PollConfig(ANSWERS, LIE)


@dataclass(frozen=True)
class Case:
    """What a visitor sees who has sent the answer `sent`: the people with each answer, the visitor included, and what
    they tell.

    `meant` is the share of those with the same answer who mean it; `estimate` the share of Yes, corrected for the
    wheel.
    """

    sent: str
    said: tuple[int, int]
    meant: float
    estimate: Estimate

    @property
    def n_same(self) -> int:
        """How many people have sent the same answer, the visitor included."""
        return self.said[ANSWERS.index(self.sent)]


@cache
def others() -> voting.People:
    """Return the simulated people whom a visitor joins."""
    return voting.people(_CONFIG)


def true_share() -> float:
    """Return the share of the others for whom Yes is true."""
    return int(others().voted_a.sum()) / OTHERS


@cache
def cases() -> tuple[Case, Case]:
    """Return what a visitor sees who has sent Yes, and who has sent No."""
    kinds = voting.kinds(others(), _CONFIG.channel)
    yes = int(((kinds == voting.A_TRUE) | (kinds == voting.B_LIED)).sum())
    first, second = (_case(sent, yes) for sent in ANSWERS)
    return first, second


def _case(sent: str, yes: int) -> Case:
    """Return what a visitor sees who has sent an answer, where `yes` of the others sent Yes."""
    is_yes = sent == ANSWERS[0]
    said = (yes + is_yes, OTHERS - yes + (not is_yes))
    posterior = accounting.posterior(_CONFIG.channel.channel_matrix, [1 - SHARE, SHARE], int(is_yes))
    estimate = poll.reveal(_POLL, said).readings[0].estimated
    return Case(sent, said, float(posterior[int(is_yes)]), estimate)


def panel() -> Panel:
    """Return the panel of the story."""
    return Panel(
        "secret",
        figure=Component(
            "secret", _html(), figures.PEOPLE_CSS + _read("secret.css"), _read("secret.js"), _data(), _still
        ),
    )


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _html() -> str:
    """Return the HTML of all steps."""
    choices = "\n".join(
        f'<label class="choice"><input type="radio" name="question" value="{i}"{" checked" * (i == 0)}> '
        f"{escape(words)}</label>"
        for i, words in enumerate(QUESTIONS)
    )
    truths, lies = numbers.out_of_100(1 - LIE), numbers.out_of_100(LIE)
    return _read("secret.html").format(
        choices=choices, truths=truths, lies=lies, percent=100 * LIE, others=f"{OTHERS:,}"
    )


def _data() -> dict[str, Any]:
    """Return what the browser needs for every step and either answer."""
    kinds, truth = voting.kinds(others(), _CONFIG.channel), numbers.share(true_share())
    signs = [(f"sent {answer}", dot) for answer, dot in zip(ANSWERS, (people.SAID_A, people.SAID_B), strict=True)]
    first, second = ANSWERS
    changed = [
        (f"the wheel changed {second} to {first}", people.SAID_A.changed),
        (f"the wheel changed {first} to {second}", people.SAID_B.changed),
    ]
    return {
        "questions": QUESTIONS,
        "answers": ANSWERS,
        "lie": LIE,
        "kinds": base64.b64encode(kinds.tobytes()).decode(),
        "sent": _field(people.ANSWERS, signs),
        "happened": _field(people.TRUTH, signs + changed),
        "cases": [_case_data(case) for case in cases()],
        "truth": {
            "value": 100 * true_share(),
            "text": truth,
            "key": f"the truth: {truth} of the {OTHERS:,} others",
        },
        "words": {
            "empty": "First write your question, or choose one of the others.",
            "same": "The wheel says: send the truth.",
            "other": "The wheel says: send the other answer.",
            "sent": "A collector would now receive:",
            "deny": "Nobody can tell from it whether the wheel chose the truth.",
            "guess": "{guess} of 100",
            "unmoved": "no guess yet",
            "high": f"You guessed {{guess}} %; it is {truth}: {{off}} {{points}} too high.",
            "low": f"You guessed {{guess}} %; it is {truth}: {{off}} {{points}} too low.",
            "right": f"You guessed {{guess}} %; it is {truth}: just right.",
            "yours": "your guess: {guess} %",
            "happened": f"What really happened, which nobody sees: of {OTHERS + 1:,} people, those whose answer the "
            "wheel changed are hollow.",
            "strip": "From 0 to 100 %: your guess {guess} %, the truth {truth}, the corrected estimate {text}.",
            "ticks": [0, 25, 50, 75, 100],
        },
    }


def _field(dots: dict[int, people.Dot], legend: list[tuple[str, people.Dot]]) -> dict[str, Any]:
    """Return how the browser plots all people, with its legend."""
    signs = [{"name": name, "sign": dot.sign, "colour": dot.colour} for name, dot in legend]
    return {**people.plan("", dots, OTHERS + 1), "legend": signs}


def _case_data(case: Case) -> dict[str, Any]:
    """Return the words and numbers for a visitor who has sent an answer."""
    total, yes, estimate = f"{OTHERS + 1:,}", f"{case.said[0]:,}", case.estimate
    shown = numbers.with_half(estimate)
    return {
        "picture": f"{total} people: {yes} sent {ANSWERS[0]}, {case.said[1]:,} sent {ANSWERS[1]}.",
        "found": [
            f"{case.n_same:,} people sent {case.sent}. You are one of them, and nobody can tell which.",
            f"On average, {case.sent} is the true answer of {numbers.out_of_100(case.meant)} people who send it. "
            "The others send it because of the wheel.",
        ],
        "observed": f"{yes} of {total} people sent {ANSWERS[0]}, but some of them only because of the wheel.",
        "estimate": {
            "value": 100 * estimate.mean,
            "low": 100 * estimate.low,
            "high": 100 * estimate.high,
            "text": shown,
            "key": f"corrected for the wheel: {shown} (95 % interval)",
        },
        "sentence": f"{yes} of {total} sent {ANSWERS[0]}. We know how often the wheel changes an answer, so we can "
        f"correct for it: {shown} have done it. Nobody’s true answer has to be known.",
    }


def _summary() -> str:
    """Describe the story in words."""
    by_case = "; ".join(
        f"if you send {case.sent}, {numbers.out_of_100(case.meant)} who send the same mean it, and the corrected share "
        f"of {ANSWERS[0]} is {numbers.with_range(case.estimate)}"
        for case in cases()
    )
    return (
        f"You and {OTHERS:,} simulated people, of whom {numbers.share(true_share())} have done it, each send the truth "
        f"or, with a chance of {numbers.percent(LIE)}, the other answer: {by_case}."
    )


def _still() -> str:
    """Return a picture of the others, for reports."""
    kinds = voting.kinds(others(), _CONFIG.channel)
    field = figures.dot_field(f"What {OTHERS:,} people sent", kinds, people.ANSWERS)
    legend = dict(zip(ANSWERS, (people.SAID_A, people.SAID_B), strict=True))
    return figures.people_html([field], legend, _summary())
