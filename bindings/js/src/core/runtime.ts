// Support for engines that lack `Symbol.dispose` or `TransformStream`.

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

/** Some engines have no web streams; there a stage can't be used, but the rest of the package can. */
export const Stage: typeof TransformStream =
  typeof TransformStream === "undefined"
    ? (class {
        constructor() {
          throw new TypeError("this engine has no TransformStream");
        }
      } as unknown as typeof TransformStream)
    : TransformStream;

/** Returns the work of a stage: it passes on what each call returns, and after an error what came before that. */
export function passing<I, O>(
  read: (chunk: I) => readonly O[],
  finish: () => readonly O[],
  beforeError: (error: unknown) => readonly O[],
): Transformer<I, O> {
  const pass = (call: () => readonly O[], controller: TransformStreamDefaultController<O>): void => {
    try {
      for (const item of call()) controller.enqueue(item);
    } catch (error) {
      for (const item of beforeError(error)) controller.enqueue(item);
      throw error;
    }
  };
  return { transform: (chunk, controller) => pass(() => read(chunk), controller), flush: (controller) => pass(finish, controller) };
}
