"""The page of a teacher whose class answers on telephones: what it shows, to whom, and that its secret stays one."""

from itertools import islice, product

import pytest
from streamlit.testing.v1 import AppTest

from pages.kit import owned_poll
from pages.kit.present import read_position
from pages.polls.bucket import Guesses
from pages.polls.rules import DatabaseUnavailable, NoSuchPoll, PollClosed, PollError
from pages.polls.store import Store
from pages.topics.poll import join, reach
from pages.topics.poll.controls import room, telephones
from pages.topics.poll.question import REHEARSAL, TELEPHONES
from privdemo import limits
from privdemo.experiments.poll import PollConfig
from server.firewall import Firewall
from server.own_computer import Connection, OwnAddress
from server.room import Room
from tests.pages.topics.test_poll import join_words
from tests.pages.visiting import html as markup
from tests.pages.visiting import takeaway, visit


@pytest.fixture
def store(monkeypatch, tmp_path) -> Store:
    made = Store(f"sqlite:///{tmp_path / 'polls.db'}")
    monkeypatch.setattr(telephones, "store", lambda: made)
    return made


def spoken(at: AppTest) -> str:
    """All Markdown of a page."""
    return "\n".join(text.value for text in at.markdown)


def opened(store: Store, **more: str) -> tuple[AppTest, str]:
    """The page of a teacher who has opened a poll, and its code."""
    at = visit("poll", way=TELEPHONES, **more)
    assert "Open the poll" in takeaway(at)
    at.button(key="poll-open").click().run()
    assert not at.exception
    return at, at.session_state["poll_owned"][0]


def test_answers_arrive_are_read_and_asked_for_again(store):
    at, code = opened(store, asked="<b>Is</b> it so?")
    assert f"**{code}**, open" in spoken(at)
    assert "<b>Is" not in "".join(text.value for text in at.markdown)
    for i in range(40):
        store.answer(code, 1, i % 2, f"{i:032d}")
    at.run()
    assert "<b>40</b> have answered" in join_words(at)
    at.segmented_control(key="step").set_value("Asking everybody again").run()
    at.button(key="poll-again").click().run()
    assert store.poll(code).round == 2
    assert "The 2nd time, <b>0 people</b> answered." in takeaway(at)
    assert telephones._csv(*at.session_state["poll_owned"], PollConfig(("=Yes", "No"))).splitlines()[:2] == [
        "time,answer",
        "1,'=Yes",
    ]
    at.button(key="poll-close").click().run()
    with pytest.raises(PollClosed):
        store.answer(code, 2, 0, "x" * 32)
    assert at.button(key="poll-again").disabled
    at.button(key="poll-delete-now").click().run()
    with pytest.raises(NoSuchPoll):
        store.poll(code)
    assert "Open the poll" in takeaway(at)


def test_the_secret_is_on_no_screen_in_no_link_and_in_no_file(store):
    at, code = opened(store)
    store.answer(code, 1, 0, "x" * 32)
    at.run()
    _, secret = at.session_state["poll_owned"]
    everything = "".join(text.value for text in at.markdown) + markup(at) + str(dict(at.query_params))
    assert secret not in everything
    at.button(key="project").click().run()
    assert secret not in str(dict(at.query_params)) + "".join(
        step.say for step in read_position("".join(at.query_params["present"])).lecture.steps
    )


def test_who_knows_the_code_alone_sees_nothing(store):
    _, code = opened(store)
    store.answer(code, 1, 0, "x" * 32)
    other = visit("poll", way=TELEPHONES, poll=code)
    assert "Open the poll" in takeaway(other)
    other.session_state["poll_owned"] = (code, "stolen")
    other.run()
    assert "Open the poll" in takeaway(other)
    assert "There is no poll of this code and owner" in other.error[0].value
    assert store.poll(code).is_open


def test_a_poll_that_has_vanished_is_said_to_have(store):
    at, _ = opened(store)
    store.delete(*at.session_state["poll_owned"])
    at.run()
    assert "There is no poll of this code and owner" in at.error[0].value
    assert "Open the poll" in takeaway(at)


