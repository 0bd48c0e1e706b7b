"""Snapshots as typed values: one stream's typed view, which keeps what it has validated. What a type is, is in `_plan.py`,
what is open, in `_levels.py`. pydantic is imported when the first view is made.
"""

# Values and schemas are taken as they come: strictly, each line would be a cast.
# pyright: basic
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ._open import OUT

if TYPE_CHECKING:
    from ._native import Parser
    from ._plan import Node

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Partial(Generic[T]):
    """A typed value as far as it is known. ``complete`` says whether all of it has arrived and was validated. While it is
    false, any field of an open object may be ``None``."""

    value: T
    complete: bool


_plans: dict[int, tuple[Any, Node]] = {}


def _plan_of(model: Any) -> Node:
    # By identity: `A | B` and `B | A` are equal, and not the same.
    known = _plans.get(id(model))
    if known is not None:
        return known[1]
    try:
        from pydantic import TypeAdapter
    except ImportError as error:
        raise ImportError("typed snapshots need pydantic: pip install 'jsonspigot[pydantic]'") from error
    from ._plan import Builder

    adapter: Any = model if isinstance(model, TypeAdapter) else TypeAdapter(model)
    if not adapter.pydantic_complete:
        adapter.rebuild(raise_errors=True)
    node = Builder().node(adapter.core_schema, None).resolved()
    if len(_plans) >= 256:
        # Types that are made on the fly shall not pile up.
        _plans.clear()
    # The model is kept, and so its id.
    return _plans.setdefault(id(model), (model, node))[1]


class View(Generic[T]):
    """A typed view of a text whose snapshots somebody else has."""

    def __init__(
        self,
        model: Any,
        *,
        context: Any = None,
        strict: bool | None = None,
        by_alias: bool | None = None,
        by_name: bool | None = None,
        decimals: bool = False,
    ) -> None:
        self._node = _plan_of(model)
        from . import _levels

        self._levels: Any = _levels
        self._run = self._levels.Run(context, strict, by_alias, by_name, decimals)
        self._title = getattr(model, "__name__", None) or str(model)
        self._level: Any = None
        self._failed: Exception | None = None
        self._last: Partial[Any] | None = None
        # What the last look saw: the open path, and the size of the innermost value.
        self._path: Any = None
        self._size = -1
        # The levels from the innermost to the root, if all of them are plain; and how their open text is shown.
        self._stack: list[Any] = []
        self._text: Any = None

    def open(self, path: tuple[Any, ...], whole: Any) -> Partial[T] | None:
        """What is known while the value at that path is open."""
        if self._failed is not None:
            raise self._failed
        value = whole
        if path == self._path:
            for key in path:
                value = value[key]
            size = _size_of(value)
            if size == self._size:
                # Whatever closes changes the path, or the size of the innermost value.
                return self._last
            self._size = size
        try:
            if path == self._path and self._text is not None:
                # The same string is open, so nothing has closed.
                value = self._text(value)
                for level in self._stack:
                    value = level.around(value)
            else:
                value = self._changed(whole, path)
        except Exception as error:
            raise self._wrong(error) from None
        self._last = None if value is OUT else Partial(value, complete=False)
        return self._last

    def closed(self, whole: Any) -> Partial[T]:
        """All of it."""
        if self._failed is not None:
            raise self._failed
        if self._last is None or not self._last.complete:
            try:
                level = self._level
                value = self._node.closed(whole, self._run) if level is None else level.finish(whole)
            except Exception as error:
                raise self._wrong(error) from None
            self._last = Partial(value, complete=True)
        return self._last

    def _changed(self, raw: Any, path: tuple[Any, ...]) -> Any:
        levels = self._levels
        old, stack, self._text = self._path, self._stack, None
        self._path = path
        depth = len(stack) - 1
        # Levels whose open member is the same one have not changed; what is below them is looked at.
        same = 0
        if stack:
            top = min(len(old), len(path), depth)
            while same < top and old[same] == path[same]:
                same += 1
            level = stack[depth - same]
        else:
            if not isinstance(raw, (dict, list)):
                self._size = _size_of(raw)
                return self._node.text(raw) if isinstance(raw, str) and self._node.text is not None else OUT
            if self._level is None:
                self._level = levels.opened(self._node, raw, self._run, tolerant=False)
            level = self._level
        for key in path[:same]:
            raw = raw[key]
        try:
            level.sync(raw, path, same)
        except levels.Wrong as error:
            for key in reversed(path[:same]):
                error.at(key)
            raise
        outer = stack[depth - same + 1 :] if stack else []
        value = level.shown()
        if value is not OUT:
            for around in outer:
                value = around.around(value)
        elif outer:
            value = self._level.shown()
        self._note(level, raw, path[same:], outer)
        return value

    def _note(self, level: Any, raw: Any, path: tuple[Any, ...], outer: list[Any]) -> None:
        """Notes the open levels, as far as they are plain, and how the open string is shown."""
        levels = self._levels
        lists, objects = levels.ArrayLevel, levels.ObjectLevel
        stack: list[Any] = []
        plain = True
        for key in path:
            raw = raw[key]
            if not plain:
                continue
            if (type(level) is lists and level.kind == "list") or (type(level) is objects and level.fits()):
                stack.append(level)
                if isinstance(raw, str):
                    self._text = level.at(key).text
                else:
                    level = level.child
            else:
                plain = False
        self._size = _size_of(raw)
        if not isinstance(raw, str):
            plain = plain and isinstance(raw, (dict, list)) and type(level) in (lists, objects, levels.DictLevel)
            stack.append(level)
        self._stack = [*reversed(stack), *outer] if plain else []
        if not plain:
            self._text = None

    def _wrong(self, error: Exception) -> Exception:
        if isinstance(error, self._levels.Wrong):
            wrong: Any = error
            error = self._levels.ValidationError.from_exception_data(self._title, wrong.errors, input_type="json")
        self._failed = error
        return error


class Typed(View[T]):
    """A parser's text as a typed value, as it grows; made by ``Parser.typed``.

    Each look costs what is new. An object that has closed is validated once, by its model, and is the same object in later
    looks; an open one is an ``Open`` instance of a type derived from its model. After an error, every look raises it again.
    """

    def __init__(
        self,
        parser: Parser,
        model: Any,
        *,
        context: Any = None,
        strict: bool | None = None,
        by_alias: bool | None = None,
        by_name: bool | None = None,
    ) -> None:
        options: Any = {"context": context, "strict": strict, "by_alias": by_alias, "by_name": by_name}
        super().__init__(model, **options, decimals=parser.decimals)
        self._parser = parser

    def look(self) -> Partial[T] | None:
        """What is known; ``None`` before anything can be shown. The same object if nothing has come since the last look."""
        parser = self._parser
        path = parser.open_path()
        if path is not None:
            return self.open(path, parser.snapshot())
        if (self._last is not None and self._last.complete) or parser.state_of("$") == "complete":
            return self.closed(parser.snapshot())
        return None

    def __repr__(self) -> str:
        return f"<jsonspigot.Typed {self._title}: {self._last!r}>"


def snapshot_as(parser: Parser, model: Any) -> Partial[Any] | None:
    """What ``Parser.snapshot_as`` does."""
    return Typed(parser, model).look()


def _size_of(value: Any) -> int:
    return len(value) if isinstance(value, (str, dict, list)) else 0
