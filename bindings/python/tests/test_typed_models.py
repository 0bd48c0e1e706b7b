"""Typed views over a table of models and random documents, fed by single characters and other steps: nothing that was shown
goes away, what has closed is what pydantic makes of it, and so is the end.
"""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import Enum
from functools import cached_property
from typing import Annotated, Any, Generic, Literal, NamedTuple, NotRequired, TypeVar

import pytest
from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Json,
    PrivateAttr,
    RootModel,
    StringConstraints,
    Tag,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    computed_field,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict

from jsonspigot import JsonSpigotError, Open, Parser, Partial, snapshots

T = TypeVar("T")


class Colour(Enum):
    RED = "red"
    REDDISH = "reddish"


class Slot(BaseModel):
    message: str
    options: list[str]
    done: bool


class Turn(BaseModel):
    ask_slots: list[Slot]
    note: str


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    day: date
    colour: Colour
    count: int


class Forbid(BaseModel):
    model_config = ConfigDict(extra="forbid")
    a: str
    inner: Slot | None = None


class Allow(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int


class Aliased(BaseModel):
    say: str = Field(alias="Say")
    other: list[int] = Field(validation_alias=AliasChoices("x", "y"))


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: list[int]


class Dog(BaseModel):
    kind: Literal["dog"]
    barks: str


class Tagged(BaseModel):
    pets: list[Annotated[Cat | Dog, Field(discriminator="kind")]]


class Untagged(BaseModel):
    pet: Cat | Dog
    value: int | str | list[str] | None


def tag_of(value: Any) -> str:
    return value["t"] if isinstance(value, dict) else "x"


class Called(BaseModel):
    one: Annotated[Annotated[Slot, Tag("s")] | Annotated[Forbid, Tag("f")], Discriminator(tag_of)] | None


class Tree(BaseModel):
    name: str
    kids: list[Tree] = []


class Box(BaseModel, Generic[T]):
    content: T
    more: list[T] = []


class After(BaseModel):
    name: str
    tags: list[str]

    @field_validator("name")
    @classmethod
    def shouted(cls, value: str) -> str:
        assert value, "empty"
        return value + "!"

    @field_validator("tags")
    @classmethod
    def named(cls, value: list[str], info: ValidationInfo) -> list[str]:
        return [*value, info.data["name"]]

    @model_validator(mode="after")
    def long(self) -> After:
        assert len(self.tags) > 1
        return self


class Before(BaseModel):
    name: str
    inner: Slot

    @model_validator(mode="before")
    @classmethod
    def renamed(cls, value: Any) -> Any:
        return {**value, "name": value["name"] + "?"}


class Private(BaseModel):
    a: str
    _seen: int = PrivateAttr(default=3)

    def model_post_init(self, context: Any, /) -> None:
        self._seen += 1

    @computed_field  # type: ignore[prop-decorator]
    @property
    def length(self) -> int:
        return len(self.a)


class Root(RootModel[list[Slot]]):
    pass


class TextRoot(RootModel[str]):
    pass


class Holder(BaseModel):
    root: Root
    text: TextRoot


class Dict(TypedDict):
    say: str
    day: NotRequired[date]


class Point(NamedTuple):
    x: int
    y: str


@dataclass
class Line:
    text: str
    colours: list[Colour] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Frozen:
    a: str
    b: list[int]


class Defaults(BaseModel):
    a: str = "x"
    b: list[int] = [1]
    c: dict[str, int] = Field(default_factory=dict)
    d: Line | None = None


class Constrained(BaseModel):
    code: Annotated[str, StringConstraints(pattern="^[A-Z]{3}$")]
    tags: Annotated[list[str], Field(min_length=2, max_length=3)]
    stripped: Annotated[str, StringConstraints(strip_whitespace=True, to_lower=True)]


class Mixed(BaseModel):
    price: Decimal
    rate: float
    nested: Json[dict[str, int]]
    keys: dict[int, list[str]]
    pair: tuple[int, str]
    many: tuple[int, ...]
    unique: set[str]
    fixed: frozenset[int]
    anything: Any


SLOT = {"message": "Which colour?", "options": ["red", "blue"], "done": False}
CASES: list[tuple[str, Any, Any]] = [
    ("required", Slot, SLOT),
    ("nested", Turn, {"ask_slots": [SLOT, SLOT], "note": "ok"}),
    ("strict", Strict, {"day": "2026-11-23", "colour": "reddish", "count": 12}),
    ("forbid", Forbid, {"a": "x", "inner": SLOT}),
    ("allow", Allow, {"a": 1, "b": ["x", {"c": "yes"}]}),
    ("aliases", Aliased, {"Say": "hello", "y": [1, 22]}),
    ("discriminated", Tagged, {"pets": [{"kind": "cat", "lives": [1, 2]}, {"barks": "wow", "kind": "dog"}]}),
    ("untagged", Untagged, {"pet": {"kind": "dog", "barks": "wow"}, "value": ["a", "bc"]}),
    ("scalars in a union", Untagged, {"pet": {"kind": "cat", "lives": []}, "value": "text"}),
    ("callable discriminator", Called, {"one": {"t": "s", **SLOT}}),
    ("recursive", Tree, {"name": "a", "kids": [{"name": "b", "kids": [{"name": "c"}]}, {"name": "d"}]}),
    ("generic", Box[Slot], {"content": SLOT, "more": [SLOT]}),
    ("generic of a union", Box[int | str], {"content": "text", "more": [1, "b"]}),
    ("after validators", After, {"name": "Ada", "tags": ["x", "y"]}),
    ("before validator", Before, {"name": "Ada", "inner": SLOT}),
    ("private", Private, {"a": "text"}),
    ("root model", Root, [SLOT, SLOT]),
    ("root models inside", Holder, {"root": [SLOT], "text": "hello"}),
    ("typed dict", Dict, {"say": "hello", "day": "2026-11-23"}),
    ("named tuple", Point, [1, "xyz"]),
    ("dataclass", Line, {"text": "hello", "colours": ["red", "reddish"]}),
    ("frozen dataclass", Frozen, {"a": "hello", "b": [1, 2]}),
    ("defaults", Defaults, {"b": [2, 3], "c": {"x": 1}, "d": {"text": "t"}}),
    ("constraints", Constrained, {"code": "ABC", "tags": ["x", "y"], "stripped": "Some Text"}),
    (
        "containers",
        Mixed,
        {
            "price": 1.10,
            "rate": 2,
            "nested": '{"a": 1}',
            "keys": {"1": ["a"], "22": []},
            "pair": [1, "x"],
            "many": [1, 2, 3],
            "unique": ["a", "b"],
            "fixed": [4, 5],
            "anything": {"a": [1, "b"]},
        },
    ),
    ("list", list[Slot], [SLOT, SLOT]),
    ("dict", dict[str, Slot], {"a": SLOT, "b": SLOT}),
    ("text", str, "hello"),
    ("enum", Colour, "reddish"),
    ("union at the root", TypeAdapter(Cat | Dog), {"kind": "dog", "barks": "wow"}),
    ("annotated", Annotated[list[int], AfterValidator(lambda x: x + [0])], [1, 2, 3]),
    ("before on a field", Annotated[list[str], BeforeValidator(lambda x: x)], ["ab", "c"]),
    ("optional", Slot | None, SLOT),
    ("literals", list[Literal["yes", "yesterday"]], ["yes", "yesterday"]),
]


def pieces(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


def stays(before: Any, after: Any) -> bool:
    """Whether all that one look showed is there in a later one, having grown at most."""
    if isinstance(before, str) and isinstance(after, str):
        return after.lower().startswith(before.lower())
    if isinstance(before, (list, tuple)) and isinstance(after, (list, tuple)):
        return len(after) >= len(before) and all(map(stays, before, after))
    if isinstance(before, (set, frozenset)):
        return before <= after
    if isinstance(before, dict):
        return all(key in after and stays(value, after[key]) for key, value in before.items())
    if isinstance(before, BaseModel):
        named = before.model_fields_set
        return isinstance(after, BaseModel) and all(stays(getattr(before, n), getattr(after, n)) for n in named)
    if hasattr(before, "__dataclass_fields__"):
        names = before.__dataclass_fields__
        return all(stays(value, getattr(after, n)) for n in names if (value := getattr(before, n)) not in (None, []))
    return before is None or before == after


def fed(model: Any, text: str, size: int, **options: Any) -> list[Partial[Any]]:
    looks: list[Partial[Any]] = list(snapshots(pieces(text, size), model=model, **options))
    for before, after in zip(looks, looks[1:], strict=False):
        assert stays(before.value, after.value), (before, after)
        assert not before.complete
    return looks


def is_final(shown: Any, end: Any) -> None:
    """What is shown as closed is what the whole text has there."""
    if isinstance(shown, BaseModel) and not isinstance(shown, Open):
        assert type(shown) is type(end) and shown == end
    elif isinstance(shown, BaseModel):
        for name in shown.model_fields_set:
            is_final(getattr(shown, name), getattr(end, name))
    elif isinstance(shown, dict):
        for name, value in shown.items():
            is_final(value, end[name])
    elif isinstance(shown, (list, tuple)):
        for value, other in zip(shown, end, strict=False):
            is_final(value, other)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(("model", "document"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_every_model(model: Any, document: Any, size: int) -> None:
    text = json.dumps(document)
    adapter: TypeAdapter[Any] = model if isinstance(model, TypeAdapter) else TypeAdapter(model)
    expected = adapter.validate_json(text)
    for options in ({}, {"decimals": True}):
        looks = fed(model, text, size, **options)
        assert looks[-1].complete and looks[-1].value == expected
        assert type(looks[-1].value) is type(expected)
    for look in looks:
        is_final(look.value, expected)
        again = pickle.loads(pickle.dumps(look.value))
        assert again == look.value and type(again) is type(look.value)
        assert copy.deepcopy(look.value) == look.value
        repr(look)


def test_the_table_is_long_enough() -> None:
    assert len(CASES) >= 30


TURN = {
    "ask_slots": [
        {"message": "Great! What's your budget?", "options": ["low", "high"], "done": False},
        {"message": "When do you need it?", "options": ["now"], "done": True},
    ],
    "note": "two more",
}


def test_a_turn_is_shown_from_its_first_letter() -> None:
    text = json.dumps(TURN)
    text = text.replace("two more", "two more" + "e" * (199 - len(text)))
    assert len(text) == 199
    parser = Parser(snapshots=True, duplicate_keys="reject")
    typed = parser.typed(Turn)
    first = None
    states: list[Partial[Turn]] = []
    for at, letter in enumerate(text):
        parser.feed(letter)
        look = typed.look()
        if look is not None and (not states or look != states[-1]):
            states.append(look)
        if first is None and look is not None and look.value.ask_slots and look.value.ask_slots[0].message:
            first = at
            assert look.value.ask_slots[0].message == "G" == letter
    assert first == text.index("Great")
    assert len(states) >= 80
    assert states[-1] == Partial(Turn.model_validate_json(text), complete=True)


def test_closed_objects_are_kept() -> None:
    looks = fed(Turn, json.dumps(TURN), 1)
    slots = [look.value.ask_slots[0] for look in looks if look.value.ask_slots]
    assert {type(slot) for slot in slots if isinstance(slot, Open)} == {type(slots[0])}
    closed = [slot for slot in slots if type(slot) is Slot]
    assert len(closed) > 20 and all(slot is closed[0] for slot in closed)
    assert isinstance(looks[0].value, Turn) and isinstance(looks[0].value, Open) and looks[0].value.note is None
    assert looks[0].value.model_dump_json() == '{"ask_slots":null,"note":null}'


def test_each_validator_runs_once_and_on_closed_values() -> None:
    seen: list[Any] = []

    class Item(BaseModel):
        name: str

        @field_validator("name")
        @classmethod
        def note(cls, value: str) -> str:
            seen.append(value)
            return value

        @model_validator(mode="after")
        def all(self) -> Item:
            seen.append(self.name.upper())
            return self

    looks = fed(list[Item], '[{"name": "ab"}, {"name": "cd"}]', 1)
    assert seen == ["ab", "AB", "cd", "CD"]
    assert looks[-1].value == TypeAdapter(list[Item]).validate_json('[{"name": "ab"}, {"name": "cd"}]')


@pytest.mark.parametrize(
    ("model", "text", "loc", "kind"),
    [
        (Turn, '{"ask_slots": [{"message": 1', ("ask_slots", 0, "message"), "string_type"),
        (Turn, '{"ask_slots": [{"message": "a"}', ("ask_slots", 0, "options"), "missing"),
        (Forbid, '{"b": "x"', ("b",), "extra_forbidden"),
        (Strict, '{"count": "1"', ("count",), "int_type"),
        (Tagged, '{"pets": [{"kind": "bird"}', ("pets", 0), "union_tag_invalid"),
        (After, '{"name": ""', ("name",), "assertion_error"),
        (list[Colour], '["blue"', (0,), "enum"),
    ],
)
def test_errors_have_their_place(model: Any, text: str, loc: tuple[Any, ...], kind: str) -> None:
    parser = Parser(snapshots=True, duplicate_keys="reject")
    typed = parser.typed(model)
    for letter in text:
        parser.feed(letter)
        if letter == text[-1] and parser.offset == len(text):
            break
        typed.look()
    parser.feed(", " if text[-1] == "1" else " ")
    for _ in range(2):
        with pytest.raises(ValidationError) as raised:
            typed.look()
        assert (raised.value.errors()[0]["loc"], raised.value.errors()[0]["type"]) == (loc, kind)


def test_duplicate_keys_are_refused() -> None:
    with pytest.raises(ValueError, match="duplicate_keys"):
        Parser(snapshots=True).typed(Slot)
    with pytest.raises(JsonSpigotError) as raised:
        list(snapshots(['{"a": 1, "a": 2}'], model=Allow))
    assert raised.value.kind == "duplicate-key"


def test_context_and_names() -> None:
    class Asks(BaseModel):
        name: str = Field(alias="Name")

        @field_validator("name")
        @classmethod
        def add(cls, value: str, info: ValidationInfo) -> str:
            return value + info.context

    # `by_name` is new in pydantic 2.11.
    is_new = "validate_by_name" in ConfigDict.__annotations__
    text, options = ('{"name": "a"}', {"by_name": True}) if is_new else ('{"Name": "a"}', {})
    assert list(snapshots([text], model=Asks, context="!", **options))[-1].value.name == "a!"


def test_equal_unions_are_not_the_same() -> None:
    class A(BaseModel):
        x: int = 0

    class B(BaseModel):
        x: int = 0

    assert type(list(snapshots(['{"x": 1}'], model=A | B))[-1].value) is A
    assert type(list(snapshots(['{"x": 1}'], model=B | A))[-1].value) is B


def test_numbers_are_numbers_below_a_wrap_validator() -> None:
    class Free(BaseModel):
        model_config = ConfigDict(extra="allow")

    model = Annotated[list[Free], BeforeValidator(lambda value: value)]
    for look in fed(model, '[{"x": 1.5, "y": {"z": [2.5, 3]}}, {"w": {"v": 0.25, "u": "t"}}]', 1, decimals=True):
        assert "Decimal" not in repr(look)
    for look in fed(Any, '[1.5, {"a": 2.5}]', 1, decimals=True):
        assert "Decimal" not in repr(look)


def test_an_open_object_equals_a_closed_one_of_the_same_fields() -> None:
    """Whatever has been asked of either, and however many other models there have been."""

    class Cached(BaseModel):
        model_config = ConfigDict(extra="allow")
        a: str
        b: int = 1

        @cached_property
        def length(self) -> int:
            return len(self.a)

    def shown() -> Any:
        return next(snapshots(['{"a": "x", "c": 1, '], model=Cached)).value

    one, other, closed = shown(), shown(), Cached(a="x", c=1)  # type: ignore[call-arg]
    for _ in range(2):
        assert one == other == closed == one
        assert (one.length, closed.length) == (1, 1)
    assert one != Cached(a="y", c=1) and one != Cached(a="x")  # type: ignore[call-arg]
    for at in range(1100):
        next(snapshots(['{"a": "x'], model=type(f"Other{at}", (BaseModel,), {"__annotations__": {"a": str}})))
    again = shown()
    assert type(again) is type(one) and again == one == copy.deepcopy(again)


@pytest.mark.parametrize(("model", "document"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_provisional_values(model: Any, document: Any) -> None:
    text = json.dumps(document)
    for size in (1, 3):
        plain = distinct(fed(model, text, size))
        shown = distinct(list(snapshots(pieces(text, size), model=model, provisional=True)))
        assert shown[-1] == plain[-1]
        # Where there is no literal, there is no difference.
        if not any(literal in text for literal in ("true", "false", "null")):
            assert shown == plain


def distinct(looks: list[Partial[Any]]) -> list[str]:
    return list(dict.fromkeys(map(repr, looks)))


def test_literals_are_decided_by_their_first_letter_and_numbers_wait() -> None:
    def shown(model: Any, text: str, **options: Any) -> list[str]:
        return distinct([Partial(look.value, False) for look in snapshots(list(text), model=model, provisional=True, **options)])

    assert len(shown(list[float], "[12, 1.5]")) == 3
    for options in ({}, {"decimals": True}):
        assert shown(Any, "[1.25]", **options) == shown(list[Any], "[1.25]", **options) == [
            f"Partial(value={value}, complete=False)" for value in ([], [1], [1.2], [1.25])
        ]  # fmt: skip
    seen: list[bool] = []

    def note(value: bool) -> bool:
        seen.append(value)
        return value

    parser = Parser(provisional=True, duplicate_keys="reject")
    typed = parser.typed(list[Annotated[bool, AfterValidator(note)]])
    for letter in "[t":
        parser.feed(letter)
        look = typed.look()
    assert look == Partial([True], complete=False)
    for letter in "rue, false]":
        parser.feed(letter)
        look = typed.look()
    assert look == Partial([True, False], complete=True) and seen == [True, False]


def test_an_open_object_is_spelt_out() -> None:
    shown = fed(Private, '{"a": "text"}', 1)
    assert repr(shown[0].value) == "OpenPrivate(a=None, length=None)" and repr(shown[1].value) == "OpenPrivate(a='', length=0)"


def test_any_exception_of_a_validator_is_raised_and_sticks() -> None:
    for error in (KeyError("x"), StopIteration("x"), KeyboardInterrupt(), MemoryError(), TypeError("x")):

        class Raises(BaseModel):
            a: str
            b: str = ""

            @field_validator("a")
            @classmethod
            def wrong(cls, _: str) -> str:
                raise error

        parser = Parser(snapshots=True, duplicate_keys="reject")
        typed = parser.typed(Raises)
        parser.feed('{"a": "x", "b": "')
        for _ in range(2):
            with pytest.raises(type(error)):
                typed.look()
        # A new text begins anew.
        parser.reset()
        assert typed.look() is None
        parser.feed('{"b": "y')
        assert typed.look().value.b == "y"  # type: ignore[union-attr]


def test_views_from_within_validators_and_from_threads() -> None:
    import threading

    told: list[str] = []

    class Asks(BaseModel):
        a: str

        @field_validator("a")
        @classmethod
        def look(cls, value: str) -> str:
            with pytest.raises(RuntimeError, match="in use"):
                typed.look()
            told.append(repr(parser.snapshot()))
            return value

    parser = Parser(snapshots=True, duplicate_keys="reject")
    typed = parser.typed(Asks)
    parser.feed('{"a": "x"')
    assert typed.look().value.a == "x" and told == ["{'a': 'x'}"]  # type: ignore[union-attr]

    class Fresh(BaseModel):
        items: list[Slot]

    text = json.dumps({"items": [SLOT, SLOT]})
    seen: list[str] = []
    together = threading.Barrier(50)

    def run() -> None:
        together.wait()
        seen.append(repr(fed(Fresh, text, 3)))

    threads = [threading.Thread(target=run) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 50 and len(set(seen)) == 1


def test_random_models_and_documents() -> None:
    hypothesis = pytest.importorskip("hypothesis")
    from hypothesis import strategies as st
    from pydantic import create_model

    leaves: list[tuple[Any, Any]] = [
        (str, st.text(max_size=6)),
        (int, st.integers(-1000, 1000)),
        (bool, st.booleans()),
        (str | None, st.none() | st.text(max_size=4)),
        (Colour, st.sampled_from(["red", "reddish"])),
        (date, st.just("2026-11-23")),
        (Literal["a", "ab"], st.sampled_from(["a", "ab"])),
    ]

    def grown(inner: Any) -> Any:
        def of_fields(kinds: list[tuple[Any, Any]], required: list[bool]) -> tuple[Any, Any]:
            fields: Any = {}
            values: Any = {}
            for at, ((kind, value), needed) in enumerate(zip(kinds, required, strict=False)):
                fields[f"f{at}"] = (kind, ...) if needed else (kind | None, None)
                values[f"f{at}"] = value
            return create_model("Made", **fields), st.fixed_dictionaries(values)

        return (
            inner.map(lambda k: (list[k[0]], st.lists(k[1], max_size=3)))
            | inner.map(lambda k: (dict[str, k[0]], st.dictionaries(st.text(max_size=3), k[1], max_size=3)))
            | st.builds(of_fields, st.lists(inner, min_size=1, max_size=4), st.lists(st.booleans(), min_size=4, max_size=4))
        )

    kinds = st.recursive(st.sampled_from(leaves), grown, max_leaves=6)

    @hypothesis.settings(max_examples=80, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(kinds, st.integers(1, 9), st.data())
    def check(kind: tuple[Any, Any], size: int, data: Any) -> None:
        text = json.dumps(data.draw(kind[1]))
        looks = fed(kind[0], text, size)
        assert looks[-1].value == TypeAdapter(kind[0]).validate_json(text)

    check()


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("missing", "Please name it"),
        ("int_type", "No {such} thing"),
        ("value_error", "Not so"),
        ("greater_than", "Too small"),
        ("of_my_own", "Please name it"),
        ("list_type", "Input should be a valid list"),
    ],
)
@pytest.mark.parametrize("mode", ["before", "after"])
def test_a_validators_message_is_its_own(kind: Any, message: Any, mode: Any) -> None:
    """Also if its error has the name of one of pydantic's."""

    class Named(BaseModel):
        a: str
        b: list[int] = []

        @field_validator("a", mode=mode)
        @classmethod
        def named(cls, value: str) -> str:
            raise PydanticCustomError(kind, message)

    class Outer(BaseModel):
        inner: Named

    for text in ('{"inner": {"a": "x", "b": [1]}}', '{"inner": {"a": "x", "b": 1}}'):
        with pytest.raises(ValidationError) as plain:
            Outer.model_validate_json(text)
        wanted = [(error["type"], error["loc"], error["msg"]) for error in plain.value.errors()]
        for size in (1, 1000):
            with pytest.raises(ValidationError) as raised:
                list(snapshots([text[at : at + size] for at in range(0, len(text), size)], model=Outer))
            got = [(error["type"], error["loc"], error["msg"]) for error in raised.value.errors()]
            assert got and got == wanted[: len(got)]


class Camel(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    a_b: int = Field(alias="aB")
    inner: Slot | None = Field(None, alias="in")


class Choosing(BaseModel):
    x: int = Field(validation_alias=AliasChoices("first", "second", "third"))


class StrictlyCamel(Camel):
    model_config = ConfigDict(extra="forbid")


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (Camel, '{"aB": 1, "a_b": "no"}'),
        (Camel, '{"a_b": "no", "aB": 1}'),
        (Camel, '{"a_b": "no", "aB": "neither"}'),
        (Camel, '{"a_b": "no"}'),
        (Camel, '{"a_b": 2}'),
        (Camel, '{"a_b": 2, "aB": 1}'),
        (Camel, '{"aB": "no", "a_b": 1}'),
        (Camel, '{"inner": {"message": [1, 2]}, "in": null, "aB": 1}'),
        (Camel, '{"in": {"message": "m", "options": []}, "inner": {"message": {"x": [1]}, "options": 1}, "aB": 1}'),
        (StrictlyCamel, '{"aB": 1, "a_b": "no"}'),
        (StrictlyCamel, '{"a_b": 1}'),
        (Choosing, '{"third": [], "second": {}, "first": 1}'),
        (Choosing, '{"third": [], "second": 2}'),
        (Choosing, '{"third": "no", "second": "no"}'),
        (list[Choosing], '[{"first": 1, "second": "no"}, {"second": "no", "first": 2}]'),
    ],
)
def test_of_several_names_the_one_that_pydantic_takes_counts(model: Any, text: str) -> None:
    def read(values: Any) -> Any:
        try:
            return values()
        except ValidationError as error:
            return [(line["type"], line["loc"], line["msg"]) for line in error.errors()]

    wanted = read(lambda: TypeAdapter(model).validate_json(text))
    for size in (1, 2, 5, 1000):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert read(lambda pieces=pieces: list(snapshots(pieces, model=model))[-1].value) == wanted
