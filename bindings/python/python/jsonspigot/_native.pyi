"""The native module. `tests/stubs.py` writes the docstrings, and `tests/test_types.py` checks this file against it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, field
from typing import Any, Generic, Literal, Self, Unpack, dataclass_transform, final, overload

from typing_extensions import TypeVar, disjoint_base

from ._errors import JsonSpigotError
from ._patch import PatchOp
from ._rules import Rule
from ._streams import TypedCall, TypedDocument, TypedPayload
from ._typed import Look, Partial, T
from ._types import (
    Chunk,
    Deviation,
    EnvelopeOptions,
    Event,
    Framing,
    LookOptions,
    Model,
    Models,
    ParserOptions,
    Patterns,
    PayloadStatus,
    ProviderName,
    RewriterOptions,
    SavedState,
    StreamOptions,
    ValueKind,
    ValueState,
    ViewOptions,
)

_L = TypeVar("_L", default=Any)
_CallTold = TypeVar("_CallTold", default=StreamEvent)
_PayloadTold = TypeVar("_PayloadTold", default=EnvelopeEvent)
_DocumentTold = TypeVar("_DocumentTold", default=Event | DocumentEnd)

@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(field,))
class _Event:
    def to_dict(self) -> dict[str, Any]:
        """Return the event as a dict that ``json.dumps`` takes, with its ``type``."""
    def __iter__(self) -> Iterator[tuple[str, Any]]: ...
    @property
    def __pydantic_serializer__(self) -> Any: ...
    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any, /) -> Any: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

class _Match(_Event):
    _: KW_ONLY
    pattern: int = 0
    match_id: int = 0
    offset: int = 0
    document: int = 0
    @property
    def indices(self) -> tuple[int, ...]:
        """The array indices in the path, outermost first: the values of the wildcards."""

@final
class Begin(_Match):
    """The first byte of a value has arrived."""
    path: str
    kind: ValueKind

@final
class Delta(_Match):
    """New decoded text of an open string: never empty, and never ending inside a character."""
    path: str
    text: str

@final
class End(_Match):
    """The value is complete."""
    __match_args__ = ("path", "value")  # pyright: ignore[reportAssignmentType]
    path: str
    raw: str | None
    decimals: bool = field(default=False, kw_only=True)
    @property
    def value(self) -> Any: ...

@final
class InnerError(_Match):
    """The text inside a string, as ``outer | inner`` reads it, is not JSON, or is incomplete at the string's end."""
    path: str
    error: JsonSpigotError

@final
class Revision:
    """A moment of a snapshot, to be compared with a later one; see ``Parser.revision``."""
    def to_bytes(self) -> bytes:
        """Return the revision as 20 bytes, to be kept beside a saved parser; see ``from_bytes``."""
    @staticmethod
    def from_bytes(data: SavedState) -> Revision:
        """Return the revision that gave these bytes; the restored parser knows it."""

class _Saved:
    def save(self) -> bytes:
        """Return the state between two chunks as bytes, for ``restore`` in this or another process."""

class _Reader(_Saved):
    def reset(self) -> None:
        """Begin a new text, and keep the patterns, options and buffers."""
    def snapshot(self) -> Any:
        """Return the open value so far, with open strings and containers closed; ``None`` if nothing has begun."""
    def snapshot_raw(self) -> str | None:
        """Return the snapshot's JSON text on one line, or ``None`` if nothing has begun."""
    def open_path(self) -> tuple[str | int, ...] | None:
        """Return the path to the innermost open value that the snapshot shows; ``None`` if nothing is open."""
    def state_of(self, path: str) -> ValueState | None:
        """Return the state of the value at a concrete path such as ``"a[0].b"``; ``None`` if no text is open."""
    @overload
    def typed(self, model: Model[T], **options: Unpack[LookOptions]) -> Typed[Look[T]]:
        """Return a typed view of the text, as one of several; see ``Typed``."""
    @overload
    def typed(self, model: Any, **options: Unpack[LookOptions]) -> Typed[Any]: ...

