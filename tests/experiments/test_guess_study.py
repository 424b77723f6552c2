"""The shipped errors of guessed pixels: every place once, and each is what the page's adversary has."""

import pytest

from privdemo.experiments import images, results
from privdemo.experiments.images import Config, guess_study
from privdemo.mechanisms import RandomisedResponse


def test_the_file_holds_every_place_once():
    rows = guess_study.load()
    places = [(row.level, row.trial, row.prior) for row in rows]
    priors = ("learned", "low_rank")
    assert len(rows) == len(set(places)) == len(guess_study.LEVELS) * results.N_TRIALS * len(priors)
    assert all((row.factors > 0) == (row.prior == "low_rank") for row in rows)
    title, _, *lines = guess_study.report(rows)
    assert (title, len(lines)) == (guess_study.STUDY.title, len(priors) * len(guess_study.LEVELS))
    assert f"{rows[0].level:g}  learned   {guess_study.means(rows)['learned', rows[0].level]:.4f}" in lines[0]


@pytest.mark.mnist
@pytest.mark.parametrize("n_people", [300, 5010])  # kept at once, and made a chunk at a time
def test_a_trial_has_the_errors_of_the_pages_adversary(mnist, n_people):
    made = {row.prior: row for row in guess_study.run_trial(0.6, 1, n_people)}
    config = Config(
        "mnist", guess_study.DIGITS, RandomisedResponse(0.6, 256), RandomisedResponse(0.1, 10), 1, n_people, 1
    )
    errors = images.guess(config, tuple(made)).errors
    for prior, row in made.items():
        difference = abs(errors[prior].mean - row.error)
        assert difference < 1e-6 if n_people == 300 else difference < 2 * errors[prior].half
    assert made["low_rank"].error < made["learned"].error
