//! Checks a contender's output before it is timed. The oracle is serde_json.
//!
//! The concatenated deltas must be the strings at the path. Each snapshot must be a prefix of the document, and the
//! last snapshot must be the document. Snapshots of a live contender may lack at most 12 bytes of the known text.

use serde_json::Value;

use crate::chunks::{Chunking, Input};
use crate::contenders::{Contender, Manner, Task, run};
use crate::output::{Look, Seen, Sink};
use crate::payload::Step;

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Right,
    /// The contender does not support the task.
    Unable,
    /// The output is wrong, for this reason.
    Wrong(String),
}

/// Runs the task once and checks the output.
pub fn check(contender: &mut dyn Contender, task: Task, input: &Input) -> Verdict {
    // A contender that fails at this does not support the task.
    if run(contender, task, &Input::cut(input.kind, "{}".into(), Chunking::Whole)).is_none() {
        return Verdict::Unable;
    }
    if contender.manner() == Manner::Floor {
        return verdict(run(contender, task, input).ok_or_else(|| "the floor failed".into()));
    }
    let document: Value = serde_json::from_str(&input.document).expect("payloads are JSON");
    verdict(match task {
        Task::Deltas => deltas(input, &document, |sink| contender.deltas(input, sink)),
        Task::Again => deltas(input, &document, |sink| {
            contender.again(input, &mut Sink::default())?;
            contender.again(input, sink)
        }),
        Task::Validate => validate(contender, input),
        Task::Snapshots => snapshots(contender, input, &document),
        Task::Value => value(contender, input, &document),
    })
}

fn verdict(result: Result<(), String>) -> Verdict {
    match result {
        Ok(()) => Verdict::Right,
        Err(reason) => Verdict::Wrong(reason),
    }
}

fn deltas(input: &Input, document: &Value, run: impl FnOnce(&mut Sink) -> Option<()>) -> Result<(), String> {
    let mut sink = Sink::keeping();
    run(&mut sink).ok_or("refused a valid document")?;
    let mut wanted = String::new();
    gather(document, input.kind.path(), &mut wanted);
    let reported = sink.kept.unwrap_or_default();
    if reported == wanted {
        return Ok(());
    }
    let at = reported.bytes().zip(wanted.bytes()).take_while(|(a, b)| a == b).count();
    Err(format!("{} bytes of text for {}, the first wrong at {at}", reported.len(), wanted.len()))
}

fn gather(value: &Value, path: &[Step], text: &mut String) {
    match (path.split_first(), value) {
        (None, Value::String(found)) => text.push_str(found),
        (Some((Step::Key(key), rest)), Value::Object(map)) => {
            if let Some(value) = map.get(*key) {
                gather(value, rest, text);
            }
        }
        (Some((Step::Any, rest)), Value::Array(items)) => {
            for item in items {
                gather(item, rest, text);
            }
        }
        _ => {}
    }
}

/// Checks that the text is accepted, and that it is refused when truncated or followed by another byte.
fn validate(contender: &mut dyn Contender, input: &Input) -> Result<(), String> {
    contender.validate(input).ok_or("refused a valid document")?;
    let mut short = input.document.clone();
    short.pop();
    let long = format!("{}}}", input.document);
    for (what, document) in [("a truncated document", short), ("trailing bytes", long)] {
        if contender.validate(&Input::cut(input.kind, document, Chunking::Bytes(64))).is_some() {
            return Err(format!("accepted {what}"));
        }
    }
    Ok(())
}

fn value(contender: &mut dyn Contender, input: &Input, document: &Value) -> Result<(), String> {
    let mut seen = None;
    let done = contender.value(input, &mut Look::checking(&mut |value| seen = value.and_then(Seen::to_value)));
    done.ok_or("refused a valid document")?;
    if seen.is_some_and(|seen| same(&seen, document)) { Ok(()) } else { Err("another value".into()) }
}

fn snapshots(contender: &mut dyn Contender, input: &Input, document: &Value) -> Result<(), String> {
    let live = matches!(contender.manner(), Manner::Live | Manner::Reparse);
    let cuts: Vec<usize> = input.prefixes().map(str::len).collect();
    let chunks = input.chunks().count();
    // Each comparison walks over the document, so long runs are sampled: about 10 MB are compared.
    let every = (cuts.len() * input.bytes() / 10_000_000).max(1);
    let mut nth = 0;
    let mut last = None;
    let mut failure: Option<String> = None;
    let done = contender.snapshots(
        input,
        &mut Look::checking(&mut |seen| {
            let at = nth;
            nth += 1;
            // Contenders that accept bytes are called once per chunk, those that need text once per cut.
            let is_last = nth == cuts.len() || nth == chunks;
            if failure.is_some() || !(at % every == 0 || is_last) {
                return;
            }
            let Some(seen) = seen.and_then(Seen::to_value) else { return };
            if !is_prefix(&seen, document) {
                failure = Some(format!("snapshot {at} is no prefix of the document"));
            } else if live && cuts.len() == chunks {
                let wanted = closed(&input.document[..cuts[at]]).map_or(0, |value| text_bytes(&value));
                if text_bytes(&seen) + 12 < wanted {
                    failure = Some(format!("snapshot {at} shows {} of {wanted} bytes", text_bytes(&seen)));
                }
            }
            last = is_last.then_some(seen);
        }),
    );
    done.ok_or("refused a valid document")?;
    match failure {
        Some(failure) => Err(failure),
        None if last.is_some_and(|last| same(&last, document)) => Ok(()),
        None => Err("the last snapshot is not the document".into()),
    }
}

