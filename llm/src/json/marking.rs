//! Marks the values of an event: what a row of the wire's table, or a hook, knows of each.

use alloc::string::String;
use alloc::vec::Vec;

use super::marks::{Around, Mark, Text};
use super::spelling::push_member;
use super::tree::{Node, Tree};

impl Tree<'_> {
    /// Calls `found` with each value, its mark, and what is around it. The values inside it follow if `found` returns true.
    pub(crate) fn visit<'e>(&'e self, found: &mut dyn FnMut(Node<'e>, Mark, Around) -> bool) {
        let (mut at, mut read_until, mut call_until) = (0, 0, 0);
        while let Some(value) = self.values.get(at) {
            let (node, mark) = (Node { tree: self, at }, value.mark.get());
            let goes_inside = found(node, mark, Around { is_read: at < read_until, is_call: at < call_until });
            if mark == Mark::Read {
                read_until = value.next.max(read_until);
            }
            // An object with a member that is input, or should be, is a call too.
            if value.is_call.get() || node.children().any(|member| member.get_mark().may_be_input()) {
                call_until = value.next.max(call_until);
            }
            at = if goes_inside { at + 1 } else { value.next };
        }
    }

    /// Forgets the flaws that were found.
    pub(crate) fn forget_flaws(&self) {
        self.is_flawed.set(false);
    }

    /// Returns true if a flaw was found.
    pub(crate) fn is_flawed(&self) -> bool {
        self.is_flawed.get()
    }

    /// Passes each value that no row has read to `found`, with the name of the nearest enclosing member or `event`, and
    /// its mark.
    pub(crate) fn unread<'e>(&'e self, found: &mut dyn FnMut(&str, Node<'e>, Mark)) {
        // The entered containers around a value: the index after each, and its name.
        let mut around: Vec<(usize, &str)> = Vec::new();
        let mut at = 0;
        while let Some(value) = self.values.get(at) {
            while around.last().is_some_and(|(end, _)| *end <= at) {
                around.pop();
            }
            let node = Node { tree: self, at };
            let name = match (&value.key, around.last()) {
                (Some(key), _) => &**key,
                (None, Some((_, name))) => *name,
                (None, None) => "event",
            };
            at = match value.mark.get() {
                Mark::Entered => {
                    around.push((value.next, name));
                    at + 1
                }
                mark if mark.is_known() => value.next,
                mark => {
                    if mark != Mark::Unread || node.says_something() {
                        found(name, node, mark);
                    }
                    value.next
                }
            };
        }
    }
}

impl<'e> Node<'e> {
    /// Marks the value and everything in it as read.
    pub(crate) fn read(self) -> Self {
        self.mark_unless_known(Mark::Read)
    }

    /// Marks the value as reported as a whole, though not all of it is known.
    pub(crate) fn shown(self) -> Self {
        self.mark_unless_known(Mark::Shown)
    }

    /// Marks the value as an error.
    pub(crate) fn as_failure(self) -> Self {
        self.mark_unless_known(Mark::Failed)
    }

    /// Marks the value as a call's input, or a piece of it, unless it has another type than a row's.
    pub(crate) fn as_input(self) -> Self {
        match self.get_mark() {
            Mark::Raw(_) | Mark::Piece(_) | Mark::SoFar(_) | Mark::Odd | Mark::Torn => self,
            _ => self.mark(Mark::Input),
        }
    }

    /// Marks the value as input that is not JSON, or a part of it, unless it has another type than a row's.
    pub(crate) fn as_raw(self) -> Self {
        match self.get_mark() {
            Mark::Raw(_) | Mark::Odd | Mark::Torn => self,
            _ => self.mark(Mark::Raw(None)),
        }
    }

