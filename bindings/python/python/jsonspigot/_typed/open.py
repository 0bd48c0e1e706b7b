"""The types of open objects: derived from a model, so that everything that takes the model takes them; not validated."""

# Schemas and events are taken as they come: strictly, each line would be a cast.
# pyright: basic
from __future__ import annotations

import copy
import types
from contextlib import suppress
from functools import wraps
from inspect import Signature, getattr_static, signature
from typing import Annotated, Any, ClassVar, Optional
from weakref import WeakValueDictionary

#: The absence of a value: nothing is shown.
OUT: Any = object()
_new: Any = object.__new__
_set = object.__setattr__


class Open:
    """What the type of each object that is still open is derived from, beside the object's model.

    ``type(value) is Model`` means closed and validated. In an open one, what has not come is its default, or ``None``
    whatever its type says, and no validator of the model has run. A computed field or serializer of the model that raises
    over what has not come gives ``None``, or the value as it is. It equals a ``Model`` with the same fields.
    """

    # First among the bases: a model's hooks for subclasses, which may keep a registry, are not called.
    __slots__ = ()

    def __init_subclass__(cls, **_: Any) -> None:
        pass

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        pass

    def __eq__(self, other: object) -> bool:
        if type(other) is not model_of(self) and type(other) is not type(self):
            return NotImplemented
        return _fields(self) == _fields(other)

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        pydantic = hasattr(self, "__pydantic_fields_set__")
        state: Any = self.__getstate__() if pydantic else _fields(self)
        return _again, (model_of(self), state)


def model_of(value: Any) -> Any:
    """The model that an open object's type is derived from."""
    return type(value).__mro__[2]


def _again(model: Any, state: Any) -> Any:
    made = _new(open_type(model))
    if hasattr(model, "model_fields"):
        made.__setstate__(state)
    else:
        for name, value in state.items():
            _set(made, name, value)
    return made


def _fields(value: Any) -> dict[str, Any]:
    if hasattr(value, "__pydantic_fields_set__"):
        # Beside them, there is what a `cached_property` has kept.
        return {name: value.__dict__.get(name) for name in type(value).model_fields} | (value.__pydantic_extra__ or {})
    return {name: getattr(value, name, None) for name in value.__dataclass_fields__}


#: By the model's identity. A type keeps its model, and so its id; unused types are collected.
_types: WeakValueDictionary[int, Any] = WeakValueDictionary()


def open_type(model: Any) -> Any:
    """The type of a model's open objects; the model itself, if it cannot be derived from."""
    known = _types.get(id(model))
    if known is not None:
        return known
    made = model
    for is_bearing in (True, False):
        with suppress(Exception):
            made = _derived(model, is_bearing)
            break
    # Another thread may have been first: then its type is the one.
    return _types.setdefault(id(model), made)


def _derived(model: Any, is_bearing: bool) -> Any:
    body: dict[str, Any] = {"__module__": model.__module__, "__hash__": None}
    options: dict[str, Any] = {}
    if hasattr(model, "model_fields"):
        options["defer_build"] = True
        if not getattr(model, "__pydantic_root_model__", False):
            body["__annotations__"] = {}
            body |= _bearing(model) if is_bearing else {}
            schemas = _fields_of(model) if is_bearing else {}
            for name, known in model.model_fields.items():
                field = copy.copy(known)
                field.discriminator = field.validate_default = None
                field.annotation, field.metadata = Any, []
                if known.is_required():
                    field.default = None
                if _is_written(schemas.get(name), model):
                    # Its type has a way of its own to be dumped.
                    kind: Any = known.annotation
                    if known.metadata:
                        kind = Annotated[(kind, *known.metadata)]
                    field.annotation, field.metadata = Optional[kind], [_bearing_serializer()]
                body["__annotations__"][name] = field.annotation
                body[name] = field
    else:
        body["__slots__"] = ()
    made: Any = types.new_class("Open" + model.__name__, (Open, model), options, lambda space: space.update(body))
    if "defer_build" in options:
        # Within another object, older versions of pydantic do not build what dumps it.
        with suppress(Exception):
            made.model_rebuild(raise_errors=False)
    return made


def _fields_of(model: Any) -> dict[str, Any]:
    """The schemas of a model's fields, by name."""
    schema = model.__pydantic_core_schema__
    found: Any = {}
    todo = [schema]
    while todo and not found:
        part = todo.pop()
        if part.get("type") == "model-fields":
            found = part["fields"]
        elif part.get("cls") in (None, model):
            todo += [*part.get("definitions", ()), *([part["schema"]] if isinstance(part.get("schema"), dict) else [])]
    return {name: field["schema"] for name, field in found.items()}


def _is_written(schema: Any, model: Any) -> bool:
    """Whether something in a field's schema, short of an object's own, says how it is dumped."""
    definitions = {each.get("ref"): each for each in model.__pydantic_core_schema__.get("definitions", ())}
    seen: set[Any] = set()
    todo = [schema]
    while todo:
        part = todo.pop()
        if isinstance(part, (list, tuple)):
            todo += part
        if not isinstance(part, dict) or part.get("type") in ("model", "dataclass", "typed-dict"):
            continue
        if "serialization" in part:
            return True
        name = part.get("schema_ref")
        if name not in seen:
            seen.add(name)
            todo.append(definitions.get(name))
        todo += [value for key, value in part.items() if key not in ("metadata", "default", "expected")]
    return False


def _bearing_serializer() -> Any:
    from pydantic import WrapSerializer

    def written(value: Any, handler: Any) -> Any:
        try:
            return handler(value)
        except Exception:
            return value

    return WrapSerializer(written)


def _bearing(model: Any) -> dict[str, Any]:
    """Return the model's computed fields and serializers in a form that tolerates missing fields."""
    found: dict[str, Any] = {}
    decorators = model.__pydantic_decorators__
    for name in decorators.computed_fields:
        attribute = getattr_static(model, name)
        computed = attribute.fget if isinstance(attribute, property) else attribute.func
        found[name] = property(_caught(computed, lambda _: None))
    for name, decorator in {**decorators.field_serializers, **decorators.model_serializers}.items():
        attribute = getattr_static(model, name)
        is_static = isinstance(attribute, staticmethod)
        # Of a field: `self`, unless static, and its value; of the model: itself.
        at = int(name in decorators.field_serializers and not is_static)

        def plainly(*given: Any, at: int = at, is_whole: bool = name in decorators.model_serializers) -> Any:
            return dict(given[at]) if is_whole else given[at]

        def handled(*given: Any, at: int = at) -> Any:
            return given[at + 1](given[at])

        caught = _caught(attribute.__func__ if is_static else attribute, handled if decorator.info.mode == "wrap" else plainly)
        found[name] = staticmethod(caught) if is_static else caught
    return found


def _caught(function: Any, otherwise: Any) -> Any:
    @wraps(function)
    def caught(*given: Any) -> Any:
        try:
            return function(*given)
        except Exception:
            return otherwise(*given)

    # After an exception, the result need not have the declared type.
    made: Any = caught
    made.__annotations__ = {name: kind for name, kind in function.__annotations__.items() if name != "return"}
    made.__signature__ = signature(function).replace(return_annotation=Signature.empty)
    return made
