//! Types for the property of typed partials: small ones of every representation that serde and serde_json know, each
//! with what fits it, and what it claims to be settled.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Debug};

use jsonspigot::{Parser, Settled};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::model::fitting_text::Fits::{self, *};

/// The claims of a value about its document: that parts of it are whole.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    at: Vec<String>,
    pub all: Vec<Claim>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Keys and indices, from the root.
    pub path: Vec<String>,
    pub of: String,
    /// True for a name, which can be open only as a string.
    pub is_name: bool,
}

impl Claims {
    fn inside(&mut self, step: &dyn ToString, look: impl FnOnce(&mut Self)) {
        self.at.push(step.to_string());
        look(self);
        self.at.pop();
    }

    fn whole(&mut self, of: &impl Debug) {
        self.all.push(Claim { path: self.at.clone(), of: format!("{of:?}"), is_name: false });
    }

    fn name(&mut self, of: &str) {
        self.all.push(Claim { path: self.at.clone(), of: of.to_owned(), is_name: true });
    }
}

/// A type whose values claim which of their parts are complete.
pub trait HasClaims {
    fn claim(&self, _: &mut Claims) {}
}

macro_rules! claims_nothing {
    ($($type:ty)*) => {
        $(impl HasClaims for $type {})*
    };
}

claims_nothing! {
    () bool char String i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 Value serde_json::Map<String, Value> Raw Bytes
    std::num::NonZeroI16
}

impl HasClaims for &str {}
impl HasClaims for &[u8] {}
impl HasClaims for Cow<'_, str> {}

impl<T: Debug> HasClaims for Settled<T> {
    fn claim(&self, claims: &mut Claims) {
        if let Some(value) = self.get() {
            claims.whole(value);
        }
    }
}

impl<T: HasClaims> HasClaims for Option<T> {
    fn claim(&self, claims: &mut Claims) {
        if let Some(inner) = self {
            inner.claim(claims);
        }
    }
}

impl<T: HasClaims> HasClaims for Box<T> {
    fn claim(&self, claims: &mut Claims) {
        (**self).claim(claims);
    }
}

impl<T: HasClaims> HasClaims for Vec<T> {
    fn claim(&self, claims: &mut Claims) {
        self.iter().enumerate().for_each(|(index, element)| claims.inside(&index, |claims| element.claim(claims)));
    }
}

impl<A: HasClaims, B: HasClaims> HasClaims for (A, B) {
    fn claim(&self, claims: &mut Claims) {
        claims.inside(&0, |claims| self.0.claim(claims));
        claims.inside(&1, |claims| self.1.claim(claims));
    }
}

impl<K: Debug, T: HasClaims> HasClaims for BTreeMap<K, T> {
    fn claim(&self, claims: &mut Claims) {
        for (key, value) in self {
            // As it is spelt in an object, if it is a string or number.
            let key = format!("{key:?}");
            claims.inside(&key.trim_matches('"'), |claims| value.claim(claims));
        }
    }
}

macro_rules! claim_inside {
    ($claims:ident: $($field:ident)*) => {
        $($claims.inside(&stringify!($field), |claims| $field.claim(claims));)*
    };
}

/// A type that the property is checked for.
pub trait Subject {
    type Read<'a>: Deserialize<'a> + Debug + HasClaims;

    const FITS: Fits;
    /// True if the type reads values that serde_json refuses: text that is borrowed though it was spelt with an escape,
    /// or a key that is a number or flag once it is decoded.
    const READS_ESCAPES: bool = false;
    /// True if later input may end a claim, by showing that something optional does not fit, or with a borrowed text.
    const MAY_LOSE: bool = false;
    /// True if later input may select another variant, and then the same position has another claim.
    const MAY_CHANGE: bool = false;
    /// The `Debug` of values of absent fields, besides empty and zero.
    const ABSENT: &'static [&'static str] = &["Null", r"\0"];
    /// Fields whose errors serde drops: what was shown there is gone when it turns out not to fit.
    const MAY_VANISH: &'static [&'static str] = &["adjacent"];
}

