"""Loops over a source of chunks, async or not, that read and yield what becomes known."""

from __future__ import annotations

from ._errors import JsonSpigotError
from ._native import Delta, Parser, _Values  # pyright: ignore[reportPrivateUsage]

# Without `typing`, which takes longer to import than all of the package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Callable, Generator, Iterable, Mapping
    from typing import Any, Literal, TypeAlias, TypeVar, Unpack, overload

    from ._typed import Look, Partial
    from ._types import Chunk, Event, Framing, Model, ParserOptions, Patterns, RowOptions, TextOptions, ValueOptions, ViewOptions

    T = TypeVar("T")
    Row: TypeAlias = dict[str, Any]
    Chunks: TypeAlias = Chunk | Iterable[Chunk]
    AsyncChunks: TypeAlias = AsyncIterable[Chunk]
    Loop: TypeAlias = Generator[T, None, None]
    AsyncLoop: TypeAlias = AsyncGenerator[T, None]
    #: A call with a chunk, and one at the end.
    Read = Callable[[Any], Iterable[Any]]
    Finish = Callable[[], list[Any]]
    #: A filter for the events of an error or of the end.
    Choice = Callable[[list[Any]], Iterable[Any]] | None
else:

    def overload(_):
        return None



@overload
def events(source: Chunks, patterns: Patterns = None, **options: Unpack[ParserOptions]) -> Loop[Event]: ...
@overload
def events(source: AsyncChunks, patterns: Patterns = None, **options: Unpack[ParserOptions]) -> AsyncLoop[Event]: ...
def events(source: Any, patterns: Patterns = None, **options: Unpack[ParserOptions]) -> Any:
    """Yield every event of a text that arrives as chunks of ``str`` or bytes.

    ``source`` is an iterable, an async iterable such as an HTTP response's body, or one text. The result is an iterator,
    async if the source is. The options are those of ``Parser``. Raises ``JsonSpigotError`` when the text is invalid or
    incomplete, after the events before that.

    >>> [type(event).__name__ for event in events(['{"say": "Hel', 'lo"}'], "say")]
    ['Begin', 'Delta', 'Delta', 'End']
    """
    parser = Parser(patterns, **_lean(options))
    return _loop(source, parser.feed, parser.finish)


@overload
def deltas(source: Chunks, patterns: Patterns, **options: Unpack[ParserOptions]) -> Loop[Delta]: ...
@overload
def deltas(source: AsyncChunks, patterns: Patterns, **options: Unpack[ParserOptions]) -> AsyncLoop[Delta]: ...
def deltas(source: Any, patterns: Patterns, **options: Unpack[ParserOptions]) -> Any:
    """Yield the pieces of the strings that the patterns select, as ``Delta`` events: ``path`` and ``text``.

    >>> [delta.text for delta in deltas(['{"say": "Hel', 'lo"}'], "say")]
    ['Hel', 'lo']
    """
    # A delta has no way to ask for the whole string.
    options.setdefault("retain", "nothing")
    parser = Parser(patterns, **options)
    feed = parser.feed

    def read(chunk: Chunk) -> list[Delta]:
        return [event for event in feed(chunk) if type(event) is Delta]

    return _loop(source, read, parser.finish, _only_deltas)


@overload
def values(source: Chunks, patterns: Patterns = None, **options: Unpack[ValueOptions]) -> Loop[Any]: ...
@overload
def values(source: AsyncChunks, patterns: Patterns = None, **options: Unpack[ValueOptions]) -> AsyncLoop[Any]: ...
def values(source: Any, patterns: Patterns = None, *, framing: Framing | None = None, **options: Unpack[TextOptions]) -> Any:
    """Yield the whole values that the patterns select, each as soon as it is complete: dicts, lists, strings, numbers.

    With a ``framing`` the source has many texts, as in ``Documents``: ``"lines"`` reads JSON Lines. Without patterns, the
    values are the texts themselves. The first error is raised after the values before it; its ``line`` and ``offset`` are
    those of the source. The options are those of ``Parser``, without ``snapshots``, ``provisional`` and ``retain``.

    >>> list(values(['[{"id": 1}, {"id"', ': 2}]'], "[*].id"))
    [1, 2]
    >>> list(values(['{"id": 1}\\n{"id"', ': 2}\\n'], framing="lines"))
    [{'id': 1}, {'id': 2}]
    """
    _refuse_snapshots("values", options)
    reader = _Values("$" if patterns is None and framing is None else patterns, framing, **options)
    return _loop(source, reader.feed, reader.finish)


@overload
def rows(source: Chunks, columns: Mapping[str, str], **options: Unpack[RowOptions]) -> Loop[Row]: ...
@overload
def rows(source: AsyncChunks, columns: Mapping[str, str], **options: Unpack[RowOptions]) -> AsyncLoop[Row]: ...
def rows(
    source: Any, columns: Mapping[str, str], *, framing: Framing | None = None, missing: Any = None, **options: Unpack[TextOptions]
) -> Any:
    """Yield a dict for each text of the source, with the values that a pattern selects for each column.

    A pattern that may select several values, such as ``tags[*]``, gives a list of them; any other column has its value, or
    ``missing``. ``framing`` and the options are those of ``values``.

    >>> lines = ['{"id": 1, "user": {"name": "Ada"}}\\n', '{"id": 2}\\n']
    >>> list(rows(lines, {"id": "id", "name": "user.name"}, framing="lines"))
    [{'id': 1, 'name': 'Ada'}, {'id': 2, 'name': None}]
    """
    _refuse_snapshots("rows", options)
    columns = dict(columns)
    reader = _Values(list(columns.values()), framing, list(columns), missing, **options)
    return _loop(source, reader.feed, reader.finish)


