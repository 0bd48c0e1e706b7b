// The bytes of the module that saves and restores. The build writes them here; nothing calls this before.

export function inlined(): Uint8Array {
  throw new Error("the package was not built: run `npm run build`");
}
