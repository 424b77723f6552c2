"""Conversion between fields of a config and TOML values: mechanisms, and numbers that are sampled or chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, NamedTuple

from privdemo.datasets import OwnData
from privdemo.experiments import images
from privdemo.mechanisms import BinaryChannel, Crosswise, RandomisedResponse, UnrelatedQuestion
from privdemo.mechanisms.pixels import FAMILIES, family_of, level_of

# The families of noise that is added to a pixel.
_ADDED = tuple(family.name for family in FAMILIES.values() if family.mechanism is not RandomisedResponse)


class Form(NamedTuple):
    """How one field of a config is written: `read(value, given)` makes it, `write(value, config)` is the inverse.

    `given` are all fields that a file gives.
    """

    read: Callable[[Any, Mapping[str, Any]], Any]
    write: Callable[[Any, Any], Any]


def as_tuples(value: Any) -> Any:
    """Return `value` with tuples for lists."""
    return tuple(map(as_tuples, value)) if isinstance(value, list | tuple) else value


def plain_fields(config: Any, forms: Mapping[str, Form]) -> dict[str, Any]:
    """Return every field of `config` as a file holds it, but for the number of the trial and for a default of None.

    Raises ``ValueError`` for a visitor's own records, which no file of settings can hold.
    """
    values = [(field, getattr(config, field.name)) for field in fields(config) if field.name != "trial"]
    found = {field.name: value for field, value in values if value is not None or field.default is not None}
    if isinstance(found.get("dataset"), OwnData):
        raise ValueError("your own records go into no file of settings; take one of the data sets of the app")
    return {
        name: forms[name].write(value, config) if name in forms else _as_lists(value) for name, value in found.items()
    }


def _as_lists(value: Any) -> Any:
    return list(map(_as_lists, value)) if isinstance(value, tuple) else value


def _read_pixels(value: Any, given: Mapping[str, Any]) -> Any:
    if not isinstance(value, dict):
        return RandomisedResponse(value, images.n_states(given.get("dataset", images.Config.dataset)))
    if value.keys() == {"flip_prob", "n_states"}:
        return RandomisedResponse(**value)
    levels = {"gaussian" if name == "sigma" else name: level for name, level in value.items()}  # σ in the papers
    if len(levels) != 1 or not levels.keys() <= set(_ADDED):
        kinds = " or ".join(f"{{{name} = …}}" for name in _ADDED)
        raise ValueError(f"pixels must be a flip probability, {kinds}, got {value}")
    ((name, level),) = levels.items()
    return FAMILIES[name].make(level, 0)  # additive noise needs no number of grey levels


def _write_pixels(mechanism: Any, config: Any) -> Any:
    if not isinstance(mechanism, RandomisedResponse):
        return {family_of(mechanism).name: level_of(mechanism)}
    if mechanism.n_states == images.n_states(config.dataset):
        return mechanism.flip_prob
    return {"flip_prob": mechanism.flip_prob, "n_states": mechanism.n_states}


def _two_lies(value: tuple[Any, ...]) -> BinaryChannel:
    if len(value) != 2:
        raise ValueError(f"lies that differ are a list of two probabilities, got {list(value)}")
    return BinaryChannel(*value)


def _read_labels(value: Any, given: Mapping[str, Any]) -> Any:
    if isinstance(value, tuple):
        return _two_lies(value)
    return RandomisedResponse(value, len(given.get("classes", images.Config.classes)))


def _write_labels(mechanism: Any, _: Any) -> Any:
    return [mechanism.p10, mechanism.p01] if isinstance(mechanism, BinaryChannel) else mechanism.flip_prob


def _read_channel(value: Any, _: Any) -> BinaryChannel:
    if isinstance(value, dict):
        return _read_design(value)
    return _two_lies(value if isinstance(value, tuple) else (value, value))


def _read_design(value: Mapping[str, Any]) -> BinaryChannel:
    names = "innocent = …", "asked = …, innocent = …"
    if not value.keys() <= {"asked", "innocent"} or "innocent" not in value:
        raise ValueError(f"channel must be one lie, a list of two, {{{names[0]}}} or {{{names[1]}}}, got {value}")
    return UnrelatedQuestion(**value) if "asked" in value else Crosswise(**value)


def _write_channel(channel: BinaryChannel, _: Any) -> Any:
    if isinstance(channel, UnrelatedQuestion):
        return {"asked": channel.asked, "innocent": channel.innocent}
    if isinstance(channel, Crosswise):
        return {"innocent": channel.innocent}
    return channel.p10 if channel.p10 == channel.p01 else [channel.p10, channel.p01]


def or_none(word: str) -> Form:
    """Return a number, or a word for None, which TOML does not have."""
    return Form(lambda value, _: None if value == word else value, lambda value, _: word if value is None else value)


# A flip probability of every pixel, or noise that is added, such as {laplace = 0.3}.
PIXELS = Form(_read_pixels, _write_pixels)
# One flip probability of a label, or a list of two where the classes lie differently.
LABELS = Form(_read_labels, _write_labels)
# One probability of a lie, or a list of two: of voters of B, and of A; or a design with an innocent question.
CHANNEL = Form(_read_channel, _write_channel)
