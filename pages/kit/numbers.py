"""Numbers as people read them: every format, every interval."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from privdemo.intervals import Estimate

# Letters of somebody else's words that are shown.
_LONGEST = 400


def escape_markdown(words: str) -> str:
    """`words` as Markdown that shows them as they stand: no link, image or formula of theirs comes alive.

    Addresses become links, and names between colons pictures, also where every sign is escaped: an invisible joiner
    parts them. Longer than a paragraph, they are cut.
    """
    short = words if len(words) <= _LONGEST else words[:_LONGEST] + "…"
    parted = re.sub(r"(?i)(:|www(?=\.)|@)", "\\1\u2060", short)
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", parted)


def epsilon(value: float) -> str:
    """ε with three figures, thousands separated, or ∞."""
    if math.isinf(value):
        return "∞"
    if value < 1e-12:  # the rounding error of a channel that says nothing
        return "0"
    if value < 1e-4:
        return power_of_ten(float(f"{value:.2g}"))
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


_FOLD = (
    "",
    "not at all",
    *(f"{n}fold" for n in ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")),
)


def odds_bound_text(value: float) -> str:
    """What ε bounds, to be read after it: “whatever was believed before, the odds change at most fourfold”."""
    if value < 1e-12:
        return "an answer says nothing"
    if math.isinf(value):
        return "an answer may say everything"
    factor = odds_factor(value).removeprefix("a factor of ")
    whole = factor.removesuffix(".00")
    times = _FOLD[int(whole)] if whole.isdecimal() and 1 < int(whole) <= 10 else f"by a factor of {factor}"
    return f"whatever was believed before, the odds change at most {times}"


def superscript(number: int) -> str:
    """A whole number in raised digits."""
    return str(number).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def power_of_ten(value: float) -> str:
    """A small probability such as 1e-5 as “10⁻⁵” or “2·10⁻⁵”; a larger one as it is."""
    if value >= 0.01 or value == 0:
        return f"{value:g}"
    exponent = math.floor(math.log10(value))
    factor = value / 10.0**exponent
    base = f"10{superscript(exponent)}"
    return base if math.isclose(factor, 1) else f"{factor:.3g}·{base}"


def join_words(words: tuple[str, ...]) -> str:
    """“7 and 9”, “1, 2 and 3”."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def share(value: float, digits: int = 1) -> str:
    """A share as it is, even outside [0, 1]: “35.3 %”, “−1.2 %”. Only what is 0 or 1 is said to be."""
    shown = round(100 * value, digits)
    if shown in (0.0, 100.0) and not math.isclose(100 * value, shown, abs_tol=1e-9):
        if not 0 < value < 1:
            return "just under 0 %" if value < 0 else "just over 100 %"
        edge = 10.0**-digits
        return f"over {100 - edge:.{digits}f} %" if value > 0.5 else f"under {edge:.{digits}f} %"
    return f"{_signed_zero(100 * value, digits)} %".replace("-", "−")


def per_hundred(chance: float) -> str:
    """How many of 100 people: “80”, “98.5”, “over 99.9”."""
    if 0.9995 <= chance < 1 - 1e-15:
        return "over 99.9"
    return "under 0.1" if 1e-15 < chance < 0.0005 else f"{100 * chance:.3g}"


def out_of_100(found: float) -> str:
    """A share as whole people of 100, none and all only where that is so: “97 of 100”, “over 99 of 100”."""
    whole = round(100 * found)
    if whole in (0, 100) and not math.isclose(100 * found, whole, abs_tol=1e-9):
        return "over 99 of 100" if whole else "under 1 of 100"
    return f"{whole} of 100"


