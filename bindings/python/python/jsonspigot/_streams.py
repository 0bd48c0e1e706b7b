"""The events of typed views in streams of many values: tool calls, payloads, documents. One comes each time that more is
known of a value, and the last one just before the value's own end.
"""

# Events are taken as they come: strictly, each line would be a cast.
# pyright: basic
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, dataclass_transform

from ._data import core_schema, serializer
from ._native import DocumentEnd, EnvelopeEvent, StreamEvent
from ._typed import plan_of

T = TypeVar("T")


class _Typed:
    """What the events have in common: they are data, as all events are."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The event as a dict that ``json.dumps`` takes, with its ``type``; an error is its text."""
        from pydantic_core import to_jsonable_python

        parts: dict[str, Any] = {"type": type(self).__name__}
        for name, part in self._parts():
            parts[name] = str(part) if isinstance(part, Exception) else to_jsonable_python(part)
        return parts

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """The items of ``to_dict``: so ``dict(event)`` is the same, for those who know no other way."""
        return iter(self.to_dict().items())

    @property
    def __pydantic_serializer__(self) -> Any:
        cls: Any = type(self)
        return serializer(cls)

    def __reduce__(self) -> Any:
        return type(self), tuple(part for _, part in self._parts())

    def _parts(self) -> list[tuple[str, Any]]:
        names: Any = self.__match_args__  # type: ignore[attr-defined]  # pyright: ignore
        return [(name, getattr(self, name)) for name in names]

    def _state(self) -> list[Any]:
        # Exceptions are not compared by what they say.
        return [(type(part), str(part)) if isinstance(part, Exception) else part for _, part in self._parts()]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._state() == other._state()

    def __hash__(self) -> int:
        return hash((type(self), self._parts()[0]))

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any, /) -> Any:
        return core_schema(cls)


@dataclass_transform(eq_default=False, frozen_default=True)
def _event(cls: type[T]) -> type[T]:
    """A frozen dataclass; but not for those who ask whether it is one, such as FastAPI: what it is as data, it says itself."""
    made = dataclass(frozen=True, slots=True, eq=False)(cls)
    del made.__dataclass_fields__  # type: ignore[attr-defined]
    return made


@_event
class TypedCall(_Typed):
    """A tool call's input as its model: as far as it is known, as ``Partial`` says, or the error of one that does not fit.

    Reported whenever more is known. The last one comes just before the call's ``CallEnd``; it is ``complete`` if the call is.
    """

    call: int
    name: str | None
    value: Any
    complete: bool = False
    error: Exception | None = None


@_event
class TypedPayload(_Typed):
    """A payload of an ``Envelope`` as its model, as ``TypedCall`` is a call's input: the last one comes just before its
    ``EnvelopeEvent.End``."""

    mark: str
    value: Any
    complete: bool = False
    error: Exception | None = None


@_event
class TypedDocument(_Typed):
    """One of many documents as the model, as ``TypedCall`` is a call's input: the last one comes just before its
    ``DocumentEnd``."""

    document: int
    value: Any
    complete: bool = False
    error: Exception | None = None


class _View:
    """A typed view, and what was last reported of the value that it shows. A value that was wrong is not looked at again."""

    def __init__(self, typed: Any) -> None:
        self._typed = typed
        self._seen: Any = None
        self._has_failed = False

    def grown(self) -> Iterator[dict[str, Any]]:
        """The parts of the event, if more is known than last time."""
        if self._has_failed:
            return
        try:
            partial = self._typed.look()
        except Exception as error:
            self._has_failed = True
            yield {"value": None, "error": error}
            return
        if partial is not None and partial is not self._seen and not partial.complete:
            self._seen = partial
            yield {"value": partial.value}

    def ended(self, end: Any, is_whole: bool) -> Iterator[dict[str, Any]]:
        """The parts of the last event. The view is as new afterwards."""
        has_failed, self._has_failed, self._seen = self._has_failed, False, None
        if not is_whole or has_failed:
            self._typed._broken()
            return
        try:
            partial = self._typed._whole(end)
        except Exception as error:
            yield {"value": None, "error": error}
        else:
            yield {"value": partial.value, "complete": True}


