// OpenAI Responses: items by their index in the output. Each action is an item and is reported as a call, also if the provider executes it.
// The whole input of a call is sent up to three times after its pieces: by itself, in its item, and in the response.

import type { CallEvent } from "../calls/event.js";
import { indexOf, jsonOf, listOf, membersOf, pieceOf, textOf, type Members } from "./members.js";
import { eventsOf, WireStream, type WireEvents } from "./wire-stream.js";

/** The input of an item that is a call, by its type without `_call`: one member, or an object of these with a comma. */
const INPUTS: { readonly [tool: string]: string | undefined } = {
  function: "arguments",
  mcp: "arguments",
  mcp_approval_request: "arguments",
  tool_search: "arguments",
  custom_tool: "input",
  code_interpreter: "code",
  shell: "action",
  local_shell: "action",
  web_search: "action",
  apply_patch: "callId,operation",
  computer: "action,actions,pending_safety_checks",
  file_search: ",queries",
  image_generation: ",revised_prompt",
};

/** Calls whose input is streamed as it is, and those of them whose input is not JSON. */
const STREAMED = /^(function|mcp|custom|code)/;
const RAW = /^(custom|code)/;
/** Calls that the provider executes, unless their items say otherwise. */
const PROVIDERS = /^(mcp|code|tool|web|file|image)/;

const PIECE = /^response\.(\w+)_call_(?:operation_)?(arguments|input|code|command|diff)\.(added|delta|done)$/;
/** Other events about an item, which have nothing of its input. */
const OTHER =
  /^response\.(output_text|refusal|reasoning|content_part|shell_call_output|mcp_list_tools|\w+_call\.(in_progress|\w+ing|completed|failed)$)/;

/** A call, by its item. */
interface Known {
  readonly tool: string;
  readonly id: string;
  readonly name: string;
  /** The item as it started. */
  readonly item: Members;
  isOpen: boolean;
  /** True if its item is done, after which no piece comes. */
  isDone: boolean;
  /** The strings of the input that were sent in pieces, one after the other. */
  readonly strings: string[];
}

/** A stream of OpenAI's Responses, one event at a time. */
export class ResponsesStream<E extends object | string = object | string> extends WireStream<E> {
  /** The calls, by their indices and by their ids. */
  readonly #calls = new Map<number | string, Known>();
  /** True if events contradict each other, or one could not be read: no call can be complete, whatever others repeat. */
  #hasLost = false;
  #hasEnded = false;
  #id = "";

  /** @internal */
  protected override read(event: Members): void {
    // A Realtime connection has the same types, and responses side by side.
    const kind = pieceOf(event.event_id == null && event.type !== "response.done" && event.type);
    const piece = PIECE.exec(kind);
    if (piece !== null) return this.#piece(piece, event);
    switch (kind) {
      case "response.created": {
        const id = textOf(membersOf(event.response).id);
        if (id !== "" && id === this.#id) return this.lose();
        this.#id = id;
        this.#calls.clear();
        this.#hasLost = false;
        this.#hasEnded = false;
        return this.emit.begin();
      }
      case "response.output_text.delta":
        return this.emit.text(pieceOf(event.delta));
      case "response.output_item.added":
      case "response.output_item.done":
        return this.#item(indexOf(event.output_index), membersOf(event.item), kind.endsWith("done"));
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        return this.#finish(kind.slice(9), membersOf(event.response));
    }
    if (!OTHER.test(kind)) this.emit.passOver(event);
  }

  /** Reads a piece of an input or of a string in it, or all of that. */
  #piece([, tool, member, step]: readonly string[], event: Members): void {
    const { calls } = this.emit;
    const { delta, item_id, name, command_index } = event;
    const index = indexOf(event.output_index);
    const known = this.#calls.get(index);
    const isWhole = step === "done";
    const text = step === "delta" ? pieceOf(delta) : textOf(event[member!]);
    if (
      known &&
      (known.isDone || known.tool !== tool || (item_id ?? known.item.id) !== known.item.id || (name ?? known.name) !== known.name)
    ) {
      this.lose();
    } else if (known && !STREAMED.test(tool!)) {
      // It is only compared: the input comes with its item.
      const { strings } = known;
      const place = indexOf(command_index ?? 0);
      const before = strings[place] ?? "";
      if (![0, 1].includes(strings.length - place) || (isWhole && before !== "" && before !== text)) return this.lose();
      strings[place] = isWhole ? text : before + text;
    } else {
      this.#tell(isWhole ? calls.whole(index, text) : calls.delta(index, text));
    }
  }

  /** @internal */
  protected override lose(): void {
    this.#hasLost = true;
    this.emit.leaveOut();
  }

