"""The studies: their files, the shipped numbers against trials made again, and what the paper and the issue ask."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from threadpoolctl import threadpool_limits

from privdemo.experiments import results, running, training
from privdemo.experiments.training.study import STUDIES, Row
from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse
from privdemo.methods import CLEAN, FLAT, NAIVE, PUBLISHED, RECONSTRUCTION, SPREAD, TRUE

# Six digits are written; half a unit of the last is at most 5·10⁻⁶ of the number.
WRITTEN = 5e-6
# What another machine's order of sums may move: the fits stop at a gradient of 10⁻⁵, two of 1,800 images, 10⁻³ nats.
AGAIN = {"accuracy": 2 / 1800, "log_loss": 1e-3, "brier": 1e-3, "angle": 0.2, "attack_image": 2 / 1800}


def tiny_config(p):
    return training.TrainingConfig("digits", n_train=20, pixels=RandomisedResponse(p, 17), labels=RandomisedResponse(p))


TINY = training.study.Study("tiny", "Digits", "p", (0.1, 0.3), tiny_config, (CLEAN, NAIVE, SPREAD), {NAIVE: {0.1: 0.9}})


def row(level, draw, method, **marks):
    given = dict.fromkeys(("accuracy", "log_loss", "brier", "angle", "C", "attack_image"), 0.5) | marks
    return Row(level, draw, method, **given)


def random_rows(n_draws=4):
    rng = np.random.default_rng(0)
    return tuple(
        row(level, draw, method, **dict(zip(AGAIN, rng.random(5).tolist(), strict=True)), C=10.0 ** rng.uniform(-4, 1))
        for level in (0.1, 0.25)
        for method in (CLEAN, NAIVE, SPREAD)
        for draw in range(n_draws)
    )


def marks(rows, level, method, mark):
    return np.array([getattr(row, mark) for row in rows if (row.level, row.method) == (level, method)])


def student(values):
    interval = stats.ttest_1samp(values, 0).confidence_interval()
    return pytest.approx((np.mean(values), interval.low, interval.high), abs=1e-12)


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setitem(STUDIES, "tiny", TINY)
    return TINY


# --- files -------------------------------------------------------------------------------------------


def test_a_file_gives_back_what_was_written():
    rows = random_rows()
    text = training.study.to_csv(list(rows))
    back = results.from_csv(training.study.Row, text)
    assert len(back) == len(rows)
    for one, other in zip(back, rows, strict=True):  # already in the file's order
        assert (one.level, one.draw, one.method) == (other.level, other.draw, other.method)
        assert list(vars(one).values())[3:] == pytest.approx(list(vars(other).values())[3:], rel=WRITTEN)
        assert {name: type(value) for name, value in vars(one).items()} == {
            name: type(value) for name, value in vars(other).items()
        }
    assert training.study.to_csv(list(back)) == text


def test_a_file_is_in_order_whatever_order_the_trials_ended_in():
    rows = list(random_rows())
    shuffled = [rows[i] for i in np.random.default_rng(1).permutation(len(rows))]
    assert shuffled != rows
    assert training.study.to_csv(shuffled) == training.study.to_csv(rows)
    lines = training.study.to_csv(shuffled).splitlines()
    assert lines[0].startswith("# privdemo results, format 1; numpy ")
    assert lines[1] == ",".join(Row.__dataclass_fields__)
    methods = [line.split(",")[2] for line in lines[2:]]
    assert methods == [method for _ in range(2) for method in (CLEAN, NAIVE, SPREAD) for _ in range(4)]


@pytest.mark.parametrize("first", ["", "level,draw,method", "# privdemo results, format 2; numpy 2"])
def test_a_file_of_another_kind_is_refused(first):
    rest = training.study.to_csv(list(random_rows())).partition("\n")[2]
    with pytest.raises(ValueError, match=f"must begin with “# privdemo results, format 1”, got “{first}”"):
        results.from_csv(training.study.Row, f"{first}\n{rest}")


# --- curves ------------------------------------------------------------------------------------------


def test_points_are_means_over_the_draws():
    rows = random_rows()
    curves = training.study.points(tuple(reversed(rows)))
    assert set(curves) == {CLEAN, NAIVE, SPREAD}
    for method, curve in curves.items():
        assert [point.level for point in curve] == [0.1, 0.25]
        for point in curve:
            assert point.n_draws == 4
            assert point.accuracy == student(marks(rows, point.level, method, "accuracy"))
            assert point.log_loss == student(marks(rows, point.level, method, "log_loss"))


@pytest.mark.parametrize("metric", ["accuracy", "log_loss"])
def test_methods_are_compared_on_the_same_draws(metric):
    rows = random_rows()
    found = training.study.compare(tuple(reversed(rows)), SPREAD, NAIVE, metric)
    assert list(found) == [0.1, 0.25]
    for level, gap in found.items():
        assert gap == student(marks(rows, level, SPREAD, metric) - marks(rows, level, NAIVE, metric))
    few = tuple(row for row in rows if row.method != SPREAD or row.draw < 2)
    for level, gap in training.study.compare(few, SPREAD, NAIVE, metric).items():
        assert gap == student(marks(few, level, SPREAD, metric) - marks(few, level, NAIVE, metric)[:2])


# --- running a study ---------------------------------------------------------------------------------


def test_a_study_runs_every_method_on_every_draw_at_every_level(monkeypatch):
    asked = []

    def trial(study, level, draw, methods):
        asked.extend((level, draw, method) for method in methods)
        return [row(level, draw, method) for method in methods]

    monkeypatch.setattr(training.study, "trial", trial)
    study = replace(TINY, methods=(CLEAN, PUBLISHED, SPREAD))
    for n_draws in (5, 2):
        asked.clear()
        steps = list(running.side_by_side(training.study.trial, training.study.trials(study, n_draws), n_jobs=1))
        expected = {
            (level, draw, method) for level in study.levels for draw in range(n_draws) for method in study.methods
        }
        assert sorted(asked) == sorted(expected)
        assert [done for done, _, _ in steps] == list(range(1, len(steps) + 1))
        assert {total for _, total, _ in steps} == {len(steps)}
        assert sorted((r.level, r.draw, r.method) for _, _, rows in steps for r in rows) == sorted(expected)


def test_trials_are_runs_of_their_config(tiny):
    rows = [
        row
        for _, _, new in running.side_by_side(training.study.trial, training.study.trials(tiny, 2), n_jobs=1)
        for row in new
    ]
    assert len(rows) == 2 * 2 * 3
    for found in rows:
        with threadpool_limits(1, user_api="blas"):
            draw = training.run(replace(tiny_config(found.level), methods=tiny.methods, draw=found.draw))
        fit = draw.fits[found.method]
        expected = (fit.accuracy, fit.log_loss, fit.brier, fit.angle, fit.C, draw.attack.image / draw.attack.n)
        assert tuple(vars(found).values())[3:] == expected
    direct = [
        row
        for level in tiny.levels
        for draw in range(2)
        for row in training.study.trial("tiny", level, draw, tiny.methods)
    ]
    assert training.study.to_csv(direct) == training.study.to_csv(rows)


@pytest.mark.mnist
def test_one_process_and_two_give_the_same_rows(mnist):
    study = replace(STUDIES["figure3"], levels=(0.1, 0.4), methods=(CLEAN, NAIVE))
    one, two = (
        [
            row
            for _, _, new in running.side_by_side(training.study.trial, training.study.trials(study, 2), n_jobs)
            for row in new
        ]
        for n_jobs in (1, 2)
    )
    key = [(row.level, row.draw, row.method) for row in one]
    assert sorted(two, key=lambda row: key.index((row.level, row.draw, row.method))) == one


def test_studies_ask_what_the_paper_asks():
    for p in (0.1, 0.4):
        config = STUDIES["figure3"].config(p)
        assert (config.dataset, config.classes, config.n_train) == ("mnist", ("7", "9"), 250)
        assert (config.pixels, config.labels) == (RandomisedResponse(p, 256), RandomisedResponse(p, 2))
        config = STUDIES["asymmetric"].config(p)
        assert (config.pixels, config.labels) == (RandomisedResponse(0.2, 256), BinaryChannel(0.1, p))
    config = STUDIES["section6.1"].config(0.25)
    assert (config.n_train, config.pixels, config.labels) == (4500, GaussianNoise(0.5), RandomisedResponse(0.2, 2))
    # section 6.1 prints 95.7 % on clean data; 94.4 % and 93 % at σ² = 0.1 and 0.5
    assert STUDIES["section6.1"].published == {CLEAN: {0.1: 0.957, 0.5: 0.957}, FLAT: {0.1: 0.944, 0.5: 0.93}}


# --- what is shipped ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STUDIES)
def test_shipped_files_hold_every_level_method_and_draw_once(name):
    study, rows = STUDIES[name], training.study.load(name)
    expected = [
        (level, draw, method) for level in study.levels for method in study.methods for draw in range(results.N_DRAWS)
    ]
    assert sorted((row.level, row.draw, row.method) for row in rows) == sorted(expected)
    assert results.from_csv(training.study.Row, training.study.to_csv(list(rows))) == rows
    for row in rows:
        assert 0.45 <= row.accuracy <= 1
        assert 0 < row.brier <= 0.5 < row.accuracy + row.brier
        assert 0 <= row.angle <= 180
        assert 0.5 <= row.attack_image <= 1
    for level in study.levels:  # what is released tells the adversary less than clean data tells us
        assert marks(rows, level, CLEAN, "accuracy").mean() > marks(rows, level, CLEAN, "attack_image").mean()


@pytest.mark.mnist
@pytest.mark.parametrize(
    ("name", "level", "draw", "methods", "other"),
    [
        ("figure3", 0.2, 0, (CLEAN, NAIVE, SPREAD), 0.1),
        ("figure3", 0.4, 1, (RECONSTRUCTION, FLAT, TRUE), 0.3),
        ("asymmetric", 0.3, 4, (CLEAN, NAIVE, RECONSTRUCTION, SPREAD), 0.4),
    ],
)
def test_shipped_rows_come_out_again(mnist, name, level, draw, methods, other):
    shipped = {(row.level, row.draw, row.method): row for row in training.study.load(name)}

    def near(one, two, mark):
        return abs(getattr(one, mark) - getattr(two, mark)) <= AGAIN[mark] + WRITTEN

    for row in training.study.trial(name, level, draw, methods):
        same = shipped[level, draw, row.method]
        assert all(near(row, same, mark) for mark in AGAIN)
        assert math.isclose(row.C, same.C, rel_tol=WRITTEN)
        if row.method != CLEAN:
            assert not near(row, shipped[other, draw, row.method], "log_loss")
        assert not near(row, shipped[level, 1 - min(draw, 1), row.method], "log_loss")


@pytest.mark.parametrize(("level", "least"), [(0.1, 0.93), (0.2, 0.915), (0.3, 0.875), (0.4, 0.73)])
def test_spread_training_reaches_figure_3(level, least):
    rows = training.study.load("figure3")
    spread, naive = (marks(rows, level, method, "accuracy") for method in (SPREAD, NAIVE))
    assert spread.mean() >= least
    gaps = spread - naive
    assert gaps.mean() >= -gaps.std(ddof=1) / math.sqrt(len(gaps))
    assert marks(rows, level, SPREAD, "log_loss").mean() < marks(rows, level, NAIVE, "log_loss").mean()


@pytest.mark.parametrize(("variance", "least"), [(0.1, 0.944), (0.5, 0.935)])
def test_spread_training_reaches_section_6_1(variance, least):
    rows = training.study.load("section6.1")
    means = [marks(rows, variance, method, "accuracy").mean() for method in (SPREAD, FLAT, TRUE)]
    assert max(means) >= least
    assert max(means) < marks(rows, variance, CLEAN, "accuracy").mean()
    published = STUDIES["section6.1"].published
    assert marks(rows, variance, FLAT, "accuracy").mean() >= published[FLAT][variance]
    assert marks(rows, variance, CLEAN, "accuracy").mean() == pytest.approx(published[CLEAN][variance], abs=0.01)


def test_methods_of_fewer_draws_are_compared_on_the_draws_they_share():
    rows = training.study.load("figure3")
    there = training.study.compare(rows, SPREAD, PUBLISHED, "accuracy")
    back = training.study.compare(rows, PUBLISHED, SPREAD, "accuracy")
    assert {level: gap.mean for level, gap in there.items()} == pytest.approx(
        {level: -gap.mean for level, gap in back.items()}
    )
    assert len(there) == 4
