"""The types that signatures are made of."""

from collections.abc import Iterable
from typing import Literal, TypeAlias, TypedDict

from ._native import Begin, Delta, End, InnerError

#: What can be fed.
Chunk: TypeAlias = str | bytes | bytearray | memoryview
ValueKind: TypeAlias = Literal["null", "bool", "number", "string", "array", "object"]
ValueState: TypeAlias = Literal["pending", "partial", "complete", "absent"]
Retain: TypeAlias = Literal["all", "matches", "nothing"]
DuplicateKeys: TypeAlias = Literal["last-wins", "reject"]
Framing: TypeAlias = Literal["lines", "concatenated", "sequence"]
PayloadStatus: TypeAlias = Literal["complete", "empty", "truncated", "malformed", "trailing", "raw"]
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
    "openai-assistants",
    "gemini",
    "bedrock",
    "cohere",
    "ollama",
    "ag-ui",
    "vercel-ui",
    "mcp",
]
#: What :meth:`Parser.feed` tells. Works with ``isinstance`` and ``match``.
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
    max_total: int | None
    lenient: DeviationName | Iterable[DeviationName] | None
    accept_deviations: bool
    decimals: bool
