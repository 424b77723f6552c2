"""People for a poll behind a shuffler or a curator, against the definitions of their intervals and of their ε."""

import math

import numpy as np
import pytest

from privdemo.accounting import default_delta, laplace_scale, randomised_response_epsilon, shuffled_poll_delta
from privdemo.estimators import survey, trusted_survey
from privdemo.mechanisms.label_counts import laplace_error
from tests.estimators.oracles import Z

DELTA = 1e-6


@pytest.mark.parametrize(("n", "epsilon", "share"), [(50, 0.2, 0.5), (300, 1.0, 0.1), (3000, 0.05, 0.5)])
def test_the_interval_of_a_noisy_count_has_the_shares_at_z_standard_errors(n, epsilon, share):
    def half(scale):
        """Half the distance of the roots θ of (θ − share)² = z² (θ(1 − θ)/n + 2b²/n²)."""
        low, high = np.sort(np.roots([1 + Z**2 / n, -2 * share - Z**2 / n, share**2 - 2 * (Z * scale / n) ** 2]))
        return (high - low) / 2

    scale = laplace_scale(epsilon, DELTA)
    found = trusted_survey.curated_half_width(n, scale, share)
    assert found == pytest.approx(half(scale), rel=1e-9)
    assert found != pytest.approx(half(1.05 * scale), rel=1e-4)


def test_without_noise_a_curators_interval_is_wilsons():
    assert trusted_survey.curated_half_width(500, 0.0, 0.3) == pytest.approx(survey.half_width(500, 0.0, 0.3))


@pytest.mark.parametrize("scale", [0.0, 5.0, 100.0])
@pytest.mark.parametrize("n_groups", [1, 4, 50])
def test_intervals_with_laplace_noise_of_several_groups_are_as_wide_as_simulated(scale, n_groups):
    """Those of people themselves, where all the error is noise, too."""
    n, share, rng = 2000, 0.4, np.random.default_rng(0)
    error = laplace_error(scale).times(n_groups)
    noise = scale * rng.laplace(size=(n_groups, 40_000)).sum(axis=0)
    found = (rng.binomial(n, share, 40_000) + noise) / n
    wide = np.quantile(np.abs(found - share), 0.95)
    assert trusted_survey.noisy_half_width(n, error, share) == pytest.approx(wide, rel=0.03)
    assert error.variance == pytest.approx(noise.var(), rel=0.05)
    if scale:
        assert trusted_survey.noise_half_width(error) == pytest.approx(np.quantile(np.abs(noise), 0.95), rel=0.035)
    assert trusted_survey.noisy_half_width(n, error, share) >= trusted_survey.curated_half_width(n, scale, share)


@pytest.mark.parametrize(("epsilon", "width"), [(0.1, 0.02), (1.0, 0.05), (0.02, 0.3)])
def test_a_curator_needs_the_fewest_voters(epsilon, width):
    n = trusted_survey.curated_voters_needed(epsilon, DELTA, width)
    scale = laplace_scale(epsilon, DELTA)
    assert trusted_survey.curated_half_width(n, scale, 0.5) <= width * (1 + 1e-9)
    assert trusted_survey.curated_half_width(n - 1, scale, 0.5) > width * (1 - 1e-9)


@pytest.mark.parametrize(("epsilon", "width"), [(0.1, 0.02), (1.0, 0.05), (0.3, 0.1)])
def test_a_shuffler_needs_the_fewest_voters_whose_answers_hide_each_other(epsilon, width):
    def delta_with(n):
        """δ(ε) of so many who lie no more than the precision leaves them."""
        return shuffled_poll_delta(randomised_response_epsilon(survey.flip_prob_allowed(n, width)), n, epsilon)

    n = trusted_survey.shuffled_voters_needed(epsilon, DELTA, width)
    assert delta_with(math.ceil(1.005 * n)) <= DELTA < delta_with(math.floor(0.98 * n))
    assert trusted_survey.curated_voters_needed(epsilon, DELTA, width) < n
    assert n < survey.voters_needed(1 / (1 + math.exp(epsilon)), width)


@pytest.mark.parametrize(("epsilon", "width"), [(0.1, 0.02), (1.0, 0.05), (0.05, 0.005)])
def test_without_a_delta_it_is_the_default_of_those_who_are_needed(epsilon, width):
    for needed in (trusted_survey.shuffled_voters_needed, trusted_survey.curated_voters_needed):
        n = needed(epsilon, None, width)
        assert needed(epsilon, default_delta(math.floor(n / 1.01)), width) <= n
        assert n <= needed(epsilon, default_delta(math.ceil(n * 1.01)), width)
    assert trusted_survey.curated_voters_needed(1e-6, None, 0.0001) > 10**9


def test_the_ends_of_privacy():
    assert trusted_survey.shuffled_voters_needed(0.0, 0.0, 0.02) == math.inf
    honest = survey.voters_needed(0.0, 0.02)
    assert trusted_survey.shuffled_voters_needed(25.0, DELTA, 0.02) == honest
    assert trusted_survey.curated_voters_needed(25.0, DELTA, 0.02) == honest
