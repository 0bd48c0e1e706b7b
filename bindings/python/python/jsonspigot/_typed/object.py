"""What is known of a model, dataclass or TypedDict as a type: which field a key is, what validates it when it has closed
(its *shell*: its own schema, over children that are validated already), and how an open one is made.
"""

# Schemas and events are taken as they come: strictly, each line would be a cast.
# pyright: basic
from __future__ import annotations

import copy
from enum import Enum
from functools import partial
from threading import local
from typing import Any, cast

from pydantic import BaseModel
from pydantic_core import PydanticUndefined, SchemaValidator

from .._native import _Level as Level
from .._native import _Shape as Shape
from .open import open_type
from .plan import ANY, ASIDE, CONTAINERS, FORBIDDEN, UNEXPECTED, Node, after_validator, lax, without
from .run import FUNCTIONS, Run

new: Any = object.__new__
set_attribute = object.__setattr__
# Past `__setattr__`, and in half the time.
_descriptors: Any = BaseModel.__dict__
put_dict = _descriptors["__dict__"].__set__
put_came = _descriptors["__pydantic_fields_set__"].__set__
put_extra = _descriptors["__pydantic_extra__"].__set__
put_private = _descriptors["__pydantic_private__"].__set__

#: Of empty values.
FILLING = Run({}, fills=True)
_UNCHANGING = (str, int, float, bool, type(None))


def plan_of(node: Node, schema: Any, config: Any) -> ObjectPlan:
    """Return the plan of a place, which is made once."""
    plan = node.shells.get("plan")
    plan = node.shells.setdefault("plan", ObjectPlan(node, schema, config)) if plan is None else plan
    return cast("ObjectPlan", plan)


