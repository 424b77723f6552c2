"""The controls of the page on class ratios: a visitor's choices in, a frozen config out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from pages.shared import cached, lies, own, privacy_ladder, settings, text
from pages.shared.settings import Choice, Number
from privdemo import datasets, limits
from privdemo.datasets import Source
from privdemo.experiments import class_ratio
from privdemo.experiments.class_ratio import NO_RELEASE, RatioConfig
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import CLASS_RATIO, COUNT, EM, MMD, PSVM, SPREAD
from privdemo.tasks import COUNTING, counting_task

# Up to this many records in training sets a first draw takes about a second.
AT_ONCE = 6000
# From so many on draws go where long work is done, apart from others.
LARGE = 20_000
SLIDE, RANDOM = "set by hand", "at random"
CHOSEN, GIVEN = "chosen", "given"
NO_NOISE = "none, true counts"
DATA, OF_CLASSES = "ratio_of", "rho_of_classes"

CLASSES = Number("classes", limits.Limit("classes", 2, 10, integer=True), 3)
RHO = Number("rho", limits.RHO, 0.1)
COPIES = Number("sets_of_each", limits.COPIES, 1)
MIX = Choice("mix", (SLIDE, RANDOM), SLIDE)
SHARE = Number("share", limits.SHARE, 0.5)
BANDWIDTH = Choice("bandwidth", (CHOSEN, GIVEN), CHOSEN)
FACTOR = Number("times_median", limits.BANDWIDTH, 1.0)
TITLES = {NO_NOISE: NO_RELEASE} | {release.title: name for name, release in RELEASES.items()}
RELEASE = Choice("release", tuple(TITLES), NO_NOISE)
EPSILON = Number("ratio_epsilon", limits.RELEASE_EPSILON, 0.05)
DELTA = Number("ratio_delta", limits.RELEASE_DELTA, 0.05)
N_MIN = Number("n_min", limits.N_MIN, 25)
METHOD = Choice(
    "find_by",
    tuple(method.title for method in CLASS_RATIO.values()),
    tuple(CLASS_RATIO[m].title for m in (SPREAD, MMD, EM)),
    many=True,
)
DRAWS = Number("ratio_draws", limits.N_DRAWS, 10)
SEED = Number("ratio_seed", limits.SEED, 0)

LESSONS = (MIXES, BINARY, COUNTS, SETS, ADVERSARY, NUMBERS) = (
    *("other mixes", "two classes", "private counts", "which sets", "the adversary", "all numbers"),
)
LESSON = Choice("ratio_look", LESSONS, MIXES)
FIGURE_DATA = Choice("figure_2", ("Adult", "MNIST", "SMS", "Breast cancer"), "Adult")
FIGURE_METHOD = Choice("figure_3", (CLASS_RATIO[SPREAD].title, CLASS_RATIO[MMD].title), CLASS_RATIO[MMD].title)


@dataclass(frozen=True)
class Question:
    """What the visitor asks: the first draw's config, and how many draws."""

    config: RatioConfig
    n_draws: int

    @property
    def n_records(self) -> int:
        """Records in all training and tuning sets."""
        return 2 * self.config.copies * self.config.n_classes * self.config.set_size

    @property
    def at_once(self) -> bool:
        """Whether the first draw is quick enough to wait for."""
        config = self.config
        quick = config.dataset != "sms" and COUNT not in config.methods and PSVM not in config.methods
        return quick and self.n_records <= AT_ONCE and own.light(config.dataset, self.n_records // 4)


def data_choice() -> Choice:
    """The data sets that are here, MNIST first, and what the visitor has brought."""
    return own.choice("ratio_records", tuple(task.title for name, task in COUNTING.items() if datasets.available(name)))


def missing() -> tuple[str, ...]:
    """The data sets that are not here."""
    return tuple(name for name in COUNTING if not datasets.available(name))


def size_settings() -> tuple[Number, Number]:
    """Records in a set and in the one asked about; the defaults suit the data set that is shown first."""
    suits = class_ratio.default_set_size(_source(data_choice().default))
    return Number("set_size", limits.SET_SIZE, suits), Number("asked", limits.N_TEST, suits)


def _source(title: str) -> Source:
    return own.source(title, lambda known: next(n for n, task in COUNTING.items() if task.title == known))


def classes_setting(dataset: Source) -> Number:
    """How many classes: as many as there are of a visitor's own."""
    if isinstance(dataset, str):
        return CLASSES
    most = min(CLASSES.limit.high, dataset.n_classes)
    limit = limits.Limit("classes", CLASSES.limit.low, most, "there are no more", integer=True)
    return Number(CLASSES.key, limit, min(CLASSES.default, most))


def all_settings() -> list[settings.Setting]:
    """Every setting of the page, with the classes that the current data set has."""
    return _settings(_source(settings.current(data_choice())))


def default_settings() -> list[settings.Setting]:
    """The same with the classes of the default data set."""
    return _settings(_source(data_choice().default))


def _settings(dataset: Source) -> list[settings.Setting]:
    sets = [data_choice(), classes_setting(dataset), RHO, COPIES, *size_settings(), MIX, SHARE, BANDWIDTH, FACTOR]
    privacy = [RELEASE, EPSILON, DELTA, N_MIN]
    return [*sets, *privacy, METHOD, DRAWS, SEED, LESSON, FIGURE_DATA, FIGURE_METHOD]


def controls() -> Question | str:
    """Draw the controls and return what they ask, or a sentence that says why they make no question."""
    title = settings.choose(data_choice(), "Records")
    dataset = _source(title)
    own.panel(data_choice())
    set_sizes, test_sizes = size_settings()
    if absent := missing():
        st.caption(f"Not on this computer: {', '.join(absent)}. `python -m privdemo data all` fetches them.")
    if problem := cached.problem(dataset):
        return f"{title} cannot be read: {problem}"
    suits = class_ratio.default_set_size(dataset)
    own.fit(DATA, dataset, [replace(setting, default=suits) for setting in size_settings()])
    most = len(counting_task(dataset).classes)
    with st.container(key="classes-shown" if most > 2 else "other-levels-classes"):
        which = "digits from 0 on; two are 7 and 9" if isinstance(dataset, str) else "the first ones"
        settings.keep_inside(classes_setting(dataset), "The number of classes")
        n_classes = settings.number(classes_setting(dataset), f"Classes ({which})", step=1)
    n_classes = n_classes if most > 2 else 2
    _fit_rho(n_classes)
    with lies.pair("sets") as (left, right):
        with left:
            set_size = settings.number(set_sizes, "Records in a set", step=100)
        with right:
            copies = settings.number(COPIES, "Sets of each kind", step=1, help="As many again choose settings.")
    rho = settings.dial(RHO, "ρ, share of each rarer class", step=0.01, form="%.4g", help=_RHO_HELP)
    st.caption("← sets easier to tell apart · more alike →", text_alignment="center")
    mix, share = _asked()
    release, epsilon, delta, n_min = _privacy()
    with st.expander("More settings"):
        n_test = settings.number(test_sizes, "Records asked about", step=100)
        given = settings.choose(BANDWIDTH, "Bandwidth of MMD") == GIVEN
        with st.container(key="factor-shown" if given else "other-levels-factor"):
            factor = settings.number(
                FACTOR,
                "times the median heuristic",
                step=0.5,
                form="%.4g",
                help="How near two records must be for MMD to count them as alike; 1 is the median distance of two "
                "records, divided by √2.",
            )
        methods = settings.choose(METHOD, "Find shares by")
        n_draws = settings.number(DRAWS, "Draws", step=1, help="Repeats with other records and other noise.")
        seed = settings.number(SEED, "Seed", step=1, help="The same seed gives the same records and noise.")
    chosen = tuple(name for name, method in CLASS_RATIO.items() if method.title in methods)
    if not chosen:
        return "Choose at least one way to find shares, under “More settings”."
    if n_classes > 2 and PSVM in chosen:
        st.caption("∝SVM tells two classes apart, no more: it is left out here.")
        chosen = tuple(name for name in chosen if name != PSVM)
    if not chosen:
        return "∝SVM tells two classes apart, no more: choose another method under “More settings”, or two classes."
    try:
        config = RatioConfig(
            dataset,
            n_classes,
            set_size,
            copies,
            rho,
            n_test,
            share if mix == SLIDE else None,
            factor if given else None,
            release,
            epsilon,
            delta,
            n_min,
            chosen,
            seed,
        )
        class_ratio.check(config)
    except ValueError as error:  # numbers, each in its range, may not go together
        return f"Nothing can be found here. {text.sentence(error)}"
    return Question(config, n_draws)


_RHO_HELP = (
    "Every set has one common class and the others with a share of ρ each; every class is the common one of a set. "
    "At ρ = 1 / classes all sets are alike."
)


def _fit_rho(n_classes: int) -> None:
    """Other classes, and a share that they cannot all have: half of what would make the sets alike."""
    if st.session_state.get(OF_CLASSES, n_classes) != n_classes and st.session_state.get(RHO.key, 0) * n_classes >= 1:
        st.session_state[RHO.key] = 0.5 / n_classes
        st.toast(f"ρ is now {0.5 / n_classes:.3g}: at 1 / {n_classes} all sets would be alike.")
    st.session_state[OF_CLASSES] = n_classes


def _asked() -> tuple[str, float]:
    """The mix of the set that is asked about."""
    mix = settings.choose(MIX, "Mix of the set asked about")
    with st.container(key="share-shown" if mix == SLIDE else "other-levels-share"):
        share = settings.dial(SHARE, "Share of its first class", step=0.05, form="%.4g")
    return mix, float(share)


def _privacy() -> tuple[str, float, float, int]:
    """How the sets' counts are released; the numbers are drawn unseen without noise, so that they stay in the URL."""
    release = TITLES[settings.pick(RELEASE, "Noise on the sets’ counts")]
    private = release != NO_RELEASE
    with st.container(key="privacy-shown" if private else "other-levels-privacy"):
        epsilon, delta = privacy_ladder.epsilon_and_delta(EPSILON, DELTA, "ratio-privacy")
    bounded = private and RELEASES[release].public_bound
    with st.container(key="n-min-shown" if bounded else "other-levels-n-min"):
        n_min = settings.number(
            N_MIN, "n_min, public lower bound", step=5, help="What everybody may know: no class of a set has fewer."
        )
    if private and RELEASES[release].data_dependent:
        st.caption("Its noise is chosen from the private counts: **no formal guarantee**.")
    return release, epsilon, delta, int(n_min)
