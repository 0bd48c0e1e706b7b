"""Open containers, as far as they are not levels of the native module: unions, `RootModel`s, and what is shown only when it
has closed. And what native levels ask for: what an open container is, and its shell, which is what validates it when its
members have been validated.
"""

# Schemas and events are taken as they come: strictly, each line would be a cast.
# pyright: basic
from __future__ import annotations

from typing import Any

from pydantic import ValidationError
from pydantic_core import SchemaValidator, core_schema, to_json

from .._native import _Level as Level
from .._native import _Shape as Shape
from .object import plan_of
from .open import OUT
from .plan import ANY, CONTAINERS, Builder, Node, after_validator, lax, root_of, without
from .run import Run, Wrong

#: The place of what the type says nothing about.
ANYTHING = Builder().node(ANY, None).place

#: A set of anything that is hashable.
SET = SchemaValidator(core_schema.set_schema())


def shape(node: Node, is_object: bool) -> Any:
    """What a native level is made from; nothing for those that are made here."""
    match node.object if is_object else node.array:
        case ("array", {"type": "tuple", "items_schema": items} as schema, config):
            kids = [node.builder.node(item, config).place for item in items]
            return Shape.elements(tuple, False, kids, schema.get("variadic_item_index"))
        case ("array", {"type": kind} as schema, config):
            kid = node.builder.node(schema.get("items_schema", ANY), config).place
            return Shape.elements(CONTAINERS[kind], kind != "list", [kid], 0)
        case ("dict", schema, config):
            inner = node.builder.node(schema.get("values_schema") or ANY, config).place
            keys: Any = schema.get("keys_schema") or ANY
            kind = node.builder.node(keys, config).resolved()
            validator = None
            if str not in kind.quick:
                validator = node.builder.validator(core_schema.dict_schema(keys, ANY), kind.config)
            return Shape.entries(inner, validator)
        case ("object", schema, config):
            return plan_of(node, schema, config).shape
        case _:
            return None


def level(node: Node, is_object: bool, run: Run, tolerant: bool) -> Any:
    """The level of an open object or array at a place."""
    tolerant = tolerant or node.redo
    below = run.below() if node.redo else run
    match node.object if is_object else node.array:
        case ("root", schema, inner, shown):
            return RootLevel(node, run, level(inner, is_object, below, tolerant), schema, shown)
        case ("tagged", keys, choices):
            return TaggedLevel(node, run, lambda chosen: level(chosen, True, below, tolerant), keys, choices)
        case ("union", members):
            return UnionLevel(node, run, [(label or m.title, level(m, is_object, below, tolerant)) for label, m in members])
        case ("raw",):
            return RawLevel(node, run)
        case None:
            return OpaqueLevel(node, run)
        case _:
            return Level(node.place, is_object, run, tolerant)


def check_empty(node: Node, seen: set[int]) -> None:
    """Raise ``ValueError`` if an object of a type has a required field without an empty value."""
    node = node.resolved()
    if id(node) in seen:
        return
    seen.add(id(node))
    for kind in (node.object, node.array):
        match kind:
            case ("object", schema, config):
                plan = plan_of(node, schema, config)
                plan.empties()
                for field in plan.fields.values():
                    check_empty(field, seen)
            case (("array" | "dict"), schema, config):
                inner = schema.get("items_schema") or schema.get("values_schema") or ANY
                for part in inner if isinstance(inner, list) else [inner]:
                    check_empty(node.builder.node(part, config), seen)
            case ("union", members):
                for _, member in members:
                    check_empty(member, seen)
            case ("tagged", _, choices):
                for choice in choices.values():
                    check_empty(choice, seen)
            case ("root", _, inner, _):
                check_empty(inner, seen)
            case _:
                pass


