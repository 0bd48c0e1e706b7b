// What `jsonspigot/rewrite` has: a text that is edited while it passes.

export { RewriteError } from "./error.js";
export { Rewriter, RewriteStream, type RewriterOptions } from "./rewriter.js";
export { Rule } from "./rule.js";
