// The packed module that saves and restores. The build writes them here; nothing reads them before.

export const packed: string = "";
export const unpacker: string = "";
