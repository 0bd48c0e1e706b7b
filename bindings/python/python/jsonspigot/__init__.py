"""Streaming JSON for model output: text in at any cut, string deltas out by path, a strict complete value at the end.

>>> from jsonspigot import Delta, Parser
>>> parser = Parser("say")
>>> for chunk in ['{"say": "Hel', 'lo"}']:
...     for event in parser.feed(chunk):
...         if isinstance(event, Delta):
...             print(event.text)
Hel
lo
>>> parser.finish()
[]
>>> parser.value()
{'say': 'Hello'}
"""

from ._errors import Deviation, JsonSpigotError, PatternError
from ._iterate import deltas, events, snapshots, values
from ._native import (
    Begin,
    Delta,
    DocumentEnd,
    Documents,
    End,
    Envelope,
    EnvelopeEvent,
    InnerError,
    Parser,
    ProviderStream,
    Revision,
    Rewriter,
    Rule,
    StreamEvent,
    Typed,
)
from ._open import Open
from ._patch import PatchOp, apply_patch
from ._provider import provider_events
from ._streams import TypedCall, TypedDocument, TypedPayload
from ._typed import Partial
from ._types import Chunk, Event, ParserOptions, ValueKind, ValueState

__all__ = [
    "Begin",
    "Chunk",
    "Delta",
    "Deviation",
    "DocumentEnd",
    "Documents",
    "End",
    "Envelope",
    "EnvelopeEvent",
    "Event",
    "InnerError",
    "JsonSpigotError",
    "Open",
    "Parser",
    "ParserOptions",
    "Partial",
    "PatchOp",
    "PatternError",
    "ProviderStream",
    "Revision",
    "Rewriter",
    "Rule",
    "StreamEvent",
    "Typed",
    "TypedCall",
    "TypedDocument",
    "TypedPayload",
    "ValueKind",
    "ValueState",
    "apply_patch",
    "deltas",
    "events",
    "provider_events",
    "snapshots",
    "values",
]

__version__ = "0.1.0"
