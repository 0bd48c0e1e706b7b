"""The parser's calls, one by one: what they give, and what they refuse."""

from __future__ import annotations

import copy
import json
import pickle
import sys
import threading
import time
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

import jsonspigot
from jsonspigot import (
    Begin,
    Delta,
    Deviation,
    DocumentEnd,
    Documents,
    End,
    Envelope,
    EnvelopeEvent,
    InnerError,
    JsonSpigotError,
    Parser,
    PatternError,
    ProviderStream,
    Rewriter,
    StreamEvent,
    apply_patch,
    rows,
)


def test_events_match() -> None:
    seen: list[Any] = []
    for event in Parser("a[*].m").feed('{"a": [{"m": "x"}, {"m": 1}]}'):
        match event:
            case Begin(path, kind):
                seen.append(("begin", path, kind, event.indices))
            case Delta(path, text):
                seen.append(("delta", path, text))
            case End(path, value):
                seen.append(("end", path, value, event.raw))
            case InnerError():
                raise AssertionError
    assert seen == [
        ("begin", "a[0].m", "string", (0,)),
        ("delta", "a[0].m", "x"),
        ("end", "a[0].m", "x", '"x"'),
        ("begin", "a[1].m", "number", (1,)),
        ("end", "a[1].m", 1, "1"),
    ]


def test_at_most_one_delta_per_chunk_and_match() -> None:
    events = Parser("$").feed('"a\\nb\\nc\\u00e9d"')
    assert [event.text for event in events if isinstance(event, Delta)] == ["a\nb\ncéd"]


@pytest.mark.parametrize("convert", [str, str.encode, lambda text: bytearray(text, "utf-8"), lambda text: memoryview(text.encode())])
def test_every_kind_of_chunk(convert: Any) -> None:
    parser = Parser()
    assert parser.feed(convert('["é😀"]')) == []
    assert parser.finish() == []
    assert parser.value() == ["é😀"]


@pytest.mark.parametrize("chunk", [1, None, [b"x"], memoryview(b"abcd").cast("H")])
def test_other_chunks_are_refused(chunk: Any) -> None:
    parser = Parser()
    with pytest.raises(TypeError, match="chunk"):
        parser.feed(chunk)
    assert parser.offset == 0


def test_indices_pass_over_names_in_quotes() -> None:
    events = Parser("$..m").feed(json.dumps({"a[7]": [[{"b'][3]": {"m": 1}}]]}))
    assert events[0].path == "['a[7]'][0][0]['b\\'][3]'].m"
    assert events[0].indices == (0, 0)


def test_errors_say_what_and_where_and_stick() -> None:
    parser = Parser("a")
    with pytest.raises(JsonSpigotError) as raised:
        parser.feed('{"a": "xy",\n "b": tru1}')
    error = raised.value
    assert isinstance(error, ValueError)
    assert (error.kind, error.offset, error.line, error.column, error.path) == ("invalid-literal", 21, 2, 10, "b")
    assert [type(event) for event in error.events] == [Begin, Delta, End]
    for call in (lambda: parser.feed("x"), parser.finish, parser.value):
        with pytest.raises(JsonSpigotError) as again:
            call()
        assert again.value == error
        assert again.value.events == []
    assert parser.error == error
    parser.reset()
    parser.feed('{"a": 1}')
    parser.finish()
    assert parser.value() == {"a": 1}


def test_errors_pickle() -> None:
    with pytest.raises(JsonSpigotError) as raised:
        Parser("$").feed('"a\x00')
    again = pickle.loads(pickle.dumps(raised.value))
    assert again == raised.value and again.events == raised.value.events
    with pytest.raises(PatternError) as bad:
        Parser(["a", "b[?c]"])
    assert (bad.value.index, bad.value.column, bad.value.pattern) == (1, 3, "b[?c]")
    assert str(pickle.loads(pickle.dumps(bad.value))) == str(bad.value)


