"""Saved state: a parser that is saved and restored between any two chunks tells the same, and any bytes are refused or sound."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_properties import cuts, layouts, pieces, values

from jsonspigot import (
    DocumentEnd,
    Documents,
    InnerError,
    JsonSpigotError,
    Parser,
    PatternError,
    Revision,
)

PATTERNS = [[], ["$", "$.*", "..a", "[*]", "..[0]"], ["a | $..*", "$..* | $", "a"]]
KINDS = {
    "not-saved-state",
    "other-version",
    "cut",
    "changed",
    "other-kind",
    "other-patterns",
    "other-choices",
    "impossible",
}

# Of parsers that can be saved.
options = st.fixed_dictionaries(
    {
        "snapshots": st.booleans(),
        "provisional": st.booleans(),
        "retain": st.sampled_from(["all", "matches", "nothing"]),
        "duplicate_keys": st.sampled_from(["last-wins", "reject"]),
        "lenient": st.sampled_from([None, "model-output", ["non-finite", "single-quotes"]]),
        "accept_deviations": st.booleans(),
        "decimals": st.booleans(),
    }
).map(lambda chosen: chosen if chosen["retain"] == "all" else chosen | {"lenient": None})


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """Texts, some of which are inside strings of others, and some of which are not JSON."""
    whole = json.dumps(draw(values), **draw(layouts))
    if draw(st.booleans()):
        whole = json.dumps({"b": 1, "a": whole})
    document = whole.encode()
    if draw(st.integers(0, 3)) == 0:
        place = draw(st.integers(0, len(document)))
        fault = draw(st.sampled_from([b"x", b"]", b"\xff", b"\xf0\x9f", b"\n", b",", b"'", b"-Infinity", b'\\ud83d"']))
        document = document[:place] + fault + document[place:]
    return document


def attempt(call: Any, *arguments: Any) -> Any:
    try:
        return call(*arguments)
    except JsonSpigotError as error:
        return error, str(error), error.events


def comparable(told: Any) -> Any:
    return [(event, str(event.error)) if isinstance(event, InnerError) else event for event in told]


def looks(parser: Parser, revisions: list[Revision], shows: bool) -> list[Any]:
    """All that can be asked between two chunks."""
    asked = [
        parser.offset,
        parser.is_complete,
        parser.is_strict,
        parser.deviations,
        parser.deviation_count,
        attempt(lambda: parser.error),
        attempt(parser.raw),
        repr(attempt(parser.value)),
    ]
    if shows:
        asked += [repr(parser.snapshot()), parser.snapshot_raw(), parser.open_path(), attempt(parser.state_of, "a")]
        asked += [parser.patch_raw_since(revision) for revision in revisions[-3:]]
        asked += [parser.has_changed_since(revision) for revision in revisions[-3:]]
    return asked


def changes_nothing(chunks: list[Any], patterns: list[str], chosen: dict[str, Any], turns: list[bool]) -> None:
    shows = chosen.get("snapshots") or chosen.get("provisional")
    one, other = Parser(patterns, **chosen), Parser(patterns, **chosen)
    revisions: list[tuple[Revision, Revision]] = []
    for place, chunk in enumerate([*chunks, None, None]):
        if turns[place % len(turns)]:
            other = Parser.restore(patterns, other.save(), **chosen)
        told = [attempt(parser.finish) if chunk is None else attempt(parser.feed, chunk) for parser in (one, other)]
        assert comparable(told[1]) == comparable(told[0]) if isinstance(told[0], list) else told[1] == told[0]
        assert looks(other, [own for _, own in revisions], shows) == looks(one, [own for own, _ in revisions], shows)
        if shows:
            revisions.append((one.revision(), Revision.from_bytes(other.revision().to_bytes())))
            assert revisions[-1][1] == other.revision()


turns = st.lists(st.booleans(), min_size=1, max_size=6)


@given(documents(), cuts, st.sampled_from(PATTERNS), options, turns)
@settings(max_examples=300, deadline=None)
def test_nothing_shows_at_any_cut(document: bytes, where: Any, patterns: Any, chosen: Any, turns: Any) -> None:
    changes_nothing(pieces(document, where), patterns, chosen, turns)


@given(values, layouts, cuts, st.sampled_from(PATTERNS), options, turns)
def test_nothing_shows_at_any_cut_of_a_str(
    value: Any, layout: Any, where: Any, patterns: Any, chosen: Any, turns: Any
) -> None:
    changes_nothing(pieces(json.dumps(value, **layout), where), patterns, chosen, turns)


@settings(deadline=None)
@given(st.lists(documents(), max_size=4), cuts, st.sampled_from(["lines", "concatenated", "sequence"]), options, turns)
def test_nothing_shows_in_a_stream_of_documents(
    texts: list[bytes], where: Any, framing: Any, chosen: Any, turns: Any
) -> None:
    stream = b"".join((b"\x1e" if framing == "sequence" else b"") + text + b"\n" for text in texts)
    one, other = Documents(framing, "$..*", **chosen), Documents(framing, "$..*", **chosen)

    def plain(told: Any) -> Any:
        if not isinstance(told, list):
            return told[:2]
        ends = [(e.document, e.start, e.byte_count, e.error, e.raw) if isinstance(e, DocumentEnd) else e for e in told]
        return ends

    for place, chunk in enumerate([*pieces(stream, where), None]):
        if turns[place % len(turns)]:
            other = Documents.restore(framing, "$..*", other.save(), **chosen)
        told = [attempt(each.finish) if chunk is None else attempt(each.feed, chunk) for each in (one, other)]
        assert plain(told[1]) == plain(told[0])
        assert (other.number, other.offset) == (one.number, one.offset)
        if chosen["snapshots"] or chosen["provisional"]:
            assert other.snapshot_raw() == one.snapshot_raw()
            assert repr(other.snapshot()) == repr(one.snapshot())


def is_refused_or_sound(state: bytes, patterns: list[str], chosen: dict[str, Any], document: bytes) -> str | None:
    try:
        parser = Parser.restore(patterns, state, **chosen)
    except JsonSpigotError as error:
        assert error.kind in KINDS
        assert (error.offset, error.line, error.column, error.path, error.events) == (0, 0, 0, "$", [])
        return error.kind
    for place in range(0, len(document), 7):
        attempt(parser.feed, document[place : place + 7])
    attempt(parser.finish)
    looks(parser, [], bool(chosen.get("snapshots") or chosen.get("provisional")))
    return None


def edited(state: bytes, data: st.DataObject) -> bytearray:
    """Return the bytes, changed in a few places."""
    changed = bytearray(state)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(changed)))
        changed[place : place + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=2))
    return changed


@given(documents(), st.floats(0, 1), st.sampled_from(PATTERNS), options, st.data())
@settings(max_examples=300, deadline=None)
def test_changed_bytes_are_refused(document: bytes, at: float, patterns: Any, chosen: Any, data: st.DataObject) -> None:
    parser = Parser(patterns, **chosen)
    attempt(parser.feed, document[: int(at * len(document))])
    state = parser.save()
    changed = edited(state, data)
    if data.draw(st.booleans()):
        del changed[data.draw(st.integers(0, len(changed))) :]
    kind = is_refused_or_sound(bytes(changed), patterns, chosen, document)
    assert (kind is None) == (changed == state)


@given(st.sampled_from([b"", b"jsp\x1a\x01\x01"]), st.binary(max_size=60), documents())
def test_any_bytes_are_refused_or_sound(start: bytes, rest: bytes, document: bytes) -> None:
    is_refused_or_sound(start + rest, ["$"], {"snapshots": True}, document)


def test_every_byte_counts() -> None:
    parser = Parser("..a", snapshots=True)
    parser.feed('{"a":{"b":[1,"x')
    state = parser.save()
    for place in range(len(state)):
        assert is_refused_or_sound(state[:place], ["..a"], {"snapshots": True}, b"") == "cut"
        changed = bytearray(state)
        changed[place] ^= 1 << place % 8
        assert is_refused_or_sound(bytes(changed), ["..a"], {"snapshots": True}, b"") in KINDS


def test_what_differs_is_named() -> None:
    parser = Parser("a")
    parser.feed('{"a":"x')
    state = parser.save()
    for kind, restore in {
        "other-patterns": lambda: Parser.restore("b", state),
        "other-choices": lambda: Parser.restore("a", state, retain="nothing"),
        "other-kind": lambda: Documents.restore("lines", "a", state),
        "not-saved-state": lambda: Parser.restore("a", b"{}"),
        "cut": lambda: Parser.restore("a", b""),
    }.items():
        with pytest.raises(JsonSpigotError) as caught:
            restore()
        assert caught.value.kind == kind
    # What values look like is no part of the state.
    assert Parser.restore("a", state, decimals=True).feed('y"')[1].value == "xy"


def test_a_state_is_bytes_and_patterns_are_patterns() -> None:
    parser = Parser(["a", "b"])
    parser.feed('{"a":"x')
    state = parser.save()
    assert type(state) is bytes
    for same in (bytearray(state), memoryview(state)):
        assert Parser.restore(["a", "b"], same).feed("y")[0].text == "y"
    # Patterns may be read only once.
    assert Parser.restore((pattern for pattern in "ab"), state).feed("y")[0].text == "y"
    for wrong in ("jsp", None, 5, [1]):
        with pytest.raises(TypeError, match="a saved state is bytes"):
            Parser.restore("a", wrong)  # type: ignore[arg-type]
    with pytest.raises(PatternError):
        Parser.restore("a[", state)
    with pytest.raises(TypeError, match="nothing"):
        Parser.restore("a", state, nothing=True)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="words"):
        Documents.restore("words", "a", state)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="20 bytes"):
        Revision.from_bytes(b"")


def test_a_subclass_is_restored_as_itself() -> None:
    class Noted(Parser):
        note = "here"

    parser = Noted("a")
    parser.feed('{"a":"x')
    restored = Noted.restore("a", parser.save())
    assert isinstance(restored, Noted)
    assert restored.note == "here"
    assert restored.feed('y"')[1].value == "xy"


def test_half_a_character_waits() -> None:
    parser = Parser("$")
    parser.feed(b'"\xf0\x9f')
    for _ in range(2):
        parser = Parser.restore("$", parser.save())
    assert parser.feed(b'\x98\x80"')[0].text == "\U0001f600"


def test_a_parser_that_keeps_nothing_saves_to_little() -> None:
    parser = Parser("message", retain="nothing")
    parser.feed('{"message": "' + "Good morning. " * 1000)
    assert len(parser.save()) < 64


@pytest.mark.parametrize("retain", ["matches", "nothing"])
def test_a_lenient_parser_that_does_not_retain_all_its_text_cannot_be_saved(retain: str) -> None:
    lenient = Parser("a", retain=retain, lenient=["comments"])
    documents = Documents("lines", "a", retain=retain, lenient=["comments"])
    for chunk in ['{"a": 1 /', "/ c"]:
        lenient.feed(chunk)
        list(documents.feed(chunk))
        for each in lenient, documents:
            with pytest.raises(JsonSpigotError) as raised:
                each.save()
            assert raised.value.kind == "not-retained"