def odds(log_odds: float) -> str:
    """Odds as people say them: “4 to 1”, “even”, “1 to 2.25”, “over 10⁹ to 1”, “all to nothing”."""
    if math.isinf(log_odds):
        return "all to nothing" if log_odds > 0 else "nothing to all"
    if abs(log_odds) < 1e-9:
        return "even"
    size = abs(log_odds)
    one_in = f"{math.exp(size):,.0f}" if size > math.log(100) else f"{math.exp(size):.{3 if size > 0.01 else 6}g}"
    if size > math.log(1e6):
        one_in = f"over 10{superscript(math.floor(size / math.log(10)))}"
    return f"{one_in} to 1" if log_odds > 0 else f"1 to {one_in}"


def standard_error(deviation: float, figures: int = 2) -> str:
    """A standard error in points with two figures or more: “1.6”, “2.0”, “0.016”, “1.5·10⁻⁵”."""
    error = float(f"{100 * deviation:.{figures}g}")
    if error >= 10 ** (figures - 1):
        return f"{100 * deviation:,.0f}"
    return with_figures(error, figures) if error >= 0.01 else power_of_ten(error)


def standard_errors(deviations: Sequence[float]) -> list[str]:
    """Standard errors in points, all with as many decimals as give the least of them two figures: “4.7”, “2.0”.

    They have one more where two that differ by over a hundredth would read the same: “1.93”, “1.88”.
    """
    least = min(deviations)
    if least <= 0 or 100 * least < 1e-6:
        return [standard_error(deviation) for deviation in deviations]
    digits = max(0, 1 - math.floor(math.log10(float(f"{100 * least:.2g}"))))

    def written(digits: int) -> list[str]:
        return [f"{100 * deviation:,.{digits}f}" for deviation in deviations]

    ordered = sorted(zip(deviations, written(digits), strict=True))
    alike = any(a == b and high > 1.01 * low for (low, a), (high, b) in pairwise(ordered))
    return written(digits + alike)


def with_figures(value: float, figures: int) -> str:
    """`value` in so many figures, zeros at its end included: “2.0”, “1.20”."""
    return f"{value:#.{figures}g}".removesuffix(".")


def points(value: float) -> str:
    """A difference of shares with its sign: “+5.9 points”."""
    return f"{_signed_zero(100 * value, 1, '+')} points".replace("-", "−")


def absolute_points(value: float) -> str:
    """How far two shares are apart, without a sign: “5.9 points”."""
    return f"{100 * abs(value):,.1f} points"


def distance(value: float) -> str:
    """A distance of proportions with three decimals, or two figures where those say nothing: “0.163”, “4.7·10⁻⁶”."""
    if value >= 0.0095 or value == 0:
        return f"{value:.3f}"
    return f"{value:.2g}" if value >= 1e-4 else power_of_ten(float(f"{value:.2g}"))


def signed(value: float) -> str:
    """A difference with three decimals and its sign: “+0.042”, “−0.004”."""
    return _signed_zero(value, 3, "+").replace("-", "−")


def difference(value: float, deviation: float, sign: str = "+") -> str:
    """A difference of shares in points, as exact as its standard deviation makes sense: “+5.96”, “+0.0012”."""
    digits = 2 if deviation <= 0 else min(3, max(2, 1 - math.floor(math.log10(100 * deviation))))
    return _signed_zero(100 * value, digits, sign).replace("-", "−")


def _signed_zero(value: float, digits: int, sign: str = "") -> str:
    """`value` with `digits` decimals, a rounded zero without a minus sign."""
    rounded = round(value, digits)
    return f"{rounded if rounded else 0.0:{sign},.{digits}f}"


def times(factor: float) -> str:
    """How many times as many: “4.7”, “1.02”, “12,300”."""
    return count(factor) if factor >= 100 else f"{factor:.1f}" if factor >= 1.05 else f"{factor:.3g}"


def seconds(value: float) -> str:
    """A time with two figures: “21 ms”, “0.25 s”, “63 s”."""
    return f"{1000 * value:.0f} ms" if value < 0.1 else f"{value:.2g} s" if value < 10 else f"{value:.0f} s"


