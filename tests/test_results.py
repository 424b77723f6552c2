"""docs/results.md states what the shipped files hold: its tables are made from them, and its sentences agree."""

import re

import numpy as np

from docs import results_tables
from privdemo.experiments import claims, class_ratio, comparison, label_counts, naive_steps, training
from privdemo.experiments.images import guess_study
from privdemo.experiments.many_answers import study as answers_study
from privdemo.intervals import mean_interval
from privdemo.methods import CORRECTED_COUNT, CURATED, MMD, NAIVE, SHUFFLED_COUNT, SPREAD, by_trying

TEXT = results_tables.FILE.read_text(encoding="utf-8")
WORDS = " ".join(TEXT.split())


def test_the_tables_are_those_of_the_shipped_files():
    assert results_tables.document(TEXT) == TEXT, "make results"


def test_every_table_of_results_is_made_from_files():
    assert re.findall(r"<!-- table: (.+) -->", TEXT) == list(results_tables.TABLES)
    by_hand = re.sub(r"<!-- table: .*?<!-- end -->", "", TEXT, flags=re.DOTALL)
    assert "\n|" not in by_hand[by_hand.index("## What training on noise reaches") :]


def test_a_changed_cell_of_every_table_is_mended():
    """So that a cell changed by hand, or a result that changed, makes the comparison fail."""
    changed = TEXT
    for make in results_tables.TABLES.values():
        table = make()
        assert changed.count(table) == 1
        *_, last_number = re.finditer(r"\d\.\d+|\d+", table)
        changed = changed.replace(table, f"{table[: last_number.start()]}x{table[last_number.end() :]}")
    assert changed.count("x") == TEXT.count("x") + len(results_tables.TABLES)
    assert results_tables.document(changed) == TEXT


def test_what_a_guess_of_a_pixel_misses_the_prototype_by():
    means = guess_study.means(guess_study.load())
    missed = [100 * (means["low_rank", level].mean / wanted - 1) for level, wanted in ((0.8, 0.038), (0.9, 0.056))]
    assert f"the last two of which are missed by {missed[0]:.1f} and {missed[1]:.1f} %".replace("-", "−") in WORDS


def test_what_is_said_of_choosing_by_trying():
    chosen_by_trying = by_trying(SPREAD)
    contexts = results_tables.CONTEXTS.values()
    found = {(r.dataset, r.private, r.epsilon, r.method, r.metric): r for r in comparison.study.load()}
    for context in contexts:
        for epsilon in (1.0, 2.0):
            ours, other = (found[*context, epsilon, name, "log_loss"] for name in (chosen_by_trying, NAIVE))
            assert comparison.study.difference(ours, other).high < 0
    taken = [
        choice.name for context in contexts for choice in found[*context, 0.1, chosen_by_trying, "accuracy"].choices
    ]
    assert f"they do in {len(taken) - taken.count('shares')} of {len(taken)} trials at ε = 0.1" in WORDS


def test_how_far_a_shuffler_goes_from_lies_to_a_curator():
    said = []
    for epsilon in (0.25, 1.0):
        config = comparison.ComparisonConfig("share", epsilon=epsilon)
        local, shuffled, curated = (
            comparison.exact_error(config, name) for name in (CORRECTED_COUNT, SHUFFLED_COUNT, CURATED)
        )
        said.append(f"{100 * (local - shuffled) / (local - curated):.0f} % at ε = {epsilon:g}")
    assert f"in the long run {', '.join(said)}" in WORDS


def test_the_words_under_the_tables_state_what_the_files_hold():
    leaks = (label_counts.leak(label_counts.CountConfig(), f"dirichlet {kind}") for kind in ("published", "local"))
    published, exact = (leak.own_delta.mean for leak in leaks)
    assert f"δ is {published:.3f} by the published criterion and {exact:.3f} by the exact profile" in WORDS
    told = claims.all_claims()
    slides = [claim for claim in told if claim.place == "table 4.1" and claim.ours]
    assert len(slides) == 5
    for claim in slides:
        assert f"{claim.published:.2f} and {claim.ours.mean:.3f}" in WORDS
    shipped = class_ratio.study.select(class_ratio.study.load(), class_ratio.study.PRIVATE)
    mmd = {row.release: row.error for row in shipped if row.method == MMD}
    above = mmd["dirichlet published"] / mmd["laplace published"] - 1
    below = [1 - mmd["dirichlet public"] / mmd[f"laplace {noise}"] for noise in ("published", "tight")]
    assert f"here {100 * above:.0f} % *above* as published" in WORDS
    assert f"{100 * below[0]:.0f} % below with tight noise" in WORDS
    assert f"only {100 * below[1]:.0f} % below tight Laplace" in WORDS
    leads = naive_steps.leads(training.study.load("figure3"), "published", naive_steps.load())
    *first, last = (lead.times(100).formatted("{:.1f}".format) for lead in leads.values())
    assert f"EM is {', '.join(first)} and {last} points ahead" in WORDS
    clean = next(claim for claim in told if claim.place == "section 6.1")
    assert f"± {100 * clean.ours.half:.1f} points at {100 * clean.ours.mean:.1f} %" in WORDS


def test_the_interval_of_ten_trials_of_many_answers_is_what_the_file_holds():
    off = {(row.reading, row.epsilon, row.oracle, row.trial): 1e4 * row.error for row in answers_study.load()}

    def less(reading, epsilon, *names):
        """By how much a reading is less off than the nearest shares, trial by trial, the mean over oracles."""
        gains = [
            np.mean([off["projected", epsilon, one, i] - off[reading, epsilon, one, i] for one in names])
            for i in range(10)
        ]
        return mean_interval(gains)

    words = WORDS[WORDS.index("## What many answers cost") :]
    oracles = answers_study.ORACLES
    stopped, most = less(answers_study.STOPPED, 0.5, *oracles), less("likeliest", 0.5, *oracles)
    assert f"{stopped.mean:.1f} less than the nearest shares, with an interval from {stopped.high:.1f} less" in words
    assert f"less to {-stopped.low:.1f} more" in words
    assert f"by {most.mean:.1f} less ({most.low:.1f} to {most.high:.1f})" in words
    clear = [one for one in oracles if less("likeliest", 0.5, one).low > 0 or less("likeliest", 0.5, one).high < 0]
    assert clear == ["randomised response"]
    readings = answers_study.STOPPED, "likeliest"
    assert all(less(reading, epsilon, *oracles).low > 0 for reading in readings for epsilon in (1.0, 2.0, 4.0))
