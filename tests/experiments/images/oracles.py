"""Settings that the tests of images share, and a release recomputed from the streams of its seed."""

import numpy as np

from privdemo import datasets
from privdemo.experiments.images import Config, people
from privdemo.mechanisms import GaussianNoise, LaplaceNoise, RandomisedResponse

DIGITS_K, MNIST_K = 17, 256
DIGITS = Config("digits", pixels=RandomisedResponse(0.3, DIGITS_K), per_class=3, n_people=200)
MECHANISMS = [RandomisedResponse(0.3, DIGITS_K), GaussianNoise(0.3), LaplaceNoise(0.2)]


def streams(seed):
    """The random streams of people, pixels and labels: the first three children of the seed."""
    return [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(3)]


def by_hand(config):
    """Everyone's images, labels and releases of both."""
    of_people, of_pixels, of_labels = streams(config.seed)
    drawn = datasets.load("digits").select_classes(config.classes).draw(config.n_people // 2, of_people)
    values = config.pixels.from_states(drawn.X, DIGITS_K)
    return drawn, config.pixels.randomise(values, of_pixels), config.labels.randomise(drawn.y, of_labels)


def forget():
    """Empty the experiment's caches, so that what follows is computed anew."""
    for cached in (people.draw_people, people.noise_draws, people.true_frequencies):
        cached.cache_clear()
