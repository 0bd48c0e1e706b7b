// Disposal, also in engines that lack `Symbol.dispose`, and the stages of pipes.

/** Lets `using` dispose of the instances of a class. Where an engine has no such symbol, `dispose` is all there is. */
export function disposable(prototype: { dispose(): void }): void {
  defineDisposal(prototype, Symbol.dispose, function (this: { dispose(): void }) {
    this.dispose();
  });
}

/** Defines the method of a symbol, if the engine has that. */
export function defineDisposal<T>(prototype: T, symbol: symbol | undefined, value: (this: T) => unknown): void {
  if (typeof symbol === "symbol") Object.defineProperty(prototype, symbol, { value, writable: true, configurable: true });
}

/** A stage of a pipe: it passes on what each call returns, and before an error what came before that. */
export class Stage<I, O> {
  readonly readable: ReadableStream<O>;
  readonly writable: WritableStream<I>;

  constructor(read: (chunk: I) => readonly O[], finish: () => readonly O[], beforeError: (error: unknown) => readonly O[]) {
    const chunks = new TransformStream<I, I>();
    const reader = chunks.readable.getReader();
    let isCancelled = false;
    async function* items(): AsyncGenerator<O, void> {
      for (;;) {
        const { done, value } = await reader.read();
        if (isCancelled) return;
        try {
          yield* done ? finish() : read(value);
        } catch (error) {
          yield* beforeError(error);
          // It also ends the other side.
          void reader.cancel(error);
          throw error;
        }
        if (done) return;
      }
    }
    const all = items();
    this.writable = chunks.writable;
    // Each item is asked for. An error would drop those of a queue.
    const source: UnderlyingDefaultSource<O> = {
      async pull(controller) {
        const { done, value } = await all.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel(reason) {
        isCancelled = true;
        return reader.cancel(reason);
      },
    };
    this.readable = new ReadableStream(source, { highWaterMark: 0 });
  }
}