const NAMES: &[&str] = &["run", "ru", "runner"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Name {
    Run,
    Ru,
    Runner,
}

impl HasClaims for Name {
    fn claim(&self, claims: &mut Claims) {
        claims.name(&format!("{self:?}"));
    }
}

/// A struct as users write it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Plain {
    id: Settled<String>,
    text: String,
    size: Option<u32>,
    kind: Settled<Name>,
    path: Option<Settled<Option<String>>>,
    list: Vec<Option<Settled<u8>>>,
    inner: Option<Box<Plain>>,
    it: Settled<Box<Plain>>,
}

static PLAIN: Fits = Fields(&[
    ("id", Text),
    ("text", Text),
    ("size", Number),
    ("kind", Fits::Name(NAMES)),
    ("path", Text),
    ("list", List(&Number)),
    ("inner", This(&PLAIN)),
    ("it", This(&PLAIN)),
]);

impl HasClaims for Plain {
    fn claim(&self, claims: &mut Claims) {
        let Self { id, text, size, kind, path, list, inner, it } = self;
        claim_inside!(claims: id text size kind path list inner it);
    }
}

/// An internally tagged enum, with one of its own kind and others inside.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Tagged {
    Run {
        #[serde(default)]
        path: Settled<String>,
        #[serde(default)]
        text: String,
        #[serde(default)]
        it: Settled<Vec<String>>,
    },
    Ru(Plain),
    Runner {
        list: Vec<Tagged>,
        it: Option<Adjacent>,
    },
    Text,
    #[serde(rename = "a")]
    Flat(Flat),
    #[serde(other)]
    Other,
}

static TAGGED: Fits = OneOf(&[
    Fields(&[("type", Fits::Name(&["run"])), ("path", Text), ("text", Text), ("it", List(&Text))]),
    Fields(&[("type", Fits::Name(&["runner"])), ("list", List(&This(&TAGGED))), ("it", This(&ADJACENT))]),
    Fields(&[("type", Fits::Name(&["a"])), ("id", Number), ("kind", Fits::Name(NAMES)), ("path", Text)]),
    Fields(&[
        ("type", Fits::Name(&["ru", "text", "other", "", "r"])),
        ("id", Text),
        ("it", This(&PLAIN)),
        ("kind", Text),
    ]),
]);

impl HasClaims for Tagged {
    fn claim(&self, claims: &mut Claims) {
        let name = format!("{self:?}");
        claims.inside(&"type", |claims| claims.name(name.split(|c: char| !c.is_alphanumeric()).next().unwrap()));
        match self {
            Self::Run { path, text, it } => {
                claim_inside!(claims: path text it);
            }
            Self::Ru(plain) => plain.claim(claims),
            Self::Runner { list, it } => {
                claim_inside!(claims: list it);
            }
            Self::Flat(flat) => flat.claim(claims),
            Self::Text | Self::Other => {}
        }
    }
}

/// An adjacently tagged enum.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", content = "it", rename_all = "snake_case")]
pub enum Adjacent {
    Run(Settled<Value>),
    Ru {
        #[serde(default)]
        a: Settled<External>,
        #[serde(default)]
        text: String,
    },
    Runner,
    A(Settled<i8>, char),
}

static ADJACENT: Fits = OneOf(&[
    Fields(&[("kind", Fits::Name(&["run"])), ("it", Anything)]),
    Fields(&[("kind", Fits::Name(&["ru"])), ("it", Fields(&[("a", This(&EXTERNAL)), ("text", Text)]))]),
    Fields(&[("kind", Fits::Name(&["a"])), ("it", Tuple(&[Number, Text]))]),
    Fields(&[("kind", Fits::Name(NAMES)), ("text", Text)]),
]);

