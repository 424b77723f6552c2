"""Bounds of shuffled k-ary randomised response beside what enumeration finds: docs/shuffling.md. Then their times.

python -m tests.benchmarks.bench_shuffling            writes the tables, a minute
python -m tests.benchmarks.bench_shuffling times      the times alone, seconds
"""

import re
import sys
from functools import partial
from pathlib import Path

from privdemo import accounting
from tests.accounting.oracles import two_counts, worst_shuffled
from tests.benchmarks.timing import alternate, table

FILE = Path(__file__).resolve().parents[2] / "docs" / "shuffling.md"
DELTA = 1e-6
# k, people, ε₀ and ε where everything that can be seen is enumerated.
FEW = [
    (k, n, local, share * local)
    for k, n in ((2, 6), (3, 6), (4, 5))
    for local in (0.4, 2.0, 4.0)
    for share in (0.05, 0.5)
]
MANY = [
    (k, n, local) for k in (2, 3, 16, 64) for n, local in ((1000, 1.0), (10_000, 1.0), (10_000, 4.0), (100_000, 4.0))
]
TIMED = [(16, 10_000, 2.0), (16, 1_000_000, 2.0), (1024, 1_000_000, 5.0), (1024, 1_000_000, 11.0)]


def few_row(k, n, local, epsilon):
    """δ of few people: exact by enumeration, by the response's own bound, and by clones."""
    exact = worst_shuffled(local, k, n, epsilon)
    own, clones = accounting.shuffled_response_delta(local, n, epsilon, k), accounting.shuffled_delta(local, n, epsilon)
    cells = [k, n, f"{local:g}", f"{epsilon:g}", *(f"{delta:.3g}" for delta in (exact, own, clones))]
    return _row([*cells, f"{own / exact:.3f}", f"{clones / exact:.2f}"])


def many_row(k, n, local):
    """ε of many people at δ = 10⁻⁶: at least (of two answers exactly), by the response's own bound, and by clones."""
    least = accounting.shuffled_poll_epsilon(local, n, DELTA) if k == 2 else least_epsilon(k, n, local)
    own = accounting.shuffled_response_epsilon(local, n, DELTA, k)
    clones = accounting.shuffled_epsilon(local, n, DELTA)
    cells = [k, f"{n:,}", f"{local:g}", *(f"{epsilon:.4f}" for epsilon in (least, own, clones))]
    return _row([*cells, f"{own / least:.3f}", f"{clones / least:.2f}"])


def least_epsilon(k, n, local):
    """The ε at which the numbers of two answers alone have δ = 10⁻⁶, to 1/10,000 of it from below."""
    low, high = 0.0, local
    while high - low > 1e-4 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if two_counts(local, k, n, middle) > DELTA else (low, middle)
    return low


def _row(cells):
    return f"| {' | '.join(map(str, cells))} |"


def tables():
    """The tables of the document, by name."""
    few = ["k", "people", "ε₀", "ε", "δ, exact", "own bound", "clones", "own ÷ exact", "clones ÷ exact"]
    many = ["k", "people", "ε₀", "ε, at least", "own bound", "clones", "own ÷ least", "clones ÷ least"]
    made = {"few": (few, [few_row(*at) for at in FEW]), "many": (many, [many_row(*at) for at in MANY])}
    return {name: "\n".join([_row(head), "|" + len(head) * "---|", *rows]) for name, (head, rows) in made.items()}


def times():
    """What δ takes by the response's own bound and by clones, where it is 10⁻⁶."""
    rows = []
    for k, n, local in TIMED:
        epsilon = accounting.shuffled_response_epsilon(local, n, DELTA, k)
        sides = {
            "own": partial(accounting.shuffled_response_delta, local, n, epsilon, k),
            "clones": partial(accounting.shuffled_delta, local, n, epsilon),
        }
        own, clones = alternate(sides, 51).values()
        rows.append([f"k = {k:,}, {n:,} people, ε₀ = {local:g}", f"{1e3 * own:.2f} ms", f"{own / clones:.2f} ×"])
    table("δ of shuffled k-ary randomised response", ["", "own bound", "of that by clones"], rows)


if __name__ == "__main__":
    times()
    if sys.argv[1:] != ["times"]:
        text = FILE.read_text(encoding="utf-8")
        for name, content in tables().items():
            marked = re.compile(rf"(<!-- table: {name} -->\n\n).*?(<!-- end -->)", re.DOTALL)
            text = marked.sub(lambda match, content=content: f"{match[1]}{content}\n\n{match[2]}", text)
        FILE.write_text(text, encoding="utf-8")
