"""Make sheets of cards, and rules for coins, by which a class without telephones lets chance change its answers."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from pages.kit import numbers
from privdemo.experiments import poll
from privdemo.experiments.poll import PollConfig
from privdemo.experiments.voting import ElectionConfig

# Cards of a page by columns, rows, and the width and height of a card in millimetres: larger ones if a pack fits.
_LARGE, _SMALL = (4, 8, 45, 33), (5, 11, 36, 24)

CSS = """
.pack { display: grid; border-left: 1px dashed #000; break-inside: avoid; break-before: page; width: max-content; }
.pack div { box-sizing: border-box; border: dashed #000; border-width: 0 1px 1px 0; padding: 2mm; text-align: center;
  display: flex; flex-direction: column; align-items: center; justify-content: center; font-size: 11pt;
  line-height: 1.2; }
.pack .top { border-top-width: 1px; }
.pack b { font-size: 13pt; }
"""


def poll_of(question: Any) -> PollConfig | None:
    """Return the poll that a page's question is about, if a class can hold it by a show of hands; else None.

    It is a poll with another answer in some cases, or one in which voters of A and B lie alike.
    """
    if isinstance(config := getattr(question, "config", None), PollConfig):
        return config
    if not isinstance(question, ElectionConfig):
        return None
    lie, other = question.channel.p10, question.channel.p01
    return PollConfig(("A", "B"), lie) if lie == other and _can_be_dealt(lie) else None


def _can_be_dealt(lie: float) -> bool:
    try:
        PollConfig(("A", "B"), lie)
    except ValueError:
        return False
    return True


def sheet(config: PollConfig) -> str:
    """Return the rules and the cards of a poll as HTML: whole packs, as many as fit on a page."""
    (lies, pack), n_others = poll.deck_for(config), len(config.answers) - 1
    dealt = poll.with_card_probability(config).lie
    difference = ""
    if abs(dealt - config.lie) > 5e-4:
        difference = f" That is close to the {numbers.percent(config.lie)} that were chosen."
    words = [
        f"<p>Answers: {numbers.join_words(tuple(f'“{escape(one)}”' for one in config.answers))}. Chance changes "
        f"<b>{numbers.percent(dealt)}</b> of them, {lies} of {pack}.{difference}</p>"
    ]
    if n_others == 1 and (lies, pack) == (1, 4):
        words.append(_coins(config))
    face, action = "The other answer", "raise a hand for it"
    then = "for the other one"
    if n_others > 1:
        face, action = "Another answer", "draw a number as well"
        then = (
            "for another one: it draws a second card, with a number, and goes that many places on from the true answer "
            "(after the last comes the first)"
        )
    packs = _packs(pack)
    one_page = "one pack" if packs == 1 else f"{packs} packs"
    words.append(
        f"<h3>With cards</h3><p>Cut out the cards along the dashed lines: a page has {one_page} of {pack} cards. "
        "Shuffle whole packs. Everybody draws a card, looks at it alone, and puts it back. Whoever finds “Your true "
        f"answer” raises a hand for that, whoever finds “{face}” {then}. Nobody says which card it was. Then type the "
        "hands on the page “Ask your class”, under “Show of hands”.</p>"
    )
    faces = [("Your true answer", "raise a hand for it")] * (pack - lies) + [(face, action)] * lies
    parts = [*words, _grid(faces * packs, pack)]
    if n_others > 1:
        numbered = [(str(i), "places after your true answer") for i in range(1, n_others + 1)]
        parts.append(_grid(numbered * (_LARGE[0] * _LARGE[1] // n_others), n_others))
    return "".join(parts)


def _coins(config: PollConfig) -> str:
    """Return the rule for two tosses of a coin, which change one answer in four."""
    first, second = (f"“{escape(one)}”" for one in config.answers)
    return (
        "<h3>With a coin</h3><p>Everybody tosses a coin twice and lets nobody see it.</p><ol>"
        "<li>First toss heads: raise a hand for your true answer.</li>"
        f"<li>First toss tails: the second toss answers for you. Heads: raise a hand for {first}. Tails: raise a hand "
        f"for {second}.</li></ol><p>Half of all answers come from the second toss, and half of these are the true one "
        "all the same: so one in four is changed.</p>"
    )


def _packs(pack: int) -> int:
    """Return how many whole packs fit on a page."""
    columns, rows, *_ = _layout(pack)
    return columns * rows // pack


def _layout(pack: int) -> tuple[int, int, int, int]:
    return _LARGE if pack <= _LARGE[0] * _LARGE[1] else _SMALL


def _grid(faces: Iterable[tuple[str, str]], pack: int) -> str:
    """Return cards with a word and what it means, side by side with lines to cut along, on a page of their own."""
    columns, _, width, height = _layout(pack)
    cards = "".join(
        f"<div{' class=top' if i < columns else ''}><b>{word}</b> {meaning}</div>"
        for i, (word, meaning) in enumerate(faces)
    )
    size = f"grid-template-columns: repeat({columns}, {width}mm); grid-auto-rows: {height}mm"
    return f'<div class="pack" style="{size}">{cards}</div>'
