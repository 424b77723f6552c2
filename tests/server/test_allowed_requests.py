"""Which requests the server accepts, and the headers of every response."""

import gzip
import re
from contextlib import closing
from http.client import HTTPConnection
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse

from pages.kit import first_screen
from pages.polls import languages, routes
from server import compression, requests, room, server_settings
from server.allowed_requests import AllowedRequests
from server.compression import CompressedFiles
from server.headers import SecurityHeaders, security_headers
from tests.server.asking import ask

PAGES = {"", "voting"}.copy


def guarded_app(app, *how):
    """Return an app behind the checks of requests, with the headers of every response."""
    return SecurityHeaders(AllowedRequests(app, *how), first_screen.scripts)


def lower_case_headers():
    return {name.lower(): value for name, value in security_headers(first_screen.scripts()).items()}.items()


@pytest.fixture
def guarded():
    return guarded_app(PlainTextResponse("the app's own"), PAGES)


@pytest.mark.parametrize("host", ["localhost", "localhost:8501", "127.0.0.1:80", "[::1]:8501", "localhost.:8501"])
def test_the_machine_itself_is_answered(guarded, host):
    assert ask(guarded, "/voting", host=host).text == "the app's own"


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "10.0.0.5:8501", "localhost..", ""])
def test_another_host_is_refused_and_hears_how_to_allow_it(guarded, host):
    answer = ask(guarded, "/voting", host=host)
    assert answer.status == 421
    assert server_settings.HOSTS in answer.text


def test_a_request_without_a_host_asks_for_none():
    assert requests.host(Headers({})) == ""


def test_hosts_that_are_named_are_answered(monkeypatch):
    monkeypatch.setenv(server_settings.HOSTS, "privdemo.example, 10.0.0.5, dot.example.")
    app = guarded_app(PlainTextResponse("the app's own"), PAGES)
    for host in ("Privdemo.example:443", "privdemo.example.", "dot.example", "dot.example.:80"):
        assert ask(app, "/voting", host=host).status == 200
    assert ask(app, "/voting", host="other.example").status == 421


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        *(
            (server_settings.HOSTS, wrong)
            for wrong in ("a.example:8501", "https://a.example", "a.example/x", "a b", "[10.0.0.5]")
        ),
        *(
            (server_settings.HOSTS, wrong)
            for wrong in (".", "-", "a..b", ".example.com", "*", "*.a.example", "straße.example")
        ),
        *(
            (server_settings.FRAMES, wrong)
            for wrong in ("'none'", "none", "https://me:hush@a.example", "https://x.example/;a")
        ),
        *(
            (server_settings.FRAMES, wrong)
            for wrong in ("https://x; script-src *", "https://x https://y", "x.example/p q", ";")
        ),
    ],
)
def test_what_is_no_host_and_no_page_that_frames_is_refused_at_start(monkeypatch, variable, value):
    monkeypatch.setenv(variable, f"good.example,{value}")
    with pytest.raises(SystemExit) as said:
        server_settings.check()
    assert re.fullmatch(f"privdemo: {variable} must hold, .* such as .*; got {re.escape(repr(value))}", str(said.value))
    assert ("wildcards are not taken, and a name with ß only" in str(said.value)) == (variable == server_settings.HOSTS)


@pytest.mark.parametrize(
    ("variable", "given", "taken"),
    [
        (server_settings.HOSTS, "2001:DB8:0::1, [::ffff:1.2.3.4]", ["[2001:db8::1]", "[::ffff:102:304]"]),
        (
            server_settings.HOSTS,
            "Prüf.example, my_host, a-b.example.",
            ["xn--prf-ioa.example", "my_host", "a-b.example."],
        ),
        (server_settings.FRAMES, "https://course.example/", ["https://course.example"]),
        (
            server_settings.FRAMES,
            "https://[::1]:80/a?b#c, x.example/y, *.z.example",
            ["https://[::1]:80", "x.example", "*.z.example"],
        ),
        *((server_settings.FRAMES, self, ["'self'", "https:"]) for self in ("self,https:", "'self', https:")),
        *((server_settings.FRAMES, none, []) for none in ("none", "'none'", "")),
    ],
)
def test_what_is_told_is_taken_as_browsers_write_it(monkeypatch, variable, given, taken):
    monkeypatch.setenv(variable, given)
    assert server_settings.checked(variable) == taken


@pytest.mark.parametrize(
    ("given", "is_good"),
    [
        *((good, True) for good in ("", "https://class.example/", "http://10.0.0.5:8501", "http://[fd00::1]:80")),
        *((bad, False) for bad in ("https://a.example/path", "a.example", "https://me:hush@a.example", "https://a?b")),
    ],
)
def test_an_address_of_the_app_that_would_lose_its_path_is_refused_at_start(monkeypatch, given, is_good):
    monkeypatch.setenv(server_settings.SITE, given)
    if is_good:
        server_settings.check()
    else:
        with pytest.raises(SystemExit, match="PRIVDEMO_URL must be an address without a path"):
            server_settings.check()


