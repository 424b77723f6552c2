"""Files: from a named folder or the cache, downloaded once, checked always, and refused where they are damaged."""

from __future__ import annotations

import gzip
import hashlib
import io
import subprocess
import sys
import threading
import time
import zipfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from privdemo import datasets
from privdemo.datasets import DatasetError, files

TINY_SMS = b"ham\tsee you at noon\nspam\tWIN cash now\nham\tsee cash at noon\n"
TINY_WORDS = ("at", "cash", "noon", "see")  # those of at least two messages


@pytest.mark.parametrize("function", [datasets.load, datasets.available, datasets.location])
def test_unknown_names_are_refused(function):
    with pytest.raises(ValueError, match="unknown data set 'foo': choose one of mnist, digits, adult"):
        function("foo")


@pytest.fixture
def nothing_loaded(monkeypatch):
    monkeypatch.setattr(datasets, "_loaded", {})


@pytest.fixture
def named_folder(nothing_loaded, monkeypatch, tmp_path):
    """An empty folder that PRIVDEMO_DATA names; the SMS collection is `TINY_SMS`."""
    monkeypatch.setenv("PRIVDEMO_DATA", str(tmp_path))
    _publish_tiny_sms(monkeypatch, urls=())
    (tmp_path / "sms").mkdir()
    return tmp_path


def _publish_tiny_sms(monkeypatch, urls):
    file = files.DataFile("sms/SMSSpamCollection.gz", hashlib.sha256(TINY_SMS).hexdigest(), tuple(urls))
    monkeypatch.setitem(files.FILES, "sms", (file,))


def test_a_file_in_the_named_folder_is_used(named_folder):
    assert not datasets.available("sms")
    (named_folder / "sms/SMSSpamCollection.gz").write_bytes(gzip.compress(TINY_SMS))
    assert datasets.available("sms")
    sms = datasets.load("sms")
    assert sms.feature_names == TINY_WORDS
    assert sms.X.toarray().tolist() == [[1, 0, 1, 1], [0, 1, 0, 0], [1, 1, 1, 1]]
    assert sms.y.tolist() == [0, 1, 0]
    assert datasets.location("sms") == named_folder / "sms"


def test_a_missing_file_is_named_and_not_downloaded(named_folder, server, monkeypatch):
    server.files["/sms.gz"] = gzip.compress(TINY_SMS)
    _publish_tiny_sms(monkeypatch, [server.url("/sms.gz")])
    with pytest.raises(DatasetError, match=r"sms/SMSSpamCollection\.gz is missing from .*PRIVDEMO_DATA") as error:
        datasets.load("sms")
    assert str(named_folder) in str(error.value)
    assert not server.requests


def test_a_missing_folder_is_named(named_folder, monkeypatch):
    monkeypatch.setenv("PRIVDEMO_DATA", str(named_folder / "nowhere"))
    assert not datasets.available("sms")
    with pytest.raises(DatasetError, match=r"PRIVDEMO_DATA names the folder .*nowhere, which does not exist"):
        datasets.load("sms")
    assert datasets.load("digits").name == "digits"


def test_a_wrong_file_is_refused_with_both_hashes(named_folder):
    (named_folder / "sms/SMSSpamCollection.gz").write_bytes(gzip.compress(TINY_SMS + b"ham\tone more\n"))
    with pytest.raises(DatasetError) as error:
        datasets.load("sms")
    expected = hashlib.sha256(TINY_SMS).hexdigest()
    found = hashlib.sha256(TINY_SMS + b"ham\tone more\n").hexdigest()
    assert f"expected content with SHA-256 {expected}, got SHA-256 {found}; replace it" in str(error.value)
    assert str(named_folder / "sms/SMSSpamCollection.gz") in str(error.value)


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: raw[:-20],
        lambda raw: raw[:5],
        lambda raw: raw[:15] + b"\0\0\0\0" + raw[19:],
        lambda raw: b"",
        lambda raw: b"<html>Sign in to this network</html>",
        lambda raw: b"PK\x03\x04 not a zip",
    ],
    ids=["truncated", "header only", "overwritten", "empty", "web page", "broken zip"],
)
def test_a_damaged_file_is_refused(named_folder, damage):
    path = named_folder / "sms/SMSSpamCollection.gz"
    path.write_bytes(damage(gzip.compress(TINY_SMS)))
    with pytest.raises(DatasetError, match="is not the published SMSSpamCollection: expected content with SHA"):
        datasets.load("sms")
    # Mended, it loads: the refusal left nothing behind.
    path.write_bytes(gzip.compress(TINY_SMS))
    assert len(datasets.load("sms").y) == 3


