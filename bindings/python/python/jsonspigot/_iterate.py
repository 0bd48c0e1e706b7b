"""Loops over a source of chunks, async or not, that read and yield what becomes known."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Callable, Generator, Iterable
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

from ._errors import JsonSpigotError
from ._native import Delta, Parser, Values
from ._types import Adapter, Chunk, Event, Framing, ParserOptions

if TYPE_CHECKING:
    from ._typed import Partial

T = TypeVar("T")

Patterns = str | Iterable[str] | None


@overload
def events(
    source: Chunk | Iterable[Chunk], patterns: Patterns = None, **options: Unpack[ParserOptions]
) -> Generator[Event, None, None]: ...
@overload
def events(
    source: AsyncIterable[Chunk], patterns: Patterns = None, **options: Unpack[ParserOptions]
) -> AsyncGenerator[Event, None]: ...
def events(
    source: Chunk | Iterable[Chunk] | AsyncIterable[Chunk], patterns: Patterns = None, **options: Unpack[ParserOptions]
) -> Generator[Event, None, None] | AsyncGenerator[Event, None]:
    """Every event of a text that arrives as chunks of ``str`` or bytes.

    ``source`` is an iterable, an async iterable such as an HTTP response's body, or one text; what is returned is an
    iterator, async if the source is. The options are those of ``Parser``. Raises ``JsonSpigotError`` when the text is
    invalid or incomplete, after the events before that.

    >>> [type(event).__name__ for event in events(['{"say": "Hel', 'lo"}'], "say")]
    ['Begin', 'Delta', 'Delta', 'End']
    """
    return _loop(source, Parser(patterns, **_lean(options)))


@overload
def deltas(source: Chunk | Iterable[Chunk], patterns: Patterns, **options: Unpack[ParserOptions]) -> Generator[Delta, None, None]: ...
@overload
def deltas(
    source: AsyncIterable[Chunk], patterns: Patterns, **options: Unpack[ParserOptions]
) -> AsyncGenerator[Delta, None]: ...
def deltas(
    source: Chunk | Iterable[Chunk] | AsyncIterable[Chunk], patterns: Patterns, **options: Unpack[ParserOptions]
) -> Generator[Delta, None, None] | AsyncGenerator[Delta, None]:
    """The pieces of the strings that the patterns select, as ``Delta`` events: ``path`` and ``text``.

    >>> [delta.text for delta in deltas(['{"say": "Hel', 'lo"}'], "say")]
    ['Hel', 'lo']
    """
    # A delta has no way to ask for the whole string.
    options.setdefault("retain", "nothing")
    return _loop(source, Parser(patterns, **options), _only_deltas)


@overload
def values(
    source: Chunk | Iterable[Chunk], patterns: Patterns = None, *, framing: Framing | None = None, **options: Unpack[ParserOptions]
) -> Generator[Any, None, None]: ...
@overload
def values(
    source: AsyncIterable[Chunk], patterns: Patterns = None, *, framing: Framing | None = None, **options: Unpack[ParserOptions]
) -> AsyncGenerator[Any, None]: ...
def values(
    source: Chunk | Iterable[Chunk] | AsyncIterable[Chunk],
    patterns: Patterns = None,
    *,
    framing: Framing | None = None,
    **options: Unpack[ParserOptions],
) -> Generator[Any, None, None] | AsyncGenerator[Any, None]:
    """The whole values that the patterns select, each as soon as it is complete: dicts, lists, strings, numbers.

    With a ``framing`` the source has many texts, as ``Documents`` says: ``"lines"`` reads JSON Lines. Without patterns, the
    values are the texts themselves. The first error is raised after the values before it; that of a line has the number of
    the line in a note. The options are those of ``Parser``, without ``snapshots``, ``provisional`` and ``retain``.

    >>> list(values(['[{"id": 1}, {"id"', ': 2}]'], "[*].id"))
    [1, 2]
    >>> list(values(['{"id": 1}\\n{"id"', ': 2}\\n'], framing="lines"))
    [{'id': 1}, {'id': 2}]
    """
    for name in ("snapshots", "provisional", "retain"):
        if name in options:
            raise TypeError(f"values() has no argument {name!r}")
    return _loop(source, Values("$" if patterns is None and framing is None else patterns, framing, **options))


@overload
def snapshots(
    source: Chunk | Iterable[Chunk],
    *,
    model: None = None,
    context: Any = None,
    strict: bool | None = None,
    by_alias: bool | None = None,
    by_name: bool | None = None,
    **options: Unpack[ParserOptions],
) -> Generator[Any, None, None]: ...
@overload
def snapshots(
    source: AsyncIterable[Chunk],
    *,
    model: None = None,
    context: Any = None,
    strict: bool | None = None,
    by_alias: bool | None = None,
    by_name: bool | None = None,
    **options: Unpack[ParserOptions],
) -> AsyncGenerator[Any, None]: ...
@overload
def snapshots(
    source: Chunk | Iterable[Chunk],
    *,
    model: type[T] | Adapter[T],
    context: Any = None,
    strict: bool | None = None,
    by_alias: bool | None = None,
    by_name: bool | None = None,
    **options: Unpack[ParserOptions],
) -> Generator[Partial[T], None, None]: ...
@overload
def snapshots(
    source: AsyncIterable[Chunk],
    *,
    model: type[T] | Adapter[T],
    context: Any = None,
    strict: bool | None = None,
    by_alias: bool | None = None,
    by_name: bool | None = None,
    **options: Unpack[ParserOptions],
) -> AsyncGenerator[Partial[T], None]: ...
@overload
def snapshots(
    source: Chunk | Iterable[Chunk],
    *,
    model: Any,
    context: Any = None,
    strict: bool | None = None,
    by_alias: bool | None = None,
    by_name: bool | None = None,
    **options: Unpack[ParserOptions],
) -> Generator[Partial[Any], None, None]: ...
@overload
def snapshots(
    source: AsyncIterable[Chunk],
    *,
    model: Any,
    context: Any = None,
    strict: bool | None = None,
    by_alias: bool | None = None,
    by_name: bool | None = None,
    **options: Unpack[ParserOptions],
) -> AsyncGenerator[Partial[Any], None]: ...
def snapshots(
    source: Chunk | Iterable[Chunk] | AsyncIterable[Chunk],
    *,
    model: Any = None,
    context: Any = None,
    strict: bool | None = None,
    by_alias: bool | None = None,
    by_name: bool | None = None,
    **options: Unpack[ParserOptions],
) -> Generator[Any, None, None] | AsyncGenerator[Any, None]:
    """The value as far as it is known, after each chunk that added to it: dicts, lists, strings, numbers.

    What has not changed since the last snapshot is the same object. The last one is the complete value; if the text is
    invalid or incomplete, ``JsonSpigotError`` is raised after the last snapshot.

    With a ``model``, each is a ``Partial`` of it, as ``Parser.typed`` says, and duplicate keys are rejected. A closed value
    that does not fit raises pydantic's ``ValidationError``.

    >>> list(snapshots(['{"say": "Hel', 'lo"}']))
    [{'say': 'Hel'}, {'say': 'Hello'}]
    """
    options.setdefault("snapshots", True)
    if model is not None:
        options.setdefault("duplicate_keys", "reject")
        parser = Parser(**_lean(options))
        typed = parser.typed(model, context=context, strict=strict, by_alias=by_alias, by_name=by_name)
        seen: Partial[Any] | None = None

        def grown(_: list[Event]) -> Iterable[Any]:
            nonlocal seen
            looked = typed.look()
            if looked is None or looked is seen:
                return ()
            seen = looked
            return (looked,)

        return _loop(source, parser, grown)
    for name, value in {"context": context, "strict": strict, "by_alias": by_alias, "by_name": by_name}.items():
        if value is not None:
            raise TypeError(f"snapshots() takes {name!r} only with a model")
    parser = Parser(**_lean(options))
    told = parser.revision()

    def changed(_: list[Event]) -> Iterable[Any]:
        nonlocal told
        # What has only closed prints the same.
        if parser.patch_raw_since(told) == "[]":
            return ()
        told = parser.revision()
        return (parser.snapshot(),)

    return _loop(source, parser, changed)


def _lean(options: ParserOptions) -> ParserOptions:
    # The value is not asked for afterwards, so the whole text need not be kept.
    return {"retain": "matches", **options}


def _only_deltas(told: list[Event]) -> Iterable[Delta]:
    return (event for event in told if isinstance(event, Delta))


#: What of a call's events is passed on; all of them, without one.
Choice = Callable[[list[Any]], Iterable[Any]] | None


#: A source that is one chunk.
WHOLE: tuple[type[Any], ...] = (str, bytes, bytearray, memoryview)


def _loop(
    source: Chunk | Iterable[Chunk] | AsyncIterable[Chunk], parser: Parser | Values, choose: Choice = None
) -> Generator[Any, None, None] | AsyncGenerator[Any, None]:
    if isinstance(source, AsyncIterable):
        return in_async(source, parser.feed, parser.finish, choose)
    return in_sync(source, parser.feed, parser.finish, choose)


def in_sync(
    source: Any, read: Callable[[Any], list[Any]], finish: Callable[[], list[Any]], choose: Choice = None
) -> Generator[Any, None, None]:
    """Reads a source to its end, and closes it if the loop is left before. An error is raised after its events."""
    iterator = iter((source,) if isinstance(source, WHOLE) else source)
    is_read = False
    error: JsonSpigotError | None = None
    try:
        for chunk in iterator:
            try:
                told: Any = read(chunk)
            except JsonSpigotError as raised:
                told, error = raised.events, raised
            if choose is not None:
                told = choose(told)
            if told:
                yield from told
            if error is not None:
                raise error
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
    source: AsyncIterable[Any], read: Callable[[Any], list[Any]], finish: Callable[[], list[Any]], choose: Choice = None
) -> AsyncGenerator[Any, None]:
    """The same of an async source."""
    iterator = aiter(source)
    is_read = False
    error: JsonSpigotError | None = None
    try:
        async for chunk in iterator:
            try:
                told: Any = read(chunk)
            except JsonSpigotError as raised:
                told, error = raised.events, raised
            if choose is not None:
                told = choose(told)
            for item in told:
                yield item
            if error is not None:
                raise error
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
                closing = None if close is None else close()
                if isawaitable(closing):
                    await closing


def _ended(finish: Callable[[], list[Any]]) -> tuple[list[Any], JsonSpigotError | None]:
    try:
        return finish(), None
    except JsonSpigotError as error:
        return error.events, error


def _once(iterator: object, source: object) -> tuple[object, ...]:
    return (iterator,) if iterator is source else (iterator, source)
