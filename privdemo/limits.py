"""Allowed ranges of all settings, for validation, widgets and tests."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from numbers import Integral, Real


@dataclass(frozen=True)
class Limit:
    """The closed range [low, high] that a named quantity may take.

    `low_open` excludes `low` itself; `integer` allows whole numbers only.
    `advice` ends the error sentence: what to do instead.
    """

    name: str
    low: float
    high: float
    advice: str = ""
    low_open: bool = False
    integer: bool = False

    @property
    def range_text(self) -> str:
        """The range for error messages, such as ``[0, 0.996]``."""
        if math.isinf(self.high):
            return f"{'above' if self.low_open else 'at least'} {_short(self.low, ROUND_CEILING)}"
        low, high = _short(self.low, ROUND_CEILING), _short(self.high, ROUND_FLOOR)
        return f"in {'(' if self.low_open else '['}{low}, {high}]"

    @property
    def range_words(self) -> str:
        """The range for a person who typed a number outside of it, such as “0 to 0.996”."""
        ends = _short(self.low, ROUND_CEILING), _short(self.high, ROUND_FLOOR)
        low, high = (f"{int(end):,}" if end.isdecimal() else end for end in ends)
        if math.isinf(self.high):
            words = f"above {low}" if self.low_open else f"{low} or more"
        else:
            words = f"above {low}, up to {high}" if self.low_open else f"{low} to {high}"
        return f"{words}, a whole number" if self.integer else words

    def contains(self, value: object) -> bool:
        """Return whether `value` is a finite number (or an allowed infinity) inside the range."""
        if type(value) is int or (type(value) is float and not self.integer):  # a search checks thousands of values
            return self.low <= value <= self.high and not (self.low_open and value == self.low)
        if isinstance(value, bool) or not isinstance(value, Real):
            return False
        if self.integer and not isinstance(value, Integral):
            return False
        number = int(value) if isinstance(value, Integral) else float(value)  # no float holds 10⁴⁰⁰
        return self.low <= number <= self.high and not (self.low_open and number == self.low)

    def check(self, value: float) -> float:
        """Return `value` unchanged, or raise ``ValueError`` with one clear sentence."""
        if not self.contains(value):
            kind = "a whole number " if self.integer else ""
            advice = f"; {self.advice}" if self.advice else ""
            shown = f"{value:.10g}" if isinstance(value, float) and not self.integer else repr(value)
            raise ValueError(f"{self.name} must be {kind}{self.range_text}, got {shown}{advice}")
        return value

    def nearest(self, value: float) -> float:
        """Return the number inside the range that lies nearest to `value`."""
        return min(max(value, self.low), self.high)


def check_length(name: str, content: str | bytes, most: float, advice: str = "") -> None:
    """Raise ``ValueError`` with one clear sentence if `content` is longer than `most` characters, or bytes.

    Call it before any other work on what a visitor sends: it takes no longer for a long text than for a short one.
    """
    if len(content) > most:
        unit = "characters" if isinstance(content, str) else "bytes"
        ending = f"; {advice}" if advice else ""
        # A text that a browser sent has been cut to one character more than may be read (server/messages.py).
        is_cut = isinstance(content, str) and len(content) == TEXT_LENGTH.high + 1
        has = f"more than {TEXT_LENGTH.high:,}" if is_cut else f"{len(content):,}"
        raise ValueError(f"{name} may have {most:,.0f} {unit}, this has {has}{ending}")


def _short(number: float, rounding: str) -> str:
    """Return a whole `number` in full, any other to four digits, rounded into the range it ends."""
    if float(number).is_integer() and abs(number) < 1e15:
        return f"{number:.0f}"
    return f"{float(Context(prec=4, rounding=rounding).create_decimal(repr(float(number)))):g}"


N_STATES = Limit("n_states", 2, 65536, "a value needs at least two states", integer=True)
P10 = Limit("p10", 0.0, 1.0, "it is the probability of observing 1 when the truth is 0")
P01 = Limit("p01", 0.0, 1.0, "it is the probability of observing 0 when the truth is 1")
ASKED = Limit("asked", 0.0, 1.0, "it is the probability that the sensitive question is the one asked")
INNOCENT = Limit("innocent", 0.0, 1.0, "it is the known share of people whose answer to the innocent question is yes")
# Of a trait that the smaller part of the people has; at 0.5 an answer says nothing.
RARER_INNOCENT = replace(INNOCENT, high=0.5, advice="take the answer that fewer people give")
SIGMA = Limit("sigma", 0.0, 1e6, "σ = 0 means no noise and no privacy")
SCALE = Limit("scale", 0.0, 1e6, "a scale of 0 means no noise and no privacy")
POSITIVE_NOISE = Limit("noise level", 0.0, 1e6, "without noise there is no likelihood", low_open=True)
EPSILON = Limit("epsilon", 0.0, math.inf)
DEPLOYED_EPSILON = Limit("epsilon", 0.0, 100.0, "an ε that somebody published", low_open=True)
LOCAL_EPSILON = Limit(
    "local_epsilon", 0.0, 20.0, "it is the ε₀ of every answer before they are mixed; at 20 hardly one is a lie"
)
PIXEL_SIGMA = Limit("sigma", 0.01, 5.0, "the dial goes from next to no noise to nothing left to see")
PIXEL_SCALE = Limit("scale", 0.01, 5.0, "the dial goes from next to no noise to nothing left to see")
DELTA = Limit("delta", 0.0, 1.0, "δ is a probability")
POSITIVE_DELTA = Limit("delta", 0.0, 1.0, "δ is a probability; with 0 no ε follows from ρ", low_open=True)
RHO_OF_RELEASE = Limit("rho", 0.0, 1000.0, "ρ of Gaussian noise is Δ²/2σ²", low_open=True)
SENSITIVITY = Limit("sensitivity", 0.0, math.inf, low_open=True)
N_VALUES = Limit("n_values", 1, 10_000, "10,000 is an image of 100 × 100 pixels", integer=True)
PER_CLASS = Limit("per_class", 1, 10, integer=True)
N_PEOPLE = Limit("n_people", 10, 60_000, "60,000 are all the images that MNIST is trained on", integer=True)
N_CANDIDATES = Limit("n_candidates", 2, 1000, integer=True)
SHARE = Limit("share", 0.0, 1.0, "a share of 1 is everybody; divide percentages by 100")
PART = Limit("part", 0.0, 1.0, "it is the part of all people who do not follow the rules; divide percentages by 100")
# Of a poll that most people answer by the rules.
PART_OF_POLL = replace(PART, high=0.5)
FAKE_PART = Limit(
    "part", 0.0, 0.3, "it is the part of all who answer; with more fake clients little is left to estimate"
)
PRIOR = Limit("prior", 0.0, 1.0, "it is the probability of a 1 before anything is released")
ANSWER_PROB = Limit("answer_prob", 0.0, 1.0, "it is the probability that a voter answers A")
N_VOTERS = Limit("n_voters", 1, 10_000_000, "somebody must be asked, and ten million are enough to see", integer=True)
N_ELECTIONS = Limit("n_elections", 1, 10_000, "ten thousand show a distribution well", integer=True)
N_ANSWERS = Limit("n_answers", 1, 50, "one person answers at most 50 times here", integer=True)
HALF_WIDTH = Limit("half_width", 0.0001, 0.5, "0.02 means ± 2 points")
WITHIN = Limit("within", 0.0001, 0.5, "it is half the width of a 95 % interval: 0.02 means ± 2 points")
N_CHOICES = Limit(
    "number of candidates", 2, 20, "one candidate hides nothing, and twenty fit on a screen", integer=True
)
INPUT_SD = Limit("s", 0.1, 10.0, "it is the standard deviation of the inputs along one axis")
RATIO = Limit("ratio", 0.1, 10.0, "1 is the same spread in all directions")
ANGLE = Limit("angle", -90.0, 90.0, "degrees from the true weights")
CONTRAST = Limit("contrast", -1.0, 1.0, "it is a difference of two probabilities")
ONE_TO_ONE = Limit("one_to_one", 0.0, 1.0, "it is the probability of releasing 1 when the label is 1")
ZERO_TO_ONE = Limit("zero_to_one", 0.0, 1.0, "it is the probability of releasing 1 when the label is 0")
N_LEARNING = Limit("n", 1, 10**9, "people to learn from", integer=True)
OBJECTIVE_PENALTY = Limit("penalty", 0.0, math.inf, "λ of the mean loss a person", low_open=True)
PENALTY = Limit("penalty", 1e-6, 1e3, "λ of the mean loss a person; None takes one from what is public")
DIMENSIONS = Limit("dimensions", 2, 65536, "of a projected record, its intercept included", integer=True)
PENALTY_C = Limit("C", 0.0, math.inf, "it is the inverse strength of the penalty; “cv” chooses it", low_open=True)
N_TRAIN = Limit("n_train", 20, 6000, "people of each class who release", integer=True)
TRIAL = Limit("trial", 0, 999, "it counts the repeats", integer=True)
N_TRIALS = Limit("n_trials", 1, 50, "fifty trials show an error bar well", integer=True)
N_SAMPLES = Limit("n_samples", 1, 1000, integer=True)
MAX_ITER = Limit("max_iter", 1, 100_000, integer=True)
N_STEPS = Limit("n_steps", 1, 100_000, integer=True)
LEARNING_RATE = Limit("learning_rate", 0.0, math.inf, "None takes the largest that is safe", low_open=True)
N_NODES = Limit("n_nodes", 1, 256, "16 serve scores with standard deviations up to 3", integer=True)
TOLERANCE = Limit("tol", 0.0, 1.0, "of the gradient a person, such as 1e-5", low_open=True)
N_BAGS = Limit("n_bags", 2, 1000, "one bag tells nothing apart, and a thousand are enough to see", integer=True)
BAG_SIZE = Limit("bag_size", 2, 1000, "a bag of one record releases its label", integer=True)
K = Limit("k", 1, 1000, "1 leaves every record as it is", integer=True)
NOISE_HALF_WIDTH = Limit("half_width", 0.0, math.inf, low_open=True)
NOISE_EPSILON = Limit("epsilon", 0.0, math.inf, "∞ is no noise", low_open=True)
SET_SIZE = Limit("set_size", 10, 5000, "a group of fewer says next to nothing", integer=True)
COPIES = Limit("copies", 1, 50, "groups of each kind", integer=True)
RHO = Limit("rho", 0.0, 0.49, "the share of each class in a group but its common one")
N_TEST = Limit("n_test", 10, 5000, "records of the set asked about", integer=True)
REPEATS = Limit("repeats", 20, 5000, "releases of the same counts", integer=True)
BANDWIDTH = Limit("bandwidth", 1e-4, 1e4, "a multiple of the median heuristic, or “cv”")
N_FEATURES = Limit("n_features", 1, 100_000, "None takes the exact kernel", integer=True)
TEMPERATURE = Limit("temperature", 1e-4, 1e4, "1 leaves probabilities as they are; “cv” chooses it")
RELEASE_EPSILON = Limit("epsilon", 0.001, 20.0, "below, counts drown in noise; above, nothing is hidden")
RELEASE_DELTA = Limit(
    "delta", 0.0, 0.3, "δ is the chance that the promise fails; with a larger one nothing is promised"
)
DIRICHLET_SIGMA = Limit("sigma", 1e-15, 1e15, "σ scales counts to the parameters of a Dirichlet distribution")
N_MIN = Limit("n_min", 1, 10**9, "the public minimum: no class has fewer", integer=True)
N_LABELS = Limit(
    "number of classes",
    2,
    1000,
    "one class hides nothing, and a thousand are as many as are computed with",
    integer=True,
)
COUNT = Limit("count", 0, 10**9, "records of one class in a set", integer=True)
RELEASED_PEOPLE = Limit("people", 1, 10**9, "people whom one release is about", integer=True)
# Frequency oracles: answers, ε, people; and the bits of what their reports support, which the likelihood keeps.
ORACLE_ANSWERS = Limit(
    "k",
    2,
    1024,
    "one answer hides nothing, and more than 1,024 need local hashing or Hadamard response: with the other methods "
    "reports grow with the number of answers, or hardly any report is true",
    integer=True,
)
SHORT_REPORT_ANSWERS = Limit(
    "k",
    2,
    65_536,
    "one answer hides nothing, and 65,536 are as many as a page can count at once",
    integer=True,
)
ORACLE_EPSILON = Limit("epsilon", 0.01, 10.0, "below, nothing can be seen; above, nothing is hidden")
ADVISED_ANSWERS = replace(ORACLE_ANSWERS, name="answers")
SHUFFLED_ORACLE_EPSILON = Limit(
    "epsilon", 0.01, LOCAL_EPSILON.high, "below, nothing can be seen; at 20 hardly one answer is a lie"
)
ORACLE_PEOPLE = Limit("people", 1, 10_000_000, "somebody must report, and ten million are enough to see", integer=True)
ORACLE_BITS = Limit("people times answers", 1, 10**9, "take fewer of either, or estimate by projection", integer=True)
LIKELIEST_ANSWERS = Limit(
    "k",
    2,
    1024,
    "the likeliest shares of more answers would take k times k numbers; estimate by projection",
    integer=True,
)
ZIPF_EXPONENT = Limit("exponent", 0.0, 4.0, "0 makes all answers alike; at 4 nearly all give the first one")
SEED = Limit("seed", 0, 2**32 - 1, integer=True)
# A published file: its compressed bytes, twice the largest, and unpacked.
DOWNLOAD_BYTES = Limit("bytes of a download", 1, 20_000_000, integer=True)
DOWNLOAD_UNPACKED = Limit("bytes of a download, unpacked", 1, 100_000_000, integer=True)
# A visitor's own file: its bytes, packed and unpacked; its rows, values and columns, before and after each category has
# got a column; the categories of one column; its classes, and the records of each.
OWN_BYTES = Limit("bytes", 1, 20_000_000, integer=True)
OWN_UNPACKED = Limit("unpacked bytes", 1, 100_000_000, integer=True)
OWN_ROWS = Limit("rows", 120, 50_000, integer=True)
OWN_VALUES = Limit("values", 1, 10_000_000, integer=True)
OWN_FIELDS = Limit("columns in the file", 1, 300, "leave some out", integer=True)
OWN_COLUMNS = Limit("columns with one for each category", 1, 1000, "leave some out, or group categories", integer=True)
OWN_CATEGORIES = Limit("categories", 2, 50, integer=True)
OWN_CLASSES = Limit("classes", 2, 20, integer=True)
OWN_PER_CLASS = Limit("records of a class", 60, 50_000, integer=True)
# Of a column of answers, of which no row is kept: those of one letter each fill a file of so many bytes.
OWN_PEOPLE = Limit("rows under the header", 2, ORACLE_PEOPLE.high, "each row is a person", integer=True)
# What the server takes and keeps: jobs that one visitor, and all together, may have waiting; bytes of one job's
# results, and of all that are kept; seconds of one task.
JOBS_EACH = Limit("jobs of one visitor", 1, 12, integer=True)
JOBS = Limit("jobs that wait", 1, 500, integer=True)
JOB_BYTES = Limit("bytes of a job's results", 1, 100_000_000, integer=True)
KEPT_BYTES = Limit("bytes of kept results", 1, 200_000_000, integer=True)
TASK_SECONDS = Limit("seconds of a task", 1, 600, integer=True)
# Files that a visit may have uploaded at a time, bytes of those of all; seconds to arrive, without any byte of it
# arriving, and to be read by a page.
UPLOADS_EACH = Limit("files of a visit", 1, 2, integer=True)
UPLOAD_BYTES = Limit("bytes of uploads", 1, 400_000_000, integer=True)
UPLOAD_SECONDS = Limit("seconds of an upload", 1, 300, integer=True)
UPLOAD_PAUSE = Limit("seconds without a byte of an upload", 1, 10, integer=True)
UNREAD_SECONDS = Limit("seconds unread", 1, 60, integer=True)
# Of the settings of a link; of an address for which its page is sent, to say that they are too long; and of a request
# that is read, to say that its address is.
LINK_LENGTH = Limit("characters of a link", 1, 8192, integer=True)
ADDRESS_BYTES = Limit("characters of an address", 1, 32_768, integer=True)
REQUEST_BYTES = Limit("bytes of a request without its body", 1, 256_000, integer=True)
# What a visitor's browser sends over its WebSocket: the bytes of one message, how many widgets it names, and the
# characters of one text (a text box, a choice) and of the JSON of one component.
MESSAGE_BYTES = Limit("bytes of a message", 1, 1_000_000, integer=True)
MESSAGE_WIDGETS = Limit("widgets of a message", 0, 1_000, integer=True)
MESSAGE_HASHES = Limit("remembered messages of a message", 0, 10_000, integer=True)
TEXT_LENGTH = Limit("characters of a text", 0, 8_192, integer=True)
JSON_LENGTH = Limit("characters of a component's JSON", 0, 65_536, integer=True)
# Visitors who are connected at a time.
VISITS = Limit("visits", 1, 400, integer=True)
# From one network: requests for polls that do not exist, at once, and a second from then on.
GUESS_BURST = Limit("wrong poll codes at once", 1, 200, integer=True)
GUESS_RATE = Limit("wrong poll codes a second", 0, 1, integer=True)
# A poll of a class: its text, how long it is kept, how often it is repeated, and its answers over all repetitions.
QUESTION_LETTERS = Limit("letters of the question", 1, 200, "the room reads it on a telephone", integer=True)
ANSWER_LETTERS = Limit("letters of an answer", 1, 40, "it stands on a button of a telephone", integer=True)
POLL_ANSWERS = Limit("number of answers", 2, 6, "one answer hides nothing, and six fit on a telephone", integer=True)
POLL_HOURS = Limit("hours of a poll", 1, 24, integer=True)
POLL_ROUNDS = Limit("times a poll is asked", 1, 5, "each further answer hides less", integer=True)
POLL_PEOPLE = Limit("answers to a poll", 1, 5000, integer=True)
# The words of a guess that a lecture asks the room for, its options and the letters of each, and its guesses.
GUESS_LETTERS = Limit("letters of a guess", 1, 500, "the room reads it on a telephone", integer=True)
GUESS_OPTIONS = Limit("options of a guess", 2, 20, integer=True)
# The dots of the room's guesses that a figure shows.
GUESS_DOTS = Limit("dots of guesses", 1, 1_000, integer=True)
# Simulated people who answer in a second, where a poll is rehearsed.
POLL_PACE = Limit("answers a second", 0.5, 100.0, "a class takes about a minute")
# Of 100 simulated people, those who do not follow the rules where a poll is rehearsed.
POLL_DISOBEY = Limit("people of 100", 0, 50, "half of all people must follow the rules", integer=True)
# Polls that a server has open, and those that it keeps, closed ones as well.
POLLS_OPEN = Limit("open polls", 1, 200, integer=True)
POLLS = Limit("polls", 1, 1000, integer=True)
# Minutes after which a poll without answers may be replaced by another, where the store is full.
POLL_EMPTY = Limit("minutes of a poll without an answer", 1, 60, integer=True)
# Polls that one address, or one visit, opens: at once, and an hour from then on.
OPEN_BURST = Limit("polls opened at once", 1, 20, integer=True)
OPEN_RATE = Limit("polls opened an hour", 1, 6, integer=True)
# What a telephone sends: its bytes, and how many seconds they may take.
POLL_BYTES = Limit("bytes of an answer", 1, 1024, integer=True)
POLL_SECONDS = Limit("seconds of an answer", 1, 10, integer=True)
# From one address, behind which a whole class may be: answers and looks at once, and a second from then on.
POLL_BURST = Limit("answers at once", 1, 1000, integer=True)
POLL_RATE = Limit("answers a second", 1, 100, integer=True)
LOOK_BURST = Limit("looks at once", 1, 2000, integer=True)
LOOK_RATE = Limit("looks a second", 1, 100, integer=True)
# The most seconds of a trial in a results table: four months.
TRIAL_SECONDS = Limit("seconds of a trial", 0.0, 1e7)
# Servers of the app on one machine, and the port of any server.
PORT = Limit("port", 1, 65_535, "name another one: PORT=8502", integer=True)
REPLICAS = Limit("REPLICAS", 1, 64, "more than there are cores wait for each other", integer=True)


def flip_prob_limit(n_states: int, name: str = "flip_prob") -> Limit:
    """Return the range of a k-ary flip probability: 0 … (k−1)/k, where the answer carries no information."""
    high = (n_states - 1) / n_states
    return Limit(name, 0.0, high, f"at {_short(high, ROUND_FLOOR)} an answer with {n_states} states is pure noise")


def poll_lie_limit(n_answers: int) -> Limit:
    """Return the range of the probability with which a telephone sends another answer than the true one."""
    high = 0.9 * flip_prob_limit(n_answers).high
    advice = "with 0 an answer hides nothing, and with more it says next to nothing"
    return Limit("the lie's probability", 0.01, high, advice)
