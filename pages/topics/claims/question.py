"""The settings of the claims page, and the question they make."""

from __future__ import annotations

from dataclasses import dataclass

from pages.kit.settings import Choice, Setting
from pages.kit.values import Values
from privdemo.experiments.claims import DIFFERS, SOURCES, VERDICTS, Claim

EVERYBODY = "all sources"
SOURCE = Choice("source", (EVERYBODY, *SOURCES), EVERYBODY, "Show claims from:")
# What links call a verdict that has another name now.
_IN_LINKS = {verdict: verdict for verdict in VERDICTS} | {DIFFERS: "differs"}
VERDICT = Choice(
    "verdict",
    tuple(_IN_LINKS.values()),
    tuple(_IN_LINKS.values()),
    "List, under “All claims”, those of which our check says:",
    many=True,
    shown={in_links: verdict for verdict, in_links in _IN_LINKS.items()},
)


@dataclass(frozen=True)
class Question:
    """Which claims to show: those of one `source`, or of all, that have one of the `verdicts`."""

    source: str = EVERYBODY
    verdicts: tuple[str, ...] = VERDICTS

    def is_by(self, claim: Claim) -> bool:
        """Return whether a claim is of the source."""
        return self.source in (EVERYBODY, claim.source)

    def includes(self, claim: Claim) -> bool:
        """Return whether a claim is of the source and has one of the verdicts."""
        return self.is_by(claim) and claim.verdict in self.verdicts


def settings(_: Values) -> list[Setting]:
    """Return every setting of the page."""
    return [SOURCE, VERDICT]


def question_of(values: Values) -> Question:
    """Return the source and the verdicts that are chosen."""
    return Question(values[SOURCE], tuple(one for one in VERDICTS if _IN_LINKS[one] in values[VERDICT]))