class _Teller:
    """Adds typed events to those of a stream."""

    def __init__(self, models: Iterable[Any]) -> None:
        for model in models:
            # A bad one is an error now, and not in the midst of a stream.
            plan_of(model)
        # The events made before a validator was interrupted, and those that are left: they are returned with the next ones.
        self._told: list[Any] = []
        self._left: list[Any] = []

    def told(self, stream: Any, events: list[Any]) -> list[Any]:
        told, left = self._told, [*self._left, *events]
        self._told, self._left = [], []
        done = 0
        try:
            for event in left:
                for typed in self._ended(stream, event):
                    told.append(typed)
                told.append(event)
                done += 1
            for typed in self._grown(stream):
                told.append(typed)
        except BaseException:
            self._told, self._left = told, left[done:]
            raise
        return told

    def reset(self) -> None:
        self._told, self._left = [], []

    def _ended(self, stream: Any, event: Any) -> Iterator[Any]:
        """Yield the typed events before an event."""
        raise NotImplementedError

    def _grown(self, stream: Any) -> Iterator[Any]:
        """Yield the typed events of open values."""
        raise NotImplementedError


class Calls(_Teller):
    """Adds ``TypedCall`` events for ``ProviderStream(models=…)``, by the name of the tool."""

    def __init__(self, models: Mapping[Any, Any]) -> None:
        self._models, self._views = dict(models), dict[int, tuple[str | None, _View]]()
        super().__init__(self._models.values())

    def _ended(self, stream: Any, event: Any) -> Iterator[Any]:
        if not isinstance(event, StreamEvent.CallEnd) or event.name not in self._models:
            return
        view = self._view(stream, event.call, event.name)
        is_whole = event.status in ("complete", "empty", "accepted")
        for parts in view.ended(event, is_whole):
            yield TypedCall(event.call, event.name, **parts)
        self._views.pop(event.call, None)

    def _grown(self, stream: Any) -> Iterator[Any]:
        for call, name in stream._named_calls():
            if name in self._models:
                for parts in self._view(stream, call, name).grown():
                    yield TypedCall(call, name, **parts)

    def _view(self, stream: Any, call: int, name: str | None) -> _View:
        known = self._views.get(call)
        # The name may come later than the call.
        if known is None or known[0] != name:
            known = self._views[call] = (name, _View(stream._view(call, self._models[name])))
        return known[1]


class Payloads(_Teller):
    """Adds ``TypedPayload`` events for ``Envelope(models=…)``, by the mark."""

    def __init__(self, models: Mapping[str, Any]) -> None:
        super().__init__(models.values())
        self._models, self._views = models, dict[str, _View]()

    def _ended(self, stream: Any, event: Any) -> Iterator[Any]:
        if not isinstance(event, EnvelopeEvent.End) or event.mark not in self._models:
            return
        for parts in self._view(stream, event.mark).ended(event, event.status in ("complete", "accepted")):
            yield TypedPayload(event.mark, **parts)

    def _grown(self, stream: Any) -> Iterator[Any]:
        mark = stream.open_mark
        if mark in self._models:
            for parts in self._view(stream, mark).grown():
                yield TypedPayload(mark, **parts)

    def reset(self) -> None:
        super().reset()
        self._views.clear()

    def _view(self, envelope: Any, mark: str) -> _View:
        view = self._views.get(mark)
        if view is None:
            view = self._views[mark] = _View(envelope._view(self._models[mark]))
        return view


class Rows(_Teller):
    """Adds ``TypedDocument`` events for ``Documents(model=…)``."""

    def __init__(self, model: Any) -> None:
        super().__init__([model])
        self._model: Any = model
        self._known: _View | None = None

    def _ended(self, stream: Any, event: Any) -> Iterator[Any]:
        if isinstance(event, DocumentEnd):
            for parts in self._view(stream).ended(event, event.error is None):
                yield TypedDocument(event.document, **parts)

    def _grown(self, stream: Any) -> Iterator[Any]:
        for parts in self._view(stream).grown():
            yield TypedDocument(stream.number, **parts)

    def reset(self) -> None:
        super().reset()
        self._known = None

    def _view(self, documents: Any) -> _View:
        if self._known is None:
            self._known = _View(documents._view(self._model))
        return self._known
