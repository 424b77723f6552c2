"""The one direction: data → mechanism → estimator → experiment → figure → page. Nothing imports backwards."""

import ast
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# A module may import its own layer and those before it.
LAYERS = [
    "limits intervals simplex datasets workers jobs palette tasks verdict csv_text toml_text",
    *("accounting mechanisms", "estimators", "attacks deployments disobedience methods"),
    *("experiments", "advise", "figures", "commands"),
    "__main__",
]
# What is imported of Streamlit's modules and public, though not by the name `st`.
PUBLIC_OF_STREAMLIT = {
    "streamlit.delta_generator.DeltaGenerator",
    "streamlit.navigation.page.StreamlitPage",
    "streamlit.runtime.uploaded_file_manager.UploadedFile",
    "streamlit.testing.v1.AppTest",
}
RANK = {f"privdemo.{name}": rank for rank, names in enumerate(LAYERS) for name in names.split()} | {"privdemo": -1}
# What may be called on numpy.random: everything else there samples from the one global state.
LOCAL_RANDOMNESS = {"Generator", "SeedSequence", "BitGenerator", "PCG64", "PCG64DXSM", "Philox", "default_rng"}
MATHS = {"numpy", "scipy", "sklearn"}
# The modules of the kit that render elements, or read the state of its widgets.
RENDERING_MODULES = (
    "component inputs link live_dial live_dots more number_control own_data_input owned_poll page present presenter "
    "privacy_inputs quiz_input room_guesses screen style watching"
)
RENDERING = {f"pages.kit.{name}" for name in RENDERING_MODULES.split()} | {
    "server.visits",
    "server.streamlit_internals",
}
# The command line is an entry point, as app.py is: it is imported by nothing, and two commands of it need the pages.
ALSO_IMPORTED = {"privdemo.__main__": {"pages", "pages.lessons", "pages.terminal"}}
# What renders a whole page, and so may have a screen.
ENTRIES = ("app", "pages.one_page", "pages.screens", "pages.terminal")
# Folders with modules that render, or that write the files of components into HTML, as lessons do.
RENDERING_FOLDERS = ("kit", "lessons", "site")


def top(name):
    return name.partition(".")[0]


def module_name(path):
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


# Every module of the project and of its tests by its dotted name.
FILES = [
    ROOT / "app.py",
    *(file for part in ("deploy", "privdemo", "server", "pages", "tests") for file in (ROOT / part).rglob("*.py")),
]
SOURCES = {module_name(file.relative_to(ROOT)): file.read_text(encoding="utf-8") for file in sorted(FILES)}
MODULES = {module: source for module, source in SOURCES.items() if top(module) != "tests"}


@cache
def nodes(source):
    """Every node of a source."""
    return [*ast.walk(ast.parse(source))]


