"""What is printed of a study: a line for each shipped row with its interval, beside what was published."""

import math

import pytest

from privdemo import reports
from privdemo.experiments import claims, comparison, label_counts, label_proportions, training
from privdemo.experiments.class_ratio import study as ratio_study
from privdemo.experiments.label_proportions import HALF
from privdemo.intervals import Estimate
from privdemo.methods import CLEAN, FLAT


@pytest.mark.parametrize(
    ("value", "text"), [(0.27, "0.27"), (1 / 3, "0.3333"), (999.96, "1000"), (6431471.0, "6,431,471")]
)
def test_numbers_have_four_digits_and_counts_all_of_theirs(value, text):
    assert reports.four_digits(value) == text


def test_an_interval_has_three_decimals():
    assert reports.interval(Estimate(0.91666, 0.9, 1.0)) == "0.917 (0.900–1.000)"


@pytest.mark.parametrize(
    ("module", "report", "words"),
    [
        (label_proportions.study, reports.bag_lines, ("dataset", "selection", "method", "threshold")),
        (ratio_study, reports.ratio_lines, ("dataset", "release", "method")),
        (comparison.study, reports.comparison_lines, ("task", "dataset", "method", "metric", "trust")),
        (label_counts, reports.count_lines, ("axis", "release")),
    ],
    ids=["bags", "ratios", "comparison", "counts"],
)
def test_every_row_is_a_line_with_its_place_and_interval(monkeypatch, module, report, words):
    rows = [row for row in module.load() if module is not ratio_study or math.isnan(row.share)]
    monkeypatch.setattr(module, "rows", lambda marks: module.load())
    title, _, *lines = report([])
    assert title == module.TITLE
    for row, line in zip(rows, lines, strict=False):
        assert reports.interval(row.estimate) in line
        assert all(f"{getattr(row, word)}" in line for word in words)


def test_published_values_and_broken_promises_stand_beside_their_rows(monkeypatch):
    lines = reports.count_lines([])
    assert "by the published criterion 0.310, by the exact profile 0.036" in lines[-1]
    monkeypatch.setattr(label_counts, "rows", lambda marks: label_counts.load())
    for row, line in zip(label_counts.load(), reports.count_lines([])[2:], strict=False):
        value = label_counts.published(row)
        assert line.endswith(f"  {value:.2f}" if value else ")")
        assert ("(no formal guarantee)" in line) == row.guarantee.startswith("none")
    study = label_proportions.study
    monkeypatch.setattr(study, "rows", lambda marks: study.load())
    for row, line in zip(study.load(), reports.bag_lines([])[2:], strict=True):
        value = study.published(row) if row.threshold == HALF else None
        assert line.endswith(f")  {value:.2f}" if value else ")")
        assert (f"ε proportions {row.proportion_epsilon:g}" in line) == math.isfinite(row.proportion_epsilon)


def test_training_is_printed_at_every_level_beside_the_published_accuracy():
    study = training.study.STUDIES["section6.1"]
    rows = list(training.study.load("section6.1"))
    lines = reports.trade_off_lines(study, rows)[2:]
    points = [(name, p) for name, curve in training.study.points(tuple(rows)).items() for p in curve]
    published = 0
    for (name, point), line in zip(points, lines, strict=True):
        value = study.published.get(name, {}).get(point.level)
        assert line.split()[0] == f"{point.level:g}"
        assert f"{name:14s}  {reports.interval(point.accuracy)}  {reports.interval(point.log_loss)}" in line
        assert line.endswith(f"  {value:.3f}" if value else ")")
        published += value is not None
    assert published == sum(len(study.published[name]) for name in (CLEAN, FLAT))


def test_a_claim_is_four_lines_with_both_numbers_and_the_verdict():
    for claim in claims.all_claims()[:10]:
        head, numbers, verdict, origin = reports.claim_lines(claim)
        assert head == f"{claim.source}, {claim.place}: {claim.words}"
        if claim.published is not None:
            assert reports.four_digits(claim.published) in numbers
        if claim.ours and claim.ours.low < claim.ours.high:
            assert f"({reports.four_digits(claim.ours.low)} to {reports.four_digits(claim.ours.high)})" in numbers
        assert verdict.startswith(f"  {claim.verdict}: ")
        assert claim.command in origin
