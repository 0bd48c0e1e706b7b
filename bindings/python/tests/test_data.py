"""Events are data; sources are closed; one loop over a provider's stream."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from jsonspigot import (
    Begin,
    Delta,
    DocumentEnd,
    Documents,
    End,
    Envelope,
    EnvelopeEvent,
    JsonSpigotError,
    Open,
    Parser,
    Partial,
    StreamEvent,
    TypedCall,
    deltas,
    provider_events,
    rows,
    snapshots,
    values,
)


def chat(arguments: str, index: int = 0, name: str | None = None) -> dict[str, Any]:
    function: dict[str, Any] = {"arguments": arguments} | ({"name": name} if name else {})
    call = {"index": index, "function": function} | ({"id": f"c{index}"} if name else {})
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}


STOP = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
BOOK = [chat('{"city": "Pa', 0, "book"), chat("ris"), chat('", "n": 2}'), STOP]


def every_event() -> list[Any]:
    parser = Parser(["a", "b | x"], decimals=True)
    told: list[Any] = parser.feed('{"a": "x", "b": "{]"}')
    told += [*Parser("a", decimals=True).feed('{"a": 1.50}'), End("a", None)]
    told += Documents("lines", "a").feed('{"a": 1.5}\n{"a"]\n')
    told += Documents("lines", lenient="comments", accept_deviations=True, decimals=True).feed("[1.5] // x\n")
    envelope = Envelope("fence:json", "a")
    told += [*envelope.feed('Hello ```json\n{"a": "x"}\n``` and ```json\n{"a"]\n```'), *envelope.finish()]
    told += provider_events([*BOOK[:-2], chat('"}', 0), STOP], "city")
    told += [TypedCall(0, "book", Slot(day="2026-11-23"), complete=True), TypedCall(0, None, None, error=KeyError("x"))]
    told += Documents("lines", model=Slot).feed('{"day": "2026-11-23"}\n{"day": 1.5}\n')
    told += Envelope("bare", models={"bare": Slot}).feed('{"day": "2026-11-23"}, ')
    return told


class Slot(BaseModel):
    day: date


EVENTS = every_event()


def test_there_are_events_of_every_class() -> None:
    assert {event.to_dict()["type"].partition(".")[0] for event in EVENTS} == {
        "Begin", "Delta", "End", "InnerError", "DocumentEnd", "EnvelopeEvent", "StreamEvent",
        "TypedCall", "TypedDocument", "TypedPayload",
    }  # fmt: skip
    assert len({type(event) for event in EVENTS}) > 12


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_is_data(event: Any) -> None:
    for again in (pickle.loads(pickle.dumps(event)), copy.copy(event), copy.deepcopy(event)):
        assert again == event and type(again) is type(event) and repr(again) == repr(event)
        assert hash(again) == hash(event)
        assert again.to_dict() == event.to_dict()
    assert all(event != other for other in EVENTS if type(other) is not type(event))
    as_dict = event.to_dict()
    text = json.dumps(event, default=lambda it: it.to_dict())
    assert json.loads(text) == as_dict == json.loads(TypeAdapter(type(event)).dump_json(event)) == dict(event)
    # Where the type says nothing.
    assert json.loads(TypeAdapter(Any).dump_json([event])) == [as_dict]
    assert as_dict["type"] == repr(event).partition("(")[0]

    class Holder(BaseModel):
        event: type(event)  # type: ignore[valid-type]

    held = Holder(event=event)
    assert held.model_dump() == {"event": event}
    assert held.model_dump(mode="json") == {"event": as_dict}
    assert Holder.model_json_schema()["properties"]["event"]["type"] == "object"
    with pytest.raises(ValidationError):
        Holder(event=1)  # type: ignore[call-arg]


def test_dicts_have_what_match_has() -> None:
    begin, delta, end = Parser("a").feed('{"a": "x"}')
    assert delta.to_dict() == {"type": "Delta", "path": "a", "text": "x", "pattern": 0, "match_id": 0, "offset": 7, "document": 0}
    assert (begin.to_dict()["kind"], end.to_dict()["value"]) == ("string", "x")
    assert End("a", None).to_dict()["value"] is None
    wrong = next(event for event in EVENTS if isinstance(event, DocumentEnd) and event.error)
    assert wrong.to_dict()["error"]["kind"] == "unexpected-byte" and wrong.to_dict()["value"] is None
    lenient = next(event for event in EVENTS if isinstance(event, DocumentEnd) and event.deviation_count)
    assert lenient.to_dict()["deviations"][0]["kind"] == "comments" and lenient.to_dict()["value"] == [1.5]


def test_the_dict_of_a_deep_value() -> None:
    depth = 100_000
    *_, end = Parser("$", max_depth=None).feed("[" * depth + "]" * depth)
    value, levels = end.to_dict()["value"], 1
    while value:
        (value,), levels = value, levels + 1
    assert levels == depth


def test_events_in_responses() -> None:
    fastapi = pytest.importorskip("fastapi")

    async def told() -> list[Begin | Delta | End]:
        return Parser("a").feed('{"a": "x"}')  # type: ignore[return-value]

    app = fastapi.FastAPI()
    told.__annotations__["return"] = list[Begin | Delta | End]
    app.get("/")(told)
    schema = app.openapi()["paths"]["/"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert schema["type"] == "array"
    assert [event["type"] for event in json.loads(asyncio.run(answer(app)))] == ["Begin", "Delta", "End"]


@pytest.mark.parametrize("returned", ["nothing", Any, list[Any], dict[str, Any]])
def test_events_in_responses_of_no_type(returned: Any) -> None:
    fastapi = pytest.importorskip("fastapi")
    events: Any = {"events": EVENTS} if returned == dict[str, Any] else EVENTS

    async def told():  # type: ignore[no-untyped-def]
        return events

    if returned != "nothing":
        told.__annotations__["return"] = returned
    app = fastapi.FastAPI()
    app.get("/")(told)
    assert json.loads(asyncio.run(answer(app))) == json.loads(json.dumps(events, default=dict))


async def answer(app: Any) -> bytes:
    """The body of an application's answer to a request for its root."""
    sent: list[Any] = []
    asked = [{"type": "http.request", "body": b""}]

    async def receive() -> Any:
        # Who asks waits for the answer.
        return asked.pop() if asked else await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b"", "root_path": ""}
    await app(scope, receive, send)
    assert sent[0]["status"] == 200
    return b"".join(message.get("body", b"") for message in sent)


