//! Named deviations from JSON that a parser can be asked to go on past: their kinds, sets of them, and the report of
//! one. What each of them means for the grammar is decided in the room of leniency.

use core::fmt;
use core::ops::BitOr;

use crate::names::names;

/// A way in which a text may deviate from JSON and still be read, if a [`Leniency`] allows it.
///
/// The [names](Self::name) are those that the command line takes and prints.
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
    /// A raw line feed between quotes: control characters that are not escaped stand for themselves.
    ControlCharacters,
    /// `"\d"`, `"\u12"`, `"\'"`: a backslash that begins no escape stands for itself, a cut `\u` for U+FFFD, and `\'`
    /// for `'`.
    BadEscapes,
    /// `"\uD83D!"`: half of a surrogate pair stands for U+FFFD.
    LoneSurrogates,
    /// `[1,]`, `{"a":1,}`: one comma after the last element or member. `[,]` and `[1,,]` stay errors.
    TrailingCommas,
    /// `// …` and `# …` up to the next line feed or the end of input, `/* … */`, which does not nest: wherever white
    /// space may be, also before and after the root. What is inside is not looked at and need not be UTF-8.
    Comments,
    /// `'text'`: a string or key in single quotes, with the same escapes and `\'`; `"` stands for itself.
    SingleQuotes,
    /// `{key: 1}`: a key without quotes, of ASCII letters, digits, `_` and `$`, and not beginning with a digit.
    BareKeys,
    /// `True`, `False` and `None`, which stand for `true`, `false` and `null`.
    PythonLiterals,
    /// `NaN`, `Infinity` and `-Infinity`, which stand for `null`.
    NonFinite,
    /// The bytes EF BB BF before everything else.
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

/// A set of [deviations](DeviationKind) that a parser goes on past; see
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
    /// One bit for each kind, by its place in the declaration.
    kinds: u16,
}

impl Leniency {
    /// Nothing: strict JSON, the default.
    pub const NONE: Self = Self { kinds: 0 };

    /// The deviations that models are known to write where JSON was asked for: [control
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

    /// All kinds of deviations.
    pub const ALL: Self = {
        let (mut all, mut place) = (Self::NONE, 0);
        while place < DeviationKind::ALL.len() {
            all = all.with(DeviationKind::ALL[place]);
            place += 1;
        }
        all
    };

    /// This set and one more kind.
    #[must_use]
    pub const fn with(self, kind: DeviationKind) -> Self {
        Self { kinds: self.kinds | 1 << kind as u16 }
    }

    /// Returns true if a deviation of this kind is allowed.
    #[must_use]
    pub const fn allows(self, kind: DeviationKind) -> bool {
        self.kinds >> kind as u16 & 1 == 1
    }

    /// The set with this name: a kind's [name](DeviationKind::name), or `model-output`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        if name == "model-output" {
            return Some(Self::MODEL_OUTPUT);
        }
        DeviationKind::ALL.iter().copied().find(|kind| kind.name() == name).map(Self::from)
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

/// Something that is not JSON, which the parser was asked to go on past; see
/// [`Parser::deviations`](crate::Parser::deviations).
///
/// It says what an [`Error`](crate::Error) says, except for the path: a text may deviate at every byte, so each
/// deviation has to be small.
///
/// ```
/// use jsonspigot::{Deviation, DeviationKind, Parser, PatternSet};
///
/// let mut parser = Parser::builder().lenient(jsonspigot::Leniency::MODEL_OUTPUT).build(&PatternSet::empty());
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
    /// The number of deviations that a parser lists for one text; the others it only counts.
    pub const LIST_LIMIT: usize = 100;

    /// The kind of deviation, by the name of the option that allows it.
    #[must_use]
    pub fn kind(&self) -> DeviationKind {
        self.kind
    }

    /// The absolute byte offset, from 0, of the byte at which a strict parser would have stopped. For a trailing comma
    /// that is the bracket after it, for an escape the first byte that does not fit, and for `-Infinity` the `I`.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The line of that byte, from 1, counted as [`Error::line`](crate::Error::line).
    #[must_use]
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The column of that byte, from 1, in bytes.
    #[must_use]
    pub fn column(&self) -> u64 {
        self.column
    }
}

impl Leniency {
    /// The set as a number.
    pub(crate) fn bits(self) -> u64 {
        self.kinds.into()
    }
}
