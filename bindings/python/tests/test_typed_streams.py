"""Typed views where there are many values: calls, payloads, documents; by events and by looks."""

from __future__ import annotations

import gc
import json
import pickle
import weakref
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, ClassVar

import pytest
from pydantic import BaseModel, BeforeValidator, PydanticUserError, TypeAdapter, ValidationError, field_validator
from replay import VECTORS, vectors

from jsonspigot import _typed
from jsonspigot import (
    DocumentEnd,
    Documents,
    Envelope,
    EnvelopeEvent,
    JsonSpigotError,
    Open,
    Parser,
    ProviderStream,
    StreamEvent,
    TypedCall,
    TypedDocument,
    TypedPayload,
    provider_events,
    snapshots,
)


class Slot(BaseModel):
    message: str
    options: list[str]


class Reply(BaseModel):
    slots: list[Slot]
    note: str


REPLY = {"slots": [{"message": "Which?", "options": ["a", "b"]}, {"message": "When?", "options": []}], "note": "ok"}
TEXT = json.dumps(REPLY)


def chat(arguments: str, index: int = 0, name: str | None = None) -> dict[str, Any]:
    function: dict[str, Any] = {"arguments": arguments} | ({"name": name} if name else {})
    call = {"index": index, "function": function} | ({"id": f"c{index}"} if name else {})
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}


STOP = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def states(told: list[Any], kind: type[Any]) -> list[Any]:
    """The values of typed events, each more than the one before, and the last one whole."""
    typed = [event for event in told if isinstance(event, kind)]
    assert [event.complete for event in typed] == [False] * (len(typed) - 1) + [True]
    assert all(event.error is None for event in typed)
    assert typed[-1].value == Reply(**REPLY) and type(typed[-1].value) is Reply  # type: ignore[arg-type]
    return [event.value for event in typed]


def kept(values: list[Any]) -> None:
    """What has closed is the same object from then on."""
    closed = [value.slots[0] for value in values if value.slots and type(value.slots[0]) is Slot]
    assert all(slot is closed[0] for slot in closed)


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_calls_by_tool(size: int) -> None:
    stream = ProviderStream("openai-chat", models={"reply": Reply})
    told = [*stream.push(chat("", 0, "reply"))]
    for piece in pieces(TEXT, size):
        told += stream.push(chat(piece))
    told += [*stream.push(STOP), *stream.finish()]
    values = states(told, TypedCall)
    kept(values)
    assert len(values) > (30 if size == 1 else 0)
    last = [type(event) for event in told if isinstance(event, (TypedCall, StreamEvent.CallEnd))][-2:]
    assert last == [TypedCall, StreamEvent.CallEnd]
    assert told == list(provider_events([chat("", 0, "reply"), *(chat(p) for p in pieces(TEXT, size)), STOP], models={"reply": Reply}, provider="openai-chat"))


def test_calls_by_call() -> None:
    stream = ProviderStream("openai-chat", snapshots=True)
    with pytest.raises(ValueError, match="not open"):
        stream.typed(0, Reply)
    stream.push(chat("", 0, "reply"))
    stream.push(chat("", 1, "other"))
    views = [stream.typed(call, Reply) for call in stream.open_calls]
    assert views[0].look() is None
    seen = []
    for piece in pieces(TEXT, 4):
        stream.push(chat(piece, 0))
        stream.push(chat(piece[:2], 1))
        look = views[0].look()
        assert look is not None and look is views[0].look() and not look.complete
        seen.append(look.value)
    stream.push(STOP)
    whole = views[0].look()
    assert whole is not None and whole.complete and whole.value == Reply(**REPLY)  # type: ignore[arg-type]
    assert whole is views[0].look()
    kept([*seen, whole.value])
    # The other one was not JSON: what was known stays, and is never complete.
    last = views[1].look()
    assert last is None or not last.complete


