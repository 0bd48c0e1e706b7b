"""What pickle and pydantic ask of events. Called by the native module."""

# Schemas and events are taken without a cast.
# pyright: basic
from __future__ import annotations

from functools import cache
from typing import Any

from . import _native


def again(name: str, parts: dict[str, Any]) -> Any:
    """Make a pickled event again."""
    made: Any = _native
    for part in name.split("."):
        made = getattr(made, part)
    return made(**parts)


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
