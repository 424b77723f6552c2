"""How often a guess can be right: the closed form against the best of all private channels."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

from privdemo.accounting import (
    most_guessed_right,
    most_guessed_right_again,
    most_right_of_100,
    right_of_100_words,
)


def most_by_search(epsilon, delta, k):
    """The most that any channel from k values to k guesses has right, which a linear program finds.

    Its unknowns are the chances of guess v where u is true, and it must keep (ε, δ) for every pair of values and every
    set of guesses. A guess is made of a release alone, so that it keeps what the release keeps.
    """
    at = np.arange(k * k).reshape(k, k)  # [true, guess]
    rows = []
    for one, other in itertools.permutations(range(k), 2):
        for size in range(1, k):
            for guesses in itertools.combinations(range(k), size):
                row = np.zeros(k * k)
                row[at[one, list(guesses)]] = 1
                row[at[other, list(guesses)]] = -math.exp(epsilon)
                rows.append(row)
    is_chance = np.kron(np.eye(k), np.ones(k))
    found = linprog(-np.eye(k).ravel() / k, np.array(rows), np.full(len(rows), delta), is_chance, np.ones(k))
    return -found.fun


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("delta", [0.0, 1e-3, 0.05, 0.3, 1.0])
def test_the_most_that_can_be_guessed_right_is_that_of_the_worst_private_channel(epsilon, delta, k):
    assert most_guessed_right(epsilon, delta, k) == pytest.approx(most_by_search(epsilon, delta, k), abs=1e-9)


@pytest.mark.parametrize("delta", [0.0, 1e-3, 0.3])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("n_releases", [1, 2, 4, 5])
def test_several_releases_tell_what_those_of_the_worst_private_channel_tell_together(epsilon, delta, n_releases):
    lie = (1 - delta) / (1 + math.exp(epsilon))
    # Told 0, told 1, sent as 0, sent as 1: rows for what is true.
    channel = np.array([[delta, 0, 1 - delta - lie, lie], [0, delta, lie, 1 - delta - lie]])
    together = np.ones((2, 1))
    for _ in range(n_releases):
        together = (together[:, :, None] * channel[:, None, :]).reshape(2, -1)
    best_guess = together.max(axis=0).sum() / 2
    assert most_guessed_right_again(epsilon, delta, n_releases) == pytest.approx(best_guess, abs=1e-12)
    summed = most_guessed_right(n_releases * epsilon, min(1.0, n_releases * delta))
    assert best_guess <= summed + 1e-12


def test_whole_times_are_rounded_up_and_those_that_are_whole_stay():
    assert [most_right_of_100(epsilon, 0.0) for epsilon in (0.0, 0.01, 1.0, math.log(3), 6.0, math.inf)] == [
        *(50, 51, 74, 75, 100, 100)
    ]
    assert most_right_of_100(1.0, 0.05) == 75  # 73.1 + 0.05 · 26.9
    assert most_right_of_100(0.0, 0.2) == 60
    assert most_right_of_100(0.0, 0.0, n_states=16) == 7


@pytest.mark.parametrize(
    ("epsilon", "delta", "k", "words"),
    [
        (0.0, 0.0, 2, "at most 50 of 100 times"),
        (0.0, 0.0, 16, "fewer than 7 of 100 times"),  # 6.25
        (1.0, 0.0, 2, "fewer than 74 of 100 times"),  # 73.1
        (math.log(3), 0.0, 2, "at most 75 of 100 times"),
        (math.log(3), 1e-6, 2, "fewer than 76 of 100 times"),
        (6.0, 0.0, 2, "up to nearly 100 of 100 times"),
        (math.inf, 0.0, 2, "up to nearly 100 of 100 times"),
    ],
)
def test_a_bound_that_is_not_whole_is_said_to_be_less_than_the_next_whole_number(epsilon, delta, k, words):
    assert right_of_100_words(epsilon, delta, k) == words