impl HasClaims for Adjacent {
    fn claim(&self, claims: &mut Claims) {
        let name = format!("{self:?}");
        claims.inside(&"kind", |claims| claims.name(name.split(|c: char| !c.is_alphanumeric()).next().unwrap()));
        claims.inside(&"it", |claims| match self {
            Self::Run(value) => value.claim(claims),
            Self::Ru { a, text } => {
                claim_inside!(claims: a text);
            }
            Self::A(number, _) => claims.inside(&0, |claims| number.claim(claims)),
            Self::Runner => {}
        });
    }
}

/// An untagged enum of all kinds; what it is may change as more comes.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Untagged {
    Flag(bool),
    Number(i64),
    Name(Name),
    Tagged(Tagged),
    Fields {
        path: Settled<String>,
        #[serde(default)]
        text: String,
    },
    Pair(u8, Settled<String>),
    List(Vec<Untagged>),
    Whole(Settled<BTreeMap<String, f64>>),
    Text(String),
    Null,
}

static UNTAGGED: Fits = OneOf(&[
    Flag,
    Number,
    Fits::Name(NAMES),
    This(&TAGGED),
    Fields(&[("path", Text), ("text", Text)]),
    Tuple(&[Number, Text]),
    List(&This(&UNTAGGED)),
    Map(&["a", "b"], &Number),
    Text,
    Fits::Null,
]);

impl HasClaims for Untagged {
    fn claim(&self, claims: &mut Claims) {
        match self {
            Self::Name(name) => name.claim(claims),
            Self::Tagged(tagged) => tagged.claim(claims),
            Self::Fields { path, text } => {
                claim_inside!(claims: path text);
            }
            Self::Pair(_, text) => claims.inside(&1, |claims| text.claim(claims)),
            Self::List(list) => list.claim(claims),
            Self::Whole(whole) => whole.claim(claims),
            Self::Flag(_) | Self::Number(_) | Self::Text(_) | Self::Null => {}
        }
    }
}

/// Flattened fields of every kind.
#[derive(Debug, Deserialize)]
pub struct Flat {
    #[serde(default)]
    id: Settled<u8>,
    #[serde(flatten)]
    adjacent: Option<Adjacent>,
    #[serde(flatten)]
    part: FlatPart,
    #[serde(flatten)]
    rest: BTreeMap<String, Settled<Value>>,
}

#[derive(Debug, Deserialize)]
struct FlatPart {
    #[serde(default)]
    path: Settled<Vec<u8>>,
    #[serde(default)]
    text: Option<String>,
}

static FLAT: Fits = Fields(&[
    ("id", Number),
    ("kind", Fits::Name(NAMES)),
    ("it", OneOf(&[Tuple(&[Number, Text]), Anything])),
    ("path", List(&Number)),
    ("text", Text),
    ("a", Anything),
]);

impl HasClaims for Flat {
    fn claim(&self, claims: &mut Claims) {
        let Self { id, adjacent, part: FlatPart { path, text }, rest } = self;
        claim_inside!(claims: id path text);
        adjacent.claim(claims);
        rest.claim(claims);
    }
}

/// An externally tagged enum, with something flattened in one of its variants.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum External {
    Run,
    Ru(Settled<Box<Tagged>>),
    Text(String, Settled<f64>),
    A {
        #[serde(default)]
        id: Settled<Option<i8>>,
        #[serde(flatten)]
        rest: BTreeMap<String, Settled<Vec<Settled<String>>>>,
    },
}

static EXTERNAL: Fits = OneOf(&[
    Fits::Name(&["run", "ru", "text"]),
    Fields(&[("ru", This(&TAGGED))]),
    Fields(&[("text", Tuple(&[Text, Number]))]),
    Fields(&[("a", Fields(&[("id", Number), ("it", List(&Text)), ("list", List(&Text))]))]),
    Fields(&[("run", Fits::Null)]),
]);

impl HasClaims for External {
    fn claim(&self, claims: &mut Claims) {
        match self {
            Self::Run => claims.name("Run"),
            Self::Ru(tagged) => claims.inside(&"ru", |claims| tagged.claim(claims)),
            Self::Text(_, number) => claims.inside(&"text", |claims| claims.inside(&1, |claims| number.claim(claims))),
            Self::A { id, rest } => claims.inside(&"a", |claims| {
                claim_inside!(claims: id);
                rest.claim(claims);
            }),
        }
    }
}

