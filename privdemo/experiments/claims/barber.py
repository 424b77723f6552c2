"""Barber, *Private machine learning via randomised response*."""

from __future__ import annotations

import numpy as np

from privdemo import attacks
from privdemo.estimators import votes
from privdemo.experiments import naive_training, trade_off, voting
from privdemo.experiments import private_training as training
from privdemo.experiments.claims.claim import (
    BARBER,
    CAVEAT,
    EXACT,
    FAILS,
    HOLDS,
    SAME,
    Claim,
    cannot,
    draws,
    exactly,
    listed,
    near,
)
from privdemo.intervals import gap_interval
from privdemo.mechanisms import BinaryChannel


def all_claims() -> list[Claim]:
    """Every claim of the paper."""
    trained = [*_accuracies(), _small_loss(), _spread_beats_naive(), *_priors()]
    return [*_signs(), _majority(), _figure_1(), _pictures(), *trained, _direction(), _curvature()]


def from_formulas() -> list[Claim]:
    """Those that need no results file."""
    return [*_signs(), _majority(), _figure_1(), _direction(), _curvature()]


def _signs() -> list[Claim]:
    poll = voting.ElectionConfig(share=0.4, channel=BinaryChannel(0.1, 0.2))
    printed, ours = voting.misprint(poll), float(votes.spread(poll.answer_prob, poll.channel))
    return [
        Claim(
            BARBER,
            place,
            f"the true share is (f̃ + P₁₀)/(1 − P₁₀ − P₀₁): of {poll.share:g}, with lies {poll.channel.p10:g} and "
            f"{poll.channel.p01:g}",
            printed,
            exactly(ours),
            True,
            EXACT,
            f"votes.spread({poll.answer_prob:g}, {poll.channel!r})",
            FAILS if abs(ours - poll.share) < 1e-9 < abs(printed - poll.share) else HOLDS,
            "a sign is misprinted: with f̃ − P₁₀ the truth comes out",
        )
        for place in ("equation 2", "equation 24")
    ]


def _majority() -> Claim:
    channel = BinaryChannel(0.2, 0.2)
    asked = attacks.repeated_answers(channel, 0.5, 3)
    all_three = float(asked.chances[1, 3])
    return Claim(
        BARBER,
        "on several answers",
        "of three answers the majority says yes where c₁ + c₂ + c₃ > 2: how often that finds a yes told with lies of "
        "0.2",
        all_three,
        exactly(float(asked.chances[1, 2:].sum())),
        True,
        EXACT,
        "attacks.repeated_answers(BinaryChannel(0.2, 0.2), 0.5, 3).chances[1]",
        FAILS,
        "> 2 asks for all three; a majority is > 1",
    )


def _priors() -> list[Claim]:
    """What the three pixel priors are to one another, draw by draw."""
    rows = trade_off.load("figure3")
    n = trade_off.points(rows)[training.SPREAD][0].n_draws
    found = []
    for words, method, better in (
        ("the true pixel prior is the best: the most that it is ahead of the learned one", training.TRUE, True),
        ("there is little difference between the flat and the learned prior: the most", training.FLAT, False),
    ):
        gaps = trade_off.compare(rows, method, training.SPREAD, "accuracy")
        most = max(gaps, key=lambda level: gaps[level].mean if better else abs(gaps[level].mean))
        clear = [level for level, gap in gaps.items() if (gap.low > 0 if better else gap.excludes_zero)]
        levels = listed(clear)
        few, many = (CAVEAT, HOLDS) if better else (CAVEAT, FAILS)
        none = FAILS if better else HOLDS
        found.append(
            Claim(
                BARBER,
                "figure 3",
                f"{words}, at p = {most:g}",
                None,
                gaps[most],
                True,
                draws(n),
                "python -m privdemo reproduce figure3",
                none if not clear else many if len(clear) == len(gaps) else few,
                f"the two differ clearly at {levels} of p = {listed(gaps)}",
            )
        )
    return found


def _figure_1() -> Claim:
    true, lie = 0.7, 0.1
    found = float(voting.long_run(lie, np.array([true])).reconstruction[0])
    always = voting.self_confirming(BinaryChannel(lie, lie))
    return Claim(
        BARBER,
        "figure 1",
        f"reconstruction does not find the true share under any lie: of {true:g}, with lies {lie:g}",
        None,
        exactly(found),
        True,
        EXACT,
        f"voting.long_run({lie:g}, np.array([{true:g}])).reconstruction",
        (CAVEAT if always else HOLDS) if abs(found - true) > SAME else FAILS,
        f"it does not find it; but its objective is largest at {' and '.join(f'“{who}”' for who in always)} whatever "
        "the answers, and a figure can only show a local maximum",
    )


def _pictures() -> Claim:
    return cannot(
        BARBER,
        "figures 2 and 4",
        "a 7 and a 9 under pixel flips of 0.1 to 0.4, and under Gaussian noise of variance 0.1 and 0.5",
        "pictures without numbers; “What does the noise do to an image?” draws them with the same noise",
    )


