// The texts and how they are cut: made by a seeded generator, the same in each run.

/** mulberry32. */
export function random(seed) {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 15), z | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) % bound;
  };
}

const WORDS = (
  "the laptop under battery for travel which screen you want a light and quiet with budget compare reviews delivery " +
  "tomorrow prefer colour warranty of two years keyboard good in stock best value between models to carry daily"
).split(" ");
// As they stand in JSON text; no character beyond the 16-bit ones, of which some peers show a half at a cut.
const SPICE = ["\\n", '\\"', "₹54,990", "café", "\\u20b9", "\\\\"];

function prose(next, length, every) {
  let text = "";
  let spiceAt = next(every);
  while (text.length < length) {
    text += WORDS[next(WORDS.length)];
    if (text.length >= spiceAt) {
      text += SPICE[next(SPICE.length)];
      spiceAt = text.length + every / 2 + next(every);
    }
    text += " ";
  }
  return text + ".";
}

function toolCall(next) {
  const slots = [];
  for (let at = 0; at < 4; at++) {
    const options = [0, 1, 2].map(() => `"under ₹${30 + next(60)},000"`);
    slots.push(`{"slot_name":"budget","message":"${prose(next, 170, 60)}","options":[${options}]}`);
  }
  return (
    `{"name":"classify_and_assess","reasoning":"${prose(next, 240, 90)}","route":"product_search","is_follow_up":false,` +
    `"confidence":0.0725,"subcategories":["ultrabook","2-in-1","student"],"product_intent":{"use":"college & travel",` +
    `"budget":{"min":35000,"max":60000,"currency":"INR","symbol":"₹"},"urgent":null},"ask_slots":[${slots}],` +
    `"fetch_functions":[{"function":"search_products","arguments":{"query":"light laptop","limit":12,"filters":` +
    `[{"field":"price","op":"<=","value":60000},{"field":"rating","op":">=","value":4.2}]}}],` +
    `"simple_response":{"message":"${prose(next, 180, 60)}","response_type":"clarify"}}`
  );
}

function nestedArguments(next) {
  const level = (depth) =>
    depth === 0
      ? `{"id":${next(1000)},"label":"${prose(next, 30, 60)}"}`
      : `{"kind":"group","op":"and","items":[${level(depth - 1)},${level(depth - 1)}],"meta":{"open":true,"rank":${next(99)}}}`;
  return `{"tree":${level(4)},"title":"${prose(next, 60, 60)}"}`;
}

function records(next) {
  const list = [];
  for (let length = 0; length < 64_000; length += list[list.length - 1].length) {
    const id = 505_874_924_095 + next(9_000_000);
    list.push(
      `{"metadata":{"result_type":"recent","iso_language_code":"en"},"created_at":"Sun Aug 31 00:00:${10 + next(49)} 2014",` +
        `"id":${id},"id_str":"${id}","text":"${prose(next, 60 + next(80), 50)}","truncated":false,"in_reply_to":null,` +
        `"user":{"id":${next(2 ** 31)},"name":"${WORDS[next(40)]}","description":"${prose(next, 40 + next(90), 70)}",` +
        `"followers_count":${next(20000)},"verified":false,"color":"C0DEED"},"coordinates":[${next(180)}.${next(1e6)},` +
        `-${next(180)}.${next(1e6)}],"retweet_count":${next(500)},"entities":{"hashtags":[],"user_mentions":` +
        `[{"screen_name":"${WORDS[next(40)]}","indices":[${next(20)},${20 + next(20)}]}]},"lang":"en"}`,
    );
  }
  return `{"statuses":[${list}]}`;
}

/** The path is that of the strings whose deltas are followed; `*` is every element. */
export const TEXTS = [
  {
    name: "120-byte call",
    text:
      '{"city":"Bengaluru","unit":"celsius","days":3,"hourly":false,"fields":["rain","wind"],' +
      '"note":"umbrella \\u2602 now"}',
    path: ["note"],
  },
  { name: "2.3 KB tool call", text: toolCall(random(1)), path: ["ask_slots", "*", "message"] },
  { name: "nested arguments", text: nestedArguments(random(2)), path: ["tree", "items", "*", "items", "*", "items", "*", "items", "*", "label"] },
  { name: "64 KB long text", text: `{"text":"${prose(random(3), 65_000, 60)}"}`, path: ["text"] },
  { name: "records", text: records(random(4)), path: ["statuses", "*", "text"] },
];

/** Cuts a text into chunks of 1 to 8 characters, like a model's tokens. */
export function tokens(text) {
  const next = random(0x5eed);
  const chunks = [];
  for (let at = 0; at < text.length; ) {
    const length = 1 + next(8);
    chunks.push(text.slice(at, at + length));
    at += length;
  }
  return chunks;
}

export function pieces(text, length) {
  const chunks = [];
  for (let at = 0; at < text.length; at += length) chunks.push(text.slice(at, at + length));
  return chunks;
}

export const CUTS = [
  { name: "1–8", cut: tokens },
  { name: "16", cut: (text) => pieces(text, 16) },
  { name: "64", cut: (text) => pieces(text, 64) },
  { name: "whole", cut: (text) => [text] },
];
