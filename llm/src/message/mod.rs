//! The assistant's message in the provider's own shape, put together from the events, for the next request.
//!
//! Kept only for those who ask for it. Nothing is read here: a wire format's file says, event by event, which member of
//! which part an event adds to. Text stays as it was spelt, escapes and all, because pieces of a JSON string, joined,
//! are a piece of a JSON string.
//!
//! There is no message if something of it is missing: one that was too long for the limit, or of which an event could
//! not be read.

mod accepted;
mod calls;
mod ids;
mod part;
mod whole;

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use crate::calls::Numbered;
use crate::json::Json;

/// The rules by which a wire format's events become a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Composer {
    /// The shape of the assistant's message in the next request.
    pub(crate) shape: Shape,
    /// Adds what an event that was understood says to that message.
    pub(crate) compose: fn(Json<'_>, &mut Turn),
}

impl Composer {
    pub(crate) const fn new(shape: Shape, compose: fn(Json<'_>, &mut Turn)) -> Self {
        Self { shape, compose }
    }
}

/// The shape of a message around its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// An object of this role, with its parts in a list under this name.
    Object { role: &'static str, list: &'static str, ids: Ids },
    /// The same, and its calls in another list, as OpenAI's chat has them.
    WithCalls { list: &'static str, ids: Ids },
    /// A list of OpenAI's items.
    Items,
    /// A list of Gemini's steps.
    Steps,
}

/// The ids of calls in a format's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ids {
    /// A result is found by the id of its call: one without an id, or with that of another, is refused.
    Needed,
    /// Results come in the order of the calls, or with their names.
    Optional,
}

/// A message, as far as it has come.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Turn {
    shape: Shape,
    /// The members beside the list.
    own: Part,
    parts: Numbered<Part>,
    /// The place after the last part.
    next: u64,
    /// The calls that have ended, and what else came with those that have not, by their numbers.
    calls: String,
    extras: Numbered<String>,
    /// The calls that were reported as whole, to be compared with those that go back; and how long they are.
    ended: Vec<Ended>,
    ended_len: usize,
    /// The part of a call whose arguments are still coming, where they come as values by path.
    pending: Option<u64>,
    /// Its length, and the largest length that it may have.
    len: usize,
    most: usize,
    is_spoilt: bool,
    /// True if a call in it is not whole: servers refuse it, and so does every request that it is in.
    has_bad_call: bool,
    /// True if what comes next belongs to another message.
    is_over: bool,
    /// True if something of that one is missing.
    spoils_next: bool,
}

/// A call that was reported as whole.
#[derive(Clone, Debug, PartialEq)]
struct Ended {
    id: String,
    name: String,
    /// Its value; the text of one whose input is not JSON.
    input: String,
    is_client_s: bool,
}

/// An object: one that came with its start, and members that were added or that replace what was there.
#[derive(Clone, Debug, Default, PartialEq)]
struct Part {
    /// The names that the object is wrapped in.
    wrapped: &'static [&'static str],
    base: String,
    changed: Vec<(&'static str, Value)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    /// A string, as it is spelt between its quotes.
    Text(String),
    /// A list, as its elements are spelt between the brackets.
    List(String),
    /// Any value.
    Json(String),
}

/// The largest number of parts of a message, where the wire numbers them.
const MOST_PARTS: usize = 1 << 12;
/// The member for a call in the form that chats had before there were lists of them.
const OLDER_CALL: &str = "function_call";

/// The least length of a part.
const PART_LEN: usize = 64;

impl Turn {
    pub(crate) fn new(shape: Shape, most: usize) -> Self {
        Self {
            shape,
            own: Part::default(),
            parts: Numbered::default(),
            next: 0,
            calls: String::new(),
            extras: Numbered::default(),
            ended: Vec::new(),
            ended_len: 0,
            pending: None,
            len: 0,
            most,
            is_spoilt: false,
            has_bad_call: false,
            is_over: false,
            spoils_next: false,
        }
    }

    /// Another message begins.
    pub(crate) fn begin(&mut self) {
        *self = Self::new(self.shape, self.most);
    }

