"""Small experiments on bags, of every kind."""

from dataclasses import replace

from privdemo.experiments.label_proportions import BagConfig
from privdemo.methods import LABEL_PROPORTIONS

SINGLE = BagConfig("breast_cancer", 10, 14, "skewed", methods=tuple(LABEL_PROPORTIONS))
GROUPED = replace(SINGLE, aggregation="random-k", k=4)
NOISY = replace(GROUPED, feature_epsilon=3.0, proportion_epsilon=0.5)
CASES = {
    "single": SINGLE,
    "confident": replace(SINGLE, selection="confident", n_bags=8),
    "k-tree, skewed": replace(GROUPED, aggregation="k-tree", k=4),
    "noisy": NOISY,
    "noisy columns": replace(SINGLE, feature_epsilon=20.0),
}
