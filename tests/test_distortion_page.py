"""The page "How much do private counts distort?" through AppTest: defaults, changes, links and hard settings."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import count_controls, count_panels, text
from privdemo.experiments import label_counts
from privdemo.experiments.label_counts import CountConfig
from privdemo.mechanisms.label_counts import RELEASES
from tests import visiting
from tests.visiting import answers, takeaway, warnings

PAGE = "pages/distortion.py"
PUBLIC = "dirichlet public"


def opened(**link) -> AppTest:
    return visiting.opened(PAGE, **link)


def summaries(at: AppTest) -> str:
    return "\n".join(re.findall(r'<p class="summary">(.*?)</p>', visiting.html(at), re.DOTALL))


def labels(outcome: label_counts.Outcome, total: int) -> str:
    """Half the L1 distance times the labels, as the page writes it."""
    value = outcome.distortion.mean * total / 2
    return f"{value:,.0f}" if value >= 9.5 else f"{value:.2g}"


@pytest.mark.parametrize(
    ("link", "config"),
    [
        ({}, CountConfig()),
        ({"count_seed": "3"}, CountConfig(seed=3)),
        ({"count_epsilon": "0.5", "count_delta": "0.001"}, CountConfig(epsilon=0.5, delta=0.001)),
        ({"count_classes": "3", "labels": "500", "share": "0.1"}, CountConfig((50, 50, 400))),
        ({"counts_of": "my own", "counts": "120, 80 300\n500"}, CountConfig((120, 80, 300, 500))),
        ({"counts_of": "my own", "counts": "30;30;40", "n_min": "10"}, CountConfig((30, 30, 40), n_min=10)),
    ],
)
def test_the_screen_says_what_the_package_computes(link, config):
    at = opened(**link)
    outcomes, total = label_counts.run(config), sum(config.counts)
    valid = [o for o in outcomes.values() if o.holds]
    best = min(valid, key=lambda o: o.distortion.mean)
    assert f"<b>{labels(best, total)}</b> labels had changed class" in takeaway(at)
    if best.release != "laplace published":
        laplace = labels(outcomes["laplace published"], total)
        assert f"<b>{laplace}</b> had with Laplace noise as published" in takeaway(at)
    assert RELEASES[best.release].title in takeaway(at)
    if best.release != PUBLIC:
        assert f"from n_min on: {labels(outcomes[PUBLIC], total)} labels." in takeaway(at)
    scope: dict = {"print": lambda *_: None}
    exec(at.code[-1].value, scope)  # the page's own lines
    assert scope["outcomes"][PUBLIC].distortion == outcomes[PUBLIC].distortion


def test_the_figure_says_what_the_package_computes():
    at = opened(along="ε")
    along = label_counts.along(CountConfig(), "epsilon", 5, 1000, 0.05)
    for name, release in RELEASES.items():
        there = [x for x, here in along.items() if not here[name].problem]
        assert f"{release.title} {text.distance(along[there[0]][name].distortion.mean)} at {there[0]:g}" in summaries(
            at
        )
    assert "scaled Dirichlet, published" in summaries(at)
    assert "(no noise will do at others)" in summaries(at)


def test_controls_change_the_screen_and_reset_brings_the_defaults_back():
    at = opened()
    at.number_input(key="count_epsilon").set_value(0.2).run()
    assert "ε = 0.2" in takeaway(at)
    at.select_slider(key="count_delta_ladder").set_value(1e-4).run()
    assert at.number_input(key="count_delta").value == 1e-4
    assert "δ = 10⁻⁴" in takeaway(at)
    at.number_input(key="count_delta").set_value(0.04).run()
    assert at.select_slider(key="count_delta_ladder").value == 0.05  # the nearest step; the number stays
    assert at.number_input(key="count_delta").value == 0.04
    at.button_group(key="counts_of").set_value("my own").run()
    assert "the counts of 1,000 labels in 4 classes (the smallest has 80)" in takeaway(at)
    at.text_input(key="counts").set_value("7, 9").run()
    assert "16 labels in 2 classes" in takeaway(at)
    at.button(key="reset").click().run()
    assert at.button_group(key="counts_of").value == "the paper’s"
    assert (at.number_input(key="count_epsilon").value, at.number_input(key="count_delta").value) == (0.05, 0.05)


@pytest.mark.parametrize("mechanism", ["laplace tight", "dirichlet published", PUBLIC])
@pytest.mark.parametrize("lesson", count_controls.LESSONS)
def test_every_lesson_of_every_mechanism_has_an_answer_data_and_code(lesson, mechanism):
    at = opened(count_look=lesson, mechanism=RELEASES[mechanism].title)
    assert len(answers(at)) == 1
    assert len(at.get("download_button")) >= 4, "CSV and HTML of the main figure, and of the lesson"
    outcome = label_counts.run(CountConfig())[mechanism]
    everything = answers(at)[0] + summaries(at) + visiting.html(at)
    if lesson == count_controls.COUNTS_SEEN:
        assert any(f"<b>{1000 * share:,.1f}</b>" in answers(at)[0] for share in outcome.example)
        assert ("no formal guarantee" in answers(at)[0]) == RELEASES[mechanism].data_dependent
    elif lesson == count_controls.PROMISE:
        assert ("no formal guarantee" in answers(at)[0]) == RELEASES[mechanism].data_dependent
        tight = RELEASES[mechanism].tight and not RELEASES[mechanism].data_dependent
        assert ("less noise would break the promise" in answers(at)[0]) == tight
        assert ("for the worst set" in answers(at)[0]) == RELEASES[mechanism].public_bound
    elif lesson == count_controls.WINNERS:
        assert "<b>Gaussian, tight</b>" in answers(at)[0]
        assert "<b>Laplace, tight</b>" in answers(at)[0]
    elif lesson == count_controls.CLAIM:
        settled = label_counts.settle(CountConfig())
        assert f"<b>{settled.by_criterion:.2f}</b>" in answers(at)[0]
        assert f"{settled.by_exact:.3f}" in everything
        assert "Figure 1 of the paper anew" in everything
    elif lesson == count_controls.ADVERSARY:
        rates = label_counts.guess_rates({mechanism: outcome})
        assert (mechanism not in rates) == RELEASES[mechanism].data_dependent
        for rate in rates.values():
            assert f"<b>{100 * rate:.1f} %</b>" in answers(at)[0]
        assert (
            len(
                re.findall(
                    r"between the two, each with its own σ, δ is 0\.\d+ \(simulated\), more than", answers(at)[0]
                )
            )
            == 2
        )
    else:
        assert everything.count("no: σ from the private counts") == 2


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ({"share": "0.5"}, "leaves nothing for the last; it must be below 0.25, or take fewer classes."),
        ({"count_classes": "30", "share": "0.05"}, "leaves nothing for the last"),
        (
            {"count_delta": "0"},
            "Delta must be above 0 for scaled Dirichlet, which never meets δ = 0; use Laplace noise.",
        ),
        (
            {"count_delta": "0.0001"},
            "it needs n_min ≥ 83; merge classes until each has as many, or allow a larger ε or δ.",
        ),
        (
            {"n_min": "51"},
            "Class 1 has 50 labels, fewer than the public bound n_min = 51, so the promise does not cover",
        ),
        (
            {"counts_of": "my own", "counts": "0, 20, 30", "n_min": "1"},
            "Class 1 has 0 labels, and scaled Dirichlet has no share for an empty class; merge it with another.",
        ),
        (
            {"count_epsilon": "10", "count_delta": "0.000001", "mechanism": "Gaussian, published"},
            "<b>its promise is void</b>",
        ),
        (
            {"mechanism": RELEASES["dirichlet published"].title},
            "its noise is chosen from the private counts: <b>no formal",
        ),
    ],
)
def test_hard_settings_are_answered_or_get_a_sentence(link, words):
    for lesson in (count_controls.PROMISE, count_controls.ADVERSARY):
        at = opened(count_look=lesson, **link)
        assert not at.exception
        assert words in takeaway(at)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("12, -3, 5", "Counts must be whole numbers in [0, 1,000,000,000], got -3 for class 2; give how many records"),
        ("0.2, 0.8", "got 0.2 for class 1; give how many records of the class there are, not a share"),
        ("ten, 20", "“ten” is not a number; give counts such as 120, 80, 300, 500"),
        ("0, 0 0", "Counts are all 0: an empty set has no proportions; leave it out, or merge it with another."),
        ("", "No counts are given; type or paste some, such as 120, 80, 300, 500."),
        (" , ", "No counts are given"),
        ("1,000 2,000", "“1,000” may be a part of a number, or several; write 1000 without comma, point or blank"),
        ("1,000, 2,000", "“1,000” may be a part of a number"),
        ("1,000", "“1,000” may be a part of a number"),
        ("1 000 2 000", "“000” may be a part of a number"),
        ("1.000 2.000", "“1.000” may be a part of a number"),
        ("40", "must be"),
        ("1e12, 5", "got 1e+12 for class 1"),
        ("nan, 5", "got nan for class 1"),
    ],
)
def test_counts_that_are_none_get_a_sentence_and_stay_where_they_were_typed(typed, words):
    at = opened(counts_of="my own")
    at.text_input(key="counts").set_value(typed).run()
    assert words in takeaway(at)
    assert at.text_input(key="counts").value == typed
    at.text_input(key="counts").set_value("40, 60").run()
    assert "100 labels in 2 classes" in takeaway(at)


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("count_epsilon", "0", "it must be in [0.001, 20]. The default, 0.05, is shown."),
        ("count_delta", "0.5", "in [0, 0.3]"),
        ("n_min", "0", "it must be a whole number in [1, 1000000000]"),
        ("counts", "3,x", "`counts=3,x` was ignored: “x” is not a number"),
        ("mechanism", "magic", "it must be one of “Laplace, published”, "),
        ("count_classes", "1", "in [2, 50]"),
        ("nonsense", "1", "this page has no such setting"),
    ],
)
def test_a_bad_value_in_a_link_is_ignored_with_a_note(key, value, sentence):
    at = opened(**{key: value})
    assert sentence in warnings(at)
    assert takeaway(at)


@pytest.mark.parametrize(
    "link",
    [
        {"count_classes": "50", "share": "0.01", "along": "class share"},
        {"count_classes": "2", "share": "0.5"},
        {"labels": "1000000000", "count_look": "all numbers"},
        {"count_delta": "0", "mechanism": "Laplace, published", "count_look": "the promise", "along": "δ"},
        {"counts_of": "my own", "counts": "50, 50", "count_look": "the adversary"},
        {"counts_of": "my own", "counts": "3, 3", "count_look": "the adversary", "count_epsilon": "2"},
        {"counts_of": "my own", "counts": "1000000, 2000000, 5000000", "count_look": "the adversary"},
        {"share": "0.2", "count_look": "the adversary"},
        {"releases": "5000", "counts_of": "my own", "counts": ",".join(["9"] * 200)},
    ],
)
def test_settings_at_the_ends_are_answered(link):
    at = opened(**link)
    assert takeaway(at)
    words = "\n".join([takeaway(at), *answers(at), summaries(at)])
    assert "nan" not in words
    assert "0.000" not in words
    assert not re.search(r"σ = ([\d.e+]+), with one label moved it would be \1;", words)
    if "the adversary" in link.values():
        assert "Noise chosen from the counts can leak" in words or "has no σ to choose" in words
    if link.get("count_delta") == "0":
        assert "is 0, for the noisy counts, as was asked for." in words


def test_the_data_along_delta_hold_the_wish_and_the_exact_delta():
    along = label_counts.along(CountConfig(), "delta", 5, 1000, 0.05)
    rows = count_panels.table(along, "delta")
    assert {row["delta"] for row in rows} == set(along)
    loose = next(row for row in rows if row["mechanism"] == "Laplace, published" and row["delta"] == 0.1)
    assert loose["exact delta"] == 0


def test_the_class_that_is_named_is_one_that_is_drawn():
    at = opened(counts_of="my own", counts=" ".join(["500"] * 300))
    named = int(re.search(r"Class (\d+) has 500 labels", answers(at)[0])[1])
    assert named <= 40
    assert "the largest change of the classes shown, and in 95 % of releases between" in answers(at)[0]


def test_a_thousand_classes_are_answered():
    at = opened(counts_of="my own", counts=",".join(["1000"] * 1000), releases="20")
    assert "1,000,000 labels in 1,000 classes" in takeaway(at)
    assert "The 40 smallest of 1000 classes" in summaries(at)
