"""Every function refuses numbers outside its limits, by the name of the argument, and has the package's defaults."""

import inspect
import math

import numpy as np
import pytest

from privdemo import accounting as acc

GOOD = {"flip_prob": 0.1, "n_states": 4, "n_values": 2, "p10": 0.1, "p01": 0.2, "sigma": 1.0, "scale": 1.0}
GOOD |= {"epsilon": 1.0, "delta": 0.1, "sensitivity": 2.0, "n_min": 3, "prior_odds": 1.0, "probability": 0.5}
GOOD |= {"n_releases": 2, "move": (30, 20), "moves": [(30, 20)], "profile": acc.dirichlet_delta}
GOOD |= {"local_epsilon": 2.0, "n_voters": 50, "rho": 0.5, "n_steps": 4, "n": 50, "penalty": 0.1, "people": 500}
DEFAULTS = {"n_states": 2, "n_values": 1, "sensitivity": 1.0, "delta": 0.0}
# their first argument is something else than a number
OTHERS = {"channel_epsilon", "dirichlet_delta_samples", "moves_to_neighbours", "neighbouring_moves", "posterior"}
OTHERS |= {"dirichlet_smallest_count"}
FUNCTIONS = [vars(acc)[name] for name in acc.__all__ if name not in OTHERS and inspect.isfunction(vars(acc)[name])]
CALLS = [(call, {name: GOOD[name] for name in inspect.signature(call).parameters}) for call in FUNCTIONS]
by_name = {"ids": lambda value: getattr(value, "__name__", None)}


@pytest.mark.parametrize(
    ("call", "good", "name"),
    [(call, good, name) for call, good in CALLS for name in good if isinstance(good[name], (int, float))],
    **by_name,
)
def test_bad_numbers_are_refused_by_name(call, good, name):
    call(**good)
    high = 64 if "p10" in good else 10_000
    extra = {"n_values": (0, high + 1, 2.0), "n_min": (0, 2.5, 10**9 + 1), "n_releases": (0, 1.5)}
    for bad in (-0.1, math.nan, *extra.get(name, ())):
        span = rf"a whole number in \[1, {high}\]" if name == "n_values" else ".*"
        with pytest.raises(ValueError, match=rf"^{name} must be {span}, got {bad!r}"):
            call(**good | {name: bad})


def number(found):
    """A loss, or a list of losses, as the numbers that it holds."""
    losses = found if isinstance(found, list) else [found]
    return [one.masses.tolist() if isinstance(one, acc.PrivacyLoss) else one for one in losses]


@pytest.mark.parametrize(("call", "good"), CALLS, **by_name)
def test_defaults_are_one_value_two_states_unit_distance_and_no_delta(call, good):
    parameters = inspect.signature(call).parameters.values()
    for name in (one.name for one in parameters if one.default is not one.empty and one.name in DEFAULTS):
        without = {key: value for key, value in good.items() if key != name}
        assert number(call(**without)) == number(call(**without, **{name: DEFAULTS[name]})) != number(call(**good))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: acc.published_gaussian_counts_sigma(1.0, 0.0), "^delta must be above 0 for Gaussian noise, .*Laplace"),
        (lambda: acc.gaussian_counts_sigma(1.0, 0.0), "^delta must be above 0 for Gaussian noise, .*; use Laplace"),
        (lambda: acc.dirichlet_sigma(1.0, 0.0, [(3, 2)]), "^delta must be above 0 for scaled Dirichlet, .*Laplace"),
        (lambda: acc.gaussian_sigma(1.0, 0.0), r"^delta must be in \(0, 1\), got 0; Gaussian noise never"),
        (lambda: acc.gaussian_sigma(1.0, 1.0), r"^delta must be in \(0, 1\), got 1; Gaussian noise never"),
        (lambda: acc.gaussian_sigma(0.0, 1e-9), r"^epsilon = 0 at delta = 1e-09 needs a sigma above 1e\+06; raise"),
        (lambda: acc.laplace_scale(0.0), "^epsilon must be above 0 where δ = 0, got 0; no finite Laplace noise"),
        (lambda: acc.posterior([[1, 0.5], [0, 0.5]], [1, 0], 1), "observed = 1 cannot happen under this channel and"),
        (lambda: acc.posterior(np.eye(2), [0.5, 0.4], 0), "prior must be 2 probabilities that sum to 1, got"),
        (lambda: acc.posterior(np.eye(2), [0.5, 0.5], 2), r"observed must be a whole number in \[0, 1"),
    ],
)
def test_impossible_guarantees_and_invalid_beliefs_are_refused(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
