"""Chunks of frameworks and SDKs, made by their own packages, read as a provider's events.

Each is read in the versions that the README's table names, which is held here too.
"""

from __future__ import annotations

import asyncio
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from jsonspigot import Delta, ProviderStream, StreamEvent

pytestmark = pytest.mark.filterwarnings("default")

README = Path(__file__).parents[1] / "README.md"


def read(events: list[Any], provider: Any = "auto") -> tuple[str, str, list[tuple[str | None, str, Any]], list[str], ProviderStream]:
    """Return the text, the reasoning, the calls, and the deltas of `city`."""
    stream = ProviderStream(provider, "city")
    told: list[StreamEvent] = []
    for event in events:
        told += stream.push(event)
    told += stream.finish()
    assert not [event for event in told if isinstance(event, (StreamEvent.Unknown, StreamEvent.UnknownPart, StreamEvent.BadFrame))]
    text = "".join(event.text for event in told if isinstance(event, StreamEvent.Text))
    reasoning = "".join(event.text for event in told if isinstance(event, StreamEvent.Reasoning))
    calls = [(event.name, event.status, event.value) for event in told if isinstance(event, StreamEvent.CallEnd)]
    deltas = [event.event.text for event in told if isinstance(event, StreamEvent.Match) and isinstance(event.event, Delta)]
    return text, reasoning, calls, deltas, stream


def test_langchain() -> None:
    messages = pytest.importorskip("langchain_core.messages")

    def chunk(**members: Any) -> Any:
        return messages.AIMessageChunk(**{"content": "", "id": "run-1", **members})

    def call(**members: Any) -> Any:
        return {"type": "tool_call_chunk", "name": None, "args": "", "id": None, "index": 0, **members}

    chunks = [
        chunk(content="I look."),
        chunk(content=[{"type": "thinking", "thinking": "Hm.", "index": 0}, {"type": "text", "text": " Now.", "index": 1}]),
        chunk(tool_call_chunks=[call(name="weather", id="call_1", args='{"ci')]),
        chunk(tool_call_chunks=[call(args='ty": "Ber')]),
        chunk(tool_call_chunks=[call(args='n"}'), call(name="time", id="call_2", args="{}", index=1)]),
        chunk(response_metadata={"finish_reason": "tool_calls"}, usage_metadata={"input_tokens": 3, "output_tokens": 9, "total_tokens": 12}),
    ]
    expected = ("I look. Now.", "Hm.", [("weather", "complete", {"city": "Bern"}), ("time", "complete", {})], ["Ber", "n"])
    *found, stream = read(chunks)
    assert (tuple(found), stream.unfinished()) == (expected, None)
    # LangGraph gives each with where it is from; other providers' places are names.
    named = [c.model_copy(update={"tool_call_chunks": [{**entry, "index": f"lc_{entry['index']}"} for entry in c.tool_call_chunks]}) for c in chunks[:4]]
    *found, _ = read([(chunk, {"langgraph_node": "agent"}) for chunk in [*named, chunks[5]]])
    assert found[2] == [("weather", "truncated", None)]
    # A graph yields whole messages too: those of a model that does not stream, and those that no model has written.
    whole = messages.AIMessage(content="I look.", tool_calls=[{"name": "weather", "args": {"city": "Bern"}, "id": "call_1"}])
    graph = [(messages.HumanMessage(content="Weather?"), {}), (whole, {}), (messages.ToolMessage(content="Rain.", tool_call_id="call_1"), {})]
    *found, stream = read(graph)
    assert (found, stream.unfinished()) == (["I look.", "", [("weather", "complete", {"city": "Bern"})], ["Bern"]], None)


def test_pydantic_ai() -> None:
    function = pytest.importorskip("pydantic_ai.models.function")
    from pydantic_ai.direct import model_request_stream
    from pydantic_ai.messages import ModelRequest

    async def answer(_: Any, info: Any) -> Any:
        yield {0: function.DeltaThinkingPart(content="Hm.")}
        yield "I "
        yield "look."
        yield {1: function.DeltaToolCall(name="weather", json_args='{"city": "Be', tool_call_id="call_1")}
        yield {1: function.DeltaToolCall(json_args='rn"}')}
        yield {2: function.DeltaToolCall(name="time", json_args="{}", tool_call_id="call_2")}

    async def events() -> list[Any]:
        model = function.FunctionModel(stream_function=answer)
        async with model_request_stream(model, [ModelRequest.user_text_prompt("Weather?")]) as stream:
            return [event async for event in stream]

    text, reasoning, calls, deltas, stream = read(asyncio.run(events()))
    assert (text, reasoning) == ("I look.", "Hm.")
    assert calls == [("weather", "complete", {"city": "Bern"}), ("time", "complete", {})]
    assert ("".join(deltas), stream.unfinished()) == ("Bern", None)


def test_mistralai() -> None:
    models = pytest.importorskip("mistralai.client.models")

    def event(delta: dict[str, Any], reason: str | None = None) -> Any:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return models.CompletionEvent.model_validate({"data": {"id": "c", "model": "m", "object": "chat.completion.chunk", "created": 1, "choices": [choice]}})

    arguments = '{"city": "Bern"}'
    call = {"id": "call_1", "index": 0, "function": {"name": "weather", "arguments": arguments}}
    events = [event({"role": "assistant", "content": "I look."}), event({"tool_calls": [call]}), event({"content": ""}, "tool_calls")]
    text, _, calls, deltas, stream = read(events)
    assert (text, calls, deltas) == ("I look.", [("weather", "complete", {"city": "Bern"})], ["Bern"])
    assert stream.unfinished() is None


def test_mistral_conversations() -> None:
    models = pytest.importorskip("mistralai.client.models")
    started = {"type": "conversation.response.started", "conversation_id": "conv_1"}
    piece = {"type": "function.call.delta", "id": "e", "name": "weather", "tool_call_id": "call_1"}
    done = {"type": "conversation.response.done", "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}}
    said = {"type": "message.output.delta", "id": "m", "content": "I look."}
    told = [started, said, {**piece, "arguments": '{"city": "B'}, {**piece, "arguments": 'ern"}'}, done]
    events = [models.ConversationEvents.model_validate({"event": one["type"], "data": one}) for one in told]
    text, _, calls, deltas, stream = read(events)
    assert (text, calls, deltas) == ("I look.", [("weather", "complete", {"city": "Bern"})], ["B", "ern"])
    assert stream.unfinished() is None


@pytest.mark.parametrize("thing", [object(), 5, None, ("a", "b"), type("Chunk", (), {"delta": "x"})()])
def test_what_nothing_recognizes_is_an_error(thing: object) -> None:
    with pytest.raises(TypeError, match="an event is an SDK's object"):
        ProviderStream("auto").push(thing)  # type: ignore[arg-type]


def test_the_readme_names_the_versions() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| ([0-9.]+) \|", README.read_text(), re.MULTILINE)
    assert {name for name, _ in rows} == {"anthropic", "openai", "mistralai", "langchain-core", "pydantic-ai-slim"}
    for name, tried in rows:
        pytest.importorskip({"langchain-core": "langchain_core", "pydantic-ai-slim": "pydantic_ai"}.get(name, name))
        assert version(name) == tried, name
