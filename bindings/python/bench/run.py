"""Times the peers on the same chunks, in one process: `python bench/run.py`. Each output is checked before it is timed.

Figures are ratios to one `json.loads` of the whole text, the best of several runs, in two tables: what each chunk added
to the followed strings, and the value as far as it is known after each chunk. A peer that gives less is timed for what it
gives, and its name says so.
"""

from __future__ import annotations

import gc
import io
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
import typed
from json_stream import to_standard_types
from payloads import PAYLOADS, SIZES, cut, tool_call
from streaming_json_parser import StreamingJsonParser

import jsonspigot

YAJL = ijson.get_backend("yajl2_c")
assert YAJL.backend_name == "yajl2_c", "ijson's C backend is what is compared"

Chunks = list[str]
Encoded = list[bytes]


def ours_deltas(chunks: Chunks, pattern: str) -> Any:
    """Deltas of the followed strings. Nothing is kept, as ijson keeps nothing."""
    feed = jsonspigot.Parser(pattern, retain="nothing").feed
    for chunk in chunks:
        for _ in feed(chunk):
            pass
    return None


def ours_value(chunks: Chunks, pattern: str) -> Any:
    """The same, and the value at the end."""
    parser = jsonspigot.Parser(pattern)
    feed = parser.feed
    for chunk in chunks:
        for _ in feed(chunk):
            pass
    parser.finish()
    return parser.value()


def ours_whole(chunks: Chunks, pattern: str) -> Any:
    """Whole values only."""
    for _ in jsonspigot.values(chunks, pattern):
        pass
    return None


def ours_snapshots(chunks: Chunks, _: str) -> Any:
    """A snapshot after each chunk, which is dropped before the next."""
    parser = jsonspigot.Parser(snapshots=True, retain="nothing")
    feed, snapshot = parser.feed, parser.snapshot
    for chunk in chunks:
        feed(chunk)
        snapshot()
    parser.finish()
    return snapshot()


def ours_held(chunks: Chunks, _: str) -> Any:
    """The same, but the last snapshot is held while the next one is made."""
    parser = jsonspigot.Parser(snapshots=True, retain="nothing")
    feed, snapshot = parser.feed, parser.snapshot
    held = None
    for chunk in chunks:
        feed(chunk)
        held = snapshot()
    parser.finish()
    return held


def ours_both(chunks: Chunks, pattern: str) -> Any:
    """Deltas and a snapshot after each chunk."""
    parser = jsonspigot.Parser(pattern, snapshots=True)
    feed, snapshot = parser.feed, parser.snapshot
    for chunk in chunks:
        for _ in feed(chunk):
            pass
        snapshot()
    parser.finish()
    return snapshot()


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

Contender = tuple[Callable[[Any, str], Any], type]
# The additions of each chunk.
DELTAS: dict[str, Contender] = {
    "jsonspigot, deltas": (ours_deltas, str),
    "jsonspigot, deltas, value at the end": (ours_value, str),
    "jsonspigot, whole values": (ours_whole, str),
    "ijson (C), events of whole values only": (ijson_events, bytes),
    "json-stream, value at the end": (json_stream_value, bytes),
}
# The value so far, after each chunk.
SNAPSHOTS: dict[str, Contender] = {
    "jsonspigot, snapshots": (ours_snapshots, str),
    "jsonspigot, each held until the next": (ours_held, str),
    "jsonspigot, deltas and snapshots": (ours_both, str),
    "ijson (C), live value, no open strings": (ijson_value, bytes),
    "streaming-json-parser, live value": (streaming_live, str),
    "streaming-json-parser, copied value": (streaming_copied, str),
}
REPARSING: dict[str, Contender] = {
    "jiter": (jiter_value, bytes),
    "pydantic_core.from_json": (pydantic_value, bytes),
    "partial-json-parser": (partial_json_parser_value, str),
}


def best(run: Callable[[], Any], budget: float = 0.6) -> float:
    """The shortest of as many runs as fit the budget, at least three; in process time, whatever else the machine does."""
    times: list[float] = []
    gc.collect()
    gc.disable()
    try:
        started = time.process_time()
        while len(times) < 3 or (time.process_time() - started < budget and len(times) < 2000):
            before = time.process_time()
            run()
            times.append(time.process_time() - before)
            if times[0] > 5:
                break
    finally:
        gc.enable()
    return min(times)


def check(name: str, run: Callable[[Any, str], Any], chunks: list[Any], pattern: str, text: str) -> None:
    """What is timed has to be right."""
    value = run(chunks, pattern)
    if value is None:
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


