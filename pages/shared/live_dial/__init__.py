"""The dial whose pictures dissolve while it is dragged, redrawn in the browser."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from privdemo.experiments.images import Result
from privdemo.mechanisms.pixels import PixelFamily

_HERE = Path(__file__).parent
_component = st.components.v2.component(
    "privdemo_live_dial",
    html=(_HERE / "dial.html").read_text(encoding="utf-8"),
    css=(_HERE / "dial.css").read_text(encoding="utf-8"),
    js=(_HERE / "dial.js").read_text(encoding="utf-8"),
)
_PRIOR_NOTES = {
    "flat": ("Guess, flat prior", "knows only the noise"),
    "learned": ("Guess, learned prior", "learnt from all releases"),
    "true": ("Guess, true prior", "knows every pixel's habits"),
}


def live_dial(data: dict[str, Any], on_release: Callable[[float], None]) -> None:
    """Mount the dial with its `dial_data`; `on_release` gets the new level when the visitor lets go."""

    def released() -> None:
        on_release(float(st.session_state["dial"]["level"]))

    _component(key="dial", data=data, default={"level": data["level"]}, on_level_change=released)


def dial_data(result: Result, family: PixelFamily, level: float, step: float) -> dict[str, Any]:
    """What the browser needs: pictures and draws as base64, texts, and the dial's range."""
    limit = family.limit(result.n_states)
    height, width = result.image_shape
    first, second = result.class_names[:2]
    fixed = {
        "states": _text(result.states),
        "clean": _text(result.clean),
        "nStates": result.n_states,
        "height": height,
        "width": width,
        "labels": [result.class_names[label] for label in result.labels],
        "captions": _captions(result),
        "priors": [_PRIOR_NOTES[name] for name in result.guesses],
        "legend": f"“{first} → {second}” marks a label that was flipped before it was sent.",
        "symbol": family.symbol,
        "low": limit.low,
        "high": limit.high,
        "step": step,
        **_draws(result.draws),
    }
    token = hashlib.sha256(json.dumps(fixed, sort_keys=True).encode()).hexdigest()
    name = f"{family.level_name.capitalize()} {family.symbol}"
    guesses = [_text(pixels) for pixels in result.guesses.values()]
    return {**fixed, "token": token, "guesses": guesses, "level": level, "name": name}


def _draws(draws: Any) -> dict[str, str]:
    if isinstance(draws, tuple):
        return {"uniform": _text(draws.uniform), "replacement": _text(draws.replacement)}
    return {"noise": _text(draws)}


def _captions(result: Result) -> list[dict[str, Any]]:
    names = result.class_names
    return [
        {
            "text": names[sent] if sent == true else f"{names[true]} → {names[sent]}",
            "flipped": bool(sent != true),
        }
        for true, sent in zip(result.labels, result.released_labels, strict=True)
    ]


def _text(array: Any) -> str:
    """The array's raw bytes (little-endian) as base64 text."""
    return base64.b64encode(array.tobytes()).decode()
