"""The events of typed views in streams of many values: tool calls, payloads, documents. One comes each time that more is
known of a value, and the last one just before the value's own end.
"""

# Events are taken as they come: strictly, each line would be a cast.
# pyright: basic
from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._data import core_schema
from ._native import DocumentEnd, EnvelopeEvent, StreamEvent

if TYPE_CHECKING:
    from ._native import Typed


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


@dataclass(frozen=True, slots=True, eq=False)
class TypedCall(_Typed):
    """A tool call's input as its model: as far as it is known, as ``Partial`` says, or the error of one that does not fit.

    Reported whenever more is known. The last one comes just before the call's ``CallEnd``; it is ``complete`` if the call is.
    """

    call: int
    name: str | None
    value: Any
    complete: bool = False
    error: Exception | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TypedPayload(_Typed):
    """A payload of an ``Envelope`` as its model, as ``TypedCall`` is a call's input: the last one comes just before its
    ``EnvelopeEvent.End``."""

    mark: str
    value: Any
    complete: bool = False
    error: Exception | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TypedDocument(_Typed):
    """One of many documents as the model, as ``TypedCall`` is a call's input: the last one comes just before its
    ``DocumentEnd``."""

    document: int
    value: Any
    complete: bool = False
    error: Exception | None = None


class _View:
    """A typed view, and what was last reported of the value that it shows. A value that was wrong is not looked at again."""

    def __init__(self, typed: Typed[Any]) -> None:
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


class Calls:
    """What ``ProviderStream(models=…)`` adds, by the name of the tool."""

    def __init__(self, models: Mapping[Any, Any]) -> None:
        self._models, self._views = dict(models), dict[int, tuple[str | None, _View]]()

    def told(self, stream: Any, events: list[Any]) -> list[Any]:
        told: list[Any] = []
        for event in events:
            if isinstance(event, StreamEvent.CallEnd) and event.name in self._models:
                view = self._view(stream, event.call, event.name)
                del self._views[event.call]
                is_whole = event.status in ("complete", "empty", "accepted")
                told += [TypedCall(event.call, event.name, **parts) for parts in view.ended(event, is_whole)]
            told.append(event)
        for call, name in stream._named_calls():
            if name in self._models:
                view = self._view(stream, call, name)
                told += [TypedCall(call, name, **parts) for parts in view.grown()]
        return told

    def _view(self, stream: Any, call: int, name: str | None) -> _View:
        known = self._views.get(call)
        # The name may come later than the call.
        if known is None or known[0] != name:
            known = self._views[call] = (name, _View(stream._view(call, self._models[name])))
        return known[1]


class Payloads:
    """What ``Envelope(models=…)`` adds, by the mark."""

    def __init__(self, models: Mapping[str, Any]) -> None:
        self._models, self._views = models, dict[str, _View]()

    def told(self, envelope: Any, events: list[Any]) -> list[Any]:
        told: list[Any] = []
        for event in events:
            if isinstance(event, EnvelopeEvent.End) and event.mark in self._models:
                parts = self._view(envelope, event.mark).ended(event, event.status in ("complete", "accepted"))
                told += [TypedPayload(event.mark, **part) for part in parts]
            told.append(event)
        mark = envelope.open_mark
        if mark in self._models:
            told += [TypedPayload(mark, **parts) for parts in self._view(envelope, mark).grown()]
        return told

    def reset(self) -> None:
        self._views.clear()

    def _view(self, envelope: Any, mark: str) -> _View:
        view = self._views.get(mark)
        if view is None:
            view = self._views[mark] = _View(envelope._view(self._models[mark]))
        return view


class Rows:
    """What ``Documents(model=…)`` adds."""

    def __init__(self, model: Any) -> None:
        self._model: Any = model
        self._view: _View | None = None

    def told(self, documents: Any, events: list[Any]) -> list[Any]:
        view = self._view
        if view is None:
            view = self._view = _View(documents._view(self._model))
        told: list[Any] = []
        for event in events:
            if isinstance(event, DocumentEnd):
                told += [TypedDocument(event.document, **parts) for parts in view.ended(event, event.error is None)]
            told.append(event)
        told += [TypedDocument(documents.number, **parts) for parts in view.grown()]
        return told

    def reset(self) -> None:
        self._view = None
