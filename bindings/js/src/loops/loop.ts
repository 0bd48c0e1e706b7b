// The async iterator of every function that reads a source.
//
// It is written by hand because an async generator spends some ten microtasks on each chunk and can't be left while it waits.
// Here a chunk that the source returns at once is not awaited. A promise of a chunk is given to two functions that live as long
// as the loop, so nothing accumulates, and `return` and an abort end a read that is pending.

/** An iterator of chunks. Each result is there at once, or is promised. */
export interface Chunks<C> {
  next(): IteratorResult<C, unknown> | PromiseLike<IteratorResult<C, unknown>>;
  /** Cancels the source. */
  return?(reason?: unknown): unknown;
  /** Called when the source has ended or was cancelled. */
  releaseLock?(): void;
}

/** The reader of a loop's chunks. */
export interface Reading<C, T, R = void> {
  /** Returns the items of a chunk. */
  read(chunk: C): readonly T[];
  /** Returns the items of the end of the source. */
  finish(): readonly T[];
  /** Returns what the loop returns, after the last item. */
  value?(): R;
  /** Returns the items before an error of one of these. */
  before?(error: unknown): readonly T[];
  /** Returns the items before an error of the source. */
  fail?(): readonly T[];
  /** Called once, after everything else. */
  dispose?(): void;
}

/** A loop over a source. `return` ends it at once, even while `next` is pending, and cancels the source. */
export interface Loop<T, R = void> {
  next(): Promise<IteratorResult<T, R>>;
  return(): Promise<IteratorResult<T, R>>;
  [Symbol.asyncIterator](): Loop<T, R>;
}

/** The end of a loop: a result, or an error. */
type LoopEnd<R> = { readonly value: R } | { readonly reason: unknown };

interface Waiter<T, R> {
  resolve(result: IteratorResult<T, R>): void;
  reject(reason: unknown): void;
}

export const NOTHING: readonly never[] = [];

export class SourceLoop<C, T, R = void> implements Loop<T, R> {
  /** Opens the source, at the first call. */
  #open: (() => Chunks<C>) | undefined;
  readonly #begin: () => Reading<C, T, R>;
  readonly #signal: AbortSignal | undefined;
  /** The source and its reader, while the source is open. */
  #chunks: Chunks<C> | undefined;
  #reading: Reading<C, T, R> | undefined;
  /** The items of the newest chunk, and how many of them were taken. */
  #items: readonly T[] = NOTHING;
  #taken = 0;
  #ending: LoopEnd<R> | undefined;
  /** Calls of `next`, oldest first, while the source has been asked for a chunk that is not there yet. */
  readonly #waiters = new Set<Waiter<T, R>>();

  /** Neither `open` nor `begin` is called before the loop is. */
  constructor(open: () => Chunks<C>, begin: () => Reading<C, T, R>, signal: AbortSignal | undefined) {
    this.#open = open;
    this.#begin = begin;
    this.#signal = checkedSignal(signal);
  }

