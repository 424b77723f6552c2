"""The people of the last poll as dots: the data that the browser renders at any lie, and still pictures."""

from __future__ import annotations

import base64
from typing import Any

from privdemo import figures
from privdemo.experiments import voting
from privdemo.experiments.voting import ElectionConfig, People
from privdemo.figures import people

# The headings of the two fields; the browser fills in the numbers, and so does `still`.
VOTES_HEADING = "What we see: {lied} of {asked} lied"
ANSWERS_HEADING = "What the pollster hears: {said_a} of {asked} say A"
# The keys of the settings by which voters of B lie, and voters of A: one for both, or one each.
DIALS = (("lie", "b_says_a"), ("lie", "a_says_b"))
_FIELDS = ((VOTES_HEADING, people.TRUTH), (ANSWERS_HEADING, people.ANSWERS))


def live(config: ElectionConfig, people_shown: People, words: str) -> dict[str, Any]:
    """Return the data of the interactive dots; `words` describe them to screen readers."""
    n = len(people_shown.voted_a)
    return {
        "poll": f"{config.seed}/{config.n_elections}",
        "voted": _base64(people_shown.voted_a),
        "uniform": _base64(people_shown.uniform),
        "lies": [config.channel.p10, config.channel.p01],
        "dials": DIALS,
        "fields": [people.plan(heading, dots, n) for heading, dots in _FIELDS],
        "legend": [{"name": name, "sign": dot.sign, "colour": dot.colour} for name, dot in people.LEGEND.items()],
        "words": words,
    }


def still(config: ElectionConfig, people_shown: People) -> list[people.Field]:
    """Return the same fields as still pictures, with the numbers that the browser fills in."""
    kinds = voting.kinds(people_shown, config.channel)
    lied = int(people_shown.lied(config.channel).sum())
    said_a = int(((kinds == voting.A_TRUE) | (kinds == voting.B_LIED)).sum())
    counts = {"lied": f"{lied:,}", "said_a": f"{said_a:,}", "asked": f"{len(kinds):,}"}
    return [figures.dot_field(heading.format(**counts), kinds, dots) for heading, dots in _FIELDS]


def _base64(array: Any) -> str:
    """Return the array’s raw bytes (little-endian) as base64 text."""
    return base64.b64encode(array.tobytes()).decode()
