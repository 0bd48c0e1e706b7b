//! Deviations from JSON that a parser can tolerate: their kinds, sets of kinds, and the report of one deviation. The
//! module `lenient` implements what each kind means for the grammar.

use core::fmt;
use core::ops::BitOr;

use crate::names::names;

/// A kind of deviation from JSON that a parser tolerates if its [`Leniency`] allows it.
///
/// The [names](Self::name) are those of the command line.
///
/// ```
/// use jsonspigot::{DeviationKind, Leniency};
///
/// assert_eq!(DeviationKind::TrailingCommas.name(), "trailing-commas");
/// assert!(DeviationKind::ALL.iter().all(|kind| Leniency::from_name(kind.name()) == Some(Leniency::from(*kind))));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DeviationKind {
    /// A raw line feed between quotes: unescaped control characters stand for themselves.
    ControlCharacters,
    /// `"\d"`, `"\u12"`, `"\'"`: a backslash that does not begin an escape stands for itself, an incomplete `\u` for
    /// U+FFFD, and `\'` for `'`.
    BadEscapes,
    /// `"\uD83D!"`: half of a surrogate pair stands for U+FFFD.
    LoneSurrogates,
    /// `[1,]`, `{"a":1,}`: one comma after the last element or member. `[,]` and `[1,,]` stay errors.
    TrailingCommas,
    /// `// …` and `# …` up to the next line feed or the end of input, and `/* … */`, which does not nest. Comments are
    /// allowed wherever white space is, also before and after the root. Their contents need not be UTF-8.
    Comments,
    /// `'text'`: a string or key in single quotes, with JSON's escapes and `\'`; `"` stands for itself.
    SingleQuotes,
    /// `{key: 1}`: a key without quotes, made of ASCII letters, digits, `_` and `$`, not beginning with a digit.
    BareKeys,
    /// `True`, `False` and `None`, which stand for `true`, `false` and `null`.
    PythonLiterals,
    /// `NaN`, `Infinity` and `-Infinity`, which stand for `null`.
    NonFinite,
    /// The bytes EF BB BF at the start of the input.
    ByteOrderMark,
}

names!(DeviationKind {
    ControlCharacters => "control-characters",
    BadEscapes => "bad-escapes",
    LoneSurrogates => "lone-surrogates",
    TrailingCommas => "trailing-commas",
    Comments => "comments",
    SingleQuotes => "single-quotes",
    BareKeys => "bare-keys",
    PythonLiterals => "python-literals",
    NonFinite => "non-finite",
    ByteOrderMark => "byte-order-mark",
});

/// A set of [deviations](DeviationKind) that a parser tolerates; see
/// [`ParserBuilder::lenient`](crate::ParserBuilder::lenient).
///
/// Sets and kinds are joined with `|`.
///
/// ```
/// use jsonspigot::{DeviationKind, Leniency};
///
/// let leniency = Leniency::MODEL_OUTPUT | DeviationKind::PythonLiterals;
/// assert!(leniency.allows(DeviationKind::TrailingCommas) && leniency.allows(DeviationKind::PythonLiterals));
/// assert!(!leniency.allows(DeviationKind::BareKeys));
/// assert_eq!(Leniency::from_name("model-output"), Some(Leniency::MODEL_OUTPUT));
/// assert_eq!(Leniency::from_name("anything"), None);
/// assert!(DeviationKind::ALL.iter().all(|kind| !Leniency::NONE.allows(*kind)));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Leniency {
    /// One bit per kind, in the order of declaration.
    kinds: u16,
}

impl Leniency {
    /// No deviations: strict JSON, the default.
    pub const NONE: Self = Self { kinds: 0 };

    /// The deviations that language models are known to write instead of JSON: [control
    /// characters](DeviationKind::ControlCharacters), [bad escapes](DeviationKind::BadEscapes), [lone
    /// surrogates](DeviationKind::LoneSurrogates), [trailing commas](DeviationKind::TrailingCommas),
    /// [comments](DeviationKind::Comments) and a [byte order mark](DeviationKind::ByteOrderMark). Named `model-output`.
    pub const MODEL_OUTPUT: Self = Self::NONE
        .with(DeviationKind::ControlCharacters)
        .with(DeviationKind::BadEscapes)
        .with(DeviationKind::LoneSurrogates)
        .with(DeviationKind::TrailingCommas)
        .with(DeviationKind::Comments)
        .with(DeviationKind::ByteOrderMark);

