"""What the Docker files say, without running them: `make docker-steps` runs what they say."""

import re
import subprocess
import sys
import threading
import tomllib
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
import yaml

from deploy.replicas import free_ports
from tests.deploy import dockerfile
from tests.documents import ROOT

STEPS = dockerfile.steps((ROOT / "Dockerfile").read_text())
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["privdemo"]


def of(name):
    return [step for step in STEPS if step.name == name]


def test_docker_sees_what_runs_and_nothing_of_data_tests_and_caches(tmp_path):
    (tmp_path / ".dockerignore").write_text((ROOT / ".dockerignore").read_text())
    runs = {
        "app.py",
        "Makefile",
        "deploy/haproxy.cfg",
        "pages/kit/page.py",
        "privdemo/results/a.csv",
        ".streamlit/a.toml",
    }
    not_ours = {
        "data/mnist/a.gz",
        ".git/config",
        ".venv/bin/python",
        ".venv-oldest/a",
        "tests/a.py",
        "docs/a.md",
        "a.csv",
    }
    caches = {
        "pages/__pycache__/a.pyc",
        "pages/a.pyc",
        "privdemo/.mypy_cache/a",
        ".hypothesis/a",
        "privdemo.egg-info/a",
    }
    for file in runs | not_ours | caches | {".streamlit/secrets.toml", "pages/screenshots_cache/a"}:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    assert set(dockerfile.context(tmp_path)) == runs
    dockerfile.copy(dockerfile.Step("COPY", "app.py Makefile ./"), tmp_path, tmp_path / "root", "/privdemo")
    assert {path.name for path in (tmp_path / "root/privdemo").iterdir()} == {"app.py", "Makefile"}
    with pytest.raises(ValueError, match="data is no file"):
        dockerfile.copy(dockerfile.Step("COPY", "data /data"), tmp_path, tmp_path / "root", "/")


def test_every_file_is_in_the_image_but_those_that_do_not_run():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    there = {file for file in listed.stdout.split() if (ROOT / file).exists()}
    left_out = {file.split("/")[0] for file in there - set(dockerfile.context(ROOT))}
    docker = {"Dockerfile", ".dockerignore", "compose.yaml"}
    others = {".ci", ".github", ".gitignore", "CHANGELOG.md", "docs", "requirements-test.txt", "tests"}
    assert left_out == others | docker


def test_the_image_has_all_extras_and_its_user_is_not_root():
    (extras,) = re.findall(r"pip install --quiet '\.\[(.*)\]'", str(of("RUN")))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(extras.split(",")) == set(project["optional-dependencies"])
    assert [step.words for step in of("USER")] == ["nobody"]
    assert STEPS.index(of("USER")[0]) > STEPS.index(of("RUN")[-1]), "what is built is root's"
    assert "XDG_DATA_HOME=/polls" in [step.words for step in of("ENV")]
    assert "polls:/polls" in COMPOSE["volumes"]


def test_a_line_that_would_go_untried_is_refused():
    for line in ("ADD a b", "COPY --chown=nobody . .", 'SHELL ["bash"]'):
        with pytest.raises(ValueError, match="is not tried"):
            dockerfile.steps(f"FROM debian:bookworm-slim\n{line}")
    (step,) = dockerfile.steps("# a comment\nRUN a && \\\n  b\n")
    assert step.command() == ["/bin/sh", "-c", "a &&    b"]


def test_the_port_is_the_same_everywhere():
    (port,) = re.findall(r"^PORT \?= (\d+)$", (ROOT / "Makefile").read_text(), re.M)
    assert of("EXPOSE")[0].words == port
    assert COMPOSE["ports"] == [f"{port}:{port}"]
    assert f"('127.0.0.1', {port}," in of("HEALTHCHECK")[0].words


@contextmanager
def answering(status):
    """The port of a server that answers with a status and keeps what it was asked."""

    class Server(BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.path = self.path
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_):
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


def is_healthy(port):
    """What the check of the Dockerfile says of a port; a proxy in the environment makes no difference."""
    python, *words = of("HEALTHCHECK")[0].command()
    assert python == ".venv/bin/python"
    command = [sys.executable, *(word.replace("8501", str(port)) for word in words)]
    elsewhere = {"http_proxy": "http://127.0.0.1:1"}
    return subprocess.run(command, stderr=subprocess.DEVNULL, env=elsewhere, timeout=20).returncode == 0


def test_the_check_says_healthy_only_of_a_server_that_is():
    for status, is_well in ((200, True), (503, False), (404, False)):
        with answering(status) as server:
            assert is_healthy(server.server_port) == is_well
            assert server.path == "/_stcore/health"
    assert not is_healthy(*free_ports(1))
    step = of("HEALTHCHECK")[0]
    answers_within = float(re.search(r"timeout=(\d+)\)", step.words)[1])
    assert answers_within < dockerfile.seconds(step.option("timeout"))


def test_compose_passes_on_what_is_set_and_else_what_stands_there():
    text = (ROOT / "compose.yaml").read_text()
    assert dockerfile.environment(text)["REPLICAS"] == "2"
    assert dockerfile.environment(text, REPLICAS="4", PRIVDEMO_URL="http://a")["REPLICAS"] == "4"
    assert dockerfile.environment(text)["PRIVDEMO_SCHEDULER"] == ""
