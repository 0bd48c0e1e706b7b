//! One reading, for an instruction counter: `work KILOBYTES CHUNK [PATTERN]...`, a chunk of 0 for the whole text at
//! once. `.ci/work` runs it under callgrind and holds law 9 to its counts.

use std::env;
use std::hint::black_box;

use jsonspigot::{Limits, Parser, PatternSet, Retain};

const TOOL_CALL: &str = include_str!("../examples/classify_and_assess.json");

/// An array of tool calls, about this long.
fn text(len: usize) -> String {
    let count = len.div_ceil(TOOL_CALL.len() + 1);
    format!("[{}]", vec![TOOL_CALL; count].join(","))
}

fn main() {
    let mut arguments = env::args().skip(1).filter(|argument| argument != "--bench");
    let mut number = || arguments.next().and_then(|argument| argument.parse::<usize>().ok());
    // Without arguments, as `cargo bench` calls it, a small reading: that it runs is all that is to be seen.
    let (kilobytes, chunk) = (number().unwrap_or(4), number().unwrap_or(1));
    let patterns = PatternSet::new(arguments).expect("the patterns are valid");
    let text = text(kilobytes << 10);
    let limits = Limits { string: 1 << 20, ..Limits::default() };
    let mut parser = Parser::builder().limits(limits).retain(Retain::Nothing).build(&patterns);
    let (mut events, size) = (0_u64, if chunk == 0 { text.len() } else { chunk });
    for chunk in text.as_bytes().chunks(size) {
        parser.feed_with(black_box(chunk), |event| events += black_box(event.offset) & 1).expect("the text is valid");
    }
    parser.finish_with(|_| {}).expect("the text is whole");
    println!("{} {events}", text.len());
}