def test_looks_in_responses() -> None:
    fastapi = pytest.importorskip("fastapi")
    from starlette.responses import StreamingResponse

    text = ['{"city": "Pa', 'ris"', ', "n": 2}']

    async def first() -> Partial[Book]:
        return next(snapshots(text, model=Book))

    async def lines() -> AsyncIterator[str]:
        async for look in snapshots(AsyncSource(text), model=Book):
            yield f"data: {look.value.model_dump_json(exclude_none=True)}\n\n"

    async def stream() -> StreamingResponse:
        return StreamingResponse(lines(), media_type="text/event-stream")

    first.__annotations__["return"] = Partial[Book]
    stream.__annotations__["return"] = StreamingResponse
    app, streaming = fastapi.FastAPI(), fastapi.FastAPI()
    app.get("/")(first)
    streaming.get("/")(stream)
    assert json.loads(asyncio.run(answer(app))) == {"value": {"city": "Pa", "n": None}, "complete": False}
    assert asyncio.run(answer(streaming)).decode().split("\n\n") == [
        'data: {"city":"Pa"}', 'data: {"city":"Paris"}', 'data: {"city":"Paris","n":2}', "",
    ]  # fmt: skip


class Source:
    """Yield as a source that notes its closing, as an SDK's stream does."""

    closed = 0

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def __iter__(self) -> Iterator[Any]:
        yield from self.items

    def close(self) -> None:
        self.closed += 1


class AsyncSource(Source):
    async def __aiter__(self) -> AsyncIterator[Any]:
        for item in self.items:
            yield item

    __iter__ = None  # type: ignore[assignment]

    async def close(self) -> None:  # type: ignore[override]
        self.closed += 1


TEXT = ['{"a": "x', 'y"}']


def test_a_source_is_closed_if_the_loop_is_left() -> None:
    source = Source(TEXT)
    loop = deltas(source, "a")
    assert next(loop).text == "x"
    loop.close()
    assert source.closed == 1
    read = Source(TEXT)
    assert len(list(snapshots(read))) == 2 and read.closed == 0
    wrong = Source(["[1]]", "x"])
    with pytest.raises(JsonSpigotError):
        list(snapshots(wrong))
    assert wrong.closed == 1


