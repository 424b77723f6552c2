"""Text reports for the command line: a claim beside ours."""

from __future__ import annotations

from privdemo.experiments.claims.claim import Claim


def four_digits(value: float) -> str:
    """Return a number to four significant digits; counts from 1,000 on in full."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def claim_lines(claim: Claim) -> list[str]:
    """Return a published value and ours, with the verdict and the reason."""
    reading = f", {claim.reading}" if claim.reading else ""
    published = "–" if claim.published is None else f"{four_digits(claim.published)}{reading}"
    ours = "–"
    if claim.ours:
        ours = four_digits(claim.ours.mean) if claim.ours.exact else claim.ours.written(four_digits)
    return [
        f"{claim.source}, {claim.place}: {claim.words}",
        f"  published {published}; ours {ours}",
        f"  {claim.verdict}: {claim.why}",
        f"  {claim.seeds}; {claim.command}",
    ]
