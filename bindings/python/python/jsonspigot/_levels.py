"""The open containers of one stream, each a level. A member that has closed is taken once; at most one is open. What is
shown is rebuilt on the way from the root to that one, and nowhere else.
"""

# Schemas and events are taken as they come: strictly, each line would be a cast.
# pyright: basic
from __future__ import annotations

from itertools import islice
from typing import Any, Literal, cast

from pydantic import ValidationError
from pydantic_core import SchemaValidator, core_schema, to_json

from ._object import ObjectPlan, new, put_came, put_dict, put_extra, put_private
from ._open import OUT
from ._plan import ANY, Node, Run, Wrong, after_validator, lax, root_of, without

#: No key.
UNSET: Any = object()


def opened(node: Node, raw: Any, run: Run, tolerant: bool) -> Any:
    """The level of an open object or array at a place."""
    return _level(node, "object" if type(raw) is dict else "array", run, tolerant or node.redo)


def _level(node: Node, which: Literal["object", "array"], run: Run, tolerant: bool) -> Any:
    match node.object if which == "object" else node.array:
        case ("array", schema, config):
            return ArrayLevel(node, run, tolerant, schema, config)
        case ("dict", schema, config):
            return DictLevel(node, run, tolerant, schema, config)
        case ("object", schema, config):
            plan = node.shells.get("plan")
            if plan is None:
                plan = node.shells.setdefault("plan", ObjectPlan(node, schema, config))
            return ObjectLevel(node, run, tolerant, plan)
        case ("root", schema, inner, shown):
            below = run.below() if node.redo else run
            return RootLevel(node, run, _level(inner, which, below, tolerant or inner.redo), schema, shown)
        case ("tagged", keys, choices):
            return TaggedLevel(node, run, tolerant, keys, choices)
        case ("union", members):
            below = run.below() if node.redo else run
            return UnionLevel(node, run, [_level(m, which, below, tolerant or m.redo) for m in members])
        case ("raw",):
            return RawLevel(node, run)
        case _:
            return OpaqueLevel(node, run)


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


class RawLevel(OpaqueLevel):
    """Shown as it is."""

    raw: Any = OUT

    def sync(self, raw: Any, path: tuple[Any, ...], depth: int) -> None:
        self.raw = raw

    def shown(self) -> Any:
        return self.raw


class Forbidden(Node):
    """A key that the model forbids: wrong when its value has closed."""

    def __init__(self) -> None:
        self.shells = {}

    def resolved(self) -> Node:
        return self

    def full(self, raw: Any, run: Run) -> Any:
        raise Wrong([{"type": "extra_forbidden", "loc": (), "input": raw, "ctx": {}}])


FORBIDDEN = Forbidden()


