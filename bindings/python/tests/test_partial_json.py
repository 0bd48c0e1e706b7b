"""`PartialJson` has the laws of the Rust type, by which the documents are cut anywhere."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jsonspigot import JsonSpigotError, PartialJson

hypothesis = pytest.importorskip("hypothesis")
st = pytest.importorskip("hypothesis.strategies")

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def is_begun(shown: Any, value: Any) -> bool:
    """Return whether a value may be what was shown, once it is complete."""
    if isinstance(shown, str):
        return isinstance(value, str) and value.startswith(shown)
    if isinstance(shown, list):
        return isinstance(value, list) and len(shown) <= len(value) and all(map(is_begun, shown, value))
    if isinstance(shown, dict):
        return isinstance(value, dict) and all(key in value and is_begun(shown[key], value[key]) for key in shown)
    return type(shown) is type(value) and shown == value


@hypothesis.given(VALUES, st.lists(st.integers(0, 80), max_size=6), st.booleans())
def test_each_piece_adds_to_the_value(value: Any, cuts: list[int], is_bytes: bool) -> None:
    text: Any = json.dumps(value, ensure_ascii=False)
    text = text.encode() if is_bytes else text
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    partial = PartialJson()
    shown: list[Any] = []
    for start, end in zip(places, places[1:], strict=False):
        seen = partial.push(text[start:end])
        assert seen is partial.value or seen == partial.value
        assert seen is None or is_begun(seen, value)
        shown.append((seen, json.dumps(seen)))
        assert partial.consumed == len(text[:end] if is_bytes else text[:end].encode())
        if partial.in_string:
            inner = seen
            for key in partial.open_path or ():
                inner = inner[key]
            assert isinstance(inner, str)
    # A value that is held never changes.
    assert all(json.dumps(seen) == before for seen, before in shown)
    assert partial.finish() == value and partial.is_complete and not partial.in_string
    with pytest.raises(JsonSpigotError, match="finished"):
        partial.push("1")
    partial.reset()
    assert partial.value is None and partial.push("[") == []


@hypothesis.given(VALUES, st.integers(0, 80))
def test_all_at_once_is_what_pieces_give(value: Any, cut: int) -> None:
    text = json.dumps(value)[:cut]
    whole, pieces = PartialJson(), PartialJson()
    whole.push(text)
    for character in text:
        pieces.push(character)
    assert (whole.value, whole.in_string, whole.open_path) == (pieces.value, pieces.in_string, pieces.open_path)


def test_an_error_stays_and_so_does_the_value() -> None:
    partial = PartialJson()
    partial.push('{"a": [1, 2')
    for chunk in ("}", "3]}", ""):
        with pytest.raises(JsonSpigotError) as raised:
            partial.push(chunk)
        assert (raised.value.kind, raised.value.offset) == ("unexpected-byte", 11)
    assert (partial.value, partial.consumed, partial.is_complete) == ({"a": [1, 2]}, 11, False)
    with pytest.raises(JsonSpigotError):
        partial.finish()
    with pytest.raises(JsonSpigotError, match="incomplete"):
        PartialJson().finish()


def test_options() -> None:
    assert PartialJson(lenient="trailing-commas", accept_deviations=True).push("[1,]") == [1]
    with pytest.raises(JsonSpigotError, match="depth"):
        PartialJson(max_depth=2).push("[[[")
    with pytest.raises(JsonSpigotError, match="duplicate"):
        PartialJson(duplicate_keys="reject").push('{"a": 1, "a":')
    with pytest.raises(TypeError, match="did you mean 'max_depth'"):
        PartialJson(maxdepth=2)  # type: ignore[call-arg]
