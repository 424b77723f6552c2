"""Iyer, Nath and Sarawagi, *Privacy preserving class ratio estimation* (KDD 2016)."""

from __future__ import annotations

from privdemo import datasets
from privdemo.experiments.claims import iyer_counts, iyer_ratios
from privdemo.experiments.claims.claim import IYER, Claim, exactly, unverifiable
from privdemo.experiments.claims.judge import judge_value

# Data sets of table 1 that are not available, and their numbers of records there.
_ELSEWHERE = {"YouTube": 6_431_471, "Higgs": 11_000_000, "Acoustic": 78_823, "Twitter": 6_940}


def all_claims() -> list[Claim]:
    """Every claim of the paper."""
    return [*_table_1(), *iyer_counts.all_claims(), *iyer_ratios.all_claims()]


def from_formulas() -> list[Claim]:
    """The claims that need no results file."""
    return [iyer_counts.promise()]


def _table_1() -> list[Claim]:
    """The data sets that are here too, and those that are not."""
    absent = "the data set is not at hand"
    found = [unverifiable(IYER, "table 1", f"size of {name}", absent, n) for name, n in _ELSEWHERE.items()]
    for name, title, records in (("adult", "Census", 48_842), ("mnist", "MNIST", 60_000)):
        words = f"size of {title}"
        if not datasets.available(name):
            found.append(
                unverifiable(IYER, "table 1", words, f"{name} is not here: python -m privdemo data {name}", records)
            )
            continue
        dataset = datasets.load(name)
        n = len(dataset.y) if name == "adult" else dataset.n_train or 0
        found.append(
            Claim(
                source=IYER,
                place="table 1",
                words=words,
                published=records,
                ours=exactly(n),
                command=f"python -m privdemo data {name}",
                verdict=judge_value(records, n),
                why=f"its {'14' if name == 'adult' else '780'} features are "
                f"{dataset.X.shape[1]} columns here"
                + ("" if name == "adult" else f"; {len(dataset.y) - n:,} more are for testing"),
            )
        )
    return found
