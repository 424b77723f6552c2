"""What a poll stores: each answer once, nothing of its sender or time, and nothing without the owner's secret."""

import math
import re
import sqlite3
import threading
import time

import pytest
import sqlalchemy as sa

from pages.polls import database, rules
from pages.polls.database import TIMEOUT, VARIABLE
from pages.polls.rules import (
    Answer,
    AnswerOutOfRange,
    DatabaseUnavailable,
    Guess,
    GuessOver,
    NoSuchPoll,
    NoSuchRound,
    NotTheOwner,
    PollClosed,
    PollFull,
    RoundOver,
    SentGuess,
    TooManyOpened,
    TooManyPolls,
    TooManyRounds,
)
from pages.polls.store import Store
from privdemo import limits
from tests.conftest import missing
from tests.pages.polls import databases

ANSWERS = ("Yes", "No", "Rather not say")
ENGLAND, SCOTLAND = (
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in name) + "\U000e007f" for name in ("gbeng", "gbsct")
)


@pytest.fixture
def store(tmp_path, clock):
    return Store(f"sqlite:///{tmp_path}/polls.sqlite", clock)


@pytest.fixture
def poll(store):
    return store.open("Have you ever copied homework?", ANSWERS, 0.25)


def token(i):
    return f"{i:032x}"


