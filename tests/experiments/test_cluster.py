"""A Dask cluster without workers, and one whose scheduler goes away: both are said in a sentence."""

import logging
import operator

import pytest
from dask.distributed import Client, LocalCluster

from privdemo.experiments import cluster


def test_missing_workers_are_said_once_and_a_lost_scheduler_is_an_error_in_a_sentence(monkeypatch):
    said = []
    with (
        LocalCluster(n_workers=0, processes=False, dashboard_address=None) as dask,
        Client(dask.scheduler_address) as client,
    ):

        class Listener(logging.Handler):
            def emit(self, record):
                said.append(record.getMessage())
                dask.close()

        monkeypatch.setattr(cluster, "_LOOK_S", 0.05)
        monkeypatch.setattr(cluster._LOG, "handlers", [Listener()])
        with pytest.raises(ConnectionError, match=r"the Dask scheduler at \S+ is lost; start it again, and the same"):
            list(cluster.run(client, [(operator.add, (1, 2), {})]))
    (sentence,) = said
    assert sentence.startswith("waiting for Dask workers: none is there; start some with dask worker ")
