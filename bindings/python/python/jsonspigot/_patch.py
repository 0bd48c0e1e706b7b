"""Patches on plain Python values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypedDict, cast


class PatchOp(TypedDict):
    """One operation of a patch: RFC 6902's ``add`` or ``replace``, or an ``append`` of text to a string."""

    op: Literal["add", "append", "replace"]
    path: str
    value: Any


def apply_patch(value: Any, patch: Iterable[PatchOp | Mapping[str, Any]]) -> Any:
    """Apply the operations of ``Parser.patch_since``, and return the new value; the old one does not change.

    Containers on the way to what changes are copied, once for each patch; everything else is shared. Before the first
    patch the value is ``None``.

    Raises ``ValueError`` if the patch does not fit the value.

    >>> apply_patch({"say": "Hel"}, [{"op": "append", "path": "/say", "value": "lo"}])
    {'say': 'Hello'}
    """
    copied: set[int] = set()
    # Copies stay alive here, so that no other object can get the id of one.
    kept: list[Any] = []

    def own(container: Any) -> Any:
        if id(container) in copied:
            return container
        if not isinstance(container, (dict, list)):
            raise ValueError(f"the patch leads into {type(container).__name__}, which has no members")
        copy = cast("dict[str, Any] | list[Any]", container).copy()
        copied.add(id(copy))
        kept.append(copy)
        return copy

    for operation in patch:
        try:
            op = operation["op"]
            if op not in ("add", "append", "replace"):
                raise ValueError(f"unknown operation {op!r}")
            path, new = operation["path"], operation["value"]
        except (KeyError, TypeError):
            raise ValueError(f"not an operation: {operation!r}") from None
        if path == "":
            value = _changed(op, value, new)
            continue
        if not isinstance(path, str) or not path.startswith("/"):
            raise ValueError(f"not a JSON pointer: {path!r}")
        tokens = [token.replace("~1", "/").replace("~0", "~") for token in path[1:].split("/")]
        value = parent = own(value)
        for token in tokens[:-1]:
            place = _place(parent, token)
            try:
                child = own(parent[place])
            except (KeyError, IndexError):
                raise ValueError(f"nothing at {path!r}") from None
            parent[place] = child
            parent = child
        place = _place(parent, tokens[-1])
        if op == "add":
            if not isinstance(parent, list):
                parent[place] = new
                continue
            elements = cast("list[Any]", parent)
            if place > len(elements):
                raise ValueError(f"nothing at {path!r}")
            elements.insert(place, new)
        else:
            try:
                parent[place] = _changed(op, parent[place], new)
            except (KeyError, IndexError):
                raise ValueError(f"nothing at {path!r}") from None
    return value


def _place(container: Any, token: str) -> Any:
    if not isinstance(container, list):
        return token
    if token == "-":
        return len(cast("list[Any]", container))
    if not (token.isascii() and token.isdigit()):
        raise ValueError(f"not an index: {token!r}")
    return int(token)


def _changed(op: str, old: Any, new: Any) -> Any:
    if op != "append":
        return new
    if not isinstance(old, str) or not isinstance(new, str):
        raise ValueError("append needs two strings")
    return old + new