def test_a_poll_that_cannot_be_read_for_a_moment_is_not_lost(store, monkeypatch):
    def fail(*_: object) -> None:
        raise DatabaseUnavailable

    at, code = opened(store)
    with monkeypatch.context() as broken:
        broken.setattr(store, "counts", fail)
        at.run()
        assert f"Your poll {code} cannot be read at this moment." in takeaway(at)
        assert not any(button.key == "poll-open" for button in at.button)
        assert "cannot be kept at this moment" in at.error[0].value
        state = {"poll-owner": {"owner": [code, "x", False, []]}}
        broken.setattr(telephones.st, "session_state", state)
        telephones._on_secrets_sent()
        assert "poll_left" not in state, "the tab goes on keeping its secret"
    at.button(key="poll-look").click().run()
    assert "<b>0</b> have answered" in join_words(at)


def test_a_private_link_is_taken_if_its_secret_fits(store, monkeypatch):
    found, secret = store.open("Is it so?", ("Yes", "No"), 0.2)
    for handed, taken in (
        ([found.code, secret, True, []], (found.code, secret)),
        ([found.code, "stolen", True, []], None),
        ([found.code, "stolen", False, []], None),
        (["BCDFG", secret, True, []], None),
        ([1, None, "x", []], None),
    ):
        state = {"poll-owner": {"owner": handed}}
        monkeypatch.setattr(telephones.st, "session_state", state)
        telephones._on_secrets_sent()
        assert state.get("poll_owned") == taken
        assert ("poll_problem" in state) == (handed[2] is True and taken is None)
        monkeypatch.undo()
        monkeypatch.setattr(telephones, "store", lambda: store)


def handed_over(owner, store, monkeypatch):
    """Let a browser hand over a poll in a visit of its own; return the session."""
    state = {"poll-owner": {"owner": owner}}
    with monkeypatch.context() as patched:
        patched.setattr(telephones, "store", lambda: store)
        patched.setattr(telephones.st, "session_state", state)
        telephones._on_secrets_sent()
    return state


def test_a_private_link_does_not_tell_whether_there_is_such_a_poll(store, monkeypatch):
    found, secret = store.open("Is it so?", ("Yes", "No"), 0.2)
    wrong = [[found.code, "stolen", True, []], ["BCDFG", secret, True, []]]
    said = {handed_over(owner, store, monkeypatch)["poll_problem"] for owner in wrong}
    assert said == {f"This private link was not used. {telephones._NO_SUCH_OWNER}"}


def test_private_links_to_wrong_codes_are_guesses(store, monkeypatch):
    monkeypatch.setattr(owned_poll, "GUESSES", Guesses(lambda: 0.0))
    burst = int(limits.GUESS_BURST.high)
    codes = ["".join(letters) for letters in islice(product("BCDFG", repeat=5), burst + 1)]
    states = [handed_over([code, "x", True, []], store, monkeypatch) for code in codes]
    assert "There is no poll" in states[-2]["poll_problem"]
    assert "Too many wrong codes came from your network" in states[-1]["poll_problem"]


def test_polls_at_hand_of_wrong_codes_are_guesses(store, monkeypatch):
    """A browser may hand over wrong codes as those of its other polls, and press the buttons to go to them."""
    guesses = Guesses(lambda: 0.0)
    monkeypatch.setattr(owned_poll, "GUESSES", guesses)
    monkeypatch.setattr(owned_poll, "address", lambda: "10.0.0.7")
    at, _ = opened(store)
    for _ in range(int(limits.GUESS_BURST.high) - 1):
        assert guesses._tokens.take_token("10.0.0.7")
    for wrong, said in (("BCDFG", "There is no poll of this code"), ("BCDFH", "Too many wrong codes came")):
        at.session_state["polls_at_hand"] = [(wrong, "x")]
        at.run()
        at.button(key=f"poll-to-{wrong}").click().run()
        assert said in at.error[0].value


def test_polls_at_hand_are_few_and_each_is_there_once(store, monkeypatch):
    found, secret = store.open("Is it so?", ("Yes", "No"), 0.2)
    twice = 3 * [["BCDFG", "x"]] + [[f"BCDF{letter}", "x"] for letter in "HJKLMNP"]
    state = handed_over([found.code, secret, True, twice], store, monkeypatch)
    assert len(state["polls_at_hand"]) == len(dict(state["polls_at_hand"])) <= telephones._MOST_OTHERS
    assert state["polls_at_hand"][0] == ("BCDFG", "x")


