"""A type as it is read from its `core_schema`, place by place: how an open value at a place is shown, and what validates a
closed one. Nothing of a stream is kept here. A schema of a kind that is not known here is shown only when it is closed.
"""

# Schemas and events are taken as they come: strictly, each line would be a cast.
# pyright: basic
from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import SchemaValidator, core_schema

from .._native import _Place as Place
from .open import OUT, open_type
from .run import FUNCTIONS, Run, Wrong

ANY: Any = core_schema.any_schema()
#: The classes of containers, by the type of their schema.
CONTAINERS: dict[str, Any] = {"list": list, "set": set, "frozenset": frozenset, "dict": dict}
#: The members of a schema that do not affect validation.
ASIDE = ("ref", "serialization", "metadata")
_lock = RLock()


class Builder:
    """The places of one type, each made once."""

    def __init__(self) -> None:
        self.definitions: dict[str, Any] = {}
        self._nodes: dict[Any, Node] = {}

    def node(self, schema: Any, config: Any) -> Node:
        key = ("ref", schema["schema_ref"]) if schema["type"] == "definition-ref" else id(schema)
        with _lock:
            known = self._nodes.get(key)
            if known is None:
                # The node keeps the schema, and so its id.
                known = self._nodes[key] = Node(self, schema, config)
            return known

    def validator(self, schema: Any, config: Any) -> SchemaValidator:
        """Of a part of the type, with those definitions that it uses."""
        if schema["type"] == "definitions":
            return SchemaValidator(schema, config)
        needed: dict[str, Any] = {}
        todo: list[Any] = [schema]
        while todo:
            part = todo.pop()
            if isinstance(part, dict):
                inner = cast("dict[str, Any]", part)
                if inner.get("type") == "definition-ref":
                    name = inner["schema_ref"]
                    if name not in needed and name in self.definitions:
                        needed[name] = self.definitions[name]
                        todo.append(needed[name])
                todo += [value for key, value in inner.items() if key not in ("metadata", "cls", "serialization")]
            elif isinstance(part, (list, tuple)):
                todo += cast("list[Any]", part)
        if needed:
            schema = core_schema.definitions_schema(schema, list(needed.values()))
        return SchemaValidator(schema, config)


