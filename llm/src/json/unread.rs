//! The members of an event's objects that nobody asks for: what a wire format has no field for would vanish.

use alloc::vec::Vec;
use core::cell::RefCell;
use core::cmp::Reverse;
use core::fmt::{self, Debug};
use core::marker::PhantomData;

use super::{Field, Json, Unreadable};

/// Members that say something, each by the places of its name and its value in memory, and whether anybody has used it:
/// with the texts themselves, a value could not be passed on for a shorter time than it was watched.
#[derive(Debug)]
pub(crate) struct Unread(RefCell<Vec<Member>>);

/// How many members say something in most events.
const MOSTLY: usize = 16;

#[derive(Debug)]
struct Member {
    name: (usize, usize),
    value: (usize, usize),
    is_used: bool,
}

/// The list in which the use of a value is noted, if there is one, and the number of the value there. What is read into
/// a field and never looked at, as it means nothing in an event of this type, would vanish too.
#[derive(Clone, Copy, Default)]
pub(crate) struct Watch<'a>(Option<(&'a Unread, usize)>);

impl Watch<'_> {
    pub(super) const NOBODY: Self = Self(None);

    /// Somebody has looked at the value.
    pub(super) fn note_use(self) {
        if let Some((unread, number)) = self.0
            && let Some(member) = unread.0.borrow_mut().get_mut(number)
        {
            member.is_used = true;
        }
    }

    /// The same for the parts of the value, which have no numbers yet.
    pub(super) fn of_parts(self) -> Self {
        Self(self.0.map(|(unread, _)| (unread, usize::MAX)))
    }
}

/// What is read is the same, wherever its use is noted.
impl Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

/// A member that is known and says nothing of the answer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Silent<'a>(PhantomData<&'a ()>);

impl<'a> Field<'a> for Silent<'a> {
    fn read(&mut self, json: Json<'a>) -> Result<(), Unreadable> {
        json.1.note_use();
        Ok(())
    }
}

/// The place of a text in memory, by which a member is found in what was reported.
pub(crate) fn place_of(text: &str) -> (usize, usize) {
    let start = text.as_ptr() as usize;
    (start, start + text.len())
}

impl<'a> Json<'a> {
    /// The same, with a list for the members that are used by nobody.
    pub(crate) fn watched(self, unread: &'a Unread) -> Self {
        Self(self.0, Watch(Some((unread, usize::MAX))))
    }

    /// The value of a member of this name, which is used by nobody so far.
    pub(super) fn listed(self, name: Json<'_>) -> Self {
        match self.1.0 {
            Some((unread, _)) if self.says_something() => Self(self.0, Watch(Some((unread, unread.add(name, self))))),
            _ => self,
        }
    }

    /// The value is known, and other events have what it says.
    pub(crate) fn pass_over(self) {
        self.1.note_use();
    }

    /// Another reader reads all of it once more, or nothing of it is news.
    pub(crate) fn hand_over(self) -> Self {
        if let Some((unread, _)) = self.1.0 {
            unread.0.borrow_mut().iter_mut().for_each(|member| member.is_used = true);
        }
        self
    }

    /// The same for a look at some of its members: nobody hears of that.
    pub(crate) fn aside(self) -> Self {
        Self(self.0, Watch::NOBODY)
    }

    /// Returns true for a text, a list or an object that is not empty.
    pub(crate) fn says_something(self) -> bool {
        let may_say = self.is_string() || self.is_object() || self.inside('[').is_some();
        may_say && !self.is_nothing() && !self.is_empty()
    }
}

impl Unread {
    pub(crate) fn new() -> Self {
        Self(RefCell::new(Vec::with_capacity(MOSTLY)))
    }

    /// Returns the number of the member.
    fn add(&self, name: Json<'_>, value: Json<'_>) -> usize {
        let mut members = self.0.borrow_mut();
        members.push(Member { name: place_of(name.0), value: place_of(value.0), is_used: false });
        members.len() - 1
    }

    /// The members of this event that nobody has used, each with whether it stands in one of these places.
    pub(crate) fn members<'a>(
        &self,
        event: Json<'a>,
        reported: &mut Vec<(usize, usize)>,
    ) -> Vec<(Json<'a>, Json<'a>, bool)> {
        let found = self.0.borrow();
        if found.iter().all(|member| member.is_used) {
            return Vec::new();
        }
        let (start, _) = place_of(event.spelt());
        let text = |(from, to): (usize, usize)| event.spelt().get(from.checked_sub(start)?..to.checked_sub(start)?);
        // Each place is asked for once, however many there are. No two overlap but where one is inside the other.
        reported.sort_unstable_by_key(|(from, to)| (*from, Reverse(*to)));
        reported.dedup_by(|inner, outer| inner.1 <= outer.1);
        let is_reported = |place: (usize, usize)| {
            let next = reported.partition_point(|(from, _)| *from <= place.0);
            next.checked_sub(1).and_then(|last| reported.get(last)).is_some_and(|(_, to)| place.1 <= *to)
        };
        let member = |member: &Member| {
            Some((Json::of(text(member.name)?), Json::of(text(member.value)?), is_reported(member.value)))
        };
        found.iter().filter(|member| !member.is_used).filter_map(member).collect()
    }
}
