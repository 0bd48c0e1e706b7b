//! Sub-agents and other sessions, on a wire that several agents speak on in turn: each has calls, blocks and messages
//! of its own, so that none is ever taken for another's.
//!
//! Owns who speaks. A line is read as if its agent were the only one: its state takes the place of the main agent's for
//! as long, and what it reports leaves as [`StreamEvent::Agent`]. The main agent is that of the first session, and once
//! all of its turns are over, that of the session which speaks next.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use jsonspigot::internal::saved::{Impossible, Reader, Writer};

use super::ProviderStream;
use crate::calls::ToolCalls;
use crate::emitter::OnEvent;
use crate::emitter::blocks::At;
use crate::emitter::stream_state::StreamState;
use crate::event::StreamEvent;
use crate::event::verdict::{Unfinished, UnfinishedKind};
use crate::formats::{HAS_TERMINALS, Speaker, Terminal};
use crate::json::Json;

/// The number of other agents that may speak in turn.
const MOST_AGENTS: usize = 64;

/// The other agents that are not over, and what was wrong with those that are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Agents {
    /// The main agent's session; nothing until a line names one.
    session: String,
    open: Vec<Agent>,
    wrong: Option<Unfinished>,
}

#[derive(Clone, Debug)]
struct Agent {
    session: String,
    /// The id of the call that started it, or of its own run; nothing for another session's main agent.
    id: String,
    calls: ToolCalls,
    state: StreamState,
}

impl Agent {
    fn name(&self) -> &str {
        if self.id.is_empty() { &self.session } else { &self.id }
    }

    fn is_idle(&self) -> bool {
        is_idle(&self.calls, &self.state)
    }

    fn is(&self, session: &str, id: &str) -> bool {
        self.id == id && is_same(session, &self.session)
    }
}

/// The agent that a line is of.
enum Whose {
    Main,
    Other(usize),
    /// One agent too many, or a name that is too long.
    Nobodys,
}

/// Returns true if nothing of an agent is open.
pub(super) fn is_idle(calls: &ToolCalls, state: &StreamState) -> bool {
    state.unfinished.is_empty() && calls.state().open_count() == 0
}

/// Returns true if two lines may be of one session, which not every line names.
fn is_same(session: &str, other: &str) -> bool {
    session.is_empty() || other.is_empty() || session == other
}

impl Agents {
    pub(super) fn calls(&self) -> impl Iterator<Item = (&str, &ToolCalls)> {
        self.open.iter().map(|agent| (agent.name(), &agent.calls))
    }

    /// Returns true if no other agent is open.
    pub(super) fn are_closed(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn save_base(&self, out: &mut Writer<'_>) {
        out.text(&self.session);
        out.option(self.wrong, |out, wrong| wrong.save(out));
    }

    /// Reads what was saved, where `next` calls have been numbered.
    pub(super) fn restore_base(&mut self, reader: &mut Reader<'_>, next: u64) -> Result<(), Impossible> {
        self.session = reader.string()?;
        self.wrong = reader.option(|reader| Unfinished::restore(reader, next))?;
        Ok(())
    }

    pub(super) fn states(&self) -> impl Iterator<Item = &StreamState> {
        self.open.iter().map(|agent| &agent.state)
    }
}

/// The first thing that is wrong with an agent. One of which nothing was understood has said nothing.
fn wrong_with(calls: &ToolCalls, state: &StreamState, is_open: bool) -> Option<Unfinished> {
    let verdict = state.outlet.watch.verdict(is_open, calls.state().has_strays(), true);
    verdict.err().filter(|unfinished| unfinished.kind() != UnfinishedKind::NoEvent)
}

impl ProviderStream {
    /// Reads a line of an agent.
    pub(super) fn read_line(&mut self, line: Json<'_>, terminal: Terminal, on_event: &mut OnEvent<'_>) {
        let speaker = (terminal.speaker)(line);
        let caller = if speaker.is_unknown() { self.caller(line, terminal) } else { None };
        match caller.map_or_else(|| self.whose(&speaker, on_event), Whose::Other) {
            Whose::Main => self.read_own(line, on_event),
            Whose::Other(place) => self.as_agent(place, on_event, |stream, on_event| {
                stream.read_own(line, on_event);
                // One that nobody announces has no end of its own: it ends with the main agent.
                if !terminal.is_program && !stream.stream_state.has_message {
                    stream.stream_state.unfinished.clear();
                    stream.stream_state.outlet.watch.end();
                }
            }),
            Whose::Nobodys => {
                let mut emit = self.emitter(on_event);
                emit.leave_out("limit");
                emit.unknown_part("agent", line);
                emit.break_off("limit");
            }
        }
        if terminal.is_program && !self.agents.open.is_empty() {
            (terminal.results)(line, &mut |id| self.end_agent(&speaker.session, id, on_event));
        }
    }

    /// The other agent whose call a line has the result of, or whose call or block it goes on with.
    fn caller(&self, line: Json<'_>, terminal: Terminal) -> Option<usize> {
        let mut found = None;
        if !self.agents.open.is_empty() {
            (terminal.results)(line, &mut |id| {
                let has_begun = |calls: &ToolCalls, state: &StreamState| {
                    calls.state().find_id(0, id).is_some() || state.blocks.find_any(0, At::from(id)).is_some()
                };
                let is_own = has_begun(&self.calls, &self.stream_state);
                let other = |agent: &Agent| !is_own && has_begun(&agent.calls, &agent.state);
                found = found.or_else(|| self.agents.open.iter().position(other));
            });
        }
        found
    }

