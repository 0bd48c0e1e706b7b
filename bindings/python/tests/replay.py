"""Prints what the package tells as the command line does, so that the vectors can be compared byte for byte."""

from __future__ import annotations

import base64
import itertools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from jsonspigot import (
    Begin,
    Delta,
    Deviation,
    DocumentEnd,
    Documents,
    End,
    Envelope,
    EnvelopeEvent,
    InnerError,
    JsonSpigotError,
    Parser,
    ProviderStream,
    StreamEvent,
)

VECTORS = Path(__file__).parents[1] / "vectors"


class Vector(NamedTuple):
    name: str
    patterns: list[str]
    options: dict[str, Any]
    chunks: list[bytes]
    lines: list[str]
    state: bytes | None = None


def vectors(path: Path) -> Iterator[Vector]:
    header: dict[str, Any] | None = None
    lines: list[str] = []
    # Not `splitlines`, which takes U+2028 for a line's end too.
    for line in path.read_bytes().decode().split("\n"):
        if line.startswith('{"vector":') or not line:
            if header is not None:
                yield vector(header, lines)
            header, lines = (json.loads(line) if line else None), []
        else:
            lines.append(line)


def vector(header: dict[str, Any], lines: list[str]) -> Vector:
    chunks = [base64.b64decode(chunk, validate=True) for chunk in header["chunks"]]
    state = base64.b64decode(header["state"], validate=True) if "state" in header else None
    return Vector(header["vector"], header["patterns"], header["options"], chunks, lines, state)


OPTIONS = {
    "maxDepth": "max_depth",
    "maxKey": "max_key",
    "maxString": "max_string",
    "maxNumber": "max_number",
    "maxBlank": "max_blank",
    "maxTotal": "max_total",
    "retain": "retain",
    "duplicateKeys": "duplicate_keys",
    "snapshots": "snapshots",
    "provisional": "provisional",
    "lenient": "lenient",
    "accept": "accept_deviations",
}
# Those that say what is printed, or by what.
OTHERS = {"patches", "value", "documents", "provider", "structured", "providerEvents", "cumulative", "closed", "envelope", "checkpoint"}

T = TypeVar("T", Parser, Documents, ProviderStream, Envelope)


def replay(vector: Vector, checkpoint: int | None = None) -> list[str]:
    """The lines that this package gives for a vector, saved and restored after every so many chunks."""

    def named(match: re.Match[str]) -> str:
        """Deltas of raw patterns have a name of their own on the command line."""
        is_raw = vector.patterns[int(match[2])].startswith("raw:")
        return f'{{"event":"raw"{match[1]}"pattern":{match[2]}' if is_raw else match[0]

    return [re.sub(r'^\{"event":"delta"(.*?)"pattern":(\d+)', named, line) for line in lines_of(vector, checkpoint)]


def lines_of(vector: Vector, checkpoint: int | None) -> list[str]:
    options = vector.options
    every = checkpoint or options.get("checkpoint")
    assert options.keys() <= OPTIONS.keys() | OTHERS, f"an option that this replay does not know: {options}"
    arguments = {OPTIONS[name]: value for name, value in options.items() if name in OPTIONS}
    if options.get("patches"):
        arguments["snapshots"] = True
    if "provider" in options:
        # The command's default for calls too.
        arguments.setdefault("duplicate_keys", "last-wins")
        arguments["structured"] = options.get("structured", False)
        arguments["with_provider_events"] = options.get("providerEvents", False)
        arguments["cumulative"] = options.get("cumulative", False)
        arguments["closed"] = options.get("closed")
        arguments["envelope"] = options.get("envelope")
    shown = "snapshot" if options.get("snapshots") else "patch" if options.get("patches") else None
    with_value = options.get("value", False)
    framing = options.get("documents")

    def restored(state: bytes) -> Any:
        if "provider" in options:
            return ProviderStream.restore(options["provider"], vector.patterns, state, **arguments)
        if "envelope" in options:
            return Envelope.restore(options["envelope"], vector.patterns, state, **arguments)
        if framing is not None:
            return Documents.restore(framing, vector.patterns, state, **arguments)
        return Parser.restore(vector.patterns, state, **arguments)

    turns = itertools.count(1)

    def again(reader: T) -> T:
        return restored(reader.save()) if every and next(turns) % every == 0 else reader

    if "provider" in options:
        return list(provider_lines(ProviderStream(options["provider"], vector.patterns, saveable=bool(every), **arguments), vector.chunks, again))
    if "envelope" in options:
        return list(envelope_lines(Envelope(options["envelope"], vector.patterns, saveable=bool(every), **arguments), vector.chunks, again))
    try:
        reader = None if vector.state is None else restored(vector.state)
    except JsonSpigotError as error:
        return [line("error", place(error))]
    if framing is not None:
        documents = reader or Documents(framing, vector.patterns, **arguments)
        return list(documents_lines(documents, vector.chunks, shown, with_value, again))
    parser = reader or Parser(vector.patterns, **arguments)
    return list(parser_lines(parser, vector.chunks, shown, with_value, again))


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def line(event: str, members: list[tuple[str, str | None]]) -> str:
    """One line; a member whose JSON text is `None` is left out."""
    return "{" + ",".join(f'"{name}":{text}' for name, text in [("event", quoted(event)), *members] if text is not None) + "}"