  next(): Promise<IteratorResult<T, R>> {
    try {
      return Promise.resolve(this.pull());
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Returns the next result at once if the source does not have to be waited for. */
  pull(): IteratorResult<T, R> | Promise<IteratorResult<T, R>> {
    const result = this.#waiters.size > 0 ? undefined : this.#advance();
    return result ?? new Promise((resolve, reject) => void this.#waiters.add({ resolve, reject }));
  }

  /** Waits for `return` of the source, unless the source is waited for. */
  async return(): Promise<IteratorResult<T, R>> {
    const isPending = this.#waiters.size > 0;
    this.#chunks ??= this.#opened();
    const cancelled = this.#stop(undefined);
    if (!isPending) await cancelled;
    return { done: true, value: undefined as R };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #opened(): Chunks<C> | undefined {
    const open = this.#open;
    this.#open = undefined;
    return open?.();
  }

  #start(): void {
    const signal = this.#signal;
    this.#chunks = this.#opened();
    if (signal?.aborted) return this.#onAbort();
    try {
      signal?.addEventListener("abort", this.#onAbort);
      this.#reading = this.#begin();
    } catch (reason) {
      void this.#stop({ reason });
    }
  }

  /** Returns the next result; `undefined` if the source has been asked for a chunk that is not there yet. */
  #advance(): IteratorResult<T, R> | undefined {
    if (this.#open !== undefined) this.#start();
    for (;;) {
      if (this.#taken < this.#items.length) return { done: false, value: this.#items[this.#taken++]! };
      if (this.#chunks === undefined) return this.#end();
      try {
        const next = this.#chunks.next();
        if (!isPromise(next)) this.#read(next);
        else {
          Promise.resolve(next).then(this.#onChunk, this.#onFailure);
          // The source itself may have aborted the signal.
          if (this.#chunks !== undefined) return undefined;
        }
      } catch (reason) {
        this.#read(undefined, { reason });
      }
    }
  }

  /** Returns what comes after the last item, once. */
  #end(): IteratorResult<T, R> {
    const ending = this.#ending ?? { value: undefined as R };
    this.#ending = undefined;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    if ("reason" in ending) throw ending.reason;
    return { done: true, value: ending.value };
  }

  /** Reads a chunk or the end of the source, or its failure, unless the loop has been ended meanwhile. */
  #read(next: IteratorResult<C, unknown> | undefined, failure?: { readonly reason: unknown }): void {
    const reading = this.#reading;
    if (reading === undefined) return;
    let items: readonly T[] | undefined;
    let ending: LoopEnd<R> | undefined = failure;
    try {
      if (failure !== undefined) items = reading.fail?.();
      else if (!next!.done) items = reading.read(next!.value);
      else {
        items = reading.finish();
        ending = { value: reading.value?.() as R };
      }
    } catch (reason) {
      ending = { reason };
      items = itemsBefore(reason, reading);
    }
    // The source or the reader may have aborted the signal.
    if (this.#reading !== reading) return;
    this.#items = items ?? NOTHING;
    this.#taken = 0;
    if (ending === undefined) return;
    this.#ending = ending;
    void this.#close(failure === undefined && !next?.done);
  }

  /** Drops what was not taken, and ends. */
  #stop(ending: LoopEnd<R> | undefined, reason?: unknown): Promise<unknown> | undefined {
    this.#items = NOTHING;
    this.#taken = 0;
    this.#ending = ending;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    const cancelled = this.#close(true, reason);
    this.#serve();
    return cancelled;
  }

  /** Reads nothing more, and cancels a source that has not ended. */
  #close(cancels: boolean, reason?: unknown): Promise<unknown> | undefined {
    const chunks = this.#chunks;
    const reading = this.#reading;
    this.#chunks = this.#reading = undefined;
    let cancelled: Promise<unknown> | undefined;
    if (chunks !== undefined && cancels) {
      cancelled = new Promise((resolve) => resolve(chunks.return?.(reason)));
      // Only `return` reports an error of the source's end.
      cancelled.catch(() => undefined);
    }
    chunks?.releaseLock?.();
    try {
      reading?.dispose?.();
    } catch {
      // An error of `dispose` must not keep the loop's caller waiting.
    }
    return cancelled;
  }

  /** Answers the calls that wait, as far as the source allows. */
  #serve(): void {
    for (const waiter of this.#waiters) {
      try {
        const result = this.#advance();
        if (result === undefined) return;
        waiter.resolve(result);
      } catch (reason) {
        waiter.reject(reason);
      }
      this.#waiters.delete(waiter);
    }
  }

  readonly #onChunk = (next: IteratorResult<C, unknown>): void => {
    this.#read(next);
    this.#serve();
  };

  readonly #onFailure = (reason: unknown): void => {
    this.#read(undefined, { reason });
    this.#serve();
  };

  readonly #onAbort = (): void => {
    const { reason } = this.#signal!;
    void this.#stop({ reason }, reason);
  };
}

/** Returns the signal, which may belong to another realm. Fails for any other value. */
export function checkedSignal(signal: AbortSignal | null | undefined): AbortSignal | undefined {
  if (signal === undefined || signal === null) return undefined;
  if (typeof signal.aborted === "boolean" && typeof signal.addEventListener === "function") return signal;
  throw new TypeError("signal: expected an AbortSignal");
}

function itemsBefore<T>(error: unknown, { before }: Reading<never, T, unknown>): readonly T[] {
  try {
    return before?.(error) ?? NOTHING;
  } catch {
    // A value with a key that is refused is not shown.
    return NOTHING;
  }
}

function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T>).then === "function";
}
