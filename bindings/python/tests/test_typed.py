"""Snapshots as typed values: what is open is left out where it does not fit, and what is complete has to fit."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal, NotRequired

import pytest
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError
from pydantic import dataclasses as pydantic_dataclasses

from typing_extensions import TypedDict

from jsonspigot import Open, Parser, Partial, snapshots


class Colour(Enum):
    RED = "red"
    REDDISH = "reddish"


class Slot(BaseModel):
    message: str
    kind: Literal["text", "textarea"] | None = None
    options: list[str] = []


class Reply(BaseModel):
    say: str | None = None
    colour: Colour | None = None
    day: date | None = None
    slots: list[Slot] = []
    price: float | None = None


def at(document: str, model: Any, **options: Any) -> Partial[Any] | None:
    parser = Parser(model=model, **options)
    parser.feed(document)
    return parser.look()


def shown(document: str, model: Any = Reply, **options: Any) -> Any:
    partial = at(document, model, **options)
    return None if partial is None else partial.value


def test_text_is_shown_as_it_grows() -> None:
    assert at("", Reply) is None
    partial = at('{"say": "Hel', Reply)
    assert partial == Partial(Reply(say="Hel"), complete=False)


def test_an_open_string_is_no_enum_literal_or_date() -> None:
    assert shown('{"colour": "red') == Reply()
    assert shown('{"colour": "red"') == Reply(colour=Colour.RED)
    assert shown('{"day": "2026-11-2') == Reply()
    assert shown('{"day": "2026-11-23') == Reply()
    assert shown('{"day": "2026-11-23"') == Reply(day=date(2026, 11, 23))
    assert shown('{"slots": [{"message": "a", "kind": "text') == Reply(slots=[Slot(message="a")])


def test_an_element_that_lacks_a_field_is_shown_without() -> None:
    assert shown('{"slots": [{"message": "a"}, {"kind": "text"').slots[1].message is None
    assert shown('{"slots": [{"message": "a"}, {"kind": "text", "message": "b') == Reply(
        slots=[Slot(message="a"), Slot(message="b", kind="text")]
    )


def test_a_root_that_lacks_a_field_is_shown_without() -> None:
    class Both(BaseModel):
        a: int
        b: str

    partial = at('{"a": 1, ', Both)
    assert partial is not None and (partial.value.a, partial.value.b, partial.complete) == (1, None, False)
    assert isinstance(partial.value, Both) and isinstance(partial.value, Open)
    assert shown('{"a": 1, "b": "x', Both) == Both(a=1, b="x")


def test_what_is_complete_and_does_not_fit_is_an_error() -> None:
    for document in [
        '{"colour": "blue", "say": "x',
        '{"colour": "blue"',
        '{"slots": [{"message": 1}, {"message": "b',
        '{"slots": [{"kind": "text"}',
        '{"slots": [{"message": "a", "options": [1], "kind": "te',
    ]:
        with pytest.raises(ValidationError):
            at(document, Reply)


def test_the_error_does_not_show_what_was_tried() -> None:
    with pytest.raises(ValidationError) as raised:
        at('{"colour": "blue", "say": "x', Reply)
    assert "open" not in str(raised.value) and "\uf8ff" not in str(raised.value)


def test_the_end_is_strict() -> None:
    parser = Parser(model=Reply)
    parser.feed('{"slots": [{"kind": "text"}]}')
    with pytest.raises(ValidationError):
        parser.look()
    partial = at('{"say": "x"}', Reply)
    assert partial is not None and partial.complete


def test_an_open_number_is_left_out() -> None:
    assert shown('{"say": "x", "price": 12', provisional=True) == Reply(say="x")
    assert shown('{"say": "x", "price": 12,', provisional=True) == Reply(say="x", price=12)


def test_constraints_wait() -> None:
    class Code(BaseModel):
        code: Annotated[str, StringConstraints(pattern="^[A-Z]{3}$")] | None = None
        tags: Annotated[list[str], Field(min_length=2)] | None = None

    assert shown('{"code": "AB', Code).code == "AB"
    assert shown('{"code": "ABC"', Code) == Code(code="ABC")
    assert shown('{"tags": ["a"', Code).tags == ["a"]
    with pytest.raises(ValidationError):
        shown('{"tags": ["a"]', Code)
    with pytest.raises(ValidationError):
        shown('{"code": "AB"', Code)
    assert shown('{"tags": ["a", "b', Code) == Code(tags=["a", "b"])


def test_dataclasses_and_typed_dicts() -> None:
    assert shown('{"lines": [{"text": "a"}, {"text": "b', Page) == Page(lines=[Line("a"), Line("b")])
    assert shown('{"lines": [{"text": "a", "colour": "red', Page) == Page(lines=[Line("a")])

    assert shown('{"say": "a", "day": "2026-1', Dict) == {"say": "a"}
    assert shown('{"say": "a", "day": "2026-11-23"', Dict) == {"say": "a", "day": date(2026, 11, 23)}
    assert shown('{"day": "2026-11-23"', Dict) == {"day": date(2026, 11, 23)}
    assert shown('[{"say": "a"}, {"day": "20', list[Dict]) == [{"say": "a"}, {}]
    assert shown('["a", "re', list[str]) == ["a", "re"]
    assert shown('"a', str) == "a"
    assert at('"re', Colour) is None
    assert at('[1', tuple[int, str]) is None
    assert shown('[1, "x', tuple[int, str]) == (1, "x")


@dataclass
class Line:
    text: str = ""
    colour: Colour | None = None


@pydantic_dataclasses.dataclass
class Page:
    lines: list[Line] = field(default_factory=list)


class Dict(TypedDict):
    say: str
    day: NotRequired[date]


class Cat(BaseModel):
    kind: Literal["cat"]
    meows: int


class Dog(BaseModel):
    kind: Literal["dog"]
    barks: str


class Zoo(BaseModel):
    pets: list[Annotated[Cat | Dog, Field(discriminator="kind")]] = []
    any: list[Cat | Dog] = []


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    day: date | None = None
    colour: Colour | None = None
    count: int = 0


def test_a_strict_model_reads_json() -> None:
    assert shown('{"day": "2026-11-23", "colour": "red", "count": 1, ', Strict) == Strict(
        day=date(2026, 11, 23), colour=Colour.RED, count=1
    )
    with pytest.raises(ValidationError):
        at('{"count": "1"', Strict)


def test_unions_wait_for_their_tag() -> None:
    assert shown('{"pets": [{"kind": "ca', Zoo) == Zoo()
    assert shown('{"pets": [{"kind": "cat"', Zoo).pets[0].kind == "cat"
    assert shown('{"pets": [{"kind": "dog", "barks": "wo', Zoo) == Zoo(pets=[Dog(kind="dog", barks="wo")])
    assert shown('{"any": [{"kind": "dog"}, '.replace("}", ', "barks": ""}'), Zoo) == Zoo(any=[Dog(kind="dog", barks="")])
    with pytest.raises(ValidationError):
        at('{"pets": [{"kind": "bird"}, {"kind', Zoo)


@pytest.mark.parametrize("size", [1, 3, 8])
def test_every_cut_of_a_whole_reply(size: int) -> None:
    document = json.dumps(
        {
            "say": "Great! What's your budget?",
            "colour": "reddish",
            "day": "2026-11-23",
            "slots": [{"message": "How?", "kind": "textarea", "options": ["a", "b"]}, {"message": "When?"}],
            "price": 12.5,
        }
    )
    parser = Parser(model=Reply)
    last = Reply()
    for start in range(0, len(document), size):
        parser.feed(document[start : start + size])
        partial = parser.look()
        assert partial is not None
        new: Any = partial.value
        assert (new.say or "").startswith(last.say or "")
        assert new.colour in (None, Colour.REDDISH)
        assert len(new.slots) >= len(last.slots)
        last = new
    assert last == Reply.model_validate_json(document)


class Day(BaseModel):
    name: str
    tags: list[str]


class Trip(BaseModel):
    title: Annotated[str, Field(min_length=3)]
    first: Day
    days: list[Day]
    by_name: dict[str, Day]
    note: str | None


TRIP = {"title": "Rome", "first": {"name": "Mon", "tags": ["a"]}, "days": [{"name": "Tue", "tags": []}], "by_name": {}, "note": None}


def test_missing_fields_may_be_empty() -> None:
    """Then every look has the types that the model declares, at every cut, and the end is the model's own."""
    text = json.dumps(TRIP)
    loose: Any = TypeAdapter(Trip).validate_python({**TRIP, "title": "Rome"})
    for cut in range(1, len(text)):
        looks = list(snapshots([text[:cut], text[cut:]], model=Trip, missing="empty"))
        for look in looks[:1]:
            value = look.value
            assert type(value.title) is str and type(value.days) is list and type(value.by_name) is dict
            for day in (value.first, *value.days):
                assert isinstance(day, Day) and type(day.name) is str and type(day.tags) is list
        assert looks[-1].complete and looks[-1].value == loose and type(looks[-1].value) is Trip
    parser = Parser(model=Trip, missing="empty")
    parser.feed('{"days": [{"na')
    look = parser.look()
    assert look is not None
    assert look.value.model_fields_set == {"days"} and look.value.days[0].model_fields_set == set()
    assert look.value.model_dump() == {"title": "", "first": {"name": "", "tags": []}, "days": [{"name": "", "tags": []}], "by_name": {}, "note": None}