def test_events_compare_copy_and_pickle() -> None:
    events = Parser(["$..*", "a | x"]).feed('{"a": "{\\"x\\": 1}", "b": [null, 2.50, "c"], "d": {"a": "?"}}')
    events += Parser("a | x").feed('{"a": "?"')
    assert {type(event) for event in events} == {Begin, Delta, End, InnerError}
    for event in events:
        assert pickle.loads(pickle.dumps(event)) == event == copy.deepcopy(event)
        assert hash(pickle.loads(pickle.dumps(event))) == hash(event)
        assert type(event).__name__ in repr(event)
        with pytest.raises(AttributeError):
            event.path = "x"  # type: ignore[misc]
        assert not hasattr(event, "__dict__")
    assert events[0] != events[1]
    assert Delta("a", "x") == Delta("a", "x", pattern=0) != Delta("a", "y")
    with pytest.raises(ValueError, match="incomplete"):
        End("a", "[1")


def test_incomplete() -> None:
    parser = Parser()
    parser.feed("[1")
    with pytest.raises(JsonSpigotError, match="incomplete") as raised:
        parser.finish()
    assert raised.value.offset == 2
    with pytest.raises(JsonSpigotError, match="incomplete"):
        Parser().value()


def test_what_was_not_kept_is_an_error() -> None:
    parser = Parser("a", retain="nothing")
    end = parser.feed('{"a": "x"}')[-1]
    assert isinstance(end, End) and end.raw is None
    with pytest.raises(JsonSpigotError) as raised:
        _ = end.value
    assert raised.value.kind == "not-retained"
    parser.finish()
    with pytest.raises(JsonSpigotError) as raised:
        parser.value()
    assert raised.value.kind == "not-retained"


def test_snapshots_have_to_be_asked_for() -> None:
    parser = Parser()
    for call in (parser.snapshot, parser.snapshot_raw, parser.revision, parser.open_path, parser.patch_since):
        with pytest.raises(RuntimeError, match="snapshots=True"):
            call()
    with pytest.raises(RuntimeError, match="snapshots=True"):
        parser.state_of("a")


def test_states_and_paths() -> None:
    parser = Parser(snapshots=True)
    assert parser.open_path() is None
    parser.feed('{"a": ["x", "y')
    assert parser.open_path() == ("a", 1)
    states = [parser.state_of(path) for path in ("a", "a[0]", "a[1]", "a[2]", "b", "a.b", "$")]
    assert states == ["partial", "complete", "partial", "pending", "pending", "absent", "partial"]
    with pytest.raises(JsonSpigotError) as raised:
        parser.state_of("a[*]")
    assert raised.value.kind == "invalid-path"
    parser.feed('"]')
    assert parser.open_path() == ()
    parser.feed("}")
    assert parser.open_path() is None


def test_revisions() -> None:
    parser, other = Parser(snapshots=True), Parser(snapshots=True)
    parser.feed('{"a": "x')
    revision = parser.revision()
    assert revision == parser.revision() and hash(revision) == hash(parser.revision())
    other.feed("[1,")
    with pytest.raises(JsonSpigotError) as raised:
        parser.patch_since(other.revision())
    assert raised.value.kind == "foreign-revision"
    parser.feed("y")
    assert parser.patch_since(revision) == [{"op": "append", "path": "/a", "value": "y"}]
    assert parser.patch_since() == [{"op": "add", "path": "", "value": {"a": "xy"}}]


def test_numbers() -> None:
    document = "[0, -0, 1e2, 1.50, 123456789012345678901234567890, -9007199254740993, 1E400, -1e-400]"
    parser = Parser(snapshots=True)
    parser.feed(document)
    parser.finish()
    expected = json.loads(document)
    assert parser.value() == parser.snapshot() == expected
    assert [type(number) for number in parser.value()] == [type(number) for number in expected]
    assert parser.raw() == document.replace(" ", "")
    decimals = Parser(decimals=True)
    decimals.feed(document)
    decimals.finish()
    assert decimals.value()[3] == Decimal("1.50")


def test_an_int_of_too_many_digits_is_an_error_as_with_json_loads() -> None:
    digits = "1" * (sys.get_int_max_str_digits() + 1)
    parser = Parser("a", snapshots=True)
    events = parser.feed(f'{{"b": 1, "a": {digits}, "c": 2}}')
    parser.finish()
    for call in (parser.value, parser.snapshot, parser.snapshot, lambda: events[-1].value):  # type: ignore[union-attr]
        with pytest.raises(JsonSpigotError) as raised:
            call()
        assert raised.value.kind == "data"
    assert digits in parser.raw()