@disjoint_base
class Parser(_Reader, Generic[_L]):
    """A resumable parser of one JSON text.

    ``patterns`` are RFC 9535 paths of what to report, such as ``"ask_slots[*].message"``: one, or an iterable of them. Names,
    indices, wildcards, slices, unions and descendants are allowed; ``outer | inner`` reads the JSON text in a string, and
    the deltas of ``raw:path`` are JSON text. Each ``feed`` returns ``Begin``, ``Delta``, ``End`` and ``InnerError``
    events. A parser belongs to one thread at a time; a second thread gets a ``RuntimeError``.

    Everything that has parsers takes these options:

    - ``snapshots``: keep the value so far, for ``snapshot`` and patches. Default ``False``.
    - ``provisional``: also show open numbers and literals: ``12`` of what may become ``123``. Implies ``snapshots``.
    - ``retain``: the text that is kept: ``"all"`` (default), for ``value``; ``"matches"``, for ``End.value``; or ``"nothing"``.
    - ``duplicate_keys``: ``"last-wins"`` (default) or ``"reject"``, which is an error at the second key.
    - ``max_depth``: the most levels; default 127. ``None`` here and below is no limit.
    - ``max_key``, ``max_string``, ``max_number``: the most bytes of one of them. Default ``None``.
    - ``max_blank``: the most bytes of white space in a row. ``max_total``: the most bytes of the text. Default ``None``.
    - ``lenient``: the deviations from JSON after which parsing continues, to show what follows: ``"model-output"`` (all), or
    any of ``"control-characters"``, ``"bad-escapes"``, ``"lone-surrogates"``, ``"trailing-commas"``, ``"comments"``,
    ``"single-quotes"``, ``"bare-keys"``, ``"python-literals"``, ``"non-finite"`` (``NaN`` and ``Infinity`` are ``None``) and
    ``"byte-order-mark"``. A text with one still fails at its end.
    - ``accept_deviations``: let a text with such deviations succeed, with the value of its strict form.
    - ``decimals``: make ``Decimal`` of numbers with a fraction or exponent, not ``float``.

    With a ``model``, ``look`` returns a ``Partial`` of it: a pydantic model, dataclass, ``TypedDict``, ``TypeAdapter`` or any type
    that pydantic validates. Then ``snapshots=True`` and ``duplicate_keys="reject"`` are the defaults, and there are more options:

    - ``missing``: ``"none"`` (default) shows ``None`` for a required field that has not arrived; ``"empty"`` shows an empty
    ``str``, list, set, dict or object, and raises ``ValueError`` if a required field is of another type.
    - ``context``, ``strict``, ``by_alias``, ``by_name``: as pydantic has them.
    """
    @overload
    def __new__(cls, patterns: Patterns = None, *, model: None = None, **options: Unpack[ParserOptions]) -> Parser[Any]: ...
    @overload
    def __new__(
        cls, patterns: Patterns = None, *, model: Model[T], missing: Literal["empty"], **options: Unpack[ViewOptions]
    ) -> Parser[Partial[T]]: ...
    @overload
    def __new__(
        cls, patterns: Patterns = None, *, model: Model[T], missing: Literal["none"] = "none", **options: Unpack[ViewOptions]
    ) -> Parser[Look[T]]: ...
    @overload
    def __new__(cls, patterns: Patterns = None, *, model: Any, missing: str = "none", **options: Unpack[ViewOptions]) -> Parser[Any]: ...
    def feed(self, chunk: Chunk) -> list[Event]:
        """Read the next piece of the text, cut anywhere, and return its events."""
    def finish(self) -> list[Event]:
        """End the text, and return the events that this makes known: the end of a number at the root."""
    def value(self) -> Any:
        """Return the complete value, as ``json.loads`` would, after ``finish`` has succeeded."""
    def raw(self) -> str:
        """Return the complete value's JSON text on one line, with numbers and escapes as they were spelled."""
    @classmethod
    def restore(cls, patterns: Patterns, state: SavedState, **options: Any) -> Self:
        """Return a parser that continues from a state, with the patterns and options that it was saved with."""
    def look(self) -> _L | None:
        """Return the value so far as a ``Partial`` of the model; ``None`` before anything can be shown."""
    def state_of(self, path: str) -> ValueState:
        """Return the state of the value at a concrete path such as ``"a[0].b"``; ``None`` if no text is open."""
    def revision(self) -> Revision:
        """Return this moment of the snapshot, for a later comparison."""
    def has_changed_since(self, revision: Revision | None = None) -> bool:
        """Return whether the snapshot may differ from that moment, or a value has closed since."""
    def patch_since(self, revision: Revision | None = None) -> list[PatchOp]:
        """Return the operations that bring a copy up to date, for ``apply_patch``."""
    def patch_raw_since(self, revision: Revision | None = None) -> str:
        """Return the operations of ``patch_since`` as their JSON text, ready to be sent."""
    @property
    def is_complete(self) -> bool:
        """Whether the text so far is one complete JSON text."""
    @property
    def offset(self) -> int:
        """The number of bytes that have been read, or the offset of the error."""
    @property
    def error(self) -> JsonSpigotError | None:
        """The error that ended the text, or ``None``."""
    @property
    def deviations(self) -> tuple[Deviation, ...]:
        """The first 100 deviations from JSON that a lenient parser has tolerated; ``deviation_count`` counts all."""
    @property
    def deviation_count(self) -> int:
        """The number of deviations."""
    @property
    def is_strict(self) -> bool:
        """Whether the parser has tolerated no deviation."""
    @property
    def decimals(self) -> bool:
        """Whether fractions are ``Decimal``."""
    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns as paths from the root: ``"a.b"`` is ``"$.a.b"``."""

@final
class Typed(Generic[_L]):
    """A typed view of a text, as it grows: made by ``typed`` of ``Parser``, ``ProviderStream``, ``Envelope`` and
    ``Documents``."""
    def look(self) -> _L | None:
        """Return the value so far, as a ``Partial``; ``None`` before anything can be shown."""

_Place: Any
_Shape: Any
_Level: Any
_Values: Any

@final
class DocumentEnd(_Event):
    """One of many documents has ended."""
    __match_args__ = ("document", "error")
    document: int
    error: JsonSpigotError | None = None
    _: KW_ONLY
    raw: str | None = None
    start: int = 0
    byte_count: int = 0
    line: int | None = None
    deviations: tuple[Deviation, ...] = ()
    deviation_count: int = 0
    decimals: bool = False
    @property
    def parser(self) -> Parser | None: ...
    @property
    def value(self) -> Any: ...

@final
class Documents(_Reader, Generic[_DocumentTold]):
    """A reader of many JSON texts in one stream, one after the other.

    ``framing`` is ``"lines"`` (JSON Lines; a bad line is reported, and the next one is read), ``"concatenated"`` or ``"sequence"``
    (RFC 7464). ``feed`` returns the events of matches, each with its ``document`` number, and a ``DocumentEnd`` after each text.
    The options are those of ``Parser``.

    With a ``model`` there is also a ``TypedDocument`` each time that more of a text is known, the last one just before its
    ``DocumentEnd``; with ``snapshots=False`` only that one.
    """
    @overload
    def __new__(
        cls, framing: Framing, patterns: Patterns = None, *, model: None = None, **options: Unpack[ParserOptions]
    ) -> Documents[Event | DocumentEnd]: ...
    @overload
    def __new__(
        cls, framing: Framing, patterns: Patterns = None, *, model: Any, **options: Unpack[ParserOptions]
    ) -> Documents[Event | DocumentEnd | TypedDocument]: ...
    def feed(self, chunk: Chunk) -> list[_DocumentTold]:
        """Read the next piece of the stream, cut anywhere, and return its events."""
    def finish(self) -> list[_DocumentTold]:
        """End the stream, and with it the last text, and return the events."""
    def parser(self) -> Parser | None:
        """Return a parser in the open document's state; ``None`` between documents."""
    @classmethod
    def restore(
        cls, framing: Framing, patterns: Patterns, state: SavedState, *, model: Any = None, **options: Unpack[ParserOptions]
    ) -> Documents[Event | DocumentEnd | TypedDocument]:
        """Return the stream that was saved, with the framing, patterns and options that it had; see
        ``Parser.restore``."""
    @property
    def number(self) -> int:
        """The number of the document that is open or comes next."""
    @property
    def offset(self) -> int:
        """The number of bytes that have been read."""

