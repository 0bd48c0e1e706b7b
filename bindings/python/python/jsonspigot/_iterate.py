"""Loops over a source of chunks, async or not, that read and yield what becomes known."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from typing import Any, Unpack, overload

from ._errors import JsonSpigotError
from ._native import Delta, Parser
from ._types import Chunk, Event, ParserOptions

Patterns = str | Iterable[str] | None


@overload
def events(
    source: Iterable[Chunk], patterns: Patterns = None, **options: Unpack[ParserOptions]
) -> Iterator[Event]: ...
@overload
def events(
    source: AsyncIterable[Chunk], patterns: Patterns = None, **options: Unpack[ParserOptions]
) -> AsyncIterator[Event]: ...
def events(
    source: Iterable[Chunk] | AsyncIterable[Chunk], patterns: Patterns = None, **options: Unpack[ParserOptions]
) -> Iterator[Event] | AsyncIterator[Event]:
    """Every event of a text that arrives as chunks of ``str`` or bytes.

    ``source`` is an iterable, or an async iterable such as an HTTP response's body; what is returned is an iterator of the
    same kind. The options are those of ``Parser``. Raises ``JsonSpigotError`` when the text is invalid or incomplete,
    after the events before that.

    >>> [type(event).__name__ for event in events(['{"say": "Hel', 'lo"}'], "say")]
    ['Begin', 'Delta', 'Delta', 'End']
    """
    return _loop(source, Parser(patterns, **_lean(options)), _all)


@overload
def deltas(source: Iterable[Chunk], patterns: Patterns, **options: Unpack[ParserOptions]) -> Iterator[Delta]: ...
@overload
def deltas(
    source: AsyncIterable[Chunk], patterns: Patterns, **options: Unpack[ParserOptions]
) -> AsyncIterator[Delta]: ...
def deltas(
    source: Iterable[Chunk] | AsyncIterable[Chunk], patterns: Patterns, **options: Unpack[ParserOptions]
) -> Iterator[Delta] | AsyncIterator[Delta]:
    """The pieces of the strings that the patterns select, as ``Delta`` events: ``path`` and ``text``.

    >>> [delta.text for delta in deltas(['{"say": "Hel', 'lo"}'], "say")]
    ['Hel', 'lo']
    """
    return _loop(source, Parser(patterns, **_lean(options)), _only_deltas)


@overload
def snapshots(source: Iterable[Chunk], **options: Unpack[ParserOptions]) -> Iterator[Any]: ...
@overload
def snapshots(source: AsyncIterable[Chunk], **options: Unpack[ParserOptions]) -> AsyncIterator[Any]: ...
def snapshots(
    source: Iterable[Chunk] | AsyncIterable[Chunk], **options: Unpack[ParserOptions]
) -> Iterator[Any] | AsyncIterator[Any]:
    """The value as far as it is known, after each chunk that added to it: dicts, lists, strings, numbers.

    What has not changed since the last snapshot is the same object. The last one is the complete value; if the text is
    invalid or incomplete, ``JsonSpigotError`` is raised after the last snapshot.

    >>> list(snapshots(['{"say": "Hel', 'lo"}']))
    [{'say': 'Hel'}, {'say': 'Hello'}]
    """
    options.setdefault("snapshots", True)
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


def _all(told: list[Event]) -> Iterable[Event]:
    return told


def _only_deltas(told: list[Event]) -> Iterable[Delta]:
    return (event for event in told if isinstance(event, Delta))


Choice = Callable[[list[Event]], Iterable[Any]]


def _loop(source: Iterable[Chunk] | AsyncIterable[Chunk], parser: Parser, choose: Choice) -> Iterator[Any] | AsyncIterator[Any]:
    if isinstance(source, AsyncIterable):
        return _in_async(source, parser, choose)
    return _in_sync(source, parser, choose)


def _in_sync(source: Iterable[Chunk], parser: Parser, choose: Choice) -> Iterator[Any]:
    for chunk in source:
        told, error = _tried(parser.feed, chunk)
        yield from choose(told)
        if error is not None:
            raise error
    told, error = _tried(parser.finish)
    yield from choose(told)
    if error is not None:
        raise error


async def _in_async(source: AsyncIterable[Chunk], parser: Parser, choose: Choice) -> AsyncIterator[Any]:
    async for chunk in source:
        told, error = _tried(parser.feed, chunk)
        for chosen in choose(told):
            yield chosen
        if error is not None:
            raise error
    told, error = _tried(parser.finish)
    for chosen in choose(told):
        yield chosen
    if error is not None:
        raise error


def _tried(call: Callable[..., list[Event]], *arguments: Chunk) -> tuple[list[Event], JsonSpigotError | None]:
    """The events of a call, and its error, which is raised only after they have been passed on."""
    try:
        return call(*arguments), None
    except JsonSpigotError as error:
        return error.events, error
