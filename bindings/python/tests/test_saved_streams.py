"""Saved provider streams and envelopes: between any two chunks or events nothing shows, and any bytes are refused or sound."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay import VECTORS, Vector, replay, vectors
from test_saved import KINDS, edited

from jsonspigot import (
    Delta,
    Documents,
    Envelope,
    EnvelopeEvent,
    JsonSpigotError,
    Parser,
    ProviderStream,
    StreamEvent,
)

RECORDED = [vector for name in ("providers", "envelope") for vector in vectors(VECTORS / f"{name}.jsonl")]


def is_stream(vector: Vector) -> bool:
    return "provider" in vector.options


def stream_of(vector: Vector, state: bytes | None = None, **options: Any) -> ProviderStream:
    provider, structured = vector.options["provider"], vector.options.get("structured", False)
    if state is None:
        return ProviderStream(provider, vector.patterns, structured=structured, saveable=True, **options)
    return ProviderStream.restore(provider, vector.patterns, state, structured=structured, **options)


def bodies(name: str) -> Iterator[tuple[Vector, bytes]]:
    for vector in RECORDED:
        if is_stream(vector) == (name == "providers"):
            yield vector, b"".join(vector.chunks)


def told_of(read: Callable[[], list[Any]]) -> list[Any]:
    """What a call tells, and the error that it raises."""
    try:
        return read()
    except JsonSpigotError as error:
        return [*error.events, (str(error), error.kind, error.offset, error.line, error.column)]


@pytest.mark.parametrize("name", ["providers", "envelope"])
def test_a_recorded_body_may_be_saved_after_every_byte(name: str) -> None:
    count = 0
    for vector, body in bodies(name):
        bytewise = vector._replace(chunks=[body[at : at + 1] for at in range(len(body))])
        assert replay(bytewise, 1) == replay(bytewise), vector.name
        count += 1
    assert count > 40


def test_all_that_can_be_asked_is_the_same_at_every_byte() -> None:
    for vector, body in bodies("providers"):
        options: Any = {"snapshots": True, "with_message": True}
        one, other = stream_of(vector, **options), stream_of(vector, **options)
        for at in range(len(body)):
            told = [stream.feed(body[at : at + 1]) for stream in (one, other)]
            assert told[1] == told[0], vector.name
            other = stream_of(vector, other.save(), **options)
            assert (other.provider, other.open_calls, other.message()) == (one.provider, one.open_calls, one.message())
            for call in one.open_calls:
                assert other.snapshot(call) == one.snapshot(call)
        assert other.finish() == one.finish(), vector.name
        assert stream_of(vector, other.save(), **options).message() == one.message(), vector.name


def test_each_cut_alone_changes_nothing() -> None:
    for vector, body in bodies("providers"):
        for at in range(0, len(body) + 1, 1 + len(body) // 100):
            one = stream_of(vector)
            told = one.feed(body[:at]) + one.feed(body[at:]) + one.finish()
            other = stream_of(vector)
            before = other.feed(body[:at])
            other = stream_of(vector, other.save())
            assert before + other.feed(body[at:]) + other.finish() == told, (vector.name, at)


EVENTS: list[dict[str, Any]] = [
    {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "Let mé"}}]},
    {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "book", "arguments": '{"city": "Pa'}}]}}]},
    {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": 'ris", "n": 1'}}]}}]},
    {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": "2.5}"}}]}}]},
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
]
LINES = "".join(json.dumps(event) + "\n" for event in EVENTS)
# One stream in each framing; Amazon's is among the recorded ones.
BODIES = {
    "events": b"\xef\xbb\xbf: hi\r\n\r\n" + "".join(f"event: x\r\ndata: {json.dumps(event, ensure_ascii=False)}\r\n\r\n" for event in EVENTS).encode() + b"data: [DONE]",
    "lines": LINES.encode(),
    "spread": "".join(json.dumps(event, indent=1, ensure_ascii=False) + "\n" for event in EVENTS).encode(),
    "array": json.dumps(EVENTS, indent=2, ensure_ascii=False).encode(),
    "broken": b'data: {"choices": \xf0\x9f\n\n\xffdata: {}\n\n' + LINES.encode(),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
@pytest.mark.parametrize("step", [1, 3, 64])
def test_every_framing_goes_on_where_it_was(body: bytes, step: int) -> None:
    made: Any = {"patterns": "city", "with_message": True, "saveable": True}
    one = ProviderStream("openai-chat", **made)
    other = ProviderStream("openai-chat", **made)
    told: list[list[StreamEvent]] = [[], []]
    for at in range(0, len(body), step):
        told[0] += one.feed(body[at : at + step])
        told[1] += other.feed(body[at : at + step])
        other = ProviderStream.restore("openai-chat", "city", other.save(), with_message=True)
    assert told[1] + other.finish() == told[0] + one.finish()
    assert other.message() == one.message()


def test_events_may_be_objects() -> None:
    one, other = ProviderStream("auto", "city"), ProviderStream("auto", "city", saveable=True)
    for event in EVENTS:
        assert other.push(event) == one.push(event)
        state = other.save()
        # There is nothing before the library whose place is lost: it is the library's own state.
        assert state.startswith(b"jsp\x1a")
        other = ProviderStream.restore("auto", "city", state)
    assert other.finish() == one.finish()


@given(st.lists(st.sampled_from(['{"a": "x', 'y"}', "\n", "```json\n", "```", "<t>", "</t>", "é😀", "{", "[1, 2", "]"]), max_size=10), st.integers(1, 7), st.sampled_from([b"", b"\xff", b"\xf0\x9f", b"\xe0\x80"]), st.booleans())
@settings(max_examples=300, deadline=None)
def test_an_envelope_goes_on_at_any_cut(parts: list[str], step: int, last: bytes, inside: bool) -> None:
    text = "".join(parts).encode() + last
    marks = ["fence:json", "tag:t:raw", "bare"]
    one, other = (Envelope(marks, "..a", payload_limit=40, starts_inside=inside, saveable=True) for _ in range(2))
    pieces = [text[at : at + step] for at in range(0, len(text), step)]
    for piece in [*pieces, None]:
        told = [told_of(each.finish if piece is None else (lambda each=each: each.feed(piece))) for each in (one, other)]
        assert repr(told[1]) == repr(told[0])
        other = Envelope.restore(marks, "..a", other.save(), payload_limit=40, starts_inside=inside)
    # A text that was not UTF-8 stays so.
    assert repr(told_of(lambda: other.feed("x"))) == repr(told_of(lambda: one.feed("x")))
    for each in (one, other):
        each.reset()
    assert repr(told_of(lambda: other.feed(text))) == repr(told_of(lambda: one.feed(text)))


HEADER = struct.Struct("<4sBQQI")


def made_up(added: bytes, state: bytes) -> bytes:
    """Return a state with the right checksum."""
    checksum = zlib.crc32(struct.pack("<QQ", len(added), len(state)) + added + state)
    return HEADER.pack(b"jsf\x1a", 1, len(added), len(state), checksum) + added + state


def taken_apart(state: bytes) -> tuple[bytes, bytes]:
    added = HEADER.unpack_from(state)[2]
    return state[HEADER.size : HEADER.size + added], state[HEADER.size + added :]


Restore = Callable[[bytes], Any]


def restore_stream(state: bytes) -> ProviderStream:
    return ProviderStream.restore("openai-chat", "city", state)


def restore_envelope(state: bytes) -> Envelope:
    return Envelope.restore(["tag:t", "fence:json"], "a", state)


def saved_stream(at: int, body: bytes) -> bytes:
    stream = ProviderStream("openai-chat", "city", saveable=True)
    stream.feed(body[:at])
    return stream.save()


def saved_envelope(at: int, body: bytes) -> bytes:
    envelope = Envelope(["tag:t", "fence:json"], "a", saveable=True)
    told_of(lambda: envelope.feed(body[:at]))
    return envelope.save()


TEXT = "Hi é <t>{\"a\": \"x\"}</t> and\n```json\n{\"a\": [1, \"😀\"]}\n``` {\"b\"".encode() + b"\xf0\x9f"
READERS: list[tuple[Restore, Callable[[int, bytes], bytes], list[bytes]]] = [
    (restore_stream, saved_stream, list(BODIES.values())),
    (restore_envelope, saved_envelope, [TEXT, TEXT + b"\xff"]),
]


def is_refused_or_sound(restore: Restore, state: bytes, rest: bytes) -> str | None:
    try:
        reader = restore(state)
    except JsonSpigotError as error:
        assert error.kind in KINDS
        assert (error.offset, error.line, error.column, error.path, error.events) == (0, 0, 0, "$", [])
        return error.kind
    told_of(lambda: reader.feed(rest))
    restore(reader.save())
    told_of(reader.finish)
    restore(reader.save())
    return None


@given(st.sampled_from(READERS), st.data())
@settings(max_examples=400, deadline=None)
def test_changed_bytes_are_refused(reader: Any, data: st.DataObject) -> None:
    restore, save, inputs = reader
    body = data.draw(st.sampled_from(inputs))
    at = data.draw(st.integers(0, len(body)))
    state = save(at, body)
    changed = edited(state, data)
    if data.draw(st.booleans()):
        del changed[data.draw(st.integers(0, len(changed))) :]
    kind = is_refused_or_sound(restore, bytes(changed), body[at:])
    assert (kind is None) == (changed == state)


@given(st.sampled_from(READERS), st.data())
@settings(max_examples=600, deadline=None)
def test_bytes_that_were_made_up_are_refused_or_sound(reader: Any, data: st.DataObject) -> None:
    restore, save, inputs = reader
    body = data.draw(st.sampled_from(inputs))
    at = data.draw(st.integers(1, len(body)))
    added, state = taken_apart(save(at, body))
    changed = edited(added, data)
    assert is_refused_or_sound(restore, made_up(bytes(changed), state), body[at:]) in {None, "impossible"}
    assert is_refused_or_sound(restore, made_up(data.draw(st.binary(max_size=40)), state), body[at:]) in {None, "impossible"}


@given(st.sampled_from(READERS), st.sampled_from([b"", b"js", b"jsf\x1a\x01", b"jsp\x1a\x01\x04", b"jsp\x1a\x01\x05"]), st.binary(max_size=60))
def test_any_bytes_are_refused_or_sound(reader: Any, start: bytes, rest: bytes) -> None:
    is_refused_or_sound(reader[0], start + rest, b"data: {}\n\n")


@pytest.mark.parametrize("reader", READERS, ids=["stream", "envelope"])
def test_every_byte_counts(reader: Any) -> None:
    restore, save, inputs = reader
    for body in inputs:
        state = save(40, body)
        assert restore(state).save() == state
        for place in range(len(state)):
            assert is_refused_or_sound(restore, state[:place], b"") == "cut"
            changed = bytearray(state)
            changed[place] ^= 1 << place % 8
            assert is_refused_or_sound(restore, bytes(changed), b"") in KINDS
        assert is_refused_or_sound(restore, state + b"\0", b"") == "changed"


def test_what_is_promised_takes_no_memory() -> None:
    import tracemalloc

    tracemalloc.start()
    for added in (struct.pack("<Q", 1 << 50), struct.pack("<QQQ", 3, 0, 1 << 50), b"\xff" * 24):
        assert is_refused_or_sound(restore_stream, made_up(added, ProviderStream("openai-chat", "city", saveable=True).save()), b"") == "impossible"
    assert is_refused_or_sound(restore_stream, HEADER.pack(b"jsf\x1a", 1, 1 << 60, 1 << 60, 0), b"") == "cut"
    assert is_refused_or_sound(restore_stream, HEADER.pack(b"jsf\x1a", 1, (1 << 64) - 1, (1 << 64) - 1, 0), b"") == "cut"
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_what_differs_is_named() -> None:
    stream, envelope = ProviderStream("openai-chat", "city", saveable=True), Envelope("tag:t", "a", saveable=True)
    stream.feed(BODIES["events"][:80])
    envelope.feed("<t>{")
    state, text = stream.save(), envelope.save()
    for kind, restore in [
        ("other-patterns", lambda: ProviderStream.restore("openai-chat", "town", state)),
        ("other-choices", lambda: ProviderStream.restore("anthropic", "city", state)),
        ("other-choices", lambda: ProviderStream.restore("auto", "city", state)),
        ("other-choices", lambda: ProviderStream.restore("openai-chat", "city", state, with_message=True)),
        ("other-choices", lambda: ProviderStream.restore("openai-chat", "city", state, structured=True)),
        ("other-choices", lambda: ProviderStream.restore("openai-chat", "city", state, cumulative=True)),
        ("other-choices", lambda: ProviderStream.restore("openai-chat", "city", state, snapshots=True)),
        ("other-kind", lambda: ProviderStream.restore("openai-chat", "city", text)),
        ("other-kind", lambda: ProviderStream.restore("openai-chat", "city", Parser("city").save())),
        ("not-saved-state", lambda: ProviderStream.restore("openai-chat", "city", b"{}")),
        ("not-saved-state", lambda: ProviderStream.restore("openai-chat", "city", b"jsf\x1b" + state[4:])),
        ("other-version", lambda: ProviderStream.restore("openai-chat", "city", b"jsf\x1a\x02" + state[5:])),
        ("cut", lambda: ProviderStream.restore("openai-chat", "city", b"")),
        ("other-kind", lambda: Envelope.restore("tag:t", "a", state)),
        ("other-patterns", lambda: Envelope.restore("tag:t", "b", text)),
        ("other-choices", lambda: Envelope.restore("tag:u", "a", text)),
        ("other-choices", lambda: Envelope.restore(["tag:t", "bare"], "a", text)),
        ("other-choices", lambda: Envelope.restore("tag:t", "a", text, payload_limit=5)),
        ("other-choices", lambda: Envelope.restore("tag:t", "a", text, starts_inside=True)),
        # A framing belongs to a stream, and half a character to an envelope.
        ("impossible", lambda: ProviderStream.restore("openai-chat", "city", made_up(taken_apart(text)[0], taken_apart(state)[1]))),
        ("impossible", lambda: Envelope.restore("tag:t", "a", made_up(taken_apart(state)[0], taken_apart(text)[1]))),
    ]:
        with pytest.raises(JsonSpigotError) as caught:
            restore()
        assert caught.value.kind == kind
    for wrong in (lambda: Parser.restore("city", state), lambda: Documents.restore("lines", "a", text)):
        with pytest.raises(JsonSpigotError) as caught:
            wrong()
        assert caught.value.kind in {"not-saved-state", "other-kind"}


def test_arguments_are_those_of_the_constructors() -> None:
    stream = ProviderStream("openai-chat", None, patterns_for={"book": "city"}, saveable=True)
    stream.feed(LINES[:200])
    state = stream.save()
    assert type(state) is bytes
    for same in (bytearray(state), memoryview(state)):
        restored = ProviderStream.restore("openai-chat", None, same, patterns_for={"book": ["city"]})
        assert restored.feed(LINES[200:]) == ProviderStream.restore(
            "openai-chat", None, state, patterns_for={"book": "city"}
        ).feed(LINES[200:])
    for restore in (partial_restore, partial_envelope):
        for wrong in ("jsp", None, 5, [1]):
            with pytest.raises(TypeError, match="a saved state is bytes"):
                restore(wrong)
    with pytest.raises(ValueError, match="nobody"):
        ProviderStream.restore("nobody", None, state)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="mark 'tag:'"):
        Envelope.restore("tag:", None, state)
    with pytest.raises(TypeError, match="nothing"):
        ProviderStream.restore("openai-chat", None, state, nothing=True)  # type: ignore[call-arg]


def partial_restore(state: Any) -> Any:
    return ProviderStream.restore("openai-chat", None, state)


def partial_envelope(state: Any) -> Any:
    return Envelope.restore("tag:t", None, state)


def test_values_may_look_otherwise_here() -> None:
    from decimal import Decimal

    stream = ProviderStream("openai-chat", "city", saveable=True)
    stream.feed(LINES[: len(LINES) // 2])
    state = stream.save()
    restored = ProviderStream.restore("openai-chat", "city", state, decimals=True)
    told = restored.feed(LINES[len(LINES) // 2 :]) + restored.finish()
    [end] = [event for event in told if isinstance(event, StreamEvent.CallEnd)]
    assert end.value == {"city": "Paris", "n": Decimal("12.5")}


def test_a_state_is_made_on_request_and_up_to_a_limit() -> None:
    for stream, reads in [(ProviderStream("openai-chat"), [True]), (ProviderStream("openai-chat", saveable=60), [False, True])]:
        for is_refused in reads:
            if is_refused:
                with pytest.raises(JsonSpigotError, match="saveable") as caught:
                    stream.save()
                assert caught.value.kind == "not-retained"
            else:
                stream.save()
            stream.push({"choices": [{"index": 0, "delta": {"content": "Hello, long message"}}]})
    with pytest.raises(TypeError, match="saveable"):
        Envelope("bare", saveable="yes")  # type: ignore[call-overload]
    restored = ProviderStream.restore("openai-chat", None, ProviderStream("openai-chat", saveable=True).save(), saveable=False)
    with pytest.raises(JsonSpigotError):
        restored.save()


def test_half_a_character_waits_in_both() -> None:
    envelope = Envelope("tag:t:json", "$", saveable=True)
    envelope.feed(b"<t>\"\xf0\x9f")
    stream = ProviderStream("anthropic", "city", saveable=True)
    stream.feed(b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\xf0\x9f')
    for _ in range(2):
        envelope = Envelope.restore("tag:t:json", "$", envelope.save())
        stream = ProviderStream.restore("anthropic", "city", stream.save())
    [match] = [event for event in envelope.feed(b'\x98\x80"') if isinstance(event, EnvelopeEvent.Match) and isinstance(event.event, Delta)]
    assert isinstance(match.event, Delta) and match.event.text == "\U0001f600"
    told = stream.feed(b'\x98\x80"}}\n\n')
    assert [event.text for event in told if isinstance(event, StreamEvent.Text)] == ["\U0001f600"]


def test_a_lone_surrogate_has_its_place_in_the_chunk_and_nothing_is_read() -> None:
    """How much of the body was read before is not part of a saved state, so no offset in the body would be right after it."""
    event = 'data: {"choices": [{"index": 0, "delta": {"content": "x"}}]}\n\n'
    stream = ProviderStream("openai-chat", saveable=True)
    stream.feed(event)
    for reader in (stream, ProviderStream.restore("openai-chat", None, stream.save())):
        for read in (reader.feed, reader.push):
            with pytest.raises(JsonSpigotError) as raised:
                read("{\u00e9\ud800")
            assert (raised.value.kind, raised.value.offset) == ("lone-surrogate", 3)
        assert [told.text for told in reader.feed(event) if isinstance(told, StreamEvent.Text)] == ["x"]
