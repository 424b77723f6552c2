"""A million people, k = 100, ε = 1: every lie that two packages offer too, and shares by inversion (target: 25 times).

Processor time, all sides in turn in one process. The packages take one person a call, in time that grows with the
people, so they are asked 10,000 and their time is taken times 100. Here a million are told twice: as counts, which is
all that inversion wants, and report by report. First of all each package's reports are estimated from by both sides,
which must agree. Then the likelihood of a million reports is maximised. Peak memory is that of a fresh process that
samples and tallies a million reports and maximises their likelihood, the packages' own imports included.
"""

import multiprocessing
import resource
import time

import numpy as np
from multi_freq_ldpy.pure_frequency_oracles import GRR, LH, SS, UE
from pure_ldp.frequency_oracles import direct_encoding, hadamard_response, local_hashing, unary_encoding

from privdemo.estimators.frequency_oracles import maximise_likelihood, unbiased_shares
from privdemo.mechanisms.frequency_oracles import ORACLES
from tests.benchmarks.timing import alternate, table

N, ASKED, K, EPSILON, REPEATS = 1_000_000, 10_000, 100, 1.0, 2
TRUTH = np.arange(1, K + 1) ** -1.2 / (np.arange(1, K + 1) ** -1.2).sum()
COUNTS = np.random.default_rng(0).multinomial(N, TRUTH)
VALUES = np.random.default_rng(1).permutation(np.repeat(np.arange(K, dtype=np.int16), COUNTS))
LIST = VALUES[:ASKED].tolist()


def pure(client, server):
    """A client's and a server's calls of pure-ldp: the reports, and the shares that it estimates from them."""

    def estimate(reports):
        made = server()
        made.aggregate_all(reports)
        return np.array(made.estimate_all(range(K))) / len(reports)

    return client().privatise, estimate


def same(value):
    return value


UNARY = unary_encoding.UEClient, unary_encoding.UEServer
HASHING = local_hashing.LHClient, local_hashing.LHServer
# Of each oracle and package how one person reports, and how all reports are estimated from.
MULTI, PURE = "multi-freq-ldpy", "pure-ldp"
PACKAGES = {
    ("randomised response", MULTI): (
        lambda value: GRR.GRR_Client(value, K, EPSILON),
        lambda reports: GRR.GRR_Aggregator_MI(reports, K, EPSILON),
    ),
    ("subset selection", MULTI): (
        lambda value: SS.SS_Client(value, K, EPSILON),
        lambda reports: SS.SS_Aggregator_MI(reports, K, EPSILON),
    ),
    ("local hashing", MULTI): (
        lambda value: LH.LH_Client(value, K, EPSILON),
        lambda reports: LH.LH_Aggregator_MI(reports, K, EPSILON),
    ),
    ("randomised response", PURE): pure(
        lambda: direct_encoding.DEClient(EPSILON, K, index_mapper=same),
        lambda: direct_encoding.DEServer(EPSILON, K, index_mapper=same),
    ),
    ("local hashing", PURE): pure(
        *(lambda side=side: side(EPSILON, K, use_olh=True, index_mapper=same) for side in HASHING)
    ),
    ("hadamard response", PURE): pure(
        lambda: hadamard_response.HadamardResponseClient(EPSILON, K, None, index_mapper=same),
        lambda: hadamard_response.HadamardResponseServer(EPSILON, K, index_mapper=same),
    ),
}
for name, optimal in (("basic rappor", False), ("optimised unary", True)):
    PACKAGES[name, MULTI] = (
        lambda value, optimal=optimal: UE.UE_Client(value, K, EPSILON, optimal),
        lambda reports, optimal=optimal: UE.UE_Aggregator_MI(reports, EPSILON, optimal),
    )
    PACKAGES[name, PURE] = pure(
        *(lambda side=side, optimal=optimal: side(EPSILON, K, use_oue=optimal, index_mapper=same) for side in UNARY)
    )


def as_counts(name):
    oracle = ORACLES[name](K, EPSILON)
    return unbiased_shares(oracle, oracle.support_counts(COUNTS, np.random.default_rng(2)), N)


def as_reports(name):
    oracle = ORACLES[name](K, EPSILON)
    return unbiased_shares(oracle, oracle.tally(oracle.reports(VALUES, np.random.default_rng(2))), N)


def likelihood(name):
    oracle = ORACLES[name](K, EPSILON)
    reports = oracle.reports(VALUES, np.random.default_rng(2))
    oracle.tally(reports)
    start = time.process_time()
    found = maximise_likelihood(oracle, reports)
    return time.process_time() - start, found.gap * N


def peak_megabytes(name):
    """The largest resident memory of a process that did nothing else (Linux counts it in KiB)."""
    likelihood(name)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def ours_of(name, reports):
    """A package's reports as this package writes them; None where the hash functions differ."""
    if name == "local hashing":
        return None
    if name == "subset selection":
        member = np.zeros((len(reports), K), bool)
        np.put_along_axis(member, np.array(reports), True, axis=1)
        return np.packbits(member, axis=1)
    if name in ("basic rappor", "optimised unary"):
        return np.packbits(np.array(reports, dtype=bool), axis=1)
    return np.array(reports, dtype=np.int64)


def check_estimates(name, package):
    """Both sides estimate the same shares from the same reports; one package cuts them at 0 and scales them."""
    report, estimate = PACKAGES[name, package]
    reports = [report(value) for value in LIST]
    oracle = ORACLES[name](K, EPSILON)
    mine = ours_of(name, reports)
    if mine is None:
        return "other hash functions"
    found = unbiased_shares(oracle, oracle.tally(mine), ASKED)
    if package == MULTI:
        found = np.maximum(found, 0) / np.maximum(found, 0).sum()
    difference = abs(found - estimate(reports)).max()
    assert difference < 1e-9, (name, package, difference)
    return f"{difference:.0e}"


if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as fresh:
        memory = dict(zip(ORACLES, fresh.map(peak_megabytes, ORACLES, chunksize=1), strict=True))
    agreed = {side: check_estimates(*side) for side in PACKAGES}
    for name in ORACLES:
        theirs = {
            package: (lambda report=report, estimate=estimate: estimate([report(value) for value in LIST]))
            for (other, package), (report, estimate) in PACKAGES.items()
            if other == name
        }
        ours = {"as counts": lambda name=name: as_counts(name), "report by report": lambda name=name: as_reports(name)}
        seconds = alternate({**ours, **theirs}, REPEATS, clock=time.process_time)
        seconds |= {package: seconds[package] * N / ASKED for package in theirs}
        rows = [
            (side, f"{took:.4f}", *(f"{took / seconds[base]:,.0f}" for base in ours), agreed.get((name, side), ""))
            for side, took in seconds.items()
        ]
        header = ["", "s", "times as counts", "times report by report", "estimates apart by at most"]
        table(f"{name}: {N:,} people, k = {K}, epsilon = {EPSILON:g}; median of {REPEATS}", header, rows)
        took, gap = likelihood(name)
        print(f"  likelihood {took:.2f} s, within {gap:.4f} nats in all; peak memory {memory[name]:.0f} MB")
