"""Kairouz, Bonawitz and Ramage, *Discrete distribution estimation under local privacy* (ICML 2016)."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from privdemo.experiments.claims.claim import FORMULA, ClaimRow
from privdemo.experiments.claims.oracle_errors import EPSILON, SKEWED, K, compare_sum
from privdemo.mechanisms.frequency_oracles import BasicRappor, KaryResponse

_E, _H = math.exp(EPSILON), math.exp(EPSILON / 2)
_SAMPLING_ERROR = 1 - float(np.square(SKEWED).sum())
_AT = f"of skewed shares, k = {K}, ε = {EPSILON:g}"

CLAIMS = (
    ClaimRow(
        "on k-ary randomised response",
        f"n times the squared error of all shares is 1 − Σf² + (k − 1)(k + 2(e^ε − 1))/(e^ε − 1)²: {_AT}",
        partial(compare_sum, oracle=KaryResponse(K, EPSILON), shares=SKEWED),
        published=_SAMPLING_ERROR + (K - 1) * (K + 2 * (_E - 1)) / (_E - 1) ** 2,
        reading=FORMULA,
    ),
    ClaimRow(
        "on k-ary RAPPOR",
        f"n times the squared error of all shares is 1 − Σf² + k e^(ε/2)/(e^(ε/2) − 1)²: {_AT}",
        partial(compare_sum, oracle=BasicRappor(K, EPSILON), shares=SKEWED),
        published=_SAMPLING_ERROR + K * _H / (_H - 1) ** 2,
        reading=FORMULA,
    ),
)
