// How the consumers' own repairs read a text that is not JSON: up to where they take it, and how they close it.
//
// They look for the token that they expect next and skip everything else. The skipped text stays in the text that they parse
// in the end. So a scanner tracks the end of the last unit that they took (`cut`), the containers that are open there, and
// the path of the open value.

/** In what the two repairs differ. */
export interface Dialect {
  /** `\"` in a key does not end it, and keys are decoded for the path. */
  readonly readsKeys: boolean;
  /** `+` belongs to numbers. */
  readonly readsPlus: boolean;
  /** Anything but a digit ends `\u`; otherwise four digits are waited for, whatever is between them. */
  readonly leavesEscapes: boolean;
  /** The path of the open value is asked for. */
  readonly hasPath: boolean;
}

const VALUE = 0;
/** After `[`: a value, or the end. */
const FIRST = 1;
/** After `{`: a key, or the end. */
const FIRST_KEY = 2;
const KEY = 3;
const IN_KEY = 4;
const COLON = 5;
const AFTER = 6;
const STRING = 7;
const NUMBER = 8;
const LITERAL = 9;
const DONE = 10;

/** An open escape inside a string or a key, after its `\`. */
const ESCAPE = 5;

const LITERALS = ["true", "false", "null"];

const isHex = (unit: string): boolean => /^[\da-fA-F]$/.test(unit);

interface Container {
  readonly isArray: boolean;
  /** The key of the member that is or was read, as it is spelt; the index of the element. */
  key: string;
  index: number;
}

