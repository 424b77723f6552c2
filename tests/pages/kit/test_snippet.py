"""Shown code: imports, values, and the lines that read a visitor's file."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from pages.kit import own_data
from pages.kit.own_data import File
from pages.kit.snippet import Snippet, as_code
from privdemo import datasets
from privdemo.experiments.training import TrainingConfig
from privdemo.mechanisms import BinaryChannel, GaussianNoise, LaplaceNoise, RandomisedResponse

TABLE = "\n".join(["size,kind", *(f"{i},{'ab'[i % 2]}" for i in range(120))]).encode()
OWN = datasets.from_csv(TABLE)


@dataclass(frozen=True)
class Setting:
    """A setting of any records."""

    dataset: object = "mnist"
    epsilon: float = 1.0


def test_a_snippet_puts_each_import_once_and_ours_last():
    first = Snippet(("from privdemo import b", "from pathlib import Path"), ("x = 1",))
    more = first.then("y = 2", imports=("from privdemo import a", "from privdemo import b"))
    assert str(more) == "from pathlib import Path\n\nfrom privdemo import a\nfrom privdemo import b\n\nx = 1\ny = 2"
    assert str(first) == "from pathlib import Path\n\nfrom privdemo import b\n\nx = 1"
    assert more.markdown == f"```python\n{more}\n```"


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("it’s =inf", "'it’s =inf'"),
        (3, "3"),
        (0.1, "0.1"),
        (True, "True"),
        (None, "None"),
        (math.inf, "math.inf"),
        (-math.inf, "-math.inf"),
        ((), "()"),
        (("7",), "('7',)"),
        ((1, (math.inf, "a")), "(1, (math.inf, 'a'))"),
        (BinaryChannel(0.1, 0.4), "BinaryChannel(p10=0.1, p01=0.4)"),
        (RandomisedResponse(0.2, 17), "RandomisedResponse(flip_prob=0.2, n_states=17)"),
        (GaussianNoise(0.5), "GaussianNoise(sigma=0.5)"),
        (LaplaceNoise(0.25), "LaplaceNoise(scale=0.25)"),
        (Setting(epsilon=math.inf), "Setting(dataset='mnist', epsilon=math.inf)"),
    ],
)
def test_a_value_is_written_as_the_code_that_makes_it(value, code):
    assert as_code(value) == code
    assert eval(code, {"math": math} | {kind.__name__: kind for kind in KINDS}) == value


KINDS = (BinaryChannel, RandomisedResponse, GaussianNoise, LaplaceNoise, Setting)


def test_a_visitors_records_are_known_by_one_name():
    assert as_code(OWN) == "own"
    assert as_code(Setting(OWN)) == "Setting(dataset=own, epsilon=1.0)"


def test_a_whole_config_comes_back():
    config = TrainingConfig(classes=("3", "5"), pixels=GaussianNoise(0.7), labels=BinaryChannel(0.1, 0.4), n_train=20)
    made = str(own_data.snippet(config, None, "from privdemo.experiments.training import TrainingConfig"))
    exec(f"from privdemo.mechanisms import BinaryChannel, GaussianNoise\n{made}", scope := {})
    assert scope["config"] == config


@pytest.mark.parametrize(
    ("file", "line"),
    [
        (File("a.csv", "from_csv", "kind"), "own = datasets.from_csv(Path('a.csv').read_bytes(), 'kind')"),
        (File("a.npz", "from_npz"), "own = datasets.from_npz(Path('a.npz').read_bytes())"),
        (
            File("a.csv", "from_csv", "kind", "b"),
            "own = datasets.from_csv(Path('a.csv').read_bytes(), 'kind').one_against_rest('b')",
        ),
    ],
)
def test_a_visitors_file_is_read_before_its_config_is_made(file, line):
    made = own_data.snippet(Setting(OWN), file, "import here")
    assert made.imports == ("import here", "from pathlib import Path", "from privdemo import datasets")
    assert made.lines == (line, "config = Setting(dataset=own, epsilon=1.0)")
    of_the_package = own_data.snippet(Setting(epsilon=math.inf), file)
    assert of_the_package == Snippet(("import math",), ("config = Setting(dataset='mnist', epsilon=math.inf)",))


def test_the_code_reads_the_records_from_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_bytes(TABLE)
    exec(str(own_data.snippet(Setting(OWN), File("a.csv", "from_csv", "kind"))), scope := {"Setting": Setting})
    np.testing.assert_array_equal(scope["config"].dataset.X, OWN.X)
