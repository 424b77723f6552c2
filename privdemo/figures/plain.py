"""Figures as plain data, which Plotly checks only when a part of them is read.

Plotly spends tens of microseconds on each attribute that is read or written. Charts are therefore made of dicts, and
rendered from them at once; a chart still has the whole interface of Plotly's `Figure`.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.io
from numpy.typing import NDArray
from plotly.graph_objects import Figure
from plotly.utils import PlotlyJSONEncoder

# A figure, or a part of one, as plotly.js takes it; arrays are still arrays.
Plain = dict[str, Any]
# The types to which whole numbers are cut for the browser, which has none of 64 bits.
_WHOLE = (np.int8, np.int16, np.int32)


class PlainFigure(Figure):
    """A Plotly figure that is plain data until its traces or its layout are read."""

    def __init__(self, plain: Plain) -> None:
        self._plain = plain
        self._look = _template()

    def __getattr__(self, name: str) -> Any:
        """Become a whole figure, in which every attribute is checked, when a part of it is first read."""
        if name.startswith("__") or "_plain" not in self.__dict__:
            raise AttributeError(name)
        whole = self._whole()
        del self._plain
        super().__init__(whole)
        return getattr(self, name)

    def __reduce__(self) -> Any:
        """Copy and pickle it as plain data."""
        return type(self), (self._whole() if "_plain" in self.__dict__ else parts(self),)

    def to_dict(self) -> Plain:
        """Return the figure as plotly.js takes it; the dict is the caller's own."""
        return _packed(self._whole()) if "_plain" in self.__dict__ else super().to_dict()

    def _whole(self) -> Plain:
        return self._plain | {"layout": self._look | self._plain["layout"]}


def parts(figure: Figure) -> Plain:
    """Return the traces and the layout of a figure as plain data; copy them before a change."""
    if "_plain" in figure.__dict__:
        return figure.__dict__["_plain"]
    return {"data": [trace.to_plotly_json() for trace in figure.data], "layout": figure.layout.to_plotly_json()}


def fingerprint(figure: Figure) -> str:
    """Return a hash of the traces and the layout of a figure.

    Numbers count to 9 digits, as the last ones may differ between processors.
    """
    exact = json.dumps(parts(figure), cls=PlotlyJSONEncoder)
    rounded = json.loads(exact, parse_float=lambda number: f"{float(number):.9g}")
    return hashlib.sha256(json.dumps(rounded, sort_keys=True).encode()).hexdigest()[:12]


def height(figure: Figure) -> float:
    """Return the height of a figure in pixels."""
    return float(parts(figure)["layout"]["height"])


def copied(value: Any) -> Any:
    """Return a copy of plain data without what is None in a dict, as Plotly leaves that out; arrays are shared."""
    if isinstance(value, dict):
        return {key: copied(part) for key, part in value.items() if part is not None}
    return [copied(part) for part in value] if isinstance(value, list | tuple) else value


def changed(figure: Figure, layout: Mapping[str, Any]) -> PlainFigure:
    """Return a copy of a figure with changes of its layout."""
    plain = copied(parts(figure))
    merge(plain["layout"], layout)
    return PlainFigure(plain)


def merge(part: Plain, changes: Mapping[str, Any]) -> None:
    """Change a part of a figure, and what is inside it, in place; None takes something out."""
    for key, value in changes.items():
        if value is None:
            part.pop(key, None)
        elif isinstance(value, dict):
            merge(part.setdefault(key, {}), value)
        else:
            part[key] = value


def at(part: Mapping[str, Any], path: str) -> Any:
    """Return the value at a dotted path in a part of a figure; None where there is none."""
    found: Any = part
    for name in path.split("."):
        found = found.get(name) if found else None
    return found


def _packed(value: Any) -> Any:
    """Return plain data with arrays as the browser takes them: numbers as bytes in base64, all else as lists."""
    if isinstance(value, dict):
        return {key: _packed(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_packed(part) for part in value]
    return _bytes(value) if isinstance(value, np.ndarray) else value


def _bytes(array: NDArray[Any]) -> Any:
    if array.dtype == np.int64:
        low, high = array.min(initial=0), array.max(initial=0)
        fits = (kind for kind in _WHOLE if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)
        array = array.astype(next(fits, object))
    if array.dtype.kind not in "iuf" or not array.size:
        return array.tolist()
    code = {"dtype": array.dtype.str[1:], "bdata": base64.b64encode(np.ascontiguousarray(array).data).decode()}
    return code | ({"shape": str(array.shape)[1:-1]} if array.ndim > 1 else {})


# The template that figures got last, and itself as plain data.
_last: tuple[Any, Plain] = (None, {})


def _template() -> Plain:
    """Return the look that Plotly gives to every figure by default, as a part of its layout."""
    global _last
    name = plotly.io.templates.default
    template = plotly.io.templates[name] if isinstance(name, str) else name
    known, plain = _last
    if template is not known:
        plain = {} if template is None else {"template": template.to_plotly_json()}
        _last = template, plain
    return plain
