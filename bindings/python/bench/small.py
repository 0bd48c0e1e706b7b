"""What small things cost: `python bench/small.py`. Ratios of this package to what a program would do without it, in one run.

Types and adapters are made once, for every contender. Contenders take turns, and the least time of each counts, in process
time. The texts are those of `typed.py`: eight of each size, cut at several places into pieces of about 4 characters.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import ijson
import jiter
import msgspec
import orjson
import pydantic_core
from instructor.dsl.partial import Partial as InstructorPartial
from openai.types.chat import ChatCompletionChunk
from pydantic import TypeAdapter, ValidationError
from typed import Turn, TurnDict, chunks_of

from jsonspigot import Delta, Documents, End, Parser, ProviderStream, deltas, rows, snapshots, values

Run = Callable[[], Any]


def least(contenders: dict[str, Run], seconds: float = 1.5) -> dict[str, float]:
    """Return the least time of each, in microseconds: they take turns, so that a busy machine is busy for all."""
    times: dict[str, float] = dict.fromkeys(contenders, float("inf"))
    for run in contenders.values():
        run()
    gc.collect()
    gc.disable()
    began = time.process_time()
    while time.process_time() - began < seconds:
        for name, run in contenders.items():
            start = time.process_time_ns()
            run()
            times[name] = min(times[name], (time.process_time_ns() - start) / 1e3)
    gc.enable()
    return times


def show(title: str, times: dict[str, float], base: str, count: int = 1) -> None:
    print(f"\n{title}; ratios to {base} ({times[base] / count:.2f} us)")
    for name, best in times.items():
        print(f"  {name:34}{best / count:10.2f} us{best / times[base]:8.2f}")


def live(texts: list[list[str]]) -> dict[str, Run]:
    def again(read: Callable[[bytes], Any]) -> Run:
        def run() -> None:
            for chunks in texts:
                text = b""
                for chunk in chunks:
                    text += chunk.encode()
                    read(text)

        return run

    def loop(function: Callable[[list[str]], Any]) -> Run:
        def run() -> None:
            for chunks in texts:
                for _ in function(chunks):
                    pass

        return run

    def held() -> None:
        for chunks in texts:
            parser, kept = Parser(snapshots=True, retain="nothing"), None
            for chunk in chunks:
                parser.feed(chunk)
                kept = parser.snapshot()
            del kept

    return {
        "jiter again": again(lambda text: jiter.from_json(text, partial_mode="trailing-strings")),
        "pydantic_core again": again(lambda text: pydantic_core.from_json(text, allow_partial="trailing-strings")),
        "snapshots()": loop(snapshots),
        "snapshot() by hand": held,
        "deltas()": loop(lambda chunks: deltas(chunks, "..message")),
        "ijson, whole values only": again_of_ijson(texts),
    }


def again_of_ijson(texts: list[list[str]]) -> Run:
    backend = ijson.get_backend("yajl2_c")

    def run() -> None:
        for chunks in texts:
            events = ijson.sendable_list()
            coroutine = backend.basic_parse_coro(events, use_float=True)
            for chunk in chunks:
                coroutine.send(chunk.encode())
                del events[:]
            coroutine.close()

    return run


ADAPTER = TypeAdapter(TurnDict)
PARTIAL = InstructorPartial[Turn]


def typed(texts: list[list[str]]) -> dict[str, Run]:
    def ours() -> None:
        for chunks in texts:
            parser = Parser(model=Turn, retain="nothing")
            for chunk in chunks:
                parser.feed(chunk)
                parser.look()

    def looped() -> None:
        for chunks in texts:
            for _ in snapshots(chunks, model=Turn):
                pass

    def pydantic() -> None:
        for chunks in texts:
            text = b""
            for chunk in chunks:
                text += chunk.encode()
                try:
                    ADAPTER.validate_json(text, experimental_allow_partial="trailing-strings")
                except ValidationError:
                    pass

    def recipe() -> None:
        for chunks in texts:
            text = b""
            for chunk in chunks:
                text += chunk.encode()
                try:
                    Turn.model_validate(jiter.from_json(text, partial_mode="trailing-strings"))
                except ValidationError:
                    pass

    def instructor() -> None:
        for chunks in texts:
            for _ in PARTIAL.model_from_chunks(iter(chunks)):
                pass

    return {
        "jiter and model_validate": recipe,
        "pydantic, partial TypedDict": pydantic,
        "instructor, Partial": instructor,
        "Parser(model=...).look()": ours,
        "snapshots(model=...)": looped,
    }


def pushed() -> None:
    call = {"index": 0, "function": {"arguments": '"city": "Paris", '}}
    body = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}
    start = {**body, "choices": [{"index": 0, "delta": {"tool_calls": [{**call, "id": "x", "function": {"name": "f", "arguments": "{"}}]}}]}
    event = ChatCompletionChunk.model_validate(body)
    text = json.dumps(body)
    streams = [ProviderStream("openai-chat") for _ in range(2)]
    for stream in streams:
        stream.push(start)
    count = range(200)

    def dump() -> None:
        for _ in count:
            event.model_dump_json()

    def push() -> None:
        for _ in count:
            streams[0].push(event)

    def push_text() -> None:
        for _ in count:
            streams[1].push(text)

    show("an SDK object", least({"its own dump": dump, "push(object)": push, "push(its JSON)": push_text}, 1), "its own dump", len(count))
    delta = next(one for one in Parser("a").feed('{"a": "x"}') if isinstance(one, Delta))

    def to_dict() -> None:
        for _ in count:
            delta.to_dict()

    def dumps() -> None:
        for _ in count:
            json.dumps({"type": "Delta"})

    show("a delta as data", least({"json.dumps of one member": dumps, "to_dict()": to_dict}, 1), "json.dumps of one member", len(count))


class Line(msgspec.Struct):
    name: str


def json_lines(count: int = 3000) -> None:
    record = {"name": "Ada Lovelace", "tags": ["a", "b", "c"], "score": 12.5, "text": "some text " * 6, "ok": {"n": None}}
    text = b"".join(json.dumps({"id": number, **record}).encode() + b"\n" for number in range(count))
    chunks = [text[at : at + 16_384] for at in range(0, len(text), 16_384)]

    def lines(read: Callable[[bytes], Any]) -> Run:
        def run() -> None:
            rest = b""
            for chunk in chunks:
                *whole, rest = (rest + chunk).split(b"\n")
                for line in whole:
                    read(line)

        return run

    def documents(pattern: str | None) -> Run:
        wanted: Any = End if pattern else None

        def run() -> None:
            reader = Documents("lines", pattern, retain="matches" if pattern else "all")
            for chunk in chunks:
                for event in reader.feed(chunk):
                    if wanted is None or isinstance(event, wanted):
                        event.value  # type: ignore[union-attr]  # noqa: B018

        return run

    decoder = msgspec.json.Decoder(Line)
    whole: dict[str, Run] = {
        "jiter": lines(jiter.from_json),
        "orjson": lines(orjson.loads),
        "msgspec": lines(msgspec.json.decode),
        "json.loads": lines(json.loads),
        "values()": lambda: [None for _ in values(chunks, framing="lines")],
        "Documents": documents(None),
    }
    one: dict[str, Run] = {
        "jiter": lines(lambda line: jiter.from_json(line)["name"]),
        "orjson": lines(lambda line: orjson.loads(line)["name"]),
        "msgspec, a Struct": lines(lambda line: decoder.decode(line).name),
        "values()": lambda: [None for _ in values(chunks, "name", framing="lines")],
        "rows(), two columns": lambda: [None for _ in rows(chunks, {"name": "name", "id": "id"}, framing="lines")],
        "Documents": documents("name"),
    }
    show(f"JSON Lines of {len(text) // count} bytes, all of each", least(whole), "jiter", count)
    show("one field of each", least(one), "jiter", count)


def imports() -> None:
    def run(code: str) -> float:
        command = [sys.executable, "-c", f"import time; began = time.process_time(); {code}; print(time.process_time() - began)"]
        return min(float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(15))

    print("\nimport, in milliseconds of processor time")
    for name in ("jsonspigot", "jiter", "orjson", "ijson", "msgspec", "pydantic_core"):
        print(f"  {name:20}{run(f'import {name}') * 1e3:8.1f}")


if __name__ == "__main__":
    for size in (171, 594, 2_860):
        texts = chunks_of(size, 4)
        show(f"the value after each chunk, {size} B", least(live(texts)), "jiter again", len(texts))
        show(f"a typed look after each chunk, {size} B", least(typed(texts), 3), "pydantic, partial TypedDict", len(texts))
    pushed()
    json_lines()
    imports()
