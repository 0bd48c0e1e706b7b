//! A turn's events, numbered and kept for whoever comes back: what one client missed is read again, event by event.
//!
//! Deltas that follow each other and grow the same string are kept as one text and the places of its cuts, so that a turn
//! costs little more than its characters.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::wire::{DeltaAction, Event};

/// About what an entry takes besides its path and props: itself, and its ids.
const ENTRY: usize = size_of::<Entry>() + 64;

/// The events of one turn.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Log {
    /// The first event's chunk id.
    first: u64,
    /// The last event's chunk id: one less than `first` while there is none.
    head: u64,
    entries: Vec<Entry>,
    bytes: usize,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    first: u64,
    /// Of a run: the first delta, without its text.
    event: Event,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run: Option<Run>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Run {
    text: String,
    ends: Vec<u32>,
}

impl Log {
    /// A log whose first event comes after this chunk id.
    pub(super) fn behind(head: u64) -> Self {
        Self { first: head + 1, head, entries: Vec::new(), bytes: 0 }
    }

    /// The log of a turn of which nothing has been kept but its last event.
    pub(super) fn lost(last: Event) -> Self {
        let mut log = Self::behind(last.data.chunk_id - 1);
        log.push(last);
        log
    }

    pub(super) fn first(&self) -> u64 {
        self.first
    }

    pub(crate) fn head(&self) -> u64 {
        self.head
    }

    /// Whether its last event ends the turn.
    pub(super) fn is_over(&self) -> bool {
        self.entries.last().is_some_and(|entry| entry.event.event.ends_stream())
    }

    /// About how many bytes the log takes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Keeps an event that has its number, which is no less than the next: the ids between are not used.
    pub(super) fn push_numbered(&mut self, event: Event) {
        self.head = self.head.max(event.data.chunk_id - 1);
        self.push(event);
    }

    /// Numbers an event and keeps it.
    pub(super) fn push(&mut self, mut event: Event) {
        self.head += 1;
        event.data.chunk_id = self.head;
        let text = match &mut event.data.props {
            Value::String(text) if event.data.delta_action == Some(DeltaAction::Append) => Some(std::mem::take(text)),
            _ => None,
        };
        let Some(text) = text else {
            self.add(event);
            return;
        };
        self.bytes += text.len() + size_of::<u32>();
        let run = match self.entries.last_mut() {
            Some(Entry { event: before, run: Some(run), .. }) if is_continued(before, &event) => run,
            _ => self.add(event).run.insert(Run::default()),
        };
        run.text.push_str(&text);
        run.ends.push(u32::try_from(run.text.len()).unwrap_or(u32::MAX));
    }

    fn add(&mut self, event: Event) -> &mut Entry {
        let props = if event.data.props.is_null() { 0 } else { event.data.props.to_string().len() };
        self.bytes += ENTRY + event.data.delta_path.as_ref().map_or(0, String::len) + props;
        self.entries.push(Entry { first: self.head, event, run: None });
        self.entries.last_mut().expect("it was just pushed")
    }

    /// The log as JSON text.
    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("envelopes have string keys")
    }

    /// The log with one more event, as JSON text. One that has its number may leave out others before it.
    pub(super) fn to_json_with(&self, last: &Event) -> String {
        #[derive(Serialize)]
        struct Extended<'a> {
            first: u64,
            head: u64,
            entries: Vec<&'a Entry>,
            bytes: usize,
        }
        let head = last.data.chunk_id.max(self.head + 1);
        let last = Entry { first: head, event: last.clone(), run: None };
        let entries = self.entries.iter().chain([&last]).collect();
        let extended = Extended { first: self.first, head, entries, bytes: self.bytes };
        serde_json::to_string(&extended).expect("envelopes have string keys")
    }

    /// The log in a JSON text.
    pub(crate) fn from_json(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// The first event after this chunk id.
    pub(crate) fn after(&self, id: u64) -> Option<Event> {
        let wanted = (id + 1).max(self.first);
        let at = self.entries.partition_point(|entry| entry.first <= wanted);
        let found = at.checked_sub(1).and_then(|before| self.entries[before].get(wanted));
        // Where ids have not been used, it is the next entry's.
        found.or_else(|| self.entries.get(at).and_then(|entry| entry.get(entry.first)))
    }
}

