"""The style sheet has no rule for which a browser would check all elements after every change of a page."""

import re
from collections.abc import Iterator

from pages.kit import style

# What stands in parentheses is no part of whom a rule is for.
_HAS, _INNER = re.compile(r":has\x00"), re.compile(r"\([^()]*\)")


def selectors(sheet: str) -> Iterator[str]:
    """The selectors of all rules, nested ones after those that they stand in, with \\0 for what is in parentheses."""
    bare = re.sub(r"/\*.*?\*/|<[^>]*>", "", sheet, flags=re.DOTALL)
    while _INNER.search(bare):
        bare = _INNER.sub("\0", bare)
    outer: list[str] = []
    for words, sign in re.findall(r"([^{};]*)([{};])", bare):
        if sign == "{":
            within = "" if words.strip().startswith("@") else words.strip()
            outer.append(within)
            for one in within.split(","):
                yield " ".join([*filter(None, outer[:-1]), one.strip()])
        elif sign == "}":
            outer.pop()


def test_rules_that_depend_on_other_elements_use_a_class_or_a_custom_property() -> None:
    """After `one:has(other)` no element of any name and class may follow: every one would be looked at."""
    found = list(selectors(style.SHEET))
    assert sum(bool(_HAS.search(one)) for one in found) > 20
    last = [(one, re.split(r"[\s>~+]+", one)) for one in found]
    wrong = [one for one, parts in last if _HAS.search(" ".join(parts[:-1])) and re.match(r"[*\[]", parts[-1])]
    assert not wrong
