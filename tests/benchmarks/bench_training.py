"""Training on what was released: accuracy beside scikit-learn's best naive model, and speed beside two others.

Accuracy at figure 3's setting is measured anew, naive training with scikit-learn and the C that is best on the test
set; the other means are read from the shipped results. Speed is measured beside the published EM on the same trial,
and beside scikit-learn's LogisticRegression on the same clean matrix, both in one thread.
"""

import resource
import time
from functools import partial

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from threadpoolctl import threadpool_limits

from privdemo import datasets
from privdemo.estimators.importance import ImportanceSampledLogisticRegression
from privdemo.estimators.logistic import SpreadLogisticRegression
from privdemo.estimators.penalties import C_GRID
from privdemo.experiments import training
from privdemo.experiments.training import study
from privdemo.experiments.trials import with_trial
from privdemo.mechanisms import RandomisedResponse, to_unit
from privdemo.methods import PUBLISHED
from tests.benchmarks.timing import alternate, table, timed

TRIALS = 10


def sampled(n, n_test, p, seed):
    people, noise = (np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(2))
    train, test = datasets.load("mnist").select_classes(("7", "9")).split(n, n_test, people)
    pixels, labels = RandomisedResponse(p, 256), RandomisedResponse(p, 2)
    return pixels, labels, train, test, pixels.randomise(train.X, noise), labels.randomise(train.y, noise)


def marks_of(model, X, y):
    """Accuracy and log loss."""
    proba = model.predict_proba(X)
    return (proba.argmax(axis=1) == y).mean(), log_loss(y, proba)


def with_error(values, sign=""):
    return f"{np.mean(values):{sign}.3f} ± {np.std(values, ddof=1) / len(values) ** 0.5:.3f}"


def accuracies(levels=(0.1, 0.2, 0.3, 0.4), n_trials=TRIALS):
    rows = []
    for p in levels:
        marks = []
        for seed in range(n_trials):
            pixels, labels, _, test, X, y = sampled(250, 900, p, seed)
            found = [marks_of(SpreadLogisticRegression(labels, pixels, C="cv").fit(X, y), test.X, test.y)]
            for C in C_GRID:
                naive = LogisticRegression(C=C, max_iter=2000).fit(to_unit(X, 256), y)
                found.append(marks_of(naive, to_unit(test.X, 256), test.y))
            marks.append(found)
        right, loss = np.moveaxis(marks, 2, 0)  # each (trials, spread and every C)
        best = 1 + right[:, 1:].mean(axis=0).argmax()
        shares = with_error(right[:, 0]), f"{right[:, best].mean():.3f}"
        gap = with_error(right[:, 0] - right[:, best], "+")
        rows.append([p, *shares, gap, f"{loss[:, 0].mean():.3f}", f"{loss[:, best].mean():.3f}"])
    accuracy = ("spread, C by CV", "naive, best C on the test set", "difference")
    header = ["p", *accuracy, "log loss spread", "log loss naive"]
    table(f"figure 3's setting, 250 + 250, {n_trials} trials: mean ± s.e.", header, rows)


def shipped():
    rows = [
        [name, point.level, method, f"{point.accuracy.mean:.3f}", f"{point.log_loss.mean:.3f}", point.n_trials]
        for name in ("figure3", "section6.1")
        for method, curve in study.points(study.load(name)).items()
        for point in curve
    ]
    table("shipped results", ["study", "level", "method", "accuracy", "log loss", "trials"], rows)


def against_published(n=250, n_steps=(100, 400)):
    rows = []
    for p in (0.1, 0.3):
        pixels, labels, _, test, X, y = sampled(n, 900, p, 0)
        models = {"quadrature, C by CV": SpreadLogisticRegression(labels, pixels, C="cv")}
        for steps in n_steps:
            model = ImportanceSampledLogisticRegression(labels, pixels, n_steps=steps)
            models[f"published EM, S = 10, {steps} steps"] = model
        chosen = models["quadrature, C by CV"].fit(X, y).C_
        models["quadrature, C given"] = SpreadLogisticRegression(labels, pixels, C=chosen)
        took = {name: timed(partial(model.fit, X, y)) for name, model in models.items()}
        for name, model in models.items():
            ratios = [f"{took[name] / took[ours]:.0f} ×" for ours in ("quadrature, C by CV", "quadrature, C given")]
            marks = [f"{mark:.3f}" for mark in marks_of(model, test.X, test.y)]
            rows.append([p, name, f"{took[name]:.3f} s", *ratios, *marks])
    header = ["p", "250 + 250", "time", "of quadrature with CV", "of quadrature, C given", "accuracy", "log loss"]
    table("quadrature beside the published EM, same trial, target ≥ 50 ×", header, rows)


