//! A byte's position, counted from the text's first byte.

/// Returns the line and column, from 1, of the byte at an offset. The text before it is JSON, except for deviations
/// inside double quotes. Only line feeds between tokens end a line.
pub fn line_and_column(text: &[u8], offset: u64) -> (u64, u64) {
    let (mut line, mut line_start) = (1, 0);
    let (mut is_inside, mut is_escaped) = (false, false);
    for (at, byte) in text[..offset as usize].iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_inside => is_escaped = true,
            b'"' => is_inside = !is_inside,
            b'\n' if !is_inside => (line, line_start) = (line + 1, at + 1),
            _ => {}
        }
    }
    (line, offset - line_start as u64 + 1)
}
