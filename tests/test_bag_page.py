"""The page "What if only bag totals are known?" through AppTest: defaults, changes, links and hard settings."""

from __future__ import annotations

import math
import re
import time

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import bag_controls, cached
from privdemo.experiments import label_proportions
from privdemo.experiments.draws import at_draw
from privdemo.experiments.label_proportions import HALF, SHARE, BagConfig
from privdemo.mechanisms import aggregation
from privdemo.methods import FULL, LABEL_PROPORTIONS, LABELLED, LLP, MEAN_MAP, NAMES
from privdemo.tasks import BINARY
from tests import visiting
from tests.visiting import answers, takeaway, warnings

PAGE = "pages/proportions.py"
TUMOURS = {"records": "Breast cancer", "bag_draws": "1", "fill": "skewed"}
CONFIG = BagConfig("breast_cancer", 15, 20, "skewed")
NOISY = {"means": "random-k", "k": "4", "proportion_noise": "Laplace", "proportion_epsilon": "0.5"}


def opened(**link) -> AppTest:
    return visiting.opened(PAGE, **(TUMOURS | link))


def summaries(at: AppTest) -> str:
    return "\n".join(re.findall(r'<p class="summary">(.*?)</p>', visiting.html(at), re.DOTALL))


@pytest.mark.usefixtures("data_folder")
def test_default_is_adult_in_a_hundred_bags_of_a_hundred():
    at = visiting.opened(PAGE, bag_draws="1")
    assert "<b>4 models are being trained</b> on 100 bags of 100 people" in takeaway(at)
    deadline = time.monotonic() + 60
    while "being trained" in takeaway(at) and time.monotonic() < deadline:
        time.sleep(0.5)
        at.run()
    draw = label_proportions.run(BagConfig())
    assert "the records of each bag and the share that earn over $50,000 are known" in takeaway(at)
    for name in (NAMES, LLP, FULL):
        assert f"{draw.fits[name].f1[SHARE].average:.3f}" in summaries(at)
    assert not warnings(at)


@pytest.mark.parametrize(
    ("link", "config", "threshold"),
    [
        ({}, CONFIG, SHARE),
        ({"bag_seed": "5"}, BagConfig("breast_cancer", 15, 20, "skewed", seed=5), SHARE),
        ({"positive_if": "½"}, CONFIG, HALF),
        (
            {"bags": "10", "bag_size": "12", "fill": "at random", "train_by": ["llp", "mean map"]},
            BagConfig("breast_cancer", 10, 12, methods=(FULL, LLP, MEAN_MAP)),
            SHARE,
        ),
        (NOISY, BagConfig("breast_cancer", 15, 20, "skewed", "random-k", 4, proportion_epsilon=0.5), HALF),
        (
            {"means": "k-tree", "k": "3", "column_noise": "Laplace", "column_epsilon": "2"},
            BagConfig("breast_cancer", 15, 20, "skewed", "k-tree", 3, feature_epsilon=2.0),
            HALF,
        ),
    ],
)
def test_the_screen_says_what_the_package_computes(link, config, threshold):
    at = opened(**link)
    deadline = time.monotonic() + 60
    while "being trained" in takeaway(at) and time.monotonic() < deadline:
        time.sleep(0.3)
        at.run()
    draw, summary = label_proportions.run(config), summaries(at)
    for name, fit in draw.fits.items():
        f1 = fit.f1[threshold]
        words = f"{f1.average:.3f}, positives {f1.positive:.3f}, negatives {f1.negative:.3f}"
        assert f"{LABEL_PROPORTIONS[name].title} {words}" in summary
    best = max(fit.f1[threshold].average for name, fit in draw.fits.items() if name not in (FULL, LABELLED))
    assert f"<b>{best:.3f}</b>" in takeaway(at)
    # Of another draw, the numbers are others.
    other = label_proportions.run(at_draw(config, 3)).fits[LLP].f1[threshold]
    assert f"{LABEL_PROPORTIONS[LLP].title} {other.average:.3f}, positives {other.positive:.3f}" not in summary


def test_controls_change_the_screen_and_reset_brings_the_defaults_back():
    at = opened()
    at.number_input(key="bags").set_value(9).run()
    assert "9 bags of 20 tumours" in takeaway(at)
    at.selectbox(key="fill").set_value("at random").run()
    assert "Looks at nothing." in [caption.value for caption in at.caption]
    at.button_group(key="means").set_value("nearest-k").run()
    at.number_input(key="k").set_value(6).run()
    assert "the means of 6 or more records" in takeaway(at)
    at.button(key="reset").click().run()
    assert at.number_input(key="bags").value == label_proportions.default_bags(llp_default())[0]
    assert at.selectbox(key="fill").value == "at random"
    assert at.button_group(key="means").value == "none"


def llp_default() -> str:
    return next(name for name, task in BINARY.items() if task.title == bag_controls.data_choice().default)


def test_other_records_bring_bags_that_suit_them():
    at = opened()
    at.button_group(key="records").set_value("Small digits").run()
    n_bags, bag_size = label_proportions.default_bags("digits")
    assert (at.number_input(key="bags").value, at.number_input(key="bag_size").value) == (n_bags, bag_size)
    assert f"{n_bags} bags of {bag_size} images" in takeaway(at)


