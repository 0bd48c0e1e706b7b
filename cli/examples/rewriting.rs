//! Texts and rules in, what comes out of a `Rewriter` as lines of JSON: what other implementations are compared with. Each
//! line of the input is one text: its `rules` (a kind, a pattern, and what is put in), options and `chunks`, bytes in base64.
//! Its line of the output has in base64 what comes out of each call, and the error.

use std::error::Error;
use std::io::{self, BufRead as _, BufWriter, Write as _};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jsonspigot::{DuplicateKeys, Limits, Parser, RewriteError, Rewriter, Rule};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let given: Value = serde_json::from_str(&line?)?;
        writeln!(out, "{}", told(&given)?)?;
    }
    Ok(out.flush()?)
}

fn told(given: &Value) -> Result<Value, Box<dyn Error>> {
    let mut rewriter = rewriter(given)?;
    let chunks = given["chunks"].as_array().ok_or("expected chunks")?;
    let mut all = Vec::new();
    for chunk in chunks.iter().map(Some).chain([None]) {
        let mut out = Vec::new();
        let mut add = |bytes: &[u8]| out.extend_from_slice(bytes);
        let verdict = match chunk {
            Some(chunk) => rewriter.write(bytes(chunk)?, &mut add),
            None => rewriter.finish(&mut add),
        };
        all.push(BASE64_STANDARD.encode(out));
        if let Err(error) = verdict {
            return Ok(json!({"out": all, "error": said(&error)}));
        }
    }
    Ok(json!({"out": all, "error": null}))
}

fn bytes(chunk: &Value) -> Result<Vec<u8>, String> {
    BASE64_STANDARD.decode(chunk.as_str().unwrap_or_default()).map_err(|error| error.to_string())
}

fn said(error: &RewriteError) -> Value {
    match error {
        RewriteError::Text(error) => {
            let kind = error.kind().name();
            json!({"kind": kind, "offset": error.offset(), "line": error.line(), "column": error.column()})
        }
        other => json!({"message": other.to_string(), "offset": other.offset()}),
    }
}

fn rewriter(given: &Value) -> Result<Rewriter, Box<dyn Error>> {
    let mut rules = Vec::new();
    for given in given["rules"].as_array().ok_or("expected rules")? {
        rules.push((given[1].as_str().unwrap_or_default(), rule(given)?));
    }
    let mut limits = Limits::new();
    for (name, limit) in given["limits"].as_object().into_iter().flatten() {
        let limit = limit.as_u64().ok_or("expected a limit")?;
        limits = match &**name {
            "depth" => limits.depth(limit as usize),
            "key" => limits.key(limit),
            "string" => limits.string(limit),
            "number" => limits.number(limit),
            "blank" => limits.blank(limit),
            _ => limits.total(limit),
        };
    }
    let mut builder = Parser::builder().limits(limits);
    if given["duplicateKeys"] == "reject" {
        builder = builder.duplicate_keys(DuplicateKeys::Reject);
    }
    let rewriter = Rewriter::with_parser(builder, rules)?;
    Ok(match given["heldLimit"].as_u64() {
        Some(limit) => rewriter.held_limit(limit as usize),
        None => rewriter,
    })
}

fn rule(rule: &Value) -> Result<Rule, Box<dyn Error>> {
    let put_in = rule[2].as_str().unwrap_or_default();
    Ok(match rule[0].as_str() {
        Some("remove") => Rule::remove(),
        Some("redact") => Rule::redact(),
        Some("replace") => Rule::replace(put_in)?,
        // Text that is not JSON, too.
        Some("map") if !put_in.is_empty() => {
            let given = put_in.to_owned();
            Rule::map(move |_| given.clone())
        }
        Some("map") => Rule::map(|json| format!("{{\"was\": {json}}} ")),
        Some("mapText") => {
            Rule::map_text(|piece, out| out.push_str(&piece.map_or("!".to_owned(), str::to_ascii_uppercase)))
        }
        _ => return Err("expected a rule".into()),
    })
}
