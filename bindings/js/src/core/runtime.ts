// Support for engines that lack `Symbol.dispose` or `TransformStream`.

/** Lets `using` dispose of the instances of a class. Where an engine has no such symbol, `dispose` is all there is. */
export function disposable(prototype: { dispose(): void }): void {
  if (typeof Symbol.dispose !== "symbol") return;
  Object.defineProperty(prototype, Symbol.dispose, {
    value(this: { dispose(): void }) {
      this.dispose();
    },
    writable: true,
    configurable: true,
  });
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