def test_epsilon_and_scale_follow_each_other():
    at = opened(**NOISY)
    at.number_input(key="proportion_epsilon_scale").set_value(0.25).run()
    # b = 1/(20 ε) for a bag of 20
    assert at.number_input(key="proportion_epsilon").value == pytest.approx(1 / (20 * 0.25))
    at.number_input(key="proportion_epsilon").set_value(2.0).run()
    assert at.number_input(key="proportion_epsilon_scale").value == pytest.approx(1 / 40)


@pytest.mark.parametrize("lesson", bag_controls.LESSONS)
@pytest.mark.parametrize("link", [{}, NOISY], ids=["plain", "noisy"])
def test_every_lesson_has_an_answer_data_and_code(lesson, link):
    at = opened(look_into=lesson, **link)
    assert len(answers(at)) == 1
    assert len(at.get("download_button")) >= 4, "CSV and HTML of the marks, and of the lesson"
    config = BagConfig("breast_cancer", 15, 20, "skewed", "random-k", 4, proportion_epsilon=0.5) if link else CONFIG
    draw = label_proportions.run(config)
    everything = answers(at)[0] + summaries(at) + visiting.html(at)
    if lesson == bag_controls.BAGS:
        assert f"<b>{draw.attack.exposed:,} of {draw.attack.n:,} tumours are in bags of one label</b>" in answers(at)[0]
    elif lesson == bag_controls.MEANS:
        assert f"Yours is {100 * draw.loss:.1f} %" in everything or not link
        assert ("noise has moved the direction" in answers(at)[0]) == bool(
            link
        )  # noise on proportions moves it, means do not
    elif lesson == bag_controls.NOISE:
        assert ("ε = 0.5 does not hold" in everything) == bool(link)  # bags were filled by label
        assert f"{aggregation.smallest_epsilon(20):.2g}" in everything or not link
    elif lesson == bag_controls.ADVERSARY:
        assert f"{100 * draw.attack.both_right / draw.attack.n:.1f} %" in answers(at)[0]
        assert everything.count("<td>positive</td>") == 3
    elif lesson == bag_controls.NUMBERS:
        assert f"<td>{draw.fits[NAMES].f1[HALF if link else SHARE].positive:.3f}</td>" in everything


def test_curves_say_what_the_shipped_results_say():
    rows = label_proportions.study.load()
    of = label_proportions.study.select(rows, label_proportions.study.BY_K, "breast_cancer", HALF)
    at = opened(look_into=bag_controls.MEANS)
    largest = max(row.k for row in of)
    mine = {(row.k, row.method): row for row in of if row.aggregation == "random-k" or row.k == 1}
    fall = mine[1, LLP].average - mine[largest, LLP].average
    assert f"falls by <b>{fall:.3f}</b> for the slides’ model" in answers(at)[0]
    at = opened(look_into=bag_controls.FILLING, positive_if="½")
    adult = {
        (row.selection, row.method): row
        for row in label_proportions.study.select(rows, label_proportions.study.SELECTING, "adult", HALF)
    }
    assert f"<b>{adult['balanced', LLP].average:.3f}</b> with balanced ones" in answers(at)[0]
    assert "<td>0.81</td>" in visiting.html(at)


@pytest.mark.parametrize("lesson", [bag_controls.MEANS, bag_controls.NOISE, bag_controls.NUMBER, bag_controls.FILLING])
@pytest.mark.parametrize("dataset", ["adult", "sms", "mnist", "digits"])
def test_curves_are_there_for_every_data_set(dataset, lesson, mnist, data_folder, monkeypatch):
    small = BagConfig("breast_cancer", 15, 20, "skewed")
    draw = label_proportions.run(small)
    monkeypatch.setattr(cached, "one_bag_draw", lambda config: draw)
    title = BINARY[dataset].title
    at = opened(records=title, bags="20", bag_size="12", look_into=lesson)
    assert len(answers(at)) == 1, "a drawn curve, whatever is missing in its study"
    code = at.code[-1].value
    printed: list = []
    exec(code, {"print": lambda *words: printed.append(words)})  # the page's own lines
    assert printed


def test_the_bag_posterior_on_screen_stays_within_what_epsilon_allows():
    at = opened(
        look_into=bag_controls.ADVERSARY, fill="at random", proportion_noise="Laplace", proportion_epsilon="0.01"
    )
    rows = re.findall(r"<td>([\d.−,]+) %</td><td>([\d.−,]+) %</td><td>([\d.−,]+) %</td>", visiting.html(at))
    assert len(rows) == 6
    for before, _, after in rows:
        p, q = (float(x) / 100 for x in (before, after))
        # odds change by e^0.01 at most; both are rounded to 0.1 point
        assert abs(math.log(q / (1 - q)) - math.log(p / (1 - p))) <= 0.01 + 0.001 / (p * (1 - p))


