"""Snapshots as typed values. pydantic says what fits; which of its errors count is decided here, because pydantic's own
partial validation drops nothing inside models and dataclasses, and goes by what is last, not by what is open.

An open value may be shown only where any text would do. So an open string is first replaced by text that is no enum's
value, no date and no number: if that does not validate, the string is left out. Then an error counts only if it is about
something complete. One that is about the open path, or about a member that may still come to an open object, takes the
innermost open container with it that it names, and the rest is validated again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from ._native import Parser

T = TypeVar("T")

# Of a private use area, so that nobody means it.
_PROBE = "\uf8ff\uf8fe open \uf8fe\uf8ff"
_LEFT_OUT: Any = object()


@dataclass(frozen=True, slots=True)
class Partial(Generic[T]):
    """A typed value as far as it is known. ``complete`` says whether all of it has arrived and was validated."""

    value: T
    complete: bool


_adapters: dict[Any, TypeAdapter[Any]] = {}


def _adapter(model: Any) -> TypeAdapter[Any]:
    adapter = _adapters.get(model)
    if adapter is None:
        try:
            from pydantic import TypeAdapter
        except ImportError as error:
            raise ImportError("snapshot_as needs pydantic: pip install 'jsonspigot[pydantic]'") from error
        if len(_adapters) >= 256:
            # Types that are made on the fly shall not pile up.
            _adapters.clear()
        adapter = _adapters[model] = TypeAdapter(model)
    return adapter


def snapshot_as(parser: Parser, model: Any) -> Partial[Any] | None:
    """What ``Parser.snapshot_as`` does."""
    adapter = _adapter(model)
    from pydantic import ValidationError
    from pydantic_core import to_json

    def validated(value: Any) -> Any:
        # As JSON, because a strict model takes a date from a string there, and not from Python's `str`.
        return adapter.validate_json(to_json(value, inf_nan_mode="constants"))

    path = parser.open_path()
    whole = parser.snapshot()
    if path is None:
        if parser.state_of("$") != "complete":
            return None
        return Partial(validated(whole), complete=True)

    # The open values are numbered by their depth, from the root, 0, to the innermost. Those from `cut` on are left out.
    depth = len(path)
    leaf = _at(whole, path)
    cut = depth + 1 if isinstance(leaf, (str, dict, list)) else depth
    while cut > 0:
        is_text_shown = cut > depth and isinstance(leaf, str)
        shown = _with(whole, path[:cut], _LEFT_OUT) if cut <= depth else whole
        try:
            if is_text_shown:
                validated(_with(whole, path, _PROBE))
            return Partial(validated(shown), complete=False)
        except ValidationError as error:
            levels = [_level(details["type"], details["loc"], whole, path, cut) for details in error.errors()]
            if None in levels:
                # Something complete does not fit. If text was tried out, the error must not show that.
                if is_text_shown:
                    validated(_with(whole, path, _LEFT_OUT) if path else whole)
                raise
            cut = max(level for level in levels if level is not None)
    return None


def _level(kind: str, loc: tuple[str | int, ...], whole: Any, path: tuple[str | int, ...], cut: int) -> int | None:
    """Which of the open values shown an error is about; none of them if it is about something complete."""
    level, container = 0, whole
    for place, segment in enumerate(loc):
        if level < len(path) and segment == path[level]:
            container = container[segment]
            level += 1
        elif kind == "missing" and place == len(loc) - 1:
            # A member that may still come.
            break
        elif _has(container, segment):
            return None
        else:
            # Which type of a union has been tried: what does not fit one of them may fit another in the end.
            break
    # What has been left out is missing in what it was in.
    return min(level, cut - 1)


def _has(container: Any, segment: str | int) -> bool:
    if isinstance(container, dict):
        return segment in container
    if not isinstance(container, list) or not isinstance(segment, int):
        return False
    return 0 <= segment < len(cast("list[Any]", container))


def _at(value: Any, path: tuple[str | int, ...]) -> Any:
    for segment in path:
        value = value[segment]
    return value


def _with(value: Any, path: tuple[str | int, ...], leaf: Any) -> Any:
    """A copy with something else at a path, or without what is there. What is not on the path is shared."""
    if not path:
        return leaf
    segment, rest = path[0], path[1:]
    copy: Any = value.copy()
    changed = _with(value[segment], rest, leaf)
    if changed is _LEFT_OUT:
        del copy[segment]
    else:
        copy[segment] = changed
    return copy
