"""The widgets of the page on bags and of its chapters."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import inputs, own_data, own_data_input
from pages.kit.number_control import MORE_OR_LESS, OtherUnit
from pages.kit.settings import Choice, Number
from pages.kit.values import Values, put_all
from pages.topics.label_proportions.question import (
    AGGREGATION,
    DATA_SETS,
    FEATURE_EPSILON,
    FEATURE_NOISE,
    FILL,
    FILLS,
    LAPLACE,
    MEANS,
    NOISE_EPSILON,
    NOISE_ON,
    OFF,
    PRESETS,
    PROPORTION_EPSILON,
    PROPORTION_NOISE,
    SEED,
    THRESHOLD,
    TRAINED,
    TRIALS,
    K,
    averaged,
    bag_settings,
    records_in_bag,
)
from privdemo.experiments.label_proportions import HALF, THRESHOLDS
from privdemo.mechanisms import aggregation
from privdemo.mechanisms.bags import SELECTIONS
from privdemo.tasks import BINARY, binary_task
from server.streamlit_internals import is_hidden

_DATA, _SIZE = "bags_of", "bag_size_slide"


def adjust(values: Values) -> None:
    """With other records, set the number and the size of bags to their defaults."""
    dataset = DATA_SETS.source(values)
    own_data.reset_with_data(_DATA, dataset, bag_settings(dataset))


def controls(values: Values, main: DeltaGenerator) -> None:
    """Render the controls, the bags in `main`."""
    own_data_input.choose_records(DATA_SETS)
    with main:
        _bags(values)
    with inputs.side_by_side("bags"):
        for setting in reversed(bag_settings(DATA_SETS.source(values))):
            inputs.number(setting)
    inputs.choose_from_list(FILL)
    how = SELECTIONS[FILLS[values[FILL]]]
    st.caption("Filled without looking at the records." if how.blind else f"Filled by looking at {how.needs}.")
    inputs.choose(AGGREGATION)
    with inputs.container_if("k-shown", values[AGGREGATION] != "none"):
        inputs.slider_and_box(K, ends=MORE_OR_LESS)
    _noise(FEATURE_NOISE, FEATURE_EPSILON, averaged(values))
    _noise(PROPORTION_NOISE, PROPORTION_EPSILON, records_in_bag(values))
    inputs.choose(TRAINED)
    inputs.choose(THRESHOLD)
    inputs.number(TRIALS)
    inputs.number(SEED)


def _bags(values: Values) -> None:
    """Render a slider that trades the number of bags for the records in each.

    It stops at the sizes that divide the records in all bags, so that every stop has the same records in bags.
    """
    dataset = DATA_SETS.source(values)
    n_bags, size = bag_settings(dataset)
    total = values[n_bags] * values[size]
    within = range(int(size.limit.low), min(int(size.limit.high), total) + 1)
    sizes = [n for n in within if total % n == 0 and n_bags.limit.contains(total // n)]
    if len(sizes) > 1 and not is_hidden():
        st.session_state[_SIZE] = values[size]
        records = binary_task(dataset).records
        ends = dict(zip((sizes[0], sizes[-1]), MORE_OR_LESS, strict=True))
        st.select_slider(
            f"{records.capitalize()} per bag, of {total:,} in all",
            sizes,
            format_func=lambda n: f"{ends[n]} ({n:,} per bag)" if n in ends else f"{n:,}",
            key=_SIZE,
            on_change=_split,
            args=(total, n_bags, size),
        )


def _split(total: int, n_bags: Number, size: Number) -> None:
    """Set the size of bags to the slider’s value, and their number so that `total` records are in bags."""
    bag_size = st.session_state[_SIZE]
    put_all({size: bag_size, n_bags: total // bag_size})


def _noise(kind: Choice, epsilon: Number, count: int) -> None:
    """Render the ε of Laplace noise on means of `count`, or its scale b = 1/(ε · count)."""

    def scale(at: float) -> float:
        """Return the scale of an ε; the same formula gives the ε of a scale."""
        return float(aggregation.mean_scale(count, at))

    if inputs.choose(kind) != LAPLACE:
        return
    other = OtherUnit(
        f"{epsilon.key}_scale",
        "scale b",
        scale,
        scale,
        scale(NOISE_EPSILON.high),
        scale(NOISE_EPSILON.low),
        0.01,
        f"b = 1/({count} ε), as one record moves an average of {count} by at most 1/{count}. Set either number; the "
        "other follows. A smaller ε and a larger b are more private.",
    )
    inputs.number(epsilon, other=other)


def presets(_: object) -> None:
    """Render buttons with the slides’ settings, if their data set is available."""
    if DATA_SETS.choice.default != BINARY["adult"].title:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("Slides:", width="content", help="Settings of Yan’s slides, on one click.")
        for name in PRESETS:
            st.button(name, key=f"bags {name}", on_click=_apply, args=(name,))


def _apply(name: str) -> None:
    """Set the controls to one of the slides’ settings, on the slides’ data set."""
    fill, means, k, columns, proportions = PRESETS[name]
    n_bags, bag_size = bag_settings("adult")
    put_all(
        {
            DATA_SETS.choice: BINARY["adult"].title,
            FILL: SELECTIONS[fill].title,
            AGGREGATION: means,
            FEATURE_NOISE: LAPLACE if columns else OFF,
            PROPORTION_NOISE: LAPLACE if proportions else OFF,
            THRESHOLD: THRESHOLDS[HALF],
            n_bags: n_bags.default,
            bag_size: bag_size.default,
            K: k if k > 1 else K.default,
            FEATURE_EPSILON: columns or FEATURE_EPSILON.default,
            PROPORTION_EPSILON: proportions or PROPORTION_EPSILON.default,
        }
    )


# --- the chapters ------------------------------------------------------------------------------------


def means_controls(_: object) -> None:
    """Render the choice of how groups of k are made."""
    inputs.choose_in_line(MEANS)


def noise_controls(_: object) -> None:
    """Render the choice of what the noise is on."""
    inputs.choose_in_line(NOISE_ON)