@pytest.mark.parametrize("given", ["nonsense", "tcp://10.0.0.7", "tcp://10.0.0.7:99999", "http://10.0.0.7:8786"])
def test_what_is_no_address_of_a_scheduler_is_refused_at_start(monkeypatch, given):
    monkeypatch.setenv(server_settings.SCHEDULER, "tcp://[::1]:8786")
    server_settings.check()
    monkeypatch.setenv(server_settings.SCHEDULER, given)
    with pytest.raises(SystemExit) as said:
        server_settings.check()
    wanted = "an address such as tcp://10.0.0.7:8786, its port in [1, 65535]"
    assert str(said.value) == f"privdemo: {server_settings.SCHEDULER}: the scheduler must be {wanted}; got {given!r}"


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [
        *(("/voting", "TRACE", 405), ("/voting", "POST", 405), ("/_stcore/upload_file/visit/file", "TRACE", 405)),
        *(("/_stcore/upload_file/visit/file", method, 403) for method in ("PUT", "DELETE")),
        *((path, "OPTIONS", 204) for path in ("/voting", "/_stcore/health", "/_stcore/upload_file/visit/file")),
        *(("/_stcore/upload_file/visit/file", "POST", 405), ("/nowhere", "POST", 404), ("/nowhere", "OPTIONS", 404)),
    ],
)
def test_what_an_address_takes_is_said_where_it_is_asked_and_where_something_else_is(guarded, path, method, status):
    answer = ask(guarded, path, method)
    assert answer.status == status
    takes = "PUT, DELETE, OPTIONS" if "upload" in path else "GET, HEAD, OPTIONS"
    assert answer.headers.get("allow") == (takes if status in (204, 405) else None)


@pytest.mark.parametrize(
    ("origin", "host", "from_here"),
    [
        *(("", "localhost", False), ("null", "localhost", False), ("http://[::1", "[::1]", False)),
        *(("http://localhost", "localhost", True), ("http://[::1]:8501", "[::1]:8501", True)),
        *(("http://localhost:8000", "localhost:8501", False), ("http://localhost", "localhost:8501", False)),
        *(("http://evil.example", "localhost", False), ("http://localhost.evil.example", "localhost", False)),
        *(("https://localhost", "localhost", True), ("https://localhost", "localhost:443", True)),  # behind a proxy
    ],
)
def test_connections_and_files_come_from_a_page_of_this_server(guarded, origin, host, from_here):
    given = {"host": host} | ({"origin": origin} if origin else {})
    connection = ask(guarded, "/_stcore/stream", kind="websocket", **given)
    files = [ask(guarded, "/_stcore/upload_file/visit/file", method, **given) for method in ("PUT", "DELETE")]
    assert [connection.status, *(file.status for file in files)] == ([200] * 3 if from_here else [1008, 403, 403])
    assert from_here or "its own pages only" in files[0].text


def test_a_connection_that_is_refused_hears_why_with_the_headers_of_every_answer(guarded):
    answer = ask(guarded, "/_stcore/stream", kind="websocket", extensions=("websocket.http.response",))
    assert (answer.status, "from a page of this server" in answer.text) == (403, True)
    assert answer.headers.items() >= lower_case_headers()


def test_routes_refuse_for_themselves_and_bring_a_policy_of_their_own():
    app = PlainTextResponse("the route's own", headers={"Content-Security-Policy": "default-src 'none'"})
    guarded = guarded_app(app, PAGES, re.compile("p/[^/]+"))
    assert ask(guarded, "/p/BCDFG", "OPTIONS").text == "the route's own"
    answer = ask(guarded, "/p/BCDFG", "POST", origin="http://evil.example")
    assert (answer.text, answer.headers["content-security-policy"]) == ("the route's own", "default-src 'none'")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert ask(guarded, "/p/BCDFG", host="evil.example").status == 421
    assert ask(guarded, "/p/BCDFG/nowhere").status == ask(guarded, "/voting/p/BCDFG").status == 404


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/voting?a=" + 32_755 * "b", None),
        ("/voting?a=" + 32_761 * "b", "32,770 characters, and 8,192 are allowed"),
        ("/nowhere?a=" + 200_000 * "b", "200,010 characters, and 8,192 are allowed"),
        ("/voting?" + 999 * "a=1&" + "a", None),
        ("/voting?" + 1_000 * "a=1&" + "a", "1,001 settings, and 1,000 are allowed"),
    ],
)
def test_links_that_are_too_long_are_refused_with_a_sentence(guarded, path, said):
    answer = ask(guarded, path)
    assert answer.status == (414 if said else 200)
    assert (said or "the app's own") in answer.text
    assert not said or f"<a href='/{'voting' if 'voting' in path else ''}'>" in answer.text


