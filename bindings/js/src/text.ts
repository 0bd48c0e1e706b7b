// One text that is read: its parts, how it stands, and what is asked of it once it has ended. A parser has one, and a stream
// of documents reads one after the other with the same parts.

import type { Automaton } from "./automaton.js";
import { cloneEngine, DONE, Engine, Fault, type Output } from "./engine.js";
import { JsonSpigotError } from "./error.js";
import type { Deviations } from "./events.js";
import { cloneInput, Input } from "./input.js";
import type { Keeping } from "./keeping.js";
import { invalid, type Settings } from "./options.js";
import { errorOf, TextError } from "./text-error.js";
import { Tree } from "./tree.js";

/** What belongs to a parser, for those who read and save many texts with it. */
export interface Parts {
  readonly settings: Settings;
  readonly automaton: Automaton;
  readonly output: Output;
  readonly input: Input;
}

/** A text that these patterns select in; it goes past deviations only if its input does. */
export function textOf(
  automaton: Automaton,
  settings: Settings,
  inputOf?: (engine: Engine) => Input,
  keeping?: Keeping,
  beginRaw?: Output["beginRaw"],
): Text {
  const output: Output = { events: [], nextMatch: 0, refusal: undefined, keeping, beginRaw };
  const engine = new Engine(automaton, settings, output);
  if (settings.snapshots) engine.tree = new Tree(settings);
  const input = inputOf?.(engine) ?? new Input(engine, settings.strictByteOrderMark);
  return new Text({ settings, automaton, output, input });
}

/** The text, unless it has been disposed of. */
export function opened<T>(text: T | undefined): T {
  if (text === undefined) throw new JsonSpigotError("disposed", "the parser has been disposed of");
  return text;
}

const OPEN = 0;
const FINISHED = 1;
const FAILED = 2;

/** How a text stands, and what is asked of it. */
export class Text {
  readonly parts: Parts;
  readonly engine: Engine;
  outcome: typeof OPEN | typeof FINISHED | typeof FAILED = OPEN;
  /** What has stopped the text. */
  stoppedBy: TextError | undefined;

  constructor(parts: Parts) {
    this.parts = parts;
    this.engine = parts.input.engine;
  }

  /** What is shown of the document. */
  tree(): Tree {
    const { tree } = this.engine;
    if (!tree) throw invalid("this parser keeps no snapshots: make it with { snapshots: true }");
    return tree;
  }

  get isOpen(): boolean {
    return this.outcome === OPEN;
  }

  get hasFailed(): boolean {
    return this.outcome === FAILED;
  }

  get hasRootEnded(): boolean {
    return this.engine.state === DONE && this.outcome !== FAILED && this.parts.input.translator?.mayEnd !== false;
  }

  /** The number of bytes that have been read; after an error, the offset of the first bad one. */
  get offset(): number {
    return this.verdict?.offset ?? this.parts.input.offset;
  }

  /** The first error: a deviation that is not accepted, or what has stopped the text. */
  get error(): TextError | undefined {
    return this.parts.input.translator?.first ?? this.stoppedBy;
  }

  /** The text's error, once it has ended. */
  get verdict(): TextError | undefined {
    return this.outcome === OPEN ? undefined : this.error;
  }

  reset(): void {
    this.parts.input.reset();
    this.parts.output.events = [];
    this.parts.output.nextMatch = 0;
    this.parts.output.refusal = undefined;
    this.outcome = OPEN;
    this.stoppedBy = undefined;
  }

  clone(): Text {
    const { settings, automaton, input, output } = this.parts;
    const copied: Output = { ...output, events: [] };
    const clone = new Text({ settings, automaton, output: copied, input: cloneInput(input, cloneEngine(input.engine, copied)) });
    clone.outcome = this.outcome;
    clone.stoppedBy = this.stoppedBy;
    return clone;
  }

  /** Reads a chunk; its events are in the output. Returns the error that has stopped it. */
  read(chunk: string | Uint8Array): TextError | undefined {
    try {
      this.parts.input.feed(chunk);
      return undefined;
    } catch (thrown) {
      return this.failAt(thrown);
    }
  }

  /** The engine, if whole characters can be given to it as they are. */
  readyEngine(): Engine | undefined {
    const { input, settings, output } = this.parts;
    const isPlain = input.translator === undefined && settings.limits.total === Infinity;
    const waits = input.half !== "" || input.bytes.length > 0;
    const isReady = isPlain && input.engine.raw === undefined && this.outcome === OPEN && !waits && output.refusal === undefined;
    return isReady ? input.engine : undefined;
  }

  /** The end of the text. Returns its error. */
  end(): TextError | undefined {
    if (this.outcome !== OPEN) return this.error;
    try {
      this.parts.input.finish();
    } catch (thrown) {
      return this.failAt(thrown);
    }
    this.outcome = FINISHED;
    return this.error;
  }

  /** The error that this was, unless it is no fault of the text. */
  failAt(thrown: unknown): TextError {
    if (!(thrown instanceof Fault)) throw thrown;
    this.engine.keepTo(thrown.at);
    return this.fail(errorOf(thrown, this.engine));
  }

  fail(error: TextError): TextError {
    this.stoppedBy = error;
    this.outcome = FAILED;
    return this.error!;
  }

  /** An error about a call, which leaves the text as it is. */
  errorOfCall(kind: string, expected: string): TextError {
    const { verdict, engine } = this;
    if (verdict) return new TextError(kind, expected, verdict.offset, verdict.line, verdict.column, verdict.path);
    return errorOf(new Fault(kind, this.parts.input.offset, expected, 0), engine);
  }

  /** The strict text of the complete value. */
  completeText(): string {
    const { verdict, engine, parts } = this;
    if (verdict) throw verdict.with([]);
    if (this.outcome === OPEN) throw this.errorOfCall("incomplete", "expected `finish` to be called at the end of input");
    if (parts.settings.retain !== "all") throw this.errorOfCall("not-retained", "expected a parser that retains all of its text");
    return engine.kept!.whole();
  }

  get deviations(): Deviations {
    const { translator } = this.parts.input;
    return translator === undefined ? { count: 0, list: [] } : { count: translator.count, list: translator.list.slice() };
  }
}