export class Scanner {
  /** How many units the repair takes, from the start of the text. */
  cut = 0;
  /** True if it has met a key that it can't decode. */
  isBroken = false;
  #at = 0;
  #mode = VALUE;
  /** How much of an escape is still to come: 0 for none, {@link ESCAPE} for its letter, else the digits of a `\u`. */
  #escape = 0;
  #literal = "";
  readonly #open: Container[] = [];
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  clone(): Scanner {
    const clone = new Scanner(this.#dialect);
    clone.cut = this.cut;
    clone.isBroken = this.isBroken;
    clone.#at = this.#at;
    clone.#mode = this.#mode;
    clone.#escape = this.#escape;
    clone.#literal = this.#literal;
    for (const container of this.#open) clone.#open.push({ ...container });
    return clone;
  }

  scan(text: string): void {
    for (let at = 0; at < text.length; at++) {
      this.#at += 1;
      this.#take(text[at]!);
    }
  }

  /** Returns the text that closes all open values at the cut. */
  closers(): string {
    let closers = "";
    if (this.#mode === STRING) closers = '"';
    else if (this.#mode === LITERAL) closers = wordOf(this.#literal)!.slice(this.#literal.length);
    for (let depth = this.#open.length - 1; depth >= 0; depth--) closers += this.#open[depth]!.isArray ? "]" : "}";
    return closers;
  }

  /** Returns the path of the innermost open value. A literal counts as complete from its first letter. */
  openPath(): string[] {
    const path: string[] = [];
    const isInside = this.#mode === STRING || this.#mode === NUMBER;
    this.#open.forEach((container, depth) => {
      if (depth === this.#open.length - 1 && !isInside) return;
      path.push(container.isArray ? String(container.index) : (decodeKey(container.key) ?? ""));
    });
    return path;
  }

  #take(unit: string): void {
    switch (this.#mode) {
      case VALUE:
        this.#begin(unit);
        return;
      case FIRST:
        if (unit === "]") this.#end();
        else this.#begin(unit);
        return;
      case FIRST_KEY:
        if (unit === "}") this.#end();
        else if (unit === '"') this.#beginKey();
        return;
      case KEY:
        if (unit === '"') this.#beginKey();
        return;
      case IN_KEY:
        this.#inKey(unit);
        return;
      case COLON:
        if (unit === ":") this.#mode = VALUE;
        return;
      case AFTER:
        if (!this.#after(unit) && this.#top().isArray) this.cut = this.#at;
        return;
      case STRING:
        this.#inString(unit);
        return;
      case NUMBER:
        this.#inNumber(unit);
        return;
      case LITERAL:
        if (wordOf(this.#literal + unit) !== undefined) {
          this.#literal += unit;
          this.cut = this.#at;
          return;
        }
        this.#endWith(unit);
        return;
      default:
    }
  }

  #top(): Container {
    return this.#open[this.#open.length - 1]!;
  }

  #begin(unit: string): void {
    if (unit === '"') this.#mode = STRING;
    else if (unit === "t" || unit === "f" || unit === "n") {
      this.#mode = LITERAL;
      this.#literal = unit;
    } else if (unit === "-" || (unit >= "0" && unit <= "9")) this.#mode = NUMBER;
    else if (unit === "{" || unit === "[") this.#mode = unit === "[" ? FIRST : FIRST_KEY;
    else return;
    if (unit !== "-") this.cut = this.#at;
    if (this.#dialect.readsKeys && this.#mode !== LITERAL && this.#open.length > 0 && !this.#top().isArray) {
      this.isBroken ||= decodeKey(this.#top().key) === undefined;
    }
    if (unit === "{" || unit === "[") this.#open.push({ isArray: unit === "[", key: "", index: 0 });
  }

  #beginKey(): void {
    this.#top().key = "";
    this.#mode = IN_KEY;
  }

  #inKey(unit: string): void {
    if (!this.#dialect.readsKeys) {
      if (unit === '"') this.#mode = COLON;
      return;
    }
    if (this.#escape > 0 && this.#inEscape(unit)) {
      this.#top().key += unit;
    } else if (unit === '"') {
      this.#mode = COLON;
    } else {
      if (unit === "\\") this.#escape = ESCAPE;
      this.#top().key += unit;
    }
  }

  #inString(unit: string): void {
    if (this.#escape > 0 && this.#inEscape(unit)) {
      if (this.#escape === 0) this.cut = this.#at;
    } else if (unit === '"') {
      this.cut = this.#at;
      this.#endScalar();
    } else if (unit === "\\") {
      this.#escape = ESCAPE;
    } else {
      this.cut = this.#at;
    }
  }

  /** Returns true if the unit belongs to the escape. */
  #inEscape(unit: string): boolean {
    if (this.#escape === ESCAPE) {
      this.#escape = unit === "u" ? 4 : 0;
    } else if (isHex(unit)) {
      this.#escape -= 1;
    } else if (this.#dialect.leavesEscapes) {
      this.#escape = 0;
      return false;
    }
    return true;
  }

  #inNumber(unit: string): void {
    if (unit >= "0" && unit <= "9") {
      this.cut = this.#at;
    } else if (!(unit === "." || unit === "-" || unit === "e" || unit === "E" || (unit === "+" && this.#dialect.readsPlus))) {
      this.#endWith(unit);
    }
  }

  /** Ends a number or literal before this unit. */
  #endWith(unit: string): void {
    this.#endScalar();
    if (this.#open.length > 0) this.#after(unit);
  }

  #endScalar(): void {
    this.#mode = this.#open.length === 0 ? DONE : AFTER;
  }

  /** Reads a comma or the container's own end. Returns false for other units. */
  #after(unit: string): boolean {
    const top = this.#top();
    if (unit === ",") {
      this.#mode = top.isArray ? VALUE : KEY;
      top.index += 1;
      return true;
    }
    if (unit !== (top.isArray ? "]" : "}")) return false;
    this.#end();
    return true;
  }

  #end(): void {
    this.cut = this.#at;
    this.#open.pop();
    this.#endScalar();
  }
}

function wordOf(start: string): string | undefined {
  return LITERALS.find((word) => word.startsWith(start));
}

function decodeKey(key: string): string | undefined {
  try {
    return JSON.parse(`"${key}"`) as string;
  } catch {
    return undefined;
  }
}
