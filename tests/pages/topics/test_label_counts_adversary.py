"""The tab on the adversary of released counts: a leak is told where there is one, a rate where there is a promise."""

import math

import pytest

from pages.topics.label_counts import adversary
from privdemo.experiments import label_counts
from privdemo.experiments.label_counts import Leak
from privdemo.intervals import Estimate
from tests.pages.topics.test_label_counts import DATA, GAUSS, PUBLIC, QUESTION, asked


def leak(sigma=0.3, there=0.25, low=0.06):
    return Leak(sigma, (1, 2), there, 0.1, Estimate(low + 0.01, low, low + 0.02))


@pytest.mark.parametrize(
    ("local", "published", "words"),
    [
        (None, None, "For these counts scaled Dirichlet has no σ to choose."),
        (leak(there=math.nan), None, "σ = 0.3, and with one label moved there is none, so a release alone tells"),
        (leak(), None, "be 0.25; between the two, each with its own σ, δ is 0.0700 (simulated), more than was"),
        (leak(low=0.05), None, "each with its own σ, δ is no more than was asked for (0.060, simulated)."),
        (leak(there=0.3), None, "with one label moved it would be next to the same; between"),
        (leak(), leak(there=math.nan), "paper’s criterion the neighbour has no σ at all, so a release alone"),
        (leak(), leak(0.2, 0.1), "paper’s criterion it is 0.2 and 0.1: between the two, each with its own σ, δ is"),
        (leak(), leak(low=0.05), "δ is 0.0700 (simulated), more than was asked for."),
    ],
)
def test_noise_chosen_from_the_counts_leaks(local, published, words, monkeypatch):
    def found(config, release="dirichlet local"):
        given = {"dirichlet local": local, DATA: published}[release]
        if given is None:
            raise ValueError("no σ")
        return given

    monkeypatch.setattr(label_counts, "leak", found)
    said = adversary.leak_words(QUESTION.config)
    assert words in said
    assert ("paper’s criterion" in said) == ("paper’s criterion" in words)


@pytest.mark.parametrize(
    ("release", "rates", "words"),
    [
        (DATA, {}, "no such number holds, as its noise is chosen from the counts. "),
        (PUBLIC, {PUBLIC: 0.55}, "right <b>55.0 %</b> of the time at most for the worst set that n_min allows; "),
        (GAUSS, {GAUSS: 0.6}, "With Gaussian, published the guess is right <b>60.0 %</b> of the time at most; "),
        (GAUSS, {}, ""),
    ],
)
def test_a_guess_has_a_rate_where_there_is_a_promise(release, rates, words):
    said = adversary._guess_words(asked(release), rates)
    assert said.endswith(words)
    assert bool(said) == bool(words)
