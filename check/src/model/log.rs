//! The model's options, events and verdict, and the spelling of a path. Nothing is read here.

pub use super::path::{PathElement, concrete_path, normalized_path};
use super::pattern::ModelPattern;

/// The contract's default: as many open containers as `serde_json` accepts.
pub const DEFAULT_DEPTH: u64 = 127;

#[derive(Clone, Debug)]
pub struct Options {
    pub patterns: Vec<ModelPattern>,
    pub depth: u64,
    pub key: Option<u64>,
    pub string: Option<u64>,
    pub number: Option<u64>,
    pub blank: Option<u64>,
    pub total: Option<u64>,
    pub reject_duplicates: bool,
    /// The names of the tolerated deviations.
    pub lenient: Vec<&'static str>,
    /// True if a text with deviations is accepted.
    pub accepts: bool,
    /// `true`: the document was fed and finished; `false`: it was only fed so far.
    pub end_of_input: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            patterns: Vec::new(),
            depth: DEFAULT_DEPTH,
            key: None,
            string: None,
            number: None,
            blank: None,
            total: None,
            reject_duplicates: false,
            lenient: Vec::new(),
            accepts: false,
            end_of_input: true,
        }
    }
}

impl Options {
    pub fn with_patterns(patterns: impl IntoIterator<Item = ModelPattern>) -> Self {
        Options { patterns: patterns.into_iter().collect(), ..Options::default() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelLog {
    pub events: Vec<ModelEvent>,
    pub verdict: Verdict,
    /// Kind and offset of the error that ended reading: the verdict's, unless a deviation came first.
    pub stopped_by: Option<(&'static str, u64)>,
    /// The listed deviations, if any were tolerated.
    pub deviations: Vec<ModelDeviation>,
    pub deviation_count: u64,
    /// The text as strict JSON, if it was accepted and was not that.
    pub rewritten: Option<Vec<u8>>,
}

/// All deviations, by their names in the contract.
pub const DEVIATIONS: [&str; 10] = [
    "control-characters",
    "bad-escapes",
    "lone-surrogates",
    "trailing-commas",
    "comments",
    "single-quotes",
    "bare-keys",
    "python-literals",
    "non-finite",
    "byte-order-mark",
];

/// Returns the deviations inside strings, or none.
pub fn flaws(passes: bool) -> Vec<&'static str> {
    if passes { DEVIATIONS[..3].to_vec() } else { Vec::new() }
}

/// How many deviations are listed, of those that are counted.
pub const LISTED_DEVIATIONS: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelDeviation {
    pub kind: &'static str,
    pub offset: u64,
    pub line: u64,
    pub column: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelEvent {
    pub pattern: usize,
    pub path: Vec<PathElement>,
    pub kind: ModelEventKind,
    pub offset: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelEventKind {
    /// One of `null`, `bool`, `number`, `string`, `array`, `object`.
    Begin(&'static str),
    /// All deltas of the match, joined.
    Delta(String),
    /// The value's raw text, unchanged.
    End(Vec<u8>),
    /// The text in the string failed; the place and the path are those within it.
    InnerError { kind: &'static str, line: u64, column: u64, path: ErrorPath },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Complete,
    Open,
    Failed { kind: &'static str, offset: u64, line: u64, column: u64, path: ErrorPath },
}

/// The concrete path of the innermost open value at an error. The library may not know it, but must not claim another
/// one: nothing agrees with everything. When it has to know it, `driver.rs` sees to it.
#[derive(Clone, Debug)]
pub struct ErrorPath(pub Option<String>);

impl ErrorPath {
    /// Returns the path as an error has it: at most 200 characters, without the middle of a longer one.
    pub fn of(path: &str) -> Self {
        let characters: Vec<char> = path.chars().collect();
        if characters.len() <= 200 {
            return Self(Some(path.to_owned()));
        }
        let (first, last) = (&characters[..100], &characters[characters.len() - 99..]);
        Self(Some(first.iter().chain(&['…']).chain(last).collect()))
    }
}

impl PartialEq for ErrorPath {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_none() || other.0.is_none() || self.0 == other.0
    }
}

impl Eq for ErrorPath {}

impl Verdict {
    pub fn is_failed(&self) -> bool {
        matches!(self, Verdict::Failed { .. })
    }

    /// Returns the kind and the offset of the error, if there is one.
    pub fn failure(&self) -> Option<(&'static str, u64)> {
        match self {
            Verdict::Failed { kind, offset, .. } => Some((kind, *offset)),
            Verdict::Complete | Verdict::Open => None,
        }
    }
}
