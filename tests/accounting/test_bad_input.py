"""Every function of the package refuses numbers outside its limits, by the name of the argument."""

import math

import numpy as np
import pytest

from privdemo import accounting as acc

RESPONSE = {"flip_prob": 0.1, "n_states": 4, "n_values": 2}
BINARY = {"p10": 0.1, "p01": 0.2, "n_values": 2}
GAUSSIAN, LAPLACE, DIRICHLET = {"sigma": 1.0}, {"scale": 1.0, "n_values": 2}, {"sigma": 1.0, "move": (30, 20)}
EPSILON, DELTA = {"epsilon": 1.0}, {"delta": 0.1}
BOTH = EPSILON | DELTA
GOOD = [
    (acc.randomised_response_loss, RESPONSE),
    (acc.randomised_response_delta, RESPONSE | EPSILON),
    (acc.randomised_response_epsilon, RESPONSE | DELTA),
    (acc.randomised_response_flip_prob, BOTH | {"n_states": 4, "n_values": 2}),
    (acc.binary_channel_losses, BINARY),
    (acc.binary_channel_delta, BINARY | EPSILON),
    (acc.binary_channel_epsilon, BINARY | DELTA),
    (acc.gaussian_delta, GAUSSIAN | EPSILON | {"sensitivity": 1.0}),
    (acc.gaussian_epsilon, GAUSSIAN | DELTA | {"sensitivity": 1.0}),
    (acc.gaussian_sigma, BOTH | {"sensitivity": 1.0}),
    (acc.laplace_loss, LAPLACE),
    (acc.laplace_delta, LAPLACE | EPSILON),
    (acc.laplace_epsilon, LAPLACE | DELTA),
    (acc.laplace_scale, BOTH | {"n_values": 2}),
    (acc.laplace_counts_delta, {"scale": 1.0} | EPSILON),
    (acc.laplace_counts_scale, BOTH),
    (acc.published_laplace_counts_scale, EPSILON),
    (acc.gaussian_counts_delta, GAUSSIAN | EPSILON),
    (acc.gaussian_counts_sigma, BOTH),
    (acc.published_gaussian_counts_sigma, BOTH),
    (acc.dirichlet_delta, DIRICHLET | EPSILON),
    (acc.published_dirichlet_delta, DIRICHLET | EPSILON),
    (acc.dirichlet_sigma, BOTH | {"moves": [(30, 20)]}),
    (acc.public_moves, {"n_min": 3}),
    (acc.posterior_odds, {"prior_odds": 1.0} | EPSILON),
    (acc.log_odds, {"probability": 0.5}),
    (acc.compose, {"n_releases": 2} | EPSILON),
]


@pytest.mark.parametrize(
    ("call", "good", "name"),
    [(call, good, name) for call, good in GOOD for name in good if not name.startswith("move")],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_bad_numbers_are_refused_by_name(call, good, name):
    call(**good)
    high = 64 if "p10" in good else 10_000
    extra = {"n_values": (0, high + 1, 2.0), "n_min": (0, 2.5, 10**9 + 1), "n_releases": (0, 1.5)}
    for bad in (-0.1, math.nan, *extra.get(name, ())):
        span = rf"a whole number in \[1, {high}\]" if name == "n_values" else ".*"
        with pytest.raises(ValueError, match=rf"^{name} must be {span}, got {bad!r}"):
            call(**good | {name: bad})


def no_gaussian(delta):
    return rf"^delta must be in \(0, 1\), got {delta}; Gaussian noise never"


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: acc.published_gaussian_counts_sigma(1.0, 0.0), "^delta must be above 0 for Gaussian noise, .*Laplace"),
        (lambda: acc.gaussian_counts_sigma(1.0, 0.0), "^delta must be above 0 for Gaussian noise, .*; use Laplace"),
        (lambda: acc.dirichlet_sigma(1.0, 0.0, [(3, 2)]), "^delta must be above 0 for scaled Dirichlet, .*Laplace"),
        (lambda: acc.gaussian_sigma(1.0, 0.0), no_gaussian(0)),
        (lambda: acc.gaussian_sigma(1.0, 1.0), no_gaussian(1)),
        (lambda: acc.gaussian_sigma(0.0, 1e-9), r"^epsilon = 0 at delta = 1e-09 needs a sigma above 1e\+06; raise"),
        (lambda: acc.laplace_scale(0.0), "^epsilon must be above 0 where δ = 0, got 0; no finite Laplace noise"),
        (lambda: acc.laplace_scale(1e-9), r"^epsilon = 1e-09 at delta = 0 needs a scale above 1e\+06; raise either"),
        (
            lambda: acc.dirichlet_delta_samples((0.0, 1.0), (1.0, 1.0), 1.0, 9, np.random.default_rng(0)),
            "smallest parameter must be above 0, got 0",
        ),
        *[
            (lambda prior=prior: acc.posterior(np.eye(2), prior, 0), "prior must be 2 probabilities that sum to 1, got")
            for prior in ([0.5, 0.4], [1.5, -0.5], [1.0], [0.2, 0.3, 0.5], [math.nan, 1.0])
        ],
        *[
            (lambda seen=seen: acc.posterior(np.eye(2), [0.5, 0.5], seen), r"observed must be a whole number in \[0, 1")
            for seen in (-1, 2, 1.0)
        ],
        (lambda: acc.posterior([[1, 0.5], [0, 0.5]], [1, 0], 1), "observed = 1 cannot happen under this channel and"),
    ],
)
def test_promises_that_cannot_be_kept_and_beliefs_that_are_none_are_refused(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
