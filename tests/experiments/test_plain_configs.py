"""Every config that can be swept has a plain form from which the same config is made again."""

import math
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from privdemo import limits
from privdemo.datasets import count_answers, load
from privdemo.disobedience import WAYS
from privdemo.disobedience.many_answers import CRAFTED, PRETEND
from privdemo.experiments import class_ratio, comparison, label_counts, label_proportions, sweep, training, voting
from privdemo.experiments.many_answers import FREQUENT, RAREST, SOURCES, AnswersConfig, AttackedConfig
from privdemo.experiments.sweep import EXPERIMENTS, ImagesConfig
from privdemo.mechanisms import (
    BinaryChannel,
    Crosswise,
    GaussianNoise,
    LaplaceNoise,
    RandomisedResponse,
    UnrelatedQuestion,
)
from privdemo.mechanisms.bags import SELECTIONS
from privdemo.mechanisms.frequency_oracles import ORACLES
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import CLASS_RATIO, COMPARISON, LABEL_PROPORTIONS, PSVM, TRAINING

SEEDS = st.integers(0, int(limits.SEED.high))


def within(limit):
    """Numbers of a limit, its ends among them."""
    if limit.integer:
        return st.integers(int(limit.low), int(limit.high))
    high = None if math.isinf(limit.high) else limit.high
    return st.floats(limit.low, high, exclude_min=limit.low_open, allow_nan=False, allow_infinity=high is None)


def some(names, least=1):
    return st.lists(st.sampled_from(list(names)), min_size=least, unique=True).map(tuple)


def response(n_states):
    return within(limits.flip_prob_limit(n_states)).map(lambda p: RandomisedResponse(p, n_states))


CHANNELS = st.builds(BinaryChannel, within(limits.P10), within(limits.P01))
DESIGNS = st.builds(UnrelatedQuestion, within(limits.ASKED), within(limits.INNOCENT)) | st.builds(
    Crosswise, within(limits.INNOCENT)
)
LABELS = response(2) | CHANNELS
GAUSSIAN, LAPLACE = (st.builds(GaussianNoise, within(limits.SIGMA)), st.builds(LaplaceNoise, within(limits.SCALE)))


@st.composite
def on_images(draw, make, more):
    """A config on images; pixels now and then on another number of grey levels than the data set has."""
    dataset = draw(st.sampled_from(["digits", "mnist"]))
    pixels = draw(st.sampled_from([17, 256]).flatmap(response) | GAUSSIAN | more)
    return draw(make(dataset, pixels))


def of_training(dataset, pixels):
    pairs = st.permutations("0123456789").map(lambda digits: tuple(digits[:2]))
    people = within(limits.N_TRAIN)
    return st.builds(
        training.TrainingConfig, st.just(dataset), pairs, people, st.just(pixels), LABELS, some(TRAINING), SEEDS
    )


@st.composite
def of_images(draw, dataset, pixels):
    classes = draw(some("0123456789", least=2))
    labels = draw(response(len(classes)) | CHANNELS if len(classes) == 2 else response(len(classes)))
    numbers = within(limits.N_PEOPLE), within(limits.N_CANDIDATES), SEEDS
    return ImagesConfig(dataset, classes, pixels, labels, *map(draw, numbers))


@st.composite
def allowed(draw, config_type, **strategies):
    """A config of fields of their own limits, where its checks of several together let it pass."""
    try:
        return config_type(**{name: draw(strategy) for name, strategy in strategies.items()})
    except ValueError:
        assume(False)


CONFIGS = {
    "training": on_images(of_training, st.nothing()),
    "images": on_images(of_images, LAPLACE),
    "bags": allowed(
        label_proportions.BagConfig,
        dataset=st.sampled_from(["adult", "sms", "breast_cancer", "digits", "mnist"]),
        n_bags=within(limits.N_BAGS),
        bag_size=within(limits.BAG_SIZE),
        selection=st.sampled_from(list(SELECTIONS)),
        aggregation=st.sampled_from(label_proportions.AGGREGATIONS[1:]),
        k=st.integers(1, 3),
        feature_epsilon=within(limits.NOISE_EPSILON),
        proportion_epsilon=st.just(math.inf) | within(limits.NOISE_EPSILON),
        methods=some(LABEL_PROPORTIONS),
        seed=SEEDS,
    ),
    "class_ratio": allowed(
        class_ratio.RatioConfig,
        dataset=st.sampled_from(["mnist", "digits"]),
        n_classes=st.integers(2, 4),
        set_size=st.integers(100, int(limits.SET_SIZE.high)),
        copies=within(limits.COPIES),
        rho=st.floats(0, 0.2),
        n_test=within(limits.N_TEST),
        share=st.none() | within(limits.SHARE),
        bandwidth=st.none() | within(limits.BANDWIDTH),
        release=st.sampled_from(["none", *RELEASES]),
        epsilon=within(limits.RELEASE_EPSILON),
        delta=within(limits.RELEASE_DELTA),
        n_min=within(limits.N_MIN),
        methods=some(name for name in CLASS_RATIO if name != PSVM),
        seed=SEEDS,
    ),
    "comparison": allowed(
        comparison.ComparisonConfig,
        task=st.sampled_from(["classify", "share"]),
        dataset=st.sampled_from(["mnist", "digits"]),
        private=st.sampled_from(["labels", "records"]),
        n_train=within(limits.N_TRAIN),
        epsilon=within(limits.RELEASE_EPSILON),
        bag_size=st.integers(2, 20),
        rho=within(limits.RHO),
        share=within(limits.SHARE),
        fake_part=within(limits.FAKE_PART),
        fake_label=st.sampled_from([comparison.OPPOSITE, comparison.SECOND]),
        methods=some(COMPARISON, least=0),
        seed=SEEDS,
    ),
    "voting": st.builds(
        voting.ElectionConfig,
        within(limits.N_VOTERS),
        within(limits.SHARE),
        CHANNELS | DESIGNS,
        within(limits.N_ELECTIONS),
        SEEDS,
    ),
    "many_answers": st.builds(
        AnswersConfig,
        st.sampled_from(SOURCES),
        within(limits.ORACLE_ANSWERS),
        within(limits.ZIPF_EXPONENT),
        within(limits.ORACLE_PEOPLE),
        within(limits.ORACLE_EPSILON),
        st.sampled_from(list(ORACLES)),
        SEEDS,
    ),
    "disobedience": st.builds(
        voting.DisobeyedConfig,
        st.integers(2, int(limits.N_VOTERS.high)),
        within(limits.SHARE),
        CHANNELS | DESIGNS,
        within(limits.N_ELECTIONS),
        SEEDS,
        within(limits.PART),
        st.sampled_from(list(WAYS)),
    ),
    "attackers": st.builds(
        AttackedConfig,
        dataset=st.sampled_from(SOURCES),
        k=within(limits.ORACLE_ANSWERS),
        oracle=st.sampled_from(list(ORACLES)),
        seed=SEEDS,
        target=st.sampled_from([RAREST, FREQUENT]),
        part=within(limits.FAKE_PART),
        attack=st.sampled_from([CRAFTED, PRETEND]),
    ),
    "label_counts": st.builds(
        label_counts.CountConfig,
        st.lists(st.integers(1, int(limits.COUNT.high)), min_size=2, max_size=20).map(tuple),
        within(limits.RELEASE_EPSILON),
        within(limits.RELEASE_DELTA),
        within(limits.N_MIN),
        some(RELEASES),
        within(limits.REPEATS),
        SEEDS,
    ),
}