    /// Ends the message: what comes next is another one.
    pub(crate) fn end(&mut self) {
        self.is_over = true;
    }

    /// Returns true if the message has ended, and none has begun since.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns true if nothing of the next message is known, not even that its shape is another one than this.
    pub(crate) fn is_before_next(&self, shape: Shape) -> bool {
        let is_new = if self.is_over { !self.spoils_next } else { *self == Self::new(shape, self.most) };
        is_new && self.shape == shape
    }

    /// The message has this shape, in a format that has two kinds.
    pub(crate) fn be(&mut self, shape: Shape) {
        self.shape = shape;
        self.calls.clear();
    }

    /// Something of it is missing.
    pub(crate) fn spoil(&mut self) {
        if self.is_over {
            self.spoils_next = true;
        } else {
            self.begin();
            self.is_spoilt = true;
        }
    }

    /// Begins the next message if this one is over.
    fn begin_next(&mut self) {
        if self.is_over {
            let is_spoilt = self.spoils_next;
            self.begin();
            self.is_spoilt = is_spoilt;
        }
    }

    /// Returns true if this much more may be kept.
    fn takes(&mut self, len: usize) -> bool {
        self.begin_next();
        self.len = self.len.saturating_add(len);
        if self.len > self.most && !self.is_spoilt {
            self.spoil();
        }
        !self.is_spoilt
    }

    /// The place of a part that begins at this index; without one after all others.
    pub(crate) fn new_place_of(&self, index: Option<u64>) -> u64 {
        index.unwrap_or(self.next)
    }

    /// The place of the part that is at this index; without one it is the last.
    pub(crate) fn place_of(&self, index: Option<u64>) -> u64 {
        index.unwrap_or(self.next.saturating_sub(1))
    }

