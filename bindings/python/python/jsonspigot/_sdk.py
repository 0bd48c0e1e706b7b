"""Event objects of SDKs and frameworks as JSON text, by their class.

An SDK's own object is a provider's event already, so it is dumped. A framework's chunk is written as an event of chat
completions or of Anthropic's messages. Helper streams of an SDK yield events of their own beside those of the wire: they
repeat or derive, so they are dropped.
"""

# Events of other packages are taken without a cast.
# pyright: basic
from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any

Reader = Callable[[Any], "str | bytes"]

#: The reader of each class of events that was pushed. Read by the native module.
READERS: dict[type[Any], Reader] = {}


def reader_of(cls: type[Any]) -> Reader:
    """Return the function that writes the events of a class, and keep it. Raise ``TypeError`` for any other class."""
    packages = (base.__module__.partition(".")[0] for base in cls.__mro__)
    make = next((_READERS_OF[package] for package in packages if package in _READERS_OF), _of_data)
    reader = make(cls)
    if reader is None:
        raise TypeError(f"an event is an SDK's object, a dict or JSON text, not {cls.__name__}")
    if len(READERS) >= 1024:
        # Classes that were made on the fly shall not pile up.
        READERS.clear()
    READERS[cls] = reader
    return reader


def _of_data(cls: type[Any]) -> Reader | None:
    if issubclass(cls, tuple):
        return _pair_text
    return _dumped if issubclass(cls, (dict, list)) else None


def _of_model(cls: Any, exclude: Any = None) -> Reader | None:
    """Dump what the provider has sent, by the names that it has sent it by."""
    if not hasattr(cls, "model_dump_json"):
        return None
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    dump = cls.__pydantic_serializer__.to_json
    # Quicker than a `functools.partial`, which merges keywords at each call.
    return lambda event: dump(event, by_alias=True, exclude_unset=True, warnings=False, exclude=exclude)


#: The fields that `openai` adds to the answer in its last event.
_PARSED = {"output": {"__all__": {"parsed_arguments": True, "content": {"__all__": {"parsed": True}}}}}


def _of_client(cls: Any) -> Reader | None:
    """The events of `anthropic` and `openai`: those of helper streams without the fields that the helper has added."""
    package = cls.__module__.partition(".")[0]
    if not cls.__module__.startswith(f"{package}.lib."):
        return _of_model(cls)
    if "chunk" in cls.model_fields:
        return lambda event: _text(event.chunk)
    sent = next((base for base in cls.__mro__ if base.__module__.startswith(f"{package}.types.")), None)
    if sent is None:
        return _nothing
    added: dict[str, Any] = dict.fromkeys(cls.model_fields.keys() - sent.model_fields.keys(), True)
    return _of_model(cls, {**added, "response": _PARSED})


def _of_mistral(cls: type[Any]) -> Reader | None:
    """Server-sent events have the provider's own event inside."""
    fields = getattr(cls, "model_fields", {})
    return (lambda event: _text(event.data)) if "data" in fields and "type" not in fields else _of_model(cls)


def _of_langchain(cls: type[Any]) -> Reader | None:
    fields = getattr(cls, "model_fields", {})
    if "tool_calls" in fields:
        return _langchain_text
    # A graph also yields the messages that no model has written.
    return _nothing if "content" in fields else None


def _of_pydantic_ai(cls: type[Any]) -> Reader | None:
    return _pydantic_ai_text if hasattr(cls, "event_kind") else None


#: The makers of readers, by the package of a class or of a base of it.
_READERS_OF: dict[str, Callable[[type[Any]], Reader | None]] = {
    "anthropic": _of_client,
    "openai": _of_client,
    "mistralai": _of_mistral,
    "langchain_core": _of_langchain,
    "pydantic_ai": _of_pydantic_ai,
    "pydantic": _of_model,
}


def _text(event: Any) -> str | bytes:
    cls: type[Any] = type(event)
    return (READERS.get(cls) or reader_of(cls))(event)


def _nothing(_: Any) -> str:
    return ""


def _pair_text(pair: Any) -> str | bytes:
    """LangGraph yields a message's chunk together with its origin."""
    if len(pair) == 2 and any(base.__module__.startswith("langchain_core.") for base in type(pair[0]).__mro__):
        return _text(pair[0])
    raise TypeError(f"an event is an SDK's object, a dict or JSON text, not {type(pair).__name__}")


def _langchain_text(message: Any) -> str:
    """Write a message of `langchain-core`, or a chunk of one, as a chunk of chat completions."""
    delta: dict[str, Any] = {}
    if isinstance(message.content, str):
        delta["content"] = message.content
    else:
        blocks = [{"type": "text", "text": block} if isinstance(block, str) else block for block in message.content]
        delta["content"] = "".join(block.get("text", "") for block in blocks if block.get("type") == "text")
        reasoning = [block.get("thinking", block.get("reasoning", "")) for block in blocks]
        delta["reasoning_content"] = "".join(text for text in reasoning if isinstance(text, str))
    metadata = message.response_metadata
    reason = metadata.get("finish_reason") or metadata.get("stop_reason") or metadata.get("done_reason")
    if hasattr(message, "tool_call_chunks"):
        calls = [_call(call) for call in message.tool_call_chunks]
        is_last = getattr(message, "chunk_position", None) == "last"
    else:
        # A model that does not stream: its message is whole.
        whole = [{**call, "args": _dumped(call["args"])} for call in message.tool_calls]
        calls = [_call({**call, "index": index}) for index, call in enumerate(whole)]
        is_last = True
    if calls:
        delta["tool_calls"] = calls
    written: dict[str, Any] = {
        "id": message.id,
        "object": "chat.completion.chunk",
        "model": metadata.get("model_name") or metadata.get("model"),
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason or ("stop" if is_last else None)}],
    }
    if message.usage_metadata:
        written["usage"] = dict(message.usage_metadata)
    return _dumped(written)


def _call(call: Any) -> dict[str, Any]:
    """Write a piece of a call. Only numbers are places on the wire."""
    entry: dict[str, Any] = {"id": call.get("id"), "type": "function"}
    entry["function"] = {"name": call.get("name"), "arguments": call.get("args") or ""}
    if isinstance(call.get("index"), int):
        entry["index"] = call["index"]
    return entry


def _pydantic_ai_text(event: Any) -> str:
    events = list(_pydantic_ai_events(event))
    return _dumped(events) if events else ""


# By the kind of a part of `pydantic-ai`, the kind of Anthropic's block that says the same.
_CALLS = {"tool-call": "tool_use", "builtin-tool-call": "server_tool_use"}


def _pydantic_ai_events(event: Any) -> Iterator[dict[str, Any]]:
    """Yield an event of `pydantic-ai` as events of Anthropic's messages; nothing for those about its own run of the tools."""
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
