//! The members of an event's objects that nobody asks for: what a wire format has no field for would vanish.

use alloc::vec::Vec;
use core::cell::RefCell;

use super::Json;

/// Members that say something and were read by nobody, each by the places of its name and its value in memory: with the
/// texts themselves, a value could not be passed on for a shorter time than it was watched.
#[derive(Debug, Default)]
pub(in crate::providers) struct Unread(RefCell<Vec<[(usize, usize); 2]>>);

/// Where a text is.
pub(in crate::providers) fn place_of(text: &str) -> (usize, usize) {
    let start = text.as_ptr() as usize;
    (start, start + text.len())
}

impl Unread {
    pub(super) fn add(&self, name: Json<'_>, value: Json<'_>) {
        self.0.borrow_mut().push([place_of(name.spelt()), place_of(value.spelt())]);
    }

    /// What was read so far is read once more.
    pub(super) fn clear(&self) {
        self.0.borrow_mut().clear();
    }

    /// The members of this event, each with whether it stands in one of these places.
    pub(in crate::providers) fn members<'a>(
        &self,
        event: Json<'a>,
        reported: &[(usize, usize)],
    ) -> Vec<(Json<'a>, Json<'a>, bool)> {
        let (start, _) = place_of(event.spelt());
        let text = |(from, to): (usize, usize)| event.spelt().get(from.checked_sub(start)?..to.checked_sub(start)?);
        let is_reported = |place: (usize, usize)| reported.iter().any(|(from, to)| *from <= place.0 && place.1 <= *to);
        let found = self.0.borrow();
        let member = |[name, value]: &[(usize, usize); 2]| {
            Some((Json::of(text(*name)?), Json::of(text(*value)?), is_reported(*value)))
        };
        found.iter().filter_map(member).collect()
    }
}
