"""A claim of a paper compared with our result, and a row of the table that a paper's claims stand in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from privdemo.intervals import Estimate

# UNCLEAR: our numbers show neither the claim nor its opposite. DIFFERS: ours is clearly another number, and the source
# does not give a setting on which it depends, so that nobody can say whether the claim is wrong.
HOLDS, CAVEAT, FAILS = "holds", "holds in part", "does not hold"
UNCLEAR, DIFFERS, OPEN = "too close to call", "too vague to judge", "no data to check"
# Each verdict as it is said of several claims.
OF_SEVERAL = {
    HOLDS: "hold",
    CAVEAT: "hold in part",
    FAILS: "do not hold",
}
VERDICTS = (HOLDS, CAVEAT, UNCLEAR, DIFFERS, FAILS, OPEN)
BARBER, YAN, IYER = "Barber", "Yan", "Iyer, Nath & Sarawagi"
KAIROUZ, WANG, YE_BARG = "Kairouz, Bonawitz & Ramage", "Wang et al.", "Ye & Barg"
FELDMAN, CAO = "Feldman, McMillan & Talwar", "Cao, Jia & Gong"
JOHN, HOEGLINGER = "John, Loewenstein, Acquisti & Vosgerau", "Höglinger & Jann"
SOURCES = (BARBER, YAN, IYER, KAIROUZ, WANG, YE_BARG, FELDMAN, CAO, JOHN, HOEGLINGER)
PAPERS = {
    BARBER: "Barber, Private machine learning via randomised response",
    YAN: "Yan, Learning from label proportions (2018)",
    IYER: "Iyer, Nath & Sarawagi, Privacy preserving class ratio estimation (KDD 2016)",
    KAIROUZ: "Kairouz, Bonawitz & Ramage, Discrete distribution estimation under local privacy (ICML 2016)",
    WANG: "Wang, Blocki, Li & Jha, Locally differentially private protocols for frequency estimation (USENIX 2017)",
    YE_BARG: "Ye & Barg, Optimal schemes for discrete distribution estimation under local privacy (IEEE T-IT 2018)",
    FELDMAN: "Feldman, McMillan & Talwar, Hiding among the clones (FOCS 2021)",
    CAO: "Cao, Jia & Gong, Data poisoning attacks to local differential privacy protocols (USENIX Security 2021), "
    "its formulas as later papers quote them",
    JOHN: "John, Loewenstein, Acquisti & Vosgerau, When and why randomized response techniques (fail to) elicit the "
    "truth (OBHDP 2018)",
    HOEGLINGER: "Höglinger & Jann, More is not always better: an experimental individual-level validation of the "
    "randomized response technique and the crosswise model (PLoS ONE 2018)",
}
FIRST_AUTHORS = {BARBER: "Barber", YAN: "Yan", IYER: "Iyer"}
FIRST_AUTHORS |= {KAIROUZ: "Kairouz", WANG: "Wang", YE_BARG: "Ye", FELDMAN: "Feldman"}
FIRST_AUTHORS |= {CAO: "Cao", JOHN: "John", HOEGLINGER: "Höglinger"}
EXACT = "exact, no trials"
# Shares are shown in per cent, their differences in points, all other numbers as they are.
UNITS = (PERCENT, POINTS, NUMBER) = ("%", "points", "")
# How a published number was read that no source prints: from its formula, or from its words.
FORMULA, SENTENCE = "by its formula", "by its words"
# The command that computes the claims without a results file, and prints the others from their files.
AT_ONCE = "python -m privdemo claims"
# How a share is shown on a card: what it is multiplied by, and its unit.
OF_100 = (100, "of 100")


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim of a paper, and what this program finds.

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
        surprise: What is surprising about a claim that is not found to hold; few claims have it.
        what: What the numbers of a surprise say, with the scene they belong to.
        consequence: What a surprise means for somebody who relies on the claim.
        card_unit: How these are shown on its card, if otherwise than in the table: what they are multiplied by, and
            their unit.
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
    consequence: str = ""
    card_unit: tuple[float, str] | None = None

    @property
    def surprises(self) -> bool:
        """Return whether the claim has a `surprise` and is not found to hold."""
        return bool(self.surprise) and self.verdict in (FAILS, UNCLEAR)


class ResultsFile(NamedTuple):
    """A shipped results file: its name, and the function that reads its rows."""

    name: str
    load: Callable[[], Sequence[Any]]


@dataclass(frozen=True)
class Finding:
    """What the check of a claim finds.

    Args:
        ours: Our number with its interval; None if the claim cannot be checked.
        verdict: One of `VERDICTS`.
        why: The reason for the verdict.
        seeds: The trials that ours is a mean of.
        published: The paper's number, if it is computed, such as from a printed formula.
        values: The values of the `{names}` in the claim's words, its surprise and its consequence.
    """

    ours: Estimate | None
    verdict: str
    why: str
    seeds: str = EXACT
    published: float | None = None
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ClaimRow:
    """A row of a paper's table of claims: what is claimed, where, and the function that checks it.

    Args:
        place: Where the paper says it, such as "figure 1".
        words: What the paper says; `{names}` in it are replaced by the `values` of the finding.
        check: The function that compares the claim with our numbers. It takes the published number, if the row has
            one, and the rows of each of the `files`.
        files: The results files that it needs; none if ours is computed at once.
        published: The paper's number, if it has one that is not computed.
        unit: How the numbers are shown, one of `UNITS`.
        reading: How the published number was read, if the paper does not print it: `FORMULA` or `SENTENCE`.
        command: The command that computes ours; if it is empty, that which computes the last of the `files` anew.
        surprise: What is surprising if the claim is not found to hold, with `{names}` as in `words`.
        what: What the numbers of a surprise say, with the scene they belong to.
        consequence: What a surprise means for somebody who relies on the claim, with `{names}` as in `words`.
        card_unit: How these are shown on its card, if otherwise than in the table: what they are multiplied by, and
            their unit.
    """

    place: str
    words: str
    check: Callable[..., Finding]
    files: tuple[ResultsFile, ...] = ()
    published: float | None = None
    unit: str = NUMBER
    reading: str = ""
    command: str = ""
    surprise: str = ""
    what: str = ""
    consequence: str = ""
    card_unit: tuple[float, str] | None = None


def check_claims(source: str, table: Sequence[ClaimRow]) -> list[Claim]:
    """Return the claims of a paper's table with what their checks find; every results file is read once."""
    loaded = {file: file.load() for file in {file for row in table for file in row.files}}
    claims = []
    for row in table:
        published = () if row.published is None else (row.published,)
        found = row.check(*published, *(loaded[file] for file in row.files))
        command = row.command or (f"python -m privdemo reproduce {row.files[-1].name}" if row.files else AT_ONCE)
        claims.append(
            Claim(
                source=source,
                place=row.place,
                words=row.words.format(**found.values),
                published=row.published if found.published is None else found.published,
                ours=found.ours,
                unit=row.unit,
                seeds=found.seeds,
                command="–" if found.verdict == OPEN else command,
                verdict=found.verdict,
                why=found.why,
                reading=row.reading,
                surprise=row.surprise.format(**found.values),
                what=row.what,
                consequence=row.consequence.format(**found.values),
                card_unit=row.card_unit,
            )
        )
    return claims


def not_checkable(why: str) -> Finding:
    """Return the finding of a claim that cannot be checked here."""
    return Finding(None, OPEN, why, seeds="–")


def exactly(value: float) -> Estimate:
    """Return an estimate without uncertainty."""
    return Estimate(value, value, value)


def first_trials(n: int) -> str:
    """Return the seeds of a mean over the first `n` trials, in words."""
    return f"{n} trials, seed 0, trials 0 to {n - 1}"


def listed(levels: Iterable[float]) -> str:
    """Return levels in words: "0.1, 0.2", or "none"."""
    return ", ".join(f"{level:g}" for level in levels) or "none"
