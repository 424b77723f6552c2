"""Messages of a browser are bounded before Streamlit reads them."""

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from privdemo import limits
from server.messages import NOT_TAKEN, TOO_BIG, Messages, RefusedMessageError, checked
from tests.server.asking import in_a_loop

TEXT, JSON = int(limits.TEXT_LENGTH.high), int(limits.JSON_LENGTH.high)


def message(query="", **values):
    """Return a browser's message with one widget for each value, named by its field."""
    found = BackMsg()
    found.rerun_script.query_string = query
    for field, value in values.items():
        widget = found.rerun_script.widget_states.widgets.add(id=field)
        if field == "string_array_value":
            widget.string_array_value.data.extend(value)
        elif field == "string_trigger_value":
            widget.string_trigger_value.data = value
        else:
            setattr(widget, field, value)
    return found.SerializeToString()


def read(data):
    found = BackMsg()
    found.ParseFromString(data)
    return found.rerun_script


def test_short_texts_stay_as_they_are():
    sent = message(
        "a=1",
        string_value="x" * TEXT,
        json_value="{}",
        json_trigger_value="[]",
        string_array_value=["a", "b"],
        double_value=1,
    )
    assert checked(sent) == sent


@pytest.mark.parametrize("letter", ["a", " ", "\u0301", "\\", "👍"])
@pytest.mark.parametrize("field", ["string_value", "string_trigger_value"])
def test_a_long_text_is_cut_to_one_character_too_many(field, letter):
    (widget,) = read(checked(message(**{field: letter * (2 * TEXT)}))).widget_states.widgets
    value = widget.string_value or widget.string_trigger_value.data
    assert value == letter * (TEXT + 1)


def test_what_is_no_text_and_too_long_is_left_out_with_its_widget():
    sent = message(json_value="1" * JSON, string_array_value=["a"] * JSON, bytes_value=b"1" * JSON, bool_value=True)
    assert [widget.id for widget in read(checked(sent)).widget_states.widgets] == ["bool_value"]


@pytest.mark.parametrize(
    "text", ["", "a", '"a"', "[", "[" * 900 + "]" * 900, "1", "null", '{"a": ' + "[" * 30 + "]" * 30 + "}"]
)
def test_json_that_no_component_sends_is_left_out_with_its_widget(text):
    sent = message(json_value=text, json_trigger_value=text, bool_value=True)
    assert [widget.id for widget in read(checked(sent)).widget_states.widgets] == ["bool_value"]


@pytest.mark.parametrize(("depth", "is_taken"), [(20, True), (21, False)])
def test_lists_within_one_another_are_taken_up_to_a_depth(depth, is_taken):
    sent = message(json_value='{"a": ' + "[" * depth + "]" * depth + "}")
    assert len(read(checked(sent)).widget_states.widgets) == is_taken


def test_a_long_address_is_cut_to_one_character_too_many():
    most = int(limits.ADDRESS_BYTES.high)
    assert read(checked(message("a" * (most + 100)))).query_string == "a" * (most + 1)


def test_messages_too_long_as_a_whole_are_refused():
    with pytest.raises(RefusedMessageError, match="may have 1,000,000 bytes, this one has 1,000,001"):
        checked(bytes(1_000_001))
    many = BackMsg()
    for number in range(1_001):
        many.rerun_script.widget_states.widgets.add(id=str(number), string_value="abcdefghi")
    with pytest.raises(RefusedMessageError, match="may have 1,000 widgets, this one has 1,001"):
        checked(many.SerializeToString())


def test_only_what_a_page_of_the_app_needs_is_handed_on():
    for ignored in ("clear_cache", "app_heartbeat", "load_git_info", "debug_shutdown_runtime"):
        assert checked(BackMsg(**{ignored: True}).SerializeToString()) is None, ignored
    assert checked(stop := BackMsg(stop_script=True).SerializeToString()) == stop
    download = BackMsg()
    download.backend_operation_request.deferred_file.file_id = "a"
    assert checked(download.SerializeToString()) == download.SerializeToString()
    download.backend_operation_request.install_skills.SetInParent()
    assert checked(download.SerializeToString()) is None
    files = BackMsg()
    files.file_urls_request.file_names.append("a.csv")
    assert checked(files.SerializeToString()) == files.SerializeToString()
    files.file_urls_request.file_names[0] = "a" * TEXT
    assert checked(files.SerializeToString()) is None
    files.file_urls_request.file_names[:] = [""] * 400_000
    with pytest.raises(RefusedMessageError, match="may have 2 files, this one has 400,000"):
        checked(files.SerializeToString())


@pytest.mark.parametrize("field", ["fragment_id", "page_name", "page_script_hash"])
def test_names_of_a_message_are_bounded(field):
    sent = BackMsg()
    setattr(sent.rerun_script, field, "a" * (TEXT + 1))
    with pytest.raises(RefusedMessageError, match="characters of names"):
        checked(sent.SerializeToString())


def test_all_json_of_a_message_together_is_bounded():
    sent = BackMsg()
    for number in range(12):
        sent.rerun_script.widget_states.widgets.add(id=str(number), json_value='{"a": "' + "x" * (JSON // 10) + '"}')
    assert len(read(checked(sent.SerializeToString())).widget_states.widgets) == 9


def test_a_message_to_be_ignored_is_passed_over():
    coming = [{"type": "websocket.receive", "bytes": BackMsg(clear_cache=True).SerializeToString()}]
    coming += [{"type": "websocket.receive", "bytes": message()}, {"type": "websocket.disconnect", "code": 1001}]
    received = []

    async def app(scope, receive, send):
        received.extend([await receive(), await receive()])

    async def receive():
        return coming.pop(0)

    in_a_loop(Messages(app)({"type": "websocket"}, receive, None))
    assert [one["type"] for one in received] == ["websocket.receive", "websocket.disconnect"]


@pytest.mark.parametrize(
    ("sent", "code"),
    [({"text": "hello"}, NOT_TAKEN), ({"bytes": b"\xff\xff"}, NOT_TAKEN), ({"bytes": bytes(1_000_001)}, TOO_BIG)],
    ids=["text", "no message", "long"],
)
def test_a_connection_is_closed_after_what_is_not_taken(sent, code):
    received, answers = [], []

    async def app(scope, receive, send):
        received.append(await receive())
        await send({"type": "websocket.send", "bytes": b"more"})

    async def receive():
        return {"type": "websocket.receive", **sent}

    async def send(answer):
        answers.append(answer)

    in_a_loop(Messages(app)({"type": "websocket"}, receive, send))
    assert [(answer["type"], answer["code"]) for answer in answers] == [("websocket.close", code)]
    assert received == [{"type": "websocket.disconnect", "code": code}]
