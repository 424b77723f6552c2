"""What the live dial draws from: pictures, random draws and words of a result, ready for the browser."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

from privdemo.experiments.images import Result
from privdemo.mechanisms.pixels import PixelFamily

_PRIOR_NOTES = {
    "flat": ("Guess, flat prior", "knows only the noise"),
    "learned": ("Guess, learned prior", "learnt from all releases"),
    "true": ("Guess, true prior", "knows every pixel's habits"),
}


def dial_data(result: Result, family: PixelFamily, level: float, step: float) -> dict[str, Any]:
    """What the browser needs: pictures and draws as base64, words, and the dial's range.

    Its `token` is the same at every level, so that the browser decodes the pictures once.
    """
    limit = family.limit(result.n_states)
    height, width = result.image_shape
    first, second = result.class_names[:2]
    fixed = {
        "states": _base64(result.states),
        "clean": _base64(result.clean),
        "nStates": result.n_states,
        "height": height,
        "width": width,
        "labels": [result.class_names[label] for label in result.labels],
        "captions": [
            {"text": words, "flipped": bool(sent != true)}
            for words, sent, true in zip(captions(result), result.released_labels, result.labels, strict=True)
        ],
        "priors": [_PRIOR_NOTES[name] for name in result.guesses],
        "legend": f"“{first} → {second}” marks a label that was flipped before it was sent.",
        "symbol": family.symbol,
        "low": limit.low,
        "high": limit.high,
        "step": step,
        **{name: _base64(part) for name, part in result.config.pixels.draws_by_name(result.draws).items()},
    }
    token = hashlib.sha256(json.dumps(fixed, sort_keys=True).encode()).hexdigest()
    name = f"{family.level_name.capitalize()} {family.symbol}"
    guesses = [_base64(pixels) for pixels in result.guesses.values()]
    return {**fixed, "token": token, "guesses": guesses, "level": level, "name": name}


def captions(result: Result) -> list[str]:
    """What each shown person sent: “7”, or “7 → 9” of a label that was flipped."""
    names = result.class_names
    return [
        names[sent] if sent == true else f"{names[true]} → {names[sent]}"
        for true, sent in zip(result.labels, result.released_labels, strict=True)
    ]


def _base64(array: Any) -> str:
    """The array's raw bytes (little-endian) as base64 text."""
    return base64.b64encode(array.tobytes()).decode()
