"""What polls are tested against: the channel by hand, Barber's objective by Bayes' rule, and tests of distributions."""

import math

import numpy as np
from scipy import stats

from privdemo.mechanisms import BinaryChannel

ASYMMETRIC = BinaryChannel(0.15, 0.3)
# p-values are uniform under the truth: below this once in a million.
RARE = 1e-6


def answer_prob(theta, channel):
    """P(answer A) for a share θ of voters for A."""
    return theta * (1 - channel.p01) + (1 - theta) * channel.p10


def objective(theta, share, p):
    """J of eq. (38) for a symmetric lie, by Bayes' rule for either answer; θ inside (0, 1), `share` of answers A."""
    total = 0.0
    for like_a, weight in ((1 - p, share), (p, 1 - share)):
        posterior = like_a * theta / (like_a * theta + (1 - like_a) * (1 - theta))
        total = total + weight * (posterior * np.log(theta) + (1 - posterior) * np.log(1 - theta))
    return total


def fits(observed, probs):
    """Whether counts could come from a distribution with these probabilities: a χ² test, rare cells merged."""
    expected = np.sum(observed) * np.asarray(probs)
    common = expected >= 5
    pairs = [np.append(x[common], x[~common].sum()) if (~common).any() else x for x in (np.asarray(observed), expected)]
    return stats.chisquare(*pairs).pvalue > RARE


def log_likelihood(answers, epsilon, shares):
    """Of counts of answers by k-ary randomised response, written out."""
    k = len(shares)
    kept = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
    return float((answers * np.log((kept - (1 - kept) / (k - 1)) * shares + (1 - kept) / (k - 1))).sum())