class Node:
    """A place of a type."""

    #: JSON types whose closed value needs no call, and strings that need none.
    quick: tuple[Any, ...] = ()
    #: Any value is one of it.
    is_any = False
    literals: frozenset[str] = frozenset()
    #: How an open string is shown: by a function, or as it is, by `str`.
    text: Callable[[str], Any] | None = None
    #: Of an open object and an open array: the kind of its level, and what that is made from.
    object: tuple[Any, ...] | None = None
    array: tuple[Any, ...] | None = None
    #: A validator wants the raw value: at the closing, all of it runs again.
    redo = False
    nullable = False
    #: Its values are `str`.
    is_text = False

    def __init__(self, builder: Builder, schema: Any, config: Any) -> None:
        self.builder, self.schema, self.config = builder, schema, config
        self.afters: list[Any] = []
        self.shells: dict[str, Any] = {}
        #: The part of it that looks use.
        self.place = Place(self)
        self._begun = self._done = False

    def full(self, raw: Any, run: Run) -> Any:
        return run.validated(self._validator(), raw)

    def read(self, text: str, run: Run) -> Any:
        """The value of a JSON text."""
        try:
            return self._validator().validate_json(text, **run.options)
        except ValidationError as error:
            raise Wrong.of(error, "json") from None

    def _validator(self) -> SchemaValidator:
        validator = self.shells.get("full")
        if validator is None:
            validator = self.shells["full"] = self.builder.validator(self.schema, self.config)
        return validator

    def title(self) -> str:
        """As it is called in the places of errors of a union that it is a member of."""
        return self.builder.validator(self.schema, None).title

    def after(self, run: Run, value: Any) -> Any:
        """What the after-validators around the core make of its value."""
        if not self.afters:
            return value
        if "after" not in self.shells:
            self.shells["after"] = after_validator(self.afters, self.config)
        return run.called(None, self.shells["after"], value)

    def resolved(self) -> Node:
        if not self._done:
            with _lock:
                # A recursive type comes here again, in the same thread.
                if not self._begun:
                    self._begun = True
                    self._resolve()
                    self._done = True
        return self

    def _resolve(self) -> None:
        schema, config, builder = self.schema, self.config, self.builder
        is_text = True
        while True:
            match schema["type"]:
                case "definitions":
                    for definition in schema["definitions"]:
                        builder.definitions[definition["ref"]] = definition
                    schema = schema["schema"]
                case "definition-ref":
                    schema = builder.definitions[schema["schema_ref"]]
                case "nullable":
                    self.nullable, schema = True, schema["schema"]
                case "default":
                    if schema.get("on_error", "raise") != "raise":
                        return
                    schema = schema["schema"]
                case "function-after":
                    self.afters.append(schema)
                    # A value with a serializer of its own is not the text that was read.
                    is_text &= "serialization" not in schema
                    schema = schema["schema"]
                case "function-before" | "function-wrap":
                    self.redo, schema = True, schema["schema"]
                case "json-or-python":
                    schema = schema["json_schema"]
                case _:
                    break
        self._core(schema, config or {})
        if not is_text:
            self.text = None
        if self.nullable and self.quick:
            self.quick = (*self.quick, type(None))

    def _core(self, schema: Any, config: Any) -> None:
        pure = not self.afters and not self.redo
        match schema["type"]:
            case "model" if schema.get("root_model"):
                self._root(schema, config)
            case "str":
                pure = pure and not set(schema) & {"pattern", "max_length", "min_length"}
                pure = pure and not set(config) & {"str_max_length", "str_min_length"}
                self._text(schema, config, pure)
            case "any":
                self.text = str
                self.object = self.array = ("raw",)
                self.is_any, self.quick = pure, (str, int, bool, float, type(None)) if pure else ()
            case "int" if pure and not set(schema) & {"le", "lt", "ge", "gt", "multiple_of"}:
                self.quick = (int,)
            case "bool" if pure:
                self.quick = (bool,)
            case "literal" if pure and all(type(value) is str for value in schema["expected"]):
                self.literals = frozenset(schema["expected"])
            case "list" | "set" | "frozenset" | "tuple":
                items = schema.get("items_schema")
                if not (isinstance(items, dict) and cast("dict[str, Any]", items).get("on_error") == "omit"):
                    self.array = ("array", schema, config)
            case "dict":
                self.object = ("dict", schema, config)
            case "model" | "dataclass" | "typed-dict":
                self.object = ("object", schema, config)
            case "tagged-union":
                self._tagged(schema, config)
            case "union":
                self._union(schema, config)
            case _:
                pass

    def _root(self, schema: Any, config: Any) -> None:
        self.redo = self.redo or bool(schema.get("custom_init"))
        inner = self.builder.node(schema["schema"], schema.get("config", config)).resolved()
        shown = open_type(schema["cls"])
        text = inner.text
        if text is not None:
            self.text = lambda raw: OUT if (value := text(raw)) is OUT else root_of(shown, value)
        self.object = inner.object and ("root", schema, inner, shown)
        self.array = inner.array and ("root", schema, inner, shown)

    def _text(self, schema: Any, config: Any, pure: bool) -> None:
        self.is_text = True
        options = (("strip_whitespace", "str_strip_whitespace"), ("to_lower", "str_to_lower"), ("to_upper", "str_to_upper"))
        changes: Any = {name: True for name, by_config in options if schema.get(name, config.get(by_config))}
        if changes:
            self.text = SchemaValidator(core_schema.str_schema(**changes)).validate_python
        else:
            self.text = str
            self.quick = (str,) if pure else ()

    def _tagged(self, schema: Any, config: Any) -> None:
        by = schema["discriminator"]
        paths: Any = [[by]] if isinstance(by, str) else by
        if not isinstance(paths, list):
            return
        if not all(isinstance(path, list) for path in cast("list[Any]", paths)):
            paths = [paths]
        keys = [path[0] for path in paths if len(path) == 1]
        if not keys:
            return
        choices: dict[Any, Node] = {}
        for tag, choice in schema["choices"].items():
            found = schema["choices"][choice] if isinstance(choice, (str, int)) else choice
            choices[tag] = self.builder.node(found, config)
        self.object = ("tagged", keys, choices)

    def _union(self, schema: Any, config: Any) -> None:
        choices = [choice if isinstance(choice, tuple) else (choice, None) for choice in schema["choices"]]
        members = [self.builder.node(choice, config).resolved() for choice, _ in choices]
        cores = [self._core_of(member.schema) for member in members]
        plain = all(map(_is_plain, cores))
        texts = [(member, core) for member, core in zip(members, cores, strict=True) if member.text]
        smart = schema.get("mode", "smart") == "smart"
        if len(texts) == 1 and texts[0][1]["type"] == "str" and smart and plain:
            self.text = texts[0][0].text
        if all(_is_decided(member, core) for member, core in zip(members, cores, strict=True)):
            # A validator that sees the raw value may take what its core does not.
            labelled = [(label, member) for (_, label), member in zip(choices, members, strict=True)]
            objects = [(label, member) for label, member in labelled if member.object or member.redo]
            arrays = [(label, member) for label, member in labelled if member.array or member.redo]
            self.object = ("union", objects) if objects else None
            self.array = ("union", arrays) if arrays else None
        if plain and smart and not self.afters and not self.redo and not any(member.redo for member in members):
            self.quick = tuple(kind for kind in (str, bool) if _takes(kind, members, cores))

    def _core_of(self, schema: Any) -> Any:
        while schema["type"] in ("nullable", "default", "definition-ref", "definitions", *FUNCTIONS):
            if schema["type"] == "definition-ref":
                schema = self.builder.definitions[schema["schema_ref"]]
            else:
                schema = schema["schema"]
        return schema