def accuracy_against_published():
    """Neither chooses anything by the data: a penalty of C = 0.1 on one side, 400 steps without one on the other."""
    figure, rows = study.STUDIES["figure3"], []
    for p in figure.levels:
        marks = []
        for row in [row for row in study.load("figure3") if (row.level, row.method) == (p, PUBLISHED)]:
            config = with_trial(figure.config(p), row.trial)
            release = training.sample_release(config)
            model = SpreadLogisticRegression(config.labels, config.pixels, C=0.1).fit(release.X_noisy, release.y_noisy)
            right, loss = marks_of(model, release.X_test, release.y_test)
            marks.append((right, loss, right - row.accuracy, loss - row.log_loss))
        rows.append([p, *map(with_error, zip(*marks, strict=True))])
    header = ["p", "accuracy, C = 0.1", "log loss", "accuracy less EM's", "log loss less EM's"]
    table("quadrature at a fixed penalty on the trials of the shipped published EM: mean ± s.e.", header, rows)


def against_sklearn(numbers=(250, 1500, 3000, 6000, 12000)):
    rows, before = [], None
    for n in numbers:
        pixels, labels, train, _, X, y = sampled(n // 2, 100, 0.2, 0) if n < 12000 else largest(0.2)
        clean = to_unit(train.X, 256).astype(np.float64)
        spread = partial(SpreadLogisticRegression(labels, pixels, C=0.1).fit, X, y)
        full = partial(LogisticRegression(C=0.1, max_iter=2000).fit, clean, train.y)
        ours, theirs = alternate({"spread": spread, "scikit-learn": full}, 5).values()
        growth = f"{ours / before[1]:.2f} × for {n / before[0]:.0f} × n" if before else ""
        rows.append([f"{n:,}", f"{ours:.3f} s", f"{theirs:.3f} s", f"{ours / theirs:.1f} ×", growth])
        before = n, ours
    title = "noisy images by quadrature beside scikit-learn on the same images clean, target ≤ 5 ×, doubling ≤ 2.3 ×"
    table(title, ["people", "spread", "scikit-learn", "ratio", "growth"], rows)
    print(f"  peak memory of this process so far: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB")


def largest(p):
    """12,000 people: 6,265 sevens and 5,949 nines are all there are, so 6,051 and 5,949."""
    train = datasets.load("mnist").train.select_classes(("7", "9"))
    rows = np.sort(np.concatenate((np.flatnonzero(train.y == 0)[:6051], np.flatnonzero(train.y == 1))))
    train = train._rows(rows)
    pixels, labels, rng = RandomisedResponse(p, 256), RandomisedResponse(p, 2), np.random.default_rng(0)
    return pixels, labels, train, None, pixels.randomise(train.X, rng), labels.randomise(train.y, rng)


def ten_digits(n=500, p=0.2, n_trials=3):
    methods = tuple(name for name in training.fit.ESTIMATORS if name != PUBLISHED)
    noise = RandomisedResponse(p, 256), RandomisedResponse(p, 10)
    config = training.TrainingConfig(classes=tuple("0123456789"), n_train=n, pixels=noise[0], labels=noise[1])
    clean = training.sample_release(config)  # the images are read once
    plain = LogisticRegression(C=0.1, max_iter=2000)
    theirs = timed(partial(plain.fit, to_unit(clean.X, 256).astype(np.float64), clean.y), time.process_time)
    configs = [with_trial(training.with_methods(config, methods), i) for i in range(n_trials)]
    made = []
    took = timed(lambda: made.extend(map(training.run, configs)), time.process_time) / n_trials
    rows = [
        [name, f"{training.mean_of(made, name, 'seconds'):.1f} s"]
        + [f"{training.mean_score(made, name, mark).mean:.3f}" for mark in ("accuracy", "log_loss")]
        for name in made[0].fits
    ]
    title = f"ten digits, {n} people of each, randomised response {p}: {took:.1f} s of one core a trial, target < 10 s"
    title += f", {took / theirs:.1f} × a fit of scikit-learn's to the clean images, C given"
    table(title, ["method", "time", "accuracy", "log loss"], rows)


def large_channels(n=30_000):
    mnist, rng, rows = datasets.load("mnist").train, np.random.default_rng(0), []
    chosen = rng.permutation(60_000)[:n]
    X, X_test = to_unit(mnist.X[chosen], 256), to_unit(mnist.X[-5000:], 256)
    for name, truth, channel in (
        ("10 sets × 10 classes", mnist.y, rng.dirichlet(np.full(10, 0.3), 10).T),
        ("100 bags × 2 classes", (mnist.y >= 5).astype(int), rng.dirichlet(np.full(100, 0.5), 2).T),
    ):
        # Each person's set is sampled from the channel's column of their class.
        released = np.array([rng.choice(len(channel), p=channel[:, c]) for c in truth[chosen]])
        model = SpreadLogisticRegression(channel, C=1.0)
        took = timed(partial(model.fit, X, released))
        rows.append([name, f"{took:.1f} s", model.n_iter_, f"{(model.predict(X_test) == truth[-5000:]).mean():.3f}"])
    title = "30,000 × 784 clean images, labels by set or bag name only, target < 15 s"
    table(title, ["", "time", "iterations", "accuracy"], rows)


if __name__ == "__main__":
    with threadpool_limits(1, user_api="blas"):
        against_sklearn()
        large_channels()
        ten_digits()
        against_published()
        accuracy_against_published()
        accuracies()
    shipped()
