"""Typed values: what a look gives, and what a view of a model is made from. What a type is, is in `_plan.py`. pydantic is
imported when the first view is made.
"""

# Values and schemas are taken as they come: strictly, each line would be a cast.
# pyright: basic
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
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


def prepared(
    model: Any,
    decimals: bool,
    *,
    context: Any = None,
    strict: bool | None = None,
    by_alias: bool | None = None,
    by_name: bool | None = None,
) -> tuple[Any, Any, str]:
    """What a typed view is made from: the place of the whole value, how values are validated, and the type's name."""
    node = _plan_of(model)
    from ._plan import Run

    title = getattr(model, "__name__", None) or str(model)
    return node.place, Run(context, strict, by_alias, by_name, decimals), title