def number(value: int | None) -> str | None:
    return None if value is None else str(value)


def maybe(text: str | None) -> str | None:
    return None if text is None else quoted(text)


def place(error: JsonSpigotError) -> list[tuple[str, str | None]]:
    return [
        ("kind", quoted(error.kind)),
        ("offset", str(error.offset)),
        ("line", str(error.line)),
        ("column", str(error.column)),
        ("path", quoted(error.path)),
    ]


def match_line(event: Any, origin: list[tuple[str, str | None]]) -> str:
    members = [*origin, ("pattern", str(event.pattern)), ("path", quoted(event.path))]
    match event:
        case Begin(kind=kind):
            return line("begin", [*members, ("kind", quoted(kind))])
        case Delta(text=text):
            return line("delta", [*members, ("text", quoted(text))])
        case End(raw=raw):
            return line("end", [*members, ("value", raw)])
        case InnerError(error=error):
            return line("inner-error", [*members, ("kind", quoted(error.kind)), ("offset", str(error.offset))])
    raise AssertionError(event)


def deviation_line(deviation: Deviation, origin: list[tuple[str, str | None]]) -> str:
    members = [("offset", str(deviation.offset)), ("line", str(deviation.line)), ("column", str(deviation.column))]
    return line("deviation", [*origin, ("kind", quoted(deviation.kind)), *members])


class Shown:
    """What has been printed of a snapshot."""

    def __init__(self, how: str | None) -> None:
        self.how = how
        self.revision: Any = None

    def lines(self, parser: Parser, origin: list[tuple[str, str | None]]) -> Iterator[str]:
        if self.how is None or parser.patch_raw_since(self.revision) == "[]":
            return
        if self.how == "snapshot":
            yield line("snapshot", [*origin, ("value", parser.snapshot_raw())])
        else:
            yield line("patch", [*origin, ("ops", parser.patch_raw_since(self.revision))])
        self.revision = parser.revision()


def joined(lines: Iterator[str | JsonSpigotError]) -> list[str | JsonSpigotError]:
    """A chunk's lines with the deltas of each match joined in its first one."""
    told: list[str | JsonSpigotError] = []
    newest: dict[str, int] = {}
    for printed in lines:
        head, text = "", ""
        if isinstance(printed, str):
            head, _, text = printed.partition(',"text":"')
        origin = head.partition(',"pattern":')[2]
        if not head.startswith('{"event":"delta"'):
            # A path may have another match.
            newest.pop(origin.partition(',"kind":')[0], None)
        elif origin in newest:
            first = told[newest[origin]]
            assert isinstance(first, str)
            told[newest[origin]] = first.removesuffix('"}') + text
            continue
        else:
            newest[origin] = len(told)
        told.append(printed)
    return told


