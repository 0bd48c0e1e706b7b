//! The parser of patterns: RFC 9535 §2 and appendix A without the parts that need values which have not arrived, plus
//! `raw:` in front and `|` between queries.

use alloc::string::String;
use alloc::vec::Vec;
use core::str::FromStr;

use super::syntax::{MAX_INTEGER, Pattern, PatternError, PatternSegment, Selector, Slice};
use crate::path::{QuotedName, is_name_char, is_name_first, read_integer};

const NEGATIVE: &str = "a negative number counts from the end, which a stream does not know yet";
const FILTER: &str = "filters look at values that a stream has not seen yet";
const AFTER_SEGMENT: &str = "expected `.`, `[`, `|` or the end; other names are quoted in brackets: ['a-b']";
const FUNCTION: &str = "functions look at values that a stream has not seen yet";

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        Reader { text, rest: text }.pattern()
    }
}

macro_rules! try_from_text {
    ($($text:ty),*) => {$(
        impl TryFrom<$text> for Pattern {
            type Error = PatternError;

            fn try_from(text: $text) -> Result<Self, PatternError> {
                text.parse()
            }
        }
    )*};
}

// Not for all texts at once, because `From` has an implementation for all types.
try_from_text!(&str, &&str, &String, String);

struct Reader<'a> {
    text: &'a str,
    /// The rest of the pattern.
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn pattern(&mut self) -> Result<Pattern, PatternError> {
        let mut segments = Vec::new();
        let named = self.rest.strip_prefix("raw:");
        self.rest = named.unwrap_or(self.rest);
        if self.peek().is_none() {
            return Err(self.error("an empty pattern selects nothing; the root is `$`"));
        }
        self.query(&mut segments)?;
        while self.eat('|') {
            segments.push(PatternSegment { is_descendant: false, selectors: [Selector::Inside].into() });
            self.skip_space();
            self.query(&mut segments)?;
        }
        Ok(Pattern { segments, is_raw: named.is_some() })
    }

    /// Reads one query, up to `|` or the end of the pattern.
    fn query(&mut self, segments: &mut Vec<PatternSegment>) -> Result<(), PatternError> {
        match self.peek() {
            None | Some('|') => return Err(self.error("expected a query on each side of `|`; the root is `$`")),
            Some('$') => self.skip(),
            Some('[' | '.') => {}
            // A bare name or `*`: `$.` is implied.
            Some(_) => segments.push(PatternSegment { is_descendant: false, selectors: self.dotted()? }),
        }
        loop {
            let before_space = self.rest;
            self.skip_space();
            match self.peek() {
                Some('|') => return Ok(()),
                None if before_space.is_empty() => return Ok(()),
                None => {
                    self.rest = before_space;
                    return Err(self.error("white space after the pattern"));
                }
                Some('[') => segments.push(PatternSegment { is_descendant: false, selectors: self.bracketed()? }),
                Some('.') => segments.push(self.dot_segment()?),
                Some('(') => return Err(self.error(FUNCTION)),
                Some(_) => return Err(self.error(AFTER_SEGMENT)),
            }
        }
    }

    fn dot_segment(&mut self) -> Result<PatternSegment, PatternError> {
        self.skip();
        let is_descendant = self.eat('.');
        let selectors = if is_descendant && self.peek() == Some('[') { self.bracketed()? } else { self.dotted()? };
        Ok(PatternSegment { is_descendant, selectors })
    }

    /// Reads `*` or a shorthand name.
    #[inline(never)]
    fn dotted(&mut self) -> Result<Vec<Selector>, PatternError> {
        if self.eat('*') {
            return Ok([Selector::Wildcard].into());
        }
        if !self.peek().is_some_and(is_name_first) {
            return Err(self.error("expected a name or `*`; other names are quoted in brackets: ['a-b']"));
        }
        Ok([Selector::Name(self.take_while(is_name_char).into())].into())
    }

    #[inline(never)]
    fn bracketed(&mut self) -> Result<Vec<Selector>, PatternError> {
        self.skip();
        let mut selectors = Vec::new();
        loop {
            self.skip_space();
            selectors.push(self.selector()?);
            self.skip_space();
            if self.eat(']') {
                return Ok(selectors);
            }
            if !self.eat(',') {
                return Err(self.error("expected `,` or `]`"));
            }
        }
    }

    fn selector(&mut self) -> Result<Selector, PatternError> {
        match self.peek() {
            Some('*') => {
                self.skip();
                Ok(Selector::Wildcard)
            }
            Some('\'' | '"') => self.quoted().map(Selector::Name),
            Some('0'..='9' | '-' | ':') => self.index_or_slice(),
            Some('?') => Err(self.error(FILTER)),
            Some('(' | '@') => Err(self.error(FUNCTION)),
            Some(_) => Err(self.error("expected a quoted name, an index, a slice or `*`")),
            None => Err(self.error("the bracket is never closed")),
        }
    }

    fn index_or_slice(&mut self) -> Result<Selector, PatternError> {
        let start = self.integer()?;
        let after_start = self.rest;
        self.skip_space();
        if !self.eat(':') {
            self.rest = after_start;
            return start.map(Selector::Index).ok_or_else(|| self.error("expected an index"));
        }
        self.skip_space();
        let end = self.integer()?;
        let mut end_of_slice = self.rest;
        self.skip_space();
        let mut step = None;
        if self.eat(':') {
            end_of_slice = self.rest;
            self.skip_space();
            step = self.integer()?;
            if step.is_some() {
                end_of_slice = self.rest;
            }
        }
        self.rest = end_of_slice;
        Ok(Selector::Slice(Slice { start, end, step }))
    }

    /// Reads an integer if one begins here (RFC 9535 `int`: no leading zeros, no `-0`).
    #[inline(never)]
    fn integer(&mut self) -> Result<Option<u64>, PatternError> {
        if self.peek() == Some('-') {
            return Err(self.error(NEGATIVE));
        }
        let start = self.rest;
        let digits = self.take_while(|character| character.is_ascii_digit());
        let number = match digits.as_bytes() {
            [] => return Ok(None),
            [b'0', _, ..] => Err("a number has no leading zero"),
            _ => read_integer(digits).filter(|number| *number <= MAX_INTEGER).ok_or("a number is at most 2^53 - 1"),
        };
        number.map(Some).map_err(|reason| {
            self.rest = start;
            self.error(reason)
        })
    }

    #[inline(never)]
    fn quoted(&mut self) -> Result<String, PatternError> {
        let mut characters = QuotedName::new(self.text, self.at());
        let mut name = String::new();
        for character in characters.by_ref() {
            name.push(character.map_err(|error| PatternError::new(self.text, error.at, error.reason))?);
        }
        self.rest = characters.rest();
        Ok(name)
    }

    /// Returns the position of the next character.
    fn at(&self) -> usize {
        self.text.len() - self.rest.len()
    }

    // Not inlined, like the methods below: patterns are parsed once, and every program contains this code.
    #[inline(never)]
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    #[inline(never)]
    fn skip(&mut self) {
        let mut rest = self.rest.chars();
        rest.next();
        self.rest = rest.as_str();
    }

    #[inline(never)]
    fn eat(&mut self, wanted: char) -> bool {
        let rest = self.rest.strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    #[inline(never)]
    fn take_while(&mut self, belongs: fn(char) -> bool) -> &'a str {
        let (taken, rest) =
            self.rest.split_at(self.rest.find(|character| !belongs(character)).unwrap_or(self.rest.len()));
        self.rest = rest;
        taken
    }

    /// Skips white space (RFC 9535 `S`).
    fn skip_space(&mut self) {
        self.take_while(|character| matches!(character, ' ' | '\t' | '\n' | '\r'));
    }

    #[cold]
    #[inline(never)]
    fn error(&self, reason: &'static str) -> PatternError {
        PatternError::new(self.text, self.at(), reason)
    }
}
