"""Kairouz, Bonawitz and Ramage, *Discrete distribution estimation under local privacy* (ICML 2016)."""

from __future__ import annotations

import math

import numpy as np

from privdemo.experiments.claims.claim import KAIROUZ, Claim
from privdemo.experiments.claims.oracle_errors import EPSILON, SKEWED, K, sum_claim
from privdemo.mechanisms.frequency_oracles import BasicRappor, KaryResponse


def all_claims() -> list[Claim]:
    """Every claim of the paper that is checked."""
    e, h = math.exp(EPSILON), math.exp(EPSILON / 2)
    sampling_error = 1 - float(np.square(SKEWED).sum())
    at = f"of skewed shares, k = {K}, ε = {EPSILON:g}"
    return [
        sum_claim(
            KAIROUZ,
            "on k-ary randomised response",
            f"n times the squared error of all shares is 1 − Σf² + (k − 1)(k + 2(e^ε − 1))/(e^ε − 1)²: {at}",
            sampling_error + (K - 1) * (K + 2 * (e - 1)) / (e - 1) ** 2,
            KaryResponse(K, EPSILON),
            SKEWED,
        ),
        sum_claim(
            KAIROUZ,
            "on k-ary RAPPOR",
            f"n times the squared error of all shares is 1 − Σf² + k e^(ε/2)/(e^(ε/2) − 1)²: {at}",
            sampling_error + K * h / (h - 1) ** 2,
            BasicRappor(K, EPSILON),
            SKEWED,
        ),
    ]


def from_formulas() -> list[Claim]:
    """The claims that need no results file: all of them."""
    return all_claims()
