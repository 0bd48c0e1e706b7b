"""What others show of an unfinished text, we show at least. Their partial modes read all of it again, so they can be asked at
each place; the texts are written after what their own tests look at. The differences that remain, each with its reason:

- jiter, and all who use it, show `12` of a number that may become `123`; here `provisional=True` does, and a typed view waits.
- instructor and langchain-core complete a literal from its first letter (`tru`); here only `provisional=True`.
- instructor shows an object of `None`s for one that has not come; here it is `None`.
- langchain-core and instructor read on behind trailing commas, control characters and Markdown fences; here that is `lenient`
  and `Envelope`.
- pydantic's partial mode drops an element that fails for any reason; here a closed one that is wrong raises.
"""

from __future__ import annotations

import json
import re
from enum import Enum
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from typing_extensions import NotRequired, TypedDict

from jsonspigot import Envelope, Parser, TypedPayload

TEXTS = [
    '["string", true, null, 1, "foo", [], {}, -1.5e3]',
    '{"a": 1, "b": 2, "c": [1, 2, {"d": 1, "e": "f\\u00e9\\n\\"x"}], "g": {"h": {"i": "j"}}}',
    '{"foo": "bar", "bar": "fo[o}, \\"x\\": [1", "baz": [[["deep"]]]}',
    '{"setup": "Why did they start a band?", "punchline": "To play.", "audience": ["Haha", "So funny"]}',
    '[{"name": "Jason", "age": 25, "tags": ["a"]}, {"name": "Sarah", "age": 30, "tags": []}]',
]
IN_NUMBER = re.compile(r"[-+0-9.eE]$")


def at_least(ours: Any, theirs: Any, *, may_lack_number: bool) -> bool:
    """Whether all that they show is shown."""
    if isinstance(theirs, BaseModel):
        theirs = {name: value for name, value in vars(theirs).items() if value is not None}
        ours = vars(ours) if isinstance(ours, BaseModel) else ours or {}
    if isinstance(theirs, Enum) or theirs is None:
        return ours == theirs or theirs is None
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and all(
            at_least(ours.get(key), value, may_lack_number=may_lack_number)
            for key, value in theirs.items()
        )
    if isinstance(theirs, list):
        if len(ours or []) < len(theirs):
            theirs_last = theirs[-1]
            return may_lack_number and isinstance(theirs_last, (int, float)) and at_least(ours, theirs[:-1], may_lack_number=False)
        return all(
            at_least(mine, their, may_lack_number=may_lack_number and at == len(theirs) - 1)
            for at, (mine, their) in enumerate(zip(ours, theirs, strict=False))
        )
    if isinstance(theirs, (int, float)) and ours is None:
        return may_lack_number
    # instructor leaves an enum's member as the text that it is spelt with.
    return bool((ours.value if isinstance(ours, Enum) else ours) == theirs)


def prefixes(text: str) -> list[str]:
    return [text[:end] for end in range(1, len(text) + 1)]


@pytest.mark.parametrize("text", TEXTS)
def test_jiter(text: str) -> None:
    jiter = pytest.importorskip("jiter")
    parser = Parser(provisional=True)
    for at, prefix in enumerate(prefixes(text)):
        parser.feed(text[at])
        for mode in (True, "trailing-strings"):
            try:
                theirs = jiter.from_json(prefix.encode(), partial_mode=mode)
            except ValueError:
                continue
            assert at_least(parser.snapshot(), theirs, may_lack_number=False), prefix


class Nested(BaseModel):
    b: int
    text: str


class Mood(Enum):
    CALM = "calm"
    CALMER = "calmer"


class Sample(BaseModel):
    a: int
    b: Nested
    c: list[Nested]
    literal: Literal["yes", "yesterday"]
    mood: Mood
    limited: str = Field(max_length=5)
    either: int | str | None


SAMPLE = {
    "a": 42,
    "b": {"b": 1, "text": "hello"},
    "c": [{"b": 2, "text": "one"}, {"b": 3, "text": "two"}],
    "literal": "yesterday",
    "mood": "calmer",
    "limited": "12345",
    "either": "text",
}


def test_instructor() -> None:
    partial = pytest.importorskip("instructor.dsl.partial")
    text = json.dumps(SAMPLE)
    parser = Parser(snapshots=True, duplicate_keys="reject")
    typed = parser.typed(Sample)
    shown = 0
    for at, prefix in enumerate(prefixes(text)):
        parser.feed(text[at])
        look = typed.look()
        try:
            theirs = list(partial.Partial[Sample].model_from_chunks(iter([prefix])))[-1]
        except (ValidationError, IndexError):
            continue
        shown += 1
        assert look is not None
        # They take an open "yes" for the literal and the enum that it may not become.
        for name in ("literal", "mood"):
            if getattr(look.value, name) is None:
                theirs = theirs.model_copy(update={name: None})
        assert at_least(look.value, theirs, may_lack_number=bool(IN_NUMBER.search(prefix))), (prefix, theirs, look)
    assert shown > 100
    assert typed.look().value == Sample(**SAMPLE)  # type: ignore


