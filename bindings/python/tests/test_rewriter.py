"""Editing a text while it passes: what comes out is what editing the value gives, at any cut, and after any saved state."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_properties import cuts, layouts, pieces, values

from jsonspigot import JsonSpigotError, PatternError, Rewriter, Rule


def doubled(text: str) -> str:
    return f"[{text}, {text}]"


def louder(piece: str | None) -> str:
    return "!" if piece is None else piece.upper()


RULES = {"..a": Rule.remove(), "[*].b": Rule.redact(), "..c": Rule.map(doubled), "..d": Rule.map_text(louder)}


def edited(value: Any, depth: int = 0) -> Any:
    """Apply the same rules to a value."""
    if isinstance(value, list):
        return [edited(element, depth + 1) for element in value]
    if not isinstance(value, dict):
        return value
    out = {}
    for key, member in value.items():
        if key == "a":
            continue
        if key == "b" and depth == 1:
            out[key] = "[redacted]"
        elif key == "c":
            out[key] = [member, member]
        elif key == "d" and isinstance(member, str):
            out[key] = member.upper() + "!"
        else:
            out[key] = edited(member, depth + 1)
    return out


keyed = st.recursive(
    values,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcde"), inner, max_size=5),
    max_leaves=12,
)


@given(keyed, layouts, cuts, st.booleans())
def test_what_comes_out_is_the_edited_value(value: Any, layout: Any, places: Any, is_saved: bool) -> None:
    text = json.dumps(value, **layout).encode()
    rewriter = Rewriter(RULES)
    out = b""
    for chunk in pieces(text, places):
        if is_saved:
            rewriter = Rewriter.restore(RULES, rewriter.save())
        out += rewriter.write(chunk)
    out += rewriter.finish()
    assert rewriter.passed == len(text)
    expected = edited(json.loads(text))
    assert json.loads(out) == expected
    if expected == json.loads(text):
        assert out == text
    rewriter.reset()
    assert rewriter.write(text) + rewriter.finish() == out


def test_an_error_has_what_was_written_before() -> None:
    rewriter = Rewriter({"a": Rule.redact()})
    with pytest.raises(JsonSpigotError, match="byte 12") as caught:
        rewriter.write('{"a": "b"  }}')
    assert (caught.value.kind, caught.value.written) == ("trailing-bytes", b'{"a": "[redacted]"  }')
    assert pickle.loads(pickle.dumps(caught.value)).written == copy.copy(caught.value).written == caught.value.written
    with pytest.raises(JsonSpigotError) as again:
        rewriter.write("")
    assert (again.value.kind, again.value.written) == ("trailing-bytes", b"")
    rewriter.reset()
    assert rewriter.write(bytearray(b'{"b": 1')) == b'{"b": 1'
    with pytest.raises(JsonSpigotError) as cut:
        rewriter.finish()
    assert cut.value.kind == "incomplete"


def test_a_lone_surrogate_has_its_place_after_a_restore() -> None:
    rewriter = Rewriter({"a": Rule.remove()})
    rewriter.write('{"b": 1, ')
    for writer in (rewriter, Rewriter.restore({"a": Rule.remove()}, rewriter.save())):
        with pytest.raises(JsonSpigotError) as caught:
            writer.write('"\u00e9\ud800')
        assert (caught.value.kind, caught.value.offset) == ("lone-surrogate", 12)
        assert writer.write('"c": 2}') + writer.finish() == b', "c": 2}'


def test_what_is_held_back_has_a_limit() -> None:
    rewriter = Rewriter({"a": Rule.remove()}, held_limit=5)
    with pytest.raises(JsonSpigotError) as caught:
        rewriter.write('{"b": 1,        "a": 2}')
    assert (caught.value.kind, caught.value.written) == ("held-limit", b'{"b": 1')


def test_what_a_function_raises_is_raised_until_reset() -> None:
    def fails(text: str | None) -> str:
        raise KeyError(text)

    for rule in [Rule.map(fails), Rule.map_text(fails)]:
        rewriter = Rewriter({"a": rule})
        for _ in range(2):
            with pytest.raises(KeyError, match="x"):
                rewriter.write('{"a": "x"}')
        rewriter.reset()
        assert rewriter.write('{"b": 1}') == b'{"b": 1}'
    rewriter = Rewriter({"a": Rule.map(lambda text: text[1:])})
    with pytest.raises(JsonSpigotError) as caught:
        rewriter.write('{"a": "x"}')
    assert caught.value.kind == "bad-replacement"
    rewriter = Rewriter({"a": Rule.map(lambda text: 1)})  # type: ignore[arg-type, return-value]
    with pytest.raises(TypeError):
        rewriter.write('{"a": "x"}')


def test_a_function_cannot_use_its_rewriter() -> None:
    rewriter = Rewriter({"a": Rule.map(lambda text: rewriter.write(text).decode())})
    with pytest.raises(RuntimeError, match="in use"):
        rewriter.write('{"a": "x"}')


def test_rules_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="removes the root"):
        Rewriter({"a | $": Rule.remove()})
    with pytest.raises(ValueError, match="lenient"):
        Rewriter({"a": Rule.remove()}, lenient="model-output")
    with pytest.raises(PatternError):
        Rewriter({"a[": Rule.remove()})
    with pytest.raises(ValueError, match="Out of range"):
        Rule.replace(float("nan"))
    with pytest.raises(TypeError):
        Rule.map(1)  # type: ignore[arg-type]
    with pytest.raises(JsonSpigotError) as caught:
        Rewriter.restore({"a": Rule.redact()}, Rewriter({"a": Rule.remove()}).save())
    assert caught.value.kind == "other-choices"
