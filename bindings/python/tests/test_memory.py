"""Nothing leaks, and feeding keeps nothing but what it is asked to keep."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import BaseModel, field_validator

from jsonspigot import Documents, Envelope, JsonSpigotError, Parser, ProviderStream, Rewriter, Rule, deltas, rows, values


def resident() -> int:
    """Return the memory of this process that is in RAM, in bytes."""
    if not sys.platform.startswith("linux"):
        pytest.skip("reads /proc")
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096


def one_parser() -> None:
    parser = Parser(["a[*]", "$..b", "c | d"], snapshots=True)
    parser.feed('{"a": ["x", {"b": [1, 2.5, "y')
    held = parser.snapshot()
    parser.feed('z"]}], "c": "{\\"d\\": 1}", "e": null')
    parser.patch_since(parser.revision())
    parser.state_of("a[1]")
    assert held is not parser.snapshot()
    try:
        parser.feed("x")
    except JsonSpigotError as error:
        _ = error.events


def a_finished_one() -> None:
    parser = Parser("$", snapshots=True, decimals=True)
    [*_, end] = parser.feed('[1.5, {"a": "x"}]')
    _ = end.value  # type: ignore[union-attr]
    parser.finish()
    parser.value()
    parser.reset()
    parser.feed("[")


def a_stream() -> None:
    stream = ProviderStream("auto", "city", snapshots=True)
    stream.push({"message": {"tool_calls": [{"function": {"name": "w", "arguments": {"city": "Paris"}}}]}, "done": True})
    stream.finish()


def others() -> None:
    Documents("lines", "a", snapshots=True).feed('{"a": 1}\n{"a": x}\n{')
    Envelope("tag:x", "a").feed('hi <x>{"a": "b"}</x>')


class Item(BaseModel):
    name: str
    sizes: list[int] = []


ITEMS = dict[str, list[Item]]


def typed_views() -> None:
    text = '{"items": [{"name": "a", "sizes": [1]}, {"name": "b'
    parser = Parser(snapshots=True, duplicate_keys="reject")
    view = parser.typed(ITEMS)
    for at in range(0, len(text), 9):
        parser.feed(text[at : at + 9])
        view.look()
    list(values(['[{"name": "a"}, 1]'], "[*]"))


def refused() -> None:
    for call in (
        lambda: Parser().feed("a\ud800b"),
        lambda: Documents("lines").feed("\udfff"),
        lambda: Envelope("tag:x").feed(b"\xff"),
        lambda: ProviderStream("auto").push(object()),
        lambda: Parser("a["),
        lambda: Parser.restore("a", b"x"),
        lambda: Rewriter({"a": Rule.map(lambda _: "{")}).write('{"a": 1}'),
        lambda: Parser("a").feed('{"a": x'),
    ):
        with pytest.raises((TypeError, ValueError)):
            call()


@pytest.mark.parametrize(("run", "times"), [(refused, 2_000), (typed_views, 2_000), (one_parser, 100_000), (a_finished_one, 50_000), (a_stream, 20_000), (others, 20_000)])
def test_no_reference_is_leaked(run: Callable[[], None], times: int) -> None:
    for _ in range(200):
        run()
    gc.collect()
    objects, memory = len(gc.get_objects()), resident()
    tracemalloc.start()
    # A leak grows in each round. What is made once, or in place of what was made before the tracing, does not.
    grown: list[int] = []
    for _ in range(5):
        traced = tracemalloc.get_traced_memory()[0]
        for _ in range(1000):
            run()
        gc.collect()
        grown.append(tracemalloc.get_traced_memory()[0] - traced)
    tracemalloc.stop()
    assert min(grown) < 20_000, f"{grown} bytes after 1000 runs each"
    for _ in range(times):
        run()
    gc.collect()
    assert abs(len(gc.get_objects()) - objects) < 100
    assert resident() - memory < 4 << 20


def test_memory_is_flat_over_a_million_feeds() -> None:
    parser = Parser("[*].say", retain="nothing")
    parser.feed('[{"say": "')
    chunks = ["Hello, ", "wörld", '"}', ', {"n": 1, "say": "']
    for chunk in chunks * 2500:
        parser.feed(chunk)
    memory = resident()
    for _ in range(250_000):
        for chunk in chunks:
            parser.feed(chunk)
    assert resident() - memory < 1 << 20
    parser.feed('"}]')
    parser.finish()


def test_deltas_keep_nothing() -> None:
    def source(count: int) -> Iterator[str]:
        yield '{"say": "'
        for _ in range(count):
            yield "x" * 1000
        yield '"}'

    assert sum(len(delta.text) for delta in deltas(source(2_000), "say")) == 2_000_000
    memory = resident()
    assert sum(len(delta.text) for delta in deltas(source(30_000), "say")) == 30_000_000
    assert resident() - memory < 4 << 20


def test_circles_are_collected() -> None:
    class Mine(Parser):
        pass

    class Canary:
        pass

    import weakref

    def circle() -> weakref.ref[Canary]:
        parser = Mine(snapshots=True)
        parser.feed('{"a": [1')
        canary: Any = Canary()
        shown = parser.snapshot()
        # Nobody should, but anybody can.
        shown["parser"] = parser
        shown["canary"] = canary
        [*_, end] = Parser("$").feed("[]")
        value = end.value  # type: ignore[union-attr]
        value += [end, canary]
        return weakref.ref(canary)

    canaries = [circle() for _ in range(10)]
    gc.collect()
    assert [canary() for canary in canaries] == [None] * 10


class Owner:
    """Holds what it is held by: a rule with its method, a parser of a model, a reader of models."""

    def __init__(self, kind: str) -> None:
        rules = {"x": Rule.map(self.method), "y": Rule.map_text(self.method), "z": Rule.map(self.failing)}
        match kind:
            case "rewriter":
                self.held: Any = Rewriter(rules)
                self.held.write('{"x": 1, "y": "a"')
            case "failed rewriter":
                self.held = Rewriter(rules)
                with pytest.raises(KeyError):
                    self.held.write('{"z": "a"}')
            case "rule":
                self.held = rules
            case "view":
                self.held = Parser(model=dict[str, int], context=self.method)
                self.held.feed('{"a": 1, "b')
                self.held.look()
            case "views":
                self.held = Documents("lines", snapshots=True, duplicate_keys="reject")
                self.view = self.held.typed(dict[str, int], context=self.method)
                self.held.feed('{"a": 1, "b')
                self.view.look()
            case _:
                self.held = rows(self.texts(), {"a": "a"}, framing="lines", missing=self)
                next(self.held)

    def method(self, text: Any) -> Any:
        return text if text is not None else ""

    def failing(self, _: str) -> str:
        raise KeyError

    def texts(self) -> Iterator[str]:
        yield '{"a": 1}\n'
        yield "{"


@pytest.mark.parametrize("kind", ["rewriter", "failed rewriter", "rule", "view", "views", "rows"])
def test_owners_of_callables_are_collected(kind: str) -> None:
    import weakref

    references = [weakref.ref(Owner(kind)) for _ in range(20)]
    gc.collect()
    assert [reference() for reference in references] == [None] * 20


def errors() -> list[Any]:
    """Return the errors of events of each class."""
    told: list[Any] = [
        *Documents("lines").feed("{x\n"),
        *Parser("a | b").feed('{"a": "{x"}'),
        *Envelope("fence:json").feed("```json\n{x\n```\n"),
    ]
    return [event for event in told if getattr(event, "error", None) is not None]


def test_events_whose_errors_were_raised_are_collected() -> None:
    import weakref

    class Canary:
        pass

    def raised(at: int) -> weakref.ref[Canary]:
        canary = Canary()
        event = errors()[at]
        with pytest.raises(JsonSpigotError):
            raise event.error
        return weakref.ref(canary)

    assert len(errors()) == 3
    canaries = [raised(at) for at in range(3) for _ in range(5)]
    gc.collect()
    assert [canary() for canary in canaries] == [None] * 15


def test_errors_that_are_raised_again_keep_no_frames() -> None:
    """Check looks after one that failed, and the value of a document that was wrong."""
    import weakref

    class Canary:
        pass

    class Short(BaseModel):
        a: str

        @field_validator("a")
        @classmethod
        def is_short(cls, value: str) -> str:
            if len(value) > 5:
                raise RuntimeError(value)
            return value

    def depth(error: BaseException) -> int:
        depth, frame = 0, error.__traceback__
        while frame:
            depth, frame = depth + 1, frame.tb_next
        return depth

    views = []
    for text in ('{"a": 1, ', '{"a": "too long", '):
        parser = Parser(snapshots=True, duplicate_keys="reject")
        views.append(parser.typed(Short).look)
        parser.feed(text)
    [end] = Documents("lines").feed("!\n")
    asked = [*views, lambda: end.value]  # type: ignore[union-attr]

    def look(ask: Callable[[], Any]) -> tuple[str, int, weakref.ref[Canary]]:
        canary = Canary()
        try:
            ask()
        except Exception as error:
            return str(error), depth(error), weakref.ref(canary)
        raise AssertionError("no error")

    for ask in asked:
        first, *others = [look(ask) for _ in range(10)]
        assert {text for text, _, _ in others} == {first[0]}
        assert len({depth for _, depth, _ in others}) == 1
        gc.collect()
        # At most the frames of the last one.
        assert [canary() is None for _, _, canary in [first, *others][:-1]] == [True] * 9
    assert look(views[0])[2]() is None