def degrees(angle: float) -> str:
    """“27.4°”, never “-0.0°”."""
    return f"{_signed_zero(angle, 1)}°".replace("-", "−")


def any_size(value: float) -> str:
    """A number of any size: “643,147,100”, “27.4”, “−0.969”; what is only rounding error is 0."""
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace("-", "−")
    return "0" if abs(value) < 1e-9 else f"{value:.3g}".replace("-", "−")


def two_figures(value: float) -> str:
    """A number with two figures; what is only rounding error is 0."""
    return "0" if abs(value) < 1e-9 else f"{value:.2g}".replace("-", "−")


def people(n: int | float) -> str:
    """“1 person”, “1,000 people”, “6.0·10¹⁶ people”."""
    return "1 person" if n == 1 else f"{count(n)} people"


def count(n: float) -> str:
    """A number of people or other things: “1,000”, “6.0·10¹⁶”."""
    if n < 1e9:
        return f"{n:,.0f}"
    exponent = math.floor(math.log10(n))
    return f"{n / 10**exponent:.1f}·10{superscript(exponent)}"


def sentence(error: Exception | str) -> str:
    """An error's message with a capital at its start and a full stop at its end."""
    message = html.escape(str(error), quote=False)
    first, *rest = message.split(" ", 1)  # often the name of an argument
    message = " ".join([first.replace("_", " "), *rest])
    return f"{message[:1].upper()}{message[1:]}."


def probability(value: float) -> str:
    """A probability with four figures, and more where those would round to ½ or 1: “0.2581”, “0.49999”."""
    short = f"{value:.4g}"
    return short if float(short) == value or short not in ("0.5", "1") else f"{value:.8g}"


def percent(value: float) -> str:
    """A probability that somebody chose, in as few figures as it needs: “20 %”, “26.9 %”, “10⁻⁷ %”."""
    short = float(f"{100 * value:.3g}")
    exact = short not in (50, 100) or math.isclose(short, 100 * value)
    return f"{power_of_ten(short) if exact else f'{100 * value:.8g}'} %"


def at_most(value: float) -> str:
    """A largest allowed probability with four decimals, never more than it is: “0.2581”, “under 0.0001”."""
    return f"{math.floor(1e4 * value) / 1e4:.4f}" if value >= 1e-4 else "under 0.0001"


def without_breaks(words: str) -> str:
    """`words` with no line break between a number and its sign or unit."""
    return re.sub(r"(?<=\d) (?=%|people|points)| (?=±)|(?<=[εδNpσ]) (?==)|(?<==) (?=[\d−<∞])|(?<=±) ", "\u00a0", words)


def count_draws(draws: Sequence[Any]) -> str:
    """“10 draws”, “one draw”."""
    return "one draw" if len(draws) == 1 else f"{len(draws)} draws"


# --- intervals -----------------------------------------------------------------------------------


class Scale(NamedTuple):
    """How a kind of number is written: times `factor`, with `digits` decimals and a `unit`, from `least` to `most`."""

    factor: float = 1.0
    unit: str = ""
    digits: int = 3
    least: float = 0.0
    most: float = math.inf


SHARE = Scale(100.0, " %", 1, most=1.0)
POINTS = Scale(100.0, " points", 1, least=-math.inf)
# A mark of a method between 0 and 1, such as F1, and one without an upper end, such as a log loss or an L1 distance.
MARK = Scale(most=1.0)
LOSS = Scale()


def plain_scale(estimate: Estimate) -> Scale:
    """The scale of a number of any size: as many decimals as give half its interval two figures."""
    half = estimate.half
    digits = max(0, 1 - math.floor(math.log10(half))) if 0 < half < math.inf else 3
    return Scale(digits=digits, least=-math.inf)


def _scaled(value: float, scale: Scale) -> str:
    return _signed_zero(scale.factor * value, scale.digits).replace("-", "−")


