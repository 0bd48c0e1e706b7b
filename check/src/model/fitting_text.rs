//! Texts that nearly fit a type. A description says what fits, and bytes choose at each place a value that fits or, now
//! and then, another one. Any bytes give a valid JSON text, so a fuzzer's changes give one too.

/// A type's shape, for texts that fit it.
#[derive(Clone, Copy, Debug)]
pub enum Fits {
    Anything,
    Null,
    Flag,
    Number,
    Text,
    /// One of these strings.
    Name(&'static [&'static str]),
    List(&'static Fits),
    Tuple(&'static [Fits]),
    /// An object with such keys.
    Map(&'static [&'static str], &'static Fits),
    /// An object with these members.
    Fields(&'static [(&'static str, Fits)]),
    OneOf(&'static [Fits]),
    /// Another shape, which may contain this one.
    This(&'static Fits),
}

/// A text is at most about this long: every prefix of it is read.
const LONGEST: usize = 120;
const DEEPEST: usize = 6;

const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "-1",
    "12",
    "255",
    "256",
    "-129",
    "1.5",
    "-0",
    "1e2",
    "1.0",
    "18446744073709551616",
    "0.1",
    "1e400",
    "340282366920938463463374607431768211455",
    "4294967296",
];
const TEXTS: [&str; 12] =
    ["", "a", "run", "ru", "runner", "text", "a b", "é\u{1F980}", r"\u0061", r"a\n\u0000", "12", "true"];
const KEYS: [&str; 12] = ["type", "path", "text", "id", "kind", "it", "a", "run", "1", "true", "", r"\u0061"];

/// Returns the text that the bytes choose.
pub fn text(fits: &Fits, bytes: &[u8]) -> String {
    let mut writer = FittingWriter { bytes: bytes.iter(), text: String::new(), depth: 0 };
    writer.value(fits);
    writer.text
}

struct FittingWriter<'a> {
    bytes: std::slice::Iter<'a, u8>,
    text: String,
    depth: usize,
}

impl FittingWriter<'_> {
    /// Returns a number below `count`. If no bytes are left, it is the last one, which is the plainest choice
    /// everywhere.
    fn choose(&mut self, count: usize) -> usize {
        self.bytes.next().map_or(count - 1, |byte| usize::from(*byte) % count)
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.choose(all.len())]
    }

    fn value(&mut self, fits: &Fits) {
        match self.choose(64) {
            0 => self.fitting(&Fits::Anything),
            1 => self.text.push_str("null"),
            2 => {
                self.text.push(' ');
                self.fitting(fits);
            }
            _ => self.fitting(fits),
        }
    }

    /// Returns true if the text has to end soon: then lists and objects are empty, and the first alternative is chosen.
    fn is_long(&self) -> bool {
        self.text.len() > LONGEST || self.depth > DEEPEST
    }

    fn fitting(&mut self, fits: &Fits) {
        match fits {
            Fits::Anything => self.anything(),
            Fits::Null => self.text.push_str("null"),
            Fits::Flag => {
                let flag = self.one_of(&["false", "true"]);
                self.text.push_str(flag);
            }
            Fits::Number => {
                let number =
                    if self.choose(10) == 0 { self.one_of(&NUMBERS) } else { self.one_of(&["0", "12", "7", "1"]) };
                self.text.push_str(number);
            }
            Fits::Text => {
                let text = self.one_of(&TEXTS);
                self.string(text);
            }
            Fits::Name(names) => {
                let name = self.one_of(names);
                self.string(name);
            }
            Fits::List(element) => {
                let count = if self.is_long() { 0 } else { self.one_of(&[0, 2, 3, 1]) };
                self.list((0..count).map(|_| *element));
            }
            Fits::Tuple(elements) => self.list(elements.iter()),
            Fits::Map(keys, value) => {
                let count = if self.is_long() { 0 } else { self.one_of(&[0, 2, 3, 1]) };
                self.object(|this, members| {
                    for _ in 0..count {
                        let key = this.one_of(keys);
                        members.push((key, **value));
                    }
                });
            }
            Fits::Fields(fields) => self.fields(fields),
            Fits::OneOf(all) => {
                let one = if self.is_long() { all[0] } else { self.one_of(all) };
                self.fitting(&one);
            }
            Fits::This(fits) => self.value(fits),
        }
    }

    /// Writes a struct's object, with a member missing or repeated, in another order, or with an unknown one; or its
    /// list.
    fn fields(&mut self, fields: &[(&'static str, Fits)]) {
        if self.is_long() {
            self.text.push_str("{}");
            return;
        }
        if self.choose(64) == 0 {
            self.list(fields.iter().map(|(_, fits)| fits));
            return;
        }
        self.object(|this, members| {
            for field in fields {
                match this.choose(64) {
                    0..12 => {}
                    12 => members.extend([*field, *field]),
                    _ => members.push(*field),
                }
            }
            let count = members.len().max(1);
            match this.choose(8) {
                0 => members.reverse(),
                1 => members.rotate_left(count / 2),
                2 => members.push((this.one_of(&KEYS), Fits::Anything)),
                3 => members.insert(0, (this.one_of(&KEYS), Fits::Text)),
                _ => {}
            }
        });
    }

    fn anything(&mut self) {
        const SOME: [Fits; 8] = [
            Fits::List(&Fits::Anything),
            Fits::Map(&KEYS, &Fits::Anything),
            Fits::Map(&KEYS, &Fits::Text),
            Fits::Null,
            Fits::Flag,
            Fits::Name(&KEYS),
            Fits::Number,
            Fits::Text,
        ];
        let fits = if self.is_long() { Fits::Null } else { self.one_of(&SOME) };
        self.fitting(&fits);
    }

    fn string(&mut self, text: &str) {
        self.text.push('"');
        self.text.push_str(text);
        self.text.push('"');
    }

    fn list<'f>(&mut self, elements: impl Iterator<Item = &'f Fits>) {
        self.depth += 1;
        self.text.push('[');
        for (place, element) in elements.enumerate() {
            if place > 0 {
                self.text.push(',');
            }
            self.value(element);
        }
        self.text.push(']');
        self.depth -= 1;
    }

    fn object(&mut self, members: impl FnOnce(&mut Self, &mut Vec<(&'static str, Fits)>)) {
        self.depth += 1;
        let mut all = Vec::new();
        members(self, &mut all);
        self.text.push('{');
        for (place, (key, fits)) in all.iter().enumerate() {
            if place > 0 {
                self.text.push(',');
            }
            self.string(key);
            self.text.push(':');
            self.value(fits);
        }
        self.text.push('}');
        self.depth -= 1;
    }
}
