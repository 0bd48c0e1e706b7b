"""The providers' own packages, on loopback: what they hand over becomes calls, deltas and values.

A small server here speaks Anthropic's protocol and OpenAI's two.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from jsonspigot import Delta, End, ProviderStream, StreamEvent

anthropic = pytest.importorskip("anthropic")
openai = pytest.importorskip("openai")

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))

pytestmark = pytest.mark.filterwarnings("default")

PATTERNS = ["ask_slots[*].message", "ask_slots[*].options"]

TOOL: Any = {
    "name": "classify_and_assess",
    "description": "x",
    "input_schema": {"type": "object", "properties": {}},
}

ARGUMENTS = json.dumps(
    {"ask_slots": [{"message": "Great! What's your \"budget\"?\n💍", "options": ["a", "b"]}], "n": 1.5}, ensure_ascii=False
)

RING = json.dumps(
    {
        "ask_slots": [
            {"message": "Great choice! Which metal should the ring be of?", "options": ["gold", "silver", "“rosé”"]},
            {"message": "And which size does she wear? 💍", "options": ["6", "7", "8"]},
        ]
    },
    ensure_ascii=False,
)


def fragments(text: str) -> list[str]:
    rng = random.Random(1)
    pieces = []
    while text:
        size = rng.randint(1, 8)
        pieces.append(text[:size])
        text = text[size:]
    return pieces


def anthropic_events(asked: str) -> Iterator[dict[str, Any]]:
    text, reason = RING, "tool_use"
    if "#malformed" in asked:
        text = RING[:-1] + "]"
    if "#truncated" in asked:
        text, reason = RING[: len(RING) // 2], "max_tokens"
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 1},
    }  # fmt: skip
    yield {"type": "message_start", "message": message}
    block = {"type": "tool_use", "id": "toolu_1", "name": TOOL["name"], "input": {}}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "ping"}
    for piece in ["", *fragments(text)]:
        delta = {"type": "input_json_delta", "partial_json": piece}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    delta = {"stop_reason": reason, "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 40}}
    yield {"type": "message_stop"}


def chat_chunks() -> Iterator[dict[str, Any]]:
    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
        return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}

    def call(index: int, **parts: Any) -> dict[str, Any]:
        return chunk({"tool_calls": [{"index": index, **parts}]})

    yield chunk({"role": "assistant", "content": None})
    for index in (0, 1):
        yield call(index, id=f"call_{index}", type="function", function={"name": f"ask_{index}", "arguments": ""})
    # Two calls at once, their fragments mixed.
    for piece in fragments(ARGUMENTS):
        for index in (0, 1):
            yield call(index, function={"arguments": piece})
    yield chunk({}, "tool_calls")


def response_events() -> Iterator[dict[str, Any]]:
    item = {"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "ask_0", "arguments": "", "status": "in_progress"}
    response = {
        "id": "r1", "object": "response", "created_at": 1, "model": "m", "output": [], "status": "in_progress",
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
    }  # fmt: skip
    events: list[dict[str, Any]] = [{"type": "response.created", "response": response}]
    events.append({"type": "response.output_item.added", "output_index": 0, "item": item})
    for piece in fragments(ARGUMENTS):
        events.append({"type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": 0, "delta": piece})
    events.append({"type": "response.function_call_arguments.done", "item_id": "fc_1", "output_index": 0, "name": "ask_0", "arguments": ARGUMENTS})
    done = {**item, "arguments": ARGUMENTS, "status": "completed"}
    events.append({"type": "response.output_item.done", "output_index": 0, "item": done})
    events.append({"type": "response.completed", "response": {**response, "status": "completed", "output": [done]}})
    for number, event in enumerate(events):
        yield {**event, "sequence_number": number}


class Service(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        assert asked["stream"] is True
        is_chat = self.path.endswith("/chat/completions")
        if is_chat:
            events = chat_chunks()
        elif self.path.endswith("/responses"):
            events = response_events()
        else:
            events = anthropic_events(asked["messages"][-1]["content"])
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in events:
            name = "" if is_chat else f"event: {event['type']}\n"
            self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
        if is_chat:
            self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def request(message: str) -> Any:
    return {
        "model": "m",
        "max_tokens": 1000,
        "system": "You are a shopping assistant.",
        "messages": [{"role": "user", "content": message}],
        "tools": [TOOL],
        "tool_choice": {"type": "tool", "name": TOOL["name"]},
    }


def summed(told: list[StreamEvent]) -> tuple[dict[str, str], dict[str, Any], list[StreamEvent.CallEnd]]:
    """Return the joined deltas, the ends' values and the calls' ends."""
    deltas: dict[str, str] = {}
    values: dict[str, Any] = {}
    ends: list[StreamEvent.CallEnd] = []
    for event in told:
        match event:
            case StreamEvent.Match(event=Delta(path, text)):
                deltas[path] = deltas.get(path, "") + text
            case StreamEvent.Match(event=End(path, value)):
                values[path] = value
            case StreamEvent.CallEnd():
                ends.append(event)
            case _:
                pass
    return deltas, values, ends


def check_ring(told: list[StreamEvent]) -> None:
    deltas, values, ends = summed(told)
    assert deltas["ask_slots[0].message"] == "Great choice! Which metal should the ring be of?"
    assert deltas["ask_slots[1].message"] == "And which size does she wear? 💍"
    assert values["ask_slots[0].options"] == ["gold", "silver", "“rosé”"]
    assert len([event for event in told if isinstance(event, StreamEvent.Match) and isinstance(event.event, Delta)]) > 4
    [end] = ends
    assert end.status == "complete" and end.name == "classify_and_assess"
    assert [slot["message"] for slot in end.value["ask_slots"]] == [deltas[f"ask_slots[{n}].message"] for n in (0, 1)]


def test_anthropic_raw_events(service: str) -> None:
    client = anthropic.Anthropic(api_key="key", base_url=service, max_retries=0)
    stream = ProviderStream("auto", PATTERNS)
    told = [told for event in client.messages.create(**request("a ring"), stream=True) for told in stream.push(event)]
    check_ring(told + stream.finish())
    assert stream.provider == "anthropic"
    assert any(isinstance(event, StreamEvent.Stop) and event.kind == "tool-use" for event in told)


def test_anthropic_helper_events(service: str) -> None:
    client = anthropic.Anthropic(api_key="key", base_url=service, max_retries=0)
    stream = ProviderStream("anthropic", PATTERNS)
    with client.messages.stream(**request("a ring")) as events:
        told = [told for event in events for told in stream.push(event)]
    check_ring(told + stream.finish())


def test_anthropic_async_and_the_message(service: str) -> None:
    async def run() -> None:
        client = anthropic.AsyncAnthropic(api_key="key", base_url=service, max_retries=0)
        stream = ProviderStream("anthropic", PATTERNS, with_message=True, snapshots=True)
        told: list[StreamEvent] = []
        shown: list[Any] = []
        async for event in await client.messages.create(**request("a ring"), stream=True):
            told += stream.push(event)
            shown += [stream.snapshot(call) for call in stream.open_calls]
        told += stream.finish()
        check_ring(told)
        [end] = summed(told)[2]
        assert any(snapshot and snapshot.get("ask_slots") and len(snapshot["ask_slots"]) == 1 for snapshot in shown)
        message = stream.message()
        assert message["content"][-1]["input"] == end.value
        await client.close()

    asyncio.run(run())


def test_the_raw_body_gives_the_same_events(service: str) -> None:
    import httpx

    told: list[list[StreamEvent]] = []
    for size in (1, 7, 4096):
        stream = ProviderStream("auto", PATTERNS)
        body = httpx.post(
            f"{service}/v1/messages",
            json={**request("a ring"), "stream": True},
            headers={"x-api-key": "key", "anthropic-version": "2023-06-01"},
        ).content
        events = [told for start in range(0, len(body), size) for told in stream.feed(body[start : start + size])]
        told.append(events + stream.finish())
        check_ring(told[-1])
    assert [type(event) for event in told[0]] == [type(event) for event in told[1]] == [type(event) for event in told[2]]


@pytest.mark.parametrize(("word", "status"), [("#malformed", "malformed"), ("#truncated", "truncated")])
def test_a_bad_call_is_never_taken_for_whole(service: str, word: str, status: str) -> None:
    client = anthropic.Anthropic(api_key="key", base_url=service, max_retries=0)
    stream = ProviderStream("anthropic", PATTERNS)
    told = [told for event in client.messages.create(**request(f"a ring {word}"), stream=True) for told in stream.push(event)]
    [end] = summed(told + stream.finish())[2]
    assert end.status == status and end.value is None and end.raw is None and end.text


def test_the_shopping_example(service: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", service)
    import httpx
    import shopping

    monkeypatch.setattr(shopping, "AsyncAnthropic", partial(anthropic.AsyncAnthropic))

    lines = [line for line in Path(shopping.__file__).read_text().splitlines() if line.strip()]
    assert len(lines) <= 60, "it is to be read at a glance"

    async def ask(message: str) -> list[tuple[str, Any]]:
        transport = httpx.ASGITransport(app=shopping.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
            response = await client.post("/chat", json={"message": message})
        frames = [frame.split("\n") for frame in response.text.split("\n\n") if frame]
        return [(frame[0].removeprefix("event: "), json.loads(frame[1].removeprefix("data: "))) for frame in frames]

    told = asyncio.run(ask("a ring for my sister"))
    first = "".join(data["text"] for event, data in told if event == "delta" and data["path"] == "ask_slots[0].message")
    assert first == "Great choice! Which metal should the ring be of?", told
    names = [event for event, _ in told]
    assert "reply" in names, told[-3:]
    # A question is seen before the reply is whole, and its options before the next question.
    assert names.index("delta") < names.index("options") < names.index("reply") == len(names) - 1, told[-3:]
    assert told[-1][1]["ask_slots"][1]["options"] == ["6", "7", "8"]
    told = asyncio.run(ask("a ring #truncated"))
    assert told[-1] == ("error", {"message": "the call is truncated"})
    assert "reply" not in [event for event, _ in told]


FUNCTIONS: Any = [
    {"type": "function", "function": {"name": f"ask_{n}", "parameters": {"type": "object", "properties": {}}}} for n in (0, 1)
]


def check_openai(told: list[StreamEvent], calls: int) -> None:
    _, values, ends = summed(told)
    assert len(ends) == calls
    for end in ends:
        assert end.status == "complete" and end.value == json.loads(ARGUMENTS)
        pieces = [
            event.event.text
            for event in told
            if isinstance(event, StreamEvent.Match) and event.call == end.call and isinstance(event.event, Delta)
            and event.event.path == "ask_slots[0].message"
        ]
        assert "".join(pieces) == json.loads(ARGUMENTS)["ask_slots"][0]["message"] and len(pieces) > 3
    assert values["ask_slots[0].options"] == ["a", "b"]


def test_openai_chat(service: str) -> None:
    client = openai.OpenAI(api_key="key", base_url=f"{service}/v1", max_retries=0)
    stream = ProviderStream("auto", PATTERNS)
    chunks = client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "hi"}], tools=FUNCTIONS, stream=True
    )
    told = [told for chunk in chunks for told in stream.push(chunk)]
    check_openai(told + stream.finish(), 2)
    assert stream.provider == "openai-chat"


def test_openai_chat_helper(service: str) -> None:
    client = openai.OpenAI(api_key="key", base_url=f"{service}/v1", max_retries=0)
    stream = ProviderStream("openai-chat", PATTERNS)
    with client.chat.completions.stream(
        model="m", messages=[{"role": "user", "content": "hi"}], tools=FUNCTIONS
    ) as events:
        told = [told for event in events for told in stream.push(event)]
    check_openai(told + stream.finish(), 2)


def test_openai_responses_async(service: str) -> None:
    async def run() -> None:
        client = openai.AsyncOpenAI(api_key="key", base_url=f"{service}/v1", max_retries=0)
        stream = ProviderStream("auto", PATTERNS)
        told: list[StreamEvent] = []
        async for event in await client.responses.create(model="m", input="hi", stream=True):
            told += stream.push(event)
        check_openai(told + stream.finish(), 1)
        assert stream.provider == "openai-responses"
        await client.close()

    asyncio.run(run())
