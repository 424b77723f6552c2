"""When people do not follow the rules: what that does, surveys that notice it, attacks, and defences."""

from privdemo.disobedience.designs import ControlQuestion, Design, Noticed, TwoHalves, notice, notice_many
from privdemo.disobedience.two_answers import Identified, bias, expected_estimate, identified, mixed_channel
from privdemo.disobedience.ways import (
    ALWAYS_NO,
    ALWAYS_YES,
    FAIR_COIN,
    OPEN_TRUTH,
    WAYS,
    AlwaysAnswer,
    CraftedReport,
    FalseTruth,
    OpenTruth,
    RandomReport,
    Way,
)

__all__ = [
    "ALWAYS_NO",
    "ALWAYS_YES",
    "FAIR_COIN",
    "OPEN_TRUTH",
    "WAYS",
    "AlwaysAnswer",
    "ControlQuestion",
    "CraftedReport",
    "Design",
    "FalseTruth",
    "Identified",
    "Noticed",
    "OpenTruth",
    "RandomReport",
    "TwoHalves",
    "Way",
    "bias",
    "expected_estimate",
    "identified",
    "mixed_channel",
    "notice",
    "notice_many",
]