def parser_lines(
    parser: Parser, chunks: list[bytes], how: str | None, with_value: bool, again: Callable[[Parser], Parser]
) -> Iterator[str]:
    shown = Shown(how)
    told = 0

    def deviations(end: float) -> Iterator[str]:
        nonlocal told
        for deviation in parser.deviations[told:]:
            if deviation.offset >= end:
                break
            told += 1
            yield deviation_line(deviation, [])

    def tell(call: Any, *arguments: Any) -> Iterator[str | JsonSpigotError]:
        failure: JsonSpigotError | None = None
        try:
            events = call(*arguments)
        except JsonSpigotError as error:
            events, failure = error.events, error
        for event in events:
            yield from deviations(event.offset if isinstance(event, End) else event.offset + 1)
            yield match_line(event, [])
        yield from deviations(float("inf"))
        yield from shown.lines(parser, [])
        if failure is not None:
            yield failure

    for chunk in [*chunks, None]:
        if chunk is None and parser.deviation_count > len(parser.deviations):
            yield line("deviation", [("more", str(parser.deviation_count - len(parser.deviations)))])
        for printed in joined(tell(parser.finish) if chunk is None else tell(parser.feed, chunk)):
            if isinstance(printed, JsonSpigotError):
                yield line("error", place(printed))
                return
            yield printed
        if chunk is not None:
            parser = again(parser)
    yield line("done", [("bytes", str(parser.offset)), ("value", parser.raw() if with_value else None)])


def documents_lines(
    documents: Documents,
    chunks: list[bytes],
    how: str | None,
    with_value: bool,
    again: Callable[[Documents], Documents],
) -> Iterator[str]:
    shown, shown_of, count = Shown(how), 0, 0

    def shown_lines(parser: Parser, number: int) -> Iterator[str]:
        nonlocal shown, shown_of
        if number != shown_of:
            shown, shown_of = Shown(how), number
        yield from shown.lines(parser, [("document", str(number))])

    def tell(events: list[Any]) -> Iterator[str]:
        nonlocal count
        for event in events:
            origin: list[tuple[str, str | None]] = [("document", str(event.document))]
            if not isinstance(event, DocumentEnd):
                yield match_line(event, origin)
                continue
            count = event.document + 1
            for deviation in event.deviations:
                yield deviation_line(deviation, origin)
            if event.deviation_count > len(event.deviations):
                yield line("deviation", [*origin, ("more", str(event.deviation_count - len(event.deviations)))])
            if event.parser is not None:
                yield from shown_lines(event.parser, event.document)
            if event.error is not None:
                yield line("error", [*origin, *place(event.error)])
            else:
                value = event.raw if with_value else None
                yield line("document", [*origin, ("bytes", str(event.byte_count)), ("value", value)])

    total = 0
    for chunk in [*chunks, None]:
        try:
            events = documents.finish() if chunk is None else documents.feed(chunk)
        except JsonSpigotError as error:
            # It was told with the document that it ends the stream with.
            yield from tell(error.events)
            return
        yield from tell(events)
        total += len(chunk or b"")
        parser = documents.parser()
        if how is not None and parser is not None and chunk is not None:
            yield from shown_lines(parser, documents.number)
        if chunk is not None:
            documents = again(documents)
    yield line("done", [("bytes", str(total)), ("documents", str(count))])


def verdict(event: Any) -> list[tuple[str, str | None]]:
    reason = getattr(event, "reason", None)
    members: list[tuple[str, str | None]] = [("status", quoted(event.status))]
    if event.raw is not None:
        members.append(("value", event.raw))
    elif event.status != "empty":
        members.append(("raw", quoted(event.text)))
    if event.status == "accepted":
        listed = (f'{{"kind":{quoted(it.kind)},"offset":{it.offset}}}' for it in event.deviations)
        members.append(("deviations", f"[{','.join(listed)}]"))
        more = event.deviation_count - len(event.deviations)
        members.append(("more", str(more) if more else None))
    said: list[tuple[str, str | None]] = []
    if event.error is not None:
        said += place(event.error)
    elif reason is not None:
        said.append(("kind", quoted("incomplete")))
    if reason is not None:
        said.append(("reason", quoted(reason)))
    if said:
        members.append(("error", "{" + ",".join(f'"{name}":{text}' for name, text in said) + "}"))
    if event.values:
        members += [("values", f"[{','.join(event.values)}]"), ("repeated", "true" if event.repeated else "false")]
    return members


def provider_lines(
    stream: ProviderStream, chunks: list[bytes], again: Callable[[ProviderStream], ProviderStream]
) -> Iterator[str]:
    known: dict[int, tuple[bool, bool, str]] = {}
    total = 0
    for chunk in [*chunks, None]:
        total += len(chunk or b"")
        for event in stream.finish() if chunk is None else stream.feed(chunk):
            printed = provider_line(event, known)
            if printed is not None:
                yield printed
        if chunk is not None:
            stream = again(stream)
    yield line("done", [("bytes", str(total))])


