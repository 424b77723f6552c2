"""Write the lines of Python for OpenDP (https://opendp.org) that randomise as a mechanism of ours does, where it can.

OpenDP has randomised response with an equal chance for every other answer, Laplace noise and Gaussian noise. It states
the same numbers as we do, but for two: it takes the probability of the true answer, not that of a changed one, and
it derives the ε of Gaussian noise from zero-concentrated privacy, which is an upper bound.
"""

from __future__ import annotations

import math
from typing import Any

from pages.kit.snippet import Snippet
from privdemo import accounting
from privdemo.mechanisms import BinaryChannel, GaussianNoise, LaplaceNoise, RandomisedResponse
from privdemo.mechanisms.label_counts import GaussianCounts, LaplaceCounts

_START = Snippet(("import opendp.prelude as dp",), ('dp.enable_features("contrib")',))
# A value in [0, 1] changes by 1 at most; a label in another class changes two counts by 1 each.
_VALUE, _VALUE_WORDS = "1.0", "A value lies in [0, 1]."
_COUNTS_WORDS = "The shares are made of these counts. A label in another class changes two of them by 1 each."


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
    if isinstance(mechanism, LaplaceNoise | LaplaceCounts) and mechanism.scale > 0:
        return _laplace(name, mechanism)
    if isinstance(mechanism, GaussianNoise | GaussianCounts) and mechanism.sigma > 0:
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


def _laplace(name: str, mechanism: LaplaceNoise | LaplaceCounts) -> tuple[str, ...]:
    of_counts = isinstance(mechanism, LaplaceCounts)
    space, sensitivity, words, value = _space(of_counts, "dp.l1_distance(T=float)")
    ours = (2.0 if of_counts else 1.0) / mechanism.scale
    return (
        "",
        "# Laplace noise of the same scale.",
        f"# {words}",
        f"space = {space}",
        f"{name} = dp.m.make_laplace(*space, scale={mechanism.scale!r})",
        f'print("ε:", {name}.map(d_in={sensitivity}))  # {ours:.6f} by privdemo, at δ = 0',
        f'print("sent for {value}:", {name}({value}))',
    )


def _gaussian(name: str, mechanism: GaussianNoise | GaussianCounts, delta: float) -> tuple[str, ...]:
    of_counts = isinstance(mechanism, GaussianCounts)
    space, sensitivity, words, value = _space(of_counts, "dp.l2_distance(T=float)")
    far = math.sqrt(2) if of_counts else 1.0
    sensitivity = "2**0.5" if of_counts else sensitivity
    ours = accounting.gaussian_epsilon(mechanism.sigma, delta, far)
    return (
        "",
        "# Gaussian noise of the same standard deviation.",
        f"# {words}",
        f"space = {space}",
        f"{name} = dp.m.make_gaussian(*space, scale={mechanism.sigma!r})",
        f'print("ρ:", {name}.map(d_in={sensitivity}))  # {far**2 / (2 * mechanism.sigma**2):.6f} = Δ² / (2σ²)',
        f"approximate = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP({name}), delta={delta!r})",
        "# OpenDP derives ε from ρ, an upper bound; privdemo computes it exactly.",
        f'print("(ε, δ):", approximate.map(d_in={sensitivity}))  # ε = {ours:.6f} by privdemo',
        f'print("sent for {value}:", {name}({value}))',
    )


def _space(of_counts: bool, distance: str) -> tuple[str, str, str, str]:
    """Return OpenDP's space of the values, how far apart neighbours are in L1, why so, and a value to send."""
    atom = "dp.atom_domain(T=float, nan=False)"
    if of_counts:
        return f"dp.vector_domain({atom}), {distance}", "2.0", _COUNTS_WORDS, "[320.0, 230.0]"
    return f"{atom}, dp.absolute_distance(T=float)", _VALUE, _VALUE_WORDS, "0.5"