@final
class Envelope(_Reader, Generic[_PayloadTold]):
    """A reader that separates text for a person from payloads between delimiters.

    ``marks`` are ``"comment:NAME"``, ``"fence:INFO"``, ``"fence:*"`` (any that holds an object or array), ``"tag:NAME"``,
    ``"between:OPEN:CLOSE"``, ``"bare"`` or ``"bare:object"``, with ``":json"`` or ``":raw"`` appended to say what to expect there.
    The patterns apply to each payload. Beside the options of ``Parser`` there are:

    - ``payload_limit``: the most bytes of a payload. Default 16 MiB.
    - ``starts_inside``: the text begins inside a payload of the first mark, as in ``...</think>answer``.
    - ``saveable``: buffer the text since the open payload began, for ``save``, up to 1 MiB or the bytes given instead.

    With ``models``, by the mark, there is also a ``TypedPayload`` each time that more of such a payload is known, the last one
    just before its ``End``; with ``snapshots=False`` only that one.
    """
    @overload
    def __new__(
        cls, marks: str | Iterable[str], patterns: Patterns = None, *, models: None = None, **options: Unpack[EnvelopeOptions]
    ) -> Envelope[EnvelopeEvent]: ...
    @overload
    def __new__(
        cls, marks: str | Iterable[str], patterns: Patterns = None, *, models: Mapping[str, Any], **options: Unpack[EnvelopeOptions]
    ) -> Envelope[EnvelopeEvent | TypedPayload]: ...
    def feed(self, chunk: Chunk) -> list[_PayloadTold]:
        """Read the next piece of the text, as ``str`` or as UTF-8 cut anywhere, and return its events."""
    def finish(self) -> list[_PayloadTold]:
        """End the text, and return the events."""
    @property
    def open_mark(self) -> str | None:
        """The mark of the open payload; ``None`` between payloads."""
    @classmethod
    def restore(
        cls, marks: str | Iterable[str], patterns: Patterns, state: SavedState, *, models: Mapping[str, Any] | None = None, **options: Unpack[EnvelopeOptions]
    ) -> Envelope[EnvelopeEvent | TypedPayload]:
        """Return the envelope that was saved, ``saveable`` again unless you say otherwise."""

