"""A class that is asked by randomised response: what its answers tell of all, and of each."""

from privdemo.experiments.poll.config import PollConfig, cards
from privdemo.experiments.poll.rehearsal import Rehearsal, rehearse
from privdemo.experiments.poll.reveal import Again, Price, Reading, Reveal, asked_again, price, reveal
from privdemo.experiments.poll.tables import again_table, meant_table, price_table, said_table, share_table

__all__ = [
    "Again",
    "PollConfig",
    "Price",
    "Reading",
    "Rehearsal",
    "Reveal",
    "again_table",
    "asked_again",
    "cards",
    "meant_table",
    "price",
    "price_table",
    "rehearse",
    "reveal",
    "said_table",
    "share_table",
]
