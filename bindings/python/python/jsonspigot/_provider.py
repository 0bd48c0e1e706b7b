"""One loop over a provider's stream: an SDK's events, a response's body, or a list of either."""

from __future__ import annotations

from ._errors import JsonSpigotError
from ._iterate import WHOLE, in_async, in_sync, is_async
from ._native import ProviderStream, StreamEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable
    from typing import Any, Unpack, overload

    from ._streams import TypedCall
    from ._types import LoopOptions, Models, Patterns, ProviderName
else:
    from ._iterate import overload


@overload
def provider_events(
    stream: Iterable[Any], patterns: Patterns = None, *, models: None = None, **options: Unpack[LoopOptions]
) -> Generator[StreamEvent, None, None]: ...
@overload
def provider_events(
    stream: AsyncIterable[Any], patterns: Patterns = None, *, models: None = None, **options: Unpack[LoopOptions]
) -> AsyncGenerator[StreamEvent, None]: ...
@overload
def provider_events(
    stream: Iterable[Any], patterns: Patterns = None, *, models: Models, **options: Unpack[LoopOptions]
) -> Generator[StreamEvent | TypedCall, None, None]: ...
@overload
def provider_events(
    stream: AsyncIterable[Any], patterns: Patterns = None, *, models: Models, **options: Unpack[LoopOptions]
) -> AsyncGenerator[StreamEvent | TypedCall, None]: ...
def provider_events(stream: Any, patterns: Patterns = None, *, provider: ProviderName = "auto", **options: Any) -> Any:
    """Yield every event of a provider's stream. It is read to its end, and closed if the loop is left before.

    ``stream`` yields an SDK's event objects, dicts, or pieces of the body as ``str`` or bytes. With ``models``, by the name
    of the tool, there is a ``TypedCall`` each time that more of such a call's input is known; ``None`` is the name of the
    answer itself with ``structured=True``. The other options are those of ``ProviderStream``.

    Raises ``JsonSpigotError`` of the kind ``"no-event"`` at the end of a stream in which nothing was recognized.
    """
    reader = ProviderStream(provider, patterns, **options)
    is_recognized = False

    def noted(told: list[Any]) -> list[Any]:
        nonlocal is_recognized
        is_recognized = is_recognized or not all(isinstance(event, StreamEvent.BadFrame) for event in told)
        return told

    def read(item: Any) -> list[Any]:
        return noted(reader.feed(item) if isinstance(item, WHOLE) else reader.push(item))

    def finish() -> list[Any]:
        told = noted(reader.finish())
        kind, why = reader.unfinished() or (None, "")
        if kind == "no-event" or (kind == "bad-frame" and not is_recognized):
            # Another text than a stream of this provider: an error's page, a proxy's answer.
            raise JsonSpigotError(why, "no-event", path=None, events=told)
        return told

    return in_async(stream, read, finish) if is_async(stream) else in_sync(stream, read, finish)