class Forbidden(Node):
    """A key that the model forbids: wrong when its value has closed."""

    def __init__(self, kind: str) -> None:
        super().__init__(Builder(), ANY, None)
        self.kind = kind

    def resolved(self) -> Node:
        return self

    def full(self, raw: Any, run: Run) -> Any:
        raise Wrong([{"type": self.kind, "loc": (), "input": raw}])


FORBIDDEN = Forbidden("extra_forbidden")
#: A key that a dataclass forbids.
UNEXPECTED = Forbidden("unexpected_keyword_argument")


_SCALARS = frozenset(
    "str int float bool none literal enum date datetime time timedelta decimal bytes uuid url json".split()
)
_EXACT = frozenset("str int float bool none list dict set tuple frozenset model dataclass typed-dict".split())


def _is_plain(schema: Any) -> bool:
    """No text but of a `str` or a literal fits it, so that an open text can be shown beside it."""
    if schema["type"] == "literal":
        return all(type(value) is str for value in schema["expected"])
    return schema["type"] in _EXACT and not schema.get("root_model")


def _is_decided(member: Node, schema: Any) -> bool:
    """What has closed of an open object or array says whether a union's member still fits."""
    if schema["type"] == "any" or schema.get("root_model"):
        return False
    choices = (getattr(choice, "value", choice) for choice in schema.get("members") or schema.get("expected") or ())
    if not all(choice is None or isinstance(choice, (str, int, float)) for choice in choices):
        return False
    return bool(member.object or member.array) or schema["type"] in _SCALARS


def _takes(kind: type, members: list[Node], cores: list[Any]) -> bool:
    """Whether a union's members of that kind, of which there is one, all take its values as they are."""
    quick = [kind in member.quick for member, core in zip(members, cores, strict=True) if core["type"] == kind.__name__]
    return bool(quick) and all(quick)


def root_of(cls: Any, value: Any) -> Any:
    made: Any = object.__new__(cls)
    object.__setattr__(made, "__dict__", {"root": value})
    # The other two slots of a model are hidden by attributes of `RootModel`.
    object.__setattr__(made, "__pydantic_fields_set__", {"root"})
    return made


def after_validator(afters: list[Any], config: Any) -> SchemaValidator | None:
    """After-validators alone, outermost first, over a value that is validated already."""
    if not afters:
        return None
    schema: Any = ANY
    for after in reversed(afters):
        schema = {"type": "function-after", "function": after["function"], "schema": schema}
    return SchemaValidator(schema, config)


def lax(config: Any) -> Any:
    return {**config, "strict": False} if config else None


def without(schema: Any, *names: str) -> Any:
    return {key: value for key, value in schema.items() if key not in ASIDE and key not in names}
