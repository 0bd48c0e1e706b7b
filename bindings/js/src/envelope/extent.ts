// The end of a JSON value, found by its brackets and quotes alone. The parser says whether it is JSON; this says how far it
// may be fed, so that nothing after the value reaches it.

import { isDigit } from "../core/units.js";

const START = 0;
/** In containers, whose number is counted. */
const NESTED = 1;
/** In a string in containers, whose number is counted; 0 if the string is the value. */
const IN_STRING = 2;
const ESCAPED = 3;
/** In a literal, whose missing letters are counted. */
const LITERAL = 4;
/** 1 if it may end. */
const NUMBER = 5;
const ENDED = 6;
/** It is not JSON, and therefore has no end. */
const ENDLESS = 7;

export class Extent {
  #kind = START;
  #count = 0;

  clone(): Extent {
    const clone = new Extent();
    clone.#kind = this.#kind;
    clone.#count = this.#count;
    return clone;
  }

  get hasEnded(): boolean {
    return this.#kind === ENDED;
  }

  get isInString(): boolean {
    return this.#kind === IN_STRING || this.#kind === ESCAPED;
  }

  end(): void {
    this.#kind = ENDED;
  }

  /** Ignores quotes and brackets from here on, as they are not JSON's. */
  lose(): void {
    this.#kind = ENDLESS;
  }

  /** Returns how much of a text belongs to the value, which may end before the rest. */
  advance(text: string): number {
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      switch (this.#kind) {
        case ENDED:
          return at;
        case START:
          this.#begin(unit);
          break;
        case NESTED:
          if (unit === 34) this.#kind = IN_STRING;
          else if (unit === 123 || unit === 91) this.#count++;
          else if (unit === 125 || unit === 93) {
            if (this.#count === 1) this.#kind = ENDED;
            else this.#count--;
          }
          break;
        case IN_STRING:
          if (unit === 92) this.#kind = ESCAPED;
          else if (unit === 34) this.#kind = this.#count === 0 ? ENDED : NESTED;
          break;
        case ESCAPED:
          this.#kind = IN_STRING;
          break;
        case NUMBER:
          if (this.#count === 1 && !isDigit(unit) && unit !== 46 && unit !== 101 && unit !== 69) {
            this.#kind = ENDED;
            return at;
          }
          this.#count = isDigit(unit) ? 1 : 0;
          break;
        case LITERAL:
          if (unit < 97 || unit > 122) this.#kind = ENDLESS;
          else if (this.#count === 1) this.#kind = ENDED;
          else this.#count--;
          break;
        default:
      }
    }
    return text.length;
  }

  #begin(unit: number): void {
    if (unit === 123 || unit === 91) [this.#kind, this.#count] = [NESTED, 1];
    else if (unit === 34) [this.#kind, this.#count] = [IN_STRING, 0];
    else if (unit === 45 || isDigit(unit)) [this.#kind, this.#count] = [NUMBER, unit === 45 ? 0 : 1];
    else if (unit === 102) [this.#kind, this.#count] = [LITERAL, 4];
    else if (unit === 116 || unit === 110) [this.#kind, this.#count] = [LITERAL, 3];
    else this.#kind = ENDLESS;
  }
}
