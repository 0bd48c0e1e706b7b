"""The event objects of SDKs and frameworks, as the JSON text of a wire format.

An SDK's own object is a provider's event already. A framework's chunk is not: it is written as the wire format that says the
same, of chat completions or of Anthropic's messages.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any, cast

# What the helper streams of `anthropic` make of the events that they pass on as well.
_DERIVED = frozenset({"text", "thinking", "signature", "citation", "input_json", "compaction"})


def event_text(event: Any) -> str:
    """The JSON text of an SDK's or a framework's event object, or of a dict; nothing for one that only repeats others."""
    if isinstance(event, tuple):
        return event_text(_in_pair(cast("tuple[Any, ...]", event)))
    if hasattr(event, "tool_call_chunks") and hasattr(event, "response_metadata"):
        return _dumped(_of_langchain(event))
    if hasattr(event, "event_kind"):
        events = list(_of_pydantic_ai(event))
        return _dumped(events) if events else ""
    # The helper streams of `openai` wrap each chunk, beside events of their own.
    if getattr(event, "type", None) == "chunk" and hasattr(event, "chunk"):
        event = event.chunk
    # `mistralai` gives server-sent events with the provider's own inside.
    inside = getattr(event, "data", None)
    if inside is not None and not hasattr(event, "type") and hasattr(inside, "model_dump_json"):
        event = inside
    if getattr(event, "type", None) in _DERIVED and (hasattr(event, "snapshot") or hasattr(event, "signature")):
        return ""
    dump = getattr(event, "model_dump_json", None)
    if dump is not None:
        # Only what the provider has sent, by the names that it has sent it by.
        return str(dump(by_alias=True, exclude_unset=True, warnings=False))
    if isinstance(event, (dict, list)):
        return _dumped(event)
    raise TypeError(f"an event is an SDK's object, a dict or JSON text, not {type(event).__name__}")


def _in_pair(pair: tuple[Any, ...]) -> Any:
    """LangGraph gives a message's chunk together with where it is from."""
    if len(pair) == 2 and hasattr(pair[0], "tool_call_chunks"):
        return pair[0]
    raise TypeError(f"an event is an SDK's object, a dict or JSON text, not {type(pair).__name__}")


def _of_langchain(chunk: Any) -> dict[str, Any]:
    """A message's chunk of `langchain-core` as a chunk of chat completions."""
    delta: dict[str, Any] = {}
    if isinstance(chunk.content, str):
        delta["content"] = chunk.content
    else:
        blocks = [{"type": "text", "text": block} if isinstance(block, str) else block for block in chunk.content]
        delta["content"] = "".join(block.get("text", "") for block in blocks if block.get("type") == "text")
        reasoning = [block.get("thinking", block.get("reasoning", "")) for block in blocks]
        delta["reasoning_content"] = "".join(text for text in reasoning if isinstance(text, str))
    if calls := [_call(call) for call in chunk.tool_call_chunks]:
        delta["tool_calls"] = calls
    metadata = chunk.response_metadata
    reason = metadata.get("finish_reason") or metadata.get("stop_reason") or metadata.get("done_reason")
    if reason is None and getattr(chunk, "chunk_position", None) == "last":
        reason = "stop"
    said: dict[str, Any] = {
        "id": chunk.id,
        "object": "chat.completion.chunk",
        "model": metadata.get("model_name") or metadata.get("model"),
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
    }
    if chunk.usage_metadata:
        said["usage"] = dict(chunk.usage_metadata)
    return said


def _call(call: Any) -> dict[str, Any]:
    """A piece of a call; only numbers are places on the wire."""
    entry: dict[str, Any] = {"id": call.get("id"), "type": "function"}
    entry["function"] = {"name": call.get("name"), "arguments": call.get("args") or ""}
    if isinstance(call.get("index"), int):
        entry["index"] = call["index"]
    return entry


# By the kind of a part of `pydantic-ai`, the kind of Anthropic's block that says the same.
_CALLS = {"tool-call": "tool_use", "builtin-tool-call": "server_tool_use"}


def _of_pydantic_ai(event: Any) -> Iterator[dict[str, Any]]:
    """An event of `pydantic-ai` as events of Anthropic's messages; those about its own run of the tools say nothing new."""
    index = getattr(event, "index", None)
    if event.event_kind == "part_start":
        part, kind = event.part, event.part.part_kind
        if index == 0:
            yield {"type": "message_start", "message": {"role": "assistant", "content": []}}
        start: dict[str, Any] = {"type": kind}
        if kind == "text":
            start["text"] = part.content
        elif kind == "thinking":
            start |= {"thinking": part.content, "signature": part.signature or ""}
        elif kind in _CALLS:
            start = {"type": _CALLS[kind], "id": part.tool_call_id, "name": part.tool_name, "input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        if kind in _CALLS and part.args:
            yield _delta(index, "input_json_delta", partial_json=_arguments(part.args))
    elif event.event_kind == "part_delta":
        delta = event.delta
        if delta.part_delta_kind == "text":
            yield _delta(index, "text_delta", text=delta.content_delta)
        elif delta.part_delta_kind == "thinking":
            if delta.content_delta:
                yield _delta(index, "thinking_delta", thinking=delta.content_delta)
            if delta.signature_delta and isinstance(delta.signature_delta, str):
                yield _delta(index, "signature_delta", signature=delta.signature_delta)
        elif delta.args_delta:
            yield _delta(index, "input_json_delta", partial_json=_arguments(delta.args_delta))
    elif event.event_kind == "part_end":
        yield {"type": "content_block_stop", "index": index}
        if event.next_part_kind is None:
            yield {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
            yield {"type": "message_stop"}


def _delta(index: Any, kind: str, **piece: str) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **piece}}


def _arguments(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else _dumped(arguments)


def _dumped(event: Any) -> str:
    return json.dumps(event, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    # Bedrock's SDK gives bytes where the wire has base64.
    if isinstance(value, (bytes, bytearray)):
        return b64encode(value).decode("ascii")
    dump = getattr(value, "model_dump", None)
    if dump is not None:
        return dump(by_alias=True, exclude_unset=True, warnings=False)
    raise TypeError(f"{type(value).__name__} is not JSON")
