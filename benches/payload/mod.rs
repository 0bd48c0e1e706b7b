//! Payloads of any size from a seeded generator, equal on every machine.
//!
//! Each is valid JSON of about the requested size, and has a path to the strings that the delta rows follow.
//!
//! A benchmark that reads one text repeatedly with the same cuts measures a trained branch predictor: a chunk then
//! costs less than half as much as in a program that sees it for the first time. So short texts are read in a
//! [`rotation`] of different texts, each with its own cuts.

use std::fmt::Write as _;

pub mod random;

use random::Random;

/// Returns the number of different texts of this size that a benchmark reads in turn: 64, or fewer if they are larger
/// than a tool call.
pub fn rotation(size: usize) -> u64 {
    (256_000 / size.max(1)).clamp(1, 64) as u64
}

/// Returns random lengths of 1 to 8 bytes, like a model's tokens. They depend on `seed`.
pub fn token_lengths(total: usize, seed: u64) -> impl Iterator<Item = usize> {
    let mut random = Random::new(0x5EED + (seed << 32));
    let mut left = total;
    std::iter::from_fn(move || {
        let length = left.min(1 + random.below(8));
        left -= length;
        (length > 0).then_some(length)
    })
}

/// Divides a text into pieces of these lengths.
pub fn tokens(text: &[u8], seed: u64) -> Vec<&[u8]> {
    let mut rest = text;
    // Reserved in advance, so that instruction counts do not include reallocations, which depend on chance.
    let mut pieces = Vec::with_capacity(text.len());
    pieces.extend(token_lengths(text.len(), seed).map(|length| {
        let (piece, after) = rest.split_at(length);
        rest = after;
        piece
    }));
    pieces
}

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Key(&'static str),
    Any,
}

/// The kind of a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A shopping assistant's call: nested, short strings, escapes, emoji.
    ToolCall,
    /// One object with one long string.
    LongText,
    /// Many similar records, like the search results of a social network.
    Records,
    /// Arrays of numbers.
    Numbers,
    /// A sequence of values, each a hundred containers deep.
    Deep,
    /// A call of 120 bytes.
    ShortCall,
    /// Many similar records of short fields, without nesting.
    Wide,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::ToolCall => "tool call",
            Self::LongText => "long text",
            Self::Records => "records",
            Self::Wide => "wide records",
            Self::Numbers => "numbers",
            Self::Deep => "deep",
            Self::ShortCall => "short call",
        }
    }

    /// Returns the path of the strings that the delta rows follow, as a pattern.
    pub fn pattern(self) -> &'static str {
        match self {
            Self::ToolCall => "$.ask_slots[*].message",
            Self::LongText => "$.text",
            Self::Records => "$.statuses[*].text",
            Self::Wide => "$[*].name",
            Self::Numbers => "$.name",
            Self::Deep => "$[*].end",
            Self::ShortCall => "$.city",
        }
    }

    /// Returns this path as steps, for libraries without patterns.
    pub fn path(self) -> &'static [Step] {
        match self {
            Self::ToolCall => &[Step::Key("ask_slots"), Step::Any, Step::Key("message")],
            Self::LongText => &[Step::Key("text")],
            Self::Records => &[Step::Key("statuses"), Step::Any, Step::Key("text")],
            Self::Wide => &[Step::Any, Step::Key("name")],
            Self::Numbers => &[Step::Key("name")],
            Self::Deep => &[Step::Any, Step::Key("end")],
            Self::ShortCall => &[Step::Key("city")],
        }
    }

    /// Generates a document of about `size` bytes; the short call has a fixed size. Each `seed` gives a different one.
    pub fn generate(self, size: usize, seed: u64) -> String {
        let mut random = Random::new(0x5EED_0000 + self as u64 + (seed << 32));
        match self {
            Self::ToolCall => tool_call(&mut random, size),
            Self::LongText => long_text(&mut random, size),
            Self::Records => records(&mut random, size),
            Self::Wide => wide(&mut random, size),
            Self::Numbers => numbers(&mut random, size),
            Self::Deep => deep(size, seed),
            Self::ShortCall => short_call(&mut random, seed),
        }
    }
}

const WORDS: [&str; 48] = [
    "the",
    "laptop",
    "under",
    "battery",
    "for",
    "travel",
    "which",
    "screen",
    "you",
    "want",
    "a",
    "light",
    "and",
    "quiet",
    "with",
    "budget",
    "compare",
    "reviews",
    "delivery",
    "tomorrow",
    "prefer",
    "colour",
    "warranty",
    "of",
    "two",
    "years",
    "keyboard",
    "good",
    "in",
    "stock",
    "best",
    "value",
    "between",
    "models",
    "to",
    "carry",
    "daily",
    "weight",
    "is",
    "about",
    "charger",
    "included",
    "refurbished",
    "new",
    "sound",
    "camera",
    "meetings",
    "photos",
];

