"""What a component sends is read by the key under which it is rendered."""

import pytest
import streamlit as st

from pages.kit import component


@pytest.mark.parametrize(
    ("state", "move"),
    [({"presenter": {"move": "next"}}, "next"), ({"presenter": {}}, None), ({}, None)],
    ids=["sent", "nothing sent", "its page was left"],
)
def test_what_a_component_sent(monkeypatch, state, move):
    monkeypatch.setattr(st, "session_state", state)
    assert component.sent("presenter", "move") == move
