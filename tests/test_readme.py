"""README and docs stay true: examples give the numbers beside them, tables are those of the shipped files."""

import pkgutil
import re
import shlex

import numpy as np

from pages.kit import lecture, setting_file
from pages.topics import PAGES, page_at
from privdemo import __main__, datasets
from privdemo.experiments import (
    claims,
    class_ratio,
    comparison,
    label_counts,
    label_proportions,
    naive_steps,
    sweep,
    training,
)
from privdemo.experiments.images import guess_study
from privdemo.experiments.many_answers import study as answers_study
from privdemo.intervals import mean_interval
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import (
    BAG_NAMES,
    CLASS_RATIO,
    COMPARISON,
    CORRECTED_COUNT,
    CURATED,
    FREQUENCY_ORACLES,
    LLP,
    MMD,
    NAIVE,
    SHUFFLED_COUNT,
    SPREAD,
    TRAINING,
    by_trying,
)
from server import server_settings
from tests.documents import ROOT, blocks, run

README = (ROOT / "README.md").read_text(encoding="utf-8")
RESULTS = (ROOT / "docs/results.md").read_text(encoding="utf-8")


def test_the_readme_is_short_and_examples_give_the_numbers_beside_them():
    assert len(README.splitlines()) <= 150
    for file, n_numbers in (("README.md", 2), ("docs/package.md", 14)):
        assert run("\n".join(blocks(file))) == n_numbers


def test_a_container_is_told_every_setting_of_a_server():
    settings = set(re.findall(r"^\| `(PRIVDEMO_\w+)`", (ROOT / "docs/serving.md").read_text(encoding="utf-8"), re.M))
    passed_on = dict(re.findall(r"^ +(PRIVDEMO_\w+): (.+)$", (ROOT / "compose.yaml").read_text(encoding="utf-8"), re.M))
    assert (
        {server_settings.HOSTS, server_settings.FRAMES, server_settings.METRICS, server_settings.SCHEDULER}
        <= settings
        <= passed_on.keys()
    )
    assert all(passed_on[name] == f"${{{name}:-}}" for name in settings - {"PRIVDEMO_DATA"})
    assert "have not been built" in README


def test_the_command_of_the_readme_writes_its_file(tmp_path, monkeypatch):
    (command,) = (line for block in blocks("README.md", "sh") for line in block.splitlines() if "-m privdemo" in line)
    monkeypatch.chdir(tmp_path)
    assert __main__.main(shlex.split(command)[3:]) == 0
    assert len((tmp_path / "counts.csv").read_text(encoding="utf-8").splitlines()) > len(RELEASES)


def test_the_sweep_example_runs(tmp_path):
    spec = tmp_path / "spec.toml"
    (text,) = blocks("docs/package.md", "toml")
    spec.write_text(text, encoding="utf-8")
    wanted = sweep.read_spec(spec)
    assert len(wanted.trials()) == 30
    assert float(sweep.run_trial(wanted.experiment, wanted.trials()[0])["spread: accuracy"]) > 0.8


def test_the_setting_and_the_lecture_of_the_docs_are_ones_of_the_app(tmp_path):
    setting, talk = blocks("docs/pages.md", "toml")
    path = tmp_path / "setting.toml"
    path.write_text(setting, encoding="utf-8")
    found = setting_file.read(setting, [page.address for page in PAGES])
    assert found.config == {"n_voters": 500, "channel": 0.3}
    assert sweep.read_spec(path).configs == (sweep.make("voting", found.config),)
    (step,) = lecture.read(talk).steps
    assert lecture.problems(step, page_at(step.page).settings()) == {}


def test_links_and_commands_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for file in ("README.md", *(f"docs/{file.name}" for file in (ROOT / "docs").glob("*.md"))):
        text = (ROOT / file).read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#]+)\)", text):
            assert target.startswith("http") or ((ROOT / file).parent / target).exists(), target
        for command in re.findall(r"^make (\w+)", text, flags=re.MULTILINE):
            assert re.search(rf"^{command}:", makefile, flags=re.MULTILINE), command


def test_every_page_and_data_set_is_named():
    for page in PAGES:
        assert f"- **{page.title}**: " in README, page.title
        assert page.address == "" or f"*{page.question}*" in README, page.question
    for name in datasets.DATASETS:
        assert name.replace("_", " ") in README.lower()


