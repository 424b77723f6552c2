"""Alternating measurements and one way of printing them, for the scripts beside this one."""

import statistics
import time


def alternate(sides, repeats, clock=time.perf_counter):
    """Median seconds of each callable in `sides`, run in turn so that a busy moment hits all alike.

    One unmeasured round warms caches and compilers up.
    """
    seconds = {name: [] for name in sides}
    for round_ in range(repeats + 1):
        for name, call in sides.items():
            start = clock()
            call()
            if round_:
                seconds[name].append(clock() - start)
    return {name: statistics.median(times) for name, times in seconds.items()}


def table(title, header, rows):
    """Print aligned columns under a title."""
    cells = [header, *[[str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    print(f"\n{title}")
    for row in cells:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
