"""`Rule`: the changes that a `Rewriter` makes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final


class Rule:
    """A change to the values that a pattern selects: the result of one of these functions."""

    __slots__ = ("_argument", "_kind")
    _kind: Final[str]
    _argument: Final[Any]

    def __init__(self, kind: str, argument: Any = None) -> None:
        if kind.startswith("map") and not callable(argument):
            raise TypeError("the function of a rule can be called")
        self._kind, self._argument = kind, argument

    @staticmethod
    def remove() -> Rule:
        """Remove the value, with its key and its comma."""
        return Rule("remove")

    @staticmethod
    def redact() -> Rule:
        """Write ``"[redacted]"`` in the value's place.

        If text inside a string turns out not to be JSON, the string ends there.
        """
        return Rule("redact")

    @staticmethod
    def replace(value: Any) -> Rule:
        """Write another value in its place: anything that ``json.dumps`` takes."""
        import json

        return Rule("replace", json.dumps(value, allow_nan=False))

    @staticmethod
    def map(function: Callable[[str], str]) -> Rule:
        """Call ``function`` with the value's JSON text once it is complete; it returns another JSON text."""
        return Rule("map", function)

    @staticmethod
    def map_text(function: Callable[[str | None], str]) -> Rule:
        """Call ``function`` with the decoded pieces of a string, then ``None``; it returns the text for each. Other values pass."""
        return Rule("map_text", function)

    def __repr__(self) -> str:
        return f"<jsonspigot.Rule, {self._kind}>" if self._argument is None else f"<jsonspigot.Rule, {self._kind} {self._argument!r}>"