def test_an_async_source_is_closed_if_the_loop_is_left() -> None:
    async def left(loop: Any) -> None:
        async with aclosing(loop):
            async for _ in loop:
                break

    source, stream = AsyncSource(TEXT), AsyncSource(BOOK)
    asyncio.run(left(snapshots(source)))
    asyncio.run(left(provider_events(stream, "city")))
    assert (source.closed, stream.closed) == (1, 1)


class Book(BaseModel):
    city: str
    n: int


def typed(stream: Any, **options: Any) -> list[TypedCall]:
    return [event for event in provider_events(stream, models={"book": Book}, **options) if isinstance(event, TypedCall)]


def test_typed_calls() -> None:
    calls = typed(BOOK)
    assert [(call.value.city, call.complete) for call in calls] == [("Pa", False), ("Paris", False), ("Paris", True)]
    assert isinstance(calls[0].value, Open) and type(calls[-1].value) is Book and calls[-1].value == Book(city="Paris", n=2)
    assert typed(BOOK, decimals=True) == calls
    assert {(call.call, call.name, call.error) for call in calls} == {(0, "book", None)}
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in BOOK).encode()
    assert typed([body[:40], body[40:]])[-1] == calls[-1]
    plain = list(provider_events(BOOK, "city"))
    assert [e.event.text for e in plain if isinstance(e, StreamEvent.Match) and isinstance(e.event, Delta)] == ["Pa", "ris"]


def test_typed_calls_in_async() -> None:
    async def read() -> list[Any]:
        return [event async for event in provider_events(AsyncSource(BOOK), models={"book": Book})]

    assert asyncio.run(read()) == list(provider_events(BOOK, models={"book": Book}))


def test_several_calls_and_one_that_does_not_fit() -> None:
    stream = [
        chat('{"city": "P', 0, "book"),
        chat('{"city": 1, "n"', 1, "book"),
        chat('{"x": 1}', 2, "other"),
        chat('", "n": 1}', 0),
        chat(": 2}", 1),
        STOP,
    ]
    told = list(provider_events(stream, models={"book": Book}))
    wrong = [event for event in told if isinstance(event, TypedCall) and event.call == 1]
    assert len(wrong) == 1 and isinstance(wrong[0].error, ValidationError) and wrong[0].value is None
    right = [event for event in told if isinstance(event, TypedCall) and event.call == 0]
    assert right[-1].value == Book(city="P", n=1) and right[-1].complete
    assert not any(isinstance(event, TypedCall) and event.call == 2 for event in told)
    assert sum(isinstance(event, StreamEvent.CallEnd) for event in told) == 3


def test_a_call_that_was_cut_is_never_complete() -> None:
    calls = typed(BOOK[:2])
    assert calls and not any(call.complete for call in calls)


def test_envelope_events_are_told_apart() -> None:
    assert EnvelopeEvent.Text("a") != EnvelopeEvent.Text("b")


def test_values_are_whole() -> None:
    text = '{"a": [{"id": 1, "n": "x"}, {"id": 2.5}], "b": {"id": null}}'
    for size in (1, 5, 100):
        chunks = [text[at : at + size] for at in range(0, len(text), size)]
        assert list(values(chunks, "$..id")) == [1, 2.5, None]
        assert list(values(chunks, ["a[*]", "b"])) == [{"id": 1, "n": "x"}, {"id": 2.5}, {"id": None}]
        assert list(values(chunks)) == [json.loads(text)]
        assert list(values([*chunks, "\n", *chunks], framing="lines")) == [json.loads(text)] * 2
        assert list(values([*chunks, *chunks], "a[1].id", framing="concatenated", decimals=True)) == [Decimal("2.5")] * 2
    assert list(values(["12", "3"])) == [123]
    assert asyncio.run(collected(values(AsyncSource(['{"id": 1', "}"]), "id"))) == [1]
    with pytest.raises(TypeError, match="snapshots"):
        values([], snapshots=True)


async def collected(source: Any) -> list[Any]:
    return [item async for item in source]


def test_values_before_an_error() -> None:
    seen: list[Any] = []
    with pytest.raises(JsonSpigotError) as raised:
        for value in values(['{"id": 1}\n\n{"id": 2}\n', '{"id": x}\n{"id": 4}'], "id", framing="lines"):
            seen.append(value)
    assert seen == [1, 2] and raised.value.kind == "unexpected-byte"
    error = raised.value
    assert (error.line, error.column, error.offset) == (4, 8, 28) and "at line 4 column 8 (byte 28)" in str(error)
    for pattern, text in (("a | b", '{"a": "{]"}'), ("a", '{"a": 1'), (None, "")):
        with pytest.raises(JsonSpigotError):
            list(values([text], pattern))
    reader = values(["[1, 2", ", x"], "[*]")
    assert [next(reader), next(reader)] == [1, 2]
    with pytest.raises(JsonSpigotError):
        next(reader)


