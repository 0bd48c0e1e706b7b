"""Every call as a typed program makes it. Only the type checkers read this."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import assert_never, assert_type

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
    Parser,
    Partial,
    PatchOp,
    ProviderStream,
    StreamEvent,
    ValueState,
    apply_patch,
    deltas,
    events,
    snapshots,
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
    assert_type(made.snapshot_as(Reply), Partial[Reply] | None)
    assert_type(made.state_of("a"), ValueState)
    ops: list[PatchOp] = made.patch_since(made.revision())
    apply_patch(None, ops)


def loops(chunks: list[str], body: AsyncIterator[bytes]) -> None:
    assert_type(events(chunks, "a"), Iterator[Event])
    assert_type(events(body, ["a"], decimals=True), AsyncIterator[Event])
    assert_type(deltas(chunks, "a"), Iterator[Delta])
    snapshots(body, provisional=True)


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
    stream = ProviderStream.restore("auto", "a", ProviderStream("auto", "a").save(), patterns_for={"x": "b"})
    assert_type(stream, ProviderStream)
    assert_type(Envelope.restore("bare", None, bytearray(), payload_limit=5), Envelope)
    for said in Envelope(["bare"]).finish():
        if isinstance(said, EnvelopeEvent.Text):
            assert_type(said.text, str)
