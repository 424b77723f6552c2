"""The widgets of the page on bags and of its chapters."""

from __future__ import annotations

import math

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import inputs, link, linked, own_data, privacy_inputs
from pages.kit.data_sets import DataSets
from pages.kit.numbers import sentence
from pages.kit.settings import Choice, Number, Setting
from pages.topics.label_proportions.question import (
    AGGREGATION,
    DRAWS,
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
    SIZES,
    THRESHOLD,
    TRAINED,
    TRAINERS,
    K,
    Question,
    bag_settings,
    n_training,
)
from privdemo.datasets import Source
from privdemo.experiments import label_proportions
from privdemo.experiments.label_proportions import HALF, THRESHOLDS, BagConfig
from privdemo.mechanisms import aggregation
from privdemo.mechanisms.bags import SELECTIONS
from privdemo.methods import FULL, LABEL_PROPORTIONS
from privdemo.tasks import BINARY, binary_task
from server.streamlit_internals import hidden_container

_DATA, _SIZE, _SPLIT = "bags_of", "bag_size_slide", "bags_split"


DATA_SETS = DataSets("records", BINARY, binary=True)


def all_settings(defaults: bool = False) -> list[Setting]:
    """Return every setting of the page, with ranges for the current data set, or for the default one."""
    dataset = DATA_SETS.default() if defaults else DATA_SETS.current()
    noise = [FEATURE_NOISE, FEATURE_EPSILON, PROPORTION_NOISE, PROPORTION_EPSILON]
    bags = [DATA_SETS.choice, *bag_settings(dataset), FILL, AGGREGATION, K]
    return [*bags, *noise, TRAINED, THRESHOLD, DRAWS, SEED]


