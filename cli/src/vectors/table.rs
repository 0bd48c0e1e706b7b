//! Reads a table of vectors. How one is written is in `vectors/README.md`.

use super::Vector;

/// How the input of a row is cut into chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cuts {
    /// Not at all.
    Whole,
    /// Where the table has `¦`.
    Marked,
    /// Every so many bytes.
    Every(usize),
    /// In two, at each place: a vector for each.
    Each,
}

/// One row of a table: one vector, or several that differ in their cuts.
#[derive(Default)]
pub(super) struct Row {
    name: String,
    patterns: Vec<String>,
    options: Option<String>,
    cuts: Option<Vec<Cuts>>,
    /// The input's lines, as the table has them.
    input: Option<String>,
}

/// The rows of a table.
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
        let marked = self.marked();
        let input = marked.concat();
        let default = if marked.len() > 1 { Cuts::Marked } else { Cuts::Whole };
        let all = self.cuts.clone().unwrap_or_else(|| vec![default]);
        assert!(marked.len() < 2 || all.contains(&Cuts::Marked), "{}: nobody cuts at the marks", self.name);
        let pieces = |len: usize| input.chunks(len).map(<[u8]>::to_vec).collect();
        let mut vectors = Vec::new();
        for cuts in &all {
            let chunks: Vec<(String, Vec<Vec<u8>>)> = match *cuts {
                Cuts::Whole => vec![(
                    ", whole".to_owned(),
                    marked.clone().into_iter().reduce(|all, next| [all, next].concat()).into_iter().collect(),
                )],
                Cuts::Marked => vec![(", cut".to_owned(), marked.clone())],
                Cuts::Every(1) => vec![(", one byte at a time".to_owned(), pieces(1))],
                Cuts::Every(len) => vec![(format!(", {len} bytes at a time"), pieces(len))],
                Cuts::Each => (1..input.len())
                    .map(|at| (format!(", cut at {at}"), vec![input[..at].to_vec(), input[at..].to_vec()]))
                    .collect(),
            };
            vectors.extend(chunks.into_iter().map(|(cut, chunks)| Vector {
                name: if all.len() == 1 && *cuts != Cuts::Each { self.name.clone() } else { self.name.clone() + &cut },
                patterns: self.patterns.clone(),
                options: self.options.clone().unwrap_or_else(|| "{}".to_owned()),
                chunks,
            }));
        }
        vectors
    }

    /// The input with its bytes, in the pieces that `¦` makes.
    fn marked(&self) -> Vec<Vec<u8>> {
        // Without an input nothing is fed, not even an empty chunk.
        let Some(input) = &self.input else { return Vec::new() };
        let mut pieces = vec![Vec::new()];
        let mut rest = input.as_str();
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