@final
class ProviderStream(_Saved, Generic[_CallTold]):
    """A reader of a provider's stream: an SDK's event objects (``push``), or the body of the response (``feed``).

    ``provider`` is ``"anthropic"``, ``"openai-chat"``, ``"openai-responses"``, ``"gemini"``, ``"bedrock"``, ``"cohere"``, ``"ollama"``,
    ``"ag-ui"``, ``"vercel-ui"``, ``"mcp"``, ``"claude-code"``, ``"codex"``, ``"dashscope"``, ``"mistral-conversations"``, ``"cloudflare"``, or
    ``"auto"``, which is decided by the first event that only one provider sends. The patterns apply to each call's input. Beside
    the options of ``Parser``, with duplicate keys rejected by default, there are:

    - ``patterns_for``: patterns for single tools, by name.
    - ``structured``: the answer's text is itself the JSON, reported as a call without a name.
    - ``with_message``: compose the message for the next request.
    - ``with_provider_events``: report each event as the provider sent it, too.
    - ``cumulative``: each fragment of a call repeats all of its input.
    - ``closed``: report when a call's value closes, and when each of these patterns has selected a closed value.
    - ``envelope``: marks as ``Envelope`` takes them, of payloads in the assistant's text; the patterns apply to them too.
    - ``saveable``: buffer the events since the message began, for ``save``, up to 1 MiB or the bytes given instead.

    With ``models``, by the tool's name (``None`` for the structured answer), there is also a ``TypedCall`` each time that more
    of such a call's input is known, the last one just before its ``CallEnd``; with ``snapshots=False`` only that one.
    """
    @overload
    def __new__(
        cls, provider: ProviderName = "auto", patterns: Patterns = None, *, models: None = None, **options: Unpack[StreamOptions]
    ) -> ProviderStream[StreamEvent]: ...
    @overload
    def __new__(
        cls, provider: ProviderName = "auto", patterns: Patterns = None, *, models: Models, **options: Unpack[StreamOptions]
    ) -> ProviderStream[StreamEvent | TypedCall]: ...
    def push(self, event: object) -> list[_CallTold]:
        """Read one event: an SDK's event object, a dict, or JSON text."""
    def feed(self, chunk: Chunk) -> list[_CallTold]:
        """Read the next piece of the response's body, cut anywhere, and return its events."""
    def finish(self, reason: str | None = None) -> list[_CallTold]:
        """End the stream, and return the events."""
    def snapshot(self, call: int) -> Any:
        """Return the open value so far, with open strings and containers closed; ``None`` if nothing has begun."""
    def snapshot_raw(self, call: int) -> str | None:
        """Return the snapshot's JSON text on one line, or ``None`` if nothing has begun."""
    def open_path(self, call: int) -> tuple[str | int, ...] | None:
        """Return the path to the innermost open value that the snapshot shows; ``None`` if nothing is open."""
    def state_of(self, call: int, path: str) -> ValueState | None:
        """Return the state of the value at a concrete path such as ``"a[0].b"``; ``None`` if no text is open."""
    @overload
    def typed(self, call: int, model: Model[T], **options: Unpack[LookOptions]) -> Typed[Look[T]]:
        """Return a typed view of an open call's input; see ``Typed``."""
    @overload
    def typed(self, call: int, model: Any, **options: Unpack[LookOptions]) -> Typed[Any]: ...
    def unfinished(self) -> tuple[str, str] | None:
        """Return the kind and a sentence of why the stream is not whole; ``None`` if it is."""
    def message(self) -> Any:
        """Return the message for the next request, with ``with_message=True``; ``None`` before its end."""
    def message_without_calls(self) -> Any:
        """Return the message without its calls and their results."""
    @classmethod
    def restore(
        cls, provider: ProviderName, patterns: Patterns, state: SavedState, *, models: Models | None = None, **options: Unpack[StreamOptions]
    ) -> ProviderStream[StreamEvent | TypedCall]:
        """Return the stream that was saved, ``saveable`` again unless you say otherwise."""
    @property
    def provider(self) -> str | None:
        """The provider's name, once it is known."""
    @property
    def open_calls(self) -> list[int]:
        """The numbers of the open calls."""