@pytest.mark.mnist
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_config_is_made_again_from_its_plain_form(name, mnist):
    @given(CONFIGS[name])
    def check(config):
        plain = EXPERIMENTS[name].plain_values(config)
        assert EXPERIMENTS[name].make(plain) == config
        assert "trial" not in plain
        assert sweep.experiment_of(config) == name

    check()


def test_mechanisms_are_written_as_one_writes_them():
    plain, make = EXPERIMENTS["images"].plain_values, EXPERIMENTS["images"].make
    for pixels, labels, written in (
        (RandomisedResponse(0.1, 17), RandomisedResponse(0.2, 2), (0.1, 0.2)),
        (LaplaceNoise(0.3), BinaryChannel(0.1, 0.4), ({"laplace": 0.3}, [0.1, 0.4])),
        (GaussianNoise(0.5), BinaryChannel(0.1, 0.1), ({"gaussian": 0.5}, [0.1, 0.1])),
        (RandomisedResponse(0.1, 5), BinaryChannel(0.1, 0.1), ({"flip_prob": 0.1, "n_states": 5}, [0.1, 0.1])),
    ):
        found = plain(ImagesConfig("digits", pixels=pixels, labels=labels))
        assert (found["pixels"], found["labels"]) == written
    assert make({"dataset": "digits"}).pixels == RandomisedResponse(0.2, 17)
    assert plain(ImagesConfig("digits", pixels=GaussianNoise(0.5))) == plain(
        make({"dataset": "digits", "pixels": {"sigma": 0.5}})
    )
    for pixels in ({"laplace": 0.1, "sigma": 0.1}, {"poisson": 1.0}, {}):
        with pytest.raises(ValueError, match=r"pixels must be a flip probability, \{gaussian = …\} or \{laplace = …\}"):
            make({"pixels": pixels})


def test_survey_designs_are_written_by_their_shares():
    plain, make = EXPERIMENTS["voting"].plain_values, EXPERIMENTS["voting"].make
    for channel, written in (
        (UnrelatedQuestion(0.5, 0.25), {"asked": 0.5, "innocent": 0.25}),
        (Crosswise(0.25), {"innocent": 0.25}),
        (BinaryChannel(0.25, 0.25), 0.25),
    ):
        assert plain(voting.ElectionConfig(channel=channel))["channel"] == written
        assert make({"channel": written}).channel == channel
    for wrong in ({}, {"asked": 0.5}, {"innocent": 0.25, "lie": 0.1}):
        with pytest.raises(ValueError, match=r"channel must be one lie, a list of two, \{innocent = …\} or \{asked = "):
            make({"channel": wrong})
    with pytest.raises(ValueError, match="innocent must be in"):
        make({"channel": {"innocent": 25}})


def test_a_visitors_own_records_have_no_plain_form():
    own = replace(load("breast_cancer"), name="mine")
    with pytest.raises(ValueError, match="your own records go into no file of settings"):
        EXPERIMENTS["bags"].plain_values(label_proportions.BagConfig(own, 5, 20))
    with pytest.raises(ValueError, match="your own records go into no file of settings"):
        EXPERIMENTS["many_answers"].plain_values(AnswersConfig(count_answers(b"job\na\nb")))
    with pytest.raises(ValueError, match="no sweep runs such a question: tuple"):
        sweep.experiment_of(())


def test_the_first_repeat_is_the_one_of_the_page_and_the_others_have_seeds_of_their_own():
    config = voting.ElectionConfig(seed=7)
    first, *others = sweep.Sweep("voting", (config,), 5).trials()
    assert first.seeded == config
    assert len({trial.seeded.seed for trial in others} | {7}) == 5
    assert {replace(trial.seeded, seed=7) for trial in others} == {config}
    again = sweep.Sweep("voting", (replace(config, seed=8),), 5).trials()
    assert not {trial.seeded.seed for trial in again} & {trial.seeded.seed for trial in others}
