"""A poll of a class by randomised response: the shares behind the answers, and the posterior of each person."""

from privdemo.experiments.poll.config import (
    CHECKS,
    CONTROL,
    HALVES,
    KNOWN_SHARE,
    NO_CHECK,
    PollConfig,
    deck_for,
    with_card_probability,
)
from privdemo.experiments.poll.price import Price, half_width, price
from privdemo.experiments.poll.rehearsal import Rehearsal, rehearse
from privdemo.experiments.poll.reveal import Again, Reading, Reveal, asked_again, reveal
from privdemo.experiments.poll.tables import again_table, meant_table, price_table, said_table, sent_row, share_table

__all__ = [
    "CHECKS",
    "CONTROL",
    "HALVES",
    "KNOWN_SHARE",
    "NO_CHECK",
    "Again",
    "PollConfig",
    "Price",
    "Reading",
    "Rehearsal",
    "Reveal",
    "again_table",
    "asked_again",
    "deck_for",
    "half_width",
    "meant_table",
    "price",
    "price_table",
    "rehearse",
    "reveal",
    "said_table",
    "sent_row",
    "share_table",
    "with_card_probability",
]