    /// Finds who speaks: an agent that has not spoken before is a new one.
    fn whose(&mut self, speaker: &Speaker<'_>, on_event: &mut OnEvent<'_>) -> Whose {
        let Speaker { session, agent: id } = speaker;
        let most = self.calls.state().limits().name_bytes;
        let is_main = id.is_empty() && is_same(session, &self.agents.session);
        if is_main && !self.agents.session.is_empty() {
            return Whose::Main;
        }
        if let Some(place) = self.agents.open.iter().position(|agent| agent.is(session, id)) {
            return Whose::Other(place);
        }
        if session.len() > most || id.len() > most {
            return Whose::Nobodys;
        }
        if id.is_empty() && (is_main || is_idle(&self.calls, &self.stream_state)) {
            self.agents.session = (**session).to_owned();
            return Whose::Main;
        }
        if self.agents.open.len() >= MOST_AGENTS {
            // One that works in the background has its result at once, and what it says later has no end.
            let Some(place) = self.agents.open.iter().position(Agent::is_idle) else { return Whose::Nobodys };
            self.as_agent(place, on_event, |stream, on_event| stream.emitter(on_event).end_blocks());
            self.remove_agent(place);
        }
        let new = self.new_agent(if session.is_empty() { &self.agents.session } else { session }, id);
        self.agents.open.push(new);
        Whose::Other(self.agents.open.len() - 1)
    }

    /// An event was left out unread, and nobody knows which agent's it was.
    pub(super) fn leave_out(&mut self, reason: &'static str) {
        self.emitter(&mut |_| {}).leave_out(reason);
        let count = if HAS_TERMINALS { self.agents.open.len() } else { 0 };
        for place in 0..count {
            self.as_agent(place, &mut |_| {}, |stream, on_event| stream.emitter(on_event).leave_out(reason));
        }
    }

    fn new_agent(&self, session: &str, id: &str) -> Agent {
        let mut state = StreamState::default();
        state.outlet.texts = self.stream_state.outlet.texts.as_ref().map(|texts| texts.emptied());
        // Its session may be over, and what is said here only follows it.
        if id.is_empty() {
            state.outlet.watch.end();
        }
        Agent { session: session.to_owned(), id: id.to_owned(), calls: self.calls.clone().emptied(), state }
    }

    /// Does something as another agent.
    fn as_agent(
        &mut self,
        place: usize,
        on_event: &mut OnEvent<'_>,
        act: impl FnOnce(&mut Self, &mut dyn FnMut(StreamEvent<'_>)),
    ) {
        let name = self.change_places(place);
        act(self, &mut |event| on_event(StreamEvent::Agent { agent: (&*name).into(), event: Box::new(event) }));
        self.change_places(place);
    }

    /// Puts another agent in the main one's place, or back. Returns its name.
    fn change_places(&mut self, place: usize) -> String {
        let Self { calls, stream_state, agents, .. } = self;
        let Some(agent) = agents.open.get_mut(place) else { return String::new() };
        mem::swap(calls, &mut agent.calls);
        mem::swap(stream_state, &mut agent.state);
        // Calls and blocks are numbered together.
        calls.state_mut().count_from(agent.calls.state().next());
        stream_state.blocks.count_from(agent.state.blocks.next());
        agent.name().to_owned()
    }

    /// The call that started a sub-agent has its result.
    fn end_agent(&mut self, session: &str, id: &str, on_event: &mut OnEvent<'_>) {
        if let Some(place) = self.agents.open.iter().position(|agent| !id.is_empty() && agent.is(session, id)) {
            self.as_agent(place, on_event, |stream, on_event| {
                let mut emit = stream.emitter(on_event);
                if emit.is_unfinished(0) {
                    emit.break_off("result");
                }
                emit.end_answer("");
                emit.end_blocks();
            });
            self.remove_agent(place);
        }
    }

    fn remove_agent(&mut self, place: usize) {
        let Agent { calls, state, .. } = self.agents.open.remove(place);
        let is_open = calls.state().open_count() > 0;
        self.agents.wrong = self.agents.wrong.or(wrong_with(&calls, &state, is_open));
    }

    /// Nothing more will arrive.
    pub(super) fn finish_agents(&mut self, reason: &str, on_event: &mut OnEvent<'_>) {
        while HAS_TERMINALS && !self.agents.open.is_empty() {
            self.as_agent(0, on_event, |stream, on_event| stream.emitter(on_event).end_input(reason));
            self.remove_agent(0);
        }
    }

    /// The first thing that is wrong with another agent.
    pub(super) fn verdict_on_agents(&self) -> Result<(), Unfinished> {
        self.agents.wrong.map_or(Ok(()), Err)?;
        self.agents
            .open
            .iter()
            .try_for_each(|agent| wrong_with(&agent.calls, &agent.state, !agent.is_idle()).map_or(Ok(()), Err))
    }
}
