//! Adds the values of an event to the message, as the rows of its wire's table say.

use super::{Shape, Turn};
use crate::calls::Numbered;
use crate::json::Node;

/// The destination of a value in the message that is sent back.
#[derive(Clone, Copy)]
pub(crate) enum Back {
    /// A new part at its place, inside objects of these names.
    Start(&'static [&'static str]),
    /// A new part after the others.
    Push,
    /// A new part after the others for a call, whose input is set when the call ends.
    PushCall,
    /// A piece of the text in this member of a part. The second name is the end of the part's type.
    Text(&'static str, &'static str),
    /// The value of this member of a part.
    Set(&'static str, &'static str),
    /// A piece of the JSON text of this member of a part.
    Json(&'static str, &'static str),
    /// An element of the list in this member of a part.
    Element(&'static str, &'static str),
    /// A destination in a part inside objects of these names. A text or a value creates the part if it is new.
    Within(&'static [&'static str], &'static Back),
    /// A text, a list or another value, or a piece of it, for this member of the message itself.
    Own(&'static str),
    /// A call in the older form of chats, which had one call and no list.
    OlderCall,
    /// A list of all parts, which replaces the parts so far if it is longer.
    All,
    /// A value that the message cannot be sent back with.
    Spoils,
}

/// The relation of a value to those before it.
#[derive(Clone, Copy)]
pub(crate) enum Sent {
    Piece,
    Whole,
    SoFar,
}

impl Turn {
    /// Adds a value to the message. Its part is the one at `index`, or the last one.
    pub(super) fn add_value(&mut self, back: &'static Back, value: Node<'_>, index: Option<u64>, sent: Sent) {
        let (back, names) = if let Back::Within(names, back) = back { (*back, Some(*names)) } else { (back, None) };
        let json = value.given();
        if value.is_nothing() && !matches!(value.spelt(), "null" | "false") {
            return;
        }
        let place = index.unwrap_or(self.next.saturating_sub(1));
        match (*back, names) {
            (Back::Text(..) | Back::Set(..), Some(names)) => self.start_if_new(place, names),
            (_, Some(names)) => self.expect_wrapped(place, names),
            _ => {}
        }
        match *back {
            // Repeated, it changes nothing.
            Back::Start(_) if self.is_part_of(place, value.member("id").word()) => {}
            // An item that the ended response does not have.
            Back::Start(_) if self.is_over && self.shape == Shape::Items => self.refute(),
            Back::Start(wrapped) => self.start(index.unwrap_or(self.next), wrapped, json),
            Back::Push => drop(self.push(json)),
            Back::PushCall => {
                let place = self.push(json);
                if self.pending.replace(place).is_some() {
                    self.spoil();
                }
            }
            Back::Text(member, kind)
            | Back::Set(member, kind)
            | Back::Json(member, kind)
            | Back::Element(member, kind) => {
                self.expect_type(place, kind);
                match back {
                    Back::Text(..) => self.text(Some(place), member, json),
                    Back::Json(..) => self.json(Some(place), member, value),
                    Back::Element(..) => self.element(Some(place), member, json),
                    _ => self.set(Some(place), member, json),
                }
            }
            Back::Own(member) => self.own(member, value, sent),
            Back::OlderCall => self.has_older_call |= self.takes("{}".len()),
            Back::All if self.parts.len() < value.children().count() => {
                (self.parts, self.next) = (Numbered::default(), 0);
                for part in value.children() {
                    self.push(part.given());
                }
            }
            Back::All => {}
            Back::Spoils | Back::Within(..) => self.spoil(),
        }
    }

    /// Adds a value to a member of the message itself.
    fn own(&mut self, member: &'static str, value: Node<'_>, sent: Sent) {
        match sent {
            Sent::Whole => self.set(None, member, value.given()),
            Sent::SoFar if value.is_list() => value.each("[].text", &mut |text| self.so_far(member, text.given())),
            Sent::SoFar => self.so_far(member, value.given()),
            Sent::Piece if value.is_list() => {
                value.children().for_each(|element| self.element(None, member, element.given()));
            }
            Sent::Piece if value.is_object() => self.element(None, member, value.given()),
            Sent::Piece if value.is_string() => self.text(None, member, value.given()),
            Sent::Piece => self.text(None, member, &["\"", value.spelt(), "\""].concat()),
        }
    }
}