/// Returns true if the values are equal, comparing numbers as `f64`.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// Returns true if `part` is acceptable as an unfinished `whole`. An atom may still grow (`12` to `120`) or be unknown
/// (`null`), and an unfinished key may have the value `null`, as in some libraries.
fn is_prefix(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Null, _) | (Value::Number(_), Value::Number(_)) => true,
        (Value::String(part), Value::String(whole)) => whole.starts_with(part.as_str()),
        (Value::Array(part), Value::Array(whole)) => {
            part.len() <= whole.len() && part.iter().zip(whole).all(|(part, whole)| is_prefix(part, whole))
        }
        (Value::Object(part), Value::Object(whole)) => {
            let fits = |(key, part): (&String, &Value)| match whole.get(key) {
                Some(whole) => is_prefix(part, whole),
                None => part.is_null(),
            };
            part.iter().all(fits)
        }
        _ => part == whole,
    }
}

fn text_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(text_bytes).sum(),
        Value::Object(map) => map.values().map(text_bytes).sum(),
        _ => 0,
    }
}

/// Returns the value of a valid prefix: truncates it to the last position where it can be closed, closes and parses it.
fn closed(prefix: &str) -> Option<Value> {
    let bytes = prefix.as_bytes();
    let mut closers = Vec::new();
    let mut safe = None;
    let (mut expects_key, mut in_atom) = (false, false);
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        at += 1;
        match byte {
            b'"' => {
                let (end, known, is_closed) = string_end(prefix, at);
                if !expects_key {
                    safe = Some((known, !is_closed));
                }
                at = end;
            }
            b'{' | b'[' => {
                closers.push(if byte == b'{' { '}' } else { ']' });
                expects_key = byte == b'{';
                safe = Some((at, false));
            }
            b'}' | b']' => {
                closers.pop();
                (expects_key, in_atom) = (false, false);
                safe = Some((at, false));
            }
            b',' | b' ' | b'\n' | b'\r' | b'\t' => {
                if std::mem::take(&mut in_atom) {
                    safe = Some((at - 1, false));
                }
                if byte == b',' {
                    expects_key = closers.last() == Some(&'}');
                }
            }
            b':' => expects_key = false,
            _ => in_atom = true,
        }
    }
    let (end, in_string) = safe?;
    let mut text = prefix[..end].to_owned();
    text.extend(in_string.then_some('"'));
    text.extend(closers.iter().rev());
    serde_json::from_str(&text).ok()
}

/// Finds the end of a string after its opening quote. Returns the end of the string or prefix, the end of its known
/// text, and whether it is closed.
fn string_end(prefix: &str, mut at: usize) -> (usize, usize, bool) {
    let bytes = prefix.as_bytes();
    let mut known = at;
    while at < bytes.len() {
        let is_high = |at: usize| {
            matches!(bytes.get(at + 2..at + 4), Some([b'd' | b'D', b'8' | b'9' | b'a'..=b'b' | b'A'..=b'B']))
        };
        at += match (bytes[at], bytes.get(at + 1)) {
            (b'"', _) => return (at + 1, at + 1, true),
            (b'\\', Some(b'u')) if is_high(at) => 12,
            (b'\\', Some(b'u')) => 6,
            (b'\\', _) => 2,
            _ => 1,
        };
        if at <= bytes.len() && prefix.is_char_boundary(at) {
            known = at;
        }
    }
    (bytes.len(), known, false)
}

#[cfg(test)]
mod tests {
    use super::{closed, is_prefix, same};
    use crate::payload::Kind;

    #[test]
    fn every_prefix_closes_to_a_prefix_of_the_document() {
        let document = Kind::ToolCall.generate(2300, 0);
        let whole: serde_json::Value = serde_json::from_str(&document).unwrap();
        for (at, _) in document.char_indices().skip(1) {
            let part = closed(&document[..at]).unwrap_or_else(|| panic!("{}", &document[..at]));
            assert!(is_prefix(&part, &whole), "{}", &document[..at]);
        }
        assert!(same(&closed(&document).unwrap(), &whole));
    }
}