    /// Returns the text of a string, which is then marked as input that is not JSON; `""` for anything else, which is
    /// then odd.
    pub(crate) fn raw_text(self) -> &'e str {
        let text = self.said();
        self.as_raw();
        text
    }

    /// Returns the text of an object with those of `members` that the value has, as it has them, and marks them as
    /// input.
    pub(crate) fn object_of(self, members: &[&str]) -> String {
        let mut object = String::from("{");
        for member in self.children().filter(|member| members.contains(&member.key()) && member.is_given()) {
            push_member(&mut object, &member.quoted_key(), member.as_raw().spelt());
        }
        object + "}"
    }

    /// Marks a string as a piece of a call's input, which is raw if the call's is or if the value is marked so.
    pub(crate) fn as_piece_of(self, text: Text, is_raw: bool) {
        let is_raw = is_raw || matches!(self.get_mark(), Mark::Raw(_));
        if self.is_string() {
            self.mark(if is_raw { Mark::Raw(Some(text)) } else { Mark::Piece(text) });
        }
    }

    /// Marks a string as all of a call's input so far, unless the call's input is not JSON.
    pub(crate) fn as_so_far(self, text: Text) {
        if self.is_string() && !matches!(self.get_mark(), Mark::Raw(_)) {
            self.mark(Mark::SoFar(text));
        }
    }

    /// Notes that an object is a call, or a piece of one.
    pub(crate) fn as_call(self) -> Self {
        if let Some(value) = self.value() {
            value.is_call.set(true);
        }
        self
    }

    /// Removes the marks of the value and of everything in it.
    pub(crate) fn forget_marks(self) {
        let end = self.value().map_or(0, |value| value.next);
        let values = self.tree.values.get(self.at..end).unwrap_or_default();
        values.iter().for_each(|value| value.mark.set(Mark::Unread));
    }

    /// Marks the value and its members as read, except for those that another row has named.
    pub(crate) fn read_rest(self) -> Self {
        for value in [self].into_iter().chain(self.children()).filter(|value| value.is_unread()) {
            value.mark(if value.is_object() && value.at == self.at { Mark::Entered } else { Mark::Read });
        }
        self
    }

    /// Marks the value as entered, unless it is read.
    pub(crate) fn enter(self) -> Self {
        self.mark_unless_known(Mark::Entered)
    }

    /// Marks a value of an unexpected type, unless another row has named it. An empty value is marked as read.
    pub(crate) fn odd(self, mark: Mark) {
        if self.is_nothing() {
            self.read();
        } else if self.is_unread() {
            self.mark(mark);
        }
    }

    /// Marks the value as torn if it is not a string.
    pub(crate) fn odd_unless_string(self) {
        if !self.is_string() && !self.is_nothing() {
            self.torn();
        }
    }

    /// Returns true if the value was marked as odd or torn.
    pub(crate) fn is_odd(self) -> bool {
        self.value().is_some_and(|value| matches!(value.mark.get(), Mark::Odd | Mark::Torn))
    }

    /// Marks a value that should be an object as torn. `null` and the empty list, which some languages send for an
    /// empty object, are marked as read.
    pub(crate) fn torn(self) -> Self {
        self.mark(if matches!(self.spelt(), "null" | "[]") { Mark::Read } else { Mark::Torn })
    }

    pub(super) fn is_unread(self) -> bool {
        self.value().is_some_and(|value| value.mark.get() == Mark::Unread)
    }

    /// Marks an object as entered and returns it. Any other value returns `None` and is marked as torn.
    pub(crate) fn as_object(self) -> Option<Self> {
        if self.is_object() {
            return Some(self.enter());
        }
        self.torn();
        None
    }

    /// Returns true if no row has named a member or element of the value.
    pub(crate) fn is_untouched(self) -> bool {
        self.children().all(Self::is_unread)
    }

    /// Returns true if the value is a member of an object.
    pub(crate) fn is_member(self) -> bool {
        self.value().is_some_and(|value| value.key.is_some())
    }

    fn get_mark(self) -> Mark {
        self.value().map_or(Mark::Unread, |value| value.mark.get())
    }

    /// Sets the mark, unless the value is marked as known.
    pub(crate) fn mark_unless_known(self, mark: Mark) -> Self {
        if self.get_mark().is_known() { self } else { self.mark(mark) }
    }

    fn mark(self, mark: Mark) -> Self {
        if let Some(value) = self.value() {
            value.mark.set(mark);
        }
        self
    }
}
