//! Keeps a `serde_json::Value` up to date while its text arrives, one line after each piece.
//!
//! `cargo run --example partial_json`

use jsonspigot::PartialJson;

const SAMPLE: &str = r#"{"city": "Saint-\u00c9tienne", "days": [12, 13], "note": "Take an umbrella \u2602"}"#;

fn main() -> Result<(), jsonspigot::Error> {
    let mut partial = PartialJson::new();
    for piece in SAMPLE.as_bytes().chunks(12) {
        let value = partial.push(piece)?.to_string();
        // Everything before the open value is complete: here, a program can look up the city once `days` is open.
        println!("{:>5} {value}", partial.open_path());
    }
    // Fails unless the pieces were one valid text.
    let value = partial.finish()?;
    println!("{}: {}", value["city"], value["note"]);
    Ok(())
}
