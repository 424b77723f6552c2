"""Write the lines of Python for OpenDP (https://opendp.org) that randomise as a mechanism of ours does, where it can.

OpenDP has randomised response with an equal chance for every other answer, basic RAPPOR, and Laplace and Gaussian
noise, continuous and discrete. It states the same numbers as we do, but for three: of randomised response it takes the
probability of the true answer, not that of a changed one; of basic RAPPOR twice the probability that a bit is flipped,
as the paper does; and it derives the ε of Gaussian noise from zero-concentrated privacy, which is an upper bound. It
has no other unary encoding, local hashing, subset selection or Hadamard response.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from pages.kit.snippet import Snippet
from privdemo import accounting
from privdemo.mechanisms import BinaryChannel, GaussianNoise, LaplaceNoise, RandomisedResponse
from privdemo.mechanisms.frequency_oracles import BasicRappor, KaryResponse
from privdemo.mechanisms.label_counts import (
    DiscreteGaussianCounts,
    DiscreteLaplaceCounts,
    GaussianCounts,
    LaplaceCounts,
)

_START = Snippet(("import opendp.prelude as dp",), ('dp.enable_features("contrib")',))
# A value in [0, 1] changes by 1 at most; a label in another class changes two counts by 1 each.
_VALUE, _VALUE_WORDS = "1.0", "A value lies in [0, 1]."
_COUNTS_WORDS = "The shares are made of these counts. A label in another class changes two of them by 1 each."
_TOTALS_WORDS = "A bag's share is its total divided by its people. A label in another class changes one total by 1."


@dataclass(frozen=True)
class BagTotals:
    """Laplace noise with which the share of a class in each of given bags makes every label `epsilon`-private.

    The noise has scale 1/ε on the total of a bag, and as `aggregation.noisy_proportions` says 1/(mε) on the share of m.
    """

    epsilon: float

    @property
    def scale(self) -> float:
        """The scale of the noise on a total; 0 for ε = ∞."""
        return 1 / self.epsilon


def snippet(delta: float = 1e-5, **mechanisms: Any) -> Snippet | None:
    """Return the lines for the `mechanisms` that OpenDP has, each a variable by its name; None if it has none of them.

    The lines state the ε of Gaussian noise at `delta`.
    """
    code = _START
    for name, mechanism in mechanisms.items():
        code = code.then(*_lines(name, mechanism, delta))
    return code if code != _START else None


def _lines(name: str, mechanism: Any, delta: float) -> tuple[str, ...]:
    """Return the lines for one mechanism; none if OpenDP has no such mechanism, or if it hides nothing or all."""
    if isinstance(mechanism, RandomisedResponse):
        return _response(name, mechanism.flip_prob, mechanism.n_states)
    if isinstance(mechanism, BinaryChannel) and mechanism.p10 == mechanism.p01:
        return _response(name, mechanism.p10, 2)
    if isinstance(mechanism, KaryResponse):
        return _response(name, mechanism.response.flip_prob, mechanism.k)
    if isinstance(mechanism, BasicRappor):
        return _rappor(name, mechanism)
    if isinstance(mechanism, LaplaceNoise | LaplaceCounts | DiscreteLaplaceCounts | BagTotals) and mechanism.scale > 0:
        return _laplace(name, mechanism)
    if isinstance(mechanism, GaussianNoise | GaussianCounts | DiscreteGaussianCounts) and mechanism.sigma > 0:
        return _gaussian(name, mechanism, delta)
    return ()


def _response(name: str, flip_prob: float, k: int) -> tuple[str, ...]:
    if not 0 < flip_prob < (k - 1) / k:
        return ()
    ours = accounting.randomised_response_epsilon(flip_prob, k)
    truth = f"prob=1 - {flip_prob!r}"
    if k == 2:
        change, made, value = "the other answer", f"dp.m.make_randomized_response_bool({truth})", "True"
    else:
        change = f"one of the other {k - 1}, each as often"
        made, value = f"dp.m.make_randomized_response(list(range({k})), {truth})", "0"
    return (
        "",
        f"# OpenDP takes the probability of the true answer; with {flip_prob:.6g} it sends {change}.",
        f"{name} = {made}",
        f'print("ε:", {name}.map(d_in=1))  # {ours:.6f} by privdemo',
        f'print("sent for {value}:", {name}({value}))',
    )


def _rappor(name: str, mechanism: BasicRappor) -> tuple[str, ...]:
    k = mechanism.k
    return (
        "",
        f"# A bit for each of {k} answers, the true one's set. OpenDP takes twice the chance of flipping one.",
        "space = dp.bitvector_domain(max_weight=1), dp.discrete_distance()",
        f"{name} = dp.m.make_randomized_response_bitvec(*space, f=2 * {mechanism.q!r})",
        f'print("ε:", {name}.map(d_in=1))  # {mechanism.epsilon:.6f} by privdemo',
        f"true_bits = bytes([128]) + bytes({(k + 7) // 8 - 1})  # eight bits a byte, the first one set",
        f'print("sent for 0:", "".join(f"{{eight:08b}}" for eight in {name}(true_bits))[:{k}])',
    )


def _laplace(name: str, mechanism: LaplaceNoise | LaplaceCounts | DiscreteLaplaceCounts | BagTotals) -> tuple[str, ...]:
    whole = isinstance(mechanism, DiscreteLaplaceCounts)
    space, sensitivity, words, value = _space(mechanism, f"dp.l1_distance(T={'int' if whole else 'float'})")
    ours = float(sensitivity) / mechanism.scale
    return (
        "",
        "# Discrete Laplace noise of the same scale." if whole else "# Laplace noise of the same scale.",
        f"# {words}",
        f"space = {space}",
        f"{name} = dp.m.make_laplace(*space, scale={mechanism.scale!r})",
        f'print("ε:", {name}.map(d_in={sensitivity}))  # {ours:.6f} by privdemo, at δ = 0',
        f'print("sent for {value}:", {name}({value}))',
    )


def _gaussian(
    name: str, mechanism: GaussianNoise | GaussianCounts | DiscreteGaussianCounts, delta: float
) -> tuple[str, ...]:
    whole = isinstance(mechanism, DiscreteGaussianCounts)
    of_counts = whole or isinstance(mechanism, GaussianCounts)
    space, sensitivity, words, value = _space(mechanism, "dp.l2_distance(T=float)")
    far = math.sqrt(2) if of_counts else 1.0
    sensitivity = "2**0.5" if of_counts else sensitivity
    ours = (
        accounting.discrete_gaussian_counts_epsilon(mechanism.sigma, delta)
        if whole
        else accounting.gaussian_epsilon(mechanism.sigma, delta, far)
    )
    return (
        "",
        "# Discrete Gaussian noise of the same σ." if whole else "# Gaussian noise of the same standard deviation.",
        f"# {words}",
        f"space = {space}",
        f"{name} = dp.m.make_gaussian(*space, scale={mechanism.sigma!r})",
        f'print("ρ:", {name}.map(d_in={sensitivity}))  # {far**2 / (2 * mechanism.sigma**2):.6f} = Δ² / (2σ²)',
        f"approximate = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP({name}), delta={delta!r})",
        "# OpenDP derives ε from ρ, an upper bound; privdemo computes it exactly.",
        f'print("(ε, δ):", approximate.map(d_in={sensitivity}))  # ε = {ours:.6f} by privdemo',
        f'print("sent for {value}:", {name}({value}))',
    )


def _space(mechanism: Any, distance: str) -> tuple[str, str, str, str]:
    """Return OpenDP's space of the values, how far apart neighbours are in L1, why so, and a value to send."""
    whole = isinstance(mechanism, DiscreteLaplaceCounts | DiscreteGaussianCounts)
    atom = "dp.atom_domain(T=int)" if whole else "dp.atom_domain(T=float, nan=False)"
    vector = f"dp.vector_domain({atom}), {distance}"
    if isinstance(mechanism, BagTotals):
        return vector, "1.0", _TOTALS_WORDS, "[9.0, 14.0]"
    if whole:
        return vector, "2", _COUNTS_WORDS, "[320, 230]"
    if isinstance(mechanism, LaplaceCounts | GaussianCounts):
        return vector, "2.0", _COUNTS_WORDS, "[320.0, 230.0]"
    return f"{atom}, dp.absolute_distance(T=float)", _VALUE, _VALUE_WORDS, "0.5"
