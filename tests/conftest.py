"""Fixtures that several test modules share."""

from __future__ import annotations

import fcntl
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, Page, Request, expect

from pages.kit import cache
from privdemo import datasets, workers
from privdemo.__main__ import main
from server import start_up
from tests.browser import browsing, find_chromium


class Clock:
    """A clock that shows what a test sets."""

    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


# The many processes of a run read modules that one of them has compiled, whatever the environment says.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# How long an example may take says nothing on a busy machine.
settings.register_profile("privdemo", deadline=None, max_examples=40)
settings.load_profile("privdemo")
start_up.limit_threads()  # as the server does: three workers share the cores
# A test waits for what its processes compute, and no visitor does: they have as much of the two cores as the others.
workers.NICENESS = 0
ROOT = Path(__file__).parents[1]
if folder := os.environ.get("PRIVDEMO_DATA"):  # some tests work in folders of their own
    os.environ["PRIVDEMO_DATA"] = str(Path(folder).resolve())
# A job in a shell's background ignores Ctrl-C, and so would every process that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# What takes longest begins first, so that no process is left alone with it: browser tests, for which each process has
# an app and a Chromium of its own, then these. Pages whose trials are computed by processes of their own begin when the
# browsers are nearly done, which wait for the same two cores.
LONG = [
    ROOT / "tests" / name
    for name in (
        "pages/test_notebooks.py",
        "fuzz/test_messages.py",
        "pages/test_every_page.py",
        "pages/test_own_data.py",
        "test_jobs.py",
        "test_extending.py",
        "test_results.py",
    )
]

# A headless Chromium may stop rendering a tab, and then nothing can be clicked in it. A browser test that runs out of
# time begins once more, and the summary says so; one that finds a fault never does.
ONCE_MORE = pytest.mark.flaky(reruns=1, only_rerun=r"^TimeoutError: ")


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name a case by the beginning of its text or bytes, and a mechanism by its parameters."""
    if is_dataclass(val) and type(val).__module__.startswith("privdemo.mechanisms"):
        parameters = ", ".join(f"{each:.3g}" if isinstance(each, float) else str(each) for each in vars(val).values())
        return f"{type(val).__name__}({parameters})"
    if isinstance(val, float):
        return f"{val:.4g}"
    return ascii(val[:14])[:20] if isinstance(val, str | bytes) and len(ascii(val)) > 20 else None


# The names of scikit-learn's own checks are longer.
_LONGEST_NAME, _CHECKS_OF_SCIKIT_LEARN = 120, "test_scikit_learn_conventions"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep every file in one piece, with the one that looks at the same views; but not the one that measures slides."""
    for item in items:
        if len(item.name) > _LONGEST_NAME and not item.name.startswith(_CHECKS_OF_SCIKIT_LEARN):
            raise pytest.UsageError(f"The name of a test is longer than a line: {item.nodeid}")
        if item.get_closest_marker("browser"):
            item.add_marker(ONCE_MORE)
        file = "test_every_page.py" if item.path.name == "test_words.py" else item.path.name
        part = item.name if file == "test_slides.py" else str(item.path.with_name(file).relative_to(ROOT))
        item.add_marker(pytest.mark.xdist_group(part))
    # The order of files is not xdist's own (`--no-loadscope-reorder`).
    items.sort(key=lambda item: 0 if item.get_closest_marker("browser") else 1 + [*LONG, item.path].index(item.path))


def missing(what: str) -> None:
    """In CI nothing that matters may be skipped; elsewhere a test skips what is not there."""
    if os.environ.get("CI"):
        pytest.fail(f"{what}: CI must run the tests that need it")
    pytest.skip(what)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real data that PRIVDEMO_DATA names; without it, CI fails and others skip."""
    folder = os.environ.get("PRIVDEMO_DATA")
    if not folder:
        missing("PRIVDEMO_DATA is not set")
    return Path(folder)


@pytest.fixture(scope="session")
def mnist() -> datasets.Dataset:
    """MNIST, from PRIVDEMO_DATA or the user's cache; never downloaded for a test."""
    if not datasets.available("mnist"):
        missing("MNIST is not on this computer")
    return datasets.load("mnist")


@pytest.fixture(scope="session", autouse=True)
def polls_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Polls of the tests, and of the servers that they start, are not kept among the user's own."""
    os.environ["XDG_DATA_HOME"] = str(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="session")
def lessons_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the lessons, as the command writes them: once for all processes of a run."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    folder = shared / "course" / "lessons"
    folder.parent.mkdir(exist_ok=True)
    with open(folder.with_name("lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            begun = folder.with_name("begun")
            assert main(["lessons", str(begun)]) == 0
            begun.rename(folder)
    return folder


@pytest.fixture
def no_mnist(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A computer without MNIST: no data folder and an empty cache; what pages remember of it ends with the test."""
    monkeypatch.delenv("PRIVDEMO_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache.clear()
    yield
    cache.clear()


expect.set_options(timeout=40_000)  # a busy machine is no failure


@pytest.fixture(scope="session")
def address(mnist: object) -> Iterator[str]:
    with browsing.running_app() as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if not find_chromium.find():
        missing("no Chromium here")
    with browsing.chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def browser_tab(browser: Browser) -> Iterator[Page]:
    """One for all tests: a new one would read the scripts of Streamlit and Plotly anew, seconds of every test."""
    context = browser.new_context(reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.fixture
def page(browser_tab: Page) -> Iterator[Page]:
    """The browser's tab as a new one would be, watched for requests that go elsewhere."""
    page = browser_tab
    page.set_viewport_size({"width": 1280, "height": 768})
    page.emulate_media(color_scheme="light", media="screen", reduced_motion="reduce")
    page.set_default_timeout(40_000)
    requests: list[Request] = []

    def note(request: Request) -> None:
        requests.append(request)

    page.on("request", note)
    yield page
    if page.url.startswith("http"):
        page.evaluate("sessionStorage.clear()")  # in which the owner's key of a poll is
    page.remove_listener("request", note)
    page.unroute_all()
    page.goto("about:blank")  # the visit ends
    here = ("http://127.0.0.1:", "data:", "blob:", "file:")
    assert not [seen.url for seen in requests if not seen.url.startswith(here)], (
        "the app fetches nothing from elsewhere"
    )
