// The comparison of two JSON texts by value, as far as a server that repeats one keeps it: members in any order, and numbers
// as its language writes them.

import { tokensOf } from "../../core/json-text.js";
import { makeText } from "../../core/make-text.js";

type Tagged = string | boolean | null | Tagged[] | { [key: string]: Tagged };

/** Parses a text, with a letter before each string and number for its type. Returns `undefined` for invalid JSON. */
function read(text: string): Tagged | undefined {
  const reader = makeText({ retain: "nothing" });
  if (reader.read(text) !== undefined || reader.end() !== undefined) return undefined;
  let tagged = "";
  for (const token of tokensOf(text)) tagged += /^[-\d]/.test(token) ? `"n${token}"` : token.replace(/^"/, '"s');
  return JSON.parse(tagged) as Tagged;
}

/** Returns true if both are JSON texts of the same value: the last of duplicate members, and numbers of the same double. */
export function areAlike(one: string, other: string): boolean {
  const [first, second] = [read(one), read(other)];
  return first !== undefined && second !== undefined && areSame(first, second);
}

// Texts are within the default limit on depth.
function areSame(one: Tagged, other: Tagged): boolean {
  if (typeof one === "string" && typeof other === "string") {
    return one === other || (one[0] === "n" && other[0] === "n" && isSameNumber(one.slice(1), other.slice(1)));
  }
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other)) return false;
    return one.length === other.length && one.every((value, at) => areSame(value, other[at]!));
  }
  const keys = Object.keys(one);
  const isIn = (key: string): boolean => Object.hasOwn(other, key) && areSame(one[key]!, other[key]!);
  return keys.length === Object.keys(other).length && keys.every(isIn);
}

/**
 * Returns true if two JSON numbers are the same. Whole numbers that are spelt as such are exact, as ids have more digits than a
 * double. Of others with more than 15 digits, the last two may differ by what a double does not keep; and those below 1e-307
 * are all as good as zero.
 */
export function isSameNumber(one: string, other: string): boolean {
  if (!/[.eE]/.test(one + other)) return one.replace(/^-0$/, "0") === other.replace(/^-0$/, "0");
  const [first, second] = [new Decimal(one), new Decimal(other)];
  const [low, high] = first.exponent <= second.exponent ? [first, second] : [second, first];
  if (low.isTiny && high.isTiny) return true;
  const distance = high.exponent - low.exponent;
  if (!(distance <= 1) || low.isNegative !== high.isNegative) return false;
  const gap = (distance === 1 ? high.digits * 10n : high.digits) - low.digits;
  return gap <= UNSURE && gap >= -UNSURE;
}

/** The number of digits that distinguish each double from its neighbours. */
const LENGTH = 17;

/**
 * The largest distance of two numbers that are the same double: a double's last bit is up to 2.3e-16 of it, and of each
 * number one is cut off.
 */
const UNSURE = 25n;

/** A number's beginning: 0 point the digits, times ten to the power of the exponent. */
class Decimal {
  readonly isNegative: boolean;
  /** The first of them no zero; 0 for zero. */
  readonly digits: bigint;
  readonly exponent: number;

  constructor(number: string) {
    const [, sign, whole, fraction = "", exponent = "0"] = /^(-?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(number)!;
    const places = whole! + fraction;
    const zeros = /^0*/.exec(places)![0].length;
    this.isNegative = sign === "-";
    this.digits = BigInt(places.slice(zeros, zeros + LENGTH).padEnd(LENGTH, "0"));
    // Exponents beyond those of all doubles are equal.
    const power = Math.max(-1e15, Math.min(1e15, Number(exponent)));
    this.exponent = power + whole!.length - zeros;
  }

  get isTiny(): boolean {
    return this.digits === 0n || this.exponent <= -307;
  }
}
