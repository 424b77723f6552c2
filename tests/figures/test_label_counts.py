"""Charts of released counts hold distortions, releases and promises."""

import numpy as np
import pytest

from privdemo.experiments import label_counts
from privdemo.experiments.label_counts import CountConfig
from privdemo.figures import label_counts as charts
from privdemo.methods import LABEL_COUNTS
from tests.figures.reading import holds, named


@pytest.mark.parametrize("axis", label_counts.AXES)
def test_distortion_along_an_axis_ends_where_there_is_no_noise(axis):
    outcomes = label_counts.along(CountConfig(repeats=20), axis, 5, 1000, 0.05)
    estimates = {x: {name: o.distortion for name, o in here.items() if o.mechanism} for x, here in outcomes.items()}
    figure = charts.along(axis, estimates, None)
    traces = named(figure)
    for name, method in LABEL_COUNTS.items():
        there = [x for x, here in estimates.items() if name in here]
        assert (method.title in traces) == bool(there)
        if not there:
            continue
        assert list(traces[method.title].x) == there
        assert holds(traces[method.title], *(estimates[x][name] for x in there))
    stars = [trace.y[0] for trace in figure.data if trace.name == "published"]
    assert sorted(stars) == ([] if axis == label_counts.DELTA_AXIS else [0.06, 0.15])
    low, high = figure.layout.yaxis.range
    everything = [y for trace in figure.data for y in trace.y]
    assert 10**low <= min(everything)
    assert max(everything) <= 10**high
    assert "published" not in named(charts.along(axis, estimates, None, as_published=False))


def test_a_release_stands_beside_the_true_counts():
    outcome = label_counts.run(CountConfig((50, 70, 200)))["laplace tight"]
    true, released, ranges = charts.beside((50, 70, 200), outcome, [0, 2]).data
    assert list(true.x) == ["1", "3"]
    assert list(true.y) == [50, 200]
    assert released.y == pytest.approx([320 * outcome.example[c] for c in (0, 2)])
    ends = [[320 * end for end in outcome.ranges[c]] for c in (0, 2)]
    assert holds(ranges, *((sum(both) / 2, *both) for both in ends))


def test_profiles_are_the_mechanisms_deltas_and_the_wish_is_marked():
    outcomes = label_counts.run(CountConfig())
    curves = {name: outcomes[name].mechanism for name in ("gaussian tight", "dirichlet public")}
    gaussian, dirichlet, wish = charts.profiles(curves, "dirichlet public", 0.05, 0.05).data
    for trace, mechanism in ((gaussian, curves["gaussian tight"]), (dirichlet, curves["dirichlet public"])):
        assert trace.x[0] == 0
        assert trace.y[40] == pytest.approx(mechanism.delta_at(trace.x[40]))
        # tight: through the wish, between two points of a curve that hardly bends there
        assert np.interp(0.05, trace.x, trace.y) == pytest.approx(0.05, rel=0.01)
    assert (wish.x[0], wish.y[0]) == (0.05, 0.05)
    assert dirichlet.line.width > gaussian.line.width
    without_delta = charts.profiles({"laplace published": outcomes["laplace published"].mechanism}, "", 0.05, 0.0)
    assert all(np.isfinite(without_delta.layout.yaxis.range))
