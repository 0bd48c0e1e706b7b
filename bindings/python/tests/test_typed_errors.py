"""Errors of typed views: whatever the cuts, it is the same value that does not fit, and its place is pydantic's."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError, field_validator
from test_typed_kinds import CASES as KINDS
from test_typed_kinds import nested, what_is_wrong
from test_typed_models import CASES as MODELS

from jsonspigot import Documents, Parser, TypedDocument, snapshots

TYPES = [*KINDS, *((model, json.dumps(document)) for _, model, document in MODELS)]
# Without what `json.dumps` does not write as JSON.
TYPES = [(model, text) for model, text in TYPES if "1e400" not in text]


def pieces(text: str, cuts: list[int]) -> list[str]:
    ends = [0, *sorted(cuts), len(text)]
    return [text[start:end] for start, end in zip(ends, ends[1:], strict=False)]


def lines(error: BaseException) -> Any:
    return sorted(what_is_wrong(error)) if isinstance(error, ValidationError) else repr(error)


def told(model: Any, chunks: list[str]) -> Any:
    try:
        *_, last = snapshots(chunks, model=model)
    except Exception as error:
        return lines(error)
    return last.complete


def at_once(model: Any, text: str) -> Any:
    parser = Parser(model=model)
    parser.feed(text)
    parser.finish()
    try:
        look = parser.look()
    except Exception as error:
        return lines(error)
    return look is not None and look.complete


def in_line(model: Any, text: str) -> Any:
    rows = Documents("lines", model=model, snapshots=False)
    [event] = [event for event in [*rows.feed(text), *rows.finish()] if isinstance(event, TypedDocument)]
    return event.complete if event.error is None else lines(event.error)


def test_the_error_is_the_same_at_any_cut() -> None:
    hypothesis = pytest.importorskip("hypothesis")
    from hypothesis import strategies as st

    simple = st.sampled_from([(model, st.just(json.loads(text))) for model, text in TYPES])

    @hypothesis.settings(max_examples=400, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(simple | nested(st), st.data())
    def check(kind: tuple[Any, Any], data: Any) -> None:
        model, document = kind[0], data.draw(kind[1])
        for _ in range(data.draw(st.integers(1, 3))):
            document = spoilt(document, data.draw, st)
        text = json.dumps(document)
        cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=6))
        wanted = told(model, list(text))
        assert told(model, pieces(text, cuts)) == at_once(model, text) == in_line(model, text) == wanted
        # As early, too.
        start = text[: data.draw(st.integers(0, len(text)))]
        assert told(model, pieces(start, cuts)) == told(model, list(start))
        if isinstance(wanted, bool | str):
            return
        adapter = model if isinstance(model, TypeAdapter) else TypeAdapter(model)
        with pytest.raises(ValidationError) as whole:
            adapter.validate_json(text)
        # Of too many elements, pydantic reads none.
        if not any(line["type"] == "too_long" for line in whole.value.errors()):
            assert set(wanted) <= what_is_wrong(whole.value)

    check()


def spoilt(value: Any, draw: Any, st: Any) -> Any:
    """Return a document with another value somewhere, or one left out."""
    if isinstance(value, dict) and value and draw(st.booleans()):
        key = draw(st.sampled_from(list(value)))
        if draw(st.integers(0, 4)) == 0:
            return {name: member for name, member in value.items() if name != key}
        return {**value, key: spoilt(value[key], draw, st)}
    if isinstance(value, list) and value and draw(st.booleans()):
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], spoilt(value[at], draw, st), *value[at + 1 :]]
    return draw(st.sampled_from([None, "zz", "", 1, 1.5, True, [], [1], ["x", [1]], {}, {"q": 1}, {"a": "x", "b": [{}]}]))


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: list[int]


class Dog(BaseModel):
    kind: Literal["dog"]
    barks: int
    friend: Cat | Dog | None = None


class Pets(BaseModel):
    tagged: list[Annotated[Cat | Dog, Field(discriminator="kind")]] = []
    plain: list[Cat | Dog] = []


class Odd(BaseModel):
    kind: str
    odd: int

    @field_validator("odd")
    @classmethod
    def raises(cls, value: int) -> int:
        raise KeyError(value)


def test_what_else_a_members_validator_raises_comes_when_it_is_the_last() -> None:
    for text, size in (('[{"odd": 1, "kind": "q", ', 1), ('[{"odd": 1, "kind": "q", ', 100), ('[{"kind": "q", "odd": 1, ', 3)):
        parser = Parser(snapshots=True, duplicate_keys="reject")
        typed = parser.typed(list[Cat | Odd])
        with pytest.raises(KeyError):
            for at in range(0, len(text), size):
                parser.feed(text[at : at + size])
                typed.look()
        assert parser.offset >= text.index("q") + 1


@pytest.mark.parametrize(
    ("text", "loc"),
    [
        ('{"tagged": [{"kind": "cat", "lives": [1, "x"', ("tagged", 0, "cat", "lives", 1)),
        ('{"tagged": [{"lives": [1, "x"], "kind": "cat"', ("tagged", 0, "cat", "lives", 1)),
        ('{"plain": [{"kind": "dog", "barks": "no"', ("plain", 0, "Dog", "barks")),
        ('{"plain": [{"kind": "dog", "barks": 1, "friend": {"kind": "cat", "lives": ["x"', ("plain", 0, "Dog", "friend", "Cat", "lives", 0)),
    ],
)
def test_an_error_in_a_union_has_the_members_name(text: str, loc: tuple[Any, ...]) -> None:
    for chunks in (list(text), [text]):
        with pytest.raises(ValidationError) as raised:
            list(snapshots([*chunks, " "], model=Pets))
        assert [line["loc"] for line in raised.value.errors()] == [loc]
