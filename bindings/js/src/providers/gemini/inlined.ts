// The module, packed, and what unpacks it. The build writes them here; nothing reads them before.

export const packed: string = "";
export const unpacker: string = "";