def test_duplicate_keys() -> None:
    parser = Parser(snapshots=True)
    parser.feed('{"a": {"x": [1]}, "b": 0, "a": {"y": "z')
    assert parser.snapshot() == {"a": {"y": "z"}, "b": 0}
    parser.feed('z"}}')
    parser.finish()
    assert parser.value() == parser.snapshot() == {"a": {"y": "zz"}, "b": 0}
    with pytest.raises(JsonSpigotError) as raised:
        Parser(duplicate_keys="reject").feed('{"a": 1, "a": 2}')
    assert (raised.value.kind, raised.value.offset) == ("duplicate-key", 11)


def test_leniency() -> None:
    parser = Parser("say", snapshots=True, lenient=["single-quotes", "trailing-commas"])
    events = parser.feed("{'say': 'x',}")
    assert [type(event) for event in events] == [Begin, Delta, End]
    assert parser.deviations[0] == Deviation("single-quotes", 1, 1, 2)
    assert parser.deviation_count == 3 and not parser.is_strict
    with pytest.raises(JsonSpigotError):
        parser.finish()
    accepted = Parser(lenient="model-output", accept_deviations=True)
    accepted.feed('{"a": 1, // one\n}')
    accepted.finish()
    assert accepted.value() == {"a": 1}
    assert accepted.raw() == '{"a":1}'


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"retain": "some"}, "retain"),
        ({"duplicate_keys": "first"}, "duplicate_keys"),
        ({"lenient": "everything"}, "lenient"),
        ({"lenient": ["comments", "x"]}, "lenient"),
    ],
)
def test_bad_options(arguments: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Parser(**arguments)
    with pytest.raises(ValueError, match=words):
        Documents("lines", **arguments)


def test_options_that_do_not_exist() -> None:
    for make in (Parser, lambda **options: Documents("lines", **options), ProviderStream):
        with pytest.raises(TypeError, match="depth"):
            make(depth=3)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="framing"):
        Documents("rows")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="provider"):
        ProviderStream("nobody")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="mark"):
        Envelope("tag:")


def test_limits() -> None:
    parser = Parser(max_string=3, max_depth=None)
    parser.feed("[" * 1000)
    with pytest.raises(JsonSpigotError) as raised:
        parser.feed('"abcd')
    assert (raised.value.kind, raised.value.offset) == ("string-limit", 1004)


@pytest.mark.parametrize("name", ["max_depth", "max_key", "max_string", "max_number", "max_blank", "max_total"])
def test_a_limit_out_of_range_is_a_value_error_that_names_it(name: str) -> None:
    makers: list[Callable[..., object]] = [
        Parser,
        partial(Documents, "lines"),
        partial(ProviderStream, "anthropic"),
        partial(Envelope, "tag:x"),
    ]
    for make in makers:
        for bad in (-1, 2**64, -(10**5000)):
            with pytest.raises(ValueError, match=rf"^{name}: expected None or an int from 0 to {2**64 - 1}$"):
                make(**{name: bad})
        for wrong in ("3", 1.5, [1]):
            with pytest.raises(TypeError, match=name):
                make(**{name: wrong})
        for good in (0, 1, 2**64 - 1, None, True):
            make(**{name: good})


def test_a_payload_limit_out_of_range_is_a_value_error_that_names_it() -> None:
    for bad in (-1, 2**64):
        with pytest.raises(ValueError, match=rf"^payload_limit: expected None or an int from 0 to {2**64 - 1}$"):
            Envelope("tag:x", payload_limit=bad)
    with pytest.raises(TypeError, match="payload_limit"):
        Envelope("tag:x", payload_limit="3")  # type: ignore[arg-type]
    Envelope("tag:x", payload_limit=None)


HALF_WAY = "9007199254740993." + "0" * 1000