def test_the_server_reads_a_long_link_so_that_it_can_refuse_it(address):
    with pytest.raises(HTTPError, match="414") as refused:
        urlopen(f"{address}/voting?a={200_000 * 'b'}")
    assert "This link has 200,009 characters" in refused.value.read().decode()


@pytest.mark.parametrize(
    ("path", "status"),
    [
        *(("/", 200), ("/voting", 200), ("/voting?lie=0.3", 200), ("/favicon.png", 200)),
        *(("/_stcore/health", 200), ("/nowhere", 404), ("/voting/nowhere", 404), ("/.env", 404)),
        *(("/_stcore/metrics", 404), ("/index.html", 404), ("//voting", 404), ("/voting\0", 404)),
    ],
)
def test_what_is_not_there_is_not_found(guarded, path, status):
    assert ask(guarded, path).status == status


PATHS = {
    200: "/ /voting /favicon.png /_stcore/health /_stcore/host-config /p /p/",
    404: (
        "/nope /voting/nope //voting /static /static/js /static/js/nope.js /index.html /.env /app.py /app/static/nope "
        "/_stcore/nope /voting/_stcore/nope /voting/_stcore/health /_stcore/script-health-check /_stcore/stream "
        "/_stcore/agent/mcp /_stcore/agent/openapi.json /_stcore/upload_file/a/b /auth/x /auth/login /oauth2callback "
        "/media/nope /component/nope/x.js /_stcore/bidi-components/nope/x.js /../etc/passwd /%2e%2e/etc/passwd "
        "/p/BBBBB /p/BBBBB/now /p/BBBBB/nope "
        "/static/../../app.py /static/%2e%2e/%2e%2e/app.py /static/..%2f..%2fapp.py /%5c%5chost%5cx /voting%00"
    ),
}


def test_what_the_app_itself_answers(address):
    found = {200: [], 404: []}
    with closing(HTTPConnection(address.removeprefix("http://"))) as server:
        for path in " ".join(PATHS.values()).split():
            server.request("GET", path)
            answer = server.getresponse()
            answer.read()
            found.setdefault(answer.status, []).append(path)
    assert found == {status: paths.split() for status, paths in PATHS.items()}


def test_words_of_an_address_are_shown_as_words(guarded):
    assert "<script>" not in ask(guarded, "/<script>alert(1)</script>").text


def test_figures_of_the_server_are_for_those_who_ask_for_them(guarded, monkeypatch):
    monkeypatch.setenv(server_settings.METRICS, "1")
    assert ask(guarded, "/_stcore/metrics").status == 200


@pytest.mark.parametrize("path", ["/voting", "/nowhere"])
def test_every_answer_has_the_headers(guarded, path):
    found = ask(guarded, path).headers
    policy = dict(part.split(" ", 1) for part in found["content-security-policy"].split("; "))
    assert policy["default-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["object-src"] == "'none'"
    assert "unsafe" not in policy["script-src"]
    assert found["x-content-type-options"] == "nosniff"
    assert found["referrer-policy"] == "same-origin"
    assert "camera=()" in found["permissions-policy"]


def test_a_course_page_that_is_named_may_show_the_app_in_a_frame(monkeypatch):
    monkeypatch.setenv(server_settings.FRAMES, "https://course.example")
    server_settings.check()
    assert "frame-ancestors https://course.example" in dict(lower_case_headers())["content-security-policy"]


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [
        *(
            (refusing, False)
            for refusing in ("gzip;q=0", "x-gzip;q=0", "gzip ;q=0.0,*", "br, GZIP; Q=0", "notgzip", "")
        ),
        *((taking, True) for taking in ("br, GZIP ; q=0.5", "x-gzip", "gzip;q=0.001", "br;q=0, gzip")),
    ],
)
def test_the_app_packs_for_who_can_unpack(address, accepted, packed):
    script = next(name for name in compression._files() if name.endswith(".js"))
    found = []
    with closing(HTTPConnection(address.removeprefix("http://"))) as server:
        for path in (f"/{script}", "/voting"):
            server.request("GET", path, headers={"Accept-Encoding": accepted})
            answer = server.getresponse()
            found.append((answer.status, answer.headers.get("Content-Encoding"), answer.read()[:2] == b"\x1f\x8b"))
    assert found == [(200, "gzip" if packed else None, packed)] * 2


@pytest.mark.parametrize("path", ["/static/../index.html", "/static/js/none.js", "/static/media/x.woff2", "/voting"])
def test_only_scripts_and_style_sheets_are_packed(path):
    assert (
        ask(CompressedFiles(PlainTextResponse("the app's own")), path, accept_encoding="gzip").text == "the app's own"
    )