def test_what_cannot_be_empty_is_refused_at_once() -> None:
    class Deep(BaseModel):
        colour: Colour

    class Outer(BaseModel):
        deep: list[Deep] = []

    for model in (Deep, Outer, list[Outer], dict[str, Deep], Outer | int):
        with pytest.raises(ValueError, match="'colour' of Deep has no empty value"):
            Parser(model=model, missing="empty")
    with pytest.raises(ValueError, match="expected 'none' or 'empty'"):
        Parser(model=Trip, missing="nothing")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="needs a parser with a model"):
        Parser().look()
    with pytest.raises(TypeError, match="unexpected keyword argument 'strict'"):
        Parser(strict=True)  # type: ignore[call-overload]


def test_a_parser_with_a_model() -> None:
    parser = Parser("say", model=Reply)
    assert parser.look() is None
    assert [type(event).__name__ for event in parser.feed('{"say": "He')] == ["Begin", "Delta"]
    first = parser.look()
    assert first is not None and first is parser.look() and first.value == Reply(say="He")
    state = parser.save()
    parser.feed('llo"}')
    again = Parser.restore("say", state, model=Reply)
    again.feed('y"}')
    assert (parser.look(), again.look()) == (Partial(Reply(say="Hello"), True), Partial(Reply(say="Hey"), True))
    parser.reset()
    parser.feed('{"say": 5}')
    for _ in range(2):
        with pytest.raises(ValidationError):
            parser.look()


def test_a_look_that_fails_is_the_same_at_any_cut() -> None:
    def refused(value: str) -> str:
        raise ValueError(value)

    class Inner(BaseModel):
        a: Annotated[str, AfterValidator(refused)]
        b: str = ""

    inner: Any = Annotated[Inner, BeforeValidator(lambda value: value)]
    text = '{"a": "bad", "b"'
    for cut in range(1, len(text)):
        parser = Parser(model=inner)
        for piece in (text[:cut], text[cut:]):
            parser.feed(piece)
            look = parser.look()
        assert look is not None and look.value.a == "bad", cut