def test_only_whole_calls_without_snapshots() -> None:
    stream = ProviderStream("openai-chat", models={"reply": Reply}, snapshots=False)
    told = [event for piece in [chat("", 0, "reply"), *map(chat, pieces(TEXT, 3)), STOP] for event in stream.push(piece)]
    assert len(states(told, TypedCall)) == 1
    with pytest.raises(ValueError, match="duplicate_keys"):
        ProviderStream("auto", models={"reply": Reply}, duplicate_keys="last-wins")


def test_a_restored_stream_goes_on() -> None:
    stream = ProviderStream("openai-chat", models={"reply": Reply}, saveable=True)
    told = [*stream.push(chat("", 0, "reply"))]
    for piece in pieces(TEXT, 9):
        told += stream.push(chat(piece))
        stream = ProviderStream.restore("openai-chat", None, stream.save(), models={"reply": Reply})
    told += stream.push(STOP)
    assert len(states(told, TypedCall)) > 5


@pytest.mark.parametrize("size", [1, 6, 1000])
def test_payloads(size: int) -> None:
    text = f"Here: ```json\n{TEXT}\n``` and ```json\n{TEXT}\n``` and <x>[1]</x>."
    envelope = Envelope(iter(["fence:json", "tag:x:json"]), models={"fence:json": Reply})
    told: list[Any] = []
    for piece in pieces(text, size):
        told += envelope.feed(piece)
    told += envelope.finish()
    ends = [at for at, event in enumerate(told) if isinstance(event, EnvelopeEvent.End)]
    assert len(ends) == 3
    first, second = told[: ends[0] + 1], told[ends[0] + 1 : ends[1] + 1]
    for part in (first, second):
        values = states(part, TypedPayload)
        kept(values)
        assert {event.mark for event in part if isinstance(event, TypedPayload)} == {"fence:json"}
        assert isinstance(part[-1], EnvelopeEvent.End) and isinstance(part[-2], TypedPayload)
    assert not any(isinstance(event, TypedPayload) for event in told[ends[1] + 1 :])


def test_payloads_are_looked_at() -> None:
    envelope = Envelope("fence:json", snapshots=True, duplicate_keys="reject")
    view = envelope.typed(Reply)
    assert envelope.snapshot() is None and envelope.open_mark is None and view.look() is None
    envelope.feed('```json\n{"note": "a')
    assert (envelope.snapshot(), envelope.open_path(), envelope.open_mark) == ({"note": "a"}, ("note",), "fence:json")
    look = view.look()
    assert look is not None and isinstance(look.value, Open) and look.value.note == "a"
    envelope.feed('b", "slots": []}')
    assert envelope.open_path() is None and envelope.snapshot() == {"note": "ab", "slots": []}
    # Something wrong may follow before the fence.
    assert not view.look().complete  # type: ignore[union-attr]
    envelope.feed("\n```\n")
    whole = view.look()
    assert whole is not None and whole.complete and whole.value == Reply(slots=[], note="ab")
    assert envelope.snapshot() is None
    envelope.feed('```json\n{"note": "c')
    again = view.look()
    assert again is not None and (again.value.note, again.complete) == ("c", False)
    envelope.feed('"} x ```\\n')
    assert view.look() == again
    envelope.feed(f"```json\n{TEXT}\n``` ```json\n{TEXT}\n```\n")
    assert view.look().value == Reply(**REPLY)  # type: ignore
    with pytest.raises(RuntimeError, match="snapshots=True"):
        Envelope("bare").snapshot()
    with pytest.raises(ValueError, match="duplicate_keys"):
        Envelope("bare", snapshots=True).typed(Reply)
    with pytest.raises(ValueError, match="not among the marks"):
        Envelope("bare", models={"fence:json": Reply})