    /// A part begins, as this object or, if it comes without one, empty.
    pub(crate) fn start(&mut self, place: u64, wrapped: &'static [&'static str], base: Json<'_>) {
        let is_too_much = self.parts.len() >= MOST_PARTS && place < self.next;
        // What stood there would be missing.
        let is_lost = self.shape != Shape::Items
            && self.parts.get(place).is_some_and(|part| !part.changed.is_empty() || part.base != base.spelt());
        if is_too_much || (is_lost && !self.is_over) {
            self.spoil();
        }
        if self.takes(base.spelt().len() + PART_LEN) {
            self.parts.remove(place);
            self.parts.insert(place, Part { wrapped, base: base.spelt().to_owned(), changed: Vec::new() });
            self.next = self.next.max(place.saturating_add(1));
        }
    }

    /// A part begins empty in this wrapping, unless one stands there.
    pub(crate) fn start_if_new(&mut self, place: u64, wrapped: &'static [&'static str]) {
        self.begin_next();
        if !self.parts.contains(place) {
            self.start(place, wrapped, Json::default());
        }
        self.expect_wrapped(place, wrapped);
    }

    /// The part at a place is in this wrapping: if not, what comes for it can't go back as part of it.
    pub(crate) fn expect_wrapped(&mut self, place: u64, wrapped: &[&str]) {
        if self.parts.get(place).is_some_and(|part| part.wrapped != wrapped) {
            self.spoil();
        }
    }

    /// The part at a place has a type that ends so: if not, what comes for it can't go back as part of it.
    pub(crate) fn expect_type(&mut self, place: u64, end: &str) {
        if self.parts.get(place).is_some_and(|part| !part.member("type").word().ends_with(end)) {
            self.spoil();
        }
    }

    /// A part after all others. Its place.
    pub(crate) fn push(&mut self, base: Json<'_>) -> u64 {
        let place = self.next;
        self.start(place, &[], base);
        place
    }

    pub(crate) fn part_count(&self) -> usize {
        self.parts.len()
    }

    /// All parts come once more, and some that have not come before.
    pub(crate) fn clear(&mut self) {
        self.parts = Numbered::default();
        self.next = 0;
    }

    /// The part at a place, or the message itself, if this much more may be kept. A part that has not begun was lost.
    fn part(&mut self, place: Option<u64>, len: usize) -> Option<&mut Part> {
        if !self.takes(len) {
            return None;
        }
        match place {
            Some(place) if !self.parts.contains(place) => {
                self.spoil();
                None
            }
            Some(place) => self.parts.get_mut(place),
            None => Some(&mut self.own),
        }
    }

    /// A piece of a string member of the part at a place, or of the message itself: the piece is a string too.
    pub(crate) fn text(&mut self, place: Option<u64>, name: &'static str, piece: Json<'_>) {
        let Some(piece) = piece.inside('"').filter(|piece| !piece.is_empty()) else { return };
        let Some(part) = self.part(place, piece.len()) else { return };
        match part.value(name, '"', Value::Text) {
            Value::Text(text) => text.push_str(piece),
            // Mistral sends its content now as a text, now as a list.
            Value::List(list) => push_element(list, &text_part(piece)),
            Value::Json(_) => self.spoil(),
        }
    }

    /// A piece of a string member of the message itself, or all of it so far.
    pub(crate) fn so_far(&mut self, name: &'static str, text: Json<'_>) {
        self.begin_next();
        let known = self.own.changed.iter().find(|(known, _)| *known == name);
        let rest = match (known, text.inside('"')) {
            (Some((_, Value::Text(known))), Some(text)) => text.strip_prefix(known.as_str()),
            _ => None,
        };
        match rest {
            Some(rest) => self.text(None, name, Json::of(&["\"", rest, "\""].concat())),
            None => self.text(None, name, text),
        }
    }

    /// An element of a list member.
    pub(crate) fn element(&mut self, place: Option<u64>, name: &'static str, element: Json<'_>) {
        if !element.is_given() {
            return;
        }
        let Some(part) = self.part(place, element.spelt().len() + 1) else { return };
        let value = part.value(name, '[', Value::List);
        if let Value::Text(text) = value {
            *value = Value::List(text_part(text));
        }
        match value {
            Value::List(list) => push_element(list, element.spelt()),
            _ => self.spoil(),
        }
    }

    /// A member as it is spelt; the last one counts.
    pub(crate) fn set(&mut self, place: Option<u64>, name: &'static str, value: Json<'_>) {
        if !value.is_given() {
            return;
        }
        if let Some(part) = self.part(place, value.spelt().len()) {
            part.changed.retain(|(known, _)| *known != name);
            part.changed.push((name, Value::Json(value.spelt().to_owned())));
        }
    }

    /// The message's call, if it has no id, comes in the form that chats had before there were lists of them.
    pub(crate) fn expect_older_call(&mut self) {
        self.set(None, OLDER_CALL, Json::of("{}"));
    }

    /// A piece of a member's JSON text.
    pub(crate) fn json(&mut self, place: Option<u64>, name: &'static str, piece: Json<'_>) {
        let Ok(Some(piece)) = piece.text() else { return self.set(place, name, piece) };
        if piece.is_empty() {
            return;
        }
        let Some(part) = self.part(place, piece.len()) else { return };
        match part.changed.iter_mut().find(|(known, _)| *known == name) {
            Some((_, Value::Json(json))) => json.push_str(&piece),
            Some(_) => self.spoil(),
            None => part.changed.push((name, Value::Json(piece.into_owned()))),
        }
    }

    /// Returns true if the part at a place is that of the call with this id.
    pub(crate) fn is_part_of(&self, place: u64, id: &str) -> bool {
        !id.is_empty() && self.parts.get(place).is_some_and(|part| part.member("id").word() == id)
    }
}

/// Recognizes an item of reasoning, which OpenAI takes only together with the item that followed it.
fn is_item_of_reasoning(item: Json<'_>) -> bool {
    item.member("type").word() == "reasoning"
}

/// A text as a JSON string.
fn quoted(text: &str) -> String {
    // A string can always be written.
    serde_json::to_string(text).unwrap_or_default()
}

/// A text, as it is spelt between its quotes, as a part of a list.
fn text_part(text: &str) -> String {
    [r#"{"type":"text","text":""#, text, "\"}"].concat()
}

fn push_element(list: &mut String, element: &str) {
    if !list.is_empty() {
        list.push(',');
    }
    list.push_str(element);
}
