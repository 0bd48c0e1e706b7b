// The call that a slot or an id means. A call is found by its choice and slot, never by its name and never by its id alone.

import { unless, type Reader, type Writer } from "../saved/bytes.js";
import { compareTexts } from "../utf8.js";

/**
 * A call's place in a message, as the wire gives it: an index, a choice with an index, or an id that is its only place.
 */
export type Slot = number | string | readonly [choice: number, index: number];

/** A slot, taken apart. Its key says whether it is an index or an id. */
export interface Place {
  readonly choice: number;
  readonly key: string;
  /** The id that it is. */
  readonly id: string | undefined;
}

const keyOfId = (id: string): string => `@${id}`;

export function placeOf(slot: Slot): Place {
  if (typeof slot === "string") return { choice: 0, key: keyOfId(slot), id: slot };
  const [choice, index] = typeof slot === "number" ? [0, slot] : Array.isArray(slot) ? slot : [NaN, NaN];
  for (const number of [choice, index]) {
    if (!Number.isSafeInteger(number) || number! < 0) throw new TypeError(`a slot is an index, [choice, index] or an id, not ${String(slot)}`);
  }
  return { choice: choice as number, key: `#${index!}`, id: undefined };
}

const keysOf = ({ key }: Place, id: string): string[] => (id === "" || key === keyOfId(id) ? [key] : [key, keyOfId(id)]);

/** Keys of fragments that are nobody's, so that whoever comes later knows. Of more than these it is only known that there are more. */
const MOST_STRAYS = 512;

class Strays {
  #keys = new Set<string>();
  hasMore = false;

  get isEmpty(): boolean {
    return this.#keys.size === 0 && !this.hasMore;
  }

