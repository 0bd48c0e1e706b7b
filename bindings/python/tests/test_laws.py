"""Laws over random types and damaged streams: the looks lead to pydantic's value, and no cut of a provider's body shows."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import make_dataclass
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal, Optional, Union

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter, ValidationError, create_model
from replay import VECTORS, vectors
from typing_extensions import TypedDict

from jsonspigot import Parser, ProviderStream, StreamEvent

Draw = Callable[..., Any]
#: A type, and the strategy of its values.
Typed = tuple[Any, st.SearchStrategy[Any]]


class Color(Enum):
    RED = "red"
    GREEN = "green"


TEXT = st.text(st.sampled_from('abé"\\\n 😀'), max_size=6)
SCALARS: list[Typed] = [
    (str, TEXT),
    (int, st.integers(-(10**6), 10**6)),
    (float, st.floats(-1e6, 1e6)),
    (bool, st.booleans()),
    (Any, st.one_of(TEXT, st.integers(0, 9), st.lists(st.integers(0, 9), max_size=2))),
    (Literal["one", "two"], st.sampled_from(["one", "two"])),
    (Color, st.sampled_from(["red", "green"])),
    (date, st.just("2026-12-01")),
    (Annotated[int, Field(ge=0)], st.integers(0, 9)),
    (Annotated[str, Field(max_length=4)], st.text("ab", max_size=4)),
    (Annotated[str, AfterValidator(str.upper)], TEXT),
    (Annotated[str, BeforeValidator(lambda value: value)], TEXT),
]


@st.composite
def objects(draw: Draw, depth: int) -> Typed:
    kind = draw(st.sampled_from(["model", "dataclass", "typed-dict"]))
    parts: dict[str, Typed] = {name: draw(types(depth - 1)) for name in draw(st.sampled_from(["a", "ab", "abc"]))}
    required = {name for name in parts if kind == "typed-dict" or draw(st.booleans())}
    kinds = {name: part if name in required else Optional[part] for name, (part, _) in parts.items()}
    alias: Any = draw(st.sampled_from([{}, {"b": "x y"}])) if kind == "model" else {}
    made: Any
    if kind == "model":
        fields: Any = {
            name: (part, Field(... if name in required else None, validation_alias=alias.get(name))) for name, part in kinds.items()
        }
        made = create_model("Made", **fields)
    elif kind == "dataclass":
        # Those with defaults come last.
        order = sorted(kinds, key=lambda name: name not in required)
        made = make_dataclass("Made", [(name, kinds[name]) if name in required else (name, kinds[name], None) for name in order])
    else:
        made = TypedDict("Made", kinds)  # type: ignore[misc]
    shown = {alias.get(name, name): value for name, (_, value) in parts.items() if name in required}
    others = {alias.get(name, name): value for name, (_, value) in parts.items() if name not in required}
    return made, st.fixed_dictionaries(shown, optional=others)


@st.composite
def types(draw: Draw, depth: int = 3) -> Typed:
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(SCALARS))
    match draw(st.sampled_from(["object", "object", "list", "dict", "optional", "union", "tuple", "set", "tagged"])):
        case "object":
            return draw(objects(depth))
        case "list":
            inner, value = draw(types(depth - 1))
            return list[inner], st.lists(value, max_size=3)
        case "dict":
            inner, value = draw(types(depth - 1))
            return dict[str, inner], st.dictionaries(TEXT, value, max_size=3)
        case "optional":
            inner, value = draw(types(depth - 1))
            return Optional[inner], st.none() | value
        case "union":
            (one, value), (two, other) = draw(types(depth - 1)), draw(types(depth - 1))
            return Union[one, two], value | other
        case "tuple":
            (one, value), (two, other) = draw(types(depth - 1)), draw(types(depth - 1))
            return tuple[one, two], st.tuples(value, other)
        case "set":
            return set[int], st.lists(st.integers(0, 9), max_size=3)
        case _:
            members = [create_model(f"M{tag}", kind=(Literal[tag], ...), value=(draw(types(depth - 1))[0], None)) for tag in "pq"]
            tagged = Annotated[Union[tuple(members)], Field(discriminator="kind")]
            return tagged, st.fixed_dictionaries({"kind": st.sampled_from("pq")})


@settings(max_examples=400, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_the_last_look_is_what_pydantic_makes(data: st.DataObject) -> None:
    kind, values = data.draw(types())
    adapter: Any = TypeAdapter(kind)
    # Now and then something of another type.
    text = json.dumps(data.draw(st.one_of(values, values, values, types().flatmap(lambda other: other[1]))), ensure_ascii=data.draw(st.booleans()))
    expected, wrong = None, None
    try:
        expected = adapter.validate_json(text)
    except ValidationError as error:
        wrong = error
    parser: Any = Parser(model=adapter)
    place, came, failed = 0, set[str](), False
    while place < len(text):
        size = data.draw(st.integers(1, 8))
        parser.feed(text[place : place + size])
        place += size
        try:
            look = parser.look()
        except ValidationError:
            failed = True
            continue
        assert not failed, "an error is raised again by every later look"
        now = set(getattr(look.value, "__pydantic_fields_set__", ())) if look else set[str]()
        assert came <= now, "what was shown stays"
        came = now
    parser.finish()
    if wrong is not None:
        try:
            raise AssertionError(f"{text} is {parser.look()}, and pydantic says {wrong}")
        except ValidationError as error:
            assert {each["loc"] for each in error.errors()} <= {each["loc"] for each in wrong.errors()}
        return
    last = parser.look()
    assert last.complete and type(last.value) is type(expected)
    assert adapter.dump_python(last.value, warnings=False) == adapter.dump_python(expected, warnings=False)
    assert getattr(last.value, "model_fields_set", None) == getattr(expected, "model_fields_set", None)


BODIES = [(vector.options["provider"], b"".join(vector.chunks)) for vector in vectors(VECTORS / "providers.jsonl")]


@st.composite
def damaged(draw: Draw) -> tuple[str, bytes]:
    """Draw a recorded body in which a part is missing, repeated, moved or replaced."""
    provider, body = draw(st.sampled_from(BODIES))
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(body)))
        end = draw(st.integers(start, min(len(body), start + 200)))
        part = draw(st.sampled_from([b"", body[start:end] * 2, b"null", b'"\xc3\xa9', b"\n\n", b"}", b"\xff", body[:60]]))
        body = body[:start] + part + body[end:]
    return provider, body


def joined(events: list[Any]) -> dict[Any, Any]:
    """Return what a stream says, whatever its cuts: the text by its kind and place, and all other events in order."""
    told: dict[Any, Any] = {}
    for event in events:
        key: Any = "others"
        while isinstance(event, StreamEvent.Agent):
            key, event = (key, event.agent), event.event
        if isinstance(event, (StreamEvent.Text, StreamEvent.Reasoning)):
            key, text = (key, type(event), event.choice, event.block), event.text
        elif isinstance(event, StreamEvent.Fragment):
            key, text = (key, StreamEvent.Fragment, event.call), event.text
        else:
            told.setdefault(key, []).append(event)
            continue
        told[key] = told.get(key, "") + text
    return told


@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(damaged(), st.data())
def test_no_cut_of_a_damaged_body_shows(stream: tuple[str, bytes], data: st.DataObject) -> None:
    provider, body = stream
    whole: Any = ProviderStream(provider)
    told = whole.feed(body) + whole.finish()
    cut: Any = ProviderStream(provider, saveable=len(body) + 1000, snapshots=True)
    seen: list[Any] = []
    place = 0
    while place < len(body):
        size = data.draw(st.integers(1, 300))
        seen += cut.feed(body[place : place + size])
        place += size
        for call in cut.open_calls:
            cut.snapshot(call), cut.open_path(call), cut.snapshot_raw(call)
        if data.draw(st.booleans()):
            cut = ProviderStream.restore(provider, None, cut.save(), saveable=len(body) + 1000, snapshots=True)
    seen += cut.finish()
    assert joined(seen) == joined(told)
    assert cut.unfinished() == whole.unfinished()
    for event in seen:
        assert pickle.loads(pickle.dumps(event)) == event
        json.dumps(event.to_dict())