  /** Reports what a signal makes of a call. A whole input does not make up for what was lost elsewhere. */
  #tell(events: readonly CallEvent[]): void {
    this.emit.tell(events);
    if (this.#hasLost) this.emit.leaveOut();
  }

  /** Starts the call of an item, or ends it if the item is done. */
  #item(index: number, item: Members, isDone: boolean): void {
    const { calls } = this.emit;
    const { call_id, id, action, operation, environment, execution, status } = item;
    const tool = textOf(item.type).replace(/_call$/, "");
    const ownId = textOf(call_id ?? id);
    const same = this.#calls.get(ownId);
    // A call that has a result has had its end.
    const members = INPUTS[tool];
    if (members === undefined && same?.isOpen) this.lose();
    // The id of a tool search may change until it is done.
    if (members === undefined || (tool === "tool_search" && !isDone)) return;
    const name = textOf(item.name) || (/^(function|custom|mcp)/.test(tool) ? "" : tool);
    const input = inputOf(members, { ...item, callId: ownId }, tool);
    const isStreamed = STREAMED.test(tool);
    // Without a name, the tool is not known. Without an action, the commands are not JSON.
    if (name === "" || (/^(shell|apply)/.test(tool) && (action ?? operation) == null)) this.lose();
    let known = this.#calls.get(index);
    if (known === undefined || !isDone) {
      // Every call starts once, with an index and an id of its own.
      if (known ?? same) this.lose();
      if (same && isDone) return;
      known = { tool, id: ownId, name, item, isOpen: true, isDone: false, strings: [] };
      this.#calls.set(index, known).set(ownId, known);
      const isExcepted = execution === "client" || /^container/.test(textOf(membersOf(environment).type));
      const executed = PROVIDERS.test(tool) === isExcepted ? "client" : "provider";
      this.#tell(calls.start(index, { id: ownId, name, input: isStreamed ? input : "", raw: RAW.test(tool), executed }));
    }
    if (!isDone || !known.isOpen) return;
    const commands = membersOf(action).commands;
    const patch = membersOf(operation);
    const strings = Array.isArray(commands) ? commands : [patch.diff];
    const isOther = known.tool !== tool || known.id !== ownId || known.name !== name;
    const before = membersOf(known.item.operation);
    const isOtherPatch = ["type", "path"].some((member) => before[member] != null && before[member] !== patch[member]);
    if (isOther || isOtherPatch || (known.strings.length > 0 && jsonOf(known.strings) !== jsonOf(strings))) this.lose();
    const isCut = /^(in|failed)/.test(textOf(status)) && !/^(web|file|image)/.test(tool);
    // Without an input it may still come, with the response.
    known.isDone = true;
    known.isOpen = isStreamed && !isCut && input === "";
    if (known.isOpen) return;
    // Of an item that was cut, only a streamed text can be whole: if it has closed.
    if (isStreamed || !isCut) this.#tell(calls.whole(index, input));
    this.emit.tell(isCut ? calls.cutCall(index, "incomplete") : calls.stop(index));
  }

  #finish(kind: string, response: Members): void {
    const emit = this.emit;
    // Another end adds nothing.
    if (this.#hasEnded) return this.lose();
    this.#hasEnded = true;
    listOf(response.output).forEach((item, index) => {
      this.#item(index, item, true);
    });
    for (const { tool, isOpen } of this.#calls.values()) {
      // Input that is not streamed only comes when the item is done.
      if (isOpen && !STREAMED.test(tool)) emit.leaveOut();
    }
    const { incomplete_details, status } = response;
    const reason = textOf(membersOf(incomplete_details).reason) || (kind === "completed" && textOf(status)) || kind;
    emit.end(reason);
    emit.stop(reason);
  }
}

function inputOf(members: string, all: Members, tool: string): string {
  const input = members.includes(",") ? Object.fromEntries(members.split(",").map((name) => [name, all[name] ?? undefined])) : all[members];
  if (typeof input === "string" || STREAMED.test(tool)) return textOf(input);
  // A search that failed may have no action.
  return jsonOf(input ?? (tool === "web_search" ? {} : input));
}

/**
 * Yields the events of a stream of OpenAI's Responses.
 * See {@link WireEvents}.
 *
 * @example
 * ```ts
 * import { responsesEvents } from "jsonspigot/openai";
 *
 * const stream = await client.responses.create({ ...request, stream: true });
 * for await (const event of responsesEvents(stream, "city")) {
 *   if (event.kind === "input" && event.status === "complete") console.log(event.name, event.value); // "plan" {"city":"Köln"}
 * }
 * ```
 */
export const responsesEvents: WireEvents = (source, patterns, options) => eventsOf(source, new ResponsesStream(patterns, options));
