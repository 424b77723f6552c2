"""Format numbers and intervals for the screen."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from privdemo import accounting
from privdemo.intervals import Estimate

# The most letters that are shown of texts from links and files.
_LONGEST = 400


def escape_markdown(words: str) -> str:
    """Return `words` as Markdown that shows them literally: a link, image or formula in them has no effect.

    Addresses become links, and names between colons become pictures, even if every sign is escaped: an invisible joiner
    prevents that. Texts longer than a paragraph are cut.
    """
    short = words if len(words) <= _LONGEST else words[:_LONGEST] + "…"
    parted = re.sub(r"(?i)(:|www(?=\.)|@)", "\\1\u2060", short)
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", parted)


# How well an ε protects that is at least so large. Of two answers as likely before, fewer than 63 of 100 are guessed
# right at 0.5, and fewer than 89 at 2.
WEAK_FROM = 2.0
MODERATE_FROM = 0.5
# What the protection of an ε is called, each with the least ε of it.
PROTECTION = ((0.0, "strong"), (MODERATE_FROM, "moderate"), (WEAK_FROM, "weak"))
SCALE_OF_PROTECTION = (
    f"Protection is called strong here below ε = {MODERATE_FROM:g}, and weak from ε = {WEAK_FROM:g} on"
)


def epsilon(value: float) -> str:
    """Format ε with three figures or more from 1 on, and with two below: “5,431”, “1.39”, “0.12”, “2·10⁻⁵”, “∞”."""
    if math.isinf(value):
        return "∞"
    if value < 1e-12:  # the rounding error of a channel without information
        return "0"
    if value < 1e-4:
        return power_of_ten(float(f"{value:.2g}"))
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}" if value >= 1 else f"{value:.2g}"


def odds_factor(value: float) -> str:
    """Format e^ε: “a factor of 4.00”, “a factor of 10²³⁵⁹”."""
    return "any factor at all" if math.isinf(value) else f"a factor of {factor(value)}"


def factor(value: float) -> str:
    """Format e^ε of a finite ε as a number: “4.00”, “10²³⁵⁹”."""
    if value >= math.log(1e6):
        return f"10{superscript(math.ceil(value / math.log(10)))}"
    digits = 0 if value > math.log(10) else 2
    rounded_up = math.ceil(math.exp(value) * 10**digits * (1 - 1e-12)) / 10**digits  # never understated
    return f"{rounded_up:,.{digits}f}"


_FOLD = {
    str(n): f"{word}fold"
    for n, word in enumerate(("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), start=2)
}


def odds_bound_text(value: float) -> str:
    """Say what ε bounds: “whatever was believed before, the odds change at most fourfold”."""
    if value < 1e-12:
        return "an answer says nothing"
    if math.isinf(value):
        return "an answer may say everything"
    factor = odds_factor(value).removeprefix("a factor of ")
    whole = factor.removesuffix(".00")
    times = _FOLD.get(whole, f"by a factor of {factor}")
    return f"whatever was believed before, the odds change at most {times}"


def superscript(number: int) -> str:
    """Write a whole number in raised digits."""
    return str(number).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def power_of_ten(value: float) -> str:
    """Format a small probability such as 1e-5 as “10⁻⁵” or “2·10⁻⁵”, and a larger one in digits."""
    if value >= 0.01 or value == 0:
        return f"{value:g}"
    exponent = math.floor(math.log10(value))
    factor = value / 10.0**exponent
    base = f"10{superscript(exponent)}"
    return base if math.isclose(factor, 1) else f"{factor:.3g}·{base}"


def one_in(chance: float) -> str:
    """Format a small chance: “one in 1,000,000”, “one in 3.33”, “one in 10¹⁵”."""
    times = 1 / chance
    return f"one in {count(times) if times >= 100 else f'{times:.3g}'}"


def large_delta_words(people: int, delta: float, what: str = "label") -> str:
    """Say that δ is large beside the number of people, and what that allows; empty if it is not.

    `what` of each person is released about.
    """
    if not accounting.is_large_delta(people, delta):
        return ""
    published = people * delta
    return (
        f"δ = {power_of_ten(delta)} is large: at worst the true {what} of "
        f"{f'{published:,.0f}' if published >= 100 else f'{published:.3g}'} of {people:,} people "
        f"may be published. For real use choose a δ below {decimal(accounting.MOST_PUBLISHED / people)}."
    )


def decimal(value: float) -> str:
    """Format a small positive number in digits, rounded down to two figures: “0.00005”, “5·10⁻⁷”."""
    size = math.floor(math.log10(value) + 1e-9)
    rounded = math.floor(value / 10.0 ** (size - 1) + 1e-9) * 10.0 ** (size - 1)
    return f"{rounded:.{max(1, 1 - size)}f}".rstrip("0") if value >= 1e-6 else power_of_ten(float(f"{rounded:.2g}"))


def join_words(words: tuple[str, ...], last: str = "and") -> str:
    """Join words: “7 and 9”, “1, 2 and 3”; `last` stands before the last."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def share(value: float, digits: int = 1) -> str:
    """Format a share, also outside [0, 1]: “35.3 %”, “−1.2 %”. Only exactly 0 or 1 is written as 0 % or 100 %."""
    shown = round(100 * value, digits)
    if shown in (0.0, 100.0) and not math.isclose(100 * value, shown, abs_tol=1e-9):
        if not 0 < value < 1:
            return "just under 0 %" if value < 0 else "just over 100 %"
        edge = 10.0**-digits
        return f"over {100 - edge:.{digits}f} %" if value > 0.5 else f"under {edge:.{digits}f} %"
    return f"{_without_minus_zero(100 * value, digits)} %".replace("-", "−")


