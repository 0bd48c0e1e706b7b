"""The types that signatures are made of."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, TypeVar

from ._native import Begin, Delta, End, InnerError

T_co = TypeVar("T_co", covariant=True)


class Adapter(Protocol[T_co]):
    """A ``pydantic.TypeAdapter``, for signatures: the package's types need no pydantic."""

    def validate_python(self, object: Any, /) -> T_co: ...


#: What can be fed.
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
#: What :meth:`Parser.feed` reports. Works with ``isinstance`` and ``match``.
Event: TypeAlias = Begin | Delta | End | InnerError

class ParserOptions(TypedDict, total=False):
    """The keyword arguments of ``Parser``, which everything that has parsers takes too."""

    snapshots: bool
    provisional: bool
    retain: Retain
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


class ProviderOptions(ParserOptions, total=False):
    """The keyword arguments of ``ProviderStream`` that ``provider_events`` passes on."""

    structured: bool
    with_message: bool
    provider_events: bool
    cumulative: bool
    envelope: str | Iterable[str] | None
