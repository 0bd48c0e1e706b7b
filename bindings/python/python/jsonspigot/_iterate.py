"""Loops over a source of chunks, async or not, that read and yield what becomes known."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from typing import Any

from ._errors import JsonSpigotError
from ._native import Delta, Parser


def events(source: Any, patterns: Any = None, **options: Any) -> Any:
    """Every event of a text that arrives as chunks of ``str`` or bytes.

    ``source`` is an iterable, or an async iterable such as an HTTP response's body; what is returned is an iterator of the
    same kind. The options are those of ``Parser``. Raises ``JsonSpigotError`` when the text is invalid or incomplete,
    after the events before that.

    >>> [type(event).__name__ for event in events(['{"say": "Hel', 'lo"}'], "say")]
    ['Begin', 'Delta', 'Delta', 'End']
    """
    return _loop(source, Parser(patterns, **_lean(options)), _all)


def deltas(source: Any, patterns: Any, **options: Any) -> Any:
    """The pieces of the strings that the patterns select, as ``Delta`` events: ``path`` and ``text``.

    >>> [delta.text for delta in deltas(['{"say": "Hel', 'lo"}'], "say")]
    ['Hel', 'lo']
    """
    return _loop(source, Parser(patterns, **_lean(options)), _only_deltas)


def snapshots(source: Any, **options: Any) -> Any:
    """The value as far as it is known, after each chunk that added to it: dicts, lists, strings, numbers.

    What has not changed since the last snapshot is the same object. The last one is the complete value; if the text is
    invalid or incomplete, ``JsonSpigotError`` is raised after the last snapshot.

    >>> list(snapshots(['{"say": "Hel', 'lo"}']))
    [{'say': 'Hel'}, {'say': 'Hello'}]
    """
    options.setdefault("snapshots", True)
    parser = Parser(**_lean(options))
    told = parser.revision()

    def changed(_: list[Any]) -> Iterable[Any]:
        nonlocal told
        if not parser.has_changed_since(told):
            return ()
        told = parser.revision()
        return (parser.snapshot(),)

    return _loop(source, parser, changed)


def _lean(options: dict[str, Any]) -> dict[str, Any]:
    # The value is not asked for afterwards, so the whole text need not be kept.
    return {"retain": "matches", **options}


def _all(events: list[Any]) -> Iterable[Any]:
    return events


def _only_deltas(events: list[Any]) -> Iterable[Any]:
    return (event for event in events if isinstance(event, Delta))


Choice = Callable[[list[Any]], Iterable[Any]]


def _loop(source: Iterable[Any] | AsyncIterable[Any], parser: Parser, choose: Choice) -> Any:
    if hasattr(source, "__aiter__"):
        return _aloop(source, parser, choose)  # type: ignore[arg-type]
    return _sloop(source, parser, choose)  # type: ignore[arg-type]


def _sloop(source: Iterable[Any], parser: Parser, choose: Choice) -> Iterator[Any]:
    try:
        for chunk in source:
            yield from choose(parser.feed(chunk))
        yield from choose(parser.finish())
    except JsonSpigotError as error:
        yield from choose(error.events)
        raise


async def _aloop(source: AsyncIterable[Any], parser: Parser, choose: Choice) -> AsyncIterator[Any]:
    try:
        async for chunk in source:
            for told in choose(parser.feed(chunk)):
                yield told
        for told in choose(parser.finish()):
            yield told
    except JsonSpigotError as error:
        for told in choose(error.events):
            yield told
        raise
