"""The studies of training: their files and curves, and the shipped numbers made again."""

import itertools
import math

import numpy as np
import pytest

from privdemo.experiments import results
from privdemo.experiments.training.study import STUDIES, Row, compare, load, points, to_csv, trial
from privdemo.methods import CLEAN, FLAT, NAIVE, RECONSTRUCTION, SPREAD, TRUE
from tests.experiments.oracles import student

# Six digits are written; half a unit of the last is at most 5·10⁻⁶ of the number.
WRITTEN = 5e-6
# What another machine's order of sums may move: the fits stop at a gradient of 10⁻⁵, two of 1,800 images, 10⁻³ nats.
AGAIN = {"accuracy": 2 / 1800, "log_loss": 1e-3, "brier": 1e-3, "angle": 0.2, "attack_image": 2 / 1800}


@pytest.fixture
def random_rows():
    """Three methods on four draws at two levels, in a file's order."""
    rng = np.random.default_rng(0)
    places = itertools.product((0.1, 0.25), (CLEAN, NAIVE, SPREAD), range(4))
    return tuple(Row(level, draw, method, *rng.random(6).tolist()) for level, method, draw in places)


def marks(rows, level, method, metric):
    return np.array([getattr(row, metric) for row in rows if (row.level, row.method) == (level, method)])


def test_a_file_is_in_order_and_gives_back_what_was_written(random_rows):
    text = to_csv([random_rows[i] for i in np.random.default_rng(1).permutation(len(random_rows))])
    assert text.splitlines()[1] == "level,draw,method,accuracy,log_loss,brier,angle,C,attack_image"
    back = results.from_csv(Row, text)
    assert [(row.level, row.method, row.draw) for row in back] == [(r.level, r.method, r.draw) for r in random_rows]
    for one, other in zip(back, random_rows, strict=True):
        assert list(vars(one).values())[3:] == pytest.approx(list(vars(other).values())[3:], rel=WRITTEN)
        assert [type(value) for value in vars(one).values()] == [type(value) for value in vars(other).values()]
    assert to_csv(list(back)) == text


def test_points_are_means_and_methods_are_compared_on_the_draws_they_share(random_rows):
    rows = tuple(row for row in reversed(random_rows) if row.method != SPREAD or row.draw < 2)
    for method, curve in points(rows).items():
        assert [(point.level, point.n_draws) for point in curve] == [
            (p, 2 if method == SPREAD else 4) for p in (0.1, 0.25)
        ]
        for point in curve:
            assert point.accuracy == student(marks(rows, point.level, method, "accuracy"))
            assert point.log_loss == student(marks(rows, point.level, method, "log_loss"))
    found = compare(rows, SPREAD, NAIVE, "log_loss")
    assert list(found) == [0.1, 0.25]
    for level, gap in found.items():
        gaps = marks(random_rows, level, SPREAD, "log_loss") - marks(random_rows, level, NAIVE, "log_loss")
        assert gap == student(gaps[:2])


@pytest.mark.parametrize("name", STUDIES)
def test_shipped_files_hold_every_level_method_and_draw_once(name):
    study, rows = STUDIES[name], load(name)
    draws = range(results.N_DRAWS)
    expected = [(level, draw, method) for level in study.levels for method in study.methods for draw in draws]
    assert sorted((row.level, row.draw, row.method) for row in rows) == sorted(expected)


@pytest.mark.mnist
@pytest.mark.parametrize(
    ("name", "level", "draw", "methods", "other"),
    [("figure3", 0.4, 1, (RECONSTRUCTION, FLAT, TRUE), 0.3), ("asymmetric", 0.3, 4, (CLEAN, NAIVE, SPREAD), 0.4)],
)
def test_shipped_rows_come_out_again(mnist, name, level, draw, methods, other):
    shipped = {(row.level, row.draw, row.method): row for row in load(name)}

    def near(one, two, mark):
        return abs(getattr(one, mark) - getattr(two, mark)) <= AGAIN[mark] + WRITTEN

    for row in trial(name, level, draw, methods):
        same = shipped[level, draw, row.method]
        assert all(near(row, same, mark) for mark in AGAIN)
        assert math.isclose(row.C, same.C, rel_tol=WRITTEN)
        if row.method != CLEAN:
            assert not near(row, shipped[other, draw, row.method], "log_loss")
        assert not near(row, shipped[level, 1 - min(draw, 1), row.method], "log_loss")