/// Text that is borrowed, in buffers too.
#[derive(Debug, Deserialize)]
pub struct Borrowed<'a> {
    #[serde(default)]
    id: Settled<&'a str>,
    #[serde(borrow, default)]
    text: Option<&'a str>,
    #[serde(borrow, default)]
    path: Cow<'a, str>,
    #[serde(borrow, default)]
    it: BTreeMap<&'a str, Cow<'a, str>>,
    #[serde(borrow, default)]
    list: Vec<&'a [u8]>,
    #[serde(borrow, default)]
    a: Option<BorrowedTagged<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum BorrowedTagged<'a> {
    Run {
        #[serde(default)]
        path: Settled<String>,
        #[serde(default)]
        id: Settled<u8>,
        #[serde(default)]
        text: &'a str,
    },
    Ru(#[serde(borrow)] BTreeMap<&'a str, &'a str>),
}

static BORROWED: Fits = Fields(&[
    ("id", Text),
    ("text", Text),
    ("path", Text),
    ("it", Map(&["a", "b"], &Text)),
    ("list", List(&Text)),
    ("a", Fields(&[("type", Fits::Name(NAMES)), ("path", Text), ("id", Number), ("text", Text)])),
]);

impl HasClaims for Borrowed<'_> {
    fn claim(&self, claims: &mut Claims) {
        let Self { id, text, path, it, list, a } = self;
        claim_inside!(claims: id text path it list a);
    }
}

impl HasClaims for BorrowedTagged<'_> {
    fn claim(&self, claims: &mut Claims) {
        match self {
            Self::Run { path, id, text } => {
                claim_inside!(claims: path id text);
            }
            Self::Ru(map) => map.claim(claims),
        }
    }
}

/// Numbers of every width, and what may be taken for one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Numbers {
    a: Option<i8>,
    b: Vec<u16>,
    c: (i64, u64),
    d: i128,
    e: u128,
    f: f32,
    g: f64,
    h: Option<std::num::NonZeroI16>,
    i: char,
    j: (),
    k: bool,
    l: Settled<i128>,
    m: Settled<f32>,
}

static NUMBERS: Fits = Fields(&[
    ("a", Number),
    ("b", List(&Number)),
    ("c", Tuple(&[Number, Number])),
    ("d", Number),
    ("e", Number),
    ("f", Number),
    ("g", Number),
    ("h", Number),
    ("i", Text),
    ("j", Fits::Null),
    ("k", Flag),
    ("l", Number),
    ("m", Number),
]);

impl HasClaims for Numbers {
    fn claim(&self, claims: &mut Claims) {
        let Self { a, b, c, d, e, f, g, h, i, j, k, l, m } = self;
        claim_inside!(claims: a b c d e f g h i j k l m);
    }
}

/// Keys of other types than strings.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct OtherKeys {
    a: BTreeMap<i64, Settled<u8>>,
    b: BTreeMap<u128, String>,
    c: BTreeMap<bool, u8>,
    d: BTreeMap<char, Settled<String>>,
    e: BTreeMap<Name, u8>,
    f: BTreeMap<Option<String>, u8>,
    g: BTreeMap<Settled<String>, u8>,
    h: HashMap<u8, ()>,
}

const KEYS: &[&str] = &["1", "-1", "1.5", "true", "run", "a", "", r"\u0031", "300"];
const INTEGERS: &[&str] = &["1", "12", "300", "0", "7", "-1", r"\u0031"];
const FLAGS: &[&str] = &["true", "false", "true", "false", "truer"];
const LETTERS: &[&str] = &["a", "b", "1", "é", r"\u0061", ""];

