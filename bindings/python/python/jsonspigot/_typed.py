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


_plans: dict[int, tuple[Any, Node, Any]] = {}


def plan_of(model: Any) -> tuple[Any, Node, Any]:
    # By identity: `A | B` and `B | A` are equal, and not the same.
    known = _plans.get(id(model))
    if known is not None:
        return known
    try:
        from pydantic import TypeAdapter
    except ImportError as error:
        raise ImportError("typed snapshots need pydantic: pip install 'jsonspigot[pydantic]'") from error
    from ._plan import Builder
    from ._run import Heading, core_config

    adapter: Any = model if isinstance(model, TypeAdapter) else TypeAdapter(model)
    if not adapter.pydantic_complete:
        adapter.rebuild(raise_errors=True)
    # An adapter does not show its configuration otherwise.
    config = core_config(getattr(adapter, "_config", None))
    node = Builder().node(adapter.core_schema, config).resolved()
    if len(_plans) >= 256:
        # Types that are made on the fly shall not pile up.
        _plans.clear()
    # The model is kept, and so its id.
    return _plans.setdefault(id(model), (model, node, Heading.of(adapter, config)))


def typed(
    model: Any,
    decimals: bool,
    *,
    context: Any = None,
    strict: bool | None = None,
    by_alias: bool | None = None,
    by_name: bool | None = None,
) -> tuple[Any, Any, Any]:
    """What a typed view is made from: the place of the whole value, how values are validated, and what errors say first."""
    _, node, heading = plan_of(model)
    from ._run import Run

    return node.place, Run(context, strict, by_alias, by_name, decimals), heading