def test_an_answer_counts_once_a_round_however_often_it_comes(store, poll):
    poll, secret = poll
    for i, answer in enumerate((0, 0, 2)):
        store.answer(poll.code, 1, answer, token(i))
    store.answer(poll.code.lower(), 1, 1, token(0))
    both = [Answer(poll.code, 1, answer, token(3)) for answer in (1, 0)]
    assert store.answer_all(both) == [None, None]
    assert store.counts(poll.code, secret) == [[2, 1, 1]]
    assert store.ask_again(poll.code, secret, after=1).round == 2
    assert store.ask_again(poll.code, secret, after=1).round == 2, "a press that arrives twice"
    store.answer(poll.code, 2, 2, token(0))
    with pytest.raises(RoundOver):
        store.answer(poll.code, 1, 0, token(9))
    assert store.counts(poll.code, secret) == [[2, 1, 1], [0, 0, 1]]
    assert store.rows(poll.code, secret) == [(1, 0), (1, 0), (1, 1), (1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("round", "answer", "error"),
    [(1, 3, AnswerOutOfRange), (1, -1, AnswerOutOfRange), (2, 0, NoSuchRound), (0, 0, NoSuchRound)],
)
def test_what_a_poll_does_not_take_changes_nothing(store, poll, round, answer, error):
    poll, secret = poll
    with pytest.raises(error):
        store.answer(poll.code, round, answer, token(0))
    with pytest.raises(NoSuchPoll):
        store.answer("BBBBB", 1, 0, token(0))
    assert store.counts(poll.code, secret) == [[0, 0, 0]]


def test_a_poll_is_asked_five_times_at_most_and_takes_nothing_once_it_is_closed(store, poll):
    poll, secret = poll
    for round in range(2, 6):
        assert store.ask_again(poll.code, secret).round == round
    with pytest.raises(TooManyRounds):
        store.ask_again(poll.code, secret)
    assert not store.close(poll.code, secret).is_open
    for refused in (lambda: store.answer(poll.code, 5, 0, token(0)), lambda: store.ask_again(poll.code, secret)):
        with pytest.raises(PollClosed):
            refused()


def test_without_its_secret_nobody_sees_changes_or_deletes_a_poll(store, poll):
    poll, secret = poll
    _, of_another = store.open("Another?", ("Yes", "No"), 0.25)
    store.answer(poll.code, 1, 0, token(0))
    for deed in (store.counts, store.rows, store.ask_again, store.close, store.delete):
        for guess in ("", "é\ud800", of_another, secret + " "):
            with pytest.raises(NotTheOwner):
                deed(poll.code, guess)
    shown = store.poll(poll.code)
    assert (shown.round, shown.is_open) == (1, True)
    assert store.counts(poll.code, secret) == [[1, 0, 0]]


def test_a_poll_vanishes_from_the_disk_when_it_is_deleted_and_after_a_day(store, poll, clock, tmp_path):
    poll, secret = poll
    other, _ = store.open("Is this the other one?", ("Yes", "No"), 0.25)
    assert poll.seconds_left == pytest.approx(24 * 3600, abs=60)
    store.delete(poll.code, secret)
    assert on_disk(tmp_path, b"Is this the other one?")
    assert not on_disk(tmp_path, b"copied homework")
    assert store.poll(other.code).question == "Is this the other one?"
    clock.now += 24 * 3600 + 60
    with pytest.raises(NoSuchPoll):
        store.poll(other.code)
    store.forget_old()
    assert not on_disk(tmp_path, b"Is this the other one?")


def test_an_answer_that_is_sent_again_later_counts_no_more(store, poll, clock):
    """Not in the next round, nor once the poll is closed, with the clock set back, deleted or over."""
    poll, secret = poll
    store.answer(poll.code, 1, 0, token(0))
    store.ask_again(poll.code, secret)
    for refusal, change in (
        (RoundOver, lambda: None),
        (PollClosed, lambda: store.close(poll.code, secret)),
        (PollClosed, lambda: setattr(clock, "now", clock.now - 7 * 24 * 3600)),
        (NoSuchPoll, lambda: store.delete(poll.code, secret)),
    ):
        change()
        with pytest.raises(refusal):
            store.answer(poll.code, 1, 0, token(0))
        if refusal is not NoSuchPoll:
            assert store.counts(poll.code, secret) == [[1, 0, 0], [0, 0, 0]]
    other, _ = store.open("Is this the other one?", ("Yes", "No"), 0.25)
    clock.now += 24 * 3600 + 60
    with pytest.raises(NoSuchPoll):
        store.answer(other.code, 1, 0, token(0))


def test_a_database_that_is_locked_or_full_loses_no_answer_and_says_so(store, poll, clock, tmp_path, monkeypatch):
    poll, secret = poll
    store.answer(poll.code, 1, 0, token(0))
    file = tmp_path / "polls.sqlite"
    monkeypatch.setattr("pages.polls.database.TIMEOUT", 0.1)
    again = Store(f"sqlite:///{file}", clock)
    with sqlite3.connect(file, isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(DatabaseUnavailable):
            again.answer(poll.code, 1, 0, token(1))
        other.execute("ROLLBACK")
    with again.database.writing() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")

    def fill():
        for i in range(int(limits.POLLS_OPEN.high) - 1):
            again.open(f"Question {i} {'x' * 150}?", ("Yes", "No"), 0.25)

    with pytest.raises(DatabaseUnavailable):
        fill()
    assert Store(f"sqlite:///{file}", clock).counts(poll.code, secret) == [[1, 0, 0]]
    store.answer(poll.code, 1, 1, token(1))
    assert store.counts(poll.code, secret) == [[1, 1, 0]]


def as_an_earlier_version_made_it(url):
    """Make the tables as they were before polls had a language, with a poll in them; return its code."""
    code, now = "BCDFG", int(time.time() // 60)
    with sa.create_engine(url).begin() as connection:
        older, later = sa.MetaData(), ("language", "n_guesses", "guess", "rules_check")
        before = [one for one in database.POLLS.columns if one.name not in later]
        columns = (sa.Column(one.name, one.type, primary_key=one.primary_key, nullable=False) for one in before)
        polls = sa.Table("polls", older, *columns)
        older.create_all(connection)
        given = {"code": code, "question": "Well?", "answers": ["Yes", "No"], "lie": 0.25, "round": 1, "is_open": True}
        secret = {"last_minute": now + 60, "secret": rules.digest("hush"), "salt": b"salt"}
        connection.execute(sa.insert(polls), [given | secret])
    return code, polls


def adds_a_language_and_keeps_what_is_there(url):
    code, older = as_an_earlier_version_made_it(url)
    stores = [Store(url), Store(url)]
    threads = [threading.Thread(target=one.poll, args=(code,)) for one in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for store in stores:
        assert (store.poll(code).question, store.poll(code).language, store.poll(code).check) == ("Well?", "", "")
    fixed, _ = stores[0].open("Ist es so?", ("Ja", "Nein"), 0.25, language="de")
    assert Store(url).poll(fixed.code).language == fixed.language == "de"
    with sa.create_engine(url).begin() as connection:  # a replica of the earlier version, still running
        row = connection.execute(sa.select(older)).mappings().first()
        connection.execute(sa.insert(older), [dict(row) | {"code": "BCDFH"}])
    assert (stores[1].poll("BCDFH").language, stores[1].poll("BCDFH").check) == ("", "")
    checked, secret = stores[0].open("Well?", ("Yes", "No"), 0.25, check="halves")
    assert stores[1].poll(checked.code).check == checked.check == "halves"
    assert stores[1].counts(checked.code, secret) == [[0, 0, 0, 0]]
    for store in stores:
        store.database.dispose()


def test_a_file_of_an_earlier_version_gets_the_language(tmp_path):
    adds_a_language_and_keeps_what_is_there(f"sqlite:///{tmp_path}/polls.sqlite")


def test_a_database_of_an_earlier_version_gets_the_language():
    if databases.programs() is None:
        missing("no PostgreSQL here")
    with databases.postgresql() as url:
        adds_a_language_and_keeps_what_is_there(url)


def test_a_check_that_a_poll_cannot_have_is_not_kept(store):
    with pytest.raises(ValueError, match="check must be one of '', 'halves', 'control', got 'both'"):
        store.open("Well?", ("Yes", "No"), 0.25, check="both")
    with pytest.raises(ValueError, match="has two answers, this one has 3"):
        store.open("Well?", ("Yes", "No", "Perhaps"), 0.25, check="halves")


def test_a_language_that_there_is_not_is_not_kept(store):
    with pytest.raises(ValueError, match="the language must be one of"):
        store.open("Well?", ("Yes", "No"), 0.25, language="Klingon")
    with pytest.raises(NoSuchPoll):
        store.poll("BCDFG")


def on_disk(folder, words):
    return any(words in file.read_bytes() for file in folder.iterdir())


def test_tables_say_neither_who_nor_when_and_hold_no_secret(store, poll, tmp_path):
    poll, secret = poll
    other, _ = store.open("Another?", ("Yes", "No"), 0.25)
    for i in range(20):
        store.answer(poll.code, 1, i % 3, token(i))
    store.answer(other.code, 1, 0, token(0))
    with sqlite3.connect(tmp_path / "polls.sqlite") as there:
        marks = there.execute("SELECT code, mark FROM poll_marks").fetchall()
        columns = {
            table: [row[1] for row in there.execute(f"PRAGMA table_info({table})")]
            for table in ("poll_marks", "poll_counts")
        }
        kept = "\n".join(there.iterdump())
    there.close()
    assert columns == {"poll_marks": ["code", "mark"], "poll_counts": ["code", "round", "answer", "people"]}
    assert len({mark for _, mark in marks}) == 21, "a token leaves another mark in another poll"
    assert marks == sorted(marks), "in the order of the marks, not of the answers"
    assert secret not in kept
    assert not any(token(i) in kept for i in range(20))
    store.ask_again(poll.code, secret)
    store.answer(poll.code, 2, 0, token(0))
    with sqlite3.connect(tmp_path / "polls.sqlite") as there:
        ((again,),) = there.execute("SELECT mark FROM poll_marks WHERE code = ?", [poll.code])
    there.close()
    assert again not in {mark for _, mark in marks}, "nor can two rounds be joined"


def test_no_file_pairs_tokens_with_answers_once_the_log_is_truncated_nor_holds_tokens_when_a_round_ends(
    store, poll, tmp_path
):
    poll, secret = poll
    store.truncate_log()
    file, log = tmp_path / "polls.sqlite", tmp_path / "polls.sqlite-wal"
    sent = [Answer(poll.code, 1, i % 3, token(i)) for i in range(20)]
    store.answer_all(sent)
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as there:
        marks = [mark for (mark,) in there.execute("SELECT mark FROM poll_marks ORDER BY mark")]
    there.close()
    assert log.stat().st_size > 0
    store.truncate_log()
    assert log.stat().st_size == 0, "one state alone is on the disk, with no order of counts"
    places = [file.read_bytes().find(mark) for mark in marks]
    assert min(places) > 0
    assert places in (sorted(places), sorted(places, reverse=True)), "in the order of the marks, not as they came"
    for end in (store.ask_again, store.close):
        store.answer_all([Answer(poll.code, store.poll(poll.code).round, 0, token(30))])
        end(poll.code, secret)
        assert not any(on_disk(tmp_path, mark) for mark in marks)
        assert log.stat().st_size == 0


def test_who_reads_for_long_holds_up_the_log_alone(store, poll):
    store.answer(poll[0].code, 1, 0, token(0))
    with store.database.reading() as reader:
        store._poll(store._row(reader, poll[0].code))
        store.answer(poll[0].code, 1, 1, token(1))
        start = time.monotonic()
        store.truncate_log()
        store.answer(poll[0].code, 1, 2, token(2))
        assert time.monotonic() - start < TIMEOUT / 2
    store.truncate_log()
    assert store._in_log is False, "it is tried again"


def test_a_poll_takes_as_many_answers_as_it_may_however_often_it_is_asked(store, poll, monkeypatch):
    poll, secret = poll
    monkeypatch.setattr(limits, "POLL_PEOPLE", limits.Limit("answers", 1, 3, integer=True))
    store.answer(poll.code, 1, 0, token(0))
    outcomes = store.answer_all([Answer(poll.code, 1, 1, token(i)) for i in range(5)])
    assert [type(one) for one in outcomes] == [type(None)] * 3 + [PollFull] * 2
    store.answer(poll.code, 1, 1, token(0))  # is there already
    store.ask_again(poll.code, secret)
    with pytest.raises(PollFull):
        store.answer(poll.code, 2, 1, token(0))
    assert store.counts(poll.code, secret) == [[1, 2, 0], [0, 0, 0]]


def test_a_server_has_as_many_polls_as_it_may(store, poll, monkeypatch):
    monkeypatch.setattr(limits, "POLLS_OPEN", limits.Limit("open polls", 1, 2, integer=True))
    monkeypatch.setattr(limits, "POLLS", limits.Limit("polls", 1, 3, integer=True))
    second, secret = store.open("Another?", ("Yes", "No"), 0.25)
    with pytest.raises(TooManyPolls):
        store.open("One more?", ("Yes", "No"), 0.25)
    store.close(second.code, secret)
    third, of_third = store.open("One more?", ("Yes", "No"), 0.25)
    store.close(third.code, of_third)
    with pytest.raises(TooManyPolls):
        store.open("One too many?", ("Yes", "No"), 0.25)
    store.delete(second.code, secret)
    store.open("One too many?", ("Yes", "No"), 0.25)


def test_polls_that_nobody_answers_give_way_the_oldest_first(store, poll, clock, monkeypatch):
    monkeypatch.setattr(limits, "POLLS_OPEN", limits.Limit("open polls", 1, 3, integer=True))
    store.answer(poll[0].code, 1, 0, token(0))
    oldest, _ = store.open("The oldest without an answer?", ("Yes", "No"), 0.25)
    clock.now += 60
    second, _ = store.open("The second?", ("Yes", "No"), 0.25)
    clock.now += 59 * 60
    new, _ = store.open("One more?", ("Yes", "No"), 0.25)
    with pytest.raises(NoSuchPoll):
        store.poll(oldest.code)
    assert [store.poll(one.code).is_open for one in (poll[0], second, new)] == 3 * [True]
    with pytest.raises(TooManyPolls):
        store.open("Before the hour of the second is over?", ("Yes", "No"), 0.25)


def test_one_address_opens_only_so_many_polls(store, clock):
    def opened(by):
        store.open("Well?", ("Yes", "No"), 0.25, by=by)

    for _ in range(20):
        opened("10.0.0.7")
    with pytest.raises(TooManyOpened, match="6 an hour"):
        opened("10.0.0.7")
    opened("10.0.0.8")
    clock.now += 600
    opened("10.0.0.7")


@pytest.mark.parametrize(
    ("question", "answers", "lie", "said"),
    [
        ("", ("Yes", "No"), 0.25, "the question is empty; type it"),
        (" \n ", ("Yes", "No"), 0.25, "the question is empty"),
        (10_000 * "a", ("Yes", "No"), 0.25, "the question may have 800 characters, this has 10,000"),
        ("\0?", ("Yes", "No"), 0.25, "the question must be of letters that can be seen, got '\\x00'"),
        ("\ud800?", ("Yes", "No"), 0.25, "letters that can be seen"),
        ("\u200b", ("Yes", "No"), 0.25, "of letters that can be seen, got '\\u200b'"),
        ("\u200d", ("Yes", "No"), 0.25, "of letters that can be seen, got '\\u200d'"),
        ("\u202eabc?", ("Yes", "No"), 0.25, "got '\\u202e'"),
        ("\u3164", ("Yes", "No"), 0.25, "got '\\u3164'"),
        ("Well?", ("Yes", "Yes\u200b"), 0.25, "answer 2 must be of letters that can be seen"),
        ("Well?", ("Yes", "Yes\u200d"), 0.25, "answers must differ"),
        ("Well?", (SCOTLAND, ENGLAND), 0.25, "or that some telephones show as the same"),
        (ENGLAND[:-1], ("Yes", "No"), 0.25, "got '\\U000e0067'"),
        (ENGLAND[1:], ("Yes", "No"), 0.25, "got '\\U000e0067'"),
        ("Well?", ("Yes",), 0.25, "a question has 2 to 6 answers, this one has 1; one answer hides nothing"),
        ("Well?", tuple("abcdefg"), 0.25, "this one has 7"),
        ("Well?", ("Yes", "yes "), 0.25, "answers must differ, got Yes, yes"),
        ("Well?", ("Yes", 41 * "n"), 0.25, "answer 2 has 41 letters, 40 at most"),
        ("Well?", ("Yes", "No"), 0.0, "the lie's probability must be in [0.01, 0.45], got 0; with 0"),
        ("Well?", ("Yes", "No"), 0.46, "got 0.46"),
        ("Well?", ("a", "b", "c"), math.nan, "in [0.01, 0.6], got nan"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(store, question, answers, lie, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        store.open(question, answers, lie)


def test_words_are_kept_as_they_are_but_for_their_spaces(store):
    answers = ("Yes & no", "👩\u200d🏫", ENGLAND)
    poll, _ = store.open("  <b>Ça\n va?</b>  ", answers, 0.6 - 0.2)
    assert (poll.question, poll.answers) == ("<b>Ça va?</b>", answers)
    assert store.poll(poll.code).lie == 0.6 - 0.2


def test_codes_cannot_be_misread_and_secrets_not_be_guessed():
    codes = {rules.new_code() for _ in range(200)}
    assert len(codes) > 190
    assert not set("".join(codes)) & set("AEIOUY0123456789")
    assert all(rules.normalised(f" {code.lower()} ") == code for code in codes)
    assert rules.normalised("BCDFA") == rules.normalised("BCDF") == rules.normalised("BCDFGH") == ""
    assert len({rules.new_secret() for _ in range(100)}) == 100
    assert all(len(rules.new_secret()) == 32 for _ in range(3))


def test_every_transaction_is_on_disk_before_it_ends(store, poll):
    for transaction in (store.database.writing, store.database.reading):
        with transaction() as connection:
            found = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("synchronous", "journal_mode")]
        assert found == [2, "wal"], "FULL: else a power cut takes what was acknowledged"


def test_processes_count_side_by_side(store, poll, tmp_path):
    """Return two stores of one file, as of two replicas."""
    poll, secret = poll
    other = Store(store.database.url.render_as_string())
    other._clock = store._clock

    def answer(mine, first):
        for i in range(first, first + 25):
            mine.answer(poll.code, 1, i % 2, token(i))

    threads = [threading.Thread(target=answer, args=(mine, 10 * i)) for i, mine in enumerate((store, other))]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sum(store.counts(poll.code, secret)[0]) == 35


def test_where_nothing_can_be_kept_a_sentence_says_so_and_no_password_is_shown(tmp_path, caplog, monkeypatch):
    (tmp_path / "file").touch()
    with pytest.raises(DatabaseUnavailable, match="Try again"):
        Store(f"sqlite:///{tmp_path}/file/polls.sqlite").open("Well?", ("Yes", "No"), 0.25)
    (tmp_path / "no.sqlite").write_bytes(1000 * b"no database")
    with pytest.raises(DatabaseUnavailable):
        Store(f"sqlite:///{tmp_path}/no.sqlite").poll("BCDFG")
    with pytest.raises(DatabaseUnavailable):
        Store("postgresql+psycopg://me:hush@127.0.0.1:1/polls").poll("BCDFG")
    for url in ("nosuch://me:hush@host/polls", "mysql://me:hush@host/polls", "hush"):
        monkeypatch.setenv(VARIABLE, url)
        with pytest.raises(ValueError, match="PRIVDEMO_POLLS must be the URL of SQLite or PostgreSQL") as refused:
            Store()
        assert "hush" not in caplog.text + str(refused.value)


def test_polls_are_kept_in_the_folder_of_the_users_data(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv(VARIABLE, raising=False)
    store = Store()
    store.forget_old()
    assert not list(tmp_path.iterdir()), "a server that nobody asks for a poll keeps nothing"
    store.open("Well?", ("Yes", "No"), 0.25)
    file = tmp_path / "privdemo" / "polls.sqlite"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


SHARE = Guess("What share?", 0, 100, 5, " %")


def refusals(store, *sent):
    """The names of why guesses were refused, "" of those that were kept."""
    return [type(one).__name__ if one else "" for one in store.guess_all([SentGuess(*guess) for guess in sent])]


def keeps_guesses_once_until_the_next(store):
    poll, secret = store.open("Well?", ("Yes", "No"), 0.25)
    code = poll.code
    assert refusals(store, (code, 1, 5.0, token(0))) == ["GuessOver"], "none is asked yet"
    assert store.ask_guess(code, secret, SHARE) == 1
    assert (store.poll(code).guess, store.poll(code).n_guesses) == (SHARE, 1)
    assert refusals(store, (code, 1, 40, token(0)), (code, 1, 60, token(0)), (code, 1, 20.0, token(1))) == ["", "", ""]
    assert refusals(store, (code, 1, 5, token(0))) == [""], "a token that is known"
    wrong = (-5, 105, 3, math.nan, math.inf, 10**400)
    assert refusals(store, *((code, 1, value, token(9)) for value in wrong)) == len(wrong) * ["GuessOutOfRange"]
    assert refusals(store, (code, 2, 5, token(9)), (code, 10**400, 5, token(9))) == 2 * ["GuessOver"]
    assert refusals(store, ("BBBBB", 1, 5, token(9))) == ["NoSuchPoll"]
    assert store.n_guesses(code, secret) == 2
    assert store.end_guess(code, secret, 1) == [20.0, 40.0]
    assert store.poll(code).guess is None
    assert refusals(store, (code, 1, 5, token(9))) == ["GuessOver"]
    assert store.ask_guess(code, secret, Guess("Which?", options=("a", "b"))) == 2
    assert store.n_guesses(code, secret) == 0, "those before are deleted"
    with pytest.raises(GuessOver):
        store.end_guess(code, secret, 1)
    assert refusals(store, (code, 2, 1, token(0)), (code, 2, 2, token(1)), (code, 2, 0.5, token(2))) == [
        "",
        "GuessOutOfRange",
        "GuessOutOfRange",
    ]
    for deed in (lambda: store.ask_guess(code, "x", SHARE), lambda: store.n_guesses(code, "x")):
        with pytest.raises(NotTheOwner):
            deed()
    with pytest.raises(NotTheOwner):
        store.end_guess(code, "x", 2)
    store.close(code, secret)
    assert store.poll(code).guess is None
    assert refusals(store, (code, 2, 1, token(5))) == ["PollClosed"]
    with pytest.raises(PollClosed):
        store.ask_guess(code, secret, SHARE)
    assert store.counts(code, secret) == [[0, 0]]
    store.delete(code, secret)
    with store.database.reading() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(database.GUESSED)) == 0
    store.database.dispose()


def test_a_guess_is_kept_once_for_a_token_until_the_next_is_asked(store):
    keeps_guesses_once_until_the_next(store)


def test_guesses_in_postgresql():
    if databases.programs() is None:
        missing("no PostgreSQL here")
    with databases.postgresql() as url:
        keeps_guesses_once_until_the_next(Store(url))


def test_a_guess_is_of_as_many_people_as_a_poll_and_leaves_no_token(store, poll, monkeypatch, tmp_path):
    poll, secret = poll
    monkeypatch.setattr(limits, "POLL_PEOPLE", limits.Limit("answers", 1, 2, integer=True))
    store.ask_guess(poll.code, secret, SHARE)
    assert refusals(store, *((poll.code, 1, 5, token(i)) for i in range(3))) == ["", "", "PollFull"]
    store.answer(poll.code, 1, 0, token(0))  # guesses take no place of answers
    with sqlite3.connect(tmp_path / "polls.sqlite") as there:
        kept = "\n".join(there.iterdump())
        marks = [row[0] for row in there.execute("SELECT mark FROM poll_marks UNION ALL SELECT mark FROM poll_guesses")]
    there.close()
    assert token(0) not in kept
    assert len(set(marks)) == 3, "the same token leaves other marks as an answer and as a guess"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"words": ""}, "letters of a guess"),
        ({"words": 501 * "a"}, "letters of a guess"),
        ({"words": "a", "low": 0, "high": 1, "step": 2}, "a step that fits between, got 0 to 1 by 2"),
        ({"words": "a", "low": 0, "high": math.nan, "step": 1}, "got 0 to nan"),
        ({"words": "a", "options": ("one",)}, "options of a guess"),
    ],
)
def test_what_cannot_be_guessed_is_refused(given, said):
    with pytest.raises(ValueError, match=said):
        Guess(**given)
