"""Typed views over the kinds of schemas that pydantic has, and the ways in which users write them: the value at the end is
what pydantic makes of the whole text, to the last attribute, and so is the error; what is shown on the way can be printed,
dumped and copied.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import dataclasses
import datetime
import enum
import ipaddress
import json
import pathlib
import re
import uuid
import warnings
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Annotated, Any, ClassVar, Generic, Literal, NamedTuple, NotRequired, Required, TypeVar, Union, get_origin

import pydantic
import pytest
from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasPath,
    AnyUrl,
    AwareDatetime,
    Base64Str,
    BaseModel,
    BeforeValidator,
    ByteSize,
    ConfigDict,
    Discriminator,
    FailFast,
    Field,
    FiniteFloat,
    InstanceOf,
    Json,
    JsonValue,
    OnErrorOmit,
    PlainSerializer,
    PlainValidator,
    PrivateAttr,
    RootModel,
    SecretStr,
    StrictInt,
    StrictStr,
    StringConstraints,
    Tag,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    computed_field,
    field_serializer,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic import dataclasses as pydantic_dataclasses
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError, PydanticOmit, PydanticUseDefault, core_schema
from typing_extensions import TypeAliasType, TypedDict

from jsonspigot import Open, Partial, snapshots

T = TypeVar("T")


class Shade(enum.Enum):
    A = "a"
    AB = "ab"


class Whole(enum.Enum):
    """Its values are lists and dicts."""

    LIST = [1, 2]
    DICT = {"a": "q"}


class Name(str, enum.Enum):
    A = "a"
    AB = "ab"


class Level(enum.IntEnum):
    ONE = 1
    TWO = 2


class M(BaseModel):
    a: int


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)
    a: str
    b: int


class Many(BaseModel):
    u: uuid.UUID
    ip: ipaddress.IPv4Address
    p: pathlib.Path
    dt: datetime.datetime
    td: datetime.timedelta
    dec: Decimal
    by: bytes
    pat: re.Pattern[str]
    url: AnyUrl
    s: SecretStr
    size: ByteSize
    b64: Base64Str
    z: complex


MANY = {
    "u": "12345678-1234-5678-1234-567812345678", "ip": "1.2.3.4", "p": "/a/b", "dt": "2026-01-01T00:00:00Z", "td": "P1D",
    "dec": "1.10", "by": "xyz", "pat": "a+", "url": "http://x.y/", "s": "sec", "size": "10kb", "b64": "aGVsbG8=", "z": "1+2j",
}  # fmt: skip


class Rec(BaseModel):
    v: int = 0
    kids: dict[str, Rec] = {}


Value = TypeAliasType("Value", "list[Value] | dict[str, Value] | str | int | float | bool | None")


class Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
    first_name: str
    last_names: list[str] = []


class NoAlias(BaseModel):
    model_config = ConfigDict(validate_by_alias=False, validate_by_name=True)
    a: str = Field(alias="A")
    b: str = ""


class Factories(BaseModel):
    a: str
    b: str = Field(default_factory=lambda data: str(data["a"]) + "!")
    c: list[str] = Field(default_factory=list)
    d: int = Field(default_factory=lambda data: len(data))


class Configured(BaseModel):
    model_config = ConfigDict(
        use_enum_values=True, str_strip_whitespace=True, str_to_upper=True, coerce_numbers_to_str=True, title="My Title"
    )
    e: Name
    s: str
    many: list[str]
    keys: dict[str, str] = {}


class Hidden(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)
    password: Annotated[str, Field(max_length=3)]
    inner: Hidden | None = None


class One(BaseModel):
    t: Literal[1]
    a: str


class Two(BaseModel):
    t: Literal[2]
    b: str


class NamedA(BaseModel):
    t: Literal[Name.A] = Field(alias="T")
    a: str


class NamedB(BaseModel):
    t: Literal[Name.AB] = Field(alias="T")
    b: list[M]


class ShadeA(BaseModel):
    t: Literal[Shade.A]


class ShadeB(BaseModel):
    t: Literal[Shade.AB]


class X(BaseModel):
    x: int = 0


class Y(BaseModel):
    x: str = ""


class Z(BaseModel):
    model_config = ConfigDict(extra="forbid")
    y: list[int]


@dataclasses.dataclass
class Plain:
    a: str
    b: list[int] = dataclasses.field(default_factory=list)
    c: Plain | None = None

    def __post_init__(self) -> None:
        self.d = 1


@pydantic_dataclasses.dataclass(config=ConfigDict(extra="forbid", str_strip_whitespace=True), frozen=True)
class Strict:
    a: str
    b: Strict | None = None


@pydantic_dataclasses.dataclass
class Checked:
    a: str
    b: int

    @field_validator("a")
    def _shout(cls, value: str) -> str:
        return value + "!"

    @model_validator(mode="after")
    def _add(self) -> Checked:
        self.b += 1
        return self


class Pair(NamedTuple):
    a: int
    b: str = "q"


class Dict(TypedDict, Generic[T], total=False):
    a: Required[T]
    b: int
    c: NotRequired[list[T]]


class Closed(TypedDict):
    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]
    a: str


class Extras(BaseModel):
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int]
    a: str


class Odd(BaseModel):
    model_config = ConfigDict(extra="allow", protected_namespaces=())
    model_x: str = ""


class Paths(BaseModel):
    a: str = Field(validation_alias=AliasPath("o", "p", 0))
    b: str = ""


class Choices(BaseModel):
    a: int = Field(validation_alias=AliasChoices("x", "y"))
    b: str = ""


class Wrapped(BaseModel):
    a: Annotated[str, PlainValidator(lambda v: f"{v}!")]
    b: list[int]

    @field_validator("b", mode="wrap")
    @classmethod
    def _else(cls, value: Any, handler: Any) -> Any:
        try:
            return handler(value)
        except ValidationError:
            return [-1]


class Renamed(BaseModel):
    a: str
    b: int

    @model_validator(mode="before")
    @classmethod
    def _named(cls, data: Any) -> Any:
        return {**data, "a": data["name"]} if isinstance(data, dict) and "name" in data else data


class Informed(BaseModel):
    a: int
    b: int
    c: str

    @field_validator("b")
    @classmethod
    def _larger(cls, value: int, info: ValidationInfo) -> int:
        if value < info.data.get("a", 0):
            raise ValueError("b < a")
        return value


class Starred(BaseModel):
    a: list[M]
    b: str

    @field_validator("*", mode="after")
    @classmethod
    def _any(cls, value: Any, info: ValidationInfo) -> Any:
        return value

    @model_validator(mode="after")
    def _bad(self) -> Starred:
        if self.b == "bad":
            raise ValueError("bad")
        return self


class Replaced(BaseModel):
    a: str

    @model_validator(mode="after")
    def _another(self) -> Replaced:
        return self.model_copy(update={"a": self.a + "!"})


class Initialized(BaseModel):
    a: str
    b: int = 1

    def __init__(self, **given: Any) -> None:
        super().__init__(**{**given, "b": given.get("b", 1) + 1})


class Post(BaseModel):
    a: str
    _length: int = PrivateAttr(default=1)
    _all: list[str] = PrivateAttr(default_factory=list)

    def model_post_init(self, _: Any) -> None:
        self._length = len(self.a)
        self._all.append(self.a)


class Own(str):
    @classmethod
    def __get_pydantic_core_schema__(cls, _: Any, handler: Any) -> Any:
        written = core_schema.to_string_ser_schema()
        return core_schema.no_info_after_validator_function(cls, handler(str), serialization=written)


class Owned(BaseModel):
    u: Own
    some: list[Own] = []


class Box(BaseModel, Generic[T]):
    v: T
    more: list[T] = []


class Attributes(BaseModel):
    __slots__ = ("aside",)
    registry: ClassVar[list[Any]] = []
    a: str
    b: str = Field(default="", repr=False, exclude=True)

    def __init_subclass__(cls, *, needed: Any = None, **options: Any) -> None:
        Attributes.registry.append(cls)
        super().__init_subclass__(**options)

    def __setattr__(self, name: str, value: Any) -> None:
        raise RuntimeError(name)

    @cached_property
    def c(self) -> int:
        return 1


class Computed(BaseModel):
    a: str
    day: datetime.date
    inner: Computed | None = None

    @computed_field(alias="UP")  # type: ignore[prop-decorator]
    @property
    def up(self) -> str:
        return self.a.upper()

    @computed_field  # type: ignore[prop-decorator]
    @cached_property
    def year(self) -> int:
        return self.day.year

    @field_serializer("day")
    def _iso(self, value: datetime.date) -> str:
        return value.isoformat()

    @field_serializer("a", mode="wrap")
    @staticmethod
    def _lower(value: str, handler: Any) -> str:
        return str(handler(value.lower()))


class Written(BaseModel):
    a: str
    b: int

    @model_serializer
    def _all(self) -> dict[str, str]:
        return {"x": self.a.upper() + str(self.b + 1)}


class WrittenAround(BaseModel):
    a: str
    b: int

    @model_serializer(mode="wrap")
    def _all(self, handler: Any) -> dict[str, Any]:
        return {**handler(self), "more": self.b + 1}


class Thing:
    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Thing) and other.name == self.name

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def __get_pydantic_core_schema__(cls, _: Any, handler: Any) -> Any:
        written = core_schema.plain_serializer_function_ser_schema(lambda thing: thing.name.upper())
        return core_schema.no_info_after_validator_function(cls, handler(str), serialization=written)


Stamp = Annotated[datetime.datetime, PlainSerializer(lambda at: int(at.timestamp()))]


class Things(BaseModel):
    at: Stamp
    thing: Thing
    some: list[Thing] = []
    inner: dict[str, Things] = {}
    whole: Annotated[list[M], PlainSerializer(lambda items: sum(item.a for item in items))] = []
    path: pathlib.Path | None = None
    ips: list[ipaddress.IPv4Address | ipaddress.IPv6Address] = []


THINGS = '{"at": "2026-01-01T00:00:00Z", "thing": "x", "some": ["y"], "whole": [{"a": 1}], "path": "/a", "ips": ["1.2.3.4"]'


class Deferred(BaseModel):
    model_config = ConfigDict(defer_build=True)
    path: pathlib.Path
    kids: list[Deferred] = []
    next: Deferred | None = None


class Raising(BaseModel):
    a: str

    @field_validator("a")
    @classmethod
    def _own(cls, value: str) -> str:
        if value == "own":
            raise PydanticCustomError("own", "the {what} is {{bad}}", {"what": "thing"})
        if value == "braces":
            raise ValueError("brace { in } it {a}")
        return value


def left_out(value: str) -> str:
    if value == "o":
        raise PydanticOmit
    return value


def by_default(value: str) -> str:
    if value == "d":
        raise PydanticUseDefault
    return value


class Asking(BaseModel):
    a: list[Annotated[str, AfterValidator(left_out)]]
    b: Annotated[str, AfterValidator(by_default)] = "default"


class Limited(BaseModel):
    x: Annotated[list[int], Field(min_length=2, max_length=3)]
    s: Annotated[str, Field(min_length=2, pattern="^a")]


class Unions(BaseModel):
    v: list[M] | M | str | None = None
    w: Unions | list[Unions] | None = None


def as_text(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, dict) else value


in_order = Field(union_mode="left_to_right")
by_t = Field(discriminator="t")
OneOrTwo = Annotated[One | Two, by_t]
NUMBERS = "[1, 1.0, -0.0, 1e3, 1.5, 123456789012345678901234567890, 1e400]"

#: The types, each with texts that fit, and some that do not.
KINDS: list[tuple[Any, *tuple[str, ...]]] = [
    (Annotated[int | str, in_order], '"12"', "12", '"x"', "true"),
    (Annotated[int | bool, in_order], "true", "1"),
    (Annotated[str | int, in_order], '"12"', "12"),
    (list[bool | int], '[true, 1, 0, "1"]'),
    (list[float | int], '[1, 1.0, 1e3, "5"]'),
    (list[int | float], "[1, 1.0, 1.5]"),
    (list[str | datetime.date], '["2026-01-01", "x"]'),
    (list[datetime.date | str], '["2026-01-01", "x"]'),
    (list[Shade | str], '["a", "ab", "abc"]'),
    (list[str | Name], '["a", "ab", "abc"]'),
    (list[Whole | M | list[str]], '[[1, 2], ["x"], {"a": "q"}, {"a": 1}]'),
    (list[M | Whole], '[[1, 2], {"a": "q"}, {"a": 1}]', '[[1, 3]]', '[{"a": "x"}]'),
    (list[dict[str, str] | Literal[Whole.LIST]], '[[1, 2], {"a": "q"}]'),
    (list[Literal["a"] | str], '["a", "ab"]'),
    (list[Literal["a", 1, True, None]], '["a", 1, true, null]'),
    (list[Literal["on", "one", "once"]], '["on", "once", "one"]', '["o"]'),
    (list[Level], "[1, 2]", "[3]", "[1.0]"),
    (list[StrictStr | StrictInt], '["x", 1]', "[1.5]"),
    (Many, json.dumps(MANY), json.dumps({**MANY, "dt": 1e9, "td": 1.5, "dec": 1.10, "size": 1, "z": 1})),
    (list[Decimal], '[1.10, 1, 0.1234567890123456789012345, "1.10", 1e-5]', "[1e400]"),
    (list[float], NUMBERS),
    (Any, NUMBERS),
    (list[FiniteFloat], "[1.5]", "[1e400]"),
    (
        tuple[collections.deque[int], collections.OrderedDict[str, int], collections.defaultdict[str, list[int]]],
        '[[1, 2], {"b": 1, "a": 2}, {"x": [1]}]',
    ),
    (list[Mapping[str, Sequence[str]]], '[{"a": ["x", "yy"]}]'),
    (list[frozenset[int]], "[[1, 2, 2], [3]]"),
    (list[tuple[int, str, list[str]]], '[[1, "a", ["b", "cc"]], [2, "b", []]]', '[[1, "a"]]'),
    (tuple[int, ...], "[1, 2, 3]"),
    (Rec, '{"v": 1, "kids": {"a": {"v": 2, "kids": {}}, "b": {"kids": {"c": {}}}}}'),
    (Value, '{"a": [1, "x", {"b": null}], "c": true}'),
    (JsonValue, '{"a": [1, "xyz", {"b": null}], "c": true, "d": 1.5}'),
    (Camel, '{"firstName": "Ada", "lastNames": ["x"]}', '{"first_name": "Ada", "last_names": ["x"]}'),
    (NoAlias, '{"a": "x", "b": "q"}', '{"A": "x"}'),
    (Factories, '{"a": "x"}', '{"a": "x", "b": "y"}', '{"a": "x", "d": 4}'),
    (Configured, '{"e": "ab", "s": " x y ", "many": [" a ", 1.0], "keys": {" k ": " v "}}', '{"s": []}'),
    (Hidden, '{"password": "abcd"}', '{"password": "abc", "inner": {"password": "abcd"}}'),
    (list[set[Frozen]], '[[{"a": "x", "b": 1}], []]', '[[{"a": "x", "b": 1}, {}]]'),
    (Annotated[set[Frozen], BeforeValidator(list)], '[{"a": "x", "b": 1}, {"a": "y", "b": 2}]', '[{}, {"a": "y", "b": 2}]'),
    (set[M], '[]', '[{"a": 1}, {"a": 2}, {"a": 3}, {"a": 4}, {"a": 5}]'),
    (dict[str, frozenset[Any]], '{"x": [1, "a"]}', '{"x": [1, [2], 3]}'),
    (set[M] | list[M], '[{"a": 1}, {"a": 2}]'),
    (set[Frozen], '[{"a": "x", "b": 1}, {"a": "y", "b": 2}, {"a": "x", "b": 1}]'),
    (list[OneOrTwo], '[{"t": 1, "a": "x"}, {"b": "q", "t": 2}]', '[{"t": true, "a": "x"}]', '[{"t": "1"}]', '[{"a": ""}]'),
    (list[Annotated[NamedA | NamedB, by_t]], '[{"T": "a", "a": "x"}, {"b": [{"a": 1}], "T": "ab"}]'),
    (list[Annotated[ShadeA | ShadeB, by_t]], '[{"t": "a"}]'),
    (list[OneOrTwo | Z], '[{"t": 1, "a": "x"}, {"y": [1]}]'),
    (list[X | Y | Z], '[{"x": 1}, {"x": "q"}, {"y": [1]}, {"x": "12"}, {}]'),
    (list[Z | Y | X], '[{"x": 1}, {"x": "q"}, {"y": [1]}, {"x": "12"}, {}]'),
    (list[list[int] | dict[str, int] | str | None], '[[1], {"a": 1}, "x", null]'),
    (list[list[str] | list[int]], '[[1, 2], ["a", "b"], []]'),
    (dict[str, int] | dict[str, str], '{"a": "x"}', '{"a": 1}'),
    (list[Annotated[str, BeforeValidator(as_text)] | M], '[{"zz": 1}]', '[{"a": 1}]', '["q"]'),
    (list[list[int] | Annotated[dict[str, int], BeforeValidator(dict)]], '[[1], [["a", 2]], {"b": 3}]'),
    (list[StrictStr | Annotated[dict[str, int], BeforeValidator(lambda v: {})]], '["q", {"a": 1}]'),
    (Annotated[tuple[dict[str, Any], ...] | list[Initialized], in_order], '[{"a": "x", "b": [1]}]'),
    (list[M | dict[str, Any]], '[{"zz": 1}, {"a": 1}, {"a": "x"}]'),
    (list[dict[str, Any] | M], '[{"zz": 1}, {"a": 1}, {"a": "x"}]'),
    (list[M | Any], '[{"zz": 1}, {"a": 1}, {"a": "x"}]'),
    (list[M | RootModel[list[int]]], '[{"a": 1}, [1, 2]]'),
    (list[M | RootModel[dict[str, int]]], '[{"a": 1}, {"b": 2}]'),
    (list[M | Json[M]], '[{"a": 1}, "{\\"a\\": 2}"]'),
    (list[Union[tuple[int, int], tuple[str, str, str]]], '[[1, 2], ["a", "b", "c"]]'),
    (Unions, '{"v": [{"a": 1}, {"a": 2}], "w": [{"v": {"a": 3}}, {"v": "text", "w": {"v": null}}]}'),
    (Plain, '{"a": "x", "b": [1], "c": {"a": "y"}}'),
    (Strict, '{"a": " x ", "b": {"a": " y"}}', '{"a": "x", "c": 1}'),
    (list[Checked], '[{"a": "x", "b": 1}]'),
    (list[Pair], '[[1, "x"], [2]]', '[{"a": 1, "b": "x"}]'),
    (list[Dict[str]], '[{"a": "x", "b": 1, "c": ["q"]}, {"a": "y", "zz": 1}]', '[{"b": 1}]'),
    (Closed, '{"a": "x"}', '{"a": "x", "b": 1}'),
    (RootModel[dict[str, Frozen]], '{"k": {"a": "x", "b": 1}}'),
    (RootModel[int | list[str]], '["a", "bb"]', "3"),
    (list[RootModel[list[Frozen]]], '[[{"a": "x", "b": 1}]]'),
    (RootModel[str], '"abc"'),
    (Extras, '{"a": "x", "b": 1, "c": "2"}', '{"a": "x", "b": "q"}'),
    (Odd, '{"model_fields": "x", "__dict__": [1], "model_dump": {"a": 1}, "self": 1, "copy": "q"}'),
    (Paths, '{"o": {"p": ["x", "y"]}, "b": "q"}'),
    (Choices, '{"x": 1, "y": 2, "b": "q"}', '{"y": 2, "x": 1, "b": "q"}'),
    (Wrapped, '{"a": "x", "b": [1, 2]}', '{"a": [1], "b": ["q"]}'),
    (list[Renamed], '[{"name": "x", "b": 1}, {"a": "y", "b": 2}]'),
    (Informed, '{"a": 1, "b": 2, "c": "x"}', '{"b": 2, "a": 1, "c": "x"}', '{"a": 3, "b": 2, "c": "x"}'),
    (list[Starred], '[{"a": [{"a": 1}], "b": "xyz"}]', '[{"a": [{"a": 1}], "b": "bad"}]'),
    (list[Replaced], '[{"a": "x"}]'),
    (list[Initialized], '[{"a": "x", "b": 4}, {"a": "y"}]'),
    (list[Post], '[{"a": "xyz"}, {"a": "x"}]'),
    (Owned, '{"u": "abc", "some": ["x", "yy"]}'),
    (Box, '{"v": {"a": [1]}, "more": ["x"]}'),
    (Box[Box[int]], '{"v": {"v": 1, "more": [2]}, "more": [{"v": 3}]}'),
    (list[Attributes], '[{"a": "x", "b": "y"}]'),
    (Computed, '{"a": "Xy", "inner": {"a": "z", "day": "2026-01-02"}, "day": "2026-01-01"}'),
    (Written, '{"a": "x", "b": 1}'),
    (WrittenAround, '{"a": "x", "b": 1}'),
    (Things, THINGS + ', "inner": {"k": ' + THINGS + "}}}"),
    (Deferred, '{"path": "/a", "kids": [{"path": "/b", "next": {"path": "/c"}}], "next": {"path": "/d"}}'),
    (list[Raising], '[{"a": "x"}]', '[{"a": "own"}]', '[{"a": "braces"}]'),
    (Asking, '{"a": ["x", "o", "y"], "b": "d"}'),
    (Limited, '{"x": [1, 2], "s": "ab"}', '{"x": [1], "s": "ab"}', '{"x": [1, 2, 3, 4]}', '{"x": [1, 2], "s": "b"}'),
    (Annotated[list[int], FailFast()], "[1, 2]", '["a", "b"]'),
    (list[OnErrorOmit[int]], '[1, "x", 2]'),
    (Json[list[int]], '"[1,2]"', '"[1,"'),
    (dict[int, list[str]], '{"1": ["a"], "2": []}', '{"x": []}'),
    (dict[int, str], '{"1": "a", "01": "b", "2": "c"}', '{"x": "a"}'),
    (Annotated[dict[int, str], BeforeValidator(lambda v: {})], '{"x": "abc", "1": "q"}'),
    (Annotated[dict[int, list[int]], BeforeValidator(lambda v: {})], '{"x": [1], "1": [2]}'),
    (dict[Shade, Frozen], '{"a": {"a": "x", "b": 1}}'),
    (dict[datetime.date, str], '{"2026-01-01": "text"}'),
    (dict[str, M], '{"__class__": {"a": 1}, "a.b": {"a": 2}, "": {"a": 3}, "\\u0000": {"a": 4}}'),
    (list[InstanceOf[int]], "[1]", '["x"]'),
    (list[AwareDatetime], '["2026-01-01T00:00:00Z"]', '["2026-01-01T00:00:00"]'),
    (list[Annotated[Annotated[M, Tag("m")] | Annotated[int, Tag("i")], Discriminator(lambda v: "i" if isinstance(v, int) else "m")]], '[1, {"a": 1}]'),
    (TypeAdapter(list[int], config=ConfigDict(strict=True)), "[1]", '["1"]'),
    (TypeAdapter(list[str], config=ConfigDict(str_strip_whitespace=True, hide_input_in_errors=True)), '[" a ", "b"]', "[1]"),
]


def same(one: Any, other: Any) -> bool:
    """To the last attribute, and in the same order."""
    if type(one) is not type(other):
        return False
    if isinstance(one, BaseModel):
        slots = ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
        return all(same(getattr(one, slot), getattr(other, slot)) for slot in slots)
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple, collections.deque)):
        return len(one) == len(other) and all(map(same, one, other))
    if dataclasses.is_dataclass(one):
        return same(vars(one), vars(other))
    if isinstance(one, float):
        return repr(one) == repr(other)
    return bool(one == other)


def what_is_wrong(error: ValidationError) -> set[str]:
    return {repr((line["type"], line["loc"], line["msg"], line.get("ctx"))) for line in error.errors()}


#: The behaviour of pydantic itself differs.
PYDANTIC = tuple(int(number) for number in pydantic.VERSION.split(".")[:2])
CASES = [(kind, text) for kind, *texts in KINDS for text in texts]


@pytest.mark.parametrize(("kind", "text"), CASES, ids=[f"{getattr(kind, '__name__', kind)}-{text}"[:80] for kind, text in CASES])
def test_every_kind(kind: Any, text: str) -> None:
    adapter: TypeAdapter[Any] = kind if isinstance(kind, TypeAdapter) else TypeAdapter(kind)
    for size in (1, 2, 5, 1000):
        for decimals in (False, True):
            looks: list[Partial[Any]] = []
            source = (text[at : at + size] for at in range(0, len(text), size))
            try:
                expected = adapter.validate_json(text)
            except ValidationError as error:
                with pytest.raises(ValidationError) as raised:
                    looks.extend(snapshots(source, model=kind, decimals=decimals))
                assert what_is_wrong(raised.value) <= what_is_wrong(error)
                assert raised.value.title == error.title
                assert ("input_value" in str(raised.value)) == ("input_value" in str(error))
            except TypeError as error:
                # An element that a set cannot have is a `ValidationError` from pydantic 2.11 on.
                assert PYDANTIC < (2, 11) and "unhashable" in str(error)
                with pytest.raises(TypeError, match=str(error)):
                    looks.extend(snapshots(source, model=kind, decimals=decimals))
            else:
                looks.extend(snapshots(source, model=kind, decimals=decimals))
                assert looks[-1].complete and same(looks[-1].value, expected)
            for look in looks:
                can_be_used(look.value)


def can_be_used(value: Any) -> None:
    repr(value)
    again = copy.deepcopy(value)
    # Before 2.11, a copy of pydantic's own URL is not equal to it.
    is_equal = again == value or (PYDANTIC < (2, 11) and isinstance(value, Many) and repr(again) == repr(value))
    assert type(again) is type(value) and is_equal
    if isinstance(value, BaseModel):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert json.loads(value.model_dump_json()) is not None
            value.model_dump_json(exclude_none=True, by_alias=True)


def test_what_has_closed_is_dumped_as_its_type_says() -> None:
    *_, look, last = snapshots(list(THINGS + ', "inner": {"k": ' + THINGS + "}}}"), model=Things)
    assert isinstance(look.value, Open) and look.value.model_dump_json() == last.value.model_dump_json()
    assert look.value.model_dump(mode="json", exclude={"inner"}) == {
        "at": 1767225600, "thing": "X", "some": ["Y"], "whole": 1, "path": "/a", "ips": ["1.2.3.4"],
    }  # fmt: skip


def test_what_has_not_come_is_borne_by_serializers() -> None:
    first, *_, last = [look.value for look in snapshots(list('{"a": "Xy", "day": "2026-01-01"}'), model=Computed)]
    assert isinstance(first, Open) and first.up is None and first.year is None
    assert first.model_dump(serialize_as_any=True) == first.model_dump()
    assert first.model_dump(by_alias=True) == {"a": None, "day": None, "inner": None, "UP": None, "year": None}
    assert last.model_dump_json(by_alias=True) == '{"a":"xy","day":"2026-01-01","inner":null,"UP":"XY","year":2026}'
    shown = [look.value.model_dump() for look in snapshots(['{"a": "x', '", "b": 1,', "}"], model=Written, lenient="trailing-commas", accept_deviations=True)]
    assert shown == [{"a": "x", "b": None}, {"x": "X2"}, {"x": "X2"}]


def fitting() -> list[tuple[Any, list[Any]]]:
    """The types, each with values that fit, and that can be within others."""
    found: list[tuple[Any, list[Any]]] = []
    for kind, *texts in KINDS:
        if isinstance(kind, TypeAdapter) or NUMBERS in texts or "FailFast" in repr(kind):
            continue
        values: list[Any] = []
        for text in texts:
            with contextlib.suppress(ValidationError, TypeError):
                TypeAdapter(kind).validate_json(text)
                values.append(json.loads(text))
        if values:
            found.append((kind, values))
    return found


def nested(st: Any) -> Any:
    """Return a strategy of types within others, each with a strategy of its documents."""
    from pydantic import create_model

    def many(kind: Any) -> Any:
        inner, values = kind
        yield list[inner], st.lists(values, max_size=3)
        yield tuple[inner, ...], st.lists(values, max_size=3)
        yield dict[str, inner], st.dictionaries(st.sampled_from(["a", "b c", "é"]), values, max_size=2)
        yield Annotated[inner, AfterValidator(lambda value: value)], values
        yield Annotated[inner, BeforeValidator(lambda value: value)], values

    def several(kinds: Any, extra: str, mode: str) -> Any:
        types, values = zip(*kinds, strict=True)
        yield tuple[types], st.tuples(*values).map(list)  # type: ignore[valid-type]
        # Members that are equal become one, which has no mode.
        if len(set(types)) < len(types) or any(get_origin(kind) is Annotated for kind in types):
            return
        either = Annotated[Union[types], Field(union_mode=mode)]
        yield either, st.one_of(values)
        fields = {f"f{at}": (kind | None, None) if at % 2 else (kind, ...) for at, kind in enumerate(map(as_type, types))}
        model = create_model("Made", __config__=ConfigDict(extra=extra), **fields)  # type: ignore[call-overload]
        more = {"zz": st.just([1, {"a": "x"}])} if extra != "forbid" else {}
        members = {f"f{at}": value for at, value in enumerate(values)}
        required = {name: value for at, (name, value) in enumerate(members.items()) if at % 2 == 0}
        rest = {name: value for name, value in members.items() if name not in required}
        yield model, st.fixed_dictionaries(required, optional=rest | more)

    def as_type(kind: Any) -> Any:
        return Annotated[kind, Field(description="any")]

    leaves = st.sampled_from([(kind, st.sampled_from(values)) for kind, values in fitting()])
    choices = st.sampled_from(["ignore", "allow", "forbid"]), st.sampled_from(["smart", "left_to_right"])
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            inner.flatmap(lambda kind: st.sampled_from(list(many(kind)))),
            st.tuples(st.lists(inner, min_size=2, max_size=3), *choices).flatmap(lambda given: st.sampled_from(list(several(*given)))),
        ),
        max_leaves=6,
    )


def test_kinds_within_others() -> None:
    hypothesis = pytest.importorskip("hypothesis")
    from hypothesis import strategies as st

    @hypothesis.settings(max_examples=100, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(nested(st), st.integers(1, 9), st.data())
    def check(kind: tuple[Any, Any], size: int, data: Any) -> None:
        text = json.dumps(data.draw(kind[1]))
        try:
            expected = TypeAdapter(kind[0]).validate_json(text)
        except ValidationError:
            with pytest.raises(ValidationError):
                list(snapshots((text[at : at + size] for at in range(0, len(text), size)), model=kind[0]))
            return
        except Exception:
            # A validator of the kinds' own that meets what it was not written for.
            return
        *_, last = snapshots((text[at : at + size] for at in range(0, len(text), size)), model=kind[0])
        assert last.complete and same(last.value, expected)

    check()
