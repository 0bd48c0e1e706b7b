"""The events of typed views in streams of many values: tool calls, payloads, documents. One comes each time that more is
known of a value, and the last one just before the value's own end.
"""

# Events are taken as they come: strictly, each line would be a cast.
# pyright: basic
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ._native import DocumentEnd, EnvelopeEvent, StreamEvent, _Event
from ._typed import plan_of


class _Typed(_Event):
    """What the events have in common: any value is data for pydantic, and an error is its text."""

    def __init_subclass__(cls) -> None:
        names: Any = tuple(cls.__annotations__)
        cls.__match_args__ = names  # type: ignore[misc]

    def to_dict(self) -> dict[str, Any]:
        """The event as a dict that ``json.dumps`` takes, with its ``type``; an error is its text."""
        from pydantic_core import to_jsonable_python

        parts: dict[str, Any] = {"type": type(self).__name__}
        names: Any = self.__match_args__
        for name in names:
            part = getattr(self, name)
            parts[name] = str(part) if isinstance(part, Exception) else to_jsonable_python(part)
        return parts


class TypedCall(_Typed):
    """A tool call's input as its model: as far as it is known, as ``Partial`` says, or the error of one that does not fit.

    Reported whenever more is known. The last one comes just before the call's ``CallEnd``; it is ``complete`` if the call is.
    """

    call: int
    name: str | None
    value: Any
    complete: bool = False
    error: Exception | None = None


class TypedPayload(_Typed):
    """A payload of an ``Envelope`` as its model, as ``TypedCall`` is a call's input: the last one comes just before its
    ``EnvelopeEvent.End``."""

    mark: str
    value: Any
    complete: bool = False
    error: Exception | None = None


class TypedDocument(_Typed):
    """One of many documents as the model, as ``TypedCall`` is a call's input: the last one comes just before its
    ``DocumentEnd``."""

    document: int
    value: Any
    complete: bool = False
    error: Exception | None = None


class _View:
    """A typed view, and what was last reported of the value that it shows. A value that was wrong is not looked at again."""

    def __init__(self, typed: Any, name: str | None) -> None:
        self.name = name
        self._typed = typed
        self._seen: Any = None
        self._has_failed = False

    def grown(self) -> dict[str, Any] | None:
        """The parts of the event, if more is known than last time."""
        if self._has_failed:
            return None
        try:
            partial = self._typed.look()
        except Exception as error:
            self._has_failed = True
            return {"value": None, "error": error}
        if partial is None or partial is self._seen or partial.complete:
            return None
        self._seen = partial
        return {"value": partial.value}

    def ended(self, end: Any) -> dict[str, Any] | None:
        """The parts of the last event. The view is as new afterwards."""
        has_failed, self._has_failed, self._seen = self._has_failed, False, None
        if end.raw is None or has_failed:
            self._typed._end(None)
            return None
        try:
            return {"value": self._typed._end(end).value, "complete": True}
        except Exception as error:
            return {"value": None, "error": error}


class Teller:
    """Adds typed events to those of a stream. ``models`` are by the names of its values, such as that of a tool."""

    made: Any

    def __init__(self, models: Mapping[Any, Any]) -> None:
        self._models = dict(models)
        for model in self._models.values():
            # A bad one is an error now, and not in the midst of a stream.
            plan_of(model)
        #: By the arguments that name a value of the stream beside its model.
        self._views: dict[tuple[Any, ...], _View] = {}
        # The events made before a validator was interrupted, and those that are left: they are returned with the next ones.
        self._told: list[Any] = []
        self._left: list[Any] = []

    def told(self, stream: Any, events: list[Any]) -> list[Any]:
        told, left = self._told, [*self._left, *events]
        self._told, self._left = [], []
        done = 0
        try:
            for event in left:
                end = event
                while isinstance(end, StreamEvent.Agent):
                    end = end.event
                for arguments, name, head in self.ended(end):
                    view = self._view(stream, arguments, name)
                    if view is not None:
                        self._tell(told, head, view.ended(end))
                    if arguments:
                        self._views.pop(arguments, None)
                told.append(event)
                done += 1
            for arguments, name, head in self.open(stream):
                view = self._view(stream, arguments, name)
                if view is not None:
                    self._tell(told, head, view.grown())
        except BaseException:
            self._told, self._left = told, left[done:]
            raise
        return told

    def reset(self) -> None:
        self._told, self._left = [], []
        self._views.clear()

    def open(self, stream: Any) -> Iterable[_Value]:
        """The open values of a stream."""
        raise NotImplementedError

    def ended(self, event: Any) -> Iterable[_Value]:
        """The value that an event ends."""
        raise NotImplementedError

    def _tell(self, told: list[Any], head: tuple[Any, ...], parts: dict[str, Any] | None) -> None:
        if parts:
            told.append(self.made(*head, **parts))

    def _view(self, stream: Any, arguments: tuple[Any, ...], name: str | None) -> _View | None:
        if name not in self._models:
            return None
        known = self._views.get(arguments)
        # The name may come later than the call, and a payload may follow one of another mark.
        if known is None or known.name != name:
            known = self._views[arguments] = _View(stream._view(self._models[name], *arguments), name)
        return known


#: A value of a stream: the arguments for its view beside the model, its name, and the first parts of its event.
_Value = tuple[tuple[Any, ...], Any, tuple[Any, ...]]


class Calls(Teller):
    """Adds ``TypedCall`` events for ``ProviderStream(models=…)``, by the name of the tool."""

    made = TypedCall

    def open(self, stream: Any) -> Iterable[_Value]:
        return [((call,), name, (call, name)) for call, name in stream._named_calls()]

    def ended(self, event: Any) -> Iterable[_Value]:
        if isinstance(event, StreamEvent.CallEnd):
            yield (event.call,), event.name, (event.call, event.name)


class Payloads(Teller):
    """Adds ``TypedPayload`` events for ``Envelope(models=…)``, by the mark."""

    made = TypedPayload

    def open(self, stream: Any) -> Iterable[_Value]:
        return [((), stream.open_mark, (stream.open_mark,))]

    def ended(self, event: Any) -> Iterable[_Value]:
        if isinstance(event, EnvelopeEvent.End):
            yield (), event.mark, (event.mark,)


class Rows(Teller):
    """Adds ``TypedDocument`` events for ``Documents(model=…)``."""

    made = TypedDocument

    def __init__(self, model: Any) -> None:
        super().__init__({None: model})

    def open(self, stream: Any) -> Iterable[_Value]:
        return [((), None, (stream.number,))]

    def ended(self, event: Any) -> Iterable[_Value]:
        if isinstance(event, DocumentEnd):
            yield (), None, (event.document,)