def test_broken_payloads() -> None:
    for payload in ('{"note": "a", "slots": [1]}', '{"note": "a"} x', '{"note": "a"', '{"note" "a"}'):
        told: list[Any] = []
        envelope = Envelope("fence:json", models={"fence:json": Reply})
        for piece in pieces(f"```json\n{payload}\n``` ```json\n{TEXT}\n```", 1):
            told += envelope.feed(piece)
        told += envelope.finish()
        end = next((at for at, event in enumerate(told) if isinstance(event, EnvelopeEvent.End)), None)
        assert end is not None
        assert not any(event.complete for event in told[:end] if isinstance(event, TypedPayload)), payload
        errors = [event.error for event in told[:end] if isinstance(event, TypedPayload) and event.error]
        assert len(errors) == ("[1]" in payload)
        if told[end + 1 :]:
            states(told[end + 1 :], TypedPayload)


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("snapshots", [True, False])
def test_documents(size: int, snapshots: bool) -> None:
    text = f"{TEXT}\n{TEXT}\n{{\n" + '{"note": 1}\n' + TEXT
    rows = Documents("lines", model=Reply, snapshots=snapshots)
    told: list[Any] = []
    for piece in pieces(text, size):
        told += rows.feed(piece)
    told += rows.finish()
    ends = [event for event in told if isinstance(event, DocumentEnd)]
    assert [end.error is None for end in ends] == [True, True, False, True, True]
    for number in (0, 1, 4):
        values = states([event for event in told if getattr(event, "document", None) == number], TypedDocument)
        assert len(values) == 1 or snapshots
        kept(values)
    assert not any(isinstance(event, TypedDocument) and event.document == 2 and event.complete for event in told)
    [wrong] = [event for event in told if isinstance(event, TypedDocument) and event.document == 3 and event.error]
    assert isinstance(wrong.error, ValidationError)


def test_documents_are_looked_at() -> None:
    rows = Documents("lines", snapshots=True, duplicate_keys="reject")
    view = rows.typed(dict[str, int])
    rows.feed('{"a": 1, ')
    assert view.look().value == {"a": 1}  # type: ignore[union-attr]
    rows.feed('"b": 2}\n')
    assert (view.look().value, view.look().complete) == ({"a": 1, "b": 2}, True)  # type: ignore[union-attr]
    rows.feed('{"c": 3}\n{"d": "x"}\n')
    with pytest.raises(ValidationError):
        view.look()
    rows.feed('{"e": 5')
    assert view.look() is not None and view.look().value == {}  # type: ignore[union-attr]
    with pytest.raises(ValueError, match="duplicate_keys"):
        Documents("lines", snapshots=True).typed(int)


def test_views_need_snapshots() -> None:
    stream = ProviderStream()
    stream.push(chat('{"a": 1', 0, "book"))
    for typed in (
        lambda: stream.typed(0, Reply),
        lambda: Envelope("bare", duplicate_keys="reject").typed(Reply),
        lambda: Documents("lines", duplicate_keys="reject").typed(Reply),
        lambda: Parser(duplicate_keys="reject").typed(Reply),
    ):
        with pytest.raises(RuntimeError, match="keeps no snapshots: make it with .*snapshots=True"):
            typed()


def test_views_are_no_deeper_than_pydantic() -> None:
    """It reads 200 levels, of text and of values."""

    class Deep(BaseModel):
        a: Deep | None = None

    Deep.model_rebuild(_types_namespace={"Deep": Deep})
    for depth in (201, 1_000_000, None):
        choices: Any = {"snapshots": True, "duplicate_keys": "reject", "max_depth": depth}
        stream = ProviderStream(**choices)
        stream.push(chat('{"a": 1', 0, "book"))
        for refused in (
            lambda choices=choices: Parser(**choices).typed(Deep),
            lambda choices=choices: Parser(model=Deep, **choices),
            lambda choices=choices: Envelope("bare", **choices).typed(Deep),
            lambda choices=choices: Envelope("bare", models={"bare": Deep}, **choices),
            lambda choices=choices: Documents("lines", **choices).typed(Deep),
            lambda choices=choices: Documents("lines", model=Deep, **choices),
            lambda choices=choices: ProviderStream(models={"book": Deep}, **choices),
            lambda stream=stream: stream.typed(0, Deep),
            lambda depth=depth: snapshots([], model=Deep, max_depth=depth),
        ):
            with pytest.raises(ValueError, match="max_depth=200"):
                refused()
    for model in (Deep, Any, dict[str, Any], Annotated[Any, BeforeValidator(lambda value: value)]):
        text = '{"a":' * 199 + "{}" + "}" * 199
        for size in (1, 7, 10_000):
            *_, last = snapshots(pieces(text, size), model=model, max_depth=200)
            assert last.complete and last.value == TypeAdapter(model).validate_json(text)
    with pytest.raises(JsonSpigotError) as raised:
        list(snapshots(['{"a":' * 201], model=Deep, max_depth=200))
    assert raised.value.kind == "depth-limit"