def shell(node: Node, is_object: bool, value: Any, run: Run) -> Any:
    """A container that is no object, from its members: its length and its after-validators are left to be checked."""
    kind: Any = node.object if is_object else node.array
    _, schema, config = kind
    shells = node.shells
    if "shell" not in shells:
        made: Any = {**without(schema, "items_schema", "keys_schema", "values_schema"), "strict": False}
        if made["type"] == "tuple":
            made["items_schema"] = [ANY] * len(schema["items_schema"])
        plain = made["type"] in ("list", "dict") and not set(made) & {"min_length", "max_length"}
        validator = None if plain else SchemaValidator(made, lax(config))
        shells["shell"] = (validator, after_validator(node.afters, config))
    validator, after = shells["shell"]
    return run.called(validator, after, value)


def many(node: Node, raw: list[Any], run: Run) -> Any:
    """Elements that came whole, validated in one call; nothing if that does not work."""
    if run.python:
        return None
    validator = node.shells.get("many")
    if validator is None:
        validator = node.shells["many"] = node.builder.validator(core_schema.list_schema(node.schema), node.config)
    try:
        return run.validated(validator, raw)
    except Exception:
        return None


def key_of(validator: SchemaValidator, key: str, run: Run) -> Any:
    """A key of a dict, as its type reads it."""
    try:
        return next(iter(validator.validate_json(to_json({key: 0}), **run.options)))
    except ValidationError as error:
        raise _without_place(Wrong.of(error, "json")) from None


def hashed(value: Any, run: Run) -> None:
    """Raises what pydantic says of an element that a set cannot have."""
    try:
        run.called(SET, None, [value])
    except Wrong as wrong:
        raise _without_place(wrong) from None


def _without_place(wrong: Wrong) -> Wrong:
    """An error whose key or index its level will add itself."""
    for line in wrong.errors:
        line["loc"] = line["loc"][1:]
    return wrong


def first_wrong(node: Node, run: Run, raw: Any, path: tuple[Any, ...] | None) -> Exception | None:
    """The error of what closed first in a text that came byte by byte, of those values that do not fit; the value at `path` is
    open. Between two looks several values may close, and pydantic's order is another. Nothing if it is not found again."""
    if not isinstance(raw, (dict, list)):
        return None
    shown: Any = type(raw)()
    top = level(node, isinstance(raw, dict), run, False)
    try:
        _come(top, shown, shown, raw, [], path or ())
        if path is None:
            top.finish(shown)
    except Exception as error:
        return error
    return None


def _come(top: Any, whole: Any, shown: Any, raw: Any, at: list[Any], path: tuple[Any, ...]) -> None:
    """Adds the values of a container, which is `at` some place, to what is `shown` of it, one by one."""
    for key, value in raw.items() if isinstance(raw, dict) else enumerate(raw):
        is_open = bool(path) and path[0] == key
        is_container = isinstance(value, (dict, list))
        inner = type(value)() if is_container else value
        if isinstance(shown, list):
            shown.append(inner)
        else:
            shown[key] = inner
        if is_container:
            at.append(key)
            top.sync(whole, tuple(at), 0)
            _come(top, whole, inner, value, at, path[1:] if is_open else ())
            at.pop()
        if not is_open:
            top.sync(whole, tuple(at), 0)


class OpaqueLevel:
    """Shown when it is closed."""

    def __init__(self, node: Any, run: Run) -> None:
        self.node, self.run = node, run

    def sync(self, raw: Any, path: tuple[Any, ...], depth: int) -> None:
        pass

    def shown(self) -> Any:
        return OUT

    def finish(self, raw: Any) -> Any:
        return self.node.full(raw, self.run)


class RaisedLevel(OpaqueLevel):
    """One in which a validator has raised what is no `ValidationError`. It may not be reached, while other members fit."""

    def __init__(self, node: Any, run: Run, error: Exception) -> None:
        super().__init__(node, run)
        self.error = error


class RawLevel(OpaqueLevel):
    """Shown as it is."""

    raw: Any = OUT

    def sync(self, raw: Any, path: tuple[Any, ...], depth: int) -> None:
        self.raw = self.run.raw(raw)

    def shown(self) -> Any:
        return self.raw