@cache
def imports(module, source, is_package=False):
    """Dotted names that `module` imports anywhere in its source, lazily or for types too.

    ``from a import b`` counts as both ``a`` and ``a.b``, as b may be a module.
    """
    found = set()
    package = module if is_package else module.rpartition(".")[0]
    for node in nodes(source):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            found.add(origin)
            found.update(f"{origin}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            found.update(ast.literal_eval(name) for name in node.args[:1] if isinstance(name, ast.Constant))
    return frozenset(found)


def faults(module, source, is_package=False):
    """Every rule of the direction that `source`, taken as `module`, breaks; one sentence each."""
    wrong = []
    imported = imports(module, source, is_package) - ALSO_IMPORTED.get(module, set())
    tops = {top(name) for name in imported}
    if top(module) == "privdemo":
        wrong += [f"{module} imports {name}" for name in sorted(tops & {"streamlit", "pages", "app"})]
        own_rank = RANK.get(".".join(module.split(".")[:2]))
        if own_rank is None:
            wrong.append(f"{module} has no layer: give it one in tests/test_layers.py")
        else:
            own = {".".join(name.split(".")[:2]) for name in imported} & RANK.keys()
            later = sorted(name for name in own if RANK[name] > own_rank)
            wrong += [f"{module} imports {name}, a later layer" for name in later]
    elif top(module) == "server":
        wrong += [f"{module} imports {name}: the server knows no page" for name in sorted(tops & {"pages", "app"})]
        wrong += [f"{module} imports {name}: pages hold no maths" for name in sorted(tops & MATHS)]
    else:
        wrong += [f"{module} imports {name}: pages hold no maths" for name in sorted(tops & MATHS)]
        wrong += page_faults(module, source, imported)
    if "plotly" in tops and not (module + ".").startswith("privdemo.figures."):
        wrong.append(f"{module} imports plotly: only figures may")
    return wrong + global_randomness(module, source) + internals(module, source)


def internals(module, source):
    """Members of Streamlit and of the HTTP server that are not public, outside of the one module for each."""
    wrong = []
    if module != "server.http_internals":
        found = sorted(imports(module, source) & {"h11", "starlette.formparsers", "uvicorn.protocols.http"})
        wrong = [f"{module} imports {name}: only server.http_internals may" for name in found]
    if module == "server.streamlit_internals" or top(module) not in ("server", "pages", "app", "deploy"):
        return wrong
    found = []
    for node in nodes(source):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("streamlit."):
            names = {f"{node.module}.{alias.name}" for alias in node.names} - PUBLIC_OF_STREAMLIT
            found += [name for name in sorted(names) if not name.startswith("streamlit.proto.")]
    return wrong + [f"{module} imports {name}: only server.streamlit_internals may" for name in found]


def page_faults(module, source, imported):
    """Every rule that only the pages have and that `module` breaks."""
    _, folder, topic, *inner = [*module.split("."), "", ""]
    wrong = []
    topics = {".".join(name.split(".")[:3]) for name in imported if name.startswith("pages.topics.")}
    if folder == "kit" and any(name.startswith("pages.topics") for name in imported):
        wrong.append(f"{module} imports a topic: the kit knows none")
    if folder == "topics" and topic:
        others = sorted(topics - {f"pages.topics.{topic}"})
        wrong += [f"{module} imports {name}: topics import no other topic" for name in others]
    if folder in RENDERING_FOLDERS or module in ENTRIES or "controls" in inner:
        return wrong
    allowed = {"pages.kit.page"} if not any(inner) else set()  # a topic's own __init__ makes the page
    rendering = imported & RENDERING - allowed | {top(name) for name in imported} & {"streamlit"}
    wrong += [f"{module} imports {name}: only the kit, the site and controls render" for name in sorted(rendering)]
    wrong += [f"{module} reaches {name}: only the kit, the site and controls render" for name in reached(source)]
    if any(inner):
        controls = f"pages.topics.{topic}.controls"
        wrong += [f"{module} imports {controls}: only __init__ may"] * (controls in imported)
    return wrong


def reached(source):
    """Streamlit and rendering modules that `source` takes out of another module of the pages, such as `cache.st`."""
    streamlit = {"st", "streamlit"}
    rendering = streamlit | {name.rpartition(".")[2] for name in RENDERING}
    known = {}
    for node in nodes(source):
        if isinstance(node, ast.ImportFrom) and top(node.module or "") == "pages":
            inside = rendering if node.module.startswith("pages.kit") else streamlit
            known |= {alias.asname or alias.name: inside for alias in node.names}
            if node.module != "pages.kit":
                yield from (f"{node.module}.{alias.name}" for alias in node.names if alias.name in inside)
    for node in nodes(source):
        if isinstance(node, ast.Attribute) and node.attr in known.get(ast.unparse(node.value), ()):
            yield ast.unparse(node)


def global_randomness(module, source):
    """Randomness that everyone shares, or that no seed can reproduce; calls under other names are ruff's (NPY002)."""
    wrong = []
    if "random" in {top(name) for name in imports(module, source)}:
        wrong.append(f"{module} imports the standard library's random")
    for name in sorted(set(re.findall(r"\b(?:np|numpy)\.random\.(\w+)", source)) - LOCAL_RANDOMNESS):
        wrong.append(f"{module} uses numpy.random.{name}: the global random state")
    for name in re.findall(r"\b(?:default_rng|SeedSequence)\(\)", source):
        wrong.append(f"{module} calls {name} without a seed")
    return wrong


def is_package(module):
    return (ROOT / Path(*module.split(".")) / "__init__.py").exists()


def test_every_module_keeps_the_direction():
    some = {"app", "privdemo", "privdemo.accounting.losses", "pages.kit.panel", "tests", "tests.figures.reading"}
    assert some <= set(SOURCES)
    found = [fault for module, source in MODULES.items() for fault in faults(module, source, is_package(module))]
    assert not found, "\n".join(found)


def import_order(modules):
    """The `modules`, each after what it imports; a package's own __init__ does not count for its members."""
    graph = {}
    for module, source in modules.items():
        imported = imports(module, source, is_package(module)) & set(modules)
        graph[module] = {name for name in imported if name != module and not module.startswith(f"{name}.")}
    return [*TopologicalSorter(graph).static_order()]


def test_no_import_cycles():
    assert len(import_order(MODULES)) == len(MODULES)
    with pytest.raises(CycleError):
        import_order({"a": "import b", "b": "from b import c\nimport a"})


@pytest.mark.parametrize(
    ("module", "source", "fault"),
    [
        ("privdemo.attacks", "def f():\n    import streamlit.testing", "imports streamlit"),
        ("privdemo.commands", "from pages import terminal", "imports pages"),
        ("privdemo.__main__", "from pages import terminal, site", "imports pages"),
        ("privdemo.attacks", "import importlib\nimportlib.import_module('streamlit')", "imports streamlit"),
        ("pages.topics.home.controls", "import plotly.express", "only figures may"),
        ("privdemo.attacks", "if TYPE_CHECKING:\n    from privdemo.experiments.votes import Result", "a later layer"),
        ("privdemo", "from privdemo import limits", "a later layer"),
        ("privdemo.extra", "", "has no layer"),
        ("pages.kit.numbers", "from scipy.stats import norm", "pages hold no maths"),
        ("server.visits", "from pages.kit import cache", "the server knows no page"),
        ("server.visits", "from uvicorn.protocols.http import h11_impl", "only server.http_internals may"),
        (
            "pages.kit.link",
            "from streamlit.runtime.state import get_session_state",
            "only server.streamlit_internals may",
        ),
        ("pages.kit.page", "from pages.topics import PAGES", "the kit knows none"),
        ("pages.topics.voting.answer", "from pages.topics.images import answer", "no other topic"),
        ("pages.topics.voting.answer", "import streamlit as st", "controls render"),
        ("pages.topics.voting.chapters", "from pages.kit import inputs, numbers", "inputs: only the kit"),
        ("pages.topics.voting.chapters", "from pages.kit.page import Chapter", "page: only the kit"),
        ("pages.topics.voting.answer", "from pages.kit import cache\ncache.st.write(1)", "reaches cache.st"),
        ("pages.topics.voting.answer", "from pages.kit.cache import st", "reaches pages.kit.cache.st"),
        ("pages.topics.voting", "from pages.kit import trials as t\nt.link.note()", "reaches t.link"),
        ("pages.topics.voting.chapters", "from pages.topics.voting.controls import controls", "only __init__ may"),
        ("pages.topics.voting.chapters", "import pages.topics.voting.controls as c", "only __init__ may"),
        ("privdemo.attacks", "import numpy as np\nsample = np.random.normal", "global random state"),
        ("pages.topics.home.controls", "from random import choice", "standard library's random"),
        ("privdemo.attacks", "import numpy as np\nrng = np.random.default_rng()", "without a seed"),
    ],
)
def test_the_checker_finds(module, source, fault):
    (found,) = faults(module, source)
    assert fault in found


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("privdemo.mechanisms.additive", "from privdemo import accounting\nfrom . import randomised_response"),
        ("pages.topics.voting.controls", "from pages.kit import inputs, link, privacy_inputs, screen"),
        ("pages.topics.voting.chapters", "from pages.topics.voting.question import PEOPLE, Plan, many_config"),
        ("pages.topics.voting", "from pages.kit.page import Page\nfrom pages.topics.voting.controls import controls"),
    ],
)
def test_the_checker_lets_pass(module, source):
    assert faults(module, source) == []
