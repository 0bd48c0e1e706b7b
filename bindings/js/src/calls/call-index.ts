// The calls by slot and id. A call is found by its choice and slot, never by its name and never by its id alone.

/**
 * A call's place in a message, as the wire gives it: an index, a choice with an index, or an id that is its only place.
 */
export type Slot = number | string | readonly [choice: number, index: number];

/** A slot, taken apart. Its key says whether it is an index or an id. */
export interface ParsedSlot {
  readonly choice: number;
  readonly key: string;
  /** The id that it is. */
  readonly id: string | undefined;
}

const keyOfId = (id: string): string => `@${id}`;

/** Parses a slot. */
export function parseSlot(slot: Slot): ParsedSlot {
  if (typeof slot === "string") return { choice: 0, key: keyOfId(slot), id: slot };
  const [choice, index] = typeof slot === "number" ? [0, slot] : Array.isArray(slot) ? slot : [NaN, NaN];
  for (const number of [choice, index]) {
    if (!Number.isSafeInteger(number) || number! < 0)
      throw new TypeError(`a slot is an index, [choice, index] or an id, not ${String(slot)}`);
  }
  return { choice: choice as number, key: `#${index!}`, id: undefined };
}

const keysOf = ({ key }: ParsedSlot, id: string): string[] => (id === "" || key === keyOfId(id) ? [key] : [key, keyOfId(id)]);

/** The largest number of keys of fragments without a call that are remembered. */
const MOST_STRAYS = 512;

class Strays {
  #keys = new Set<string>();
  hasMore = false;

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

/** The calls of one of several answers. */
interface Choice {
  /** Its calls, by their keys. */
  readonly calls: Map<string, number>;
  /** The call that was touched last. */
  latest: number | undefined;
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
  /** True if a fragment may be of any call that starts in this message. */
  #hasLost = false;

  /** Returns the index of the next message. It remembers fragments of this one that arrived before any call. */
  next(): CallIndex {
    const next = new CallIndex();
    if (this.#known.size === 0 && !this.#hasForgotten) {
      [next.#orphaned, next.#hasUnplaced, next.#hasLost] = [this.#orphaned, this.#hasUnplaced, this.#hasLost];
    }
    return next;
  }

  find({ choice, key }: ParsedSlot): number | undefined {
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

  /** Binds a call to its slot and its id. */
  bind(slot: ParsedSlot, id: string, call: number): void {
    const { choice } = slot;
    if (!this.#known.has(call)) this.#known.set(call, { choice, keys: new Set() });
    let calls = this.#choices.get(choice);
    if (calls === undefined) this.#choices.set(choice, (calls = { calls: new Map(), latest: undefined }));
    for (const key of keysOf(slot, id)) {
      this.#refused.delete(choice, key);
      const before = calls.calls.get(key);
      if (before !== undefined) this.#known.get(before)?.keys.delete(key);
      calls.calls.set(key, call);
      this.#known.get(call)!.keys.add(key);
    }
    calls.latest = call;
  }

  /** Refuses a call: fragments in its slot belong to no call. */
  refuse(slot: ParsedSlot, id: string, nameBytes: (name: string) => boolean): void {
    const calls = this.#choices.get(slot.choice);
    for (const key of keysOf(slot, id)) {
      const before = calls?.calls.get(key);
      if (before !== undefined) {
        calls!.calls.delete(key);
        this.#known.get(before)?.keys.delete(key);
      }
      // A name that is too long is not kept to know it again.
      if (key[0] === "@" && !nameBytes(key.slice(1))) this.#refused.hasMore = true;
      else this.#refused.insert(slot.choice, key);
    }
    if (calls !== undefined) calls.latest = undefined;
  }

  wasRefused({ choice, key }: ParsedSlot): boolean {
    return this.#refused.has(choice, key);
  }

  /** Records a fragment of a call that was not started, and may start later. */
  orphan({ choice, key, id }: ParsedSlot, fits: (name: string) => boolean): void {
    if (id !== undefined && !fits(id)) this.#hasUnplaced = true;
    else this.#orphaned.insert(choice, key);
  }

  /** Records a fragment that may be of any call of the message. */
  orphanAny(): void {
    this.#hasLost = true;
  }

  /** Returns true if a fragment of the call that starts here may have arrived before. */
  takeOrphan(slot: ParsedSlot, id: string): boolean {
    let hasLost = this.#hasLost || this.#hasUnplaced || this.#orphaned.hasMore;
    this.#hasUnplaced = false;
    for (const key of keysOf(slot, id)) if (this.#orphaned.delete(slot.choice, key)) hasLost = true;
    return hasLost;
  }

  /** Records that a call has ended, and forgets the oldest of more than `most` ended calls. */
  end(call: number, most: number): void {
    this.#ended.push(call);
    if (this.#ended.length > most) this.#forget(this.#ended.shift()!);
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