def _small_loss() -> Claim:
    points = trade_off.points(trade_off.load("section6.1"))
    clean, noisy = (next(p for p in points[method] if p.level == 0.1) for method in (training.CLEAN, training.FLAT))
    loss = gap_interval(clean.accuracy, noisy.accuracy)
    return Claim(
        BARBER,
        "section 6.1",
        "label flips 0.2 and pixel noise of variance 0.1 cost around 1 % of accuracy",
        0.01,
        loss,
        True,
        draws(noisy.n_draws),
        "python -m privdemo reproduce section6.1",
        HOLDS if loss.mean <= 0.02 else FAILS,
        f"from {clean.accuracy.mean:.3f} to {noisy.accuracy.mean:.3f}",
    )


def _accuracies() -> list[Claim]:
    points = trade_off.points(trade_off.load("section6.1"))
    study = trade_off.STUDIES["section6.1"]
    words = {
        training.CLEAN: "clean data, 4,500 + 4,500 images: accuracy",
        training.FLAT: "spread, flat prior, label flips 0.2, pixel noise of variance {:g}: accuracy",
    }
    found = []
    for method, published in study.published.items():
        for level, value in published.items():
            point = next(point for point in points[method] if point.level == level)
            if method == training.CLEAN and level != min(published):
                continue
            verdict, why = near(value, point.accuracy)
            found.append(
                Claim(
                    BARBER,
                    "section 6.1",
                    words[method].format(level),
                    value,
                    point.accuracy,
                    True,
                    draws(point.n_draws),
                    "python -m privdemo reproduce section6.1",
                    verdict,
                    why,
                )
            )
    return found


def _spread_beats_naive() -> Claim:
    rows = trade_off.load("figure3")
    gaps = trade_off.compare(rows, training.SPREAD, training.NAIVE, "accuracy")
    losses = trade_off.compare(rows, training.SPREAD, training.NAIVE, "log_loss")
    clear = [level for level, gap in gaps.items() if gap.low > 0]
    surer = [level for level, gap in losses.items() if gap.high < 0]
    most = max(gaps, key=lambda level: gaps[level].mean)
    n = trade_off.points(rows)[training.SPREAD][0].n_draws
    levels = listed(clear)
    return Claim(
        BARBER,
        "figure 3",
        f"spread training is more accurate than naive training but at little noise: the most that it is ahead, at p = "
        f"{most:g}",
        None,
        gaps[most],
        True,
        draws(n),
        "python -m privdemo reproduce figure3",
        HOLDS if len(clear) >= len(gaps) - 1 else CAVEAT if clear or surer else FAILS,
        f"with a penalty chosen alike for both, accuracy differs clearly at {levels} of p = "
        f"{listed(gaps)}; but spread’s log loss is clearly lower at {len(surer)} of "
        f"{len(losses)}: naive training names well and is too unsure",
    )


def _direction() -> Claim:
    alike = naive_training.run(naive_training.NaiveConfig())
    bent = naive_training.run(naive_training.NaiveConfig(ratio=3.0))
    turned, off = (min(map(abs, result.best)) for result in (alike, bent))
    return Claim(
        BARBER,
        "appendix B",
        "naive training keeps the direction of the weights if flips add up to less than 1: degrees that it is turned, "
        "for inputs alike in all directions and weights of length 1",
        0.0,
        exactly(turned),
        False,
        EXACT,
        "naive_training.run(naive_training.NaiveConfig()).best",
        (CAVEAT if off > 1 else HOLDS) if turned < 0.1 else FAILS,
        f"where inputs spread three times as far one way as the other it is {off:.1f}° off at that length, and "
        f"{abs(bent.free_alpha):.1f}° where the length is free (Gaussian inputs)",
    )


def _curvature() -> Claim:
    """Eq. (107) beside the derivative of the equation before it, which a difference of eq. (104) checks."""
    config, step = naive_training.NaiveConfig(), 0.1
    printed, ours = naive_training.misprint(config), -naive_training.run(config).curvature
    left, middle, right = -naive_training.naive_loss([-step, 0.0, step], config.covariance, config.contrast)
    measured = float((left - 2 * middle + right) / np.radians(step) ** 2)
    right_ours, right_printed = (abs(value - measured) < 1e-4 for value in (ours, printed))
    return Claim(
        BARBER,
        "equation 107",
        "the second derivative of naive training’s likelihood in the right direction, α = 0 (flips of 0.2, inputs with "
        f"s = {config.s:g})",
        printed,
        exactly(ours),
        False,
        EXACT,
        "naive_training.run(naive_training.NaiveConfig()).curvature",
        FAILS if right_ours and not right_printed else HOLDS,
        "its last term is one too many: φ(z₂) of equation 106 was left out. Below 0 all the same, so what is concluded "
        "from it stands",
    )
