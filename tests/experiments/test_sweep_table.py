"""The table of a sweep: every row is checked, and one that is damaged is named with its line."""

import re
from dataclasses import replace

import pytest

from privdemo.experiments import sweep
from privdemo.experiments.sweep import table
from privdemo.experiments.voting import ElectionConfig
from tests.experiments.test_sweep import SPEC, spec_file, whole


@pytest.fixture(scope="module")
def wanted(tmp_path_factory):
    return sweep.read_spec(spec_file(tmp_path_factory.mktemp("spec"), SPEC.replace("repeats = 10", "repeats = 2")))


@pytest.fixture(scope="module")
def reference(wanted, tmp_path_factory):
    out = tmp_path_factory.mktemp("sweep") / "out.csv"
    assert whole(wanted, out)[-1] == (8, 8)
    return out


def with_numbers(row, *cells):
    """A row with other numbers: of the last cells, those before seconds, versions and problem."""
    before, after = row.split(b",")[: -3 - len(cells)], row.split(b",")[-3:]
    return b",".join([*before, *cells, *after])


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda row: row[: row.index(b",0,0,") + 4] + b"\n", "has 16 cells, where 21 columns are"),
        (lambda row: b"\0" * 20 + b"\n", "holds zero bytes"),
        (lambda row: row.replace(b",0,0,", b",0,O,"), "has no number of a repeat in the column “draw”, but 'O'"),
        (lambda row: row.replace(b",0,0,", b",0,00,"), "has no number of a repeat in the column “draw”, but '00'"),
        (
            lambda row: row.replace(b",0,0,", ",0,٠,".encode()),
            "has no number of a repeat in the column “draw”, but '٠'",
        ),
        (lambda row: with_numbers(row, b"", b""), "has no numbers, and the column “problem” does not say why"),
        (lambda row: with_numbers(row, b"inf", b"0.1"), "has no number in the column “mmd: L1 error”, but 'inf'"),
        (
            lambda row: with_numbers(row, b"7e300", b"0"),
            "has a number out of range in the column “mmd: L1 error”: '7e3",
        ),
        (lambda row: with_numbers(row, b" 0.1", b"0"), "has no number in the column “mmd: L1 error”, but ' 0.1'"),
        (lambda row: with_numbers(row, "٠".encode(), b"0"), "has no number in the column “mmd: L1 error”, but '٠'"),
        (lambda row: re.sub(rb",privdemo .*", b",,", row), "is empty in the column “versions”"),
        (lambda row: row.replace(b",privdemo", b",prlvdemo"), "has no versions in the column “versions”, but 'prlv"),
        (lambda row: re.sub(rb"[^,]*(,privdemo)", rb"\1", row), "has no time in the column “seconds”, but ''"),
        (lambda row: re.sub(rb"[^,]*(,privdemo)", rb"1e9\1", row), "has no time in the column “seconds”, but '1e9'"),
        (lambda row: re.sub(rb"[^,]*(,[^,]*,privdemo)", rb"0.1.2\1", row), "has no number in the column “"),
        (lambda row: row[:-1] + b'"cut\n', "is no line of CSV"),
        (lambda row: row[:-1] + b"\xff\n", "is no text in UTF-8"),
        (lambda row: row + row, "is the trial of line 3 again"),
        (lambda row: b"\n", "has 0 cells"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "row",
)
def test_a_damaged_row_is_refused_with_its_line_and_stays(wanted, reference, tmp_path, damage, words):
    out = tmp_path / "out.csv"
    lines = reference.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join([*lines[:2], damage(lines[2]), *lines[3:]]))
    before = out.read_bytes()
    with pytest.raises(ValueError, match=rf"out\.csv, line [34] {re.escape(words)}"):
        whole(wanted, out)
    with pytest.raises(ValueError, match="delete that line, and the same command goes on"):
        sweep.load(out)
    assert out.read_bytes() == before


def test_a_number_that_the_settings_ask_for_is_missing_only_with_a_reason(wanted, reference, tmp_path):
    out = tmp_path / "out.csv"
    names, row, *rows = reference.read_bytes().splitlines(keepends=True)
    cut = with_numbers(row, b"0.1", b"")
    out.write_bytes(b"".join([names, cut, *rows]))
    with pytest.raises(ValueError, match=r"out\.csv, line 2 is empty in the column “distortion”, and the .* delete"):
        whole(wanted, out)
    out.write_bytes(b"".join([names, cut[:-1] + b"it has none\n", *rows]))
    assert whole(wanted, out) == [(8, 8)]
    out.write_bytes(b"".join([names, row[:-1] + b"it has none\n", *rows]))
    with pytest.raises(ValueError, match=r"out\.csv, line 2 has all its numbers, and .* says why .* delete that line"):
        whole(wanted, out)


def test_a_method_that_did_not_settle_has_its_numbers_and_the_problem_is_a_remark():
    comparison = sweep.EXPERIMENTS["comparison"]
    problem = "; ".join(f"{name}: the optimiser did not settle" for name in ("naive", "spread"))
    assert comparison.is_remark(problem)
    assert not comparison.is_remark(f"{problem}; labelled: it has nothing to learn from")
    assert not sweep.EXPERIMENTS["voting"].is_remark(problem)


@pytest.mark.parametrize(
    ("name", "is_taken"), [("honest: bias", False), ("naive: bias", False), ("spread: bias", True)]
)
def test_an_error_of_a_share_is_at_most_1_unless_its_estimate_is_unlimited(tmp_path, name, is_taken):
    election, out = sweep.Sweep("voting", (ElectionConfig(n_voters=10, n_elections=2),), 2), tmp_path / "out.csv"
    whole(election, out)
    row, other = sweep.load(out)
    out.write_text(
        "".join(table.line(list(cells)) for cells in (row, (row | {name: "-1.01"}).values(), other.values()))
    )
    if is_taken:
        assert whole(election, out) == [(2, 2)]
    else:
        with pytest.raises(ValueError, match=rf"line 2 has a number out of range in the column “{name}”: '-1\.01'"):
            whole(election, out)


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        (b",20,", b",2O,", "it has '2O' in the column “set_size”"),
        (b",20,", b",20 ,", "it has '20 ' in the column “set_size”"),
        (b",20,", b",21,", "it has '21' in the column “set_size”"),
        (b",0.1,", b",0.3,", "it has '0.3' in the column “rho”"),
    ],
)
def test_a_row_of_settings_that_the_spec_does_not_ask_for_is_refused(wanted, reference, tmp_path, right, wrong, words):
    out = tmp_path / "out.csv"
    lines = reference.read_bytes().splitlines(keepends=True)
    changed = lines[1].replace(right, wrong, 1)
    assert changed != lines[1]
    out.write_bytes(b"".join([lines[0], changed, *lines[2:]]))
    before = out.read_bytes()
    with pytest.raises(ValueError, match=rf"out\.csv, line 2 is of none of the spec’s settings: {re.escape(words)}; "):
        whole(wanted, out)
    assert out.read_bytes() == before


def test_cells_that_are_each_asked_for_must_be_asked_for_together(wanted, reference, tmp_path):
    out = tmp_path / "out.csv"
    out.write_bytes(reference.read_bytes())
    some = replace(wanted, configs=wanted.configs[1:-1])  # of the two by two without two opposite corners
    with pytest.raises(ValueError, match=r"out\.csv, line 2 .*, but not for all of them together"):
        whole(some, out)
