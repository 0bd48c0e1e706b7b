// The bytes of the module as hexadecimal digits. The build writes them here; nothing reads them before.

export const digits: string = "";
