"""Frequency oracles against every report that there is: ε, p and q by brute force, and samples against their law."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from scipy.linalg import hadamard
from scipy.stats import chi2

from privdemo import limits
from privdemo.accounting import most_guessed_right
from privdemo.mechanisms import frequency_oracles as fo
from privdemo.mechanisms.frequency_oracles.hadamard import walsh_hadamard
from privdemo.mechanisms.frequency_oracles.hashing import PRIME, hash_answer

NAMES = tuple(fo.ORACLES)
OFF = 0.03  # what a test must tell from the right ε


def rng(seed=0):
    return np.random.default_rng(seed)


def pack(members):
    return np.packbits(np.array(members, dtype=bool), axis=1)


def all_reports(oracle):
    """Every report that there is; of local hashing every one with one hash function, at random."""
    k = oracle.k
    if isinstance(oracle, fo.OptimisedLocalHashing):
        function = np.tile(rng(k).integers(0, PRIME, 3, dtype=np.uint32), (oracle.n_hashes, 1))
        return np.column_stack([function, np.arange(oracle.n_hashes, dtype=np.uint32)])
    if isinstance(oracle, fo.SubsetSelection):
        return pack([[v in chosen for v in range(k)] for chosen in combinations(range(k), oracle.size)])
    if isinstance(oracle, fo.BasicRappor | fo.OptimisedUnaryEncoding):
        return pack(list(product([False, True], repeat=k)))
    return np.arange(oracle.order if isinstance(oracle, fo.HadamardResponse) else k)


def report_probs(oracle):
    """P(report | v) of all reports, (n_reports, k); of local hashing given the hash function."""
    functions = PRIME**3 if isinstance(oracle, fo.OptimisedLocalHashing) else 1
    return np.exp(oracle.log_prob(all_reports(oracle))) * functions


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_epsilon_p_and_q_by_brute_force(name, k):
    for epsilon in (0.01, 0.5, 1.7, 4.0, 10.0):
        oracle = fo.ORACLES[name](k, epsilon)
        probs = report_probs(oracle)
        np.testing.assert_allclose(probs.sum(axis=0), 1, rtol=1e-12)
        losses = np.log(probs.max(axis=1) / probs.min(axis=1))
        member = oracle.support(all_reports(oracle))
        if name == "local hashing":  # its answers may all have one hash; p and q are over all functions, below
            assert losses.max() <= epsilon * (1 + 1e-9)
            assert probs.max() == pytest.approx(oracle.p)
            continue
        assert losses.max() == pytest.approx(epsilon, rel=1e-9)
        supported = probs.T @ member  # [true, answer]
        np.testing.assert_allclose(supported, np.where(np.eye(k), oracle.p, oracle.q), rtol=1e-9)
        assert len(probs) == oracle.n_supports
        assert oracle.bits == math.ceil(math.log2(len(probs)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_nobody_guesses_an_answer_more_often_than_its_epsilon_allows(name, k):
    for epsilon in (0.01, 0.5, 1.7, 4.0, 10.0):
        oracle = fo.ORACLES[name](k, epsilon)
        right = report_probs(oracle).max(axis=1).sum() / k  # whoever names the likeliest answer of each report
        allowed = most_guessed_right(epsilon, 0.0, k)
        assert right <= allowed * (1 + 1e-9)
        if name == "randomised response":
            assert right == pytest.approx(allowed, rel=1e-9)


def by_report(oracle, reports):
    """The number of each report among `all_reports`; of local hashing the reported hash less that of the truth 0."""
    if isinstance(oracle, fo.OptimisedLocalHashing):
        return (reports[:, 3] - hash_answer(reports[:, :3].T, 0, oracle.n_hashes).astype(int)) % oracle.n_hashes
    if reports.ndim == 1:
        return reports
    (known,) = all_reports(oracle).T  # one byte is enough for up to eight answers
    number = np.zeros(256, int)
    number[known] = np.arange(len(known))
    assert np.isin(np.unique(reports), known).all()
    return number[reports[:, 0]]


def fit(found, probs):
    """The p-value of Pearson's chi-squared test of counts against probabilities."""
    expected = probs * found.sum()
    return chi2.sf((np.square(found - expected) / expected).sum(), len(probs) - 1)


def law(oracle, true, epsilon):
    """P(report) if `true` is the truth, at another ε and with as many hashes."""
    if isinstance(oracle, fo.OptimisedLocalHashing):
        weights = np.append(math.exp(epsilon), np.ones(oracle.n_hashes - 1))
        return weights / weights.sum()
    return report_probs(type(oracle)(oracle.k, epsilon))[:, true]


