"""`PartialJson`: the one-call form of the parser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from ._native import Parser

if TYPE_CHECKING:
    from ._types import Chunk, TextOptions


class PartialJson:
    """A value that is up to date after each piece of its text.

    A string, a list or a dict is shown from its first byte on, and a string grows by whole characters. A number or literal
    is shown once it is complete. Nothing is guessed or closed: ``finish`` returns the value only if all of its text has
    arrived. The options are the limits, ``duplicate_keys``, ``lenient``, ``accept_deviations`` and ``decimals`` of ``Parser``.

    >>> partial = PartialJson()
    >>> partial.push('{"city": "Os')
    {'city': 'Os'}
    >>> partial.push('lo", "days": [3, 12]}')
    {'city': 'Oslo', 'days': [3, 12]}
    >>> partial.finish()
    {'city': 'Oslo', 'days': [3, 12]}
    """

    __slots__ = ("_parser",)

    def __init__(self, **options: Unpack[TextOptions]) -> None:
        self._parser: Parser = Parser(snapshots=True, retain="nothing", **options)

    def push(self, delta: Chunk) -> Any:
        """Read the next piece of the text, cut anywhere, and return the value so far: ``None`` until something is shown.

        A value that you hold never changes, and unchanged parts are the same objects in the next one. Raises
        ``JsonSpigotError`` at the first byte that cannot belong to the text, and for every later piece.
        """
        self._parser.feed(delta)
        return self._parser.snapshot()

    def finish(self) -> Any:
        """End the text, and return its value. Raise ``JsonSpigotError`` if it is not complete."""
        self._parser.finish()
        return self._parser.snapshot()

    def reset(self) -> None:
        """Forget the text and the value, and keep the options."""
        self._parser.reset()

    @property
    def value(self) -> Any:
        """The value so far, also after an error."""
        return self._parser.snapshot()

    @property
    def is_complete(self) -> bool:
        """Whether the root value has closed. More text may follow; only ``finish`` excludes that."""
        return self._parser.is_complete

    @property
    def in_string(self) -> bool:
        """Whether the text so far ends inside a string value, at ``open_path``."""
        path, value = self.open_path, self.value
        for key in path or ():
            value = value[key]
        return path is not None and type(value) is str

    @property
    def open_path(self) -> tuple[str | int, ...] | None:
        """The path of the innermost open string or container that is shown, or ``None``."""
        return self._parser.open_path()

    @property
    def consumed(self) -> int:
        """Return the number of accepted bytes: all that were pushed, or those before the first bad byte."""
        return self._parser.offset

    def __repr__(self) -> str:
        return f"PartialJson({self.value!r})"
