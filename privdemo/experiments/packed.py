"""Pack results into one compressed file that is read without pickle; arrays and numbers keep every bit.

The file is NumPy's `.npz`: every array is a member of its own, and all else is JSON, in which each object has one key,
its type: an array's number, a tuple, a dictionary, or one of the dataclasses and named tuples that the
caller names. NumPy's numbers come back as Python's, and no other types can be packed.
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


def pack(value: Any, record_types: Sequence[type], versions: str) -> bytes:
    """Return the content of a file that holds `value`, whose dataclasses and named tuples are of `record_types`.

    `versions` names the versions of the libraries that computed it. Raise ``TypeError`` for other types.
    """
    arrays: list[np.ndarray] = []
    head = {"format": _FORMAT, "versions": versions, "kinds": _layout(record_types)}
    texts = {"head": head, "thing": _to_json(value, {each: _name(each) for each in record_types}, arrays)}
    members: dict[str, Any] = {name: np.frombuffer(json.dumps(text).encode(), np.uint8) for name, text in texts.items()}
    members |= {f"{_ARRAY}{i}": array for i, array in enumerate(arrays)}
    content = io.BytesIO()
    np.savez_compressed(content, **members)
    return content.getvalue()


def unpack(content: bytes, record_types: Sequence[type]) -> Any:
    """Return the value that `pack` was given. Raise ``ValueError`` if the file has other types, or cannot be read."""
    type_of = {_name(each): each for each in record_types}
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as members:
            head = _text(members, "head")

            def decode(tagged: dict[str, Any]) -> Any:
                ((tag, value),) = tagged.items()
                if tag == _ARRAY:
                    return members[f"{_ARRAY}{value}"]
                return {_TUPLE: tuple, _DICT: dict}[tag](value) if tag in (_TUPLE, _DICT) else type_of[tag](*value)

            if head["format"] == _FORMAT and head["kinds"] == _layout(record_types):
                return json.loads(members["thing"].tobytes(), object_hook=decode)
    except Exception as error:  # a damaged file can fail anywhere
        raise ValueError(f"it is no file of such results, or is damaged ({type(error).__name__}: {error})") from None
    raise ValueError("it was made by another version of privdemo")


def is_packed(path: Path) -> bool:
    """Return whether a file is one that `pack` made, of whatever types."""
    try:
        with np.load(path, allow_pickle=False) as members:
            return bool(_text(members, "head")["format"] == _FORMAT)
    except Exception:  # as it may be anything
        return False


def _text(members: Any, name: str) -> Any:
    return json.loads(members[name].tobytes())


def _layout(record_types: Sequence[type]) -> dict[str, list[str]]:
    """Return the fields of each type by its name, in order."""
    return {_name(each): _fields(each) for each in record_types}


def _name(record_type: type) -> str:
    return f"{record_type.__module__}.{record_type.__qualname__}"


def _fields(record_type: Any) -> list[str]:
    if hasattr(record_type, "_fields"):  # a named tuple
        return list(record_type._fields)
    return [field.name for field in fields(record_type)]


def _to_json(value: Any, names: dict[type, str], arrays: list[np.ndarray]) -> Any:
    """Return a value as JSON can hold it; its arrays are added to `arrays`."""
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {_ARRAY: len(arrays) - 1}
    if type(value) in names:
        return {names[type(value)]: [_to_json(getattr(value, name), names, arrays) for name in _fields(type(value))]}
    if type(value) is tuple:
        return {_TUPLE: [_to_json(each, names, arrays) for each in value]}
    if type(value) is dict:
        return {_DICT: [[_to_json(key, names, arrays), _to_json(each, names, arrays)] for key, each in value.items()]}
    raise TypeError(f"there is no place in the file for {value!r:.60}")
