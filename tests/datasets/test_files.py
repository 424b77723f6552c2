"""Test that files are read from a named folder or the cache, downloaded once, verified, and refused if damaged."""

import gzip
import hashlib
import io
import threading
import time
import zipfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from privdemo import datasets, limits
from privdemo.datasets import DatasetError, files

SMS = b"ham\tsee you at noon\nspam\tWIN cash now\nham\tsee cash at noon\n"
OTHER = b"ham\tsomething else\n"
PACKED = gzip.compress(SMS, mtime=0)
PATH = "sms/SMSSpamCollection.gz"
REFUSED = "http://127.0.0.1:1/refused.gz"


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def zipped(member, content):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("readme", "Read me first.")
        archive.writestr(member, content)
    return buffer.getvalue()


class Handler(BaseHTTPRequestHandler):
    """Serve `files` on 127.0.0.1 after `slow_s` seconds, count `requests`, and announce `extra` bytes too many."""

    def do_GET(self):
        self.server.requests[self.path] += 1
        time.sleep(self.server.slow_s)
        body = self.server.files.get(self.path)
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
    """Return a mirror that serves `SMS` at /sms.gz, and other content at /other.gz."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.files, server.requests = {"/sms.gz": PACKED, "/other.gz": gzip.compress(OTHER, mtime=0)}, Counter()
        server.slow_s, server.extra = 0.0, 0
        server.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def publish(server, monkeypatch):
    """Return a function that publishes `SMS` as the SMS collection, at paths of the mirror or at whole addresses.

    No data set is loaded yet. At first the collection is published at /sms.gz.
    """
    monkeypatch.setattr(datasets, "_loaded", {})

    def at(*urls):
        urls = tuple(server.url + url if url.startswith("/") else url for url in urls)
        monkeypatch.setitem(files.FILES, "sms", (files.DataFile(PATH, sha256(SMS), urls),))
        return urls

    at("/sms.gz")
    return at


@pytest.fixture
def folder(publish, monkeypatch, tmp_path):
    """Return a folder without files that PRIVDEMO_DATA names."""
    monkeypatch.setenv("PRIVDEMO_DATA", str(tmp_path))
    (tmp_path / "sms").mkdir()
    return tmp_path


@pytest.fixture
def cache(publish, monkeypatch, tmp_path):
    """Return the user's empty cache folder, with PRIVDEMO_DATA unset."""
    monkeypatch.delenv("PRIVDEMO_DATA", raising=False)
    monkeypatch.setattr(files.pooch, "os_cache", lambda project: tmp_path / "cache" / project)
    monkeypatch.setattr(files, "PAUSE_S", 0.0)
    return tmp_path / "cache" / "privdemo"


def stored_files(cache):
    """Return the names of the data files (not the locks) in the cache."""
    return [path.name for path in cache.rglob("*") if path.is_file() and path.suffix != ".lock"]


def test_a_file_in_the_named_folder_is_used(folder):
    assert not datasets.available("sms")
    (folder / PATH).write_bytes(PACKED)
    assert datasets.available("sms")
    sms = datasets.load("sms")
    assert sms.feature_names == ("at", "cash", "noon", "see"), "words of at least two messages"
    assert sms.X.toarray().tolist() == [[1, 0, 1, 1], [0, 1, 0, 0], [1, 1, 1, 1]]
    assert sms.y.tolist() == [0, 1, 0]
    assert datasets.location("sms") == folder / "sms"


WRONG = f"is not the published SMSSpamCollection: expected content with SHA-256 {sha256(SMS)}, got "
DAMAGED = WRONG + "a damaged or wrong archive"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (None, f"{PATH} is missing from "),
        (gzip.compress(OTHER, mtime=0), f"{WRONG}SHA-256 {sha256(OTHER)}; replace it, or unset PRIVDEMO_DATA"),
        (PACKED[:-20], DAMAGED),
        (PACKED[:15] + b"\0\0\0\0" + PACKED[19:], DAMAGED),
        (zipped("another", SMS), DAMAGED),
    ],
    ids=["missing", "other", "short", "holes", "zip of another"],
)
def test_a_file_that_is_missing_or_wrong_is_refused_and_nothing_is_downloaded(folder, server, raw, message):
    path = folder / PATH
    if raw is not None:
        path.write_bytes(raw)
    with pytest.raises(DatasetError) as refusal:
        datasets.load("sms")
    assert message in str(refusal.value)
    assert str(folder) in str(refusal.value)
    path.write_bytes(PACKED)
    assert len(datasets.load("sms").y) == 3, "a correct file loads after a refused one"
    assert not server.requests


