"""Fixtures that several test modules share."""

import pytest
from streamlit.runtime.state.query_params import QueryParams


@pytest.fixture
def entries(monkeypatch):
    """Return the list of addresses that Streamlit sends itself: each is an entry in the browser's history."""
    sent, send = [], QueryParams._send_query_param_msg
    monkeypatch.setattr(
        QueryParams,
        "_send_query_param_msg",
        lambda new: (sent.append({key: new.get_all(key) for key in new}), send(new)),
    )
    return sent
