"""Events as data: dicts for JSON, what pickles them, and what pydantic makes of them. Called by the native module."""

# Schemas and events are taken as they come: strictly, each line would be a cast.
# pyright: basic
from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import Any, cast

from . import _native
from ._errors import JsonSpigotError

#: What an event has beside what its pattern for `match` names.
_MATCH = ("pattern", "match_id", "offset", "document")
_DOCUMENT = ("start", "byte_count", "line", "deviations", "deviation_count")


def to_dict(event: Any) -> dict[str, Any]:
    """The event's type, and its parts as JSON has them; a fraction that is a ``Decimal`` becomes a number."""
    parts: dict[str, Any] = {"type": _name(event)}
    for name in (*event.__match_args__, *_extra(event)):
        parts[name] = None if name == "value" and not _has_value(event) else _plain(getattr(event, name))
    if isinstance(event, _native.DocumentEnd):
        parts["value"] = _plain(event.value) if _has_value(event) else None
    return parts


def items(event: Any) -> Iterator[tuple[str, Any]]:
    return iter(event.to_dict().items())


def state(event: Any) -> tuple[Any, ...]:
    """What makes two ends of documents equal."""
    return (event.document, event.error, event.raw, *(getattr(event, name) for name in _DOCUMENT))


def reduced(event: Any) -> tuple[Any, ...]:
    """What `pickle` and `copy` need. The parser of a document's end is not part of it."""
    if isinstance(event, _native.DocumentEnd):
        parts = {name: getattr(event, name) for name in ("raw", "decimals", *_DOCUMENT)}
        return _again, ("DocumentEnd", (event.document, event.error), parts)
    return _again, (_name(event), tuple(getattr(event, name) for name in event.__match_args__), {})


def _again(name: str, arguments: tuple[Any, ...], parts: dict[str, Any]) -> Any:
    made: Any = _native
    for part in name.split("."):
        made = getattr(made, part)
    return made(*arguments, **parts)


def core_schema(cls: Any) -> Any:
    """For pydantic: an event is an instance, and JSON is its dict."""
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
    """The serializer for an event that pydantic meets where a type says ``Any``."""
    try:
        from pydantic_core import SchemaSerializer
    except ImportError as error:
        raise AttributeError("__pydantic_serializer__") from error
    return SchemaSerializer(core_schema(cls))


def _dumped(event: Any, info: Any) -> Any:
    return event.to_dict() if info.mode == "json" else event


def _name(event: Any) -> str:
    """A variant's, with its class: there are several kinds of ``Begin`` and ``End``."""
    base, name = type(event).__mro__[1], type(event).__name__.rpartition("_")[2]
    return name if base is object else f"{base.__name__}.{name}"


def _extra(event: Any) -> tuple[str, ...]:
    if isinstance(event, _native.DocumentEnd):
        return _DOCUMENT
    return _MATCH if hasattr(event, "match_id") else ()


def _has_value(event: Any) -> bool:
    return not hasattr(event, "match_id") and not isinstance(event, _native.DocumentEnd) or event.raw is not None


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, JsonSpigotError):
        return value.to_dict()
    if hasattr(value, "_asdict"):
        return value._asdict()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in cast("list[Any]", value)]
    return value.to_dict() if hasattr(value, "to_dict") else value
