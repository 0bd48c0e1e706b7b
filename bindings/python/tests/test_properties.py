"""What holds for every text and every cut."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jsonspigot import Begin, Delta, End, Event, JsonSpigotError, Parser, apply_patch

numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
text = st.text(st.characters(codec="utf-8"), max_size=20)
values = st.recursive(
    st.none() | st.booleans() | numbers | text,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(text, inner, max_size=5),
    max_leaves=25,
)
layouts = st.fixed_dictionaries(
    {"ensure_ascii": st.booleans(), "indent": st.none() | st.integers(0, 2)}
)
cuts = st.lists(st.floats(0, 1), max_size=8)


def pieces(whole: Any, where: list[float]) -> list[Any]:
    places = sorted(int(place * len(whole)) for place in where)
    return [whole[start:end] for start, end in zip([0, *places], [*places, len(whole)], strict=True)]


def run(parser: Parser, chunks: list[Any]) -> tuple[list[Event], JsonSpigotError | None]:
    told: list[Event] = []
    try:
        for chunk in chunks:
            told += parser.feed(chunk)
        told += parser.finish()
    except JsonSpigotError as error:
        return told + error.events, error
    return told, None


def joined(events: list[Event]) -> list[Any]:
    """Each match's deltas appended to its first one, in place."""
    result: list[Any] = []
    first: dict[tuple[int, int], int] = {}
    for event in events:
        match event:
            case Begin():
                result.append(["begin", event.path, event.kind, event.pattern, event.match_id, event.offset])
            case Delta():
                key = (event.pattern, event.match_id)
                if key in first:
                    result[first[key]][2] += event.text
                else:
                    first[key] = len(result)
                    result.append(["delta", event.path, event.text, event.pattern, event.match_id, event.offset])
            case End():
                result.append(["end", event.path, event.raw, event.pattern, event.match_id, event.offset])
            case other:
                result.append([type(other).__name__, other.path, str(other.error)])
    return result


@given(values, layouts, cuts, st.booleans())
def test_the_value_is_that_of_json_loads_for_every_cut(value: Any, layout: Any, where: Any, as_bytes: bool) -> None:
    document = json.dumps(value, **layout)
    whole = document.encode() if as_bytes else document
    parser = Parser("$..*", snapshots=True)
    told, error = run(parser, pieces(whole, where))
    assert error is None
    assert parser.value() == json.loads(document)
    assert type(parser.value()) is type(json.loads(document))
    assert parser.snapshot() == json.loads(document)
    assert json.loads(parser.raw()) == json.loads(document)
    for event in told:
        if isinstance(event, End):
            assert event.value == json.loads(event.raw or "")


@given(values, layouts, cuts)
def test_joined_events_do_not_depend_on_the_cut(value: Any, layout: Any, where: Any) -> None:
    document = json.dumps(value, **layout)
    patterns = ["$..*", "$", "$[*]"]
    whole = joined(run(Parser(patterns), [document])[0])
    assert joined(run(Parser(patterns), pieces(document, where))[0]) == whole
    assert joined(run(Parser(patterns), pieces(document.encode(), where))[0]) == whole
    assert joined(run(Parser(patterns), list(document))[0]) == whole


@given(st.binary(max_size=30) | values.map(lambda value: json.dumps(value).encode()), cuts, st.data())
def test_the_error_does_not_depend_on_the_cut(document: bytes, where: Any, data: st.DataObject) -> None:
    if document and data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(document) - 1))
        document = document[:place] + data.draw(st.binary(min_size=1, max_size=1)) + document[place + 1 :]
    whole_events, whole_error = run(Parser("$..*"), [document])
    events, error = run(Parser("$..*"), pieces(document, where))
    assert error == whole_error
    assert joined(events) == joined(whole_events)


def frozen(value: Any) -> Any:
    """A deep copy, to see whether the original changes."""
    return json.loads(json.dumps(value))


def shared_or_grown(old: Any, new: Any) -> bool:
    """Return whether the second is the first, or has grown at its end, with everything before that being the same object."""
    if old is new:
        return True
    if isinstance(old, str):
        return isinstance(new, str) and new.startswith(old) and new != old
    if isinstance(old, list):
        if not isinstance(new, list) or len(new) < len(old):
            return False
        return all(a is b for a, b in zip(old[:-1], new, strict=False)) and (
            not old or shared_or_grown(old[-1], new[len(old) - 1])
        )
    if isinstance(old, dict):
        if not isinstance(new, dict) or list(new)[: len(old)] != list(old):
            return False
        keys = list(old)
        return all(old[key] is new[key] for key in keys[:-1]) and (
            not keys or shared_or_grown(old[keys[-1]], new[keys[-1]])
        )
    return False


