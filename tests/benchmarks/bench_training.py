"""Training on what was released: accuracy beside scikit-learn's best naive model, and speed beside two others.

Accuracy at figure 3's setting is measured anew, naive training with scikit-learn and the C that is best on the test
set; the other means are read from the shipped results. Speed is measured beside the published EM on the same draw,
and beside scikit-learn's LogisticRegression on the same clean matrix, both in one thread.

    python -m tests.benchmarks.bench_training
"""

import resource
import time

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from threadpoolctl import threadpool_limits

from privdemo import datasets
from privdemo.estimators.importance import ImportanceSampledLogisticRegression
from privdemo.estimators.logistic import CS, SpreadLogisticRegression
from privdemo.experiments import training
from privdemo.experiments.draws import at_draw
from privdemo.mechanisms import RandomisedResponse, to_unit
from privdemo.methods import PUBLISHED
from tests.benchmarks.timing import alternate, table

DRAWS = 10


def draw(n, n_test, p, seed):
    people, noise = (np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(2))
    train, test = datasets.load("mnist").select_classes(("7", "9")).split(n, n_test, people)
    pixels, labels = RandomisedResponse(p, 256), RandomisedResponse(p, 2)
    return pixels, labels, train, test, pixels.randomise(train.X, noise), labels.randomise(train.y, noise)


def accuracies():
    rows = []
    for p in (0.1, 0.2, 0.3, 0.4):
        marks = []
        for seed in range(DRAWS):
            pixels, labels, _, test, X, y = draw(250, 900, p, seed)
            spread = SpreadLogisticRegression(labels, pixels, C="cv").fit(X, y)
            found = [((spread.predict(test.X) == test.y).mean(), log_loss(test.y, spread.predict_proba(test.X)))]
            for C in CS:
                naive = LogisticRegression(C=C, max_iter=2000).fit(to_unit(X, 256), y)
                proba = naive.predict_proba(to_unit(test.X, 256))
                found.append(((proba.argmax(axis=1) == test.y).mean(), log_loss(test.y, proba)))
            marks.append(found)
        marks = np.array(marks)  # (draws, spread and every C, accuracy and log loss)
        best = 1 + marks[:, 1:, 0].mean(axis=0).argmax()
        gap = marks[:, 0, 0] - marks[:, best, 0]
        rows.append(
            [
                p,
                f"{marks[:, 0, 0].mean():.3f} ± {marks[:, 0, 0].std(ddof=1) / DRAWS**0.5:.3f}",
                f"{marks[:, best, 0].mean():.3f}",
                f"{gap.mean():+.3f} ± {gap.std(ddof=1) / DRAWS**0.5:.3f}",
                f"{marks[:, 0, 1].mean():.3f}",
                f"{marks[:, best, 1].mean():.3f}",
            ]
        )
    table(
        f"figure 3's setting, 250 + 250, {DRAWS} draws: mean ± s.e.",
        ["p", "spread, C by CV", "naive, best C on the test set", "difference", "log loss spread", "log loss naive"],
        rows,
    )


def shipped():
    rows = [
        [name, point.level, method, f"{point.accuracy.mean:.3f}", f"{point.log_loss.mean:.3f}", point.n_draws]
        for name in ("figure3", "section6.1")
        for method, curve in training.study.points(training.study.load(name)).items()
        for point in curve
    ]
    table("shipped results", ["study", "level", "method", "accuracy", "log loss", "draws"], rows)


def against_published():
    rows = []
    for p in (0.1, 0.3):
        pixels, labels, _, test, X, y = draw(250, 900, p, 0)
        models = {
            "quadrature, C by CV": SpreadLogisticRegression(labels, pixels, C="cv"),
            "published EM, S = 10, 100 steps": ImportanceSampledLogisticRegression(labels, pixels, n_steps=100),
            "published EM, S = 10, 400 steps": ImportanceSampledLogisticRegression(labels, pixels, n_steps=400),
        }
        models["quadrature, C given"] = SpreadLogisticRegression(
            labels, pixels, C=models["quadrature, C by CV"].fit(X, y).C_
        )
        took = {}
        for name, model in models.items():
            start = time.perf_counter()
            model.fit(X, y)
            took[name] = time.perf_counter() - start
        for name, model in models.items():
            proba = model.predict_proba(test.X)
            accuracy, loss = (proba.argmax(axis=1) == test.y).mean(), log_loss(test.y, proba)
            ratios = [f"{took[name] / took[ours]:.0f} ×" for ours in models if ours.startswith("quad")]
            rows.append([p, name, f"{took[name]:.3f} s", *ratios, f"{accuracy:.3f}", f"{loss:.3f}"])
    header = ["p", "250 + 250", "time", "of quadrature with CV", "of quadrature, C given", "accuracy", "log loss"]
    table("quadrature beside the published EM, same draw, target ≥ 50 ×", header, rows)


