"""The types of open objects: derived from a model, so that everything that takes the model takes them; not validated."""

# Schemas and events are taken as they come: strictly, each line would be a cast.
# pyright: basic
from __future__ import annotations

import copy
import types
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterator

#: No value: nothing is shown.
OUT: Any = object()
_new: Any = object.__new__
_set = object.__setattr__


class Open:
    """What the type of each object that is still open is derived from, beside the object's model.

    ``type(value) is Model`` means closed and validated. In an open one, what has not come is its default, or ``None``
    whatever its type says, and no validator of the model has run. It equals a ``Model`` with the same fields.
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

    def __repr_args__(self) -> Iterator[Any]:
        """The fields, and those computed fields that bear what has not come."""
        model: Any = type(self)
        for name, field in model.model_fields.items():
            if field.repr and name in self.__dict__:
                yield name, self.__dict__[name]
        yield from (getattr(self, "__pydantic_extra__", None) or {}).items()
        for name, field in model.model_computed_fields.items():
            if field.repr:
                try:
                    value = getattr(self, name)
                except Exception:
                    continue
                yield name, value


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
        return {**value.__dict__, **(value.__pydantic_extra__ or {})}
    return {name: getattr(value, name, None) for name in value.__dataclass_fields__}


_types: dict[int, tuple[Any, Any]] = {}


def open_type(model: Any) -> Any:
    """The type of a model's open objects; the model itself, if it cannot be derived from."""
    known = _types.get(id(model))
    if known is not None:
        return known[1]
    if len(_types) >= 1024:
        # Types that are made on the fly shall not pile up.
        _types.clear()
    try:
        made = _derived(model)
    except Exception:
        made = model
    # Another thread may have been first: then its type is the one.
    return _types.setdefault(id(model), (model, made))[1]


def _derived(model: Any) -> Any:
    body: dict[str, Any] = {"__module__": model.__module__, "__hash__": None}
    options: dict[str, Any] = {}
    if hasattr(model, "model_fields"):
        options["defer_build"] = True
        if not getattr(model, "__pydantic_root_model__", False):
            body["__annotations__"] = {}
            for name, known in model.model_fields.items():
                field = copy.copy(known)
                field.metadata, field.annotation, field.discriminator, field.validate_default = [], Any, None, None
                if known.is_required():
                    field.default = None
                body["__annotations__"][name] = Any
                body[name] = field
    else:
        body["__slots__"] = ()
    return types.new_class("Open" + model.__name__, (Open, model), options, lambda space: space.update(body))
