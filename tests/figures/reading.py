"""Reading figures back: the numbers and looks of a trace, and the parts of a piece of HTML."""

import base64
import io
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image

NASTY = "<script>alert('1')</script> & \"7\""


def shows_estimates(trace, *estimates, axis="y"):
    """Return whether the points and error bars of a trace equal the `estimates` (mean, low, high), up to rounding."""
    means, bars = np.asarray(getattr(trace, axis), float), getattr(trace, f"error_{axis}")
    nothing = [None] * len(means)  # of an interval without a width nothing is shown
    above, below = ([v or 0 for v in getattr(bars, side) or nothing] for side in ("array", "arrayminus"))
    plotted = np.stack((means, means - np.array(below), means + np.array(above)), axis=1)
    return plotted == pytest.approx(np.array(estimates, float), abs=1e-12)


def colour_and_marker(trace):
    """Return the colour and the marker of a trace."""
    return trace.marker.color, trace.marker.symbol


def traces_by_name(figure):
    """The traces of a figure by name."""
    return {trace.name: trace for trace in figure.data}


def vertical_lines(figure, dotted, xref="x"):
    """Return the distinct x of the vertical lines; a line may consist of several shapes."""
    there = (s.x0 for s in figure.layout.shapes if (s.line.dash == "dot") == dotted and s.xref == xref)
    return list(dict.fromkeys(there))


def decoded(png):
    """The pixels of a PNG picture."""
    with Image.open(io.BytesIO(png)) as image:
        assert image.format == "PNG"
        return np.asarray(image)


def inline(source):
    """The pixels of an image that an HTML page carries inside."""
    head, data = source.split(",")
    assert head == "data:image/png;base64"
    return decoded(base64.b64decode(data))


class Reader(HTMLParser):
    """The tags with their attributes, the words, and scripts and styles (`code`) apart; every tag must be closed."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.words, self.code, self.inside = [], [], [], [None]
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("img", "meta"):
            self.inside.append(tag)

    def handle_endtag(self, tag):
        assert self.inside.pop() == tag

    def handle_data(self, data):
        (self.code if self.inside[-1] in ("script", "style", "title") else self.words).append(data)

    def all(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]