def test_errors_have_the_typed_events_too() -> None:
    texts = Documents("concatenated", model=list[int])
    with pytest.raises(JsonSpigotError) as raised:
        texts.feed("[1] [2] x")
    assert [event.value for event in raised.value.events if isinstance(event, TypedDocument)] == [[1], [2]]


def test_a_validator_may_use_the_stream() -> None:
    used: list[Any] = []

    class Asks(BaseModel):
        city: str

        @field_validator("city")
        @classmethod
        def ask(cls, value: str) -> str:
            used.append((stream.open_calls, stream.snapshot(0)))
            return value

    stream = ProviderStream("openai-chat", models={"book": Asks})
    stream.push(chat('{"city": "Paris", ', 0, "book"))
    assert used == [([0], {"city": "Paris"})]


def test_circles_of_views_are_collected() -> None:
    class Canary:
        pass

    def circle() -> weakref.ref[Canary]:
        class Mine(BaseModel):
            a: int = 0
            canary: Any = Canary()

        stream = ProviderStream("openai-chat", models={"book": Mine})
        stream.push(chat('{"a": 1, "b": "', 0, "book"))
        view = stream.typed(0, Mine)
        rows = Documents("lines", model=Mine)
        rows.feed('{"a": 1, "b": "')
        envelope = Envelope("bare", models={"bare": Mine})
        envelope.feed('{"a": 1, "b": "')
        canary = Canary()
        view.look().value.__dict__["x"] = canary  # type: ignore[union-attr]
        return weakref.ref(canary)

    canaries = [circle() for _ in range(5)]
    gc.collect()
    assert [canary() for canary in canaries] == [None] * 5


def test_a_structured_answer() -> None:
    def text(piece: str) -> dict[str, Any]:
        return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": piece}}]}

    stream = [*map(text, pieces(TEXT, 6)), {**STOP, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}]
    assert len(states(list(provider_events(stream, structured=True, models={None: Reply})), TypedCall)) > 5


@pytest.mark.parametrize("stream", [[], [b"Bad gateway"], [{"foo": 1}]])
def test_a_stream_of_something_else(stream: list[Any]) -> None:
    with pytest.raises(JsonSpigotError) as raised:
        list(provider_events(stream))
    assert raised.value.kind == "no-event" and raised.value.path is None


def test_a_page_in_place_of_a_stream() -> None:
    [error] = provider_events([b"<html>Bad gateway</html>"])
    assert isinstance(error, StreamEvent.ProviderError) and "Bad gateway" in error.message


LENIENT: Any = {"lenient": ["single-quotes", "trailing-commas"], "accept_deviations": True}


def test_accepted_deviations_have_a_status() -> None:
    text = "{'slots': [], 'note': 'ok',}"
    stream = ProviderStream("openai-chat", models={"reply": Reply}, **LENIENT)
    told = [*stream.push(chat("", 0, "reply")), *stream.push(chat(text)), *stream.push(STOP)]
    [end] = [event for event in told if isinstance(event, StreamEvent.CallEnd)]
    assert (end.status, end.value, end.raw) == ("accepted", {"slots": [], "note": "ok"}, '{"slots":[],"note":"ok"}')
    assert end.deviations[0].kind == "single-quotes" and end.deviation_count == len(end.deviations) == 4
    typed = [event for event in told if isinstance(event, TypedCall)]
    assert typed[-1].complete and typed[-1].value == Reply(slots=[], note="ok")
    assert json.loads(json.dumps(end.to_dict()))["deviations"][0]["kind"] == "single-quotes"
    # Without being asked to, nothing is accepted.
    strict = ProviderStream("openai-chat", models={"reply": Reply}, lenient=LENIENT["lenient"])
    told = [*strict.push(chat("", 0, "reply")), *strict.push(chat(text)), *strict.push(STOP)]
    [end] = [event for event in told if isinstance(event, StreamEvent.CallEnd)]
    assert (end.status, end.value) == ("malformed", None)
    assert not any(event.complete for event in told if isinstance(event, TypedCall))

    envelope = Envelope("fence:*", models={"fence:*": Reply}, **LENIENT)
    events = [*envelope.feed(f"```\n{text}\n```\n"), *envelope.finish()]
    [payload] = [event for event in events if isinstance(event, EnvelopeEvent.End)]
    assert (payload.status, payload.value["note"], payload.deviation_count) == ("accepted", "ok", 4)
    assert [event.complete for event in events if isinstance(event, TypedPayload)][-1]
    assert pickle.loads(pickle.dumps(payload)) == payload