@pytest.mark.parametrize("name", NAMES)
def test_reports_follow_their_law_and_none_of_an_epsilon_three_percent_off(name):
    """300,000 reports: the wrong ε has a p-value below 10⁻⁸, as N I (0.03 ε)² is 110 or more, of few cells."""
    k, epsilon, n = 3, 2.0, 300_000
    oracle = fo.ORACLES[name](k, epsilon)
    for true in (0,) if name == "local hashing" else (0, 2):
        reports = oracle.reports(np.full(n, true, np.uint8), rng(true + 5))
        right = law(oracle, true, epsilon)
        found = np.bincount(by_report(oracle, reports), minlength=len(right))
        assert fit(found, right) > 1e-4
        for wrong in (1 - OFF, 1 + OFF):
            assert fit(found, law(oracle, true, wrong * epsilon)) < 1e-8


@pytest.mark.parametrize("name", NAMES)
def test_counts_sampled_at_once_have_p_and_q_and_none_of_an_epsilon_three_percent_off(name):
    people = np.array([4_000_000, 1_000_000, 0, 2_000_000, 3_000_000])
    oracle = fo.ORACLES[name](5, 2.0)

    def distance(epsilon):
        """How many standard errors the counts are from those expected at `epsilon`, at most."""
        other = fo.ORACLES[name](5, epsilon)
        p, q = (law(oracle, 0, epsilon)[0], oracle.q) if name == "local hashing" else (other.p, other.q)
        mean = people * p + (people.sum() - people) * q
        variance = people * p * (1 - p) + (people.sum() - people) * q * (1 - q)
        return abs((found - mean) / np.sqrt(variance)).max()

    found = oracle.support_counts(people, rng(1))
    assert distance(2.0) < 4.5
    assert min(distance(2.0 * wrong) for wrong in (1 - OFF, 1 + OFF)) > 9


def counts_law(oracle, values):
    """The law of the support counts of people with these answers: {counts: probability}."""
    member, probs = oracle.support(all_reports(oracle)).astype(int), report_probs(oracle)
    total = {(0,) * oracle.k: 1.0}
    for true in values:
        after = {}
        for before, weight in total.items():
            for row, prob in zip(member, probs[:, true], strict=True):
                key = tuple(before + row)
                after[key] = after.get(key, 0.0) + weight * prob
        total = after
    return total