def test_new_names_exist():
    """Of what the changelog says is renamed, each name that is written in full."""
    moved = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("| before | now |")[1]
    new = re.findall(r"`(privdemo[\w.]+)`", "".join(line.split("|")[2] for line in moved.splitlines() if "|" in line))
    assert len(new) > 20
    for name in new:
        pkgutil.resolve_name(name)


def table_under(heading, nth=0):
    """The cells of the nth table under a heading, its head first."""
    part = RESULTS.split(f"## {heading}\n")[1].split("\n## ")[0]
    blocks = [block for block in part.split("\n\n") if block.startswith("|")]
    lines = [line for line in blocks[nth].splitlines() if not set(line) <= set("|- ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def release_named(words):
    """The release that a row of a table is about; its titles say a little more."""
    named = {release.title: name for name, release in RELEASES.items()} | {"true counts": "none"}
    return named.get(re.sub(r", here \d+| \(analytic\)", "", words)) or words.lower()


def test_what_private_counts_cost_is_what_the_file_holds():
    found = {(row.level, row.release): row.distortion for row in label_counts.load() if row.axis == "delta"}
    head, *rows = table_under("What private counts cost")
    assert head[1:] == ["δ = 0.05", "δ = 0.01", "δ = 10⁻⁴"]
    assert len(rows) == len(RELEASES)
    for words, *cells in rows:
        wanted = [found.get((delta, release_named(words))) for delta in (0.05, 0.01, 1e-4)]
        assert cells == ["no σ" if value is None else f"{value:.3f}" for value in wanted], words


def test_what_sets_reach_is_what_the_file_holds():
    shipped = class_ratio.study.load()
    private = {(row.release, row.method): row for row in class_ratio.study.select(shipped, class_ratio.study.PRIVATE)}
    _, *rows = table_under("What sets with known proportions reach")
    assert len(rows) == 8
    for words, *cells in rows:
        here = [private[release_named(words), method] for method in (SPREAD, MMD)]
        assert cells == [f"{row.error:.3f} ± {row.high - row.error:.3f}" for row in here], words
    ten = {row.method: row.error for row in class_ratio.study.select(shipped, class_ratio.study.DIGITS)}
    ten |= {method: private["none", method].error for method in (SPREAD, MMD)}
    two = {(row.dataset, row.method): row.error for row in class_ratio.study.select(shipped, class_ratio.study.BINARY)}
    _, *rows = table_under("What sets with known proportions reach", 1)
    assert len(rows) == len(CLASS_RATIO)
    for words, *cells in rows:
        (method,) = (name for name, m in CLASS_RATIO.items() if m.title == words.replace(", 1,500", ","))
        wanted = [ten.get(method), *(two[name, method] for name in ("adult", "mnist", "sms"))]
        assert cells == ["–" if value is None else f"{value:.3f}" for value in wanted], words


def test_what_training_on_noise_reaches_is_what_the_files_hold():
    names = {method.title: name for name, method in TRAINING.items()}
    names |= {"the paper's EM, 400 steps, no penalty": "published"}
    for nth, study in enumerate(("figure3", "section6.1")):
        points = training.study.points(training.study.load(study))
        head, *rows = table_under("What training on noise reaches", nth)
        assert len(rows) >= 3
        for words, *cells in rows:
            at = {point.level: point for point in points[names[words.removesuffix(": accuracy (log loss)")]]}
            here = [at[float(level)] for level in head[1:]]
            assert cells == [f"{point.accuracy.mean:.3f} ({point.log_loss.mean:.2f})" for point in here], (study, words)


def interval(gap, factor=1.0, digits=1):
    """A difference with its interval, as the tables write it."""
    mean, low, high = (f"{round(factor * x, digits) + 0.0:.{digits}f}".replace("-", "−") for x in gap)
    return f"{mean} ({low} to {high})"


def test_what_a_guess_of_a_pixel_is_off_by_is_what_the_file_holds():
    means = guess_study.means(guess_study.load())
    head, *rows = table_under("What training on noise reaches", 2)
    for prior, (_, *cells) in zip(("learned", "low_rank"), rows, strict=True):
        assert cells == [f"{means[prior, float(level.removeprefix('p = '))].mean:.4f}" for level in head[1:]]
    missed = [100 * (means["low_rank", level].mean / wanted - 1) for level, wanted in ((0.8, 0.038), (0.9, 0.056))]
    assert f"the last two of which are missed by {missed[0]:.1f} and {missed[1]:.1f} %" in " ".join(RESULTS.split())


def test_what_other_pairs_of_digits_reach_is_what_the_files_hold():
    names = {method.title: name for name, method in TRAINING.items()}
    head, *rows = table_under("What training on noise reaches", 3)
    places = [
        (float(level), digits.replace(", ", "v")) for level, _, digits in (cell.partition(": ") for cell in head[1:])
    ]
    shipped = {digits: training.study.load(f"pair-{digits}") for _, digits in places}
    for title, *cells in rows:
        curves = [(level, training.study.points(shipped[digits])[names[title]]) for level, digits in places]
        points = [next(point for point in curve if point.level == level) for level, curve in curves]
        assert cells == [f"{point.accuracy.mean:.3f} ({point.log_loss.mean:.2f})" for point in points], title
    ours, (_, *rows) = "spread chosen", table_under("What training on noise reaches", 4)
    kinds = [(other, *how) for how in (("accuracy", 100, 1), ("log_loss", 1, 2)) for other in (SPREAD, NAIVE)]
    for (other, metric, *how), (words, *cells) in zip(kinds, rows, strict=True):
        gaps = [training.study.compare(shipped[digits], ours, other, metric)[level] for level, digits in places]
        assert cells == [interval(gap, *how) for gap in gaps], words


def test_what_is_chosen_by_trying_wins_and_loses_is_what_the_file_holds():
    lies, bags = by_trying(SPREAD), by_trying(BAG_NAMES)
    contexts = (("mnist", "labels"), ("mnist", "records"), ("adult", "labels"), ("digits", "labels"))
    found = {(r.dataset, r.private, r.epsilon, r.method, r.metric): r for r in comparison.study.load()}

    def gap(context, epsilon, ours, other, metric="accuracy"):
        return comparison.study.difference(*(found[*context, epsilon, name, metric] for name in (ours, other)))

    for nth, (ours, other) in enumerate(((lies, NAIVE), (lies, SPREAD), (bags, BAG_NAMES), (bags, LLP))):
        head, *rows = table_under("What each kind of trust reaches", 1 + nth)
        for context, (words, *cells) in zip(contexts, rows, strict=True):
            assert cells == [interval(gap(context, float(e), ours, other), 100) for e in head[1:]], (other, words)
    for context in contexts:
        assert all(gap(context, epsilon, lies, NAIVE, "log_loss").high < 0 for epsilon in (1.0, 2.0))
    taken = [choice.name for context in contexts for choice in found[*context, 0.1, lies, "accuracy"].choices]
    assert f"they do in {len(taken) - taken.count('shares')} of {len(taken)} draws at ε = 0.1" in " ".join(
        RESULTS.split()
    )


def test_what_bag_totals_reach_is_what_the_file_holds():
    study = label_proportions.study
    rows = study.select(study.load(), study.SELECTING, "adult", "share")
    shipped = {(row.selection, row.method): row for row in rows}
    told = table_under("What bag totals reach")[1:]
    for method, (words, *cells) in zip(
        ("names", "names chosen", "llp", "mean map", "alternating", "full"), told, strict=True
    ):
        here = [shipped[selection, method] for selection in ("iid", "skewed", "even")]
        assert cells == [f"{row.average:.3f} ± {row.high - row.average:.3f}" for row in here], words


def test_what_each_kind_of_trust_reaches_is_what_the_file_holds():
    shipped = {
        (row.task, row.epsilon, COMPARISON[row.method].title, row.metric): row
        for row in comparison.study.load()
        if (row.dataset, row.private) == ("mnist", "labels")
    }
    asked = [(task, e, metric) for task, metric in (("classify", "accuracy"), ("share", "error")) for e in (0.25, 1, 4)]
    head, *rows = table_under("What each kind of trust reaches")
    assert head[2:] == ["0.25", "1", "4", "share: 0.25", "1", "4"]
    assert len(rows) == 15
    for title, trust, *cells in rows:
        assert trust == next(method.trust for method in COMPARISON.values() if method.title == title)
        wanted = [shipped.get((task, epsilon, title, metric)) for task, epsilon, metric in asked]
        half = [row and 100 * max(row.high - row.mean, row.mean - row.low) for row in wanted]
        told = [f"{100 * row.mean:.1f} ± {h:.1f}" if row else "–" for row, h in zip(wanted, half, strict=True)]
        assert cells == told, title

    head, *rows = table_under("What each kind of trust reaches", 5)
    for title, *cells in rows:
        (name,) = (name for name, method in COMPARISON.items() if method.title == title)
        asked = [comparison.ComparisonConfig("share", epsilon=float(epsilon)) for epsilon in head[1:]]
        assert cells == [f"{100 * comparison.exact_error(config, name):.2f}" for config in asked]
    said = []
    for epsilon in (0.25, 1.0):
        config = comparison.ComparisonConfig("share", epsilon=epsilon)
        lies, shuffled, best = (
            comparison.exact_error(config, name) for name in (CORRECTED_COUNT, SHUFFLED_COUNT, CURATED)
        )
        said.append(f"{100 * (lies - shuffled) / (lies - best):.0f} % at ε = {epsilon:g}")
    assert f"in the long run {', '.join(said)}" in " ".join(RESULTS.split())


def test_the_words_under_the_tables_state_what_the_files_hold():
    words = " ".join(RESULTS.split())
    leaks = (label_counts.leak(label_counts.CountConfig(), f"dirichlet {kind}") for kind in ("published", "local"))
    published, exact = (leak.own_delta.mean for leak in leaks)
    assert f"δ is {published:.3f} by the published criterion and {exact:.3f} by the exact profile" in words
    slides = [claim for claim in claims.all_claims() if claim.place == "table 4.1" and claim.ours]
    assert len(slides) == 5
    for claim in slides:
        assert f"{claim.published:.2f} and {claim.ours.mean:.3f}" in words
    shipped = class_ratio.study.select(class_ratio.study.load(), class_ratio.study.PRIVATE)
    mmd = {row.release: row.error for row in shipped if row.method == MMD}
    above = mmd["dirichlet published"] / mmd["laplace published"] - 1
    below = [1 - mmd["dirichlet public"] / mmd[f"laplace {noise}"] for noise in ("published", "tight")]
    assert f"here {100 * above:.0f} % *above* as published" in words
    assert f"{100 * below[0]:.0f} % below with tight noise" in words
    assert f"only {100 * below[1]:.0f} % below tight Laplace" in words
    leads = naive_steps.leads(training.study.load("figure3"), "published", naive_steps.load())
    *first, last = (lead.times(100).written("{:.1f}".format) for lead in leads.values())
    assert f"EM is {', '.join(first)} and {last} points ahead" in words
    clean = next(claim for claim in claims.all_claims() if claim.place == "section 6.1")
    assert f"± {100 * clean.ours.half:.1f} points at {100 * clean.ours.mean:.1f} %" in words


def test_what_many_answers_cost_is_what_the_file_holds():
    means = answers_study.means(answers_study.load())
    _, *rows = table_under("What many answers cost")
    places = [(epsilon, oracle) for epsilon in answers_study.EPSILONS for oracle in answers_study.ORACLES]
    for (epsilon, oracle), (at, lie, *cells) in zip(places, rows, strict=True):
        assert (at, lie) == (f"{epsilon:g}", FREQUENCY_ORACLES[oracle].title)
        found = [means[oracle, epsilon, reading].times(1e4) for reading in answers_study.READINGS]
        assert cells == [f"{e.mean:.0f} ({e.low:.0f}–{e.high:.0f})" for e in found]


def test_what_ten_draws_of_many_answers_leave_open_is_what_the_file_holds():
    off = {(row.reading, row.epsilon, row.oracle, row.trial): 1e4 * row.error for row in answers_study.load()}

    def less(reading, epsilon, *oracles):
        """By how much a reading is less off than the nearest shares, draw by draw, the mean over `oracles`."""
        gains = [
            np.mean([off["projected", epsilon, one, i] - off[reading, epsilon, one, i] for one in oracles])
            for i in range(10)
        ]
        return mean_interval(gains)

    words = " ".join(RESULTS.split("## What many answers cost\n")[1].split("\n## ")[0].split())
    lies = answers_study.ORACLES
    stopped, most = less(answers_study.STOPPED, 0.5, *lies), less("likeliest", 0.5, *lies)
    assert f"{stopped.mean:.1f} less than the nearest shares, with an interval from {stopped.high:.1f} less" in words
    assert f"less to {-stopped.low:.1f} more" in words
    assert f"by {most.mean:.1f} less ({most.low:.1f} to {most.high:.1f})" in words
    clear = [lie for lie in lies if less("likeliest", 0.5, lie).low > 0 or less("likeliest", 0.5, lie).high < 0]
    assert clear == ["randomised response"]
    readings = answers_study.STOPPED, "likeliest"
    assert all(less(reading, epsilon, *lies).low > 0 for reading in readings for epsilon in (1.0, 2.0, 4.0))
