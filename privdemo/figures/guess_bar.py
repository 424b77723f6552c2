"""How often a guess between two answers is right, as a bar from pure guessing to no privacy."""

from __future__ import annotations

from privdemo import limits, palette

GUESS_BAR_CSS = f"""
.guess-bar {{ display: grid; grid-template-columns: 1fr auto; gap: 0.1rem 0.5rem; max-width: 24rem;
  font-size: max(0.875rem, var(--least-letters, 0px)); font-weight: 400; line-height: 1.3; margin: 0.3rem 0; }}
.guess-bar .track {{ grid-column: 1 / -1; height: 0.6rem; border-radius: 0.3rem;
  background: rgba(128, 128, 128, 0.3); }}
.guess-bar i {{ display: block; height: 100%; border-radius: 0.3rem; background: {palette.NAIVE.colour}; }}
"""


def guess_bar(probability: float) -> str:
    """Return a bar that is empty where a guess between two answers is right half the time, and full where it always is:
    HTML, with what both ends mean under it.

    `probability` is how often the guess is right, from 0.5 to 1.
    """
    limits.Limit("probability", 0.5, 1.0).check(probability)
    return (
        f'<div class="guess-bar"><div class="track"><i style="width:{200 * (probability - 0.5):.3g}%"></i></div>'
        "<span>50: pure guessing (best)</span><span>100: no privacy</span></div>"
    )