@pytest.mark.parametrize("size", [1, 4, 100])
def test_rows(size: int) -> None:
    text = '{"id": 1, "user": {"name": "a"}, "t": [1, {"b": 2}]}\n\n{"id": 2}\n{"user": {"name": null}, "id": 3, "id": 4}\n'
    columns = {"number": "id", "name": "user.name", "tags": "t[*]", "again": "id"}
    missing = object()
    made = list(rows((text[at : at + size] for at in range(0, len(text), size)), columns, framing="lines", missing=missing))
    assert made == [
        {"number": 1, "name": "a", "tags": [1, {"b": 2}], "again": 1},
        {"number": 2, "name": missing, "tags": [], "again": 2},
        {"number": 4, "name": None, "tags": [], "again": 4},
    ]
    assert list(rows(text.split("\n")[0], {"all": "$", "b": "t[1].b"})) == [{"all": json.loads(text.split("\n")[0]), "b": 2}]
    assert list(rows([], {"a": "a"}, framing="lines")) == []
    seen: list[Any] = []
    with pytest.raises(JsonSpigotError) as raised:
        for row in rows(['{"a": 1}\n{"a": 2, "b"\n'], {"a": "a"}, framing="lines"):
            seen.append(row)
    assert (seen, raised.value.line) == ([{"a": 1}], 2)
    with pytest.raises(TypeError, match="no argument 'snapshots'"):
        rows([], {}, snapshots=True)  # type: ignore[call-overload]
    for several in ("a[*]", "..a", "a[0,1]", "['a','b']", "a[1:]", "a | ..b"):
        assert list(rows("{}", {"x": several})) == [{"x": []}], several
    for one in ("a", "a[0].b", "['a,b']['*']", "a | b", "['..']"):
        assert list(rows("{}", {"x": one})) == [{"x": None}], one


@pytest.mark.parametrize("size", [1, 4, 100])
def test_documents_have_their_physical_line(size: int) -> None:
    text = "1\n\n  \n2\n{]\n\r\n3\n4"
    told: list[Any] = []
    reader = Documents("lines")
    for at in range(0, len(text), size):
        told += reader.feed(text[at : at + size])
    told += reader.finish()
    assert [(end.line, end.error is None) for end in told] == [(1, True), (4, True), (5, False), (7, True), (8, True)]
    assert "line=5" in repr(told[2]) and told[2].to_dict()["line"] == 5
    reader.reset()
    assert [end.line for end in reader.feed("1\n2\n")] == [1, 2]
    assert [end.line for end in Documents.restore("lines", None, reader.save()).feed("3\n")] == [3]
    assert [end.line for end in Documents("concatenated").feed("[] [\n] []")] == [1, 1, 2]


def test_the_last_snapshot_is_the_value_though_it_is_none() -> None:
    assert list(snapshots(["nu", "ll", " "])) == list(values(["null"])) == [None]
    assert list(snapshots(["[nu", "ll]"])) == [[], [None]]
    with pytest.raises(JsonSpigotError):
        next(snapshots(["nul"]))


def test_choices_of_a_model_need_a_model() -> None:
    choices: list[dict[str, Any]] = [{"context": 1}, {"strict": False}, {"by_alias": True}, {"by_name": True}]
    for choice in choices:
        with pytest.raises(TypeError, match="unexpected keyword argument"):
            snapshots([], **choice)


@pytest.mark.parametrize("kind", [str, str.encode, lambda text: bytearray(text.encode()), lambda text: memoryview(text.encode())])
def test_a_text_is_a_source_of_one_chunk(kind: Any) -> None:
    text = kind('{"a": "xyz"}')
    assert [delta.text for delta in deltas(text, "a")] == ["xyz"]
    assert list(values(text)) == list(snapshots(text)) == [{"a": "xyz"}]
    assert list(provider_events(kind(f"data: {json.dumps(BOOK[0])}\n\n"))) == list(provider_events(BOOK[:1], provider="openai-chat"))
