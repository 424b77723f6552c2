"""The page on released counts: words on promises and leaks follow the outcome, and its code gives its numbers."""

import math
from dataclasses import replace

import pytest

from pages.topics.label_counts import PAGE, TABS, adversary, claim, tabs
from pages.topics.label_counts.answer import takeaway
from pages.topics.label_counts.controls import Question, parse
from privdemo.experiments.label_counts import CountConfig, Leak, Outcome, Settled
from privdemo.intervals import Estimate
from privdemo.mechanisms.label_counts import RELEASES, GaussianCounts
from tests.pages.visiting import takeaway as seen
from tests.pages.visiting import visit

LAPLACE, TIGHT, GAUSS, GAUSS_TIGHT = "laplace published", "laplace tight", "gaussian published", "gaussian tight"
DATA, PUBLIC = "dirichlet published", "dirichlet public"
QUESTION = Question(CountConfig(repeats=20), 5, 1000, 0.05, False, PUBLIC)


def outcome(release=LAPLACE, delta=0.05, distortion=0.2, half=0.001, problem=""):
    holds = delta <= 0.05 and not RELEASES[release].data_dependent and not problem
    mean, ends = Estimate(distortion, distortion - half, distortion + half), ((0.1, 0.3), (0.7, 0.9))
    return Outcome(release, GaussianCounts(2.0), mean, 0.1, (0.25, 0.75), ends, delta, holds, problem)


def asked(release):
    return replace(QUESTION, release=release)


def promised(release, delta):
    return tabs.promise_words(asked(release), outcome(release, delta))


def chosen(*given, **problem):
    """The takeaway where Gaussian noise is best that holds, and another release is chosen."""
    best, mine = outcome(GAUSS_TIGHT, 0.05, 0.1), outcome(*given, **problem)
    return takeaway(asked(mine.release), {o.release: o for o in (outcome(), best, mine)})


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (promised(DATA, 0.05), "0.05 if its σ had been chosen beforehand. But it is chosen from the private counts"),
        (promised(DATA, 0.001), "at a neighbour: <b>no formal guarantee</b>, and the true δ can be larger."),
        (promised(GAUSS, 0.06), "is 0.06, for the noisy counts: the promise of 0.05 is <b>broken</b>."),
        (promised(GAUSS_TIGHT, 0.05 + 1e-10), "is 0.05, for the noisy counts: the promise of 0.05 is <b>broken</b>."),
        (promised(PUBLIC, 0.05), ", for the worst set whose classes have at least n_min = 25; less noise would break"),
        (promised(LAPLACE, 5e-4), "is 5·10⁻⁴, for the noisy counts: less than the 0.05 that was asked for, and noise"),
        (chosen(DATA, 0.05, 0.01), "published (no guarantee): 5 labels, but its noise is chosen from the private"),
        (chosen(GAUSS, 0.2, 0.02), "published: 10 labels, but <b>its promise is void</b>: at this ε its δ is 0.2."),
        (chosen(TIGHT, 0.05, 0.15), "look as if <b>50</b> labels had changed class with the mechanism"),
        (
            chosen(PUBLIC, math.nan, math.nan, problem="no σ will do"),
            "Dirichlet, tight from a public minimum on: No σ will do.",
        ),
    ],
)
def test_words_follow_the_outcome(words, part):
    assert part in words


def test_the_promises_of_all_are_told_apart():
    kinds = outcome(delta=0.0), outcome(DATA), outcome(GAUSS, 0.2), outcome(PUBLIC, problem="no σ")
    rows = [tabs._row(o.release, o, 1000) for o in kinds]
    assert [row[-1] for row in rows] == ["yes", "no: σ from the private counts", "no: δ too large", "No σ."]
    assert rows[0][1:4] == ["0.2000 ± 0.0010", "100", "0"]


def test_the_papers_claim_is_judged_by_its_own_criterion():
    found = [Settled(0.06, 0.5, criterion, 0.2, by, 0.08, 0.04) for criterion, by in ((0.05, 0.0699), (0.06, 0.0701))]
    assert [claim.claim_words(f, CountConfig())[:6] for f in found] == ["By its", "Not by"]


def test_a_number_with_commas_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="“1,000” may be a part of a number, or several"):
        parse("1,000 2,000")


def test_the_code_of_every_tab_gives_the_shown_numbers():
    shown = PAGE.answer(QUESTION, None)
    tab_panels = [tab.panels(shown) for tab in TABS.all]
    code = [str(panel.snippet) for panels in (shown.main(), *tab_panels) for panel in panels if panel.snippet]
    names = {"print": lambda *_: None}
    exec("\n".join(code), names)
    assert names["config"] == QUESTION.config
    found, known = ({name: o.distortion.mean for name, o in all.items()} for all in (names["outcomes"], shown.outcomes))
    assert found == known


def test_typed_counts_reach_the_page_and_bad_ones_stay_to_be_mended():
    at = visit(PAGE.address, counts_of="my own", counts="120, 80\t300;500")
    assert "the counts of 1,000 labels in 4 classes (the smallest has 80)" in seen(at)
    at.text_input(key="counts").set_value("ten, 20").run()
    assert "“ten” is not a number" in seen(at)
    assert at.text_input(key="counts").value == "ten, 20"


def leak(sigma=0.3, there=0.25, low=0.06):
    return Leak(sigma, (1, 2), there, 0.1, Estimate(low + 0.01, low, low + 0.02))


@pytest.mark.parametrize(
    ("local", "published", "words"),
    [
        (leak(there=math.nan), None, "σ = 0.3, and with one label moved there is none, so a release alone tells"),
        (leak(), None, "be 0.25; between the two, each with its own σ, δ is 0.0700 (simulated), more than was"),
        (leak(low=0.05), None, "each with its own σ, δ is no more than was asked for (0.060, simulated)."),
        (leak(), leak(there=math.nan), "paper’s criterion the neighbour has no σ at all, so a release alone"),
    ],
)
def test_noise_chosen_from_the_counts_leaks(local, published, words, monkeypatch):
    def found(config, release="dirichlet local"):
        if release == DATA and published is None:
            raise ValueError("no σ")
        return published if release == DATA else local

    monkeypatch.setattr(adversary, "leaked", found)
    said = adversary.leak_words(QUESTION.config)
    assert words in said
    assert ("paper’s criterion" in said) == ("paper’s criterion" in words)