@pytest.mark.parametrize("name", [name for name in NAMES if name != "local hashing"])
def test_counts_sampled_at_once_have_the_joint_law_of_reports(name):
    k, people = (5, [2, 0, 1, 0, 0]) if name == "subset selection" else (3, [1, 0, 2])
    oracle = fo.ORACLES[name](k, 0.5 if name == "subset selection" else 1.5)
    expected = counts_law(oracle, np.repeat(np.arange(k), people))
    generator, n = rng(2), 2000
    sampled = [tuple(oracle.support_counts(people, generator)) for _ in range(n)]
    assert set(sampled) <= set(expected)
    cells = sorted(expected, key=expected.get)
    probs, found = np.array([expected[c] for c in cells]), np.array([sampled.count(c) for c in cells])
    # rare ones are pooled, so that about 20 are expected of each
    group = np.unique(np.cumsum(probs) // (20 / n), return_inverse=True)[1]
    assert fit(np.bincount(group, found), np.bincount(group, probs)) > 1e-4
    others = counts_law(oracle, np.repeat(np.arange(k), people[::-1]))
    assert fit(np.bincount(group, found), np.bincount(group, [others[c] for c in cells])) < 1e-6


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("k", [2, 8, 100])
def test_a_tally_counts_what_reports_support(name, k):
    oracle = fo.ORACLES[name](k, 1.0)
    people = rng(3).multinomial(300, np.full(k, 1 / k))
    reports = oracle.reports(np.repeat(np.arange(k), people), rng(4))
    support = oracle.support(reports)
    assert support.shape == (300, k)
    np.testing.assert_array_equal(oracle.tally(reports), support.sum(axis=0))
    posterior = oracle.posterior(reports[:5], np.arange(1, k + 1))
    likelihood = np.exp(oracle.log_prob(reports[:5]) - oracle.log_prob(reports[:5]).max(axis=1, keepdims=True))
    expected = likelihood * np.arange(1, k + 1)
    np.testing.assert_allclose(posterior, expected / expected.sum(axis=1, keepdims=True), rtol=1e-9)


def test_three_answers_have_independent_hashes():
    """Chi-squared over g³ cells for several triples; an arithmetic progression is where degree 1 would fail."""
    n, g = 200_000, 3
    coefficients = rng(6).integers(0, PRIME, (3, n), dtype=np.uint32)

    def alike(hashes):
        return fit(np.bincount(np.ravel_multi_index(hashes, (g,) * 3), minlength=g**3), np.full(g**3, g**-3.0))

    for triple in ((0, 1, 2), (5, 511, 1023), (7, 8, 1000)):
        hashes = [hash_answer(coefficients, v, g).astype(int) for v in triple]
        assert alike(hashes) > 1e-4
        line = [hash_answer(np.stack([0 * coefficients[0], *coefficients[1:]]), v, g).astype(int) for v in (0, 1, 2)]
        assert alike(line) < 1e-9
    a, b, c = (int(x) for x in coefficients[:, 0])
    for v in (0, 3, 1023):
        assert hash_answer(coefficients[:, :1], v, 1000)[0] == (a * v * v + b * v + c) % PRIME * 1000 // 2**31
    assert hash_answer(np.array([[0], [0], [PRIME - 1]], np.uint32), 1, 7)[0] == 6


def test_g_and_d_are_those_of_least_variance():
    for k, epsilon in product([2, 3, 16, 100, 1024], [0.01, 0.5, 1.0, 2.0, 4.0, 7.0]):
        r = math.exp(epsilon)
        for d in range(1, k, max(1, k // 40)):
            p = d * r / (d * r + k - d)
            q = (p * (d - 1) + (1 - p) * d) / (k - 1)
            one = (p * (1 - p) + (k - 1) * q * (1 - q)) / k / (p - q) ** 2
            assert fo.SubsetSelection(k, epsilon).mean_variance(1) <= one * (1 + 1e-12)
        for g in range(2, 60):
            p, q = r / (r + g - 1), 1 / g
            one = (p * (1 - p) + (k - 1) * q * (1 - q)) / k / (p - q) ** 2
            assert fo.OptimisedLocalHashing(k, epsilon).mean_variance(1) <= one * (1 + 1e-12)
    assert fo.SubsetSelection(1000, 1.0).size == pytest.approx(1000 / (math.e + 1), abs=2)
    assert fo.OptimisedLocalHashing(1000, 3.0).n_hashes == pytest.approx(math.exp(3) + 1, abs=1)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("k", "epsilon"), [(2, 0.5), (16, 1.0), (16, 5.0), (1024, 2.0)])
def test_the_worst_share_has_the_largest_variance_in_a_population(name, k, epsilon):
    oracle = fo.ORACLES[name](k, epsilon)
    shares = np.linspace(0, 1, 1001)
    variances = oracle.variance(shares, 1000, of_population=True)
    assert oracle.variance(oracle.worst_share(), 1000, of_population=True) >= variances.max() * (1 - 1e-12)
    assert abs(oracle.worst_share() - shares[variances.argmax()]) <= 0.001
    assert oracle.worst_share(0.01) == min(0.01, oracle.worst_share())
    channel = oracle.one_against_rest
    assert (1 - channel.p01, channel.p10) == pytest.approx((oracle.p, oracle.q))


@pytest.mark.parametrize(("k", "epsilon"), [(3, 0.5), (16, 1.0), (64, 4.0)])
@pytest.mark.parametrize("largest_share", [0.4, 1.0])
def test_sizes_and_hashes_for_some_shares_are_the_best_of_all(k, epsilon, largest_share):
    def worst(oracle):
        return oracle.variance(oracle.worst_share(largest_share), 1000, of_population=True)

    sets = [fo.SubsetSelection(k, epsilon, size) for size in range(1, k)]
    hashes = [fo.OptimisedLocalHashing(k, epsilon, g) for g in range(2, 2 * math.ceil(math.exp(epsilon)))]
    for kind, all_of_them in ((fo.SubsetSelection, sets), (fo.OptimisedLocalHashing, hashes)):
        assert worst(kind.for_shares(k, epsilon, largest_share)) == pytest.approx(min(map(worst, all_of_them)))
    assert [oracle.size for oracle in sets] == list(range(1, k))
    assert fo.BasicRappor.for_shares(k, epsilon, largest_share) == fo.BasicRappor(k, epsilon)
    for wrong in (0, k):
        with pytest.raises(ValueError, match="given_size must be"):
            fo.SubsetSelection(k, epsilon, wrong)
    with pytest.raises(ValueError, match="given_hashes must be"):
        fo.OptimisedLocalHashing(k, epsilon, 1)


@pytest.mark.parametrize("name", ["randomised response", "basic rappor", "local hashing"])
def test_variances_are_those_of_many_simulated_polls(name):
    n, k = 1000, 4
    oracle, people = fo.ORACLES[name](k, 2.0), np.array([700, 200, 100, 0])
    generator, trials = rng(7), 1500
    gain = oracle.p - oracle.q
    fixed = np.array([oracle.support_counts(people, generator) for _ in range(trials)]) / n / gain
    sampled = [oracle.support_counts(generator.multinomial(n, people / n), generator) for _ in range(trials)]
    for found, variance in (
        (fixed.var(axis=0), oracle.variance(people / n, n)),
        ((np.array(sampled) / n / gain).var(axis=0), oracle.variance(people / n, n, of_population=True)),
    ):
        np.testing.assert_allclose(found, variance, rtol=5 * math.sqrt(2 / trials))
    assert oracle.mean_variance(n) == pytest.approx(oracle.variance(people / n, n).mean())


def test_kary_response_wins_only_where_k_is_below_three_times_e_to_epsilon_plus_two():
    for epsilon in (0.01, 0.3, 1.0, 2.0, 3.3, 5.0):
        bound = 3 * math.exp(epsilon) + 2
        for k in {2, 3, 5, 8, 30, 100, 1000, math.ceil(bound) - 1, math.floor(bound) + 1} & set(range(2, 1025)):
            kary, unary = (fo.ORACLES[name](k, epsilon) for name in ("randomised response", "optimised unary"))
            assert (kary.variance(0.0, 1) < unary.variance(0.0, 1)) == (k < bound)
            winner = fo.best(k, epsilon)
            assert (winner == "randomised response") == (fo.SubsetSelection(k, epsilon).size == 1)
            assert winner in ("randomised response", "subset selection")
            if fo.best(k, epsilon, ("randomised response", "optimised unary")) == "randomised response":
                assert k < bound
    assert fo.best(2, 1.0, ["hadamard response", "basic rappor"]) in ("hadamard response", "basic rappor")
    assert fo.HadamardResponse(10, 10.0).variance(0.0, 1) == pytest.approx(1, rel=1e-3)


MANY = 65_536
SHORT = ("local hashing", "hadamard response")


@pytest.mark.parametrize("size", [1, 2, 8, 64])
def test_the_fast_transform_is_the_product_with_the_matrix(size):
    matrix = hadamard(size)
    values = rng(8).integers(-50, 50, size)
    np.testing.assert_array_equal(walsh_hadamard(values), matrix @ values)
    np.testing.assert_array_equal(walsh_hadamard(walsh_hadamard(values)), size * values)


@pytest.mark.parametrize("k", [2, 3, 7, 8, 100, 1024])
def test_hadamard_tallies_and_supports_are_those_of_the_dense_matrix(k):
    oracle = fo.HadamardResponse(k, 1.0)
    halves = hadamard(oracle.order)[:, 1 : k + 1] == 1  # (K, k)
    numbers = rng(k).integers(0, oracle.order, 500)
    np.testing.assert_array_equal(oracle.support(numbers), halves[numbers])
    np.testing.assert_array_equal(oracle.tally(numbers), halves[numbers].sum(axis=0))


@pytest.mark.parametrize(("k", "n"), [(2, 1), (9, 40), (1024, 300), (1100, 50)])
def test_hashing_tallies_and_supports_are_those_of_whole_numbers_without_limit(k, n):
    oracle = fo.OptimisedLocalHashing(k, 2.0)
    reports = oracle.reports(rng(k).integers(0, k, n), rng(9))
    dense = np.array(
        [
            [(a * v * v + b * v + c) % PRIME * oracle.n_hashes // 2**31 == released for v in range(k)]
            for a, b, c, released in (map(int, report) for report in reports)
        ]
    )
    np.testing.assert_array_equal(oracle.support(reports), dense)
    np.testing.assert_array_equal(oracle.tally(reports), dense.sum(axis=0))


def test_hashes_of_the_largest_answers_are_exact():
    largest = [PRIME - 1, PRIME - 2, 1, 0, 2**30]
    coefficients = np.array(list(product(largest, repeat=3)), np.uint32).T
    for v in (1023, 1024, 32_768, MANY - 1):
        found = hash_answer(coefficients, v, 22_027)
        expected = [(a * v * v + b * v + c) % PRIME * 22_027 // 2**31 for a, b, c in coefficients.T.tolist()]
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", SHORT)
def test_of_many_answers_every_report_supports_as_often_as_p_and_q_say(name):
    oracle = fo.ORACLES[name](MANY, 3.0)
    true = np.array([0, 1023, 1024, MANY - 1])
    reports = oracle.reports(np.repeat(true, 40), rng(10))
    support = oracle.support(reports)
    np.testing.assert_array_equal(oracle.tally(reports), support.sum(axis=0))
    own = support[np.arange(160), np.repeat(true, 40)].mean()
    assert abs(own - oracle.p) < 4 * math.sqrt(oracle.p * (1 - oracle.p) / 160)
    spread = 4 * math.sqrt(oracle.q * (1 - oracle.q) / (160 * MANY))
    assert abs(support.mean() - oracle.q) < spread + 1 / MANY
    posterior = oracle.posterior(reports[:2], np.full(MANY, 1 / MANY))
    np.testing.assert_allclose(posterior.sum(axis=1), 1, rtol=1e-9)


@pytest.mark.parametrize("name", SHORT)
def test_counts_of_many_answers_sampled_at_once_have_p_and_q_and_none_of_an_epsilon_three_percent_off(name):
    people = np.zeros(MANY, np.int64)
    people[[0, 1500, MANY - 1]] = 1_000_000, 600_000, 400_000
    oracle = fo.ORACLES[name](MANY, 2.0)
    found = oracle.support_counts(people, rng(11))[people > 0]

    def distance(epsilon):
        """How many standard errors the counts of the three answers are from those expected at `epsilon`, at most."""
        p = law(oracle, 0, epsilon)[0] if name == "local hashing" else 1 / (1 + math.exp(-epsilon))
        here = people[people > 0]
        mean = here * p + (people.sum() - here) * oracle.q
        variance = here * p * (1 - p) + (people.sum() - here) * oracle.q * (1 - oracle.q)
        return abs((found - mean) / np.sqrt(variance)).max()

    assert distance(2.0) < 4.5
    assert min(distance(2.0 * wrong) for wrong in (1 - OFF, 1 + OFF)) > 6


def test_only_two_take_more_than_1024_answers():
    assert fo.for_answers(1024) == NAMES
    assert fo.for_answers(1025) == fo.for_answers(MANY) == SHORT
    assert fo.for_answers(1) == fo.for_answers(MANY + 1) == ()
    assert fo.best(MANY, 4.0) == "local hashing"
    assert fo.best(MANY, 4.0, NAMES[:3] + SHORT[1:]) == "hadamard response"


@pytest.mark.parametrize(
    ("ask", "error", "sentence"),
    [
        (lambda: fo.KaryResponse(1025, 1.0), ValueError, r"^k must be a whole number in \[2, 1024\], got 1025"),
        (lambda: fo.SubsetSelection(1025, 1.0), ValueError, "more than 1,024 need local hashing or Hadamard response"),
        (lambda: fo.HadamardResponse(65_537, 1.0), ValueError, r"^k must be a whole number in \[2, 65536\], got 65537"),
        (lambda: fo.best(65_537, 1.0), ValueError, "^k must be"),
        (lambda: fo.best(2000, 1.0, ["basic rappor"]), ValueError, r"^k must be a whole number in \[2, 1024\]"),
        (lambda: fo.BasicRappor(5, 0.0), ValueError, r"^epsilon must be in \[0.01, 10\], got 0"),
        (lambda: fo.best(3, 1.0, ["lies"]), ValueError, "^among must name one or more of randomised response"),
        (lambda: fo.KaryResponse(3, 1.0).variance(0.5, 0), ValueError, "^people must be"),
        (lambda: fo.SubsetSelection(3, 1.0).support_counts([1, 2], rng()), ValueError, "^counts must be 3 whole"),
        (lambda: fo.SubsetSelection(3, 1.0).support_counts([1, 2, -1], rng()), ValueError, "^counts must be 3 whole"),
        (lambda: fo.HadamardResponse(3, 1.0).support_counts([0, 0, 0], rng()), ValueError, "^people must be"),
        (lambda: fo.HadamardResponse(3, 1.0).reports(np.array([3]), rng()), ValueError, "^x must hold states"),
        (lambda: fo.KaryResponse(3, 1.0).reports(np.array([0.0]), rng()), TypeError, "^x must hold whole-number"),
        (lambda: fo.BasicRappor(3, 1.0).reports(np.zeros((2, 2), int), rng()), ValueError, "^values must be one"),
    ],
)
def test_what_cannot_be_reported_is_refused(ask, error, sentence):
    assert limits.ORACLE_PEOPLE.high == 10_000_000
    with pytest.raises(error, match=sentence):
        ask()