def per_hundred(chance: float) -> str:
    """Format how many of 100 people: “80”, “98.5”, “over 99.9”."""
    if 0.9995 <= chance < 1 - 1e-15:
        return "over 99.9"
    return "under 0.1" if 1e-15 < chance < 0.0005 else f"{100 * chance:.3g}"


def whole_of_100(value: float) -> int:
    """Round a share to whole people of 100, halves up: the one way, for words and for dots beside them."""
    return math.floor(100 * value + 0.5)


def whole_per_hundred(chance: float) -> str:
    """Write how many of 100 people, rounded to whole people where that is enough: “98”, “99.5”."""
    return per_hundred(whole_of_100(chance) / 100 if 0.01 <= chance <= 0.99 else chance)


def people_of_100(value: float) -> str:
    """Format a share as whole people of 100, none and all only if exact: “97”, “over 99”, “under 1”."""
    whole = whole_of_100(value)
    if whole in (0, 100) and not math.isclose(100 * value, whole, abs_tol=1e-9):
        return "over 99" if whole else "under 1"
    return str(whole)


def out_of_100(value: float) -> str:
    """Format a share as whole people of 100, none and all only if exact: “97 of 100”, “over 99 of 100”."""
    return f"{people_of_100(value)} of 100"


def times_of_100(value: float) -> str:
    """Format a share as whole times of 100: “97 times of 100”, “1 time of 100”, “over 99 times of 100”."""
    times = people_of_100(value)
    return f"{times} {'time' if times.split()[-1] == '1' else 'times'} of 100"


def odds(log_odds: float) -> str:
    """Format odds: “4 to 1”, “even”, “1 to 2.25”, “over 10⁹ to 1”, “all to nothing”."""
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
    """Format a standard error in points with at least two figures: “1.6”, “2.0”, “0.016”, “1.5·10⁻⁵”."""
    error = float(f"{100 * deviation:.{figures}g}")
    if error >= 10 ** (figures - 1):
        return f"{100 * deviation:,.0f}"
    # With zeros at the end: “2.0”, “1.20”.
    return f"{error:#.{figures}g}".removesuffix(".") if error >= 0.01 else power_of_ten(error)