@final
class Rewriter(_Saved):
    """An editor of a JSON text while it passes: bytes that no rule concerns are written at once, unchanged."""
    def __new__(cls, rules: Mapping[str, Rule], **options: Unpack[RewriterOptions]) -> Self: ...
    @classmethod
    def restore(cls, rules: Mapping[str, Rule], state: SavedState, **options: Unpack[RewriterOptions]) -> Rewriter:
        """Return the rewriter that was saved, with the rules and options that it had; see ``Parser.restore``."""
    def write(self, chunk: Chunk) -> bytes:
        """Read the next piece of the text, as ``str`` or as UTF-8 cut anywhere, and return all that is decided."""
    def finish(self) -> bytes:
        """End the text, and return the bytes held back."""
    def reset(self) -> None:
        """Begin a new text."""
    @property
    def passed(self) -> int:
        """The number of bytes of the text that are no longer held back."""

class EnvelopeEvent(_Event):
    """The events of an envelope: text around payloads, and the payloads' content."""
    class Text(EnvelopeEvent):
        """Text outside payloads."""
        text: str
    class Begin(EnvelopeEvent):
        """A payload begins."""
        mark: str
        open: str
        offset: int
    class Match(EnvelopeEvent):
        """An event of the payload's JSON."""
        mark: str
        event: Event
    class Fragment(EnvelopeEvent):
        """A piece of a payload that is plain text."""
        mark: str
        text: str
    class End(EnvelopeEvent):
        """A payload has ended."""
        mark: str
        status: PayloadStatus
        value: Any
        raw: str | None
        text: str
        error: JsonSpigotError | None
        close: str
        values: list[str]
        repeated: bool
        deviations: tuple[Deviation, ...]
        deviation_count: int

