// The bytes of the module. The build writes them here; nothing calls this before.

export function inlined(): Uint8Array {
  throw new Error("the package was not built: run `npm run build`");
}
