// All entries of the package but those of the providers and of frameworks.

export * from "../dist/index.js";
export * from "../dist/calls/index.js";
export * from "../dist/documents/index.js";
export * from "../dist/envelope/index.js";
export * from "../dist/saved/index.js";