class StreamEvent(_Event):
    """The events of a provider's stream, the same for every provider."""
    class CallStart(StreamEvent):
        """A tool call begins."""
        call: int
        id: str | None
        name: str | None
        choice: int
        executed: str
    class Fragment(StreamEvent):
        """A piece of a call's input, unchanged."""
        call: int
        text: str
    class Match(StreamEvent):
        """A pattern's event in a call's input."""
        call: int
        event: Event
        name: str | None
    class CallClosed(StreamEvent):
        """A call's value has closed: it can't change any more, though only ``CallEnd`` has the verdict."""
        call: int
    class FieldsClosed(StreamEvent):
        """Each of the patterns of ``closed=...`` has selected a value of a call that has closed."""
        call: int
    class CallEnd(StreamEvent):
        """A call's input has ended."""
        call: int
        status: PayloadStatus
        value: Any
        id: str | None
        name: str | None
        choice: int
        raw: str | None
        text: str
        error: JsonSpigotError | None
        reason: str | None
        executed: str
        values: list[str]
        repeated: bool
        deviations: tuple[Deviation, ...]
        deviation_count: int
    class Payload(StreamEvent):
        """An event of a payload in the assistant's text, with ``envelope=...``: ``event`` is an ``EnvelopeEvent``,
        whose offsets are those in the block of text."""
        event: EnvelopeEvent
        choice: int
        block: int
    class CallError(StreamEvent):
        """Part of a call is missing, or was not reported: ``kind`` says what."""
        kind: str
        call: int | None
    class CallWarning(StreamEvent):
        """The first fragments of a call look as if each held all of the input so far (``kind`` is ``"cumulative"``),
        which the option ``cumulative`` is for."""
        kind: str
        call: int
    class Agent(StreamEvent):
        """Something that another agent than the main one said or did, where several speak in one stream: ``agent`` is
        the id of the call that started it, or of its session if that is not the main agent's; ``event`` is its own
        event."""
        agent: str
        event: StreamEvent
    class End(StreamEvent):
        """The stream is over."""
    # Declared events.
    class ApprovalRequest(StreamEvent):
        """The provider will execute a call once you have approved it."""
        id: str
        call: int | None
        json: str
    class MessageStart(StreamEvent):
        """A message has started."""
        id: str | None
        model: str | None
    class Text(StreamEvent):
        """A piece of the assistant's text."""
        text: str
        choice: int
        block: int
    class Reasoning(StreamEvent):
        """A piece of the assistant's reasoning."""
        text: str
        choice: int
        block: int
    class Refusal(StreamEvent):
        """A piece of a refusal."""
        text: str
        choice: int
    class Mismatch(StreamEvent):
        """The provider repeats content as a whole and contradicts what it sent before."""
        kind: Literal["text", "reasoning", "refusal", "arguments", "name", "id"]
        block: int | None
        call: int | None
        text: str
        choice: int
    class CallCancelled(StreamEvent):
        """A reported call was cancelled."""
        call: int | None
        call_id: str | None
        json: str
    class ContentFilter(StreamEvent):
        """The result of a filter or guardrail of the provider, whether or not it objects."""
        choice: int
        json: str
    class Usage(StreamEvent):
        """Token counts: totals so far, not increments."""
        input: int | None
        output: int | None
        cached: int | None
        reasoning: int | None
        json: str
    class Stop(StreamEvent):
        """An answer has ended."""
        reason: str
        native_reason: str | None
        choice: int
        kind: Literal["finished", "tool-use", "stop-sequence", "length", "refusal", "content-filter", "pause", "cancelled", "error", "other"]
        stop_sequence: str | None
    class Incomplete(StreamEvent):
        """The stream broke off: an answer has begun, but it has neither stopped nor ended, and no error was reported."""
        reason: str
    class ProviderError(StreamEvent):
        """The provider reported an error: in an event of its own, inside another event, or as the body of an HTTP
        error that was pushed as the only event."""
        message: str
        kind: str | None
        code: str | None
        retry: Literal["never", "later"] | None
        retry_after_ms: int | None
        json: str | None
    class Data(StreamEvent):
        """Application data that was sent with the stream: AG-UI's state and custom events, Vercel's ``data-…`` parts
        and metadata, MCP's notifications."""
        kind: str
        json: str
    class UnknownPart(StreamEvent):
        """An event of this provider, or a part of one, of an unknown type."""
        kind: str
        json: str
    class ProviderEvent(StreamEvent):
        """An event as the provider sent it, followed by the events that it means."""
        json: str
    class Unknown(StreamEvent):
        """A JSON object that is not a known event of any provider."""
        text: str
    class BadFrame(StreamEvent):
        """A frame that is not a JSON object."""
        text: str
    class BlockStart(StreamEvent):
        """A block of text or reasoning has started."""
        block: int
        kind: Literal["text", "reasoning"]
        id: str | None
        phase: str | None
        choice: int
    class BlockEnd(StreamEvent):
        """A block of text or reasoning has ended."""
        block: int
        kind: Literal["text", "reasoning"]
        choice: int
    class Media(StreamEvent):
        """An image, sound or document that is part of the answer."""
        media_type: str | None
        data: str | None
        url: str | None
        block: int | None
        choice: int
    class Opaque(StreamEvent):
        """A value that only the provider can read, and that has to be sent back with the next request."""
        kind: Literal["signature", "encrypted", "container", "compaction"]
        block: int | None
        call: int | None
        choice: int
        json: str
    class ToolResult(StreamEvent):
        """A tool's result that was sent with the stream: the provider has executed the call."""
        call: int | None
        call_id: str | None
        is_error: bool
        json: str
    class Source(StreamEvent):
        """A source of the answer, such as a citation."""
        url: str | None
        title: str | None
        quote: str | None
        span: tuple[int, int] | None
        block: int | None
        choice: int
        json: str
    # Their end.