def accuracy_against_published():
    """Neither chooses anything by the data: a penalty of C = 0.1 on one side, 400 steps without one on the other."""
    rows, shipped_rows = [], training.study.load("figure3")
    for p in training.study.STUDIES["figure3"].levels:
        marks = []
        for row in [row for row in shipped_rows if (row.level, row.method) == (p, PUBLISHED)]:
            config = at_draw(training.study.STUDIES["figure3"].config(p), row.draw)
            draw = training.draw_release(config)
            model = SpreadLogisticRegression(config.labels, config.pixels, C=0.1).fit(draw.X_noisy, draw.y_noisy)
            proba = model.predict_proba(draw.X_test)
            right, loss = (proba.argmax(axis=1) == draw.y_test).mean(), log_loss(draw.y_test, proba)
            marks.append((right, loss, right - row.accuracy, loss - row.log_loss))
        mean, error = np.mean(marks, axis=0), np.std(marks, axis=0, ddof=1) / len(marks) ** 0.5
        rows.append([p, *(f"{m:.3f} ± {e:.3f}" for m, e in zip(mean, error, strict=True))])
    header = ["p", "accuracy, C = 0.1", "log loss", "accuracy less EM's", "log loss less EM's"]
    table("quadrature at a fixed penalty on the draws of the shipped published EM: mean ± s.e.", header, rows)


def against_sklearn():
    rows, before = [], None
    for n in (250, 1500, 3000, 6000, 12000):
        pixels, labels, train, _, X, y = draw(n // 2, 100, 0.2, 0) if n < 12000 else largest(0.2)
        clean = to_unit(train.X, 256).astype(np.float64)
        seconds = alternate(
            {
                "spread": lambda: SpreadLogisticRegression(labels, pixels, C=0.1).fit(X, y),  # noqa: B023
                "scikit-learn": lambda: LogisticRegression(C=0.1, max_iter=2000).fit(clean, train.y),  # noqa: B023
            },
            5,
        )
        ours, theirs = seconds["spread"], seconds["scikit-learn"]
        growth = f"{ours / before[1]:.2f} × for {n / before[0]:.0f} × n" if before else ""
        rows.append([f"{n:,}", f"{ours:.3f} s", f"{theirs:.3f} s", f"{ours / theirs:.1f} ×", growth])
        before = n, ours
    table("noisy images by quadrature beside scikit-learn on the same images clean, target ≤ 5 ×, doubling ≤ 2.3 ×",
          ["people", "spread", "scikit-learn", "ratio", "growth"], rows)  # fmt: skip
    print(f"  peak memory of this process so far: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB")


def largest(p):
    """12,000 people: 6,265 sevens and 5,949 nines are all there are, so 6,051 and 5,949."""
    train = datasets.load("mnist").train.select_classes(("7", "9"))
    rows = np.sort(np.concatenate((np.flatnonzero(train.y == 0)[:6051], np.flatnonzero(train.y == 1))))
    train = train._take(rows)
    pixels, labels, rng = RandomisedResponse(p, 256), RandomisedResponse(p, 2), np.random.default_rng(0)
    return pixels, labels, train, None, pixels.randomise(train.X, rng), labels.randomise(train.y, rng)


def large_channels():
    mnist, rng, rows = datasets.load("mnist").train, np.random.default_rng(0), []
    chosen = rng.permutation(60_000)[:30_000]
    X, y = to_unit(mnist.X[chosen], 256), mnist.y[chosen]
    for name, truth, channel in (
        ("10 sets × 10 classes", y, rng.dirichlet(np.full(10, 0.3), 10).T),
        ("100 bags × 2 classes", (y >= 5).astype(int), rng.dirichlet(np.full(100, 0.5), 2).T),
    ):
        # Each person's set is drawn from the channel's column of their class.
        released = np.array([rng.choice(len(channel), p=channel[:, c]) for c in truth])
        start = time.perf_counter()
        model = SpreadLogisticRegression(channel, C=1.0).fit(X, released)
        took = time.perf_counter() - start
        right = (
            model.predict(to_unit(mnist.X[-5000:], 256))
            == (mnist.y[-5000:] if len(channel) == 10 else mnist.y[-5000:] >= 5)
        ).mean()
        rows.append([name, f"{took:.1f} s", model.n_iter_, f"{right:.3f}"])
    table("30,000 × 784 clean images, labels by set or bag name only, target < 15 s",
          ["", "time", "iterations", "accuracy"], rows)  # fmt: skip


def main():
    with threadpool_limits(1, user_api="blas"):
        against_sklearn()
        large_channels()
        against_published()
        accuracy_against_published()
        accuracies()
    shipped()


if __name__ == "__main__":
    main()
