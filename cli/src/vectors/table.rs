//! Reads a table of vectors. `vectors/README.md` documents the format.

use super::Vector;
use super::state::{Damage, State};

/// The cuts of a row's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cuts {
    /// No cuts.
    Whole,
    /// At each `¦` in the table.
    Marked,
    /// After every this many bytes.
    Every(usize),
    /// In two, at each offset, with a vector for each.
    Each,
}

/// One row of a table: one vector, or several that differ in their cuts.
#[derive(Default)]
pub(super) struct Row {
    name: String,
    patterns: Vec<String>,
    options: Option<String>,
    cuts: Option<Vec<Cuts>>,
    /// The input's lines, as the table spells them.
    input: Option<String>,
    /// The text that another parser has read before, if the input resumes from a state.
    saved: Option<String>,
    /// The patterns and options of that parser, if they differ.
    saved_patterns: Vec<String>,
    saved_options: Option<String>,
    damage: Option<Damage>,
}

/// Parses the rows of a table.
pub(super) fn rows(table: &str) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for line in table.split('\n').filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (keyword, rest) = line.split_once(':').unwrap_or_else(|| panic!("no keyword: {line}"));
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        if keyword == "vector" {
            rows.push(Row { name: rest.to_owned(), ..Row::default() });
            continue;
        }
        let row = rows.last_mut().unwrap_or_else(|| panic!("before the first vector: {line}"));
        match keyword {
            "pattern" => row.patterns.push(rest.to_owned()),
            "options" => assert!(row.options.replace(rest.to_owned()).is_none(), "{}: options twice", row.name),
            "saved" => row.saved = Some(rest.to_owned()),
            "saved-pattern" => row.saved_patterns.push(rest.to_owned()),
            "saved-options" => row.saved_options = Some(rest.to_owned()),
            "damage" => row.damage = Some(Damage::from_table(rest)),
            "cuts" => row.cuts = Some(rest.split(", ").map(cuts).collect()),
            "input" => match &mut row.input {
                Some(input) => *input = format!("{input}\n{rest}"),
                None => row.input = Some(rest.to_owned()),
            },
            _ => panic!("unknown keyword: {line}"),
        }
    }
    rows
}

fn cuts(spelt: &str) -> Cuts {
    match spelt {
        "whole" => Cuts::Whole,
        "marked" => Cuts::Marked,
        "bytes" => Cuts::Every(1),
        "each" => Cuts::Each,
        number => Cuts::Every(number.parse().unwrap_or_else(|_| panic!("unknown cuts: {spelt}"))),
    }
}

impl Row {
    pub(super) fn vectors(&self) -> Vec<Vector> {
        let marked = self.input.as_deref().map_or_else(Vec::new, |input| self.pieces(input));
        let input = marked.concat();
        let default = if marked.len() > 1 { Cuts::Marked } else { Cuts::Whole };
        let all = self.cuts.clone().unwrap_or_else(|| vec![default]);
        assert!(marked.len() < 2 || all.contains(&Cuts::Marked), "{}: the marks are not used as cuts", self.name);
        let every = |len: usize| input.chunks(len).map(<[u8]>::to_vec).collect::<Vec<_>>();
        let state = self.saved.as_deref().map(|saved| {
            let (patterns, options) = (&self.saved_patterns, self.saved_options.as_ref());
            let patterns = if patterns.is_empty() && self.saved_options.is_none() { &self.patterns } else { patterns };
            let saver = Vector {
                name: self.name.clone(),
                patterns: patterns.clone(),
                options: options.or(self.options.as_ref()).cloned().unwrap_or_else(|| "{}".to_owned()),
                state: None,
                chunks: vec![self.pieces(saved).concat()],
            };
            State::of(&saver, self.damage.as_ref())
        });
        let mut vectors = Vec::new();
        let mut push = |cut: &str, chunks: Vec<Vec<u8>>| {
            let (name, patterns) = (format!("{}{cut}", self.name), self.patterns.clone());
            let options = self.options.clone().unwrap_or_else(|| "{}".to_owned());
            vectors.push(Vector { name, patterns, options, state: state.clone(), chunks });
        };
        for cuts in &all {
            // A single vector has the row's name.
            let named = |cut: &'static str| if all.len() > 1 { cut } else { "" };
            match *cuts {
                // A row without input has no chunk; an empty input is one chunk.
                Cuts::Whole => push(named(", whole"), self.input.iter().map(|_| input.clone()).collect()),
                Cuts::Marked => push(named(", cut"), marked.clone()),
                Cuts::Every(1) => push(named(", one byte at a time"), every(1)),
                Cuts::Every(len) if all.len() > 1 => push(&format!(", {len} bytes at a time"), every(len)),
                Cuts::Every(len) => push("", every(len)),
                Cuts::Each => {
                    for at in 1..input.len() {
                        push(&format!(", cut at {at}"), vec![input[..at].to_vec(), input[at..].to_vec()]);
                    }
                }
            }
        }
        vectors
    }

    /// Returns the bytes of a text, cut at each `¦`.
    fn pieces(&self, text: &str) -> Vec<Vec<u8>> {
        let mut pieces = vec![Vec::new()];
        let mut rest = text;
        while let Some(special) = rest.find(['¦', '⟨']) {
            let (before, from) = rest.split_at(special);
            let piece: &mut Vec<u8> = pieces.last_mut().unwrap();
            piece.extend_from_slice(before.as_bytes());
            if let Some(after) = from.strip_prefix('¦') {
                pieces.push(Vec::new());
                rest = after;
            } else {
                let (bytes, after) = from['⟨'.len_utf8()..].split_once('⟩').unwrap();
                let byte = |digits| u8::from_str_radix(digits, 16).unwrap_or_else(|_| panic!("{}: {bytes}", self.name));
                piece.extend(bytes.split(' ').map(byte));
                rest = after;
            }
        }
        pieces.last_mut().unwrap().extend_from_slice(rest.as_bytes());
        pieces
    }
}