def choice_of(event: Any) -> tuple[str, str | None]:
    return ("choice", str(event.choice) if event.choice else None)


def json_value(text: str) -> str:
    """Read a provider's JSON, or return a string if it is not JSON by the library's rules."""
    parser = Parser()
    try:
        parser.feed(text)
        parser.finish()
    except JsonSpigotError:
        return quoted(text)
    return text


def provider_line(event: StreamEvent, known: dict[int, tuple[bool, bool, str]]) -> str | None:
    E = StreamEvent
    match event:
        case E.Match(call=call, event=told):
            return match_line(told, [("call", str(call))])
        case E.CallStart(call=call, id=id_, name=name, choice=choice, executed=executed):
            known[call] = (id_ is not None, name is not None, executed)
            return line(
                "call",
                [
                    ("call", str(call)),
                    ("id", maybe(id_) or "null"),
                    ("name", maybe(name) or "null"),
                    ("choice", str(choice) if name is None or choice else None),
                    ("executed", quoted(executed) if id_ is not None or name is not None else None),
                ],
            )
        case E.CallEnd(call=call, id=id_, name=name, executed=executed):
            has_id, has_name, executor = known.pop(call, (True, True, executed))
            was_told = (has_id or has_name or (id_ is None and name is None)) and executor == executed
            return line(
                "input",
                [
                    ("call", str(call)),
                    ("id", None if has_id else maybe(id_)),
                    ("name", None if has_name else maybe(name)),
                    *verdict(event),
                    ("executed", None if was_told else quoted(executed)),
                ],
            )
        case E.Payload(event=told, block=block):
            place = [("block", str(block)), choice_of(event)]
            match told:
                case EnvelopeEvent.Match(mark=mark, event=match):
                    return match_line(match, [("mark", quoted(mark)), *place])
                case EnvelopeEvent.Fragment(mark=mark, text=text):
                    return line("fragment", [("mark", quoted(mark)), *place, ("text", quoted(text))])
                case EnvelopeEvent.End(mark=mark):
                    return line("payload", [("mark", quoted(mark)), *place, *verdict(told)])
                case _:
                    # The command has no line for a payload's begin.
                    return None
        case E.CallError(kind=kind, call=call):
            return line("call-error", [("call", number(call)), ("kind", quoted(kind))])
        case E.CallClosed(call=call):
            return line("call-closed", [("call", str(call))])
        case E.FieldsClosed(call=call):
            return line("fields-closed", [("call", str(call))])
        case E.CallWarning(kind=kind, call=call):
            return line("warning", [("kind", quoted(kind)), ("call", str(call))])
        case E.ApprovalRequest(id=id_, call=call, json=text):
            return line("approval-request", [("id", quoted(id_)), ("call", number(call)), ("value", json_value(text))])
        case E.MessageStart(id=id_, model=model):
            return line("message-start", [("id", maybe(id_)), ("model", maybe(model))])
        case E.BlockStart(block=block, kind=kind, id=id_, phase=phase):
            return line(
                "block-start",
                [("block", str(block)), ("kind", quoted(kind)), ("id", maybe(id_)), ("phase", maybe(phase)), choice_of(event)],
            )
        case E.BlockEnd(block=block, kind=kind):
            return line("block-end", [("block", str(block)), ("kind", quoted(kind)), choice_of(event)])
        case E.Text(text=text, block=block):
            return line("text", [("text", quoted(text)), choice_of(event), ("block", str(block))])
        case E.Reasoning(text=text, block=block):
            return line("reasoning", [("text", quoted(text)), choice_of(event), ("block", str(block))])
        case E.Refusal(text=text):
            return line("refusal", [("text", quoted(text)), choice_of(event)])
        case E.Opaque(kind=kind, block=block, call=call, json=text):
            members = [("kind", quoted(kind)), ("block", number(block)), ("call", number(call))]
            return line("opaque", [*members, ("value", json_value(text)), choice_of(event)])
        case E.ToolResult(call=call, call_id=call_id, is_error=is_error, json=text):
            members = [("call", number(call)), ("id", maybe(call_id)), ("is_error", "true" if is_error else None)]
            return line("tool-result", [*members, ("value", json_value(text))])
        case E.CallCancelled(call=call, call_id=call_id, json=text):
            return line("call-cancelled", [("call", number(call)), ("id", maybe(call_id)), ("value", json_value(text))])
        case E.Source(url=url, title=title, quote=quote, span=span, block=block, json=text):
            return line(
                "source",
                [
                    ("url", maybe(url)),
                    ("title", maybe(title)),
                    ("quote", maybe(quote)),
                    ("span", None if span is None else f"[{span[0]},{span[1]}]"),
                    ("block", number(block)),
                    ("value", json_value(text)),
                    choice_of(event),
                ],
            )
        case E.ContentFilter(json=text):
            return line("content-filter", [("value", json_value(text)), choice_of(event)])
        case E.Usage(input=input_, output=output, cached=cached, reasoning=reasoning, json=text):
            counts = [("input", input_), ("output", output), ("cached", cached), ("reasoning", reasoning)]
            return line("usage", [("value", json_value(text)), *((name, number(count)) for name, count in counts)])
        case E.Stop(reason=reason, kind=kind, native_reason=native, stop_sequence=sequence):
            return line(
                "stop",
                [
                    ("reason", quoted(reason)),
                    ("native_reason", maybe(native)),
                    choice_of(event),
                    ("kind", quoted(kind)),
                    ("stop_sequence", maybe(sequence)),
                ],
            )
        case E.Incomplete(reason=reason):
            return line("incomplete", [("reason", quoted(reason))])
        case E.Media(media_type=media_type, data=data, url=url, block=block):
            members = [("media_type", maybe(media_type)), ("data", maybe(data)), ("url", maybe(url))]
            return line("media", [*members, ("block", number(block)), choice_of(event)])
        case E.Mismatch(kind=kind, text=text, block=block, call=call):
            members = [("kind", quoted(kind)), ("block", number(block)), ("call", number(call)), ("text", quoted(text))]
            return line("mismatch", [*members, choice_of(event)])
        case E.Data(kind=kind, json=text):
            return line("data", [("kind", quoted(kind)), ("value", json_value(text))])
        case E.UnknownPart(kind=kind, json=text):
            return line("unknown-part", [("kind", quoted(kind)), ("value", json_value(text))])
        case E.Agent(agent=agent, event=inner):
            written = provider_line(inner, known)
            return None if written is None else re.sub(r'^(\{"event":"[a-z-]+")', lambda found: f'{found[1]},"agent":{quoted(agent)}', written)
        case E.ProviderEvent(json=text):
            return line("provider-event", [("value", json_value(text))])
        case E.ProviderError(message=message, kind=kind, code=code, retry=retry, retry_after_ms=after, json=text):
            members = [("message", quoted(message)), ("type", maybe(kind)), ("code", maybe(code))]
            value = None if text is None else json_value(text)
            return line("provider-error", [*members, ("retry", maybe(retry)), ("retry_after_ms", number(after)), ("value", value)])
        case E.Unknown(text=text):
            return line("unknown-event", [("text", quoted(text))])
        case E.BadFrame(text=text):
            return line("bad-frame", [("text", quoted(text))])
        case E.Fragment() | E.End():
            # The command has no lines for these.
            return None
    raise AssertionError(event)


def envelope_lines(
    envelope: Envelope, chunks: list[bytes], again: Callable[[Envelope], Envelope]
) -> Iterator[str]:
    E = EnvelopeEvent
    total = 0
    for chunk in [*chunks, None]:
        total += len(chunk or b"")
        failure: JsonSpigotError | None = None
        try:
            events = envelope.finish() if chunk is None else envelope.feed(chunk)
        except JsonSpigotError as error:
            events, failure = error.events, error
        for event in events:
            match event:
                case E.Text(text=text):
                    yield line("text", [("text", quoted(text))])
                case E.Fragment(mark=mark, text=text):
                    yield line("fragment", [("mark", quoted(mark)), ("text", quoted(text))])
                case E.Match(mark=mark, event=told):
                    yield match_line(told, [("mark", quoted(mark))])
                case E.End(mark=mark):
                    yield line("payload", [("mark", quoted(mark)), *verdict(event)])
                case E.Begin():
                    # What follows tells where it begins.
                    pass
        if failure is not None:
            yield line("error", place(failure))
            return
        if chunk is not None:
            envelope = again(envelope)
    yield line("done", [("bytes", str(total))])