def standard_errors(deviations: Sequence[float]) -> list[str]:
    """Format standard errors in points with the same decimals, which give the least of them two figures: “4.7”, “2.0”.

    They have one more if two that differ by over a hundredth would look the same: “1.93”, “1.88”.
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


def points(value: float) -> str:
    """Format a difference of shares with its sign: “+5.9 points”."""
    return f"{_without_minus_zero(100 * value, 1, '+')} points".replace("-", "−")


def absolute_points(value: float) -> str:
    """Format a difference of shares without its sign: “5.9 points”."""
    return f"{100 * abs(value):,.1f} points"


def distance(value: float) -> str:
    """Format a distance of proportions with three decimals, or two figures if it is smaller: “0.163”, “4.7·10⁻⁶”."""
    if value >= 0.0095 or value == 0:
        return f"{value:.3f}"
    return f"{value:.2g}" if value >= 1e-4 else power_of_ten(float(f"{value:.2g}"))


def signed(value: float) -> str:
    """Format a difference with three decimals and its sign: “+0.042”, “−0.004”."""
    return _without_minus_zero(value, 3, "+").replace("-", "−")


def difference(value: float, deviation: float, sign: str = "+") -> str:
    """Format a difference of shares in points, as precise as its standard deviation: “+5.96”, “+0.001”."""
    return _scaled(value, difference_scale(deviation), sign)


def _without_minus_zero(value: float, digits: int, sign: str = "") -> str:
    """Format `value` with `digits` decimals; a rounded zero has no minus sign."""
    rounded = round(value, digits)
    return f"{rounded if rounded else 0.0:{sign},.{digits}f}"


def times(factor: float) -> str:
    """Format a factor: “4.7”, “1.02”, “12,300”."""
    return count(factor) if factor >= 100 else f"{factor:.1f}" if factor >= 1.05 else f"{factor:.3g}"


def seconds(value: float) -> str:
    """Format a time with two figures: “21 ms”, “0.25 s”, “63 s”."""
    return f"{1000 * value:.0f} ms" if value < 0.1 else f"{value:.2g} s" if value < 10 else f"{value:.0f} s"


def degrees(angle: float) -> str:
    """Format an angle: “27.4°”, never “-0.0°”."""
    return f"{_without_minus_zero(angle, 1)}°".replace("-", "−")


def any_size(value: float) -> str:
    """Format a number of any size: “643,147,100”, “27.4”, “−0.969”; a rounding error becomes 0."""
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace("-", "−")
    return "0" if abs(value) < 1e-9 else f"{value:.3g}".replace("-", "−")


def two_figures(value: float) -> str:
    """Format a number with two figures; a rounding error becomes 0."""
    return "0" if abs(value) < 1e-9 else f"{value:.2g}".replace("-", "−")


def people(n: int | float) -> str:
    """Format a number of people: “1 person”, “1,000 people”, “6.0·10¹⁶ people”."""
    return "1 person" if n == 1 else f"{count(n)} people"


def count(n: float) -> str:
    """Format a number of people or other things: “1,000”, “6.0·10¹⁶”."""
    if n < 1e9:
        return f"{n:,.0f}"
    exponent = math.floor(math.log10(n))
    return f"{n / 10**exponent:.1f}·10{superscript(exponent)}"


def error_sentence_html(error: Exception | str) -> str:
    """Return an error's message, escaped as HTML, with a capital letter first and a full stop at the end."""
    message = html.escape(str(error), quote=False)
    first, *rest = message.split(" ", 1)  # the first word is often the name of an argument
    message = " ".join([first.replace("_", " "), *rest])
    return f"{message[:1].upper()}{message[1:]}."


def percent(value: float) -> str:
    """Format a chosen probability with as few figures as it needs: “20 %”, “26.9 %”, “10⁻⁷ %”."""
    short = float(f"{100 * value:.3g}")
    exact = short not in (50, 100) or math.isclose(short, 100 * value)
    return f"{power_of_ten(short) if exact else f'{100 * value:.8g}'} %"


def at_most(value: float) -> str:
    """Format the largest allowed probability, rounded down to four decimals: “0.2581”, “under 0.0001”."""
    return f"{math.floor(1e4 * value) / 1e4:.4f}" if value >= 1e-4 else "under 0.0001"


def with_no_break_spaces(words: str) -> str:
    """Return `words` without line breaks between a number and its sign or unit."""
    return re.sub(r"(?<=\d) (?=%|people|points)| (?=±)|(?<=[εδNpσ]) (?==)|(?<==) (?=[\d−<∞])|(?<=±) ", "\u00a0", words)


def count_trials(trials: Sequence[Any]) -> str:
    """Format a number of trials: “10 trials”, “one trial”."""
    return "one trial" if len(trials) == 1 else f"{len(trials)} trials"


def capital(words: str) -> str:
    """Return `words` with a capital first letter."""
    return words[:1].upper() + words[1:]


# --- intervals -----------------------------------------------------------------------------------


class Scale(NamedTuple):
    """How a kind of number is written: times `factor`, with `digits` decimals and a `unit`.

    The ends of an interval are limited to `least` and `most`, and written with `joint` between them.
    """

    factor: float = 1.0
    unit: str = ""
    digits: int = 3
    least: float = 0.0
    most: float = math.inf
    joint: str = "–"


SHARE = Scale(100.0, " %", 1, most=1.0)
POINTS = Scale(100.0, " points", 1, least=-math.inf)
# A mark of a method between 0 and 1, such as F1; one without an upper end, such as a log loss or an L1 distance; and a
# difference of such marks.
MARK = Scale(most=1.0)
LOSS = Scale()
MARK_DIFFERENCE = Scale(least=-math.inf)


def plain_scale(estimate: Estimate) -> Scale:
    """Return the scale of a number without a unit; half its interval gets two figures."""
    half = estimate.half
    digits = max(0, 1 - math.floor(math.log10(half))) if 0 < half < math.inf else 3
    return Scale(digits=digits, least=-math.inf)


