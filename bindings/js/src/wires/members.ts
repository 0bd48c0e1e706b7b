// The members of a provider's event, each checked for the type that the provider's protocol gives it.

export type Members = { readonly [name: string]: unknown };

/** An event is not in the form of the provider's protocol. It may have been a piece of a call. */
export class Unreadable extends SyntaxError {}

export function unreadable(): never {
  throw new Unreadable();
}

/** Returns a text; the empty one if it is missing. Half of a surrogate pair is no text. */
export function textOf(value: unknown): string {
  return value == null ? "" : pieceOf(value);
}

/** Returns a text that may not be missing. */
export function pieceOf(value: unknown): string {
  return typeof value === "string" && !/\p{Surrogate}/u.test(value) ? value : unreadable();
}

/** Returns an object; an empty one if it is missing. */
export function membersOf(value: unknown): Members {
  if (value == null) return {};
  return isObject(value) ? value : unreadable();
}

/** Returns a list of objects; an empty one if it is missing. */
export function listOf(value: unknown): readonly Members[] {
  if (value == null) return [];
  return Array.isArray(value) && value.every(isObject) ? value : unreadable();
}

/** Returns an index, which may not be missing. */
export function indexOf(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : unreadable();
}

/** Returns a flag; false if it is missing. */
export function isTrue(value: unknown): boolean {
  return typeof (value ?? false) === "boolean" ? value === true : unreadable();
}

/** Returns the JSON text of a value; the empty one if it is missing. A number beyond a double has lost its text. */
export function jsonOf(value: unknown): string {
  if (value == null) return "";
  try {
    return JSON.stringify(value, (_, member: unknown) => (member === Infinity || member === -Infinity ? unreadable() : member));
  } catch {
    // It is too deep, or not made of JSON.
    return unreadable();
  }
}

/** Returns true if an object has a member of such a name that says something. */
export function hasMember(members: Members, names: RegExp): boolean {
  return Object.keys(members).some((name) => members[name] != null && members[name] !== false && names.test(name));
}

export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