def controls(main: DeltaGenerator) -> Question | str:
    """Render the controls, the bags in `main`; return the question, or a sentence on why there is none."""
    dataset, problem = DATA_SETS.choose()
    if problem:
        return problem
    with main:
        bags, bag_size = _bags(dataset)
    fill = FILLS[inputs.choose_from_list(FILL)]
    how = SELECTIONS[fill]
    st.caption("Filled without looking at the records." if how.blind else f"Filled by looking at {how.needs}.")
    means = inputs.choose(AGGREGATION)
    k = _k(shown=means != "none")
    k = k if means != "none" else 1
    held = max(2, min(bag_size, n_training(dataset) // bags))  # no bag can have more of the records there are
    columns = _noise(FEATURE_NOISE, FEATURE_EPSILON, k)
    proportions = _noise(PROPORTION_NOISE, PROPORTION_EPSILON, held)
    trained = inputs.choose(TRAINED)
    threshold = inputs.choose(THRESHOLD)
    n_draws = inputs.number(DRAWS)
    seed = inputs.number(SEED)
    if not trained:
        return "Choose at least one method in the settings."
    methods = (FULL, *(name for name in TRAINERS if LABEL_PROPORTIONS[name].title in trained))
    try:
        config = BagConfig(dataset, bags, bag_size, fill, means, k, columns, proportions, methods, seed)
    except ValueError as error:  # k and the size of a bag, each in its range, may not go together
        return f"Nothing can be learned here. {sentence(error)}"
    asked = next(key for key, words in THRESHOLDS.items() if words == threshold)
    return Question(config, n_draws, asked, own_data.file_of(dataset))


def _bags(dataset: Source) -> tuple[int, int]:
    """Render the number of bags and the records in each, and a slider that trades one for the other; return both."""
    n_bags, size = bag_settings(dataset)
    own_data.reset_sizes(_DATA, dataset, (n_bags, size))
    for setting, name in ((n_bags, "The number of bags"), (size, "Records in each bag")):
        inputs.clamp(setting, name)
    with inputs.slider_row("bags") as (slider, boxes), boxes:
        bag_size = inputs.number(size)
        bags = inputs.number(n_bags)
    with slider:  # rendered above the boxes, created after them: the boxes read the link
        _split(bags, bag_size, n_bags, size, binary_task(dataset).records)
        privacy_inputs.say_which_end_is_private()
        for setting in (size, n_bags):
            inputs.acknowledgement(setting)
    return bags, bag_size


def _split(bags: int, bag_size: int, n_bags: Number, size: Number, records: str) -> None:
    """Render a slider that splits the records in all bags into bags of another size."""
    before = st.session_state.get(_SPLIT)
    total = before[2] if before and before[:2] == (bags, bag_size) else bags * bag_size
    sizes = [n for n in SIZES if size.limit.contains(n) and n_bags.limit.contains(total // n)]
    if len(sizes) < 2:
        return
    st.session_state[_SIZE] = min(sizes, key=lambda n: abs(math.log(n / bag_size)))
    st.select_slider(f"Split {total:,} {records} into bags of", sizes, key=_SIZE, on_change=_split_into, args=(total,))


def _split_into(total: int) -> None:
    """Set the size of bags to the slider’s value, and their number so that `total` records are in bags."""
    size = st.session_state[_SIZE]
    bags = total // size
    for key, value in (("bag_size", size), ("bags", bags)):
        linked.set_from_other_widget(st.session_state, key, value)
    st.session_state[_SPLIT] = bags, size, total


def _k(shown: bool) -> int:
    """Render the number of records in an average, and return it."""
    with inputs.container_if("k-shown", shown):
        k = inputs.slider_and_box(K)
        privacy_inputs.say_which_end_is_private()
    return int(k)


def _noise(kind: Choice, epsilon: Number, count: int) -> float:
    """Render the ε of Laplace noise on means of `count`, or its scale b = 1/(ε · count); return ε, ∞ for no noise."""

    def scale(at: float) -> float:
        """Return the scale of an ε; the same formula gives the ε of a scale."""
        return float(aggregation.mean_scale(count, at))

    if inputs.choose(kind) != LAPLACE:
        with hidden_container():
            inputs.number(epsilon)
        return math.inf
    with st.container(key=f"{epsilon.key}-shown"):
        with inputs.side_by_side(epsilon.key):
            value = inputs.number(epsilon)
            inputs.second_widget(
                f"{epsilon.key}_scale",
                epsilon,
                st.number_input,
                lambda b: NOISE_EPSILON.nearest(scale(b)),
                scale,
                label="scale b",
                min_value=scale(NOISE_EPSILON.high),
                max_value=scale(NOISE_EPSILON.low),
                step=0.01,
                format="%.4g",
                help=f"b = 1/({count} ε), as one record moves an average of {count} by at most 1/{count}. Set "
                "either number; the other follows.",
            )
        privacy_inputs.say_which_end_is_private(private_right=False)
    return float(value)


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
    link.set_choices(
        {
            DATA_SETS.choice: BINARY["adult"].title,
            FILL: SELECTIONS[fill].title,
            AGGREGATION: means,
            FEATURE_NOISE: LAPLACE if columns else OFF,
            PROPORTION_NOISE: LAPLACE if proportions else OFF,
            THRESHOLD: THRESHOLDS[HALF],
        }
    )
    n_bags, bag_size = label_proportions.default_bags("adult")
    link.set_numbers(
        {
            "bags": n_bags,
            "bag_size": bag_size,
            K.key: k if k > 1 else K.default,
            FEATURE_EPSILON.key: columns or FEATURE_EPSILON.default,
            PROPORTION_EPSILON.key: proportions or PROPORTION_EPSILON.default,
        }
    )


# --- the chapters ------------------------------------------------------------------------------------


def means_controls(_: object) -> str:
    """Render the choice of how groups of k are made, and return it."""
    return inputs.choose_in_line(MEANS)


def noise_controls(_: object) -> str:
    """Render the choice of what the noise is on, and return it."""
    return inputs.choose_in_line(NOISE_ON)
