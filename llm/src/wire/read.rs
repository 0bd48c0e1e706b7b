//! Reports what the rows of an event mean.

use alloc::vec::Vec;

use super::table::TYPE;
use super::table::{Called, Cited, Form, Here, Means, Outcome, Owner, Row, Shown, Wire};
use super::{AllFound, Found, find, walk};
use crate::calls::{CallStart, Place, Slot, present};
use crate::emitter::Emitter;
use crate::emitter::answers::Stop;
use crate::emitter::blocks::{At, Which};
use crate::emitter::failure::Failure;
use crate::emitter::repetition::{Part, Scope};
use crate::event::{BlockKind, Media, MismatchKind, OpaqueKind, Source, StreamEvent};
use crate::json::{Mark, Node, Unreadable};
use crate::message::Turn;

/// Reads an event by a wire's table. Returns false if the event is unknown.
pub(crate) fn read(wire: &'static Wire, event: Node<'_>, emit: &mut Emitter<'_>) -> Result<bool, Unreadable> {
    let tree = event.tree();
    if !event.is_object() {
        return Err(Unreadable);
    }
    let Some(found) = find(wire, event) else { return Ok(false) };
    if tree.is_flawed() {
        return Err(Unreadable);
    }
    emit.begin_event(wire.executes_calls, wire.shape);
    (wire.before)(event, emit)?;
    Report { wire, emit }.all(found);
    tree.unread(&mut |name, node, mark| emit.unread(name, node, mark));
    emit.show(tree);
    Ok(true)
}

/// Reports the values to an emitter.
struct Report<'r, 'a> {
    wire: &'static Wire,
    emit: &'r mut Emitter<'a>,
}

impl Here<'_> {
    /// Returns the slot of the call in this place.
    pub(crate) fn slot(&self) -> Slot<'_> {
        let place = match self.place {
            At::Run => Place::Latest,
            At::Nowhere | At::Id("") => Place::Nowhere,
            At::Index(index, _) => Place::Index(index),
            At::Id(id) => Place::Id(id),
        };
        Slot::new(self.choice, place)
    }

    /// Returns the block in this place.
    pub(crate) fn block(&self) -> Which<'_> {
        Which::At(self.choice, self.place)
    }

    /// Returns the part of this kind in this place.
    pub(crate) fn part(&self, kind: MismatchKind) -> Part<'_> {
        Part { kind, choice: self.choice, at: self.place }
    }

    /// Returns the index of this place.
    pub(crate) fn index(&self) -> Option<u64> {
        if let At::Index(index, _) = self.place { Some(index) } else { None }
    }
}

impl Report<'_, '_> {
    fn all(&mut self, found: AllFound<'_>) {
        for Found { row, value, here } in found {
            self.row(row, value, &here);
            if let (Some(back), 0, Some(sent)) = (row.back, here.choice, here.form.sent()) {
                self.emit.state().change_message(|message| message.add(back, value, here.index(), sent));
            }
        }
    }

