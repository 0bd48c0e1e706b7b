"""The event objects of the providers' SDKs, as their JSON text."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any


def event_text(event: Any) -> str:
    """The JSON text of an SDK's event object, or of a dict."""
    # The helper streams of `openai` wrap each chunk, beside events of their own.
    if getattr(event, "type", None) == "chunk" and hasattr(event, "chunk"):
        event = event.chunk
    dump = getattr(event, "model_dump_json", None)
    if dump is not None:
        # Only what the provider has sent, by the names that it has sent it by.
        return str(dump(by_alias=True, exclude_unset=True, warnings=False))
    if isinstance(event, (dict, list)):
        return json.dumps(event, ensure_ascii=False, default=_plain)
    raise TypeError(f"an event is an SDK's object, a dict or JSON text, not {type(event).__name__}")


def _plain(value: Any) -> Any:
    # Bedrock's SDK gives bytes where the wire has base64.
    if isinstance(value, (bytes, bytearray)):
        return b64encode(value).decode("ascii")
    dump = getattr(value, "model_dump", None)
    if dump is not None:
        return dump(by_alias=True, exclude_unset=True, warnings=False)
    raise TypeError(f"{type(value).__name__} is not JSON")
