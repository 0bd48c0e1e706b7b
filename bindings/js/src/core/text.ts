// One text that is read, and its outcome. A parser has one. A stream of documents reads one after the other with the same
// parts.

import { cloneEngine, type Output, type ReportingEngine } from "./reporting.js";
import { errorOf, Fault, TextError, withEvents } from "./text-error.js";
import { DONE } from "./states.js";
import { JsonSpigotError } from "./error.js";
import type { Deviations } from "./events.js";
import { Input } from "./input.js";
import { invalid, type Settings } from "./options.js";
import type { Tree } from "./tree/tree.js";

/** Returns the text. Fails if it has been disposed of. */
export function opened<T>(text: T | undefined): T {
  if (text === undefined) throw new JsonSpigotError("disposed", "the parser has been disposed of");
  return text;
}

/** Creates the input of an engine. */
export const inputFor = ({ lenient, strictByteOrderMark, accept }: Settings, engine: ReportingEngine): Input<ReportingEngine> =>
  lenient?.begin(engine, strictByteOrderMark, accept) ?? new Input(engine, strictByteOrderMark);

export const OPEN = 0;
export const FINISHED = 1;
export const FAILED = 2;

/** A text that is read, and its outcome. */
export class Text {
  readonly settings: Settings;
  readonly input: Input<ReportingEngine>;
  readonly engine: ReportingEngine;
  readonly output: Output;
  outcome: typeof OPEN | typeof FINISHED | typeof FAILED = OPEN;
  /** The error that has stopped the text. */
  stoppedBy: TextError | undefined;

  constructor(settings: Settings, input: Input<ReportingEngine>) {
    this.settings = settings;
    this.input = input;
    this.engine = input.engine;
    this.output = input.engine.output;
  }

  /** Returns the tree of snapshots. Fails if there is none. */
  tree(): Tree {
    const { tree } = this.engine;
    if (!tree) throw invalid("this parser keeps no snapshots: make it with { snapshots: true }");
    return tree;
  }

  /** Returns true if nothing has deviated from JSON so far. */
  get isStrict(): boolean {
    return !this.input.translator?.count;
  }

  get isOpen(): boolean {
    return this.outcome === OPEN;
  }

  get hasFailed(): boolean {
    return this.outcome === FAILED;
  }

  get hasRootEnded(): boolean {
    return this.engine.state === DONE && this.outcome !== FAILED && this.input.translator?.mayEnd !== false;
  }

  /** Returns the number of bytes that have been read; after an error, the offset of the first bad byte. */
  get offset(): number {
    return this.verdict?.offset ?? this.input.offset;
  }

  /** Returns the first error: a deviation that is not accepted, or the error that has stopped the text. */
  get error(): TextError | undefined {
    return this.input.translator?.first ?? this.stoppedBy;
  }

  /** Returns the text's error, once the text has ended. */
  get verdict(): TextError | undefined {
    return this.outcome === OPEN ? undefined : this.error;
  }

  reset(): void {
    this.input.reset();
    this.output.events = [];
    this.output.nextMatch = 0;
    this.output.refusal = undefined;
    this.outcome = OPEN;
    this.stoppedBy = undefined;
  }

  /** Returns an independent text in the same state. */
  clone(): Text {
    const { settings, outcome, stoppedBy } = this;
    const { bytes, half, hasBegun, readsMark, original, translator } = this.input;
    const input = inputFor(settings, cloneEngine(this.engine, { ...this.output, events: [] }));
    Object.assign(input, { bytes, half, hasBegun, readsMark }, original && { original: original.slice() });
    if (translator) Object.assign(input.translator!, translator, { list: translator.list.slice() });
    return Object.assign(new Text(settings, input), { outcome, stoppedBy });
  }

  /** Reads a chunk; its events are in the output. Returns the error that has stopped it. */
  read(chunk: string | Uint8Array): TextError | undefined {
    try {
      this.input.feed(chunk);
      return undefined;
    } catch (thrown) {
      return this.failAt(thrown);
    }
  }

  /**
   * Reads a chunk up to the root's end. Returns the length that was read, or that of the chunk if it has stopped the text with
   * an error.
   */
  readRoot(chunk: string | Uint8Array): number {
    const { engine } = this;
    engine.stopsAtRoot = true;
    try {
      return this.input.feed(chunk);
    } catch (thrown) {
      this.failAt(thrown);
      return chunk.length;
    } finally {
      engine.stopsAtRoot = false;
    }
  }

  /** Returns the engine, if chunks of whole characters can be fed to it directly. */
  readyEngine(): ReportingEngine | undefined {
    const { input, settings, output } = this;
    const isPlain = input.translator === undefined && settings.limits.total === Infinity;
    const waits = input.half !== "" || input.bytes.length > 0;
    const isReady = isPlain && input.engine.raw === undefined && this.outcome === OPEN && !waits && output.refusal === undefined;
    return isReady ? input.engine : undefined;
  }

  /** Ends the text. Returns its error. */
  end(): TextError | undefined {
    if (this.outcome !== OPEN) return this.error;
    try {
      this.input.finish();
    } catch (thrown) {
      return this.failAt(thrown);
    }
    this.outcome = FINISHED;
    return this.error;
  }

  /** Stops the text at a fault. Returns the text's error. Throws everything that is not a fault. */
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

  /** Returns an error about a call, which does not change the text. */
  errorOfCall(kind: string, expected: string): TextError {
    const { verdict, engine } = this;
    if (verdict) return new TextError(kind, expected, verdict);
    return errorOf(new Fault(kind, this.input.offset, expected, 0), engine);
  }

  /** Returns the strict text of the complete value. */
  completeText(): string {
    const { verdict, engine, settings } = this;
    if (verdict) throw withEvents(verdict);
    if (this.outcome === OPEN) throw this.errorOfCall("incomplete", "expected `finish` to be called at the end of input");
    if (settings.retain !== "all") throw this.errorOfCall("not-retained", "expected a parser that retains all of its text");
    return engine.kept!.whole();
  }

  get deviations(): Deviations {
    const { translator } = this.input;
    return translator === undefined ? { count: 0, list: [] } : { count: translator.count, list: translator.list.slice() };
  }
}
