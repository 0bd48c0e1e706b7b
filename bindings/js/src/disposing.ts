// `using` for the classes that have something to drop.

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
