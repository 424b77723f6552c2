"""README and docs stay true: examples give the numbers beside them, links and names exist."""

import pkgutil
import re
import shlex

from pages.kit import lecture, setting_file
from pages.kit.step_answer import answer_step
from pages.topics import PAGES, page_at
from privdemo import __main__, datasets
from privdemo.experiments import sweep
from privdemo.mechanisms.label_counts import RELEASES
from server import server_settings
from tests.documents import ROOT, blocks, run

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_is_short_and_examples_give_the_numbers_beside_them():
    assert len(README.splitlines()) <= 150
    for file, n_numbers in (("README.md", 2), ("docs/package.md", 21)):
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
    assert lecture.problems(step, page_at(step.page).here.default_settings) == {}
    found = answer_step(step, PAGES)
    assert lecture.names_in(step.question) | lecture.names_in(step.solution) <= set(found.facts)


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
