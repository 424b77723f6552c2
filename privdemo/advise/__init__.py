"""Advice: which mechanism answers a question, how exactly, and what it costs.

    advice = advise(Question("yes-no", trust="nobody", people=5000, within=0.03))
    advice.plan.epsilon, advice.plan.parameters["flip_prob"], advice.plan.half_width
    sentence(advice)  # the same in words

Everything follows from closed forms, and for a classifier from the results that come with the package.
"""

from privdemo.advise.along import along
from privdemo.advise.label import Line, label
from privdemo.advise.plan import Plan
from privdemo.advise.question import (
    CLASSIFIER,
    COUNTS,
    ONE_OF_K,
    SHIPPED,
    TRUSTED,
    TRUSTS,
    YES_NO,
    Question,
)
from privdemo.advise.recommend import Advice, advise
from privdemo.advise.simulation import simulated_half_width
from privdemo.advise.words import (
    action,
    changes_nothing,
    comparisons,
    consequence,
    is_as_exact_as_asked,
    margin,
    other_trust,
    percentage_points,
    price,
    promise,
    protection,
    protects_more,
    relied_on,
    result,
    sending,
    sent_by_phones,
    sentence,
    what_it_gives,
)

__all__ = [
    "CLASSIFIER",
    "COUNTS",
    "ONE_OF_K",
    "SHIPPED",
    "TRUSTED",
    "TRUSTS",
    "YES_NO",
    "Advice",
    "Line",
    "Plan",
    "Question",
    "action",
    "advise",
    "along",
    "changes_nothing",
    "comparisons",
    "consequence",
    "is_as_exact_as_asked",
    "label",
    "margin",
    "other_trust",
    "percentage_points",
    "price",
    "promise",
    "protection",
    "protects_more",
    "relied_on",
    "result",
    "sending",
    "sent_by_phones",
    "sentence",
    "simulated_half_width",
    "what_it_gives",
]
