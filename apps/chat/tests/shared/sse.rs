//! Reads the server-sent events that the app writes: an event's name, its id and its data, one line each.

use chat::wire::{Envelope, Event, EventName};

/// The bytes of an event that is still incomplete.
#[derive(Default)]
pub(crate) struct Events {
    rest: Vec<u8>,
}

impl Events {
    /// Appends a chunk and returns the events that it completes. Comments are skipped.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> Vec<Event> {
        self.rest.extend_from_slice(chunk);
        let mut events = Vec::new();
        while let Some(end) = self.rest.windows(2).position(|two| two == b"\n\n") {
            let block: Vec<u8> = self.rest.drain(..end + 2).collect();
            let block = String::from_utf8(block).unwrap();
            let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            let Some(data) = field("data") else { continue };
            let data: Envelope = serde_json::from_str(data).unwrap();
            // An event that is not stored has no id.
            assert_eq!(field("id").unwrap_or("0"), data.chunk_id.to_string());
            let name = EventName::ALL.iter().find(|name| Some(name.as_str()) == field("event")).unwrap();
            events.push(Event::new(*name, data));
        }
        events
    }
}