    fn row<'e>(&mut self, row: &'static Row, value: Node<'e>, here: &Here<'e>) {
        self.begin_index(row, value, here);
        let choice = here.choice;
        match row.means {
            means if means.has_parts() && !value.is_object() => drop(value.torn()),
            Means::Object(_) | Means::ByType(_) | Means::Choice(_) | Means::ChoiceInOrder(_) => {}
            Means::Chosen(_, choose) => {
                let mut found = Vec::new();
                walk(choose(self.emit, value, here), value, here, &mut found);
                self.all(found);
            }
            Means::Element if value.is_untouched() => drop(value.torn()),
            Means::Element => {}
            Means::Silent => {
                value.read();
            }
            Means::Switch if value.is_true() => {
                value.read();
            }
            Means::Switch => value.odd(Mark::Torn),
            Means::Unreadable | Means::Kept => {}
            Means::Wrapped => drop(value.mark_unless_known(Mark::Wrapped)),
            Means::Begins([id, model]) => self.emit.begin_message(value.word_at(id), value.word_at(model)),
            Means::Belongs([id, model]) => self.emit.message(value.word_at(id), value.word_at(model)),
            Means::BelongsById([id, model]) => self.emit.message_by_id(value.word_at(id), value.word_at(model)),
            Means::Follows([id, model], says_anything) => {
                let says_anything = says_anything(value);
                self.emit.message_after_end(value.word_at(id), value.word_at(model), says_anything);
            }
            Means::Reason => self.emit.stop(choice, value.word()),
            Means::Stops([reason, sequence]) => {
                let reason = value.text_at(reason);
                if !reason.is_empty() {
                    let (stop_sequence, may_repeat) = (value.text_at(sequence), here.form == Form::Noted);
                    self.emit.end_answer(None, Stop { stop_sequence, may_repeat, ..reason.into() });
                }
            }
            Means::EndsAnswer(reason) => self.emit.end_answer(None, value.text_at(reason)),
            Means::EndsStream => self.emit.end_stream(),
            Means::Text => self.words(MismatchKind::Text, value, here),
            Means::Reasoning => self.words(MismatchKind::Reasoning, value, here),
            Means::Refusal => self.words(MismatchKind::Refusal, value, here),
            Means::Starts(..) if here.form == Form::SoFar && self.emit.find_block(here.block()).is_some() => {}
            Means::Starts(kind, id) => {
                let phase = if kind == BlockKind::Text { value.word_at("phase") } else { "" };
                self.emit.start_block(choice, here.place, kind, value.word_at(id), phase);
            }
            Means::BeginsIndex => {}
            Means::BeginsAnswer => self.emit.state().begin(choice),
            Means::Ends => {
                self.emit.stop_call(here.slot());
                self.emit.end_blocks(here.block());
            }
            Means::EndsBlock => self.emit.end_blocks(here.block()),
            Means::EndsStructured => self.emit.end_structured(choice),
            Means::Call(_) | Means::Result(_) if !value.is_object() => value.odd(Mark::Torn),
            Means::Call(called) => self.call(called, value, here),
            Means::Fragment if !value.is_string() => value.odd(Mark::Torn),
            Means::Input | Means::Fragment => self.emit.payload(here.slot(), value),
            Means::PartOfInput => drop(value.as_raw()),
            Means::Result(outcome) => self.result(outcome, value),
            Means::AwaitsResult(id) => self.emit.await_result(here.index().unwrap_or(0), value.word_at(id)),
            Means::PieceOfResult(has_failed) => {
                let has_failed = has_failed(value);
                self.emit.piece_of_result(here.index().unwrap_or(0), has_failed, value.read());
            }
            Means::Cancels(path) => {
                let id = value.word_at(path);
                if id.is_empty() && path == "." {
                    return value.odd(Mark::Torn);
                }
                let call = self.emit.known().find_id(choice, id);
                let (call_id, json) = (present(id), value.spelt().into());
                self.emit.report(StreamEvent::CallCancelled { call, call_id, json });
            }
            Means::Approval([id, call]) => {
                let (id, call) = (value.word_at(id), value.word_at(call));
                let call = self.emit.known().find_id(choice, call);
                if !self.emit.note_reported(&["approval/", id].concat()) {
                    let (id, json) = (id.into(), value.shown().spelt().into());
                    self.emit.report(StreamEvent::ApprovalRequest { id, call, json });
                }
            }
            Means::Opaque(kind, owner) => self.opaque(kind, owner, value.read(), here),
            Means::Source(cited) => {
                let block = if cited.is_in_block { self.emit.find_block(here.block()) } else { None };
                cite(cited, value, value, (choice, block), self.emit);
            }
            Means::Media(shown) => self.media(shown, value, here),
            Means::Usage => self.emit.usage(value.read()),
            Means::Filter => self.emit.content_filter(choice, value.read_rest()),
            Means::Data(_) if !value.is_anything() => drop(value.read()),
            Means::Data(name) => {
                let kind = if name.is_empty() { value.word_at(self.wire.kind) } else { name };
                self.emit.data(kind, value.shown());
            }
            Means::Fails | Means::Reports => {
                if let Some(failure) = Failure::at(value.as_failure()) {
                    match row.means {
                        Means::Fails => self.emit.fail(&failure),
                        _ => self.emit.report_failure(&failure),
                    }
                }
            }
            Means::Unknown(name) | Means::UnknownPiece(name) => {
                let kind = value.word_at(TYPE);
                let kind = if kind.is_empty() { name } else { kind };
                match row.means {
                    Means::UnknownPiece(..) if !value.get("id").is_given() => {
                        self.emit.unknown_piece(here.slot(), kind, value.shown());
                    }
                    _ => self.emit.unknown_part(kind, value.shown()),
                }
            }
            Means::Lacks(path) => {
                if value.lacks(path) && self.emit.calls().find_open(here.slot()).is_some() {
                    let name = value.key();
                    let name = if name.is_empty() { "part" } else { name };
                    self.emit.unknown_piece(here.slot(), name, value);
                }
            }
            Means::Hook(hook) => hook(self.emit, value, here),
        }
    }
}

/// Reports a source of an answer, or of one of its blocks. Its address and title are in `found`, which is `value` itself
/// on most wires.
pub(crate) fn cite(
    cited: &Cited,
    value: Node<'_>,
    found: Node<'_>,
    (choice, block): (u64, Option<u64>),
    emit: &mut Emitter<'_>,
) {
    if !(cited.is_source)(value) {
        return;
    }
    let [url, title] = [cited.url, cited.title].map(|path| found.word_at(path));
    let quote = value.word_at(cited.quote);
    if url.is_empty() && (!value.is_object() || value.children().next().is_none()) {
        return value.odd(Mark::Odd);
    }
    let span = |(start, end): &(&str, &str)| {
        let start = value.get(start).index();
        value.get(end).index().map(|end| (start.unwrap_or(0), end))
    };
    let span = cited.spans.iter().find_map(span);
    let (url, title, quote, json) = (present(url), present(title), present(quote), value.read().spelt().into());
    let key = value.get(cited.once);
    if cited.once.is_empty() || emit.is_new_source(choice, key.text().unwrap_or(key.spelt())) {
        emit.report(StreamEvent::Source(Source { choice, block, url, title, quote, span, json }));
    }
}

