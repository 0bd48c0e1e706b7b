//! The members of an event's objects that nobody asks for: what a wire format has no field for would vanish.

use alloc::vec::Vec;
use core::cell::RefCell;
use core::cmp::Reverse;

use super::Json;

/// Members that say something and were read by nobody, each by the places of its name and its value in memory: with the
/// texts themselves, a value could not be passed on for a shorter time than it was watched.
#[derive(Debug, Default)]
pub(crate) struct Unread(RefCell<Vec<[(usize, usize); 2]>>);

/// The place of a text in memory, by which a member is found in what was reported.
pub(crate) fn place_of(text: &str) -> (usize, usize) {
    let start = text.as_ptr() as usize;
    (start, start + text.len())
}

impl<'a> Json<'a> {
    /// The same, with a list for the members that are read by nobody.
    pub(crate) fn watched(self, unread: &'a Unread) -> Self {
        Self(self.0, Some(unread))
    }

    /// Another reader reads all of it once more.
    pub(crate) fn hand_over(self) -> Self {
        if let Some(unread) = self.1 {
            unread.clear();
        }
        self
    }

    /// The same for a look at some of its members: the others are not listed.
    pub(crate) fn aside(self) -> Self {
        Self(self.0, None)
    }

    /// Returns true for a text, a list or an object that is not empty.
    pub(crate) fn says_something(self) -> bool {
        let may_say = self.is_string() || self.is_object() || self.inside('[').is_some();
        may_say && !self.is_nothing() && !self.is_empty()
    }
}

impl Unread {
    pub(super) fn add(&self, name: Json<'_>, value: Json<'_>) {
        self.0.borrow_mut().push([place_of(name.spelt()), place_of(value.spelt())]);
    }

    /// Forgets what was found so far, as the same event is read once more.
    pub(super) fn clear(&self) {
        self.0.borrow_mut().clear();
    }

    /// The members of this event, each with whether it stands in one of these places.
    pub(crate) fn members<'a>(
        &self,
        event: Json<'a>,
        reported: &mut Vec<(usize, usize)>,
    ) -> Vec<(Json<'a>, Json<'a>, bool)> {
        let (start, _) = place_of(event.spelt());
        let text = |(from, to): (usize, usize)| event.spelt().get(from.checked_sub(start)?..to.checked_sub(start)?);
        // Each place is asked for once, however many there are. No two overlap but where one is inside the other.
        reported.sort_unstable_by_key(|(from, to)| (*from, Reverse(*to)));
        reported.dedup_by(|inner, outer| inner.1 <= outer.1);
        let is_reported = |place: (usize, usize)| {
            let next = reported.partition_point(|(from, _)| *from <= place.0);
            next.checked_sub(1).and_then(|last| reported.get(last)).is_some_and(|(_, to)| place.1 <= *to)
        };
        let found = self.0.borrow();
        let member = |[name, value]: &[(usize, usize); 2]| {
            Some((Json::of(text(*name)?), Json::of(text(*value)?), is_reported(*value)))
        };
        found.iter().filter_map(member).collect()
    }
}
