// The packed module whose provider streams and envelopes are saved and restored. The build writes them here; nothing
// reads them before.

export const packed: string = "";
export const unpacker: string = "";