class RootLevel:
    """A `RootModel` around a container."""

    def __init__(self, node: Node, run: Run, level: Any, schema: Any, shown: Any) -> None:
        self.node, self.run, self.level, self.schema, self.open = node, run, level, schema, shown

    def sync(self, raw: Any, path: tuple[Any, ...], depth: int) -> None:
        self.level.sync(raw, path, depth)

    def shown(self) -> Any:
        value = self.level.shown()
        return OUT if value is OUT else root_of(self.open, value)

    def finish(self, raw: Any) -> Any:
        if self.node.redo:
            return self.node.full(raw, self.run)
        value = self.level.finish(raw)
        if "root" not in self.node.shells:
            afters, post = list(self.node.afters), self.schema.get("post_init")

            def posted(made: Any, info: Any) -> Any:
                getattr(made, post)(info.context)
                return made

            if post:
                afters.append({"function": {"type": "with-info", "function": posted}})
            self.node.shells["root"] = after_validator(afters, self.schema.get("config"))
        return self.run.called(None, self.node.shells["root"], root_of(self.schema["cls"], value))


class TaggedLevel:
    """Nothing until the tag has closed; then the member that it names."""

    def __init__(self, node: Node, run: Run, opened: Any, keys: list[str], choices: dict[Any, Node]) -> None:
        self.node, self.run, self.opened, self.keys, self.choices = node, run, opened, keys, choices
        self.level: Any = None
        self.tag: Any = None
        self.lost = False

    def pick(self, raw: Any, path: tuple[Any, ...], depth: int) -> None:
        for key in self.keys:
            if key in raw and not (depth < len(path) and path[depth] == key):
                tag = raw[key]
                chosen = self.choices.get(tag) if isinstance(tag, (str, int)) else None
                self.lost = chosen is None
                if chosen is not None:
                    self.tag, self.level = tag, self.opened(chosen.resolved())
                return

    def sync(self, raw: Any, path: tuple[Any, ...], depth: int) -> None:
        if self.level is None and not self.lost:
            self.pick(raw, path, depth)
        if self.level is not None:
            _under(self.tag, self.level.sync, raw, path, depth)

    def shown(self) -> Any:
        return OUT if self.level is None else self.level.shown()

    def finish(self, raw: Any) -> Any:
        if self.level is None or self.node.redo:
            return self.node.full(raw, self.run)
        return self.node.after(self.run, _under(self.tag, self.level.finish, raw))


class UnionLevel:
    """Those members that nothing closed has ruled out yet; shown when one is left."""

    def __init__(self, node: Node, run: Run, members: list[tuple[Any, Any]]) -> None:
        self.node, self.run, self.left = node, run, members

    def sync(self, raw: Any, path: tuple[Any, ...], depth: int) -> None:
        fitting: list[tuple[Any, Any]] = []
        wrong: list[Any] = []
        for name, level in self.left:
            try:
                _under(name, level.sync, raw, path, depth)
            except Wrong as error:
                wrong += error.errors
                continue
            except Exception as error:
                level = RaisedLevel(self.node, self.run, error)
            fitting.append((name, level))
        match fitting:
            case []:
                raise Wrong(wrong)
            case [(_, RaisedLevel() as raised)]:
                raise raised.error
            case _:
                self.left = fitting

    def shown(self) -> Any:
        return self.left[0][1].shown() if len(self.left) == 1 else OUT

    def finish(self, raw: Any) -> Any:
        if len(self.left) != 1 or self.node.redo:
            return self.node.full(raw, self.run)
        name, level = self.left[0]
        return self.node.after(self.run, _under(name, level.finish, raw))


def _under(name: Any, call: Any, *given: Any) -> Any:
    """Call a level of a union's member; an error within it has the member's name in its place."""
    try:
        return call(*given)
    except Wrong as wrong:
        raise wrong.at(name() if callable(name) else name) from None
