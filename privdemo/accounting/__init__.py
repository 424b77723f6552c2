"""ε, δ, composition, calibration and beliefs: the exact privacy guarantees of the mechanisms.

A mechanism is (ε, δ)-private if, for any two inputs x and x′ and any set S of outputs,
P(S | x) ≤ e^ε P(S | x′) + δ (Dwork & Roth 2014, definition 2.4). The smallest such δ at a given ε is its *privacy
profile*

    δ(ε) = sup over (x, x′) of  Σ_o max(0, P(o|x) − e^ε P(o|x′)).

Each mechanism has one module, and the functions of all modules follow one pattern: `<mechanism>_delta` is the profile,
`<mechanism>_epsilon` its inverse, `<mechanism>_sigma`, `_scale` or `_flip_prob` the least noise that meets (ε, δ), and
`<mechanism>_loss` the distribution of the privacy loss. All rounding is conservative: a reported ε or δ is
never below the true one, and a calibrated noise level is never too small.
"""

from privdemo.accounting.beliefs import (
    log_odds,
    most_guessed_right,
    most_guessed_right_again,
    most_right_of_100,
    of_100_words,
    posterior,
    right_of_100_words,
)
from privdemo.accounting.binary_channel import (
    binary_channel_delta,
    binary_channel_epsilon,
    binary_channel_losses,
    channel_epsilon,
)
from privdemo.accounting.concentrated import concentrated_epsilon
from privdemo.accounting.counts import (
    gaussian_counts_delta,
    gaussian_counts_sigma,
    laplace_counts_delta,
    laplace_counts_scale,
    published_gaussian_counts_sigma,
    published_laplace_counts_scale,
)
from privdemo.accounting.dirichlet import (
    Move,
    NoSuchNoise,
    dirichlet_delta,
    dirichlet_delta_samples,
    dirichlet_sigma,
    dirichlet_smallest_count,
    moves_to_neighbours,
    neighbouring_moves,
    public_moves,
    published_dirichlet_delta,
)
from privdemo.accounting.discrete_counts import (
    discrete_gaussian_counts_delta,
    discrete_gaussian_counts_epsilon,
    discrete_gaussian_counts_sigma,
    discrete_laplace_counts_delta,
    discrete_laplace_counts_scale,
)
from privdemo.accounting.gaussian import gaussian_delta, gaussian_epsilon, gaussian_sigma
from privdemo.accounting.gradients import (
    noisy_gradients_delta,
    noisy_gradients_sigma,
    perturbed_objective_delta,
    perturbed_objective_sigma,
)
from privdemo.accounting.laplace import laplace_delta, laplace_epsilon, laplace_loss, laplace_scale
from privdemo.accounting.losses import PrivacyLoss, compose
from privdemo.accounting.randomised_response import (
    randomised_response_delta,
    randomised_response_epsilon,
    randomised_response_flip_prob,
    randomised_response_loss,
)
from privdemo.accounting.shuffling import (
    closed_shuffled_epsilon,
    published_shuffled_epsilon,
    shuffled_closed_form_ends,
    shuffled_delta,
    shuffled_epsilon,
    shuffled_local_epsilon,
    shuffled_poll_delta,
    shuffled_poll_delta_among_ones,
    shuffled_poll_epsilon,
    shuffled_poll_local_epsilon,
    shuffled_response_delta,
    shuffled_response_epsilon,
    shuffled_response_local_epsilon,
)
from privdemo.accounting.small_delta import LARGEST_DEFAULT, MOST_PUBLISHED, default_delta, is_large_delta

__all__ = [
    "LARGEST_DEFAULT",
    "MOST_PUBLISHED",
    "Move",
    "NoSuchNoise",
    "PrivacyLoss",
    "binary_channel_delta",
    "binary_channel_epsilon",
    "binary_channel_losses",
    "channel_epsilon",
    "closed_shuffled_epsilon",
    "compose",
    "concentrated_epsilon",
    "default_delta",
    "dirichlet_delta",
    "dirichlet_delta_samples",
    "dirichlet_sigma",
    "dirichlet_smallest_count",
    "discrete_gaussian_counts_delta",
    "discrete_gaussian_counts_epsilon",
    "discrete_gaussian_counts_sigma",
    "discrete_laplace_counts_delta",
    "discrete_laplace_counts_scale",
    "gaussian_counts_delta",
    "gaussian_counts_sigma",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_sigma",
    "is_large_delta",
    "laplace_counts_delta",
    "laplace_counts_scale",
    "laplace_delta",
    "laplace_epsilon",
    "laplace_loss",
    "laplace_scale",
    "log_odds",
    "most_guessed_right",
    "most_guessed_right_again",
    "most_right_of_100",
    "moves_to_neighbours",
    "neighbouring_moves",
    "noisy_gradients_delta",
    "noisy_gradients_sigma",
    "of_100_words",
    "perturbed_objective_delta",
    "perturbed_objective_sigma",
    "posterior",
    "public_moves",
    "published_dirichlet_delta",
    "published_gaussian_counts_sigma",
    "published_laplace_counts_scale",
    "published_shuffled_epsilon",
    "randomised_response_delta",
    "randomised_response_epsilon",
    "randomised_response_flip_prob",
    "randomised_response_loss",
    "right_of_100_words",
    "shuffled_closed_form_ends",
    "shuffled_delta",
    "shuffled_epsilon",
    "shuffled_local_epsilon",
    "shuffled_poll_delta",
    "shuffled_poll_delta_among_ones",
    "shuffled_poll_epsilon",
    "shuffled_poll_local_epsilon",
    "shuffled_response_delta",
    "shuffled_response_epsilon",
    "shuffled_response_local_epsilon",
]
