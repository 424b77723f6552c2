"""How often guesses between two answers are right, as bars of 100 guesses: a card beside others, and rows."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import NamedTuple

from privdemo import limits, palette

GUESS_BAR_CSS = f"""
.guesses {{ font-variant-numeric: tabular-nums; margin: 0.5rem 0; max-width: 75rem; }}
.guesses > h4 {{ font-size: 1rem; font-weight: 600; margin: 0 0 0.5rem; padding: 0; line-height: 1.3; }}
.guesses .card .number {{ font-size: 1.25rem; margin-bottom: 0.35rem; }}
.guesses summary {{ margin-top: 0.75rem; cursor: pointer; font-weight: 600; }}
.guesses details p {{ font-size: max(0.9rem, var(--least-letters, 0px)); margin: 0.5rem 0 0; line-height: 1.4; }}
.guess-row {{ display: grid; grid-template-columns: minmax(0, 23rem) minmax(0, 1fr) 14rem; gap: 0 1.25rem;
  align-items: center; padding: 0.5rem 0; line-height: 1.3; }}
.guess-row small {{ display: block; font-size: max(0.875rem, var(--least-letters, 0px)); opacity: 0.85; }}
.guess-row b {{ font-weight: 600; }}
.guess-row .number {{ font-size: 1.1rem; font-weight: 600; }}
.guesses .track {{ display: flex; height: 1rem; background: rgba(128, 128, 128, 0.25); }}
.guesses .track i {{ background: {palette.NAIVE.colour}; }}
.guesses .track .toss {{ width: 50%; background: {palette.TRUTH.colour}; }}
.guesses .named-bars {{ display: grid; grid-template-columns: max-content 1fr max-content; gap: 0.3rem 0.6rem;
  align-items: center; margin: 0.4rem 0 0.5rem; font-size: max(0.9rem, var(--least-letters, 0px)); }}
.guess-row.head {{ padding: 0.4rem 0 0; }}
.guesses .ends {{ display: grid; grid-template-columns: 1fr auto 1fr; margin-top: 0.25rem;
  font-size: max(0.8rem, var(--least-letters, 0px)); }}
.guesses .ends :last-child {{ text-align: right; }}
.guess-row ~ .guess-row:not(.head) {{ border-top: 1px solid rgba(128, 128, 128, 0.3); }}
@media (max-width: 700px) {{
  .guess-row {{ grid-template-columns: minmax(0, 1fr); gap: 0.4rem; }}
  .guess-row.head > :empty {{ display: none; }}
}}
"""


class Bar(NamedTuple):
    """A bar with its `name`, the part that is filled, from 0 to 1, what stands behind it, and its colour."""

    name: str
    part: float
    words: str
    colour: str


class Guess(NamedTuple):
    """A case in which somebody guesses: its `title`, the result in `number`, and `words` on the case.

    `probability` is how often the guess is right, from 0.5 to 1, or None where the result is another one. `bars`
    are shown in place of the `number`, if there are any.
    """

    title: str
    number: str
    words: str
    probability: float | None = None
    bars: Sequence[Bar] = ()


_ENDS = (
    '<div class="ends" aria-hidden="true"><span>0</span><span>50: a coin toss</span><span>100: no privacy</span></div>'
)


def guess_cards(title: str, cards: Sequence[Guess], others: str, words: str, rows: Sequence[Guess]) -> str:
    """Return a card for each of the `cards` under a `title`, and the `rows` under `words` behind the words `others`, as
    HTML.

    Wherever there is a probability, there is a bar, which is full where the guess is always right. The half that a coin
    toss would reach is grey, the rest coloured.
    """
    boxes = "".join(map(_card, cards))
    head = f'<div class="guess-row head"><div></div>{_ENDS}<div></div></div>'
    fold = f"<details><summary>{html.escape(others)}</summary><p>{html.escape(words)}</p>{head}"
    fold += f"{''.join(map(_row, rows))}</details>"
    heading = f"<h4>{html.escape(title)}</h4>" if title else ""
    return f'<div class="guesses">{heading}<div class="cards">{boxes}</div>{fold}</div>'


def _card(guess: Guess) -> str:
    bar = f"{_bar(guess.probability)}{_ENDS}" if guess.probability is not None else _bars(guess.bars)
    number = "" if guess.bars else f'<div class="number">{_unbroken(guess.number)}</div>'
    words = f"<p>{_unbroken(guess.words)}</p>" if guess.words else ""
    inside = f"<h4>{html.escape(guess.title)}</h4>{number}{bar}{words}"
    return f'<section class="card">{inside}</section>'


def _bars(bars: Sequence[Bar]) -> str:
    """Return named bars below each other; nothing without any."""
    rows = "".join(
        f'<span>{html.escape(bar.name)}</span><div class="track"><i style="width:{100 * bar.part:.3g}%;'
        f'background:{bar.colour}"></i></div><b>{html.escape(bar.words)}</b>'
        for bar in bars
    )
    return f'<div class="named-bars">{rows}</div>' if rows else ""


def _row(guess: Guess) -> str:
    bar = "" if guess.probability is None else _bar(guess.probability)
    return (
        f'<div class="guess-row"><div><b>{html.escape(guess.title)}</b><small>{_unbroken(guess.words)}</small></div>'
        f'<div>{bar}</div><div class="number">{html.escape(guess.number)}</div></div>'
    )


def _bar(probability: float) -> str:
    limits.Limit("probability", 0.5, 1.0).check(probability)
    width = f"{100 * (probability - 0.5):.3g}%"
    return f'<div class="track" aria-hidden="true"><i class="toss"></i><i style="width:{width}"></i></div>'


def _unbroken(words: str) -> str:
    """Return words as HTML, with no line broken after “±”."""
    return html.escape(words).replace("± ", "±\u00a0")
