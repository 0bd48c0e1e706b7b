//! Parses a valid document into the generator's tree, so that it can be spelled in another way.

use super::generate::Tree;
use super::lexemes::{self, Limit};
use super::log::{Options, Verdict};
use super::recogniser;

const NO_LIMIT: Limit = Limit { most: None, kind: "" };

/// Returns the tree of a valid document, at most [`Options`]' default depth deep; `None` for any other.
pub fn tree(document: &[u8]) -> Option<Tree> {
    let verdict = recogniser::run(document, &Options::default()).verdict;
    (verdict == Verdict::Complete).then(|| TreeReader { document, at: 0 }.value())
}

/// Reads a valid document and checks nothing. Recursive, because the depth is small.
struct TreeReader<'d> {
    document: &'d [u8],
    at: usize,
}

impl TreeReader<'_> {
    /// Returns the next byte that is neither white space nor a separator.
    fn next(&mut self) -> u8 {
        while matches!(self.document[self.at], b' ' | b'\t' | b'\n' | b'\r' | b',' | b':') {
            self.at += 1;
        }
        self.document[self.at]
    }

    /// Takes the bracket if it is next.
    fn closes(&mut self, bracket: u8) -> bool {
        let closes = self.next() == bracket;
        self.at += usize::from(closes);
        closes
    }

    fn value(&mut self) -> Tree {
        match self.next() {
            b'[' => {
                self.at += 1;
                let mut elements = Vec::new();
                while !self.closes(b']') {
                    elements.push(self.value());
                }
                Tree::Array(elements)
            }
            b'{' => {
                self.at += 1;
                let mut members = Vec::new();
                while !self.closes(b'}') {
                    let name = self.text();
                    members.push((name, self.value()));
                }
                Tree::Object(members)
            }
            b'"' => Tree::Text(self.text()),
            b't' | b'n' => self.atom(self.at + 4),
            b'f' => self.atom(self.at + 5),
            _ => {
                let end = lexemes::number(self.document, self.at, NO_LIMIT).expect("a valid number");
                self.atom(end)
            }
        }
    }

    fn text(&mut self) -> String {
        self.next();
        let (decoded, end) = lexemes::string(self.document, self.at, NO_LIMIT);
        self.at = end.expect("a valid string");
        decoded
    }

    fn atom(&mut self, end: usize) -> Tree {
        let text = String::from_utf8_lossy(&self.document[self.at..end]).into_owned();
        self.at = end;
        Tree::Atom(text)
    }
}
