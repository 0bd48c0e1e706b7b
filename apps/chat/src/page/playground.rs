//! The playground: the library over any text, cut as asked, with what it tells at each step.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use jsonspigot::{DuplicateKeys, Limits, Mark, OwnedEvent, Parser, PatternSet};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The longest text, in bytes, and what all its steps may show.
pub const MAX_TEXT: usize = 64 << 10;
const MAX_SHOWN: usize = 4 << 20;
const MAX_STEPS: usize = 4096;
const MAX_PATTERNS: usize = 64;

/// What the page asks for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The text; it need not be JSON.
    pub json: String,
    /// Which values events are told of.
    pub patterns: Vec<String>,
    /// How many bytes a chunk has.
    pub chunk: usize,
}

/// What the library makes of the text: one step for each chunk, one more for the end of input.
#[derive(Clone, Debug, Serialize)]
pub struct Steps {
    /// In order; the last one may be an error.
    pub steps: Vec<Step>,
}

/// What one chunk, or the end of input, brought.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// The chunk's first byte.
    pub from: usize,
    /// The byte behind its last; the same as `from` at the end of input.
    pub to: usize,
    /// What was told.
    pub events: Vec<OwnedEvent>,
    /// The document as far as it is known, as JSON text; absent before its first byte.
    pub snapshot: Option<String>,
    /// What brings the last snapshot up to this one: each operation as JSON text, numbers as they are spelt.
    pub patch: Vec<String>,
    /// Why the text is none, or not whole: then this is the last step.
    pub error: Option<String>,
}

/// Runs the library over a text.
///
/// # Errors
///
/// A bad pattern, or more than the playground has room for, in words for a person.
pub fn run(request: &Request) -> Result<Steps, String> {
    let Request { json, patterns, chunk } = request;
    let text = json.as_bytes();
    if *chunk == 0 {
        return Err("a chunk needs at least one byte".into());
    }
    if text.len() > MAX_TEXT {
        return Err(format!("the text has {} bytes; the playground takes {MAX_TEXT}", text.len()));
    }
    if patterns.len() > MAX_PATTERNS {
        return Err(format!("there are {} patterns; the playground takes {MAX_PATTERNS}", patterns.len()));
    }
    if text.len().div_ceil(*chunk) > MAX_STEPS {
        return Err(format!("more than {MAX_STEPS} steps: choose larger chunks"));
    }
    let patterns = PatternSet::new(patterns).map_err(|error| error.to_string())?;
    let limits = Limits { depth: 100, ..Limits::default() };
    let builder = Parser::builder().snapshots().limits(limits).duplicate_keys(DuplicateKeys::LastWins);
    let mut reader = Reader { parser: builder.build(&patterns), seen: Mark::default(), room: MAX_SHOWN };
    let mut steps = Vec::new();
    let mut from = 0;
    for chunk in text.chunks(*chunk) {
        let step = reader.step(from, Some(chunk))?;
        from = step.to;
        steps.push(step);
        if steps.last().is_some_and(|step| step.error.is_some()) {
            return Ok(Steps { steps });
        }
    }
    steps.push(reader.step(from, None)?);
    Ok(Steps { steps })
}

struct Reader {
    parser: Parser,
    seen: Mark,
    /// How much may still be shown.
    room: usize,
}

impl Reader {
    /// Feeds a chunk, or the end of input.
    fn step(&mut self, from: usize, chunk: Option<&[u8]>) -> Result<Step, String> {
        let (mut events, mut error) = (Vec::new(), None);
        let told = match chunk {
            Some(chunk) => self.parser.feed(chunk),
            None => self.parser.finish(),
        };
        for event in told {
            match event {
                Ok(event) => events.push(event.to_owned()),
                Err(failed) => error = Some(failed.to_string()),
            }
        }
        let snapshot = self.parser.snapshot().map(|value| value.to_string());
        let patch: Vec<String> = self.parser.patch_since(self.seen).map(|op| op.to_string()).collect();
        self.seen = self.parser.mark();
        let shown = snapshot.as_ref().map_or(0, String::len) + 64 * events.len();
        self.room = self.room.checked_sub(shown).ok_or("too much to show: choose larger chunks or a shorter text")?;
        Ok(Step { from, to: from + chunk.map_or(0, <[u8]>::len), events, snapshot, patch, error })
    }
}

pub(super) async fn handle(request: Result<Json<Request>, JsonRejection>) -> Response {
    let refuse = |status: StatusCode, message: String| {
        (status, Json(json!({"error": {"kind": "playground", "message": message}}))).into_response()
    };
    match request {
        Err(rejection) => refuse(rejection.status(), rejection.body_text()),
        // A request's worth of work is bounded, but it is work: not on a thread that serves streams.
        Ok(Json(request)) => match tokio::task::spawn_blocking(move || run(&request)).await {
            Ok(Ok(steps)) => Json(steps).into_response(),
            Ok(Err(message)) => refuse(StatusCode::UNPROCESSABLE_ENTITY, message),
            Err(_) => refuse(StatusCode::INTERNAL_SERVER_ERROR, "the playground failed".into()),
        },
    }
}