/// An escaped surrogate pair, and two other escapes of the same length.
pub const PAIR: [&str; 2] = ["\\ud83d\\ude80", "\\u2602\\u2603"];

/// Pieces of raw JSON string text that are not plain ASCII; five of the eight are escapes.
const SPICE: [&str; 8] = ["\\n", "\\\"", "₹54,990", "😀", PAIR[0], "café", "\\u20b9", "\\\\"];

/// Appends `bytes` bytes of words, with an item of [`SPICE`] about every `every` bytes.
fn prose(out: &mut String, random: &mut Random, bytes: usize, every: usize) {
    let end = out.len() + bytes;
    let mut next_spice = out.len() + 1 + random.below(every);
    while out.len() < end {
        out.push_str(random.pick(&WORDS));
        if out.len() >= next_spice {
            out.push_str(random.pick(&SPICE));
            next_spice = out.len() + every / 2 + random.below(every);
        }
        out.push(' ');
    }
    out.push('.');
}

fn tool_call(random: &mut Random, size: usize) -> String {
    let tail_size = 620;
    let mut out = String::with_capacity(size + 512);
    out.push_str("{\"name\":\"classify_and_assess\",\"reasoning\":\"");
    prose(&mut out, random, (size / 8).max(200), 90);
    out.push_str(
        "\",\"route\":\"product_search\",\"data_strategy\":\"live_then_cache\",\"is_follow_up\":false,\
         \"follow_up_confidence\":0.0725,\"domain\":\"electronics\",\"category\":\"laptops\",\
         \"subcategories\":[\"ultrabook\",\"2-in-1\",\"student\"],\"product_intent\":{\"use\":\"college & travel\",\
         \"budget\":{\"min\":35000,\"max\":60000,\"currency\":\"INR\",\"symbol\":\"₹\"},\"urgent\":null},\"ask_slots\":[",
    );
    let mut slots = 0;
    while slots < 2 || out.len() + tail_size < size {
        if slots > 0 {
            out.push(',');
        }
        let slot = random.pick(&["budget", "screen_size", "use_case", "brand", "weight"]);
        let _ = write!(out, "{{\"slot_name\":\"{slot}\",\"message\":\"");
        prose(&mut out, random, 170, 60);
        out.push_str("\",\"options\":[");
        for option in 0..3 {
            let comma = if option > 0 { "," } else { "" };
            let price = 30 + random.below(60);
            let _ = write!(out, "{comma}\"under ₹{price},000\"");
        }
        out.push_str("]}");
        slots += 1;
    }
    out.push_str(
        "],\"fetch_functions\":[{\"function\":\"search_products\",\"arguments\":{\"query\":\"light laptop\",\"limit\":12,\
         \"filters\":[{\"field\":\"price\",\"op\":\"<=\",\"value\":60000},{\"field\":\"rating\",\"op\":\">=\",\"value\":4.2}]}},\
         {\"function\":\"get_offers\",\"arguments\":{\"bank\":null,\"student\":true}}],\"simple_response\":{\"message\":\"",
    );
    prose(&mut out, random, 180, 60);
    out.push_str("\",\"response_type\":\"clarify\"}}");
    out
}

fn long_text(random: &mut Random, size: usize) -> String {
    let mut out = String::with_capacity(size + 64);
    out.push_str("{\"text\":\"");
    // An escape about every 60 bytes.
    prose(&mut out, random, size.saturating_sub(14).max(1), 32);
    out.push_str("\"}");
    out
}

fn records(random: &mut Random, size: usize) -> String {
    let mut out = String::with_capacity(size + 1024);
    out.push_str("{\"statuses\":[");
    let mut id = 505_874_924_095_815_681_u64;
    loop {
        id += 1 + random.below(9_000_000) as u64;
        let user = random.below(3_000_000_000);
        let _ = write!(
            out,
            "{{\"metadata\":{{\"result_type\":\"recent\",\"iso_language_code\":\"en\"}},\
             \"created_at\":\"Sun Aug 31 00:{:02}:{:02} +0000 2014\",\"id\":{id},\"id_str\":\"{id}\",\"text\":\"",
            random.below(60),
            random.below(60),
        );
        let text_size = 60 + random.below(80);
        prose(&mut out, random, text_size, 50);
        let _ = write!(
            out,
            "\",\"source\":\"<a href=\\\"https://example.com/app\\\" rel=\\\"nofollow\\\">App</a>\",\"truncated\":false,\
             \"in_reply_to_status_id\":null,\"user\":{{\"id\":{user},\"id_str\":\"{user}\",\"name\":\"{} {}\",\
             \"location\":\"\",\"description\":\"",
            random.pick(&WORDS),
            random.pick(&WORDS),
        );
        let description_size = 40 + random.below(90);
        prose(&mut out, random, description_size, 70);
        let _ = write!(
            out,
            "\",\"url\":null,\"protected\":false,\"followers_count\":{},\"friends_count\":{},\"listed_count\":{},\
             \"created_at\":\"Wed Nov 09 13:52:18 +0000 2011\",\"utc_offset\":null,\"verified\":{},\
             \"profile_background_color\":\"C0DEED\",\"default_profile\":true}},\"geo\":null,\"coordinates\":[{:.6},{:.6}],\
             \"retweet_count\":{},\"favorite_count\":{},\"entities\":{{\"hashtags\":[],\"symbols\":[],\"urls\":[],\
             \"user_mentions\":[{{\"screen_name\":\"{}\",\"indices\":[{},{}]}}]}},\"favorited\":false,\"lang\":\"en\"}}",
            random.below(20_000),
            random.below(2_000),
            random.below(90),
            random.below(10) == 0,
            random.unit() * 180.0 - 90.0,
            random.unit() * 360.0 - 180.0,
            random.below(500),
            random.below(500),
            random.pick(&WORDS),
            random.below(20),
            20 + random.below(20),
        );
        if out.len() + 2 >= size {
            break;
        }
        out.push(',');
    }
    out.push_str("]}");
    out
}