def test_payloads_in_what_the_assistant_says() -> None:
    def text(piece: str) -> dict[str, Any]:
        return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": piece}}]}

    end = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    said = [*map(text, pieces('See: ```json\n{"note": "a"}\n``` <think>Hm</think>Bye', 5)), end]
    told = list(provider_events(said, "note", envelope=iter(["fence:json", "tag:think"])))
    shown = "".join(event.text for event in told if isinstance(event, StreamEvent.Text))
    inner = [event.event for event in told if isinstance(event, StreamEvent.Payload)]
    ends = [event for event in inner if isinstance(event, EnvelopeEvent.End)]
    assert shown == "See:  Bye"
    assert [event.value for event in ends] == [{"note": "a"}, None]
    for event in told:
        assert pickle.loads(pickle.dumps(event)) == event
        json.dumps(event.to_dict())


def test_a_new_stream_begins_anew() -> None:
    """Also after an error, and in the middle of a text."""
    rows = Documents("lines", model=Reply)
    envelope = Envelope("fence:json", models={"fence:json": Reply})
    views = [Documents("lines", snapshots=True, duplicate_keys="reject"), Envelope("bare", snapshots=True, duplicate_keys="reject")]
    looks = [views[0].typed(Reply), views[1].typed(Reply)]
    for start in ('{"note": 1, "slots": [', '{"note": "a', '{"note": "a"'):
        rows.feed(start)
        envelope.feed(f"```json\n{start}")
        for reader in (rows, envelope):
            reader.reset()
        told: list[Any] = [*rows.feed(f'{TEXT}\n{{"note": 1, '), *envelope.feed(f"```json\n{TEXT}\n```\n")]
        whole = [event.value for event in told if isinstance(event, (TypedDocument, TypedPayload)) and event.complete]
        assert whole == [Reply(**REPLY)] * 2  # type: ignore[arg-type]
        rows.reset()
        envelope.reset()
        for view, look in zip(views, looks, strict=True):
            view.feed('{"note": "a')  # type: ignore[attr-defined]
            assert look.look() is not None
            view.reset()  # type: ignore[attr-defined]
            assert look.look() is None
            view.feed('{"note": "b')  # type: ignore[attr-defined]
            assert look.look().value.note == "b"  # type: ignore[union-attr]
            view.reset()  # type: ignore[attr-defined]


def test_views_that_nobody_holds_are_dropped() -> None:
    rows = Documents("lines", snapshots=True, duplicate_keys="reject")
    kept = rows.typed(int)
    before = len(gc.get_objects())
    for _ in range(500):
        rows.typed(int).look()
        rows.feed("1\n")
    gc.collect()
    assert len(gc.get_objects()) - before < 50 and kept.look() is not None


