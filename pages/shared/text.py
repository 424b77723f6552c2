"""Numbers as people read them."""

from __future__ import annotations

import math

from privdemo.intervals import Estimate


def epsilon(value: float) -> str:
    """ε with three figures, thousands separated, or ∞."""
    if math.isinf(value):
        return "∞"
    if value < 1e-12:  # the rounding error of a channel that says nothing
        return "0"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}" if value >= 1 else f"{value:.2g}"


def odds_factor(value: float) -> str:
    """e^ε as people say it: “a factor of 4.00”, “a factor of 10²³⁵⁹”."""
    if math.isinf(value):
        return "any factor at all"
    if value < math.log(1e6):
        digits = 0 if value > math.log(10) else 2
        factor = math.ceil(math.exp(value) * 10**digits * (1 - 1e-12)) / 10**digits  # never understated
        return f"a factor of {factor:,.{digits}f}"
    return f"a factor of 10{superscript(math.ceil(value / math.log(10)))}"


def superscript(number: int) -> str:
    """A whole number in raised digits."""
    return str(number).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def power_of_ten(value: float) -> str:
    """A small probability such as 1e-5 as “10⁻⁵” or “2·10⁻⁵”; a larger one as it is."""
    if value >= 0.01:
        return f"{value:g}"
    exponent = math.floor(math.log10(value))
    factor = value / 10.0**exponent
    base = f"10{superscript(exponent)}"
    return base if math.isclose(factor, 1, rel_tol=1e-9) else f"{factor:.3g}·{base}"


def percent(estimate: Estimate) -> str:
    """A share with its 95 % interval: “88.7 % (86.6–90.5)”."""
    low, high = max(0.0, estimate.low), min(1.0, estimate.high)
    return f"{100 * estimate.mean:.1f} % ({100 * low:.1f}–{100 * high:.1f})"


def a_list(words: tuple[str, ...]) -> str:
    """“7 and 9”, “1, 2 and 3”."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def share(value: float, digits: int = 1) -> str:
    """A share as it is, even outside [0, 1]: “35.3 %”, “−1.2 %”."""
    return f"{_signed_zero(100 * value, digits)} %".replace("-", "−")


def between(low: float, high: float) -> str:
    """The ends of an interval of shares: “32.1 to 38.0 %”."""
    return f"{_signed_zero(100 * low, 1)} to {_signed_zero(100 * high, 1)} %".replace("-", "−")


def points(value: float) -> str:
    """A difference of shares with its sign: “+5.9 points”."""
    return f"{_signed_zero(100 * value, 1, '+')} points".replace("-", "−")


def difference(value: float) -> str:
    """A difference of shares in hundredths of a point, for tables: “+5.96”."""
    return _signed_zero(100 * value, 2, "+").replace("-", "−")


def _signed_zero(value: float, digits: int, sign: str = "") -> str:
    """`value` with `digits` decimals, a rounded zero without a minus sign."""
    rounded = round(value, digits)
    return f"{rounded if rounded else 0.0:{sign}.{digits}f}"


def times(factor: float) -> str:
    """“4.7 times as many”, or how many more digits it takes to say."""
    return "∞" if math.isinf(factor) else f"{factor:,.1f}" if factor < 100 else f"{factor:,.0f}"


def degrees(angle: float) -> str:
    """“27.4°”, never “-0.0°”."""
    return f"{_signed_zero(angle, 1)}°".replace("-", "−")


def near_zero(value: float) -> str:
    """A number with two figures; what is only rounding error is 0."""
    return "0" if abs(value) < 1e-9 else f"{value:.2g}".replace("-", "−")


def people(n: int | float) -> str:
    """“1 person”, “1,000 people”."""
    return "1 person" if n == 1 else f"{n:,.0f} people"


def sentence(error: Exception) -> str:
    """An error's message with a capital at its start and a full stop at its end."""
    message = str(error)
    return f"{message[0].upper()}{message[1:]}."