@given(values, layouts, st.sampled_from([1, 2, 3, 7]), st.booleans())
def test_snapshots_only_grow_share_what_has_not_changed_and_never_change(
    value: Any, layout: Any, size: int, hold: bool
) -> None:
    document = json.dumps(value, **layout)
    parser = Parser(snapshots=True)
    held: list[tuple[Any, Any]] = []
    last: Any = None
    for start in range(0, len(document), size):
        parser.feed(document[start : start + size])
        snapshot = parser.snapshot()
        if snapshot is not None and last is not None and hold:
            assert shared_or_grown(last, snapshot), (last, snapshot)
        if hold:
            last = snapshot
            held.append((snapshot, frozen(snapshot)))
    parser.finish()
    assert parser.snapshot() == json.loads(document)
    assert all(snapshot == copy for snapshot, copy in held)


@given(values, layouts, cuts)
def test_a_part_that_is_held_never_changes(value: Any, layout: Any, where: Any) -> None:
    parser = Parser(snapshots=True)
    held: list[tuple[Any, Any]] = []
    for piece in pieces(json.dumps(value, **layout), where):
        parser.feed(piece)
        part = parser.snapshot()
        # Only the newest value at the innermost level, not the way to it.
        while isinstance(part, (list, dict)) and part:
            part = part[-1] if isinstance(part, list) else part[list(part)[-1]]
        held.append((part, frozen(part)))
    assert all(part == copy for part, copy in held)


@given(values, layouts, cuts, st.booleans())
def test_patches_make_the_snapshot(value: Any, layout: Any, where: Any, provisional: bool) -> None:
    parser = Parser(snapshots=True, provisional=provisional)
    copy: Any = None
    sent: Any = None
    told = parser.revision()
    for piece in [*pieces(json.dumps(value, **layout), where), None]:
        if piece is None:
            parser.finish()
        else:
            parser.feed(piece)
        patch = parser.patch_since(told)
        raw = parser.patch_raw_since(told)
        assert json.loads(raw) == patch
        assert parser.has_changed_since(told) or not patch
        before = frozen(copy)
        new = apply_patch(copy, patch)
        assert copy == before
        copy, sent = new, apply_patch(sent, json.loads(raw))
        told = parser.revision()
        assert copy == parser.snapshot() == sent
    assert copy == json.loads(json.dumps(value))


@given(values, st.integers(0, 200))
def test_a_snapshot_shows_what_has_come(value: Any, length: int) -> None:
    document = json.dumps(value, ensure_ascii=False)[:length]
    parser = Parser(snapshots=True)
    parser.feed(document)
    raw = parser.snapshot_raw()
    assert parser.snapshot() == (None if raw is None else json.loads(raw))
    path = parser.open_path()
    if path is not None:
        shown = parser.snapshot()
        for segment in path:
            shown = shown[segment]


@given(st.decimals(allow_nan=False, allow_infinity=False), st.integers(-(10**30), 10**30))
def test_decimals_are_as_spelt(fraction: Decimal, whole: int) -> None:
    document = f"[{fraction:e}, {whole}, 0.10]"
    parser = Parser(decimals=True, snapshots=True)
    parser.feed(document)
    parser.finish()
    expected = json.loads(document, parse_float=Decimal)
    assert parser.value() == parser.snapshot() == expected
    assert [str(part) for part in parser.value()] == [str(part) for part in expected]


@settings(max_examples=30)
@given(st.text(min_size=1, max_size=10), st.sampled_from(["\ud800", "\udfff"]), st.text(max_size=5))
def test_a_lone_surrogate_is_a_clear_error_and_nothing_is_read(before: str, surrogate: str, after: str) -> None:
    before = before.encode("utf-8", "replace").decode()
    parser = Parser(snapshots=True)
    parser.feed('"')
    with pytest.raises(JsonSpigotError) as raised:
        parser.feed(before + surrogate + after)
    assert raised.value.kind == "lone-surrogate"
    assert raised.value.offset == 1 + len(before.encode())
    assert f"index {len(before)}" in str(raised.value)
    assert isinstance(raised.value.__cause__, UnicodeEncodeError)
    parser.feed('on"')
    parser.finish()
    assert parser.value() == "on"


operations = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "append", "replace"]), "path": st.sampled_from(["", "/", "/a", "/0", "/-", "/a/0", "/0/a", "x"]) | text, "value": values}
)


@settings(max_examples=500)
@given(values, st.lists(operations | values, max_size=4))
def test_any_list_is_a_patch_that_fits_or_a_value_error(value: Any, patch: list[Any]) -> None:
    before = json.dumps(value)
    try:
        apply_patch(value, patch)
    except ValueError:
        pass
    assert json.dumps(value) == before, "the old value does not change"