def test_choices_that_would_be_ignored_are_refused() -> None:
    for choice in ("matches", "nothing"):
        with pytest.raises(ValueError, match="retain"):
            Documents("lines", model=Reply, retain=choice)  # type: ignore[call-overload]
        with pytest.raises(ValueError, match="retain"):
            Documents("lines", snapshots=True, duplicate_keys="reject", retain=choice).typed(Reply)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="structured"):
        ProviderStream("auto", models={None: Reply})
    with pytest.raises(ValueError, match="structured"):
        ProviderStream("auto", structured=True, envelope="fence:json")
    # A model by a mark, where models are by the names of tools; and one of a payload that is text.
    for mark in ("fence:*", "fence:json", "tag:other", "bare"):
        with pytest.raises(ValueError, match=r"is a mark.*Envelope\(models=…\)"):
            ProviderStream("auto", envelope=["fence:json", "bare"], models={mark: Reply})
    assert ProviderStream("auto", envelope="fence:json", models={"bare": Reply, "a:b": Reply})
    assert ProviderStream("auto", models={"fence:json": Reply})
    for mark in ("tag:think:raw", "fence:x:raw"):
        with pytest.raises(ValueError, match="is text, not JSON"):
            Envelope(mark, models={mark: Reply})
    assert Envelope(["tag:think", "bare"], models={"tag:think": Reply, "bare": Reply})
    with pytest.raises(TypeError, match=r"^typed\(\) got an unexpected"):
        Documents("lines", snapshots=True, duplicate_keys="reject").typed(Reply, other=1)  # type: ignore[call-overload]


class Interrupted(BaseModel):
    """Its validator is interrupted the first time."""

    times: ClassVar[int] = 0
    a: str
    b: str = ""

    @field_validator("a")
    @classmethod
    def interrupted(cls, value: str) -> str:
        cls.times += 1
        if cls.times == 1:
            raise KeyboardInterrupt
        return value


def asked(read: Any, *given: Any) -> list[Any]:
    try:
        return [read(*given)]
    except KeyboardInterrupt:
        return []


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_an_interrupt_is_no_answer(size: int) -> None:
    """A view that was interrupted goes on, and no event of a stream is lost."""
    text = '{"a": "x", "b": "yz"}'

    def looked(feed: Any, look: Any, end: Any) -> Any:
        Interrupted.times = 0
        for piece in pieces(text, size):
            feed(piece)
            asked(look)
        end()
        asked(look)
        assert Interrupted.times > 1 or asked(look)
        return look()

    parser = Parser(snapshots=True, duplicate_keys="reject")
    rows = Documents("lines", snapshots=True, duplicate_keys="reject")
    envelope = Envelope("bare", snapshots=True, duplicate_keys="reject")
    stream = ProviderStream("openai-chat", snapshots=True)
    stream.push(chat("", 0, "book"))
    for look in (
        looked(parser.feed, parser.typed(Interrupted).look, parser.finish),
        looked(rows.feed, rows.typed(Interrupted).look, rows.finish),
        looked(envelope.feed, envelope.typed(Interrupted).look, envelope.finish),
        looked(lambda piece: stream.push(chat(piece)), stream.typed(0, Interrupted).look, lambda: stream.push(STOP)),
    ):
        assert (look.value, look.complete) == (Interrupted(a="x", b="yz"), True)

    def told(made: Any, read: str, given: list[Any]) -> list[Any]:
        events = [event for item in given for each in asked(getattr(made, read), item) for event in each]
        events += [event for each in asked(made.finish) for event in each]
        return events + made.finish()

    def typed(event: Any) -> bool:
        return isinstance(event, (TypedCall, TypedDocument, TypedPayload))

    books = {"book": Interrupted}
    for snapshots in (True, False):
        calls = [chat("", 0, "book"), *map(chat, pieces(text, size)), STOP]
        fenced = [f"A ```json\n{text}\n", "``` rest"]
        payloads = Envelope("fence:json", models={"fence:json": Interrupted}, snapshots=snapshots)
        for given, read, plain, made in (
            (calls, "push", ProviderStream("openai-chat"), ProviderStream("openai-chat", models=books, snapshots=snapshots)),
            (pieces(text, size), "feed", Documents("lines"), Documents("lines", model=Interrupted, snapshots=snapshots)),
            (fenced, "feed", Envelope("fence:json"), payloads),
        ):
            Interrupted.times = 0
            events = told(made, read, given)
            assert Interrupted.times > 1
            # The ends that have a parser, if snapshots were asked for, are equal too.
            assert [event for event in events if not typed(event)] == told(plain, read, given)
            [whole] = [event for event in events if typed(event) and event.complete]
            assert whole.value == Interrupted(a="x", b="yz")


