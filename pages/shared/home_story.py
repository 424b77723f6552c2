"""What privacy costs, in four numbers, and the pages that show more."""

from __future__ import annotations

import math

import streamlit as st

from pages.shared import cached, layout, text
from privdemo.experiments import comparison
from privdemo.experiments.comparison import ComparisonConfig
from privdemo.methods import COMPARISON, NOBODY, OWNER, PUBLISHER, SHOWN_FIRST, TRUTH
from privdemo.tasks import binary_task

# The ε of a label at which the four numbers are given.
EPSILON = 1.0
_TITLES = {
    NOBODY: "Nobody is trusted",
    OWNER: "A bag’s owner is trusted",
    PUBLISHER: "A publisher of sets is trusted",
    TRUTH: "No privacy",
}
_WORDS = {
    NOBODY: "Each person lies about the label with probability {lie}. Best: {method}.",
    OWNER: "Only noisy totals of bags, groups of {bag} filled at random, are released. Best: {method}.",
    PUBLISHER: "Counts of two large sets; ε covers these alone: a set’s name may tell a label like a lie with ε "
    "= {name}. Best: {method}.",
    TRUTH: "Every true label is known.",
}
_PAGES = {
    "voting": ("How many voted for A?", "Read the true share off the lies."),
    "image_noise": ("What does the noise do to an image?", "Drag a dial and watch digits dissolve."),
    "training": ("Can a classifier be trained on noise?", "Learn from lies: which model is right, and how sure?"),
    "proportions": ("What if only bag totals are known?", "Tell single records apart by their bags."),
    "class_ratio": ("What share of this group…?", "Find the mix of a set from sets of known mixes."),
    "distortion": ("How much do private counts distort?", "Which promise for counts costs least?"),
    "comparison": ("Which method, at which privacy?", "All methods on the same people, at the same ε."),
    "claims": ("Do the papers’ claims hold?", "Published numbers beside ours, with verdicts."),
}
_IN_A_ROW = 4


def cost(dataset: str) -> None:
    """How often single records are named right at the same ε, by whom one trusts: from the shipped comparison."""
    config = ComparisonConfig(dataset=dataset, epsilon=EPSILON)
    rows = comparison.study.select(cached.comparison_rows(), config, "accuracy")
    best = comparison.study.best_by_trust([row for row in rows if row.epsilon == EPSILON and row.method in SHOWN_FIRST])
    first, second = binary_task(dataset).classes
    n, lie = best[TRUTH].n_train, config.flips.flip_prob
    st.markdown(
        f"**The same {2 * n:,} people, ε = {EPSILON:g}** (what it covers changes the odds by a factor of "
        f"{math.exp(EPSILON):.1f} at most): how often are a {first} and a {second} told apart? It depends on whom one "
        f"trusts with the truth, and on what ε covers. Means over {best[TRUTH].n_draws} draws, 95 % intervals:"
    )
    layout.cards(
        [
            (
                title,
                text.percent(best[trust].estimate),
                _WORDS[trust].format(
                    method=COMPARISON[best[trust].method].title,
                    lie=text.probability(lie),
                    bag=config.bag_size,
                    name=text.epsilon(config.set_name_epsilon),
                ),
            )
            for trust, title in _TITLES.items()
        ]
    )


def likelihood() -> None:
    """What all pages have in common."""
    st.caption("Lies, bags and sets are one likelihood: which truth makes what came out of a channel likely?")


def pages() -> None:
    """A link to every page, with a few words."""
    names = list(_PAGES)
    for start in range(0, len(names), _IN_A_ROW):
        for column, name in zip(st.columns(_IN_A_ROW, gap="small"), names[start : start + _IN_A_ROW], strict=True):
            question, words = _PAGES[name]
            with column.container(border=True, key=f"tile-{name}", gap="xxsmall"):
                st.page_link(f"pages/{name}.py", label=f"**{question}**")
                st.caption(words)
