"""Shown code: imports, values, and the lines that read a visitor's file."""

import math
from dataclasses import dataclass

import pytest

from pages.kit import own_data
from pages.kit.own_data import File
from pages.kit.snippet import Snippet, as_code
from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse
from tests.pages.kit.elements import OWN


@dataclass(frozen=True)
class Setting:
    """A config with records of any kind."""

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
        (True, "True"),
        (None, "None"),
        (math.inf, "math.inf"),
        (-math.inf, "-math.inf"),
        (("7",), "('7',)"),
        ((1, (math.inf, "a")), "(1, (math.inf, 'a'))"),
        (BinaryChannel(0.1, 0.4), "BinaryChannel(p10=0.1, p01=0.4)"),
        (RandomisedResponse(0.2, 17), "RandomisedResponse(flip_prob=0.2, n_states=17)"),
        (GaussianNoise(0.5), "GaussianNoise(sigma=0.5)"),
        (Setting(epsilon=math.inf), "Setting(dataset='mnist', epsilon=math.inf)"),
    ],
)
def test_a_value_is_written_as_the_code_that_makes_it(value, code):
    assert as_code(value) == code
    assert eval(code, {"math": math} | {kind.__name__: kind for kind in KINDS}) == value


KINDS = (BinaryChannel, RandomisedResponse, GaussianNoise, Setting)


def test_a_visitors_records_are_known_by_one_name():
    assert as_code((OWN, Setting(OWN))) == "(own, Setting(dataset=own, epsilon=1.0))"


@pytest.mark.parametrize(
    ("file", "read"),
    [
        (File("a.csv", "from_csv", "kind"), "from_csv(Path('a.csv').read_bytes(), 'kind')"),
        (File("a.npz", "from_npz"), "from_npz(Path('a.npz').read_bytes())"),
        (File("a.csv", "from_csv", "kind", "b"), "from_csv(Path('a.csv').read_bytes(), 'kind').one_against_rest('b')"),
    ],
)
def test_a_visitors_file_is_read_before_its_config_is_made(file, read):
    made = own_data.snippet(Setting(OWN), file, "import here")
    assert made.imports == ("import here", "from pathlib import Path", "from privdemo import datasets")
    assert made.lines == (f"own = datasets.{read}", "config = Setting(dataset=own, epsilon=1.0)")
    of_the_package = own_data.snippet(Setting(epsilon=math.inf), file)
    assert of_the_package == Snippet(("import math",), ("config = Setting(dataset='mnist', epsilon=math.inf)",))
