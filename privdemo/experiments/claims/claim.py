"""A claim of a source compared with our result, and its texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from privdemo.intervals import Estimate

# UNCLEAR: our numbers show neither the claim nor its opposite.
HOLDS, CAVEAT, FAILS = "holds", "holds with a caveat", "does not hold"
UNCLEAR, OPEN = "not clear here", "cannot be checked"
VERDICTS = (HOLDS, CAVEAT, UNCLEAR, FAILS, OPEN)
BARBER, YAN, IYER = "Barber", "Yan", "Iyer, Nath & Sarawagi"
KAIROUZ, WANG, YE_BARG = "Kairouz, Bonawitz & Ramage", "Wang et al.", "Ye & Barg"
FELDMAN = "Feldman, McMillan & Talwar"
SOURCES = (BARBER, YAN, IYER, KAIROUZ, WANG, YE_BARG, FELDMAN)
PAPERS = {
    BARBER: "Barber, Private machine learning via randomised response",
    YAN: "Yan, Learning from label proportions (2018)",
    IYER: "Iyer, Nath & Sarawagi, Privacy preserving class ratio estimation (KDD 2016)",
    KAIROUZ: "Kairouz, Bonawitz & Ramage, Discrete distribution estimation under local privacy (ICML 2016)",
    WANG: "Wang, Blocki, Li & Jha, Locally differentially private protocols for frequency estimation (USENIX 2017)",
    YE_BARG: "Ye & Barg, Optimal schemes for discrete distribution estimation under local privacy (IEEE T-IT 2018)",
    FELDMAN: "Feldman, McMillan & Talwar, Hiding among the clones (FOCS 2021)",
}
FIRST_AUTHORS = {BARBER: "Barber", YAN: "Yan", IYER: "Iyer"}
FIRST_AUTHORS |= {KAIROUZ: "Kairouz", WANG: "Wang", YE_BARG: "Ye", FELDMAN: "Feldman"}
EXACT = "exact, no draws"
# Shares are shown in per cent, their differences in points, all other numbers as they are.
UNITS = (PERCENT, POINTS, NUMBER) = ("%", "points", "")
# How a published number was read that no source prints: from its formula, or from its words.
FORMULA, SENTENCE = "by its formula", "by its words"
# The command that computes the claims without a results file, and prints the others from their files.
AT_ONCE = "python -m privdemo claims"


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim of a source, and what this program finds.

    Args:
        source: The paper, one of `SOURCES`.
        place: Where the paper says it, such as "figure 1".
        words: What the paper says.
        published: The paper's number, if it has one.
        ours: Our number with its interval; None if the claim cannot be checked.
        unit: How both numbers are shown, one of `UNITS`.
        seeds: The trials that ours is a mean of.
        command: The command that computes ours.
        verdict: One of `VERDICTS`.
        why: The reason for the verdict.
        reading: How `published` was read, if the paper does not print it: `FORMULA` or `SENTENCE`.
        surprise: The consequence of relying on a claim that does not hold; few claims have it.
        what: The name of the numbers of a surprise.
    """

    source: str
    place: str
    words: str
    published: float | None = None
    ours: Estimate | None
    unit: str = NUMBER
    seeds: str = EXACT
    command: str = AT_ONCE
    verdict: str
    why: str
    reading: str = ""
    surprise: str = ""
    what: str = ""

    @property
    def surprises(self) -> bool:
        """Whether the claim has a `surprise` and is not found to hold."""
        return bool(self.surprise) and self.verdict in (FAILS, UNCLEAR)


def unverifiable(
    source: str, place: str, words: str, why: str, published: float | None = None, unit: str = NUMBER
) -> Claim:
    """A claim that cannot be checked here."""
    return Claim(
        source=source,
        place=place,
        words=words,
        published=published,
        ours=None,
        unit=unit,
        seeds="–",
        command="–",
        verdict=OPEN,
        why=why,
    )


def exactly(value: float) -> Estimate:
    """A number without uncertainty."""
    return Estimate(value, value, value)


def first_trials(n: int) -> str:
    """The seeds of a mean over the first `n` trials, in words."""
    return f"{n} draws, seed 0, draws 0 to {n - 1}"


def listed(levels: Iterable[float]) -> str:
    """Levels in words: "0.1, 0.2", or "none"."""
    return ", ".join(f"{level:g}" for level in levels) or "none"