fn wide(random: &mut Random, size: usize) -> String {
    const FIELDS: [&str; 12] = [
        "brand",
        "colour",
        "material",
        "season",
        "supplier",
        "warehouse",
        "shelf",
        "currency",
        "category",
        "gender",
        "origin",
        "label",
    ];
    let mut out = String::with_capacity(size + 1024);
    out.push('[');
    for id in 0.. {
        let _ = write!(out, "{{\"id\":{id},\"sku\":\"SKU-{:06}\",\"name\":\"", random.below(1_000_000));
        let name_size = 12 + random.below(20);
        prose(&mut out, random, name_size, 80);
        out.push('"');
        for field in FIELDS {
            let _ = write!(out, ",\"{field}\":\"{}\"", random.pick(&WORDS));
        }
        let _ = write!(
            out,
            ",\"price\":{}.{:02},\"stock\":{},\"weight\":{:.3},\"active\":{},\"discount\":null}}",
            random.below(500),
            random.below(100),
            random.below(2_000),
            random.unit() * 20.0,
            random.below(4) > 0,
        );
        if out.len() + 1 >= size {
            break;
        }
        out.push(',');
    }
    out.push(']');
    out
}

fn numbers(random: &mut Random, size: usize) -> String {
    let mut out = String::with_capacity(size + 256);
    out.push_str("{\"name\":\"matrix\",\"rows\":[");
    loop {
        out.push('[');
        for column in 0..12 {
            if column > 0 {
                out.push(',');
            }
            let _ = match column % 4 {
                0 => write!(out, "{}", random.below(1000)),
                1 => write!(out, "-{}", random.below(100_000_000)),
                2 => write!(out, "{:.6}", random.unit() * 2000.0 - 1000.0),
                _ => write!(out, "{:.3e}", random.unit() * 1e-6),
            };
        }
        out.push(']');
        if out.len() + 2 >= size {
            break;
        }
        out.push(',');
    }
    out.push_str("]}");
    out
}

fn deep(size: usize, seed: u64) -> String {
    let levels = 60 - (seed % 20) as usize;
    let mut element = String::from("{\"end\":\"of one\",\"nest\":");
    element.push_str(&"{\"a\":[".repeat(levels));
    element.push_str("true");
    element.push_str(&"]}".repeat(levels));
    element.push('}');
    let count = (size / element.len()).max(1);
    format!("[{}]", vec![element; count].join(","))
}

/// Generates a short call: 120 bytes for seed 0, a few more or fewer for others.
fn short_call(random: &mut Random, seed: u64) -> String {
    let mut pick = |from: &[&'static str]| if seed == 0 { from[0] } else { random.pick(from) };
    let city = pick(&["Bengaluru", "Köln", "Reykjavik", "Lima", "Saint-Étienne", "Osaka"]);
    let unit = pick(&["celsius", "fahrenheit", "kelvin"]);
    let days = pick(&["3", "1", "14", "7.5"]);
    let hourly = pick(&["false", "true", "null"]);
    let fields =
        pick(&["\"rain\",\"wind\",\"uv\"", "\"uv\",\"snow\"", "\"wind\"", "\"rain\",\"pressure\",\"uv\",\"wind\""]);
    let note = pick(&["umbrella \\u2602 now", "bring \\\"boots\\\"", "none", "sun \\u2600 all day, no wind"]);
    format!(
        "{{\"city\":\"{city}\",\"unit\":\"{unit}\",\"days\":{days},\"hourly\":{hourly},\"fields\":[{fields}],\"note\":\"{note}\"}}"
    )
}