def test_a_file_that_cannot_be_read_is_named(named_folder):
    (named_folder / "sms/SMSSpamCollection.gz").mkdir()
    with pytest.raises(DatasetError, match=r"SMSSpamCollection\.gz cannot be read \(Is a directory\)"):
        datasets.load("sms")


class _Server(ThreadingHTTPServer):
    """Serves `files` on 127.0.0.1, and counts `requests` by path.

    It takes `slow_s` seconds for each, turns the first `busy` away, and promises `extra` bytes too many.
    """

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files, self.requests = {}, Counter()
        self.slow_s, self.busy, self.extra = 0.0, 0, 0

    def url(self, path):
        return f"http://127.0.0.1:{self.server_port}{path}"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests[self.path] += 1
        time.sleep(self.server.slow_s)
        body = self.server.files.get(self.path)
        if self.server.busy > 0:
            self.server.busy -= 1
            self.send_error(503)
            return
        if body is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body) + self.server.extra))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with _Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def cache(nothing_loaded, monkeypatch, tmp_path):
    """An empty user cache, and PRIVDEMO_DATA unset."""
    monkeypatch.delenv("PRIVDEMO_DATA", raising=False)
    monkeypatch.setattr(files.pooch, "os_cache", lambda project: tmp_path / "cache" / project)
    monkeypatch.setattr(files, "PAUSE_S", 0.0)
    return tmp_path / "cache" / "privdemo"


def _kept(cache):
    """The data files (not the locks) the cache holds."""
    return [path.name for path in cache.rglob("*") if path.is_file() and path.suffix != ".lock"]


def _zip(member, content):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("readme", "Read me first.")
        archive.writestr(member, content)
    return buffer.getvalue()


def test_nothing_is_available_without_files_or_network(cache):
    assert [name for name in datasets.DATASETS if datasets.available(name)] == ["digits", "breast_cancer"]
    assert datasets.location("mnist") == cache / "mnist"
    assert datasets.location("digits") is None
    assert not cache.exists()


@pytest.mark.parametrize(
    "wrap",
    [gzip.compress, lambda content: content, lambda content: _zip("SMSSpamCollection", content)],
    ids=["gzip", "plain", "zip"],
)
def test_a_download_is_checked_kept_and_not_repeated(cache, server, monkeypatch, wrap):
    server.files["/sms"] = wrap(TINY_SMS)
    _publish_tiny_sms(monkeypatch, [server.url("/sms")])
    assert datasets.load("sms").feature_names == TINY_WORDS
    assert _kept(cache) == ["SMSSpamCollection.gz"]
    assert gzip.decompress((cache / "sms/SMSSpamCollection.gz").read_bytes()) == TINY_SMS
    assert datasets.available("sms")
    datasets._loaded.clear()
    assert len(datasets.load("sms").y) == 3
    assert server.requests == {"/sms": 1}


def test_a_bad_mirror_is_passed_over(cache, server, monkeypatch):
    server.files["/wrong.gz"] = gzip.compress(b"ham\tsomething else\n")
    server.files["/good.gz"] = gzip.compress(TINY_SMS)
    urls = ["http://127.0.0.1:1/refused.gz", *map(server.url, ("/absent.gz", "/wrong.gz", "/good.gz"))]
    _publish_tiny_sms(monkeypatch, urls)
    assert len(datasets.load("sms").y) == 3
    assert server.requests == {"/absent.gz": 1, "/wrong.gz": 1, "/good.gz": 1}


def test_all_mirrors_bad_says_what_was_tried_and_what_to_do(cache, server, monkeypatch):
    server.files["/wrong.gz"] = gzip.compress(b"ham\tsomething else\n")
    urls = [server.url("/absent.gz"), server.url("/wrong.gz"), "http://127.0.0.1:1/refused.gz"]
    _publish_tiny_sms(monkeypatch, urls)
    with pytest.raises(DatasetError) as error:
        datasets.load("sms")
    message = str(error.value)
    assert message.startswith("sms/SMSSpamCollection.gz could not be downloaded. Tried http://")
    for part in (
        *urls,
        "(404 ",
        "(ConnectionError)",
        hashlib.sha256(TINY_SMS).hexdigest(),
        "`python -m privdemo data sms`",
    ):
        assert part in message
    assert "set PRIVDEMO_DATA to a folder that holds sms/SMSSpamCollection.gz" in message
    assert server.requests == {"/absent.gz": files.ATTEMPTS, "/wrong.gz": files.ATTEMPTS}
    assert _kept(cache) == []


