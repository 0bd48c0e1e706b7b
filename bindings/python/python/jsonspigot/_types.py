"""The types that signatures are made of."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypedDict, TypeVar

from ._native import Begin, Delta, End, InnerError

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Adapter(Protocol[T_co]):
    """A ``pydantic.TypeAdapter``, for signatures: the package's types need no pydantic."""

    def validate_python(self, object: Any, /) -> T_co: ...


class Deviation(NamedTuple):
    """A deviation from JSON that a lenient parser has tolerated."""

    kind: str
    offset: int
    line: int
    column: int


#: A type that values are validated as.
Model: TypeAlias = type[T] | Adapter[T]
#: A chunk that can be fed.
Chunk: TypeAlias = str | bytes | bytearray | memoryview
ValueKind: TypeAlias = Literal["null", "bool", "number", "string", "array", "object"]
ValueState: TypeAlias = Literal["pending", "partial", "complete", "absent"]
Retain: TypeAlias = Literal["all", "matches", "nothing"]
DuplicateKeys: TypeAlias = Literal["last-wins", "reject"]
Framing: TypeAlias = Literal["lines", "concatenated", "sequence"]
PayloadStatus: TypeAlias = Literal["complete", "accepted", "empty", "truncated", "malformed", "trailing", "raw"]
DeviationName: TypeAlias = Literal[
    "model-output",
    "control-characters",
    "bad-escapes",
    "lone-surrogates",
    "trailing-commas",
    "comments",
    "single-quotes",
    "bare-keys",
    "python-literals",
    "non-finite",
    "byte-order-mark",
]
ProviderName: TypeAlias = Literal[
    "auto",
    "anthropic",
    "openai-chat",
    "openai-responses",
    "gemini",
    "bedrock",
    "cohere",
    "ollama",
    "ag-ui",
    "vercel-ui",
    "mcp",
    "claude-code",
    "codex",
    "dashscope",
    "mistral-conversations",
    "cloudflare",
]
#: Models by the name of the tool; `None` is that of the structured answer. A mapping's keys are not covariant.
Models: TypeAlias = Mapping[str, Any] | Mapping[None, Any] | Mapping[str | None, Any]
#: An event of :meth:`Parser.feed`. Works with ``isinstance`` and ``match``.
Event: TypeAlias = Begin | Delta | End | InnerError

#: The bytes that ``save`` has returned.
SavedState: TypeAlias = bytes | bytearray | memoryview
#: RFC 9535 paths: one, or several.
Patterns: TypeAlias = str | Iterable[str] | None


class TextOptions(TypedDict, total=False):
    """The options of a text, as ``Parser`` explains them."""

    duplicate_keys: DuplicateKeys
    max_depth: int | None
    max_key: int | None
    max_string: int | None
    max_number: int | None
    max_blank: int | None
    max_total: int | None
    lenient: DeviationName | Iterable[DeviationName] | None
    accept_deviations: bool
    decimals: bool


class ValueOptions(TextOptions, total=False):
    """The options of ``values``."""

    framing: Framing | None


class RowOptions(ValueOptions, total=False):
    """The options of ``rows``."""

    missing: Any


class ParserOptions(TextOptions, total=False):
    """The options that everything that has parsers takes, as ``Parser`` explains them."""

    snapshots: bool
    provisional: bool
    retain: Retain


class ValidationOptions(TypedDict, total=False):
    """The options of pydantic's validation."""

    context: Any
    strict: bool | None
    by_alias: bool | None
    by_name: bool | None


class LookOptions(ValidationOptions, total=False):
    """The options of a typed view."""

    missing: Literal["none", "empty"]


class ViewOptions(ParserOptions, ValidationOptions, total=False):
    """The options of a parser with a model, but for ``missing``."""


class ProviderOptions(ParserOptions, total=False):
    """The options of ``ProviderStream`` that ``provider_events`` takes too."""

    patterns_for: Mapping[str, str | Iterable[str]] | None
    structured: bool
    with_message: bool
    with_provider_events: bool
    cumulative: bool
    closed: str | Iterable[str] | None
    envelope: str | Iterable[str] | None


class LoopOptions(ProviderOptions, total=False):
    """The options of ``provider_events``, but for ``models``."""

    provider: ProviderName


class StreamOptions(ProviderOptions, total=False):
    """The options of ``ProviderStream``."""

    saveable: bool | int | None


class EnvelopeOptions(ParserOptions, total=False):
    """The options of ``Envelope``."""

    payload_limit: int | None
    starts_inside: bool
    saveable: bool | int | None


class RewriterOptions(TextOptions, total=False):
    """The options of ``Rewriter``."""

    held_limit: int | None