class Level:
    """``done`` members have been taken; ``key`` is that of the open one, and it is a container with a level, ``child``, or a
    text, of which ``text`` is shown."""

    __slots__ = ("broken", "child", "done", "inner_run", "key", "node", "run", "text", "tolerant")

    def __init__(self, node: Node, run: Run, tolerant: bool) -> None:
        self.node, self.run, self.tolerant = node, run, tolerant
        self.inner_run = run.below() if node.redo else run
        self.done, self.key, self.child, self.text, self.broken = 0, UNSET, cast("Any", None), OUT, False

    def at(self, key: Any) -> Node:
        raise NotImplementedError

    def put(self, key: Any, value: Any) -> None:
        raise NotImplementedError

    def keys_of(self, raw: Any, count: int) -> Any:
        """The keys of those members that have not been taken, up to that many in all."""
        raise NotImplementedError

    def close(self, raw: Any) -> Any:
        raise NotImplementedError

    def sync(self, raw: Any, path: tuple[Any, ...], depth: int) -> None:
        if depth >= len(path):
            if len(raw) != self.done or self.key is not UNSET:
                self.take(raw, len(raw))
                self.key, self.child, self.text = UNSET, None, OUT
            return
        key = path[depth]
        value = raw[key]
        if key != self.key or len(raw) - 1 != self.done:
            if type(raw) is dict and next(reversed(raw)) != key:
                # It came before, and keeps its place.
                raw = {**{name: item for name, item in raw.items() if name != key}, key: value}
            self.take(raw, len(raw) - 1)
            if key != self.key:
                self.key, self.child, self.text = key, None, OUT
        if type(value) is str:
            text = self.at(key).text
            self.text = OUT if text is None else text(value)
        elif type(value) is not dict and type(value) is not list:
            self.text = OUT  # a provisional number, which may grow
        else:
            if self.child is None:
                self.child = opened(self.at(key), value, self.inner_run, self.tolerant)
            try:
                self.child.sync(value, path, depth + 1)
            except Exception as error:
                self.missed(key, error)
                self.child = OpaqueLevel(self.at(key), self.inner_run)

    def missed(self, key: Any, error: Exception) -> None:
        """Raises, with the place; but below a validator that sees the raw value, it may yet become right."""
        if not self.tolerant:
            raise error.at(key) if isinstance(error, Wrong) else error
        self.broken = True

    def take(self, raw: Any, count: int) -> None:
        if count <= self.done:
            return
        for key in self.keys_of(raw, count):
            value = raw[key]
            mine = key == self.key
            node = self.at(key)
            try:
                if mine and self.child is not None:
                    value = self.child.finish(value)
                elif type(value) not in node.quick:
                    value = node.closed(value, self.inner_run)
            except Exception as error:
                self.missed(key, error)
                # What was shown stays until all of it is validated again.
                if type(value) is str and mine and node.text is not None:
                    value = node.text(value)
                else:
                    value = self.child.shown() if mine and self.child is not None else OUT
                if value is OUT:
                    continue
            self.put(key, value)
        self.done = count

    def open_value(self) -> Any:
        return self.text if self.child is None else self.child.shown()

    def finish(self, raw: Any) -> Any:
        if not self.broken and not self.node.redo:
            self.take(raw, len(raw))
            if not self.broken:
                return self.close(raw)
        return self.node.full(raw, self.run)

    def shell(self, schema: Any, config: Any, value: Any) -> Any:
        """The container itself, from its children: its length and its after-validators are left to be checked."""
        shells = self.node.shells
        if "shell" not in shells:
            made: Any = {**without(schema, "items_schema", "keys_schema", "values_schema"), "strict": False}
            if made["type"] == "tuple":
                made["items_schema"] = [ANY] * len(schema["items_schema"])
            plain = made["type"] in ("list", "dict") and not set(made) & {"min_length", "max_length"}
            validator = None if plain else SchemaValidator(made, lax(config))
            shells["shell"] = (validator, after_validator(self.node.afters, config))
        validator, after = shells["shell"]
        return self.run.called(validator, after, value)


class KeyedLevel(Level):
    __slots__ = ("values",)
    values: dict[str, Any]

    def keys_of(self, raw: Any, count: int) -> Any:
        done = self.done
        if done < 64:
            return list(islice(raw, done, count))
        fresh = list(islice(reversed(raw), len(raw) - done))
        fresh.reverse()
        return fresh[: count - done]


