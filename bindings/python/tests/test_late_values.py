"""Numbers that Python cannot make: an error only of who asks for the value, and no event is lost by them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel

from jsonspigot import (
    Documents,
    Envelope,
    EnvelopeEvent,
    JsonSpigotError,
    ProviderStream,
    StreamEvent,
    TypedCall,
    TypedPayload,
    provider_events,
)


class Point(BaseModel):
    p: int


class City(BaseModel):
    city: str


#: A number, and the options with which it cannot be made.
NUMBERS: list[tuple[str, dict[str, Any]]] = [
    ("1" * 4301, {}),
    ("1" * 4301, {"snapshots": True}),
    ("1" * 4301, {"retain": "nothing"}),
    ("1e9999999999999999999", {"decimals": True}),
]
with_numbers = pytest.mark.parametrize(("number", "options"), NUMBERS)


def chat(arguments: str, index: int = 0, name: str | None = None) -> dict[str, Any]:
    function: dict[str, Any] = {"arguments": arguments} | ({"name": name} if name else {})
    call = {"index": index, "function": function} | ({"id": f"c{index}"} if name else {})
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}


def said(text: str) -> dict[str, Any]:
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": text}}]}


STOP = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}


def kinds(events: list[Any]) -> list[str]:
    return [type(event).__name__.rpartition("_")[2] for event in events]


def is_late(end: Any, raw: str) -> None:
    """It is whole, and only its value raises, each time."""
    assert (end.status, end.raw) == ("complete", raw)
    for _ in range(2):
        with pytest.raises(JsonSpigotError, match="data: a number") as raised:
            _ = end.value
        assert raised.value.kind == "data"
    assert end == end and "value=" not in repr(end) and repr(raw) in repr(end)


@with_numbers
def test_calls(number: str, options: dict[str, Any]) -> None:
    text = f'{{"p":{number}}}'
    stream = [chat(text, 0, "point"), chat('{"city":"x"}', 1, "city"), STOP]
    reader = ProviderStream("auto", **options)
    told = [event for item in stream for event in reader.push(item)] + reader.finish()
    assert kinds(told) == ["CallStart", "Fragment", "CallStart", "Fragment", "CallEnd", "CallEnd", "Stop"]
    assert reader.unfinished() is None
    late, end, _ = told[-3:]
    is_late(late, text)
    assert late != end and end.value == {"city": "x"}  # type: ignore[union-attr]
    assert list(provider_events(stream, **options)) == told


@pytest.mark.parametrize("snapshots", [True, False])
@pytest.mark.parametrize("size", [1000, 10_000])
def test_calls_with_models(snapshots: bool, size: int) -> None:
    text = f'{{"p":{NUMBERS[0][0]}}}'
    stream = [chat("", 0, "point"), *(chat(text[at : at + size]) for at in range(0, len(text), size))]
    stream += [chat('{"city":"x"}', 1, "city"), STOP]
    plain = list(provider_events(stream))
    told = list(provider_events(stream, models={"point": Point, "city": City}, snapshots=snapshots))
    assert [event for event in told if isinstance(event, StreamEvent)] == plain
    typed = [event for event in told if isinstance(event, TypedCall)]
    [whole] = [event for event in typed if event.complete]
    assert whole.value == City(city="x")
    [wrong] = [event for event in typed if event.error]
    assert wrong.name == "point"


def test_whole_arguments() -> None:
    """Of a provider that sends no text of them."""
    part = '{"functionCall": {"name": "point", "args": {"p": %s}}}' % NUMBERS[0][0]
    body = '{"candidates": [{"content": {"parts": [%s, {"text": "after"}]}, "finishReason": "STOP"}]}' % part
    told = list(provider_events([body], provider="gemini"))
    [end] = [event for event in told if isinstance(event, StreamEvent.CallEnd)]
    is_late(end, '{"p":%s}' % NUMBERS[0][0])
    assert [event.text for event in told if isinstance(event, StreamEvent.Text)] == ["after"]


@with_numbers
@pytest.mark.parametrize("size", [1, 10_000])
def test_payloads(number: str, options: dict[str, Any], size: int) -> None:
    text = f'A ```json\n{{"p":{number}}}\n``` AND THE REST'
    models = {"fence:json": Point}
    for typed in ({}, {"models": models}, {"models": models, "snapshots": False}):
        envelope = Envelope("fence:json", **options | typed)
        told: list[Any] = []
        for at in range(0, len(text), size):
            told += envelope.feed(text[at : at + size])
        told += envelope.finish()
        shown = "".join(event.text for event in told if isinstance(event, EnvelopeEvent.Text))
        assert shown == "A  AND THE REST"
        [end] = [event for event in told if isinstance(event, EnvelopeEvent.End)]
        is_late(end, f'{{"p":{number}}}')
        errors = [event for event in told if isinstance(event, TypedPayload) and event.error]
        assert len(errors) == bool(typed)


@with_numbers
def test_payloads_of_a_provider(number: str, options: dict[str, Any]) -> None:
    stream = [said(f'x ```json\n{{"p":{number}}}\n```\nREST'), said(" B"), STOP]
    told = list(provider_events(stream, envelope="fence:*", **options))
    assert "".join(event.text for event in told if isinstance(event, StreamEvent.Text)) == "x \nREST B"
    inner = [event.event for event in told if isinstance(event, StreamEvent.Payload)]
    [end] = [event for event in inner if isinstance(event, EnvelopeEvent.End)]
    is_late(end, f'{{"p":{number}}}')


def test_views() -> None:
    """Check that a look says that the value cannot be made, and the next text is another."""
    text = f'{{"p":{NUMBERS[0][0]}}}'
    stream = ProviderStream("auto", snapshots=True)
    stream.push(chat('{"p":', 0, "point"))
    calls = stream.typed(0, Point)
    assert calls.look() is not None
    stream.push(chat(text[5:]))
    stream.push(STOP)
    envelope = Envelope("fence:json", snapshots=True, duplicate_keys="reject")
    payloads = envelope.typed(Point)
    envelope.feed(f"```json\n{text}\n``` ")
    rows = Documents("lines", snapshots=True, duplicate_keys="reject")
    documents = rows.typed(Point)
    rows.feed(text + "\n")
    for view in (calls, payloads, documents):
        for _ in range(2):
            with pytest.raises(JsonSpigotError, match="data: a number of 4301 digits"):
                view.look()
    envelope.feed('```json\n{"p": 1}\n``` ')
    rows.feed(json.dumps({"p": 1}) + "\n")
    for view in (payloads, documents):
        look = view.look()
        assert look is not None and (look.value, look.complete) == (Point(p=1), True)