def test_nothing_is_available_without_files_or_network(cache, monkeypatch):
    assert [name for name in datasets.DATASETS if datasets.available(name)] == ["digits", "breast_cancer"]
    assert (datasets.location("mnist"), datasets.location("digits")) == (cache / "mnist", None)
    with pytest.raises(ValueError, match="unknown data set 'foo': choose one of mnist, digits, adult"):
        datasets.load("foo")
    monkeypatch.setenv("PRIVDEMO_DATA", str(cache / "nowhere"))
    assert not datasets.available("sms")
    with pytest.raises(DatasetError, match=r"PRIVDEMO_DATA names the folder .*nowhere, which does not exist"):
        datasets.load("sms")


@pytest.mark.parametrize("raw", [PACKED, SMS, zipped("SMSSpamCollection", SMS)], ids=["gzip", "plain", "zip"])
def test_a_download_is_verified_stored_and_not_repeated(cache, server, raw):
    server.files["/sms.gz"] = raw
    for _ in range(2):
        assert len(datasets.load("sms").y) == 3
        datasets._loaded.clear()
    assert stored_files(cache) == ["SMSSpamCollection.gz"]
    assert gzip.decompress((cache / PATH).read_bytes()) == SMS
    assert datasets.available("sms")
    assert server.requests == {"/sms.gz": 1}


def test_a_bad_mirror_is_skipped(cache, server, publish):
    publish(REFUSED, "/absent.gz", "/other.gz", "/sms.gz")
    assert len(datasets.load("sms").y) == 3
    assert server.requests == {"/absent.gz": 1, "/other.gz": 1, "/sms.gz": 1}


def test_the_error_names_every_mirror_that_was_tried_and_a_remedy(cache, server, publish):
    urls = publish("/absent.gz", "/other.gz", REFUSED)
    with pytest.raises(DatasetError) as refusal:
        datasets.load("sms")
    message = str(refusal.value)
    assert message.startswith(f"{PATH} could not be downloaded. Tried http://")
    for part in (*urls, "(404 ", "(ConnectionError)", sha256(SMS), f"set PRIVDEMO_DATA to a folder that holds {PATH}"):
        assert part in message
    assert server.requests == {"/absent.gz": files.ATTEMPTS, "/other.gz": files.ATTEMPTS}
    assert stored_files(cache) == []


@pytest.mark.parametrize(
    ("limit", "most", "refusal"),
    [("DOWNLOAD_BYTES", 30, "sends more than 30 bytes"), ("DOWNLOAD_UNPACKED", 40, "more than 40 bytes unpacked")],
)
@pytest.mark.parametrize("raw", [PACKED, SMS, zipped("SMSSpamCollection", SMS)], ids=["gzip", "plain", "zip"])
def test_a_mirror_that_sends_too_much_is_refused(cache, server, monkeypatch, limit, most, refusal, raw):
    server.files["/sms.gz"] = raw
    monkeypatch.setattr(files.limits, limit, limits.Limit(limit, 1, most, integer=True))
    with pytest.raises(DatasetError, match=refusal):
        datasets.load("sms")
    assert stored_files(cache) == []


def test_an_interrupted_download_stores_nothing(cache, server):
    server.files["/sms.gz"], server.extra = PACKED[:30], 40
    with pytest.raises(DatasetError, match="could not be downloaded"):
        datasets.load("sms")
    assert (stored_files(cache), datasets.available("sms")) == ([], False)


def test_a_damaged_cached_file_is_named_and_downloaded_again(cache, server):
    (cache / "sms").mkdir(parents=True)
    (cache / PATH).write_bytes(PACKED[:-9])
    with pytest.warns(UserWarning, match=r"SMSSpamCollection\.gz is not the published .* downloaded again"):
        assert len(datasets.load("sms").y) == 3
    assert gzip.decompress((cache / PATH).read_bytes()) == SMS
    assert server.requests == {"/sms.gz": 1}


def test_a_full_disk_stores_nothing(cache, monkeypatch):
    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "replace", full)
    with pytest.raises(DatasetError, match=r"cannot be written to \(No space left on device\)"):
        datasets.load("sms")
    assert stored_files(cache) == []


# `contents` locks the file alone, for other processes; `load` keeps one copy for all threads of this one.
@pytest.mark.parametrize("load", [datasets.load, files.contents])
def test_concurrent_loads_share_one_download_and_one_copy(cache, server, load):
    server.slow_s = 0.2
    with ThreadPoolExecutor(4) as pool:
        loaded = list(pool.map(load, ["sms"] * 4))
    assert all(one is loaded[0] for one in loaded) if load is datasets.load else loaded == [[SMS]] * 4
    assert server.requests == {"/sms.gz": 1}


def test_every_published_file_has_a_hash_and_several_mirrors():
    every = [file for group in files.FILES.values() for file in group]
    assert len({file.sha256 for file in every}) == len(every) == 7
    for file in every:
        assert (len(file.sha256), len(file.urls) >= 2) == (64, True)
        assert all(url.startswith("https://") for url in file.urls)
