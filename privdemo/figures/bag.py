"""Pictures of a bag, and of sets: records whose labels are not told, and what is known of all together."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from privdemo import palette
from privdemo.figures.people import B_COLOUR, SAID_A, SAID_B, Dot, Shape, dot_field

# A record whose label is not told: a grey person, as the colours and shapes of others say which label it is.
_PERSON = "v-1.9a3.2 3.2 0 0 1 6.4 0v1.9zm1.4-7a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0-3.6 0z"
UNLABELLED = Dot(palette.TRUTH.colour, Shape(-3.2, 4.4, _PERSON, "☻", "☺"))
# The most dots of a field, and of a field beside others.
MOST, MOST_OF_SET = 1000, 100

# The style of the pages and of a downloaded page.
BAG_CSS = """
.bag { display: grid; grid-template: auto auto auto / 1fr auto 1fr; gap: 0 1.25rem; margin: 0.25rem 0 0.5rem;
  max-width: 44rem; }
.bag figure { margin: 0; display: grid; grid-row: 1 / span 3; grid-template-rows: subgrid; }
.bag figcaption { font-size: max(0.9rem, var(--least-letters, 0px)); margin-bottom: 0.4rem; align-self: end; }
.bag figcaption b { font-size: 1.5rem; line-height: 1; }
.bag img { display: block; width: 100%; max-width: var(--width); }
.bag .leaves { grid-row: 2; align-self: center; font-size: 2rem; }
.bag p { margin: 0.5rem 0 0; font-size: max(0.9rem, var(--least-letters, 0px)); }
.bag.sets { grid-template: auto auto auto / repeat(var(--sets), 1fr); max-width: 48rem; }
.bag.sets figure { grid-row: 1 / span 3; }
.bag.sets .share { height: 1.2rem; line-height: 1.2rem; max-width: 11rem; margin-bottom: 0.4rem; text-align: center;
  font-weight: 600; background: rgba(128, 128, 128, 0.25); }
.bag.sets .share.wanted { background: none; box-shadow: inset 0 0 0 2px #7a7a7a; }
.bag.sets .share i { display: block; height: 100%; }
.bag.sets + p { font-size: max(0.9rem, var(--least-letters, 0px)); margin: 0 0 0.5rem; }
.bag.sets img { max-width: min(var(--width), 11rem); }
.bag img.key, .bag + p img.key { display: inline-block; width: 1.1em; vertical-align: -0.15em; }
"""


def bag_html(
    size: int,
    share: float,
    n_sent: int,
    *,
    kept: str,
    legend: tuple[str, str],
    sent: str,
    told: str,
    unknown: str,
    alt: str,
) -> str:
    """Return one bag of `size` records as HTML: at the left with their labels, at the right what is sent on.

    `share` of the labels are positive. `n_sent` records, or averages of some, leave without labels. `kept` and `sent`
    are the headings, `told` is the part of `sent` that stands out, `legend` the names of both labels, `unknown` that of
    records without.
    """
    n = min(size, MOST)
    labels = (np.arange(n) >= round(share * n)).astype(int)
    owner = _field(labels, {0: SAID_A, 1: SAID_B}, alt)
    leaving = _field(np.zeros(min(n_sent, MOST), int), {0: UNLABELLED}, "")
    signs = "<br>".join(_legend(dot, name) for dot, name in zip((SAID_A, SAID_B), legend, strict=True))
    return (
        f'<div class="bag"><figure><figcaption>{html.escape(kept)}</figcaption>{owner}<p>{signs}</p></figure>'
        '<span class="leaves" aria-hidden="true">→</span>'
        f"<figure><figcaption>{_with_strong(sent, told)}</figcaption>{leaving}"
        f"<p>{_legend(UNLABELLED, unknown)}</p></figure></div>"
    )


class UnlabelledSet(NamedTuple):
    """A set of `size` records without labels, its `heading`, and the part of it that stands out.

    `share` of them are of the class that is spoken of; None where that is wanted.
    """

    heading: str
    told: str
    size: int
    share: float | None


def sets_html(sets: Sequence[UnlabelledSet], unknown: str) -> str:
    """Return sets side by side as HTML, each with its share as a bar and no more than `MOST_OF_SET` records; `unknown`
    names one of them.
    """
    fields = "".join(
        f"<figure><figcaption>{_with_strong(one.heading, one.told)}</figcaption>{_share_bar(one.share)}"
        f"{_field(np.zeros(min(one.size, MOST_OF_SET), int), {0: UNLABELLED}, '')}</figure>"
        for one in sets
    )
    return f'<div class="bag sets" style="--sets:{len(sets)}">{fields}</div><p>{_legend(UNLABELLED, unknown)}</p>'


def _share_bar(share: float | None) -> str:
    if share is None:
        return '<div class="share wanted">?</div>'
    return f'<div class="share"><i style="width:{100 * min(max(share, 0), 1):.3g}%;background:{B_COLOUR}"></i></div>'


def _with_strong(heading: str, told: str) -> str:
    return html.escape(heading).replace(html.escape(told), f"<b>{html.escape(told)}</b>", 1)


def _legend(dot: Dot, name: str) -> str:
    return f'<img class="key" alt="" src="{_source(np.zeros(1, int), {0: dot})}"> {html.escape(name)}'


def _field(kinds: np.ndarray, dots: dict[int, Dot], alt: str) -> str:
    columns = dot_field("", kinds, dots).columns
    style = f"--width:{1.5 * columns:g}rem"
    return f'<img style="{style}" alt="{html.escape(alt, quote=True)}" src="{_source(kinds, dots)}">'


def _source(kinds: np.ndarray, dots: dict[int, Dot]) -> str:
    """Return the address of a field of dots as an inline picture."""
    return f"data:image/svg+xml;base64,{base64.b64encode(dot_field('', kinds, dots).svg.encode()).decode()}"
