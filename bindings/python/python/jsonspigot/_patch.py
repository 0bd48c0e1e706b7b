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
    root: list[Any] = [value]
    #: The containers that this patch has made, by id. They stay alive here, so that no other object can get the id of one.
    own: dict[int, Any] = {id(root): root}
    for operation in patch:
        try:
            op, path, new = operation["op"], operation["path"], operation["value"]
        except (KeyError, TypeError):
            raise ValueError(f"not an operation: {operation!r}") from None
        if op not in ("add", "append", "replace"):
            raise ValueError(f"unknown operation {op!r}")
        if not isinstance(path, str) or path[:1] not in ("", "/"):
            raise ValueError(f"not a JSON pointer: {path!r}")
        parent: Any = root
        place: Any = 0
        try:
            for token in path.split("/")[1:]:
                child = parent[place]
                if id(child) not in own:
                    if not isinstance(child, (dict, list)):
                        raise ValueError(f"the patch leads into {type(child).__name__}, which has no members")
                    child = parent[place] = cast("Any", child).copy()
                    own[id(child)] = child
                parent, place = child, _place(child, token.replace("~1", "/").replace("~0", "~"))
            if op != "add":
                old = parent[place]
                new = _joined(old, new) if op == "append" else new
            if op == "add" and isinstance(parent, list) and parent is not root:
                if place > len(cast("list[Any]", parent)):
                    raise IndexError
                cast("Any", parent).insert(place, new)
            else:
                parent[place] = new
        except (KeyError, IndexError):
            raise ValueError(f"nothing at {path!r}") from None
    return root[0]


def _place(container: Any, token: str) -> Any:
    if not isinstance(container, list):
        return token
    if token == "-":
        return len(cast("list[Any]", container))
    # RFC 6901 has no leading zeros.
    if not (token.isascii() and token.isdigit()) or (token[0] == "0" and token != "0"):
        raise ValueError(f"not an index: {token!r}")
    return int(token)


def _joined(old: Any, new: Any) -> str:
    if not isinstance(old, str) or not isinstance(new, str):
        raise ValueError("append needs two strings")
    return old + new