@pytest.mark.parametrize(
    "number",
    [
        "-0.0",
        "0.000000000000000000000000000000000000000000000000000000000000012345e+7",
        "1.7976931348623157" + "0" * 80 + "e308",
        "1.5" + "0" * 80 + "E400",
        "-2.5" + "0" * 80 + "e-400",
        "0." + "1" * 80 + "e00000000000000000000000000000000005",
        "1." + "1234567890" * 200,
        "7" * 2000 + ".5e-1990",
        "0." + "0" * 1500 + "1",
        "0." + "0" * 1500 + "123e1499",
        "-1." + "0" * 2000 + "e5",
        HALF_WAY,
        HALF_WAY + "1",
        HALF_WAY + "1e3",
        "1.0e" + "9" * 200,
        "1.0e-" + "9" * 200,
    ],
)
def test_an_open_number_is_what_its_digits_say(number: str) -> None:
    for front, place in (("", ()), ("[0, ", (1,)), ('{"a": ', ("a",))):
        parser = Parser(provisional=True)
        parser.feed(front)
        for end in range(1, len(number) + 1):
            parser.feed(number[end - 1])
            if not number[end - 1].isdigit():
                continue
            shown = parser.snapshot()
            for step in place:
                shown = shown[step]
            text = parser.snapshot_raw()
            assert text is not None
            expected = json.loads(text)
            for step in place:
                expected = expected[step]
            assert (type(shown), repr(shown)) == (type(expected), repr(expected)), number[:end]
            # A longer one is shown in steps.
            if end <= 1024:
                assert repr(shown) == repr(json.loads(number[:end])), number[:end]


def test_deep_values_do_not_recurse() -> None:
    depth = 50_000
    parser = Parser(max_depth=None, snapshots=True)
    parser.feed("[" * depth)
    snapshot = parser.snapshot()
    parser.feed("]" * depth)
    parser.finish()
    value = parser.value()
    for shown in (snapshot, value):
        levels = 0
        while shown:
            shown, levels = shown[0], levels + 1
        assert levels == depth - 1
    del snapshot, value, shown


def test_documents() -> None:
    documents = Documents("lines", "a", snapshots=True)
    told = documents.feed('{"a": 1}\n{"a": x}\n{"a": "y')
    ends = [event for event in told if isinstance(event, DocumentEnd)]
    assert [end.document for end in ends] == [0, 1]
    assert ends[0].value == {"a": 1} and ends[0].error is None and ends[0].parser is not None
    assert ends[0].parser.snapshot() == {"a": 1}
    assert ends[1].error is not None and ends[1].error.kind == "unexpected-byte" and ends[1].raw is None
    with pytest.raises(JsonSpigotError, match="unexpected byte"):
        _ = ends[1].value
    assert documents.snapshot() == {"a": "y"} and documents.state_of("a") == "partial"
    assert documents.number == 2
    told = documents.feed('"}\n')
    assert documents.snapshot() is None
    assert documents.finish() == []
    documents.reset()
    assert documents.number == documents.offset == 0


def test_concatenated_documents_end_at_a_bad_one() -> None:
    documents = Documents("concatenated", "$")
    with pytest.raises(JsonSpigotError) as raised:
        documents.feed("1 2 ] 3")
    assert [event.document for event in raised.value.events if isinstance(event, End)] == [0, 1]


def test_envelope() -> None:
    envelope = Envelope(["tag:think", "fence:json"], "a")
    text = 'Hi <think>hm</think> so:\n```json\n{"a": "x"}\n```\nbye'
    told = [event for character in text for event in envelope.feed(character)] + envelope.finish()
    said = "".join(event.text for event in told if isinstance(event, EnvelopeEvent.Text))
    assert said.startswith("Hi  so:") and said.endswith("bye")
    thought = "".join(event.text for event in told if isinstance(event, EnvelopeEvent.Fragment))
    assert thought == "hm"
    ends = [event for event in told if isinstance(event, EnvelopeEvent.End)]
    assert [(end.status, end.value) for end in ends] == [("raw", None), ("complete", {"a": "x"})]
    assert any(isinstance(event, EnvelopeEvent.Match) and event.event == Delta("a", "x", offset=event.event.offset) for event in told)


def test_an_envelope_may_start_inside() -> None:
    envelope = Envelope("tag:think", starts_inside=True)
    begin, thought, end, text = envelope.feed("Well, 1 < 2.</think>Yes.") + envelope.finish()
    assert isinstance(begin, EnvelopeEvent.Begin) and begin.open == ""
    assert isinstance(thought, EnvelopeEvent.Fragment) and thought.text == "Well, 1 < 2."
    assert isinstance(end, EnvelopeEvent.End) and end.close == "</think>"
    assert isinstance(text, EnvelopeEvent.Text) and text.text == "Yes."


