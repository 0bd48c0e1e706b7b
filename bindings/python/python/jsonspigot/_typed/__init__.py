"""Typed values: what a look returns, and the parts of a view of a model. What a type is, is in `plan.py`. pydantic is
imported when the first view is made.
"""

# Values and schemas are taken without a cast.
# pyright: basic
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .plan import Node

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Partial(Generic[T_co]):
    """A typed value as far as it is known.

    ``complete`` is true once all of it has arrived and was validated. While it is false, any field of an open object may
    be ``None``, whatever its type says, unless the view was made with ``missing="empty"``.
    """

    value: T_co
    complete: bool


if TYPE_CHECKING:

    class Open:
        """An object that is still open, for type checkers: any field may be ``None``."""

        def __getattr__(self, name: str) -> Any | None: ...
        def __iter__(self) -> Iterator[Any]: ...
        def __getitem__(self, key: Any, /) -> Any: ...

    class Growing(Partial[T | Open]):
        complete: Literal[False]

    class Whole(Partial[T]):
        complete: Literal[True]

    #: The result of a look. Only if it is ``complete``, its value is one of the model.
    Look: TypeAlias = Growing[T] | Whole[T]
else:
    Look = Partial

#: By the model's identity: the model, which keeps the identity, its node, and the parts of a view without options.
_plans: dict[int, tuple[Any, Node, tuple[Any, Any, Any]]] = {}


def plan_of(model: Any) -> tuple[Any, Node, tuple[Any, Any, Any]]:
    # By identity: `A | B` and `B | A` are equal, and not the same.
    known = _plans.get(id(model))
    if known is not None:
        return known
    try:
        from pydantic import TypeAdapter
    except ImportError as error:
        raise ImportError("typed snapshots need pydantic: pip install 'jsonspigot[pydantic]'") from error
    from .plan import Builder
    from .run import Heading, Run, core_config

    adapter: Any = model if isinstance(model, TypeAdapter) else TypeAdapter(model)
    if not adapter.pydantic_complete:
        adapter.rebuild(raise_errors=True)
    # An adapter does not show its configuration otherwise.
    config = core_config(getattr(adapter, "_config", None))
    node = Builder().node(adapter.core_schema, config).resolved()
    if len(_plans) >= 256:
        # Types that are made on the fly shall not pile up.
        _plans.clear()
    return _plans.setdefault(id(model), (model, node, (node.place, Run({}), Heading.of(adapter, config))))


def typed(
    model: Any,
    decimals: bool,
    *,
    missing: str = "none",
    context: Any = None,
    strict: bool | None = None,
    by_alias: bool | None = None,
    by_name: bool | None = None,
) -> tuple[Any, Any, Any]:
    """Return the parts of a typed view: the place of the whole value, how values are validated, and the title of errors."""
    if missing not in ("none", "empty"):
        raise ValueError(f"missing: expected 'none' or 'empty', not {missing!r}")
    _, node, parts = plan_of(model)
    if not decimals and missing == "none" and context is strict is by_alias is by_name is None:
        return parts
    from .levels import check_empty
    from .run import Run

    if missing == "empty":
        check_empty(node, set())
    named = {"context": context, "strict": strict, "by_alias": by_alias, "by_name": by_name}
    options = {name: value for name, value in named.items() if value is not None}
    place, _, heading = parts
    return place, Run(options, decimals, missing == "empty"), heading