def timed(rows: dict[str, Contender], sizes: tuple[str, ...], text: str, pattern: str, baseline: float) -> dict[str, dict[str, float]]:
    """The ratios of each contender at each size of chunk, printed as they come."""
    ratios: dict[str, dict[str, float]] = {}
    for name, (run, kind) in rows.items():
        ratios[name] = {}
        for size in sizes:
            pieces = cut(text, size)
            chunks: list[Any] = [piece.encode() for piece in pieces] if kind is bytes else list(pieces)
            check(name, run, chunks, pattern, text)
            ratios[name][size] = best(lambda run=run, chunks=chunks: run(chunks, pattern)) / baseline
        shown = "".join(f"{ratios[name][size]:10.2f}" if size in ratios[name] else f"{'':>10}" for size in SIZES)
        print(f"{name:42}{shown}", flush=True)
    return ratios


def behind(ratios: dict[str, dict[str, float]]) -> str:
    """The peers that are ahead of the first row, and by how much."""
    mine = next(iter(ratios.values()))
    lost = [
        f"{size}: {name} ({mine[size] / theirs[size]:.2f})"
        for name, theirs in ratios.items()
        for size in SIZES
        if not name.startswith("jsonspigot") and theirs[size] <= mine[size]
    ]
    return "; ".join(lost) or "nobody"


def table() -> None:
    for payload, (make, pattern) in PAYLOADS.items():
        text = make()
        for size in SIZES:
            check_ours(cut(text, size), pattern)
        baseline = best(lambda text=text: json.loads(text))
        print(f"\n{payload}, {len(text.encode())} bytes, json.loads {baseline * 1e6:.1f} us; ratios to it")
        print(f"{'':42}" + "".join(f"{size:>10}" for size in SIZES))
        deltas = timed(DELTAS, SIZES, text, pattern, baseline)
        print("ahead of us: " + behind(deltas))
        snapshots = timed(SNAPSHOTS, SIZES, text, pattern, baseline)
        print("ahead of us: " + behind(snapshots))
        print("reparsing (whole: one call)")
        again = timed(REPARSING, SIZES if len(text) < 5000 else ("whole",), text, pattern, baseline)
        if payload == "tool call":
            ratio = min(row["1-8"] for row in again.values()) / snapshots["jsonspigot, deltas and snapshots"]["1-8"]
            print(f"reparsing in tokens costs {ratio:.1f} times as much as deltas and snapshots")


#: The field of each line that is selected, or all of it.
Selection = str | None


def ours_lines(chunks: Encoded, pattern: Selection) -> list[Any]:
    return list(jsonspigot.values(chunks, pattern, framing="lines"))


def ours_documents(chunks: Encoded, pattern: Selection) -> list[Any]:
    """As events, which go on after a bad line."""
    wanted = jsonspigot.End if pattern else jsonspigot.DocumentEnd
    reader = jsonspigot.Documents("lines", pattern, retain="matches" if pattern else "all")
    told = [event.value for chunk in chunks for event in reader.feed(chunk) if isinstance(event, wanted)]
    return told + [event.value for event in reader.finish() if isinstance(event, wanted)]


def ijson_lines(chunks: Encoded, pattern: Selection) -> list[Any]:
    # Of a file: twice as fast as what is pushed.
    text = io.BytesIO(b"".join(chunks))
    return list(YAJL.items(text, pattern or "", multiple_values=True, use_float=True, buf_size=len(chunks[0])))


def json_lines(chunks: Encoded, pattern: Selection) -> list[Any]:
    values: list[Any] = []
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        values += map(json.loads, lines)
    return [value[pattern] for value in values] if pattern else values


LINES: dict[str, Callable[[Encoded, Selection], list[Any]]] = {
    "jsonspigot, values": ours_lines,
    "jsonspigot, Documents": ours_documents,
    "ijson (C)": ijson_lines,
    "json.loads": json_lines,
}


def lines_table(count: int = 3000) -> None:
    """JSON Lines in chunks of 16 KiB: one field of each line, and all of it."""
    record = {"name": "Ada Lovelace", "tags": ["a", "b", "c"], "score": 12.5, "text": "some text " * 6, "ok": {"n": None}}
    text = b"".join(json.dumps({"id": number, **record}).encode() + b"\n" for number in range(count))
    chunks = [text[at : at + 16_384] for at in range(0, len(text), 16_384)]
    print(f"\nJSON Lines, {len(text) // count} bytes each; microseconds a line")
    print(f"{'':42}{'one field':>10}{'all':>10}")
    for name, run in LINES.items():
        times: list[float] = []
        for pattern in ("name", None):
            assert run(chunks, pattern) == json_lines(chunks, pattern), name
            times.append(best(lambda run=run, pattern=pattern: run(chunks, pattern)) / count * 1e6)
        print(f"{name:42}" + "".join(f"{time:10.2f}" for time in times), flush=True)


if __name__ == "__main__":
    print(f"Python {sys.version.split()[0]}, jsonspigot {jsonspigot.__version__}")
    table()
    lines_table()
    print()
    typed.table()
