"""What people say, and how they are asked, where an innocent question hides their vote."""

from __future__ import annotations

from typing import NamedTuple

from pages.kit import numbers
from privdemo.mechanisms import BinaryChannel, Crosswise, UnrelatedQuestion

# Questions that name a birthday, in whose months so large a share of all people is taken to have theirs.
_MONTHS = {0.25: "in January to March", 0.5: "in January to June"}


class Answers(NamedTuple):
    """The two answers that people can give: the one that speaks for a vote for A, and the other."""

    a: str
    b: str

    def said(self, vote: str) -> str:
        """Return the answer that speaks for a vote, “A” or “B”."""
        return self.a if vote == "A" else self.b


def answers_of(channel: BinaryChannel) -> Answers:
    """Return what people say who are asked by a channel."""
    if isinstance(channel, UnrelatedQuestion):
        return Answers("“yes”", "“no”")
    if isinstance(channel, Crosswise):
        return Answers("“different”", "“same”")
    return Answers("A", "B")


def is_design(channel: BinaryChannel) -> bool:
    """Return whether an innocent question hides the vote, so that no answer is changed."""
    return isinstance(channel, UnrelatedQuestion | Crosswise)


def import_line(channel: BinaryChannel) -> str:
    """Return the line of code that imports the class of a channel."""
    return f"from privdemo.mechanisms import {type(channel).__name__}"


def months(share: float) -> str:
    """Return months in which a `share` of all people have their birthday, if they are known by name."""
    return _MONTHS.get(round(share, 6), "in certain months")


def design_words(channel: UnrelatedQuestion | Crosswise) -> str:
    """Say what people are asked, in the place of how chance changes answers."""
    if isinstance(channel, UnrelatedQuestion):
        return (
            f"Chance asks {numbers.percent(channel.asked)} of the people whether they voted A, the others whether "
            f"their birthday is {months(channel.innocent)} ({numbers.percent(channel.innocent)} of all), and they say "
            "only yes or no"
        )
    return (
        "People say only whether two answers are the same or different: did they vote A, and is their birthday "
        f"{months(channel.innocent)} ({numbers.percent(channel.innocent)} of all)"
    )


def how_to_ask(channel: UnrelatedQuestion | Crosswise) -> str:
    """Say how one asks so in a room, what is assumed, and which answer counts as which."""
    said = answers_of(channel)
    if isinstance(channel, UnrelatedQuestion):
        chance = "tosses a coin" if channel.asked == 0.5 else "draws a card"
        asked = (
            f"In a room: everybody {chance} that nobody else sees. It chooses the question, “Did you vote for A?” or "
            f"“Is your birthday {months(channel.innocent)}?”, and the answer is yes or no."
        )
    else:
        asked = (
            "In a room: “Did you vote for A? Is your birthday "
            f"{months(channel.innocent)}? Say only whether both answers are the same or different.”"
        )
    return f"{asked} Nobody who hears it may know the birthday. Here {said.a} counts as A and {said.b} as B."