class ArrayLevel(Level):
    __slots__ = ("config", "inner", "items", "kids", "kind", "schema", "variadic")

    inner: Node
    variadic: int | None

    def __init__(self, node: Node, run: Run, tolerant: bool, schema: Any, config: Any) -> None:
        super().__init__(node, run, tolerant)
        self.schema, self.config, self.kind = schema, config, schema["type"]
        self.items: list[Any] = []
        self.kids: list[Node] | None = None
        items = schema.get("items_schema")
        if self.kind == "tuple":
            self.kids = [node.builder.node(item, config).resolved() for item in items]
            self.variadic = schema.get("variadic_item_index")
        else:
            self.inner = node.builder.node(items or ANY, config).resolved()

    def at(self, key: Any) -> Node:
        if self.kids is None:
            return self.inner
        if self.variadic is not None:
            key = min(key, self.variadic)
        return self.kids[key] if key < len(self.kids) else self.node.builder.node(ANY, None).resolved()

    def keys_of(self, raw: Any, count: int) -> Any:
        return range(self.done, count)

    def put(self, key: Any, value: Any) -> None:
        self.items.append(value)

    def take(self, raw: Any, count: int) -> None:
        if count - self.done <= 3 or self.kids is not None or self.inner_run.python:
            return super().take(raw, count)
        if self.child is not None:
            super().take(raw, self.done + 1)
        # Many came whole: one call.
        fresh, inner = raw[self.done : count], self.inner
        if not (inner.quick and all(type(item) in inner.quick for item in fresh)):
            many = inner.shells.get("many")
            if many is None:
                many = inner.shells["many"] = inner.builder.validator(core_schema.list_schema(inner.schema), inner.config)
            try:
                fresh = self.inner_run.validated(many, fresh)
            except Exception:
                return super().take(raw, count)
        self.items.extend(fresh)
        self.done = count

    def around(self, value: Any) -> Any:
        return [*self.items, value]

    def shown(self) -> Any:
        items = self.items
        if self.kind == "set":
            return set(items)  # without the open one: a longer text would be another element
        if self.kind == "frozenset":
            return frozenset(items)
        if self.key is not UNSET and (value := self.open_value()) is not OUT:
            items = [*items, value]
        if self.kind == "list":
            return items if items is not self.items else items.copy()
        missing = self.variadic is None and len(items) < len(self.kids or ())
        return OUT if missing else tuple(items)

    def close(self, raw: Any) -> Any:
        return self.shell(self.schema, self.config, self.items)


class DictLevel(KeyedLevel):
    __slots__ = ("config", "inner", "key_validator", "schema")

    def __init__(self, node: Node, run: Run, tolerant: bool, schema: Any, config: Any) -> None:
        super().__init__(node, run, tolerant)
        self.schema, self.config, self.values = schema, config, {}
        self.inner = node.builder.node(schema.get("values_schema") or ANY, config).resolved()
        keys: Any = schema.get("keys_schema") or ANY
        self.key_validator = None
        if str not in (kind := node.builder.node(keys, config).resolved()).quick:
            if "keys" not in node.shells:
                node.shells["keys"] = node.builder.validator(core_schema.dict_schema(keys, ANY), kind.config)
            self.key_validator = node.shells["keys"]

    def at(self, key: Any) -> Node:
        return self.inner

    def put(self, key: Any, value: Any) -> None:
        self.values[key] = (self.key_of(key), value) if self.key_validator else value

    def key_of(self, key: str) -> Any:
        if self.key_validator is None:
            return key
        try:
            return next(iter(self.key_validator.validate_json(to_json({key: 0}), **self.run.options)))
        except ValidationError as error:
            raise Wrong.of(error) from None

    def built(self) -> dict[Any, Any]:
        return dict(self.values.values()) if self.key_validator else self.values.copy()

    def shown(self) -> Any:
        values = self.built()
        if self.key is not UNSET and (value := self.open_value()) is not OUT:
            try:
                values[self.key_of(self.key)] = value
            except Wrong:
                pass
        return values

    def close(self, raw: Any) -> Any:
        return self.shell(self.schema, self.config, self.built())


