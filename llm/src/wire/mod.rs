//! Wires as tables: the rows of a format, and the one engine that reads every event by them.
//!
//! An event is read twice. First its rows are only looked up, so that an event that can't be read reports nothing; then
//! each row, in the order of the table, reports what it means. Members that no row names are reported at the end. The
//! message that goes back is put together by the same rows.

mod back;
mod read;
mod table;

pub(crate) use self::back::compose;
pub(crate) use self::read::{read, read_by, say};
pub(crate) use self::table::{
    Back, ByType, Called, Cited, Form, Here, Means, Outcome, Owner, Placed, Row, Rows, Shown, Spot, Wire, matches, row,
};
pub(crate) use crate::json::{Mark, Node};

use self::table::Choose;

/// The answer of a provider's reader to an event: known, even if there is nothing to report of it, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Understood {
    Yes,
    No,
}

impl From<bool> for Understood {
    fn from(is_understood: bool) -> Self {
        if is_understood { Self::Yes } else { Self::No }
    }
}

/// Receives the rows of an event that have a value.
trait Visit<'e> {
    /// Receives a row's value, the object that its path starts at, and its location.
    fn row(&mut self, row: &'static Row, value: Node<'e>, object: Node<'e>, here: &Here<'e>);

    /// Chooses the rows of a [`Means::Chosen`].
    fn choose(&mut self, all: Rows, _: Choose, _: Node<'e>, _: &Here<'e>) -> Rows {
        all
    }
}

/// Visits the rows of an event. Returns false if the event is not known.
fn walk_event<'e>(wire: &Wire, event: Node<'e>, visit: &mut dyn Visit<'e>) -> bool {
    let kind = event.word_at(wire.kind);
    let has_needed = |(kinds, paths): &(&str, &str)| !matches(kinds, &kind) || !event.word_at(paths).is_empty();
    let is_known = (wire.is_known)(event) && wire.needed.iter().all(has_needed);
    let rows = by_type(wire.events, &kind).filter(|_| is_known);
    let here = Here { choice: 0, place: wire.place.of(event, 0, &Here::default()), form: wire.form };
    for rows in rows.into_iter().flat_map(|rows| [rows, wire.always]) {
        walk(rows, event, &here, visit);
    }
    rows.is_some()
}

/// Returns the rows of the first pattern that matches a type.
pub(crate) fn by_type(tables: ByType, kind: &str) -> Option<Rows> {
    tables.iter().find(|(patterns, _)| matches(patterns, kind)).map(|(_, rows)| *rows)
}

/// Visits the values of an object in the order of the rows.
fn walk<'e>(rows: Rows, object: Node<'e>, here: &Here<'e>, visit: &mut dyn Visit<'e>) {
    object.enter();
    for row in rows {
        if !row.is_required && !object.may_have(row.signs) || row.when.is_some_and(|when| !when(object)) {
            continue;
        }
        let (mut position, mut is_there) = (0, false);
        let form = if row.form == Form::Same { here.form } else { row.form };
        object.each(row.path, &mut |value| {
            let here = Here { place: row.place.of(value, position, here), choice: here.choice, form };
            visit.row(row, value, object, &here);
            is_there |= !row.means.has_parts() || !value.is_nothing();
            inside(row, value, position, here, visit);
            position += 1;
        });
        if row.is_required && !is_there {
            object.flaw();
        }
    }
}

/// Visits the parts of a value that has rows of its own.
fn inside<'e>(row: &Row, value: Node<'e>, position: u64, here: Here<'e>, visit: &mut dyn Visit<'e>) {
    let is_object = value.is_object();
    match row.means {
        Means::Object(rows) if is_object => walk(rows, value, &here, visit),
        Means::ByType(member, tables) if is_object => {
            if let Some(rows) = by_type(tables, &value.get(member).text().unwrap_or_default()) {
                walk(rows, value, &here, visit);
            }
        }
        Means::Choice(member, rows) if is_object => {
            let own = if member.is_empty() { position } else { value.get(member).index().unwrap_or(0) };
            walk(rows, value, &Here { choice: here.choice.saturating_add(own), ..here }, visit);
        }
        Means::Chosen(all, choose) if is_object => {
            let rows = visit.choose(all, choose, value, &here);
            walk(rows, value, &here, visit);
        }
        _ if row.means.has_parts() => {
            value.torn();
        }
        _ => {}
    }
    // An object in place of a list, in which no row finds anything, is no element of it.
    if is_object && row.path.ends_with("[]") && value.is_member() && value.is_untouched() {
        value.torn();
    }
}

impl Means {
    fn has_parts(&self) -> bool {
        matches!(self, Self::Object(_) | Self::ByType(..) | Self::Chosen(..) | Self::Choice(..))
    }
}

impl Spot {
    /// Returns the place that a value has.
    fn of<'e>(self, value: Node<'e>, position: u64, around: &Here<'e>) -> Placed<'e> {
        match self {
            Self::Same => around.place.clone(),
            Self::Run => Placed::Run,
            Self::Index(paths) => Placed::Index(value.get(paths).index()),
            Self::Id(paths) => Placed::Id(value.get(paths).id()),
            Self::Position => Placed::Index(Some(position)),
        }
    }
}
