// The rewriter of one text: text that no rule applies to is passed on unchanged, at once.

import { compile } from "../core/patterns/compile.js";
import { errorOf, Fault } from "../core/text-error.js";
import { Input, isBytes } from "../core/input.js";
import { checkOptions, invalid, limitOf, limitsOf, rejects, type ParserOptions } from "../core/options.js";
import type { Chunk } from "../loops/source.js";
import { Stage } from "../core/runtime.js";
import { EditingEngine } from "./editing-engine.js";
import { Edits } from "./edits.js";
import { RewriteError } from "./error.js";
import { Rule } from "./rule.js";

export interface RewriterOptions extends Pick<ParserOptions, "limits" | "duplicateKeys" | "strictByteOrderMark"> {
  /** How many bytes may be held back: 1 MiB unless set otherwise. */
  readonly heldLimit?: number;
}

const KNOWN = ["limits", "duplicateKeys", "strictByteOrderMark", "heldLimit"];

/**
 * An editor of one JSON text while it passes. Of several rules that select a value the first one is applied.
 *
 * Replacements are not searched, nor values inside a value that a rule applies to. Of equal keys each occurrence is
 * rewritten. All other text is passed on unchanged by the call that reads it, except for text that has to be held back: with a
 * rule that removes, a comma, the key and the white space around them where a pattern may select the value after them; an
 * incomplete escape in a string that a pattern leads into; a value that a `Rule.map` waits for; and the first bytes of a
 * character that a chunk's end cuts.
 *
 * A value that is removed takes along the comma before it and its key, and the white space between them; if nothing before
 * it in its object or array is left, the comma after it. If the text in a string turns out not to be JSON, the rest of the
 * string passes as it is, unless there is a rule that redacts: then it ends at the bad byte. So use `Rule.redact` for secrets.
 *
 * If a rule redacts, the key `$serde_json::private::RawValue` is an error of kind `private-key` wherever a pattern may select
 * something: a Rust program may read such an object as the JSON text in its string, in which nothing was redacted.
 *
 * @example
 * ```ts
 * import { Rewriter, Rule } from "jsonspigot/rewrite";
 *
 * const rewriter = new Rewriter([Rule.redact("..password"), Rule.remove("debug"), Rule.replace("user | id", 7)]);
 * let out = "";
 * for (const chunk of ['{"debug": [1, ', '2], "login": {"pass', 'word": "hun', 'ter2"}, "user": "{\\"id\\": 1}"}']) {
 *   out += rewriter.write(chunk); // strings or bytes, cut anywhere
 * }
 * out += rewriter.finish(); // throws if the text is not one complete JSON text
 * console.log(out === '{ "login": {"password": "[redacted]"}, "user": "{\\"id\\": 7}"}'); // true
 * ```
 */
export class Rewriter {
  readonly #edits: Edits;
  readonly #engine: EditingEngine;
  readonly #input: Input;
  #hasFinished = false;
  #isRunning = false;
  /** The error that has stopped it. */
  #stoppedBy: { readonly error: unknown } | undefined;

  /** @throws {JsonSpigotError} if a rule removes a root, or has an invalid pattern or one with `raw:`. */
  constructor(rules: Rule | readonly Rule[], options: RewriterOptions = {}) {
    checkOptions(options, KNOWN, "; only strict JSON can be rewritten");
    const list = Array.isArray(rules) ? (rules as readonly Rule[]).slice() : [rules as Rule];
    if (!list.every((rule) => rule instanceof Rule)) throw new TypeError("a rule is made by Rule.redact, Rule.remove and the like");
    const automaton = compile(list.map(({ pattern }) => pattern));
    automaton.patterns.forEach(({ steps, isRaw }, place) => {
      if (isRaw) throw invalid(`rule ${place} needs a pattern without \`raw:\``);
      const selectsRoot = steps.length === 0 || steps[steps.length - 1]!.isInside;
      if (selectsRoot && list[place]!.kind === "remove") {
        throw invalid(`rule ${place} removes the root of a text, but a text must have a value`);
      }
    });
    const { limits, duplicateKeys, heldLimit, strictByteOrderMark } = options;
    const edits = new Edits(list, limitOf("heldLimit", heldLimit, 1 << 20));
    const settings = { limits: limitsOf(limits), rejectsDuplicates: rejects(duplicateKeys) };
    this.#edits = edits;
    this.#engine = new EditingEngine(automaton, settings, { edits });
    this.#input = new Input(this.#engine, strictByteOrderMark === true);
  }