class ObjectLevel(KeyedLevel):
    __slots__ = ("came", "extra", "fit", "keys", "name", "plan", "together", "view")

    def __init__(self, node: Node, run: Run, tolerant: bool, plan: ObjectPlan) -> None:
        super().__init__(node, run, tolerant or plan.redo)
        if plan.redo:
            self.inner_run = run.below()
        self.plan, self.values, self.view, self.fit = plan, {}, plan.started(), UNSET
        self.extra: dict[str, Any] | None = {} if plan.is_model and plan.extra == "allow" else None
        self.came: set[str] = set()
        self.keys = plan.keys
        if run.by_alias is False:
            self.keys = plan.by_name
        elif run.by_name:
            self.keys = {**plan.by_name, **plan.keys}

    def at(self, key: Any) -> Node:
        place = self.keys.get(key)
        if place is not None:
            return place[1].resolved()
        return FORBIDDEN if self.plan.extra == "forbid" else self.plan.extra_node.resolved()

    def put(self, key: Any, value: Any) -> None:
        self.values[key] = value
        place = self.keys.get(key)
        if place is not None:
            self.view[place[0]] = value
            self.came.add(place[0])
        elif self.plan.extra == "allow":
            (self.view if self.extra is None else self.extra)[key] = value

    def fits(self) -> bool:
        """Whether the open member is a field like any other; then ``around`` is the short way."""
        if self.fit == self.key:
            return True
        place = self.keys.get(self.key)
        if place is None or not self.plan.is_model or self.extra is not None:
            return False
        self.name, self.fit = place[0], self.key
        self.together = self.came | {self.name}
        return True

    def around(self, value: Any) -> Any:
        made = new(self.plan.open)
        put_dict(made, {**self.view, self.name: value})
        put_came(made, self.together.copy())
        put_extra(made, None)
        put_private(made, self.plan.private and self.plan.privates())
        return made

    def shown(self) -> Any:
        value = OUT if self.key is UNSET else self.open_value()
        if value is not OUT and self.fits():
            return self.around(value)
        view, came, extra = self.view.copy(), self.came.copy(), self.extra
        if extra is not None:
            extra = extra.copy()
        if value is not OUT:
            place = self.keys.get(self.key)
            if place is not None:
                view[place[0]] = value
                came.add(place[0])
            elif self.plan.extra == "allow":
                (view if extra is None else extra)[self.key] = value
        return self.plan.made(view, came, extra)

    def finish(self, raw: Any) -> Any:
        return self.node.full(raw, self.run) if self.plan.redo else super().finish(raw)

    def close(self, raw: Any) -> Any:
        if len(self.values) != len(raw):
            return self.node.full(raw, self.run)
        return self.plan.closed(self.values, self.run, self.view)


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

    def __init__(self, node: Node, run: Run, tolerant: bool, keys: list[str], choices: dict[Any, Node]) -> None:
        self.node, self.run, self.tolerant, self.keys, self.choices = node, run, tolerant, keys, choices
        self.level: Any = None
        self.lost = False

    def pick(self, raw: Any, path: tuple[Any, ...], depth: int) -> None:
        for key in self.keys:
            if key in raw and not (depth < len(path) and path[depth] == key):
                tag = raw[key]
                chosen = self.choices.get(tag) if isinstance(tag, (str, int)) else None
                self.lost = chosen is None
                if chosen is not None:
                    below = self.run.below() if self.node.redo else self.run
                    self.level = opened(chosen.resolved(), raw, below, self.tolerant)
                return

    def sync(self, raw: Any, path: tuple[Any, ...], depth: int) -> None:
        if self.level is None and not self.lost:
            self.pick(raw, path, depth)
        if self.level is not None:
            self.level.sync(raw, path, depth)

    def shown(self) -> Any:
        return OUT if self.level is None else self.level.shown()

    def finish(self, raw: Any) -> Any:
        if self.level is None or self.node.redo:
            return self.node.full(raw, self.run)
        return self.node.after(self.run, self.level.finish(raw))


class UnionLevel:
    """Those members that nothing closed has ruled out yet; shown when one is left."""

    def __init__(self, node: Node, run: Run, members: list[Any]) -> None:
        self.node, self.run, self.left = node, run, members

    def sync(self, raw: Any, path: tuple[Any, ...], depth: int) -> None:
        if len(self.left) == 1:
            self.left[0].sync(raw, path, depth)
            return
        fitting: list[Any] = []
        for level in self.left:
            try:
                level.sync(raw, path, depth)
            except Wrong:
                continue
            fitting.append(level)
        self.left = fitting

    def shown(self) -> Any:
        return self.left[0].shown() if len(self.left) == 1 else OUT

    def finish(self, raw: Any) -> Any:
        if len(self.left) != 1 or self.node.redo:
            return self.node.full(raw, self.run)
        return self.node.after(self.run, self.left[0].finish(raw))
