"""The page "What share of this group…?" through AppTest: defaults, changes, links and hard settings."""

from __future__ import annotations

import re
import time

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import ratio_controls
from privdemo.experiments import class_ratio
from privdemo.experiments.class_ratio import RatioConfig
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import CLASS_RATIO, COUNT, EM, MMD, PCC, PSVM, SPREAD
from tests import visiting
from tests.visiting import answers, takeaway, warnings

PAGE = "pages/class_ratio.py"
TUMOURS = {"ratio_records": "Breast cancer", "set_size": "80", "asked": "80", "ratio_draws": "1"}
CONFIG = RatioConfig("breast_cancer", 2, 80, n_test=80, methods=(SPREAD, MMD, EM))


def opened(**link) -> AppTest:
    at = visiting.opened(PAGE, **(TUMOURS | link))
    deadline = time.monotonic() + 60
    while "being drawn" in takeaway(at) and time.monotonic() < deadline:
        time.sleep(0.3)
        at.run()
    return at


def summaries(at: AppTest) -> str:
    return "\n".join(re.findall(r'<p class="summary">(.*?)</p>', visiting.html(at), re.DOTALL))


@pytest.mark.usefixtures("data_folder")
def test_default_is_three_digits_in_sets_of_six_hundred():
    at = visiting.opened(PAGE, ratio_draws="1")
    draw = class_ratio.run(RatioConfig(methods=(SPREAD, MMD, EM)))
    assert "Of 600 images, 50.0 % are a 0. From 6 sets whose true proportions are known" in takeaway(at)
    assert f"spread on set names finds <b>{100 * draw.fits[SPREAD].found[0]:.1f} %</b>" in takeaway(at)
    assert f"MMD finds <b>{100 * draw.fits[MMD].found[0]:.1f} %</b>" in takeaway(at)
    assert not warnings(at)


@pytest.mark.parametrize(
    ("link", "config"),
    [
        ({}, CONFIG),
        (
            {"ratio_seed": "5", "rho": "0.2"},
            RatioConfig("breast_cancer", 2, 80, 1, 0.2, 80, methods=CONFIG.methods, seed=5),
        ),
        ({"mix": "at random"}, RatioConfig("breast_cancer", 2, 80, n_test=80, share=None, methods=CONFIG.methods)),
        (
            {"bandwidth": "given", "times_median": "0.7", "sets_of_each": "1", "share": "0.85"},
            RatioConfig("breast_cancer", 2, 80, n_test=80, share=0.85, bandwidth=0.7, methods=CONFIG.methods),
        ),
        (
            {"release": "Laplace, tight", "ratio_epsilon": "0.5", "ratio_delta": "0.001"},
            RatioConfig(
                "breast_cancer",
                2,
                80,
                n_test=80,
                release="laplace tight",
                epsilon=0.5,
                delta=0.001,
                methods=CONFIG.methods,
            ),
        ),
        (
            {"find_by": [CLASS_RATIO[name].title for name in (SPREAD, PSVM, COUNT, PCC)]},
            RatioConfig(
                "breast_cancer",
                2,
                80,
                n_test=80,
                methods=(SPREAD, COUNT, PSVM, PCC),
            ),
        ),
        (
            {"ratio_records": "Small digits", "set_size": "60", "asked": "60", "classes": "4"},
            RatioConfig("digits", 4, 60, n_test=60, methods=CONFIG.methods),
        ),
    ],
)
def test_the_screen_says_what_the_package_computes(link, config):
    at = opened(**link)
    draw, summary = class_ratio.run(config), summaries(at)
    for name, fit in draw.fits.items():
        words = f"{CLASS_RATIO[name].title} finds {config.labels[0]}: {100 * fit.found[0]:.1f} %"
        assert words.lower() in summary.lower()
        error = class_ratio.l1_distance(fit.found, draw.truth)
        assert f"L1 error {error:.3f}" in summary
    assert f"{100 * draw.truth[0]:.1f} %" in takeaway(at)


def test_controls_change_the_screen_and_reset_brings_the_defaults_back():
    at = opened()
    at.number_input(key="share").set_value(0.8).run()
    assert "80.0 % are benign" in takeaway(at)
    at.number_input(key="ratio_epsilon").set_value(2.0).run()
    at.selectbox(key="release").set_value(RELEASES["dirichlet published"].title).run()
    assert "no formal guarantee" in takeaway(at)
    assert any("no formal guarantee" in caption.value for caption in at.caption)
    at.button(key="reset").click().run()
    assert at.number_input(key="share").value == 0.5
    assert at.selectbox(key="release").value == "none, true counts"


def test_other_records_bring_sets_that_suit_them():
    at = opened()
    at.button_group(key="ratio_records").set_value("Small digits").run()
    assert (at.number_input(key="set_size").value, at.number_input(key="asked").value) == (
        class_ratio.default_set_size("digits"),
    ) * 2
    assert "images" in takeaway(at)


