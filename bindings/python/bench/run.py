"""Times the peers on the same chunks, in one process: `python bench/run.py`. Each output is checked before it is timed.

Figures are ratios to one `json.loads` of the whole text, the best of several runs. "deltas" is what each chunk added to
the followed strings, "snapshot" the value as far as it is known after each chunk. A peer that gives less is timed for
what it gives, and the table says so.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import ijson
import ijson.common
import jiter
import json_stream
import json_stream.tokenizer
import partial_json_parser
import pydantic_core
from json_stream import to_standard_types
from payloads import PAYLOADS, SIZES, cut, tool_call
from streaming_json_parser import StreamingJsonParser

import jsonspigot

YAJL = ijson.get_backend("yajl2_c")
assert YAJL.backend_name == "yajl2_c", "ijson's C backend is what is compared"

Chunks = list[str]
Encoded = list[bytes]


def ours(chunks: Chunks, pattern: str) -> Any:
    """Deltas and a snapshot after each chunk, each of which is dropped before the next."""
    parser = jsonspigot.Parser(pattern, snapshots=True)
    feed, snapshot = parser.feed, parser.snapshot
    for chunk in chunks:
        for _ in feed(chunk):
            pass
        snapshot()
    parser.finish()
    return snapshot()


def ours_held(chunks: Chunks, pattern: str) -> Any:
    """The same, but the last snapshot is held while the next one is made."""
    parser = jsonspigot.Parser(pattern, snapshots=True)
    feed, snapshot = parser.feed, parser.snapshot
    held = None
    for chunk in chunks:
        for _ in feed(chunk):
            pass
        held = snapshot()
    parser.finish()
    return held


def ours_value(chunks: Chunks, pattern: str) -> Any:
    """Deltas, and the value at the end."""
    parser = jsonspigot.Parser(pattern)
    feed = parser.feed
    for chunk in chunks:
        for _ in feed(chunk):
            pass
    parser.finish()
    return parser.value()


def ijson_events(chunks: Encoded, _: str) -> Any:
    """Events only: no open strings, no value."""
    events = ijson.sendable_list()
    coroutine = YAJL.basic_parse_coro(events, use_float=True)
    for chunk in chunks:
        coroutine.send(chunk)
        for _event in events:
            pass
        del events[:]
    coroutine.close()
    return None


def ijson_value(chunks: Encoded, _: str) -> Any:
    """Events and the live value: open strings are not in it, and it is not a snapshot."""
    events = ijson.sendable_list()
    coroutine = YAJL.basic_parse_coro(events, use_float=True)
    builder = ijson.common.ObjectBuilder()
    for chunk in chunks:
        coroutine.send(chunk)
        for event, value in events:
            builder.event(event, value)
        del events[:]
    coroutine.close()
    return builder.value


def json_stream_value(chunks: Encoded, _: str) -> Any:
    """The value at the end; it is pulled, so nothing is seen in between."""
    return to_standard_types(json_stream.load(iter(chunks)))


def streaming_live(chunks: Chunks, _: str) -> Any:
    """The live value after each chunk, which changes later: it is not a snapshot. No deltas."""
    parser = StreamingJsonParser()
    for chunk in chunks:
        result = parser.feed(chunk)
        result.value  # noqa: B018
    return parser.finish().value


def streaming_copied(chunks: Chunks, _: str) -> Any:
    """A copy of the value after each chunk. No deltas."""
    parser = StreamingJsonParser()
    for chunk in chunks:
        result = parser.feed(chunk, copy_value=True)
        result.value  # noqa: B018
    return parser.finish(copy_value=True).value


def reparsing(parse: Callable[[bytes], Any]) -> Callable[[Encoded, str], Any]:
    def run(chunks: Encoded, _: str) -> Any:
        buffer = b""
        value = None
        for chunk in chunks:
            buffer += chunk
            value = parse(buffer)
        return value

    return run


def partial_json_parser_value(chunks: Chunks, _: str) -> Any:
    buffer, value = "", None
    for chunk in chunks:
        buffer += chunk
        value = partial_json_parser.loads(buffer)
    return value


jiter_value = reparsing(lambda buffer: jiter.from_json(buffer, partial_mode="trailing-strings"))
pydantic_value = reparsing(lambda buffer: pydantic_core.from_json(buffer, allow_partial="trailing-strings"))

INCREMENTAL: dict[str, tuple[Callable[[Any, str], Any], type]] = {
    "jsonspigot, deltas and snapshots": (ours, str),
    "jsonspigot, snapshots held": (ours_held, str),
    "jsonspigot, deltas, value at the end": (ours_value, str),
    "ijson (C), events only": (ijson_events, bytes),
    "ijson (C), events and live value": (ijson_value, bytes),
    "json-stream, value at the end": (json_stream_value, bytes),
    "streaming-json-parser, live value": (streaming_live, str),
    "streaming-json-parser, copied value": (streaming_copied, str),
}
REPARSING: dict[str, tuple[Callable[[Any, str], Any], type]] = {
    "jiter": (jiter_value, bytes),
    "pydantic_core.from_json": (pydantic_value, bytes),
    "partial-json-parser": (partial_json_parser_value, str),
}


def best(run: Callable[[], Any], budget: float = 0.6) -> float:
    """The shortest of as many runs as fit the budget, at least three."""
    times: list[float] = []
    gc.collect()
    gc.disable()
    try:
        started = time.perf_counter()
        while len(times) < 3 or (time.perf_counter() - started < budget and len(times) < 2000):
            before = time.perf_counter()
            run()
            times.append(time.perf_counter() - before)
            if times[0] > 5:
                break
    finally:
        gc.enable()
    return min(times)


def check(name: str, run: Callable[[Any, str], Any], chunks: list[Any], pattern: str, text: str) -> None:
    """What is timed has to be right."""
    value = run(chunks, pattern)
    if "events only" in name:
        return
    assert value == json.loads(text), f"{name} gives another value"


def check_ours(chunks: Chunks, pattern: str) -> None:
    """The deltas are those of the value, and each snapshot is the beginning of the next."""
    parser = jsonspigot.Parser(pattern, snapshots=True)
    deltas: dict[str, str] = {}
    ends: dict[str, str] = {}
    for chunk in chunks:
        for event in parser.feed(chunk):
            match event:
                case jsonspigot.Delta(path, text):
                    deltas[path] = deltas.get(path, "") + text
                case jsonspigot.End(path, value):
                    ends[path] = value
    assert deltas == ends and deltas


def table() -> None:
    for payload, (make, pattern) in PAYLOADS.items():
        text = make()
        baseline = best(lambda: json.loads(text))
        print(f"\n{payload}, {len(text.encode())} bytes, json.loads {baseline * 1e6:.1f} us; ratios to it")
        print(f"{'':40}" + "".join(f"{size:>10}" for size in SIZES))
        rows = dict(INCREMENTAL)
        lost: list[str] = []
        by_size: dict[str, dict[str, float]] = {size: {} for size in SIZES}
        for name, (run, kind) in rows.items():
            for size in SIZES:
                pieces = cut(text, size)
                check_ours(pieces, pattern)
                chunks: list[Any] = [piece.encode() for piece in pieces] if kind is bytes else list(pieces)
                check(name, run, chunks, pattern, text)
                by_size[size][name] = best(lambda run=run, chunks=chunks: run(chunks, pattern)) / baseline
            print(f"{name:40}" + "".join(f"{by_size[size][name]:10.2f}" for size in SIZES), flush=True)
        for name, (run, kind) in REPARSING.items():
            sizes = SIZES if len(text) < 5000 else ("whole",)
            for size in sizes:
                pieces = cut(text, size)
                chunks = [piece.encode() for piece in pieces] if kind is bytes else list(pieces)
                check(name, run, chunks, pattern, text)
                by_size[size][name] = best(lambda run=run, chunks=chunks: run(chunks, pattern)) / baseline
            shown = "".join(f"{by_size[size][name]:10.2f}" if name in by_size[size] else f"{'':>10}" for size in SIZES)
            print(f"{name + ' (whole: one call)':40}" + shown, flush=True)
        for size in SIZES:
            mine = by_size[size]["jsonspigot, deltas and snapshots"]
            for name in INCREMENTAL:
                if not name.startswith("jsonspigot") and by_size[size][name] <= mine:
                    lost.append(f"{size}: {name} ({mine / by_size[size][name]:.2f})")
        print("behind: " + ("; ".join(lost) if lost else "nobody"))
        if payload == "tool call":
            reparsed = min(by_size["1-8"][name] for name in REPARSING)
            print(f"reparsing in tokens costs {reparsed / by_size['1-8']['jsonspigot, deltas and snapshots']:.1f} times as much")


if __name__ == "__main__":
    print(f"Python {sys.version.split()[0]}, jsonspigot {jsonspigot.__version__}")
    table()