def test_opening_too_many_polls_shows_an_error(store, monkeypatch):
    monkeypatch.setattr(store._openings, "take_token", lambda _: False)
    at = visit("poll", way=TELEPHONES)
    at.button(key="poll-open").click().run()
    assert "20 polls were opened from your network" in at.error[0].value


def test_a_private_link_to_another_poll_leaves_the_first_at_hand(store, monkeypatch):
    at, first = opened(store)
    second, secret = store.open("Is that so?", ("Yes", "No"), 0.2)
    pair = list(at.session_state["poll_owned"])
    state = {"poll-owner": {"owner": [second.code, secret, True, [pair, ["x", 1], "y"]]}}
    with monkeypatch.context() as patched:
        patched.setattr(telephones.st, "session_state", state)
        telephones._on_secrets_sent()
    assert state["polls_at_hand"] == [tuple(pair)]
    at.session_state["poll_owned"], at.session_state["polls_at_hand"] = state["poll_owned"], state["polls_at_hand"]
    at.run()
    assert f"**{second.code}**, open" in spoken(at)
    at.button(key=f"poll-to-{first}").click().run()
    assert f"**{first}**, open" in spoken(at)
    assert at.session_state["polls_at_hand"] == [(second.code, secret)]


def test_an_open_poll_is_a_click_away_from_a_rehearsal(store):
    at, code = opened(store)
    at.segmented_control(key="way").set_value(REHEARSAL).run()
    assert "Rehearse with simulated people" in takeaway(at)
    at.button(key=f"poll-to-{code}").click().run()
    assert f"**{code}**, open" in spoken(at)


def test_a_second_tab_sees_that_a_poll_was_closed_or_deleted(store, monkeypatch):
    found, secret = store.open("Is it so?", ("Yes", "No"), 0.2)
    monkeypatch.setattr(telephones.st, "session_state", {"poll_owned": (found.code, secret)})
    shown = telephones.own_poll()
    assert not telephones.has_changed(shown)
    store.close(found.code, secret)
    assert telephones.has_changed(shown)
    assert not telephones.has_changed(telephones.own_poll())
    store.delete(found.code, secret)
    assert telephones.has_changed(shown)
    assert "There is no poll with this code" in telephones._csv(found.code, secret, PollConfig())


def test_before_a_poll_is_opened_its_lie_is_said_and_can_be_changed(store):
    at = visit("poll", way=TELEPHONES)
    assert "a chance of <b>25 %</b>" in takeaway(at)
    assert "cannot be changed" in takeaway(at)
    assert "Comparison with the truth" not in at.segmented_control(key="step").options
    at.number_input(key="poll_lie").set_value(0.1).run()
    assert "a chance of <b>10 %</b>" in takeaway(at)


def test_the_teacher_may_fix_the_language_of_the_telephone_page_before_the_poll_is_opened(store):
    _, code = opened(store)
    assert store.poll(code).language == ""
    at = visit("poll", way=TELEPHONES)
    at.selectbox(key="poll_language").set_value("Polish").run()
    at.button(key="poll-open").click().run()
    code, _ = at.session_state["poll_owned"]
    assert store.poll(code).language == "pl"
    assert "in Polish on every telephone" in "".join(text.value for text in at.markdown)
    assert not at.selectbox, "it cannot be changed any more"
    assert f"/p/{code}?" not in join_words(at), "the language is with the poll, not in its address"
    _, code = opened(store, poll_language="Dutch")
    assert store.poll(code).language == "nl"


@pytest.mark.parametrize(
    ("chosen", "check", "columns", "last"),
    [
        ("two wheels", "halves", "time,answer,changed_by_chance", "1,No,0.44"),
        ("a control question", "control", "time,answer,january_to_march", "1,No,No"),
    ],
    ids=["halves", "control"],
)
def test_a_poll_with_a_check_is_opened_read_and_downloaded(store, chosen, check, columns, last):
    at = visit("poll", way=TELEPHONES)
    at.selectbox(key="rules_check").set_value(chosen).run()
    at.button(key="poll-open").click().run()
    assert not at.exception
    code, secret = at.session_state["poll_owned"]
    assert store.poll(code).check == check
    assert f"**{code}**, open, with {chosen}: Have you" in spoken(at)
    for i in range(40):
        store.answer(code, 1, i % 4, f"{i:032x}")
    at.run()
    assert "<b>40</b> have answered" in join_words(at)
    at.segmented_control(key="step").set_value("Estimated percentages").run()
    assert "did not follow it" in takeaway(at)
    assert "Show the estimates anyway" not in {button.label for button in at.button}
    rows = telephones._csv(code, secret, PollConfig(check=check)).splitlines()
    assert (rows[0], rows[-1], len(rows)) == (columns, last, 41)
    at.segmented_control(key="step").set_value("Asking everybody again").run()
    at.button(key="poll-again").click().run()
    assert store.counts(code, secret) == [[10, 10, 10, 10], [0, 0, 0, 0]]