def test_a_packed_file_is_the_file():
    script = next(file for file in compression._files().values() if file.suffix == ".js")
    answer = ask(
        CompressedFiles(PlainTextResponse("the app's own")), f"/static/js/{script.name}", accept_encoding="gzip"
    )
    assert gzip.decompress(answer.body) == script.read_bytes()
    assert "immutable" in answer.headers["cache-control"]


# --- polls that are open to the room -------------------------------------------------------------

ROOM_HOST = "192.168.1.20"


@pytest.fixture
def opened_room():
    found = room.Room()
    found.open("BCDFG", ROOM_HOST, 8501, 60, ())
    return found


async def say_host(scope, receive, send):
    """Answer with the host of the room that the scope of a request holds."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    await PlainTextResponse(scope.get(room.HOST, "no host of the room"))(scope, receive, send)


@pytest.fixture
def guarded_room(opened_room):
    return guarded_app(say_host, PAGES, routes.ADDRESS, opened_room)


@pytest.mark.parametrize("path", ["/p", "/p/", "/P/bcdfg", "/p/BCDFG", "/p/BCDFG/", "/p/BCDFG/now", "/p/ZZZZZ"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS"])
def test_routes_are_asked_under_the_host_of_the_room_and_told_so(guarded_room, opened_room, path, method):
    """They refuse other polls themselves, and count that as a guess."""
    answer = ask(guarded_room, path, method, host=f"{ROOM_HOST}:8501")
    assert (answer.status, answer.text) == (200, ROOM_HOST)
    assert ask(guarded_room, path, method).text == "no host of the room"
    opened_room.close("BCDFG")
    refused = ask(guarded_room, path, method, host=f"{ROOM_HOST}:8501")
    assert refused.status == 421


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/voting",
        "/poll",
        "/favicon.png",
        "/_stcore/health",
        "/_stcore/host-config",
        "/_stcore/metrics",
        "/media/x",
        "/static/js/x.js",
        "/_stcore/upload_file/a/b",
        "/p/BCDFG/more",
        "/p//",
        "/p/BCDFG/now/more",
        "/x/p/BCDFG",
        "//p/BCDFG",
        "/p/BCDFG/../voting",
        "/px",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_else_is_answered_under_the_host_of_the_room(guarded_room, path, method):
    answer = ask(guarded_room, path, method, host=f"{ROOM_HOST}:8501", origin=f"http://{ROOM_HOST}:8501")
    assert answer.status == 421
    assert "Only a poll is open here" in answer.text


@pytest.mark.parametrize("language", languages.LANGUAGES)
def test_a_telephone_reads_in_its_language_what_it_finds_at_the_host_of_the_room(opened_room, language):
    app = guarded_app(say_host, PAGES, routes.ADDRESS, opened_room, routes.at_other_host)

    def said(path):
        answer = ask(app, path, host=f"{ROOM_HOST}:8501", accept_language=f"{language}-XX, xx")
        assert (answer.status, answer.headers["content-language"]) == (421, language)
        assert "accept-language" in answer.headers["vary"].lower()
        return answer.text

    assert f'<a href="/p/">{languages.sentence(language, "join")}</a>' in said("/")
    opened_room.close("BCDFG")
    closed = said("/p/BCDFG")
    assert languages.sentence(language, "room_closed") in closed
    assert f'<html lang="{language}">' in closed
    assert server_settings.HOSTS in closed.partition('<p lang="en">')[2]
    app_itself = ask(app, "/", host=f"{ROOM_HOST}:8501", accept_language=language)
    assert (app_itself.status, app_itself.headers["content-language"]) == (421, "en")


@pytest.mark.parametrize("path", ["/_stcore/stream", "/p/BCDFG"])
def test_no_connection_is_taken_under_the_host_of_the_room(guarded_room, path):
    given = {"host": f"{ROOM_HOST}:8501", "origin": f"http://{ROOM_HOST}:8501"}
    assert ask(guarded_room, path, kind="websocket", **given).status == 1008


@pytest.mark.parametrize("host", ["192.168.1.21", "192.168.1.20.evil.example", "evil.example", ""])
def test_other_hosts_are_refused_as_before_while_a_poll_is_open_to_the_room(guarded_room, host):
    answer = ask(guarded_room, "/p/BCDFG", host=host)
    assert answer.status == 421
    assert server_settings.HOSTS in answer.text


def test_a_host_that_is_named_answers_with_everything_though_a_poll_is_open_there(monkeypatch, opened_room):
    monkeypatch.setenv(server_settings.HOSTS, ROOM_HOST)
    app = guarded_app(say_host, PAGES, routes.ADDRESS, opened_room)
    for path in ("/voting", "/p/ZZZZZ"):
        assert ask(app, path, host=ROOM_HOST).text == "no host of the room"
