// The bytes of the providers' module. The build writes them here; nothing reads them before.

export const packed: string = "";
export const unpacker: string = "";