class ObjectPlan:
    def __init__(self, node: Node, schema: Any, config: Any) -> None:
        self.node, self.kind = node, schema["type"]
        self.is_model = self.kind == "model"
        self.redo = bool(schema.get("custom_init"))
        self.config = config = schema.get("config", config) or {}
        self.cls = schema.get("cls")
        inner = schema
        while inner["type"] not in ("model-fields", "dataclass-args", "typed-dict"):
            # An after-validator stays part of the shell.
            self.redo |= inner["type"] in FUNCTIONS and inner["type"] != "function-after"
            inner = inner["schema"]
        self.fields: dict[str, Node] = {}
        #: The name and the place of each field, by its keys and by its name.
        self.keys: dict[str, tuple[str, Any]] = {}
        self.by_name: dict[str, tuple[str, Any]] = {}
        self.spare = frozenset[str]()
        self.defaults: dict[str, Any] = {}
        self.factories: dict[str, Any] = {}
        listed = isinstance(inner["fields"], list)
        named: Any = {field["name"]: field for field in inner["fields"]} if listed else inner["fields"]
        shells = {name: {**field, "schema": self._field(name, field, config)} for name, field in named.items()}
        if config.get("validate_by_name") or config.get("populate_by_name"):
            by_alias = config.get("validate_by_alias") is not False
            self.keys = {**self.by_name, **self.keys} if by_alias else dict(self.by_name)
        self.extra = config.get("extra_fields_behavior") or inner.get("extra_behavior") or schema.get("extra_behavior")
        # Never a `model` schema with a class: pydantic-core would take the class's own validator in its place.
        self.schema = without(inner, "extras_schema", "computed_fields")
        self.schema["fields"] = list(shells.values()) if listed else shells
        if self.kind == "typed-dict":
            self.schema["strict"] = False
        self.post: str | None = None
        if schema.get("post_init"):
            self.post = schema["post_init"] if self.is_model else "__post_init__"
        self._shell: tuple[Any, Any] | None = None
        self._posting = local()
        self.open: Any = None if self.kind == "typed-dict" else open_type(self.cls)
        self.blank = {name: None for name in named} | self.defaults
        has_own = self.defaults.keys() | self.factories.keys()
        self.required = [name for name, field in named.items() if name not in has_own and field.get("required", True)]
        self.title = getattr(self.cls, "__name__", "the type")
        self._empties: dict[str, Any] | None = None
        self.changing = [
            # A copy of an empty one is deep enough.
            (name, value.copy if type(value) in (list, dict, set) and not value else partial(copy.deepcopy, value))
            for name, value in self.defaults.items()
            if self.open is not None and not (type(value) in _UNCHANGING or isinstance(value, Enum))
        ]
        self.private: Any = getattr(self.cls, "__private_attributes__", None) or None
        self.has_dict = self.open is not None and (self.is_model or hasattr(new(self.open), "__dict__"))
        # Read by the native module.
        self.fixed = None if self.open is None or self.factories else self.blank
        self.has_extra, self.has_private = self.extra == "allow", self.private is not None
        forbidden = UNEXPECTED if self.kind == "dataclass" else FORBIDDEN
        self.other = (forbidden if self.extra == "forbid" else node.builder.node(inner.get("extras_schema") or ANY, config)).place
        self.shape = Shape.fields(self)

    @property
    def plan(self) -> ObjectPlan:
        return self

    def _field(self, name: str, field: Any, config: Any) -> Any:
        """Notes a field; returns what validates it in the shell."""
        schema, late, redo = _late(field["schema"], self.cls)
        self.redo |= redo
        self.fields[name] = self.node.builder.node(schema, config)
        self.by_name[name] = place = (name, self.fields[name].place)
        alias = field.get("validation_alias")
        if alias is None or isinstance(alias, str):
            first = alias or name
            self.keys.setdefault(first, place)
        else:
            paths = alias if isinstance(alias[0], list) else [alias]
            first = paths[0][0]
            for path in paths:
                if len(path) == 1:
                    self.keys.setdefault(path[0], place)
                    self.spare |= {path[0]} - {first}
                else:
                    self.redo = True
        # Of a field that may have either, its alias counts.
        self.spare |= {name} - {first}
        whole = field["schema"]
        if whole["type"] != "default":
            return ANY if late is None else late
        if whole.get("validate_default", config.get("validate_default")):
            self.redo = True
        elif whole.get("default_factory_takes_data"):
            pass  # the other fields have not come
        elif "default_factory" in whole:
            self.factories[name] = whole["default_factory"]
        else:
            self.defaults[name] = whole["default"]
        return {**without(whole, "schema"), "schema": ANY} if late is None else late

    def started(self, run: Run) -> dict[str, Any]:
        """Return what is shown of the fields that have not come, but for those that are ``changing``."""
        fields = {} if self.open is None else self.blank.copy()
        if run.fills:
            fields |= {name: make() for name, make in self.empties().items()}
        if self.open is None:
            return fields
        for name, factory in self.factories.items():
            try:
                fields[name] = factory()
            except Exception:  # pydantic raises it, if the field does not come
                fields[name] = None
        return fields

    def empties(self) -> dict[str, Any]:
        """Return what makes the empty values of required fields. Raise ``ValueError`` for one that has none."""
        if self._empties is None:
            self._empties = {name: self._empty(name) for name in self.required}
        return self._empties

    def _empty(self, name: str) -> Any:
        node = self.fields[name].resolved()
        match node.object or node.array:
            case kind if node.nullable or kind == ("raw",):
                return lambda: None
            case (("array" | "dict"), {"type": kind}, _) if kind in CONTAINERS:
                return CONTAINERS[kind]
            case ("array", {"variadic_item_index": _}, _):
                return tuple
            case ("object", _, _):
                return lambda: Level(node.place, True, FILLING, False).shown()
            case None if node.is_text:
                return str
            case _:
                raise ValueError(
                    f"missing='empty': {name!r} of {self.title} has no empty value; give it a default or let it be None"
                )

    def keys_of(self, run: Run) -> dict[str, tuple[str, Any]]:
        """The fields by the keys that a stream's choice of names allows."""
        return self.by_name if run.by_alias is False else {**self.by_name, **self.keys}

    def made(self, fields: dict[str, Any]) -> Any:
        """An open object that is no model."""
        if self.open is None:
            return fields
        value = new(self.open)
        if self.has_dict:
            set_attribute(value, "__dict__", fields)
        else:
            for name, field in fields.items():
                set_attribute(value, name, field)
        return value

    def privates(self) -> dict[str, Any] | None:
        if self.private is None:
            return None
        defaults = ((name, attribute.get_default()) for name, attribute in self.private.items())
        return {name: value for name, value in defaults if value is not PydanticUndefined}

    def closed(self, values: dict[str, Any], run: Run, view: dict[str, Any]) -> Any:
        """The object itself, from the values of its members."""
        if self._shell is None:
            afters = list(self.node.afters)
            if self.post:
                afters.append({"function": {"type": "with-info", "function": self._posted}})
            self._shell = (SchemaValidator(cast("Any", self.schema), lax(self.config)), after_validator(afters, self.config))
        validator, after = self._shell
        got = run.called(validator, None, values)
        if self.kind == "typed-dict":
            return run.called(None, after, got)
        value = new(self.cls)
        if self.is_model:
            fields, extra, came = got
            for name in self.factories:
                # The value that was shown, not another call of the factory's.
                if name not in came and view.get(name) is not None:
                    fields[name] = view[name]
            put_dict(value, fields)
            put_came(value, came)
            put_extra(value, extra)
            put_private(value, self.privates() if self.post is None else None)
        else:
            fields, self._posting.arguments = got
            for name, field in fields.items():
                set_attribute(value, name, field)
        return run.called(None, after, value)

    def _posted(self, value: Any, info: Any) -> Any:
        if self.is_model:
            getattr(value, cast("str", self.post))(info.context)
        else:
            # Read first: what it calls may close objects of its own.
            value.__post_init__(*(self._posting.arguments or ()))
        return value


def _late(schema: Any, cls: Any) -> tuple[Any, Any, bool]:
    """A field's validators that take `info` may look at the fields before it: those, and what is around them, wait for the
    shell. Returns the field's schema without them, them over `any`, and whether all has to run at the closing."""
    around: list[Any] = []
    inner = schema
    while inner["type"] in ("default", "nullable", *FUNCTIONS):
        around.append(inner)
        inner = inner["schema"]
    redo = inner["type"] == "function-plain" and _may_read(inner["function"], cls)
    informed = [i for i, x in enumerate(around) if x["type"] in FUNCTIONS and _may_read(x["function"], cls)]
    if not informed:
        return schema, None, redo
    count = informed[-1] + 1
    if any(part["type"] in ("function-before", "function-wrap") for part in around[:count]):
        return schema, None, True
    late: Any = ANY
    for part in reversed(around[:count]):
        late = {**{key: value for key, value in part.items() if key not in ASIDE}, "schema": late}
    return around[count - 1]["schema"], late, redo


def _may_read(function: Any, cls: Any) -> bool:
    """Return whether a validator with `info` may look at other fields, which a method of another type cannot."""
    owner = getattr(function["function"], "__self__", None)
    return function["type"] == "with-info" and (owner is None or (isinstance(owner, type) and issubclass(cls or object, owner)))
