"use client";

// A hook for React: a JSON text that is still arriving, as state.

import { useEffect, useState, useSyncExternalStore } from "react";

import { makeText, type ShownOptions } from "../core/make-text.js";
import { TextParser, type DeepPartial } from "../core/text-parser.js";
import { NOTHING, SourceLoop, type Reading } from "../loops/loop.js";
import { chunksOfJson, type Chunk, type Source } from "../loops/source.js";
import type { Json } from "../core/values.js";

/** Opens the source. The signal is aborted when the component unmounts or the key changes: pass it to `fetch`. */
export type Open = (signal: AbortSignal) => Source | PromiseLike<Source>;

/** The parser's options, except those that the hook sets itself. */
export interface JsonStreamOptions extends ShownOptions {
  /** Another key is another stream: the old one is aborted, and `open` is called again. */
  readonly key?: string | number | undefined;
}

export interface JsonStream<T> {
  /** The document so far; what has not changed is the same object as at the last render. */
  readonly value: DeepPartial<T> | undefined;
  /** `idle` as long as there is nothing to open, `complete` once the whole text was strict JSON. */
  readonly status: "idle" | "streaming" | "complete" | "error";
  /** The reason why it has ended early: a `JsonSpigotError`, or whatever the source has thrown. */
  readonly error: unknown;
}

const IDLE: JsonStream<never> = { value: undefined, status: "idle", error: undefined };
const OPENING: JsonStream<never> = { value: undefined, status: "streaming", error: undefined };

/**
 * Returns a stream of JSON as state. The component renders at most once a frame, and memoized components only if their part has
 * changed.
 *
 * `open` is called once, after the component has mounted, even under `StrictMode`. Its identity does not matter, so it
 * may be an inline function. While it is `null` or `undefined`, the hook stays `idle`.
 *
 * @param open - opens the source. Pass its signal to `fetch`: it is aborted when the component unmounts or the key changes.
 *
 * @example
 * ```tsx
 * import { useJsonStream } from "jsonspigot/react";
 *
 * interface Trip {
 *   title: string;
 * }
 *
 * export function TripView({ id }: { id: string }) {
 *   const { value, status, error } = useJsonStream<Trip>((signal) => fetch(`/trips/${id}`, { signal }), { key: id });
 *   if (status === "error") return <p>{String(error)}</p>;
 *   return <h1>{value?.title ?? "…"}</h1>;
 * }
 * ```
 */
export function useJsonStream<T = Json>(open: Open | null | undefined, options: JsonStreamOptions = {}): JsonStream<T> {
  const { key } = options;
  const isIdle = !open;
  const [held, hold] = useState(() => ({ key, isIdle, store: new Store(isIdle) }));
  let { store } = held;
  if (!Object.is(held.key, key) || held.isIdle !== isIdle) {
    store = new Store(isIdle);
    hold({ key, isIdle, store });
  }
  // Before the store is subscribed to: effects run in their order here.
  useEffect(() => {
    store.open = open;
    store.options = options;
  });
  return useSyncExternalStore(store.subscribe, store.current, store.initial) as JsonStream<T>;
}

/** One stream, and its value for the component. */
class Store {
  open: Open | null | undefined;
  options: JsonStreamOptions = {};
  readonly #initial: JsonStream<Json>;
  #shown: JsonStream<Json>;

  constructor(isIdle: boolean) {
    this.#initial = this.#shown = isIdle ? IDLE : OPENING;
  }

  readonly current = (): JsonStream<Json> => this.#shown;
  readonly initial = (): JsonStream<Json> => this.#initial;

  readonly subscribe = (listener: () => void): (() => void) => {
    const controller = new AbortController();
    const { signal } = controller;
    const show = (next: JsonStream<Json>): void => {
      if (signal.aborted) return;
      this.#shown = next;
      listener();
    };
    // Strict mode unmounts and mounts again at once: what is not there after that is never opened.
    queueMicrotask(() => {
      if (signal.aborted || this.#shown.status !== "streaming") return;
      // Options that are refused.
      this.#read(signal, show).catch((error: unknown) => show({ value: undefined, status: "error", error }));
    });
    return () => controller.abort();
  };

  async #read(signal: AbortSignal, show: (next: JsonStream<Json>) => void): Promise<void> {
    // After a component was hidden and is shown again, the text starts over.
    if (this.#shown !== OPENING) show(OPENING);
    const { key: _, ...options } = this.options;
    const parser = new TextParser(makeText(options));
    const look = (): DeepPartial<Json> | undefined => {
      try {
        return parser.snapshot<Json>();
      } catch {
        // A key was refused. The last value stays.
        return this.#shown.value;
      }
    };
    let cancel: (() => void) | undefined;
    const showSoFar = (): void => {
      cancel = undefined;
      const value = look();
      if (value !== this.#shown.value) show({ value, status: "streaming", error: undefined });
    };
    let end: Pick<JsonStream<Json>, "status" | "error">;
    try {
      const source = await this.open!(signal);
      const begin = (): Reading<Chunk, never> => ({
        read(chunk) {
          parser.feed(chunk);
          cancel ??= inNextFrame(showSoFar);
          return NOTHING;
        },
        finish() {
          parser.finish();
          // Fails if a key was refused.
          parser.snapshot();
          return NOTHING;
        },
      });
      await new SourceLoop(() => chunksOfJson(source), begin, signal).next();
      end = { status: "complete", error: undefined };
    } catch (error) {
      end = { status: "error", error };
    }
    cancel?.();
    if (!signal.aborted) show({ value: look(), ...end });
    parser.dispose();
  }
}

/** Without a frame for so long, as in a hidden tab, a timer takes its place. */
const LONGEST_FRAME_MS = 100;

/** Calls back once, in the next frame. Returns what cancels that. */
function inNextFrame(call: () => void): () => void {
  const hasFrames = typeof requestAnimationFrame === "function";
  const timer = setTimeout(flush, hasFrames ? LONGEST_FRAME_MS : 16);
  const frame = hasFrames ? requestAnimationFrame(flush) : 0;
  const cancel = (): void => {
    clearTimeout(timer);
    if (hasFrames) cancelAnimationFrame(frame);
  };
  function flush(): void {
    cancel();
    call();
  }
  return cancel;
}
