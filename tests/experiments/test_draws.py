"""Repeats and random streams, against the children that numpy spawns."""

import numpy as np
import pytest

from privdemo.experiments.draws import at_draw, generator, stream
from privdemo.experiments.training import TrainingConfig

CONFIG = TrainingConfig("digits", seed=5, draw=3)


def test_another_draw_is_the_same_question():
    assert at_draw(CONFIG, 7) == TrainingConfig("digits", seed=5, draw=7)
    with pytest.raises(ValueError, match="draw must be a whole number"):
        at_draw(CONFIG, -1)


def test_streams_are_the_children_of_a_draws_own_sequence():
    root = np.random.SeedSequence(5, spawn_key=(3,))
    children = root.spawn(4)
    for i, child in enumerate(children):
        np.testing.assert_array_equal(stream(CONFIG, i).generate_state(4), child.generate_state(4))
        np.testing.assert_array_equal(generator(CONFIG, i).random(5), np.random.default_rng(child).random(5))
    np.testing.assert_array_equal(stream(CONFIG, 2, 1).generate_state(4), children[2].spawn(2)[1].generate_state(4))


def test_every_stream_draw_and_seed_is_another_and_each_begins_anew():
    others = [(CONFIG, 0), (CONFIG, 1), (at_draw(CONFIG, 4), 0), (TrainingConfig("digits", seed=6, draw=3), 0)]
    assert len({generator(config, number).random() for config, number in others}) == 4
    assert generator(CONFIG, 0).random() == generator(CONFIG, 0).random()
