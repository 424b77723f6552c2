"""The chapter on training on changed labels: which direction it finds (the paper’s appendix B)."""

from __future__ import annotations

from pages.kit import cache, numbers
from pages.kit.panel import Chart, Panel
from pages.kit.snippet import Snippet
from pages.topics.voting.answer import Answer
from privdemo.experiments import naive_training
from privdemo.experiments.naive_training import NaiveConfig, NaiveResult
from privdemo.figures import voting as charts

train = cache.shared(naive_training.run, max_entries=256)


def panels(_: Answer, config: NaiveConfig) -> list[Panel]:
    """Return the panel of the loss of naive training against the direction of its weights."""
    yours, same = train(config), train(config.isotropic)
    return [
        Panel(
            "naive-training",
            "What does a classifier learn from changed labels?",
            direction_words(config.contrast, yours),
            Chart(charts.naive_training(same, yours)),
            "The loss of training on changed labels, −L′∞(α) of the paper’s equation 104, against the direction of "
            "weights of length 1, minus its minimum, in nats a person. With the same spread in all directions "
            f"{least_words(same)}; with your inputs {least_words(yours)}.",
            lambda: [
                {"alpha": float(a), "loss": float(loss), "loss_same_spread": float(other)}
                for a, loss, other in zip(yours.alpha, yours.loss, same.loss, strict=True)
            ],
            Snippet(
                (
                    "from privdemo.experiments.naive_training import NaiveConfig, run",
                    "from privdemo.figures import voting as charts",
                ),
                (f"config = {config!r}", "charts.naive_training(run(config.isotropic), run(config)).show()"),
            ),
            facts={"length": f"{yours.free_length:.2g}", "direction": _directions(yours)} if config.contrast else {},
        )
    ]


def direction_words(contrast: float, yours: NaiveResult) -> str:
    """Say which way the weights point and how long they are; with `contrast` 0 there is nothing to learn."""
    start = "Trained on changed labels as if they were true"
    if contrast == 0:
        return f"{start}, a classifier learns nothing here: its weights shrink to 0."
    right = yours.free_alpha == 0
    shrunk = right and yours.free_length < 0.995
    length = (
        f", but are only <b>{yours.free_length:.2g}</b> times as long as they should be: it decides rightly, but less "
        "surely than it should"
        if shrunk
        else ""
    )
    best = f"the best direction{'s are' if len(yours.best) > 1 else ' is'} <b>{_directions(yours)}</b> off"
    return (
        f"{start}, a classifier’s weights point <b>exactly the {'right' if right else 'wrong'} way</b>{length}. If "
        f"their length is held at the true one, as in the paper, {best}."
    )


def least_words(result: NaiveResult) -> str:
    """Say where the loss is least, and how it behaves at the true direction."""
    if not result.best:
        return "all directions are equally good"
    slope = numbers.two_figures(result.slope)
    at_truth = f"slopes by {slope} a radian"
    if slope == "0":
        at_truth = "is level, " + ("in a dip" if result.curvature > 0 else "on a hump")
    return f"it is least at α = {_directions(result)}, and at the truth, α = 0, it {at_truth}"


def _directions(result: NaiveResult) -> str:
    """List the best angles."""
    return numbers.join_words(tuple(numbers.degrees(angle) for angle in result.best))
