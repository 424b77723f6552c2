"""The style sheet of all pages, with the colours of the palette."""

from __future__ import annotations

from pathlib import Path

from privdemo import figures, palette

_RULES = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
_COLOURS = f":root {{ --main: {palette.SPREAD.colour}; }}"

SHEET = f"<style>{_COLOURS}{_RULES}{figures.CSS}</style>"