  save(out: Writer): void {
    const parted = [...this.#keys].map((name): Entry => {
      const space = name.indexOf(" ");
      return [Number(name.slice(0, space)), name.slice(space + 1), 0];
    });
    saveEntries(parted, out);
    out.flag(this.hasMore);
  }

  static restored(reader: Reader): Strays {
    const strays = new Strays();
    for (const [choice, key, number] of restoreEntries(reader)) {
      unless(isOwn(key) && number === 0 && strays.#keys.size < MOST_STRAYS);
      strays.insert(choice, key);
    }
    strays.hasMore = reader.flag();
    return strays;
  }

  insert(choice: number, key: string): void {
    if (this.#keys.size < MOST_STRAYS) this.#keys.add(`${choice} ${key}`);
    else this.hasMore = true;
  }

  has(choice: number, key: string): boolean {
    return this.#keys.has(`${choice} ${key}`);
  }

  delete(choice: number, key: string): boolean {
    return this.#keys.delete(`${choice} ${key}`);
  }
}

/** What is known of one of several answers. */
interface Choice {
  /** Its calls, by their keys. */
  readonly calls: Map<string, number>;
  /** The call that was bound last, and the one that was touched last. */
  newest: number;
  latest: number | undefined;
}

/** A number by its owner's, and a key: an index, an id, or one of these. */
type Entry = readonly [owner: number, key: string, number: number];
const OWNER = "=";
const CONTENT = "~";
const LATEST = "^";
/** Keys in the order in which they are saved, by what they begin with. */
const KEYS = [OWNER, CONTENT, LATEST, "#", "@"];

const isOwn = (key: string): boolean => key[0] === "#" || key[0] === "@";

function compareEntries([oneOwner, one]: Entry, [otherOwner, other]: Entry): number {
  if (oneOwner !== otherOwner) return oneOwner - otherOwner;
  const kinds = KEYS.indexOf(one[0]!) - KEYS.indexOf(other[0]!);
  if (kinds !== 0) return kinds;
  return one[0] === "#" ? Number(one.slice(1)) - Number(other.slice(1)) : compareTexts(one, other);
}

function saveEntries(entries: readonly Entry[], out: Writer): void {
  out.number(entries.length);
  for (const [owner, key, number] of [...entries].sort(compareEntries)) {
    out.number(owner);
    out.byte(KEYS.indexOf(key[0]!));
    if (key[0] === "#") out.number(Number(key.slice(1)));
    if (key[0] === "@") out.string(key.slice(1));
    out.number(number);
  }
}

function restoreEntries(reader: Reader): Entry[] {
  return Array.from({ length: reader.count() }, () => {
    const owner = reader.place();
    const kind = reader.choice(KEYS);
    const key = kind === "#" ? `#${reader.place()}` : kind === "@" ? keyOfId(reader.string()) : kind;
    return [owner, key, reader.place()];
  });
}

export class CallIndex {
  readonly #choices = new Map<number, Choice>();
  /** The keys of each call that is known, open or ended. */
  readonly #known = new Map<number, { readonly choice: number; readonly keys: Set<string> }>();
  /** Calls that have ended, oldest first. */
  readonly #ended: number[] = [];
  #hasForgotten = false;
  /** Slots whose calls were refused because of a limit. */
  #refused = new Strays();
  /** Slots of fragments whose call was never started. */
  #orphaned = new Strays();
  #hasUnplaced = false;
  /** True if a fragment of an earlier message never found its call; for the library, which is asked for it. */
  #hasLost = false;

  /** What a new message knows of the one before: fragments that came before any call. */
  next(): CallIndex {
    const next = new CallIndex();
    if (this.#known.size > 0 || this.#hasForgotten) {
      next.#hasLost = this.#hasLost || this.#hasUnplaced || !this.#orphaned.isEmpty;
    } else {
      [next.#orphaned, next.#hasUnplaced, next.#hasLost] = [this.#orphaned, this.#hasUnplaced, this.#hasLost];
    }
    return next;
  }

  find({ choice, key }: Place): number | undefined {
    const calls = this.#choices.get(choice);
    const call = calls?.calls.get(key);
    if (call !== undefined) calls!.latest = call;
    return call;
  }

  findId(choice: number, id: string): number | undefined {
    return this.#choices.get(choice)?.calls.get(keyOfId(id));
  }

  hasChoice(choice: number): boolean {
    return this.#choices.has(choice);
  }

  choiceOf(call: number): number | undefined {
    return this.#known.get(call)?.choice;
  }

  /** A call is found by its slot from now on, and by its id. */
  bind(place: Place, id: string, call: number): void {
    this.bindKeys(place.choice, keysOf(place, id), call);
  }

  bindId(choice: number, id: string, call: number): void {
    this.bindKeys(choice, [keyOfId(id)], call);
  }

  bindKeys(choice: number, keys: readonly string[], call: number): void {
    if (!this.#known.has(call)) this.#known.set(call, { choice, keys: new Set() });
    let calls = this.#choices.get(choice);
    if (calls === undefined) this.#choices.set(choice, (calls = { calls: new Map(), newest: call, latest: undefined }));
    for (const key of keys) {
      this.#refused.delete(choice, key);
      const before = calls.calls.get(key);
      if (before !== undefined) this.#known.get(before)?.keys.delete(key);
      calls.calls.set(key, call);
      this.#known.get(call)!.keys.add(key);
    }
    calls.newest = calls.latest = call;
  }

  /** A call was refused: what comes in its slot is nobody's. */
  refuse(place: Place, id: string, nameBytes: (name: string) => boolean): void {
    const calls = this.#choices.get(place.choice);
    for (const key of keysOf(place, id)) {
      const before = calls?.calls.get(key);
      if (before !== undefined) {
        calls!.calls.delete(key);
        this.#known.get(before)?.keys.delete(key);
      }
      // A name that is too long is not kept to know it again.
      if (key[0] === "@" && !nameBytes(key.slice(1))) this.#refused.hasMore = true;
      else this.#refused.insert(place.choice, key);
    }
    if (calls !== undefined) calls.latest = undefined;
  }

  wasRefused({ choice, key }: Place): boolean {
    return this.#refused.has(choice, key);
  }

  /** A fragment has come for a call that was never started, and may be that of one which starts later. */
  orphan({ choice, key, id }: Place, fits: (name: string) => boolean): void {
    if (id !== undefined && !fits(id)) this.#hasUnplaced = true;
    else this.#orphaned.insert(choice, key);
  }

  /** Returns true if a fragment of the call that starts here may have come before. */
  takeOrphan(place: Place, id: string): boolean {
    let hasLost = this.#hasUnplaced || this.#orphaned.hasMore;
    this.#hasUnplaced = false;
    for (const key of keysOf(place, id)) if (this.#orphaned.delete(place.choice, key)) hasLost = true;
    return hasLost;
  }

  /** A call has ended. So many ended ones are remembered. */
  end(call: number, most: number): void {
    this.#ended.push(call);
    if (this.#ended.length > most) this.#forget(this.#ended.shift()!);
  }

  save(out: Writer): void {
    const known = [...this.#known].flatMap(([call, { choice, keys }]): Entry[] => [
      [call, OWNER, choice],
      ...[...keys].map((key): Entry => [call, key, choice]),
    ]);
    const choices = [...this.#choices].flatMap(([choice, { newest, latest }]): Entry[] => [
      [choice, OWNER, newest],
      ...(latest === undefined ? [] : [[choice, LATEST, latest] as const]),
    ]);
    saveEntries(known, out);
    saveEntries(choices, out);
    out.number(this.#ended.length);
    for (const call of this.#ended) out.number(call);
    // No call without a slot of its own can be refused here.
    for (const flag of [this.#hasForgotten, false, this.#hasUnplaced, this.#hasLost]) out.flag(flag);
    this.#refused.save(out);
    this.#orphaned.save(out);
    // Nor is a reason noted that is none yet.
    saveEntries([], out);
  }

  /** Reads what was saved: `next` calls have been numbered, these are open, and `most` ended ones are remembered. */
  static restored(reader: Reader, next: number, open: ReadonlySet<number>, most: number): CallIndex {
    const index = new CallIndex();
    for (const [call, key, choice] of restoreEntries(reader)) {
      unless(call < next && (key === OWNER) !== index.#known.has(call));
      if (key === OWNER) {
        index.#known.set(call, { choice, keys: new Set() });
        continue;
      }
      // No two calls share a key.
      unless(isOwn(key) && index.choiceOf(call) === choice && index.#choices.get(choice)?.calls.has(key) !== true);
      index.bindKeys(choice, [key], call);
    }
    let owners = 0;
    for (const [choice, key, call] of restoreEntries(reader)) {
      if (key === OWNER) {
        unless(call < next);
        owners++;
        const calls = index.#choices.get(choice)?.calls ?? new Map<string, number>();
        index.#choices.set(choice, { calls, newest: call, latest: undefined });
      } else {
        // Each choice comes before what it has.
        unless(key === LATEST && index.choiceOf(call) === choice && index.#choices.has(choice));
        index.#choices.get(choice)!.latest = call;
      }
    }
    unless(owners === index.#choices.size);
    for (let left = reader.count(); left > 0; left--) index.#ended.push(reader.place());
    const ended = new Set(index.#ended);
    unless(ended.size === index.#ended.length && ended.size <= most && index.#known.size === ended.size + open.size);
    for (const call of index.#known.keys()) unless(ended.has(call) !== open.has(call));
    index.#hasForgotten = reader.flag();
    unless(!reader.flag());
    index.#hasUnplaced = reader.flag();
    index.#hasLost = reader.flag();
    index.#refused = Strays.restored(reader);
    index.#orphaned = Strays.restored(reader);
    unless(reader.count() === 0);
    return index;
  }

  #forget(call: number): void {
    this.#hasForgotten = true;
    const known = this.#known.get(call);
    if (known === undefined) return;
    this.#known.delete(call);
    const calls = this.#choices.get(known.choice);
    if (calls === undefined) return;
    for (const key of known.keys) calls.calls.delete(key);
    if (calls.latest === call) calls.latest = undefined;
    if (calls.calls.size === 0 && calls.latest === undefined) this.#choices.delete(known.choice);
  }
}
