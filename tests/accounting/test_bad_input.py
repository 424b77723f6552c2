"""Every function of the package refuses numbers outside its limits, by the name of the argument."""

import math

import pytest

from privdemo import accounting as acc


@pytest.mark.parametrize("bad", [-0.1, math.nan])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("epsilon", lambda bad: acc.randomised_response_delta(0.1, bad)),
        ("epsilon", lambda bad: acc.randomised_response_flip_prob(bad, 4)),
        ("epsilon", lambda bad: acc.gaussian_delta(1.0, bad)),
        ("epsilon", lambda bad: acc.gaussian_sigma(bad, 1e-5)),
        ("epsilon", lambda bad: acc.laplace_delta(1.0, bad)),
        ("epsilon", lambda bad: acc.laplace_scale(bad)),
        ("epsilon", lambda bad: acc.laplace_counts_delta(1.0, bad)),
        ("epsilon", lambda bad: acc.dirichlet_delta(1.0, (3, 2), bad)),
        ("epsilon", lambda bad: acc.posterior_odds(1.0, bad)),
        ("epsilon", lambda bad: acc.compose(bad, 2)),
        ("epsilon", lambda bad: acc.published_laplace_counts_scale(bad)),
        ("epsilon", lambda bad: acc.published_gaussian_counts_sigma(bad, 0.1)),
        ("epsilon", lambda bad: acc.dirichlet_sigma(bad, 0.1, [(3, 2)])),
        ("delta", lambda bad: acc.randomised_response_epsilon(0.1, 4, bad)),
        ("delta", lambda bad: acc.randomised_response_flip_prob(1.0, 4, bad)),
        ("delta", lambda bad: acc.gaussian_epsilon(1.0, bad)),
        ("delta", lambda bad: acc.gaussian_sigma(1.0, bad)),
        ("delta", lambda bad: acc.laplace_epsilon(1.0, bad)),
        ("delta", lambda bad: acc.laplace_scale(1.0, bad)),
        ("delta", lambda bad: acc.laplace_counts_scale(1.0, bad)),
        ("delta", lambda bad: acc.published_gaussian_counts_sigma(1.0, bad)),
        ("delta", lambda bad: acc.dirichlet_sigma(1.0, bad, [(3, 2)])),
        ("sigma", lambda bad: acc.gaussian_delta(bad, 1.0)),
        ("sigma", lambda bad: acc.dirichlet_delta(bad, (3, 2), 1.0)),
        ("scale", lambda bad: acc.laplace_delta(bad, 1.0)),
        ("scale", lambda bad: acc.laplace_epsilon(bad)),
        ("scale", lambda bad: acc.laplace_loss(bad)),
        ("scale", lambda bad: acc.laplace_counts_delta(bad, 1.0)),
        ("sensitivity", lambda bad: acc.gaussian_delta(1.0, 1.0, bad)),
        ("flip_prob", lambda bad: acc.randomised_response_epsilon(bad, 4)),
        ("flip_prob", lambda bad: acc.randomised_response_loss(bad, 4)),
        ("p10", lambda bad: acc.binary_channel_losses(bad, 0.1)),
        ("p01", lambda bad: acc.binary_channel_losses(0.1, bad)),
        ("prior_odds", lambda bad: acc.posterior_odds(bad, 1.0)),
        ("n_values", lambda bad: acc.laplace_epsilon(1.0, 0.0, bad)),
        ("n_states", lambda bad: acc.randomised_response_flip_prob(math.inf, bad)),
    ],
)
def test_bad_numbers_are_refused_by_name(name, call, bad):
    with pytest.raises(ValueError, match=rf"^{name} must be .*, got {bad!r}"):
        call(bad)


@pytest.mark.parametrize(
    ("high", "call"),
    [
        (10_000, lambda bad: acc.randomised_response_loss(0.1, 4, bad)),
        (10_000, lambda bad: acc.randomised_response_epsilon(0.1, 4, 0.0, bad)),
        (10_000, lambda bad: acc.randomised_response_flip_prob(1.0, 4, 0.0, bad)),
        (64, lambda bad: acc.binary_channel_losses(0.1, 0.2, bad)),
        (10_000, lambda bad: acc.laplace_loss(1.0, bad)),
        (10_000, lambda bad: acc.laplace_delta(1.0, 1.0, bad)),
        (10_000, lambda bad: acc.laplace_epsilon(1.0, 0.0, bad)),
        (10_000, lambda bad: acc.laplace_scale(math.inf, 0.0, bad)),
    ],
)
def test_n_values_out_of_range_are_refused(high, call):
    for bad in (0, high + 1, 2.0):
        with pytest.raises(ValueError, match=rf"^n_values must be a whole number in \[1, {high}\], got "):
            call(bad)
    call(1)


@pytest.mark.parametrize("call", [acc.published_gaussian_counts_sigma, acc.gaussian_counts_sigma])
def test_a_delta_of_0_needs_laplace_noise(call):
    with pytest.raises(ValueError, match=r"^delta must be above 0 for Gaussian noise, .*; use Laplace noise$"):
        call(1.0, 0.0)
    with pytest.raises(ValueError, match=r"^delta must be above 0 for scaled Dirichlet, .*; use Laplace noise$"):
        acc.dirichlet_sigma(1.0, 0.0, [(3, 2)])