def test_a_parser_is_used_by_one_thread_at_a_time() -> None:
    parser = Parser()
    big = "[" + "1," * 5_000_000 + "1]"
    errors: list[BaseException] = []
    started = threading.Event()

    def intrude() -> None:
        started.wait()
        while not errors and not done.is_set():
            try:
                _ = parser.offset
            except RuntimeError as error:
                errors.append(error)

    done = threading.Event()
    thread = threading.Thread(target=intrude)
    thread.start()
    started.set()
    # Large chunks are read without the GIL, so the other thread runs meanwhile.
    parser.feed(big)
    done.set()
    thread.join()
    assert errors and "one thread at a time" in str(errors[0])
    parser.finish()


def test_other_threads_run_while_a_large_chunk_is_read() -> None:
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.0001)

    thread = threading.Thread(target=tick)
    before = sys.getswitchinterval()
    # Only if the GIL is given up does the other thread run within the call.
    sys.setswitchinterval(100)
    try:
        thread.start()
        big = ("[" + "1," * 3_000_000 + "1]").encode()
        parser = Parser(retain="nothing")
        at_start = ticks
        parser.feed(big)
        during = ticks - at_start
    finally:
        sys.setswitchinterval(before)
        done.set()
        thread.join()
    assert during > 0


def test_a_large_chunk_gives_the_same_events() -> None:
    document = json.dumps([{"m": "é" * 100, "n": number} for number in range(3000)])
    assert len(document) > 256 << 10
    large = Parser("[*].m")
    small = Parser("[*].m")
    events = large.feed(document)
    assert [event for event in events if not isinstance(event, Delta)] == [
        event for start in range(0, len(document), 1000) for event in small.feed(document[start : start + 1000]) if not isinstance(event, Delta)
    ]
    with pytest.raises(JsonSpigotError) as raised:
        Parser("[*].m").feed(document[:-1] + "x")
    assert len(raised.value.events) == len(events)


def test_subclasses_and_attributes() -> None:
    class Mine(Parser):
        tag = "x"

    mine = Mine("a", snapshots=True)
    assert mine.patterns == ("$.a",) and mine.tag == "x" and "open" in repr(mine)


def test_apply_patch_refuses_what_does_not_fit() -> None:
    for value, operation in [
        ({"a": 1}, {"op": "append", "path": "/a", "value": "x"}),
        ({"a": 1}, {"op": "replace", "path": "/b", "value": 2}),
        ({"a": 1}, {"op": "add", "path": "/a/b", "value": 2}),
        ([1], {"op": "add", "path": "/3", "value": 2}),
        ([1], {"op": "add", "path": "/x", "value": 2}),
        ([1], {"op": "add", "path": "0", "value": 2}),
        ([1], {"op": "replace", "path": "/00", "value": 2}),
        ([1], {"op": "remove", "path": "/0"}),
    ]:
        with pytest.raises(ValueError):
            apply_patch(value, [operation])  # type: ignore[list-item]


def test_what_is_no_mapping_is_named() -> None:
    for given in (3, None, "a", ["a"], object()):
        anything: Any = given
        for name, make in {
            "rules": lambda: Rewriter(anything),
            "models": lambda: Envelope("fence:json", models=anything or [1]),
            "patterns_for": lambda: ProviderStream("auto", patterns_for=anything or [1]),
        }.items():
            with pytest.raises(TypeError, match=f"^{name}: expected a mapping, not "):
                make()
        with pytest.raises((TypeError, ValueError)):
            rows("{}", anything)


def test_provider_stream_takes_dicts_text_and_bytes() -> None:
    event: dict[str, Any] = {
        "message": {"tool_calls": [{"function": {"name": "weather", "arguments": {"city": "Paris"}}}]},
        "done": True,
    }
    told = [ProviderStream("auto", "city").push(form) for form in (event, json.dumps(event), json.dumps(event).encode())]
    assert told[0] == told[1] == told[2]
    end = next(event for event in told[0] if isinstance(event, StreamEvent.CallEnd))
    assert (end.status, end.value, end.name) == ("complete", {"city": "Paris"}, "weather")
    with pytest.raises(TypeError, match="event"):
        ProviderStream().push(3)


