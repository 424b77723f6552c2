"""How often a guess between two answers is right, as a bar in which pure guessing is marked."""

from __future__ import annotations

from privdemo import limits, palette

GUESS_BAR_CSS = f"""
.guess-bar {{ display: grid; grid-template-columns: 1fr auto 1fr; gap: 0.1rem 0; max-width: 24rem;
  font-size: max(0.875rem, var(--least-letters, 0px)); font-weight: 400; line-height: 1.3; margin: 0.3rem 0; }}
.guess-bar .track {{ position: relative; grid-column: 1 / -1; height: 0.6rem; border-radius: 0.3rem;
  background: rgba(128, 128, 128, 0.3); }}
.guess-bar i {{ display: block; height: 100%; border-radius: 0.3rem; background: {palette.NAIVE.colour}; }}
.guess-bar .track::after {{ content: ""; position: absolute; left: 50%; top: -0.2rem; bottom: -0.2rem; width: 2px;
  background: {palette.TRUTH.colour}; }}
.guess-bar .half {{ grid-column: 2; }}
.guess-bar .half + span {{ text-align: right; }}
"""


def guess_bar(probability: float) -> str:
    """Return a bar of how often a guess between two answers is right, with a mark at half the time, as HTML.

    `probability` is how often the guess is right, from 0.5 to 1.
    """
    limits.Limit("probability", 0.5, 1.0).check(probability)
    return (
        f'<div class="guess-bar"><div class="track"><i style="width:{100 * probability:.3g}%"></i></div>'
        '<span class="half">50: pure guessing (best)</span><span>100: no privacy</span></div>'
    )
