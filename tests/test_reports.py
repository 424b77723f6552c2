"""What is printed of a study: a line for each shipped row with its interval, beside what was published."""

import math

from privdemo import commands
from privdemo.experiments import claims, comparison, label_counts, label_proportions, training
from privdemo.experiments.class_ratio import study as ratio_study


def test_numbers_have_four_digits_and_counts_all_of_theirs():
    numbers = (0.27, 1 / 3, 999.96, 6431471.0)
    assert [commands.four_digits(value) for value in numbers] == ["0.27", "0.3333", "1000", "6,431,471"]


def test_every_row_is_a_line():
    for module, words in (
        (label_proportions.study, ("dataset", "selection", "method", "threshold")),
        (ratio_study, ("dataset", "release", "method")),
        (comparison.study, ("task", "dataset", "method", "metric", "trust")),
        (label_counts, ("axis", "release")),
    ):
        shipped = module.load()
        rows = [row for row in shipped if module is not ratio_study or math.isnan(row.share)]
        title, _, *lines = module.STUDY.report(shipped)
        assert title == module.STUDY.title
        for row, line in zip(rows, lines[: len(rows)], strict=True):
            assert all(f"{found}" in line for found in (f"{row.estimate:.3f}", *(getattr(row, word) for word in words)))
            if module is label_counts:
                assert ("(no formal guarantee)" in line) == row.guarantee.startswith("none")


def test_training_is_printed_at_every_level():
    study, rows = training.study.STUDIES["section6.1"], training.study.load("section6.1")
    points = [(name, point) for name, curve in training.study.points(rows).items() for point in curve]
    for (name, point), line in zip(points, training.study.report(study, rows)[2:], strict=True):
        assert f"{name:14s}  {point.accuracy:.3f}  {point.log_loss:.3f}" in line


def test_a_claim_is_four_lines_with_both_numbers_and_the_verdict():
    for claim in claims.all_claims()[:10]:
        head, numbers, verdict, origin = commands.claim_lines(claim)
        assert head == f"{claim.source}, {claim.place}: {claim.words}"
        assert claim.published is None or commands.four_digits(claim.published) in numbers
        assert verdict.startswith(f"  {claim.verdict}: ")
        assert claim.command in origin
