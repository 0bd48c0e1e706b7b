// Schemas of other libraries (zod, valibot, arktype, …), by the interface that they share: https://standardschema.dev.

import { JsonSpigotError } from "../core/error.js";
import { invalid } from "../core/options.js";

/** A problem that a schema has found. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The result of a validation. */
export type SchemaResult<T> = { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

/** A Standard Schema, version 1. `T` is what it makes of a valid value. */
export interface StandardSchema<T = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<T> | Promise<SchemaResult<T>>;
    readonly types?: { readonly input: unknown; readonly output: T } | undefined;
  };
}

/** A complete value that its schema refuses. */
export class SchemaError extends JsonSpigotError {
  override readonly name = "SchemaError";
  readonly issues: readonly SchemaIssue[];

  constructor(issues: readonly SchemaIssue[]) {
    const [issue] = issues;
    const path = issue?.path?.map((step) => String(typeof step === "object" ? step.key : step)).join(".");
    super("schema", `schema: ${issue?.message ?? "the value is refused"}${path ? ` at ${path}` : ""}`);
    this.issues = issues;
  }
}

/** Fails for what is no schema, before anything is read. */
export function checkSchema(schema: Partial<StandardSchema> | null): void {
  if (typeof schema?.["~standard"]?.validate !== "function") throw invalid("schema: expected a Standard Schema");
}

/** Returns what a schema makes of a value, or throws a `SchemaError`. */
export function validated<T>(schema: StandardSchema<T>, value: unknown): T {
  const result = schema["~standard"].validate(value);
  if ("then" in result) {
    // Otherwise its rejection would end the process.
    result.then(undefined, () => undefined);
    throw new TypeError("a schema that validates asynchronously can't be used here");
  }
  if (result.issues) throw new SchemaError(result.issues);
  return result.value;
}