impl Entry {
    /// The event with this chunk id, which is no less than the first one's.
    fn get(&self, id: u64) -> Option<Event> {
        let at = usize::try_from(id - self.first).ok()?;
        let mut event = self.event.clone();
        match &self.run {
            Some(run) => {
                let start = at.checked_sub(1).map_or(Some(0), |before| run.ends.get(before).copied())? as usize;
                event.data.props = Value::String(run.text.get(start..*run.ends.get(at)? as usize)?.to_owned());
            }
            None if at > 0 => return None,
            None => {}
        }
        event.data.chunk_id = id;
        Some(event)
    }
}

/// Whether two deltas differ in their text and number only.
fn is_continued(before: &Event, next: &Event) -> bool {
    let (one, other) = (&before.data, &next.data);
    before.event == next.event
        && one.message_type == other.message_type
        && one.message_id == other.message_id
        && one.block_id == other.block_id
        && one.thread_id == other.thread_id
        && one.delta_path == other.delta_path
        && one.delta_action == other.delta_action
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::wire::{Change, Envelope, EventName, MessageType};

    fn append(message: &str, text: &str) -> Event {
        Event::new(EventName::Text, Envelope::delta(MessageType::Text, message, Change::append("/content", text)))
    }

    #[test]
    fn each_event_is_read_again_as_it_was() {
        let whole = Envelope::whole(MessageType::Text, json!({"content": ""})).of("a");
        let events = [
            Event::new(EventName::Text, whole),
            append("a", "Hé"),
            append("a", "llo"),
            append("b", "x"),
            append("a", " 😀"),
            append("a", "!"),
        ];
        let mut log = Log::behind(6);
        for event in events.clone() {
            log.push(event);
        }
        assert_eq!((log.head(), log.entries.len()), (12, 4), "two runs of two, and two of one");
        for (id, mut event) in (7..).zip(events) {
            event.data.chunk_id = id;
            assert_eq!(log.after(id - 1), Some(event));
        }
        assert_eq!((log.after(2), log.after(12)), (log.after(6), None));
        assert!(log.bytes() > 4 * ENTRY && log.bytes() < 5 * ENTRY, "all count, not only text: {}", log.bytes());

        let done = Event::new(EventName::Done, Envelope::whole(MessageType::Done, json!({})));
        let again = Log::from_json(&log.to_json_with(&done)).unwrap();
        let all = |log: &Log| (6..=11).map(|id| log.after(id)).collect::<Vec<_>>();
        assert_eq!(all(&again), all(&log));
        assert_eq!(again.after(12).map(|event| (event.data.chunk_id, event.event)), Some((13, EventName::Done)));
        assert_eq!(again.after(13), None);
        let again = Log::from_json(&log.to_json_with(&Event { data: done.data.numbered(99), ..done })).unwrap();
        assert_eq!(all(&again), all(&log));
        assert!((12..99).all(|id| again.after(id).map(|event| event.data.chunk_id) == Some(99)));
    }

    #[test]
    fn ids_that_are_not_used_are_passed_over() {
        let done = Event::new(EventName::Done, Envelope::whole(MessageType::Done, json!({})).numbered(99));
        let id = |event: Option<Event>| event.map(|event| event.data.chunk_id);
        for last in [append("a", "x"), done.clone()] {
            let mut log = Log::behind(6);
            log.push(append("a", "Hé"));
            log.push(last);
            log.push_numbered(done.clone());
            assert_eq!((log.first(), log.head(), id(log.after(7)), id(log.after(99))), (7, 99, Some(8), None));
            assert!((8..99).all(|last| log.after(last) == Some(done.clone())));
        }
        let lost = Log::from_json(&Log::lost(done.clone()).to_json()).unwrap();
        assert_eq!((lost.first(), lost.head(), lost.after(99)), (99, 99, None));
        assert!((0..99).all(|last| lost.after(last) == Some(done.clone())));
    }
}
