"""Experiments behind Streamlit's cache, keyed on their frozen configs and shared by all visitors."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from functools import wraps
from typing import Any

import streamlit as st
from threadpoolctl import threadpool_limits

from pages.shared import own
from privdemo import attacks, datasets, limits
from privdemo.datasets import Source
from privdemo.experiments import claims as published
from privdemo.experiments import (
    class_ratio,
    comparison,
    images,
    label_counts,
    label_proportions,
    naive_training,
    training,
    voting,
)
from privdemo.jobs import Runner
from privdemo.mechanisms import BinaryChannel

# Visitors share the cores: one thread for each visitor's small matrices, not a whole pool that waits for itself.
threadpool_limits(1, user_api="blas")


def _by_config(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`st.cache_data`, which all visitors share; what follows from a visitor's own records stays in the session."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        shared = st.cache_data(**options)(function)

        @wraps(function)
        def call(*args: Any) -> Any:
            if any(map(own.is_own, args)):
                return own.of_session(function.__name__, function, args)
            return shared(*args)

        return call

    return decorate


@st.cache_resource(show_spinner=False)
def settle_in() -> None:
    """After the first page: take the loaded libraries, which stay, out of the garbage collector's sight.

    Streamlit collects garbage after every run, while its messages wait; this saves every visitor a tenth of a second.
    """
    gc.collect()
    gc.freeze()


@st.cache_data(max_entries=256, show_spinner=False)
def run(config: images.Config) -> images.Result:
    return images.run(config)


@st.cache_data(max_entries=256, show_spinner="Releasing and linking images at 17 noise levels…")
def curve(config: images.CurveConfig) -> tuple[images.Point, ...]:
    return images.curve(config)


@st.cache_data(max_entries=1024, show_spinner=False)
def measure(config: images.CurveConfig, level: float) -> images.Point:
    return images.measure(config, level)


@st.cache_data(max_entries=64, show_spinner=False)
def strip(config: images.Config, levels: tuple[float, ...]) -> Any:
    return images.strip(config, levels)


@st.cache_data(max_entries=64, show_spinner="Releasing two digits at rising noise levels…")
def gallery(config: images.GalleryConfig) -> images.Gallery:
    return images.gallery(config)


@st.cache_data(max_entries=128, show_spinner=False)
def polls(config: voting.ElectionConfig) -> tuple[voting.Poll, Any, tuple[voting.Record, ...]]:
    """The last poll, its people as dots, and what every estimator did over all polls."""
    elections = voting.run(config)
    last = voting.poll(config, elections)
    return last, voting.dots(config, last), voting.records(config, elections)


@st.cache_data(max_entries=64, show_spinner=False)
def figure1(flip_probs: tuple[float, ...]) -> tuple[voting.LongRun, ...]:
    return voting.figure1(flip_probs)


@st.cache_data(max_entries=256, show_spinner=False)
def asked_again(channel: BinaryChannel, prior: float) -> tuple[attacks.RepeatedAnswers, ...]:
    """What 1, 2, … up to the most answers of one person give away."""
    most = int(limits.N_ANSWERS.high)
    return tuple(attacks.repeated_answers(channel, prior, n) for n in range(1, most + 1))


@st.cache_data(max_entries=256, show_spinner="Counting the answers…")
def candidates(config: voting.ManyConfig) -> voting.ManyResult:
    return voting.run_many(config)


@st.cache_data(max_entries=256, show_spinner=False)
def naive_training_run(config: naive_training.NaiveConfig) -> naive_training.NaiveResult:
    return naive_training.run(config)


@_by_config(max_entries=64, show_spinner="Releasing, training and testing once…")
def one_draw(config: training.TrainingConfig) -> training.Trial:
    return training.run(config)


@_by_config(max_entries=64, show_spinner=False)
def test_images(config: training.TrainingConfig) -> Any:
    return training.test_images(config)


@_by_config(max_entries=256, show_spinner=False)
def sizes(dataset: Source, classes: tuple[str, ...]) -> tuple[int, int]:
    return training.sizes(dataset, classes)


@_by_config(max_entries=64, show_spinner="Filling bags, training and testing once…")
def one_bag_draw(config: label_proportions.BagConfig) -> label_proportions.Trial:
    return label_proportions.run(config)


@_by_config(show_spinner=False)
def n_training(dataset: Source) -> int:
    return label_proportions.n_training(dataset)


@_by_config(show_spinner=False)
def n_columns(dataset: Source) -> int:
    return datasets.load(dataset).X.shape[1]


@st.cache_data(show_spinner=False)
def bag_rows() -> tuple[label_proportions.study.Row, ...]:
    """The shipped rows of the studies of bags."""
    return label_proportions.study.load()


@_by_config(max_entries=64, show_spinner="Drawing sets, training and asking once…")
def one_ratio_draw(config: class_ratio.RatioConfig) -> class_ratio.Trial:
    return class_ratio.run(config)


@st.cache_data(show_spinner=False)
def ratio_rows() -> tuple[class_ratio.study.Row, ...]:
    """The shipped rows of the studies of class ratios."""
    return class_ratio.study.load()


@_by_config(show_spinner=False)
def comparison_sizes(dataset: Source) -> tuple[int, int]:
    return comparison.sizes(dataset)


@st.cache_data(show_spinner="Reading the results of every claim…")
def claims() -> tuple[published.Claim, ...]:
    """Every published claim beside ours."""
    return published.all_claims()


@st.cache_data(show_spinner=False)
def comparison_rows() -> tuple[comparison.study.Row, ...]:
    """The shipped rows of the comparison."""
    return comparison.study.load()


@st.cache_data(max_entries=256, show_spinner=False)
def released(config: label_counts.CountConfig) -> dict[str, label_counts.Outcome]:
    return label_counts.run(config)


@st.cache_data(max_entries=256, show_spinner="Releasing counts along the curve…")
def released_along(
    config: label_counts.CountConfig, axis: str, n_classes: int, total: int, rho: float
) -> dict[float, dict[str, label_counts.Outcome]]:
    return label_counts.along(config, axis, n_classes, total, rho)


@st.cache_data(show_spinner=False)
def distortion_rows() -> tuple[label_counts.Row, ...]:
    """The shipped distortions at the paper's design."""
    return label_counts.load()


@st.cache_data(show_spinner=False)
def settled() -> label_counts.Settled:
    """The paper's claim for scaled Dirichlet, at its own design."""
    return label_counts.settle(label_counts.CountConfig())


@st.cache_data(show_spinner=False)
def study(name: str) -> tuple[training.study.Row, ...]:
    """The shipped rows of a study."""
    return training.study.load(name)


@st.cache_resource
def runner() -> Runner:
    """The one place where long work is done, for all visitors."""
    return Runner()


@_by_config(ttl="1m", show_spinner="Reading the images…")
def problem(name: Source) -> str | None:
    """Why a data set cannot be shown and what to do, as a sentence; None when it can. Never downloads."""
    if not isinstance(name, str):
        return None
    if not datasets.available(name) and not os.environ.get("PRIVDEMO_DATA"):
        return (
            f"it is not on this computer. Run `python -m privdemo data {name}` in the project's folder (11 MB, once), "
            "or set `PRIVDEMO_DATA` to a folder that has it, and restart the app."
        )
    try:
        datasets.load(name)
    except datasets.DatasetError as error:
        return str(error)
    return None


def image_datasets() -> tuple[str, ...]:
    """The image sets that can be shown without a download, the best first."""
    return tuple(name for name in ("mnist", "digits") if problem(name) is None)
