"""The exceptions, and what else is plain data. Raised and made by the native module."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class JsonSpigotError(ValueError):
    """An error in a text, with its place, or in a call.

    ``kind`` is the error's name, as the command line prints it: ``"unexpected-byte"``, ``"invalid-escape"``,
    ``"lone-surrogate"``, ``"invalid-utf8"``, ``"control-character"``, ``"invalid-number"``, ``"invalid-literal"``,
    ``"trailing-bytes"``, ``"incomplete"``, ``"duplicate-key"``, ``"depth-limit"``, ``"key-limit"``, ``"string-limit"``,
    ``"number-limit"``, ``"blank-limit"``, ``"total-limit"``, ``"snapshot-limit"``, ``"not-retained"``,
    ``"invalid-path"``, ``"foreign-revision"``, ``"finished"``, ``"data"``; of a ``Rewriter``, ``"held-limit"``,
    ``"bad-replacement"`` and ``"private-key"``; or of a saved state that is refused, as ``Parser.restore`` says.

    ``offset`` is the first byte after which no valid text could follow; ``line`` and ``column`` count from 1, in bytes,
    and are 0 for an error without a place; ``path`` is the innermost open value,
    ``None`` if it is not known. ``events`` are those that the failing
    call reported before the error; ``written`` are the bytes that a failing ``Rewriter`` wrote in that call.
    """

    kind: str
    offset: int
    line: int
    column: int
    path: str | None
    events: list[Any]
    written: bytes = b""

    def __init__(
        self,
        message: str,
        kind: str = "data",
        offset: int = 0,
        line: int = 0,
        column: int = 0,
        path: str | None = "$",
        events: list[Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.offset = offset
        self.line = line
        self.column = column
        self.path = path
        self.events = [] if events is None else events

    def to_dict(self) -> dict[str, Any]:
        """The message and the place, as a dict that ``json.dumps`` takes."""
        return dict(zip(("message", "kind", "offset", "line", "column", "path"), self._place(), strict=True))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self._place(), self.events), {"written": self.written}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JsonSpigotError):
            return NotImplemented
        return self._place() == other._place()

    def __hash__(self) -> int:
        return hash(self._place())

    def _place(self) -> tuple[Any, ...]:
        return (str(self), self.kind, self.offset, self.line, self.column, self.path)


def lone_surrogate(cause: UnicodeEncodeError, offset: int) -> JsonSpigotError:
    """Return the error for a ``str`` at an offset of the text, of which nothing was read."""
    before, found = cause.object[: cause.start], ord(cause.object[cause.start])
    message = (
        f"lone surrogate: expected text that UTF-8 can encode, but the str has U+{found:04X} at index {cause.start}; "
        "nothing of it was read"
    )
    error = JsonSpigotError(message, "lone-surrogate", offset + len(before.encode()))
    error.__cause__ = cause
    return error


class PatternError(ValueError):
    """An error in a pattern: it cannot be read, or no forward stream can decide it.

    ``pattern`` is its text, ``index`` its place among the patterns, ``column`` where it goes wrong (from 1, in
    characters), ``reason`` why.
    """

    pattern: str
    index: int
    column: int
    reason: str

    def __init__(self, message: str, pattern: str = "", index: int = 0, column: int = 0, reason: str = "") -> None:
        super().__init__(message)
        self.pattern = pattern
        self.index = index
        self.column = column
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.pattern, self.index, self.column, self.reason)