static KEYED: Fits = Fields(&[
    ("a", Map(INTEGERS, &Number)),
    ("b", Map(INTEGERS, &Text)),
    ("c", Map(FLAGS, &Number)),
    ("d", Map(LETTERS, &Text)),
    ("e", Map(NAMES, &Number)),
    ("f", Map(KEYS, &Number)),
    ("g", Map(KEYS, &Number)),
    ("h", Map(&["1"], &Fits::Null)),
]);

impl HasClaims for OtherKeys {
    fn claim(&self, claims: &mut Claims) {
        let Self { a, b, c: _, d, e: _, f: _, g: _, h: _ } = self;
        claim_inside!(claims: a b d);
    }
}

/// A value as its text, which is compared without what is only spelt otherwise.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct Raw(Box<RawValue>);

impl Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parser = Parser::builder().snapshots().build();
        parser.feed(self.0.get()).check().map_err(|_| fmt::Error)?;
        parser.finish().check().map_err(|_| fmt::Error)?;
        write!(f, "{}", parser.snapshot().ok_or(fmt::Error)?)
    }
}

/// Bytes, of a string or of a list.
#[derive(Debug)]
#[expect(dead_code, reason = "shown by `Debug` alone")]
pub struct Bytes(Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfAnything;

        impl<'de> Visitor<'de> for OfAnything {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_str<E>(self, text: &str) -> Result<Bytes, E> {
                Ok(Bytes(text.as_bytes().to_vec()))
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Bytes, A::Error> {
                let mut bytes = Vec::new();
                while let Some(byte) = seq.next_element()? {
                    bytes.push(byte);
                }
                Ok(Bytes(bytes))
            }
        }

        deserializer.deserialize_byte_buf(OfAnything)
    }
}

/// Values that are kept as they come.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Kept {
    text: Option<Raw>,
    list: Vec<Raw>,
    it: Settled<Raw>,
    a: serde_json::Map<String, Value>,
    path: Value,
    id: Settled<Option<Value>>,
    kind: Option<Bytes>,
    b: Settled<Bytes>,
}

static KEPT: Fits = Fields(&[
    ("text", Text),
    ("list", List(&Anything)),
    ("it", Anything),
    ("a", Map(KEYS, &Anything)),
    ("path", Anything),
    ("id", Anything),
    ("kind", OneOf(&[Text, List(&Number)])),
    ("b", OneOf(&[Text, List(&Number)])),
]);

impl HasClaims for Kept {
    fn claim(&self, claims: &mut Claims) {
        let Self { text: _, list: _, it, a: _, path: _, id, kind: _, b } = self;
        claim_inside!(claims: it id b);
    }
}

/// All of them in each other's containers.
type Mixed = Vec<(Option<Untagged>, Settled<Flat>)>;

macro_rules! subjects {
    ($($name:ident: $type:ty, $fits:expr $(, $flag:ident)*;)*) => {
        $(pub enum $name {}

        impl Subject for $name {
            type Read<'a> = $type;

            const FITS: Fits = $fits;
            $(const $flag: bool = true;)*
        })*
    };
}

subjects! {
    OfPlain: Plain, This(&PLAIN);
    OfTagged: Tagged, This(&TAGGED), MAY_LOSE;
    OfAdjacent: Adjacent, This(&ADJACENT);
    OfUntagged: Untagged, This(&UNTAGGED), MAY_LOSE, MAY_CHANGE;
    OfFlat: Flat, This(&FLAT), MAY_LOSE;
    OfExternal: External, This(&EXTERNAL);
    OfBorrowed: Borrowed<'a>, This(&BORROWED), READS_ESCAPES, MAY_LOSE;
    OfNumbers: Numbers, This(&NUMBERS);
    OfKeys: OtherKeys, This(&KEYED), READS_ESCAPES;
    OfKept: Kept, This(&KEPT);
    OfMixed: Mixed, List(&Tuple(&[This(&UNTAGGED), This(&FLAT)])), MAY_LOSE, MAY_CHANGE;
    OfMap: BTreeMap<String, Tagged>, Map(&["a", "b"], &This(&TAGGED)), MAY_LOSE;
}
