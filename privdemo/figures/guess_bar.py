"""How often guesses between two answers are right, as rows with bars of 100 guesses."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import NamedTuple

from privdemo import limits, palette

GUESS_BAR_CSS = f"""
.guesses {{ font-variant-numeric: tabular-nums; margin: 0.5rem 0; max-width: 75rem; }}
.guesses summary {{ margin-top: 0.75rem; cursor: pointer; font-weight: 600; }}
.guesses h4 {{ font-size: 1rem; font-weight: 600; margin: 0; padding: 0; line-height: 1.3; }}
.guesses p {{ font-size: max(0.9rem, var(--least-letters, 0px)); margin: 0; line-height: 1.4; }}
.guess-row {{ display: grid; grid-template-columns: minmax(0, 23rem) minmax(0, 1fr) 14rem; gap: 0 1.25rem;
  align-items: center; padding: 0.5rem 0; line-height: 1.3; }}
.guess-row small {{ display: block; font-size: max(0.875rem, var(--least-letters, 0px)); opacity: 0.85; }}
.guess-row b {{ font-weight: 600; }}
.guess-row .number {{ font-size: 1.1rem; font-weight: 600; }}
.guess-row .track {{ display: flex; height: 1rem; background: rgba(128, 128, 128, 0.25); }}
.guess-row .track i {{ background: {palette.NAIVE.colour}; }}
.guess-row .track .toss {{ width: 50%; background: {palette.TRUTH.colour}; }}
.guess-row.head {{ padding: 0.4rem 0 0; font-size: max(0.875rem, var(--least-letters, 0px)); }}
.guess-row .ends {{ display: grid; grid-template-columns: 1fr auto 1fr; }}
.guess-row .ends :last-child {{ text-align: right; }}
.guess-row ~ .guess-row:not(.head) {{ border-top: 1px solid rgba(128, 128, 128, 0.3); }}
@media (max-width: 700px) {{
  .guess-row {{ grid-template-columns: minmax(0, 1fr); gap: 0.4rem; }}
  .guess-row.head > :empty {{ display: none; }}
}}
"""


class Guess(NamedTuple):
    """A case in which somebody guesses: its `title`, the result in `number`, and `words` on the case.

    `probability` is how often the guess is right, from 0.5 to 1, or None where the result is another one.
    """

    title: str
    number: str
    words: str
    probability: float | None = None


def guess_rows(title: str, words: str, guesses: Sequence[Guess], others: str = "") -> str:
    """Return a row for each case under a `title` and `words`, as HTML; all but the first behind the words `others`.

    A bar is full where the guess is always right. The half that a coin toss would reach is grey, the rest coloured.
    What the ends and the middle mean stands over the bars.
    """
    head = (
        '<div class="guess-row head"><div></div><div class="ends">'
        "<span>0</span><span>50: a coin toss</span><span>100: no privacy</span></div>"
        "<div></div></div>"
    )
    first, *rest = map(_row, guesses)
    rows = "".join(rest)
    if rest and others:
        rows = f"<details><summary>{html.escape(others)}</summary>{rows}</details>"
    title, words = html.escape(title), html.escape(words)
    return f'<div class="guesses"><h4>{title}</h4><p>{words}</p>{head}{first}{rows}</div>'


def _row(guess: Guess) -> str:
    bar = ""
    if guess.probability is not None:
        limits.Limit("probability", 0.5, 1.0).check(guess.probability)
        width = f"{100 * (guess.probability - 0.5):.3g}%"
        bar = f'<div class="track" aria-hidden="true"><i class="toss"></i><i style="width:{width}"></i></div>'
    words = html.escape(guess.words).replace("± ", "±\u00a0")
    return (
        f'<div class="guess-row"><div><b>{html.escape(guess.title)}</b><small>{words}</small></div>'
        f'<div>{bar}</div><div class="number">{html.escape(guess.number)}</div></div>'
    )
