"""The widgets of the page on class ratios and of its chapters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.kit import inputs, link, numbers, own_data, privacy_inputs
from pages.kit.data_sets import DataSets
from pages.kit.settings import Choice, Number, Setting
from pages.topics.class_ratio.question import (
    ALL,
    BANDWIDTH,
    CLASSES,
    COPIES,
    CURVES,
    DATA,
    DELTA,
    DRAWS,
    EPSILON,
    FACTOR,
    FIGURE_2,
    FIGURE_3,
    GIVEN,
    METHOD,
    MIX,
    N_MIN,
    OF_CLASSES,
    PRESETS,
    RELEASE,
    RHO,
    SEED,
    SHARE,
    SLIDE,
    TITLES,
    Question,
    ShownCurves,
    classes_setting,
)
from privdemo import limits
from privdemo.datasets import Source
from privdemo.experiments import class_ratio
from privdemo.experiments.class_ratio import NO_RELEASE, RatioConfig
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import CLASS_RATIO, PSVM
from privdemo.tasks import COUNTING, counting_task

DATA_SETS = DataSets("ratio_records", COUNTING)


def size_settings() -> tuple[Number, Number]:
    """Return the settings of the records in a set and in the group; the defaults suit the default data set."""
    default_size = class_ratio.default_set_size(DATA_SETS.default())
    return (
        Number("set_size", limits.SET_SIZE, default_size, "Records in a known set", 100),
        Number("asked", limits.N_TEST, default_size, "Records in the group", 100),
    )


def all_settings(defaults: bool = False) -> list[Setting]:
    """Return every setting of the page, with the classes of the current data set, or of the default one."""
    dataset = DATA_SETS.default() if defaults else DATA_SETS.current()
    sets = [DATA_SETS.choice, classes_setting(dataset), RHO, COPIES, *size_settings(), MIX, SHARE, BANDWIDTH, FACTOR]
    privacy = [RELEASE, EPSILON, DELTA, N_MIN]
    return [*sets, *privacy, METHOD, DRAWS, SEED]


def controls(main: DeltaGenerator) -> Question | str:
    """Render the controls, the mix in `main`; return the question, or a sentence on why there is none."""
    dataset, problem = DATA_SETS.choose()
    if problem:
        return problem
    default_size = class_ratio.default_set_size(dataset)
    own_data.reset_sizes(DATA, dataset, [replace(setting, default=default_size) for setting in size_settings()])
    arguments: dict[str, Any] = {"dataset": dataset, "n_classes": _n_classes(dataset)}
    first = counting_task(dataset).words[
        counting_task(dataset).classes.index(class_ratio.chosen_classes(dataset, arguments["n_classes"])[0])
    ]
    arguments |= _mix(main, first) | _sets() | _privacy()
    more, methods = _more()
    n_draws, seed = inputs.number(DRAWS), inputs.number(SEED)
    chosen = tuple(name for name, method in CLASS_RATIO.items() if method.title in methods)
    if not chosen:
        return "Choose at least one method in the settings."
    only_two = f"“{CLASS_RATIO[PSVM].title}” tells two classes apart, no more"
    if arguments["n_classes"] > 2 and PSVM in chosen:
        st.caption(f"{only_two}: it is left out here.")
        chosen = tuple(name for name in chosen if name != PSVM)
    if not chosen:
        return f"{only_two}: choose another method in the settings, or two classes."
    try:
        config = RatioConfig(**arguments, **more, methods=chosen, seed=seed)
        class_ratio.check(config)
    except ValueError as error:  # numbers, each in its range, may not go together
        return f"Nothing can be found here. {numbers.sentence(error)}"
    return Question(config, n_draws, own_data.file_of(dataset))


def _n_classes(dataset: Source) -> int:
    """Render the number of classes, and return it."""
    most = len(counting_task(dataset).classes)
    with inputs.container_if("classes-shown", most > 2):
        which = "digits from 0 on; two are 7 and 9" if isinstance(dataset, str) else "the first ones"
        inputs.clamp(classes_setting(dataset), "The number of classes")
        n_classes = inputs.number(classes_setting(dataset), f"Classes ({which})")
    n_classes = int(n_classes) if most > 2 else 2
    _fit_rho(n_classes)
    return n_classes


def _sets() -> dict[str, Any]:
    """Render the size, number and skew of the known sets, and return them as arguments of the config."""
    with inputs.side_by_side("sets"):
        set_size = inputs.number(size_settings()[0])
        copies = inputs.number(COPIES)
    with st.container(key="rho-shown"):
        rho = inputs.slider_and_box(RHO)
        st.caption("← sets easier to tell apart · more alike →", text_alignment="center")
    return {"set_size": set_size, "copies": copies, "rho": rho}


def _more() -> tuple[dict[str, Any], tuple[str, ...]]:
    """Render the size of the group, MMD’s bandwidth and the methods; return arguments of the config, and titles."""
    n_test = inputs.number(size_settings()[1])
    given = inputs.choose(BANDWIDTH) == GIVEN
    with inputs.container_if("factor-shown", given):
        factor = inputs.number(FACTOR)
    return {"n_test": n_test, "bandwidth": factor if given else None}, inputs.choose(METHOD)


def _fit_rho(n_classes: int) -> None:
    """After a change of the number of classes, lower a ρ that is too large for them to half of 1 / `n_classes`."""
    if st.session_state.get(OF_CLASSES, n_classes) != n_classes and st.session_state.get(RHO.key, 0) * n_classes >= 1:
        st.session_state[RHO.key] = 0.5 / n_classes
        st.toast(f"ρ is now {0.5 / n_classes:.3g}: at 1 / {n_classes} all sets would be alike.")
    st.session_state[OF_CLASSES] = n_classes


def _mix(main: DeltaGenerator, first: str) -> dict[str, Any]:
    """Render the mix of the group and, in `main`, the share that are `first`; return an argument of the config."""
    mix = inputs.choose(MIX)
    with main, inputs.container_if("row-mix", mix == SLIDE):
        slider = st.container()
        share = inputs.number(SHARE, hide_label=True)
        with slider:  # rendered beside the box, created after it: the box reads the link
            inputs.number_slider(SHARE, f"Share that really {first.replace('$', chr(92) + '$')}")
    return {"share": float(share) if mix == SLIDE else None}


def _privacy() -> dict[str, Any]:
    """Render how the sets’ counts are released, and return it as arguments of the config."""
    release = TITLES[inputs.choose_from_list(RELEASE)]
    private = release != NO_RELEASE
    with inputs.container_if("privacy-shown", private):
        epsilon, delta = privacy_inputs.epsilon_and_delta(EPSILON, DELTA, "ratio-privacy")
    bounded = private and RELEASES[release].public_bound
    with inputs.container_if("n-min-shown", bounded):
        n_min = inputs.number(N_MIN)
    if private and RELEASES[release].data_dependent:
        st.caption("Its noise is chosen from the secret counts: **no guarantee**.")
    return {"release": release, "epsilon": epsilon, "delta": delta, "n_min": int(n_min)}


def presets(_: object) -> None:
    """Render buttons with settings of the paper and others whose data sets are available."""
    available = {
        name: values for name, values in PRESETS.items() if COUNTING[values[0]].title in DATA_SETS.choice.options
    }
    if not available:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("Try:", width="content", help="Settings of the paper and others, on one click.")
        for name in available:
            st.button(name, key=f"ratio {name}", on_click=_apply, args=(name,))


def _apply(name: str) -> None:
    """Set the controls to a preset."""
    dataset, n_classes, size, rho, n_test, release, epsilon, delta, n_min = PRESETS[name]
    st.session_state[DATA] = dataset
    noise = RELEASES[release].title if release else RELEASE.default
    link.set_choices({DATA_SETS.choice: COUNTING[dataset].title, RELEASE: noise, MIX: SLIDE})
    set_sizes, test_sizes = size_settings()
    values = {CLASSES: n_classes, set_sizes: size, COPIES: 1, RHO: rho, test_sizes: n_test}
    values |= {EPSILON: epsilon, DELTA: delta, N_MIN: n_min}
    link.set_numbers({setting.key: value for setting, value in values.items()})


# --- the chapters ------------------------------------------------------------------------------------


def figure_2_controls(_: object) -> ShownCurves:
    """Render the choice of figure 2’s data set and of its curves, and return both."""
    return _shown_curves(FIGURE_2)


def figure_3_controls(_: object) -> ShownCurves:
    """Render the choice of figure 3’s method and of its curves, and return both."""
    return _shown_curves(FIGURE_3)


def _shown_curves(setting: Choice) -> ShownCurves:
    """Render a choice and that of the curves, and return both."""
    with st.container(horizontal=True, key="in-line"):
        return ShownCurves(inputs.choose(setting), inputs.choose(CURVES) == ALL)
