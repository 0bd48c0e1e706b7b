//! What the model is asked again: the first prompt, with what was wrong about its answer.

use std::fmt::Write;

use super::AttemptError;

/// How many errors a prompt carries.
const MAX_ERRORS: usize = 20;

/// How much of the answer a prompt carries, in bytes: its end, as that is where a cut or broken one went wrong.
const MAX_ANSWER: usize = 8 << 10;

/// The prompt of another attempt.
pub(super) fn again(prompt: &str, answer: &[u8], errors: &[AttemptError]) -> String {
    let mut again = format!("{prompt}\n\nYour last answer could not be used:\n");
    for error in errors.iter().take(MAX_ERRORS) {
        // Writing to a string cannot fail.
        let _ = writeln!(again, "- {error}");
    }
    if errors.len() > MAX_ERRORS {
        let _ = writeln!(again, "- and {} more", errors.len() - MAX_ERRORS);
    }
    if !answer.is_empty() {
        let tail = &answer[answer.len().saturating_sub(MAX_ANSWER)..];
        let which = if tail.len() < answer.len() { "It ended with" } else { "It was" };
        let _ = writeln!(again, "\n{which}:\n{}", String::from_utf8_lossy(tail));
    }
    again.push_str("\nAnswer again, with the whole form as one JSON text and nothing else.");
    again
}
