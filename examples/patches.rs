//! Keeps a copy of a document up to date while its text arrives, as a server does for a page in a browser.
//!
//! `cargo run --example patches`

use std::error::Error;

use jsonspigot::{Parser, Revision};
use serde_json::Value;

const SAMPLE: &str = r#"{"title": "Tea \u2615, quickly", "steps": ["Boil water", "Steep"], "minutes": 5}"#;

/// Applies one message to the copy. Returns `None` if it does not fit.
fn apply(copy: &mut Value, message: &str) -> Option<()> {
    let op: Value = serde_json::from_str(message).ok()?;
    let (path, value) = (op["path"].as_str()?, &op["value"]);
    match path.rsplit_once('/') {
        None => *copy = value.clone(),
        Some(_) if op["op"] == "append" => match copy.pointer_mut(path)? {
            Value::String(text) => text.push_str(value.as_str()?),
            _ => return None,
        },
        Some((parent, name)) => match copy.pointer_mut(parent)? {
            Value::Array(elements) => elements.push(value.clone()),
            parent => parent.as_object_mut()?.extend([(name.replace("~1", "/").replace("~0", "~"), value.clone())]),
        },
    }
    Some(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut parser = Parser::builder().snapshots().build();
    let (mut copy, mut sent) = (Value::Null, Revision::default());
    for piece in SAMPLE.as_bytes().chunks(18) {
        parser.feed(piece).check()?;
        for op in parser.patch_since(sent)? {
            let message = op.to_string();
            println!("{message}");
            apply(&mut copy, &message).ok_or("the patch does not fit")?;
        }
        sent = parser.revision();
    }
    parser.finish().check()?;
    println!("the copy: {copy}");
    Ok(())
}
