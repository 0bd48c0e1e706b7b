"""The functions of events that pickle, pydantic and callers need. Called by the native module."""

# Schemas and events are taken without a cast.
# pyright: basic
from __future__ import annotations

from functools import cache
from typing import Any


def parts_of(cls: Any, given: tuple[Any, ...], **named: Any) -> dict[str, Any]:
    """Return the parts of an event, by the arguments that its class is called with."""
    names = getattr(cls, "__match_args__", ())
    parts = {**dict(zip(names, given, strict=False)), **named}
    # A part in a slot has no default.
    defaults = {} if "__slots__" in vars(cls) else {name: vars(cls)[name] for name in names if name in vars(cls)}
    if len(parts) != len(given) + len(named) or {*defaults, *parts} != {*names}:
        raise TypeError(f"{cls.__qualname__}() takes {', '.join(names) or 'no arguments'}")
    return defaults | parts


def plain(part: Any) -> Any:
    """Return a part of an event as JSON has it; a fraction that is a `Decimal` becomes a number."""
    if part is None or isinstance(part, (str, int, float)):
        return part
    if isinstance(part, dict):
        return {key: plain(value) for key, value in part.items()}
    for method in ("_asdict", "to_dict", "__float__"):
        if hasattr(part, method):
            return getattr(part, method)()
    return [plain(item) for item in part] if isinstance(part, (list, tuple)) else part


def reduced(event: Any) -> Any:
    """Return what `pickle` and `copy` need. The parser of a document's end is not part of it."""
    names = getattr(event, "_parts", event.__match_args__)
    return _again, (type(event), {name: getattr(event, name) for name in names})


def _again(cls: Any, parts: dict[str, Any]) -> Any:
    return cls(**parts)


def indices(path: str) -> tuple[int, ...]:
    """Return the array indices in a concrete path, outermost first."""
    import re

    # A quoted name may have brackets and, after a backslash, quotes.
    found = re.findall(r"\[(?:'(?:[^'\\]|\\.)*'|(\d+))\]", path)
    return tuple(int(index) for index in found if index)


def core_schema(cls: Any) -> Any:
    """Return the schema for pydantic: an event is an instance, and JSON is its dict."""
    from pydantic_core import core_schema

    as_dict = core_schema.plain_serializer_function_ser_schema(_dumped, info_arg=True)
    schema = {"type": "object", "title": cls.__name__, "properties": {"type": {"type": "string"}}, "required": ["type"]}
    return core_schema.is_instance_schema(
        cls,
        serialization=as_dict,
        metadata={"pydantic_js_functions": [lambda _schema, _handler: schema]},
    )


@cache
def serializer(cls: Any) -> Any:
    """Return the serializer for an event that pydantic meets where a type says ``Any``."""
    try:
        from pydantic_core import SchemaSerializer
    except ImportError as error:
        raise AttributeError("__pydantic_serializer__") from error
    return SchemaSerializer(core_schema(cls))


def _dumped(event: Any, info: Any) -> Any:
    return event.to_dict() if info.mode == "json" else event