def test_a_connection_that_breaks_off_leaves_nothing(cache, server, monkeypatch):
    server.files["/sms.gz"] = gzip.compress(TINY_SMS)[:30]
    server.extra = 40
    _publish_tiny_sms(monkeypatch, [server.url("/sms.gz")])
    with pytest.raises(DatasetError, match="could not be downloaded"):
        datasets.load("sms")
    assert _kept(cache) == []
    assert not datasets.available("sms")


def test_a_damaged_cached_file_is_named_and_fetched_again(cache, server, monkeypatch):
    server.files["/sms.gz"] = gzip.compress(TINY_SMS)
    _publish_tiny_sms(monkeypatch, [server.url("/sms.gz")])
    (cache / "sms").mkdir(parents=True)
    path = cache / "sms/SMSSpamCollection.gz"
    path.write_bytes(gzip.compress(TINY_SMS)[:-9])
    with pytest.warns(UserWarning, match=r"SMSSpamCollection\.gz is not the published .* downloaded again"):
        assert len(datasets.load("sms").y) == 3
    assert gzip.decompress(path.read_bytes()) == TINY_SMS
    assert server.requests == {"/sms.gz": 1}


def test_an_unwritable_cache_has_its_own_sentence(cache, server, monkeypatch):
    server.files["/sms.gz"] = gzip.compress(TINY_SMS)
    _publish_tiny_sms(monkeypatch, [server.url("/sms.gz")])
    cache.parent.mkdir(parents=True)
    cache.write_text("a file where the folder should be")
    with pytest.raises(DatasetError, match=r"the cache folder .* cannot be written to .*PRIVDEMO_DATA"):
        datasets.load("sms")
    assert not server.requests


def test_a_full_disk_leaves_nothing(cache, server, monkeypatch):
    def full(source, target):
        raise OSError(28, "No space left on device")

    server.files["/sms.gz"] = gzip.compress(TINY_SMS)
    _publish_tiny_sms(monkeypatch, [server.url("/sms.gz")])
    monkeypatch.setattr(files.os, "replace", full)
    with pytest.raises(DatasetError, match=r"cannot be written to \(No space left on device\)"):
        datasets.load("sms")
    assert _kept(cache) == []


def test_a_lock_held_too_long_is_reported(cache, monkeypatch):
    _publish_tiny_sms(monkeypatch, [])
    monkeypatch.setattr(files, "LOCK_TIMEOUT_S", 0.05)
    (cache / "sms").mkdir(parents=True)
    with (
        files.FileLock(cache / "sms/SMSSpamCollection.gz.lock"),
        pytest.raises(DatasetError, match=r"another process has held .*SMSSpamCollection\.gz\.lock for 0\.05 s"),
    ):
        datasets.load("sms")


def test_threads_that_load_at_once_share_one_download_and_one_copy(cache, server, monkeypatch):
    server.files["/sms.gz"] = gzip.compress(TINY_SMS)
    server.slow_s = 0.2
    _publish_tiny_sms(monkeypatch, [server.url("/sms.gz")])
    with ThreadPoolExecutor(4) as pool:
        loaded = list(pool.map(datasets.load, ["sms"] * 4))
    assert all(dataset is loaded[0] for dataset in loaded)
    assert server.requests == {"/sms.gz": 1}


_LOAD_IN_A_PROCESS = """
import hashlib, sys
from pathlib import Path
from privdemo import datasets
from privdemo.datasets import files

cache, url, sha256 = sys.argv[1:]
files.pooch.os_cache = lambda project: Path(cache) / project
files.FILES["sms"] = (files.DataFile("sms/SMSSpamCollection.gz", sha256, (url,)),)
print("ready", flush=True)
input()
print(len(datasets.load("sms").y))
"""


def test_processes_that_load_at_once_share_one_download(cache, server):
    server.files["/sms.gz"] = gzip.compress(TINY_SMS)
    server.slow_s = 0.5
    arguments = [cache.parent, server.url("/sms.gz"), hashlib.sha256(TINY_SMS).hexdigest()]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _LOAD_IN_A_PROCESS, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    # Both have imported everything before either may start.
    assert [process.stdout.readline() for process in processes] == ["ready\n", "ready\n"]
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    assert [process.communicate(timeout=30)[0] for process in processes] == ["3\n", "3\n"]
    assert server.requests == {"/sms.gz": 1}
    assert _kept(cache) == ["SMSSpamCollection.gz"]


def test_every_published_file_has_a_hash_and_several_mirrors():
    every = [file for group in files.FILES.values() for file in group]
    assert len(every) == 7
    assert len({file.sha256 for file in every}) == 7
    for file in every:
        assert len(file.sha256) == 64
        assert len(file.urls) >= 2
        assert all(url.startswith("https://") for url in file.urls)
