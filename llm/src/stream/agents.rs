//! Sub-agents and other sessions, in formats where several agents take turns. Each agent has its own calls, blocks and
//! messages, so that no event is attributed to another agent.
//!
//! Decides which agent a line belongs to, and reads it as if that agent were the only one: while the line is read, the
//! agent's state is swapped with the main agent's, and its events are reported inside [`StreamEvent::Agent`]. The main
//! agent is the agent of the first session. Once all of its turns are over, it is the agent of the session that sends
//! the next line.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use jsonspigot::internal::saved::{Impossible, Reader, Writer};

use super::ProviderStream;
use crate::calls::ToolCalls;
use crate::emitter::blocks::{At, Which};
use crate::emitter::stream_state::StreamState;
use crate::emitter::{Emitter, OnEvent};
use crate::event::StreamEvent;
use crate::event::verdict::{Unfinished, UnfinishedKind};
use crate::formats::{Speaker, Terminal};
use crate::json::Node;

/// The largest number of open agents besides the main one.
const MOST_AGENTS: usize = 64;

/// The open agents besides the main one, and the first fault of the agents that have ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Agents {
    /// The main agent's session; empty until a line names one.
    session: String,
    open: Vec<Agent>,
    wrong: Option<Unfinished>,
}

#[derive(Clone, Debug)]
struct Agent {
    session: String,
    /// The id of the call that started the agent, or of the agent's own run; empty for another session's main agent.
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

/// The agent that a line belongs to.
enum Whose {
    Main,
    Other(usize),
    /// No agent, because there are too many or the name is too long.
    Nobodys,
}

/// Returns true if an agent has no open answer and no open call.
pub(super) fn is_idle(calls: &ToolCalls, state: &StreamState) -> bool {
    state.unfinished.is_empty() && calls.state.open_count() == 0
}

/// Returns true if two lines may belong to one session. Not every line names its session.
fn is_same(session: &str, other: &str) -> bool {
    session.is_empty() || other.is_empty() || session == other
}

impl Agents {
    pub(super) fn calls(&self) -> impl Iterator<Item = (&str, &ToolCalls)> {
        self.open.iter().map(|agent| (agent.name(), &agent.calls))
    }

