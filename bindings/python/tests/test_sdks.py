"""Every event of the SDKs' own clients, none left out: what is pushed says what the raw body says.

The bodies are those of `vectors/`, and the recordings beside the repository if they are there. A transport in memory hands
them to the client.
"""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from jsonspigot import ProviderStream, StreamEvent, TypedCall

anthropic = pytest.importorskip("anthropic")
openai = pytest.importorskip("openai")

ROOT = Path(__file__).parents[3]
SHARED = ROOT.parent / "shared"
PROVIDERS = ("anthropic", "openai-chat", "openai-responses")

pytestmark = pytest.mark.filterwarnings("ignore")


def framed(provider: str, events: Iterable[str]) -> bytes:
    """Write a body of server-sent events."""
    frames: list[str] = []
    for event in events:
        kind = event.partition('"type":"')[2].partition('"')[0]
        frames.append(f"data: {event}\n\n" if provider == "openai-chat" else f"event: {kind}\ndata: {event}\n\n")
    if provider == "openai-chat":
        frames.append("data: [DONE]\n\n")
    return "".join(frames).encode()


@cache
def bodies(provider: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for line in filter(None, (ROOT / "vectors/providers.jsonl").read_text().split("\n")):
        vector = json.loads(line)
        if vector.get("options", {}).get("provider") == provider:
            text = vector["input"]
            lines = [line for line in text.split("\n") if line.startswith("{")]
            found[vector["vector"]] = text.encode() if "data:" in text else framed(provider, lines)
    for path in sorted(SHARED.glob(f"*/{provider}/*")):
        if path.suffix == ".jsonl" or path.name.endswith(".chunks.txt"):
            found[path.name] = framed(provider, filter(None, path.read_text().split("\n")))
        else:
            # A client does not yield a last event that no blank line ends.
            found[path.name] = path.read_bytes() + b"\n\n"
    return found


def test_there_are_bodies() -> None:
    assert all(len(bodies(provider)) >= 10 for provider in PROVIDERS)


def client(provider: str, body: bytes, is_async: bool = False) -> Any:
    package, name = (anthropic, "Anthropic") if provider == "anthropic" else (openai, "OpenAI")
    # The client of the package that the SDK itself has chosen.
    transports = importlib.import_module("httpx2" if provider == "anthropic" else "httpx")

    def answer(_: Any) -> Any:
        return transports.Response(200, content=body, headers={"content-type": "text/event-stream"})

    prefix = "Async" if is_async else ""
    http = getattr(transports, f"{prefix}Client")(transport=transports.MockTransport(answer))
    return getattr(package, prefix + name)(api_key="key", http_client=http, max_retries=0)


ASKED: Any = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
SCHEMA: Any = {"type": "object", "properties": {}, "additionalProperties": False}
FUNCTIONS: Any = [{"type": "function", "function": {"name": "x", "strict": True, "parameters": SCHEMA}}]
CHUNK = "chat.completion.chunk"

#: Each way to a stream of events, by the provider: of a client that is given the body.
WAYS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "anthropic": {
        "create": lambda client: client.messages.create(**ASKED, max_tokens=9, stream=True),
        "stream": lambda client: client.messages.stream(**ASKED, max_tokens=9),
        "beta create": lambda client: client.beta.messages.create(**ASKED, max_tokens=9, stream=True),
        "beta stream": lambda client: client.beta.messages.stream(**ASKED, max_tokens=9),
    },
    "openai-chat": {
        "create": lambda client: client.chat.completions.create(**ASKED, stream=True),
        "stream": lambda client: client.chat.completions.stream(**ASKED, tools=FUNCTIONS),
    },
    "openai-responses": {
        "create": lambda client: client.responses.create(model="m", input="hi", stream=True),
        "stream": lambda client: client.responses.stream(model="m", input="hi"),
    },
}
CASES = [(provider, way, name) for provider, ways in WAYS.items() for way in ways for name in bodies(provider)]


def read(provider: str, way: str, body: bytes, **options: Any) -> tuple[list[Any], Exception | None]:
    """Return what is reported of all events that a client yields, and the exception of the client itself."""
    stream = ProviderStream(provider, **options)  # type: ignore[arg-type]
    told: list[Any] = []
    events: Iterator[Any] = iter(())
    try:
        with WAYS[provider][way](client(provider, body)) as opened:
            events = iter(opened)
            while True:
                try:
                    event = next(events)
                except StopIteration:
                    return told + stream.finish(), None
                except Exception as error:
                    return told, error
                told += stream.push(event)
    except openai.OpenAIError as error:
        return told, error


def sent(provider: str, way: str, body: bytes) -> bytes:
    """Return the part of a body that a client yields: not the mark of the end, and by `openai`'s helper only chunks of that name."""
    lines = [line for line in body.decode().split("\n") if line.strip() != "data: [DONE]"]
    if (provider, way) == ("openai-chat", "stream"):
        lines = [line for line in lines if not line.startswith("data: {") or json.loads(line[6:]).get("object") == CHUNK]
    return "\n".join(lines).encode()


