"""Pictures of a bag, and of sets: records whose labels are not told, and what is known of all together."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privdemo import palette
from privdemo.figures.people import A_COLOUR, ANSWERED, B_COLOUR, SAID_A, SAID_B, Dot, Shape, dot_field
from privdemo.figures.pictures import data_uri

_ROUND_HEAD = Shape(
    -3.2, 4.4, "v-1.9a3.2 3.2 0 0 1 6.4 0v1.9zm1.4-7a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0-3.6 0z", "☻", "☺"
)
_SQUARE_HEAD = Shape(-3.2, 4.4, "v-1.9a3.2 3.2 0 0 1 6.4 0v1.9zm1.4-8.9h3.6v3.6h-3.6z", "☻", "☺")


class Marks(NamedTuple):
    """The marks of records: of the first label, of the second, and of a record whose label is not told."""

    first: Dot
    second: Dot
    unlabelled: Dot


# Colour and shape say which label it is, as of answers; grey is a label that is not told.
PEOPLE = Marks(Dot(A_COLOUR, _ROUND_HEAD), Dot(B_COLOUR, _SQUARE_HEAD), Dot(palette.TRUTH.colour, _ROUND_HEAD))
RECORDS = Marks(SAID_A, SAID_B, ANSWERED)
# A record with a trait that anybody may know.
_TRAIT_COLOUR = palette.OTHERS[1].colour
# The most dots of a field, and of one beside several others.
MOST, MOST_OF_GROUP = 1000, 100

# The style of the pages and of a downloaded page.
BAG_CSS = """
.bag { display: grid; grid-template: auto auto auto / 1fr auto 1fr; gap: 0 1.25rem; margin: 0.25rem 0 0.5rem;
  max-width: 44rem; }
.bag figure { margin: 0; display: grid; grid-row: 1 / span 3; grid-template-rows: subgrid; }
.bag figcaption { font-size: max(0.9rem, var(--least-letters, 0px)); margin-bottom: 0.4rem; align-self: end; }
.bag figcaption b { font-size: 1.5rem; line-height: 1; white-space: nowrap; }
.bag img { display: block; width: 100%; max-width: var(--width); }
.bag .leaves { grid-row: 2; align-self: center; font-size: 2rem; }
.bag p { margin: 0.5rem 0 0; font-size: max(0.9rem, var(--least-letters, 0px)); }
.told-groups { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; align-items: center; margin: 0.25rem 0 0.5rem;
  font-size: max(0.9rem, var(--least-letters, 0px)); }
.told-groups p { flex: 1 0 100%; }
.told-groups figure img { display: block; width: min(6.5rem, 18vw); }
.told-groups figure b { font-size: 1.5rem; line-height: 1.3; white-space: nowrap; }
.told-groups figure { margin: 0; min-width: 4.5rem; }
.told-groups img.key { display: inline-block; width: 1.1em; vertical-align: -0.15em; }
.learn-and-guess { display: flex; flex-wrap: wrap; gap: 0.75rem 2.5rem; align-items: flex-start;
  margin: 0.25rem 0 0.5rem; font-size: max(0.9rem, var(--least-letters, 0px)); }
.learn-and-guess > * { flex: 1 1 20rem; min-width: 0; max-width: 36rem; }
.learn-and-guess h4 { font-size: 1rem; font-weight: 600; margin: 0 0 0.5rem; padding: 0; }
.learn-and-guess p { margin: 0 0 0.4rem; }
.learn-and-guess .wanted { font-size: 3rem; line-height: 1; }
.first-group { border: 2px solid rgba(128, 128, 128, 0.6); border-radius: 0.5rem; padding: 0.5rem 0.6rem 0.2rem; }
.first-group > div > b { font-size: 1.5rem; line-height: 1.3; margin-right: 0.15rem; }
.learn-and-guess ul.records { list-style: none; margin: 0; padding: 0; }
.learn-and-guess .records li { display: grid; grid-template-columns: 1.6rem 1fr auto; gap: 0.6rem; align-items: center;
  margin: 0 0 0.4rem; padding: 0.35rem 0.6rem; border: 1px solid rgba(128, 128, 128, 0.5); border-radius: 0.4rem; }