    /// Returns true if no agent but the main one is open.
    pub(super) fn are_closed(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn save_base(&self, out: &mut Writer<'_>) {
        out.text(&self.session);
        out.option(self.wrong, |out, wrong| wrong.save(out));
    }

    /// Reads the output of `save_base`, with `next` as the number of the next call.
    pub(super) fn restore_base(&mut self, reader: &mut Reader<'_>, next: u64) -> Result<(), Impossible> {
        self.session = reader.string()?;
        self.wrong = reader.option(|reader| Unfinished::restore(reader, next))?;
        Ok(())
    }

    pub(super) fn states(&self) -> impl Iterator<Item = &StreamState> {
        self.open.iter().map(|agent| &agent.state)
    }
}

/// Returns the first fault of an agent; `None` also if no event of the agent was understood.
fn wrong_with(calls: &ToolCalls, state: &StreamState, is_open: bool) -> Option<Unfinished> {
    let verdict = state.outlet.watch.verdict(is_open, calls.state.has_strays(), true);
    verdict.err().filter(|unfinished| unfinished.kind() != UnfinishedKind::NoEvent)
}

impl ProviderStream {
    /// Reads a line as an event of the agent that it belongs to.
    pub(super) fn read_line(&mut self, line: Node<'_>, terminal: Terminal, on_event: &mut OnEvent<'_>) {
        let speaker = (terminal.speaker)(line);
        let caller = if speaker.is_unknown() { self.caller(line, terminal) } else { None };
        match caller.map_or_else(|| self.whose(&speaker, on_event), Whose::Other) {
            Whose::Main => self.read_own(line, on_event),
            Whose::Other(place) => self.as_agent(place, on_event, |stream, on_event| {
                stream.read_own(line, on_event);
                // An agent that was never announced has no end of its own: it ends with the main agent.
                if !terminal.is_program && !stream.stream_state.has_message {
                    stream.stream_state.unfinished.clear();
                    stream.stream_state.outlet.watch.has_ended = true;
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
            (terminal.results)(line, &mut |id| self.end_agent(speaker.session, id, on_event));
        }
    }

    /// Returns the other agent whose call or block the line continues, or whose call gets its result in the line.
    /// Returns `None` if there is no such agent, or if the main agent began the call or block.
    fn caller(&self, line: Node<'_>, terminal: Terminal) -> Option<usize> {
        let mut found = None;
        if !self.agents.open.is_empty() {
            (terminal.results)(line, &mut |id| {
                let has_begun = |calls: &ToolCalls, state: &StreamState| {
                    calls.state.find_id(0, id).is_some() || state.blocks.find(Which::At(0, At::Id(id))).is_some()
                };
                let is_own = has_begun(&self.calls, &self.stream_state);
                let other = |agent: &Agent| !is_own && has_begun(&agent.calls, &agent.state);
                found = found.or_else(|| self.agents.open.iter().position(other));
            });
        }
        found
    }

    /// Finds the agent that a line belongs to. An unknown agent is added.
    fn whose(&mut self, speaker: &Speaker<'_>, on_event: &mut OnEvent<'_>) -> Whose {
        let Speaker { session, agent: id } = speaker;
        let most = self.calls.state.limits().name_bytes;
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
            self.agents.session = (*session).to_owned();
            return Whose::Main;
        }
        if self.agents.open.len() >= MOST_AGENTS {
            // Ends an idle agent. An agent in the background gets its result at once, so no line ends it later.
            let Some(place) = self.agents.open.iter().position(Agent::is_idle) else { return Whose::Nobodys };
            self.as_agent(place, on_event, |stream, on_event| stream.emitter(on_event).end_blocks(Which::All));
            self.remove_agent(place);
        }
        let new = self.new_agent(if session.is_empty() { &self.agents.session } else { session }, id);
        self.agents.open.push(new);
        Whose::Other(self.agents.open.len() - 1)
    }

    /// Records, for every agent, that an event was left out unread, since it may have been any agent's.
    pub(super) fn leave_out(&mut self, reason: &'static str) {
        self.emitter(&mut |_| {}).leave_out(reason);
        for Agent { calls, state, .. } in &mut self.agents.open {
            Emitter::new(calls, state, self.is_structured, &mut |_| {}).leave_out(reason);
        }
    }

    fn new_agent(&self, session: &str, id: &str) -> Agent {
        let mut state = StreamState::default();
        state.outlet.texts = self.stream_state.outlet.texts.as_ref().map(|texts| texts.emptied());
        // Its session may be over, and these lines may only follow the end, so no other end is required.
        if id.is_empty() {
            state.outlet.watch.has_ended = true;
        }
        Agent { session: session.to_owned(), id: id.to_owned(), calls: self.calls.clone().emptied(), state }
    }

    /// Runs `act` with another agent's state in place of the main agent's, and reports the events as that agent's.
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

    /// Swaps another agent's state with the main agent's, or back. Returns the other agent's name.
    fn change_places(&mut self, place: usize) -> String {
        let Self { calls, stream_state, agents, .. } = self;
        let Some(agent) = agents.open.get_mut(place) else { return String::new() };
        mem::swap(calls, &mut agent.calls);
        mem::swap(stream_state, &mut agent.state);
        // Calls and blocks are numbered across agents.
        calls.state.count_from(agent.calls.state.next);
        stream_state.blocks.count_from(agent.state.blocks.next);
        agent.name().to_owned()
    }

    /// Ends the sub-agent that was started by a call, once the call has its result.
    fn end_agent(&mut self, session: &str, id: &str, on_event: &mut OnEvent<'_>) {
        if let Some(place) = self.agents.open.iter().position(|agent| !id.is_empty() && agent.is(session, id)) {
            self.as_agent(place, on_event, |stream, on_event| {
                let mut emit = stream.emitter(on_event);
                if emit.state().unfinished.contains(&0) {
                    emit.break_off("result");
                }
                emit.end_answer(None, "");
                emit.end_blocks(Which::All);
            });
            self.remove_agent(place);
        }
    }

    fn remove_agent(&mut self, place: usize) {
        let Agent { calls, state, .. } = self.agents.open.remove(place);
        let is_open = calls.state.open_count() > 0;
        self.agents.wrong = self.agents.wrong.or(wrong_with(&calls, &state, is_open));
    }

    /// Ends all other agents at the end of input.
    pub(super) fn finish_agents(&mut self, reason: &str, on_event: &mut OnEvent<'_>) {
        while !self.agents.open.is_empty() {
            self.as_agent(0, on_event, |stream, on_event| stream.emitter(on_event).end_input(reason));
            self.remove_agent(0);
        }
    }

    /// Returns the first fault of the other agents as an error.
    pub(super) fn verdict_on_agents(&self) -> Result<(), Unfinished> {
        self.agents.wrong.map_or(Ok(()), Err)?;
        self.agents
            .open
            .iter()
            .try_for_each(|agent| wrong_with(&agent.calls, &agent.state, !agent.is_idle()).map_or(Ok(()), Err))
    }
}
