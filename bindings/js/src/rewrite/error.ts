// The error of a rewriter.

import { JsonSpigotError, type Place } from "../core/error.js";

/**
 * The reason why a text was not rewritten to its end: the parser's, `held-limit` (more would have to be held back than is
 * allowed), or `bad-replacement` (a function has given what is not JSON).
 */
export class RewriteError extends JsonSpigotError {
  override readonly name: string = "RewriteError";
  /** The output of the call before the error. Empty when the error is thrown again. */
  readonly output: string;

  constructor(kind: string, message: string, place: Partial<Place>, output: string) {
    super(kind, message, place);
    this.output = output;
  }
}