def test_the_readme_example_in_the_docstring() -> None:
    import doctest

    for module in (jsonspigot, jsonspigot._iterate, jsonspigot._patch):
        assert doctest.testmod(module).failed == 0


def test_a_number_that_decimal_refuses_is_an_error_of_ours() -> None:
    parser = Parser("a", decimals=True)
    *_, end = parser.feed('{"a": 1e9999999999999999999}')
    with pytest.raises(JsonSpigotError) as raised:
        _ = end.value
    assert raised.value.kind == "data" and raised.value.__cause__ is not None


def test_marks_are_any_iterable() -> None:
    given = (mark for mark in ["fence:json", "tag:think"])
    assert any(isinstance(event, EnvelopeEvent.End) for event in Envelope(given).feed("```json\n1\n```\n"))


def test_payloads_in_a_provider_stream() -> None:
    chunk = '{"choices":[{"delta":{"content":%s},"finish_reason":%s}]}'
    stream = ProviderStream("openai-chat", "a", envelope=["fence:*", "tag:think"], saveable=True)
    told = stream.push(chunk % (json.dumps("<think>Hm</think>See ```js"), "null"))
    told += stream.push(chunk % (json.dumps('on\n{"a": "x'), "null"))
    saved = ProviderStream.restore("openai-chat", "a", stream.save(), envelope=["fence:*", "tag:think"])
    for again in (stream, saved):
        end = again.push(chunk % (json.dumps('y"}\n```.'), '"stop"')) + again.finish()
        assert again.unfinished() is None
        payload = [event for event in end if isinstance(event, StreamEvent.Payload)][-1]
        ended = payload.event
        assert isinstance(ended, EnvelopeEvent.End)
        assert (ended.mark, ended.status, ended.value, payload.block) == ("fence:*", "complete", {"a": "xy"}, 0)
        assert payload == pickle.loads(pickle.dumps(payload))
        assert payload.to_dict()["event"]["type"] == "EnvelopeEvent.End"
    inner = [event.event for event in told if isinstance(event, StreamEvent.Payload)]
    assert [event.text for event in inner if isinstance(event, EnvelopeEvent.Fragment)] == ["Hm"]
    assert "".join(event.text for event in told if isinstance(event, StreamEvent.Text)) == "See "
    with pytest.raises(ValueError, match="mark 'note:x'"):
        ProviderStream("openai-chat", envelope="note:x")


def test_what_is_accepted() -> None:
    options = {"lenient": "model-output", "accept_deviations": True}
    envelope = Envelope("fence:json", **options)
    end = (envelope.feed('```json\n{"a": [1,],}\n```') + envelope.finish())[-1]
    assert isinstance(end, EnvelopeEvent.End)
    assert (end.status, end.value, end.raw, end.text) == ("accepted", {"a": [1]}, '{"a":[1]}', '\n{"a": [1,],}\n')
    assert [(it.kind, it.offset) for it in end.deviations] == [("trailing-commas", 10), ("trailing-commas", 12)]
    assert end.deviation_count == 2
    stream = ProviderStream("ollama", **options)
    line = '{"message":{"tool_calls":[{"function":{"name":"f","arguments":"{\\"a\\": 1,}"}}]},"done":true,"done_reason":"stop"}'
    ends = [event for event in stream.push(line) if isinstance(event, StreamEvent.CallEnd)]
    assert [(end.status, end.value, len(end.deviations)) for end in ends] == [("accepted", {"a": 1}, 1)]
    stream.finish()
    assert stream.unfinished() is None


def test_a_message_without_a_call_that_was_cut() -> None:
    stream = ProviderStream("ollama", with_message=True)
    line = '{"message":{"content":"I look.","tool_calls":[{"function":{"name":"f","arguments":"{\\"a"}}]},"done":true,"done_reason":"length"}'
    stream.push(line)
    stream.finish()
    assert stream.message() is None
    assert stream.message_without_calls() == {"role": "assistant", "content": "I look."}