    /// All deviations.
    pub const ALL: Self = {
        let (mut all, mut place) = (Self::NONE, 0);
        while place < DeviationKind::ALL.len() {
            all = all.with(DeviationKind::ALL[place]);
            place += 1;
        }
        all
    };

    /// Returns this set with one more kind.
    #[must_use]
    pub const fn with(self, kind: DeviationKind) -> Self {
        Self { kinds: self.kinds | 1 << kind as u16 }
    }

    /// Returns true if the set contains this kind.
    #[must_use]
    pub const fn allows(self, kind: DeviationKind) -> bool {
        self.kinds >> kind as u16 & 1 == 1
    }

    /// Returns the set with this name: a kind's [name](DeviationKind::name), or `model-output`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        if name == "model-output" {
            return Some(Self::MODEL_OUTPUT);
        }
        DeviationKind::ALL.iter().copied().find(|kind| kind.name() == name).map(Self::from)
    }

    /// Returns the set as a bit mask.
    pub(crate) fn bits(self) -> u64 {
        self.kinds.into()
    }
}

impl From<DeviationKind> for Leniency {
    fn from(kind: DeviationKind) -> Self {
        Self::NONE.with(kind)
    }
}

impl<T: Into<Self>> BitOr<T> for Leniency {
    type Output = Self;

    fn bitor(self, other: T) -> Self {
        Self { kinds: self.kinds | other.into().kinds }
    }
}

impl<T: Into<Leniency>> BitOr<T> for DeviationKind {
    type Output = Leniency;

    fn bitor(self, other: T) -> Leniency {
        Leniency::from(self) | other
    }
}

impl fmt::Debug for Leniency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = DeviationKind::ALL.iter().filter(|kind| self.allows(**kind)).map(|kind| kind.name());
        f.write_str("Leniency")?;
        f.debug_set().entries(names).finish()
    }
}

/// A deviation from JSON that the parser tolerated; see [`Parser::deviations`](crate::Parser::deviations).
///
/// It has the position of an [`Error`](crate::Error) but no path. It is small because every byte of a text may be a
/// deviation.
///
/// ```
/// use jsonspigot::{Deviation, DeviationKind, Parser};
///
/// let mut parser = Parser::builder().lenient(jsonspigot::Leniency::MODEL_OUTPUT).build();
/// parser.feed(r#"["C:\dir", "\of"]"#).check()?;
/// let seen: Vec<_> = parser.deviations().iter().map(|it| (it.kind(), it.line(), it.column())).collect();
/// assert_eq!(seen, [(DeviationKind::BadEscapes, 1, 6), (DeviationKind::BadEscapes, 1, 14)]);
///
/// parser.reset();
/// parser.feed(format!("[\"{}", "\n".repeat(1000))).check()?;
/// assert_eq!(parser.deviations().len(), Deviation::LIST_LIMIT);
/// assert_eq!(parser.deviation_count(), 1000);
/// # Ok::<(), jsonspigot::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Deviation {
    pub(crate) kind: DeviationKind,
    pub(crate) offset: u64,
    pub(crate) line: u64,
    pub(crate) column: u64,
}

impl Deviation {
    /// The number of deviations that a parser lists for one text. Further ones are only counted.
    pub const LIST_LIMIT: usize = 100;

    /// Returns the kind of deviation.
    #[must_use]
    pub fn kind(&self) -> DeviationKind {
        self.kind
    }

    /// Returns the absolute byte offset, from 0, of the byte at which a strict parser would have stopped. That is the
    /// bracket after a trailing comma, the first invalid byte of an escape, and the `I` of `-Infinity`.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the line of that byte, from 1, counted like [`Error::line`](crate::Error::line).
    #[must_use]
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Returns the column of that byte, from 1, in bytes.
    #[must_use]
    pub fn column(&self) -> u64 {
        self.column
    }
}
