//! Reads the events to be rewritten, by the tables of their wire: one reader for each agent, while it has an open call.

use alloc::string::String;
use alloc::vec::Vec;

use super::texts::OpenText;
use crate::calls::{CallErrorKind, CallEvent, CallLimits, ToolCalls};
use crate::emitter::stream_state::StreamState;
use crate::emitter::{Emitter, OnTree};
use crate::event::StreamEvent;
use crate::json::{Node, Tree};
use crate::stream::{Dispatch, Provider, Sequence};

/// The number of agents that may have open calls at once, and of the open calls of each.
const MOST: usize = 256;

/// The readers of the agents that have an open call.
pub(super) struct Readers {
    pub(super) provider: Provider,
    pub(super) open: Vec<Reader>,
    sequence: Sequence,
}

/// The reader of one agent's events.
pub(super) struct Reader {
    /// The session and the agent, as the lines name them.
    agent: String,
    calls: ToolCalls,
    state: StreamState,
    pub(super) texts: Vec<OpenText>,
}

/// The result of reading an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// An event of the wire, whose values were shown.
    Known,
    /// An error of the provider's.
    Failure,
    /// An event of the wire, of an unknown type.
    NewKind,
    OtherWire,
    Unreadable,
    TooManyCalls,
}

impl Readers {
    pub(super) fn new(provider: Provider) -> Self {
        Self { provider, open: Vec::new(), sequence: Sequence::default() }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::new(self.provider);
    }

    /// Returns true if an event is sent again while a call is open: what it says has been read.
    pub(super) fn is_repeated(&mut self, event: Node<'_>) -> bool {
        self.provider.format().has_numbers && self.sequence.is_repeated(event)
    }

    /// Forgets the texts of calls that have ended, and agents without an open call or text.
    pub(super) fn settle(&mut self) {
        self.open.retain_mut(|reader| {
            let calls = &reader.calls.state;
            let is_open = |call| calls.open_call(call).is_some();
            reader.texts.retain(|text| text.is_stray() || text.call().is_some_and(is_open));
            calls.open_count() > 0 || !reader.texts.is_empty()
        });
        if self.open.is_empty() {
            self.clear();
        }
    }

    /// Returns the reader of an event's agent; `None` if there are too many agents.
    pub(super) fn of(&mut self, event: Node<'_>) -> Option<&mut Reader> {
        let place = match self.provider.format().terminal {
            None => self.place("")?,
            Some(terminal) => {
                let speaker = (terminal.speaker)(event);
                let mut owner = None;
                if speaker.is_unknown() {
                    // A line without a speaker is of the agent that began the call.
                    let knows = |reader: &Reader, id: &str| reader.calls.state.find_id(0, id).is_some();
                    (terminal.results)(event, &mut |id| {
                        owner = owner.or_else(|| self.open.iter().position(|reader| knows(reader, id)));
                    });
                }
                match owner {
                    Some(owner) => owner,
                    None => self.place(&[speaker.session, "\0", speaker.agent].concat())?,
                }
            }
        };
        self.open.get_mut(place)
    }

    fn place(&mut self, agent: &str) -> Option<usize> {
        let found = self.open.iter().position(|reader| reader.agent == agent);
        if found.is_none() && self.open.len() < MOST {
            let calls = ToolCalls::builder().limits(CallLimits::new().open_calls(MOST)).build();
            self.open.push(Reader { agent: agent.into(), calls, state: StreamState::default(), texts: Vec::new() });
            return Some(self.open.len() - 1);
        }
        found
    }
}

impl Reader {
    /// Reads an event, and shows its values.
    pub(super) fn read(&mut self, provider: Provider, event: Node<'_>, on_tree: &mut OnTree<'_>) -> Found {
        let (mut found, mut is_shown) = (Found::Unreadable, false);
        let mut on_event = |event: StreamEvent<'_>| {
            let meaning = match event {
                StreamEvent::Call(CallEvent::Error(error)) if error.kind() == CallErrorKind::OpenCallsLimit => {
                    Found::TooManyCalls
                }
                StreamEvent::Unknown { .. } => Found::OtherWire,
                StreamEvent::ProviderError { .. } => Found::Failure,
                StreamEvent::UnknownPart { .. } => Found::NewKind,
                _ => return,
            };
            if found == Found::Unreadable || meaning == Found::TooManyCalls {
                found = meaning;
            }
        };
        let mut on_tree = |tree: &Tree<'_>| {
            is_shown = true;
            on_tree(tree);
        };
        let mut emit = Emitter::new(&mut self.calls, &mut self.state, false, &mut on_event).with_trees(&mut on_tree);
        // A new one each time, for which no event repeats another.
        let is_readable = Dispatch::new(provider, provider.format(), true).read(event, &mut emit).is_ok();
        match found {
            Found::TooManyCalls => found,
            _ if !event.is_object() => Found::OtherWire,
            _ if !is_readable => Found::Unreadable,
            _ if is_shown => Found::Known,
            _ => found,
        }
    }
}
