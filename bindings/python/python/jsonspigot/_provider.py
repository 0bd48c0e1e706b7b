"""One loop over a provider's stream: an SDK's events, a response's body, or a list of either."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Unpack, overload

from ._iterate import Attempt, in_async, in_sync
from ._native import ProviderStream, StreamEvent
from ._typed import View
from ._types import ParserOptions, ProviderName


@dataclass(frozen=True, slots=True)
class TypedCall:
    """A tool call's input as its model: as far as it is known, as ``Partial`` says, or the error of one that does not fit.

    Told whenever more is known. The last one comes just before the call's ``CallEnd``.
    """

    call: int
    name: str | None
    value: Any
    complete: bool = False
    error: Exception | None = None


Patterns = str | Iterable[str] | None
_BODY: tuple[type[Any], ...] = (str, bytes, bytearray, memoryview)


@overload
def provider_events(
    stream: Iterable[Any],
    patterns: Patterns = None,
    *,
    provider: ProviderName = "auto",
    models: None = None,
    patterns_for: Mapping[str, str | Iterable[str]] | None = None,
    **options: Unpack[ParserOptions],
) -> Generator[StreamEvent, None, None]: ...
@overload
def provider_events(
    stream: AsyncIterable[Any],
    patterns: Patterns = None,
    *,
    provider: ProviderName = "auto",
    models: None = None,
    patterns_for: Mapping[str, str | Iterable[str]] | None = None,
    **options: Unpack[ParserOptions],
) -> AsyncGenerator[StreamEvent, None]: ...
@overload
def provider_events(
    stream: Iterable[Any],
    patterns: Patterns = None,
    *,
    provider: ProviderName = "auto",
    models: Mapping[str, Any],
    patterns_for: Mapping[str, str | Iterable[str]] | None = None,
    **options: Unpack[ParserOptions],
) -> Generator[StreamEvent | TypedCall, None, None]: ...
@overload
def provider_events(
    stream: AsyncIterable[Any],
    patterns: Patterns = None,
    *,
    provider: ProviderName = "auto",
    models: Mapping[str, Any],
    patterns_for: Mapping[str, str | Iterable[str]] | None = None,
    **options: Unpack[ParserOptions],
) -> AsyncGenerator[StreamEvent | TypedCall, None]: ...
def provider_events(
    stream: Iterable[Any] | AsyncIterable[Any],
    patterns: Patterns = None,
    *,
    provider: ProviderName = "auto",
    models: Mapping[str, Any] | None = None,
    patterns_for: Mapping[str, str | Iterable[str]] | None = None,
    **options: Unpack[ParserOptions],
) -> Generator[Any, None, None] | AsyncGenerator[Any, None]:
    """Every event of a provider's stream, which is read to its end, and closed if the loop is left before.

    ``stream`` yields an SDK's event objects, dicts, or pieces of the body as ``str`` or bytes. With ``models``, by the name
    of the tool, there is a ``TypedCall`` each time that more of such a call's input is known. The other arguments are those
    of ``ProviderStream``.
    """
    if models:
        options.setdefault("snapshots", True)
    reader = ProviderStream(provider, patterns, patterns_for=patterns_for, **options)
    calls = _Calls(reader, models or {}, bool(options.get("decimals")))

    def read(item: Any) -> Attempt:
        if isinstance(item, _BODY):
            return reader.feed(item), None
        return reader.push(item), None

    def finish() -> Attempt:
        return reader.finish(), None

    if isinstance(stream, AsyncIterable):
        return in_async(stream, read, finish, calls.told)
    return in_sync(stream, read, finish, calls.told)


class _Calls:
    """The typed views of the calls that are open."""

    def __init__(self, reader: ProviderStream, models: Mapping[str, Any], decimals: bool) -> None:
        self._reader, self._models, self._decimals = reader, models, decimals
        self._open: dict[int, tuple[str, View[Any]]] = {}
        self._seen: dict[int, Any] = {}

    def told(self, events: list[StreamEvent]) -> Iterable[Any]:
        for event in events:
            if isinstance(event, StreamEvent.CallStart):
                self._start(event.call, event.name)
            elif isinstance(event, StreamEvent.CallEnd):
                self._start(event.call, event.name)
                yield from self._end(event)
            yield event
        for call, (name, view) in list(self._open.items()):
            path = self._reader.open_path(call)
            if path is None:
                continue
            try:
                partial = view.open(path, self._reader.snapshot(call))
            except Exception as error:
                del self._open[call]
                yield TypedCall(call, name, None, error=error)
                continue
            if partial is not None and partial is not self._seen.get(call):
                self._seen[call] = partial
                yield TypedCall(call, name, partial.value)

    def _start(self, call: int, name: str | None) -> None:
        # A call is not started anew at its end, and one that was wrong is not looked at again.
        if name is not None and name in self._models and call not in self._seen:
            self._open[call] = (name, View(self._models[name], decimals=self._decimals))
            self._seen[call] = None

    def _end(self, event: StreamEvent.CallEnd) -> Iterable[TypedCall]:
        name, view = self._open.pop(event.call, (None, None))
        self._seen.pop(event.call, None)
        if view is None or event.status not in ("complete", "empty"):
            return
        try:
            partial = view.closed(event.value)
        except Exception as error:
            yield TypedCall(event.call, name, None, error=error)
        else:
            yield TypedCall(event.call, name, partial.value, complete=True)
