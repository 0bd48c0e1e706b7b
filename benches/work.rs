//! One reading, for an instruction counter: `work KILOBYTES CHUNK [PATTERN]...`. A chunk is a number of bytes, `whole`, or
//! `none` to make the text and not read it. `.ci/work` runs it under callgrind and holds law 9 to its counts.

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
    // Without arguments, as `cargo bench` calls it, a small reading: that it runs is all that is to be seen.
    let kilobytes: usize = arguments.next().map_or(4, |kilobytes| kilobytes.parse().expect("a length"));
    let chunk = arguments.next().unwrap_or_else(|| "1".to_owned());
    let patterns = PatternSet::new(arguments).expect("the patterns are valid");
    let text = black_box(text(kilobytes << 10));
    let size = match chunk.as_str() {
        "none" => return println!("{} 0", text.len()),
        "whole" => text.len(),
        size => size.parse().expect("a chunk's size"),
    };
    let limits = Limits { string: 1 << 20, ..Limits::default() };
    let mut parser = Parser::builder().limits(limits).retain(Retain::Nothing).build(&patterns);
    let mut events = 0_u64;
    for chunk in text.as_bytes().chunks(size) {
        parser.feed_with(black_box(chunk), |event| events += black_box(event.offset) & 1).expect("the text is valid");
    }
    parser.finish_with(|_| {}).expect("the text is whole");
    println!("{} {events}", text.len());
}
