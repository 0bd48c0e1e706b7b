// Editing a text while it passes: the entry `jsonspigot/rewrite`.

export { RewriteError } from "./error.js";
export { Rewriter, RewriteStream, type RewriterOptions } from "./rewriter.js";
export { Rule } from "./rule.js";