@pytest.mark.parametrize("lesson", ratio_controls.LESSONS)
@pytest.mark.parametrize("link", [{}, {"release": "Gaussian, tight"}], ids=["true", "private"])
def test_every_lesson_has_an_answer_data_and_code(lesson, link):
    at = opened(ratio_look=lesson, **link)
    assert len(answers(at)) == 1
    assert len(at.get("download_button")) >= 4, "CSV and HTML of the shares, and of the lesson"
    draw = class_ratio.run(CONFIG) if not link else None
    everything = answers(at)[0] + summaries(at) + visiting.html(at)
    if lesson == ratio_controls.SETS and draw:
        assert f"Q = <b>{draw.condition_number:.3g}</b>" in answers(at)[0]
        assert f"the L2 error is below {draw.bound:,.0f} with probability 0.95" in answers(at)[0]
    elif lesson == ratio_controls.SETS:
        assert "no bound is given" in answers(at)[0]
    elif lesson == ratio_controls.ADVERSARY and draw:
        assert f"<b>{100 * draw.attack.by_model / draw.attack.n:.1f} %</b>" in answers(at)[0]
    elif lesson == ratio_controls.MIXES and draw:
        assert f"spread on set names {sum(draw.fits[SPREAD].errors) / 9:.3f}" in everything
    elif lesson == ratio_controls.NUMBERS:
        assert "spread on set names" in everything


@pytest.mark.parametrize(
    ("link", "study", "chosen"),
    [
        ({"ratio_look": ratio_controls.BINARY, "figure_2": title}, class_ratio.study.BINARY, {"dataset": name})
        for title, name in (("Adult", "adult"), ("MNIST", "mnist"), ("SMS", "sms"), ("Breast cancer", "breast_cancer"))
    ]
    + [
        (
            {"ratio_look": ratio_controls.COUNTS, "figure_3": CLASS_RATIO[name].title},
            class_ratio.study.PRIVATE,
            {"method": name},
        )
        for name in (SPREAD, MMD)
    ],
)
def test_shipped_curves_say_what_the_results_file_says(link, study, chosen):
    at = opened(**link)
    rows = [
        row
        for row in class_ratio.study.select(class_ratio.study.load(), study)
        if all(getattr(row, key) == value for key, value in chosen.items())
    ]
    assert rows
    for row in rows:
        assert f"{row.error:.3f} ({max(0, row.low):.3f}–{row.high:.3f})" in summaries(at)
    printed: list = []
    exec(at.code[-2].value, {"print": lambda *words: printed.append(words)})  # the page's own lines
    assert printed


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ({"rho": "0.49"}, "Of 80 tumours"),
        (
            {"ratio_records": "Small digits", "rho": "0.4", "set_size": "60"},
            "at which all sets are alike and nothing tells 3",
        ),
        (
            {"set_size": "500"},
            "must be at most 148 for Breast cancer, whose smallest class has no more records to train",
        ),
        ({"sets_of_each": "2"}, "got 160; take smaller or fewer sets"),
        (
            {"release": "scaled Dirichlet, tight from n_min on"},
            "Class 2 of set 1 has 8 labels, fewer than the public bound n_min = 25",
        ),
        (
            {"release": RELEASES["dirichlet published"].title, "rho": "0"},
            "Class 2 of set 1 has 0 labels, and scaled Dirichlet has no share",
        ),
        ({"release": RELEASES["dirichlet local"].title, "ratio_delta": "0.0001"}, "merge classes, or allow a"),
        ({"release": "Gaussian, tight", "ratio_delta": "0"}, "Delta must be above 0 for Gaussian noise"),
        (
            {"release": "Laplace, tight", "ratio_delta": "0"},
            "(private, ε = 0.05, δ = 0; 2 times that for records that are in",
        ),
        (
            {"release": "Gaussian, published", "ratio_epsilon": "20", "ratio_delta": "1e-6"},
            "δ = 10⁻⁶ is void), are known",
        ),
        ({"find_by": CLASS_RATIO[EM].title, "release": "Laplace, tight"}, "From 4 sets with every label, all labels"),
        ({"set_size": "20", "asked": "20", "rho": "0.49"}, "is 10 of each class, so that no class is the common one"),
        ({"release": "Laplace, published", "ratio_epsilon": "0.001"}, "have moved by"),
        ({"rho": "0"}, "Of 80 tumours"),
        ({"set_size": "10", "asked": "10"}, "Of 10 tumours"),
    ],
)
def test_hard_settings_are_answered_or_get_a_sentence(link, words):
    at = opened(**link)
    assert not at.exception
    assert words in takeaway(at)


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("rho", "0.5", "`rho=0.5` was ignored: it must be in [0, 0.49]. The default, 0.1, is shown."),
        ("classes", "11", "in [2, 10]"),
        ("set_size", "0", "in [10, 5000]"),
        ("share", "1.2", "in [0, 1]"),
        ("ratio_epsilon", "nan", "in [0.001, 20]"),
        ("release", "magic", "it must be one of “none, true counts”, "),
        ("find_by", "luck", "at least 1 of"),
        ("nonsense", "1", "this page has no such setting"),
    ],
)
def test_a_bad_value_in_a_link_is_ignored_with_a_note(key, value, sentence):
    at = opened(**{key: value})
    assert sentence in warnings(at)
    assert takeaway(at)


def test_no_method_is_said_and_nothing_is_lost():
    at = opened()
    at.button_group(key="find_by").set_value([]).run()
    assert "Choose at least one way to find shares" in takeaway(at)
    assert at.number_input(key="set_size").value == 80


def test_without_downloaded_data_the_page_works_on_what_scikit_learn_brings(no_mnist):
    at = visiting.opened(PAGE, ratio_draws="1")
    assert at.button_group(key="ratio_records").options == ["Small digits", "Breast cancer"]
    assert any("python -m privdemo data all" in caption.value for caption in at.caption)
    assert "images" in takeaway(at)
