//! rama-json: its tokenizer with its selecting sink. It reports whole strings, and scans an unfinished string from its
//! start after each chunk.

use rama_json::path::JsonPath;
use rama_json::select::{SelectingSink, ValuePath};
use rama_json::tokenizer::{Token, TokenSink, Tokenizer};
use rama_json::{JsonError, JsonErrorKind};

use super::{Contender, Done, Manner};
use crate::chunks::Input;
use crate::output::{Look, Sink};
use crate::track::Handler;
use crate::tree::Tree;

/// Reuses the compiled path between runs.
#[derive(Debug, Default)]
pub(super) struct RamaJson {
    path: Option<(&'static str, JsonPath)>,
}

/// A sink that ignores tokens.
struct Nothing;

impl TokenSink for Nothing {
    fn token(&mut self, _: Token<'_>) -> Result<(), JsonError> {
        Ok(())
    }
}

impl TokenSink for Tree {
    fn token(&mut self, token: Token<'_>) -> Result<(), JsonError> {
        let broken = || JsonError::new(JsonErrorKind::InvalidUtf8);
        match token {
            Token::Whitespace(_) | Token::Colon(_) | Token::Comma(_) => {}
            Token::StartObject(_) => self.begin_object(),
            Token::StartArray(_) => self.begin_array(),
            Token::EndObject(_) | Token::EndArray(_) => self.end(),
            Token::ObjectKey(key) => self.key(&key.as_str().ok_or_else(broken)?),
            Token::String(text) => self.string(&text.as_str().ok_or_else(broken)?),
            Token::Number(number) => self.number(std::str::from_utf8(number.raw()).map_err(|_| broken())?),
            Token::True(_) => self.bool(true),
            Token::False(_) => self.bool(false),
            Token::Null(_) => self.null(),
        }
        Ok(())
    }
}

fn drive<S: TokenSink>(input: &Input, tokens: &mut S, mut between: impl FnMut(&mut S)) -> Done {
    let mut tokenizer = Tokenizer::new();
    for chunk in input.chunks() {
        tokenizer.write(chunk, tokens).ok()?;
        between(tokens);
    }
    tokenizer.end(tokens).ok()
}

impl Contender for RamaJson {
    fn name(&self) -> &'static str {
        "rama-json"
    }

    fn manner(&self) -> Manner {
        Manner::Whole
    }

    fn deltas(&mut self, input: &Input, sink: &mut Sink) -> Done {
        let pattern = input.kind.pattern();
        if self.path.as_ref().is_none_or(|(compiled, _)| *compiled != pattern) {
            self.path = Some((pattern, pattern.parse().ok()?));
        }
        let (_, path) = self.path.as_ref()?;
        let reported = |_: usize, _: &ValuePath, token: Token<'_>| {
            if let Token::String(text) = token {
                sink.delta(&text.as_str().ok_or_else(|| JsonError::new(JsonErrorKind::InvalidUtf8))?);
            }
            Ok(())
        };
        drive(input, &mut SelectingSink::new([path.clone()], reported), |_| {})
    }

    fn validate(&mut self, input: &Input) -> Done {
        drive(input, &mut Nothing, |_| {})
    }

    fn snapshots(&mut self, input: &Input, look: &mut Look<'_>) -> Done {
        drive(input, &mut Tree::default(), |tree| look.see(tree))
    }

    fn value(&mut self, input: &Input, look: &mut Look<'_>) -> Done {
        let mut tree = Tree::default();
        drive(input, &mut tree, |_| {})?;
        look.see(&tree.into_value()?);
        Some(())
    }
}