@overload
def snapshots(source: Chunks, *, model: None = None, **options: Unpack[ParserOptions]) -> Loop[Any]: ...
@overload
def snapshots(source: AsyncChunks, *, model: None = None, **options: Unpack[ParserOptions]) -> AsyncLoop[Any]: ...
@overload
def snapshots(source: Chunks, *, model: Model[T], missing: Literal["empty"], **options: Unpack[ViewOptions]) -> Loop[Partial[T]]: ...
@overload
def snapshots(
    source: AsyncChunks, *, model: Model[T], missing: Literal["empty"], **options: Unpack[ViewOptions]
) -> AsyncLoop[Partial[T]]: ...
@overload
def snapshots(source: Chunks, *, model: Model[T], missing: Literal["none"] = "none", **options: Unpack[ViewOptions]) -> Loop[Look[T]]: ...
@overload
def snapshots(
    source: AsyncChunks, *, model: Model[T], missing: Literal["none"] = "none", **options: Unpack[ViewOptions]
) -> AsyncLoop[Look[T]]: ...
@overload
def snapshots(source: Chunks, *, model: Any, missing: Any = ..., **options: Unpack[ViewOptions]) -> Loop[Partial[Any]]: ...
@overload
def snapshots(source: AsyncChunks, *, model: Any, missing: Any = ..., **options: Unpack[ViewOptions]) -> AsyncLoop[Partial[Any]]: ...
def snapshots(source: Any, *, model: Any = None, **options: Any) -> Any:
    """Yield the value as far as it is known, after each chunk that added to it: dicts, lists, strings, numbers.

    What has not changed since the last snapshot is the same object. The last one is the complete value; if the text is
    invalid or incomplete, ``JsonSpigotError`` is raised after the last snapshot.

    With a ``model``, each is a ``Partial`` of it, as of ``Parser(model=...).look()``, and duplicate keys are rejected. A closed
    value that does not fit raises pydantic's ``ValidationError``.

    >>> list(snapshots(['{"say": "Hel', 'lo"}']))
    [{'say': 'Hel'}, {'say': 'Hello'}]
    """
    if model is None:
        options.setdefault("snapshots", True)
    parser = Parser(model=model, **_lean(options))
    feed, look = parser.feed, parser.snapshot if model is None else parser.look
    last: Any = None

    def changed(_: list[Event]) -> tuple[Any, ...]:
        nonlocal last
        seen = look()
        # A snapshot is another object if it shows something else. ``None`` is shown once it is all of the text.
        if seen is last and not (seen is None and parser.is_complete):
            return ()
        last = seen
        return (seen,)

    def read(chunk: Chunk) -> tuple[Any, ...]:
        nonlocal last
        feed(chunk)
        seen = look()
        if seen is last:
            return ()
        last = seen
        return (seen,)

    return _loop(source, read, parser.finish, changed)


def _lean(options: Any) -> Any:
    # The value is not asked for afterwards, so the whole text need not be kept.
    return {"retain": "matches", **options}


def _refuse_snapshots(function: str, options: Any) -> None:
    for name in ("snapshots", "provisional", "retain"):
        if name in options:
            raise TypeError(f"{function}() has no argument {name!r}")


def _only_deltas(told: list[Event]) -> list[Delta]:
    return [event for event in told if type(event) is Delta]


#: A source that is one chunk.
WHOLE: tuple[type[Any], ...] = (str, bytes, bytearray, memoryview)


def is_async(source: Any) -> bool:
    return getattr(source, "__aiter__", None) is not None


def _loop(source: Any, read: Read, finish: Finish, choose: Choice = None) -> Any:
    return in_async(source, read, finish, choose) if is_async(source) else in_sync(source, read, finish, choose)


def in_sync(source: Any, read: Read, finish: Finish, choose: Choice = None) -> Generator[Any, None, None]:
    """Read a source to its end, and close it if the loop is left before. An error is raised after its events."""
    iterator: Any = iter((source,) if isinstance(source, WHOLE) else source)
    is_read = False
    try:
        for chunk in iterator:
            try:
                told: Any = read(chunk)
            except JsonSpigotError as raised:
                yield from raised.events if choose is None else choose(raised.events)
                raise
            if told:
                yield from told
        is_read = True
        told, error = _ended(finish)
        yield from told if choose is None else choose(told)
        if error is not None:
            raise error
    finally:
        if not is_read:
            for opened in _once(iterator, source):
                close = getattr(opened, "close", None)
                if close is not None:
                    close()


async def in_async(
    source: AsyncIterable[Any], read: Read, finish: Finish, choose: Choice = None
) -> AsyncGenerator[Any, None]:
    """Read an async source to its end, as ``in_sync`` reads another."""
    iterator = aiter(source)
    is_read = False
    try:
        async for chunk in iterator:
            try:
                told: Any = read(chunk)
            except JsonSpigotError as raised:
                for item in raised.events if choose is None else choose(raised.events):
                    yield item
                raise
            for item in told:
                yield item
        is_read = True
        told, error = _ended(finish)
        for item in told if choose is None else choose(told):
            yield item
        if error is not None:
            raise error
    finally:
        if not is_read:
            for opened in _once(iterator, source):
                close = getattr(opened, "aclose", None) or getattr(opened, "close", None)
                closing: Any = None if close is None else close()
                if hasattr(closing, "__await__"):
                    await closing


def _ended(finish: Finish) -> tuple[list[Any], JsonSpigotError | None]:
    try:
        return finish(), None
    except JsonSpigotError as error:
        return error.events, error


def _once(iterator: object, source: object) -> tuple[object, ...]:
    return (iterator,) if iterator is source else (iterator, source)
