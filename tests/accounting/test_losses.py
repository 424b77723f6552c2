"""Losses of a few atoms by hand, their inverse, bisection and composition; Beta tails against 60 digits."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privdemo.accounting import PrivacyLoss, compose
from privdemo.accounting.beta_tails import FAR, beta_tail, huge_beta_tail
from privdemo.accounting.losses import round_up_epsilon, smallest_private

# Losses −1, 0, 1 and 2, and an output that rules x′ out.
LOSS = PrivacyLoss(np.array([-1.0, 0.0, 1.0, 2.0]), np.array([0.1, 0.2, 0.3, 0.3]), infinite_mass=0.1)


def halves(*losses):
    return PrivacyLoss(np.array(losses), np.array([0.5, 0.5]))


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.0, 1.7, 2.0, math.inf])
def test_the_profile_by_hand(epsilon):
    delta = 0.1 + sum(0.3 * max(0, 1 - math.exp(epsilon - loss)) for loss in (1, 2))
    assert LOSS.delta(epsilon) == pytest.approx(delta, rel=1e-15)
    if epsilon < 2:
        assert LOSS.epsilon(delta * (1 + 1e-12)) == pytest.approx(epsilon, abs=1e-10)


@pytest.mark.parametrize(
    ("loss", "delta", "epsilon"),
    [
        *[(LOSS, 0.0999, math.inf), (LOSS, 0.1, 2), (LOSS, LOSS.delta(0.0), 0), (LOSS, 1.0, 0)],
        *[(halves(-2.0, -1.0), 0.0, 0), (halves(0.0, 3.0), 0.0, 3), (halves(0.2, 0.4), 0.0, 0.4)],
        *[(PrivacyLoss.certain(), 0.999, math.inf), (PrivacyLoss.certain(), 1.0, 0)],
    ],
)
def test_the_ends_of_the_inverse_and_of_the_profile(loss, delta, epsilon):
    assert loss.epsilon(delta) == epsilon
    assert PrivacyLoss.certain().delta(1e6) == 1
    # masses are bounds, and δ a probability all the same
    assert PrivacyLoss(np.array([50.0]), np.array([1.0]), infinite_mass=1e-3).delta(0.0) == 1


@given(
    st.lists(st.tuples(st.floats(-5, 30), st.floats(0, 1)), min_size=1, max_size=8, unique_by=lambda atom: atom[0]),
    st.floats(0, 0.2),
    st.floats(-9, -0.1).map(lambda exponent: 10**exponent),
)
def test_the_inverse_is_enough_and_no_more(atoms, infinite_mass, delta):
    losses, masses = np.array(sorted(atoms)).T
    if not masses.sum():
        return
    loss = PrivacyLoss(losses, (1 - infinite_mass) * masses / masses.sum(), infinite_mass)
    epsilon = loss.epsilon(delta)
    if epsilon == math.inf:
        assert delta < infinite_mass
        return
    assert loss.delta(epsilon) <= delta
    if epsilon > 1e-6:
        assert loss.delta(epsilon * (1 - 1e-6)) > delta - 1e-12  # a profile may be flat to the last digit


def test_bisection_finds_the_threshold_from_the_private_side():
    seen = []
    found = smallest_private(lambda level: seen.append(level) or level >= math.pi, 0.0, 1e6)
    assert math.pi <= found <= math.pi * (1 + 1e-12)
    assert len(seen) <= 75  # 40 halvings to reach π, and 44 digits of 2 at most
    assert smallest_private(lambda level: False, 1.0, 2.0) == 2
    assert smallest_private(lambda level: True, 0.0, 2.0) < 1e-50
    assert smallest_private(lambda level: level > 1.5, 1.0, 2.0) == pytest.approx(1.5, rel=1e-12)


def test_an_epsilon_is_moved_up_by_last_digits_only():
    target = 3.0 * (1 + 5e-15)
    found = round_up_epsilon(3.0, lambda epsilon: 0.2 if epsilon < target else 0.1, 0.1)
    assert target <= found <= 3.0 * (1 + 2e-14)
    assert round_up_epsilon(3.0, lambda epsilon: 0.1, 0.1) == 3
    assert round_up_epsilon(3.0, lambda epsilon: 0.2, 0.1) == pytest.approx(3.0, rel=2e-3)  # and given up
    assert 0 < round_up_epsilon(0.0, lambda epsilon: 0.2 if epsilon == 0 else 0.1, 0.1) < 1e-30


def test_releases_of_the_same_value_add_up():
    assert [compose(0.3, n) for n in (1, 4)] == pytest.approx([0.3, 1.2], rel=1e-15)
    assert compose(math.inf, 2) == math.inf


@pytest.mark.parametrize(("p", "q"), [(0.5, 0.5), (3.0, 8.0), (40.0, 2.0), (0.01, 0.02), (2.0, 1e-4), (2.0, 1e-3)])
def test_tails_are_those_of_60_digits_also_where_a_series_takes_over(p, q):
    for log_odds in (-30.0, -1.5, 0.0, 0.7, 20.0, FAR - 1e-6, FAR + 1e-6, 1.5 * FAR)[: 8 if q < 1e-2 else 5]:
        with mpmath.workdps(60):
            exact = float(mpmath.betainc(q, p, 0, 1 / (1 + mpmath.exp(log_odds)), regularized=True))
        assert beta_tail(p, q, log_odds) == pytest.approx(exact, rel=1e-9 if log_odds > 20 else 1e-10)
        assert beta_tail(q, p, -log_odds) == pytest.approx(1 - exact, rel=1e-9)
    # of huge parameters, a thousand standard deviations out, there is all or nothing
    assert [huge_beta_tail(2e7, 2e7, far) for far in (1.001, -1.001)] == [0, 1]
