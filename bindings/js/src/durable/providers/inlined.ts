// The bytes of the module whose provider streams and envelopes are saved and restored. The build writes them here; nothing
// calls this before.

export function inlined(): Uint8Array {
  throw new Error("the package was not built: run `npm run build`");
}
