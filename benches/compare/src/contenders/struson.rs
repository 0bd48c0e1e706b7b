//! struson: a blocking reader over a `Read` that returns one chunk per call.
//!
//! The strings at the path are read with its string reader in pieces of 64 bytes. It has no snapshots, because the
//! thread waits inside the parser between two chunks.

use std::io::{self, Read};

use struson::reader::{JsonReader, JsonStreamReader, ReaderSettings, ValueType};

use super::{Contender, Done, Manner};
use crate::chunks::{Chunks, Input};
use crate::output::{Look, Sink};
use crate::track::{Handler, Picker};
use crate::tree::Tree;

#[derive(Debug)]
pub(super) struct Struson;

/// A `Read` that returns at most one chunk per call.
struct OneByOne<'a> {
    chunks: Chunks<'a>,
    chunk: &'a [u8],
}

impl Read for OneByOne<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.chunk.is_empty() {
            self.chunk = self.chunks.next().unwrap_or_default();
        }
        self.chunk.read(buffer)
    }
}

type Reader<'a> = JsonStreamReader<OneByOne<'a>>;

fn reader(input: &Input) -> Reader<'_> {
    let bytes = OneByOne { chunks: input.chunks(), chunk: &[] };
    // It would track the path only for error messages.
    JsonStreamReader::new_custom(bytes, ReaderSettings { track_path: false, ..ReaderSettings::default() })
}

/// Reads the whole document, and string values with `string`.
fn drive<H: Handler>(input: &Input, handler: &mut H, mut string: impl FnMut(&mut Reader<'_>, &mut H) -> Done) -> Done {
    let mut reader = reader(input);
    let mut open = Vec::with_capacity(16);
    loop {
        if let Some(&is_object) = open.last() {
            if !reader.has_next().ok()? {
                open.pop();
                handler.end();
                if is_object {
                    reader.end_object().ok()?;
                } else {
                    reader.end_array().ok()?;
                }
                if open.is_empty() {
                    break;
                }
                continue;
            }
            if is_object {
                handler.key(reader.next_name().ok()?);
            }
        }
        match reader.peek().ok()? {
            ValueType::Object => {
                reader.begin_object().ok()?;
                handler.begin_object();
                open.push(true);
            }
            ValueType::Array => {
                reader.begin_array().ok()?;
                handler.begin_array();
                open.push(false);
            }
            ValueType::String => string(&mut reader, handler)?,
            ValueType::Number => handler.number(reader.next_number_as_str().ok()?),
            ValueType::Boolean => handler.bool(reader.next_bool().ok()?),
            ValueType::Null => {
                reader.next_null().ok()?;
                handler.null();
            }
        }
        if open.is_empty() {
            break;
        }
    }
    reader.consume_trailing_whitespace().ok()
}

fn whole_string<H: Handler>(reader: &mut Reader<'_>, handler: &mut H) -> Done {
    handler.string(reader.next_str().ok()?);
    Some(())
}

/// Reports a string in pieces if it is at the path, and skips it otherwise.
fn pieces(reader: &mut Reader<'_>, picker: &mut Picker<'_>) -> Done {
    if !picker.track.hit() {
        return reader.skip_value().ok();
    }
    let mut text = reader.next_string_reader().ok()?;
    let mut buffer = [0; 64];
    let mut held = 0;
    loop {
        let read = text.read(&mut buffer[held..]).ok()?;
        if read == 0 {
            return (held == 0).then_some(());
        }
        let filled = held + read;
        let known = match std::str::from_utf8(&buffer[..filled]) {
            Ok(piece) => piece.len(),
            Err(error) => error.valid_up_to(),
        };
        if known > 0 {
            picker.sink.delta(std::str::from_utf8(&buffer[..known]).ok()?);
        }
        buffer.copy_within(known..filled, 0);
        held = filled - known;
    }
}

impl Contender for Struson {
    fn name(&self) -> &'static str {
        "struson"
    }

    fn manner(&self) -> Manner {
        Manner::Blocking
    }

    fn deltas(&mut self, input: &Input, sink: &mut Sink) -> Done {
        drive(input, &mut Picker::new(input.kind.path(), sink), pieces)
    }

    fn validate(&mut self, input: &Input) -> Done {
        let mut reader = reader(input);
        reader.skip_value().ok()?;
        reader.consume_trailing_whitespace().ok()
    }

    fn value(&mut self, input: &Input, look: &mut Look<'_>) -> Done {
        let mut tree = Tree::default();
        drive(input, &mut tree, whole_string)?;
        look.see(&tree.into_value()?);
        Some(())
    }
}
