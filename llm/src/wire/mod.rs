//! Wires as tables: the rows of a format, and the one engine that reads every event by them.
//!
//! First the values of an event's rows are found, so that an event that can't be read reports nothing; then each row, in
//! the order of the table, reports what it means and adds it to the message that goes back. Members that no row names
//! are reported at the end.

mod read;
mod table;

// All that a format is written with; each format imports all of it.
pub(crate) use self::read::{cite, read, say};
use self::table::TYPE;
pub(crate) use self::table::{
    ByType, Called, Cited, Form, Here, Means, Outcome, Owner, Row, Rows, Shown, Spot, Wire, on, row,
};
pub(crate) use crate::calls::{
    CallErrorKind, CallStart, Executor, Numbered, OpenCall, PathValue, Place, Slot, digest_of, present,
};
pub(crate) use crate::emitter::Emitter;
pub(crate) use crate::emitter::answers::Stop;
pub(crate) use crate::emitter::blocks::{At, Which};
pub(crate) use crate::emitter::failure::Failure;
pub(crate) use crate::emitter::repetition::{Part, Said, Scope};
pub(crate) use crate::emitter::unknown::is_silent;
pub(crate) use crate::event::stop::StopKind;
pub(crate) use crate::event::{BlockKind, Media, MismatchKind, OpaqueKind, StreamEvent};
use crate::json::sign;
pub(crate) use crate::json::{Mark, Node, Text, Tree, Unreadable, checked, push_member, quoted};
pub(crate) use crate::message::{Back, Ids, Shape, Turn};
pub(crate) use crate::words::matches;

use alloc::vec::Vec;

/// The number of values that most events do not exceed.
const MOSTLY: usize = 16;

/// A row, and a value that it has in an event.
struct Found<'e> {
    row: &'static Row,
    value: Node<'e>,
    here: Here<'e>,
}

/// The rows of an event that have a value, in the order in which they are reported.
type AllFound<'e> = Vec<Found<'e>>;

/// The row of an object in place of a list, of which nothing may be known.
static ELEMENT: Row = row("", Means::Element);

/// Finds the rows of an event that have a value. Returns `None` if the event is not known.
fn find<'e>(wire: &Wire, event: Node<'e>) -> Option<AllFound<'e>> {
    let kind = event.word_at(wire.kind);
    let has_needed = |(kinds, paths): &(&str, &str)| !matches(kinds, kind) || !event.word_at(paths).is_empty();
    let is_known = (wire.is_known)(event) && wire.needed.iter().all(has_needed);
    let rows = by_type(wire.events, kind).filter(|_| is_known)?;
    let here = Here { choice: 0, place: wire.place.of(event, 0), form: wire.form };
    let mut found = Vec::with_capacity(MOSTLY);
    for rows in [rows, wire.always] {
        walk(rows, event, &here, &mut found);
    }
    Some(found)
}

/// Returns the rows of the first pattern that matches a type.
pub(crate) fn by_type(cases: ByType, kind: &str) -> Option<Rows> {
    let sign = sign(kind.as_bytes());
    cases.iter().find(|case| case.signs & sign != 0 && matches(case.patterns, kind)).map(|case| case.rows)
}

/// Finds the values of an object, in the order of the rows. Strings that a row reads are decoded once here, so that an
/// event with a flaw reports nothing.
fn walk<'e>(rows: Rows, object: Node<'e>, here: &Here<'e>, found: &mut AllFound<'e>) {
    object.enter();
    for row in rows {
        if !row.is_required && !object.may_have(row.signs) || row.when.is_some_and(|when| !when(object)) {
            continue;
        }
        let (mut position, mut is_there) = (0, false);
        let form = if row.form == Form::Same { here.form } else { row.form };
        let mut add = |value: Node<'e>| {
            let place = row.place.map_or(here.place, |place| place.of(value, position));
            let here = Here { place, choice: here.choice, form };
            is_there |= !row.means.has_parts() || !value.is_nothing();
            found.push(Found { row, value, here });
            inside(row, value, position, here, found);
            position += 1;
        };
        if row.is_name {
            Some(object.member_with(row.signs, row.path)).filter(|value| value.is_given()).into_iter().for_each(add);
        } else if row.means.is_of_each() {
            row.path.split('|').for_each(|path| object.each(path, &mut add));
        } else {
            object.each(row.path, &mut add);
        }
        if row.is_required && !is_there {
            object.flaw();
        }
    }
}

/// Finds the parts of a value that has rows of its own, and the flaws of any other value.
fn inside<'e>(row: &Row, value: Node<'e>, position: u64, here: Here<'e>, found: &mut AllFound<'e>) {
    let is_object = value.is_object();
    match row.means {
        Means::Object(rows) if is_object => walk(rows, value, &here, found),
        Means::ByType(tables) if is_object => {
            if let Some(rows) = by_type(tables, value.get(TYPE).text().unwrap_or_default()) {
                walk(rows, value, &here, found);
            }
        }
        Means::Choice(rows) | Means::ChoiceInOrder(rows) if is_object => {
            let is_in_order = matches!(row.means, Means::ChoiceInOrder(_));
            let own = if is_in_order { position } else { value.get("index").index().unwrap_or(0) };
            walk(rows, value, &Here { choice: here.choice.saturating_add(own), ..here }, found);
        }
        // The rows are chosen when the value is reported.
        Means::Chosen(all, _) if is_object => {
            walk(all, value, &here, &mut Vec::new());
            value.forget_marks();
        }
        Means::Text | Means::Reasoning | Means::Refusal | Means::Reason => drop(value.text()),
        Means::Cancels(_) | Means::Hook(_) => drop(value.text()),
        Means::Input | Means::Fragment | Means::Kept | Means::PieceOfResult(_) => drop(value.text()),
        Means::Call(Called { input, .. }) => drop(value.raw(input).text()),
        Means::Unreadable => value.flaw(),
        _ => {}
    }
    if is_object && row.path.ends_with("[]") && value.is_member() {
        found.push(Found { row: &ELEMENT, value, here: Here::default() });
    }
}

impl Means {
    /// Returns true if the meaning is that of every value in a row with several paths, not only of the first one.
    fn is_of_each(&self) -> bool {
        matches!(self, Self::Silent | Self::Kept | Self::PartOfInput)
    }

    fn has_parts(&self) -> bool {
        matches!(self, Self::Object(_) | Self::ByType(_) | Self::Chosen(..) | Self::Choice(_) | Self::ChoiceInOrder(_))
    }
}

impl Spot {
    /// Returns the place that a value has.
    fn of<'e>(&self, value: Node<'e>, position: u64) -> At<'e> {
        match self {
            Self::Run => At::Run,
            Self::Index(paths) => value.get(paths).index().into(),
            Self::Id(paths) => At::Id(value.get(paths).id()),
            Self::Position => At::Index(position, 0),
        }
    }
}