  /**
   * Reads a chunk, which may be cut anywhere, and returns the output that is decided.
   *
   * @throws {RewriteError} at the first bad byte, or if too much has to be held back, or a replacement is invalid. Its `output`
   * is the output before that. Errors of a rule's function are rethrown. Later calls throw the same error.
   */
  write(chunk: Chunk): string {
    if (typeof chunk !== "string" && !isBytes(chunk)) throw new TypeError("a chunk is a string or a Uint8Array");
    if (this.#hasFinished && chunk.length > 0) {
      throw new RewriteError("finished", "finished: expected no bytes after a finished text", { path: null }, "");
    }
    return this.#run(
      () => this.#input.feed(chunk),
      (fault) => this.#engine.failAt(fault),
    );
  }

  /**
   * Ends the text, and returns the rest of the output.
   *
   * @throws {RewriteError} if it is incomplete, or as `write` does.
   */
  finish(): string {
    return this.#run(() => {
      if (!this.#hasFinished) {
        this.#edits.beginChunk("", this.#engine.base);
        this.#input.finish();
      }
      this.#hasFinished = true;
    });
  }

  /** Begins another text, with the same rules. */
  reset(): void {
    this.#checkCaller();
    this.#input.reset();
    this.#edits.reset();
    this.#hasFinished = false;
    this.#stoppedBy = undefined;
  }

  #checkCaller(): void {
    if (this.#isRunning) throw new TypeError("a rule's function can't call the rewriter that calls it");
  }

  #run(read: () => void, fail?: (fault: Fault) => void): string {
    this.#checkCaller();
    if (this.#stoppedBy !== undefined) throw this.#stoppedBy.error;
    this.#edits.out = "";
    this.#isRunning = true;
    try {
      try {
        read();
        return this.#edits.out;
      } catch (thrown) {
        if (!(thrown instanceof Fault)) throw thrown;
        const error = errorOf(thrown, this.#engine);
        fail?.(thrown);
        throw new RewriteError(error.kind, error.message, error, this.#edits.out);
      }
    } catch (thrown) {
      this.#stoppedBy = { error: thrown instanceof RewriteError ? new RewriteError(thrown.kind, thrown.message, thrown, "") : thrown };
      throw thrown;
    } finally {
      this.#isRunning = false;
    }
  }
}

/**
 * A stage of a pipe: chunks in, the rewritten text out. It takes no more chunks than its reader asks for.
 *
 * @example
 * ```ts
 * import { RewriteStream, Rule } from "jsonspigot/rewrite";
 *
 * const { body } = await fetch(url);
 * const hidden = body!.pipeThrough(new RewriteStream(Rule.redact("title"))).pipeThrough(new TextEncoderStream());
 * console.log(await new Response(hidden).json()); // {"title":"[redacted]","days":["one"]}
 * ```
 */
export class RewriteStream extends Stage<Chunk, string> {
  constructor(rules: Rule | readonly Rule[], options: RewriterOptions = {}) {
    const rewriter = new Rewriter(rules, options);
    const pieces = (output: string): readonly string[] => (output === "" ? [] : [output]);
    // The output before an error counts.
    const before = (error: unknown): readonly string[] => pieces(error instanceof RewriteError ? error.output : "");
    super(
      (chunk) => pieces(rewriter.write(chunk)),
      () => pieces(rewriter.finish()),
      before,
    );
  }
}
