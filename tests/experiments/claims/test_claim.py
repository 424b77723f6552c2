"""Claims as values: what each must say, and how they are counted."""

import math

import pytest

from privdemo.experiments import claims
from privdemo.experiments.claims import CAVEAT, FAILS, HOLDS, OPEN, VERDICTS
from privdemo.experiments.claims.claim import UNITS, exactly, first_draws, listed, unverifiable


def test_a_claim_that_cannot_be_checked_has_no_number_of_ours():
    claim = unverifiable("Yan", "table 1", "its size", "not public", 6940)
    assert (claim.source, claim.place, claim.words, claim.why) == ("Yan", "table 1", "its size", "not public")
    assert (claim.published, claim.ours, claim.verdict, claim.unit) == (6940, None, OPEN, "")
    assert (claim.seeds, claim.command) == ("–", "–")
    assert unverifiable("Yan", "table 1", "its F1", "not public", 0.8, "%").unit == "%"
    assert exactly(0.5) == (0.5, 0.5, 0.5)
    assert first_draws(10) == "10 draws, seed 0, draws 0 to 9"
    assert listed([0.1, 0.25, 3.0]) == "0.1, 0.25, 3"
    assert listed([]) == "none"


def test_every_claim_has_a_verdict_a_reason_and_a_number_that_fits_its_unit(all_claims):
    assert len(all_claims) == 73
    assert list(all_claims) == sorted(all_claims, key=lambda claim: list(claims.SOURCES).index(claim.source))
    counted = claims.count_verdicts(all_claims)
    assert counted == {verdict: [c.verdict for c in all_claims].count(verdict) for verdict in VERDICTS}
    for claim in all_claims:
        assert claim.why
        assert claim.command
        assert claim.unit in UNITS
        assert (claim.ours is None) == (claim.verdict == OPEN)
        if claim.ours:
            assert all(map(math.isfinite, claim.ours))
            assert claim.ours.low <= claim.ours.mean <= claim.ours.high
        if claim.unit == "%":
            assert claim.published is None or 0 <= claim.published <= 1.1, "a misprinted formula gives 1.07"


def test_claims_from_formulas_need_no_results_file(all_claims, monkeypatch):
    monkeypatch.setattr("privdemo.experiments.results.shipped", lambda name: pytest.fail("a results file was read"))
    found = claims.from_formulas()
    assert set(found) < set(all_claims)
    assert {claim.verdict for claim in found} == {HOLDS, FAILS, CAVEAT}