def parsed(event: Any) -> Any:
    """Return an event as data; the members of an object in JSON text may be in another order."""
    parts = event.to_dict()
    for name in ("json", "raw", "text"):
        try:
            parts[name] = json.loads(parts[name])
        except (KeyError, TypeError, ValueError):
            pass
    return parts


@pytest.mark.parametrize(("provider", "way", "name"), CASES)
def test_every_event_is_as_the_body_says(provider: str, way: str, name: str) -> None:
    told, error = read(provider, way, bodies(provider)[name])
    stream = ProviderStream(provider)  # type: ignore[arg-type]
    expected = stream.feed(sent(provider, way, bodies(provider)[name])) + stream.finish()
    if error is not None:
        # The client refused the rest of the stream.
        expected = expected[: len(told)]
    assert [parsed(event) for event in told] == [parsed(event) for event in expected]


@pytest.mark.parametrize(("provider", "way"), [(provider, way) for provider, ways in WAYS.items() for way in ways])
def test_clients_rarely_refuse_a_body(provider: str, way: str) -> None:
    """Check that the comparison is not empty."""
    errors = [name for name, body in bodies(provider).items() if read(provider, way, body)[1]]
    assert len(errors) * 3 <= len(bodies(provider)), errors


CALLED = framed(
    "openai-chat",
    [
        json.dumps({"id": "c", "object": CHUNK, "created": 1, "model": "m", "choices": [choice]})
        for choice in (
            {"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": {"name": "book", "arguments": '{"city": "Pa'}}]}},
            {"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": 'ris"}'}}]}},
            {"index": 0, "delta": {}, "finish_reason": "tool_calls"},
        )
    ],
)


def test_a_typed_call_of_a_helper_stream() -> None:
    pydantic = pytest.importorskip("pydantic")
    book = pydantic.create_model("Book", city=str)
    told, error = read("openai-chat", "stream", CALLED, models={"book": book})
    assert error is None
    calls = [(call.value.city, call.complete) for call in told if isinstance(call, TypedCall)]
    assert calls == [("Pa", False), ("Paris", True)]
    assert not [event for event in told if isinstance(event, StreamEvent.UnknownPart)]


def test_helper_streams_that_parse() -> None:
    """Read helpers that add the value of the answer's type."""
    pydantic = pytest.importorskip("pydantic")
    reply = pydantic.create_model("Reply", city=(str, ""), reply=(str, ""))
    answer = '{"city": "Paris"}'
    chunks = [
        {"id": "c", "object": CHUNK, "created": 1, "model": "m", "choices": [choice]}
        for choice in (
            {"index": 0, "delta": {"role": "assistant", "content": answer[:9]}},
            {"index": 0, "delta": {"content": answer[9:]}},
            {"index": 0, "delta": {}, "finish_reason": "stop"},
        )
    ]
    body = framed("openai-chat", map(json.dumps, chunks))
    responses = bodies("openai-responses")["openai-responses, text, reasoning and a refusal"]
    started = {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "m", "usage": {"input_tokens": 1, "output_tokens": 1}}
    events: list[Any] = [
        {"type": "message_start", "message": started},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}} for text in (answer[:9], answer[9:])),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 3}},
        {"type": "message_stop"},
    ]
    messages = framed("anthropic", (json.dumps(event, separators=(",", ":")) for event in events))
    opened = {
        "openai-chat": (client("openai-chat", body).chat.completions.stream(**ASKED, response_format=reply), body),
        "openai-responses": (client("openai-responses", responses).responses.stream(model="m", input="hi"), responses),
        "anthropic": (client("anthropic", messages).messages.stream(**ASKED, max_tokens=9, output_format=reply), messages),
    }
    for provider, (helper, raw) in opened.items():
        stream = ProviderStream(provider)  # type: ignore[arg-type]
        with helper as events:
            told = [one for event in events for one in stream.push(event)] + stream.finish()
            stream = ProviderStream(provider)  # type: ignore[arg-type]
        expected = stream.feed(sent(provider, "stream", raw)) + stream.finish()
        assert [parsed(event) for event in told] == [parsed(event) for event in expected]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_async_clients(provider: str) -> None:
    name, body = next((name, body) for name, body in bodies(provider).items() if "call" in name)

    async def run() -> list[Any]:
        stream = ProviderStream(provider)  # type: ignore[arg-type]
        told: list[Any] = []
        async with WAYS[provider]["stream"](client(provider, body, is_async=True)) as events:
            async for event in events:
                told += stream.push(event)
        return told + stream.finish()

    assert asyncio.run(run()) == read(provider, "stream", body)[0], name
