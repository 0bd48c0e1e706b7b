// The types of the fields that a reader of a `T` can be asked for. Only the field that is asked for is looked up, so a type
// may be large or recursive.

import type { Json } from "../core/values.js";

/** Keys and indices from the root: `"ask_slots", 0, "message"`. An empty path is the root. */
export type FieldPath = readonly (string | number)[];

/** Options for one read of a field. */
export interface ReadOptions {
  /** Gives up this read with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The path of a field, and possibly {@link ReadOptions} after it. */
export type FieldRequest = readonly (string | number | object)[];

/** The keys or indices of a value of this type; any of a value of unknown type. */
type KeyOf<T> = Json extends T ? string | number : T extends readonly unknown[] ? number : T extends object ? keyof T & string : never;

/** The member or element of a value, if it is there. */
type ChildOf<T, K> = Json extends T ? T : T extends readonly (infer E)[] ? E : K extends keyof T ? Exclude<T[K], undefined> : never;

/** The type of the field that a request names. */
export type FieldOf<T, R extends readonly unknown[]> = R extends readonly [infer K, ...infer Rest]
  ? K extends string | number
    ? FieldOf<ChildOf<T, K>, Rest>
    : T
  : T;

/** The request, or the nearest one to it for which there is a field. */
type Nearest<T, R extends readonly unknown[]> = R extends readonly [infer K, ...infer Rest]
  ? K extends KeyOf<T>
    ? readonly [K, ...Nearest<ChildOf<T, K>, Rest>]
    : Rest extends readonly []
      ? readonly [KeyOf<T> | ReadOptions]
      : readonly [KeyOf<T>, ...Rest]
  : R extends readonly []
    ? R
    : Json extends T
      ? R
      : readonly never[];

/** A type without values: the requested field has another type. */
interface FieldOfType<V> {
  readonly [type: symbol]: V;
}

/** A request for a field whose value may be a `V`. */
export type Requested<T, R extends FieldRequest, V = unknown> =
  R extends Nearest<T, R> ? (Extract<FieldOf<T, R>, V> extends never ? readonly [FieldOfType<V>] : R) : Nearest<T, R>;

/** The type of the elements of a field. */
export type ElementOf<T, R extends FieldRequest> = ChildOf<FieldOf<T, R>, number>;