.records img { display: block; width: 1.6rem; }
.records li b { text-align: center; line-height: 1.3; }
.sets { display: grid; grid-template-columns: minmax(6rem, 14rem) repeat(var(--sets), minmax(0, 12rem));
  gap: 0.4rem 1.5rem; margin: 0.25rem 0 0.75rem; font-size: max(0.9rem, var(--least-letters, 0px)); }
.sets > b { font-weight: 600; }
.sets > span { font-weight: 600; padding-top: 0.3rem; }
.sets div > b { font-size: 1.25rem; line-height: 1.3; }
:is(.sets, .learn-and-guess) .share { height: 1.2rem; line-height: 1.2rem; max-width: 11rem; margin-bottom: 0.4rem;
  text-align: center; font-weight: 600; background: rgba(128, 128, 128, 0.25); }
.sets .share.wanted { background: none; box-shadow: inset 0 0 0 2px #7a7a7a; }
:is(.sets, .learn-and-guess) .share i { display: block; height: 100%; }
.sets img { display: block; width: 100%; max-width: 9rem; image-rendering: pixelated; border-radius: 3px; }
@media (max-width: 640px) {
  .sets { grid-template-columns: repeat(var(--sets), minmax(0, 1fr)); gap: 0.4rem 0.75rem; }
  .sets > span { grid-column: 1 / -1; }
  .sets > span:empty { display: none; }
}
.bag img.key { display: inline-block; width: 1.1em; vertical-align: -0.15em; }
"""


def bag_html(
    size: int,
    share: float,
    n_sent: int,
    marks: Marks,
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
    records without; `marks` are drawn for them.
    """
    n = min(size, MOST)
    labels = (np.arange(n) >= round(share * n)).astype(int)
    owner = _field(labels, {0: marks.first, 1: marks.second}, alt)
    leaving = _field(np.zeros(min(n_sent, MOST), int), {0: marks.unlabelled}, "")
    signs = "<br>".join(_legend(dot, name) for dot, name in zip(marks, legend, strict=False))
    return (
        f'<div class="bag"><figure><figcaption>{html.escape(kept)}</figcaption>{owner}<p>{signs}</p></figure>'
        '<span class="leaves" aria-hidden="true">→</span>'
        f"<figure><figcaption>{_with_strong(sent, told)}</figcaption>{leaving}"
        f"<p>{_legend(marks.unlabelled, unknown)}</p></figure>"
        "</div>"
    )


class KnownGroup(NamedTuple):
    """What is known of one bag and of its records, in words.

    Under a `heading` there are `examples` of its records, each with what is `hidden`; `share` says of what the share of
    the bag is, and `others` stands before the shares of the other bags.
    """

    heading: str
    examples: Sequence[str]
    hidden: str
    share: str
    others: str


def groups_html(title: str, groups: Sequence[tuple[str, float, int]], more: str, mark: Dot, unknown: str) -> str:
    """Return what is sent on of some bags as HTML, side by side under a `title`: of each a share in words and as
    a bar, and so many records, or averages of some, without labels; no more than 100 are drawn.

    `more` says how many other bags there are, and `unknown` names a record.
    """
    figures = "".join(
        f"<figure>{_share_bar(words, share, A_COLOUR)}"
        f"{_field(np.zeros(min(n, MOST_OF_GROUP), int), {0: mark}, '')}</figure>"
        for words, share, n in groups
    )
    return (
        f'<h4>{html.escape(title)}</h4><div class="told-groups">{figures}{_span(more)}'
        f"<p>{_legend(mark, unknown)}</p></div>"
    )


def known_group_html(
    title: str, groups: Sequence[tuple[str, float, int]], more: str, mark: Dot, known: KnownGroup
) -> str:
    """Return what is sent on of some bags as HTML, as `groups_html` does, but of the first what is known of its records
    in words, and of the others the shares alone.
    """
    (words, share, _), *rest = groups
    bars = "".join(f"<figure>{_share_bar(*one[:2], A_COLOUR)}</figure>" for one in rest)
    return (
        f'<h4>{html.escape(title)}</h4><div class="first-group"><p>{html.escape(known.heading)}</p>'
        f"{_records(known.examples, mark, known.hidden)}{_share_bar(words, share, A_COLOUR, known.share)}</div>"
        f'<div class="told-groups">{_span(known.others)}{bars}{_span(more)}</div>'
    )


def new_records_html(title: str, mark: Dot, examples: Sequence[str], question: str) -> str:
    """Return what is asked of new records as HTML: under a `title` some `examples`, each with the `question`.

    Without any, a large question mark stands there.
    """
    asked = f"{_records(examples, mark, question)}<p>and so on</p>" if examples else '<b class="wanted">?</b>'
    return f"<h4>{html.escape(title)}</h4>{asked}"


def side_by_side_html(learnt: str, guessed: str) -> str:
    """Return as HTML what is learnt from, and beside it what is guessed."""
    return f'<div class="learn-and-guess"><div>{learnt}</div><div>{guessed}</div></div>'


def _span(words: str) -> str:
    return f"<span>{html.escape(words)}</span>" if words else ""


def _records(examples: Sequence[str], mark: Dot, end: str) -> str:
    """Return records one below the other, each with its mark, what is known of it and an `end`."""
    icon = f'<img alt="" src="{_source(np.zeros(1, int), {0: mark})}">'
    records = "".join(f"<li>{icon}{html.escape(one)} <b>{html.escape(end)}</b></li>" for one in examples)
    return f'<ul class="records">{records}</ul>'


class ComparedSet(NamedTuple):
    """A set whose records have no labels: its `heading`, and what is known of it.

    `share_words` say what `share` of its records are of the class that is spoken of; None where that is wanted.
    `trait_words` say what share of them have a trait that anybody may know, `trait_share`; or `image` (height, width)
    is the average of its images, from 0 to 1.
    """

    heading: str
    share_words: str
    share: float | None
    trait_words: str = ""
    trait_share: float = 0.0
    image: NDArray[np.floating] | None = None


def sets_html(sets: Sequence[ComparedSet], wanted: str, hint: str) -> str:
    """Return sets side by side as HTML: in a row that begins with `wanted`, the share of each as a bar; below, in one
    that begins with `hint`, the share with the trait, or the average image.
    """
    headings = "".join(f"<b>{html.escape(one.heading)}</b>" for one in sets)
    shares = "".join(_share_bar(one.share_words, one.share, B_COLOUR) for one in sets)
    hints = "".join(_average(one.image) or _share_bar(one.trait_words, one.trait_share, _TRAIT_COLOUR) for one in sets)
    begin = (f"<span>{html.escape(words)}</span>" for words in ("", wanted, hint))
    cells = "".join(first + rest for first, rest in zip(begin, (headings, shares, hints), strict=True))
    return f'<div class="sets" style="--sets:{len(sets)}">{cells}</div>'


def _average(image: NDArray[np.floating] | None) -> str:
    """Return the average of a set's images, if there is one."""
    if image is None:
        return ""
    return f'<img alt="" src="{data_uri(np.rint(255 * image).astype(np.uint8))}">'


def _share_bar(words: str, share: float | None, colour: str, of_what: str = "") -> str:
    """Return a share in words, and as a bar; None is one that is wanted. `of_what` follows the words."""
    bar = '<div class="share wanted">?</div>'
    if share is not None:
        bar = f'<div class="share"><i style="width:{100 * min(max(share, 0), 1):.3g}%;background:{colour}"></i></div>'
    of_what = f" {html.escape(of_what)}" if of_what else ""
    return f"<div><b>{html.escape(words)}</b>{of_what}{bar}</div>"


def _with_strong(words: str, strong: str) -> str:
    """Return `words`, of which a part stands out."""
    return html.escape(words).replace(html.escape(strong), f"<b>{html.escape(strong)}</b>", 1)


def _legend(dot: Dot, name: str) -> str:
    return f'<img class="key" alt="" src="{_source(np.zeros(1, int), {0: dot})}"> {html.escape(name)}'


def _field(kinds: np.ndarray, dots: dict[int, Dot], alt: str) -> str:
    columns = dot_field("", kinds, dots).columns
    style = f"--width:{1.5 * columns:g}rem"
    return f'<img style="{style}" alt="{html.escape(alt, quote=True)}" src="{_source(kinds, dots)}">'


def _source(kinds: np.ndarray, dots: dict[int, Dot]) -> str:
    """Return the address of a field of dots as an inline picture."""
    return f"data:image/svg+xml;base64,{base64.b64encode(dot_field('', kinds, dots).svg.encode()).decode()}"
