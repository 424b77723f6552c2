"""Results in one compressed file: exact to the last bit, and read without pickle.

The file is NumPy's `.npz`: every array is a member of its own, and all else is JSON, in which each object has one key,
its type: an array's number, a tuple, a dictionary, or one of the dataclasses and named tuples that the
caller names.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

_FORMAT = "privdemo draws, format 1"
_ARRAY, _TUPLE, _DICT = "array", "tuple", "dict"


def pack(thing: Any, kinds: Sequence[type], versions: str) -> bytes:
    """Return the content of a file that holds `thing`, whose dataclasses and named tuples are of `kinds`.

    `versions` names the versions that made it. NumPy numbers become Python's. Raises ``TypeError`` for other types.
    """
    arrays: list[np.ndarray] = []
    head = {"format": _FORMAT, "versions": versions, "kinds": _layout(kinds)}
    texts = {"head": head, "thing": _to_json(thing, {kind: _name(kind) for kind in kinds}, arrays)}
    members: dict[str, Any] = {name: np.frombuffer(json.dumps(text).encode(), np.uint8) for name, text in texts.items()}
    members |= {f"{_ARRAY}{i}": array for i, array in enumerate(arrays)}
    content = io.BytesIO()
    np.savez_compressed(content, **members)
    return content.getvalue()


def unpack(content: bytes, kinds: Sequence[type]) -> Any:
    """Return what `pack` was given. Raises ``ValueError`` for a file of another kind or of older kinds, and a damaged
    one.
    """
    makers = {_name(kind): kind for kind in kinds}
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as members:
            head = _text(members, "head")

            def made(tagged: dict[str, Any]) -> Any:
                ((tag, value),) = tagged.items()
                if tag == _ARRAY:
                    return members[f"{_ARRAY}{value}"]
                return {_TUPLE: tuple, _DICT: dict}[tag](value) if tag in (_TUPLE, _DICT) else makers[tag](*value)

            if head["format"] == _FORMAT and head["kinds"] == _layout(kinds):
                return json.loads(members["thing"].tobytes(), object_hook=made)
    except Exception as error:  # a damaged file can fail anywhere
        raise ValueError(f"it is damaged ({type(error).__name__}: {error})") from None
    raise ValueError("it was made by another version of privdemo")


def is_packed(path: Path) -> bool:
    """Return whether a file is one that `pack` made, of whatever kinds."""
    try:
        with np.load(path, allow_pickle=False) as members:
            return bool(_text(members, "head")["format"] == _FORMAT)
    except Exception:  # as it may be anything
        return False


def _text(members: Any, name: str) -> Any:
    return json.loads(members[name].tobytes())


def _layout(kinds: Sequence[type]) -> dict[str, list[str]]:
    """Return the fields of each kind, in order."""
    return {_name(kind): _fields(kind) for kind in kinds}


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _fields(kind: Any) -> list[str]:
    return list(kind._fields) if hasattr(kind, "_fields") else [field.name for field in fields(kind)]


def _to_json(thing: Any, names: dict[type, str], arrays: list[np.ndarray]) -> Any:
    """Return `thing` as JSON can hold it; its arrays are added to `arrays`."""
    if isinstance(thing, np.generic):
        return thing.item()
    if thing is None or isinstance(thing, str | bool | int | float):
        return thing
    if isinstance(thing, np.ndarray):
        arrays.append(thing)
        return {_ARRAY: len(arrays) - 1}
    if type(thing) in names:
        return {names[type(thing)]: [_to_json(getattr(thing, name), names, arrays) for name in _fields(type(thing))]}
    if type(thing) is tuple:
        return {_TUPLE: [_to_json(each, names, arrays) for each in thing]}
    if type(thing) is dict:
        return {_DICT: [[_to_json(key, names, arrays), _to_json(value, names, arrays)] for key, value in thing.items()]}
    raise TypeError(f"there is no place in the file for {thing!r:.60}")
