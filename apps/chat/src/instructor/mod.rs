//! The form instructor: structured output against a JSON Schema, shown while it fills, checked when it ends.
