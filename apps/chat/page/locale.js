// Money, numbers and days as the reader writes them.

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
const number = new Intl.NumberFormat();

/** An amount in hundredths, of a currency that has a code or none. */
export function money(cents, currency = "EUR") {
  const form = /^[A-Z]{3}$/.test(currency) ? { style: "currency", currency } : { minimumFractionDigits: 2 };
  return new Intl.NumberFormat(undefined, form).format(cents / 100);
}

/** A value's words: a day and a number as the reader has them, a text as it is. */
export function shown(value) {
  if (typeof value === "number") return number.format(value);
  if (typeof value !== "string") return JSON.stringify(value);
  const time = /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? value : day.format(time);
}