def test_instructor_white_space_first() -> None:
    chunks = ["\n", "\t", " ", '{"a": 42, "b": {"b": 1, "text": "x"}']
    looks: list[Any] = []
    parser = Parser(snapshots=True, duplicate_keys="reject")
    typed = parser.typed(Sample)
    for chunk in chunks:
        parser.feed(chunk)
        looks.append(typed.look())
    assert looks[:3] == [None] * 3
    assert looks[3] is not None and (looks[3].value.a, type(looks[3].value.b)) == (42, Nested)


class Row(TypedDict):
    a: int
    b: NotRequired[float]
    c: NotRequired[str]


def test_pydantic() -> None:
    adapter = TypeAdapter(list[Row])
    text = '[{"a": 1, "b": 1.5, "c": "abcdef"}, {"a": 2, "c": ""}, {"a": 3}]'
    parser = Parser(snapshots=True, duplicate_keys="reject")
    typed = parser.typed(adapter)
    for at, prefix in enumerate(prefixes(text)):
        parser.feed(text[at])
        theirs = adapter.validate_json(prefix, experimental_allow_partial="trailing-strings")
        look = typed.look()
        assert look is not None
        assert at_least(look.value, theirs, may_lack_number=bool(IN_NUMBER.search(prefix))), (prefix, theirs, look)


class Profile(BaseModel):
    """Read a model as agents declare their output: every field required but the last."""

    name: str
    dob: Literal["1990-01-01", "1990-01-28"]
    bio: str
    friends: list[str] = []


def test_pydantic_ai() -> None:
    text = '{"name": "Ben", "dob": "1990-01-28", "bio": "Likes the chain the dog", "friends": ["A", "Bo"]}'
    # What it shows at the end of each of these, with a TypedDict of optional keys; a model of required ones shows nothing.
    steps = {
        '{"name": "Ben",': {"name": "Ben"},
        '"1990-01-28"': {"name": "Ben", "dob": "1990-01-28"},
        '"Likes': {"name": "Ben", "dob": "1990-01-28", "bio": "Likes"},
        "the dog": {"name": "Ben", "dob": "1990-01-28", "bio": "Likes the chain the dog"},
        '["A", "B': {"name": "Ben", "friends": ["A", "B"]},
    }
    for part, expected in steps.items():
        prefix = text[: text.index(part) + len(part)]
        parser = Parser(snapshots=True, duplicate_keys="reject")
        parser.feed(prefix)
        look = parser.typed(Profile).look()
        assert look is not None
        assert {name: getattr(look.value, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ('{"foo": "bar", "bar": "foo"}', {"foo": "bar", "bar": "foo"}),
        ('{"foo": "bar", "bar": "foo', {"foo": "bar", "bar": "foo"}),
        ('{"foo": "bar", "bar": "foo}', {"foo": "bar", "bar": "foo}"}),
        ('{"foo": "bar", "bar": "foo[', {"foo": "bar", "bar": "foo["}),
        ('{"foo": "bar", "bar": "foo\\"', {"foo": "bar", "bar": 'foo"'}),
        ('{"foo": "bar", "bar":', {"foo": "bar"}),
        ('{"foo": "bar", "bar"', {"foo": "bar"}),
        ('{"foo": "bar", ', {"foo": "bar"}),
        ('{"foo":"bar\\', {"foo": "bar"}),
        ('{"a": {"b": [1, {"c": tr', {"a": {"b": [1, {"c": True}]}}),
        ('{"a": nul', {"a": None}),
        ("[", []),
        ("{", {}),
        ('"', ""),
    ],
)
def test_langchain_core(prefix: str, expected: Any) -> None:
    for size in (1, 1000):
        parser = Parser(provisional=True)
        for at in range(0, len(prefix), size):
            parser.feed(prefix[at : at + size])
        assert parser.snapshot() == expected


def test_langchain_core_markdown() -> None:
    class Action(BaseModel):
        action: str
        action_input: str | dict[str, Any]

    text = 'Thought: I should.\n```json\n{"action": "search", "action_input": {"q": "```weather"}}\n```\nDone.'
    envelope = Envelope("fence:json", models={"fence:json": Action})
    told: list[Any] = []
    for letter in text:
        told += envelope.feed(letter)
    told += envelope.finish()
    typed = [event for event in told if isinstance(event, TypedPayload)]
    assert [event.value.action for event in typed][:4] == [None, "", "s", "se"]
    assert typed[-1].complete and typed[-1].value == Action(action="search", action_input={"q": "```weather"})