/// Reports the part of a text that has not been reported before.
pub(crate) fn say(kind: MismatchKind, text: &str, here: &Here<'_>, emit: &mut Emitter<'_>) {
    let part = here.part(kind);
    let text = match here.form {
        Form::Same | Form::Piece => text,
        Form::Noted => {
            emit.note_said(part, text);
            text
        }
        Form::Whole(scope) => emit.news_of(part, text, scope).1,
        Form::SoFar => emit.so_far(part, text),
        Form::Beside if emit.state().said.is_late(&part, text) => "",
        Form::Beside => {
            let (_, rest) = emit.news_of(part, text, Scope::Item);
            if !rest.is_empty() {
                // The message that goes back is made of the pieces.
                emit.state().change_message(Turn::spoil);
            }
            rest
        }
    };
    emit.piece(part, text);
}

impl Report<'_, '_> {
    /// Notes that something has begun at an index. An empty piece of a call shows nothing of its beginning.
    fn begin_index(&mut self, row: &Row, value: Node<'_>, here: &Here<'_>) {
        if !matches!(here.place, At::Index(..) | At::Nowhere) {
            return;
        }
        let index = here.index();
        match row.means {
            Means::Ends => self.emit.end_index(index),
            Means::Text | Means::Reasoning | Means::Input | Means::Fragment if value.is_nothing() => {}
            Means::Text
            | Means::Reasoning
            | Means::Input
            | Means::Fragment
            | Means::Starts(..)
            | Means::Call(_)
            | Means::Result(_)
            | Means::BeginsIndex
            | Means::Opaque(_, Owner::Block | Owner::Either | Owner::Begun(_))
            | Means::Source(_)
            | Means::Unknown(..)
            | Means::UnknownPiece(..) => self.emit.begin_index(index),
            _ if row.back.is_some() => self.emit.begin_index(index),
            _ => {}
        }
    }

    /// Reports a piece of what is said, or all of it.
    fn words(&mut self, kind: MismatchKind, value: Node<'_>, here: &Here<'_>) {
        let Some(text) = value.text() else { return value.odd(Mark::Odd) };
        value.read();
        if self.wire.is_message_by_id
            && let (MismatchKind::Text, At::Id(id)) = (kind, here.place)
        {
            self.emit.enter_structured(here.choice, id);
        }
        say(kind, text, here, self.emit);
    }

    fn call(&mut self, called: &Called, value: Node<'_>, here: &Here<'_>) {
        let (id, name, input) = (value.word_at(called.id), value.text_at(called.name), value.raw(called.input));
        if here.form != Form::SoFar {
            value.as_call();
        }
        let start = CallStart::new(name).id(id).input(input.input()).executor((called.executor)(value));
        match here.form {
            Form::Whole(_) => self.emit.calls().whole_call(here.choice, start),
            Form::SoFar if self.emit.calls().has_ended(here.slot(), id) => {}
            _ => self.emit.start_call(here.slot(), start),
        }
    }

    fn result(&mut self, outcome: &Outcome, value: Node<'_>) {
        let of = value.word_at(outcome.of);
        let has_failed = (outcome.has_failed)(value);
        let said = value.get(outcome.value);
        let shown = if outcome.shown.is_empty() { value } else { value.get(outcome.shown) };
        let shown = if shown.is_given() { shown } else { value };
        if said.spelt() != value.spelt() {
            said.read();
        }
        self.emit.tool_result(of, has_failed, shown.shown(), said.spelt());
    }

    fn opaque(&mut self, kind: OpaqueKind, owner: Owner, value: Node<'_>, here: &Here<'_>) {
        let call = match owner {
            Owner::Call | Owner::Either => self.emit.known_mut().find_in(here.slot()),
            _ => None,
        };
        let block = match owner {
            Owner::Block => self.emit.find_block(here.block()),
            Owner::Either if call.is_none() => self.emit.find_block(here.block()),
            Owner::Begun(_) if value.is_nothing() => return,
            Owner::Begun(block) => Some(self.emit.block_of(here.choice, here.place, block)),
            _ => None,
        };
        self.emit.opaque(kind, here.choice, (block, call), value);
    }

    fn media(&mut self, shown: &Shown, value: Node<'_>, here: &Here<'_>) {
        if value.is_nothing() {
            return;
        }
        let [media_type, data, url] = [shown.media_type, shown.data, shown.url].map(|path| value.word_at(path));
        let block = if shown.is_in_block { self.emit.find_block(here.block()) } else { None };
        let kind = value.word_at("type");
        let kind = if kind.is_empty() { shown.name } else { kind };
        if data.is_empty() && url.is_empty() {
            return self.emit.unknown_part(kind, value.shown());
        }
        value.enter();
        let (media_type, data, url) = (present(media_type), present(data), present(url));
        self.emit.report(StreamEvent::Media(Media { choice: here.choice, block, media_type, data, url }));
    }
}
