//! Puts together the message that goes back, by the same rows.

use super::table::{Back, Here, Placed, Row, Wire};
use super::tree::{Node, Tree};
use super::{Visit, rows_of, walk};
use crate::json::Json;
use crate::message::Turn;

/// Adds what an event says to the message that goes back.
pub(crate) fn compose(wire: &'static Wire, event: Json<'_>, turn: &mut Turn) {
    let tree = Tree::new(event);
    let root = tree.root();
    let here = Here { choice: 0, place: wire.place.of(root, 0, &Here::default()) };
    for rows in rows_of(wire, root).into_iter().chain([wire.always]) {
        walk(rows, root, &here, &mut Compose { turn });
    }
}

struct Compose<'t> {
    turn: &'t mut Turn,
}

impl<'e> Visit<'e> for Compose<'_> {
    fn row(&mut self, row: &'static Row, value: Node<'e>, _: Node<'e>, here: &Here<'e>) {
        let Some(back) = row.back else { return };
        let (turn, json) = (&mut *self.turn, value.json());
        if here.choice != 0 || json.is_nothing() {
            return;
        }
        let index = if let Placed::Index(index) = here.place { index } else { None };
        let place = turn.place_of(index);
        let at = |turn: &mut Turn, kind: &str| {
            turn.expect_type(place, kind);
            Some(place)
        };
        match back {
            // Repeated, it changes nothing.
            Back::Start(_) if turn.is_part_of(place, &value.member("id").word()) => {}
            Back::Start(wrapped) => turn.start(turn.new_place_of(index), wrapped, json),
            Back::Push => drop(turn.push(json)),
            Back::Text(member, kind) => {
                let at = at(turn, kind);
                turn.text(at, member, json);
            }
            Back::Set(member, kind) => {
                let at = at(turn, kind);
                turn.set(at, member, json);
            }
            Back::Json(member, kind) => {
                let at = at(turn, kind);
                turn.json(at, member, json);
            }
            Back::Element(member, kind) => {
                let at = at(turn, kind);
                turn.element(at, member, json);
            }
            Back::OwnText(member) => turn.text(None, member, json),
            Back::OwnElement(member) => turn.element(None, member, json),
            Back::OwnSet(member) => turn.set(None, member, json),
            Back::Spoils => turn.spoil(),
        }
    }
}
