//! Puts together the message that goes back, by the same rows.

use super::table::{Back, Form, Here, Wire};
use super::{Found, find};
use crate::json::Node;
use crate::message::Turn;

/// Adds what an event says to the message that goes back.
pub(crate) fn compose(wire: &'static Wire, event: Node<'_>, turn: &mut Turn) {
    for Found { row, value, here } in find(wire, event).into_iter().flatten() {
        if let Some(back) = row.back {
            add(back, value, &here, turn);
        }
    }
}

/// Adds a value to the message.
fn add(back: &'static Back, value: Node<'_>, here: &Here<'_>, turn: &mut Turn) {
    let (back, names) = if let Back::Within(names, back) = back { (*back, Some(*names)) } else { (back, None) };
    let json = value.given();
    let is_nothing = value.is_nothing() && !matches!(value.spelt(), "null" | "false");
    if here.choice != 0 || here.form == Form::Beside || is_nothing {
        return;
    }
    let index = here.index();
    let place = turn.place_of(index);
    match (*back, names) {
        (Back::Text(..) | Back::Set(..), Some(names)) => turn.start_if_new(place, names),
        (_, Some(names)) => turn.expect_wrapped(place, names),
        _ => {}
    }
    match *back {
        // Repeated, it changes nothing.
        Back::Start(_) if turn.is_part_of(place, value.member("id").word()) => {}
        Back::Start(wrapped) => turn.start(turn.new_place_of(index), wrapped, json),
        Back::Push => drop(turn.push(json)),
        Back::PushCall => {
            let place = turn.push(json);
            turn.await_call(place);
        }
        Back::Text(member, kind) | Back::Set(member, kind) | Back::Json(member, kind) | Back::Element(member, kind) => {
            turn.expect_type(place, kind);
            match back {
                Back::Text(..) => turn.text(Some(place), member, json),
                Back::Json(..) => turn.json(Some(place), member, value),
                Back::Element(..) => turn.element(Some(place), member, json),
                _ => turn.set(Some(place), member, json),
            }
        }
        Back::Own(member) => own(turn, member, value, here.form),
        Back::OlderCall => turn.expect_older_call(),
        Back::All if turn.part_count() < value.children().count() => {
            turn.clear();
            for part in value.children() {
                turn.push(part.given());
            }
        }
        Back::All => {}
        Back::Spoils | Back::Within(..) => turn.spoil(),
    }
}

/// Adds a value to a member of the message itself.
fn own(turn: &mut Turn, member: &'static str, value: Node<'_>, form: Form) {
    match form {
        Form::Whole(_) => turn.set(None, member, value.given()),
        Form::SoFar if value.is_list() => value.each("[].text", &mut |text| turn.so_far(member, text.given())),
        Form::SoFar => turn.so_far(member, value.given()),
        _ if value.is_list() => value.children().for_each(|element| turn.element(None, member, element.given())),
        _ if value.is_object() => turn.element(None, member, value.given()),
        _ if value.is_string() => turn.text(None, member, value.given()),
        _ => turn.text(None, member, &["\"", value.spelt(), "\""].concat()),
    }
}
