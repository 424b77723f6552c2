"""Sweeps: many configs, many trials of each, on one machine or a cluster; each finished trial is a row of a CSV file.

A trial is one repetition of one config: the same people, noise and numbers wherever and whenever it runs, as its random
streams are children of `numpy.random.SeedSequence(config.seed, spawn_key=(config.trial,))`; a config without a number
of its own gets its seeds from there. An interrupted or killed sweep resumes with the trials that its file does not
hold.
"""

from privdemo.experiments.sweep.catalogue import EXPERIMENTS, Experiment, ImagesConfig, experiment_of
from privdemo.experiments.sweep.run import in_order, numbers, run_trial, summary, sweep, trial_cells
from privdemo.experiments.sweep.spec import REPEATS, ConfigWithTrial, Sweep, make, read_spec
from privdemo.experiments.sweep.table import load

__all__ = [
    "EXPERIMENTS",
    "REPEATS",
    "ConfigWithTrial",
    "Experiment",
    "ImagesConfig",
    "Sweep",
    "experiment_of",
    "in_order",
    "load",
    "make",
    "numbers",
    "read_spec",
    "run_trial",
    "summary",
    "sweep",
    "trial_cells",
]
