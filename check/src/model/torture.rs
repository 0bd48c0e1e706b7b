//! Small handwritten documents, valid and not, for the torture cuts. Together they have each construct that can span a
//! chunk edge.

pub fn torture_documents() -> Vec<&'static [u8]> {
    [VALID, UNFINISHED, INVALID].concat()
}

pub const VALID: &[&[u8]] = &[
    // Roots of every kind; a root number ends only with the input.
    b"null",
    b"true",
    b" false ",
    b"0",
    b"-0",
    b"12",
    b"1.5e+3",
    b"-1E-2 ",
    b"\"\"",
    b"\"abc\"",
    b"[]",
    b"{}",
    b" [ ] ",
    b"\r\n{\r\n}\r\n",
    // Numbers: a cut inside must not make two of one.
    b"[12]",
    b"[1,-1.5e+3,0.0,1E400]",
    b"{\"a\":120,\"b\":true}",
    // UTF-8 of two, three and four bytes, in strings and in keys.
    "\"é\"".as_bytes(),
    "\"€\u{ffff}\"".as_bytes(),
    "\"😀\u{10ffff}\"".as_bytes(),
    "{\"é€😀\":\"é€😀\"}".as_bytes(),
    "\"\u{7f}\u{80}\u{7ff}\u{800}\u{d7ff}\u{e000}\u{10000}\"".as_bytes(),
    // Escapes: every letter, every digit, backslash parity, pairs.
    br#""\"\\\/\b\f\n\r\t""#,
    br#""\u00e9\u00E9""#,
    br#""\uD83D\uDE00""#,
    br#""a\ud83d\ude00b""#,
    br#""\\u0041""#,
    br#""\\\u0041""#,
    br#""\u0000""#,
    // Keys: empty, escaped, NUL, prefixes of each other, duplicates in two spellings.
    br#"{"":1}"#,
    br#"{"\u0061sk_slots":[{"message":"Great!"}]}"#,
    br#"{"\u0000":1,"__proto__":{"a":2}}"#,
    br#"{"a":1,"ab":{"a":2},"abc":3}"#,
    br#"{"a":[1],"a":"x","\u0061":{"b":null}}"#,
    br#"{"\uD83D\uDE00":"\uD83D\uDE00"}"#,
    // Nesting and commas.
    b"[[[[]]],{}]",
    br#"{"a":{"a":{"a":{}}},"b":[[],[{}]]}"#,
    br#"[1,"a",null,true,false,{"a":[2]},[]]"#,
    br#"{"ask_slots":[{"message":"What's up?","n":1},{"message":"ok"}],"end":true}"#,
];

/// Viable to the last byte: incomplete when finished.
pub const UNFINISHED: &[&[u8]] = &[
    b"",
    b" \n",
    b"-",
    b"1.",
    b"1e+",
    b"[1",
    b"[1,",
    b"tru",
    b"{\"a\"",
    b"{\"a\":1",
    b"{\"a\":1,\"a",
    b"\"\\",
    b"\"a\\u00e",
    b"\"\\uD83D",
    b"\"\\uD83D\\uDE0",
    b"\"\xF0\x9F\x98",
    b"{\"a\":[{\"b\":\"x\xC3",
];

pub const INVALID: &[&[u8]] = &[
    // Structure.
    b"\xEF\xBB\xBF{}",
    b"\0",
    b"[1,]",
    b"{\"a\":1,}",
    b"[}",
    b"{\"a\":1]",
    b"{1:2}",
    b"{\"a\" 1}",
    b"[\"a\" \"b\"]",
    b"[1 2]",
    b"[\xC3\xA9]",
    b"{\n\"a\":\n  ]",
    // Behind the root.
    b"1 2",
    b"1x",
    b"{}]",
    b"\"a\"\n\n\"b\"",
    b"null\0",
    // Atoms.
    b"01",
    b"-01",
    b"[-x]",
    b"1.x",
    b"1e+x",
    b"1.5.5",
    b"+1",
    b".5",
    b"trux",
    b"[nulL]",
    b"falsee",
    // Strings.
    b"\"a\nb\"",
    b"\"\0\"",
    b"\"\\x\"",
    b"\"\\u00g0\"",
    b"\"\\u12\"",
    b"\"\\\n\"",
    b"{\"a\\q\":1}",
    // Surrogates.
    b"\"\\uDC00\"",
    b"\"\\uD83D\"",
    b"\"\\uD83Dx\"",
    b"\"\\uD83D\n\"",
    b"\"\\uD83D\\n\"",
    b"\"\\uD83D\\q\"",
    b"\"\\uD83D\\u0041\"",
    b"\"\\uD83D\\uD83D\"",
    b"\"\\uD83D\\ug\"",
    b"{\"a\":\"ok\\uD83D\xFF\"}",
    // UTF-8.
    b"\"a\x80\"",
    b"\"\xC0\x80\"",
    b"\"\xC3\"",
    b"\"\xC3\n\"",
    b"\"\xE0\x80\x80\"",
    b"\"\xED\xA0\x80\"",
    b"\"\xE2\x82x\"",
    b"\"\xF0\x80\x80\x80\"",
    b"\"\xF4\x90\x80\x80\"",
    b"\"\xF5\"",
    b"{\"\xFF\":1}",
];