@pytest.mark.parametrize(
    ("link", "label_holds", "column_holds"),
    [
        ({"fill": "at random"}, True, True),
        ({"fill": "at random", "means": "random-k"}, True, True),
        ({"fill": "at random", "means": "nearest-k"}, True, False),  # it looks at records, but at no label
        ({"fill": "at random", "means": "k-tree"}, False, False),
        ({"fill": "even"}, False, False),
    ],
)
def test_noise_promises_nothing_where_what_it_protects_chose_the_bags_or_groups(link, label_holds, column_holds):
    link = {"k": "4", "proportion_noise": "Laplace", "column_noise": "Laplace", "bag_draws": "1"} | link
    at = opened(look_into=bag_controls.NOISE, **link)
    deadline = time.monotonic() + 60
    while "being trained" in takeaway(at) and time.monotonic() < deadline:
        time.sleep(0.3)
        at.run()
    cards = visiting.html(at)
    assert ("<h4>One label: no promise</h4>" in cards) != label_holds
    assert ("<h4>One column: no promise</h4>" in cards) != column_holds
    assert ("<h4>A whole record: no promise</h4>" in cards) != column_holds


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ({"fill": "balanced"}, "“balanced” needs at least 8 records (or means) of a kind for 4 of the bags, got 2"),
        ({"fill": "only unsure ones"}, "choose fewer bags, a lower k or another selection"),
        ({"bags": "40"}, "40 bags of 9 tumours (for 20 there are too few of a kind)"),
        ({"means": "k-tree", "bag_size": "3"}, "K must be at most 1, half a bag, as a bag needs two leaves, got 5"),
        ({"means": "random-k", "bag_size": "2"}, "K must be at most 2, the records of a bag, got 5; lower k"),
        ({"proportion_noise": "Laplace", "proportion_epsilon": "0.001", "bags": "2", "bag_size": "2"}, "2 bags of 2"),
        ({"bags": "2", "bag_size": "2", "fill": "at random"}, None),
        ({"bags": "2", "bag_size": "199", "fill": "even", "means": "k-tree", "k": "60"}, None),
        ({"bag_size": "12", "means": "k-tree", "k": "6", "fill": "at random"}, None),
        ({"records": "SMS", "bags": "12", "fill": "skewed", "means": "k-tree", "k": "20"}, None),
    ],
)
def test_hard_settings_are_answered_or_get_a_sentence(link, words):
    at = opened(**link)
    assert not at.exception
    if words:
        assert words in takeaway(at)


def test_bags_of_equal_proportions_are_said_to_tell_nothing_apart():
    # two bags of two: with one positive each, in some draw
    seed = next(
        seed
        for seed in range(100)
        if len(set(label_proportions.draw_release(BagConfig("breast_cancer", 2, 2, seed=seed)).true_proportions)) == 1
        and 0 < label_proportions.draw_release(BagConfig("breast_cancer", 2, 2, seed=seed)).true_proportions[0] < 1
    )
    at = opened(bags="2", bag_size="2", fill="at random", bag_seed=str(seed))
    assert "nothing tells the classes apart" in takeaway(at)


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("bags", "1", "`bags=1` was ignored: it must be a whole number in [2, 199]. The default, 15, is shown."),
        ("bag_size", "0", "in [2, 199]"),
        ("k", "101", "`k=101` was ignored: it must be a whole number in [1, 100]. The default, 5, is shown."),
        ("column_epsilon", "0", "in [0.001, 100]"),
        ("proportion_epsilon", "nan", "in [0.001, 100]"),
        ("fill", "by luck", "it must be one of “at random”, “balanced”"),
        ("train_by", "magic", "at least 1 of"),
        ("bag_seed", "-1", "in [0, 4294967295]"),
        ("nonsense", "1", "this page has no such setting"),
    ],
)
def test_a_bad_value_in_a_link_is_ignored_with_a_note(key, value, sentence):
    at = opened(**{key: value})
    assert sentence in warnings(at)
    assert takeaway(at)


def test_no_way_to_train_is_said_and_nothing_is_lost():
    at = opened()
    at.button_group(key="train_by").set_value([]).run()
    assert "Choose at least one way to train" in takeaway(at)
    assert at.number_input(key="bags").value == 15


def test_without_downloaded_data_the_page_works_on_what_scikit_learn_brings(no_mnist):
    at = visiting.opened(PAGE, bag_draws="1")
    assert at.button_group(key="records").options == ["Breast cancer", "Small digits"]
    assert any("python -m privdemo data all" in caption.value for caption in at.caption)
    assert "tumours" in takeaway(at)
    assert not [button.label for button in at.button if button.label.startswith(("table 4.3", "k ="))], (
        "Adult's presets"
    )


def test_the_code_on_the_page_computes_the_numbers_on_the_page():
    at = opened(**NOISY)
    code = at.code[0].value
    scope: dict = {"print": lambda *_: None}
    exec(code, scope)  # the page's own lines
    estimate = label_proportions.mean_score(scope["draws"], LLP, "average", HALF)
    assert f"{estimate.mean:.3f}" in summaries(at)
    assert math.isinf(scope["config"].feature_epsilon)