def test_only_a_poll_of_two_answers_is_opened_with_a_check(store):
    _, code = opened(store, answers="a / b / c", rules_check="two wheels")
    assert store.poll(code).check == ""
    assert any(
        "for two answers only" in caption.value
        for caption in visit("poll", way=TELEPHONES, answers="a / b / c").caption
    )


# --- open to the room ----------------------------------------------------------------------------

WIFI = OwnAddress("192.168.1.20", "192.168.1.0/24", "wlan0")
CABLE = OwnAddress("10.0.0.7", "10.0.0.0/8", "eth0")
NAMES = {"host": "localhost:8501", "origin": "http://localhost:8501"}
ON_THIS_COMPUTER = Connection("127.0.0.1", NAMES, "http://localhost:8501/poll")
ELSEWHERE = Connection("192.168.1.33", NAMES, "http://localhost:8501/poll")


class Computer:
    """A stand-in for this computer: its addresses, how the browser is connected, and what the server says of itself."""

    def __init__(self):
        self.addresses, self.connection, self.problem, self.room = [WIFI], ON_THIS_COMPUTER, "", Room()


@pytest.fixture
def computer(monkeypatch, store):
    made = Computer()
    monkeypatch.setattr(room, "store", lambda: store)
    monkeypatch.setattr(room, "connection", lambda: made.connection)
    monkeypatch.setattr(room.own_computer, "private_addresses", lambda: made.addresses)
    monkeypatch.setattr(room.own_computer, "all_addresses", lambda: {"127.0.0.1", WIFI.address, CABLE.address})
    monkeypatch.setattr(room.own_computer, "enclosure", lambda: "")
    monkeypatch.setattr(room.reach, "ask_itself", lambda _: made.problem)
    monkeypatch.setattr(room.firewall, "find", lambda: Firewall("ufw", True))
    for module in (room, telephones, join):
        monkeypatch.setattr(module, "ROOM", made.room)
    return made


def keys(at: AppTest) -> set[str]:
    return {button.key for button in at.button}


def test_a_poll_is_opened_to_the_room_tested_reached_and_closed(store, computer):
    at, code = opened(store)
    assert join.NOT_OPENED in join_words(at)
    at.button(key="poll-room-open").click().run()
    assert computer.room.is_open(code, WIFI.host)
    assert f"192.168.1.20:8501/p/<wbr><b>{code}</b>" in join_words(at)
    for words in ("192.168.1.0/24, as 192.168.1.20", "answers at 192.168.1.20:8501", "Waiting for the first telephone"):
        assert words in markup(at)
    assert "sudo ufw allow from 192.168.1.0/24 to any port 8501 proto tcp" in spoken(at)
    shown = at.session_state["poll_room_tested"]
    computer.room.note_visit(code, "192.168.1.33")
    at.run()
    assert "A telephone has reached this page." in markup(at)
    assert "sudo ufw" not in spoken(at), "nothing is in the way"
    assert at.session_state["poll_room_tested"] is shown, "the server does not ask itself at each run"
    at.button(key="poll-room-close").click().run()
    assert not computer.room.is_host(WIFI.host)
    assert join.NOT_OPENED in join_words(at)


def test_the_page_is_rendered_again_when_the_first_telephone_comes(store, computer, monkeypatch):
    found, secret = store.open("Is it so?", ("Yes", "No"), 0.2)
    computer.room.open(found.code, WIFI.host, 8501, 60, {WIFI.address})
    monkeypatch.setattr(telephones.st, "session_state", {"poll_owned": (found.code, secret)})
    shown = telephones.own_poll()
    assert not telephones.has_changed(shown)
    computer.room.note_visit(found.code, "192.168.1.33")
    assert telephones.has_changed(shown)
    shown = telephones.own_poll()
    computer.room.close(found.code)
    assert telephones.has_changed(shown)


