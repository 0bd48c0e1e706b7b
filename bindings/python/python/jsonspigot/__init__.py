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

from ._errors import JsonSpigotError, PatternError
from ._iterate import deltas, events, rows, snapshots, values
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
    StreamEvent,
    Typed,
)
from ._provider import provider_events
from ._rules import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._partial_json import PartialJson
    from ._patch import PatchOp, apply_patch
    from ._streams import TypedCall, TypedDocument, TypedPayload
    from ._typed import Look, Open, Partial
    from ._types import Chunk, Deviation, Event, ParserOptions, ValueKind, ValueState
else:
    # Imported when they are first used: they take modules that a first delta does not need.
    _NAMES = {
        "_partial_json": ["PartialJson"],
        "_patch": ["PatchOp", "apply_patch"],
        "_streams": ["TypedCall", "TypedDocument", "TypedPayload"],
        "_typed": ["Look", "Partial"],
        "_typed.open": ["Open"],
        "_types": ["Chunk", "Deviation", "Event", "ParserOptions", "ValueKind", "ValueState"],
    }
    _MODULES = {name: module for module, names in _NAMES.items() for name in names}

    def __getattr__(name):
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        found = globals()[name] = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        return found


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
    "Look",
    "Open",
    "Parser",
    "ParserOptions",
    "Partial",
    "PartialJson",
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
    "rows",
    "snapshots",
    "values",
]

__version__ = "0.1.0"
