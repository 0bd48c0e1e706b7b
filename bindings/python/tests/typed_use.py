"""Every call as a typed program makes it. Only the type checkers read this."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Generator
from contextlib import aclosing
from typing import Annotated, Any, Literal, assert_never, assert_type

from pydantic import TypeAdapter

from jsonspigot import (
    Begin,
    Delta,
    DocumentEnd,
    Documents,
    End,
    Envelope,
    EnvelopeEvent,
    Event,
    InnerError,
    JsonSpigotError,
    Open,
    Parser,
    Look,
    Partial,
    PartialJson,
    PatchOp,
    ProviderStream,
    Rewriter,
    Rule,
    StreamEvent,
    Typed,
    TypedCall,
    TypedDocument,
    TypedPayload,
    ValueState,
    apply_patch,
    deltas,
    events,
    provider_events,
    rows,
    snapshots,
    values,
)


class Reply:
    say: str


def whole(event: Event) -> str:
    match event:
        case Begin(path, kind):
            return path + kind
        case Delta(path, text):
            return path + text
        case End(path=path):
            return path
        case InnerError(path, error):
            assert_type(error, JsonSpigotError)
            return path
    assert_never(event)


def parser() -> None:
    made = Parser("a", snapshots=True, retain="matches", lenient=["comments"], max_string=10)
    assert_type(made.feed("x"), list[Event])
    assert_type(made.feed(b"x"), list[Event])
    assert_type(Parser(model=Reply).look(), Look[Reply] | None)
    assert_type(Parser(model=Reply, missing="empty", strict=True).look(), Partial[Reply] | None)
    assert_type(made.state_of("a"), ValueState)
    ops: list[PatchOp] = made.patch_since(made.revision())
    apply_patch(None, ops)


def loops(chunks: list[str], body: AsyncIterator[bytes]) -> None:
    assert_type(events(chunks, "a"), Generator[Event, None, None])
    assert_type(events(body, ["a"], decimals=True), AsyncGenerator[Event, None])
    assert_type(deltas(chunks, "a"), Generator[Delta, None, None])
    assert_type(deltas(b"", "a"), Generator[Delta, None, None])
    assert_type(snapshots("", model=list[Reply]), Generator[Look[list[Reply]], None, None])
    assert_type(snapshots(body, provisional=True), AsyncGenerator[Any, None])
    assert_type(snapshots(chunks, model=Reply, strict=True), Generator[Look[Reply], None, None])
    assert_type(snapshots(body, model=TypeAdapter(Reply), max_depth=4), AsyncGenerator[Look[Reply], None])


def typed(made: Parser, chunks: list[str]) -> None:
    assert_type(made.typed(Reply), Typed[Look[Reply]])
    assert_type(made.typed(Reply).look(), Look[Reply] | None)
    either: TypeAdapter[Reply | None] = TypeAdapter(Reply | None)
    assert_type(made.typed(either, context=1), Typed[Look[Reply | None]])
    for model in (Reply | None, Annotated[int, 1], Literal["a"], None):
        made.typed(model)
        Parser(model=model)
    for partial in snapshots(chunks, model=Reply | None):
        assert_type(partial.complete, bool)
    value = next(snapshots(chunks, model=Reply)).value
    if isinstance(value, Open):
        assert_type(value.say, Any | None)


async def left(body: AsyncIterator[bytes]) -> None:
    async with aclosing(deltas(body, "a")) as said:
        async for delta in said:
            assert_type(delta, Delta)
            print(delta.to_dict())
            break
    async for event in provider_events(body, models={"reply": Reply}):
        assert_type(event, StreamEvent | TypedCall)
    async for told in provider_events(body, "a", max_string=5):
        assert_type(told, StreamEvent)


def others() -> None:
    for event in Documents("lines", "a", snapshots=True).feed("1"):
        if isinstance(event, DocumentEnd):
            assert_type(event.error, JsonSpigotError | None)
    for told in ProviderStream("auto", "a", patterns_for={"x": ["b"]}).feed(b""):
        match told:
            case StreamEvent.Match(call=call, event=inner):
                assert_type(call, int)
                assert_type(inner, Event)
            case StreamEvent.CallEnd(name=name):
                assert_type(name, str | None)
            case _:
                pass
    stream = ProviderStream.restore("auto", "a", ProviderStream("auto", "a", saveable=True).save(), patterns_for={"x": "b"})
    assert_type(stream, ProviderStream[StreamEvent | TypedCall])
    assert_type(Envelope.restore("bare", None, bytearray(), payload_limit=5), Envelope[EnvelopeEvent | TypedPayload])
    for said in Envelope(["bare"]).finish():
        if isinstance(said, EnvelopeEvent.Text):
            assert_type(said.text, str)


def many(chunks: list[str], body: AsyncIterator[bytes]) -> None:
    assert_type(rows(chunks, {"id": "id"}, framing="lines"), Generator[dict[str, Any], None, None])
    assert_type(PartialJson(max_depth=5).push("{").finish(), Any)
    assert_type(values(chunks, "a[*]"), Generator[Any, None, None])
    assert_type(values(body, framing="lines", decimals=True), AsyncGenerator[Any, None])
    for row in Documents("lines", model=Reply).feed("1"):
        match row:
            case TypedDocument(value=value, complete=True):
                print(value)
            case DocumentEnd(error=error):
                assert_type(error, JsonSpigotError | None)
                assert_type(row.line, int | None)
            case _:
                pass
    assert_type(Documents("lines").feed("1"), list[Event | DocumentEnd])
    assert_type(Documents("lines", snapshots=True, duplicate_keys="reject").typed(Reply), Typed[Look[Reply]])
    envelope = Envelope(["fence:json"], models={"fence:json": Reply})
    assert_type(envelope.feed("x"), list[EnvelopeEvent | TypedPayload])
    assert_type(envelope.typed(TypeAdapter(Reply)).look(), Look[Reply] | None)
    assert_type(envelope.open_mark, str | None)
    stream = ProviderStream("auto", models={"reply": Reply})
    assert_type(stream.push({}), list[StreamEvent | TypedCall])
    assert_type(stream.typed(0, Reply), Typed[Look[Reply]])
    rules = {"a": Rule.remove(), "b": Rule.map(str.strip), "c": Rule.map_text(lambda piece: piece or "")}
    rewriter = Rewriter(rules, held_limit=100, max_depth=8)
    assert_type(rewriter.write(bytearray()) + rewriter.finish(), bytes)
    assert_type(Rewriter.restore(rules, rewriter.save()), Rewriter)
    plain: ProviderStream = ProviderStream("openai-chat", envelope="fence:*")
    for event in plain.feed(b""):
        match event:
            case StreamEvent.Payload(event=EnvelopeEvent.End(status="accepted", deviations=deviations)):
                assert_type(deviations[0].kind, str)
            case _:
                pass
    for told in provider_events(chunks, structured=True, models={None: Reply}):
        if isinstance(told, TypedCall):
            assert_type(told.complete, bool)
