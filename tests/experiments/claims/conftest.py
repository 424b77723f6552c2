"""What the tests of claims share."""

import pytest

from privdemo.experiments import claims


@pytest.fixture(scope="session")
def all_claims():
    return claims.all_claims()


@pytest.fixture(scope="session")
def claim_at(all_claims):
    """The first claim of a place, which contains some words."""

    def find(place, words=""):
        return next(claim for claim in all_claims if claim.place == place and words in claim.words)

    return find
