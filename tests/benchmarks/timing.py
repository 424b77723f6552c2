"""Taking turns, timing and printing a table, for the scripts beside this one."""

import statistics
import time


def timed(call, clock=time.perf_counter):
    """The seconds that `call` takes."""
    start = clock()
    call()
    return clock() - start


def alternate(sides, repeats, clock=time.perf_counter):
    """Median seconds of each callable in `sides`, run in turn so that a busy moment hits all alike.

    One unmeasured round warms caches and compilers up.
    """
    rounds = [{name: timed(call, clock) for name, call in sides.items()} for _ in range(repeats + 1)]
    return {name: statistics.median(seconds[name] for seconds in rounds[1:]) for name in sides}


def beside(seconds, base, digits):
    """Rows of a table: the name, the time, and how many times that of the side `base`."""
    return [[name, f"{took:.{digits}f} s", f"{took / seconds[base]:.1f} ×"] for name, took in seconds.items()]


def table(title, header, rows):
    """Print aligned columns under a title."""
    cells = [header, *[[str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    print(f"\n{title}")
    for row in cells:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
