"""How often a guess between two answers is right, as a bar from never to always, with a mark at pure guessing."""

from __future__ import annotations

from privdemo import limits, palette

GUESS_BAR_CSS = f"""
.guess-bar {{ position: relative; max-width: 24rem; font-weight: 400; line-height: 1.3; margin: 0.3rem 0;
  font-size: max(0.875rem, var(--least-letters, 0px)); }}
.guess-bar .track {{ position: relative; height: 0.6rem; border-radius: 0.3rem; margin-bottom: 0.25rem;
  background: linear-gradient(to right, rgba(128, 128, 128, 0.6) 50%, rgba(128, 128, 128, 0.3) 50%); }}
.guess-bar i {{ position: absolute; left: 50%; height: 100%; border-radius: 0 0.3rem 0.3rem 0;
  background: {palette.NAIVE.colour}; }}
.guess-bar b {{ position: absolute; left: 50%; top: -0.2rem; bottom: -0.2rem; width: 2px; margin-left: -1px;
  background: currentcolor; }}
.guess-bar .ends {{ display: flex; justify-content: space-between; }}
.guess-bar .ends > :nth-child(1), .guess-bar .ends > :nth-child(3) {{ flex: 1; }}
.guess-bar .ends > :last-child {{ text-align: right; }}
"""


def guess_bar(probability: float) -> str:
    """Return a bar that reaches as far as a guess between two answers is right: what is more than pure guessing, from
    the line in its middle on, in colour. HTML, with what the line and both ends mean under it.

    `probability` is how often the guess is right, from 0.5 to 1.
    """
    limits.Limit("probability", 0.5, 1.0).check(probability)
    return (
        f'<div class="guess-bar"><div class="track"><i style="width:{100 * probability - 50:.3g}%"></i><b></b></div>'
        '<div class="ends"><span></span><span>50: pure guessing (safest)</span><span>100: no privacy</span></div></div>'
    )