def test_the_teacher_chooses_between_several_addresses(store, computer):
    computer.addresses = [WIFI, CABLE]
    at, code = opened(store)
    box = at.selectbox(key="poll-room-address")
    assert box.options == ["192.168.1.20 (wlan0)", "10.0.0.7 (eth0)"]
    box.set_value(CABLE.address).run()
    at.button(key="poll-room-open").click().run()
    assert computer.room.is_open(code, CABLE.host)
    assert not computer.room.is_host(WIFI.host)


@pytest.mark.parametrize("way", ["page", "press"])
def test_only_a_browser_on_this_computer_opens_a_poll_which_is_checked_when_the_button_is_pressed(store, computer, way):
    if way == "page":
        computer.connection = ELSEWHERE
    at, _ = opened(store)
    assert ("poll-room-open" in keys(at)) == (way == "press")
    if way == "press":
        computer.connection = ELSEWHERE
        at.button(key="poll-room-open").click().run()
        assert "not on the computer" in at.error[0].value
    assert "poll-room-open" not in keys(at)
    assert "`PRIVDEMO_HOSTS`" in spoken(at)
    assert not computer.room.is_host(WIFI.host)


def test_a_poll_is_opened_by_its_owner_while_it_takes_answers_at_an_address_that_is_there(store, computer):
    at, code = opened(store)
    _, secret = at.session_state["poll_owned"]
    for given, said in (
        ((code, "stolen", WIFI.address), "Only whoever opened this poll"),
        ((code, secret, CABLE.address), "address has changed"),
        ((code, secret, "8.8.8.8"), "address has changed"),
        (("ZZZZZ", secret, WIFI.address), "There is no poll"),
    ):
        with pytest.raises(PollError, match=said):
            room._open(*given)
    with pytest.raises(PollError, match="Only whoever"):
        room._close(code, "stolen")
    store.close(code, secret)
    with pytest.raises(PollClosed):
        room._open(code, secret, WIFI.address)
    assert not computer.room.is_host(WIFI.host)


def test_a_room_in_which_the_server_does_not_answer_is_not_opened(store, computer):
    computer.problem = "The server does not listen there."
    at, code = opened(store)
    at.button(key="poll-room-open").click().run()
    assert at.error[0].value == "The poll was not opened to the room. The server does not listen there."
    assert not computer.room.is_host(WIFI.host)
    computer.problem = ""
    at.button(key="poll-room-open").click().run()
    computer.problem = "No answer came."
    at.button(key="poll-room-test").click().run()
    assert '<p class="bad">No answer came.</p>' in markup(at)
    assert computer.room.is_open(code, WIFI.host)
    computer.addresses = [CABLE]
    at.run()
    assert "This computer is no longer at 192.168.1.20" in markup(at)


def test_without_a_private_network_the_show_of_hands_is_offered(store, computer):
    computer.addresses = []
    at = visit("poll", way=TELEPHONES)
    assert reach.NO_NETWORK in spoken(at)
    at, _ = opened(store)
    assert "poll-room-open" not in keys(at)
    computer.addresses = [WIFI]
    at.button(key="poll-room-look").click().run()
    assert "poll-room-open" in keys(at)


@pytest.mark.parametrize("is_here", [True, False])
def test_the_projected_page_shows_no_command_and_no_button_of_the_room(store, computer, is_here):
    computer.connection = ON_THIS_COMPUTER if is_here else ELSEWHERE
    at, _ = opened(store)
    at.button(key="project").click().run()
    assert join.NOT_OPENED in join_words(at)
    assert not any(key.startswith("poll-room") for key in keys(at))
    for words in ("PRIVDEMO_HOSTS", "sudo", "make run"):
        assert words not in markup(at) + spoken(at)


def test_a_closed_poll_is_closed_to_the_room(store, computer):
    at, code = opened(store)
    at.button(key="poll-room-open").click().run()
    at.button(key="poll-close").click().run()
    assert not computer.room.is_host(WIFI.host)
    assert f"Poll <b>{code}</b> is closed." in join_words(at)
    assert not any(key.startswith("poll-room") for key in keys(at))