def with_range(estimate: Estimate, scale: Scale = SHARE) -> str:
    """A number and, in brackets, its 95 % interval: “88.7 % (86.6–90.5)”; without one, the number alone.

    The ends are cut where a number of this kind ends.
    """
    number = share(estimate.mean, scale.digits) if scale is SHARE else f"{_scaled(estimate.mean, scale)}{scale.unit}"
    return f"{number} ({_ends(estimate, scale)})" if _has_width(estimate) else number


def _has_width(estimate: Estimate) -> bool:
    """Whether there is an interval to tell: draws that all agree to the last digit have none."""
    return estimate.known and estimate.high > estimate.low


def interval(estimate: Estimate, scale: Scale = SHARE) -> str:
    """The 95 % interval alone, if there is one: “86.6–90.5 %”; its ends are cut as those of `with_range`."""
    return f"{_ends(estimate, scale)}{scale.unit}"


def _ends(estimate: Estimate, scale: Scale) -> str:
    low, high = max(scale.least, estimate.low), min(scale.most, estimate.high)
    return f"{_scaled(low, scale)}–{_scaled(high, scale)}"


def margin(estimate: Estimate) -> str:
    """What follows a share: “ ± 0.8 points”, or “ (32.1 to 38.0 %)” where an end was cut; or nothing."""
    if not estimate.known:
        return ""
    if math.isclose(estimate.high - estimate.mean, estimate.mean - estimate.low, rel_tol=1e-6):
        return f" ± {_scaled(estimate.half, POINTS)}{POINTS.unit}"
    return f" ({between(estimate.low, estimate.high)})"


def with_half(estimate: Estimate, scale: Scale = SHARE, bold: bool = False) -> str:
    """A number and half its 95 % interval: “91.7 ± 0.8 %”; without one, the number alone.

    Where that would go beyond what the number can be, its ends are given: “84.3 % (0.0–100.0)”. Where one end of the
    interval was cut, the longer side is the half.
    """
    number = _scaled(estimate.mean, scale)
    number = f"<b>{number}</b>" if bold else number
    if not _has_width(estimate):
        return f"{number}{scale.unit}"
    if estimate.mean - estimate.half < scale.least or estimate.mean + estimate.half > scale.most:
        return f"{number}{scale.unit} ({_ends(estimate, scale)})"
    return f"{number} ± {_scaled(estimate.half, scale)}{scale.unit}"


def difference_with_half(estimate: Estimate, deviation: float) -> str:
    """A difference of shares in points and half its 95 % interval, as exact as `deviation` makes sense: “+5.96 ± 0.31”.

    Without an interval, the difference alone.
    """
    number = difference(estimate.mean, deviation)
    return f"{number} ± {difference(estimate.half, deviation, '')}" if estimate.known else number


def signed_with_half(estimate: Estimate, scale: Scale = POINTS) -> str:
    """A difference with its sign and half its 95 % interval: “+4.2 ± 0.8 points”.

    It has as many decimals, up to five, as keep it from reading as 0.
    """
    value, half = scale.factor * estimate.mean, scale.factor * estimate.half
    digits = next((digits for digits in range(scale.digits, 6) if round(value, digits)), scale.digits)
    return f"{_signed_zero(value, digits, '+')} ± {half:.{digits}f}{scale.unit}".replace("-", "−")


def with_ends(estimate: Estimate) -> str:
    """A share and the ends of its 95 % interval, with enough digits to tell them apart: “95.0 % (93.1 to 96.9 %)”."""
    return f"{share(estimate.mean)} ({between(estimate.low, estimate.high)})"


def between(low: float, high: float) -> str:
    """The ends of an interval of shares, with enough digits to tell them apart: “32.1 to 38.0 %”."""
    width = 100 * abs(high - low)
    digits = 1 if width < 1e-6 else min(6, max(1, 1 - math.floor(math.log10(width))))
    return f"{_signed_zero(100 * low, digits)} to {_signed_zero(100 * high, digits)} %".replace("-", "−")