def unlimited_share_scale(estimate: Estimate) -> Scale:
    """Return the scale of a share that may lie outside [0, 1], with enough digits for the ends to differ."""
    width = 100 * abs(estimate.high - estimate.low)
    digits = 1 if width < 1e-6 else min(6, max(1, 1 - math.floor(math.log10(width))))
    return Scale(100.0, " %", digits, least=-math.inf, joint=" to ")


def difference_scale(deviation: float) -> Scale:
    """Return the scale of a difference of shares in points, which is as precise as its standard deviation."""
    digits = 2 if deviation <= 0 else min(3, max(2, 1 - math.floor(math.log10(100 * deviation))))
    return Scale(100.0, digits=digits, least=-math.inf)


def _scaled(value: float, scale: Scale, sign: str = "") -> str:
    return _without_minus_zero(scale.factor * value, scale.digits, sign).replace("-", "−")


def interval(estimate: Estimate, scale: Scale = SHARE) -> str:
    """Format the 95 % interval alone: “86.6–90.5 %”, “32.1 to 38.0 %”."""
    low, high = max(scale.least, estimate.low), min(scale.most, estimate.high)
    return f"{_scaled(low, scale)}{scale.joint}{_scaled(high, scale)}{scale.unit}"


def with_range(estimate: Estimate, scale: Scale = SHARE) -> str:
    """Format a number and its 95 % interval in brackets: “88.7 % (86.6–90.5)”; without a width, it is left out."""
    number = share(estimate.mean, scale.digits) if scale is SHARE else f"{_scaled(estimate.mean, scale)}{scale.unit}"
    if not estimate.known or estimate.has_no_width:
        return number
    return f"{number} ({interval(estimate, scale._replace(unit=''))})"


def with_half(estimate: Estimate, scale: Scale = SHARE, *, bold: bool = False, signed: bool = False) -> str:
    """Format a number and half its 95 % interval: “91.7 ± 0.8 %”; without an interval, the number alone.

    If that would leave the range of the scale, the ends are given instead: “84.3 % (0.0–100.0)”. If one end of the
    interval is limited, the half is the longer side. A half of 0 is left out, but for `signed` numbers, which are
    differences: “+4.2 ± 0.0 points”.
    """
    number = _scaled(estimate.mean, scale, "+" if signed else "")
    number = f"<b>{number}</b>" if bold else number
    if not estimate.known or (estimate.has_no_width and not signed):
        return f"{number}{scale.unit}"
    if estimate.mean - estimate.half < scale.least or estimate.mean + estimate.half > scale.most:
        return f"{number}{scale.unit} ({interval(estimate, scale._replace(unit=''))})"
    return f"{number} ± {_scaled(estimate.half, scale)}{scale.unit}"


def protection(value: float) -> str:
    """Say how well an ε protects, as it is written: “moderate”."""
    if math.isinf(value):
        return "no"
    written = epsilon(value)
    shown = float(written) if re.fullmatch(r"[\d.]+", written) else value
    return next(word for least, word in reversed(PROTECTION) if shown >= least) if shown else "full"


# A gain of less than so much is hardly one.
_LEAST_GAIN = 0.02


def how_far(reached: float, least: float, most: float) -> str:
    """Answer whether `reached` is near `most`, seen from `least`, which needs no data: “Yes” from three quarters of the
    way on, “Partly” from one quarter on, else “Hardly”, and “No” where nothing is gained.
    """
    way = (reached - least) / (most - least) if most > least else 0.0
    if 0 < reached - least < _LEAST_GAIN:
        return "Hardly"
    return "Yes" if way >= 0.75 else "Partly" if way >= 0.25 else "Hardly" if way > 0 else "No"


# What `how_far` means, for a figure in words.
HOW_FAR_WORDS = (
    "“Yes” is said where learning keeps three quarters or more of what it gains without privacy over {least}, “partly” "
    "from one quarter on."
)


def with_article(digit: str) -> str:
    """Write a digit as a thing: “a 7”, “an 8”."""
    return f"{'an' if digit == '8' else 'a'} {digit}"


def marks_words(n_trials: int, has_lines: bool = True) -> str:
    """Say what the marks of a figure are: means over trials, with lines for their 95 % intervals if it `has_lines`."""
    if n_trials == 1:
        return "Each mark is from one trial, so no 95 % interval is known."
    if not has_lines:
        return f"Each mark is the average of {n_trials} trials, too few for 95 % intervals."
    line = "the line with end caps is the likely range of this average (95 % interval)"
    return f"Each mark is the average of {n_trials} trials; {line}."