@pytest.mark.parametrize("model", [object(), "NoSuch", list["NoSuch"]])  # type: ignore[name-defined]  # noqa: F821
def test_a_bad_model_is_refused_at_once(model: Any) -> None:
    state = (ProviderStream(saveable=True).save(), Envelope("bare", saveable=True).save(), Documents("lines").save())
    for make in (
        lambda: ProviderStream(models={"book": Reply, "other": model}),
        lambda: provider_events([], models={"other": model}),
        lambda: Envelope("bare", models={"bare": model}),
        lambda: Documents("lines", model=model),
        lambda: ProviderStream.restore("auto", None, state[0], models={"other": model}),
        lambda: Envelope.restore("bare", None, state[1], models={"bare": model}),
        lambda: Documents.restore("lines", None, state[2], model=model),
    ):
        with pytest.raises((PydanticUserError, NameError)):
            make()


def test_circles_through_a_model_are_collected() -> None:
    """Collect a model that is made in a method: it often reaches who holds its stream."""

    class Owner:
        held: Any

        def __init__(self, hold: Any) -> None:
            class Mine(BaseModel):
                a: str
                b: list[str] = []

                @field_validator("a")
                @classmethod
                def mine(cls, value: str) -> str:
                    assert self
                    return value

            self.held = hold(Mine)

    def held_by(made: Any, feed: str) -> Any:
        for piece in ('{"a": "x", "b": ["y', 'z", '):
            made.feed(piece) if feed == "feed" else made.push(chat(piece, 0, "book"))
        return made

    def parser(model: Any) -> Any:
        parser = Parser(snapshots=True, duplicate_keys="reject")
        look = parser.typed(model).look
        parser.feed('{"a": "x", "b": ["y')
        return look, look()

    def payload(model: Any) -> Any:
        envelope = Envelope("bare", snapshots=True, duplicate_keys="reject")
        view = envelope.typed(model)
        # Its value has ended, and nobody has looked.
        envelope.feed('{"a": "x", "b": []} ')
        return view

    holds = [
        parser,
        payload,
        lambda model: held_by(Documents("lines", model=model), "feed"),
        lambda model: held_by(Envelope("bare", models={"bare": model}), "feed"),
        lambda model: held_by(ProviderStream("openai-chat", models={"book": model}), "push"),
        lambda model: ProviderStream(models={"book": model}),
    ]
    owners = [weakref.ref(Owner(hold)) for hold in holds]
    # So many types are remembered.
    _typed._plans.clear()
    gc.collect()
    assert [owner() for owner in owners] == [None] * len(holds)


def ended_calls(events: Iterable[Any]) -> Iterator[StreamEvent.CallEnd]:
    """Yield the ends of calls, of all agents."""
    for event in events:
        while isinstance(event, StreamEvent.Agent):
            event = event.event
        if isinstance(event, StreamEvent.CallEnd):
            yield event


@pytest.mark.parametrize("every", [1, 64, 10**9])
def test_every_recorded_call_has_a_last_typed_event(every: int) -> None:
    agents = 0
    for vector in vectors(VECTORS / "providers.jsonl"):
        body = b"".join(vector.chunks)
        plain = ProviderStream(vector.options["provider"])
        ends = list(ended_calls(plain.feed(body) + plain.finish()))
        names = {end.name for end in ends if end.name is not None}
        stream = ProviderStream(vector.options["provider"], models=dict.fromkeys(names, Any))
        told = [event for at in range(0, len(body), every) for event in stream.feed(body[at : at + every])]
        told += stream.finish()
        agents += any(isinstance(event, StreamEvent.Agent) for event in told)
        last = {event.call: event for event in told if isinstance(event, TypedCall)}
        for end in ends:
            if end.name is not None and end.raw is not None:
                assert last[end.call].complete and last[end.call].value == end.value, vector.name
    assert agents > 1
